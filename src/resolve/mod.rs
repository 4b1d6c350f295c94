//! Names -> entities, by evidence; every decision can be read and reversed.
//!
//! ```text
//! names -> forms (key) -> candidate pairs (block) -> comparisons (relate) -> points from the corpus (evidence)
//!       -> clusters without contradiction (clusters, decide) -> entities, decisions (audit)
//! ```
//!
//! Points are integers; [`MERGE`] of them make one entity of two names. Names alone reach that only when they are the same
//! but for form; a likeness needs company: a shared document, shared neighbours. Strongest links first, and never two clusters
//! with members that contradict each other (constrained agglomerative clustering). A short name that fits several is decided
//! document by document.

pub mod audit;
mod block;
pub mod claims;
mod clusters;
mod company;
mod contradictions;
mod decide;
pub mod decisions;
pub mod declared;
mod entities;
mod evidence;
pub mod grounding;
mod homonyms;
pub mod key;
pub mod reason;
pub mod relate;
mod short;
mod spelling;
pub mod suspects;
mod tables;

use rustc_hash::FxHashMap;

use crate::extract::harvest::Harvest;
use audit::{Answer, Decision};
use decisions::Bound;
use evidence::Corpus;
pub use evidence::Nearness;

/// Points that make one entity of two names.
pub const MERGE: i32 = 100;

/// Which entity each mention belongs to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolution {
    /// Entity of each name, where it is the same in every document; `None` for a name that no entity mention carries. Ask
    /// [`Resolution::entity`] for that of a mention.
    pub entity_of: Vec<Option<u32>>,
    /// In order of first mention.
    pub entities: Vec<ResolvedEntity>,
    /// What was decided about pairs of names.
    pub decisions: Vec<Decision>,
    /// Entities of names in the documents where they mean something else, by name and document.
    by_document: FxHashMap<(u32, u32), u32>,
    document_of: Vec<u32>,
}

/// An entity before its degree is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResolvedEntity {
    /// Canonical name, upper-cased.
    pub title: String,
    /// The type most mentions give it; ties go to the type first in the alphabet.
    pub kind: String,
    /// Its other names, sorted.
    pub aliases: Vec<String>,
}

/// What resolution may use beyond the harvest. The default is the harvest alone, each text unit a document.
#[derive(Default)]
pub struct Options<'a> {
    /// Document of each text unit.
    pub document_of: &'a [u32],
    /// Merge equal names only, and what the analyst says.
    pub exact: bool,
    /// The analyst's decisions.
    pub analyst: Bound,
    /// A model's answers to [`audit::undecided`].
    pub answers: &'a [Answer],
    /// Nearness of the descriptions of two names.
    pub near: Option<&'a Nearness<'a>>,
}

impl Resolution {
    /// The entity that a name means in a text unit; `None` for a name that no entity mention carries.
    pub fn entity(&self, name: u32, unit: u32) -> Option<u32> {
        if self.by_document.is_empty() {
            return self.entity_of.get(name as usize).copied().flatten();
        }
        self.entity_in(
            name,
            self.document_of.get(unit as usize).copied().unwrap_or(unit),
        )
    }

    /// The entity that a name means in a document.
    pub fn entity_in(&self, name: u32, document: u32) -> Option<u32> {
        let here = self.by_document.get(&(name, document)).copied();
        here.or_else(|| self.entity_of.get(name as usize).copied().flatten())
    }
}

/// Makes entities of names.
pub fn resolve(harvest: &Harvest, options: &Options<'_>) -> Resolution {
    let corpus = Corpus::new(harvest, options.document_of);
    let known = decide::Known {
        analyst: &options.analyst,
        answers: options.answers,
        near: options.near,
    };
    let decided = if options.exact {
        decide::apart(&corpus, &known)
    } else {
        decide::decide(&corpus, &known)
    };
    entities::assemble(&corpus, decided, options)
}

#[cfg(test)]
mod tests;
