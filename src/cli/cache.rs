//! `belvedere cache`: what the answer cache holds, dropping from it, checking it.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};

use super::{fail, print};
use crate::llm::cache::{PruneRule, prune, stats, verify};
use crate::pipeline::Project;

#[derive(Args)]
pub(super) struct CacheArgs {
    #[command(subcommand)]
    action: CacheAction,
}

#[derive(Subcommand)]
enum CacheAction {
    /// Count answers, vectors and bytes
    Stats(Place),
    /// Read every entry and compare it with its hash
    Verify(Place),
    /// Rewrite the cache without what is no longer needed: superseded and damaged entries, and what the options name
    Prune(PruneArgs),
}

#[derive(Args)]
struct Place {
    /// The project folder
    #[arg(short, long, default_value = ".")]
    root: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct PruneArgs {
    #[command(flatten)]
    place: Place,
    /// Drop what was stored more than so many days ago
    #[arg(long)]
    older_than_days: Option<u32>,
    /// Drop answers that were rejected
    #[arg(long)]
    rejected: bool,
}

pub(super) fn run(args: &CacheArgs) -> u8 {
    let place = match &args.action {
        CacheAction::Stats(place) | CacheAction::Verify(place) => place,
        CacheAction::Prune(args) => &args.place,
    };
    let project = match Project::open(&place.root) {
        Ok(project) => project,
        Err(error) => return fail(&error, error.exit_code()),
    };
    let dir = project.cache_dir();
    // A script gets the figures of an empty cache.
    if !place.json && !dir.exists() {
        print(&format!(
            "{} does not exist: nothing is cached yet",
            dir.display()
        ));
        return 0;
    }
    let mut code = 0;
    let value = match &args.action {
        CacheAction::Stats(_) => stats(&dir).map(|found| {
            serde_json::json!({
                "answers": found.answers, "embeddings": found.embeddings, "rejected": found.rejected,
                "superseded": found.superseded, "damaged": found.damaged,
                "bytes": found.bytes, "live_bytes": found.live_bytes,
            })
        }),
        CacheAction::Verify(_) => verify(&dir).map(|found| {
            code = u8::from(found.damaged > 0);
            serde_json::json!({ "intact": found.intact, "damaged": found.damaged, "torn_tail": found.torn_tail })
        }),
        CacheAction::Prune(args) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            let before = args.older_than_days.map(|days| now.saturating_sub(u64::from(days) * 86_400));
            let rule = PruneRule {
                before: before.map(|seconds| u32::try_from(seconds).unwrap_or(u32::MAX)),
                rejected: args.rejected,
                ..PruneRule::default()
            };
            prune(&dir, &rule).map(|done| {
                serde_json::json!({
                    "kept": done.kept, "dropped": done.dropped,
                    "bytes_before": done.bytes_before, "bytes_after": done.bytes_after,
                })
            })
        }
    };
    match value {
        Ok(value) if place.json => print(&format!("{value:#}")),
        Ok(value) => {
            for (key, value) in value.as_object().into_iter().flatten() {
                print(&format!("{:<14} {value}", key.replace('_', " ")));
            }
        }
        Err(error) => return fail(&error, 1),
    }
    code
}
