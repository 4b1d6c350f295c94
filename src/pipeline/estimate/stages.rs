//! From what extraction yields to calls, tokens, money and hours of every stage.

use super::super::error::PipelineError;
use super::super::project::Project;
use super::names::Undecided;
use super::{Counts, Range, StageEstimate};
use crate::config::{EmbeddingName, Gleaning, ModelConfig, Settings};
use crate::llm::{Prices, Usage, built_in_prices};

/// What the corpus yields, by experience or by a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Yields {
    /// Distinct entities.
    pub entities: Range,
    /// Relationships.
    pub relationships: Range,
    /// Tokens of all first answers.
    pub answers: Range,
    /// Follow-up questions.
    pub gleanings: Range,
    /// Tokens of their answers, where measured.
    pub gleaned: Option<Range>,
    /// Seconds an answer token takes, where measured.
    pub pace: Option<f64>,
    /// Pairs of names to ask about, where that is asked for.
    pub undecided: Option<Undecided>,
    /// Communities, where the graph is given: nothing is extracted, resolved or summarized then.
    pub communities: Option<f64>,
}

impl Yields {
    /// By experience: per thousand tokens of text 8 to 14 entities (a tenth of them named twice), 12 to 22 relationships and
    /// 500 to 1,300 tokens of answer.
    pub fn expected(counts: Counts, settings: &Settings) -> Self {
        let thousands = counts.tokens as f64 / 1000.0;
        let (units, config) = (counts.units as f64, &settings.extract_graph);
        let rounds = units * f64::from(config.max_gleanings);
        Self {
            entities: Range::new(8.0 * thousands, 12.6 * thousands),
            relationships: Range::new(12.0 * thousands, 22.0 * thousands),
            answers: Range::new(500.0 * thousands, 1300.0 * thousands),
            gleanings: match config.gleaning {
                Gleaning::Always => Range::exactly(rounds),
                Gleaning::WhenNeeded => Range::new(0.0, rounds),
            },
            gleaned: None,
            pace: None,
            undecided: None,
            communities: None,
        }
    }

    /// Of a graph that the user brings.
    pub fn given(entities: usize, relationships: usize, communities: usize) -> Self {
        Self {
            entities: Range::exactly(entities as f64),
            relationships: Range::exactly(relationships as f64),
            answers: Range::default(),
            gleanings: Range::default(),
            gleaned: None,
            pace: None,
            undecided: None,
            communities: Some(communities as f64),
        }
    }
}

/// Levels of communities that a corpus has at most, as a rule.
const LEVELS: f64 = 4.0;

/// Seconds an answer takes: a fast hosted model, a slow local one.
const SECONDS_A_CALL: Range = Range {
    low: 1.0,
    high: 20.0,
};

/// Every stage, and the summary calls that the token threshold saves.
///
/// # Errors
/// Settings errors.
pub(super) fn stages(
    project: &Project,
    counts: Counts,
    yields: &Yields,
    batch: bool,
) -> Result<(Vec<StageEstimate>, Range), PipelineError> {
    let settings = &project.settings;
    let (_, tokenizer) = project.chunk_settings()?;
    let tokens = |text: &str| tokenizer.count(text) as f64;
    let units = counts.units as f64;
    let text = counts.tokens as f64;
    let extract_prompt = units * tokens(project.prompts.extract_graph.source()) + text;
    let answers = yields.answers;
    let mut out = Vec::new();
    let chat = |id: &str| settings.completion_model(id);
    // `rounds`: how many batches follow one another, most likely and at most
    let mut add = |stage, model: Option<&ModelConfig>, calls, prompt, completion, rounds: Range| {
        if let Some(model) = model {
            let way = match rounds.high > 0.0 {
                true if batch => Way::Batches(rounds),
                true => Way::Calls(yields.pace),
                false => Way::Calls(None),
            };
            let lanes = settings.concurrent_requests;
            out.push(stage_estimate(
                lanes, stage, model, calls, prompt, completion, way,
            ));
        }
    };
    let graph = &settings.extract_graph;
    let model = chat(&graph.completion_model_id);
    let extracts = yields.communities.is_none();
    if extracts {
        add(
            "extract_graph",
            model,
            Range::exactly(units),
            Range::exactly(extract_prompt),
            answers,
            Range::exactly(1.0),
        );
    }
    let rounds = f64::from(graph.max_gleanings);
    let gleaned = yields.gleanings;
    if gleaned.high > 0.0 {
        let per_call = (extract_prompt + answers.high) / units.max(1.0);
        let completion = match yields.gleaned {
            Some(measured) => measured,
            None => {
                let answer = answers.times(0.2, 0.5);
                Range::new(
                    answer.low * gleaned.low / units.max(1.0),
                    answer.high * rounds,
                )
            }
        };
        // after each gleaning but the last comes the question whether there is more
        let steps = (2.0 * rounds - 1.0).max(0.0);
        add(
            "glean",
            model,
            gleaned,
            gleaned.times(per_call, per_call),
            completion,
            Range::new(gleaned.low.min(1.0), steps),
        );
    }
    let claims = &settings.extract_claims;
    if claims.enabled && extracts {
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
            Range::new(1.0, 1.0 + 2.0 * f64::from(claims.max_gleanings)),
        );
    }
    let (entities, relationships) = (yields.entities, yields.relationships);
    if let Some(undecided) = yields.undecided {
        let calls = undecided.calls;
        add(
            "resolve",
            chat(&settings.entity_resolution.completion_model_id),
            calls,
            calls.times(undecided.prompt, undecided.prompt),
            calls.times(5.0, 60.0),
            Range::exactly(1.0),
        );
    }
    let summarize = &settings.summarize_descriptions;
    // With a threshold only the often described are asked about; without it every second description is one too many.
    let rows = match extracts {
        true => entities.plus(relationships),
        false => Range::default(),
    };
    let all = rows.times(0.2, 0.5);
    let calls = match summarize.min_tokens {
        0 => all,
        _ => rows.times(0.01, 0.12),
    };
    let saved = Range::new(
        (all.low - calls.low).round(),
        (all.high - calls.high).round(),
    );
    let template = tokens(project.prompts.summarize_descriptions.source());
    let input = f64::from(summarize.max_input_tokens);
    let model = chat(&summarize.completion_model_id);
    if extracts {
        add(
            "summarize_descriptions",
            model,
            calls,
            calls.times(template + f64::from(summarize.min_tokens), input),
            calls.times(60.0, 250.0),
            Range::new(1.0, 2.0),
        );
    }
    let reports = &settings.community_reports;
    let communities = match yields.communities {
        Some(communities) => Range::exactly(communities),
        None => entities.times(0.15, 0.3),
    };
    let template = tokens(project.prompts.community_report_graph.source());
    let input = f64::from(reports.max_input_length);
    let model = chat(&reports.completion_model_id);
    add(
        "community_reports",
        model,
        communities,
        communities.times(template + 500.0, template + input * 0.7),
        communities.times(350.0, 900.0),
        // a level of communities after the other
        Range::new(2.0, LEVELS),
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
        // Each kind of text begins a call of its own, and each level of reports; one call asks how long the vectors are.
        let kinds = settings.embed_text.names.len() as f64;
        let calls = Range::new(
            (texts.low / batch)
                .max(by_tokens.low)
                .max(kinds.min(texts.low)),
            (texts.high / batch).max(by_tokens.high * 1.5) + kinds + LEVELS + 1.0,
        );
        add(
            "embed_text",
            Some(model),
            calls,
            prompt,
            Range::default(),
            Range::default(),
        );
    }
    Ok((out, saved))
}

/// How the calls of a stage travel.
enum Way {
    /// One by one; seconds an answer token takes, where measured.
    Calls(Option<f64>),
    /// In so many batches one after the other.
    Batches(Range),
}

/// Hours a round of batches takes: within a quarter when the provider is idle, a day at most.
const HOURS_A_ROUND: Range = Range {
    low: 0.25,
    high: 24.0,
};

fn stage_estimate(
    concurrency: u32,
    stage: &'static str,
    model: &ModelConfig,
    calls: Range,
    prompt: Range,
    completion: Range,
    way: Way,
) -> StageEstimate {
    let round = |range: Range| Range::new(range.low.ceil(), range.high.ceil());
    let (calls, prompt, completion) = (round(calls), round(prompt), round(completion));
    let given = model
        .prices
        .as_ref()
        .map(|prices| Prices::new(prices.input_per_million, prices.output_per_million));
    let built_in = match given {
        None if model.api_base.is_none() || model.is_azure() => built_in_prices(&model.model),
        _ => None,
    };
    let prices = given.or(built_in);
    let prices = match &way {
        Way::Batches(_) => prices.map(Prices::in_batches),
        Way::Calls(_) => prices,
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
    let mut seconds = match &way {
        // answers take their time by the token; other prompts and other hours of the day make a difference
        Way::Calls(Some(pace)) => completion.times(0.7 * pace / lanes, 1.5 * pace / lanes),
        Way::Calls(None) => calls.times(SECONDS_A_CALL.low / lanes, SECONDS_A_CALL.high / lanes),
        Way::Batches(rounds) => {
            rounds.times(HOURS_A_ROUND.low * 3600.0, HOURS_A_ROUND.high * 3600.0)
        }
    };
    if let (Some(limit), Way::Calls(_)) = (&model.rate_limit, &way) {
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
        built_in_prices: built_in.is_some(),
        hours: seconds.times(1.0 / 3600.0, 1.0 / 3600.0),
    }
}
