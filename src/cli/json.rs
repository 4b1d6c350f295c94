//! What a script finds on standard output when a command with `--json` fails: an object that says why.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::{ArgMatches, CommandFactory};

use super::{Cli, print};

/// Whether anything went to standard output: there is one JSON document there at most.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Takes down that something is printed.
pub(super) fn printed() {
    PRINTED.store(true, Ordering::Relaxed);
}

/// Prints the error where `--json` was asked for and nothing was printed yet.
pub(super) fn tell(message: &str, code: u8) {
    let Ok(matches) = Cli::command().try_get_matches() else {
        return;
    };
    if !PRINTED.load(Ordering::Relaxed) && is_asked_for(&matches) {
        let error = serde_json::json!({ "error": { "message": message, "exit_code": code } });
        print(&format!("{error:#}"));
    }
}

fn is_asked_for(matches: &ArgMatches) -> bool {
    match matches.subcommand() {
        Some((_, below)) => is_asked_for(below),
        // Commands without such an option are told by the error.
        None => matches!(matches.try_get_one::<bool>("json"), Ok(Some(true))),
    }
}
