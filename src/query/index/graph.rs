//! Documents, text units, entities and relationships as the tables have them.

use super::ids::{Ids, Numbers, RowsById};
use super::tables::{Documents, Entities, NO_ROW, Relationships, Units};
use super::{Index, lazy};
use crate::query::error::QueryError;
use crate::store::{ListColumn, StringColumn, TableReader};

impl Index {
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

    /// The text units' ids.
    pub fn unit_ids(&self) -> Result<&Ids, QueryError> {
        lazy(&self.unit_ids, || {
            Ok(Ids::new(self.table("text_units")?.strings("id")?))
        })
    }

    /// `text_units` without ids and texts.
    pub fn units(&self) -> Result<&Units, QueryError> {
        lazy(&self.units, || {
            if let Some(search) = self.search() {
                return self.saved_units(search);
            }
            let table = self.table("text_units")?;
            let rows = table.rows();
            let documents = if table.has("document_id") {
                let names = self.documents()?;
                let column = table.strings("document_id")?;
                column
                    .iter()
                    .map(|id| names.by_id.get(&names.ids, id).unwrap_or(NO_ROW))
                    .collect()
            } else {
                self.documents_by_list()?
            };
            let span = |name: &str| -> Result<Vec<i64>, QueryError> {
                Ok(if table.has(name) {
                    table.integers(name)?
                } else {
                    vec![-1; rows]
                })
            };
            Ok(Units {
                numbers: numbers(&table, "human_readable_id")?,
                documents,
                starts: span("char_start")?,
                ends: span("char_end")?,
            })
        })
    }

    /// Documents of the text units where only the documents list them (GraphRAG 1 and 2).
    fn documents_by_list(&self) -> Result<Vec<u32>, QueryError> {
        let units = self.unit_ids()?;
        let lists = self.table("documents")?.string_lists("text_unit_ids")?;
        let mut documents = vec![NO_ROW; units.column().len()];
        for row in 0..lists.len() {
            for at in lists.range(row) {
                if let Some(unit) = units.row(lists.values.get(at)) {
                    documents[unit as usize] = row as u32;
                }
            }
        }
        Ok(documents)
    }

    /// The entities' ids.
    pub fn entity_ids(&self) -> Result<&Ids, QueryError> {
        lazy(&self.entity_ids, || {
            Ok(Ids::new(self.table("entities")?.strings("id")?))
        })
    }

    /// The entities' rows by their titles, which are the column that [`Index::entities`] has.
    pub fn entities_by_title(&self) -> Result<&RowsById, QueryError> {
        lazy(&self.entities_by_title, || {
            Ok(RowsById::new(&self.entities()?.titles))
        })
    }

    /// `entities` without ids, descriptions and text units.
    pub fn entities(&self) -> Result<&Entities, QueryError> {
        lazy(&self.entities, || {
            if let Some(search) = self.search() {
                return self.saved_entities(search);
            }
            let table = self.table("entities")?;
            let titles = table.strings("title")?;
            let degrees = if table.has("degree") {
                table.integers("degree")?
            } else {
                vec![0; table.rows()]
            };
            Ok(Entities {
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

    /// Rows of the text units that mention each entity.
    pub fn entity_units(&self) -> Result<&ListColumn<Vec<u32>>, QueryError> {
        lazy(&self.entity_units, || {
            if let Some(search) = self.search() {
                return self.saved_unit_lists(search, "entity.units");
            }
            self.unit_rows(&self.table("entities")?)
        })
    }

    pub(super) fn unit_rows(
        &self,
        table: &TableReader,
    ) -> Result<ListColumn<Vec<u32>>, QueryError> {
        if !table.has("text_unit_ids") {
            return Ok(ListColumn::empty(table.rows()));
        }
        let units = self.unit_ids()?;
        Ok(rows_of(&table.string_lists("text_unit_ids")?, |id| {
            units.row(id)
        }))
    }

    /// `relationships` without descriptions and text units.
    pub fn relationships(&self) -> Result<&Relationships, QueryError> {
        lazy(&self.relationships, || {
            if let Some(search) = self.search() {
                return self.saved_relationships(search);
            }
            let table = self.table("relationships")?;
            let (entities, by_title) = (self.entities()?, self.entities_by_title()?);
            let ends = |name: &str| -> Result<Vec<u32>, QueryError> {
                let column = table.strings(name)?;
                let row = |title| by_title.get(&entities.titles, title).unwrap_or(NO_ROW);
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

    /// Rows of the text units that support each relationship.
    pub fn relationship_units(&self) -> Result<&ListColumn<Vec<u32>>, QueryError> {
        lazy(&self.relationship_units, || {
            if let Some(search) = self.search() {
                return self.saved_unit_lists(search, "relationship.units");
            }
            self.unit_rows(&self.table("relationships")?)
        })
    }
}

pub(super) fn numbers(table: &TableReader, column: &str) -> Result<Numbers, QueryError> {
    Ok(if table.has(column) {
        Numbers::new(&table.integers(column)?)
    } else {
        Numbers::by_position(table.rows())
    })
}

/// Lists of ids as lists of rows; ids of no row are left out.
pub(super) fn rows_of(
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
