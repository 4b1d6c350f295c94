//! `belvedere index`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{fail, print};
use crate::pipeline::{
    BatchChoice, BudgetOptions, GraphFiles, IndexOptions, Method, PipelineError, Progress, Project,
    RunSummary, index,
};

#[derive(Clone, Copy, ValueEnum)]
enum MethodArg {
    /// A model extracts, summarises and reports
    Standard,
    /// No model: phrases, co-occurrence, extractive reports
    Fast,
}

#[derive(Args)]
pub(super) struct IndexArgs {
    /// The project folder
    #[arg(short, long, default_value = ".")]
    root: PathBuf,
    /// How to extract; standard where settings.yaml has a completion model, else fast
    #[arg(short, long)]
    method: Option<MethodArg>,
    /// Index again even when nothing changed
    #[arg(long)]
    force: bool,
    /// Ask again for what failed; does nothing when nothing did
    #[arg(long)]
    retry_failed: bool,
    /// Stop before the run costs more than this, in the currency of the prices
    #[arg(long, value_name = "MONEY")]
    max_cost: Option<f64>,
    /// Stop before the run uses more tokens than this
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// Stop before the run makes more calls than this
    #[arg(long, value_name = "N")]
    max_calls: Option<u64>,
    /// Send the model's questions through the provider's Batch API: half the price, answers within a day
    #[arg(long)]
    batch: bool,
    /// With --batch: ask directly, at the full price, what batches left without an answer
    #[arg(long, requires = "batch")]
    batch_fallback: bool,
    /// Start from a graph of your own: its entities, as Parquet, CSV or JSONL
    #[arg(long, value_name = "FILE", requires = "relationships")]
    entities: Option<PathBuf>,
    /// Its relationships
    #[arg(long, value_name = "FILE", requires = "entities")]
    relationships: Option<PathBuf>,
    /// The texts that its text_unit_ids name
    #[arg(long, value_name = "FILE", requires = "entities")]
    text_units: Option<PathBuf>,
    /// Print the closing summary as JSON on standard output
    #[arg(long)]
    json: bool,
    /// No progress
    #[arg(short, long)]
    quiet: bool,
}

/// Finished, but some items failed.
const FINISHED_WITH_FAILURES: u8 = 3;

pub(super) fn run(args: &IndexArgs) -> u8 {
    match run_inner(args) {
        Ok(summary) => {
            if args.json {
                match serde_json::to_string_pretty(&summary) {
                    Ok(text) => print(&text),
                    Err(error) => return fail(&error, 1),
                }
            } else {
                print(&summary.to_text());
            }
            match summary.failed {
                0 => 0,
                _ => FINISHED_WITH_FAILURES,
            }
        }
        Err(error) => fail(&error, error.exit_code()),
    }
}

fn run_inner(args: &IndexArgs) -> Result<RunSummary, PipelineError> {
    let project = Project::open(&args.root)?;
    let progress = Progress::new(args.quiet);
    for note in &project.notes {
        progress.say(&format!("note: {note}"));
    }
    let method = args.method.map(|method| match method {
        MethodArg::Standard => Method::Standard,
        MethodArg::Fast => Method::Fast,
    });
    if method.is_none() && !project.settings.has_completion_model() {
        progress.say(
            "no completion model in settings.yaml: indexing with --method fast and the built-in provider, without a model",
        );
    }
    if method == Some(Method::Fast) || !project.settings.has_completion_model() {
        stop_on_ctrl_c();
    }
    let options = IndexOptions {
        method,
        batch: args.batch.then_some(BatchChoice {
            fall_back: args.batch_fallback,
        }),
        force: args.force,
        retry_failed: args.retry_failed,
        budget: BudgetOptions {
            max_cost: args.max_cost,
            max_tokens: args.max_tokens,
            max_calls: args.max_calls,
            ..BudgetOptions::default()
        },
        graph: GraphFiles {
            entities: args.entities.clone(),
            relationships: args.relationships.clone(),
            text_units: args.text_units.clone(),
        },
    };
    index(&project, &options, &progress)
}

/// A run without a model has nothing in flight: Ctrl-C ends it at once, and the old index stays.
fn stop_on_ctrl_c() {
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let stopped =
            runtime.is_ok_and(|runtime| runtime.block_on(tokio::signal::ctrl_c()).is_ok());
        if stopped {
            crate::pipeline::aside(
                "stopped; the old index is untouched, run the same command to index again",
            );
            std::process::exit(PipelineError::Cancelled.exit_code().into());
        }
    });
}
