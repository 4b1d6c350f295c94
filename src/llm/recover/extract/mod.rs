//! Extraction answers: entities and relationships from JSON, from tuples, or from lists in Markdown and YAML.

mod entities;
mod fields;
mod from_json;
mod from_lines;
mod from_tuples;
mod relationships;
mod rules;

use super::ExtractContext;
use super::opened::{self, Json, Opened};
use super::outcome::{Code, FinishReason, Notes, Recovered, Repair};
use super::{phrases, tuple};
use crate::model::Extraction;

/// An empty list in a longer text may be anything.
const MAX_EMPTY_ANSWER_BYTES: usize = 200;

/// An entity row before its fields are cleaned.
#[derive(Clone, Debug, Default)]
struct RawEntity {
    id: Option<String>,
    name: String,
    kind: Option<String>,
    description: Option<String>,
}

/// A relationship row before its ends are looked up.
#[derive(Clone, Debug, Default)]
struct RawRelationship {
    source: String,
    target: String,
    description: String,
    weight: Weight,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Weight {
    #[default]
    Missing,
    Bad,
    Given(f64),
}

impl Weight {
    /// Larger weights are counts of something else, and could overflow a sum.
    const MAX: f64 = 1e6;

    fn of(value: Option<f64>) -> Self {
        match value {
            Some(value) if value > 0.0 && value <= Self::MAX => Self::Given(value),
            _ => Self::Bad,
        }
    }
}

/// The rows of an answer.
#[derive(Clone, Debug, Default)]
struct Records {
    entities: Vec<RawEntity>,
    relationships: Vec<RawRelationship>,
    /// The answer has the form asked for, even if it has no rows.
    found: bool,
    /// There is an empty list and no row.
    has_empty_list: bool,
    is_cut: bool,
    notes: Notes,
}

impl Records {
    fn len(&self) -> usize {
        self.entities.len() + self.relationships.len()
    }
}

pub(super) fn extraction(
    answer: &str,
    finish: FinishReason,
    context: &ExtractContext<'_>,
) -> Recovered<Extraction> {
    let mut opened = match opened::open(answer, finish, context.max_bytes) {
        Ok(opened) => opened,
        Err(end) => return opened::unusable(end),
    };
    let mut json = opened.json();
    let has_json = !json.is_empty();
    let from_json = from_json::records(&mut json, &opened.text, finish);
    let from_tuples = from_tuples(&opened, &json, context);
    let is_cut = json.is_cut;
    let mut records =
        if from_tuples.len() > from_json.len() || (from_tuples.found && !from_json.found) {
            from_tuples
        } else {
            from_json
        };
    if !records.found {
        let is_non_answer =
            finish != FinishReason::ContentFilter && phrases::is_non_answer(&opened.text);
        if is_non_answer {
            return opened.says_nothing();
        }
        let says_empty = records.has_empty_list && opened.text.len() <= MAX_EMPTY_ANSWER_BYTES;
        let from_lines = from_lines::records(&opened.text, finish);
        if from_lines.found {
            records = from_lines;
        }
        records.found |= says_empty;
    }
    if !records.found {
        return opened.nothing(
            if has_json {
                Code::NoEntities
            } else {
                Code::NoJson
            },
            is_cut,
        );
    }
    finish_records(opened, records, context)
}

fn from_tuples(opened: &Opened<'_>, json: &Json, context: &ExtractContext<'_>) -> Records {
    if tuple::has_mark(&opened.text) || tuple::has_tag(&opened.text) {
        let records = from_tuples::records(&opened.text, opened.finish, context);
        if records.len() > 0 || json.is_empty() {
            return records;
        }
    }
    let embedded = json
        .texts()
        .into_iter()
        .filter(|(text, _)| tuple::has_mark(text) && tuple::has_tag(text));
    let mut all = Records::default();
    for (text, whole) in embedded {
        let finish = if whole {
            FinishReason::Stop
        } else {
            FinishReason::Length
        };
        let mut records = from_tuples::records(text, finish, context);
        all.entities.append(&mut records.entities);
        all.relationships.append(&mut records.relationships);
        all.found |= records.found;
        all.is_cut |= records.is_cut;
        all.notes.repairs.merge(records.notes.repairs);
        all.notes.warnings.append(&mut records.notes.warnings);
        all.notes.repair(Repair::EmbeddedText);
    }
    all
}

fn finish_records(
    mut opened: Opened<'_>,
    mut records: Records,
    context: &ExtractContext<'_>,
) -> Recovered<Extraction> {
    opened.notes.repairs.merge(records.notes.repairs);
    opened.notes.warnings.append(&mut records.notes.warnings);
    if records.is_cut {
        opened.note_truncated();
    }
    let is_cut = records.is_cut;
    let had_rows = records.len() > 0;
    let extraction = rules::assemble(records, context, &mut opened.notes);
    let is_empty = extraction.entities.is_empty() && extraction.relationships.is_empty();
    if is_empty && is_cut {
        return opened.nothing(Code::Truncated, true);
    }
    if is_empty && opened.notes.repairs.contains(Repair::PromptExample) {
        return opened.nothing(Code::PromptExample, false);
    }
    if is_empty && opened.finish == FinishReason::ContentFilter {
        return opened.nothing(Code::ContentFilter, false);
    }
    opened.usable(extraction, is_empty && !had_rows)
}
