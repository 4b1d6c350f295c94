//! What a run with a model will take: exact token counts of the corpus, ranges for what only the model decides.
//!
//! The ranges come from indexes that real models made: 10 to 16 entities and 18 to 26 relationships per 1,200 tokens of prose,
//! communities a fifth to a quarter of the entities (42 text units of a novel gave 529 entities, 978 relationships and 122
//! communities).

mod names;
mod sample;
mod stages;

use rayon::prelude::*;
use serde::Serialize;

pub use self::sample::Sample;
use self::stages::{Yields, stages};
use super::cluster;
use super::error::PipelineError;
use super::given::GraphFiles;
use super::models::BudgetOptions;
use super::progress::Progress;
use super::project::Project;
use crate::chunk;
use crate::input::{SourceFile, discover, read};
use crate::llm::PRICES_AS_OF;
use crate::model::DocumentIx;
use crate::store::OutputBuild;

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
    /// Whether the money is by the prices that come with the program.
    #[serde(skip)]
    pub built_in_prices: bool,
    /// Hours at the configured limits: one to twenty seconds a call, or as long as the sample's calls took; in batches up to a
    /// day for each round.
    pub hours: Range,
}

/// What the caller may choose.
#[derive(Clone, Copy, Debug, Default)]
pub struct EstimateOptions {
    /// Ask the model about so many text units and reckon from its answers.
    pub sample: Option<u32>,
    /// Reckon for `index --batch`.
    pub batch: bool,
    /// Caps for the sample that replace those of the settings.
    pub budget: BudgetOptions,
}

/// Figures of all stages together.
#[derive(Clone, Debug, Serialize)]
pub struct Totals {
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
    /// Calls for summaries of descriptions that `summarize_descriptions.min_tokens` saves.
    pub summary_calls_saved: Range,
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
    /// Reckoned for `index --batch`.
    pub batch: bool,
    /// The estimate, from the sample where there is one.
    #[serde(flatten)]
    pub totals: Totals,
    /// What was measured, with `--sample`.
    pub sample: Option<Sample>,
    /// The estimate without the sample.
    pub before_sample: Option<Totals>,
    /// What the figures rest on.
    pub notes: Vec<String>,
}

/// The corpus in numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    documents: u64,
    units: u64,
    tokens: u64,
}

/// Reads and cuts the corpus, and reckons. A call is made only for a sample.
///
/// # Errors
/// Settings and input errors; what stops a sample before its first answer.
pub fn estimate(
    project: &Project,
    options: &EstimateOptions,
    progress: &Progress,
) -> Result<Estimate, PipelineError> {
    let given = GraphFiles::of(project, &GraphFiles::default())?;
    let (files, given) = match &given {
        Some(files) => (Vec::new(), Some(given_yields(project, files)?)),
        None => (count(project)?, None),
    };
    let read = files
        .iter()
        .fold(Counts::default(), |sum, (_, own)| Counts {
            documents: sum.documents + own.documents,
            units: sum.units + own.units,
            tokens: sum.tokens + own.tokens,
        });
    let counts = given.map_or(read, |given| given.0);
    let mut found = Estimate {
        method: "standard",
        documents: counts.documents,
        text_units: counts.units,
        corpus_tokens: counts.tokens,
        batch: options.batch,
        totals: totals(Vec::new(), Range::default()),
        sample: None,
        before_sample: None,
        notes: Vec::new(),
    };
    if !project.settings.has_completion_model() {
        if options.sample.is_some() || options.batch {
            return Err(PipelineError::Settings(
                "--sample and --batch need a completion model in settings.yaml; add one, or estimate without them".to_owned(),
            ));
        }
        found.method = "fast";
        found.notes.push(
            "no completion model is configured: --method fast makes no call and costs nothing"
                .to_owned(),
        );
        return Ok(found);
    }
    if let Some((_, yields)) = given {
        if options.sample.is_some() {
            return Err(PipelineError::Settings(
                "--sample asks about text units, and of a graph of one's own (graph_input) none is extracted; estimate without it".to_owned(),
            ));
        }
        let (list, _) = stages(project, counts, &yields, options.batch)?;
        found.totals = totals(list, Range::default());
        found.notes.push(
            "the graph is given (graph_input): nothing is extracted, and its communities are counted, not guessed"
                .to_owned(),
        );
        finish(&mut found, options.batch);
        return Ok(found);
    }
    let mut expected = Yields::expected(counts, &project.settings);
    let judged = &project.settings.entity_resolution;
    if judged.enabled && judged.adjudicate {
        let undecided = names::count(project, &files, counts)?;
        expected.undecided = Some(undecided);
        found.notes.push(format!(
            "adjudication (stage resolve): the built-in extraction leaves {} pairs of names undecided in {} of {} text units; half to twice as many are allowed for a model's names",
            undecided.pairs, undecided.units, counts.units
        ));
    }
    let (list, saved) = stages(project, counts, &expected, options.batch)?;
    found.totals = totals(list, saved);
    match options.sample.filter(|_| counts.units > 0) {
        Some(size) => {
            let mut measured = sample::run(project, &files, counts, size, options.budget, progress)?;
            measured.yields.undecided = expected.undecided;
            let (list, saved) = stages(project, counts, &measured.yields, options.batch)?;
            let sharpened = totals(list, saved);
            found.before_sample = Some(std::mem::replace(&mut found.totals, sharpened));
            found.notes.push(format!(
                "reckoned from the model's answers about {} of {} text units; `index` finds them in the cache",
                measured.sample.text_units, counts.units
            ));
            found.notes.extend(measured.note);
            found.sample = Some(measured.sample);
        }
        None => found
            .notes
            .push("answers as long and as dense as real models gave on prose; --sample N measures your model's".to_owned()),
    }
    let summarize = &project.settings.summarize_descriptions;
    if summarize.min_tokens > 0 {
        found.notes.push(format!(
            "descriptions of less than {} tokens are joined (summarize_descriptions.min_tokens), which saves {:.0} to {:.0} summary calls",
            summarize.min_tokens,
            found.totals.summary_calls_saved.low,
            found.totals.summary_calls_saved.high
        ));
    }
    finish(&mut found, options.batch);
    Ok(found)
}

/// The remarks that every estimate ends with.
fn finish(found: &mut Estimate, batch: bool) {
    if batch {
        found
            .notes
            .push("in batches: half the price, each round within a day, mostly sooner".to_owned());
    }
    found.notes.push(
        "answers that are in the cache already cost nothing and are not subtracted".to_owned(),
    );
    let stages = &found.totals.stages;
    if found.totals.cost.is_none() {
        found
            .notes
            .push("cost unknown: give prices for the model in settings.yaml".to_owned());
    } else if stages.iter().any(|stage| stage.built_in_prices) {
        found.notes.push(format!(
            "built-in prices as of {PRICES_AS_OF}; prices in settings.yaml replace them"
        ));
    }
}

/// A graph of one's own, read as `index` reads it and clustered. Its scratch files are gone afterwards.
fn given_yields(project: &Project, files: &GraphFiles) -> Result<(Counts, Yields), PipelineError> {
    let scratch = project.output_dir().join(".estimate");
    let build = OutputBuild::begin(&scratch)?;
    let read = files.load(project, &build).map(|(corpus, graph)| {
        let clustering = &project.settings.cluster_graph;
        let communities = cluster::communities(&graph.entities, &graph.relationships, clustering);
        let units = corpus.units.iter();
        let counts = Counts {
            documents: corpus.documents.len() as u64,
            units: corpus.units.len() as u64,
            tokens: units.map(|unit| u64::from(unit.n_tokens)).sum(),
        };
        let (entities, relationships) = (graph.entities.len(), graph.relationships.len());
        let yields = Yields::given(entities, relationships, communities.len());
        (counts, yields)
    });
    drop(build);
    // what cannot be removed is in nobody's way
    let _ = std::fs::remove_dir_all(&scratch);
    read
}

fn totals(stages: Vec<StageEstimate>, summary_calls_saved: Range) -> Totals {
    let sum = |pick: fn(&StageEstimate) -> Range| {
        stages.iter().map(pick).fold(Range::default(), Range::plus)
    };
    Totals {
        calls: sum(|stage| stage.calls),
        tokens: sum(|stage| stage.prompt_tokens).plus(sum(|stage| stage.completion_tokens)),
        cost: stages.iter().try_fold(Range::default(), |sum, stage| {
            stage.cost.map(|cost| sum.plus(cost))
        }),
        hours: sum(|stage| stage.hours),
        summary_calls_saved,
        stages,
    }
}

/// The corpus file by file, in the order in which `index` reads it.
fn count(project: &Project) -> Result<Vec<(SourceFile, Counts)>, PipelineError> {
    let input = project.input_settings()?;
    let (chunking, tokenizer) = project.chunk_settings()?;
    let files = discover(&project.input_dir(), &input)?;
    files
        .into_par_iter()
        .filter(SourceFile::is_selected)
        .map(|file| {
            let mut counts = Counts::default();
            let mut units = Vec::new();
            read(&file, &input, &mut |document| {
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
            Ok((file, counts))
        })
        .collect()
}
