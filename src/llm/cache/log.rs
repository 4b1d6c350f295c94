//! The answer log on disk: append, sync in groups, read by offset.
//!
//! Bytes are written as soon as an answer is known (a kill of the process loses nothing that was written); one thread
//! then syncs whatever was written meanwhile, and callers wait for the sync that covers them (a power cut loses nothing
//! they were told is safe). Every append holds the file's lock, takes in what other processes appended before, and cuts
//! off a torn tail, which under the lock can only be a dead writer's.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};

use tokio::sync::watch;

use super::super::limits::lock;
use super::super::request::Key;
use super::frame::{self, HEADER, Kind};
use super::index::{Index, Slot};
use super::sidecar;

/// File names in the cache folder.
pub(super) const LOG_FILE: &str = "answers.log";
const LOCK_FILE: &str = "answers.lock";

#[derive(Debug)]
struct Inner {
    file: File,
    /// End of the last frame known to the index.
    end: u64,
    index: Index,
    /// Frames appended or taken in since the sidecar was written.
    since_sidecar: u64,
}

/// Bytes known to be on disk, or why none will be any more.
type Synced = Result<u64, Arc<str>>;

#[derive(Debug, Default)]
struct Bell {
    written: Mutex<(u64, bool)>,
    rung: Condvar,
}

/// An open log.
#[derive(Debug)]
pub(super) struct Log {
    pub path: PathBuf,
    inner: Mutex<Inner>,
    reader: Mutex<File>,
    bell: Arc<Bell>,
    synced: watch::Receiver<Synced>,
    syncer: Option<std::thread::JoinHandle<()>>,
    /// Held shared for as long as the log is open; pruning needs it alone.
    _in_use: File,
}

/// Opens the file whose lock says that the cache is in use.
pub(super) fn lock_file(dir: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(dir.join(LOCK_FILE))
}

/// A frame to append.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub kind: Kind,
    pub key: Key,
    pub payload: Vec<u8>,
}

impl Log {
    /// Opens or creates the log in `dir` and reads its index.
    pub fn open(dir: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(dir)?;
        let in_use = lock_file(dir)?;
        in_use.lock_shared()?;
        let path = dir.join(LOG_FILE);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)?;
        let reader = File::open(&path)?;
        let mut inner = Inner {
            file,
            end: 0,
            index: Index::default(),
            since_sidecar: 0,
        };
        inner.file.lock()?;
        let prepared = prepare(&mut inner, dir);
        inner.file.unlock()?;
        prepared?;
        let bell = Arc::new(Bell {
            written: Mutex::new((inner.end, false)),
            rung: Condvar::new(),
        });
        let (report, synced) = watch::channel(Ok(inner.end));
        let to_sync = inner.file.try_clone()?;
        let syncer = std::thread::Builder::new()
            .name("answer-sync".into())
            .spawn({
                let bell = Arc::clone(&bell);
                let opened_at = inner.end;
                move || sync_loop(&to_sync, opened_at, &bell, &report)
            })?;
        Ok(Self {
            path,
            inner: Mutex::new(inner),
            reader: Mutex::new(reader),
            bell,
            synced,
            syncer: Some(syncer),
            _in_use: in_use,
        })
    }

    /// Writes frames and returns once they are on disk.
    pub async fn append(self: &Arc<Self>, entries: Vec<Entry>, at: u32) -> Result<(), Arc<str>> {
        let written = match self.write(&entries, at, false) {
            // another process is appending: wait for it where waiting is allowed
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let log = Arc::clone(self);
                tokio::task::spawn_blocking(move || log.write(&entries, at, true))
                    .await
                    .unwrap_or_else(|error| Err(io::Error::other(error)))
            }
            result => result,
        };
        let end = written.map_err(|error| Arc::from(error.to_string()))?;
        let mut synced = self.synced.clone();
        loop {
            let now = synced.borrow_and_update().clone();
            if now? >= end {
                return Ok(());
            }
            if synced.changed().await.is_err() {
                return Err("the syncing thread has ended".into());
            }
        }
    }

    /// Writes frames at the end of the log and returns its new end. Copies into the page cache: microseconds.
    fn write(&self, entries: &[Entry], at: u32, wait: bool) -> io::Result<u64> {
        let mut bytes = Vec::with_capacity(
            entries
                .iter()
                .map(|entry| HEADER + entry.payload.len())
                .sum(),
        );
        for entry in entries {
            if entry.payload.len() > frame::MAX_PAYLOAD {
                return Err(io::Error::other(
                    "an answer is larger than the cache can hold",
                ));
            }
            frame::encode(&mut bytes, entry.kind, entry.key, at, &entry.payload);
        }
        let mut inner = lock(&self.inner);
        if wait {
            inner.file.lock()?;
        } else {
            match inner.file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        let result = catch_up(&mut inner).and_then(|()| {
            let start = inner.end;
            let mut file = &inner.file;
            file.seek(SeekFrom::Start(start))?;
            if let Err(error) = file.write_all(&bytes) {
                // a full disk leaves half a frame: take it back
                let _ = inner.file.set_len(start);
                return Err(error);
            }
            Ok(start)
        });
        let unlocked = inner.file.unlock();
        let mut offset = result?;
        unlocked?;
        for entry in entries {
            // invariant: checked against MAX_PAYLOAD above, which fits
            let len = entry.payload.len() as u32;
            inner.index.add(entry.kind, entry.key, Slot { offset, len });
            offset += (HEADER + entry.payload.len()) as u64;
        }
        inner.end = offset;
        inner.since_sidecar += entries.len() as u64;
        drop(inner);
        lock(&self.bell.written).0 = offset;
        self.bell.rung.notify_one();
        Ok(offset)
    }

    /// The slot of a validated answer or an embedding.
    pub fn find(&self, key: Key) -> Option<Slot> {
        lock(&self.inner).index.find(key)
    }

    /// The slots of a question's rejected answers, oldest first.
    pub fn rejected(&self, key: Key) -> Vec<Slot> {
        lock(&self.inner).index.rejected(key)
    }

    /// Reads and checks one payload; `None` when it is damaged, which also takes it out of the index.
    pub fn read(&self, key: Key, slot: Slot) -> Option<Vec<u8>> {
        let payload = read_frame(&lock(&self.reader), key, slot);
        if payload.is_none() {
            lock(&self.inner).index.drop_damaged(key, slot);
        }
        payload
    }

    /// Looks at the index.
    pub fn with_index<T>(&self, look: impl FnOnce(&Index, u64) -> T) -> T {
        let inner = lock(&self.inner);
        look(&inner.index, inner.end)
    }
}

/// Reads the payload at `slot` if the frame there is whole and holds `key`.
fn read_frame(mut file: &File, key: Key, slot: Slot) -> Option<Vec<u8>> {
    let mut bytes = vec![0; HEADER + slot.len as usize];
    file.seek(SeekFrom::Start(slot.offset)).ok()?;
    file.read_exact(&mut bytes).ok()?;
    let header = frame::decode(bytes.first_chunk::<HEADER>()?)?;
    let payload = bytes.split_off(HEADER);
    (header.key == key
        && header.len == slot.len
        && frame::is_intact(&header.payload_hash, &payload))
    .then_some(payload)
}

/// First look at the file: loads the sidecar, scans what is newer, starts a new log. Holds the file's lock.
fn prepare(inner: &mut Inner, dir: &Path) -> io::Result<()> {
    let len = inner.file.metadata()?.len();
    if let Some((index, covered)) = sidecar::load(dir, &inner.file, len) {
        inner.index = index;
        inner.end = covered;
    }
    if len == 0 {
        start(inner, dir)?;
    }
    catch_up(inner)
}

/// Writes the first frame, whose key tells this log from any other.
fn start(inner: &mut Inner, dir: &Path) -> io::Result<()> {
    let since_epoch = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let mut bytes = Vec::new();
    frame::encode(
        &mut bytes,
        Kind::Start,
        sidecar::new_generation(since_epoch.as_nanos()),
        0,
        &[],
    );
    (&inner.file).write_all(&bytes)?;
    inner.file.sync_all()?;
    // the folder's entry must survive a power cut as well; not every system can sync a folder
    if let Ok(folder) = File::open(dir) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Takes in frames appended by others and cuts off a torn tail. Holds the file's lock.
fn catch_up(inner: &mut Inner) -> io::Result<()> {
    let len = inner.file.metadata()?.len();
    if len == inner.end {
        return Ok(());
    }
    if len < inner.end {
        // someone cut or replaced the file: begin again
        inner.index = Index::default();
        inner.end = 0;
    }
    let Inner {
        file,
        index,
        since_sidecar,
        end,
    } = inner;
    let scanned = frame::scan(&*file, *end, len, |offset, header| {
        *since_sidecar += 1;
        index.add(
            header.kind,
            header.key,
            Slot {
                offset,
                len: header.len,
            },
        );
    })?;
    index.damaged += scanned.damaged;
    if scanned.end < len {
        index.torn += 1;
        file.set_len(scanned.end)?;
    }
    *end = scanned.end;
    Ok(())
}

fn sync_loop(file: &File, mut done: u64, bell: &Bell, report: &watch::Sender<Synced>) {
    loop {
        let target = {
            let mut written = lock(&bell.written);
            while written.0 == done && !written.1 {
                written = bell
                    .rung
                    .wait(written)
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
            }
            *written
        };
        if target.0 != done {
            let outcome = file
                .sync_data()
                .map(|()| target.0)
                .map_err(|error| Arc::from(error.to_string()));
            let _ = report.send_replace(outcome);
            done = target.0;
        }
        if target.1 {
            return;
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        lock(&self.bell.written).1 = true;
        self.bell.rung.notify_one();
        if let Some(syncer) = self.syncer.take() {
            let _ = syncer.join();
        }
        let inner = lock(&self.inner);
        if inner.since_sidecar > 0
            && let Some(dir) = self.path.parent()
        {
            // a missing sidecar costs the next open a scan, nothing else
            let _ = sidecar::save(dir, &inner.file, &inner.index, inner.end);
        }
    }
}
