//! What can go wrong between a table and its file.

use std::path::{Path, PathBuf};

/// An error of the store, by what the caller can do about it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system refused: free space, fix rights, choose another folder.
    #[error("cannot {action} {}: {source}; free space or fix the permissions, then run the same command again", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// A table that is needed is not there: index first, or point at the right folder.
    #[error("{} is missing; run `belvedere index`; tables elsewhere are named with `--data FOLDER`", path.display())]
    Missing {
        /// The expected file.
        path: PathBuf,
    },
    /// The file is not what it was written as: index again.
    #[error("{} is damaged ({why}); restore it or run `belvedere index --force`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reader's words.
        why: String,
    },
    /// The index's own description is not readable: index again.
    #[error("{} is damaged ({why}); {}", path.display(), super::manifest::Manifest::remedy(None))]
    DamagedManifest {
        /// The file.
        path: PathBuf,
        /// The reader's words.
        why: String,
    },
    /// A column is missing or of another type.
    #[error("{}: column `{column}` {problem}; is this a GraphRAG table of version 1 or later?", path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The index was being written when the process ended.
    #[error("the index in {} is half built; run `belvedere index` again to finish it", path.display())]
    HalfBuilt {
        /// The output folder.
        path: PathBuf,
    },
    /// The file that makes searching fast is not as it was written.
    #[error("{} is damaged ({what}); ask again and it is made anew, or remove it", path.display())]
    SearchFile {
        /// The file.
        path: PathBuf,
        /// The part that is damaged.
        what: String,
    },
    /// Another process is writing the index.
    #[error("{} is being indexed by another process; wait for it to end, or stop it", path.display())]
    Locked {
        /// The output folder.
        path: PathBuf,
    },
}

impl StoreError {
    /// The process exit code: 2 where another folder or an index run is wanted first, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Missing { .. }
            | Self::Column { .. }
            | Self::HalfBuilt { .. }
            | Self::DamagedManifest { .. } => 2,
            Self::Io { .. }
            | Self::Damaged { .. }
            | Self::SearchFile { .. }
            | Self::Locked { .. } => 1,
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        // No space and no permission mends a file that was cut.
        if source.kind() == std::io::ErrorKind::UnexpectedEof {
            return Self::damaged(path, "it ends before its content does");
        }
        Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn damaged(path: &Path, why: impl ToString) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }

    pub(crate) fn column(path: &Path, column: &str, problem: impl Into<String>) -> Self {
        Self::Column {
            path: path.to_owned(),
            column: column.to_owned(),
            problem: problem.into(),
        }
    }
}
