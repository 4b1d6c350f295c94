//! Which state of the tables, and which way of reading words, a search file is made for.

use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::query::lexical;
use crate::store::TABLES;

/// Grows with every change of what the file holds.
const FORMAT: u32 = 1;

/// Words of many forms: what they hash to tells whether this build still reads words as the file's maker did.
const SAMPLE: &str =
    "The O'Brien reports: Osei's 12 policies, valves exercising, didn’t stop in Zürich 水厂.";

/// Names the state of the tables in `folder`: by the index's fingerprint and their sizes, or, where it has none, by their sizes and
/// times.
pub fn key(folder: &Path, fingerprint: Option<&str>) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&FORMAT.to_le_bytes());
    lexical::words(SAMPLE, |word| {
        hasher.update(&word.term.to_le_bytes());
        hasher.update(&word.exact.to_le_bytes());
        hasher.update(&[u8::from(word.stop)]);
    });
    hasher.update(fingerprint.unwrap_or_default().as_bytes());
    for name in TABLES {
        let data = std::fs::metadata(folder.join(format!("{name}.parquet"))).ok();
        hasher.update(name.as_bytes());
        hasher.update(&data.as_ref().map_or(0, |data| data.len()).to_le_bytes());
        if fingerprint.is_none() {
            let time = data.and_then(|data| data.modified().ok());
            let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            hasher.update(&time.map_or(0, |time| time.as_nanos()).to_le_bytes());
        }
    }
    hasher.finalize().to_hex().to_string()
}
