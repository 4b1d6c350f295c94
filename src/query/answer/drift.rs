//! DRIFT search (Microsoft Research 2024): reports give a first answer and questions to follow up, local searches answer those and
//! ask on, and everything found is brought together.
//!
//! Where the original draws at random (the pattern of the hypothetical answer, the follow-ups of a round), the pattern is fixed by
//! the question and the follow-ups of the best-scored answers come first: the same question asks the same things.

use std::sync::LazyLock;

use futures::StreamExt;
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::{ContextSummary, Draft, Engine, OnText, Params, Question, Said, allowed_in, judge};
use crate::config::{DRIFT_HYDE, DRIFT_PRIMER, Template};
use crate::llm::{Action, CallError, ChatRequest, Message, Stage};
use crate::model::shown::counted;
use crate::query::context::{Arrival, Context, Record, Section};
use crate::query::error::QueryError;
use crate::query::index::{Column, VectorName};
use crate::query::models::{Chat, Reply};
use crate::query::{levels, lexical};
use crate::report::citations::{AllowedIds, DataKind};

// invariant: a test of the configuration parses every built-in text with these placeholders
static HYDE: LazyLock<Template> = LazyLock::new(|| {
    Template::parse(DRIFT_HYDE, "built in", &["query", "template"], &[]).expect("a template")
});
static PRIMER: LazyLock<Template> = LazyLock::new(|| {
    let placeholders = ["query", "community_reports"];
    Template::parse(DRIFT_PRIMER, "built in", &placeholders, &[]).expect("a template")
});

/// Figures of a DRIFT search.
#[derive(Clone, Copy, Debug)]
pub struct DriftParams {
    /// Reports the first round reads.
    pub reports: usize,
    /// Calls they are divided among.
    pub folds: usize,
    /// Tokens of reports in one of these calls.
    pub primer_tokens: usize,
    /// Rounds of follow-up questions.
    pub depth: u32,
    /// Follow-up questions of a round.
    pub followups: usize,
    /// Steps at once.
    pub concurrency: usize,
    /// Tokens of step answers that are brought together.
    pub data_tokens: usize,
    /// Tokens of a step's context.
    pub step_tokens: usize,
    /// Share of it for text units.
    pub step_text_unit_share: f64,
    /// Share of it for reports.
    pub step_community_share: f64,
    /// Entities a step's question is mapped to.
    pub step_top_k_entities: usize,
    /// Relationships that lead out, per entity.
    pub step_top_k_relationships: usize,
    /// Sampling of a step.
    pub step_temperature: Option<f64>,
    /// Nucleus sampling of a step.
    pub step_top_p: Option<f64>,
    /// Tokens of a step's answer.
    pub step_max_output: Option<u32>,
    /// Sampling of the answer.
    pub reduce_temperature: Option<f64>,
    /// Tokens of the answer.
    pub reduce_max_output: Option<u32>,
}

impl Default for DriftParams {
    fn default() -> Self {
        Self {
            reports: 20,
            folds: 5,
            primer_tokens: 12_000,
            depth: 3,
            followups: 20,
            concurrency: 32,
            data_tokens: 12_000,
            step_tokens: 12_000,
            step_text_unit_share: 0.9,
            step_community_share: 0.1,
            step_top_k_entities: 10,
            step_top_k_relationships: 10,
            step_temperature: Some(0.0),
            step_top_p: None,
            step_max_output: None,
            reduce_temperature: Some(0.0),
            reduce_max_output: None,
        }
    }
}

/// A question that a DRIFT search asked on its way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// 0 for the first round, which reads reports; from 1 for follow-ups.
    pub round: u32,
    /// What was asked.
    pub question: String,
    /// How far the model says it helped, 0 to 100.
    pub score: f64,
}

/// How a DRIFT search went.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Inquiry {
    /// Reports the first round read.
    pub reports: usize,
    /// The steps that were answered, in the order they were asked.
    pub steps: Vec<Step>,
    /// Steps whose call failed.
    pub failed: usize,
    /// Follow-up questions that were proposed and not asked.
    pub left_open: usize,
}

impl Inquiry {
    /// In one line.
    pub fn words(&self) -> String {
        let rounds = self.steps.iter().map(|step| step.round).max().unwrap_or(0);
        let followed = self.steps.iter().filter(|step| step.round > 0).count();
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        format!(
            "{} read first, {} answered in {}{failed}, {} left open",
            counted(self.reports, "report"),
            counted(followed, "follow-up question"),
            counted(rounds, "round"),
            self.left_open
        )
    }
}

/// A step with what came of it.
struct Found {
    step: Step,
    text: String,
    follow_ups: Vec<String>,
    shown: Shown,
}

/// What one call was given to read.
struct Shown {
    allowed: AllowedIds,
    context: Context,
}

impl Engine<'_> {
    pub(super) async fn drift(
        &self,
        question: &Question,
        on_text: Option<OnText<'_>>,
    ) -> Result<Draft, QueryError> {
        let Some(chat) = self.chat else {
            return Err(QueryError::NeedsModel {
                what: "drift search",
                model: "drift_search.completion_model_id".to_owned(),
                instead: "ask with local or global search",
            });
        };
        let level = levels::choose(self.index.communities()?, question.level)?;
        let reports = self.reports_at(level)?;
        let params = self.params.drift;
        let mut draft = Draft::default();
        let near = self
            .nearest_reports(chat, question, &reports, &mut draft.notes)
            .await?;
        let mut inquiry = Inquiry::default();
        let mut found = self.prime(chat, question, &near, &mut inquiry).await?;
        let steps = Params {
            text_unit_share: params.step_text_unit_share,
            community_share: params.step_community_share,
            top_k_entities: params.step_top_k_entities,
            top_k_relationships: params.step_top_k_relationships,
            ..*self.params
        };
        let stepper = Engine {
            params: &steps,
            ..*self
        };
        let mut open: Vec<(f64, String)> = Vec::new();
        let mut asked: FxHashSet<Vec<u64>> = FxHashSet::default();
        asked.insert(lexical::term_set(&question.text));
        take_up(&found, &mut open, &mut asked);
        for round in 1..=params.depth {
            if open.is_empty() {
                break;
            }
            // Stable: of equal scores the one proposed first.
            open.sort_by(|a, b| b.0.total_cmp(&a.0));
            let later = open.split_off(params.followups.max(1).min(open.len()));
            let now = std::mem::replace(&mut open, later);
            let fresh = stepper
                .follow(chat, question, level, round, &now, &mut inquiry)
                .await?;
            take_up(&fresh, &mut open, &mut asked);
            found.extend(fresh);
        }
        inquiry.left_open = open.len();
        inquiry.steps = found.iter().map(|found| found.step.clone()).collect();
        found.sort_by(|a, b| b.step.score.total_cmp(&a.step.score));
        let said = self
            .bring_together(question, &found, &mut draft.notes, on_text)
            .await?;
        draft.take(said);
        if inquiry.failed > 0 {
            let steps = inquiry.failed + inquiry.steps.len();
            let why = format!("{} of {steps} steps failed", inquiry.failed);
            draft.lacks.push(why);
        }
        let mut allowed = AllowedIds::default();
        for found in &found {
            for kind in DataKind::ALL {
                allowed.allow(kind, found.shown.allowed.ids(kind).iter().copied());
            }
            draft.context.add_new(&found.shown.context);
        }
        draft.allowed = Some(allowed);
        draft.inquiry = Some(inquiry);
        Ok(draft)
    }

    /// The reports to begin with, nearest first: by the vector of a hypothetical answer, or by words where there are no vectors.
    async fn nearest_reports(
        &self,
        chat: &dyn Chat,
        question: &Question,
        reports: &[u32],
        notes: &mut Vec<String>,
    ) -> Result<Vec<(u32, Arrival)>, QueryError> {
        let texts = self.index.whole(Column::ReportText)?;
        let encoder = self.encoder_for(VectorName::Reports, notes)?;
        let mut searched = question.text.clone();
        if encoder.is_some() {
            // The original takes any report at random; one chosen by the question is the same every time.
            let hash = blake3::hash(question.text.as_bytes());
            let drawn = hash.as_bytes()[..8]
                .iter()
                .fold(0u64, |number, &byte| number << 8 | u64::from(byte));
            let pattern = reports
                .get((drawn % reports.len().max(1) as u64) as usize)
                .map_or("", |&report| texts.get(report as usize));
            let values = [("query", question.text.as_str()), ("template", pattern)];
            let request = ChatRequest {
                stage: Stage::Drift,
                item: "a hypothetical answer".to_owned(),
                messages: vec![Message::user(HYDE.render(&values))],
                salt: self.index.fingerprint().to_owned(),
                ..ChatRequest::default()
            };
            match chat.ask(request, &judge::text).await {
                Ok(answer) => searched = format!("{searched}\n{}", answer.value.text),
                Err(error) if error.action() == Action::StopRun => return Err(error.into()),
                Err(error) => notes.push(format!(
                    "no hypothetical answer came ({error}): reports were searched with the question itself"
                )),
            }
        }
        let similar = match encoder {
            Some(encoder) => {
                let vector = self.encode(encoder, VectorName::Reports, &searched).await?;
                self.index.similarities(VectorName::Reports, &vector)?
            }
            None => None,
        };
        let most = self.params.drift.reports.max(1);
        let mut near: Vec<(u32, Arrival)> = match similar {
            Some(near) => {
                let mut order: Vec<u32> = reports.to_vec();
                order.sort_by(|&a, &b| {
                    near[b as usize]
                        .total_cmp(&near[a as usize])
                        .then(a.cmp(&b))
                });
                order
                    .into_iter()
                    .map(|row| (row, Arrival::Vector))
                    .collect()
            }
            None => {
                let text = |at: usize| reports.get(at).map_or("", |&row| texts.get(row as usize));
                let (hits, _) = lexical::bm25(reports.len(), text, &searched);
                hits.into_iter()
                    .filter_map(|hit| reports.get(hit.row as usize))
                    .map(|&row| (row, Arrival::Lexical))
                    .collect()
            }
        };
        near.truncate(most);
        if near.is_empty() {
            // No word in common: the most important are as good a beginning as any.
            let ranks = &self.index.reports()?.ranks;
            let mut order = reports.to_vec();
            order.sort_by(|&a, &b| {
                ranks[b as usize]
                    .total_cmp(&ranks[a as usize])
                    .then(a.cmp(&b))
            });
            near = order
                .into_iter()
                .take(most)
                .map(|row| (row, Arrival::Report))
                .collect();
        }
        Ok(near)
    }

    /// The first round: each fold of the reports gives a first answer and questions to follow up.
    async fn prime(
        &self,
        chat: &dyn Chat,
        question: &Question,
        near: &[(u32, Arrival)],
        inquiry: &mut Inquiry,
    ) -> Result<Vec<Found>, QueryError> {
        let params = &self.params.drift;
        let history = self.history(question, params.primer_tokens);
        let query = match history.text.as_str() {
            "" => question.text.clone(),
            before => format!("{}\n\nWhat was said before:\n{before}", question.text),
        };
        let mut folds = Vec::new();
        let size = near.len().div_ceil(params.folds.max(1)).max(1);
        for fold in near.chunks(size) {
            folds.push(self.fold(fold, params.primer_tokens)?);
        }
        let calls = folds.len();
        inquiry.reports = folds
            .iter()
            .map(|fold| fold.records(DataKind::Reports).len())
            .sum();
        let asks = folds.iter().enumerate().map(|(number, fold)| {
            let text = fold.text();
            let values = [
                ("query", query.as_str()),
                ("community_reports", text.as_str()),
            ];
            let request = ChatRequest {
                stage: Stage::Drift,
                item: format!("reports {} of {calls}", number + 1),
                messages: vec![Message::user(PRIMER.render(&values))],
                schema: self.params.wants_schema.then(judge::primer_schema),
                salt: self.index.fingerprint().to_owned(),
                ..ChatRequest::default()
            };
            async move { chat.ask(request, &judge::primer).await }
        });
        let answers = self.all(asks).await?;
        let mut first_error = None;
        let mut found = Vec::new();
        for (answer, context) in answers.into_iter().zip(folds) {
            match answer {
                Ok(reply) => found.push(step_of(0, &question.text, reply, context)),
                Err(error) => {
                    inquiry.failed += 1;
                    first_error.get_or_insert(error);
                }
            }
        }
        match first_error {
            Some(first) if found.is_empty() => Err(QueryError::AllCallsFailed { calls, first }),
            _ => Ok(found),
        }
    }

    /// The reports of one call of the first round, as many as fit; at least one.
    fn fold(&self, reports: &[(u32, Arrival)], budget: usize) -> Result<Context, QueryError> {
        let (table, texts) = (self.index.reports()?, self.index.whole(Column::ReportText)?);
        let mut section = Section {
            kind: DataKind::Reports,
            text: String::new(),
            records: Vec::new(),
            tokens: 0,
            left_out: 0,
        };
        for &(row, arrived) in reports {
            let number = table.numbers.of(row);
            let text = format!("Report {number}\n{}\n\n", texts.get(row as usize));
            let tokens = (self.count)(&text);
            if section.tokens + tokens > budget && !section.records.is_empty() {
                section.left_out += 1;
                continue;
            }
            section.tokens += tokens;
            section.text.push_str(&text);
            section.records.push(Record {
                row,
                number,
                arrived,
            });
        }
        Ok(Context {
            sections: vec![section],
        })
    }

    /// One round: each follow-up question is a local search of its own.
    async fn follow(
        &self,
        chat: &dyn Chat,
        question: &Question,
        level: u32,
        round: u32,
        asked: &[(f64, String)],
        inquiry: &mut Inquiry,
    ) -> Result<Vec<Found>, QueryError> {
        let params = &self.params.drift;
        let mut contexts = Vec::with_capacity(asked.len());
        for (_, text) in asked {
            let (_, context) = self
                .local_context(text, &[], level, params.step_tokens)
                .await?;
            contexts.push(context);
        }
        let followups = params.followups.to_string();
        let asks = asked.iter().zip(&contexts).map(|((_, text), context)| {
            let data = context.text();
            let values = [
                ("context_data", data.as_str()),
                ("response_type", question.response_type.as_str()),
                ("global_query", question.text.as_str()),
                ("followups", followups.as_str()),
            ];
            let request = ChatRequest {
                stage: Stage::Drift,
                item: format!("follow-up question '{text}'"),
                messages: vec![
                    Message::system(self.prompts.drift.render(&values)),
                    Message::user(text.as_str()),
                ],
                schema: self.params.wants_schema.then(judge::step_schema),
                temperature: params.step_temperature,
                top_p: params.step_top_p,
                max_output_tokens: params.step_max_output,
                salt: self.index.fingerprint().to_owned(),
                ..ChatRequest::default()
            };
            async move { chat.ask(request, &judge::step).await }
        });
        let answers = self.all(asks).await?;
        let mut found = Vec::new();
        for ((answer, context), (_, text)) in answers.into_iter().zip(contexts).zip(asked) {
            match answer {
                Ok(reply) => found.push(step_of(round, text, reply, context)),
                Err(_) => inquiry.failed += 1,
            }
        }
        Ok(found)
    }

    /// The replies in the order of the questions, some asked at once.
    ///
    /// # Errors
    /// What stops every call. One that fails alone is an error in its place.
    async fn all<F>(
        &self,
        asks: impl Iterator<Item = F>,
    ) -> Result<Vec<Result<Reply, CallError>>, QueryError>
    where
        F: Future<Output = Result<crate::llm::Answer<Reply>, CallError>>,
    {
        let width = self.params.drift.concurrency.max(1);
        let mut running = futures::stream::iter(asks).buffered(width);
        let mut answers = Vec::new();
        while let Some(answer) = running.next().await {
            match answer {
                Err(error) if error.action() == Action::StopRun => return Err(error.into()),
                answer => answers.push(answer.map(|answer| answer.value)),
            }
        }
        Ok(answers)
    }

    /// The answer from what the steps found, best first.
    async fn bring_together(
        &self,
        question: &Question,
        found: &[Found],
        notes: &mut Vec<String>,
        on_text: Option<OnText<'_>>,
    ) -> Result<Said, QueryError> {
        let params = &self.params.drift;
        let mut data = String::new();
        let mut tokens = 0;
        for (place, found) in found.iter().enumerate() {
            let part = format!(
                "----Step {}----\nQuestion: {}\nScore: {}\n{}\n\n",
                place + 1,
                found.step.question,
                found.step.score.round(),
                found.text
            );
            tokens += (self.count)(&part);
            if tokens > params.data_tokens && place > 0 {
                break;
            }
            data.push_str(&part);
        }
        if tokens > params.data_tokens {
            notes.push(
                "not all step answers fit into the last call: those of the lowest score were left out"
                    .to_owned(),
            );
        }
        let values = [
            ("context_data", data.as_str()),
            ("response_type", question.response_type.as_str()),
        ];
        let request = ChatRequest {
            stage: Stage::Drift,
            item: "the answer".to_owned(),
            messages: vec![
                Message::system(self.prompts.drift_reduce.render(&values)),
                Message::user(question.text.as_str()),
            ],
            temperature: params.reduce_temperature,
            max_output_tokens: params.reduce_max_output,
            salt: self.index.fingerprint().to_owned(),
            ..ChatRequest::default()
        };
        self.ask_words(request, on_text).await
    }
}

fn step_of(round: u32, question: &str, reply: Reply, context: Context) -> Found {
    Found {
        step: Step {
            round,
            question: question.to_owned(),
            score: reply.score,
        },
        text: reply.text,
        follow_ups: reply.follow_ups,
        shown: Shown {
            allowed: allowed_in(&context),
            context,
        },
    }
}

/// Opens the follow-up questions that were not asked before, in any wording of the same words.
fn take_up(found: &[Found], open: &mut Vec<(f64, String)>, asked: &mut FxHashSet<Vec<u64>>) {
    for found in found {
        for text in &found.follow_ups {
            if asked.insert(lexical::term_set(text)) {
                open.push((found.step.score, text.clone()));
            }
        }
    }
}

impl ContextSummary {
    /// Adds what is not there yet, for an answer made from several contexts.
    fn add_new(&mut self, context: &Context) {
        let mut own = Self::default();
        own.add(context);
        self.tokens += own.tokens;
        for (name, table) in own.tables {
            match self.tables.entry(name) {
                std::collections::btree_map::Entry::Vacant(slot) => {
                    slot.insert(table);
                }
                std::collections::btree_map::Entry::Occupied(mut slot) => {
                    let known = slot.get_mut();
                    let ids: FxHashSet<u32> = known.rows.iter().map(|row| row.id).collect();
                    known
                        .rows
                        .extend(table.rows.into_iter().filter(|row| !ids.contains(&row.id)));
                    known.count = known.rows.len();
                    known.left_out += table.left_out;
                }
            }
        }
    }
}
