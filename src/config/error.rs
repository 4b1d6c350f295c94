use std::fmt;
use std::path::{Path, PathBuf};

use crate::model::shown::counted;

/// Why the settings could not be used. Every message says where, what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The project folder is not there.
    #[error("project folder {} does not exist; create it with `belvedere init --root {}`", .path.display(), .path.display())]
    NoSuchFolder {
        /// The folder that was asked for.
        path: PathBuf,
    },
    /// A file exists but could not be read.
    #[error("{}: {source}; check that the file can be read", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file's bytes are not text, or far too much of it.
    #[error("{}: {message}", .path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// What was found and what to do.
        message: String,
    },
    /// The file is not YAML. Nothing could be read from it, so this is the only problem named.
    #[error("{}:{line}:{column}: {message}", .path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// What is wrong and what to do.
        message: String,
    },
    /// The file is YAML, but not settings. Holds every problem found, in the order of the file.
    #[error("{}", list(path, problems))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The problems; never empty.
        problems: Vec<Problem>,
    },
}

/// One thing wrong with one key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// The key's path, such as `chunking.overlap`; empty for the file as a whole.
    pub key: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

/// More problems than anyone corrects at once.
const LISTED: usize = 50;

fn list(path: &Path, problems: &[Problem]) -> String {
    let shown = problems.iter().take(LISTED);
    let mut lines: Vec<String> = shown
        .map(|problem| format!("{}:{problem}", path.display()))
        .collect();
    if problems.len() > LISTED {
        lines.push(format!(
            "{}: and {}",
            path.display(),
            counted(problems.len() - LISTED, "more problem")
        ));
    }
    lines.join("\n")
}
