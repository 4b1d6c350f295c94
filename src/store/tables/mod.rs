//! One file per table: its schema and the way rows become a batch.
//!
//! Column names, order and types follow the original's tables; ours are added at the end.

mod batch;
mod communities;
mod covariates;
mod documents;
mod entities;
mod mentions;
mod relationships;
mod reports;
mod resolution;
mod text_units;

pub use communities::write_communities;
pub use covariates::write_covariates;
pub use documents::DocumentsWriter;
pub use entities::write_entities;
pub use mentions::write_mentions;
pub use relationships::write_relationships;
pub use reports::{ReportRow, write_reports};
pub use resolution::write_resolution;
pub use text_units::{TextUnitRow, TextUnitsWriter};
