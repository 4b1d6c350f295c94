//! Rows of CSV, JSON, JSONL and Parquet files -> documents.

use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::Sink;
use super::discover::SourceFile;
use super::report::FileReport;
use super::settings::{InputError, InputSettings, MissingColumn};
use crate::model::{Document, Outcome};

/// A row file's columns by name.
pub(super) type Columns = Map<String, Value>;

/// Turns the rows of one file into documents. Rows count from 0, lost ones included, as in the reference.
pub(super) struct RowWriter<'a, 'r, 's> {
    file: &'a SourceFile,
    settings: &'a InputSettings,
    report: &'r mut FileReport,
    sink: &'r mut Sink<'s>,
    next: u64,
}

impl<'a, 'r, 's> RowWriter<'a, 'r, 's> {
    pub(super) fn new(
        file: &'a SourceFile,
        settings: &'a InputSettings,
        report: &'r mut FileReport,
        sink: &'r mut Sink<'s>,
    ) -> Self {
        Self {
            file,
            settings,
            report,
            sink,
            next: 0,
        }
    }

    /// Checks that the columns that the settings name are there.
    ///
    /// # Errors
    /// [`InputError::MissingColumn`] for the first that is not.
    pub(super) fn require_columns<'n>(
        &self,
        found: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<(), InputError> {
        let wanted = [
            ("input.text_column", Some(self.settings.text_column())),
            ("input.title_column", self.settings.title_column.as_deref()),
            ("input.id_column", self.settings.id_column.as_deref()),
        ];
        for (key, column) in wanted {
            if let Some(column) = column
                && !found.clone().any(|name| name == column)
            {
                return Err(InputError::MissingColumn {
                    file: self.file.path.clone(),
                    missing: MissingColumn {
                        key,
                        column: column.to_owned(),
                        found: found.map(str::to_owned).collect(),
                    },
                });
            }
        }
        Ok(())
    }

    /// The next row is lost; the reason names the place and the remedy.
    pub(super) fn fail(&mut self, reason: String) {
        let (path, _) = self.next_path();
        self.report.add(path, Outcome::Failed(reason));
    }

    /// What is left of the file is lost; what came before it stays.
    pub(super) fn fail_rest(&mut self, reason: String) {
        let read = match self.report.documents {
            0 => "nothing of it was read".to_owned(),
            1 => "the document before that was read".to_owned(),
            n => format!("the {n} documents before that were read"),
        };
        self.report.fail_file(format!("{reason}; {read}"));
    }

    /// Hands on the next row, or reports why not.
    pub(super) fn push(&mut self, mut columns: Columns) -> ControlFlow<()> {
        let (path, row) = self.next_path();
        let column = self.settings.text_column();
        let text = match columns.remove(column) {
            Some(Value::String(text)) => text,
            Some(Value::Null) => String::new(),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
            Some(Value::Array(_) | Value::Object(_)) => {
                let reason =
                    format!("'{column}' is not a string: make it one, or set input.text_column");
                self.report.add(path, Outcome::Failed(reason));
                return ControlFlow::Continue(());
            }
            None => {
                let reason = format!("no '{column}' in this row: add it, or set input.text_column");
                self.report.add(path, Outcome::Failed(reason));
                return ControlFlow::Continue(());
            }
        };
        if text.trim_start().is_empty() {
            self.report.add(path, Outcome::Empty);
            return ControlFlow::Continue(());
        }
        let title_column = self.settings.title_column.as_deref().unwrap_or("title");
        let title = match columns.get(title_column) {
            Some(Value::String(title)) if !title.trim().is_empty() => title.clone(),
            Some(value @ Value::Number(_)) => value.to_string(),
            _ => format!("{} ({row})", self.file.path),
        };
        let mut key = self.file.path_bytes.clone();
        key.extend_from_slice(format!("#{row}").as_bytes());
        let document = Document {
            id: Document::derive_id(&key, &text),
            title,
            path,
            text,
            creation_date: creation_date(&columns),
            metadata: (!columns.is_empty()).then_some(columns),
        };
        self.report.add(String::new(), Outcome::Ok);
        (self.sink)(document)
    }

    fn next_path(&mut self) -> (String, u64) {
        let row = self.next;
        self.next += 1;
        (format!("{}#{row}", self.file.path), row)
    }
}

/// The value of `creation_date` or `date`, if it starts like an ISO 8601 date.
fn creation_date(columns: &Columns) -> Option<String> {
    ["creation_date", "date"]
        .iter()
        .filter_map(|name| columns.get(*name)?.as_str())
        .map(str::trim)
        .find(|value| starts_with_iso_date(value))
        .map(str::to_owned)
}

/// `2021-05-03`, alone or before a time.
pub(super) fn starts_with_iso_date(value: &str) -> bool {
    let bytes = value.as_bytes();
    let two = |at: usize| -> Option<u8> {
        let (tens, ones) = (*bytes.get(at)?, *bytes.get(at + 1)?);
        (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| (tens - b'0') * 10 + ones - b'0')
    };
    two(0).is_some()
        && two(2).is_some()
        && bytes.get(4) == Some(&b'-')
        && two(5).is_some_and(|month| (1..=12).contains(&month))
        && bytes.get(7) == Some(&b'-')
        && two(8).is_some_and(|day| (1..=31).contains(&day))
        && !bytes.get(10).is_some_and(u8::is_ascii_digit)
}
