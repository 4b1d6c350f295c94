//! What every command that asks shares: a project with its index and models, opened once, and the engine run on it.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::making::Making;
use crate::chunk::Tokenizer;
use crate::config::Settings;
use crate::llm::Door;
use crate::model::shown::printable_line;
use crate::pipeline::{BudgetOptions, Models, Project, aside};
use crate::query::{
    Answered, Builtin, Chat, Engine, Index, Method, OnText, Params, QueryError, Question,
    QuestionEncoder, SearchPrompts,
};

/// A project that questions are asked of.
pub(super) struct Asker {
    pub project: Project,
    pub index: Index,
    pub params: Params,
    runtime: tokio::runtime::Runtime,
    models: OnceCell<Models>,
    builtin: Builtin,
    stop: Arc<Stop>,
}

/// What an interrupt stops: the calls under way, and the command itself where it only waits for a line.
#[derive(Default)]
struct Stop {
    calls: Mutex<CancellationToken>,
    /// Whether somebody is typing.
    waits: AtomicBool,
}

impl Stop {
    fn calls(&self) -> MutexGuard<'_, CancellationToken> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn interrupt(&self) {
        if self.waits.load(Ordering::Relaxed) {
            // Every turn is in its file, every answer in the cache.
            std::process::exit(130);
        }
        self.calls().cancel();
    }
}

/// The models of one method, with the index they are asked about.
pub(super) struct Desk<'a> {
    asker: &'a Asker,
    chat: Option<Door>,
    embedding: Option<Door>,
    count: Box<dyn Fn(&str) -> usize + Sync>,
}

impl Desk<'_> {
    /// What answers questions.
    pub fn engine(&self) -> Engine<'_> {
        let encoder: &dyn QuestionEncoder = match &self.embedding {
            Some(door) => door,
            None => &self.asker.builtin,
        };
        Engine {
            index: &self.asker.index,
            params: &self.asker.params,
            prompts: SearchPrompts::from(&self.asker.project.prompts),
            chat: self.chat.as_ref().map(|door| door as &dyn Chat),
            encoder: Some(encoder),
            count: &*self.count,
        }
    }
}

fn settings_error(error: impl std::fmt::Display) -> QueryError {
    QueryError::Settings(error.to_string())
}

impl Asker {
    /// Opens the project and its index, restricted by `filters`; `data` is another folder of tables.
    pub fn open(root: &Path, data: Option<&Path>, filters: &[String]) -> Result<Self, QueryError> {
        let mut project = Project::open(root).map_err(settings_error)?;
        let folder = data.map_or_else(|| project.output_dir(), Path::to_owned);
        let making = Making::default();
        let (index, note) = Index::open(&folder)?.searchable(&|event| making.tell(event));
        let index = index.filtered(filters)?;
        project.notes.extend(note);
        let settings = &project.settings;
        let params = Params::from_settings(settings);
        let has_models =
            !settings.completion_models.is_empty() || !settings.embedding_models.is_empty();
        let mut builder = if has_models {
            tokio::runtime::Builder::new_multi_thread()
        } else {
            tokio::runtime::Builder::new_current_thread()
        };
        let runtime = builder
            .enable_all()
            .build()
            .map_err(|error| QueryError::Output(error.to_string()))?;
        let stop = Arc::new(Stop::default());
        if has_models {
            let stop = Arc::clone(&stop);
            runtime.spawn(async move {
                while tokio::signal::ctrl_c().await.is_ok() {
                    stop.interrupt();
                }
            });
        }
        Ok(Self {
            project,
            index,
            params,
            runtime,
            models: OnceCell::new(),
            builtin: Builtin::default(),
            stop,
        })
    }

    /// Whether a method has a completion model.
    pub fn has_chat(&self, method: Method) -> bool {
        let settings = &self.project.settings;
        settings
            .completion_model(model_ids(settings, method).0)
            .is_some()
    }

    /// The answer cache and the limits, opened when a model is first needed.
    fn models(&self) -> Result<&Models, QueryError> {
        if let Some(models) = self.models.get() {
            return Ok(models);
        }
        let models = Models::open(
            &self.project,
            None,
            BudgetOptions::default(),
            None,
            self.stop.calls().clone(),
            Arc::new(|line| aside(&printable_line(line))),
        )
        .map_err(settings_error)?;
        Ok(self.models.get_or_init(|| models))
    }

    /// The completion model of a method, where one is configured.
    pub fn chat(&self, method: Method) -> Result<Option<Door>, QueryError> {
        if !self.has_chat(method) {
            return Ok(None);
        }
        let id = model_ids(&self.project.settings, method).0;
        self.models()?.chat(id).map_err(settings_error)
    }

    /// What a method's engine needs beside the index.
    pub fn desk(&self, method: Method) -> Result<Desk<'_>, QueryError> {
        let settings = &self.project.settings;
        let embedding_id = model_ids(settings, method).1;
        let chat = self.chat(method)?;
        let embedding = match settings.embedding_model(embedding_id) {
            Some(_) => self
                .models()?
                .embedding(embedding_id)
                .map_err(settings_error)?,
            None => None,
        };
        // Where no prompt is sent, tokens need no exact count: four bytes make one.
        let count: Box<dyn Fn(&str) -> usize + Sync> = match &chat {
            Some(_) => {
                let tokenizer = Tokenizer::named(settings.chunking.encoding_model.as_str())
                    .map_err(settings_error)?;
                Box::new(move |text| tokenizer.count(text))
            }
            None => Box::new(|text| text.len().div_ceil(4)),
        };
        Ok(Desk {
            asker: self,
            chat,
            embedding,
            count,
        })
    }

    /// Answers a question; `on_text` is given a model's text as it comes.
    pub fn answer(
        &self,
        question: &Question,
        on_text: Option<OnText<'_>>,
    ) -> Result<Answered, QueryError> {
        let start = Instant::now();
        let desk = self.desk(question.method)?;
        let mut answered = self.wait(desk.engine().answer(question, on_text))?;
        answered.seconds = start.elapsed().as_secs_f64();
        Ok(answered)
    }

    /// Tells whether the command waits for a line: then an interrupt ends it.
    pub fn waits_for_input(&self, waits: bool) {
        self.stop.waits.store(waits, Ordering::Relaxed);
    }

    /// After an interrupt: opens the models anew, for the next question.
    pub fn renew(&mut self) {
        self.models = OnceCell::new();
        *self.stop.calls() = CancellationToken::new();
    }

    /// Waits for something on this command's runtime.
    pub fn wait<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}

/// The settings' ids of the models that a method uses.
fn model_ids(settings: &Settings, method: Method) -> (&str, &str) {
    match method {
        Method::Local => (
            &settings.local_search.completion_model_id,
            &settings.local_search.embedding_model_id,
        ),
        Method::Basic => (
            &settings.basic_search.completion_model_id,
            &settings.basic_search.embedding_model_id,
        ),
        Method::Drift => (
            &settings.drift_search.completion_model_id,
            &settings.drift_search.embedding_model_id,
        ),
        Method::Global | Method::ClosedBook => (
            &settings.global_search.completion_model_id,
            &settings.embed_text.embedding_model_id,
        ),
    }
}
