//! `belvedere doctor`: what is wrong with an index, what that costs, and what to do.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;

use super::{fail, print};
use crate::doctor::{Central, Examination, Figures, Weight, examine};
use crate::model::shown::counted;
use crate::pipeline::Project;
use crate::query::Index;

/// Exit code for an index with findings that cost answers.
const UNHEALTHY: u8 = 3;

#[derive(Args)]
pub(super) struct DoctorArgs {
    /// The project folder
    #[arg(short, long, default_value = ".")]
    root: PathBuf,
    /// The folder of the tables, ours or GraphRAG's; by default the project's output folder
    #[arg(short, long)]
    data: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &DoctorArgs) -> u8 {
    let project = match Project::open(&args.root) {
        Ok(project) => project,
        Err(error) => return fail(&error, error.exit_code()),
    };
    let folder = args.data.clone().unwrap_or_else(|| project.output_dir());
    let examined = Index::open(&folder).and_then(|index| examine(&index, &project.settings));
    let examined = match examined {
        Ok(examined) => examined,
        Err(error) => return fail(&error, error.exit_code()),
    };
    if args.json {
        let healthy = examined.is_healthy();
        let Examination { findings, figures } = &examined;
        print(&format!(
            "{:#}",
            serde_json::json!({ "healthy": healthy, "findings": findings, "figures": figures })
        ));
    } else {
        print(&text(&examined));
    }
    if examined.is_healthy() { 0 } else { UNHEALTHY }
}

fn text(examined: &Examination) -> String {
    let mut out = String::new();
    figures(&examined.figures, &mut out);
    for finding in &examined.findings {
        let weight = match finding.weight {
            Weight::CostsAnswers => "costs answers",
            Weight::Advice => "advice",
        };
        // invariant: writing to a string cannot fail
        let _ = writeln!(
            out,
            "{weight:<14} {} ({}): {}",
            finding.what, finding.count, finding.message
        );
        if !finding.examples.is_empty() {
            let more = if finding.count > finding.examples.len() as u64 {
                "; ..."
            } else {
                ""
            };
            let _ = writeln!(out, "{:<14} e.g. {}{more}", "", finding.examples.join("; "));
        }
        let _ = writeln!(out, "{:<14} -> {}", "", finding.remedy);
    }
    out.push_str(
        match (examined.is_healthy(), examined.findings.is_empty()) {
            (true, true) => "healthy\n",
            (true, false) => "healthy; the advice above may make answers better\n",
            (false, _) => "not healthy\n",
        },
    );
    out
}

fn figures(figures: &Figures, out: &mut String) {
    let mut line = |name: &str, words: String| {
        // invariant: writing to a string cannot fail
        let _ = writeln!(out, "{name:<14} {words}");
    };
    let rows: Vec<String> = figures
        .rows
        .iter()
        .map(|(table, rows)| format!("{table} {rows}"))
        .collect();
    line("rows", rows.join(", "));
    line(
        "components",
        format!(
            "{}, the largest of {}; {} without a relationship, {} named in one text unit only",
            figures.components,
            counted(figures.largest_component, "entity"),
            counted(figures.singletons, "entity"),
            figures.named_once
        ),
    );
    for level in &figures.levels {
        let [smallest, median, largest] = level.sizes;
        line(
            &format!("level {}", level.level),
            format!(
                "{} of {smallest} to {} (median {median}), modularity {:.3}",
                counted(level.communities, "community"),
                counted(largest, "entity"),
                level.modularity
            ),
        );
    }
    let types: Vec<String> = figures
        .types
        .iter()
        .take(8)
        .map(|(kind, n)| format!("{kind} {n}"))
        .collect();
    line("types", types.join(", "));
    let named = |list: &[Central]| -> String {
        let words: Vec<String> = list
            .iter()
            .map(|one| {
                format!(
                    "{} ({}, {:.0} %)",
                    one.title,
                    counted(one.degree, "neighbour"),
                    100.0 * one.share
                )
            })
            .collect();
        if words.is_empty() {
            "none".to_owned()
        } else {
            words.join(", ")
        }
    };
    line(
        "hubs",
        format!("{}: share of relationship ends", named(&figures.hubs)),
    );
    line(
        "bridges",
        format!(
            "{}: share of entities cut off without it",
            named(&figures.bridges)
        ),
    );
    line(
        "central",
        format!(
            "{}: share of paths in its community",
            named(&figures.central)
        ),
    );
}
