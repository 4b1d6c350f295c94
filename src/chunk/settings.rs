//! How documents are cut: the `chunking` section, checked.

use std::str::FromStr;

use thiserror::Error;

use super::tokenizer::Tokenizer;

/// What a text unit is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkKind {
    /// Windows of `size` tokens, each starting `size - overlap` tokens after the one before.
    Tokens,
    /// Whole sentences, packed up to `size` tokens.
    Sentence,
}

impl FromStr for ChunkKind {
    type Err = ChunkError;

    fn from_str(text: &str) -> Result<Self, ChunkError> {
        match text {
            "tokens" => Ok(Self::Tokens),
            "sentence" => Ok(Self::Sentence),
            other => Err(ChunkError::UnknownKind(other.to_owned())),
        }
    }
}

/// The `chunking` section of the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkSettings {
    /// `chunking.type`.
    pub kind: ChunkKind,
    /// `chunking.size`: tokens of a text unit, metadata lines not counted.
    pub size: usize,
    /// `chunking.overlap`: tokens that two neighbouring text units share; below `size`.
    pub overlap: usize,
    /// `chunking.encoding_model`: the name of the token encoding.
    pub encoding: String,
    /// `chunking.prepend_metadata`: each key that the document has becomes a line `key: value.` before the text.
    pub prepend_metadata: Vec<String>,
}

impl Default for ChunkSettings {
    fn default() -> Self {
        Self {
            kind: ChunkKind::Tokens,
            size: 1200,
            overlap: 100,
            encoding: Tokenizer::DEFAULT.to_owned(),
            prepend_metadata: Vec::new(),
        }
    }
}

impl ChunkSettings {
    /// Checks the section and hands out its tokenizer.
    ///
    /// # Errors
    /// A size of zero, an overlap that is not below the size, an unknown encoding.
    pub fn validate(&self) -> Result<Tokenizer, ChunkError> {
        if self.size == 0 {
            return Err(ChunkError::ZeroSize);
        }
        if self.overlap >= self.size {
            return Err(ChunkError::OverlapNotBelowSize {
                overlap: self.overlap,
                size: self.size,
            });
        }
        Tokenizer::named(&self.encoding)
    }
}

/// A `chunking` section that cannot be used; each is for the user to correct in `settings.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChunkError {
    /// No window would ever move on.
    #[error(
        "chunking.overlap ({overlap}) is not below chunking.size ({size}): lower the overlap or raise the size"
    )]
    OverlapNotBelowSize {
        /// `chunking.overlap`.
        overlap: usize,
        /// `chunking.size`.
        size: usize,
    },
    /// A text unit of nothing.
    #[error("chunking.size is 0: set it to the tokens of a text unit, for example 1200")]
    ZeroSize,
    /// `chunking.type` names no splitter.
    #[error("chunking.type '{0}' is unknown: use 'tokens' or 'sentence'")]
    UnknownKind(String),
    /// `chunking.encoding_model` names no encoding we carry.
    #[error("chunking.encoding_model '{name}' is unknown: use {}", Tokenizer::SUPPORTED.join(" or "))]
    UnknownEncoding {
        /// What was asked for.
        name: String,
    },
}
