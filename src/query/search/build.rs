//! Makes a search file from the tables.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::container::Writer;
use super::invert::{Inverted, Spool};
use super::{Field, NAMES, TITLE_WORDS};
use crate::query::error::QueryError;
use crate::query::index::Index;
use crate::query::{lexical, names};
use crate::store::{StoreError, TableReader};

/// Bytes of text that one thread inverts at a time.
const RUN_BYTES: u64 = 16 << 20;

/// Runs that are inverted before they are written.
const AT_ONCE: usize = 8;

/// Texts of which the inverted lists are made.
struct Texts {
    field: Field,
    table: TableReader,
    column: &'static str,
    runs: Vec<Range<usize>>,
}

impl Texts {
    fn open(folder: &Path, field: Field) -> Result<Self, StoreError> {
        let (table, column) = match field {
            Field::Units => ("text_units", "text"),
            Field::Descriptions => ("entities", "description"),
        };
        let table = TableReader::open(folder, table)?;
        let runs = match table.has(column) {
            true => table.runs(column, RUN_BYTES),
            false => Vec::new(),
        };
        Ok(Self {
            field,
            table,
            column,
            runs,
        })
    }

    /// The run's terms, and the words of each of its texts, and their bytes together.
    fn invert(&self, rows: Range<usize>) -> Result<(Inverted, Vec<u32>, u64), StoreError> {
        let texts = self.table.strings_in(self.column, rows.clone())?;
        let mut inverted = Inverted::default();
        let mut lengths = Vec::with_capacity(texts.len());
        let mut bytes = 0;
        for (text, row) in texts.iter().zip(rows) {
            let mut length = 0u32;
            lexical::words(text, |word| {
                length += 1;
                inverted.count(row as u32, word.term);
            });
            lengths.push(length);
            bytes += text.len() as u64;
        }
        Ok((inverted, lengths, bytes))
    }
}

/// Writes the search file of the tables in `folder` to `path`, for the state of the tables that `key` names; `report` is told the
/// share that is done. The same tables give the same bytes.
///
/// Memory holds the tables' ids and links and some text at a time, never all of it.
///
/// # Errors
/// A table that cannot be read, or a file system that refuses.
pub fn write(
    folder: &Path,
    path: &Path,
    key: &str,
    report: &(dyn Fn(f64) + Sync),
) -> Result<(), QueryError> {
    let mut writer = Writer::create(path)?;
    let scratch = path.with_extension("parts");
    report(0.0);
    write_names(
        Index::tables(folder).save(&mut writer)?,
        &mut writer,
        &scratch,
    )?;
    let fields = [Field::Units, Field::Descriptions];
    let texts = fields.map(|field| Texts::open(folder, field));
    let runs: usize = texts.iter().flatten().map(|texts| texts.runs.len()).sum();
    let done = AtomicU64::new(0);
    for texts in texts {
        let texts = texts?;
        let mut spool = Spool::create(&scratch)?;
        let mut lengths: Vec<u32> = Vec::new();
        let mut bytes = 0u64;
        for some in texts.runs.chunks(AT_ONCE) {
            let invert = |rows: &Range<usize>| {
                let inverted = texts.invert(rows.clone());
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                report(done as f64 / runs.max(1) as f64);
                inverted
            };
            let inverted: Vec<_> = some.par_iter().map(invert).collect();
            for run in inverted {
                let (inverted, own, read) = run?;
                bytes += read;
                spool.push(inverted)?;
                lengths.extend(own);
            }
        }
        lengths.resize(texts.table.rows(), 0);
        writer.numbers(&format!("{}.bytes", texts.field.name()), &[bytes])?;
        writer.numbers(&format!("{}.lengths", texts.field.name()), &lengths)?;
        spool.merge(texts.field.name(), &mut writer)?;
    }
    Ok(writer.finish(key)?)
}

/// The entities' names and the words of their titles.
fn write_names(index: Index, writer: &mut Writer, scratch: &Path) -> Result<(), QueryError> {
    let entities = index.entities()?;
    let (mut whole, mut single) = (Inverted::default(), Inverted::default());
    let mut words: Vec<u64> = Vec::new();
    for (row, title) in entities.titles.iter().enumerate() {
        let aliases = entities
            .aliases
            .range(row)
            .map(|at| entities.aliases.values.get(at));
        for (place, name) in std::iter::once(title).chain(aliases).enumerate() {
            let row = row as u32;
            if names::name_words(name, &mut words) && !words.is_empty() {
                whole.note(row, names::hash_words(&words), place as u32 + 1);
            }
            if place == 0 && words.len() > 1 {
                words.iter().for_each(|&word| single.note(row, word, 1));
            }
        }
    }
    for (name, inverted) in [(NAMES, whole), (TITLE_WORDS, single)] {
        let mut spool = Spool::create(scratch)?;
        spool.push(inverted)?;
        spool.merge(name, writer)?;
    }
    Ok(())
}
