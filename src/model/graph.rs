//! Entities, relationships and claims after resolution.

use super::ids::{EntityId, EntityIx, IdHasher, RelationshipId, TextUnitIx};

/// A resolved entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// From the title.
    pub id: EntityId,
    /// Upper-cased canonical name.
    pub title: String,
    /// Upper-cased type.
    pub kind: String,
    /// Merged or summarised description; may be empty.
    pub description: String,
    /// Other names merged into this entity, sorted, without the title.
    pub aliases: Vec<String>,
    /// Text units that mention it, sorted, without repeats.
    pub text_units: Vec<TextUnitIx>,
    /// Number of text units that mention it.
    pub frequency: u32,
    /// Number of distinct neighbours.
    pub degree: u32,
}

impl Entity {
    /// Derives the id from the title.
    pub fn derive_id(title: &str) -> EntityId {
        EntityId(IdHasher::new("entity").part(title.as_bytes()).finish())
    }
}

/// A directed relationship between two resolved entities.
#[derive(Clone, Debug, PartialEq)]
pub struct Relationship {
    /// From both titles, in direction.
    pub id: RelationshipId,
    /// Row of the source entity.
    pub source: EntityIx,
    /// Row of the target entity.
    pub target: EntityIx,
    /// Merged or summarised description; may be empty.
    pub description: String,
    /// Sum over its supports; finite and positive.
    pub weight: f64,
    /// Degree of the source plus degree of the target.
    pub combined_degree: u32,
    /// Text units that support it, sorted, without repeats.
    pub text_units: Vec<TextUnitIx>,
}

impl Relationship {
    /// Derives the id from both titles, in direction.
    pub fn derive_id(source: &str, target: &str) -> RelationshipId {
        let mut hasher = IdHasher::new("relationship");
        hasher.part(source.as_bytes()).part(target.as_bytes());
        RelationshipId(hasher.finish())
    }
}

/// A claim about an entity (a row of `covariates`).
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// From the text unit and the claim's fields.
    pub id: super::ids::ClaimId,
    /// The claim's fields as extracted, subject and object resolved to entity titles where known.
    pub claim: super::extraction::ExtractedClaim,
    /// Row of the subject entity, when it is one.
    pub subject: Option<EntityIx>,
    /// The text unit it was found in.
    pub text_unit: TextUnitIx,
    /// Rows of the claims about the same matter that disagree, ascending.
    pub contradicts: Vec<u32>,
    /// Rows of the claims about the same matter from other text units that agree, ascending.
    pub confirms: Vec<u32>,
}
