//! The doors to models as a query uses them.

use futures::FutureExt;
use futures::future::BoxFuture;

use super::error::QueryError;
use super::models::{Chat, Judge, QuestionEncoder, Reply, Used};
use crate::embed::{EmbedError, Embedder, SENTENCE_VECTORS, sentence_encoder};
use crate::llm::{Answer, CallError, ChatRequest, Door};

impl Chat for Door {
    fn ask<'a>(
        &'a self,
        request: ChatRequest,
        judge: &'a Judge,
    ) -> BoxFuture<'a, Result<Answer<Reply>, CallError>> {
        Door::ask(self, request, judge).boxed()
    }

    fn stream<'a>(
        &'a self,
        request: ChatRequest,
        on_text: &'a mut (dyn FnMut(&str) + Send),
    ) -> BoxFuture<'a, Result<Answer<String>, CallError>> {
        Door::stream(self, request, on_text).boxed()
    }

    fn used(&self) -> Used {
        used(self)
    }

    fn warnings(&self) -> Vec<String> {
        Door::warnings(self)
    }
}

/// Over all doors of the process.
fn used(door: &Door) -> Used {
    let spent = door.spent();
    Used {
        calls: spent.calls,
        prompt_tokens: spent.prompt_tokens,
        completion_tokens: spent.completion_tokens,
        cost: spent.cost,
        cached: 0,
    }
}

impl QuestionEncoder for Door {
    fn name(&self) -> String {
        self.model().to_owned()
    }

    fn dimension(&self) -> Option<usize> {
        None
    }

    fn is_configured(&self) -> bool {
        true
    }

    fn used(&self) -> Option<Used> {
        Some(used(self))
    }

    fn encode<'a>(&'a self, question: &'a str) -> BoxFuture<'a, Result<Vec<f32>, QueryError>> {
        async move {
            let embedded = self.embed(&[question]).await?;
            match embedded.refused.into_iter().next() {
                Some((_, why)) => Err(QueryError::Encoder(why)),
                None => Ok(embedded.vectors),
            }
        }
        .boxed()
    }
}

/// The sentence encoder, where it is compiled in, unpacked when it is first needed.
///
/// There is none for the hashed words of [`crate::embed::BuiltinEncoder`]: what they can tell, text search tells better.
#[derive(Default)]
pub struct Builtin(std::sync::OnceLock<Result<Box<dyn Embedder>, EmbedError>>);

impl QuestionEncoder for Builtin {
    fn name(&self) -> String {
        SENTENCE_VECTORS.to_owned()
    }

    fn dimension(&self) -> Option<usize> {
        None
    }

    fn is_configured(&self) -> bool {
        false
    }

    fn encode<'a>(&'a self, question: &'a str) -> BoxFuture<'a, Result<Vec<f32>, QueryError>> {
        let encoder = self.0.get_or_init(sentence_encoder);
        let vector = match encoder {
            Ok(encoder) => encoder
                .embed(&[question])
                .map_err(|error| QueryError::Encoder(error.to_string())),
            Err(error) => Err(QueryError::Encoder(error.to_string())),
        };
        futures::future::ready(vector).boxed()
    }
}
