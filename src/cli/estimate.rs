//! `belvedere estimate`.

use std::path::PathBuf;

use clap::Args;

use super::{fail, print};
use crate::pipeline::Project;
use crate::pipeline::estimate::{Estimate, Range, estimate};
use crate::store::write_atomically;

#[derive(Args)]
pub(super) struct EstimateArgs {
    /// The project folder
    #[arg(short, long, default_value = ".")]
    root: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &EstimateArgs) -> u8 {
    let project = match Project::open(&args.root) {
        Ok(project) => project,
        Err(error) => return fail(&error, error.exit_code()),
    };
    let found = match estimate(&project) {
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
        eprintln!("note: the estimate could not be kept for `status`: {error}");
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

fn show(found: &Estimate) {
    print(&format!(
        "{} documents, {} text units, {} tokens",
        found.documents, found.text_units, found.corpus_tokens
    ));
    let money = |range: Option<Range>| match range {
        Some(range) if range.high == 0.0 => "0".to_owned(),
        Some(range) => format!("{:.2} to {:.2}", range.low, range.high),
        None => "unknown".to_owned(),
    };
    if !found.stages.is_empty() {
        print(&format!(
            "{:<24} {:>16} {:>26} {:>24} {:>16}",
            "stage", "calls", "tokens in", "tokens out", "cost"
        ));
        for stage in &found.stages {
            print(&format!(
                "{:<24} {:>16} {:>26} {:>24} {:>16}",
                stage.stage,
                count(stage.calls),
                count(stage.prompt_tokens),
                count(stage.completion_tokens),
                money(stage.cost)
            ));
        }
        print(&format!("calls          {}", count(found.calls)));
        print(&format!("tokens         {}", count(found.tokens)));
        print(&format!("cost           {}", money(found.cost)));
        print(&format!(
            "hours          {:.2} to {:.2}",
            found.hours.low, found.hours.high
        ));
    }
    for note in &found.notes {
        print(&format!("note           {note}"));
    }
}
