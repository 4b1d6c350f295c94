//! Why a question got no answer, by what the asker can do about it.

use std::path::PathBuf;

use crate::llm::CallError;
use crate::store::StoreError;

/// An error of a query.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// Ask something.
    #[error(
        "the question is empty; give it in quotes, as in `belvedere query \"What are the main themes?\"`"
    )]
    EmptyQuestion,
    /// Choose a level that exists.
    #[error("there is no community level {asked}; this index has {}", levels(.known))]
    UnknownLevel {
        /// The level asked for.
        asked: u32,
        /// The levels there are, ascending.
        known: Vec<u32>,
    },
    /// Name a model, or ask in a way that needs none.
    #[error(
        "{what} needs a completion model and settings.yaml names none as {model}; name one under completion_models (settings.yaml has examples), or {instead}"
    )]
    NeedsModel {
        /// What was asked for.
        what: &'static str,
        /// The settings' id of the model.
        model: String,
        /// What goes without one.
        instead: &'static str,
    },
    /// Restrict to something that is there.
    #[error("{0}")]
    Filter(String),
    /// Correct the settings, a prompt file or the command line.
    #[error("{0}")]
    Settings(String),
    /// The tables are missing, damaged or half built.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is nothing to search: index documents first.
    #[error("the index in {} has no {what}; put documents into the input folder and run `belvedere index`", path.display())]
    EmptyIndex {
        /// The folder of the tables.
        path: PathBuf,
        /// What it has none of.
        what: &'static str,
    },
    /// The vectors were made by another model than the one that would embed the question.
    #[error(
        "{} holds vectors of {stored_dimension} numbers made by {stored_model}, but the question would be embedded by {model} ({}); name the same model in settings.yaml, or index again",
        path.display(),
        .dimension.map_or_else(|| "of unknown length".to_owned(), |n| format!("{n} numbers"))
    )]
    WrongVectors {
        /// The vectors.
        path: PathBuf,
        /// The model that made them.
        stored_model: String,
        /// Numbers of a stored vector.
        stored_dimension: usize,
        /// The model at hand.
        model: String,
        /// Numbers of its vectors, when known beforehand.
        dimension: Option<usize>,
    },
    /// The model gave nothing.
    #[error("{0}")]
    Model(#[from] CallError),
    /// Every call of the map step failed.
    #[error(
        "{}: {first}",
        match calls {
            1 => "the one call that read the reports failed".to_owned(),
            calls => format!("all {calls} calls that read the reports failed, the first"),
        }
    )]
    AllCallsFailed {
        /// Calls made.
        calls: usize,
        /// The first failure.
        first: CallError,
    },
    /// The encoder that is compiled in failed.
    #[error(
        "the question could not be embedded: {0}; ask with basic search, or index again without vectors"
    )]
    Encoder(String),
    /// The answer is there, but lacks something.
    #[error("the answer is incomplete: {0}")]
    Incomplete(String),
    /// The answer is there, its conversation's file has it not.
    #[error("the turn was not kept: {0}")]
    Session(String),
    /// The answer could not be printed or serialised.
    #[error("the answer could not be written: {0}")]
    Output(String),
}

fn levels(known: &[u32]) -> String {
    match known {
        [] => "no communities".to_owned(),
        [one] => format!("only level {one}"),
        known => {
            let words: Vec<String> = known.iter().map(u32::to_string).collect();
            format!("levels {}", words.join(", "))
        }
    }
}

impl QueryError {
    /// Whether no model was reached at all, so that asking on is pointless.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Model(CallError::Unreachable { .. }))
    }

    /// The process exit code: 2 for what the asker must correct, 3 for an answer that was not kept, 130 for a stop, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::EmptyQuestion
            | Self::UnknownLevel { .. }
            | Self::Settings(_)
            | Self::NeedsModel { .. }
            | Self::Filter(_)
            | Self::EmptyIndex { .. }
            | Self::WrongVectors { .. } => 2,
            Self::Store(error) => error.exit_code(),
            Self::Model(error) | Self::AllCallsFailed { first: error, .. } => error.exit_code(),
            Self::Session(_) | Self::Incomplete(_) => 3,
            Self::Encoder(_) | Self::Output(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_level_names_those_there_are() {
        let error = QueryError::UnknownLevel {
            asked: 9,
            known: vec![0, 1, 2],
        };
        assert_eq!(
            error.to_string(),
            "there is no community level 9; this index has levels 0, 1, 2"
        );
        assert_eq!(error.exit_code(), 2);
        let error = QueryError::UnknownLevel {
            asked: 9,
            known: vec![0],
        };
        assert!(error.to_string().ends_with("this index has only level 0"));
    }
}
