//! Vectors as one flat file that loads with a single read and no decoding.
//!
//! Layout: the 8 bytes `BELVEC01`, the header's length as a little-endian u32, the header (JSON: name, model, dimension, rows,
//! the hash of the table whose rows they follow), zeros up to a multiple of 64, then rows x dimension little-endian f32. Row i
//! belongs to row i of the table.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::StoreError;

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

/// All vectors of one table column.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorTable {
    /// Which model made them.
    pub model: String,
    /// Numbers a vector.
    pub dimension: usize,
    /// Row-major, row i for table row i.
    pub data: Vec<f32>,
}

impl VectorTable {
    /// Reads `folder/name.f32`; `None` when there is no such file.
    pub fn read(folder: &Path, name: &str) -> Result<Option<Self>, StoreError> {
        let path = folder.join(format!("{name}.f32"));
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("open", &path, error)),
        };
        let io = |error| StoreError::io("read", &path, error);
        let mut start = [0u8; 12];
        file.read_exact(&mut start).map_err(io)?;
        if &start[..8] != MAGIC {
            return Err(StoreError::damaged(&path, "not a vector file"));
        }
        let length = u32::from_le_bytes([start[8], start[9], start[10], start[11]]) as usize;
        if length > 1 << 16 {
            return Err(StoreError::damaged(&path, "its header is too long"));
        }
        let mut json = vec![0u8; length];
        file.read_exact(&mut json).map_err(io)?;
        let header: Header =
            serde_json::from_slice(&json).map_err(|e| StoreError::damaged(&path, e))?;
        let offset = (12 + length).next_multiple_of(ALIGNMENT) as u64;
        let numbers = header.rows.checked_mul(u64::from(header.dimension));
        let size = file.metadata().map_err(io)?.len();
        let Some(numbers) = numbers.filter(|n| n.checked_mul(4) == size.checked_sub(offset)) else {
            return Err(StoreError::damaged(
                &path,
                "its size is not what its header says",
            ));
        };
        file.seek(SeekFrom::Start(offset)).map_err(io)?;
        let mut data = vec![0f32; numbers as usize];
        file.read_exact(bytemuck::cast_slice_mut(&mut data))
            .map_err(io)?;
        if cfg!(target_endian = "big") {
            for value in &mut data {
                *value = f32::from_bits(value.to_bits().swap_bytes());
            }
        }
        Ok(Some(Self {
            model: header.model,
            dimension: header.dimension as usize,
            data,
        }))
    }

    /// Number of vectors.
    pub fn rows(&self) -> usize {
        self.data.len().checked_div(self.dimension).unwrap_or(0)
    }

    /// The vector of a row.
    pub fn row(&self, row: usize) -> &[f32] {
        let start = row * self.dimension;
        self.data
            .get(start..start + self.dimension)
            .unwrap_or_default()
    }
}
