//! A copy of the index beside the log, so that a large cache opens without a scan.
//!
//! It is only ever a shortcut: it names the log's generation and the stretch it covers, carries a hash, and is ignored
//! when anything does not match.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::super::request::Key;
use super::frame::{self, HEADER, Kind};
use super::index::{Index, Slot};

const FILE: &str = "answers.idx";
const MAGIC: &[u8; 8] = b"BVIDX001";
/// Magic, generation, covered length, embeddings, entries, hash of the covered stretch's last bytes.
const HEAD: usize = 8 + 16 + 8 + 8 + 8 + 16;
/// Key, offset, length, kind.
const ENTRY: usize = 16 + 8 + 4 + 1;

/// A generation for a log started at `nanos`.
pub(super) fn new_generation(nanos: u128) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(&nanos.to_le_bytes())
        .update(&std::process::id().to_le_bytes());
    let mut bytes = [0; 16];
    // invariant: a blake3 hash has 32 bytes
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    Key(u128::from_le_bytes(bytes))
}

fn generation(mut log: &File) -> Option<Key> {
    let mut bytes = [0; HEADER];
    log.seek(SeekFrom::Start(0)).ok()?;
    log.read_exact(&mut bytes).ok()?;
    frame::decode(&bytes).map(|header| header.key)
}

/// Hash of the last bytes before `end`: a log that was cut and grew again differs there.
fn tail_hash(mut log: &File, end: u64) -> Option<[u8; 16]> {
    let len = end.min(256);
    let mut bytes = vec![0; usize::try_from(len).ok()?];
    log.seek(SeekFrom::Start(end - len)).ok()?;
    log.read_exact(&mut bytes).ok()?;
    blake3::hash(&bytes).as_bytes().first_chunk().copied()
}

/// Writes the sidecar for `index`, which covers the log up to `covered`.
pub(super) fn save(dir: &Path, log: &File, index: &Index, covered: u64) -> io::Result<()> {
    let (Some(generation), Some(tail)) = (generation(log), tail_hash(log, covered)) else {
        return Ok(());
    };
    let count = index.len() + index.rejected_len();
    let mut bytes = Vec::with_capacity(HEAD + count * ENTRY + 32);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&generation.0.to_le_bytes());
    bytes.extend_from_slice(&covered.to_le_bytes());
    bytes.extend_from_slice(&index.embeddings.to_le_bytes());
    bytes.extend_from_slice(&(count as u64).to_le_bytes());
    bytes.extend_from_slice(&tail);
    let mut rejected: Vec<_> = index.all_rejected().collect();
    // rejections in the log's order, answers after those that they outlived
    rejected.sort_by_key(|(_, slot)| slot.offset);
    let rejected = rejected.into_iter().map(|entry| (entry, Kind::Rejected));
    for ((key, slot), kind) in rejected.chain(index.live().map(|entry| (entry, Kind::Answer))) {
        bytes.extend_from_slice(&key.0.to_le_bytes());
        bytes.extend_from_slice(&slot.offset.to_le_bytes());
        bytes.extend_from_slice(&slot.len.to_le_bytes());
        bytes.push(kind as u8);
    }
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    let temporary = dir.join(format!("{FILE}.{}.tmp", std::process::id()));
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(&bytes))
        .and_then(|()| std::fs::rename(&temporary, dir.join(FILE)));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn read_u128(bytes: &[u8], at: usize) -> Option<u128> {
    Some(u128::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Reads the sidecar if it belongs to this log: its index and the stretch of the log it covers.
pub(super) fn load(dir: &Path, log: &File, log_len: u64) -> Option<(Index, u64)> {
    let bytes = std::fs::read(dir.join(FILE)).ok()?;
    let (body, hash) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
    if !body.starts_with(MAGIC) || blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let covered = read_u64(body, 24)?;
    if Key(read_u128(body, 8)?) != generation(log)?
        || covered > log_len
        || tail_hash(log, covered)? != *body.get(48..)?.first_chunk()?
    {
        return None;
    }
    let entries = body.get(HEAD..)?;
    if entries.len() as u64 != read_u64(body, 40)?.checked_mul(ENTRY as u64)? {
        return None;
    }
    let mut index = Index::default();
    index.reserve(entries.len() / ENTRY);
    for entry in entries.chunks_exact(ENTRY) {
        let slot = Slot {
            offset: read_u64(entry, 16)?,
            len: u32::from_le_bytes(*entry.get(24..)?.first_chunk()?),
        };
        let kind = if entry.last() == Some(&(Kind::Rejected as u8)) {
            Kind::Rejected
        } else {
            Kind::Answer
        };
        index.add(kind, Key(read_u128(entry, 0)?), slot);
    }
    index.embeddings = read_u64(body, 32)?;
    Some((index, covered))
}

/// Removes the sidecar of a log that is about to be replaced.
pub(super) fn remove(dir: &Path) -> io::Result<()> {
    match std::fs::remove_file(dir.join(FILE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
