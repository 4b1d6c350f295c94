//! Turns what models really return into values.
//!
//! One function per stage: it takes an answer's text and the reason the model stopped, and gives a value, an outcome
//! and warnings. The outcome says what to do: take it, take it and ask again with a larger budget, ask again, or give
//! up on this prompt. The warnings say what a reader of the graph may want to know; their codes are stable.
//!
//! Everything here is pure. The text is data: nothing in it is evaluated, nothing in it can make the code recurse or
//! panic, and the work is linear in its length, which is capped. Complete records before a cut survive; a half-written
//! name never does.
//!
//! An answer goes through these steps:
//!
//! 1. `opened`: is there any text, is it well-formed JSON, where does the reasoning end?
//! 2. `json` or `tuple`: the format, well formed or not, into nodes or records.
//! 3. `extract`, `report`, `map`, `rate`, `claims`, `summary`, `drift`: the stage's rows and fields, whatever their
//!    keys and shapes.
//! 4. `clean`, the stage's rules and `examples`: names, numbers, relationships, the prompt's own example.

mod claims;
mod clean;
mod drift;
mod examples;
mod extract;
mod html;
mod json;
mod keys;
mod map;
mod number;
mod opened;
mod outcome;
mod phrases;
mod prose;
mod rate;
mod reasoning;
mod repetition;
mod report;
mod summary;
mod tuple;
mod words;

use crate::model::{ExtractedClaim, Extraction};

pub use drift::DriftAnswer;
pub use examples::PromptExamples;
pub use map::MapPoint;
pub use outcome::{Code, FinishReason, RecoverOutcome, Recovered, Repair, Repairs, Warning};
pub use rate::Rating;
pub use repetition::ends_in_loop;
pub use report::ReportDraft;
pub use words::{Veil, Words};

/// The default size cap of an answer, in bytes; what is beyond is not read.
pub const MAX_ANSWER_BYTES: usize = 1 << 20;

/// What an extraction answer is read against.
#[derive(Clone, Copy, Debug)]
pub struct ExtractContext<'a> {
    /// The size cap, in bytes.
    pub max_bytes: usize,
    /// The types the prompt asked for; plurals and lower case are brought to them. May be empty.
    pub entity_types: &'a [String],
    /// What earlier answers about the same text unit gave: relationships may name its entities.
    pub known: Option<&'a Extraction>,
    /// The text the answer is about: a name of the prompt's example that stands in it is no leak.
    pub passage: Option<&'a str>,
    /// The prompt's own example.
    pub examples: Option<&'a PromptExamples>,
}

impl Default for ExtractContext<'_> {
    fn default() -> Self {
        Self {
            max_bytes: MAX_ANSWER_BYTES,
            entity_types: &[],
            known: None,
            passage: None,
            examples: None,
        }
    }
}

/// What a report is read against.
#[derive(Clone, Copy, Debug)]
pub struct ReportContext<'a> {
    /// The size cap, in bytes.
    pub max_bytes: usize,
    /// The title where the answer gives none: the community's top entities.
    pub fallback_title: &'a str,
    /// The prompt's data tables: a name of the prompt's example that stands in them is no leak.
    pub passage: Option<&'a str>,
    /// The prompt's own example.
    pub examples: Option<&'a PromptExamples>,
}

impl Default for ReportContext<'_> {
    fn default() -> Self {
        Self {
            max_bytes: MAX_ANSWER_BYTES,
            fallback_title: "",
            passage: None,
            examples: None,
        }
    }
}

/// What any other answer is read against.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The size cap, in bytes.
    pub max_bytes: usize,
    /// The text the answer is about.
    pub passage: Option<&'a str>,
    /// The prompt's own example.
    pub examples: Option<&'a PromptExamples>,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self {
            max_bytes: MAX_ANSWER_BYTES,
            passage: None,
            examples: None,
        }
    }
}

/// Recovers entities and relationships from JSON, from tuples, or from lists in Markdown and YAML.
///
/// Every relationship joins two different entities of the answer (or of `context.known`). A relationship to anything
/// else, to itself, or one that denies itself is dropped and counted in the warnings. Where two entities share a name
/// under different ids, the relationship is dropped as ambiguous; where only their types differ, the name stands for
/// one entity with both types, and the warning says so.
pub fn extraction(
    answer: &str,
    finish: FinishReason,
    context: &ExtractContext<'_>,
) -> Recovered<Extraction> {
    extract::extraction(answer, finish, context)
}

/// Recovers a community report from JSON or Markdown. Missing fields get defaults, numbers their range.
pub fn report(
    answer: &str,
    finish: FinishReason,
    context: &ReportContext<'_>,
) -> Recovered<ReportDraft> {
    report::report(answer, finish, context)
}

/// Recovers the points of a map answer. Prose becomes points with a neutral score and the warning `prose`; a plain
/// "I do not know" is `Empty`.
pub fn map_points(
    answer: &str,
    finish: FinishReason,
    context: &Context<'_>,
) -> Recovered<Vec<MapPoint>> {
    map::map_points(answer, finish, context)
}

/// Recovers the rating of a community, 0 to 5.
pub fn rating(answer: &str, finish: FinishReason, context: &Context<'_>) -> Recovered<Rating> {
    rate::rating(answer, finish, context)
}

/// Recovers claims from tuples or JSON.
pub fn claims(
    answer: &str,
    finish: FinishReason,
    context: &Context<'_>,
) -> Recovered<Vec<ExtractedClaim>> {
    claims::claims(answer, finish, context)
}

/// Recovers a plain-text summary of descriptions. A text cut by the budget ends at its last whole sentence.
pub fn summary(answer: &str, finish: FinishReason, context: &Context<'_>) -> Recovered<String> {
    summary::summary(answer, finish, context)
}

/// Recovers an answer that a person reads as it is.
pub fn words(answer: &str) -> Words {
    words::words(answer)
}

/// Recovers the answer of DRIFT's primer: `intermediate_answer`, `score`, `follow_up_queries`.
pub fn drift_primer(
    answer: &str,
    finish: FinishReason,
    context: &Context<'_>,
) -> Recovered<DriftAnswer> {
    drift::primer(answer, finish, context)
}

/// Recovers the answer of a DRIFT step: `response`, `score`, `follow_up_queries`.
pub fn drift_action(
    answer: &str,
    finish: FinishReason,
    context: &Context<'_>,
) -> Recovered<DriftAnswer> {
    drift::action(answer, finish, context)
}
