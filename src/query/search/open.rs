//! Opens the search file of an index, or makes it where there is none.

use std::fs::{self, File};
use std::path::Path;

use super::{FILE, Search, key, write};
use crate::query::error::QueryError;
use crate::store::{StoreError, TableReader};

/// Text of an index, in bytes, below which reading all of it for a question is as fast as looking words up.
const SMALL: u64 = 4 << 20;

/// What happens while a search file is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Building<'a> {
    /// It is begun, in this folder.
    Begun(&'a Path),
    /// Another process makes it; this one waits.
    Waits,
    /// The share that is done.
    Done(f64),
}

/// The search file of the tables in `folder`. One that is missing, cut, foreign or of another state of the tables is made, unless the
/// index is small; `tell` is told so. Where it cannot be kept there is none, and the second value says why.
pub fn open_or_build(
    folder: &Path,
    fingerprint: Option<&str>,
    tell: &(dyn Fn(Building<'_>) + Sync),
) -> (Option<Search>, Option<String>) {
    let path = folder.join(FILE);
    let state = key(folder, fingerprint);
    if let Some(search) = Search::open(&path, &state) {
        return (Some(search), None);
    }
    if is_small(folder) {
        return (None, None);
    }
    match build(folder, fingerprint, &state, tell) {
        Ok(search) => (search, None),
        // A table that cannot be read is reported by whatever needs it.
        Err(error) => {
            let note = format!(
                "every question reads all texts, as {FILE} could not be kept beside the tables: {error}"
            );
            (None, Some(note))
        }
    }
}

/// Leaves the search file as the tables in `folder` want it: whole where the index is not small, else none. The second value of
/// [`open_or_build`] is given back.
pub fn renew(
    folder: &Path,
    fingerprint: &str,
    tell: &(dyn Fn(Building<'_>) + Sync),
) -> Option<String> {
    let (search, note) = open_or_build(folder, Some(fingerprint), tell);
    if search.is_none() && is_small(folder) {
        // Absent already, in the usual case.
        let _ = fs::remove_file(folder.join(FILE));
    }
    note
}

/// Whether the index in `folder` goes without a search file.
pub fn is_small(folder: &Path) -> bool {
    let bytes = |table: &str, column: &str| {
        TableReader::open(folder, table).map_or(0, |table| table.column_bytes(column))
    };
    bytes("text_units", "text") + bytes("entities", "description") < SMALL
}

pub(super) fn build(
    folder: &Path,
    fingerprint: Option<&str>,
    state: &str,
    tell: &(dyn Fn(Building<'_>) + Sync),
) -> Result<Option<Search>, QueryError> {
    let path = folder.join(FILE);
    // One process at a time; the system releases the lock when this one ends, however it ends.
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join(".search.lock"))
        .map_err(|error| refused(folder, error))?;
    if fs4::FileExt::try_lock(&lock).is_err() {
        tell(Building::Waits);
        fs4::FileExt::lock(&lock).map_err(|error| refused(folder, error))?;
    }
    if let Some(search) = Search::open(&path, state) {
        return Ok(Some(search));
    }
    tell(Building::Begun(folder));
    let temporary = folder.join(".search.tmp");
    let made = write(folder, &temporary, state, &|share| {
        tell(Building::Done(share))
    })
    .and_then(|()| {
        // Tables that were replaced meanwhile have another state, which the next question will see.
        if key(folder, fingerprint) != state {
            let _ = fs::remove_file(&temporary);
            return Ok(());
        }
        fs::rename(&temporary, &path).map_err(|error| refused(folder, error))
    });
    if let Err(error) = made {
        // The error already says what failed.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    Ok(Search::open(&path, state))
}

fn refused(folder: &Path, source: std::io::Error) -> QueryError {
    let path = folder.to_owned();
    StoreError::Io {
        action: "write into",
        path,
        source,
    }
    .into()
}
