//! `manifest.json`: what the index is made of, written last.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::atomic::write_atomically;
use super::error::StoreError;

/// Whether the tables belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexState {
    /// Tables are being replaced; do not read them.
    Building,
    /// All tables are whole and belong together.
    Complete,
}

/// One table of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntry {
    /// Number of rows.
    pub rows: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3 of the file, hexadecimal.
    pub blake3: String,
}

/// One vector file of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorEntry {
    /// The table whose rows it follows.
    pub table: String,
    /// The model that made it.
    pub model: String,
    /// Numbers a vector.
    pub dimension: usize,
    /// Number of vectors.
    pub rows: usize,
}

/// The index's own description. Holds nothing that differs between two runs over the same input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this layout.
    pub format: u32,
    /// Whether the tables belong together.
    pub state: IndexState,
    /// `fast` or `standard`.
    pub method: String,
    /// Hash of the input's paths and contents.
    pub input: String,
    /// Hash of every setting, prompt and model that shapes the tables.
    pub settings: String,
    /// Hash over all tables; names this state of the index.
    pub fingerprint: String,
    /// Items that ended as `failed`; the next run tries them again.
    pub failed: u64,
    /// Items of the input that could not be read; they are not tried again before the input changes.
    #[serde(default)]
    pub unread: u64,
    /// By file name.
    pub tables: BTreeMap<String, TableEntry>,
    /// By file name.
    pub vectors: BTreeMap<String, VectorEntry>,
    /// Bytes of other files of the index, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, u64>,
    /// The graph that the user gave, as it was named; absent where the index was made of documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<String>,
}

impl Manifest {
    /// The layout this version writes.
    pub const FORMAT: u32 = 1;
    /// Its file name in the output folder.
    pub const FILE: &'static str = "manifest.json";

    /// Reads the manifest; `None` when there is none (an index of the original, or no index).
    ///
    /// # Errors
    /// `DamagedManifest` when it is not a manifest.
    pub fn read(output: &Path) -> Result<Option<Self>, StoreError> {
        let path = output.join(Self::FILE);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("read", &path, error)),
        };
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| StoreError::DamagedManifest {
                why: error.to_string(),
                path,
            })
    }

    /// What builds a damaged index anew, as far as its manifest is known.
    pub fn remedy(manifest: Option<&Self>) -> String {
        let graph = manifest.and_then(|manifest| manifest.graph.as_ref());
        let with = graph.map_or_else(String::new, |graph| {
            format!(" with the same graph ({graph})")
        });
        format!("run `belvedere index`{with} to build the index anew")
    }

    /// Writes it atomically.
    pub fn write(&self, output: &Path) -> Result<(), StoreError> {
        let path = output.join(Self::FILE);
        let mut bytes =
            serde_json::to_vec_pretty(self).map_err(|e| StoreError::damaged(&path, e))?;
        bytes.push(b'\n');
        write_atomically(&path, &bytes)
    }
}
