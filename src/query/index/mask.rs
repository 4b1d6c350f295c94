//! What an index that is restricted to some documents may show.

use std::sync::OnceLock;

use super::{Index, NO_ROW, list};
use crate::query::error::QueryError;
use crate::store::ListColumn;

/// What an index that is restricted to some documents may show.
#[derive(Debug)]
pub(super) struct Mask {
    documents: usize,
    units: Vec<bool>,
    entities: Vec<bool>,
}

impl Index {
    /// Restricts the index to some documents, by row: only their text units are seen, entities and relationships that one of these
    /// supports, and reports that rest on nothing else.
    pub(in crate::query) fn restricted(mut self, documents: &[bool]) -> Result<Self, QueryError> {
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
            None => self.all_documents(),
        }
    }

    /// How many documents there are, seen or not.
    pub fn all_documents(&self) -> Result<usize, QueryError> {
        match self.documents.get() {
            Some(documents) => Ok(documents.ids.len()),
            None => self.rows("documents"),
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
