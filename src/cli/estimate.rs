//! `belvedere estimate`.

use std::path::PathBuf;

use clap::Args;

use super::{fail, print};
use crate::model::shown::counted;
use crate::pipeline::estimate::{Estimate, EstimateOptions, Range, Totals, estimate};
use crate::pipeline::{BudgetOptions, Progress, Project, aside};
use crate::store::write_atomically;

#[derive(Args)]
pub(super) struct EstimateArgs {
    /// The project folder
    #[arg(short, long, default_value = ".")]
    root: PathBuf,
    /// Ask the model about N text units first, spread over the corpus, and reckon from its answers; `index` reuses them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// Reckon for `index --batch`
    #[arg(long)]
    batch: bool,
    /// With --sample: stop before it costs more than this, in the currency of the prices
    #[arg(long, value_name = "MONEY", requires = "sample")]
    max_cost: Option<f64>,
    /// With --sample: stop before it uses more tokens than this
    #[arg(long, value_name = "N", requires = "sample")]
    max_tokens: Option<u64>,
    /// With --sample: stop before it makes more calls than this
    #[arg(long, value_name = "N", requires = "sample")]
    max_calls: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// No progress
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(args: &EstimateArgs) -> u8 {
    let project = match Project::open(&args.root) {
        Ok(project) => project,
        Err(error) => return fail(&error, error.exit_code()),
    };
    let options = EstimateOptions {
        sample: args.sample,
        batch: args.batch,
        budget: BudgetOptions {
            max_cost: args.max_cost,
            max_tokens: args.max_tokens,
            max_calls: args.max_calls,
            ..BudgetOptions::default()
        },
    };
    let found = match estimate(&project, &options, &Progress::new(args.quiet)) {
        Ok(found) => found,
        Err(error) => return fail(&error, error.exit_code()),
    };
    let text = match serde_json::to_string_pretty(&found) {
        Ok(text) => text,
        Err(error) => return fail(&error, 1),
    };
    // `status` shows it against what the run really took.
    let output = project.output_dir();
    let kept = std::fs::create_dir_all(&output)
        .map_err(|error| error.to_string())
        .and_then(|()| {
            let path = output.join(crate::pipeline::ESTIMATE_FILE);
            write_atomically(&path, text.as_bytes()).map_err(|error| error.to_string())
        });
    if let Err(error) = kept {
        aside(&format!(
            "note: the estimate could not be kept for `status`: {error}"
        ));
    }
    if args.json {
        print(&text);
    } else {
        show(&found);
    }
    0
}

fn count(range: Range) -> String {
    if range.low == range.high {
        format!("{:.0}", range.low)
    } else {
        format!("{:.0} to {:.0}", range.low, range.high)
    }
}

fn money(range: Option<Range>) -> String {
    match range {
        Some(range) if range.high == 0.0 => "0".to_owned(),
        Some(range) => format!("{:.2} to {:.2}", range.low, range.high),
        None => "unknown".to_owned(),
    }
}

fn show(found: &Estimate) {
    print(&format!(
        "{}, {}, {}",
        counted(found.documents, "document"),
        counted(found.text_units, "text unit"),
        counted(found.corpus_tokens, "token")
    ));
    if let Some(sample) = &found.sample {
        let cost = match sample.cost {
            Some(cost) => format!("{cost:.4}"),
            None => "unknown".to_owned(),
        };
        print(&format!(
            "sample         {} ({} failed): {}, {} from the cache, {} tokens in, {} out, cost {cost}",
            counted(sample.text_units, "text unit"),
            sample.failed,
            counted(sample.calls, "call"),
            sample.cached_calls,
            sample.prompt_tokens,
            sample.completion_tokens
        ));
        let seconds = match sample.seconds_a_call {
            Some(seconds) => format!(", {seconds:.1} seconds a call"),
            None => String::new(),
        };
        print(&format!(
            "each           {:.1} entities, {:.1} relationships, {:.0} answer tokens, {:.1} gleanings{seconds}",
            sample.entities_a_unit,
            sample.relationships_a_unit,
            sample.answer_tokens_a_unit,
            sample.gleanings_a_unit
        ));
    }
    if !found.totals.stages.is_empty() {
        show_stages(&found.totals);
        show_totals(&found.totals, found.before_sample.as_ref());
    }
    for note in &found.notes {
        print(&format!("note           {note}"));
    }
}

fn show_stages(totals: &Totals) {
    print(&format!(
        "{:<24} {:>16} {:>26} {:>24} {:>16}",
        "stage", "calls", "tokens in", "tokens out", "cost"
    ));
    for stage in &totals.stages {
        print(&format!(
            "{:<24} {:>16} {:>26} {:>24} {:>16}",
            stage.stage,
            count(stage.calls),
            count(stage.prompt_tokens),
            count(stage.completion_tokens),
            money(stage.cost)
        ));
    }
}

fn show_totals(totals: &Totals, before: Option<&Totals>) {
    let hours = |range: Range| format!("{:.2} to {:.2}", range.low, range.high);
    let line = |word: &str, now: String, before: Option<String>| {
        let before =
            before.map_or_else(String::new, |text| format!(" (without the sample {text})"));
        print(&format!("{word:<14} {now}{before}"));
    };
    line("calls", count(totals.calls), before.map(|b| count(b.calls)));
    line(
        "tokens",
        count(totals.tokens),
        before.map(|b| count(b.tokens)),
    );
    line("cost", money(totals.cost), before.map(|b| money(b.cost)));
    line("hours", hours(totals.hours), before.map(|b| hours(b.hours)));
}
