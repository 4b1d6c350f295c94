//! A hand-made index, a stand-in for the model, and a question asked of both.

use std::sync::Mutex;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use super::super::*;
use crate::llm::{Answer, CallError, ChatRequest, Place, RawAnswer, Usage, Verdict};
use crate::model::Outcome;
use crate::query::index::fixture::Parts;
use crate::query::models::{Judge, Reply};

pub(super) type Script = dyn Fn(&ChatRequest, usize) -> Result<String, CallError> + Send + Sync;

/// Answers by what it is asked; keeps the requests.
pub(super) struct Stand {
    pub(super) answer: Box<Script>,
    pub(super) seen: Mutex<Vec<ChatRequest>>,
}

impl Stand {
    pub(super) fn new(
        answer: impl Fn(&ChatRequest, usize) -> Result<String, CallError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            answer: Box::new(answer),
            seen: Mutex::default(),
        }
    }

    pub(super) fn reply(&self, request: &ChatRequest) -> Result<RawAnswer, CallError> {
        let mut seen = self.seen.lock().unwrap();
        seen.push(request.clone());
        let text = (self.answer)(request, seen.len() - 1)?;
        Ok(RawAnswer {
            text,
            finish_reason: "stop".into(),
            ..RawAnswer::default()
        })
    }
}

pub(super) fn answer<T>(value: T) -> Answer<T> {
    Answer {
        value,
        outcome: Outcome::Ok,
        usage: Usage::default(),
        cost: None,
        cached: false,
        attempts: 1,
    }
}

impl Chat for Stand {
    fn ask<'a>(
        &'a self,
        request: ChatRequest,
        judge: &'a Judge,
    ) -> BoxFuture<'a, Result<Answer<Reply>, CallError>> {
        let result = self.reply(&request).and_then(|raw| match judge(&raw) {
            Verdict::Accept(reply, _) => Ok(answer(reply)),
            other => Err(CallError::Unusable {
                model: "stand-in".into(),
                why: format!("{other:?}"),
                attempts: 1,
            }),
        });
        ready(result).boxed()
    }

    fn stream<'a>(
        &'a self,
        request: ChatRequest,
        on_text: &'a mut (dyn FnMut(&str) + Send),
    ) -> BoxFuture<'a, Result<Answer<String>, CallError>> {
        let result = self.reply(&request).map(|raw| {
            raw.text.split_inclusive(' ').for_each(&mut *on_text);
            answer(raw.text)
        });
        ready(result).boxed()
    }

    fn used(&self) -> Used {
        Used {
            calls: self.seen.lock().unwrap().len() as u64,
            ..Used::default()
        }
    }
}

pub(super) struct Encoder {
    pub(super) name: &'static str,
    pub(super) vector: Vec<f32>,
    pub(super) configured: bool,
}

impl QuestionEncoder for Encoder {
    fn name(&self) -> String {
        self.name.to_owned()
    }
    fn dimension(&self) -> Option<usize> {
        None
    }
    fn is_configured(&self) -> bool {
        self.configured
    }
    fn encode<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<f32>, QueryError>> {
        ready(Ok(self.vector.clone())).boxed()
    }
}

pub(super) fn parts() -> Parts<'static> {
    Parts {
        documents: vec![
            (
                "a.md",
                "The pump at Harrow failed because its seal was worn. Osei mended the pump at Harrow in May.",
            ),
            (
                "b.md",
                "The valve at Lune was seized when the main burst. Nobody had turned the valve for years.",
            ),
        ],
        units: vec![
            (
                0,
                "The pump at Harrow failed because its seal was worn. Osei mended the pump at Harrow in May.",
            ),
            (
                1,
                "The valve at Lune was seized when the main burst. Nobody had turned the valve for years.",
            ),
        ],
        entities: vec![
            ("HARROW", "Harrow is a works with a pump.", vec![0], vec![]),
            ("LUNE", "Lune is a town with a valve.", vec![1], vec![]),
            ("OSEI", "Osei mends pumps.", vec![0], vec![]),
        ],
        relationships: vec![(2, 0, "Osei mended the pump at Harrow.", 2.0, vec![0])],
        communities: vec![(0, None, vec![0, 2], vec![0]), (0, None, vec![1], vec![1])],
        reports: vec![
            (
                0,
                "Harrow",
                "About Harrow.",
                vec![(
                    "The pump failed",
                    "The pump failed as its seal was worn. [Data: Sources (0)]",
                )],
                8.0,
            ),
            (
                1,
                "Lune",
                "About Lune.",
                vec![(
                    "The valve was seized",
                    "The valve had not been turned. [Data: Sources (1)]",
                )],
                6.0,
            ),
        ],
        entity_vectors: Some(vec![vec![1.0, 0.0], vec![0.0, 1.0], vec![0.7, 0.7]]),
        ..Parts::default()
    }
}

pub(super) fn templates() -> [Template; 8] {
    let parse = |text: &str, allowed: &[&str]| Template::parse(text, "t", allowed, &[]).unwrap();
    [
        parse(
            "LOCAL {response_type}\n{context_data}",
            &["context_data", "response_type"],
        ),
        parse(
            "MAP {max_length}\n{context_data}",
            &["context_data", "max_length"],
        ),
        parse(
            "REDUCE {response_type} {max_length}\n{report_data}",
            &["report_data", "response_type", "max_length"],
        ),
        parse("KNOWLEDGE", &[]),
        parse(
            "BASIC {response_type}\n{context_data}",
            &["context_data", "response_type"],
        ),
        parse(
            "STEP {global_query}\n{context_data}",
            &["global_query", "context_data"],
        ),
        parse("TOGETHER\n{context_data}", &["context_data"]),
        parse("QUESTIONS\n{context_data}", &["context_data"]),
    ]
}

pub(super) fn question(method: Method, text: &str) -> Question {
    Question {
        response_type: "One line".to_owned(),
        ..Question::new(method, text)
    }
}

pub(super) fn ask(
    chat: Option<&dyn Chat>,
    encoder: Option<&dyn QuestionEncoder>,
    params: &Params,
    question: &Question,
) -> Result<Answered, QueryError> {
    ask_aloud(chat, encoder, params, question, None)
}

/// As [`ask`]; `on_text` hears the answer as it comes.
pub(super) fn ask_aloud(
    chat: Option<&dyn Chat>,
    encoder: Option<&dyn QuestionEncoder>,
    params: &Params,
    question: &Question,
    on_text: Option<OnText<'_>>,
) -> Result<Answered, QueryError> {
    let index = parts().index();
    let [
        local,
        map,
        reduce,
        knowledge,
        basic,
        drift,
        drift_reduce,
        question_gen,
    ] = &templates();
    let prompts = SearchPrompts {
        local,
        map,
        reduce,
        knowledge,
        basic,
        drift,
        drift_reduce,
        question_gen,
    };
    let engine = Engine {
        index: &index,
        params,
        prompts,
        chat,
        encoder,
        count: &|text| text.len(),
    };
    engine
        .answer(question, on_text)
        .now_or_never()
        .expect("nothing here waits")
}

pub(super) fn transient() -> CallError {
    let place = Place {
        model: "m".into(),
        address: "http://x".into(),
    };
    CallError::Transient {
        place: place.into(),
        words: "the server is on fire".into(),
        attempts: 3,
    }
}

/// One report a batch.
pub(super) fn small_batches() -> Params {
    Params {
        batch_tokens: 1,
        ..Params::default()
    }
}
