//! How an item ended: the word that goes into the ledger.

use serde::{Deserialize, Serialize};

/// The end of a document, chunk or model call. Nothing ends without one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "detail")]
pub enum Outcome {
    /// As expected.
    Ok,
    /// Usable after repair; the detail says how.
    Repaired(String),
    /// Some of it is lost; the detail says how.
    Partial(String),
    /// Truly nothing there; not asked again.
    Empty,
    /// Nothing usable; the detail says why.
    Failed(String),
}

impl Outcome {
    /// The outcome's word without its detail.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Repaired(_) => "repaired",
            Self::Partial(_) => "partial",
            Self::Empty => "empty",
            Self::Failed(_) => "failed",
        }
    }
}
