//! Inverting texts: from rows with their terms to terms with their rows, run by run, in bounded memory.
//!
//! A posting is the distance from the row before, doubled, as a varint; the lowest bit says that the value is 1, else the value
//! follows as another varint.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::container::{Writer, check};
use crate::store::{StoreError, read_at};

/// Entries of the dictionary that are checked and read together.
pub(super) const BLOCK: usize = 128;

/// Bytes of an entry: term, offset, count, bytes, check.
pub(super) const ENTRY: usize = 8 + 8 + 4 + 4 + 4;

/// The little-endian number at byte `at`; 0 beyond the end.
pub(super) fn word(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk::<4>);
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// As [`word`], of twice the length.
pub(super) fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at + 4)) << 32 | u64::from(word(bytes, at))
}

pub(super) fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a varint off the front; `None` where there is none.
pub(super) fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn push_posting(distance: u64, value: u32, out: &mut Vec<u8>) {
    push_varint(distance << 1 | u64::from(value == 1), out);
    if value != 1 {
        push_varint(u64::from(value), out);
    }
}

/// The rows of one term; the last is pending until the next one comes.
struct List {
    count: u32,
    written: u32,
    row: u32,
    value: u32,
    bytes: Vec<u8>,
}

/// Terms of a run of rows, which are given in ascending order.
#[derive(Default)]
pub(super) struct Inverted {
    places: FxHashMap<u64, u32>,
    lists: Vec<List>,
}

impl Inverted {
    fn entry(&mut self, row: u32, term: u64) -> (&mut List, bool) {
        let next = self.lists.len() as u32;
        let place = *self.places.entry(term).or_insert(next);
        let is_new = place == next;
        if is_new {
            self.lists.push(List {
                count: 1,
                written: 0,
                row,
                value: 0,
                bytes: Vec::new(),
            });
        }
        // invariant: a place is the length of `lists` when it was made
        let list = &mut self.lists[place as usize];
        let fresh = is_new || list.row != row;
        if list.row != row {
            push_posting(
                u64::from(list.row - list.written),
                list.value,
                &mut list.bytes,
            );
            (list.written, list.row, list.value) = (list.row, row, 0);
            list.count += 1;
        }
        (list, fresh)
    }

    /// Counts a term of a row.
    pub fn count(&mut self, row: u32, term: u64) {
        let (list, _) = self.entry(row, term);
        list.value = (list.value + 1).min(u32::from(u16::MAX));
    }

    /// Notes a value for a term of a row; the first one stays.
    pub fn note(&mut self, row: u32, term: u64, value: u32) {
        let (list, fresh) = self.entry(row, term);
        if fresh {
            list.value = value;
        }
    }

    fn into_parts(self) -> Vec<(u64, List)> {
        let mut lists: Vec<Option<List>> = self.lists.into_iter().map(Some).collect();
        let mut terms: Vec<(u64, u32)> = self.places.into_iter().collect();
        terms.sort_unstable();
        let parts = terms.into_iter().filter_map(|(term, place)| {
            let mut list = lists.get_mut(place as usize)?.take()?;
            push_posting(
                u64::from(list.row - list.written),
                list.value,
                &mut list.bytes,
            );
            Some((term, list))
        });
        parts.collect()
    }
}

/// Bytes before a part's postings: term, count, last row, bytes.
const HEAD: usize = 8 + 4 + 4 + 4;

/// Inverted runs on disk until they are merged; the file goes when this does.
pub(super) struct Spool {
    path: PathBuf,
    file: BufWriter<File>,
    at: u64,
    runs: Vec<(u64, u64)>,
}

impl Drop for Spool {
    fn drop(&mut self) {
        // Scratch: what stays is overwritten by the next run.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Spool {
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let file = File::options()
            .create(true)
            .truncate(true)
            .read(true)
            .write(true)
            .open(path)
            .map_err(|e| StoreError::io("create", path, e))?;
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::with_capacity(1 << 18, file),
            at: 0,
            runs: Vec::new(),
        })
    }

    /// Keeps a run; runs come in the order of their rows.
    pub fn push(&mut self, run: Inverted) -> Result<(), StoreError> {
        let start = self.at;
        for (term, list) in run.into_parts() {
            let mut head = Vec::with_capacity(HEAD);
            head.extend_from_slice(&term.to_le_bytes());
            head.extend_from_slice(&list.count.to_le_bytes());
            head.extend_from_slice(&list.row.to_le_bytes());
            head.extend_from_slice(&(list.bytes.len() as u32).to_le_bytes());
            let written = self.file.write_all(&head);
            let written = written.and_then(|()| self.file.write_all(&list.bytes));
            written.map_err(|e| StoreError::io("write", &self.path, e))?;
            self.at += (HEAD + list.bytes.len()) as u64;
        }
        self.runs.push((start, self.at));
        Ok(())
    }

    /// Merges all runs into the sections `name`, `name.terms` and `name.blocks`.
    pub fn merge(mut self, name: &str, writer: &mut Writer) -> Result<(), StoreError> {
        let flushed = self.file.flush();
        flushed.map_err(|e| StoreError::io("write", &self.path, e))?;
        let mut runs: Vec<RunReader<'_>> = Vec::with_capacity(self.runs.len());
        let mut heads: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        for &(at, end) in &self.runs {
            let mut run = RunReader {
                file: self.file.get_ref(),
                path: &self.path,
                at,
                end,
                buffer: Vec::new(),
                used: 0,
                part: Part::default(),
            };
            if run.advance()? {
                heads.push(Reverse((run.part.term, runs.len())));
            }
            runs.push(run);
        }
        let mut entries: Vec<u8> = Vec::new();
        let mut bytes: Vec<u8> = Vec::new();
        let mut offset = 0u64;
        while let Some(&Reverse((term, _))) = heads.peek() {
            bytes.clear();
            let (mut count, mut last) = (0u32, 0u32);
            while let Some(Reverse((_, at))) = heads.pop_if_term(term) {
                let run = &mut runs[at];
                let mut rest: &[u8] = &run.part.bytes;
                // The first distance of a part is counted from row 0.
                let first = take_varint(&mut rest).unwrap_or(0);
                push_varint(
                    (first >> 1).saturating_sub(u64::from(last)) << 1 | first & 1,
                    &mut bytes,
                );
                bytes.extend_from_slice(rest);
                count += run.part.count;
                last = run.part.last;
                if run.advance()? {
                    heads.push(Reverse((run.part.term, at)));
                }
            }
            entries.extend_from_slice(&term.to_le_bytes());
            entries.extend_from_slice(&offset.to_le_bytes());
            entries.extend_from_slice(&count.to_le_bytes());
            entries.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            entries.extend_from_slice(&(check(&bytes) as u32).to_le_bytes());
            offset = writer.append(&bytes)?;
        }
        writer.end(name);
        let mut blocks: Vec<u64> = Vec::new();
        for block in entries.chunks(BLOCK * ENTRY) {
            blocks.extend([long(block, 0), check(block)]);
        }
        writer.append(&entries)?;
        writer.end(&format!("{name}.terms"));
        writer.numbers(&format!("{name}.blocks"), &blocks)
    }
}

trait PopTerm {
    fn pop_if_term(&mut self, term: u64) -> Option<Reverse<(u64, usize)>>;
}

impl PopTerm for BinaryHeap<Reverse<(u64, usize)>> {
    fn pop_if_term(&mut self, term: u64) -> Option<Reverse<(u64, usize)>> {
        self.peek()
            .is_some_and(|head| head.0.0 == term)
            .then(|| self.pop())?
    }
}

#[derive(Default)]
struct Part {
    term: u64,
    count: u32,
    last: u32,
    bytes: Vec<u8>,
}

/// Reads a run part by part.
struct RunReader<'a> {
    file: &'a File,
    path: &'a Path,
    at: u64,
    end: u64,
    buffer: Vec<u8>,
    used: usize,
    part: Part,
}

/// Bytes read ahead of each run.
const AHEAD: u64 = 1 << 16;

impl RunReader<'_> {
    /// Makes `wanted` bytes available behind `used`.
    fn fill(&mut self, wanted: usize) -> Result<(), StoreError> {
        if self.buffer.len() - self.used >= wanted {
            return Ok(());
        }
        self.buffer.drain(..self.used);
        self.used = 0;
        let held = self.buffer.len();
        let more = (wanted as u64 - held as u64)
            .max(AHEAD)
            .min(self.end - self.at);
        self.buffer.resize(held + more as usize, 0);
        read_at(self.file, &mut self.buffer[held..], self.at)
            .map_err(|e| StoreError::io("read", self.path, e))?;
        self.at += more;
        if self.buffer.len() < wanted {
            return Err(StoreError::damaged(
                self.path,
                "it was changed while it was read",
            ));
        }
        Ok(())
    }

    /// Reads the next part; false at the end.
    fn advance(&mut self) -> Result<bool, StoreError> {
        if self.used == self.buffer.len() && self.at == self.end {
            return Ok(false);
        }
        self.fill(HEAD)?;
        let head = &self.buffer[self.used..self.used + HEAD];
        self.part.term = long(head, 0);
        (self.part.count, self.part.last) = (word(head, 8), word(head, 12));
        let length = word(head, 16) as usize;
        self.used += HEAD;
        self.fill(length)?;
        self.part.bytes.clear();
        self.part
            .bytes
            .extend_from_slice(&self.buffer[self.used..self.used + length]);
        self.used += length;
        Ok(true)
    }
}
