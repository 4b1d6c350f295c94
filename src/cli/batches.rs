//! `belvedere batches`: what `index --batch` left at the provider.

use std::path::PathBuf;

use clap::Args;

use super::{fail, print};
use crate::llm::ledger::Summary;
use crate::llm::{OpenBatch, cancel_batch, forget_batches, open_batches};
use crate::pipeline::models::chat_endpoint;
use crate::pipeline::{LEDGER_FILE, PipelineError, Project};

#[derive(Args)]
pub(super) struct BatchesArgs {
    /// The project folder
    #[arg(short, long, default_value = ".")]
    root: PathBuf,
    /// Ask the provider to stop them; `index --batch` still fetches what is answered by then
    #[arg(long)]
    cancel: bool,
    /// Give their answers up: the next run asks, and pays for, these questions again
    #[arg(long, conflicts_with = "cancel")]
    forget: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &BatchesArgs) -> u8 {
    match run_inner(args) {
        Ok(()) => 0,
        Err(error) => fail(&error, error.exit_code()),
    }
}

fn run_inner(args: &BatchesArgs) -> Result<(), PipelineError> {
    let project = Project::open(&args.root)?;
    let folder = project.batch_dir();
    // without a ledger every question counts as unanswered, which is the safe side
    let ledger = Summary::read(&project.output_dir().join(LEDGER_FILE)).unwrap_or_default();
    let open = open_batches(&folder, &ledger.settled_of_run)?;
    if args.cancel {
        cancel(&project, &open)?;
    }
    if args.forget {
        let names: Vec<String> = open.iter().map(|batch| batch.name.clone()).collect();
        forget_batches(&folder, &names)?;
    }
    if args.json {
        print(&serde_json::to_string_pretty(&open).unwrap_or_default());
        return Ok(());
    }
    for batch in &open {
        let id = batch.batch.as_deref().unwrap_or("(id not learnt)");
        let what = match (
            args.forget,
            batch.ended,
            args.cancel && batch.batch.is_some(),
        ) {
            (true, ..) => "forgotten",
            (_, true, _) => "ended, answers to be fetched",
            (.., true) => "asked to stop",
            _ => "sent",
        };
        print(&format!(
            "{id:<40} {:>6} {} to {} {what}",
            batch.requests,
            if batch.requests == 1 {
                "request"
            } else {
                "requests"
            },
            batch.model
        ));
    }
    print(match (open.is_empty(), args.forget) {
        (true, _) => "nothing is waited for",
        (false, true) => "the next run asks these questions again",
        (false, false) => "`belvedere index --batch` fetches their answers",
    });
    Ok(())
}

fn cancel(project: &Project, open: &[OpenBatch]) -> Result<(), PipelineError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            PipelineError::Settings(format!(
                "cannot start a runtime: {error}; free memory and try again"
            ))
        })?;
    for batch in open.iter().filter(|batch| !batch.ended) {
        let Some(id) = &batch.batch else { continue };
        let endpoint = project
            .settings
            .completion_models
            .keys()
            .filter_map(|model| chat_endpoint(&project.settings, model))
            .find(|endpoint| endpoint.address() == batch.address && endpoint.model == batch.model)
            .ok_or_else(|| {
                PipelineError::Settings(format!(
                    "batch {id} is at {}, model {}, which settings.yaml no longer names; cancel it on the provider's page",
                    batch.address, batch.model
                ))
            })?;
        runtime.block_on(cancel_batch(&endpoint, id))?;
    }
    Ok(())
}
