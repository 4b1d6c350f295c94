//! Byte ranges of a document -> text units with character spans.

use std::ops::Range;

use serde_json::Value;

use super::tokenizer::Tokenizer;
use crate::model::{Document, DocumentIx, TextUnit};

/// Writes the units of one document; ranges must come with their starts and their ends in ascending order.
pub(super) struct UnitWriter<'a> {
    document: &'a Document,
    ix: DocumentIx,
    header: String,
    tokenizer: Tokenizer,
    starts: CharCounter<'a>,
    ends: CharCounter<'a>,
    out: &'a mut Vec<TextUnit>,
}

impl<'a> UnitWriter<'a> {
    pub(super) fn new(
        document: &'a Document,
        ix: DocumentIx,
        prepend_metadata: &[String],
        tokenizer: Tokenizer,
        out: &'a mut Vec<TextUnit>,
    ) -> Self {
        Self {
            document,
            ix,
            header: header(document, prepend_metadata),
            tokenizer,
            starts: CharCounter::new(&document.text),
            ends: CharCounter::new(&document.text),
            out,
        }
    }

    /// Adds the unit of a byte range, unless it holds nothing but white space. `tokens` is the range's number of
    /// tokens where the caller knows it.
    pub(super) fn push(&mut self, range: Range<usize>, tokens: Option<usize>) {
        // invariant: the splitters give ranges between characters of this text.
        let body = &self.document.text[range.clone()];
        if body.trim_start().is_empty() {
            return;
        }
        let char_start = self.starts.chars_before(range.start);
        let char_end = self.ends.chars_before(range.end);
        let text = format!("{}{body}", self.header);
        let n_tokens = match tokens {
            Some(tokens) if self.header.is_empty() => tokens,
            _ => self.tokenizer.count(&text),
        };
        self.out.push(TextUnit {
            id: TextUnit::derive_id(self.document.id, char_start, char_end, &text),
            document: self.ix,
            text,
            n_tokens: u32::try_from(n_tokens).unwrap_or(u32::MAX),
            char_start,
            char_end,
        });
    }
}

/// Counts characters up to ascending positions, reading the text once.
struct CharCounter<'a> {
    text: &'a str,
    byte: usize,
    chars: u64,
}

impl<'a> CharCounter<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            byte: 0,
            chars: 0,
        }
    }

    fn chars_before(&mut self, byte: usize) -> u64 {
        // invariant: positions ascend and lie between characters.
        self.chars += self.text[self.byte..byte].chars().count() as u64;
        self.byte = byte;
        self.chars
    }
}

/// The lines `key: value.` of the keys that the document has, in the order asked for.
fn header(document: &Document, keys: &[String]) -> String {
    let mut lines = String::new();
    for key in keys {
        let value = match key.as_str() {
            "id" => Some(document.id.to_string()),
            "title" => Some(document.title.clone()),
            "creation_date" => document.creation_date.clone(),
            _ => document
                .metadata
                .as_ref()
                .and_then(|columns| columns.get(key))
                .and_then(plain),
        };
        if let Some(value) = value {
            lines.push_str(key);
            lines.push_str(": ");
            lines.push_str(&value);
            lines.push_str(".\n");
        }
    }
    lines
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
