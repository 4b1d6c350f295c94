//! Answering: anchors, context, a model or the corpus' own sentences, and the evidence followed.

mod anchors;
mod basic;
mod closed;
mod compose;
mod drift;
mod global;
mod judge;
mod local;
mod roster;
mod select;
mod themes;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

pub use drift::{DriftParams, Inquiry, Step};
pub use select::SelectionParams;

use super::context::{self, Arrival, Context, History, Turn};
use super::error::QueryError;
use super::evidence::{self, Evidence, Resolved, Unresolved};
use super::index::Index;
use super::models::{Chat, Meter, QuestionEncoder, Used};
use super::own;
use crate::config::Template;
use crate::model::shown::counted;
use crate::report::citations::AllowedIds;

/// How a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// From the entities it is about.
    Local,
    /// From the reports on the whole corpus.
    Global,
    /// From the nearest text units.
    Basic,
    /// From reports first, then from the entities that follow-up questions lead to.
    Drift,
    /// From what the model knows, without the corpus.
    ClosedBook,
}

impl Method {
    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Global => "global",
            Self::Basic => "basic",
            Self::Drift => "drift",
            Self::ClosedBook => "closed-book",
        }
    }

    /// Whether nothing can be answered without a model.
    pub fn needs_model(self) -> bool {
        matches!(self, Self::Drift | Self::ClosedBook)
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The question.
    pub text: String,
    /// How to answer it.
    pub method: Method,
    /// Length and form, in words; a model heeds it.
    pub response_type: String,
    /// Level of the reports; by default 2, or the deepest there is.
    pub level: Option<u32>,
    /// What was said before, oldest first.
    pub history: Vec<Turn>,
    /// Whether a model first rates which reports a global search reads.
    pub select_reports: bool,
}

impl Question {
    /// A question without a past, answered at the default level.
    pub fn new(method: Method, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            method,
            response_type: "Multiple Paragraphs".to_owned(),
            level: None,
            history: Vec::new(),
            select_reports: false,
        }
    }
}

/// Figures of the searches, from the settings.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Tokens of a local context.
    pub local_tokens: usize,
    /// Share of it for text units.
    pub text_unit_share: f64,
    /// Share of it for reports.
    pub community_share: f64,
    /// Entities a question is mapped to; twice as many are taken, as the original does.
    pub top_k_entities: usize,
    /// Relationships that lead out, per entity.
    pub top_k_relationships: usize,
    /// Neighbours from which an entity is not walked through.
    pub hub_cap: Option<u32>,
    /// Tokens of one batch of reports.
    pub batch_tokens: usize,
    /// Tokens of points that the reduce call reads.
    pub points_tokens: usize,
    /// Words a map call is asked to keep to.
    pub map_words: u32,
    /// Words the reduce call is asked to keep to.
    pub reduce_words: u32,
    /// Whether the answer may bring in what the model knows.
    pub general_knowledge: bool,
    /// Calls in flight at most.
    pub concurrency: usize,
    /// Whether map answers are held to a schema.
    pub wants_schema: bool,
    /// Text units of a basic search.
    pub basic_k: usize,
    /// Tokens of its context.
    pub basic_tokens: usize,
    /// Tokens of all reports a global search reads; `None` for all reports.
    pub report_tokens: Option<usize>,
    /// Whether an answer without a model is made of the context alone, and not of all that was found.
    pub context_only: bool,
    /// Earlier turns of a conversation that are given.
    pub history_turns: usize,
    /// Selection of reports by a model.
    pub selection: SelectionParams,
    /// DRIFT search.
    pub drift: DriftParams,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            local_tokens: 12_000,
            text_unit_share: 0.5,
            community_share: 0.15,
            top_k_entities: 10,
            top_k_relationships: 10,
            hub_cap: Some(20),
            batch_tokens: 12_000,
            points_tokens: 12_000,
            map_words: 1000,
            reduce_words: 2000,
            general_knowledge: false,
            concurrency: 25,
            wants_schema: true,
            basic_k: 10,
            basic_tokens: 12_000,
            report_tokens: None,
            context_only: false,
            history_turns: 5,
            selection: SelectionParams::default(),
            drift: DriftParams::default(),
        }
    }
}

/// The prompts of the searches.
#[derive(Clone, Copy, Debug)]
pub struct SearchPrompts<'a> {
    /// Answer of a local search.
    pub local: &'a Template,
    /// Points of a batch of reports.
    pub map: &'a Template,
    /// Answer from points.
    pub reduce: &'a Template,
    /// Appended where general knowledge is allowed.
    pub knowledge: &'a Template,
    /// Answer of a basic search.
    pub basic: &'a Template,
    /// Answer of a DRIFT step.
    pub drift: &'a Template,
    /// Answer from DRIFT's steps.
    pub drift_reduce: &'a Template,
    /// Questions to ask next.
    pub question_gen: &'a Template,
}

/// Receives text of an answer as it comes.
pub type OnText<'a> = &'a mut (dyn FnMut(&str) + Send);

/// Everything that answers questions against one index.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    /// The index.
    pub index: &'a Index,
    /// Figures.
    pub params: &'a Params,
    /// Prompts.
    pub prompts: SearchPrompts<'a>,
    /// The model; without one, answers are made of the corpus' own sentences.
    pub chat: Option<&'a dyn Chat>,
    /// What embeds the question.
    pub encoder: Option<&'a dyn QuestionEncoder>,
    /// Counts tokens.
    pub count: &'a (dyn Fn(&str) -> usize + Sync),
}

/// One row of the context with how it arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContextRow {
    /// The number a citation uses.
    pub id: u32,
    /// How it arrived.
    pub arrived: Arrival,
}

/// One table of the context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContextTable {
    /// Rows the model (or the extractive answer) was given.
    pub count: usize,
    /// Rows that the budget left out.
    pub left_out: usize,
    /// The rows.
    pub rows: Vec<ContextRow>,
}

/// What the answer was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ContextSummary {
    /// By table: `reports`, `entities`, `relationships`, `claims`, `sources`.
    pub tables: BTreeMap<String, ContextTable>,
    /// Tokens of all tables.
    pub tokens: usize,
}

impl ContextSummary {
    fn add(&mut self, context: &Context) {
        for section in &context.sections {
            let name = section.kind.as_str().to_lowercase();
            let table = self.tables.entry(name).or_insert(ContextTable {
                count: 0,
                left_out: 0,
                rows: Vec::new(),
            });
            table.count += section.records.len();
            table.left_out += section.left_out;
            table
                .rows
                .extend(section.records.iter().map(|record| ContextRow {
                    id: record.number,
                    arrived: record.arrived,
                }));
            self.tokens += section.tokens;
        }
    }
}

/// How the question was mapped to an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnchorRow {
    /// The number a citation uses.
    pub id: u32,
    /// The entity's name.
    pub title: String,
    /// How the question matched it.
    pub matched: Arrival,
    /// Whether relationships were followed from it.
    pub expanded: bool,
}

/// What a global answer read.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Coverage {
    /// Level of the reports.
    pub level: u32,
    /// Reports read.
    pub reports_read: usize,
    /// Reports that represent the level.
    pub reports: usize,
    /// Map calls.
    pub batches: usize,
    /// Map calls that failed.
    pub batches_failed: usize,
    /// Share of the documents that the reports read stand on, 0 to 1.
    pub documents_represented: f64,
    /// Reports that a model rated to select those that are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rated: Option<usize>,
}

impl Coverage {
    /// In one line.
    pub fn words(&self) -> String {
        let failed = match self.batches_failed {
            0 => String::new(),
            failed => format!(", {failed} of {} batches failed", self.batches),
        };
        let from = match self.rated {
            Some(rated) => format!(
                "{} rated, {} of {} selected read",
                counted(rated, "report"),
                self.reports_read,
                self.reports
            ),
            None => format!(
                "{} of {} at level {}",
                self.reports_read,
                counted(self.reports, "report"),
                self.level
            ),
        };
        format!(
            "{from}{failed}, {:.0} % of documents represented",
            self.documents_represented * 100.0
        )
    }
}

/// An answer with its evidence.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Answered {
    /// With citations `[Data: ...]`; those that lead nowhere are marked `[unresolved: ...]`.
    pub answer: String,
    /// `local`, `global`, `basic`, `drift` or `closed-book`.
    pub method: &'static str,
    /// Every citation, followed.
    pub citations: Vec<Resolved>,
    /// Citations that lead nowhere.
    pub unresolved: Vec<Unresolved>,
    /// Citations whose text shares no word with the sentence.
    pub unsupported: usize,
    /// What the answer was made from.
    pub context: ContextSummary,
    /// How the question was mapped to entities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<AnchorRow>,
    /// What the calls cost; null without a model.
    pub usage: Option<Used>,
    /// Wall time, filled in by whoever has a clock.
    pub seconds: f64,
    /// What a global answer read.
    pub coverage: Option<Coverage>,
    /// The steps of a DRIFT search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inquiry: Option<Inquiry>,
    /// What the answer lacks: calls that failed, an end that never came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// What the asker should know.
    pub notes: Vec<String>,
    /// Fingerprint of the index.
    pub index: String,
}

impl Answered {
    /// The evidence in the form that prints.
    pub fn evidence(&self) -> Evidence {
        Evidence {
            answer: self.answer.clone(),
            citations: self.citations.clone(),
            unresolved: self.unresolved.clone(),
            unsupported: self.unsupported,
        }
    }
}

/// A text with what is known about how it was made, before its citations are followed.
#[derive(Default)]
struct Draft {
    text: String,
    context: ContextSummary,
    allowed: Option<AllowedIds>,
    anchors: Vec<AnchorRow>,
    coverage: Option<Coverage>,
    inquiry: Option<Inquiry>,
    notes: Vec<String>,
    /// What is missing from it, each in words.
    lacks: Vec<String>,
}

/// What a model said, and what its answer lacks.
#[derive(Default)]
pub(in crate::query) struct Said {
    pub(in crate::query) text: String,
    pub(in crate::query) lacks: Option<String>,
}

impl Draft {
    /// Makes the text of what a model said.
    fn take(&mut self, said: Said) {
        self.text = said.text;
        self.lacks.extend(said.lacks);
    }
}

impl Engine<'_> {
    /// Answers a question; `on_text` is given the model's text as it comes, where there is one.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub async fn answer(
        &self,
        question: &Question,
        on_text: Option<OnText<'_>>,
    ) -> Result<Answered, QueryError> {
        if question.text.trim().is_empty() {
            return Err(QueryError::EmptyQuestion);
        }
        let meter = self.chat.map(Meter::new);
        let before = self.encoder.and_then(QuestionEncoder::used);
        let engine = Engine {
            chat: meter.as_ref().map(|meter| meter as &dyn Chat),
            ..*self
        };
        let warned = engine.chat.map(Chat::warnings).unwrap_or_default();
        let mut draft = match question.method {
            Method::Local => engine.local(question, on_text).await?,
            Method::Global => engine.global(question, on_text).await?,
            Method::Basic => engine.basic(question, on_text).await?,
            Method::Drift => engine.drift(question, on_text).await?,
            Method::ClosedBook => engine.closed_book(question, on_text).await?,
        };
        let incomplete = (!draft.lacks.is_empty()).then(|| draft.lacks.join("; "));
        if let Some(why) = &incomplete {
            draft.text.push_str(&own::incomplete(why));
        }
        let warnings = engine.chat.map(Chat::warnings).unwrap_or_default();
        let new = |warning: &String| !warned.contains(warning);
        draft.notes.extend(warnings.into_iter().filter(new));
        let evidence = evidence::resolve(&draft.text, self.index, draft.allowed.as_ref())?;
        let embedded = self
            .encoder
            .and_then(QuestionEncoder::used)
            .zip(before)
            .map(|(now, before)| now.since(before));
        Ok(Answered {
            answer: evidence.answer,
            method: question.method.as_str(),
            citations: evidence.citations,
            unresolved: evidence.unresolved,
            unsupported: evidence.unsupported,
            context: draft.context,
            anchors: draft.anchors,
            usage: engine.chat.map(Chat::used).or(embedded),
            seconds: 0.0,
            coverage: draft.coverage,
            inquiry: draft.inquiry,
            incomplete,
            notes: draft.notes,
            index: self.index.fingerprint().to_owned(),
        })
    }

    /// The conversation so far as a model reads it, within a quarter of a context of `tokens`.
    fn history(&self, question: &Question, tokens: usize) -> History {
        context::history(
            &question.history,
            self.params.history_turns,
            tokens / 4,
            self.count,
        )
    }
}

/// The ids a model that reads `context` may cite: its rows, and what they cite themselves.
fn allowed_in(context: &Context) -> AllowedIds {
    let mut allowed = AllowedIds::default();
    for section in &context.sections {
        allowed.allow(
            section.kind,
            section.records.iter().map(|record| record.number),
        );
    }
    allowed.allow_cited_in(&context.text());
    allowed
}
