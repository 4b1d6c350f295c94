//! Vectors as one flat file that is read in blocks without decoding.
//!
//! Layout: the 8 bytes `BELVEC01`, the header's length as a little-endian u32, the header (JSON: name, model, dimension, rows,
//! the hash of the table whose rows they follow), zeros up to a multiple of 64, then rows x dimension little-endian f32. Row i
//! belongs to row i of the table.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::positioned::read_at;

const MAGIC: &[u8; 8] = b"BELVEC01";
const ALIGNMENT: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    name: String,
    model: String,
    dimension: u32,
    rows: u64,
}

/// Writes one vector file; rows must come in table order.
pub struct VectorWriter {
    path: PathBuf,
    file: BufWriter<File>,
    dimension: usize,
    expected: u64,
    written: u64,
}

impl VectorWriter {
    /// Opens `folder/name.f32` for `rows` vectors of `dimension` numbers made by `model`.
    pub fn create(
        folder: &Path,
        name: &str,
        model: &str,
        dimension: usize,
        rows: usize,
    ) -> Result<Self, StoreError> {
        let path = folder.join(format!("{name}.f32"));
        let header = Header {
            name: name.to_owned(),
            model: model.to_owned(),
            dimension: dimension as u32,
            rows: rows as u64,
        };
        let json = serde_json::to_vec(&header).map_err(|e| StoreError::damaged(&path, e))?;
        let mut head = Vec::with_capacity(256);
        head.extend_from_slice(MAGIC);
        head.extend_from_slice(&(json.len() as u32).to_le_bytes());
        head.extend_from_slice(&json);
        head.resize(head.len().next_multiple_of(ALIGNMENT), 0);
        let file = File::create(&path).map_err(|e| StoreError::io("create", &path, e))?;
        let mut file = BufWriter::with_capacity(1 << 16, file);
        file.write_all(&head)
            .map_err(|e| StoreError::io("write", &path, e))?;
        Ok(Self {
            path,
            file,
            dimension,
            expected: rows as u64,
            written: 0,
        })
    }

    /// Appends whole rows, row-major.
    pub fn write(&mut self, rows: &[f32]) -> Result<(), StoreError> {
        if self.dimension == 0 || !rows.len().is_multiple_of(self.dimension) {
            return Err(StoreError::damaged(
                &self.path,
                "a vector of another length",
            ));
        }
        self.written += (rows.len() / self.dimension) as u64;
        let written = if cfg!(target_endian = "little") {
            self.file.write_all(bytemuck::cast_slice(rows))
        } else {
            rows.iter()
                .try_for_each(|value| self.file.write_all(&value.to_le_bytes()))
        };
        written.map_err(|e| StoreError::io("write", &self.path, e))
    }

    /// Closes and syncs the file.
    pub fn finish(self) -> Result<PathBuf, StoreError> {
        if self.written != self.expected {
            let why = format!("{} vectors for {} rows", self.written, self.expected);
            return Err(StoreError::damaged(&self.path, why));
        }
        let file = self
            .file
            .into_inner()
            .map_err(|e| StoreError::io("write", &self.path, e.into_error()))?;
        file.sync_all()
            .map_err(|e| StoreError::io("sync", &self.path, e))?;
        Ok(self.path)
    }
}

/// A vector file, of which the header was read.
#[derive(Debug)]
pub struct VectorFile {
    path: PathBuf,
    file: File,
    offset: u64,
    rows: usize,
    /// Which model made the vectors.
    pub model: String,
    /// Numbers a vector.
    pub dimension: usize,
}

impl VectorFile {
    /// Opens `folder/name.f32`; `None` when there is no such file.
    ///
    /// # Errors
    /// `Damaged` for a file that is none, or is not as long as it says.
    pub fn open(folder: &Path, name: &str) -> Result<Option<Self>, StoreError> {
        let path = folder.join(format!("{name}.f32"));
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("open", &path, error)),
        };
        let io = |error| StoreError::io("read", &path, error);
        let mut start = [0u8; 12];
        read_at(&file, &mut start, 0).map_err(io)?;
        if &start[..8] != MAGIC {
            return Err(StoreError::damaged(&path, "not a vector file"));
        }
        let length = u32::from_le_bytes([start[8], start[9], start[10], start[11]]) as usize;
        if length > 1 << 16 {
            return Err(StoreError::damaged(&path, "its header is too long"));
        }
        let mut json = vec![0u8; length];
        read_at(&file, &mut json, 12).map_err(io)?;
        let header: Header =
            serde_json::from_slice(&json).map_err(|e| StoreError::damaged(&path, e))?;
        let offset = (12 + length).next_multiple_of(ALIGNMENT) as u64;
        let numbers = header.rows.checked_mul(u64::from(header.dimension));
        let size = file.metadata().map_err(io)?.len();
        if numbers.is_none_or(|n| n.checked_mul(4) != size.checked_sub(offset)) {
            return Err(StoreError::damaged(
                &path,
                "its size is not what its header says",
            ));
        }
        Ok(Some(Self {
            path,
            file,
            offset,
            rows: usize::try_from(header.rows).unwrap_or(0),
            model: header.model,
            dimension: header.dimension as usize,
        }))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of vectors.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The vectors of a run of rows, row-major, into `buffer`.
    ///
    /// # Errors
    /// `Io` when the file was cut meanwhile, or the rows are beyond its end.
    pub fn read(&self, rows: Range<usize>, buffer: &mut Vec<f32>) -> Result<(), StoreError> {
        buffer.clear();
        buffer.resize(rows.len() * self.dimension, 0.0);
        let at = self.offset + (rows.start * self.dimension * 4) as u64;
        read_at(&self.file, bytemuck::cast_slice_mut(buffer), at)
            .map_err(|e| StoreError::io("read", &self.path, e))?;
        if cfg!(target_endian = "big") {
            for value in buffer {
                *value = f32::from_bits(value.to_bits().swap_bytes());
            }
        }
        Ok(())
    }
}
