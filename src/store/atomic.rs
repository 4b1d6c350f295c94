//! Whole files or none: temporary file, sync, rename, sync of the folder.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::error::StoreError;

/// Replaces `path` by `bytes` so that a reader sees the old file or the new one, whatever happens.
///
/// # Errors
/// `StoreError::Io` when the file system refuses; the old file is then untouched.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".tmp");
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    if let Err(source) = written {
        // The error already says what failed; a leftover temporary file is overwritten next time.
        let _ = fs::remove_file(&temporary);
        return Err(StoreError::io("write", path, source));
    }
    sync_folder_of(path)
}

/// Makes a rename in the folder of `path` durable.
pub(crate) fn sync_folder_of(path: &Path) -> Result<(), StoreError> {
    // Windows has no handle on a folder to sync; there the rename itself is journaled.
    if cfg!(unix) {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        File::open(folder)
            .and_then(|handle| handle.sync_all())
            .map_err(|source| StoreError::io("sync", folder, source))?;
    }
    Ok(())
}
