//! What was sent in batches, on disk before and after it is sent.
//!
//! One small JSON file a batch, in `batches/` beside the answers. It is written before the batch is created, again with the
//! provider's id, and again when the batch has ended, each time as a whole. A process that was killed in between finds its batch by that
//! id, or, killed before the id was written down, by the name the batch carries in its metadata.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::super::budget::WorstCase;
use super::super::error::CallError;
use super::super::request::Key;
use crate::store::write_atomically;

/// How often each question got its reply from a batch, by its name in the batch file; the ledger tells.
pub type Settled = FxHashMap<String, u32>;

/// One question in a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// `custom_id` of its line.
    pub id: String,
    /// Most tokens it can take.
    pub tokens: u64,
    /// Most money it can take; absent when the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// One batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Our name for it, in its metadata.
    pub name: String,
    /// Address without credentials.
    pub address: String,
    /// Model name.
    pub model: String,
    /// Unix seconds, before it was sent.
    pub prepared: u64,
    /// The provider's id, once known.
    #[serde(default)]
    pub batch: Option<String>,
    /// Nothing more will come of it.
    #[serde(default)]
    pub ended: bool,
    /// What is in it.
    pub requests: Vec<Asked>,
}

/// The name of a question in a batch file.
pub(crate) fn custom_id(id: Key) -> String {
    format!("{:032x}", id.0)
}

/// The question a name stands for.
pub(crate) fn key_of(custom_id: &str) -> Option<Key> {
    u128::from_str_radix(custom_id, 16).ok().map(Key)
}

impl Record {
    fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.json", self.name))
    }

    /// Makes it durable.
    ///
    /// # Errors
    /// [`CallError::Storage`] names the file.
    pub fn save(&self, folder: &Path) -> Result<(), CallError> {
        let path = self.path(folder);
        let refused = |reason: String| CallError::Storage {
            path: path.display().to_string(),
            reason: reason.into(),
        };
        let text = serde_json::to_vec(self).map_err(|error| refused(error.to_string()))?;
        std::fs::create_dir_all(folder).map_err(|error| refused(error.to_string()))?;
        write_atomically(&path, &text).map_err(|error| refused(error.to_string()))
    }

    /// Forgets it.
    pub fn remove(&self, folder: &Path) {
        // what stays is found, looked up and removed by the next run
        let _ = std::fs::remove_file(self.path(folder));
    }
}

/// All batches of a folder, oldest first; none where there is no folder.
///
/// # Errors
/// [`CallError::Setup`] names the file that is no record: without it a question might be paid for twice.
pub(crate) fn load(folder: &Path) -> Result<Vec<Record>, CallError> {
    let mut records = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(records);
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if hidden || path.extension().is_none_or(|kind| kind != "json") {
            continue;
        }
        let record = std::fs::read(&path)
            .map_err(|error| error.to_string())
            .and_then(|bytes| {
                serde_json::from_slice::<Record>(&bytes).map_err(|error| error.to_string())
            });
        records.push(record.map_err(|error| {
            CallError::Setup(format!(
                "cannot read {}, which names a batch at the provider: {error}; restore it, or delete it to ask those questions again",
                path.display()
            ))
        })?);
    }
    records.sort_by(|a, b| (a.prepared, &a.name).cmp(&(b.prepared, &b.name)));
    Ok(records)
}

/// What was sent and has not been settled: what the provider may still charge.
pub(crate) fn outstanding(records: &[Record], settled: &Settled) -> Vec<(Key, WorstCase)> {
    let mut left: FxHashMap<&str, u32> = settled.iter().map(|(id, n)| (id.as_str(), *n)).collect();
    let mut out = Vec::new();
    for asked in records.iter().flat_map(|record| &record.requests) {
        match left.get_mut(asked.id.as_str()).filter(|n| **n > 0) {
            Some(n) => *n -= 1,
            None => {
                let worst = WorstCase {
                    tokens: asked.tokens,
                    cost: asked.cost,
                };
                out.extend(key_of(&asked.id).map(|id| (id, worst)));
            }
        }
    }
    out
}

/// Forgets the batches that have ended; to be called when a run is over and everything it asked is settled.
///
/// # Errors
/// A record cannot be read.
pub fn forget_ended(folder: &Path) -> Result<(), CallError> {
    for record in load(folder)?.iter().filter(|record| record.ended) {
        record.remove(folder);
    }
    Ok(())
}

/// Forgets batches by our names for them: their questions will be asked, and paid for, again.
///
/// # Errors
/// A record cannot be read.
pub fn forget(folder: &Path, names: &[String]) -> Result<(), CallError> {
    let records = load(folder)?;
    for record in records.iter().filter(|r| names.contains(&r.name)) {
        record.remove(folder);
    }
    Ok(())
}

/// Questions that are at the provider and whose answers were not fetched, by batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenBatch {
    /// The provider's id; `None` when it was never learnt.
    pub batch: Option<String>,
    /// Our name for it.
    pub name: String,
    /// Model name.
    pub model: String,
    /// Address without credentials.
    pub address: String,
    /// Unix seconds.
    pub sent: u64,
    /// Questions in it.
    pub requests: usize,
    /// Nothing more will come of it: what is missing here can be fetched.
    pub ended: bool,
}

/// The batches of a folder that hold questions not settled yet.
///
/// # Errors
/// A record cannot be read.
pub fn open_batches(folder: &Path, settled: &Settled) -> Result<Vec<OpenBatch>, CallError> {
    let records = load(folder)?;
    let open = records
        .iter()
        .filter(|record| !outstanding(std::slice::from_ref(*record), settled).is_empty())
        .map(|record| OpenBatch {
            batch: record.batch.clone(),
            name: record.name.clone(),
            model: record.model.clone(),
            address: record.address.clone(),
            sent: record.prepared,
            requests: record.requests.len(),
            ended: record.ended,
        });
    Ok(open.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, prepared: u64, ids: &[u128]) -> Record {
        Record {
            name: name.into(),
            address: "http://h/v1".into(),
            model: "m".into(),
            prepared,
            batch: None,
            ended: false,
            requests: ids
                .iter()
                .map(|&id| Asked {
                    id: custom_id(Key(id)),
                    tokens: 10,
                    cost: Some(0.5),
                })
                .collect(),
        }
    }

    #[test]
    fn records_come_back_oldest_first_and_ended_ones_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("batches");
        assert_eq!(load(&folder).unwrap(), []);
        let mut first = record("b", 1, &[7]);
        let second = record("a", 2, &[8]);
        second.save(&folder).unwrap();
        first.save(&folder).unwrap();
        first.batch = Some("batch_1".into());
        first.ended = true;
        first.save(&folder).unwrap();
        assert_eq!(load(&folder).unwrap(), [first, second.clone()]);
        forget_ended(&folder).unwrap();
        assert_eq!(load(&folder).unwrap(), [second]);
        std::fs::write(folder.join("c.json"), "{").unwrap();
        let error = load(&folder).unwrap_err();
        assert!(error.to_string().contains("c.json"), "{error}");
    }

    #[test]
    fn a_question_sent_twice_and_settled_once_is_outstanding_once() {
        let records = [record("a", 1, &[7, 8]), record("b", 2, &[7])];
        let settled = Settled::from_iter([(custom_id(Key(7)), 1), (custom_id(Key(8)), 1)]);
        let left: Vec<Key> = outstanding(&records, &settled)
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        assert_eq!(left, [Key(7)]);
        assert_eq!(outstanding(&records, &Settled::default()).len(), 3);
    }
}
