//! Closed book: what the model knows without the corpus, to compare the searches with.

use super::{Draft, Engine, OnText, Question};
use crate::llm::{ChatRequest, Message, Stage};
use crate::query::error::QueryError;
use crate::report::citations::AllowedIds;

impl Engine<'_> {
    pub(super) async fn closed_book(
        &self,
        question: &Question,
        on_text: Option<OnText<'_>>,
    ) -> Result<Draft, QueryError> {
        let system = format!(
            "You answer a user's question from what you know. You are given no documents and can look nothing up.\n\n- Answer the question first, then say what supports it.\n- If you do not know, say so; do not guess.\n- Write Markdown, in the language of the question.\n- Length and form asked for: {}",
            question.response_type
        );
        let request = ChatRequest {
            stage: Stage::ClosedBook,
            item: "the question".to_owned(),
            messages: vec![
                Message::system(system),
                Message::user(question.text.as_str()),
            ],
            ..ChatRequest::default()
        };
        let mut draft = Draft {
            // Nothing was shown, so whatever it cites is invented.
            allowed: Some(AllowedIds::default()),
            ..Draft::default()
        };
        draft.take(self.ask_words(request, on_text).await?);
        Ok(draft)
    }
}
