//! Questions against an index: finding what bears on them, building contexts, answering with or without a model, and showing the
//! evidence.
//!
//! ```text
//! question -> anchors (names, vectors, words) -> context -> model, or the corpus' own sentences -> citations followed -> answer
//! ```

mod answer;
pub mod compare;
pub mod context;
mod doors;
mod error;
pub mod evidence;
pub mod extract;
mod filter;
pub mod index;
pub mod levels;
pub mod lexical;
mod models;
mod names;
mod own;
pub mod search;
mod settings;
pub use crate::model::shown as show;
mod suggest;

pub use answer::{
    AnchorRow, Answered, ContextRow, ContextSummary, ContextTable, Coverage, DriftParams, Engine,
    Inquiry, Method, OnText, Params, Question, SearchPrompts, SelectionParams, Step,
};
pub use context::Turn;
pub use doors::Builtin;
pub use error::QueryError;
pub use evidence::{Evidence, Resolved, Support, Unresolved};
pub use index::Index;
pub use models::{Chat, Judge, Noted, QuestionEncoder, Reply, Used};
pub use suggest::Suggestions;
