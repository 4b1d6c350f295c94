//! Stage 5: one description a row.

use std::cmp::Reverse;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream;

use super::calls::{Halt, finish_of, land_all, until, verdict};
use super::error::PipelineError;
use super::progress::Stage as ProgressStage;
use super::project::Project;
use super::standard::spent_so_far;
use crate::llm::recover;
use crate::llm::{Action, CallError, ChatRequest, Door, Message, RawAnswer, Stage};

/// One thing with several descriptions.
pub(super) struct ToSummarize {
    /// `MIRA OSEI`, or `["MIRA OSEI","HARBOR TRUST"]`.
    pub name: String,
    /// For messages.
    pub item: String,
    /// At least two, all different.
    pub descriptions: Vec<Arc<str>>,
}

/// Merges descriptions: few and short ones are joined, longer ones are summarised by the model, in rounds that each fit its input.
pub(super) struct Summarizer<'a> {
    pub project: &'a Project,
    pub door: Door,
    pub count: &'a (dyn Fn(&str) -> usize + Sync),
}

impl Summarizer<'_> {
    /// One description a row, in order, with the failures.
    ///
    /// # Errors
    /// What stops the run as a whole. Where one summary fails its descriptions are joined.
    pub(super) async fn run(
        &self,
        rows: Vec<ToSummarize>,
        halt: &Halt,
        progress: &ProgressStage<'_>,
    ) -> Result<(Vec<String>, Vec<(String, String)>), PipelineError> {
        let width = self.door.width();
        let mut out = vec![String::new(); rows.len()];
        let mut failures = Vec::new();
        let mut rows: Vec<(usize, ToSummarize)> = rows.into_iter().enumerate().collect();
        // Long ones are summarised in steps that wait for each other: begun last, they would be waited for.
        rows.sort_by_key(|(_, row)| {
            Reverse(
                row.descriptions
                    .iter()
                    .map(|text| text.len())
                    .sum::<usize>(),
            )
        });
        let answers = stream::iter(until(rows, halt))
            .map(|(row, item)| async move { Ok((row, self.row(item).await?)) })
            .buffer_unordered(width);
        land_all(answers, halt, |(row, (text, failure))| {
            out[row] = text;
            failures.extend(failure);
            progress.inc(1);
            progress.remark(spent_so_far(&self.door));
            Ok(())
        })
        .await?;
        failures.sort();
        Ok((out, failures))
    }

    async fn row(
        &self,
        row: ToSummarize,
    ) -> Result<(String, Option<(String, String)>), PipelineError> {
        let config = &self.project.settings.summarize_descriptions;
        let mut descriptions = row.descriptions.clone();
        descriptions.sort_unstable();
        let tokens: Vec<usize> = descriptions.iter().map(|text| (self.count)(text)).collect();
        if tokens.iter().sum::<usize>() < config.min_tokens as usize {
            return Ok((joined(&row.descriptions), None));
        }
        let template_tokens = (self.count)(self.project.prompts.summarize_descriptions.source());
        let budget = (config.max_input_tokens as usize).saturating_sub(template_tokens);
        let mut pending: Vec<Arc<str>> = Vec::new();
        let mut used = 0;
        let mut rest = descriptions.iter().zip(tokens).peekable();
        while let Some((text, tokens)) = rest.next() {
            pending.push(text.clone());
            used += tokens;
            let full = rest.peek().is_some_and(|next| used + next.1 > budget) && pending.len() >= 2;
            if !full && rest.peek().is_some() {
                continue;
            }
            match self.ask(&row, &pending).await {
                Ok(summary) => {
                    used = (self.count)(&summary);
                    pending = vec![summary.into()];
                }
                Err(error) if error.action() == Action::StopRun => return Err(error.into()),
                Err(error) => {
                    return Ok((
                        joined(&row.descriptions),
                        Some((row.item, error.to_string())),
                    ));
                }
            }
        }
        Ok((
            pending
                .first()
                .map_or_else(String::new, |text| text.to_string()),
            None,
        ))
    }

    async fn ask(&self, row: &ToSummarize, descriptions: &[Arc<str>]) -> Result<String, CallError> {
        let config = &self.project.settings.summarize_descriptions;
        let list = serde_json::to_string(descriptions).unwrap_or_default();
        let length = config.max_length.to_string();
        let prompt = self.project.prompts.summarize_descriptions.render(&[
            ("entity_name", &row.name),
            ("description_list", &list),
            ("max_length", &length),
        ]);
        let request = ChatRequest {
            stage: Stage::Summarize,
            item: row.item.clone(),
            messages: vec![Message::user(prompt)],
            ..ChatRequest::default()
        };
        let judge = |answer: &RawAnswer| {
            verdict(
                answer,
                recover::summary(
                    &answer.text,
                    finish_of(answer),
                    &recover::Context::default(),
                ),
            )
        };
        Ok(self.door.ask(request, judge).await?.value.value)
    }
}

/// Short descriptions read well one after the other; the model need not be asked.
pub(super) fn joined(descriptions: &[Arc<str>]) -> String {
    descriptions.join(" ")
}
