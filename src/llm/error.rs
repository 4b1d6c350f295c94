//! Why a call gave nothing, one variant per thing the caller does about it.

use crate::model::shown::counted;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What the caller does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing further can succeed: save the state, say how to resume.
    StopRun,
    /// This item is lost, the others go on.
    FailItem,
    /// Ask again with less context.
    ShrinkContext,
}

/// A hard limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// Money.
    Cost,
    /// Prompt and completion tokens.
    Tokens,
    /// Requests.
    Calls,
}

impl Cap {
    /// The setting that sets it, in the section `budget`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Cost => "max_cost",
            Self::Tokens => "max_tokens",
            Self::Calls => "max_calls",
        }
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cost => "cost",
            Self::Tokens => "token",
            Self::Calls => "call",
        })
    }
}

/// Where a failed call went and what came back, for one line of message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Model name.
    pub model: String,
    /// Address without credentials.
    pub address: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "model {} at {}", self.model, self.address)
    }
}

/// A call that gave nothing. `words` are the provider's own, cut and stripped of control characters and keys.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CallError {
    /// The server kept limiting us until the retries were used up.
    #[error(
        "{place} still limits the rate after {}: {words}; lower requests_per_period, tokens_per_period or concurrent_requests and run the same command again",
        counted(*attempts, "attempt")
    )]
    RateLimited {
        place: Arc<Place>,
        words: String,
        attempts: u32,
    },
    /// The account has no credit left.
    #[error(
        "{place} reports that the quota is used up: {words}; top up the account, then run the same command again to resume"
    )]
    QuotaExhausted { place: Arc<Place>, words: String },
    /// The next call could pass a cap.
    #[error(
        "{cap} cap of {limit} reached: {spent} spent, the next call to model {model} could take up to {next}; raise budget.{} in settings.yaml, or the option where it was given, and run the same command again to resume",
        .cap.key()
    )]
    BudgetReached {
        cap: Cap,
        limit: Box<str>,
        spent: Box<str>,
        next: Box<str>,
        model: Box<str>,
    },
    /// A cap on money is set, the price is not known.
    #[error(
        "max-cost is set but the price of model {model} is unknown; give prices for it in settings.yaml or drop max-cost"
    )]
    PriceUnknown { model: String },
    /// The prompt does not fit.
    #[error(
        "{place} cannot hold this prompt: {words}; use less context: max_context_tokens for questions, chunking.size and max_input_length for an index"
    )]
    ContextTooLong {
        place: Arc<Place>,
        words: String,
        limit: Option<u64>,
    },
    /// The provider refuses this content.
    #[error("{place} refused this content: {words}; change the text or the provider's filter")]
    ContentFiltered { place: Arc<Place>, words: String },
    /// The key is wrong or may not do this.
    #[error(
        "{place} rejected the key (http {status}): {words}; check api_key and the account's access to this model"
    )]
    AuthRejected {
        place: Arc<Place>,
        status: u16,
        words: String,
    },
    /// No such model or address.
    #[error("{place} was not found (http {status}): {words}; check model and api_base")]
    NotFound {
        place: Arc<Place>,
        status: u16,
        words: String,
    },
    /// The server failed until the retries were used up.
    #[error(
        "{place} failed {}, last: {words}; run the same command again to retry",
        counted(*attempts, "time")
    )]
    Transient {
        place: Arc<Place>,
        words: String,
        attempts: u32,
    },
    /// The whole endpoint failed for longer than the patience set.
    #[error(
        "{place} has answered nothing for {seconds} s, last: {words}; run the same command again to resume"
    )]
    Unavailable {
        place: Arc<Place>,
        words: String,
        seconds: u64,
    },
    /// Nobody was ever reached there.
    #[error("cannot reach {place}: {words}; check api_base and that the server is running")]
    Unreachable { place: Arc<Place>, words: String },
    /// The server says the request itself is wrong.
    #[error(
        "{place} rejected the request (http {status}): {words}; check call_args for this model"
    )]
    Permanent {
        place: Arc<Place>,
        status: u16,
        words: String,
    },
    /// The Batch API cannot be used for this run.
    #[error("{place}: {words}")]
    NoBatch { place: Arc<Place>, words: String },
    /// Answers came, none could be used.
    #[error(
        "model {model} gave no usable answer in {}: {why}; run the same command again to ask again",
        counted(*attempts, "attempt")
    )]
    Unusable {
        model: String,
        why: String,
        attempts: u32,
    },
    /// The answer could not be made durable.
    #[error(
        "cannot write the answer cache {path}: {reason}; free space or fix the folder, then run the same command again to resume"
    )]
    Storage { path: String, reason: Arc<str> },
    /// The settings cannot make a call.
    #[error("{0}")]
    Setup(String),
    /// The run was stopped.
    #[error("stopped before an answer came; run the same command again to resume")]
    Cancelled,
    /// The run's time is over.
    #[error("the run's deadline of {} s has passed; run the same command again to resume", .after.as_secs())]
    DeadlinePassed { after: Duration },
}

impl CallError {
    /// What to do about it.
    pub fn action(&self) -> Action {
        match self {
            Self::QuotaExhausted { .. }
            | Self::BudgetReached { .. }
            | Self::PriceUnknown { .. }
            | Self::AuthRejected { .. }
            | Self::NotFound { .. }
            | Self::Unavailable { .. }
            | Self::Unreachable { .. }
            | Self::NoBatch { .. }
            | Self::Storage { .. }
            | Self::Setup(_)
            | Self::Cancelled
            | Self::DeadlinePassed { .. } => Action::StopRun,
            Self::ContextTooLong { .. } => Action::ShrinkContext,
            Self::RateLimited { .. }
            | Self::ContentFiltered { .. }
            | Self::Transient { .. }
            | Self::Permanent { .. }
            | Self::Unusable { .. } => Action::FailItem,
        }
    }

    /// The process exit code where it ends the command: 2 for what the user must correct, 130 for a stop, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::QuotaExhausted { .. }
            | Self::PriceUnknown { .. }
            | Self::AuthRejected { .. }
            | Self::NotFound { .. }
            | Self::NoBatch { .. }
            | Self::Setup(_) => 2,
            Self::Cancelled => 130,
            _ => 1,
        }
    }

    /// The variant's word in the ledger.
    pub fn word(&self) -> &'static str {
        match self {
            Self::RateLimited { .. } => "rate_limited",
            Self::QuotaExhausted { .. } => "quota_exhausted",
            Self::BudgetReached { .. } => "budget_reached",
            Self::PriceUnknown { .. } => "price_unknown",
            Self::ContextTooLong { .. } => "context_too_long",
            Self::ContentFiltered { .. } => "content_filtered",
            Self::AuthRejected { .. } => "auth_rejected",
            Self::NotFound { .. } => "not_found",
            Self::Transient { .. } => "transient",
            Self::Unavailable { .. } => "unavailable",
            Self::Unreachable { .. } => "unreachable",
            Self::Permanent { .. } => "permanent",
            Self::NoBatch { .. } => "no_batch",
            Self::Unusable { .. } => "unusable",
            Self::Storage { .. } => "storage",
            Self::Setup(_) => "setup",
            Self::Cancelled => "cancelled",
            Self::DeadlinePassed { .. } => "deadline_passed",
        }
    }
}

/// Cuts a server's text to 200 characters on one line without control characters.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(200);
    let mut gap = false;
    let mut taken = 0;
    for c in text.chars() {
        if taken == 200 {
            out.push('…');
            break;
        }
        if c.is_control() || c.is_whitespace() || is_invisible(c) {
            gap = !out.is_empty();
            continue;
        }
        if gap {
            out.push(' ');
            gap = false;
        }
        out.push(c);
        taken += 1;
    }
    out
}

/// Marks that reorder or hide text on a terminal.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_text_is_cut_and_stripped() {
        assert_eq!(shown(" \x1b[31mbad\r\n\tkey\0 "), "[31mbad key");
        assert_eq!(shown(&"é".repeat(300)).chars().count(), 201);
    }
}
