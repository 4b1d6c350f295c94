//! The door: what stages call. Cache first, then the wire; judged, durable, recorded.

mod reading;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::answer::{Answer, RawAnswer, Usage, Verdict};
use super::budget::Spent;
use super::cache::{Kind as RecordKind, Record};
use super::call::{Called, Failed, Subject};
use super::classify::Kind;
use super::endpoint::Endpoint;
use super::error::{Action, CallError, shown};
use super::ledger::Event;
use super::reask::{Fault, Rejection, next_question};
use super::recover::ends_in_loop;
use super::request::{ChatRequest, Key, KeyHasher, Params, chat_key};
use super::shared::SharedInner;
use super::stream::OnText;
use super::wire;
use crate::model::Outcome;

/// The door to one model; cheap to clone.
#[derive(Clone)]
pub struct Door {
    pub(crate) shared: Arc<SharedInner>,
    pub(crate) endpoint: Arc<Endpoint>,
    /// Where questions go that their batches left without an answer.
    pub(crate) fallback: Option<Arc<Endpoint>>,
}

/// Of the calls that an endpoint takes at once, the share that is prepared beside them. More would wait in front of the next
/// call of an item that is half done.
const PREPARED: usize = 8;

/// A validated answer as stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    answer: RawAnswer,
    model: String,
    stage: String,
    attempts: u32,
}

/// What a question cost so far.
#[derive(Default)]
struct Tally {
    usage: Usage,
    cost: Option<f64>,
    priced: bool,
}

impl Tally {
    fn add(&mut self, usage: Usage, cost: Option<f64>) {
        self.usage.prompt_tokens += usage.prompt_tokens;
        self.usage.completion_tokens += usage.completion_tokens;
        self.usage.cached_tokens += usage.cached_tokens;
        self.cost = match (self.priced, self.cost, cost) {
            (false, _, cost) => cost,
            (true, Some(sum), Some(cost)) => Some(sum + cost),
            _ => None,
        };
        self.priced = true;
    }

    fn cost(&self) -> Option<f64> {
        if self.priced { self.cost } else { Some(0.0) }
    }
}

/// A question with everything derived from it once.
struct Question<'a> {
    request: &'a ChatRequest,
    params: Params,
    key: Key,
    on_text: Option<OnText<'a>>,
}

impl Door {
    /// The model's name.
    pub fn model(&self) -> &str {
        &self.endpoint.place.model
    }

    /// How many questions a stage should have under way: enough to use all calls the endpoint takes at once, or to fill a batch.
    pub fn width(&self) -> usize {
        let concurrency = self.endpoint.settings.concurrency.max(1);
        match self.endpoint.in_batches {
            true => concurrency,
            false => concurrency.saturating_add(concurrency.div_ceil(PREPARED)),
        }
    }

    /// What this process spent so far, over all doors.
    pub fn spent(&self) -> Spent {
        self.shared.budget.spent()
    }

    /// What calls showed that a reader should know, each once, over all doors.
    pub fn warnings(&self) -> Vec<String> {
        self.shared.warned()
    }

    /// Asks until an answer is accepted, attempts are used up, or asking is pointless.
    ///
    /// An accepted answer is on disk before this returns; so is every rejected one before the next is asked for. The judge
    /// must be a pure function of the raw answer: it is called again on cached and on remembered answers.
    ///
    /// # Errors
    /// See [`CallError::action`] for what to do about each.
    pub async fn ask<T: Send>(
        &self,
        request: ChatRequest,
        judge: impl Fn(&RawAnswer) -> Verdict<T> + Send + Sync,
    ) -> Result<Answer<T>, CallError> {
        self.ask_through(request, &judge, None).await
    }

    /// As [`Door::ask`], showing the text as it comes.
    pub(crate) async fn ask_through<T: Send>(
        &self,
        request: ChatRequest,
        judge: &(impl Fn(&RawAnswer) -> Verdict<T> + Send + Sync),
        on_text: Option<OnText<'_>>,
    ) -> Result<Answer<T>, CallError> {
        let params = self.endpoint.params.with_request(&request);
        let key = chat_key(&self.endpoint.place.model, &params, &request);
        let question = Question {
            request: &request,
            params,
            key,
            on_text,
        };
        // the same question asked twice at once is paid for once
        let _turn = self.unless_stopped(self.shared.flight.enter(key)).await?;
        let result = self.answer(&question, judge).await;
        self.record_item(&request, &result);
        result
    }

    fn record_item<T>(&self, request: &ChatRequest, result: &Result<Answer<T>, CallError>) {
        if !self.shared.ledger.is_on() {
            return;
        }
        let (outcome, cached) = match result {
            Ok(answer) => (answer.outcome.clone(), answer.cached),
            // the item was not decided, it is still to be done
            Err(error) if error.action() == Action::StopRun => return,
            Err(error) => (Outcome::Failed(error.to_string()), false),
        };
        let (stage, item) = (request.stage.as_str().to_string(), request.item.clone());
        self.shared.ledger.record(Event::Item {
            stage,
            item,
            outcome,
            cached,
        });
    }

    async fn answer<T: Send>(
        &self,
        question: &Question<'_>,
        judge: &(impl Fn(&RawAnswer) -> Verdict<T> + Send + Sync),
    ) -> Result<Answer<T>, CallError> {
        if let Some(answer) = self.cached(question, judge).await? {
            return Ok(answer);
        }
        let mut tally = Tally::default();
        let mut partial = None;
        let mut history = self.history(question.key).await;
        for rejection in &history {
            match judge(&rejection.answer) {
                // a better judge than the one that rejected it: it is paid for, so it is used
                Verdict::Accept(value, outcome)
                    if matches!(rejection.fault, Fault::Unusable | Fault::Cut) =>
                {
                    return self
                        .accept(
                            question,
                            &rejection.answer,
                            value,
                            outcome,
                            history.len(),
                            &tally,
                        )
                        .await;
                }
                Verdict::AskAgain {
                    partial: Some(part),
                    ..
                }
                | Verdict::LargerBudget {
                    partial: Some(part),
                    ..
                } if rejection.run == self.shared.run => {
                    partial = Some(part);
                }
                _ => {}
            }
        }
        loop {
            let asked = history
                .iter()
                .filter(|rejection| rejection.run == self.shared.run)
                .count();
            if let Some(last) = history.last().filter(|last| last.run == self.shared.run) {
                if let Some(error) = self.final_error(last, history.len()) {
                    return Err(error);
                }
                // what is on a terminal cannot be taken back
                if asked > self.endpoint.settings.retry.max_reasks as usize
                    || (question.on_text.is_some() && partial.is_some())
                {
                    return self.exhausted(last.why.clone(), partial, history.len(), &tally);
                }
            }
            let (answer, room) = match self.send_question(question, &history, &mut tally).await {
                Ok(sent) => sent,
                Err(failed) => {
                    self.remember_refused_request(question.key, &failed).await?;
                    return Err(failed.error);
                }
            };
            let (fault, why, part) = match self.verdict(&answer, judge) {
                Verdict::Accept(value, outcome) => {
                    return self
                        .accept(question, &answer, value, outcome, history.len() + 1, &tally)
                        .await;
                }
                Verdict::AskAgain { why, partial } => (Fault::Unusable, why, partial),
                Verdict::LargerBudget { why, partial } => (Fault::Cut, why, partial),
                Verdict::Fail { why } if is_filtered(&answer) => (Fault::Filtered, why, None),
                Verdict::Fail { why } => (Fault::Refused, why, None),
            };
            partial = part.or(partial);
            let rejection = Rejection {
                run: self.shared.run,
                fault,
                why,
                room,
                answer,
            };
            self.remember(question.key, &rejection).await?;
            history.push(rejection);
        }
    }

    /// The judge's word, after what needs no judge.
    fn verdict<T>(
        &self,
        answer: &RawAnswer,
        judge: &impl Fn(&RawAnswer) -> Verdict<T>,
    ) -> Verdict<T> {
        if is_filtered(answer) {
            return Verdict::Fail {
                why: "the provider's content filter removed the answer".into(),
            };
        }
        if answer.text.trim().is_empty() && !answer.refusal.is_empty() {
            return Verdict::Fail {
                why: shown(answer.refusal.trim_end_matches('.')),
            };
        }
        match judge(answer) {
            // More room would be filled with more of the same; another draw may end.
            Verdict::LargerBudget { why, partial } if ends_in_loop(&answer.text) => {
                let why = format!("{why}: the answer repeats itself until its limit");
                Verdict::AskAgain { why, partial }
            }
            verdict => verdict,
        }
    }

    async fn cached<T: Send>(
        &self,
        question: &Question<'_>,
        judge: &(impl Fn(&RawAnswer) -> Verdict<T> + Send + Sync),
    ) -> Result<Option<Answer<T>>, CallError> {
        let Some(payload) = self.shared.cache.get(question.key).await else {
            return Ok(None);
        };
        let Ok(stored) = serde_json::from_slice::<Stored>(&payload) else {
            return Ok(None);
        };
        match self.verdict(&stored.answer, judge) {
            Verdict::Accept(value, outcome) => {
                self.shared.budget.count_cached();
                Ok(Some(Answer {
                    value,
                    outcome,
                    usage: Usage::default(),
                    cost: Some(0.0),
                    cached: true,
                    attempts: stored.attempts,
                }))
            }
            // a stricter judge than the one that accepted it
            Verdict::AskAgain { why, .. }
            | Verdict::LargerBudget { why, .. }
            | Verdict::Fail { why } => {
                let rejection = Rejection {
                    run: self.shared.run,
                    fault: Fault::Unusable,
                    why,
                    room: None,
                    answer: stored.answer,
                };
                self.remember(question.key, &rejection).await?;
                Ok(None)
            }
        }
    }

    async fn history(&self, key: Key) -> Vec<Rejection> {
        self.shared
            .cache
            .rejected(key)
            .await
            .iter()
            .filter_map(|payload| serde_json::from_slice(payload).ok())
            .collect()
    }

    async fn remember(&self, key: Key, rejection: &Rejection) -> Result<(), CallError> {
        let payload = serde_json::to_vec(rejection)
            .map_err(|error| CallError::Setup(format!("an answer cannot be stored: {error}")))?;
        self.shared
            .cache
            .put(vec![Record {
                kind: RecordKind::Rejected,
                key,
                payload,
            }])
            .await
    }

    /// An error reply about the content itself is an answer too: it is not asked for again after a kill.
    async fn remember_refused_request(&self, key: Key, failed: &Failed) -> Result<(), CallError> {
        let (fault, room) = match &failed.kind {
            Some(Kind::ContentFiltered) => (Fault::Filtered, None),
            Some(Kind::ContextTooLong(limit)) => (
                Fault::TooLong,
                limit.and_then(|limit| u32::try_from(limit).ok()),
            ),
            _ => return Ok(()),
        };
        let words = match &failed.error {
            CallError::ContentFiltered { words, .. } | CallError::ContextTooLong { words, .. } => {
                words.clone()
            }
            other => other.to_string(),
        };
        let rejection = Rejection {
            run: self.shared.run,
            fault,
            why: words,
            room,
            answer: RawAnswer::default(),
        };
        self.remember(key, &rejection).await
    }

    /// The error of a rejection after which this run does not ask again.
    fn final_error(&self, last: &Rejection, attempts: usize) -> Option<CallError> {
        let place = Arc::clone(&self.endpoint.place);
        let words = last.why.clone();
        match last.fault {
            Fault::Unusable | Fault::Cut => None,
            Fault::Refused => Some(self.unusable(words, attempts)),
            Fault::Filtered => Some(CallError::ContentFiltered { place, words }),
            Fault::TooLong => Some(CallError::ContextTooLong {
                place,
                words,
                limit: last.room.map(u64::from),
            }),
        }
    }

    fn unusable(&self, why: String, attempts: usize) -> CallError {
        CallError::Unusable {
            model: self.endpoint.place.model.clone(),
            why,
            attempts: count(attempts),
        }
    }

    fn exhausted<T>(
        &self,
        why: String,
        partial: Option<T>,
        attempts: usize,
        tally: &Tally,
    ) -> Result<Answer<T>, CallError> {
        match partial {
            Some(value) => Ok(Answer {
                value,
                outcome: Outcome::Partial(why),
                usage: tally.usage,
                cost: tally.cost(),
                cached: !tally.priced,
                attempts: count(attempts),
            }),
            None => Err(self.unusable(why, attempts)),
        }
    }

    async fn accept<T>(
        &self,
        question: &Question<'_>,
        answer: &RawAnswer,
        value: T,
        outcome: Outcome,
        attempts: usize,
        tally: &Tally,
    ) -> Result<Answer<T>, CallError> {
        let stored = Stored {
            answer: answer.clone(),
            model: self.endpoint.place.model.clone(),
            stage: question.request.stage.as_str().to_string(),
            attempts: count(attempts),
        };
        let payload = serde_json::to_vec(&stored)
            .map_err(|error| CallError::Setup(format!("an answer cannot be stored: {error}")))?;
        self.shared
            .cache
            .put(vec![Record {
                kind: RecordKind::Answer,
                key: question.key,
                payload,
            }])
            .await?;
        Ok(Answer {
            value,
            outcome,
            usage: tally.usage,
            cost: tally.cost(),
            cached: !tally.priced,
            attempts: count(attempts),
        })
    }

    /// Sends the question that follows `history`; returns the answer and the limit on it that was sent.
    async fn send_question(
        &self,
        question: &Question<'_>,
        history: &[Rejection],
        tally: &mut Tally,
    ) -> Result<(RawAnswer, Option<u32>), Failed> {
        let (messages, params) = next_question(
            &question.request.messages,
            &question.params,
            history,
            &self.endpoint.quirks(),
        );
        let (mut estimate, exact) = self.estimate_chat(&messages, &params);
        let mut subject = Subject {
            stage: question.request.stage,
            item: &question.request.item,
            attempt: count(history.len()),
            id: self
                .endpoint
                .in_batches
                .then(|| attempt_id(question.key, history.len())),
            on_text: question.on_text,
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
                question.request.schema.as_ref(),
                quirks,
                question.on_text.is_some(),
            )
        };
        let retry = &self.endpoint.settings.retry;
        let mut called = self
            .call(subject, estimate, retry, &build, &|reply| {
                self.read_chat(reply)
            })
            .await;
        if let (Err(failed), Some(direct)) = (&called, &self.fallback)
            && matches!(failed.kind, Some(Kind::Transient | Kind::RateLimited))
        {
            let door = Self {
                shared: Arc::clone(&self.shared),
                endpoint: Arc::clone(direct),
                fallback: None,
            };
            subject.id = None;
            estimate = door.estimate_chat(&messages, &params).0;
            let retry = &direct.settings.retry;
            called = door
                .call(subject, estimate, retry, &build, &|reply| {
                    door.read_chat(reply)
                })
                .await;
        }
        let Called { value, usage, cost } = called?;
        tally.add(usage, cost);
        self.look_at_usage(&messages, value.usage, exact);
        Ok((value, estimate.output_limit))
    }

    /// Records a warning of this endpoint.
    pub(crate) fn warn(&self, message: &str) {
        self.shared
            .warn(format!("{}: {message}", self.endpoint.place));
    }

    /// Time since the doors were opened.
    pub fn elapsed(&self) -> Duration {
        self.shared.started.elapsed()
    }
}

/// Names one attempt at a question, whatever the parameters it is sent with: the same in every process.
fn attempt_id(key: Key, attempt: usize) -> Key {
    let mut hasher = KeyHasher::new("attempt.1");
    hasher
        .part(&key.0.to_le_bytes())
        .part(&(attempt as u64).to_le_bytes());
    hasher.finish()
}

fn is_filtered(answer: &RawAnswer) -> bool {
    answer.finish_reason == "content_filter" && answer.text.trim().is_empty()
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
