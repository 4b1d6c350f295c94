//! One cheap call per model before anything is read or paid.

use std::time::Duration;

use tokio::time::Instant;

use super::answer::Usage;
use super::cache::{Kind as RecordKind, Record};
use super::call::{Called, Failed, Subject};
use super::door::Door;
use super::error::CallError;
use super::request::{KeyHasher, Message, Params, Stage};
use super::settings::{EndpointKind, RetrySettings};
use super::wire;

/// What the probe found.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeReport {
    /// Model name.
    pub model: String,
    /// Address without credentials.
    pub address: String,
    /// How long the answer took; zero when this run has probed before.
    pub took: Duration,
    /// This run has probed before (it was killed and goes on).
    pub remembered: bool,
    /// Length of a vector, for embedding models.
    pub dimensions: Option<usize>,
    /// What the server does not say or do, in words.
    pub notes: Vec<String>,
}

impl Door {
    /// Makes one call and names what is wrong: key, model, address.
    ///
    /// # Errors
    /// [`CallError::Unreachable`], [`CallError::AuthRejected`], [`CallError::NotFound`] and the like, in one line with the
    /// provider's own words.
    pub async fn probe(&self) -> Result<ProbeReport, CallError> {
        let settings = &self.endpoint.settings;
        let place = &self.endpoint.place;
        let mut hasher = KeyHasher::new("probe.1");
        hasher
            .part(place.model.as_bytes())
            .part(place.address.as_bytes())
            .part(&self.shared.run.to_le_bytes());
        let key = hasher.finish();
        let mut report = ProbeReport {
            model: place.model.clone(),
            address: place.address.clone(),
            took: Duration::ZERO,
            remembered: false,
            dimensions: None,
            notes: Vec::new(),
        };
        if let Some(payload) = self.shared.cache.get(key).await {
            report.remembered = true;
            report.dimensions = payload
                .first_chunk()
                .map(|bytes| u32::from_le_bytes(*bytes) as usize)
                .filter(|&dim| dim > 0);
            return Ok(report);
        }
        let started = Instant::now();
        match settings.kind {
            EndpointKind::Embedding => {
                let embedded = self
                    .embed_as(&["probe"], &self.probe_retry())
                    .await
                    .map_err(unreachable_if_nothing_came)?;
                report.dimensions = Some(embedded.dim);
            }
            EndpointKind::Chat => {
                report.notes = self
                    .probe_chat()
                    .await
                    .map_err(|failed| unreachable_if_nothing_came(failed.error))?
            }
        }
        report.took = started.elapsed();
        let payload = u32::try_from(report.dimensions.unwrap_or(0))
            .unwrap_or(0)
            .to_le_bytes()
            .to_vec();
        self.shared
            .cache
            .put(vec![Record {
                kind: RecordKind::Answer,
                key,
                payload,
            }])
            .await?;
        Ok(report)
    }

    /// Somebody is waiting to be told what is wrong.
    fn probe_retry(&self) -> RetrySettings {
        let retry = self.endpoint.settings.retry.clone();
        RetrySettings {
            max_retries: retry.max_retries.min(2),
            outage_patience: Duration::ZERO,
            ..retry
        }
    }

    async fn probe_chat(&self) -> Result<Vec<String>, Failed> {
        let messages = [Message::user("Reply with the word ready.")];
        // room for a reasoning model to think a little; a cut answer proves the key, the model and the address as well
        let params = Params {
            max_output_tokens: Some(64),
            ..self.endpoint.params.clone()
        };
        let (estimate, _) = self.estimate_chat(&messages, &params);
        let subject = Subject {
            stage: Stage::Probe,
            item: "probe",
            attempt: 0,
            id: None,
            on_text: None,
        };
        let build = |quirks: &_, limit: Option<u32>| {
            let params = Params {
                max_output_tokens: limit,
                ..params.clone()
            };
            wire::chat(
                &self.endpoint.place.model,
                &messages,
                &params,
                None,
                quirks,
                false,
            )
        };
        let retry = self.probe_retry();
        let Called { value, .. } = self
            .call(subject, estimate, &retry, &build, &|reply| {
                self.read_chat(reply)
            })
            .await?;
        let mut notes = Vec::new();
        if value.usage.unwrap_or(Usage::default()).total() == 0 {
            notes.push(
                "the server does not count tokens: costs and limits go by our own estimate"
                    .to_string(),
            );
        }
        Ok(notes)
    }
}

/// A call that found no server is about the address, not about the item.
fn unreachable_if_nothing_came(error: CallError) -> CallError {
    match error {
        CallError::Transient { place, words, .. } => CallError::Unreachable { place, words },
        other => other,
    }
}
