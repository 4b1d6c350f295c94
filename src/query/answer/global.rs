//! Global search: map over every report of the level, reduce to one answer.

use futures::StreamExt;

use super::{
    ContextRow, ContextSummary, ContextTable, Coverage, Draft, Engine, OnText, Question, compose,
    judge, roster, themes,
};
use crate::llm::{Action, CallError, ChatRequest, Message, Stage};
use crate::query::context::{self, Batch, GlobalParams, History};
use crate::query::error::QueryError;
use crate::query::extract::theme_question;
use crate::query::index::{Column, NO_ROW, VectorName, list};
use crate::query::levels;
use crate::query::models::{Chat, Noted};
use crate::query::own;
use crate::report::citations::{AllowedIds, DataKind};

impl Engine<'_> {
    pub(super) async fn global(
        &self,
        question: &Question,
        on_text: Option<OnText<'_>>,
    ) -> Result<Draft, QueryError> {
        let communities = self.index.communities()?;
        let level = levels::choose(communities, question.level)?;
        let mut rated = None;
        let mut notes = Vec::new();
        let mut reports = match self.reports_at(level) {
            // Without a model the text units themselves are read.
            Err(QueryError::Filter(_)) if self.chat.is_none() => {
                notes.push(
                    "no report rests on the documents of --filter alone: answered from their text"
                        .to_owned(),
                );
                Vec::new()
            }
            reports => reports?,
        };
        if question.select_reports {
            let Some(chat) = self.chat else {
                return Err(QueryError::NeedsModel {
                    what: "--dynamic-community-selection",
                    model: "global_search.completion_model_id".to_owned(),
                    instead: "leave it out",
                });
            };
            let deepest = question.level.unwrap_or(u32::MAX);
            let selected = self.select(chat, question, deepest).await?;
            if selected.unrated > 0 {
                notes.push(format!(
                    "{} of {} ratings failed; those reports are read",
                    selected.unrated, selected.rated
                ));
            }
            (reports, rated) = (selected.reports, Some(selected.rated));
        }
        let found = reports.len();
        if let Some(budget) = self.params.report_tokens {
            reports = self.within(reports, budget)?;
        }
        let mut draft = match self.chat {
            Some(chat) => {
                self.map_reduce(chat, question, level, &reports, on_text)
                    .await?
            }
            None => self.extract(question, level, &reports).await?,
        };
        if let Some(coverage) = &mut draft.coverage {
            coverage.reports = found;
            coverage.rated = rated;
        }
        if let Some(read) = draft.context.tables.get_mut("reports") {
            read.left_out += found - reports.len();
        }
        draft.notes.splice(0..0, notes);
        Ok(draft)
    }

    /// The reports that represent the index, or the documents it is restricted to, at a level.
    ///
    /// # Errors
    /// `EmptyIndex` where there are none.
    pub(in crate::query) fn reports_at(&self, level: u32) -> Result<Vec<u32>, QueryError> {
        let (communities, table) = (self.index.communities()?, self.index.reports()?);
        let reports = match self.index.is_restricted() {
            false => levels::rolled_up(communities, table, level),
            true => levels::within(communities, table, level, |report| {
                self.index.allows_report(report).unwrap_or(false)
            }),
        };
        if reports.is_empty() && self.index.is_restricted() {
            return Err(QueryError::Filter(
                "no report rests on the documents of --filter alone; ask with local or basic search, or with a wider filter".to_owned(),
            ));
        }
        if reports.is_empty() {
            return Err(QueryError::EmptyIndex {
                path: self.index.folder().to_owned(),
                what: "community reports",
            });
        }
        Ok(reports)
    }

    /// The weightiest reports that fit into `budget` tokens, at least one, in table order.
    fn within(&self, reports: Vec<u32>, budget: usize) -> Result<Vec<u32>, QueryError> {
        let (table, texts) = (self.index.reports()?, self.index.whole(Column::ReportText)?);
        let weights = context::occurrence_weights(self.index, &reports)?;
        let mut order: Vec<(u32, f64)> = reports.into_iter().zip(weights).collect();
        let rank = |row: u32| table.ranks[row as usize];
        order.sort_by(|a, b| {
            b.1.total_cmp(&a.1)
                .then(rank(b.0).total_cmp(&rank(a.0)))
                .then(a.0.cmp(&b.0))
        });
        let mut tokens = 0;
        let mut kept = Vec::new();
        for (row, _) in order {
            tokens += (self.count)(texts.get(row as usize));
            if tokens > budget && !kept.is_empty() {
                break;
            }
            kept.push(row);
        }
        kept.sort_unstable();
        Ok(kept)
    }

    /// Share of the documents that have a text unit in the communities of these reports.
    fn represented(&self, reports: &[u32]) -> Result<f64, QueryError> {
        let (communities, table, units) = (
            self.index.communities()?,
            self.index.reports()?,
            self.index.units()?,
        );
        let mut seen = vec![false; self.index.all_documents()?];
        for &report in reports {
            let community = table.communities[report as usize];
            if community == NO_ROW {
                continue;
            }
            for &unit in list(&communities.units, community) {
                if let Some(slot) = seen.get_mut(units.documents[unit as usize] as usize) {
                    *slot = true;
                }
            }
        }
        let all = self.index.document_count()?.max(1);
        Ok(seen.iter().filter(|seen| **seen).count() as f64 / all as f64)
    }

    async fn extract(
        &self,
        question: &Question,
        level: u32,
        reports: &[u32],
    ) -> Result<Draft, QueryError> {
        let mut notes = Vec::new();
        let reads_all = self.params.report_tokens.is_none();
        let themed = match theme_question(&question.text) {
            // Extractive reports are made of the same sentences, of one community each: the corpus itself tells better what recurs.
            Some(asked) if self.index.method() == "fast" && reads_all => {
                themes::themes(self.index, reports, &asked, &mut notes)?
            }
            Some(asked) => Some(compose::broadest(self.index, reports, &asked)?),
            None => None,
        };
        let whole = match (themed, roster::asked_kind(&question.text)) {
            (None, Some(kind)) if reads_all => roster::roster(self.index, kind)?,
            (themed, _) => themed,
        };
        let text = match whole {
            Some(text) => text,
            None => {
                let near = match self.encoder_for(VectorName::Reports, &mut notes)? {
                    Some(encoder) => {
                        let asked = question.text.as_str();
                        let vector = self.encode(encoder, VectorName::Reports, asked).await?;
                        self.index.similarities(VectorName::Reports, &vector)?
                    }
                    None => None,
                };
                let near: Option<Vec<f32>> = near.map(|near| {
                    let of = |&report: &u32| near.get(report as usize).copied().unwrap_or(0.0);
                    reports.iter().map(of).collect()
                });
                let (_, weights) = self.search_texts(&question.text, 0)?;
                compose::global(
                    self.index,
                    reports,
                    &question.text,
                    near.as_deref(),
                    &weights,
                )?
            }
        };
        notes.push(compose::WITHOUT_MODEL.to_owned());
        let coverage = Coverage {
            level,
            reports_read: reports.len(),
            reports: reports.len(),
            batches: 0,
            batches_failed: 0,
            documents_represented: self.represented(reports)?,
            rated: None,
        };
        let table = self.index.reports()?;
        let rows = reports
            .iter()
            .map(|&row| ContextRow {
                id: table.numbers.of(row),
                arrived: context::Arrival::Report,
            })
            .collect();
        let texts = self.index.whole(Column::ReportText)?;
        let mut summary = ContextSummary {
            tokens: reports
                .iter()
                .map(|&row| (self.count)(texts.get(row as usize)))
                .sum(),
            ..ContextSummary::default()
        };
        summary.tables.insert(
            "reports".to_owned(),
            ContextTable {
                count: reports.len(),
                left_out: 0,
                rows,
            },
        );
        Ok(Draft {
            text,
            context: summary,
            coverage: Some(coverage),
            notes,
            ..Draft::default()
        })
    }

    async fn map_reduce(
        &self,
        chat: &dyn Chat,
        question: &Question,
        level: u32,
        reports: &[u32],
        on_text: Option<OnText<'_>>,
    ) -> Result<Draft, QueryError> {
        let history = self.history(question, self.params.batch_tokens);
        let params = GlobalParams {
            max_tokens: self.params.batch_tokens - history.tokens,
        };
        let batches = context::batches(self.index, reports, params, self.count)?;
        let calls = batches.len();
        let answered = self.map_batches(chat, question, &history, &batches).await;
        let failed: Vec<&CallError> = answered
            .iter()
            .filter_map(|result| result.as_ref().err())
            .collect();
        if let Some(&first) = failed.first().filter(|_| failed.len() == calls) {
            let first = first.clone();
            // What stops every call is told in its own words.
            return Err(match first.action() {
                Action::StopRun => first.into(),
                _ => QueryError::AllCallsFailed { calls, first },
            });
        }
        let mut draft = Draft::default();
        let mut allowed = AllowedIds::default();
        let mut read: Vec<u32> = Vec::new();
        let mut rows: Vec<ContextRow> = Vec::new();
        let mut tokens = 0;
        let mut points: Vec<(usize, &Noted)> = Vec::new();
        for (number, (batch, result)) in batches.iter().zip(&answered).enumerate() {
            let Ok(noted) = result else { continue };
            points.extend(
                noted
                    .iter()
                    .filter(|point| point.score > 0.0)
                    .map(|point| (number, point)),
            );
            allowed.allow(
                DataKind::Reports,
                batch.records.iter().map(|record| record.number),
            );
            allowed.allow_cited_in(&batch.text);
            read.extend(batch.records.iter().map(|record| record.row));
            rows.extend(batch.records.iter().map(|record| ContextRow {
                id: record.number,
                arrived: record.arrived,
            }));
            tokens += batch.tokens;
        }
        let coverage = Coverage {
            level,
            reports_read: read.len(),
            reports: reports.len(),
            batches: calls,
            batches_failed: failed.len(),
            documents_represented: self.represented(&read)?,
            rated: None,
        };
        if let Some(first) = failed.first() {
            draft.notes.push(format!(
                "{} of {calls} calls that read the reports failed, the first: {first}",
                failed.len()
            ));
        }
        let left_out = reports.len() - read.len();
        draft.context.tables.insert(
            "reports".to_owned(),
            ContextTable {
                count: read.len(),
                left_out,
                rows,
            },
        );
        draft.context.tokens = tokens;
        points.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.cmp(&b.0)));
        let (data, unread) = self.points_text(&points);
        if unread > 0 {
            draft.notes.push(format!(
                "{unread} of {} points did not fit and were left out, the least important",
                points.len()
            ));
        }
        if data.is_empty() {
            draft.text = own::NOTHING_IN_REPORTS.to_owned();
        } else {
            let words = self.params.reduce_words.to_string();
            let data = history.before(&data);
            let values = [
                ("report_data", data.as_str()),
                ("response_type", &question.response_type),
                ("max_length", &words),
            ];
            let mut system = self.prompts.reduce.render(&values);
            if self.params.general_knowledge {
                system.push('\n');
                system.push_str(&self.prompts.knowledge.render(&[]));
            }
            let said = self
                .ask_text(Stage::Reduce, system, &question.text, on_text)
                .await?;
            draft.take(said);
        }
        if coverage.batches_failed > 0 {
            draft.lacks.push(coverage.words());
        }
        draft.allowed = Some(allowed);
        draft.coverage = Some(coverage);
        Ok(draft)
    }

    /// One call a batch, some at once; the results in batch order. What stops a run stops the calls that have not begun.
    async fn map_batches(
        &self,
        chat: &dyn Chat,
        question: &Question,
        history: &History,
        batches: &[Batch],
    ) -> Vec<Result<Vec<Noted>, CallError>> {
        let words = self.params.map_words.to_string();
        let calls = batches.iter().enumerate().map(|(number, batch)| {
            let data = history.before(&batch.text);
            let values = [
                ("context_data", data.as_str()),
                ("max_length", words.as_str()),
            ];
            let request = ChatRequest {
                stage: Stage::Map,
                item: format!("batch {} of {}", number + 1, batches.len()),
                messages: vec![
                    Message::system(self.prompts.map.render(&values)),
                    Message::user(question.text.as_str()),
                ],
                schema: self.params.wants_schema.then(judge::points_schema),
                salt: self.index.fingerprint().to_owned(),
                ..ChatRequest::default()
            };
            async move {
                chat.ask(request, &judge::points)
                    .await
                    .map(|answer| answer.value.points)
            }
        });
        let mut results: Vec<Result<Vec<Noted>, CallError>> = Vec::with_capacity(batches.len());
        let mut running = futures::stream::iter(calls).buffered(self.params.concurrency.max(1));
        while let Some(result) = running.next().await {
            let stop = result
                .as_ref()
                .err()
                .filter(|error| error.action() == Action::StopRun)
                .cloned();
            results.push(result);
            if let Some(error) = stop {
                results.resize_with(batches.len(), || Err(error.clone()));
                break;
            }
        }
        results
    }

    /// The points as the reduce call reads them, the most important first, as many as fit; and how many do not.
    fn points_text(&self, points: &[(usize, &Noted)]) -> (String, usize) {
        let mut text = String::new();
        let mut tokens = 0;
        for (place, (batch, point)) in points.iter().enumerate() {
            let part = format!(
                "----Analyst {}----\nImportance Score: {}\n{}\n\n",
                batch + 1,
                point.score.round(),
                point.text
            );
            tokens += (self.count)(&part);
            if tokens > self.params.points_tokens {
                return (text, points.len() - place);
            }
            text.push_str(&part);
        }
        (text, 0)
    }
}
