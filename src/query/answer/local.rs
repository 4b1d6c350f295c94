//! Local search.

use super::anchors::{Mapped, absent_note};
use super::{ContextSummary, Draft, Engine, OnText, Question, Said, allowed_in, compose, judge};
use crate::llm::{ChatRequest, Message, Stage};
use crate::model::Outcome;
use crate::query::context::{self, Context, LocalParams, Turn};
use crate::query::error::QueryError;
use crate::query::levels;

impl Engine<'_> {
    pub(super) async fn local(
        &self,
        question: &Question,
        on_text: Option<OnText<'_>>,
    ) -> Result<Draft, QueryError> {
        let level = levels::choose(self.index.communities()?, question.level)?;
        let history = self.history(question, self.params.local_tokens);
        let tokens = self.params.local_tokens - history.tokens;
        let (mapped, context) = self
            .local_context(&question.text, &question.history, level, tokens)
            .await?;
        let mut summary = ContextSummary::default();
        summary.add(&context);
        let mut draft = Draft {
            context: summary,
            anchors: self.anchor_rows(&mapped.anchors)?,
            notes: mapped.notes.clone(),
            ..Draft::default()
        };
        if self.chat.is_none() {
            draft.text = compose::local(self.index, &mapped, &context, self.params.context_only)?;
            draft
                .notes
                .extend(absent_note(&mapped.weights, &question.text));
            draft.notes.push(compose::WITHOUT_MODEL.to_owned());
            return Ok(draft);
        }
        draft.allowed = Some(allowed_in(&context));
        let data = history.before(&context.text());
        let values = [
            ("context_data", data.as_str()),
            ("response_type", question.response_type.as_str()),
        ];
        let system = self.prompts.local.render(&values);
        let said = self
            .ask_text(Stage::Local, system, &question.text, on_text)
            .await?;
        draft.take(said);
        Ok(draft)
    }

    /// What a question is mapped to and the context built from it, in at most `tokens`.
    pub(in crate::query) async fn local_context(
        &self,
        question: &str,
        history: &[Turn],
        level: u32,
        tokens: usize,
    ) -> Result<(Mapped, Context), QueryError> {
        let mapped = self.map(question, history).await?;
        let params = LocalParams {
            max_tokens: tokens,
            text_unit_share: self.params.text_unit_share,
            community_share: self.params.community_share,
            top_k_relationships: self.params.top_k_relationships,
            level,
            hub_cap: self.params.hub_cap,
        };
        let context = context::local(
            self.index,
            &mapped.anchors,
            &mapped.texts,
            &params,
            self.count,
        )?;
        Ok((mapped, context))
    }

    /// One call that answers in words, shown as it comes where that is wanted.
    pub(in crate::query) async fn ask_text(
        &self,
        stage: Stage,
        system: String,
        question: &str,
        on_text: Option<OnText<'_>>,
    ) -> Result<Said, QueryError> {
        let request = ChatRequest {
            stage,
            item: "the question".to_owned(),
            messages: vec![Message::system(system), Message::user(question)],
            // The same question to another state of the index is another question.
            salt: self.index.fingerprint().to_owned(),
            ..ChatRequest::default()
        };
        self.ask_words(request, on_text).await
    }

    /// As `ask_text`, with the request as it is.
    pub(super) async fn ask_words(
        &self,
        request: ChatRequest,
        on_text: Option<OnText<'_>>,
    ) -> Result<Said, QueryError> {
        let Some(chat) = self.chat else {
            return Ok(Said::default());
        };
        let (text, outcome) = match on_text {
            Some(on_text) => {
                let answer = chat.stream(request, on_text).await?;
                (answer.value, answer.outcome)
            }
            None => {
                let answer = chat.ask(request, &judge::text).await?;
                (answer.value.text, answer.outcome)
            }
        };
        let lacks = match outcome {
            Outcome::Partial(why) => Some(why),
            _ => None,
        };
        Ok(Said { text, lacks })
    }
}
