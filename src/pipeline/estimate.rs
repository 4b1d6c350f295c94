//! What a run with a model will take: exact token counts of the corpus, ranges for what only the model decides.
//!
//! The ranges come from indexes that real models made: 10 to 16 entities and 18 to 26 relationships per 1,200 tokens of prose,
//! communities a fifth to a quarter of the entities (42 text units of a novel gave 529 entities, 978 relationships and 122
//! communities).

use rayon::prelude::*;
use serde::Serialize;

use super::error::PipelineError;
use super::project::Project;
use crate::chunk;
use crate::config::{EmbeddingName, Gleaning, ModelConfig};
use crate::input::{discover, read};
use crate::llm::{PRICES_AS_OF, Prices, Usage, built_in_prices};
use crate::model::DocumentIx;

/// Where `estimate` leaves its figures in the output folder, for `status`.
pub const ESTIMATE_FILE: &str = "estimate.json";

/// A lower and an upper end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Range {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Range {
    fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    fn exactly(value: f64) -> Self {
        Self::new(value, value)
    }

    fn plus(self, other: Self) -> Self {
        Self::new(self.low + other.low, self.high + other.high)
    }

    fn times(self, low: f64, high: f64) -> Self {
        Self::new(self.low * low, self.high * high)
    }
}

/// One stage of the estimate.
#[derive(Clone, Debug, Serialize)]
pub struct StageEstimate {
    /// The stage's word in the ledger.
    pub stage: &'static str,
    /// Its model.
    pub model: String,
    /// Calls.
    pub calls: Range,
    /// Tokens of prompts.
    pub prompt_tokens: Range,
    /// Tokens of answers.
    pub completion_tokens: Range,
    /// Money; null when the model's price is unknown.
    pub cost: Option<Range>,
    /// Hours at the configured limits, one to twenty seconds a call.
    pub hours: Range,
}

/// The whole estimate.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// `standard`, or `fast` where no model is configured and nothing is paid.
    pub method: &'static str,
    /// Documents.
    pub documents: u64,
    /// Text units.
    pub text_units: u64,
    /// Tokens of the text units, exact.
    pub corpus_tokens: u64,
    /// By stage, in order.
    pub stages: Vec<StageEstimate>,
    /// All calls.
    pub calls: Range,
    /// All tokens.
    pub tokens: Range,
    /// All money; null when a price is unknown.
    pub cost: Option<Range>,
    /// All hours.
    pub hours: Range,
    /// What the figures rest on.
    pub notes: Vec<String>,
}

/// What extraction yields per thousand tokens of text.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Density {
    /// Distinct entities.
    entities: Range,
    /// Relationships.
    relationships: Range,
    /// Tokens of an answer.
    answer_tokens: Range,
}

impl Default for Density {
    fn default() -> Self {
        Self {
            entities: Range::new(8.0, 14.0),
            relationships: Range::new(12.0, 22.0),
            answer_tokens: Range::new(500.0, 1300.0),
        }
    }
}

/// Seconds an answer takes: a fast hosted model, a slow local one.
const SECONDS_A_CALL: Range = Range {
    low: 1.0,
    high: 20.0,
};

/// The corpus in numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    documents: u64,
    units: u64,
    tokens: u64,
}

/// Reads and cuts the corpus without writing anything, and reckons. No call is made.
///
/// # Errors
/// Settings and input errors.
pub fn estimate(project: &Project) -> Result<Estimate, PipelineError> {
    let counts = count(project)?;
    let mut notes = Vec::new();
    if !project.settings.has_completion_model() {
        notes.push(
            "no completion model is configured: --method fast makes no call and costs nothing"
                .to_owned(),
        );
        return Ok(Estimate {
            method: "fast",
            documents: counts.documents,
            text_units: counts.units,
            corpus_tokens: counts.tokens,
            stages: Vec::new(),
            calls: Range::default(),
            tokens: Range::default(),
            cost: Some(Range::default()),
            hours: Range::default(),
            notes,
        });
    }
    let stages = stages(project, counts, &Density::default())?;
    let sum = |pick: fn(&StageEstimate) -> Range| {
        stages.iter().map(pick).fold(Range::default(), Range::plus)
    };
    let cost = stages.iter().try_fold(Range::default(), |sum, stage| {
        stage.cost.map(|cost| sum.plus(cost))
    });
    notes.push("answers as long and as dense as real models gave on prose".to_owned());
    notes.push(
        "answers that are in the cache already cost nothing and are not subtracted".to_owned(),
    );
    if cost.is_none() {
        notes.push("cost unknown: give prices for the model in settings.yaml".to_owned());
    } else if stages
        .iter()
        .any(|stage| built_in_prices(&stage.model).is_some())
    {
        notes.push(format!(
            "built-in prices as of {PRICES_AS_OF}; prices in settings.yaml replace them"
        ));
    }
    Ok(Estimate {
        method: "standard",
        documents: counts.documents,
        text_units: counts.units,
        corpus_tokens: counts.tokens,
        calls: sum(|stage| stage.calls),
        tokens: sum(|stage| stage.prompt_tokens).plus(sum(|stage| stage.completion_tokens)),
        hours: sum(|stage| stage.hours),
        cost,
        stages,
        notes,
    })
}

fn count(project: &Project) -> Result<Counts, PipelineError> {
    let input = project.input_settings()?;
    let (chunking, tokenizer) = project.chunk_settings()?;
    let files = discover(&project.input_dir(), &input)?;
    let counted: Vec<Result<Counts, PipelineError>> = files
        .par_iter()
        .filter(|file| file.is_selected())
        .map(|file| {
            let mut counts = Counts::default();
            let mut units = Vec::new();
            read(file, &input, &mut |document| {
                units.clear();
                chunk::split(&document, DocumentIx(0), &chunking, tokenizer, &mut units);
                counts.documents += 1;
                counts.units += units.len() as u64;
                counts.tokens += units
                    .iter()
                    .map(|unit| u64::from(unit.n_tokens))
                    .sum::<u64>();
                std::ops::ControlFlow::Continue(())
            })?;
            Ok(counts)
        })
        .collect();
    let mut all = Counts::default();
    for counts in counted {
        let counts = counts?;
        all.documents += counts.documents;
        all.units += counts.units;
        all.tokens += counts.tokens;
    }
    Ok(all)
}

fn stages(
    project: &Project,
    counts: Counts,
    density: &Density,
) -> Result<Vec<StageEstimate>, PipelineError> {
    let settings = &project.settings;
    let (_, tokenizer) = project.chunk_settings()?;
    let tokens = |text: &str| tokenizer.count(text) as f64;
    let units = counts.units as f64;
    let text = counts.tokens as f64;
    let thousands = text / 1000.0;
    let extract_prompt = units * tokens(project.prompts.extract_graph.source()) + text;
    let answers = density.answer_tokens.times(thousands, thousands);
    let mut out = Vec::new();
    let chat = |id: &str| settings.completion_model(id);
    let mut add = |stage, model: Option<&ModelConfig>, calls, prompt, completion| {
        if let Some(model) = model {
            out.push(stage_estimate(
                settings.concurrent_requests,
                stage,
                model,
                calls,
                prompt,
                completion,
            ));
        }
    };
    let graph = &settings.extract_graph;
    let model = chat(&graph.completion_model_id);
    add(
        "extract_graph",
        model,
        Range::exactly(units),
        Range::exactly(extract_prompt),
        answers,
    );
    let rounds = f64::from(graph.max_gleanings);
    let gleaned = match graph.gleaning {
        Gleaning::Always => Range::exactly(units * rounds),
        Gleaning::WhenNeeded => Range::new(0.0, units * rounds),
    };
    if gleaned.high > 0.0 {
        let per_call = (extract_prompt + answers.high) / units.max(1.0);
        let answer = answers.times(0.2, 0.5);
        let completion = Range::new(
            answer.low * gleaned.low / units.max(1.0),
            answer.high * rounds,
        );
        add(
            "glean",
            model,
            gleaned,
            gleaned.times(per_call, per_call),
            completion,
        );
    }
    let claims = &settings.extract_claims;
    if claims.enabled {
        let prompt = units * tokens(project.prompts.extract_claims.source()) + text;
        let calls = Range::new(units, units * (1.0 + f64::from(claims.max_gleanings)));
        let share = calls.times(1.0 / units.max(1.0), 1.0 / units.max(1.0));
        let model = chat(&claims.completion_model_id);
        add(
            "extract_claims",
            model,
            calls,
            share.times(prompt, prompt),
            answers.times(0.5, 1.0),
        );
    }
    let entities = density.entities.times(thousands, thousands * 0.9);
    let relationships = density.relationships.times(thousands, thousands);
    let judged = &settings.entity_resolution;
    if judged.enabled && judged.adjudicate {
        // On the demo corpus one pair is left undecided for every ten to twenty entities.
        let calls = entities.times(0.02, 0.2);
        let template = tokens(project.prompts.adjudicate_names.source());
        add(
            "resolve",
            chat(&judged.completion_model_id),
            calls,
            calls.times(template + 300.0, template + 1000.0),
            calls.times(5.0, 60.0),
        );
    }
    let summarize = &settings.summarize_descriptions;
    // With a threshold only the often described are asked about; without it every second description is one too many.
    let share = if summarize.min_tokens > 0 {
        Range::new(0.01, 0.12)
    } else {
        Range::new(0.2, 0.5)
    };
    let calls = entities.plus(relationships).times(share.low, share.high);
    let template = tokens(project.prompts.summarize_descriptions.source());
    let input = f64::from(summarize.max_input_tokens);
    let model = chat(&summarize.completion_model_id);
    add(
        "summarize_descriptions",
        model,
        calls,
        calls.times(template + f64::from(summarize.min_tokens), input),
        calls.times(60.0, 250.0),
    );
    let reports = &settings.community_reports;
    let communities = entities.times(0.15, 0.3);
    let template = tokens(project.prompts.community_report_graph.source());
    let input = f64::from(reports.max_input_length);
    let model = chat(&reports.completion_model_id);
    add(
        "community_reports",
        model,
        communities,
        communities.times(template + 500.0, template + input * 0.7),
        communities.times(350.0, 900.0),
    );
    if let Some(model) = settings.embedding_model(&settings.embed_text.embedding_model_id) {
        let mut texts = Range::default();
        let mut prompt = Range::default();
        for name in &settings.embed_text.names {
            let (rows, each) = match name {
                EmbeddingName::TextUnitText => {
                    (Range::exactly(units), Range::exactly(text / units.max(1.0)))
                }
                EmbeddingName::EntityDescription => (entities, Range::new(25.0, 120.0)),
                EmbeddingName::CommunityFullContent => (communities, Range::new(350.0, 900.0)),
            };
            texts = texts.plus(rows);
            prompt = prompt.plus(rows.times(each.low, each.high));
        }
        let batch = f64::from(settings.embed_text.batch_size.max(1));
        let by_tokens = prompt.times(
            1.0 / f64::from(settings.embed_text.batch_max_tokens.max(1)),
            1.0 / f64::from(settings.embed_text.batch_max_tokens.max(1)),
        );
        let calls = Range::new(
            (texts.low / batch).max(by_tokens.low),
            (texts.high / batch).max(by_tokens.high * 1.5),
        );
        add("embed_text", Some(model), calls, prompt, Range::default());
    }
    Ok(out)
}

fn stage_estimate(
    concurrency: u32,
    stage: &'static str,
    model: &ModelConfig,
    calls: Range,
    prompt: Range,
    completion: Range,
) -> StageEstimate {
    let round = |range: Range| Range::new(range.low.ceil(), range.high.ceil());
    let (calls, prompt, completion) = (round(calls), round(prompt), round(completion));
    let prices = match &model.prices {
        Some(prices) => Some(Prices::new(
            prices.input_per_million,
            prices.output_per_million,
        )),
        None if model.api_base.is_none() || model.is_azure() => built_in_prices(&model.model),
        None => None,
    };
    let cost = prices.map(|prices| {
        let of = |prompt: f64, completion: f64| {
            prices.cost(Usage {
                prompt_tokens: prompt as u64,
                completion_tokens: completion as u64,
                cached_tokens: 0,
            })
        };
        Range::new(
            of(prompt.low, completion.low),
            of(prompt.high, completion.high),
        )
    });
    let lanes = f64::from(concurrency.max(1));
    let mut seconds = Range::new(
        calls.low * SECONDS_A_CALL.low / lanes,
        calls.high * SECONDS_A_CALL.high / lanes,
    );
    if let Some(limit) = &model.rate_limit {
        let period = f64::from(limit.period_in_seconds);
        let mut at_least = |amount: Range, allowed: Option<u64>| {
            if let Some(allowed) = allowed.filter(|&allowed| allowed > 0) {
                let allowed = allowed as f64;
                seconds.low = seconds.low.max(amount.low / allowed * period);
                seconds.high = seconds.high.max(amount.high / allowed * period);
            }
        };
        at_least(calls, limit.requests_per_period);
        at_least(prompt.plus(completion), limit.tokens_per_period);
    }
    StageEstimate {
        stage,
        model: model.model.clone(),
        calls,
        prompt_tokens: prompt,
        completion_tokens: completion,
        cost,
        hours: seconds.times(1.0 / 3600.0, 1.0 / 3600.0),
    }
}
