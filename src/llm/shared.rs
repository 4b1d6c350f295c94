//! What the doors of one process have in common: cache, ledger, purse, limits, the order to stop.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::batch::{BatchSettings, BatchTransport};
use super::budget::{Budget, Spent};
use super::cache::Cache;
use super::door::Door;
use super::endpoint::Endpoint;
use super::error::{CallError, Place};
use super::flight::SingleFlight;
use super::ledger::{Event, Ledger, Summary};
use super::limits::{Pool, lock};
use super::retry::Jitter;
use super::settings::{EndpointSettings, RetrySettings, SharedSettings};
use super::transport::{OpenAiTransport, Transport};

/// What the doors of one process share; cheap to clone.
#[derive(Clone)]
pub struct Shared(pub(crate) Arc<SharedInner>);

/// How long a server may fail before whoever waits is told, and how often that is.
const SILENCE: Duration = Duration::from_secs(3);
const TOLD_EVERY: Duration = Duration::from_secs(15);

/// A batch has a day by the provider's clock; what is not answered then is told by the provider, not by ours.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

pub(crate) struct SharedInner {
    pub settings: SharedSettings,
    pub cache: Cache,
    pub ledger: Ledger,
    pub budget: Arc<Budget>,
    pub jitter: Jitter,
    pub cancel: CancellationToken,
    /// Tells this run's rejected answers from those of finished ones.
    pub run: u64,
    pub started: Instant,
    pub flight: SingleFlight,
    endpoints: Mutex<FxHashMap<(String, String), Arc<Endpoint>>>,
    /// The same places through batches.
    batches: Mutex<FxHashMap<(String, String), Arc<Endpoint>>>,
    warnings: Mutex<BTreeMap<String, u64>>,
    /// When it was last told that a server is waited for.
    told: Mutex<Option<Instant>>,
}

impl Shared {
    /// Opens cache and ledger.
    ///
    /// A run is everything between two `RunFinished` events of the ledger, so a killed run and its resumption are one and
    /// what is left after a finished run is asked anew. Without a ledger every process is a run of its own.
    ///
    /// # Errors
    /// [`CallError::Setup`] names the folder or file that cannot be used.
    pub fn open(settings: SharedSettings, cancel: CancellationToken) -> Result<Self, CallError> {
        let cache = match &settings.cache_dir {
            Some(dir) => match Cache::open(dir) {
                Ok(cache) => cache,
                Err(error) if settings.cache_may_fail => {
                    (settings.say)(&format!("note: {error}; answers are not kept"));
                    Cache::memory()
                }
                Err(error) => return Err(CallError::Setup(error.to_string())),
            },
            None => Cache::memory(),
        };
        let (ledger, run) = match &settings.ledger {
            Some(path) => {
                let named = |error| {
                    CallError::Setup(format!(
                        "cannot use the ledger {}: {error}; check that it can be written",
                        path.display()
                    ))
                };
                (
                    Ledger::open(path).map_err(named)?,
                    Summary::count_finished(path).map_err(named)?,
                )
            }
            None => {
                let since_epoch = SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default();
                (
                    Ledger::default(),
                    u64::try_from(since_epoch.as_nanos()).unwrap_or(u64::MAX),
                )
            }
        };
        Ok(Self(Arc::new(SharedInner {
            budget: Budget::new(settings.caps),
            jitter: Jitter::new(settings.jitter_seed),
            settings,
            cache,
            ledger,
            cancel,
            run,
            started: Instant::now(),
            flight: SingleFlight::default(),
            endpoints: Mutex::default(),
            batches: Mutex::default(),
            warnings: Mutex::default(),
            told: Mutex::default(),
        })))
    }

    /// The door to an endpoint over HTTP. Doors to the same address and model share limits.
    ///
    /// # Errors
    /// [`CallError::Setup`] names the setting that cannot work; [`CallError::PriceUnknown`] when a cap on money is set
    /// and the price is not known.
    pub fn door(&self, settings: EndpointSettings) -> Result<Door, CallError> {
        let transport = OpenAiTransport::new(&settings)?;
        self.door_through(settings, Arc::new(transport))
    }

    /// The door to an endpoint through another transport (recorded answers, tests).
    ///
    /// # Errors
    /// As [`Shared::door`].
    pub fn door_through(
        &self,
        settings: EndpointSettings,
        transport: Arc<dyn Transport>,
    ) -> Result<Door, CallError> {
        let place = (settings.address(), settings.model.clone());
        let mut endpoints = lock(&self.0.endpoints);
        let endpoint = match endpoints.get(&place) {
            // same limits and lessons, the stage's own parameters
            Some(known) => Arc::clone(known).sibling(settings, transport),
            None => {
                let pool = Pool::new(
                    settings.requests_per_period,
                    settings.tokens_per_period,
                    settings.period,
                    settings.concurrency,
                );
                Arc::new(Endpoint::new(settings, transport, pool))
            }
        };
        if self.0.budget.caps_cost() && endpoint.prices.is_none() {
            return Err(CallError::PriceUnknown {
                model: endpoint.place.model.clone(),
            });
        }
        endpoints
            .entry(place)
            .or_insert_with(|| Arc::clone(&endpoint));
        Ok(Door {
            shared: Arc::clone(&self.0),
            endpoint,
            fallback: None,
        })
    }

    /// The door to an endpoint through its Batch API. Doors to the same address and model share their batches.
    ///
    /// # Errors
    /// As [`Shared::door`], and a record of a batch that cannot be read.
    pub fn batch_door(
        &self,
        settings: EndpointSettings,
        batch: &BatchSettings,
    ) -> Result<Door, CallError> {
        let direct = self.door(settings.clone())?.endpoint;
        let settings = EndpointSettings {
            retry: RetrySettings {
                max_retries: batch.retries,
                base_delay: Duration::ZERO,
                max_delay: Duration::ZERO,
                outage_patience: Duration::ZERO,
                ..settings.retry
            },
            requests_per_period: None,
            tokens_per_period: None,
            concurrency: batch.max_requests,
            request_timeout: FOREVER,
            ..settings
        };
        let place = (settings.address(), settings.model.clone());
        let mut batches = lock(&self.0.batches);
        let endpoint = match batches.get(&place) {
            Some(known) => {
                let transport = Arc::clone(&known.transport);
                direct.in_batches(settings, transport, Arc::clone(&known.pool))
            }
            None => {
                let (transport, outstanding) = BatchTransport::open(&settings, batch)?;
                self.0.budget.carry(outstanding);
                let pool = Pool::new(None, None, settings.period, settings.concurrency);
                direct.in_batches(settings, Arc::new(transport), pool)
            }
        };
        batches
            .entry(place)
            .or_insert_with(|| Arc::clone(&endpoint));
        Ok(Door {
            shared: Arc::clone(&self.0),
            endpoint,
            fallback: batch.fall_back.then_some(direct),
        })
    }

    /// What this process spent so far, over all doors.
    pub fn spent(&self) -> Spent {
        self.0.budget.spent()
    }

    /// Models that were called and have no price.
    pub fn unpriced(&self) -> Vec<String> {
        self.0.budget.unpriced()
    }

    /// The answer cache.
    pub fn cache(&self) -> &Cache {
        &self.0.cache
    }

    /// The ledger, for what happens outside the door (documents, stages, the run's start and end).
    pub fn ledger(&self) -> &Ledger {
        &self.0.ledger
    }

    /// Warnings with how often each was given.
    pub fn warnings(&self) -> BTreeMap<String, u64> {
        lock(&self.0.warnings).clone()
    }

    /// Stops new calls at once; those in flight may land within the grace.
    pub fn cancel(&self) {
        self.0.cancel.cancel();
    }
}

impl SharedInner {
    /// The warnings so far.
    pub fn warned(&self) -> Vec<String> {
        lock(&self.warnings).keys().cloned().collect()
    }

    /// Counts a warning; its first occurrence goes into the ledger.
    /// Tells, now and then, that nothing is answered and why: whoever waits sees that it is not our doing.
    pub fn tell_silence(&self, place: &Place, words: &str, silent_for: Duration) {
        if silent_for < SILENCE {
            return;
        }
        let mut told = lock(&self.told);
        if told.is_some_and(|at| at.elapsed() < TOLD_EVERY) {
            return;
        }
        *told = Some(Instant::now());
        drop(told);
        (self.settings.say)(&format!(
            "{place} has answered nothing for {} s, last: {words}; it is asked again, Ctrl-C stops",
            silent_for.as_secs()
        ));
    }

    pub fn warn(&self, message: String) {
        let mut warnings = lock(&self.warnings);
        let count = warnings.entry(message.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            self.ledger.record(Event::Warning { message });
        }
    }
}
