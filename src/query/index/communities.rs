//! Communities, their reports, and claims as the tables have them.

use super::graph::{numbers, rows_of};
use super::ids::RowsById;
use super::tables::{Claims, Communities, NO_ROW, Reports};
use super::{Index, lazy};
use crate::model::Finding;
use crate::query::error::QueryError;
use crate::store::{ListColumn, TableReader};

impl Index {
    /// `communities`; empty where the index has none.
    pub fn communities(&self) -> Result<&Communities, QueryError> {
        lazy(&self.communities, || {
            let Some(table) = TableReader::open_optional(&self.folder, "communities")? else {
                return Ok(Communities::default());
            };
            if let Some(search) = self.search() {
                return self.saved_communities(search);
            }
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
            let entities = self.entity_ids()?;
            let members = if table.has("entity_ids") {
                rows_of(&table.string_lists("entity_ids")?, |id| entities.row(id))
            } else {
                ListColumn::empty(rows)
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

    /// The reports' findings.
    pub fn report_findings(&self) -> Result<&ListColumn<Vec<Finding>>, QueryError> {
        lazy(&self.report_findings, || {
            let table = self.table("community_reports")?;
            if !table.has("findings") {
                return Ok(ListColumn::empty(table.rows()));
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
                units: match self.search() {
                    Some(search) => self.saved_claim_units(search)?,
                    None => {
                        let units = self.unit_ids()?;
                        let ids = table.strings_or_empty("text_unit_id")?;
                        ids.iter()
                            .map(|id| units.row(id).unwrap_or(NO_ROW))
                            .collect()
                    }
                },
            })
        })
    }
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
