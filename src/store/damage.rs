//! Whether the files of an index are as they were written, told from sizes, headers and footers: no table and no vector is read.

use std::path::Path;

use serde::Serialize;
use serde::de::IgnoredAny;

use super::error::StoreError;
use super::manifest::{Manifest, TableEntry, VectorEntry};
use super::read::TableReader;
use super::vectors::VectorFile;

/// Figures of the last run, written after the manifest.
pub const STATS_FILE: &str = "stats.json";

/// A file of an index that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// Its name in the output folder.
    pub file: String,
    /// What is wrong with it.
    pub why: String,
}

impl Manifest {
    /// The files in `output` that are missing, cut, or others than this complete index wrote.
    pub fn damage(&self, output: &Path) -> Vec<Damage> {
        let tables = self
            .tables
            .iter()
            .map(|(file, entry)| (file.as_str(), table(output, file, entry)));
        let vectors = self
            .vectors
            .iter()
            .map(|(file, entry)| (file.as_str(), vectors(output, file, entry)));
        let others = self
            .files
            .iter()
            .map(|(file, &bytes)| (file.as_str(), sized(output, file, bytes)));
        tables
            .chain(vectors)
            .chain(others)
            .chain([(STATS_FILE, stats(output))])
            .filter_map(|(file, found)| {
                found.err().map(|why| Damage {
                    file: file.to_owned(),
                    why,
                })
            })
            .collect()
    }
}

fn size(output: &Path, file: &str) -> Result<u64, String> {
    match std::fs::metadata(output.join(file)) {
        Ok(data) if data.is_file() => Ok(data.len()),
        Ok(_) => Err("no file".to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err("missing".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn sized(output: &Path, file: &str, written: u64) -> Result<(), String> {
    match size(output, file)? {
        found if found == written => Ok(()),
        found => Err(format!("{found} bytes where {written} were written")),
    }
}

fn table(output: &Path, file: &str, entry: &TableEntry) -> Result<(), String> {
    sized(output, file, entry.bytes)?;
    let name = file.strip_suffix(".parquet").unwrap_or(file);
    let rows = TableReader::open(output, name).map_err(words)?.rows() as u64;
    if rows == entry.rows {
        return Ok(());
    }
    Err(format!("{rows} rows where {} were written", entry.rows))
}

fn vectors(output: &Path, file: &str, entry: &VectorEntry) -> Result<(), String> {
    size(output, file)?;
    let name = file.strip_suffix(".f32").unwrap_or(file);
    let Some(found) = VectorFile::open(output, name).map_err(words)? else {
        return Err("missing".to_owned());
    };
    // A kind of vectors without any is written with a dimension of 1, whatever its model's.
    let fits =
        found.rows() == entry.rows && (entry.rows == 0 || found.dimension == entry.dimension);
    if fits {
        return Ok(());
    }
    Err(format!(
        "{} vectors of {} numbers where {} of {} were written",
        found.rows(),
        found.dimension,
        entry.rows,
        entry.dimension
    ))
}

fn stats(output: &Path) -> Result<(), String> {
    size(output, STATS_FILE)?;
    let bytes = std::fs::read(output.join(STATS_FILE)).map_err(|error| error.to_string())?;
    match serde_json::from_slice::<IgnoredAny>(&bytes) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("not JSON: {error}")),
    }
}

/// What is wrong, without the path and the remedy that stand around it in a message.
fn words(error: StoreError) -> String {
    match error {
        StoreError::Damaged { why, .. } => why,
        StoreError::Io { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}
