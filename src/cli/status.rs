//! `belvedere status`: what is done, what failed and why, what is left, what it cost.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{fail, print};
use crate::llm::ledger::{Calls, Summary};
use crate::model::shown::{counted, printable_line};
use crate::pipeline::{LEDGER_FILE, Project, money};
use crate::store::{Damage, IndexState, Manifest, STATS_FILE, StoreError};

#[derive(Args)]
pub(super) struct StatusArgs {
    /// The project folder
    #[arg(short, long, default_value = ".")]
    root: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &StatusArgs) -> u8 {
    let project = match Project::open(&args.root) {
        Ok(project) => project,
        Err(error) => return fail(&error, error.exit_code()),
    };
    let output = project.output_dir();
    let (manifest, damage) = match Manifest::read(&output) {
        Ok(Some(manifest)) if manifest.state == IndexState::Complete => {
            let damage = manifest.damage(&output);
            (Some(manifest), damage)
        }
        Ok(manifest) => (manifest, Vec::new()),
        Err(StoreError::DamagedManifest { why, .. }) => {
            let file = Manifest::FILE.to_owned();
            (None, vec![Damage { file, why }])
        }
        Err(error) => return fail(&error, error.exit_code()),
    };
    let ledger = output.join(LEDGER_FILE);
    let summary = match Summary::read(&ledger) {
        Ok(summary) => summary,
        Err(error) => {
            return fail(
                &format!(
                    "cannot read {}: {error}; check its permissions",
                    ledger.display()
                ),
                1,
            );
        }
    };
    let index = match &manifest {
        _ if !damage.is_empty() => "damaged",
        None if output.join("entities.parquet").is_file() => "made by another program",
        None => "none",
        Some(manifest) if manifest.state == IndexState::Building => "half built",
        Some(manifest) if manifest.failed + manifest.unread > 0 => "complete, with failures",
        Some(_) => "complete",
    };
    let estimate = std::fs::read(output.join(crate::pipeline::ESTIMATE_FILE))
        .ok()
        .and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
    if args.json {
        print(&format!(
            "{:#}",
            to_json(
                index,
                manifest.as_ref(),
                &damage,
                &summary,
                estimate,
                &output
            )
        ));
        return 0;
    }
    print(&format!("index          {index}, {}", output.display()));
    let remedy = Manifest::remedy(manifest.as_ref());
    for Damage { file, why } in &damage {
        let line = printable_line(&format!("{file}: {why}; {remedy}"));
        print(&format!("damaged        {line}"));
    }
    if let Some(manifest) = &manifest {
        for (file, table) in &manifest.tables {
            print(&format!("  {file:<28} {}", counted(table.rows, "row")));
        }
    }
    let unread = unread(&output);
    if !unread.is_empty() {
        print(&format!(
            "not read       {} of the input",
            counted(unread.len(), "item")
        ));
        for (item, why) in &unread {
            print(&format!("  {}", printable_line(&format!("{item}: {why}"))));
        }
    }
    if summary.started == 0 {
        return 0;
    }
    let run = if summary.unfinished {
        "not finished; run `belvedere index` to go on"
    } else {
        "finished"
    };
    print(&format!("last run       {run}"));
    for (stage, found) in &summary.stages {
        let counts: Vec<String> = found
            .counts()
            .iter()
            .map(|(word, n)| format!("{n} {word}"))
            .collect();
        let estimated = estimate
            .as_ref()
            .and_then(|estimate| estimated_calls(estimate, stage))
            .map_or_else(String::new, |range| format!(", estimated {range}"));
        print(&format!(
            "  {stage:<24} {} ({}{estimated})",
            counts.join(", "),
            counted(found.calls.sent, "call")
        ));
    }
    let unended = match summary.unended {
        0 => String::new(),
        n => format!(
            "; {n} more calls are on their way or were lost when a run was killed, and may be charged"
        ),
    };
    print(&format!(
        "spent          {}{unended}",
        words(&summary.calls)
    ));
    if let Some(estimate) = &estimate {
        let range = |key: &str| shown_range(&estimate[key], 0);
        let cost = match estimate["cost"].is_null() {
            true => "unknown".to_owned(),
            false => shown_range(&estimate["cost"], 4),
        };
        print(&format!(
            "estimated      {} calls, {} tokens, cost {cost}",
            range("calls"),
            range("tokens")
        ));
    }
    let failed: Vec<(&str, &str, &str)> = summary
        .stages
        .iter()
        .flat_map(|(stage, found)| {
            found
                .failed()
                .map(|(item, why)| (stage.as_str(), item, why))
        })
        .collect();
    if !failed.is_empty() {
        print(&format!(
            "failed         {}; `belvedere index --retry-failed` asks again",
            failed.len()
        ));
        for (stage, item, why) in &failed {
            print(&printable_line(&format!("{stage} {item}: {why}")));
        }
    }
    for (warning, times) in &summary.warnings {
        print(&format!(
            "warning        {warning} ({})",
            counted(*times, "time")
        ));
    }
    0
}

/// What of the input could not be read, and why, as the last finished run wrote it down.
fn unread(output: &Path) -> Vec<(String, String)> {
    let stats = std::fs::read(output.join(STATS_FILE))
        .ok()
        .and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok())
        .unwrap_or_default();
    let troubles = stats["summary"]["troubles"].as_array();
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    troubles
        .into_iter()
        .flatten()
        .filter(|trouble| trouble["outcome"] == "failed" && trouble["of_input"] == true)
        .map(|trouble| (word(&trouble["item"]), word(&trouble["detail"])))
        .collect()
}

fn shown_range(range: &serde_json::Value, decimals: usize) -> String {
    let end = |key: &str| range[key].as_f64().unwrap_or(0.0);
    let (low, high) = (end("low"), end("high"));
    match low == high {
        true => format!("{low:.decimals$}"),
        false => format!("{low:.decimals$} to {high:.decimals$}"),
    }
}

fn estimated_calls(estimate: &serde_json::Value, stage: &str) -> Option<String> {
    let stages = estimate["stages"].as_array()?;
    let own = stages.iter().find(|own| own["stage"] == stage)?;
    Some(shown_range(&own["calls"], 0))
}

fn words(calls: &Calls) -> String {
    let cost = money(calls.cost, calls.unpriced.iter().map(String::as_str));
    format!(
        "{}, {} answered, {} in, {} out, cost {cost}",
        counted(calls.sent, "call"),
        calls.answered,
        counted(calls.prompt_tokens, "token"),
        calls.completion_tokens
    )
}

fn to_json(
    index: &str,
    manifest: Option<&Manifest>,
    damage: &[Damage],
    summary: &Summary,
    estimate: Option<serde_json::Value>,
    output: &Path,
) -> serde_json::Value {
    let calls = |calls: &Calls| {
        serde_json::json!({
            "sent": calls.sent, "answered": calls.answered, "prompt_tokens": calls.prompt_tokens,
            "completion_tokens": calls.completion_tokens,
            "cost": calls.unpriced.is_empty().then_some(calls.cost), "known_cost": calls.cost, "unpriced": calls.unpriced,
        })
    };
    let stages: serde_json::Map<String, serde_json::Value> = summary
        .stages
        .iter()
        .map(|(stage, found)| {
            let failed: Vec<_> = found.failed().map(|(item, why)| serde_json::json!({ "item": item, "why": why })).collect();
            let value = serde_json::json!({ "items": found.counts(), "calls": calls(&found.calls), "failed": failed });
            (stage.clone(), value)
        })
        .collect();
    serde_json::json!({
        "index": index,
        "damaged": damage,
        "manifest": manifest,
        "not_read": unread(output),
        "unfinished": summary.unfinished,
        "stages": stages,
        "spent": calls(&summary.calls),
        "unended_calls": summary.unended,
        "estimate": estimate,
        "warnings": summary.warnings,
    })
}
