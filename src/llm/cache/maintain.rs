//! What `cache stats`, `cache verify` and `cache prune` do. All of it blocks; none of it belongs on a runtime's threads.

use std::fs::{File, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::request::Key;
use super::frame::{self, HEADER, Header, Kind};
use super::log::{LOG_FILE, lock_file};
use super::sidecar;

/// Why the cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Reading or writing failed.
    #[error(
        "cannot use the answer cache in {path}: {source}; check that the folder exists and can be written"
    )]
    Io { path: PathBuf, source: io::Error },
    /// Another process has the cache open.
    #[error(
        "the answer cache in {path} is in use by another process; wait until it has ended and prune again"
    )]
    InUse { path: PathBuf },
}

/// What a cache holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Validated answers that would be served.
    pub answers: u64,
    /// Embedded texts.
    pub embeddings: u64,
    /// Rejected answers remembered.
    pub rejected: u64,
    /// Frames overtaken by newer ones.
    pub superseded: u64,
    /// Bytes of the log.
    pub bytes: u64,
    /// Bytes of frames that would be served.
    pub live_bytes: u64,
    /// Damaged stretches and a torn tail.
    pub damaged: u64,
    /// Unix seconds of the oldest and the newest frame.
    pub oldest: Option<u32>,
    /// See `oldest`.
    pub newest: Option<u32>,
}

/// Result of reading every byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Frames whose payload matches its hash.
    pub intact: u64,
    /// Frames whose payload does not, and damaged stretches between frames.
    pub damaged: u64,
    /// The log ends in a half-written frame.
    pub torn_tail: bool,
}

/// What to drop besides damaged and superseded frames.
#[derive(Clone, Debug, Default)]
pub struct PruneRule {
    /// Drop frames written before this (unix seconds).
    pub before: Option<u32>,
    /// Keep only these keys.
    pub keep: Option<FxHashSet<Key>>,
    /// Drop these keys (a source that must be forgotten).
    pub forget: FxHashSet<Key>,
    /// Drop remembered rejections.
    pub rejected: bool,
}

/// Result of pruning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Frames kept.
    pub kept: u64,
    /// Frames dropped, damaged ones included.
    pub dropped: u64,
    /// Bytes before and after.
    pub bytes_before: u64,
    /// See `bytes_before`.
    pub bytes_after: u64,
}

fn named(dir: &Path) -> impl Fn(io::Error) -> CacheError + '_ {
    move |source| CacheError::Io {
        path: dir.to_path_buf(),
        source,
    }
}

fn open_log(dir: &Path) -> io::Result<Option<File>> {
    match File::open(dir.join(LOG_FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// Every frame with its place, the frames that are live, and how the scan ended.
struct Survey {
    frames: Vec<(u64, Header)>,
    live: FxHashMap<Key, u64>,
    scanned: frame::Scanned,
    len: u64,
}

fn survey(file: &File) -> io::Result<Survey> {
    let len = file.metadata()?.len();
    let mut frames = Vec::new();
    let mut live = FxHashMap::default();
    let scanned = frame::scan(file, 0, len, |offset, header| {
        match header.kind {
            Kind::Start => return,
            Kind::Rejected => {
                live.remove(&header.key);
            }
            Kind::Answer | Kind::Embedding => {
                live.insert(header.key, offset);
            }
        }
        frames.push((offset, header));
    })?;
    Ok(Survey {
        frames,
        live,
        scanned,
        len,
    })
}

/// Counts what the cache in `dir` holds, from the headers alone.
///
/// # Errors
/// [`CacheError::Io`] when the log cannot be read; a missing log is an empty cache.
pub fn stats(dir: &Path) -> Result<Stats, CacheError> {
    let Some(file) = open_log(dir).map_err(named(dir))? else {
        return Ok(Stats::default());
    };
    let survey = survey(&file).map_err(named(dir))?;
    let mut stats = Stats {
        bytes: survey.len,
        damaged: survey.scanned.damaged,
        ..Stats::default()
    };
    stats.damaged += u64::from(survey.scanned.end < survey.len);
    for (offset, header) in &survey.frames {
        stats.oldest = Some(stats.oldest.map_or(header.at, |at| at.min(header.at)));
        stats.newest = stats.newest.max(Some(header.at));
        let size = HEADER as u64 + u64::from(header.len);
        match header.kind {
            Kind::Start => {}
            Kind::Rejected => {
                stats.rejected += 1;
                stats.live_bytes += size;
            }
            _ if survey.live.get(&header.key) != Some(offset) => stats.superseded += 1,
            Kind::Answer => {
                stats.answers += 1;
                stats.live_bytes += size;
            }
            Kind::Embedding => {
                stats.embeddings += 1;
                stats.live_bytes += size;
            }
        }
    }
    Ok(stats)
}

fn read_payload(
    reader: &mut BufReader<&File>,
    at: &mut u64,
    offset: u64,
    header: &Header,
) -> io::Result<Vec<u8>> {
    let start = offset + HEADER as u64;
    // frames come in order, so this mostly stays inside the buffer
    reader.seek_relative(
        i64::try_from(start)
            .and_then(|to| i64::try_from(*at).map(|from| to - from))
            .map_err(io::Error::other)?,
    )?;
    let mut payload = vec![0; header.len as usize];
    reader.read_exact(&mut payload)?;
    *at = start + u64::from(header.len);
    Ok(payload)
}

/// Reads every frame and checks it.
///
/// # Errors
/// [`CacheError::Io`] when the log cannot be read.
pub fn verify(dir: &Path) -> Result<Verified, CacheError> {
    let Some(file) = open_log(dir).map_err(named(dir))? else {
        return Ok(Verified::default());
    };
    let check = || -> io::Result<Verified> {
        let survey = survey(&file)?;
        let mut verified = Verified {
            damaged: survey.scanned.damaged,
            torn_tail: survey.scanned.end < survey.len,
            ..Verified::default()
        };
        let mut reader = BufReader::with_capacity(256 << 10, &file);
        reader.seek(SeekFrom::Start(0))?;
        let mut at = 0;
        for (offset, header) in &survey.frames {
            let payload = read_payload(&mut reader, &mut at, *offset, header)?;
            match frame::is_intact(&header.payload_hash, &payload) {
                true => verified.intact += 1,
                false => verified.damaged += 1,
            }
        }
        Ok(verified)
    };
    check().map_err(named(dir))
}

/// Writes the log anew without what the rule drops; the old one stays until the new one is complete.
///
/// # Errors
/// [`CacheError::InUse`] while any process has the cache open.
pub fn prune(dir: &Path, rule: &PruneRule) -> Result<Pruned, CacheError> {
    let Some(file) = open_log(dir).map_err(named(dir))? else {
        return Ok(Pruned::default());
    };
    let in_use = lock_file(dir).map_err(named(dir))?;
    match in_use.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(CacheError::InUse {
                path: dir.to_path_buf(),
            });
        }
        Err(TryLockError::Error(source)) => return Err(named(dir)(source)),
    }
    rewrite(dir, &file, rule).map_err(named(dir))
}

fn rewrite(dir: &Path, file: &File, rule: &PruneRule) -> io::Result<Pruned> {
    let survey = survey(file)?;
    let mut pruned = Pruned {
        bytes_before: survey.len,
        dropped: survey.scanned.damaged,
        ..Pruned::default()
    };
    let temporary = dir.join(format!("{LOG_FILE}.new"));
    let mut out = BufWriter::with_capacity(256 << 10, File::create(&temporary)?);
    let mut bytes = Vec::new();
    let since_epoch = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    frame::encode(
        &mut bytes,
        Kind::Start,
        sidecar::new_generation(since_epoch.as_nanos()),
        0,
        &[],
    );
    out.write_all(&bytes)?;
    let mut reader = BufReader::with_capacity(256 << 10, file);
    reader.seek(SeekFrom::Start(0))?;
    let mut at = 0;
    for (offset, header) in &survey.frames {
        let superseded =
            header.kind != Kind::Rejected && survey.live.get(&header.key) != Some(offset);
        let dropped = superseded
            || (rule.rejected && header.kind == Kind::Rejected)
            || rule.before.is_some_and(|before| header.at < before)
            || rule
                .keep
                .as_ref()
                .is_some_and(|keep| !keep.contains(&header.key))
            || rule.forget.contains(&header.key);
        if !dropped {
            let payload = read_payload(&mut reader, &mut at, *offset, header)?;
            if frame::is_intact(&header.payload_hash, &payload) {
                bytes.clear();
                frame::encode(&mut bytes, header.kind, header.key, header.at, &payload);
                out.write_all(&bytes)?;
                pruned.kept += 1;
                continue;
            }
        }
        pruned.dropped += 1;
    }
    let out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    out.sync_all()?;
    pruned.bytes_after = out.metadata()?.len();
    // first the sidecar: without it the new log is scanned, with it the old log's places would be tried
    sidecar::remove(dir)?;
    std::fs::rename(&temporary, dir.join(LOG_FILE))?;
    if let Ok(folder) = File::open(dir) {
        let _ = folder.sync_all();
    }
    Ok(pruned)
}
