//! Texts of a few rows, or whole columns of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::{Index, lazy};
use crate::query::error::QueryError;
use crate::store::{StringColumn, TableReader};

/// A column of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// What people call the documents.
    DocumentTitle,
    /// Paths below the input folder; empty where the index does not keep them.
    DocumentPath,
    /// The documents' texts.
    DocumentText,
    /// The text units' texts.
    UnitText,
    /// The entities' descriptions.
    EntityDescription,
    /// The relationships' descriptions.
    RelationshipDescription,
    /// The reports' whole texts.
    ReportText,
    /// The reports' summaries.
    ReportSummary,
}

impl Column {
    pub(super) const COUNT: usize = 8;

    /// Table and column.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::DocumentTitle => ("documents", "title"),
            Self::DocumentPath => ("documents", "path"),
            Self::DocumentText => ("documents", "text"),
            Self::UnitText => ("text_units", "text"),
            Self::EntityDescription => ("entities", "description"),
            Self::RelationshipDescription => ("relationships", "description"),
            Self::ReportText => ("community_reports", "full_content"),
            Self::ReportSummary => ("community_reports", "summary"),
        }
    }

    fn must_be_there(self) -> bool {
        matches!(self, Self::UnitText | Self::ReportText)
    }
}

/// Texts of some rows.
#[derive(Clone, Debug)]
pub enum Texts<'a> {
    /// All rows.
    Whole(&'a StringColumn),
    /// Those that were asked for.
    Some(FxHashMap<u32, Arc<str>>),
}

impl Texts<'_> {
    /// The text of a row that was asked for; empty for any other.
    pub fn get(&self, row: u32) -> &str {
        match self {
            Self::Whole(column) => column.get(row as usize),
            Self::Some(texts) => texts.get(&row).map_or("", |text| text),
        }
    }
}

/// Bytes of texts kept for the next look; a conversation reads many.
const KEPT: usize = 32 << 20;

/// Texts that were read, so that the answer and its evidence do not read them again.
#[derive(Debug, Default)]
pub(super) struct Read(Mutex<Kept>);

impl Read {
    /// What is kept; a thread that failed with it in hand has left it whole.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
struct Kept {
    texts: FxHashMap<(Column, u32), Arc<str>>,
    bytes: usize,
}

impl Index {
    /// A whole column.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn whole(&self, column: Column) -> Result<&StringColumn, QueryError> {
        lazy(&self.columns[column as usize], || {
            let (table, name) = column.names();
            let Some(table) = TableReader::open_optional(&self.folder, table)? else {
                // An index without communities has no reports; the other tables are always needed.
                return match column {
                    Column::ReportText | Column::ReportSummary => Ok(StringColumn::default()),
                    _ => Ok(self.table(table)?.strings(name)?),
                };
            };
            Ok(match column.must_be_there() {
                true => table.strings(name)?,
                false => table.strings_or_empty(name)?,
            })
        })
    }

    /// The texts of some rows; with a search file only they are read.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn texts(
        &self,
        column: Column,
        rows: impl IntoIterator<Item = u32>,
    ) -> Result<Texts<'_>, QueryError> {
        if self.search.is_none() || self.columns[column as usize].get().is_some() {
            return Ok(Texts::Whole(self.whole(column)?));
        }
        let mut found: FxHashMap<u32, Arc<str>> = FxHashMap::default();
        let mut missing: Vec<u32> = Vec::new();
        {
            let kept = self.read.kept();
            for row in rows {
                match kept.texts.get(&(column, row)) {
                    Some(text) => {
                        found.insert(row, Arc::clone(text));
                    }
                    None => missing.push(row),
                }
            }
        }
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return Ok(Texts::Some(found));
        }
        let (table, name) = column.names();
        let table = self.table(table)?;
        if !table.has(name) && !column.must_be_there() {
            return Ok(Texts::Some(found));
        }
        let texts = table.strings_at(name, &missing)?;
        let mut kept = self.read.kept();
        for (text, row) in texts.iter().zip(missing) {
            let text: Arc<str> = Arc::from(text);
            kept.bytes += text.len();
            kept.texts.insert((column, row), Arc::clone(&text));
            found.insert(row, text);
        }
        if kept.bytes > KEPT {
            *kept = Kept::default();
        }
        Ok(Texts::Some(found))
    }

    /// The text of one row.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn text(&self, column: Column, row: u32) -> Result<String, QueryError> {
        Ok(self.texts(column, [row])?.get(row).to_owned())
    }

    /// A document's path where there is one, else its title.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn document_name(&self, row: u32) -> Result<String, QueryError> {
        if let Some(documents) = self.documents.get() {
            return Ok(documents.name(row).to_owned());
        }
        let path = self.text(Column::DocumentPath, row)?;
        match path.is_empty() {
            true => self.text(Column::DocumentTitle, row),
            false => Ok(path),
        }
    }
}
