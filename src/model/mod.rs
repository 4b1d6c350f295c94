//! The tables as plain structs: what every stage hands to the next.
//!
//! Inside a run rows point at each other by dense index (`TextUnitIx`, `EntityIx`, ...); on disk they point by
//! content-derived id (`DocumentId`, ...). Neither the structs nor the ids know about files, Arrow or models.

mod community;
mod document;
mod extraction;
mod graph;
mod ids;
mod outcome;
mod resolution;
pub mod shown;

pub use community::{Community, Finding, Report, ReportSource};
pub use document::{Document, TextUnit};
pub use extraction::{ExtractedClaim, ExtractedEntity, ExtractedRelationship, Extraction, Mention};
pub use graph::{Claim, Entity, Relationship};
pub use ids::{
    ClaimId, CommunityId, CommunityIx, DocumentId, DocumentIx, EntityId, EntityIx, IdHasher,
    RelationshipId, RelationshipIx, ReportId, TextUnitId, TextUnitIx,
};
pub use outcome::Outcome;
pub use resolution::ResolutionRow;
