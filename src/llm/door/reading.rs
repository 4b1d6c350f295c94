//! What a chat call will take, and what its reply says.

use std::time::SystemTime;

use super::Door;
use crate::llm::answer::{RawAnswer, Unreadable, Usage, read_reply};
use crate::llm::classify::{Failure, classify, words_of};
use crate::llm::endpoint::Estimate;
use crate::llm::request::{Message, Params, text_bytes, text_chars};
use crate::llm::transport::{Headers, HttpReply};

impl Door {
    /// Estimates a chat call; the second value is the exact count where one was made.
    pub(crate) fn estimate_chat(
        &self,
        messages: &[Message],
        params: &Params,
    ) -> (Estimate, Option<u64>) {
        let capped = self.shared.budget.caps_tokens_or_cost();
        let exact = capped.then(|| self.count(messages));
        let prompt = exact.unwrap_or_else(|| text_bytes(messages).div_ceil(4) as u64);
        (
            self.endpoint
                .estimate(prompt, params.max_output_tokens, true, capped),
            exact,
        )
    }

    fn count(&self, messages: &[Message]) -> u64 {
        let count = &self.shared.settings.count_tokens;
        messages
            .iter()
            .map(|message| count(&message.content) as u64)
            .sum()
    }

    pub(crate) fn read_chat(
        &self,
        reply: &HttpReply,
    ) -> Result<(RawAnswer, Option<Usage>), Failure> {
        match read_reply(&reply.body) {
            Ok(answer) => {
                let uncounted = || Usage {
                    completion_tokens: answer.text.len().div_ceil(4) as u64,
                    ..Usage::default()
                };
                let usage = Some(answer.usage.unwrap_or_else(uncounted));
                Ok((answer, usage))
            }
            Err(Unreadable::Error(error)) => {
                // some gateways answer 200 and put the error, with its own status, into the body
                let status = error
                    .get("code")
                    .and_then(serde_json::Value::as_u64)
                    .and_then(|code| u16::try_from(code).ok());
                let status = status
                    .filter(|status| (400..600).contains(status))
                    .unwrap_or(500);
                let body = serde_json::json!({ "error": error }).to_string();
                let inner = HttpReply {
                    status,
                    headers: Headers::default(),
                    body: body.into(),
                };
                Err(classify(&inner, SystemTime::now()))
            }
            Err(Unreadable::NotJson) => Err(Failure::transient(format!(
                "http {} with a body that is not json or cut off: {}",
                reply.status,
                words_of(&reply.body)
            ))),
            Err(Unreadable::NoChoice) => Err(Failure::transient(format!(
                "http {} without an answer in it: {}",
                reply.status,
                words_of(&reply.body)
            ))),
        }
    }

    /// Learns from the server's count and notices a prompt that was silently cut.
    pub(crate) fn look_at_usage(
        &self,
        messages: &[Message],
        usage: Option<Usage>,
        exact: Option<u64>,
    ) {
        let Some(usage) = usage else { return };
        self.endpoint.learn(usage, exact);
        let bytes = text_bytes(messages) as u64;
        // five bytes a token and more is usual: only a smaller count is worth a real one
        if usage.prompt_tokens > bytes / 5 || usage.prompt_tokens == 0 || bytes < 1500 {
            return;
        }
        let own = exact.unwrap_or_else(|| self.count(messages));
        let cut =
            (usage.prompt_tokens as f64) < own as f64 * 0.6 && own - usage.prompt_tokens > 500;
        // a server that does not tokenize reports characters over four
        let chars = text_chars(messages) as u64;
        let is_guess = usage.prompt_tokens.abs_diff(chars / 4) <= chars / 400 + 2;
        if cut && !is_guess {
            self.shared.warn(format!(
                "{} read only part of a prompt (about {} of {} tokens): give it a larger context (num_ctx, --ctx-size, --max-model-len) or send it less (chunking.size, max_context_tokens)",
                self.endpoint.place,
                round(usage.prompt_tokens),
                round(own),
            ));
        }
    }
}

/// To the nearest thousand, so that equal warnings are counted together.
fn round(tokens: u64) -> u64 {
    if tokens < 1000 {
        tokens
    } else {
        (tokens + 500) / 1000 * 1000
    }
}
