//! One question on the wire: limits, caps, sending, classifying, repeating, recording.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;
use tokio::time::error::Elapsed;

use super::answer::Usage;
use super::batch::custom_id;
use super::budget::Reservation;
use super::classify::{Failure, Kind, classify};
use super::door::Door;
use super::endpoint::Estimate;
use super::error::CallError;
use super::ledger::Event;
use super::quirks::Quirks;
use super::request::{Key, Stage};
use super::retry::wait_before;
use super::settings::RetrySettings;
use super::stream::{OnText, collect};
use super::transport::{Fate, HttpReply, HttpRequest, SendError, StreamReply, Ticket};

/// What a call is about, for the ledger.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub stage: Stage,
    pub item: &'a str,
    pub attempt: u32,
    /// The attempt's name in batches; `None` where it is sent by itself.
    pub id: Option<Key>,
    /// Streams the answer to it.
    pub on_text: Option<OnText<'a>>,
}

/// A reply that was read.
#[derive(Debug)]
pub(crate) struct Called<R> {
    pub value: R,
    pub usage: Usage,
    pub cost: Option<f64>,
}

/// A call that gave nothing.
#[derive(Debug)]
pub(crate) struct Failed {
    pub error: CallError,
    /// The last failure's kind, where a reply caused it.
    pub kind: Option<Kind>,
}

impl From<CallError> for Failed {
    fn from(error: CallError) -> Self {
        Self { error, kind: None }
    }
}

/// Reads a successful reply into a value and the server's count.
pub(crate) type Read<'a, R> =
    dyn Fn(&HttpReply) -> Result<(R, Option<Usage>), Failure> + Send + Sync + 'a;

/// Repeats of one call so far.
struct Repeats<'a> {
    settings: &'a RetrySettings,
    /// Failures that count against the call.
    counted: u32,
    /// All sendings.
    sends: u32,
    /// Requests changed because the server lacks a feature.
    adapted: u32,
    /// Sendings that were not answered in time.
    late: u32,
    last_failure: Instant,
}

/// A server that is slow, not dead, is given twice the time after each sending it did not answer, up to eight times as long.
const DOUBLINGS: u32 = 3;

impl Door {
    /// Waits for `step` unless the run is stopped first.
    pub(crate) async fn unless_stopped<T>(
        &self,
        step: impl Future<Output = T>,
    ) -> Result<T, CallError> {
        tokio::select! {
            biased;
            () = self.shared.cancel.cancelled() => Err(CallError::Cancelled),
            value = step => Ok(value),
        }
    }

    pub(crate) fn check_running(&self) -> Result<(), CallError> {
        if self.shared.cancel.is_cancelled() {
            return Err(CallError::Cancelled);
        }
        match self.shared.settings.run_deadline {
            Some(after) if self.shared.started.elapsed() >= after => {
                Err(CallError::DeadlinePassed { after })
            }
            _ => Ok(()),
        }
    }

    /// Sends until a reply can be read or the failure is final.
    ///
    /// `build` makes the request for what the endpoint is known to lack and a limit on the answer.
    pub(crate) async fn call<R: Send>(
        &self,
        subject: Subject<'_>,
        estimate: Estimate,
        retry: &RetrySettings,
        build: &(dyn Fn(&Quirks, Option<u32>) -> HttpRequest + Send + Sync),
        read: &Read<'_, R>,
    ) -> Result<Called<R>, Failed> {
        let mut repeats = Repeats {
            settings: retry,
            counted: 0,
            sends: 0,
            adapted: 0,
            late: 0,
            last_failure: Instant::now(),
        };
        loop {
            self.check_running()?;
            let time = 1 << repeats.late.min(DOUBLINGS);
            let timeout = self.endpoint.settings.request_timeout.saturating_mul(time);
            let (failure, sent) = match self
                .send_once(subject, estimate, (repeats.sends, timeout), build, read)
                .await?
            {
                Ok(called) => return Ok(called),
                Err(failure) => failure,
            };
            repeats.sends += 1;
            let wait = self.after_failure(&mut repeats, &failure, &sent)?;
            self.shared.budget.count_retry();
            self.pause_before_repeat(wait).await?;
        }
    }

    /// One sending. The outer error is final; the inner one is for [`Self::after_failure`].
    async fn send_once<R: Send>(
        &self,
        subject: Subject<'_>,
        estimate: Estimate,
        (send, timeout): (u32, Duration),
        build: &(dyn Fn(&Quirks, Option<u32>) -> HttpRequest + Send + Sync),
        read: &Read<'_, R>,
    ) -> Result<Result<Called<R>, (Failure, Quirks)>, CallError> {
        let endpoint = &self.endpoint;
        let slot = self.unless_stopped(endpoint.pool.slot()).await?;
        self.unless_stopped(endpoint.pool.admit(estimate.expected))
            .await?;
        let reservation = self
            .unless_stopped(self.shared.budget.reserve(
                estimate.worst,
                &endpoint.place.model,
                subject.id,
            ))
            .await??;
        self.check_running()?;
        let quirks = endpoint.quirks();
        let mut request = build(&quirks, estimate.output_limit);
        request.ticket = subject.id.map(|id| Ticket {
            id,
            tokens: estimate.worst.tokens,
            cost: estimate.worst.cost,
        });
        self.record_sending(subject);
        let started = Instant::now();
        let outcome = self.transmit(request, timeout, subject.on_text).await;
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        drop(slot);
        let outcome = self.settle(outcome?, reservation, estimate, read);
        self.record_call(subject, send, milliseconds, &outcome);
        Ok(outcome.map_err(|failure| (failure, quirks)))
    }

    /// Sends within the request's time; after a cancellation within the grace.
    async fn transmit(
        &self,
        request: HttpRequest,
        timeout: Duration,
        on_text: Option<OnText<'_>>,
    ) -> Result<Transmitted, CallError> {
        let sending = async {
            match on_text {
                None => tokio::time::timeout(timeout, self.endpoint.transport.send(request)).await,
                Some(on_text) => self.send_streaming(request, on_text, timeout).await,
            }
        };
        let stopped = async {
            self.shared.cancel.cancelled().await;
            tokio::time::sleep(self.shared.settings.grace).await;
        };
        tokio::select! {
            biased;
            reply = sending => Ok(match reply {
                Ok(Ok(reply)) => Transmitted::Reply(reply),
                Ok(Err(error)) => {
                    let kind = match error.fate {
                        Fate::MayPass => Kind::Transient,
                        Fate::NoConnection => Kind::NoConnection,
                        Fate::Hopeless => Kind::Permanent,
                        Fate::StopsRun => Kind::NoBatch,
                    };
                    let failure = Failure { kind, ..Failure::transient(error.words) };
                    Transmitted::Lost { failure, maybe_charged: error.maybe_charged }
                }
                Err(_) => Transmitted::Lost {
                    failure: Failure {
                        kind: Kind::Late,
                        ..Failure::transient(format!("no answer within {} s", timeout.as_secs_f64()))
                    },
                    maybe_charged: true,
                },
            }),
            () = stopped => Err(CallError::Cancelled),
        }
    }

    /// Sends and shows the text as it comes; each part of it within the timeout.
    async fn send_streaming(
        &self,
        request: HttpRequest,
        on_text: OnText<'_>,
        timeout: Duration,
    ) -> Result<Result<HttpReply, SendError>, Elapsed> {
        Ok(
            match tokio::time::timeout(timeout, self.endpoint.transport.stream(request)).await? {
                Ok(StreamReply::Whole(reply)) => Ok(reply),
                Ok(StreamReply::Events(events)) => collect(events, on_text, timeout).await,
                Err(error) => Err(error),
            },
        )
    }

    /// Reads the reply and settles caps and limits by what it says.
    fn settle<R>(
        &self,
        sent: Transmitted,
        reservation: Reservation,
        estimate: Estimate,
        read: &Read<'_, R>,
    ) -> Result<Called<R>, Failure> {
        let endpoint = &self.endpoint;
        let reply = match sent {
            Transmitted::Reply(reply) => {
                endpoint.pool.reached();
                reply
            }
            Transmitted::Lost {
                failure,
                maybe_charged,
            } => {
                if maybe_charged {
                    reservation.settle_uncertain();
                }
                if failure.kind == Kind::Transient {
                    endpoint.pool.reached();
                }
                endpoint.pool.used_tokens(estimate.expected, 0);
                return Err(failure);
            }
        };
        if !(200..300).contains(&reply.status) {
            let failure = classify(&endpoint.masked(reply), SystemTime::now());
            if failure.kind != Kind::RateLimited {
                endpoint.pool.used_tokens(estimate.expected, 0);
            }
            return Err(failure);
        }
        match read(&reply) {
            Ok((value, counted)) => {
                let mut usage = counted.unwrap_or_default();
                if usage.prompt_tokens == 0 {
                    // a server that does not count
                    usage.prompt_tokens = estimate.prompt;
                }
                let cost = endpoint.cost(usage);
                reservation.settle(usage, cost, &endpoint.place.model);
                endpoint.pool.used_tokens(estimate.expected, usage.total());
                endpoint.pool.answered();
                Ok(Called { value, usage, cost })
            }
            Err(failure) => {
                // a cut or garbled success was very likely paid for
                reservation.settle_uncertain();
                let status = reply.status;
                let failure = read(&endpoint.masked(reply)).err().unwrap_or(failure);
                Err(Failure { status, ..failure })
            }
        }
    }

    /// A batch is recorded in its own files before it is sent.
    fn record_sending(&self, subject: Subject<'_>) {
        if self.shared.ledger.is_on() && subject.id.is_none() {
            self.shared.ledger.record(Event::Sending {
                stage: subject.stage.as_str().to_string(),
            });
        }
    }

    fn record_call<R>(
        &self,
        subject: Subject<'_>,
        send: u32,
        milliseconds: u64,
        outcome: &Result<Called<R>, Failure>,
    ) {
        if !self.shared.ledger.is_on() {
            return;
        }
        let (status, usage, cost, result) = match outcome {
            Ok(called) => (200, called.usage, called.cost, "answered".to_string()),
            Err(failure) => (
                failure.status,
                Usage::default(),
                None,
                failure.words.clone(),
            ),
        };
        // a call that is told to stop may still be answered in its batch
        let settled = subject.id.filter(|_| {
            outcome.as_ref().err().is_none_or(|failure| {
                !matches!(
                    failure.kind,
                    Kind::NoBatch | Kind::AuthRejected | Kind::QuotaExhausted
                )
            })
        });
        // an unreadable success is not an answer
        let status = if outcome.is_err() && (200..300).contains(&status) {
            0
        } else {
            status
        };
        self.shared.ledger.record(Event::Call {
            stage: subject.stage.as_str().to_string(),
            item: subject.item.to_string(),
            model: self.endpoint.place.model.clone(),
            attempt: subject.attempt,
            send,
            status,
            milliseconds,
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            cost,
            result,
            batch: settled.map(custom_id),
        });
    }

    /// Decides what follows a failure: a wait before the repeat, or the final error.
    fn after_failure(
        &self,
        repeats: &mut Repeats<'_>,
        failure: &Failure,
        sent: &Quirks,
    ) -> Result<Duration, Failed> {
        let pool = &self.endpoint.pool;
        let place = || Arc::clone(&self.endpoint.place);
        let words = failure.words.clone();
        let status = failure.status;
        let error = match &failure.kind {
            Kind::Late => {
                repeats.late += 1;
                self.warn("answers took longer than limits.call_timeout; calls were made again with more time");
                return self.after_passing_failure(repeats, failure);
            }
            // An outage is sat out; that nothing ever listened there is for the user to correct.
            Kind::NoConnection if !pool.was_reached() => {
                return Err(Failed {
                    error: CallError::Unreachable {
                        place: place(),
                        words,
                    },
                    kind: Some(Kind::NoConnection),
                });
            }
            Kind::RateLimited | Kind::Transient | Kind::NoConnection => {
                return self.after_passing_failure(repeats, failure);
            }
            Kind::Unsupported(lack) => {
                repeats.adapted += 1;
                let changes = self.endpoint.with_quirks(|quirks| quirks.learn(lack, sent));
                // each lack can be learnt once; the figure only guards against a server that plays games
                if changes && repeats.adapted < 12 {
                    pool.answered();
                    self.shared.warn(format!(
                        "{} does without {lack:?}: {words}",
                        self.endpoint.place
                    ));
                    return Ok(Duration::ZERO);
                }
                CallError::Permanent {
                    place: place(),
                    status,
                    words,
                }
            }
            Kind::QuotaExhausted => CallError::QuotaExhausted {
                place: place(),
                words,
            },
            Kind::ContextTooLong(limit) => CallError::ContextTooLong {
                place: place(),
                words,
                limit: *limit,
            },
            Kind::ContentFiltered => CallError::ContentFiltered {
                place: place(),
                words,
            },
            Kind::AuthRejected => CallError::AuthRejected {
                place: place(),
                status,
                words,
            },
            Kind::NotFound => CallError::NotFound {
                place: place(),
                status,
                words,
            },
            Kind::NoBatch => CallError::NoBatch {
                place: place(),
                words,
            },
            Kind::Mismatched => CallError::Transient {
                place: place(),
                words,
                attempts: repeats.sends,
            },
            Kind::TooManyInputs(_) | Kind::Permanent => CallError::Permanent {
                place: place(),
                status,
                words,
            },
        };
        pool.answered();
        Err(Failed {
            error,
            kind: Some(failure.kind.clone()),
        })
    }

    /// A failure that may pass: backs off, holds the pool back, or gives up.
    fn after_passing_failure(
        &self,
        repeats: &mut Repeats<'_>,
        failure: &Failure,
    ) -> Result<Duration, Failed> {
        let pool = &self.endpoint.pool;
        let limited = failure.kind == Kind::RateLimited;
        if limited {
            pool.rate_limited();
        }
        let silent_for = pool.failed();
        let patience = repeats.settings.outage_patience;
        // while nothing at all is answered, the trouble is the server's and no item pays for it
        let counts = patience.is_zero() || pool.answered_since(repeats.last_failure);
        repeats.last_failure = Instant::now();
        let place = Arc::clone(&self.endpoint.place);
        let words = failure.words.clone();
        let give_up = |error| {
            Err(Failed {
                error,
                kind: Some(failure.kind.clone()),
            })
        };
        if counts {
            repeats.counted += 1;
        } else if silent_for > patience {
            return give_up(CallError::Unavailable {
                place,
                words,
                seconds: silent_for.as_secs(),
            });
        }
        if repeats.counted > repeats.settings.max_retries {
            let attempts = repeats.sends;
            return give_up(if limited {
                CallError::RateLimited {
                    place,
                    words,
                    attempts,
                }
            } else {
                CallError::Transient {
                    place,
                    words,
                    attempts,
                }
            });
        }
        self.shared.tell_silence(&place, &words, silent_for);
        if let Some(asked) = failure.retry_after {
            pool.pause(asked.min(repeats.settings.max_retry_after));
        }
        Ok(wait_before(
            repeats.sends - 1,
            failure.retry_after,
            repeats.settings,
            &self.shared.jitter,
        ))
    }

    /// Sleeps, unless the run is stopped or its deadline comes first.
    async fn pause_before_repeat(&self, wait: Duration) -> Result<(), CallError> {
        if let Some(after) = self.shared.settings.run_deadline
            && self.shared.started.elapsed() + wait >= after
        {
            return Err(CallError::DeadlinePassed { after });
        }
        if wait.is_zero() {
            return Ok(());
        }
        self.unless_stopped(tokio::time::sleep(wait)).await
    }
}

/// What came of one sending.
enum Transmitted {
    Reply(HttpReply),
    Lost {
        failure: Failure,
        maybe_charged: bool,
    },
}
