//! Ids of a table as rows: strings on disk, integers from here on.

use std::hash::Hasher;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHasher};

use crate::store::StringColumn;

/// Maps the strings of an id (or title) column to rows; of equal strings the first row counts.
///
/// Holds 64-bit hashes only and compares the string itself on every look-up, so a collision costs time, not truth.
#[derive(Debug, Default)]
pub struct RowsById {
    rows: FxHashMap<u64, u32>,
    collided: Vec<u32>,
}

fn hash(id: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(id.as_bytes());
    hasher.finish()
}

impl RowsById {
    /// Reads the column once.
    pub fn new(column: &StringColumn) -> Self {
        let mut map = Self::default();
        map.rows.reserve(column.len());
        for (row, id) in column.iter().enumerate() {
            let row = row as u32;
            match map.rows.entry(hash(id)) {
                std::collections::hash_map::Entry::Vacant(slot) => {
                    slot.insert(row);
                }
                std::collections::hash_map::Entry::Occupied(slot) => {
                    if column.get(*slot.get() as usize) != id {
                        map.collided.push(row);
                    }
                }
            }
        }
        map
    }

    /// The row of an id; `column` is the one the map was made of.
    pub fn get(&self, column: &StringColumn, id: &str) -> Option<u32> {
        let row = *self.rows.get(&hash(id))?;
        if column.get(row as usize) == id {
            return Some(row);
        }
        self.collided
            .iter()
            .copied()
            .find(|&row| column.get(row as usize) == id)
    }
}

/// An id column with its look-up.
#[derive(Debug, Default)]
pub struct Ids {
    column: StringColumn,
    rows: OnceLock<RowsById>,
}

impl Ids {
    /// Takes the column.
    pub fn new(column: StringColumn) -> Self {
        Self {
            column,
            rows: OnceLock::new(),
        }
    }

    /// The row of an id. The first call makes the look-up.
    pub fn row(&self, id: &str) -> Option<u32> {
        let rows = self.rows.get_or_init(|| RowsById::new(&self.column));
        rows.get(&self.column, id)
    }

    /// The row of an id that is likely `row`.
    pub fn row_near(&self, id: &str, row: u32) -> Option<u32> {
        match (row as usize) < self.column.len() && self.column.get(row as usize) == id {
            true => Some(row),
            false => self.row(id),
        }
    }

    /// The column itself.
    pub fn column(&self) -> &StringColumn {
        &self.column
    }
}

/// The numbers a citation uses (`human_readable_id`, or the community's number) against rows.
#[derive(Debug, Default)]
pub struct Numbers {
    rows: usize,
    /// Empty where number and row are the same.
    of_row: Vec<u32>,
    /// Sorted (number, row); empty where number and row are the same.
    row_of: Vec<(u32, u32)>,
}

impl Numbers {
    /// Takes the column as it is; where numbers are missing or repeat, the row's position is its number.
    pub fn new(column: &[i64]) -> Self {
        let of_row: Option<Vec<u32>> = column
            .iter()
            .map(|&number| u32::try_from(number).ok())
            .collect();
        let by_position = || Self::by_position(column.len());
        let Some(of_row) = of_row else {
            return by_position();
        };
        if of_row
            .iter()
            .enumerate()
            .all(|(row, &number)| row as u32 == number)
        {
            return by_position();
        }
        let mut row_of: Vec<(u32, u32)> = of_row
            .iter()
            .enumerate()
            .map(|(row, &number)| (number, row as u32))
            .collect();
        row_of.sort_unstable();
        if row_of.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return by_position();
        }
        Self {
            rows: of_row.len(),
            of_row,
            row_of,
        }
    }

    /// Numbers that are positions.
    pub fn by_position(rows: usize) -> Self {
        Self {
            rows,
            ..Self::default()
        }
    }

    /// The numbers by row, where they are not the rows themselves.
    pub(super) fn given(&self) -> Option<&[u32]> {
        (!self.of_row.is_empty()).then_some(&self.of_row)
    }

    /// The number of a row; the row itself beyond the end.
    pub fn of(&self, row: u32) -> u32 {
        self.of_row.get(row as usize).copied().unwrap_or(row)
    }

    /// The row of a number.
    pub fn row(&self, number: u32) -> Option<u32> {
        if self.row_of.is_empty() {
            return ((number as usize) < self.rows).then_some(number);
        }
        let at = self
            .row_of
            .binary_search_by_key(&number, |&(number, _)| number)
            .ok()?;
        self.row_of.get(at).map(|&(_, row)| row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_form_become_rows() {
        let mut column = StringColumn::default();
        for id in ["bbb2ad85-3d0b-4c26", &"f".repeat(128), "", "x"] {
            column.push(id);
        }
        let rows = RowsById::new(&column);
        assert_eq!(rows.get(&column, &"f".repeat(128)), Some(1));
        assert_eq!(rows.get(&column, "x"), Some(3));
        assert_eq!(rows.get(&column, "y"), None);
    }

    #[test]
    fn numbers_lead_back_to_rows_and_broken_ones_give_way_to_positions() {
        let numbers = Numbers::new(&[10, 4, 7]);
        assert_eq!(
            (numbers.of(1), numbers.row(7), numbers.row(1)),
            (4, Some(2), None)
        );
        for broken in [&[5, 5, 6][..], &[-1, 2, 3]] {
            let numbers = Numbers::new(broken);
            assert_eq!(
                (numbers.of(2), numbers.row(2), numbers.row(3)),
                (2, Some(2), None)
            );
        }
    }
}
