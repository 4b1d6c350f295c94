//! Replaces an index as a whole.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use arrow::datatypes::SchemaRef;

use super::atomic::sync_folder_of;
use super::error::StoreError;
use super::manifest::{IndexState, Manifest, TableEntry, VectorEntry};
use super::vectors::VectorWriter;
use super::writer::{TableWriter, WrittenTable};

/// An index under construction. Dropping it without [`OutputBuild::commit`] leaves the old index as it was.
pub struct OutputBuild {
    output: PathBuf,
    building: PathBuf,
    tables: BTreeMap<String, TableEntry>,
    vectors: BTreeMap<String, VectorEntry>,
    files: BTreeMap<String, u64>,
    /// Files that may be replaced before the next run, so that their size says nothing.
    made: Vec<String>,
    // Held for its lock; the system releases it when the process ends, however it ends.
    _lock: File,
}

/// Files of an index that a rebuild without them must not leave behind.
const OPTIONAL_FILES: &[&str] = &[
    "covariates.parquet",
    "resolution.parquet",
    "graph.graphml",
    "search.bin",
];

impl OutputBuild {
    /// Locks the output folder and empties the building area.
    ///
    /// # Errors
    /// `Locked` when another process indexes into the folder, `Io` when the file system refuses.
    pub fn begin(output: &Path) -> Result<Self, StoreError> {
        let building = output.join(".building");
        fs::create_dir_all(&building).map_err(|e| StoreError::io("create", &building, e))?;
        let lock_path = output.join(".lock");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(|e| StoreError::io("open", &lock_path, e))?;
        match fs4::FileExt::try_lock(&lock) {
            Ok(()) => {}
            Err(fs4::TryLockError::WouldBlock) => {
                return Err(StoreError::Locked {
                    path: output.to_owned(),
                });
            }
            Err(fs4::TryLockError::Error(e)) => return Err(StoreError::io("lock", &lock_path, e)),
        }
        let entries = fs::read_dir(&building).map_err(|e| StoreError::io("read", &building, e))?;
        for entry in entries.flatten() {
            // A leftover of a killed run; what cannot be removed is overwritten or reported when it is written.
            let _ = fs::remove_file(entry.path());
        }
        Ok(Self {
            output: output.to_owned(),
            building,
            tables: BTreeMap::new(),
            vectors: BTreeMap::new(),
            files: BTreeMap::new(),
            made: Vec::new(),
            _lock: lock,
        })
    }

    /// The folder where files are built, for scratch files that must not outlive the run.
    pub fn building(&self) -> &Path {
        &self.building
    }

    /// Opens a table.
    pub fn table(&self, name: &str, schema: SchemaRef) -> Result<TableWriter, StoreError> {
        TableWriter::create(&self.building, name, schema)
    }

    /// Records a finished table.
    pub fn add_table(&mut self, table: WrittenTable) {
        let entry = TableEntry {
            rows: table.rows,
            bytes: table.bytes,
            blake3: table.hash,
        };
        self.tables.insert(table.file, entry);
    }

    /// Rows of a recorded table; 0 when it was not written.
    pub fn rows(&self, file: &str) -> u64 {
        self.tables.get(file).map_or(0, |entry| entry.rows)
    }

    /// Writes one vector file: row i of `data` belongs to row i of `table`.
    pub fn add_vectors(
        &mut self,
        name: &str,
        table: &str,
        model: &str,
        dimension: usize,
        data: &[f32],
    ) -> Result<(), StoreError> {
        let rows = data.len().checked_div(dimension).unwrap_or(0);
        let mut writer = VectorWriter::create(&self.building, name, model, dimension.max(1), rows)?;
        if rows > 0 {
            writer.write(data)?;
        }
        writer.finish()?;
        let entry = VectorEntry {
            table: table.to_owned(),
            model: model.to_owned(),
            dimension,
            rows,
        };
        self.vectors.insert(format!("{name}.f32"), entry);
        Ok(())
    }

    /// Writes another file that belongs to the index, `graph.graphml` for one.
    pub fn add_file(&mut self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        super::atomic::write_atomically(&self.building.join(name), bytes)?;
        self.files.insert(name.to_owned(), bytes.len() as u64);
        Ok(())
    }

    /// Records a file that was made in the building area and belongs to the index.
    pub fn add_made(&mut self, name: &str) {
        self.made.push(name.to_owned());
    }

    /// Names the state of the tables recorded so far.
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (file, entry) in &self.tables {
            hasher.update(file.as_bytes());
            hasher.update(entry.blake3.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Moves everything into place; the manifest is complete last.
    ///
    /// `describe` fills the fields that the store does not know: method, input, settings, failed.
    pub fn commit(self, describe: impl FnOnce(&mut Manifest)) -> Result<Manifest, StoreError> {
        let mut manifest = Manifest {
            format: Manifest::FORMAT,
            state: IndexState::Building,
            method: String::new(),
            input: String::new(),
            settings: String::new(),
            fingerprint: self.fingerprint(),
            failed: 0,
            unread: 0,
            tables: self.tables.clone(),
            vectors: self.vectors.clone(),
            files: self.files.clone(),
            graph: None,
        };
        describe(&mut manifest);
        manifest.write(&self.output)?;
        let names = self
            .tables
            .keys()
            .chain(self.vectors.keys())
            .chain(self.files.keys())
            .chain(&self.made);
        for name in names {
            let target = self.output.join(name);
            fs::rename(self.building.join(name), &target)
                .map_err(|e| StoreError::io("move into place", &target, e))?;
        }
        for name in OPTIONAL_FILES {
            let built = self.tables.contains_key(*name)
                || self.files.contains_key(*name)
                || self.made.iter().any(|made| made == name);
            if !built {
                // Absent already, in the usual case.
                let _ = fs::remove_file(self.output.join(name));
            }
        }
        sync_folder_of(&self.output.join(Manifest::FILE))?;
        manifest.state = IndexState::Complete;
        manifest.write(&self.output)?;
        // The lock's holder is the only one that writes here; what stays is emptied by the next run.
        let _ = fs::remove_dir_all(&self.building);
        Ok(manifest)
    }
}
