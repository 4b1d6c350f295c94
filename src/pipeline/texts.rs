//! The texts of the text units on disk, read by number: memory follows the graph, not the corpus.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::model::TextUnitIx;
use crate::store::{StoreError, read_at};

/// Appends texts to the scratch file.
pub struct TextsWriter {
    path: PathBuf,
    file: BufWriter<File>,
    ends: Vec<u64>,
    end: u64,
}

impl TextsWriter {
    /// Opens the scratch file in the building area.
    pub fn create(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join("texts.bin");
        let file = File::options()
            .create(true)
            .truncate(true)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|e| StoreError::io("create", &path, e))?;
        Ok(Self {
            path,
            file: BufWriter::with_capacity(1 << 18, file),
            ends: Vec::new(),
            end: 0,
        })
    }

    /// Appends the next text.
    pub fn push(&mut self, text: &str) -> Result<(), StoreError> {
        self.end += text.len() as u64;
        self.ends.push(self.end);
        self.file
            .write_all(text.as_bytes())
            .map_err(|e| StoreError::io("write", &self.path, e))
    }

    /// Hands the texts over for reading.
    pub fn finish(self) -> Result<Texts, StoreError> {
        let file = self
            .file
            .into_inner()
            .map_err(|e| StoreError::io("write", &self.path, e.into_error()))?;
        Ok(Texts {
            path: self.path,
            file,
            ends: self.ends,
        })
    }
}

/// Reads texts by number, from any thread.
pub struct Texts {
    path: PathBuf,
    file: File,
    ends: Vec<u64>,
}

impl Texts {
    /// Reads one text.
    ///
    /// # Errors
    /// `Io` when the scratch file was taken away meanwhile.
    pub fn read(&self, unit: TextUnitIx) -> Result<String, StoreError> {
        let row = unit.at();
        let start = row.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        let mut bytes = vec![0; (self.ends[row] - start) as usize];
        read_at(&self.file, &mut bytes, start)
            .map_err(|e| StoreError::io("read", &self.path, e))?;
        String::from_utf8(bytes).map_err(|e| StoreError::damaged(&self.path, e))
    }
}
