//! The command line: one file per command; a command wires stages together and prints.
//!
//! Exit codes: 0 done, 1 failed, 2 something the user must correct, 3 finished but some items failed, 130 stopped.

mod asker;
mod batches;
mod cache;
mod chat;
mod compare;
mod doctor;
mod entities;
mod estimate;
mod index;
pub mod init;
mod json;
mod link;
mod making;
mod output;
mod prompt_tune;
mod query;
mod questions;
mod session;
mod status;
mod target;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::model::shown::printable;
use crate::pipeline::aside;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
pub(crate) use output::print;

#[derive(Parser)]
#[command(name = "belvedere", version, about, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write settings.yaml, prompts/, input/ and .env.example into a folder
    Init(InitArgs),
    /// Reckon the calls, tokens, money and hours of an index run, without a call
    Estimate(estimate::EstimateArgs),
    /// Index the documents in input/ into the tables in output/
    Index(index::IndexArgs),
    /// Answer a question over the index
    Query(query::QueryArgs),
    /// Ask one question after the other
    Chat(chat::ChatArgs),
    /// Propose questions worth asking
    Questions(questions::QuestionsArgs),
    /// Fit the prompts to the documents, from a sample of them; needs a model
    PromptTune(prompt_tune::TuneArgs),
    /// Answer a question by several methods, side by side
    Compare(compare::CompareArgs),
    /// Tell what is done, what failed and why, what is left, what it cost
    Status(status::StatusArgs),
    /// List, cancel or forget what `index --batch` left at the provider
    Batches(batches::BatchesArgs),
    /// List entities, or the names that may be duplicates or homonyms
    Entities(entities::EntitiesArgs),
    /// Examine the index and say what is wrong and what to do
    Doctor(doctor::DoctorArgs),
    /// Look after the cache of model answers
    Cache(cache::CacheArgs),
}

#[derive(Args)]
struct InitArgs {
    /// The project folder
    #[arg(short, long, default_value = ".")]
    root: PathBuf,
    /// Replace files that are there already
    #[arg(short, long)]
    force: bool,
}

/// Parses the command line, runs the command, and gives the process's exit code.
pub fn main() -> ExitCode {
    let args = compare::with_budget_joined(std::env::args_os());
    let mut command = Cli::command();
    let parsed = command
        .try_get_matches_from_mut(args)
        .and_then(|matches| {
            json::look(&matches);
            Cli::from_arg_matches(&matches)
        })
        .map_err(|error| error.format(&mut command));
    let code = match parsed {
        Ok(cli) => run(cli.command),
        // Help and version go to standard output as well.
        Err(told) => {
            output::note(told.print().and_then(|()| std::io::stdout().flush()));
            u8::try_from(told.exit_code()).unwrap_or(2)
        }
    };
    let code = match (output::lost(), code) {
        (None, code) => code,
        (Some(why), code) => {
            let code = if matches!(code, 0 | 3) { 1 } else { code };
            fail(&format!("cannot write standard output: {why}"), code)
        }
    };
    ExitCode::from(code)
}

fn run(command: Command) -> u8 {
    match command {
        Command::Init(args) => run_init(&args),
        Command::Estimate(args) => estimate::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Chat(args) => chat::run(&args),
        Command::Questions(args) => questions::run(&args),
        Command::PromptTune(args) => prompt_tune::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Batches(args) => batches::run(&args),
        Command::Entities(args) => entities::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Cache(args) => cache::run(&args),
    }
}

fn run_init(args: &InitArgs) -> u8 {
    match init::init(&args.root, args.force) {
        Ok(report) => {
            for (path, action) in &report.entries {
                let word = match action {
                    init::Action::Created => "created",
                    init::Action::Replaced => "replaced",
                    init::Action::Kept => "kept",
                };
                print(&format!("{word:<9} {}", path.display()));
            }
            print("put documents into input/, then run `belvedere index`");
            0
        }
        Err(error) => fail(&error, 2),
    }
}

/// Prints an error to standard error, and with `--json` to standard output too, and hands back its exit code.
pub(crate) fn fail(error: &dyn std::fmt::Display, code: u8) -> u8 {
    let message = printable(&error.to_string());
    aside(&format!("error: {message}"));
    json::tell(&message, code);
    code
}
