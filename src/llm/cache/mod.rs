//! The answer cache: content-addressed, append-only, safe with several processes on one folder.
//!
//! Two kinds of things are remembered about a question. A *validated answer* is served again. A *rejected answer* is
//! never served; it is remembered so that after a kill the next attempt is asked for instead of the same one again.
//! Whatever [`Cache::put`] returned for is on disk.

mod frame;
mod index;
mod log;
mod maintain;
mod sidecar;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;

use super::error::CallError;
use super::limits::lock;
use super::request::Key;
pub use frame::Kind;
use index::Slot;
use log::{Entry, Log};
pub use maintain::{CacheError, PruneRule, Pruned, Stats, Verified, prune, stats, verify};

/// What one process can ask of the cache; cheap to clone.
#[derive(Clone, Debug)]
pub struct Cache(Backing);

#[derive(Clone, Debug)]
enum Backing {
    Disk(Arc<Log>),
    Memory(Arc<Mutex<Memory>>),
}

#[derive(Debug, Default)]
struct Memory {
    live: FxHashMap<Key, Vec<u8>>,
    rejected: FxHashMap<Key, Vec<Vec<u8>>>,
}

/// One thing to remember.
#[derive(Clone, Debug)]
pub struct Record {
    /// Answer, rejected answer or embedding.
    pub kind: Kind,
    /// The question's key.
    pub key: Key,
    /// Stored as it is.
    pub payload: Vec<u8>,
}

impl Cache {
    /// Opens the cache in a folder, creating it where needed.
    ///
    /// # Errors
    /// [`CacheError::Io`] names the folder.
    pub fn open(dir: &Path) -> Result<Self, CacheError> {
        let log = Log::open(dir).map_err(|source| CacheError::Io {
            path: dir.to_path_buf(),
            source,
        })?;
        Ok(Self(Backing::Disk(Arc::new(log))))
    }

    /// A cache that lasts as long as the process.
    pub fn memory() -> Self {
        Self(Backing::Memory(Arc::default()))
    }

    /// The validated answer or embedding of a key. A damaged one is dropped, counted, and `None`.
    pub async fn get(&self, key: Key) -> Option<Vec<u8>> {
        match &self.0 {
            Backing::Memory(memory) => lock(memory).live.get(&key).cloned(),
            Backing::Disk(log) => {
                let slot = log.find(key)?;
                let log = Arc::clone(log);
                tokio::task::spawn_blocking(move || log.read(key, slot))
                    .await
                    .ok()?
            }
        }
    }

    /// The live payloads of many keys, in their order; one trip to the disk thread.
    pub async fn get_many(&self, keys: Vec<Key>) -> Vec<Option<Vec<u8>>> {
        match &self.0 {
            Backing::Memory(memory) => {
                let memory = lock(memory);
                keys.iter()
                    .map(|key| memory.live.get(key).cloned())
                    .collect()
            }
            Backing::Disk(log) => {
                let slots: Vec<(Key, Option<Slot>)> =
                    keys.iter().map(|&key| (key, log.find(key))).collect();
                if slots.iter().all(|(_, slot)| slot.is_none()) {
                    return vec![None; slots.len()];
                }
                let (log, n) = (Arc::clone(log), slots.len());
                let read = move || {
                    slots
                        .into_iter()
                        .map(|(key, slot)| log.read(key, slot?))
                        .collect()
                };
                tokio::task::spawn_blocking(read)
                    .await
                    .unwrap_or_else(|_| vec![None; n])
            }
        }
    }

    /// The rejected answers of a key, oldest first; damaged ones left out.
    pub async fn rejected(&self, key: Key) -> Vec<Vec<u8>> {
        match &self.0 {
            Backing::Memory(memory) => lock(memory).rejected.get(&key).cloned().unwrap_or_default(),
            Backing::Disk(log) => {
                let slots = log.rejected(key);
                if slots.is_empty() {
                    return Vec::new();
                }
                let log = Arc::clone(log);
                let read = move || {
                    slots
                        .into_iter()
                        .filter_map(|slot| log.read(key, slot))
                        .collect()
                };
                tokio::task::spawn_blocking(read).await.unwrap_or_default()
            }
        }
    }

    /// Remembers records; durable when this returns.
    ///
    /// # Errors
    /// [`CallError::Storage`] when they cannot be written (a full disk).
    pub async fn put(&self, records: Vec<Record>) -> Result<(), CallError> {
        match &self.0 {
            Backing::Memory(memory) => {
                let mut memory = lock(memory);
                for record in records {
                    match record.kind {
                        Kind::Rejected => {
                            memory.live.remove(&record.key);
                            memory
                                .rejected
                                .entry(record.key)
                                .or_default()
                                .push(record.payload);
                        }
                        _ => {
                            memory.live.insert(record.key, record.payload);
                        }
                    }
                }
                Ok(())
            }
            Backing::Disk(log) => {
                let entries = records
                    .into_iter()
                    .map(|Record { kind, key, payload }| Entry { kind, key, payload })
                    .collect();
                log.append(entries, unix_seconds())
                    .await
                    .map_err(|reason| CallError::Storage {
                        path: log.path.display().to_string(),
                        reason,
                    })
            }
        }
    }

    /// Damaged entries met so far.
    pub fn damaged(&self) -> u64 {
        match &self.0 {
            Backing::Memory(_) => 0,
            Backing::Disk(log) => log.with_index(|index, _| index.damaged),
        }
    }

    /// Validated answers and embeddings held.
    pub fn len(&self) -> usize {
        match &self.0 {
            Backing::Memory(memory) => lock(memory).live.len(),
            Backing::Disk(log) => log.with_index(|index, _| index.len()),
        }
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The log file, where there is one.
    pub fn path(&self) -> Option<PathBuf> {
        match &self.0 {
            Backing::Memory(_) => None,
            Backing::Disk(log) => Some(log.path.clone()),
        }
    }
}

pub(super) fn unix_seconds() -> u32 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            u32::try_from(since.as_secs()).unwrap_or(u32::MAX)
        })
}

#[cfg(test)]
mod tests;
