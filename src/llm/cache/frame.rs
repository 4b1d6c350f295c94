//! The frames of the answer log.
//!
//! ```text
//! magic 4 | length 4 | kind 1, zero 3 | unix seconds 4 | key 16 | payload hash 16 | header hash 8 | payload
//! ```
//! Little-endian. The header's own hash lets a scan skip payloads safely and find the next frame after damage; the
//! payload's hash is checked whenever it is read. Logs of two machines merge by concatenation.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::super::request::Key;

/// Bytes before the payload.
pub(super) const HEADER: usize = 56;
const MAGIC: [u8; 4] = *b"BVA1";
/// Longest payload; a longer one is damage.
pub(super) const MAX_PAYLOAD: usize = 1 << 28;

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// First frame of a log; its key is the log's generation.
    Start = 0,
    /// A validated answer.
    Answer = 1,
    /// An answer that was received and could not be used: remembered so that the same request is not sent again.
    Rejected = 2,
    /// One embedded text.
    Embedding = 3,
}

impl Kind {
    fn read(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Self::Start,
            1 => Self::Answer,
            2 => Self::Rejected,
            3 => Self::Embedding,
            _ => return None,
        })
    }
}

/// A frame's header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Header {
    pub kind: Kind,
    pub len: u32,
    /// Unix seconds.
    pub at: u32,
    pub key: Key,
    pub payload_hash: [u8; 16],
}

fn short_hash<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    // invariant: N is 8 or 16, a blake3 hash has 32 bytes
    out.copy_from_slice(&blake3::hash(bytes).as_bytes()[..N]);
    out
}

/// Whether a payload is the one its header was written for.
pub(super) fn is_intact(header_hash: &[u8; 16], payload: &[u8]) -> bool {
    short_hash::<16>(payload) == *header_hash
}

/// Appends a frame to `out`.
pub(super) fn encode(out: &mut Vec<u8>, kind: Kind, key: Key, at: u32, payload: &[u8]) {
    let start = out.len();
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(
        &u32::try_from(payload.len())
            .unwrap_or(u32::MAX)
            .to_le_bytes(),
    );
    out.extend_from_slice(&[kind as u8, 0, 0, 0]);
    out.extend_from_slice(&at.to_le_bytes());
    out.extend_from_slice(&key.0.to_le_bytes());
    out.extend_from_slice(&short_hash::<16>(payload));
    let check = short_hash::<8>(&out[start..]);
    out.extend_from_slice(&check);
    out.extend_from_slice(payload);
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    // invariant: callers pass a header of HEADER bytes and offsets inside it
    out.copy_from_slice(&bytes[at..at + N]);
    out
}

/// Reads a header; `None` when it is damaged.
pub(super) fn decode(bytes: &[u8; HEADER]) -> Option<Header> {
    if bytes[..4] != MAGIC || short_hash::<8>(&bytes[..48]) != bytes[48..] {
        return None;
    }
    let len = u32::from_le_bytes(array(bytes, 4));
    if len as usize > MAX_PAYLOAD {
        return None;
    }
    Some(Header {
        kind: Kind::read(bytes[8])?,
        len,
        at: u32::from_le_bytes(array(bytes, 12)),
        key: Key(u128::from_le_bytes(array(bytes, 16))),
        payload_hash: array(bytes, 32),
    })
}

/// Where a scan ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Scanned {
    /// End of the last whole frame.
    pub end: u64,
    /// Damaged stretches skipped between whole frames.
    pub damaged: u64,
}

/// Calls `on_frame(offset of the header, header)` for every whole frame in `from..to`.
pub(super) fn scan<R: Read + Seek>(
    file: R,
    from: u64,
    to: u64,
    mut on_frame: impl FnMut(u64, Header),
) -> io::Result<Scanned> {
    let mut reader = BufReader::with_capacity(256 << 10, file);
    reader.seek(SeekFrom::Start(from))?;
    let mut at = from;
    let mut scanned = Scanned {
        end: from,
        damaged: 0,
    };
    while at + HEADER as u64 <= to {
        let mut bytes = [0; HEADER];
        reader.read_exact(&mut bytes)?;
        let whole =
            decode(&bytes).filter(|header| at + HEADER as u64 + u64::from(header.len) <= to);
        match whole {
            Some(header) => {
                on_frame(at, header);
                at += HEADER as u64 + u64::from(header.len);
                scanned.end = at;
                reader.seek_relative(i64::from(header.len))?;
            }
            None => match next_frame(&mut reader, at + 1, to)? {
                Some(found) => {
                    scanned.damaged += 1;
                    at = found;
                    reader.seek(SeekFrom::Start(at))?;
                }
                None => break,
            },
        }
    }
    Ok(scanned)
}

/// The offset of the next whole frame at or after `from`.
fn next_frame<R: Read + Seek>(reader: &mut R, from: u64, to: u64) -> io::Result<Option<u64>> {
    const STEP: usize = 64 << 10;
    let mut base = from;
    while base + HEADER as u64 <= to {
        let len = usize::try_from(to - base).unwrap_or(usize::MAX).min(STEP);
        let mut chunk = vec![0; len];
        reader.seek(SeekFrom::Start(base))?;
        reader.read_exact(&mut chunk)?;
        for at in 0..=len.saturating_sub(HEADER) {
            // invariant: at + HEADER <= len, since len >= HEADER here
            let window = &chunk[at..at + HEADER];
            if window[..4] != MAGIC {
                continue;
            }
            let offset = base + at as u64;
            if decode(&array(window, 0))
                .is_some_and(|header| offset + HEADER as u64 + u64::from(header.len) <= to)
            {
                return Ok(Some(offset));
            }
        }
        // the windows of the next chunk begin where this one's ended
        base += (len - HEADER + 1) as u64;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn log(payloads: &[&[u8]]) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for (n, payload) in payloads.iter().enumerate() {
            encode(&mut bytes, Kind::Answer, Key(n as u128), 7, payload);
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    fn keys(bytes: &[u8]) -> (Vec<u128>, Scanned) {
        let mut keys = Vec::new();
        let scanned = scan(Cursor::new(bytes), 0, bytes.len() as u64, |_, header| {
            keys.push(header.key.0)
        })
        .unwrap();
        (keys, scanned)
    }

    #[test]
    fn a_cut_at_every_byte_of_the_last_frame_loses_only_it() {
        let (bytes, ends) = log(&[b"one", b"", b"three and more"]);
        for cut in ends[1]..bytes.len() {
            let (found, scanned) = keys(&bytes[..cut]);
            assert_eq!(found, [0, 1], "cut at {cut}");
            assert_eq!(
                scanned,
                Scanned {
                    end: ends[1] as u64,
                    damaged: 0
                }
            );
        }
        assert_eq!(keys(&bytes).0, [0, 1, 2]);
    }

    #[test]
    fn a_damaged_header_costs_one_frame_wherever_it_is_hit() {
        let (bytes, ends) = log(&[b"one", b"two", b"three"]);
        for at in ends[0]..ends[0] + HEADER {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let (found, scanned) = keys(&damaged);
            assert_eq!(found, [0, 2], "byte {at}");
            assert_eq!(scanned.damaged, 1);
        }
    }

    #[test]
    fn damage_longer_than_a_search_step_is_crossed() {
        let (mut bytes, _) = log(&[b"one"]);
        bytes.extend(std::iter::repeat_n(b'B', 200_000));
        let (more, _) = log(&[b"two"]);
        bytes.extend(more);
        assert_eq!(keys(&bytes).0, [0, 0]);
    }

    #[test]
    fn a_payload_is_checked() {
        let (bytes, _) = log(&[b"payload"]);
        let header = decode(&array(&bytes, 0)).unwrap();
        assert!(is_intact(&header.payload_hash, b"payload"));
        assert!(!is_intact(&header.payload_hash, b"paylaod"));
    }
}
