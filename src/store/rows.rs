//! Some rows of a column: only the pages that hold them are read and decoded.

use std::fs::File;
use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReaderBuilder, RowSelection};
use rayon::prelude::*;

use super::columns::StringColumn;
use super::error::StoreError;
use super::read::{BATCH_ROWS, TableReader, each_list, push_strings};

/// Bytes of vectors that are decoded at a time.
const VECTOR_BYTES: usize = 2 << 20;

/// Rows that are nearer to each other than this are read in one run.
const JOINED: usize = 4;

impl TableReader {
    /// Rows of every row group, in order.
    pub fn groups(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let groups = self.metadata.metadata().row_groups().iter();
        groups
            .map(|group| {
                let rows = usize::try_from(group.num_rows()).unwrap_or(0);
                let range = start..start + rows;
                start = range.end;
                range
            })
            .collect()
    }

    /// Bytes of a column once decompressed, as the file says; 0 where the table lacks it.
    pub fn column_bytes(&self, column: &str) -> u64 {
        let schema = self.metadata.parquet_schema();
        let leaf = (0..schema.num_columns()).find(|&leaf| {
            schema
                .column(leaf)
                .path()
                .parts()
                .first()
                .is_some_and(|root| root == column)
        });
        let Some(leaf) = leaf else { return 0 };
        let groups = self.metadata.metadata().row_groups().iter();
        groups
            .map(|group| u64::try_from(group.column(leaf).uncompressed_size()).unwrap_or(0))
            .sum()
    }

    /// Runs of rows of about `bytes` of a column each, none across two row groups; the same for the same file.
    pub fn runs(&self, column: &str, bytes: u64) -> Vec<Range<usize>> {
        let rows = self.rows().max(1) as u64;
        let each =
            (bytes.max(1) * rows / self.column_bytes(column).max(1)).clamp(256, 1 << 16) as usize;
        let mut runs = Vec::new();
        for group in self.groups() {
            let starts = group.clone().step_by(each);
            runs.extend(starts.map(|start| start..group.end.min(start + each)));
        }
        runs
    }

    /// The strings of a run of rows; null is the empty string.
    pub fn strings_in(&self, column: &str, rows: Range<usize>) -> Result<StringColumn, StoreError> {
        let mut out = StringColumn::default();
        for (number, group) in self.groups().iter().enumerate() {
            let (start, end) = (rows.start.max(group.start), rows.end.min(group.end));
            if start < end {
                let inside = start - group.start..end - group.start;
                self.strings_of(column, number, group.len(), &[inside], &mut out)?;
            }
        }
        Ok(out)
    }

    /// The strings of some rows, which are ascending and distinct, in their order; rows beyond the end are left out. Row groups are
    /// read in parallel.
    pub fn strings_at(&self, column: &str, rows: &[u32]) -> Result<StringColumn, StoreError> {
        let mut parts: Vec<(usize, usize, &[u32])> = Vec::new();
        let mut rest = rows;
        let groups = self.groups();
        for (number, group) in groups.iter().enumerate() {
            let (own, later) =
                rest.split_at(rest.partition_point(|&row| (row as usize) < group.end));
            if !own.is_empty() {
                parts.push((number, group.start, own));
            }
            rest = later;
        }
        let read =
            |&(number, first, rows): &(usize, usize, &[u32])| -> Result<StringColumn, StoreError> {
                let mut runs: Vec<Range<usize>> = Vec::new();
                for at in rows.iter().map(|&row| row as usize - first) {
                    match runs.last_mut() {
                        Some(run) if at < run.end + JOINED => run.end = at + 1,
                        _ => runs.push(at..at + 1),
                    }
                }
                let mut found = StringColumn::default();
                self.strings_of(column, number, groups[number].len(), &runs, &mut found)?;
                if runs.iter().map(Range::len).sum::<usize>() == rows.len() {
                    return Ok(found);
                }
                let mut kept = StringColumn::default();
                let mut wanted = rows.iter().map(|&row| row as usize - first).peekable();
                for (place, at) in runs.into_iter().flatten().enumerate() {
                    if wanted.next_if_eq(&at).is_some() {
                        kept.push(found.get(place));
                    }
                }
                Ok(kept)
            };
        let parts: Vec<StringColumn> = parts.par_iter().map(read).collect::<Result<_, _>>()?;
        let mut out = StringColumn::default();
        for part in &parts {
            part.iter().for_each(|text| out.push(text));
        }
        Ok(out)
    }

    /// Numbers of the first vector of a column; 0 where there is none.
    pub fn dimension(&self, column: &str) -> Result<usize, StoreError> {
        let (mut numbers, mut dimension) = (Vec::new(), 0);
        let first = 0..1;
        if let Some(group) = self.groups().iter().position(|group| !group.is_empty()) {
            let rows = self.groups()[group].len();
            self.visit_runs(
                column,
                group,
                rows,
                std::slice::from_ref(&first),
                1,
                &mut |array| push_vectors(array, &mut dimension, &mut numbers),
            )?;
        }
        Ok(dimension)
    }

    /// Feeds the vectors of a row group to `each` as they come, some at a time: the first one's row, and all of them row-major.
    /// (Lists cannot be read from the middle of a row group without reading what is before.)
    pub fn vectors_of(
        &self,
        column: &str,
        group: usize,
        mut dimension: usize,
        each: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), StoreError> {
        let groups = self.groups();
        let Some(rows) = groups.get(group).cloned() else {
            return Ok(());
        };
        let at_once = (VECTOR_BYTES / 4 / dimension.max(1)).max(1);
        let (mut at, mut data) = (rows.start, Vec::new());
        let all = 0..rows.len();
        self.visit_runs(
            column,
            group,
            rows.len(),
            std::slice::from_ref(&all),
            at_once,
            &mut |array| {
                data.clear();
                push_vectors(array, &mut dimension, &mut data)?;
                each(at, &data);
                at += array.len();
                Ok(())
            },
        )
    }

    /// Appends the strings of some runs of rows, counted from the row group's first.
    fn strings_of(
        &self,
        column: &str,
        group: usize,
        rows: usize,
        runs: &[Range<usize>],
        out: &mut StringColumn,
    ) -> Result<(), StoreError> {
        let before = out.len();
        self.visit_runs(column, group, rows, runs, BATCH_ROWS, &mut |array| {
            push_strings(array, out)
        })?;
        let expected: usize = runs.iter().map(Range::len).sum();
        if out.len() - before != expected {
            let why = format!(
                "{} rows where {expected} were asked for",
                out.len() - before
            );
            return Err(StoreError::damaged(&self.path, why));
        }
        Ok(())
    }

    /// Feeds the arrays of some runs of rows of a row group to `visit`.
    fn visit_runs(
        &self,
        column: &str,
        group: usize,
        rows: usize,
        runs: &[Range<usize>],
        at_once: usize,
        visit: &mut dyn FnMut(&ArrayRef) -> Result<(), String>,
    ) -> Result<(), StoreError> {
        let selection = RowSelection::from_consecutive_ranges(runs.iter().cloned(), rows);
        let narrow = |all: ParquetRecordBatchReaderBuilder<File>| {
            all.with_row_groups(vec![group])
                .with_row_selection(selection)
                .with_batch_size(at_once)
        };
        self.visit_some(column, narrow, visit)
    }
}

/// Appends lists of numbers that all have `dimension` of them, which is the first one's where it is 0.
fn push_vectors(array: &ArrayRef, dimension: &mut usize, out: &mut Vec<f32>) -> Result<(), String> {
    each_list(array, |list| {
        let Some(values) = list else {
            return Err("holds a null vector".to_owned());
        };
        if *dimension == 0 {
            *dimension = values.len();
        }
        if values.len() != *dimension {
            return Err(format!(
                "holds vectors of {dimension} and of {} numbers",
                values.len()
            ));
        }
        match values.data_type() {
            DataType::Float64 => {
                let values = values.as_primitive::<Float64Type>();
                out.extend(values.values().iter().map(|&v| v as f32));
            }
            DataType::Float32 => {
                let values = values.as_primitive::<Float32Type>();
                out.extend_from_slice(values.values());
            }
            other => return Err(format!("holds lists of {other}, not of numbers")),
        }
        Ok(())
    })
}
