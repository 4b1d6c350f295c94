//! Tables that a user gives: Parquet, CSV or JSONL, the format by the file's ending.

use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;

use super::error::PipelineError;
use crate::store::{StoreError, TableReader};

/// A column to read.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// Names it may have, the usual one first.
    pub names: &'static [&'static str],
    /// Whether the table is of no use without it.
    pub required: bool,
}

/// A table's text columns in the order asked for, and one column of lists.
pub(super) struct GivenTable {
    /// The file's name, for messages.
    pub file: String,
    /// Number of rows.
    pub rows: usize,
    columns: Vec<(&'static str, Vec<String>)>,
    /// Values of the list column by row; empty where the table has none.
    lists: Vec<Vec<String>>,
}

impl GivenTable {
    /// Reads the `wanted` columns as text, and the column `list` as lists of text.
    ///
    /// A list is a list in Parquet and JSONL; in CSV it is a JSON list, or values with `;` between them.
    ///
    /// # Errors
    /// `Given` for a file that cannot be read, a column that is missing, a row that does not parse.
    pub fn read(path: &Path, wanted: &[Wanted], list: &'static str) -> Result<Self, PipelineError> {
        let file = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned();
        let mut table = Self {
            file,
            rows: 0,
            columns: wanted
                .iter()
                .map(|wanted| (wanted.names[0], Vec::new()))
                .collect(),
            lists: Vec::new(),
        };
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("parquet") => table.read_parquet(path, wanted, list)?,
            Some("csv") => table.read_csv(path, wanted, list)?,
            Some("jsonl" | "ndjson") => table.read_jsonl(path, wanted, list)?,
            _ => {
                return Err(
                    table.problem("is not .parquet, .csv or .jsonl; convert it to one of these")
                );
            }
        }
        Ok(table)
    }

    /// The text of a cell, without space around it; empty where the table lacks the column.
    pub fn text(&self, row: usize, column: &str) -> &str {
        let found = self.columns.iter().find(|entry| entry.0 == column);
        found
            .and_then(|(_, values)| values.get(row))
            .map_or("", |text| text.trim())
    }

    /// The list of a row.
    pub fn list(&self, row: usize) -> &[String] {
        self.lists.get(row).map_or(&[], Vec::as_slice)
    }

    /// Rows whose list is not empty.
    pub fn listed(&self) -> usize {
        self.lists.iter().filter(|list| !list.is_empty()).count()
    }

    /// Where a row was written, for messages and as a document's path: `entities.csv#3`, counted from 1.
    pub fn place(&self, row: usize) -> String {
        format!("{}#{}", self.file, row + 1)
    }

    /// An error about one cell.
    pub fn cell_problem(
        &self,
        row: usize,
        column: &str,
        message: impl std::fmt::Display,
    ) -> PipelineError {
        self.problem(format!("row {}, column {column}: {message}", row + 1))
    }

    fn no_list(&self, row: usize, column: &str) -> PipelineError {
        self.cell_problem(row, column, "is not a JSON list of text; correct it")
    }

    fn problem(&self, message: impl std::fmt::Display) -> PipelineError {
        PipelineError::Given(format!("{}: {message}", self.file))
    }

    fn missing(&self, wanted: &Wanted, has: &[String]) -> PipelineError {
        let names = wanted.names.join("' or '");
        // An empty file has one header without a name.
        if has.iter().all(String::is_empty) {
            return self.problem(format!(
                "has no header line; begin it with the columns' names, '{names}' among them"
            ));
        }
        self.problem(format!(
            "has no column '{names}' (it has {}); name it so",
            has.join(", ")
        ))
    }

    fn read_parquet(
        &mut self,
        path: &Path,
        wanted: &[Wanted],
        list: &str,
    ) -> Result<(), PipelineError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let file = self.file.clone();
        let told = |error: StoreError| {
            let problem = match error {
                StoreError::Damaged { why, .. } => {
                    format!("is damaged or no Parquet ({why}); export it again")
                }
                StoreError::Missing { .. } => "is missing; check the path".to_owned(),
                StoreError::Column {
                    column, problem, ..
                } => format!("column {column} {problem}; convert it"),
                StoreError::Io { source, .. } => {
                    format!("cannot be read: {source}; check its permissions")
                }
                other => other.to_string(),
            };
            PipelineError::Given(format!("{file}: {problem}"))
        };
        let table = TableReader::open(folder, &stem).map_err(told)?;
        self.rows = table.rows();
        for (at, wanted) in wanted.iter().enumerate() {
            match wanted.names.iter().find(|name| table.has(name)) {
                Some(name) => {
                    let column = table.texts(name).map_err(told)?;
                    self.columns[at].1 = column.iter().map(str::to_owned).collect();
                }
                None if wanted.required => return Err(self.missing(wanted, &table.column_names())),
                None => {}
            }
        }
        if !table.has(list) {
            return Ok(());
        }
        // A table that came from CSV has its lists as text.
        if let Ok(texts) = table.strings(list) {
            for (row, text) in texts.iter().enumerate() {
                let values = listed(text).ok_or_else(|| self.no_list(row, list))?;
                self.lists.push(values);
            }
            return Ok(());
        }
        let lists = table.text_lists(list).map_err(told)?;
        let owned = |row| {
            lists
                .range(row)
                .map(|at| lists.values.get(at).to_owned())
                .collect()
        };
        self.lists = (0..lists.len()).map(owned).collect();
        Ok(())
    }

    fn read_csv(
        &mut self,
        path: &Path,
        wanted: &[Wanted],
        list: &str,
    ) -> Result<(), PipelineError> {
        let told = |file: &str, error: csv::Error| {
            let problem = match error.kind() {
                csv::ErrorKind::UnequalLengths {
                    pos,
                    expected_len,
                    len,
                } => format!(
                    "line {}: {len} fields where the header has {expected_len}; check its quotes and separators",
                    pos.as_ref().map_or(0, csv::Position::line)
                ),
                csv::ErrorKind::Utf8 { pos, .. } => format!(
                    "line {}: not UTF-8; save the file as UTF-8",
                    pos.as_ref().map_or(0, csv::Position::line)
                ),
                csv::ErrorKind::Io(error) => format!("{error}; check that it can be read"),
                _ => format!("{error}; save it as UTF-8 CSV with a header line"),
            };
            PipelineError::Given(format!("{file}: {problem}"))
        };
        let mut reader = csv::Reader::from_path(path).map_err(|error| told(&self.file, error))?;
        let header: Vec<String> = match reader.headers() {
            Ok(header) => header
                .iter()
                .map(|name| name.trim().trim_start_matches('\u{feff}').to_owned())
                .collect(),
            Err(error) => return Err(told(&self.file, error)),
        };
        let place = |names: &[&str]| {
            header
                .iter()
                .position(|name| names.contains(&name.as_str()))
        };
        let mut places = Vec::new();
        for wanted in wanted {
            let found = place(wanted.names);
            if found.is_none() && wanted.required {
                return Err(self.missing(wanted, &header));
            }
            places.push(found);
        }
        let list_place = place(&[list]);
        for record in reader.records() {
            let record = record.map_err(|error| told(&self.file, error))?;
            let cell = |at: usize| record.get(at).unwrap_or_default();
            for (column, place) in self.columns.iter_mut().zip(&places) {
                if let Some(at) = place {
                    column.1.push(cell(*at).to_owned());
                }
            }
            if let Some(at) = list_place {
                match listed(cell(at)) {
                    Some(values) => self.lists.push(values),
                    None => return Err(self.no_list(self.rows, list)),
                }
            }
            self.rows += 1;
        }
        Ok(())
    }

    fn read_jsonl(
        &mut self,
        path: &Path,
        wanted: &[Wanted],
        list: &str,
    ) -> Result<(), PipelineError> {
        let told = |file: &str, error: std::io::Error| {
            PipelineError::Given(format!(
                "{file}: {error}; check that it is a UTF-8 file that can be read"
            ))
        };
        let file = std::fs::File::open(path).map_err(|error| told(&self.file, error))?;
        for line in BufReader::new(file).lines() {
            let line = line.map_err(|error| told(&self.file, error))?;
            let line = line.trim_start_matches('\u{feff}');
            if line.trim().is_empty() {
                continue;
            }
            let row = self.rows;
            let object = match serde_json::from_str::<Value>(line) {
                Ok(Value::Object(object)) => object,
                Ok(_) => {
                    return Err(self.problem(format!(
                        "row {}: is not a JSON object; correct the line",
                        row + 1
                    )));
                }
                Err(error) => {
                    // Its line is always the first: rows are read one by one.
                    let text = error.to_string();
                    let why = text.split(" at line ").next().unwrap_or_default();
                    return Err(self.problem(format!(
                        "row {}: {why} at column {}; correct the line",
                        row + 1,
                        error.column()
                    )));
                }
            };
            for (at, wanted) in wanted.iter().enumerate() {
                let found = wanted.names.iter().find_map(|name| object.get(*name));
                let text = match found {
                    Some(Value::String(text)) => text.clone(),
                    Some(Value::Number(number)) => number.to_string(),
                    None | Some(Value::Null) if wanted.required => {
                        return Err(self.cell_problem(row, wanted.names[0], "is missing; add it"));
                    }
                    None | Some(Value::Null) => String::new(),
                    Some(_) => {
                        return Err(self.cell_problem(
                            row,
                            wanted.names[0],
                            "is neither text nor a number; correct it",
                        ));
                    }
                };
                self.columns[at].1.push(text);
            }
            let values = match object.get(list) {
                None | Some(Value::Null) => Some(Vec::new()),
                Some(Value::String(text)) => listed(text),
                Some(Value::Array(values)) => texts(values),
                Some(_) => None,
            };
            match values {
                Some(values) => self.lists.push(values),
                None => {
                    return Err(self.cell_problem(row, list, "is not a list of text; correct it"));
                }
            }
            self.rows += 1;
        }
        Ok(())
    }
}

/// A list as CSV holds it.
fn listed(cell: &str) -> Option<Vec<String>> {
    let cell = cell.trim();
    if cell.starts_with('[') {
        return texts(serde_json::from_str::<Value>(cell).ok()?.as_array()?);
    }
    let values = cell
        .split(';')
        .map(str::trim)
        .filter(|value| !value.is_empty());
    Some(values.map(str::to_owned).collect())
}

fn texts(values: &[Value]) -> Option<Vec<String>> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    values.iter().map(text).collect()
}
