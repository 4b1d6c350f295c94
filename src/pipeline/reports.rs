//! Stage 8 with a model: a report on every community, children before parents, across levels.

use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use serde_json::json;

use super::calls::{Halt, finish_of, verdict};
use super::error::PipelineError;
use super::finish::Index;
use super::models::wants_schema;
use super::progress::Stage as ProgressStage;
use super::project::Project;
use super::standard::spent_so_far;
use crate::config::ReportMode;
use crate::llm::recover::{self, PromptExamples, ReportContext};
use crate::llm::{Action, CallError, ChatRequest, Door, JsonSchema, Message, RawAnswer, Stage};
use crate::model::{CommunityIx, Outcome, Report, ReportSource};
use crate::report::{
    Assembled, Context, ContextBuilder, Defaults, DraftReport, Graph, Schedule, assemble,
};

/// How often a context that the model finds too long is halved before the report is extracted instead.
const SHRINKS: u32 = 3;

/// Tokens below which a context is not worth asking about.
const SMALLEST_CONTEXT: usize = 200;

/// Marks a finding none of whose citations was in the context.
const UNSUPPORTED: &str = " [unsupported]";

/// Writes all reports, in community order, with how each ended; `extracted` are those made without a model, and `on_report` sees each
/// as soon as it is final.
///
/// A community whose report fails keeps an extractive one, so that global search never has holes; its outcome is `failed` and the
/// next run asks again.
///
/// # Errors
/// What stops the run as a whole.
pub(super) async fn write(
    project: &Project,
    index: &Index,
    extracted: Vec<Report>,
    door: Option<Door>,
    halt: &Halt,
    progress: &ProgressStage<'_>,
    on_report: impl Fn(usize, &Report),
) -> Result<Vec<(Report, Outcome)>, PipelineError> {
    let config = &project.settings.community_reports;
    let door = match (door, config.mode) {
        (Some(door), ReportMode::Auto | ReportMode::Model) => door,
        (None, ReportMode::Model) => {
            return Err(PipelineError::Settings(format!(
                "community_reports.mode is model, but completion_models.{} is not there; add it or set mode: auto",
                config.completion_model_id
            )));
        }
        _ => {
            progress.inc(extracted.len() as u64);
            for (row, report) in extracted.iter().enumerate() {
                on_report(row, report);
            }
            return Ok(extracted
                .into_iter()
                .map(|report| (report, Outcome::Ok))
                .collect());
        }
    };
    let (_, tokenizer) = project.chunk_settings()?;
    let count = |text: &str| tokenizer.count(text);
    let graph = Graph {
        entities: &index.entities,
        relationships: &index.relationships,
        communities: &index.communities,
        claims: index.claims.as_deref().unwrap_or_default(),
    };
    let builder = tokio::task::block_in_place(|| ContextBuilder::new(graph, &count));
    let writer = Writer {
        project,
        door,
        examples: PromptExamples::from_prompt(project.prompts.community_report_graph.source()),
        schema: wants_schema(&project.settings, &config.completion_model_id).then(report_schema),
    };
    let template = count(project.prompts.community_report_graph.source());
    let budget = (config.max_input_length as usize)
        .saturating_sub(template)
        .max(SMALLEST_CONTEXT);
    let width = writer.door.width();
    let mut schedule = Schedule::new(&index.communities);
    let mut written: Vec<Option<(Report, Outcome)>> = vec![None; index.communities.len()];
    let mut running = FuturesUnordered::new();
    let mut stopped = None;
    let mut again: Vec<(CommunityIx, u32)> = Vec::new();
    loop {
        while running.len() < width && !halt.is_set() {
            let next = again
                .pop()
                .or_else(|| schedule.start_next().map(|community| (community, 0)));
            let Some((community, shrinks)) = next else {
                break;
            };
            let finished = |at: CommunityIx| written[at.at()].as_ref().map(|(report, _)| report);
            let context = builder.local(community, &finished).fit(budget >> shrinks);
            running.push(writer.one(community, context, &extracted[community.at()], shrinks));
        }
        let Some((community, shrinks, result)) = running.next().await else {
            break;
        };
        let ended = match result {
            Ok((assembled, Outcome::Partial(why))) if assembled.report.findings.is_empty() => {
                let mut fallback = extracted[community.at()].clone();
                fallback.source = ReportSource::Fallback;
                let why = format!("ends before its first finding: {why}");
                (fallback, Outcome::Failed(why))
            }
            Ok((assembled, outcome)) => (finish(assembled), outcome),
            Err(error) if error.action() == Action::ShrinkContext && shrinks < SHRINKS => {
                again.push((community, shrinks + 1));
                continue;
            }
            Err(error) if error.action() == Action::StopRun => {
                halt.set();
                stopped.get_or_insert(error);
                continue;
            }
            Err(error) => {
                let mut fallback = extracted[community.at()].clone();
                fallback.source = ReportSource::Fallback;
                (fallback, Outcome::Failed(error.to_string()))
            }
        };
        on_report(community.at(), &ended.0);
        written[community.at()] = Some(ended);
        schedule.finish(community);
        progress.inc(1);
        progress.remark(spent_so_far(&writer.door));
    }
    match stopped {
        Some(error) => Err(error.into()),
        None => Ok(written.into_iter().flatten().collect()),
    }
}

struct Writer<'a> {
    project: &'a Project,
    door: Door,
    examples: PromptExamples,
    schema: Option<JsonSchema>,
}

impl Writer<'_> {
    async fn one(
        &self,
        community: CommunityIx,
        context: Context,
        extracted: &Report,
        shrinks: u32,
    ) -> (CommunityIx, u32, Result<(Assembled, Outcome), CallError>) {
        (
            community,
            shrinks,
            self.ask(community, context, extracted).await,
        )
    }

    async fn ask(
        &self,
        community: CommunityIx,
        context: Context,
        extracted: &Report,
    ) -> Result<(Assembled, Outcome), CallError> {
        let length = self
            .project
            .settings
            .community_reports
            .max_length
            .to_string();
        let values = [
            ("input_text", context.text.as_str()),
            ("max_report_length", length.as_str()),
        ];
        let request = ChatRequest {
            stage: Stage::Report,
            item: format!("community {}", community.0),
            messages: vec![Message::user(
                self.project.prompts.community_report_graph.render(&values),
            )],
            schema: self.schema.clone(),
            ..ChatRequest::default()
        };
        let reading = ReportContext {
            fallback_title: &extracted.title,
            passage: Some(&context.text),
            examples: Some(&self.examples),
            ..ReportContext::default()
        };
        let judge = |answer: &RawAnswer| {
            verdict(
                answer,
                recover::report(&answer.text, finish_of(answer), &reading),
            )
        };
        let answer = self.door.ask(request, judge).await?;
        let draft = answer.value.value;
        let draft = DraftReport {
            title: draft.title,
            summary: draft.summary,
            findings: draft.findings,
            rating: Some(draft.rating),
            rating_explanation: draft.rating_explanation,
        };
        let defaults = Defaults {
            title: &extracted.title,
            rank: extracted.rank,
        };
        Ok((
            assemble(community, draft, &context.allowed, &defaults),
            answer.outcome,
        ))
    }
}

fn finish(assembled: Assembled) -> Report {
    let mut report = assembled.report;
    for (finding, unsupported) in report.findings.iter_mut().zip(assembled.unsupported) {
        if unsupported {
            finding.explanation.push_str(UNSUPPORTED);
        }
    }
    report
}

fn report_schema() -> JsonSchema {
    let text = json!({ "type": "string" });
    JsonSchema {
        name: "community_report".to_owned(),
        schema: Arc::new(json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["title", "summary", "findings", "rating", "rating_explanation"],
            "properties": {
                "title": text,
                "summary": text,
                "rating": { "type": "number" },
                "rating_explanation": text,
                "findings": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["summary", "explanation"],
                        "properties": { "summary": text, "explanation": text },
                    },
                },
            },
        })),
    }
}
