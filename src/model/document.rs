//! Documents and the text units cut from them.

use serde_json::{Map, Value};

use super::ids::{DocumentId, DocumentIx, IdHasher, TextUnitId};

/// One input document, whole text included.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// From the relative path (with the row number for row files) and the text.
    pub id: DocumentId,
    /// What people call it: a title column, or the file name.
    pub title: String,
    /// Path below the input folder with `/` separators; `path#row` for row files. Lossy where the name is not Unicode.
    pub path: String,
    /// The decoded text, line ends as in the file.
    pub text: String,
    /// ISO 8601 date of the file or of the row, when known.
    pub creation_date: Option<String>,
    /// The row's other columns (CSV, JSON), or front matter; `None` for plain text.
    pub metadata: Option<Map<String, Value>>,
}

impl Document {
    /// Derives the id from the exact bytes of the relative path and the text.
    pub fn derive_id(path: &[u8], text: &str) -> DocumentId {
        let mut hasher = IdHasher::new("document");
        hasher.part(path).part(text.as_bytes());
        DocumentId(hasher.finish())
    }
}

/// A piece of a document: the unit of extraction and of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextUnit {
    /// From the document, the span and the text.
    pub id: TextUnitId,
    /// The document it was cut from.
    pub document: DocumentIx,
    /// The text as handed to a model; with `prepend_metadata` it starts with lines that are not in the document.
    pub text: String,
    /// Tokens of `text` in the chunking encoding.
    pub n_tokens: u32,
    /// Start in the document's text, in Unicode scalar values.
    pub char_start: u64,
    /// End (exclusive) in the document's text, in Unicode scalar values.
    pub char_end: u64,
}

impl TextUnit {
    /// Derives the id from the document, the span and the text.
    pub fn derive_id(document: DocumentId, start: u64, end: u64, text: &str) -> TextUnitId {
        let mut hasher = IdHasher::new("text_unit");
        hasher
            .part(&document.0.to_be_bytes())
            .number(start)
            .number(end)
            .part(text.as_bytes());
        TextUnitId(hasher.finish())
    }
}
