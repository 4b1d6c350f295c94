//! The search file: what a question looks up, kept beside the tables so that it is read and not worked out for every question.
//!
//! It holds inverted lists of the words of text units and descriptions and of the entities' names, and the tables' numbers and
//! links as integers. It is made at the end of `belvedere index`, or by the first question to an index that has none, and belongs
//! to one state of the tables (`key.rs`). Small indexes do without, whoever would make it: reading all of them is as fast.

mod build;
mod container;
mod invert;
mod key;
mod open;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

pub use build::write;
pub(in crate::query) use container::{Container, Writer};
pub use key::key;
pub use open::{Building, is_small, open_or_build, renew};

use super::index::lazy;
use super::lexical::{self, Hit, Weighted};
use super::names::{Asked, Found, MAX_SHARING};
use crate::store::StoreError;

/// The file's name in the folder of the tables.
pub const FILE: &str = "search.bin";

/// What has inverted lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Texts of the text units.
    Units,
    /// Descriptions of the entities.
    Descriptions,
}

impl Field {
    fn name(self) -> &'static str {
        match self {
            Self::Units => "unit.text",
            Self::Descriptions => "entity.description",
        }
    }
}

/// Whole names, by the hash of their words.
const NAMES: &str = "entity.name";

/// Words of titles of two and more.
const TITLE_WORDS: &str = "entity.word";

/// An open search file.
#[derive(Debug)]
pub struct Search {
    container: Container,
    dictionaries: [OnceLock<Dictionary>; 4],
    lengths: [OnceLock<Vec<u32>>; 2],
}

/// First terms and checksums of a dictionary's blocks.
#[derive(Debug)]
struct Dictionary {
    name: &'static str,
    firsts: Vec<u64>,
    checks: Vec<u64>,
}

/// Where the rows of a term are.
#[derive(Clone, Copy, Debug)]
struct Entry {
    offset: u64,
    count: u32,
    bytes: u32,
    check: u32,
}

impl Search {
    /// The file at `path`, if it belongs to the tables that `key` names.
    pub fn open(path: &Path, key: &str) -> Option<Self> {
        let container = Container::open(path).filter(|container| container.key() == key)?;
        Some(Self {
            container,
            dictionaries: Default::default(),
            lengths: Default::default(),
        })
    }

    pub(super) fn container(&self) -> &Container {
        &self.container
    }

    fn dictionary(&self, name: &'static str) -> Result<&Dictionary, StoreError> {
        let place = match name {
            NAMES => 0,
            TITLE_WORDS => 1,
            _ if name == Field::Units.name() => 2,
            _ => 3,
        };
        lazy(&self.dictionaries[place], || {
            let blocks: Vec<u64> = self.container.numbers(&format!("{name}.blocks"))?;
            let column = |odd: usize| blocks.iter().skip(odd).step_by(2).copied().collect();
            Ok(Dictionary {
                name,
                firsts: column(0),
                checks: column(1),
            })
        })
    }

    /// Words of each text.
    fn lengths(&self, field: Field) -> Result<&[u32], StoreError> {
        let name = format!("{}.lengths", field.name());
        let lengths = lazy(&self.lengths[field as usize], || {
            self.container.numbers(&name)
        })?;
        Ok(lengths)
    }

    /// Bytes of all texts.
    pub fn bytes(&self, field: Field) -> Result<u64, StoreError> {
        let bytes: Vec<u64> = self.container.numbers(&format!("{}.bytes", field.name()))?;
        Ok(bytes.iter().sum())
    }

    /// Looks a term up.
    fn entry(&self, dictionary: &Dictionary, term: u64) -> Result<Option<Entry>, StoreError> {
        let Some(block) = dictionary
            .firsts
            .partition_point(|&first| first <= term)
            .checked_sub(1)
        else {
            return Ok(None);
        };
        let section = format!("{}.terms", dictionary.name);
        let start = (block * invert::BLOCK * invert::ENTRY) as u64;
        let all = self.container.length(&section)?;
        let length = all
            .saturating_sub(start)
            .min((invert::BLOCK * invert::ENTRY) as u64);
        let bytes = self.container.piece(&section, start, length)?;
        if dictionary.checks.get(block) != Some(&container::check(&bytes)) {
            return Err(self.container.damaged(&section));
        }
        let found = bytes
            .chunks_exact(invert::ENTRY)
            .find(|entry| invert::long(entry, 0) == term);
        Ok(found.map(|entry| Entry {
            offset: invert::long(entry, 8),
            count: invert::word(entry, 16),
            bytes: invert::word(entry, 20),
            check: invert::word(entry, 24),
        }))
    }

    /// Rows and values of an entry, ascending; every row is below `rows`.
    fn postings(
        &self,
        name: &str,
        entry: Entry,
        rows: usize,
    ) -> Result<Vec<(u32, u32)>, StoreError> {
        let bytes = self
            .container
            .piece(name, entry.offset, u64::from(entry.bytes))?;
        let decoded = (container::check(&bytes) as u32 == entry.check)
            .then(|| decode(&bytes, entry.count, rows))
            .flatten();
        decoded.ok_or_else(|| self.container.damaged(name))
    }

    /// Okapi BM25 as [`lexical::bm25`] has it, from the inverted lists: the `k` best of the rows that `allows` takes.
    pub fn rank(
        &self,
        field: Field,
        query: &str,
        k: usize,
        allows: impl Fn(u32) -> bool,
    ) -> Result<(Vec<Hit>, Weighted), StoreError> {
        let terms = lexical::query_terms(query);
        let lengths = self.lengths(field)?;
        if terms.is_empty() || lengths.is_empty() {
            return Ok((Vec::new(), Weighted::default()));
        }
        let dictionary = self.dictionary(field.name())?;
        let mut entries: Vec<Option<Entry>> = Vec::with_capacity(terms.len());
        for &term in &terms {
            entries.push(self.entry(dictionary, term)?);
        }
        let frequency = entries
            .iter()
            .map(|entry| entry.map_or(0, |entry| entry.count));
        let weights = Weighted::new(terms, frequency.collect(), lengths.len());
        if k == 0 {
            return Ok((Vec::new(), weights));
        }
        let total: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        let norm = lexical::Norm::new(total, lengths.len());
        // Parts are added in the order of the terms, as the scan adds them, so that sums are the same to the last bit.
        let mut scores = vec![0f32; lengths.len()];
        for (entry, idf) in entries.iter().zip(weights.idf()) {
            let Some(entry) = *entry else { continue };
            for (row, tf) in self.postings(field.name(), entry, lengths.len())? {
                // invariant: postings are below the number of rows
                scores[row as usize] += norm.part(tf as u16, *idf, lengths[row as usize]);
            }
        }
        let scored = scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
        let mut hits: Vec<Hit> = scored
            .map(|(row, &score)| Hit {
                row: row as u32,
                score,
            })
            .filter(|hit| allows(hit.row))
            .collect();
        lexical::keep_best(&mut hits, k);
        Ok((hits, weights))
    }

    /// The entities that the asked words name, wholly or in part.
    pub(super) fn named(&self, asked: &Asked, rows: usize) -> Result<Found, StoreError> {
        let mut found = Found::default();
        let dictionary = self.dictionary(NAMES)?;
        // An entity's title counts before its aliases.
        let mut first: FxHashMap<u32, u32> = FxHashMap::default();
        for (&hash, &run) in asked.runs() {
            let Some(entry) = self.entry(dictionary, hash)? else {
                continue;
            };
            for (row, place) in self.postings(NAMES, entry, rows)? {
                let longer = |known: (usize, usize)| run.1 - run.0 > known.1 - known.0;
                let same = |known: (usize, usize)| run.1 - run.0 == known.1 - known.0;
                let known = found.whole.get(&row).copied();
                let earlier = first.get(&row).is_some_and(|&known| place < known);
                if known.is_none_or(|known| longer(known) || same(known) && earlier) {
                    found.whole.insert(row, run);
                    first.insert(row, place);
                }
            }
        }
        let dictionary = self.dictionary(TITLE_WORDS)?;
        for &word in asked.single() {
            let Some(entry) = self.entry(dictionary, word)? else {
                continue;
            };
            // A word that more share names none of them.
            if entry.count as usize <= MAX_SHARING {
                let rows = self.postings(TITLE_WORDS, entry, rows)?;
                found
                    .sharing
                    .insert(word, rows.into_iter().map(|(row, _)| row).collect());
            }
        }
        Ok(found)
    }
}

/// `None` for bytes that are no list of `count` ascending rows below `rows`.
fn decode(bytes: &[u8], count: u32, rows: usize) -> Option<Vec<(u32, u32)>> {
    let mut rest = bytes;
    // A posting has a byte at least, so a false count asks for no memory.
    let mut out = Vec::with_capacity((count as usize).min(bytes.len()));
    let mut row = 0u64;
    for _ in 0..count {
        let first = invert::take_varint(&mut rest)?;
        row = row
            .checked_add(first >> 1)
            .filter(|&row| row < rows as u64)?;
        let value = match first & 1 {
            1 => 1,
            _ => u32::try_from(invert::take_varint(&mut rest)?).ok()?,
        };
        out.push((row as u32, value));
    }
    rest.is_empty().then_some(out)
}
