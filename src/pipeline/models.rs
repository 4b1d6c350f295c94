//! The settings' models as doors: one place where configuration becomes calls.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::error::PipelineError;
use super::project::Project;
use crate::config::{BatchFallback, ModelConfig, RetryType, Settings, StructuredOutput};
use crate::llm::{
    Already, BatchSettings, Caps, Door, EndpointKind, EndpointSettings, Prices, RetrySettings, Say,
    Secret, Settled, Shared, SharedSettings,
};

/// What a run may use at most; command line over settings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BudgetOptions {
    /// Money, in the currency of the prices.
    pub max_cost: Option<f64>,
    /// Tokens of prompts and answers.
    pub max_tokens: Option<u64>,
    /// Calls.
    pub max_calls: Option<u64>,
    /// What earlier processes of the same run spent; counts against the caps.
    pub already: Already,
}

/// The doors of one process.
pub struct Models {
    shared: Shared,
    settings: Settings,
    /// An index run sits out an outage; a person who asked a question does not.
    waits: bool,
    batch: Option<BatchSettings>,
}

/// How the run's calls go into batches; command line over settings.
#[derive(Clone)]
pub struct BatchOptions {
    /// Ask directly what batches left without an answer.
    pub fall_back: bool,
    /// What earlier processes of the same run got from batches.
    pub settled: Settled,
    /// Shows how far the batches are.
    pub say: Say,
}

impl BatchOptions {
    fn settings(self, project: &Project) -> BatchSettings {
        let config = &project.settings.batch;
        BatchSettings {
            folder: project.batch_dir(),
            max_requests: config.max_requests as usize,
            max_bytes: config.max_megabytes as usize * 1_000_000,
            max_queued_tokens: config.max_queued_tokens,
            retries: config.retries,
            fall_back: self.fall_back || config.fallback == BatchFallback::Direct,
            linger: Duration::from_secs_f64(config.linger.clamp(0.01, 60.0)),
            poll: Duration::from_secs_f64(config.poll.clamp(0.01, 3600.0)),
            settled: Arc::new(self.settled),
            say: self.say,
        }
    }
}

impl Models {
    /// Opens the answer cache and, where a file is given, the ledger. `say` shows that a server is waited for.
    ///
    /// # Errors
    /// The folder of either cannot be used.
    pub fn open(
        project: &Project,
        ledger: Option<std::path::PathBuf>,
        budget: BudgetOptions,
        batch: Option<BatchOptions>,
        cancel: CancellationToken,
        say: Say,
    ) -> Result<Self, PipelineError> {
        let configured = &project.settings.budget;
        let waits = ledger.is_some();
        let (_, tokenizer) = project.chunk_settings()?;
        let settings = SharedSettings {
            cache_dir: project
                .settings
                .cache
                .is_durable()
                .then(|| project.cache_dir()),
            cache_may_fail: !waits,
            ledger,
            caps: Caps {
                max_cost: budget.max_cost.or(configured.max_cost),
                max_tokens: budget.max_tokens.or(configured.max_tokens),
                max_calls: budget.max_calls.or(configured.max_calls),
                already: budget.already,
            },
            count_tokens: Arc::new(move |text| tokenizer.count(text)),
            say,
            ..SharedSettings::default()
        };
        Ok(Self {
            shared: Shared::open(settings, cancel)?,
            settings: project.settings.clone(),
            waits,
            batch: batch.map(|batch| batch.settings(project)),
        })
    }

    /// The door to a completion model, through batches where the run asks for them; `None` where the built-in provider is to
    /// be used.
    ///
    /// # Errors
    /// The model's settings cannot work.
    pub fn chat(&self, id: &str) -> Result<Option<Door>, PipelineError> {
        match (&self.batch, self.chat_settings(id)) {
            (Some(batch), Some(endpoint)) => Ok(Some(self.shared.batch_door(endpoint, batch)?)),
            _ => self.direct_chat(id),
        }
    }

    /// The door to a completion model, one call at a time.
    ///
    /// # Errors
    /// The model's settings cannot work.
    pub fn direct_chat(&self, id: &str) -> Result<Option<Door>, PipelineError> {
        match self.chat_settings(id) {
            Some(endpoint) => Ok(Some(self.shared.door(endpoint)?)),
            None => Ok(None),
        }
    }

    fn chat_settings(&self, id: &str) -> Option<EndpointSettings> {
        chat_endpoint(&self.settings, id).map(|endpoint| self.patient(endpoint))
    }

    fn patient(&self, mut endpoint: EndpointSettings) -> EndpointSettings {
        if !self.waits {
            endpoint.retry.outage_patience = Duration::ZERO;
        }
        endpoint
    }

    /// The door to an embedding model; `None` where the built-in encoder is to be used.
    ///
    /// # Errors
    /// The model's settings cannot work.
    pub fn embedding(&self, id: &str) -> Result<Option<Door>, PipelineError> {
        let Some(model) = self.settings.embedding_model(id) else {
            return Ok(None);
        };
        let endpoint = self.patient(endpoint(EndpointKind::Embedding, model, &self.settings));
        Ok(Some(self.shared.door(endpoint)?))
    }

    /// What the doors share: spending, warnings, ledger.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }
}

/// A completion model as an endpoint; `None` where the built-in provider is to be used.
pub fn chat_endpoint(settings: &Settings, id: &str) -> Option<EndpointSettings> {
    let model = settings.completion_model(id)?;
    Some(endpoint(EndpointKind::Chat, model, settings))
}

fn endpoint(kind: EndpointKind, model: &ModelConfig, settings: &Settings) -> EndpointSettings {
    let retry = &model.retry;
    let limit = model.rate_limit.as_ref();
    let base = EndpointSettings::new(kind, model.model_provider.as_str(), model.model.as_str());
    let call_args = model
        .call_args
        .iter()
        .map(|(key, value)| (key.clone(), value.clone()));
    let timeout = model
        .call_args
        .get("timeout")
        .and_then(serde_json::Value::as_f64);
    EndpointSettings {
        api_base: model.base_url().map(str::to_owned),
        api_key: model.api_key.as_ref().map(|key| Secret::new(key.expose())),
        api_version: model.api_version.clone(),
        azure_deployment: model.azure_deployment_name.clone(),
        call_args: call_args.collect(),
        retry: RetrySettings {
            max_retries: retry.max_retries,
            base_delay: match retry.kind {
                RetryType::ExponentialBackoff => Duration::from_secs(1),
                RetryType::Immediate => Duration::ZERO,
            },
            max_delay: Duration::from_secs_f64(retry.max_delay.clamp(0.0, 86_400.0)),
            jitter: retry.jitter,
            max_reasks: settings.limits.max_reasks,
            outage_patience: Duration::from_secs_f64(retry.outage_patience.clamp(0.0, 86_400.0)),
            ..RetrySettings::default()
        },
        requests_per_period: limit
            .and_then(|l| l.requests_per_period)
            .map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        tokens_per_period: limit.and_then(|l| l.tokens_per_period),
        period: Duration::from_secs(limit.map_or(60, |l| u64::from(l.period_in_seconds))),
        concurrency: settings.concurrent_requests as usize,
        request_timeout: match timeout {
            Some(seconds) if seconds > 0.0 => Duration::from_secs_f64(seconds.min(86_400.0)),
            _ => Duration::from_secs(u64::from(settings.limits.call_timeout)),
        },
        prices: model
            .prices
            .as_ref()
            .map(|p| Prices::new(p.input_per_million, p.output_per_million)),
        context_window: model.context_window,
        batch_size: settings.embed_text.batch_size as usize,
        batch_max_tokens: settings.embed_text.batch_max_tokens as usize,
        ..base
    }
}

/// Whether a model is asked to hold its answers to a schema.
pub fn wants_schema(settings: &Settings, id: &str) -> bool {
    settings
        .completion_model(id)
        .is_some_and(|model| model.structured_output != StructuredOutput::Never)
}
