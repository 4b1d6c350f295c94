//! Communities to reports: extractive reports, contexts for a model's reports, checking and assembling what comes back.
//!
//! Pure: text comes through [`TextUnits`], tokens through a counter, sentences through a splitter.

mod assemble;
pub mod citations;
mod clean;
mod context;
mod csv;
mod extractive;
#[cfg(test)]
pub(crate) mod fixture;
mod headline;
mod key;
mod lexicon;
pub mod misfits;
mod names;
mod pieces;
mod rating;
mod rollup;
mod rows;
mod salience;
mod schedule;
mod select;
mod sentences;
mod terms;
mod text_context;

use std::borrow::Cow;

pub use assemble::{Assembled, Defaults, DraftReport, assemble, full_content_json};
pub use context::{Context, ContextBuilder, ContextFigures, LocalContext};
pub use extractive::{Corpus, write_all, write_one};
pub use key::ReportKey;
pub use rating::{Rating, rate_all};
pub use rollup::without_pointers;
pub use rows::Graph;
pub use schedule::Schedule;
pub use sentences::{SentenceIndex, Splitter};
pub use text_context::{TextContext, TextContextBuilder};

use crate::model::{DocumentIx, TextUnitIx};

/// The corpus's text units, wherever their text is kept.
pub trait TextUnits: Sync {
    /// Number of text units; rows run from 0.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of a row below `len`.
    fn text(&self, ix: TextUnitIx) -> Cow<'_, str>;

    /// The document it was cut from.
    fn document(&self, ix: TextUnitIx) -> DocumentIx;
}

/// Counts the tokens of a text.
pub type TokenCounter<'a> = &'a (dyn Fn(&str) -> usize + Sync);
