//! The tables' columns as a query reads them, in groups that are loaded together.

use super::ids::{Numbers, RowsById};
use crate::store::{ListColumn, StringColumn};

/// Stands for a row that the tables do not have.
pub const NO_ROW: u32 = u32::MAX;

/// `documents` without the texts.
#[derive(Debug, Default)]
pub struct Documents {
    /// Content ids.
    pub ids: StringColumn,
    /// Look-up by id.
    pub by_id: RowsById,
    /// What people call them.
    pub titles: StringColumn,
    /// Paths below the input folder; empty where the index does not keep them.
    pub paths: StringColumn,
}

impl Documents {
    /// The path where there is one, else the title.
    pub fn name(&self, row: u32) -> &str {
        match self.paths.get(row as usize) {
            "" => self.titles.get(row as usize),
            path => path,
        }
    }
}

/// `text_units` without ids and texts.
#[derive(Debug, Default)]
pub struct Units {
    /// Numbers that citations use.
    pub numbers: Numbers,
    /// Row of the document, [`NO_ROW`] where unknown.
    pub documents: Vec<u32>,
    /// Start in the document in Unicode scalar values; -1 where the index does not keep it.
    pub starts: Vec<i64>,
    /// End (exclusive) in the document.
    pub ends: Vec<i64>,
}

impl Units {
    /// Whether a text unit goes on where the one before it ends.
    pub fn goes_on(&self, row: u32) -> bool {
        let of = |row: u32| self.documents.get(row as usize).copied();
        let before = row.checked_sub(1).and_then(of);
        before.is_some() && before == of(row) && before != Some(NO_ROW)
    }
}

/// `entities` without ids, descriptions and text units.
#[derive(Debug, Default)]
pub struct Entities {
    /// Upper-cased names.
    pub titles: StringColumn,
    /// Other names; no rows where the index does not keep them.
    pub aliases: ListColumn<StringColumn>,
    /// Numbers that citations use.
    pub numbers: Numbers,
    /// Number of distinct neighbours.
    pub degrees: Vec<u32>,
}

/// `relationships` without descriptions and text units.
#[derive(Debug, Default)]
pub struct Relationships {
    /// Rows of the source entities, [`NO_ROW`] where there is no such entity.
    pub sources: Vec<u32>,
    /// Rows of the target entities.
    pub targets: Vec<u32>,
    /// Sum of the degrees of both ends.
    pub ranks: Vec<u32>,
    /// Strengths.
    pub weights: Vec<f64>,
    /// Numbers that citations use.
    pub numbers: Numbers,
}

/// `communities`.
#[derive(Debug, Default)]
pub struct Communities {
    /// Community numbers.
    pub numbers: Numbers,
    /// Depths, 0 the coarsest.
    pub levels: Vec<u32>,
    /// Rows of the parents, [`NO_ROW`] at the top.
    pub parents: Vec<u32>,
    /// Whether any community names it as parent.
    pub has_children: Vec<bool>,
    /// Rows of the members.
    pub entities: ListColumn<Vec<u32>>,
    /// Rows of the text units.
    pub units: ListColumn<Vec<u32>>,
}

/// `community_reports` without the texts.
#[derive(Debug, Default)]
pub struct Reports {
    /// Rows of the communities, [`NO_ROW`] where there is no such community.
    pub communities: Vec<u32>,
    /// Community numbers: what citations use.
    pub numbers: Numbers,
    /// Depths.
    pub levels: Vec<u32>,
    /// Short names.
    pub titles: StringColumn,
    /// Importance, 0 to 10; NaN where the report has none.
    pub ranks: Vec<f64>,
    /// Row of the report on a community, by community row; [`NO_ROW`] where there is none.
    pub of_community: Vec<u32>,
}

/// `covariates`.
#[derive(Debug, Default)]
pub struct Claims {
    /// Numbers that citations use.
    pub numbers: Numbers,
    /// Titles of the entities the claims are about.
    pub subjects: StringColumn,
    /// The other parties.
    pub objects: StringColumn,
    /// `TRUE`, `FALSE` or `SUSPECTED`.
    pub statuses: StringColumn,
    /// Starts, `NONE` when unknown.
    pub starts: StringColumn,
    /// Ends, `NONE` when unknown.
    pub ends: StringColumn,
    /// What is claimed.
    pub descriptions: StringColumn,
    /// Rows of the text units.
    pub units: Vec<u32>,
    /// Rows of the claims that disagree; empty where the index does not keep them.
    pub contradicts: ListColumn<Vec<u32>>,
    /// Rows of the claims that agree.
    pub confirms: ListColumn<Vec<u32>>,
}
