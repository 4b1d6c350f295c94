//! A conversation kept in a file: JSONL, a turn a line.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::target;
use crate::query::{QueryError, Turn};

/// Turns so far, and the file they are kept in.
#[derive(Debug, Default)]
pub(super) struct Session {
    path: Option<PathBuf>,
    pub turns: Vec<Turn>,
}

impl Session {
    /// Reads the turns of a session; a file that is not there yet is begun with the first turn.
    ///
    /// # Errors
    /// What is no file, cannot be read or could not be written later, or a line that is no turn.
    pub fn open(path: Option<&Path>) -> Result<Self, QueryError> {
        let Some(path) = path else {
            return Ok(Self::default());
        };
        let wrong = |why: String| {
            QueryError::Settings(format!(
                "--session {}: {why}; name another file, or correct this one",
                path.display()
            ))
        };
        // Of a device or a pipe there may be no end.
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(wrong("it is not a file".to_owned()));
        }
        target::check("--session", path)?;
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(wrong(error.to_string())),
        };
        let mut turns = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if !line.trim().is_empty() {
                let turn = serde_json::from_str(line)
                    .map_err(|error| wrong(format!("line {} is no turn: {error}", number + 1)))?;
                turns.push(turn);
            }
        }
        Ok(Self {
            path: Some(path.to_owned()),
            turns,
        })
    }

    /// Adds a turn, to the file as well.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn push(&mut self, question: &str, answer: &str) -> Result<(), QueryError> {
        let turn = Turn {
            question: question.to_owned(),
            answer: answer.to_owned(),
        };
        let line = serde_json::to_string(&turn);
        // Kept in mind even where the file is lost.
        self.turns.push(turn);
        let Some(path) = &self.path else {
            return Ok(());
        };
        let line = line.map_err(|error| QueryError::Session(error.to_string()))?;
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
            .map_err(|error| QueryError::Session(format!("--session {}: {error}", path.display())))
    }
}
