//! What a model is given to read: tables built from the index under a token budget, each row labelled with how it arrived.
//!
//! Pure functions of the index and the anchors; the formats are those of the original's prompts.

mod basic;
mod claims;
mod global;
mod history;
mod local;
mod shuffle;
mod table;

#[cfg(test)]
mod golden;

pub use basic::{BasicParams, basic};
pub use global::{Batch, GlobalParams, batches, occurrence_weights};
pub use history::{History, Turn, history};
pub use local::{Anchor, LocalParams, TextHit, expanded_from, local};

use serde::Serialize;

use crate::report::citations::DataKind;

/// Counts the tokens of a text.
pub type Count<'a> = &'a dyn Fn(&str) -> usize;

/// How a row came into the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrival {
    /// The question names it.
    Name,
    /// Its vector is near the question's.
    Vector,
    /// It shares words with the question.
    Lexical,
    /// It hangs on something that arrived.
    Edge,
    /// All reports of the level are read.
    Report,
}

/// One row of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its row in the table.
    pub row: u32,
    /// The number a citation uses.
    pub number: u32,
    /// How it came here.
    pub arrived: Arrival,
}

/// One table of a context.
#[derive(Clone, Debug)]
pub struct Section {
    /// Which table.
    pub kind: DataKind,
    /// As the model reads it.
    pub text: String,
    /// Its rows, in order.
    pub records: Vec<Record>,
    /// Tokens of the text.
    pub tokens: usize,
    /// Rows that would have followed but for the budget.
    pub left_out: usize,
}

/// Everything a model is given to read for one call.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// In the order of the text.
    pub sections: Vec<Section>,
}

impl Context {
    /// The whole text.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .sections
            .iter()
            .map(|section| section.text.as_str())
            .filter(|text| !text.is_empty())
            .collect();
        texts.join("\n\n")
    }

    /// Tokens of all sections.
    pub fn tokens(&self) -> usize {
        self.sections.iter().map(|section| section.tokens).sum()
    }

    /// The rows of one table.
    pub fn records(&self, kind: DataKind) -> &[Record] {
        self.sections
            .iter()
            .find(|section| section.kind == kind)
            .map_or(&[], |section| &section.records)
    }

    /// Their places in the table.
    pub fn rows(&self, kind: DataKind) -> Vec<u32> {
        self.records(kind).iter().map(|record| record.row).collect()
    }
}
