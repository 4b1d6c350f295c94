//! The loaded index: columnar and lazy. A table is opened, and a group of its columns read, when a method first asks for it.
//!
//! Reads our tables and the original's: ids of any form, columns we add absent, vectors in Parquet or none. With a search file
//! (`query/search/`) the numbers and links come from there, and texts row by row.

mod communities;
mod graph;
mod ids;
mod mask;
mod saved;
mod tables;
mod texts;
mod vectors;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use ids::{Ids, Numbers, RowsById};
pub use tables::{Claims, Communities, Documents, Entities, NO_ROW, Relationships, Reports, Units};
pub use texts::{Column, Texts};
pub use vectors::{VectorName, Vectors};

use super::error::QueryError;
use super::lexical::{self, Hit, Weighted};
use super::search::{self, Building, Field, Search};
use crate::model::Finding;
use crate::store::{
    IndexState, ListColumn, Manifest, StoreError, StringColumn, TABLES, TableReader,
};
use mask::Mask;

/// An index in a folder, read piece by piece. Can be shared between threads.
#[derive(Debug, Default)]
pub struct Index {
    folder: PathBuf,
    fingerprint: String,
    /// Whether it has a manifest, and its fingerprint is the manifest's.
    own: bool,
    method: String,
    search: Option<Search>,
    documents: OnceLock<Documents>,
    unit_ids: OnceLock<Ids>,
    units: OnceLock<Units>,
    entity_ids: OnceLock<Ids>,
    entities: OnceLock<Entities>,
    entities_by_title: OnceLock<RowsById>,
    entity_units: OnceLock<ListColumn<Vec<u32>>>,
    relationships: OnceLock<Relationships>,
    relationship_units: OnceLock<ListColumn<Vec<u32>>>,
    communities: OnceLock<Communities>,
    reports: OnceLock<Reports>,
    report_findings: OnceLock<ListColumn<Vec<Finding>>>,
    claims: OnceLock<Claims>,
    /// Whole text columns.
    columns: [OnceLock<StringColumn>; Column::COUNT],
    /// Texts that were read row by row.
    read: texts::Read,
    mask: Option<Mask>,
    vectors: [OnceLock<Option<Vectors>>; 3],
}

/// Gives what is in the cell, or loads it.
pub(in crate::query) fn lazy<T, E>(
    cell: &OnceLock<T>,
    load: impl FnOnce() -> Result<T, E>,
) -> Result<&T, E> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = load()?;
    Ok(cell.get_or_init(|| value))
}

impl Index {
    /// Opens the index in `folder`.
    ///
    /// # Errors
    /// `HalfBuilt` when it was being written when the process ended, `Missing` when there are no tables, `EmptyIndex`.
    pub fn open(folder: &Path) -> Result<Self, QueryError> {
        let manifest = Manifest::read(folder)?;
        if manifest
            .as_ref()
            .is_some_and(|manifest| manifest.state != IndexState::Complete)
        {
            return Err(StoreError::HalfBuilt {
                path: folder.to_owned(),
            }
            .into());
        }
        if manifest.is_none() && folder.join(".building").is_dir() {
            return Err(StoreError::HalfBuilt {
                path: folder.to_owned(),
            }
            .into());
        }
        let units = TableReader::open(folder, "text_units")?;
        if units.rows() == 0 {
            return Err(QueryError::EmptyIndex {
                path: folder.to_owned(),
                what: "text units",
            });
        }
        let own = manifest.is_some();
        let (fingerprint, method) = match manifest {
            Some(manifest) => (manifest.fingerprint, manifest.method),
            None => (foreign_fingerprint(folder), String::new()),
        };
        Ok(Self {
            fingerprint,
            own,
            method,
            ..Self::tables(folder)
        })
    }

    /// The tables in `folder`, whatever else is there.
    pub(super) fn tables(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            ..Self::default()
        }
    }

    /// The types of the entities, by row; empty where the index does not keep them.
    pub fn entity_types(&self) -> Result<StringColumn, QueryError> {
        Ok(TableReader::open(&self.folder, "entities")?.strings_or_empty("type")?)
    }

    /// Whether Belvedere made it, and not another program.
    pub fn is_own(&self) -> bool {
        self.own
    }

    /// With the search file, which is made if there is none and the index is not small; `tell` is told so. The second value says why
    /// there is none where there should be one.
    pub fn searchable(mut self, tell: &(dyn Fn(Building<'_>) + Sync)) -> (Self, Option<String>) {
        let fingerprint = self.own.then_some(self.fingerprint.as_str());
        let (search, note) = search::open_or_build(&self.folder, fingerprint, tell);
        self.search = search;
        (self, note)
    }

    /// The search file, where there is one.
    pub(super) fn search(&self) -> Option<&Search> {
        self.search.as_ref()
    }

    /// The `k` best texts of those that may be seen, by BM25, with the weights of the question's terms.
    pub(super) fn rank(
        &self,
        field: Field,
        question: &str,
        k: usize,
    ) -> Result<(Vec<Hit>, Weighted), QueryError> {
        let allows = |row: u32| match field {
            Field::Units => self.allows_unit(row),
            Field::Descriptions => self.allows_entity(row),
        };
        if let Some(search) = &self.search {
            return Ok(search.rank(field, question, k, allows)?);
        }
        let texts = self.whole(match field {
            Field::Units => Column::UnitText,
            Field::Descriptions => Column::EntityDescription,
        })?;
        let (mut hits, weights) = lexical::bm25(texts.len(), |row| texts.get(row), question);
        hits.retain(|hit| allows(hit.row));
        hits.truncate(k);
        Ok((hits, weights))
    }

    /// Bytes of the text units' texts.
    pub(super) fn unit_text_bytes(&self) -> Result<u64, QueryError> {
        if let Some(search) = &self.search {
            return Ok(search.bytes(Field::Units)?);
        }
        let texts = self.whole(Column::UnitText)?;
        Ok(texts.iter().map(|text| text.len() as u64).sum())
    }

    /// Where the tables are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Names this state of the index.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// `fast`, `standard`, or empty for an index of the original.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The documents' metadata as JSON, and their dates; empty where the index has neither.
    pub(super) fn document_metadata(&self) -> Result<(StringColumn, StringColumn), QueryError> {
        let Some(table) = TableReader::open_optional(&self.folder, "documents")? else {
            return Ok(Default::default());
        };
        let column = if table.has("raw_data") {
            "raw_data"
        } else {
            "metadata"
        };
        Ok((
            table.strings_or_empty(column)?,
            table.strings_or_empty("creation_date")?,
        ))
    }

    fn table(&self, name: &str) -> Result<TableReader, QueryError> {
        Ok(TableReader::open(&self.folder, name)?)
    }

    fn rows(&self, name: &str) -> Result<usize, QueryError> {
        let table = TableReader::open_optional(&self.folder, name)?;
        Ok(table.map_or(0, |table| table.rows()))
    }
}

/// An index without a manifest is named by its tables' sizes.
fn foreign_fingerprint(folder: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    for name in TABLES {
        let size =
            std::fs::metadata(folder.join(format!("{name}.parquet"))).map_or(0, |data| data.len());
        hasher.update(name.as_bytes());
        hasher.update(&size.to_le_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The rows of a list column's row.
pub fn list(column: &ListColumn<Vec<u32>>, row: u32) -> &[u32] {
    // invariant: ranges of a list column lie within its values
    &column.values[column.range(row as usize)]
}
