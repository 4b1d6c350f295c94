//! Documents -> text units: a tokenizer, token windows, sentences.
//!
//! Both splitters work on byte ranges of the document and turn them into character spans in one pass; neither
//! ever cuts a character. `text[char_start..char_end]` of the document, in Unicode scalar values, is the text of
//! the unit (after the lines of `prepend_metadata`, which are not in the document).

mod line;
mod packing;
mod piece;
pub mod quotable;
mod sentence;
mod settings;
mod tokenizer;
mod unit;
mod window;
pub mod word;

#[cfg(test)]
mod tests;

pub use line::list_mark;
pub use sentence::{Sentences, sentences};
pub use settings::{ChunkError, ChunkKind, ChunkSettings};
pub use tokenizer::Tokenizer;

use crate::model::{Document, DocumentIx, TextUnit};

/// Cuts one document into text units, appended to `out` in reading order.
///
/// Windows without a visible character are left out. `settings` must have passed [`ChunkSettings::validate`];
/// an overlap that is not below the size is treated as `size - 1`.
pub fn split(
    document: &Document,
    ix: DocumentIx,
    settings: &ChunkSettings,
    tokenizer: Tokenizer,
    out: &mut Vec<TextUnit>,
) {
    let size = settings.size.max(1);
    let overlap = settings.overlap.min(size - 1);
    let text = document.text.as_str();
    let mut units = unit::UnitWriter::new(document, ix, &settings.prepend_metadata, tokenizer, out);
    match settings.kind {
        ChunkKind::Tokens => {
            window::token_windows(text, size, overlap, tokenizer, |range, tokens| {
                units.push(range, tokens);
            });
        }
        ChunkKind::Sentence => {
            packing::sentence_windows(text, size, overlap, tokenizer, |range| {
                units.push(range, None);
            });
        }
    }
}
