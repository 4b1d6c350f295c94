//! Files that an option names to be written: checked before anything is paid for.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::query::QueryError;

/// Finds out whether `option`'s file can be written. What it holds stays, and a file that is not there is not left behind.
///
/// # Errors
/// `Settings` says why not.
pub(super) fn check(option: &str, path: &Path) -> Result<(), QueryError> {
    try_write(path).map_err(|why| {
        QueryError::Settings(format!(
            "{option} {} cannot be written: {why}; name a file in a folder that is there and can be written",
            path.display()
        ))
    })
}

fn try_write(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(found) if found.is_file() => OpenOptions::new().write(true).open(path).map(drop),
        // Opening a pipe waits for its reader, who may come later.
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            match OpenOptions::new().write(true).create_new(true).open(path) {
                Ok(_) => std::fs::remove_file(path),
                // A link to a file that is not there yet.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
                Err(error) => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_leaves_everything_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.html");
        check("--html", &file).unwrap();
        assert!(!file.exists());
        std::fs::write(&file, "old").unwrap();
        check("--html", &file).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
        for wrong in [
            folder.path().to_owned(),
            file.join("b"),
            folder.path().join("no/b"),
        ] {
            let error = check("--html", &wrong).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().starts_with("--html "), "{error}");
        }
    }
}
