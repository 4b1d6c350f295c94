//! Everything extraction found in the corpus, in integers: the input of resolution.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::cue::Cues;

/// Strings numbered in order of first appearance.
#[derive(Clone, Debug, Default)]
pub struct Interner(IndexSet<String, FxBuildHasher>);

impl Interner {
    /// The number of a string, which is added when it is new.
    pub fn intern(&mut self, text: &str) -> u32 {
        if let Some(found) = self.0.get_index_of(text) {
            return found as u32;
        }
        self.0.insert_full(text.to_owned()).0 as u32
    }

    /// The number of a known string.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.0.get_index_of(text).map(|index| index as u32)
    }

    /// The string of a number; empty for a number never handed out.
    pub fn get(&self, index: u32) -> &str {
        self.0
            .get_index(index as usize)
            .map_or("", |text| text.as_str())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// The description number of "none".
pub const NO_DESCRIPTION: u32 = u32::MAX;

/// One naming of an entity in a text unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityMention {
    /// Number in [`Harvest::names`].
    pub name: u32,
    /// Row of the text unit.
    pub unit: u32,
    /// Number in [`Harvest::kinds`].
    pub kind: u32,
    /// Number in [`Harvest::descriptions`], or [`NO_DESCRIPTION`].
    pub description: u32,
    /// Where, in Unicode scalar values of the text unit; `None` when the name does not occur there.
    pub span: Option<(u32, u32)>,
    /// Number of the sentence in the text unit; 0 when unknown.
    pub sentence: u32,
    /// What the words beside it say.
    pub cues: Cues,
}

/// One statement of a relationship in a text unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelationshipMention {
    /// Number of the source in [`Harvest::names`].
    pub source: u32,
    /// Number of the target in [`Harvest::names`].
    pub target: u32,
    /// Row of the text unit.
    pub unit: u32,
    /// Number in [`Harvest::descriptions`], or [`NO_DESCRIPTION`].
    pub description: u32,
    /// Finite and positive.
    pub weight: f64,
}

/// All mentions of the corpus, in text unit order.
#[derive(Clone, Debug, Default)]
pub struct Harvest {
    /// Upper-cased names.
    pub names: Interner,
    /// Upper-cased types.
    pub kinds: Interner,
    /// Descriptions of entities and relationships.
    pub descriptions: Interner,
    /// Ordered by text unit.
    pub entities: Vec<EntityMention>,
    /// Ordered by text unit. The fast method leaves it empty: its relationships are co-occurrences.
    pub relationships: Vec<RelationshipMention>,
    /// Pairs of names that the text itself equates: "Port Lune Water Authority (PLWA)".
    pub equated: Vec<(u32, u32)>,
}
