//! Where each key's newest frame is.

use rustc_hash::FxHashMap;

use super::super::request::Key;
use super::frame::Kind;

/// Place of a frame in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// Of the header.
    pub offset: u64,
    /// Of the payload.
    pub len: u32,
}

/// The log's index in memory: 32 bytes an entry.
#[derive(Debug, Default)]
pub(super) struct Index {
    live: FxHashMap<Key, Slot>,
    rejected: FxHashMap<Key, Vec<Slot>>,
    /// Embeddings among the live ones, as far as this process has seen them written or scanned.
    pub embeddings: u64,
    /// Damaged stretches and payloads found.
    pub damaged: u64,
    /// Torn tails cut off.
    pub torn: u64,
}

impl Index {
    /// Takes a frame in, newest last: a rejection ends an answer's life, a later answer begins a new one.
    pub fn add(&mut self, kind: Kind, key: Key, slot: Slot) {
        match kind {
            Kind::Start => {}
            Kind::Answer | Kind::Embedding => {
                let fresh = self.live.insert(key, slot).is_none();
                if fresh && kind == Kind::Embedding {
                    self.embeddings += 1;
                }
            }
            Kind::Rejected => {
                self.live.remove(&key);
                self.rejected.entry(key).or_default().push(slot);
            }
        }
    }

    pub fn reserve(&mut self, entries: usize) {
        self.live.reserve(entries);
    }

    pub fn find(&self, key: Key) -> Option<Slot> {
        self.live.get(&key).copied()
    }

    pub fn rejected(&self, key: Key) -> Vec<Slot> {
        self.rejected.get(&key).cloned().unwrap_or_default()
    }

    /// Forgets a frame whose payload is damaged.
    pub fn drop_damaged(&mut self, key: Key, slot: Slot) {
        self.damaged += 1;
        if self.live.get(&key) == Some(&slot) {
            self.live.remove(&key);
        }
        if let Some(slots) = self.rejected.get_mut(&key) {
            slots.retain(|own| *own != slot);
        }
    }

    pub fn live(&self) -> impl Iterator<Item = (Key, Slot)> + '_ {
        self.live.iter().map(|(key, slot)| (*key, *slot))
    }

    pub fn all_rejected(&self) -> impl Iterator<Item = (Key, Slot)> + '_ {
        self.rejected
            .iter()
            .flat_map(|(key, slots)| slots.iter().map(|slot| (*key, *slot)))
    }

    pub fn len(&self) -> usize {
        self.live.len()
    }

    pub fn rejected_len(&self) -> usize {
        self.rejected.values().map(Vec::len).sum()
    }
}
