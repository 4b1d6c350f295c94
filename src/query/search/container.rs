//! One file of named sections, each with its checksum.
//!
//! Layout: the sections one after the other, the table of contents (JSON), its length as a little-endian u32, the first 16 bytes of
//! its BLAKE3, the 8 bytes `BELSRCH1`. The contents stand last, so a file that was cut, or is another's, is told at once.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::store::{ListColumn, StoreError, StringColumn, read_at};

const MAGIC: &[u8; 8] = b"BELSRCH1";

/// Bytes behind the table of contents.
const TAIL: u64 = 4 + 16 + 8;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Section {
    name: String,
    offset: u64,
    length: u64,
    check: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Contents {
    key: String,
    sections: Vec<Section>,
}

/// What is kept of a BLAKE3 for checking.
pub(super) fn check(bytes: &[u8]) -> u64 {
    short(&blake3::hash(bytes))
}

fn short(hash: &blake3::Hash) -> u64 {
    let bytes = hash.as_bytes().first_chunk::<8>();
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Writes a file of sections.
pub(in crate::query) struct Writer {
    path: PathBuf,
    file: BufWriter<File>,
    at: u64,
    start: u64,
    hasher: blake3::Hasher,
    sections: Vec<Section>,
}

impl Writer {
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let file = File::create(path).map_err(|e| StoreError::io("create", path, e))?;
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::with_capacity(1 << 18, file),
            at: 0,
            start: 0,
            hasher: blake3::Hasher::new(),
            sections: Vec::new(),
        })
    }

    /// Appends to the section that [`Writer::end`] will close; its length so far is given back.
    pub fn append(&mut self, bytes: &[u8]) -> Result<u64, StoreError> {
        self.hasher.update(bytes);
        self.at += bytes.len() as u64;
        let written = self.file.write_all(bytes);
        written.map_err(|e| StoreError::io("write", &self.path, e))?;
        Ok(self.at - self.start)
    }

    /// Closes the section and names it.
    pub fn end(&mut self, name: &str) {
        self.sections.push(Section {
            name: name.to_owned(),
            offset: self.start,
            length: self.at - self.start,
            check: short(&self.hasher.finalize()),
        });
        self.hasher.reset();
        self.start = self.at;
    }

    pub fn numbers<T: Little>(&mut self, name: &str, values: &[T]) -> Result<(), StoreError> {
        let mut buffer: Vec<u8> = Vec::with_capacity(1 << 16);
        for part in values.chunks(1 << 13) {
            buffer.clear();
            part.iter().for_each(|value| value.push_to(&mut buffer));
            self.append(&buffer)?;
        }
        self.end(name);
        Ok(())
    }

    pub fn lists(&mut self, name: &str, lists: &ListColumn<Vec<u32>>) -> Result<(), StoreError> {
        self.numbers(&format!("{name}.ends"), &lists.ends)?;
        self.numbers(name, &lists.values)
    }

    pub fn strings(&mut self, name: &str, column: &StringColumn) -> Result<(), StoreError> {
        let mut end = 0u64;
        let ends: Vec<u64> = column
            .iter()
            .map(|text| {
                end += text.len() as u64;
                end
            })
            .collect();
        self.numbers(&format!("{name}.ends"), &ends)?;
        for text in column.iter() {
            self.append(text.as_bytes())?;
        }
        self.end(name);
        Ok(())
    }

    /// Writes the contents, with the key that says of which tables this is made, and syncs.
    pub fn finish(mut self, key: &str) -> Result<(), StoreError> {
        let contents = Contents {
            key: key.to_owned(),
            sections: std::mem::take(&mut self.sections),
        };
        let json = serde_json::to_vec(&contents).map_err(|e| StoreError::damaged(&self.path, e))?;
        let mut tail = json.clone();
        tail.extend_from_slice(&(json.len() as u32).to_le_bytes());
        tail.extend_from_slice(&blake3::hash(&json).as_bytes()[..16]);
        tail.extend_from_slice(MAGIC);
        self.append(&tail)?;
        let path = self.path;
        let file = self
            .file
            .into_inner()
            .map_err(|e| StoreError::io("write", &path, e.into_error()))?;
        file.sync_all()
            .map_err(|e| StoreError::io("sync", &path, e))
    }
}

/// A number that is kept as little-endian bytes.
pub(in crate::query) trait Little: bytemuck::Pod {
    fn push_to(&self, out: &mut Vec<u8>);
    /// The number, given what its bytes spell on this machine.
    fn native(self) -> Self;
}

macro_rules! little {
    ($($number:ty),*) => { $(
        impl Little for $number {
            fn push_to(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn native(self) -> Self {
                Self::from_le_bytes(self.to_ne_bytes())
            }
        }
    )* };
}
little!(u8, u32, u64, i64, f64);

/// A file of sections, open for reading. Nothing in it is trusted: what is read is checked against its checksum.
#[derive(Debug)]
pub(in crate::query) struct Container {
    path: PathBuf,
    file: File,
    sections: FxHashMap<String, Section>,
    key: String,
}

impl Container {
    /// `None` where there is no such file, or one that is cut, foreign or unreadable.
    pub fn open(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let size = file.metadata().ok()?.len();
        let mut tail = [0u8; TAIL as usize];
        read_at(&file, &mut tail, size.checked_sub(TAIL)?).ok()?;
        let (length, rest) = tail.split_first_chunk::<4>()?;
        let length = u64::from(u32::from_le_bytes(*length));
        let start = size.checked_sub(TAIL)?.checked_sub(length)?;
        if &rest[16..] != MAGIC || length > 1 << 20 {
            return None;
        }
        let mut json = vec![0u8; length as usize];
        read_at(&file, &mut json, start).ok()?;
        if blake3::hash(&json).as_bytes()[..16] != rest[..16] {
            return None;
        }
        let contents: Contents = serde_json::from_slice(&json).ok()?;
        let inside = |section: &Section| {
            let end = section.offset.checked_add(section.length);
            end.is_some_and(|end| end <= start)
        };
        if !contents.sections.iter().all(inside) {
            return None;
        }
        let sections = contents.sections.into_iter();
        Some(Self {
            path: path.to_owned(),
            file,
            sections: sections
                .map(|section| (section.name.clone(), section))
                .collect(),
            key: contents.key,
        })
    }

    /// Of which tables it is made.
    pub fn key(&self) -> &str {
        &self.key
    }

    pub fn has(&self, name: &str) -> bool {
        self.sections.contains_key(name)
    }

    /// Removes a file whose bytes are not those that were written, so that the next question makes it anew.
    pub fn damaged(&self, what: &str) -> StoreError {
        // Where it cannot be removed, the message says what to do.
        let _ = std::fs::remove_file(&self.path);
        StoreError::SearchFile {
            path: self.path.clone(),
            what: what.to_owned(),
        }
    }

    fn section(&self, name: &str) -> Result<&Section, StoreError> {
        self.sections.get(name).ok_or_else(|| self.damaged(name))
    }

    /// Bytes of a section.
    pub fn length(&self, name: &str) -> Result<u64, StoreError> {
        Ok(self.section(name)?.length)
    }

    /// Bytes of a section from `offset` on, unchecked.
    pub fn piece(&self, name: &str, offset: u64, length: u64) -> Result<Vec<u8>, StoreError> {
        let section = self.section(name)?;
        let end = offset.checked_add(length);
        if end.is_none_or(|end| end > section.length) {
            return Err(self.damaged(name));
        }
        let mut bytes = vec![0u8; length as usize];
        read_at(&self.file, &mut bytes, section.offset + offset)
            .map_err(|e| StoreError::io("read", &self.path, e))?;
        Ok(bytes)
    }

    /// A whole section.
    pub fn numbers<T: Little>(&self, name: &str) -> Result<Vec<T>, StoreError> {
        let section = self.section(name)?;
        let width = size_of::<T>() as u64;
        if !section.length.is_multiple_of(width) {
            return Err(self.damaged(name));
        }
        let mut values: Vec<T> = vec![T::zeroed(); (section.length / width) as usize];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
        read_at(&self.file, bytes, section.offset)
            .map_err(|e| StoreError::io("read", &self.path, e))?;
        if check(bytes) != section.check {
            return Err(self.damaged(name));
        }
        for value in &mut values {
            *value = value.native();
        }
        Ok(values)
    }

    /// Rows of another table, which has `rows`; `u32::MAX` stands for none.
    pub fn pointers(&self, name: &str, rows: usize) -> Result<Vec<u32>, StoreError> {
        let values: Vec<u32> = self.numbers(name)?;
        if values
            .iter()
            .any(|&row| row as usize >= rows && row != u32::MAX)
        {
            return Err(self.damaged(name));
        }
        Ok(values)
    }

    /// Lists of rows of another table, which has `rows`.
    pub fn lists(&self, name: &str, rows: usize) -> Result<ListColumn<Vec<u32>>, StoreError> {
        let values: Vec<u32> = self.numbers(name)?;
        let ends: Vec<u32> = self.numbers(&format!("{name}.ends"))?;
        let whole = ends.last().map_or(0, |&end| end as usize) == values.len();
        if !whole || !ends.is_sorted() || values.iter().any(|&row| row as usize >= rows) {
            return Err(self.damaged(name));
        }
        Ok(ListColumn { values, ends })
    }

    pub fn strings(&self, name: &str) -> Result<StringColumn, StoreError> {
        let ends: Vec<u64> = self.numbers(&format!("{name}.ends"))?;
        let bytes: Vec<u8> = self.numbers(name)?;
        let text = String::from_utf8(bytes).map_err(|_| self.damaged(name))?;
        StringColumn::from_parts(text, ends).ok_or_else(|| self.damaged(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let mut writer = Writer::create(&path).unwrap();
        writer.numbers("n", &[1u32, 2, u32::MAX]).unwrap();
        let mut texts = StringColumn::default();
        ["a", "", "é"].iter().for_each(|text| texts.push(text));
        writer.strings("t", &texts).unwrap();
        writer.finish("key").unwrap();
        (folder, path)
    }

    #[test]
    fn what_was_written_is_read() {
        let (_folder, path) = written();
        let file = Container::open(&path).unwrap();
        assert_eq!(
            (file.key(), file.has("n"), file.has("x")),
            ("key", true, false)
        );
        assert_eq!(file.numbers::<u32>("n").unwrap(), [1, 2, u32::MAX]);
        let texts = file.strings("t").unwrap();
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["a", "", "é"]);
        assert_eq!(file.pointers("n", 3).unwrap().len(), 3);
        assert!(file.pointers("n", 2).is_err(), "row 2 of two rows");
    }

    #[test]
    fn a_cut_a_foreign_and_an_empty_file_are_none() {
        let (_folder, path) = written();
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(Container::open(&path).is_none(), "{length} bytes");
        }
        let mut longer = whole.clone();
        longer.push(0);
        std::fs::write(&path, &longer).unwrap();
        assert!(Container::open(&path).is_none());
    }

    #[test]
    fn a_changed_byte_is_found_when_it_is_read_and_the_file_goes() {
        let (_folder, path) = written();
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            std::fs::write(&path, &bytes).unwrap();
            let read = Container::open(&path)
                .map(|file| file.numbers::<u32>("n").is_ok() && file.strings("t").is_ok());
            assert_ne!(read, Some(true), "byte {at}");
        }
    }
}
