//! Basic search.

use super::anchors::absent_note;
use super::{ContextSummary, Draft, Engine, OnText, Question, allowed_in, compose};
use crate::llm::Stage;
use crate::query::context::{self, Arrival, BasicParams};
use crate::query::error::QueryError;
use crate::query::index::VectorName;
use crate::query::lexical::fuse;
use crate::query::names;
use crate::report::citations::DataKind;

/// Hits of each search that are fused.
const FUSED: usize = 60;

impl Engine<'_> {
    pub(super) async fn basic(
        &self,
        question: &Question,
        on_text: Option<OnText<'_>>,
    ) -> Result<Draft, QueryError> {
        let mut notes = Vec::new();
        let history = self.history(question, self.params.basic_tokens);
        let searched = self.with_earlier(question)?;
        let (hits, weights) = self.search_texts(&searched, FUSED)?;
        let by_words: Vec<u32> = hits.iter().map(|hit| hit.row).collect();
        let near = match self.encoder_for(VectorName::TextUnits, &mut notes)? {
            Some(encoder) => {
                let vector = self
                    .encode(encoder, VectorName::TextUnits, &searched)
                    .await?;
                self.index.nearest(VectorName::TextUnits, &vector, FUSED)?
            }
            None => None,
        };
        let near: Vec<u32> = near.into_iter().flatten().map(|hit| hit.0).collect();
        // The vector's list comes first: of equal ranks the nearer text unit leads.
        let ranked: Vec<(u32, Arrival)> = fuse(&[&near, &by_words])
            .into_iter()
            .map(|(row, lists)| {
                (
                    row,
                    if lists & 1 == 1 {
                        Arrival::Vector
                    } else {
                        Arrival::Lexical
                    },
                )
            })
            .collect();
        let params = BasicParams {
            k: self.params.basic_k,
            max_tokens: self.params.basic_tokens - history.tokens,
        };
        let context = context::basic(self.index, &ranked, params, self.count)?;
        let mut summary = ContextSummary::default();
        summary.add(&context);
        let mut draft = Draft {
            context: summary,
            notes,
            ..Draft::default()
        };
        if self.chat.is_none() {
            let units: Vec<u32> = match self.params.context_only {
                true => context.rows(DataKind::Sources),
                false => ranked
                    .iter()
                    .map(|hit| hit.0)
                    .take(self.params.basic_k.max(1))
                    .collect(),
            };
            draft.text = compose::basic(self.index, &units, &weights)?;
            draft.notes.extend(absent_note(&weights, &question.text));
            draft.notes.push(compose::WITHOUT_MODEL.to_owned());
            return Ok(draft);
        }
        draft.allowed = Some(allowed_in(&context));
        let text = history.before(&context.text());
        let values = [
            ("context_data", text.as_str()),
            ("response_type", question.response_type.as_str()),
        ];
        let said = self
            .ask_text(
                Stage::Basic,
                self.prompts.basic.render(&values),
                &question.text,
                on_text,
            )
            .await?;
        draft.take(said);
        Ok(draft)
    }

    /// The question, with those before it where it names nothing itself.
    pub(super) fn with_earlier(&self, question: &Question) -> Result<String, QueryError> {
        let mut text = question.text.clone();
        if !question.history.is_empty() && names::find(&text, self.index)?.is_empty() {
            for turn in question
                .history
                .iter()
                .rev()
                .take(self.params.history_turns)
            {
                text.push('\n');
                text.push_str(&turn.question);
            }
        }
        Ok(text)
    }
}
