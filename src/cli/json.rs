//! What a script finds on standard output when a command with `--json` fails: an object that says why.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::ArgMatches;

use super::print;

/// Whether the command was given `--json`.
static ASKED_FOR: AtomicBool = AtomicBool::new(false);

/// Whether anything went to standard output: there is one JSON document there at most.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Looks for `--json` on the command line.
pub(super) fn look(matches: &ArgMatches) {
    match matches.subcommand() {
        Some((_, below)) => look(below),
        None => {
            // A command without such an option has no such id.
            let asked = matches!(matches.try_get_one::<bool>("json"), Ok(Some(true)));
            ASKED_FOR.store(asked, Ordering::Relaxed);
        }
    }
}

/// Takes down that something is printed.
pub(super) fn printed() {
    PRINTED.store(true, Ordering::Relaxed);
}

/// Prints the error where `--json` was asked for and nothing was printed yet.
pub(super) fn tell(message: &str, code: u8) {
    if ASKED_FOR.load(Ordering::Relaxed) && !PRINTED.load(Ordering::Relaxed) {
        let error = serde_json::json!({ "error": { "message": message, "exit_code": code } });
        print(&format!("{error:#}"));
    }
}
