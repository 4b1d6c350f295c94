//! Local search: the claims about the anchors.

use rustc_hash::FxHashMap;

use super::local::Anchor;
use super::table::Table;
use super::{Arrival, Count, Record, Section};
use crate::query::error::QueryError;
use crate::query::index::{Index, list};
use crate::report::citations::DataKind;
use crate::resolve::claims::remark;
use crate::store::ListColumn;

/// Claims about the anchors, by anchor.
pub(super) struct ClaimRows<'a> {
    rows: Vec<(usize, Record, String, usize)>,
    count: Count<'a>,
}

impl<'a> ClaimRows<'a> {
    pub(super) fn new(
        index: &Index,
        anchors: &[Anchor],
        count: Count<'a>,
    ) -> Result<Self, QueryError> {
        let (claims, entities) = (index.claims()?, index.entities()?);
        let mut place: FxHashMap<&str, usize> = FxHashMap::default();
        for (at, anchor) in anchors.iter().enumerate().rev() {
            place.insert(entities.titles.get(anchor.entity as usize), at);
        }
        let mut rows = Vec::new();
        for (row, subject) in claims.subjects.iter().enumerate() {
            let Some(&at) = place
                .get(subject)
                .filter(|_| index.allows_unit(claims.units[row]))
            else {
                continue;
            };
            let number = claims.numbers.of(row as u32);
            let numbers = |column: &ListColumn<Vec<u32>>| -> Vec<u32> {
                let rows = list(column, row as u32).iter();
                rows.map(|&row| claims.numbers.of(row)).collect()
            };
            let line = format!(
                "{number}|{subject}|{}|{}|{}|{}|{}{}\n",
                claims.objects.get(row),
                claims.statuses.get(row),
                claims.starts.get(row),
                claims.ends.get(row),
                claims.descriptions.get(row),
                remark(&numbers(&claims.contradicts), &numbers(&claims.confirms)),
            );
            let record = Record {
                row: row as u32,
                number,
                arrived: Arrival::Edge,
            };
            let tokens = count(&line);
            rows.push((at, record, line, tokens));
        }
        rows.sort_by_key(|row| (row.0, row.1.row));
        Ok(Self { rows, count })
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn section(&self, round: usize, budget: usize) -> Section {
        let header = "id|entity|object_id|status|start_date|end_date|description";
        let mut table = Table::new(DataKind::Claims, header, budget, self.count);
        for (_, record, line, tokens) in self.rows.iter().take_while(|row| row.0 < round) {
            table.push_counted(*record, line, *tokens);
        }
        table.finish()
    }
}
