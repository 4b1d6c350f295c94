//! Writes one Parquet table, batch by batch.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::error::StoreError;

/// A finished table: what the manifest records of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTable {
    /// File name, `entities.parquet`.
    pub file: String,
    /// Number of rows.
    pub rows: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3 of the file, hexadecimal.
    pub hash: String,
}

/// Counts and hashes what passes through.
struct Measured<W: Write> {
    inner: W,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl<W: Write> Write for Measured<W> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.hasher.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// An open table. Nothing of it counts before [`TableWriter::finish`].
pub struct TableWriter {
    path: PathBuf,
    rows: u64,
    writer: ArrowWriter<Measured<BufWriter<File>>>,
}

/// Encoded bytes after which a row group is closed, so that memory stays flat on a large corpus.
const ROW_GROUP_BYTES: usize = 16 << 20;

impl TableWriter {
    /// Opens `folder/name.parquet`.
    pub(crate) fn create(folder: &Path, name: &str, schema: SchemaRef) -> Result<Self, StoreError> {
        let path = folder.join(format!("{name}.parquet"));
        let file = File::create(&path).map_err(|e| StoreError::io("create", &path, e))?;
        let sink = Measured {
            inner: BufWriter::with_capacity(1 << 16, file),
            hasher: blake3::Hasher::new(),
            bytes: 0,
        };
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            // Page statistics of whole texts would double the file's metadata and nobody filters on them.
            .set_statistics_enabled(EnabledStatistics::None)
            .set_created_by("belvedere".to_owned())
            .build();
        let writer = ArrowWriter::try_new(sink, schema, Some(properties))
            .map_err(|e| StoreError::damaged(&path, e))?;
        Ok(Self {
            path,
            rows: 0,
            writer,
        })
    }

    /// Appends a batch.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), StoreError> {
        self.rows += batch.num_rows() as u64;
        let written = self.writer.write(batch).and_then(|()| {
            if self.writer.in_progress_size() > ROW_GROUP_BYTES {
                self.writer.flush()
            } else {
                Ok(())
            }
        });
        written.map_err(|e| self.write_error(e))
    }

    /// Closes and syncs the table.
    pub(crate) fn finish(self) -> Result<WrittenTable, StoreError> {
        let path = self.path.clone();
        let sink = self
            .writer
            .into_inner()
            .map_err(|e| StoreError::damaged(&path, e))?;
        let hash = sink.hasher.finalize().to_hex().to_string();
        let file = sink
            .inner
            .into_inner()
            .map_err(|e| StoreError::io("write", &path, e.into_error()))?;
        file.sync_all()
            .map_err(|e| StoreError::io("sync", &path, e))?;
        Ok(WrittenTable {
            file: path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            rows: self.rows,
            bytes: sink.bytes,
            hash,
        })
    }

    fn write_error(&self, error: parquet::errors::ParquetError) -> StoreError {
        match error {
            parquet::errors::ParquetError::External(inner) => StoreError::io(
                "write",
                &self.path,
                std::io::Error::other(inner.to_string()),
            ),
            other => StoreError::io(
                "write",
                &self.path,
                std::io::Error::other(other.to_string()),
            ),
        }
    }
}
