//! Community reports: JSON with any of its fields missing or misshapen, or Markdown.

mod fields;
mod markdown;

use super::examples::Detector;
use super::outcome::{Code, FinishReason, Notes, Recovered, Repair};
use super::{ReportContext, opened, repetition};
use crate::model::Finding;
use fields::{from_json, is_payload};
use markdown::from_markdown;

const MAX_RATING: f64 = 10.0;
/// Where the answer gives none: the middle of the scale, so that the report neither leads nor vanishes.
const NEUTRAL_RATING: f64 = 5.0;

/// A report before it is tied to its community.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportDraft {
    /// Falls back to the context's title.
    pub title: String,
    /// One paragraph; falls back to the first finding's summary.
    pub summary: String,
    /// 0 to 10.
    pub rating: f64,
    /// May be empty.
    pub rating_explanation: String,
    /// In the answer's order; may be empty.
    pub findings: Vec<Finding>,
}

pub(super) fn report(
    answer: &str,
    finish: FinishReason,
    context: &ReportContext<'_>,
) -> Recovered<ReportDraft> {
    let mut opened = match opened::open(answer, finish, context.max_bytes) {
        Ok(opened) => opened,
        Err(end) => return opened::unusable(end),
    };
    let mut json = opened.json();
    json.open_embedded(is_payload, finish);
    json.drop_drafts(&opened.text, is_payload);
    let draft = from_json(&mut opened, &mut json).or_else(|| from_markdown(&mut opened));
    let Some(mut draft) = draft else {
        let code = if json.is_empty() {
            Code::NoJson
        } else {
            Code::NoReport
        };
        return opened.nothing(code, json.is_cut);
    };
    let had_text = remove_example(&mut draft, context, &mut opened.notes);
    if draft.findings.is_empty() && draft.summary.is_empty() {
        return if had_text {
            opened.nothing(Code::PromptExample, false)
        } else {
            opened.nothing(Code::NoReport, json.is_cut)
        };
    }
    set_defaults(&mut draft, context, &mut opened.notes);
    let draft = ReportDraft {
        rating: draft.rating.unwrap_or(NEUTRAL_RATING),
        ..draft.into()
    };
    opened.usable(draft, false)
}

/// A draft whose rating may be missing.
#[derive(Default)]
struct Fields {
    title: String,
    summary: String,
    rating: Option<f64>,
    rating_explanation: String,
    findings: Vec<Finding>,
}

impl From<Fields> for ReportDraft {
    fn from(fields: Fields) -> Self {
        Self {
            title: fields.title,
            summary: fields.summary,
            rating: NEUTRAL_RATING,
            rating_explanation: fields.rating_explanation,
            findings: fields.findings,
        }
    }
}

/// Takes out what is the prompt's example; returns whether anything was.
fn remove_example(fields: &mut Fields, context: &ReportContext<'_>, notes: &mut Notes) -> bool {
    let detector = Detector::new(context.examples, context.passage);
    let mut removed = false;
    fields.findings.retain(|finding| {
        let is_example =
            detector.is_example(&finding.summary) || detector.is_example(&finding.explanation);
        if is_example {
            notes.warn_about(Code::PromptExample, &finding.summary);
        }
        removed |= is_example;
        !is_example
    });
    if detector.is_example(&fields.title) {
        removed = true;
        notes.warn_about(Code::PromptExample, &fields.title);
        fields.title.clear();
    }
    for text in [&mut fields.summary, &mut fields.rating_explanation] {
        let (kept, was_example) = detector.without_example(text);
        if was_example {
            removed = true;
            notes.warn_about(Code::PromptExample, text);
            *text = kept;
        }
    }
    if removed {
        notes.repair(Repair::PromptExample);
    }
    removed
}

fn set_defaults(fields: &mut Fields, context: &ReportContext<'_>, notes: &mut Notes) {
    if let Some(once) = repetition::without_loop(&fields.summary) {
        notes.repair(Repair::Repetition);
        notes.warn_once(Code::Repetition);
        fields.summary = once.trim_end().to_owned();
    }
    if fields.title.is_empty() {
        notes.repair(Repair::Default);
        notes.warn(Code::MissingTitle);
        context.fallback_title.clone_into(&mut fields.title);
    }
    if fields.summary.is_empty() {
        notes.repair(Repair::Default);
        notes.warn(Code::MissingSummary);
        fields.summary = fields
            .findings
            .first()
            .map(|finding| finding.summary.clone())
            .unwrap_or_default();
    }
}
