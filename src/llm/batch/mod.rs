//! Calls through the provider's Batch API: half the price, answers within a day.
//!
//! Everything above the transport stays as it is. [`BatchTransport`] holds each call back until no further one comes for a moment, which
//! is when all tasks of a stage wait, sends all of them as one file or as many as the limits ask for, and gives every call the reply on
//! its line. What was sent is on disk before it is sent ([`record`]), so that it is found again and never sent twice.

mod api;
mod driver;
mod lines;
mod record;
mod submit;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

pub(crate) use record::custom_id;
pub use record::{OpenBatch, Settled, forget, forget_ended, open_batches};

use self::api::BatchApi;
use self::driver::{Driver, Waiting};
use super::budget::WorstCase;
use super::error::CallError;
use super::limits::lock;
use super::request::Key;
use super::settings::{EndpointSettings, Say};
use super::transport::{Fate, HttpReply, HttpRequest, SendError, Transport};

/// Requests in one batch at most, by OpenAI's rules.
pub const MOST_REQUESTS: u32 = 50_000;
/// Megabytes (of a million bytes) in one batch file at most, by OpenAI's rules.
pub const MOST_MEGABYTES: u32 = 200;

/// How a run uses batches.
#[derive(Clone)]
pub struct BatchSettings {
    /// Where what was sent is written down.
    pub folder: PathBuf,
    /// Requests in one batch at most.
    pub max_requests: usize,
    /// Bytes in one batch file at most.
    pub max_bytes: usize,
    /// Prompt tokens in unfinished batches at most.
    pub max_queued_tokens: Option<u64>,
    /// How often a question that its batch left without an answer goes into a further one.
    pub retries: u32,
    /// Whether it is then asked directly.
    pub fall_back: bool,
    /// A batch is sent when no further question came for this long.
    pub linger: Duration,
    /// Between two looks at a batch, at most.
    pub poll: Duration,
    /// What earlier processes of the same run got from batches.
    pub settled: Arc<Settled>,
    /// For the progress line.
    pub say: Say,
}

impl fmt::Debug for BatchSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchSettings")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// Collects calls into batches. One for each address and model.
pub struct BatchTransport {
    sender: mpsc::UnboundedSender<Waiting>,
    /// Runs from the first call on: until then there may be no runtime.
    start: Mutex<Option<(Driver, mpsc::UnboundedReceiver<Waiting>)>>,
}

impl BatchTransport {
    /// Reads what earlier processes sent; sends nothing. The second value is what they sent and was not settled.
    ///
    /// # Errors
    /// [`CallError::Setup`] names the setting or the record that cannot be used.
    pub(crate) fn open(
        endpoint: &EndpointSettings,
        settings: &BatchSettings,
    ) -> Result<(Self, Vec<(Key, WorstCase)>), CallError> {
        let (address, model) = (endpoint.address(), endpoint.model.clone());
        let records: Vec<record::Record> = record::load(&settings.folder)?
            .into_iter()
            .filter(|record| record.address == address && record.model == model)
            .collect();
        let outstanding = record::outstanding(&records, &settings.settled);
        let api = BatchApi::new(endpoint)?;
        let driver = Driver::new(api, endpoint, settings.clone(), records);
        let (sender, receiver) = mpsc::unbounded_channel();
        let transport = Self {
            sender,
            start: Mutex::new(Some((driver, receiver))),
        };
        Ok((transport, outstanding))
    }
}

impl Transport for BatchTransport {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpReply, SendError>> {
        Box::pin(async move {
            if let Some((driver, receiver)) = lock(&self.start).take() {
                tokio::spawn(driver.run(receiver));
            }
            let (reply, answer) = oneshot::channel();
            let ended = || SendError {
                words: "the batches are no longer looked after; run the same command again"
                    .to_owned(),
                maybe_charged: false,
                fate: Fate::StopsRun,
            };
            // invariant: the door gives every call of a batch endpoint a ticket
            let ticket = request.ticket.ok_or_else(ended)?;
            let waiting = Waiting {
                ticket,
                body: request.body,
                reply,
            };
            self.sender.send(waiting).map_err(|_| ended())?;
            answer.await.unwrap_or_else(|_| Err(ended()))
        })
    }
}

/// Asks the provider to stop a batch. What is answered by then can still be fetched.
///
/// # Errors
/// In the provider's own words.
pub async fn cancel_batch(endpoint: &EndpointSettings, batch: &str) -> Result<(), CallError> {
    let place = Arc::new(super::error::Place {
        model: endpoint.model.clone(),
        address: endpoint.address(),
    });
    let words = match BatchApi::new(endpoint)?.cancel(batch).await {
        Ok(reply) if (200..300).contains(&reply.status) => return Ok(()),
        Ok(reply) => format!(
            "http {}: {}",
            reply.status,
            super::classify::words_of(&reply.body)
        ),
        Err(error) => error.words,
    };
    Err(CallError::NoBatch {
        place,
        words: format!("batch {batch} cannot be cancelled: {words}; see the provider's dashboard"),
    })
}
