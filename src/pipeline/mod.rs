//! The stages in order, and what runs around them: progress, resume, the closing summary.
//!
//! ```text
//! load -> extract -> resolve -> summarize -> cluster -> report -> embed -> finish
//! ```
//!
//! A run resumes by starting again: text is cut anew in a moment, and every answer a model gave is in the cache. The tables of
//! the last whole run stay readable until the new ones replace them.

mod adjudicate;
mod by_model;
mod calls;
mod cluster;
mod embed;
mod error;
pub mod estimate;
mod fast;
mod finalize;
mod fingerprint;
mod finish;
mod given;
mod given_file;
mod graphml;
mod health;
mod load;
pub mod models;
mod progress;
mod project;
mod reports;
mod resolution;
mod run;
mod session;
mod standard;
mod standing;
mod summarize;
mod summary;
mod texts;

pub use adjudicate::{adjudication_prompt, decision as adjudication_decision};
pub use error::PipelineError;
pub use estimate::ESTIMATE_FILE;
pub use fast::harvest_of;
pub use given::GraphFiles;
pub use health::{Health, Share};
pub use models::{BatchOptions, BudgetOptions, Models};
pub use progress::{Progress, Stage, aside};
pub use project::Project;
pub use run::{IndexOptions, Method, index};
pub use session::{BatchChoice, LEDGER_FILE};
pub use summary::{RunSummary, Trouble, UsageSummary, money};
