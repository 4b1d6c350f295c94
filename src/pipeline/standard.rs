//! Stages 3 to 6 with a model: extraction with gleanings, summaries of descriptions, claims.

use std::time::Instant;

use futures::StreamExt;
use futures::stream;

use super::calls::{Halt, Read, finish_of, land_all, until, verdict};
use super::error::PipelineError;
use super::load::Corpus;
use super::progress::Stage as ProgressStage;
use super::project::Project;
use crate::config::{
    CLAIMS_CONTINUE, CLAIMS_LOOP, EXTRACT_CONTINUE, EXTRACT_LOOP, Gleaning, Grounding,
};
use crate::extract::harvest::{EntityMention, Harvest, NO_DESCRIPTION, RelationshipMention};
use crate::llm::recover::{self, ExtractContext, PromptExamples};
use crate::llm::{Action, CallError, ChatRequest, Door, Message, RawAnswer, Stage, Usage, Verdict};
use crate::model::shown::counted;
use crate::model::{ExtractedClaim, Extraction, Outcome, TextUnitIx};
use crate::resolve::grounding;

/// Tokens of text for which one entity is expected; a first answer with fewer is asked for more.
const TOKENS_PER_ENTITY: usize = 120;

/// What one text unit yielded.
pub(super) struct UnitYield {
    pub extraction: Extraction,
    /// Where the entities' names stand in the text unit.
    pub spans: Vec<grounding::Occurrence>,
    pub claims: Vec<ExtractedClaim>,
    pub outcome: Outcome,
    pub taken: Taken,
}

/// What the accepted answers about one text unit took, whenever they were paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Taken {
    /// The first answer.
    pub first: Usage,
    /// Its seconds, unless it came from the cache.
    pub seconds: Option<f64>,
    /// Follow-up questions.
    pub gleanings: u32,
    /// Their answers.
    pub gleaned: Usage,
}

impl Taken {
    fn glean(&mut self, usage: Usage) {
        self.gleanings += 1;
        self.gleaned.prompt_tokens += usage.prompt_tokens;
        self.gleaned.completion_tokens += usage.completion_tokens;
    }
}

/// A text unit as the questions about it need it.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// For the ledger and for errors.
    pub name: &'a str,
    pub tokens: u32,
    pub text: &'a str,
}

/// Everything a model says about the text units.
pub(super) struct Extractor<'a> {
    project: &'a Project,
    graph: Door,
    claims: Option<Door>,
    entity_types: String,
    examples: PromptExamples,
}

impl<'a> Extractor<'a> {
    pub(super) fn new(project: &'a Project, graph: Door, claims: Option<Door>) -> Self {
        Self {
            project,
            graph,
            claims,
            entity_types: project.settings.extract_graph.entity_types.join(","),
            examples: PromptExamples::from_prompt(project.prompts.extract_graph.source()),
        }
    }

    /// Asks about every text unit; results come back in text unit order.
    ///
    /// # Errors
    /// What stops the run as a whole. A text unit that fails is a failed outcome.
    pub(super) async fn run(
        &self,
        corpus: &Corpus,
        halt: &Halt,
        progress: &ProgressStage<'_>,
    ) -> Result<Vec<UnitYield>, PipelineError> {
        let units = 0..corpus.units.len() as u32;
        let width = self.graph.width();
        let mut yields: Vec<Option<UnitYield>> = units.clone().map(|_| None).collect();
        let answers = stream::iter(until(units, halt))
            .map(|unit| async move {
                // A text unit is a few kilobytes of a file just written: the page cache answers in microseconds.
                let text = corpus.texts.read(TextUnitIx(unit))?;
                let asked = Asked {
                    name: &corpus.unit_name(unit),
                    tokens: corpus.units[unit as usize].n_tokens,
                    text: &text,
                };
                Ok((unit, self.unit(asked).await?))
            })
            .buffer_unordered(width);
        land_all(answers, halt, |(unit, found)| {
            yields[unit as usize] = Some(found);
            progress.inc(1);
            progress.remark(spent_so_far(&self.graph));
            Ok(())
        })
        .await?;
        Ok(yields.into_iter().flatten().collect())
    }

    /// Asks about one text unit.
    ///
    /// # Errors
    /// What stops the run as a whole.
    pub(super) async fn unit(&self, unit: Asked<'_>) -> Result<UnitYield, PipelineError> {
        let mut taken = Taken::default();
        let (graph, claims) = futures::join!(self.extract(unit, &mut taken), self.claims(unit));
        let (extraction, outcome) = item_or_stop(graph)?;
        let (claims, claims_outcome) = item_or_stop(claims)?;
        // Here, and not when all units are done: other calls are being waited for.
        let titles: Vec<&str> = extraction
            .entities
            .iter()
            .map(|entity| entity.title.as_str())
            .collect();
        let mut spans = Vec::new();
        grounding::occurrences(unit.text, &titles, &mut spans);
        Ok(UnitYield {
            spans,
            extraction,
            claims,
            outcome: worse(outcome, claims_outcome),
            taken,
        })
    }

    async fn extract(
        &self,
        unit: Asked<'_>,
        taken: &mut Taken,
    ) -> Result<(Extraction, Outcome), CallError> {
        let config = &self.project.settings.extract_graph;
        let text = unit.text;
        let values = [
            ("input_text", text),
            ("entity_types", self.entity_types.as_str()),
        ];
        let prompt = self.project.prompts.extract_graph.render(&values);
        let reading = ExtractContext {
            entity_types: &config.entity_types,
            passage: Some(text),
            examples: Some(&self.examples),
            ..ExtractContext::default()
        };
        let mut request = ChatRequest {
            stage: Stage::ExtractGraph,
            item: unit.name.to_owned(),
            messages: vec![Message::user(prompt)],
            ..ChatRequest::default()
        };
        let judge = |answer: &RawAnswer| {
            verdict(
                answer,
                recover::extraction(&answer.text, finish_of(answer), &reading),
            )
        };
        let start = Instant::now();
        let first = self.graph.ask(request.clone(), judge).await?;
        taken.seconds = (!first.cached).then(|| start.elapsed().as_secs_f64());
        let mut outcome = first.outcome;
        let Read {
            value: mut all,
            text: mut last,
            usage,
        } = first.value;
        taken.first = usage;
        let wanted = match config.gleaning {
            Gleaning::Always => true,
            Gleaning::WhenNeeded => {
                let tokens = unit.tokens as usize;
                let ended_well = matches!(outcome, Outcome::Ok | Outcome::Repaired(_));
                outcome != Outcome::Empty
                    && !(ended_well && all.entities.len() * TOKENS_PER_ENTITY >= tokens)
            }
        };
        for round in 0..if wanted { config.max_gleanings } else { 0 } {
            request.stage = Stage::Glean;
            request.messages.push(Message::assistant(last.as_str()));
            request.messages.push(Message::user(EXTRACT_CONTINUE));
            let reading = ExtractContext {
                known: Some(&all),
                ..reading
            };
            let judge = |answer: &RawAnswer| {
                verdict(
                    answer,
                    recover::extraction(&answer.text, finish_of(answer), &reading),
                )
            };
            // What a gleaning adds is welcome; that it fails costs nothing that was there.
            let more = match self.graph.ask(request.clone(), judge).await {
                Ok(more) => more,
                Err(error) if error.action() == Action::StopRun => return Err(error),
                Err(error) => {
                    outcome = worse(
                        outcome,
                        Outcome::Partial(format!("gleaning failed: {error}")),
                    );
                    break;
                }
            };
            taken.glean(more.value.usage);
            last = more.value.text;
            all.entities.extend(more.value.value.entities);
            all.relationships.extend(more.value.value.relationships);
            if round + 1 < config.max_gleanings {
                let (more, usage) = self.wants_more(&mut request, &last, EXTRACT_LOOP).await?;
                taken.glean(usage);
                if !more {
                    break;
                }
            }
        }
        Ok((all, outcome))
    }

    async fn wants_more(
        &self,
        request: &mut ChatRequest,
        last: &str,
        question: &'static str,
    ) -> Result<(bool, Usage), CallError> {
        let mut asked = request.clone();
        asked.messages.push(Message::assistant(last));
        asked.messages.push(Message::user(question));
        let judge = |answer: &RawAnswer| {
            let yes = answer
                .text
                .trim_start()
                .chars()
                .next()
                .is_some_and(|c| c.eq_ignore_ascii_case(&'y'));
            Verdict::Accept((yes, answer.usage.unwrap_or_default()), Outcome::Ok)
        };
        match self.graph.ask(asked, judge).await {
            Ok(answer) => Ok(answer.value),
            Err(error) if error.action() == Action::StopRun => Err(error),
            Err(_) => Ok((false, Usage::default())),
        }
    }

    async fn claims(&self, unit: Asked<'_>) -> Result<(Vec<ExtractedClaim>, Outcome), CallError> {
        let Some(door) = &self.claims else {
            return Ok((Vec::new(), Outcome::Ok));
        };
        let config = &self.project.settings.extract_claims;
        let text = unit.text;
        let values = [
            ("input_text", text),
            ("entity_specs", self.entity_types.as_str()),
            ("claim_description", config.description.as_str()),
        ];
        let prompt = self.project.prompts.extract_claims.render(&values);
        let context = recover::Context {
            passage: Some(text),
            ..recover::Context::default()
        };
        let judge = |answer: &RawAnswer| {
            verdict(
                answer,
                recover::claims(&answer.text, finish_of(answer), &context),
            )
        };
        let mut request = ChatRequest {
            stage: Stage::Claims,
            item: unit.name.to_owned(),
            messages: vec![Message::user(prompt)],
            ..ChatRequest::default()
        };
        let first = door.ask(request.clone(), judge).await?;
        let outcome = first.outcome;
        let Read {
            value: mut all,
            text: mut last,
            ..
        } = first.value;
        let rounds = if outcome == Outcome::Empty {
            0
        } else {
            config.max_gleanings
        };
        for round in 0..rounds {
            request.messages.push(Message::assistant(last.as_str()));
            request.messages.push(Message::user(CLAIMS_CONTINUE));
            let more = match door.ask(request.clone(), judge).await {
                Ok(more) => more,
                Err(error) if error.action() == Action::StopRun => return Err(error),
                Err(_) => break,
            };
            last = more.value.text;
            all.extend(more.value.value);
            if round + 1 < rounds && !self.wants_more(&mut request, &last, CLAIMS_LOOP).await?.0 {
                break;
            }
        }
        Ok((all, outcome))
    }
}

/// A failed call is the item's outcome; one that stops the run is passed on.
pub(super) fn item_or_stop<T: Default>(
    result: Result<(T, Outcome), CallError>,
) -> Result<(T, Outcome), PipelineError> {
    match result {
        Ok(found) => Ok(found),
        Err(error) if error.action() == Action::StopRun => Err(error.into()),
        Err(error) => Ok((T::default(), Outcome::Failed(error.to_string()))),
    }
}

fn severity(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Ok => 0,
        Outcome::Empty => 1,
        Outcome::Repaired(_) => 2,
        Outcome::Partial(_) => 3,
        Outcome::Failed(_) => 4,
    }
}

fn worse(a: Outcome, b: Outcome) -> Outcome {
    if severity(&b) > severity(&a) { b } else { a }
}

/// Calls and cost so far, for the progress line.
pub(super) fn spent_so_far(door: &Door) -> String {
    let spent = door.spent();
    match spent.cost {
        Some(cost) if cost > 0.0 => format!("{}, cost {cost:.2}", counted(spent.calls, "call")),
        _ => counted(spent.calls, "call"),
    }
}

/// Turns what the model said into mentions, in text unit order. Names that their text unit does not contain are treated as
/// `entity_resolution.grounding` says; their number is returned beside the harvest.
///
/// # Errors
/// The scratch file of texts is gone.
pub(super) fn harvest(yields: &[UnitYield], grounding: Grounding) -> (Harvest, u64) {
    let mut harvest = Harvest::default();
    let mut ungrounded = 0;
    for (unit, found) in yields.iter().enumerate() {
        if found.extraction.entities.is_empty() {
            continue;
        }
        let spans = &found.spans;
        let mut first: Vec<Option<(u32, u32)>> = vec![None; found.extraction.entities.len()];
        for &(name, start, end) in spans {
            first[name as usize].get_or_insert((start, end));
        }
        for (row, entity) in found.extraction.entities.iter().enumerate() {
            if first[row].is_none() {
                ungrounded += 1;
                if grounding == Grounding::KeepOut {
                    continue;
                }
            }
            let mention = EntityMention {
                name: harvest.names.intern(&entity.title),
                unit: unit as u32,
                kind: harvest.kinds.intern(&entity.kind),
                description: description(&mut harvest, &entity.description),
                span: first[row],
                sentence: 0,
                cues: Default::default(),
            };
            harvest.entities.push(mention);
            for &(_, start, end) in spans.iter().filter(|span| span.0 as usize == row) {
                if first[row] != Some((start, end)) {
                    harvest.entities.push(EntityMention {
                        description: NO_DESCRIPTION,
                        span: Some((start, end)),
                        ..mention
                    });
                }
            }
        }
        for relationship in &found.extraction.relationships {
            let mention = RelationshipMention {
                source: harvest.names.intern(&relationship.source),
                target: harvest.names.intern(&relationship.target),
                unit: unit as u32,
                description: description(&mut harvest, &relationship.description),
                weight: relationship.weight,
            };
            harvest.relationships.push(mention);
        }
    }
    (harvest, ungrounded)
}

fn description(harvest: &mut Harvest, text: &str) -> u32 {
    match text.trim() {
        "" => NO_DESCRIPTION,
        text => harvest.descriptions.intern(text),
    }
}
