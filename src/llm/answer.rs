//! What comes back: the tolerant reading of a chat reply, the judge's verdict, and the answer handed to the caller.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::recover::{self, Words};
use super::stream::{INTERRUPTED, LOOPED};
use crate::model::Outcome;

/// Tokens as the server counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub completion_tokens: u64,
    /// Prompt tokens served from the provider's own prompt cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Usage {
    /// Prompt and completion together.
    pub fn total(self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

/// One answer of a model as received, before anything judged it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RawAnswer {
    /// The text; empty when the server sent `null`.
    pub text: String,
    /// The server's word: `stop`, `length`, `content_filter`, or anything else; empty when it sent none.
    pub finish_reason: String,
    /// As the server counted; `None` when it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Text of `reasoning_content` or `reasoning`, not part of the answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The model's refusal, where the server gives one apart from the text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refusal: String,
}

/// What the caller's judge says of a raw answer.
#[derive(Clone, Debug)]
pub enum Verdict<T> {
    /// Usable and final: the raw answer goes into the cache.
    Accept(T, Outcome),
    /// Not usable; ask again, differently. `partial` is used if no better answer comes.
    AskAgain {
        /// For the corrective turn and the ledger.
        why: String,
        /// What could be saved.
        partial: Option<T>,
    },
    /// Cut off; ask again with room for a longer answer.
    LargerBudget {
        /// For the ledger.
        why: String,
        /// What could be saved.
        partial: Option<T>,
    },
    /// Asking again is pointless (a refusal).
    Fail {
        /// For the ledger.
        why: String,
    },
}

impl<T> Verdict<T> {
    /// The same verdict on another value.
    pub fn map<U>(self, to: impl FnOnce(T) -> U) -> Verdict<U> {
        match self {
            Self::Accept(value, outcome) => Verdict::Accept(to(value), outcome),
            Self::AskAgain { why, partial } => Verdict::AskAgain {
                why,
                partial: partial.map(to),
            },
            Self::LargerBudget { why, partial } => Verdict::LargerBudget {
                why,
                partial: partial.map(to),
            },
            Self::Fail { why } => Verdict::Fail { why },
        }
    }
}

/// Judges an answer in words: it is there, and whole.
pub fn in_words(answer: &RawAnswer) -> Verdict<String> {
    let Words {
        text,
        unclosed,
        looped,
    } = recover::words(&answer.text);
    let partial = (!text.is_empty()).then(|| text.clone());
    let again = |why: &str| Verdict::AskAgain {
        why: why.to_owned(),
        partial: partial.clone(),
    };
    match (text.is_empty(), answer.finish_reason.as_str()) {
        (true, "length") => Verdict::LargerBudget {
            why: "the length limit was reached before any text".to_owned(),
            partial: None,
        },
        (true, _) if unclosed => again("the answer is reasoning that comes to no end"),
        (true, _) => again("the answer is empty"),
        (false, INTERRUPTED) => again("the answer broke off"),
        (false, LOOPED) => again("the answer repeats itself without end"),
        (false, "length") => Verdict::LargerBudget {
            why: "the answer was cut at its length limit".to_owned(),
            partial,
        },
        // Asked again, it would be cut again.
        (false, "content_filter") => Verdict::Accept(
            text,
            Outcome::Partial("the provider's content filter cut the answer".to_owned()),
        ),
        (false, _) if looped => Verdict::Accept(text, Outcome::Repaired("repetition".to_owned())),
        (false, _) => Verdict::Accept(text, Outcome::Ok),
    }
}

/// A value with what it took to get it.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// What the judge made of the text.
    pub value: T,
    /// How well.
    pub outcome: Outcome,
    /// Tokens of all calls made for it now; zero on a cache hit.
    pub usage: Usage,
    /// Money for these calls; `None` when the price is unknown. Zero on a cache hit.
    pub cost: Option<f64>,
    /// Nothing was sent.
    pub cached: bool,
    /// Answers received for it, over all runs.
    pub attempts: u32,
}

#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow, default)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow, default)]
    message: Option<ReplyMessage<'a>>,
    #[serde(borrow, default)]
    delta: Option<ReplyMessage<'a>>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    #[serde(default)]
    finish_reason: Option<Value>,
}

#[derive(Deserialize)]
struct ReplyMessage<'a> {
    #[serde(borrow, default)]
    content: Option<Content<'a>>,
    #[serde(default)]
    reasoning_content: Option<Value>,
    #[serde(default)]
    reasoning: Option<Value>,
    #[serde(default)]
    refusal: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content<'a> {
    #[serde(borrow)]
    Text(Cow<'a, str>),
    Parts(Vec<Value>),
    Other(Value),
}

impl Content<'_> {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text.into_owned(),
            Self::Parts(parts) => parts
                .iter()
                .filter_map(|part| {
                    part.as_str()
                        .or_else(|| part.get("text").and_then(Value::as_str))
                })
                .collect(),
            Self::Other(Value::Null) => String::new(),
            // a server that parsed the model's JSON for us
            Self::Other(value) => value.to_string(),
        }
    }
}

/// Why a body with status 200 is not an answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Unreadable {
    /// Not JSON, or cut.
    NotJson,
    /// JSON without a choice in it.
    NoChoice,
    /// The server put an error into a successful reply.
    Error(Value),
}

fn text_of(value: Option<Value>) -> String {
    match value {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Reads usage whatever the numbers' form; absent or all zero is unknown.
pub(crate) fn read_usage(value: &Value) -> Option<Usage> {
    let number = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| value.get(name))
            .and_then(|n| n.as_u64().or_else(|| n.as_f64().map(|n| n.max(0.0) as u64)))
    };
    let prompt_tokens = number(&["prompt_tokens", "input_tokens"]);
    let total = number(&["total_tokens"]);
    let completion_tokens = number(&["completion_tokens", "output_tokens"]).or_else(|| {
        total
            .zip(prompt_tokens)
            .map(|(total, prompt)| total.saturating_sub(prompt))
    });
    let cached_tokens = value
        .get("prompt_tokens_details")
        .and_then(|details| details.get("cached_tokens"))
        .and_then(Value::as_u64)
        .unwrap_or(0);
    let usage = Usage {
        prompt_tokens: prompt_tokens.or(total)?,
        completion_tokens: completion_tokens.unwrap_or(0),
        cached_tokens,
    };
    (usage.total() > 0).then_some(usage)
}

/// Reads a chat reply as servers really send it.
pub(crate) fn read_reply(body: &[u8]) -> Result<RawAnswer, Unreadable> {
    // A character that a server cut in two costs that character, not the answer.
    let body = String::from_utf8_lossy(body);
    let reply: Reply = serde_json::from_str(&body).map_err(|_| Unreadable::NotJson)?;
    if let Some(error) = reply.error.filter(|error| !error.is_null()) {
        return Err(Unreadable::Error(error));
    }
    let choice = reply
        .choices
        .into_iter()
        .flatten()
        .next()
        .ok_or(Unreadable::NoChoice)?;
    let mut answer = RawAnswer {
        finish_reason: text_of(choice.finish_reason),
        usage: reply.usage.as_ref().and_then(read_usage),
        ..RawAnswer::default()
    };
    match choice.message.or(choice.delta) {
        Some(message) => {
            answer.text = message.content.map(Content::into_text).unwrap_or_default();
            answer.reasoning = text_of(message.reasoning_content);
            if answer.reasoning.is_empty() {
                answer.reasoning = text_of(message.reasoning);
            }
            answer.refusal = text_of(message.refusal);
        }
        None => {
            answer.text = choice
                .text
                .map(Cow::into_owned)
                .ok_or(Unreadable::NoChoice)?
        }
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<RawAnswer, Unreadable> {
        read_reply(value.to_string().as_bytes())
    }

    #[test]
    fn null_content_is_an_empty_answer_not_a_broken_reply() {
        let answer =
            read(json!({"choices": [{"message": {"content": null}, "finish_reason": "stop"}]}))
                .unwrap();
        assert_eq!(
            (
                answer.text.as_str(),
                answer.finish_reason.as_str(),
                answer.usage
            ),
            ("", "stop", None)
        );
    }

    #[test]
    fn unusual_replies_of_local_servers_are_read() {
        let answer = read(json!({"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}],
            "reasoning_content": "hm"}, "finish_reason": "eos"}], "usage": {"prompt_tokens": 7.0, "total_tokens": 9}}))
        .unwrap();
        assert_eq!(
            (
                answer.text.as_str(),
                answer.finish_reason.as_str(),
                answer.reasoning.as_str()
            ),
            ("ab", "eos", "hm")
        );
        assert_eq!(
            answer.usage,
            Some(Usage {
                prompt_tokens: 7,
                completion_tokens: 2,
                cached_tokens: 0
            })
        );
        let answer =
            read(json!({"choices": [{"text": "plain", "finish_reason": null}], "usage": null}))
                .unwrap();
        assert_eq!(
            (answer.text.as_str(), answer.finish_reason.as_str()),
            ("plain", "")
        );
        let answer = read(json!({"choices": [{"message": {"content": {"a": 1}}}]})).unwrap();
        assert_eq!(answer.text, r#"{"a":1}"#);
    }

    #[test]
    fn what_is_no_answer_is_said() {
        assert_eq!(read_reply(b"<html>"), Err(Unreadable::NotJson));
        assert_eq!(read(json!({"choices": []})), Err(Unreadable::NoChoice));
        assert_eq!(read(json!({"object": "x"})), Err(Unreadable::NoChoice));
        assert_eq!(
            read(json!({"error": {"code": 502}})),
            Err(Unreadable::Error(json!({"code": 502})))
        );
    }
}
