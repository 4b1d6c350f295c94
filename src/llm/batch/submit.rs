//! Sending a batch once, however often the network fails meanwhile.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;

use super::super::classify::words_of;
use super::super::error::shown;
use super::super::hints::wait_asked_for;
use super::super::transport::{Fate, HttpReply, SendError};
use super::api::{Batch, BatchApi, Page};
use super::lines::Reply;
use super::record::Record;

/// Tries of one request before the run is stopped.
const TRIES: u32 = 8;

/// Longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A batch whose creation was not confirmed may take this long to be listed.
const UNLISTED: u64 = 120;

/// Why nothing was sent.
pub(super) enum Refused {
    /// More tokens wait at the provider than the account may have; its words.
    TooManyTokens(String),
    /// No batch was made. What every call of it gets.
    Plainly(Reply),
    /// A batch may have been made. What every call of it gets.
    Unclear(Reply),
}

/// The provider, asked as often as it takes.
pub(super) struct Provider {
    pub api: BatchApi,
    /// First wait between two tries; doubles.
    pub first_wait: Duration,
    /// `/v1/chat/completions`, or Azure's form of it.
    pub url: &'static str,
}

#[derive(Deserialize)]
struct WithId {
    id: String,
}

fn id_in(reply: &HttpReply) -> Option<String> {
    let found: WithId = serde_json::from_slice(&reply.body).ok()?;
    // it becomes part of an address
    let plain = found
        .id
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    (plain && !found.id.is_empty()).then_some(found.id)
}

/// Whether the same request may succeed later.
pub(super) fn may_pass(sent: &Reply) -> bool {
    match sent {
        Ok(reply) => matches!(reply.status, 408 | 409 | 425 | 429 | 500..=599),
        Err(error) => matches!(error.fate, Fate::MayPass | Fate::NoConnection),
    }
}

fn succeeded(sent: &Reply) -> Option<&HttpReply> {
    sent.as_ref()
        .ok()
        .filter(|reply| (200..300).contains(&reply.status))
}

/// A batch in the provider's words.
pub(super) fn batch_in(sent: &Reply) -> Option<Batch> {
    serde_json::from_slice(&succeeded(sent)?.body).ok()
}

/// OpenAI bounds the prompt tokens of a model's unfinished batches by account.
pub(super) fn is_token_limit(words: &str) -> bool {
    let words = words.to_lowercase();
    words.contains("token_limit_exceeded") || words.contains("enqueued token")
}

/// Stops the run with these words.
pub(super) fn stop(words: &str) -> Reply {
    Err(SendError {
        words: words.to_owned(),
        maybe_charged: false,
        fate: Fate::StopsRun,
    })
}

impl Provider {
    /// What a request that will not succeed means for the calls that wait on it.
    pub fn refusal(&self, what: &str, sent: Reply) -> Reply {
        let words = match &sent {
            // key and quota are named by the door, in its words for every call
            Ok(reply) if matches!(reply.status, 401..=403) => return sent,
            Ok(reply) if String::from_utf8_lossy(&reply.body).contains("insufficient_quota") => {
                return sent;
            }
            Ok(reply) => format!("http {}: {}", reply.status, words_of(&reply.body)),
            Err(error) => error.words.clone(),
        };
        stop(&format!(
            "{what} ({}); index without --batch, or run the same command again later",
            shown(&self.api.masked(words))
        ))
    }

    async fn pause(&self, tries: u32, sent: &Reply) {
        let own = (self.first_wait * 2u32.saturating_pow(tries)).min(LONGEST_WAIT);
        let asked = sent.as_ref().ok().and_then(|reply| {
            let body = String::from_utf8_lossy(&reply.body);
            wait_asked_for(&reply.headers, &body, SystemTime::now())
        });
        tokio::time::sleep(asked.map_or(own, |asked| asked.min(LONGEST_WAIT).max(own))).await;
    }

    /// Repeats a request that changes nothing until it succeeds or cannot.
    async fn patiently<F: Future<Output = Reply>>(&self, request: impl Fn() -> F) -> Reply {
        let mut tries = 0;
        loop {
            let sent = request().await;
            tries += 1;
            if tries == TRIES || !may_pass(&sent) {
                return sent;
            }
            self.pause(tries - 1, &sent).await;
        }
    }

    /// Uploads the lines and starts a batch over them; its id.
    ///
    /// A creation that was not confirmed is looked for by its name before it is repeated.
    pub async fn submit(&self, record: &Record, lines: &[u8]) -> Result<String, Refused> {
        let uploaded = self
            .patiently(|| self.api.upload(&record.name, lines))
            .await;
        let Some(file) = succeeded(&uploaded).and_then(id_in) else {
            let refusal = self.refusal("the batch file was not taken", uploaded);
            return Err(Refused::Plainly(refusal));
        };
        let mut tries = 0;
        loop {
            let sent = self.api.create(&file, &record.name, self.url).await;
            if let Some(id) = succeeded(&sent).and_then(id_in) {
                return Ok(id);
            }
            if let Ok(reply) = &sent {
                let text = String::from_utf8_lossy(&reply.body);
                if reply.status != 200 && is_token_limit(&text) {
                    return Err(Refused::TooManyTokens(words_of(&reply.body)));
                }
            }
            tries += 1;
            let unclear = succeeded(&sent).is_some() || may_pass(&sent);
            if !unclear {
                let refusal = self.refusal("the batch was not taken", sent);
                return Err(Refused::Plainly(refusal));
            }
            self.pause(tries - 1, &sent).await;
            if let Some(id) = self.find(record).await.map_err(Refused::Unclear)? {
                return Ok(id);
            }
            if tries == TRIES {
                let refusal = self.refusal("the batch was not taken", sent);
                return Err(Refused::Unclear(refusal));
            }
        }
    }

    /// The batch of an earlier process that was killed before it wrote the id down, if there is one.
    pub async fn find_again(&self, record: &Record) -> Result<Option<String>, Reply> {
        if let Some(id) = self.find(record).await? {
            return Ok(Some(id));
        }
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        if now.saturating_sub(record.prepared) > UNLISTED {
            return Ok(None);
        }
        tokio::time::sleep(self.first_wait * 2).await;
        self.find(record).await
    }

    /// Looks for a batch by its name among the account's batches, newest first.
    async fn find(&self, record: &Record) -> Result<Option<String>, Reply> {
        let mut after: Option<String> = None;
        loop {
            let sent = self.patiently(|| self.api.list(after.as_deref())).await;
            let page =
                succeeded(&sent).and_then(|reply| serde_json::from_slice::<Page>(&reply.body).ok());
            let Some(page) = page else {
                let what = format!(
                    "cannot tell whether batch {} was taken: the provider does not list its batches",
                    record.name
                );
                return Err(self.refusal(&what, sent));
            };
            if let Some(own) = page
                .data
                .iter()
                .find(|batch| batch.name() == Some(record.name.as_str()))
            {
                return Ok(Some(own.id.clone()));
            }
            let Some(last) = page.data.last().filter(|_| page.has_more) else {
                return Ok(None);
            };
            // an hour for clocks that differ
            if last
                .created_at
                .is_some_and(|at| at + 3600 < record.prepared)
            {
                return Ok(None);
            }
            after = Some(last.id.clone());
        }
    }

    /// The lines of a file; `None` where there is none any more.
    pub async fn content(&self, file: &str) -> Result<Option<HttpReply>, Reply> {
        let sent = self.api.content(file).await;
        if succeeded(&sent).is_some() {
            return Ok(sent.ok());
        }
        match &sent {
            Ok(reply) if matches!(reply.status, 404 | 410) => Ok(None),
            _ => Err(sent),
        }
    }
}
