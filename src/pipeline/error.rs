//! What stops an index run as a whole. Trouble with one file, chunk or call does not: it goes into the summary.

use crate::chunk::ChunkError;
use crate::config::{ConfigError, PromptErrors};
use crate::embed::EmbedError;
use crate::input::InputError;
use crate::llm::CallError;
use crate::model::shown::{agreed, counted};
use crate::store::StoreError;

/// An error of the pipeline, by what the caller can do about it.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// Correct `settings.yaml`.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Correct a prompt file.
    #[error(transparent)]
    Prompts(#[from] PromptErrors),
    /// Correct a value in `settings.yaml` that only shows its fault in use.
    #[error("{0}")]
    Settings(String),
    /// Correct `resolution.yaml`.
    #[error(transparent)]
    Decisions(#[from] crate::resolve::decisions::DecisionsError),
    /// Correct the graph that was given.
    #[error("{0}")]
    Given(String),
    /// Correct the `chunking` section.
    #[error(transparent)]
    Chunking(#[from] ChunkError),
    /// Correct the `input` section or the input folder.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Make room or fix permissions.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The model cannot be used (wrong key, model, address), or a cap is reached.
    #[error(transparent)]
    Model(#[from] CallError),
    /// The encoder that is compiled in failed.
    #[error(transparent)]
    Embedding(#[from] EmbedError),
    /// Documents were found, but none could be read.
    #[error("none of the {files} files in the input folder could be read; the first: {first}")]
    NothingRead {
        /// Files tried.
        files: usize,
        /// What happened to the first.
        first: String,
    },
    /// A bug: the tables contradict each other. Nothing was written over the old index.
    #[error("the tables do not fit together ({0}); the old index is untouched, please report this")]
    Integrity(String),
    /// Paid answers wait at the provider.
    #[error(
        "this project has {} in {} at the provider; run `belvedere index --batch` to fetch their answers, or `belvedere batches --forget` to ask and pay again",
        counted(*requests, "request"),
        agreed(*batches, "unfinished batch", "unfinished batches")
    )]
    BatchesOpen {
        /// Batches.
        batches: usize,
        /// Requests in them.
        requests: usize,
    },
    /// The user stopped a run that waited for batches.
    #[error(
        "stopped waiting; the batches go on at the provider, run the same command to fetch their answers"
    )]
    CancelledInBatch,
    /// The user stopped the run.
    #[error("stopped; everything answered so far is kept, run the same command to go on")]
    Cancelled,
}

impl PipelineError {
    /// The process exit code: 2 for what the user must correct, 130 for a stop, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Decisions(_)
            | Self::Config(_)
            | Self::Prompts(_)
            | Self::Settings(_)
            | Self::Embedding(EmbedError::NotCompiledIn)
            | Self::BatchesOpen { .. }
            | Self::Given(_)
            | Self::Chunking(_)
            | Self::NothingRead { .. }
            | Self::Input(_) => 2,
            Self::Cancelled | Self::CancelledInBatch => 130,
            Self::Store(error) => error.exit_code(),
            Self::Model(error) => error.exit_code(),
            Self::Embedding(_) | Self::Integrity(_) => 1,
        }
    }
}
