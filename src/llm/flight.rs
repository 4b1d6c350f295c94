//! One at a time for each question: whoever asks what is being asked already waits and finds the answer in the cache.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use tokio::sync::OwnedMutexGuard;

use super::limits::lock;
use super::request::Key;

type Turns = Mutex<FxHashMap<Key, Arc<tokio::sync::Mutex<()>>>>;

/// The questions now being asked.
#[derive(Debug, Default)]
pub(crate) struct SingleFlight(Turns);

/// The right to ask one question.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    key: Key,
    guard: Option<OwnedMutexGuard<()>>,
}

impl SingleFlight {
    pub async fn enter(&self, key: Key) -> Turn<'_> {
        let own = Arc::clone(lock(&self.0).entry(key).or_default());
        let guard = own.lock_owned().await;
        Turn {
            turns: &self.0,
            key,
            guard: Some(guard),
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut turns = lock(self.turns);
        drop(self.guard.take());
        // only the map still knows it: nobody waits
        if turns
            .get(&self.key)
            .is_some_and(|turn| Arc::strong_count(turn) == 1)
        {
            turns.remove(&self.key);
        }
    }
}
