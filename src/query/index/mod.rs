//! The loaded index: columnar and lazy. A table is opened, and a group of its columns read, when a method first asks for it.
//!
//! Reads our tables and the original's: ids of any form, columns we add absent, vectors in Parquet or none.

mod ids;
mod tables;
mod vectors;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use ids::{Numbers, RowsById};
pub use tables::{Claims, Communities, Documents, Entities, NO_ROW, Relationships, Reports, Units};
pub use vectors::{VectorName, Vectors};

use super::error::QueryError;
use crate::model::Finding;
use crate::store::{IndexState, ListColumn, Manifest, StoreError, StringColumn, TableReader};

/// An index in a folder, read piece by piece. Can be shared between threads.
#[derive(Debug, Default)]
pub struct Index {
    folder: PathBuf,
    fingerprint: String,
    method: String,
    documents: OnceLock<Documents>,
    document_texts: OnceLock<StringColumn>,
    units: OnceLock<Units>,
    unit_texts: OnceLock<StringColumn>,
    entities: OnceLock<Entities>,
    entity_descriptions: OnceLock<StringColumn>,
    entity_units: OnceLock<ListColumn<Vec<u32>>>,
    relationships: OnceLock<Relationships>,
    relationship_descriptions: OnceLock<StringColumn>,
    relationship_units: OnceLock<ListColumn<Vec<u32>>>,
    communities: OnceLock<Communities>,
    reports: OnceLock<Reports>,
    report_texts: OnceLock<StringColumn>,
    report_findings: OnceLock<ListColumn<Vec<Finding>>>,
    report_summaries: OnceLock<StringColumn>,
    claims: OnceLock<Claims>,
    mask: Option<Mask>,
    vectors: [OnceLock<Option<Vectors>>; 3],
}

/// What an index that is restricted to some documents may show.
#[derive(Debug)]
struct Mask {
    documents: usize,
    units: Vec<bool>,
    entities: Vec<bool>,
}

/// Gives what is in the cell, or loads it.
fn lazy<T>(
    cell: &OnceLock<T>,
    load: impl FnOnce() -> Result<T, QueryError>,
) -> Result<&T, QueryError> {
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
        let (fingerprint, method) = match manifest {
            Some(manifest) => (manifest.fingerprint, manifest.method),
            None => (foreign_fingerprint(folder), String::new()),
        };
        Ok(Self {
            folder: folder.to_owned(),
            fingerprint,
            method,
            ..Self::default()
        })
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

    /// Restricts the index to some documents, by row: only their text units are seen, entities and relationships that one of these
    /// supports, and reports that rest on nothing else.
    pub(super) fn restricted(mut self, documents: &[bool]) -> Result<Self, QueryError> {
        let allows = |row: u32| documents.get(row as usize).copied().unwrap_or(false);
        let units: Vec<bool> = self
            .units()?
            .documents
            .iter()
            .map(|&document| allows(document))
            .collect();
        self.entity_units()?;
        self.relationship_units()?;
        let keep = |lists: &mut OnceLock<ListColumn<Vec<u32>>>| {
            if let Some(lists) = lists.get_mut() {
                retain(lists, |unit| units[unit as usize]);
            }
        };
        keep(&mut self.entity_units);
        keep(&mut self.relationship_units);
        let supported = self.entity_units()?;
        let entities = (0..supported.len() as u32)
            .map(|row| !list(supported, row).is_empty())
            .collect();
        self.mask = Some(Mask {
            documents: documents.iter().filter(|allowed| **allowed).count(),
            units,
            entities,
        });
        Ok(self)
    }

    /// Whether only some documents are seen.
    pub fn is_restricted(&self) -> bool {
        self.mask.is_some()
    }

    /// How many documents are seen.
    pub fn document_count(&self) -> Result<usize, QueryError> {
        match &self.mask {
            Some(mask) => Ok(mask.documents),
            None => Ok(self.documents()?.ids.len()),
        }
    }

    /// Whether a text unit is seen.
    pub fn allows_unit(&self, row: u32) -> bool {
        let seen = |mask: &Mask| mask.units.get(row as usize).copied().unwrap_or(false);
        self.mask.as_ref().is_none_or(seen)
    }

    /// Whether an entity is seen.
    pub fn allows_entity(&self, row: u32) -> bool {
        let seen = |mask: &Mask| mask.entities.get(row as usize).copied().unwrap_or(false);
        self.mask.as_ref().is_none_or(seen)
    }

    /// Whether a relationship is seen.
    pub fn allows_relationship(&self, row: u32) -> Result<bool, QueryError> {
        Ok(self.mask.is_none() || !list(self.relationship_units()?, row).is_empty())
    }

    /// Whether a report is seen.
    pub fn allows_report(&self, row: u32) -> Result<bool, QueryError> {
        let Some(mask) = &self.mask else {
            return Ok(true);
        };
        let community = self.reports()?.communities[row as usize];
        if community == NO_ROW {
            return Ok(false);
        }
        let units = list(&self.communities()?.units, community);
        Ok(!units.is_empty() && units.iter().all(|&unit| mask.units[unit as usize]))
    }

    fn table(&self, name: &str) -> Result<TableReader, QueryError> {
        Ok(TableReader::open(&self.folder, name)?)
    }

    /// `documents` without the texts.
    pub fn documents(&self) -> Result<&Documents, QueryError> {
        lazy(&self.documents, || {
            let table = self.table("documents")?;
            let ids = table.strings("id")?;
            Ok(Documents {
                by_id: RowsById::new(&ids),
                ids,
                titles: table.strings_or_empty("title")?,
                paths: table.strings_or_empty("path")?,
            })
        })
    }

    /// The documents' texts.
    pub fn document_texts(&self) -> Result<&StringColumn, QueryError> {
        lazy(&self.document_texts, || {
            Ok(self.table("documents")?.strings_or_empty("text")?)
        })
    }

    /// `text_units` without the texts.
    pub fn units(&self) -> Result<&Units, QueryError> {
        lazy(&self.units, || {
            let table = self.table("text_units")?;
            let ids = table.strings("id")?;
            let rows = ids.len();
            let documents = if table.has("document_id") {
                let names = self.documents()?;
                let column = table.strings("document_id")?;
                column
                    .iter()
                    .map(|id| names.by_id.get(&names.ids, id).unwrap_or(NO_ROW))
                    .collect()
            } else {
                self.documents_by_list(&ids)?
            };
            let span = |name: &str| -> Result<Vec<i64>, QueryError> {
                Ok(if table.has(name) {
                    table.integers(name)?
                } else {
                    vec![-1; rows]
                })
            };
            Ok(Units {
                by_id: RowsById::new(&ids),
                ids,
                numbers: numbers(&table, "human_readable_id")?,
                documents,
                starts: span("char_start")?,
                ends: span("char_end")?,
            })
        })
    }

    /// Documents of the text units where only the documents list them (GraphRAG 1 and 2).
    fn documents_by_list(&self, units: &StringColumn) -> Result<Vec<u32>, QueryError> {
        let by_id = RowsById::new(units);
        let lists = self.table("documents")?.string_lists("text_unit_ids")?;
        let mut documents = vec![NO_ROW; units.len()];
        for row in 0..lists.len() {
            for at in lists.range(row) {
                if let Some(unit) = by_id.get(units, lists.values.get(at)) {
                    documents[unit as usize] = row as u32;
                }
            }
        }
        Ok(documents)
    }

    /// The text units' texts.
    pub fn unit_texts(&self) -> Result<&StringColumn, QueryError> {
        lazy(&self.unit_texts, || {
            Ok(self.table("text_units")?.strings("text")?)
        })
    }

    /// `entities` without descriptions and text units.
    pub fn entities(&self) -> Result<&Entities, QueryError> {
        lazy(&self.entities, || {
            let table = self.table("entities")?;
            let ids = table.strings("id")?;
            let titles = table.strings("title")?;
            let degrees = if table.has("degree") {
                table.integers("degree")?
            } else {
                vec![0; ids.len()]
            };
            Ok(Entities {
                by_id: RowsById::new(&ids),
                ids,
                by_title: RowsById::new(&titles),
                titles,
                aliases: if table.has("aliases") {
                    table.string_lists("aliases")?
                } else {
                    ListColumn::default()
                },
                numbers: numbers(&table, "human_readable_id")?,
                degrees: degrees
                    .into_iter()
                    .map(|degree| u32::try_from(degree).unwrap_or(0))
                    .collect(),
            })
        })
    }

    /// The entities' descriptions.
    pub fn entity_descriptions(&self) -> Result<&StringColumn, QueryError> {
        lazy(&self.entity_descriptions, || {
            Ok(self.table("entities")?.strings_or_empty("description")?)
        })
    }

    /// Rows of the text units that mention each entity.
    pub fn entity_units(&self) -> Result<&ListColumn<Vec<u32>>, QueryError> {
        lazy(&self.entity_units, || {
            self.unit_rows(&self.table("entities")?)
        })
    }

    fn unit_rows(&self, table: &TableReader) -> Result<ListColumn<Vec<u32>>, QueryError> {
        if !table.has("text_unit_ids") {
            return Ok(ListColumn {
                values: Vec::new(),
                ends: vec![0; table.rows()],
            });
        }
        let units = self.units()?;
        Ok(rows_of(&table.string_lists("text_unit_ids")?, |id| {
            units.by_id.get(&units.ids, id)
        }))
    }

    /// `relationships` without descriptions and text units.
    pub fn relationships(&self) -> Result<&Relationships, QueryError> {
        lazy(&self.relationships, || {
            let table = self.table("relationships")?;
            let entities = self.entities()?;
            let ends = |name: &str| -> Result<Vec<u32>, QueryError> {
                let column = table.strings(name)?;
                let row = |title| {
                    entities
                        .by_title
                        .get(&entities.titles, title)
                        .unwrap_or(NO_ROW)
                };
                Ok(column.iter().map(row).collect())
            };
            let (sources, targets) = (ends("source")?, ends("target")?);
            let degree = |row: u32| entities.degrees.get(row as usize).copied().unwrap_or(0);
            let ranks = if table.has("combined_degree") {
                table
                    .integers("combined_degree")?
                    .into_iter()
                    .map(|rank| u32::try_from(rank).unwrap_or(0))
                    .collect()
            } else {
                sources
                    .iter()
                    .zip(&targets)
                    .map(|(&s, &t)| degree(s) + degree(t))
                    .collect()
            };
            Ok(Relationships {
                weights: if table.has("weight") {
                    table.floats("weight")?
                } else {
                    vec![1.0; sources.len()]
                },
                sources,
                targets,
                ranks,
                numbers: numbers(&table, "human_readable_id")?,
            })
        })
    }

    /// The relationships' descriptions.
    pub fn relationship_descriptions(&self) -> Result<&StringColumn, QueryError> {
        lazy(&self.relationship_descriptions, || {
            Ok(self
                .table("relationships")?
                .strings_or_empty("description")?)
        })
    }

    /// Rows of the text units that support each relationship.
    pub fn relationship_units(&self) -> Result<&ListColumn<Vec<u32>>, QueryError> {
        lazy(&self.relationship_units, || {
            self.unit_rows(&self.table("relationships")?)
        })
    }

    /// `communities`; empty where the index has none.
    pub fn communities(&self) -> Result<&Communities, QueryError> {
        lazy(&self.communities, || {
            let Some(table) = TableReader::open_optional(&self.folder, "communities")? else {
                return Ok(Communities::default());
            };
            let numbers = numbers(&table, "community")?;
            let rows = table.rows();
            let row_of = |number: i64| {
                u32::try_from(number)
                    .ok()
                    .and_then(|number| numbers.row(number))
                    .unwrap_or(NO_ROW)
            };
            let parents: Vec<u32> = if table.has("parent") {
                table.integers("parent")?.into_iter().map(row_of).collect()
            } else {
                vec![NO_ROW; rows]
            };
            let mut has_children = vec![false; rows];
            for &parent in parents.iter().filter(|&&parent| parent != NO_ROW) {
                has_children[parent as usize] = true;
            }
            let entities = self.entities()?;
            let members = if table.has("entity_ids") {
                rows_of(&table.string_lists("entity_ids")?, |id| {
                    entities.by_id.get(&entities.ids, id)
                })
            } else {
                ListColumn {
                    values: Vec::new(),
                    ends: vec![0; rows],
                }
            };
            Ok(Communities {
                levels: levels(&table)?,
                parents,
                has_children,
                entities: members,
                units: self.unit_rows(&table)?,
                numbers,
            })
        })
    }

    /// `community_reports` without the texts; empty where the index has none.
    pub fn reports(&self) -> Result<&Reports, QueryError> {
        lazy(&self.reports, || {
            let communities = self.communities()?;
            let mut of_community = vec![NO_ROW; communities.levels.len()];
            let Some(table) = TableReader::open_optional(&self.folder, "community_reports")? else {
                return Ok(Reports {
                    of_community,
                    ..Reports::default()
                });
            };
            let numbers = numbers(&table, "community")?;
            let row_of = |row: usize| {
                communities
                    .numbers
                    .row(numbers.of(row as u32))
                    .unwrap_or(NO_ROW)
            };
            let own: Vec<u32> = (0..table.rows()).map(row_of).collect();
            for (row, &community) in own
                .iter()
                .enumerate()
                .filter(|(_, community)| **community != NO_ROW)
            {
                of_community[community as usize] = row as u32;
            }
            Ok(Reports {
                communities: own,
                levels: levels(&table)?,
                titles: table.strings_or_empty("title")?,
                ranks: if table.has("rank") {
                    table.floats("rank")?
                } else {
                    vec![f64::NAN; table.rows()]
                },
                of_community,
                numbers,
            })
        })
    }

    /// The reports' whole texts.
    pub fn report_texts(&self) -> Result<&StringColumn, QueryError> {
        lazy(&self.report_texts, || {
            Ok(self.table("community_reports")?.strings("full_content")?)
        })
    }

    /// The reports' summaries.
    pub fn report_summaries(&self) -> Result<&StringColumn, QueryError> {
        lazy(&self.report_summaries, || {
            Ok(self
                .table("community_reports")?
                .strings_or_empty("summary")?)
        })
    }

    /// The reports' findings.
    pub fn report_findings(&self) -> Result<&ListColumn<Vec<Finding>>, QueryError> {
        lazy(&self.report_findings, || {
            let table = self.table("community_reports")?;
            if !table.has("findings") {
                return Ok(ListColumn {
                    values: Vec::new(),
                    ends: vec![0; table.rows()],
                });
            }
            Ok(table.finding_lists("findings")?)
        })
    }

    /// `covariates`; empty where the index has none.
    pub fn claims(&self) -> Result<&Claims, QueryError> {
        lazy(&self.claims, || {
            let Some(table) = TableReader::open_optional(&self.folder, "covariates")? else {
                return Ok(Claims::default());
            };
            let units = self.units()?;
            let unit_ids = table.strings_or_empty("text_unit_id")?;
            let linked = |column: &str| -> Result<ListColumn<Vec<u32>>, QueryError> {
                if !table.has(column) {
                    return Ok(ListColumn::default());
                }
                let ids = table.strings("id")?;
                let by_id = RowsById::new(&ids);
                Ok(rows_of(&table.string_lists(column)?, |id| {
                    by_id.get(&ids, id)
                }))
            };
            Ok(Claims {
                contradicts: linked("contradicts")?,
                confirms: linked("confirms")?,
                numbers: numbers(&table, "human_readable_id")?,
                subjects: table.strings_or_empty("subject_id")?,
                objects: table.strings_or_empty("object_id")?,
                statuses: table.strings_or_empty("status")?,
                starts: table.strings_or_empty("start_date")?,
                ends: table.strings_or_empty("end_date")?,
                descriptions: table.strings_or_empty("description")?,
                units: unit_ids
                    .iter()
                    .map(|id| units.by_id.get(&units.ids, id).unwrap_or(NO_ROW))
                    .collect(),
            })
        })
    }

    /// The vectors of a table; `None` where the index has none.
    pub fn vectors(&self, name: VectorName) -> Result<Option<&Vectors>, QueryError> {
        let loaded = lazy(&self.vectors[name as usize], || match name {
            VectorName::Entities => vectors::read(&self.folder, name, &self.entities()?.ids),
            VectorName::TextUnits => vectors::read(&self.folder, name, &self.units()?.ids),
            VectorName::Reports => {
                let Some(table) = TableReader::open_optional(&self.folder, "community_reports")?
                else {
                    return Ok(None);
                };
                vectors::read(&self.folder, name, &table.strings("id")?)
            }
        })?;
        Ok(loaded.as_ref())
    }
}

fn numbers(table: &TableReader, column: &str) -> Result<Numbers, QueryError> {
    Ok(if table.has(column) {
        Numbers::new(&table.integers(column)?)
    } else {
        Numbers::by_position(table.rows())
    })
}

fn levels(table: &TableReader) -> Result<Vec<u32>, QueryError> {
    if !table.has("level") {
        return Ok(vec![0; table.rows()]);
    }
    Ok(table
        .integers("level")?
        .into_iter()
        .map(|level| u32::try_from(level).unwrap_or(0))
        .collect())
}

/// Lists of ids as lists of rows; ids of no row are left out.
fn rows_of(
    lists: &ListColumn<StringColumn>,
    row: impl Fn(&str) -> Option<u32>,
) -> ListColumn<Vec<u32>> {
    let mut out = ListColumn {
        values: Vec::with_capacity(lists.values.len()),
        ends: Vec::with_capacity(lists.len()),
    };
    for list in 0..lists.len() {
        out.values
            .extend(lists.range(list).filter_map(|at| row(lists.values.get(at))));
        out.ends.push(out.values.len() as u32);
    }
    out
}

/// Keeps some values of every list.
fn retain(lists: &mut ListColumn<Vec<u32>>, keep: impl Fn(u32) -> bool) {
    let mut kept = ListColumn {
        values: Vec::with_capacity(lists.values.len()),
        ends: Vec::with_capacity(lists.len()),
    };
    for row in 0..lists.len() {
        kept.values
            .extend(list(lists, row as u32).iter().filter(|&&value| keep(value)));
        kept.ends.push(kept.values.len() as u32);
    }
    *lists = kept;
}

/// An index without a manifest is named by its tables' sizes.
fn foreign_fingerprint(folder: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    for name in [
        "documents",
        "text_units",
        "entities",
        "relationships",
        "communities",
        "community_reports",
        "covariates",
    ] {
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
