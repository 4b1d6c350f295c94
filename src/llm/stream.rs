//! Streaming an answer to a terminal, through the same cache, limits, caps and ledger.

use std::sync::Mutex;
use std::time::Duration;

use futures::stream::{BoxStream, StreamExt};
use serde_json::{Value, json};

use super::answer::{Answer, in_words};
use super::door::Door;
use super::error::CallError;
use super::limits::lock;
use super::recover::{MAX_ANSWER_BYTES, Veil, ends_in_loop, words};
use super::request::ChatRequest;
use super::transport::{Fate, Headers, HttpReply, SendError};
#[cfg(doc)]
use crate::model::Outcome;

/// Receives text as it comes.
pub(crate) type OnText<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// The finish reason of an answer whose stream broke off after some of it was shown.
pub(crate) const INTERRUPTED: &str = "interrupted";

/// The finish reason of an answer that was given up because it went on with the same words.
pub(crate) const LOOPED: &str = "looped";

/// After so many bytes more, an answer that comes is looked at for a loop; one that fills as many is no answer any more.
const LOOK_EVERY: usize = 16 << 10;

impl Door {
    /// Asks and shows the text as it comes; a cached answer comes in one piece. An answer that breaks off after it began is
    /// [`Outcome::Partial`] and not cached: what is on the terminal cannot be taken back.
    ///
    /// # Errors
    /// See [`CallError::action`].
    pub async fn stream(
        &self,
        request: ChatRequest,
        on_text: impl FnMut(&str) + Send,
    ) -> Result<Answer<String>, CallError> {
        let on_text = Mutex::new(on_text);
        let shown = Mutex::new(false);
        let show = |text: &str| {
            *lock(&shown) |= !text.is_empty();
            (lock(&on_text))(text);
        };
        let answer = self.ask_through(request, &in_words, Some(&show)).await?;
        let nothing_shown = !*lock(&shown);
        if nothing_shown {
            (lock(&on_text))(&answer.value);
        }
        Ok(answer)
    }
}

/// Collects a stream into the reply it would have been, showing its text on the way.
pub(crate) async fn collect(
    mut events: BoxStream<'static, Result<Value, SendError>>,
    on_text: OnText<'_>,
    idle: Duration,
) -> Result<HttpReply, SendError> {
    let mut text = String::new();
    let mut reasoning = String::new();
    let mut finish = Value::Null;
    let mut usage = Value::Null;
    let mut veil = Veil::default();
    let mut looked_at = 0;
    let broken = loop {
        let event = match tokio::time::timeout(idle, events.next()).await {
            Ok(Some(Ok(event))) => event,
            Ok(Some(Err(error))) => break Some(error),
            Ok(None) => break None,
            Err(_) => {
                break Some(SendError {
                    words: format!("nothing came for {} s", idle.as_secs_f64()),
                    maybe_charged: true,
                    fate: Fate::MayPass,
                });
            }
        };
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            if text.is_empty() {
                return Ok(reply(&json!({ "error": error })));
            }
            finish = INTERRUPTED.into();
            break None;
        }
        if let Some(counted) = event.get("usage").filter(|usage| !usage.is_null()) {
            usage = counted.clone();
        }
        let Some(choice) = event.get("choices").and_then(|choices| choices.get(0)) else {
            continue;
        };
        if let Some(reason) = choice
            .get("finish_reason")
            .filter(|reason| !reason.is_null())
        {
            finish = reason.clone();
        }
        let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) else {
            continue;
        };
        if let Some(part) = delta
            .get("content")
            .and_then(Value::as_str)
            .filter(|part| !part.is_empty())
        {
            let seen = veil.lift(part);
            if !seen.is_empty() {
                on_text(&seen);
            }
            text.push_str(part);
            if text.len() > MAX_ANSWER_BYTES {
                finish = INTERRUPTED.into();
                break None;
            }
            if text.len() - looked_at > LOOK_EVERY {
                looked_at = text.len();
                // The end alone tells most; all of the text is read where it loops.
                if ends_in_loop(&text) && words(&text).text.len() + LOOK_EVERY < text.len() {
                    finish = LOOPED.into();
                    break None;
                }
            }
        }
        if let Some(part) = delta.get("reasoning_content").and_then(Value::as_str) {
            reasoning.push_str(part);
        }
    };
    match broken {
        Some(error) if text.is_empty() => return Err(error),
        Some(_) => finish = INTERRUPTED.into(),
        // the connection closed without a last word
        None if finish.is_null() && text.is_empty() => {
            return Err(SendError {
                words: "the stream ended before any text".into(),
                maybe_charged: true,
                fate: Fate::MayPass,
            });
        }
        // Neither a reason nor the counts that come last: the connection was closed in the middle.
        None if finish.is_null() && usage.is_null() => finish = INTERRUPTED.into(),
        None => {}
    }
    let rest = veil.rest();
    if !rest.is_empty() {
        on_text(&rest);
    }
    Ok(reply(
        &json!({"choices": [{"message": {"content": text, "reasoning_content": reasoning}, "finish_reason": finish}], "usage": usage}),
    ))
}

fn reply(body: &Value) -> HttpReply {
    HttpReply {
        status: 200,
        headers: Headers::default(),
        body: body.to_string().into(),
    }
}
