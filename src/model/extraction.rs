//! What extraction finds in one text unit, before names become entities.

use serde::{Deserialize, Serialize};

/// An entity as one answer names it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExtractedEntity {
    /// Cleaned and upper-cased, as it goes into the table.
    pub title: String,
    /// Upper-cased; `UNKNOWN` when the answer gave none.
    #[serde(rename = "type")]
    pub kind: String,
    /// May be empty.
    pub description: String,
}

/// A relationship as one answer names it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExtractedRelationship {
    /// Title of the source entity.
    pub source: String,
    /// Title of the target entity.
    pub target: String,
    /// May be empty.
    pub description: String,
    /// Finite and positive; 1.0 when the answer gave none.
    pub weight: f64,
}

/// A claim (covariate) as one answer states it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExtractedClaim {
    /// The entity the claim is about, cleaned and upper-cased.
    pub subject: String,
    /// The other party, `NONE` when there is none.
    pub object: String,
    /// The claim's category, upper-cased.
    #[serde(rename = "type")]
    pub kind: String,
    /// `TRUE`, `FALSE` or `SUSPECTED`.
    pub status: String,
    /// ISO 8601 start, `NONE` when unknown.
    pub start_date: String,
    /// ISO 8601 end, `NONE` when unknown.
    pub end_date: String,
    /// What is claimed.
    pub description: String,
    /// The quoted words it rests on.
    pub source_text: String,
}

/// Everything one text unit yielded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extraction {
    /// In order of appearance; one title may occur more than once.
    pub entities: Vec<ExtractedEntity>,
    /// In order of appearance.
    pub relationships: Vec<ExtractedRelationship>,
}

/// One place where an entity is named: the row of the `mentions` table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    /// Dense index of the name among all extracted names, later of the entity.
    pub name: u32,
    /// Row of the text unit.
    pub text_unit: u32,
    /// Start in the text unit's text, in Unicode scalar values.
    pub char_start: u32,
    /// End (exclusive) in the text unit's text, in Unicode scalar values.
    pub char_end: u32,
}
