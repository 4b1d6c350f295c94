//! What answering needs of models, so that it can be tried without one: a chat model and something that embeds a question.

use std::sync::atomic::{AtomicU64, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;

use super::error::QueryError;
use crate::llm::{Answer, CallError, ChatRequest, RawAnswer, Verdict};

/// A point of a map answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Noted {
    /// What the reports contribute, with citations.
    pub text: String,
    /// 0 to 100.
    pub score: f64,
}

/// An answer as a judge understood it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// Its points, where points were asked for.
    pub points: Vec<Noted>,
    /// Its own score or rating, where one was asked for.
    pub score: f64,
    /// What it proposes to ask next.
    pub follow_ups: Vec<String>,
}

/// Turns a raw answer into a reply or says why not; pure.
pub type Judge = dyn Fn(&RawAnswer) -> Verdict<Reply> + Send + Sync;

/// What calls cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Used {
    /// Requests sent, repeats included.
    pub calls: u64,
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Tokens of answers.
    pub completion_tokens: u64,
    /// Money; `None` when a price is unknown.
    pub cost: Option<f64>,
    /// Answers that came from the cache: they cost nothing now, and are in none of the other figures.
    pub cached: u64,
}

impl Used {
    /// What was used after `before`.
    pub fn since(self, before: Self) -> Self {
        let cost = self.cost.zip(before.cost).map(|(now, then)| now - then);
        Self {
            calls: self.calls.saturating_sub(before.calls),
            prompt_tokens: self.prompt_tokens.saturating_sub(before.prompt_tokens),
            completion_tokens: self
                .completion_tokens
                .saturating_sub(before.completion_tokens),
            cost,
            cached: self.cached.saturating_sub(before.cached),
        }
    }
}

/// A chat model.
pub trait Chat: Send + Sync {
    /// Asks until the judge accepts an answer or asking is pointless.
    fn ask<'a>(
        &'a self,
        request: ChatRequest,
        judge: &'a Judge,
    ) -> BoxFuture<'a, Result<Answer<Reply>, CallError>>;

    /// Asks for a text and hands it on as it comes.
    fn stream<'a>(
        &'a self,
        request: ChatRequest,
        on_text: &'a mut (dyn FnMut(&str) + Send),
    ) -> BoxFuture<'a, Result<Answer<String>, CallError>>;

    /// What the calls of this process cost so far.
    fn used(&self) -> Used;

    /// What the calls of this process showed that the asker should know, each once.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A chat model that counts what one question used.
pub(super) struct Meter<'a> {
    chat: &'a dyn Chat,
    before: Used,
    cached: AtomicU64,
}

impl<'a> Meter<'a> {
    pub fn new(chat: &'a dyn Chat) -> Self {
        Self {
            chat,
            before: chat.used(),
            cached: AtomicU64::new(0),
        }
    }

    fn count<T>(&self, answer: Answer<T>) -> Answer<T> {
        self.cached
            .fetch_add(u64::from(answer.cached), Ordering::Relaxed);
        answer
    }
}

impl Chat for Meter<'_> {
    fn ask<'a>(
        &'a self,
        request: ChatRequest,
        judge: &'a Judge,
    ) -> BoxFuture<'a, Result<Answer<Reply>, CallError>> {
        async move { Ok(self.count(self.chat.ask(request, judge).await?)) }.boxed()
    }

    fn stream<'a>(
        &'a self,
        request: ChatRequest,
        on_text: &'a mut (dyn FnMut(&str) + Send),
    ) -> BoxFuture<'a, Result<Answer<String>, CallError>> {
        async move { Ok(self.count(self.chat.stream(request, on_text).await?)) }.boxed()
    }

    fn used(&self) -> Used {
        Used {
            cached: self.cached.load(Ordering::Relaxed),
            ..self.chat.used().since(self.before)
        }
    }

    fn warnings(&self) -> Vec<String> {
        self.chat.warnings()
    }
}

/// Something that embeds a question.
pub trait QuestionEncoder: Send + Sync {
    /// The model's name, as vector files give it.
    fn name(&self) -> String;

    /// Numbers of a vector, when known before the first call.
    fn dimension(&self) -> Option<usize>;

    /// Whether the settings name it. The one that is compiled in gives way where it does not fit the vectors.
    fn is_configured(&self) -> bool;

    /// What the calls of this process cost so far; `None` where there are no calls.
    fn used(&self) -> Option<Used> {
        None
    }

    /// The question's vector.
    fn encode<'a>(&'a self, question: &'a str) -> BoxFuture<'a, Result<Vec<f32>, QueryError>>;
}
