//! A project folder: its settings, prompts and places.

use std::path::{Path, PathBuf};

use crate::chunk::{ChunkKind, ChunkSettings, Tokenizer};
use crate::config::{self, ChunkType, Loaded, Prompts, Settings};
use crate::input::{InputKind, InputSettings};

use super::error::PipelineError;

/// Everything a command needs to know before it starts.
pub struct Project {
    /// The checked settings.
    pub settings: Settings,
    /// The checked prompts.
    pub prompts: Prompts,
    /// What the user should know about the settings, one line each.
    pub notes: Vec<String>,
    /// The project folder.
    pub root: PathBuf,
}

impl Project {
    /// Reads `settings.yaml` and the prompts of a project folder; both may be absent.
    ///
    /// # Errors
    /// Whatever is wrong with either, in full.
    pub fn open(root: &Path) -> Result<Self, PipelineError> {
        let Loaded {
            settings,
            root,
            notes,
            ..
        } = config::load(root, &|name| std::env::var(name).ok())?;
        let prompts = Prompts::load(&settings, &root)?;
        Ok(Self {
            settings,
            prompts,
            notes,
            root,
        })
    }

    /// Where documents are read from.
    pub fn input_dir(&self) -> PathBuf {
        self.below_root(&self.settings.input_storage.base_dir)
    }

    /// Where tables are written.
    pub fn output_dir(&self) -> PathBuf {
        self.below_root(&self.settings.output_storage.base_dir)
    }

    fn below_root(&self, path: &Path) -> PathBuf {
        match self.root == Path::new(".") {
            true => path.to_owned(),
            false => self.root.join(path),
        }
    }

    /// Where model answers are kept.
    pub fn cache_dir(&self) -> PathBuf {
        self.below_root(&self.settings.cache.storage.base_dir)
    }

    /// Where is written down what is at the provider in batches: beside the answers, or with the tables where those are not kept.
    pub fn batch_dir(&self) -> PathBuf {
        match self.settings.cache.is_durable() {
            true => self.cache_dir().join("batches"),
            false => self.output_dir().join("batches"),
        }
    }

    /// The `input` section in the reader's terms.
    pub fn input_settings(&self) -> Result<InputSettings, PipelineError> {
        let input = &self.settings.input;
        let kind: InputKind = input.kind.as_str().parse()?;
        let file_pattern = match &input.file_pattern {
            Some(pattern) => Some(regex::Regex::new(pattern).map_err(|error| {
                PipelineError::Settings(format!(
                    "input.file_pattern '{pattern}' is not a regular expression: {error}; correct it in settings.yaml"
                ))
            })?),
            None => None,
        };
        let storage_encoding = &self.settings.input_storage.encoding;
        Ok(InputSettings {
            kind,
            encoding: input.encoding.clone().or_else(|| storage_encoding.clone()),
            file_pattern,
            id_column: input.id_column.clone(),
            title_column: input.title_column.clone(),
            text_column: input.text_column.clone(),
        })
    }

    /// The `chunking` section in the splitter's terms, with its tokenizer.
    pub fn chunk_settings(&self) -> Result<(ChunkSettings, Tokenizer), PipelineError> {
        let chunking = &self.settings.chunking;
        let settings = ChunkSettings {
            kind: match chunking.kind {
                ChunkType::Tokens => ChunkKind::Tokens,
                ChunkType::Sentence => ChunkKind::Sentence,
            },
            size: chunking.size as usize,
            overlap: chunking.overlap as usize,
            encoding: chunking.encoding_model.as_str().to_owned(),
            prepend_metadata: chunking.prepend_metadata.clone().unwrap_or_default(),
        };
        let tokenizer = settings.validate()?;
        Ok((settings, tokenizer))
    }
}
