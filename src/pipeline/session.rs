//! The async shell of a run with models: runtime, doors, ledger, Ctrl-C.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::error::PipelineError;
use super::models::{BatchOptions, BudgetOptions, Models};
use super::progress::Progress;
use super::project::Project;
use super::summary::UsageSummary;
use crate::llm::ledger::{Event, Summary};
use crate::llm::{Already, Door, Settled, forget_ended, open_batches};
use crate::model::shown::counted;

/// The ledger's file name in the output folder.
pub const LEDGER_FILE: &str = "ledger.jsonl";

/// Threads for calls: they wait for the network, the counting is done elsewhere.
const CALL_THREADS: usize = 2;

/// Everything a run needs to talk to models.
pub(super) struct Session {
    runtime: tokio::runtime::Runtime,
    pub models: Models,
    cancel: CancellationToken,
    /// The records' folder, where calls go in batches.
    in_batches: Option<PathBuf>,
}

/// `index --batch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchChoice {
    /// Ask directly what batches left without an answer, whatever the settings say.
    pub fall_back: bool,
}

impl Session {
    /// Opens cache and ledger for a few questions before a run, and probes the models that find entities and claims. The calls
    /// are recorded, but no run is begun.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub fn for_sample(
        project: &Project,
        budget: BudgetOptions,
        progress: &Progress,
    ) -> Result<Self, PipelineError> {
        let settings = &project.settings;
        let mut ids = vec![settings.extract_graph.completion_model_id.as_str()];
        if settings.extract_claims.enabled {
            ids.push(&settings.extract_claims.completion_model_id);
        }
        let before = Summary::read(&project.output_dir().join(LEDGER_FILE)).unwrap_or_default();
        refuse_open_batches(project, &before.settled_of_run)?;
        let session = Self::prepare(project, budget, None, progress)?;
        session.probe(ids, None)?;
        Ok(session)
    }

    /// Opens cache and ledger, and probes every model the run will use, once each.
    ///
    /// # Errors
    /// A wrong key, model or address, named by the probe before anything is read or paid.
    pub fn open(
        project: &Project,
        budget: BudgetOptions,
        batch: Option<BatchChoice>,
        progress: &Progress,
    ) -> Result<Self, PipelineError> {
        let before = Summary::read(&project.output_dir().join(LEDGER_FILE)).unwrap_or_default();
        let settled = before.settled_of_run;
        if batch.is_none() {
            refuse_open_batches(project, &settled)?;
        }
        let batch = batch.map(|choice| {
            let progress = progress.clone();
            BatchOptions {
                fall_back: choice.fall_back,
                settled,
                say: Arc::new(move |line| progress.now(line)),
            }
        });
        let already = if before.unfinished {
            Already {
                cost: before.calls_of_run.cost,
                tokens: before.calls_of_run.prompt_tokens + before.calls_of_run.completion_tokens,
                calls: before.calls_of_run.sent,
            }
        } else {
            Already::default()
        };
        let session = Self::prepare(
            project,
            BudgetOptions { already, ..budget },
            batch,
            progress,
        )?;
        let settings = &project.settings;
        let mut ids = vec![
            settings.extract_graph.completion_model_id.as_str(),
            settings.summarize_descriptions.completion_model_id.as_str(),
            settings.community_reports.completion_model_id.as_str(),
        ];
        if settings.extract_claims.enabled {
            ids.push(&settings.extract_claims.completion_model_id);
        }
        let names = &settings.entity_resolution;
        if names.enabled && names.adjudicate {
            ids.push(&names.completion_model_id);
        }
        session.probe(ids, Some(&settings.embed_text.embedding_model_id))?;
        session.record(Event::RunStarted {
            command: "index".to_owned(),
        });
        Ok(session)
    }

    fn prepare(
        project: &Project,
        budget: BudgetOptions,
        batch: Option<BatchOptions>,
        progress: &Progress,
    ) -> Result<Self, PipelineError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(CALL_THREADS)
            .enable_all()
            .build()
            .map_err(|error| {
                PipelineError::Settings(format!(
                    "cannot start threads: {error}; free memory and try again"
                ))
            })?;
        let ledger = project.output_dir().join(LEDGER_FILE);
        let in_batches = batch.is_some().then(|| project.batch_dir());
        let cancel = CancellationToken::new();
        let models = {
            let _inside = runtime.enter();
            let progress = progress.clone();
            let say = Arc::new(move |line: &str| progress.say(line));
            Models::open(project, Some(ledger), budget, batch, cancel.clone(), say)?
        };
        let session = Self {
            runtime,
            models,
            cancel,
            in_batches,
        };
        session.listen();
        Ok(session)
    }

    /// The first Ctrl-C stops new calls; what is in flight may still land.
    fn listen(&self) {
        let shared = self.models.shared().clone();
        self.runtime.spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                shared.cancel();
            }
        });
    }

    fn probe(&self, mut ids: Vec<&str>, embedding: Option<&str>) -> Result<(), PipelineError> {
        ids.sort_unstable();
        ids.dedup();
        let mut doors: Vec<Door> = Vec::new();
        for id in ids {
            doors.extend(self.models.direct_chat(id)?);
        }
        if let Some(id) = embedding {
            doors.extend(self.models.embedding(id)?);
        }
        self.run(async {
            let probes = futures::future::join_all(doors.iter().map(Door::probe)).await;
            probes
                .into_iter()
                .try_for_each(|probed| Ok(probed.map(|_| ())?))
        })
    }

    /// Runs a future to its end on the calling thread.
    ///
    /// # Errors
    /// `Cancelled` when the run was stopped meanwhile, whatever the future made of it.
    pub fn run<T>(
        &self,
        work: impl Future<Output = Result<T, PipelineError>>,
    ) -> Result<T, PipelineError> {
        let result = self.runtime.block_on(work);
        if self.cancel.is_cancelled() {
            let open = self.in_batches.as_ref().is_some_and(|folder| {
                open_batches(folder, &Settled::default())
                    .is_ok_and(|open| open.iter().any(|batch| !batch.ended))
            });
            return Err(match open {
                true => PipelineError::CancelledInBatch,
                false => PipelineError::Cancelled,
            });
        }
        result
    }

    /// The run is over: everything its batches answered is settled.
    ///
    /// # Errors
    /// A record cannot be read.
    pub fn finished(&self, failed: u64) -> Result<(), PipelineError> {
        self.record(Event::RunFinished { failed });
        match &self.in_batches {
            Some(folder) => Ok(forget_ended(folder)?),
            None => Ok(()),
        }
    }

    /// Appends to the ledger.
    pub fn record(&self, event: Event) {
        self.models.shared().ledger().record(event);
    }

    /// What this process spent.
    pub fn usage(&self) -> UsageSummary {
        let spent = self.models.shared().spent();
        UsageSummary {
            calls: spent.calls,
            cached_calls: spent.cached_calls,
            prompt_tokens: spent.prompt_tokens,
            completion_tokens: spent.completion_tokens,
            cost: spent.cost,
            known_cost: spent.known_cost,
            unpriced: self.models.shared().unpriced(),
        }
    }

    /// Warnings of the doors, with how often each was given.
    pub fn warnings(&self) -> Vec<String> {
        let warnings = self.models.shared().warnings();
        warnings
            .into_iter()
            .map(|(warning, times)| format!("{warning} ({})", counted(times, "time")))
            .collect()
    }
}

/// Without batches, what is on its way in batches would be asked, and paid for, again.
fn refuse_open_batches(project: &Project, settled: &Settled) -> Result<(), PipelineError> {
    let open = open_batches(&project.batch_dir(), settled)?;
    match open.is_empty() {
        true => Ok(()),
        false => Err(PipelineError::BatchesOpen {
            batches: open.len(),
            requests: open.iter().map(|batch| batch.requests).sum(),
        }),
    }
}
