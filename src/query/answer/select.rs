//! Dynamic community selection: a model rates reports from the top of the hierarchy down, and only what bears on the question is
//! read.

use std::sync::LazyLock;

use futures::StreamExt;
use rustc_hash::FxHashSet;

use super::{Engine, Question, judge};
use crate::config::{RATE_REPORT, Template};
use crate::llm::{Action, CallError, ChatRequest, Message, Stage};
use crate::query::error::QueryError;
use crate::query::index::{Column, NO_ROW, Reports};
use crate::query::levels;
use crate::query::models::Chat;

// invariant: a test of the configuration parses every built-in text with these placeholders
static RATE: LazyLock<Template> = LazyLock::new(|| {
    let placeholders = ["description", "question"];
    Template::parse(RATE_REPORT, "built in", &placeholders, &[]).expect("a template")
});

/// Figures of the selection.
#[derive(Clone, Copy, Debug)]
pub struct SelectionParams {
    /// Rating from which a report is read, 0 to 5.
    pub threshold: u32,
    /// Whether a report is read although one below it is.
    pub keep_parent: bool,
    /// How often each report is rated; the most frequent rating counts.
    pub repeats: u32,
    /// Whether summaries are rated and not whole reports.
    pub by_summary: bool,
    /// The level down to which to look where nothing above is relevant.
    pub max_level: u32,
}

impl Default for SelectionParams {
    fn default() -> Self {
        Self {
            threshold: 1,
            keep_parent: false,
            repeats: 1,
            by_summary: false,
            max_level: 2,
        }
    }
}

/// What was selected.
pub(super) struct Selected {
    /// Rows of the reports to read, ascending.
    pub reports: Vec<u32>,
    pub rated: usize,
    /// Reports whose rating failed; they are read rather than lost.
    pub unrated: usize,
}

/// The reports nearest below these communities, where a community without a report is looked through.
fn reports_below(children: &[Vec<u32>], reports: &Reports, mut open: Vec<u32>) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    while let Some(community) = open.pop() {
        if !seen.insert(community) {
            continue;
        }
        match reports.of_community[community as usize] {
            NO_ROW => open.extend(&children[community as usize]),
            report => found.push(report),
        }
    }
    found.sort_unstable();
    found
}

impl Engine<'_> {
    /// Rates from the top down, to `deepest` at most: below a relevant report its children are rated, which take its place where one
    /// of them is relevant. Where a whole level has nothing, the next one is rated as a whole, down to the level of the settings.
    pub(super) async fn select(
        &self,
        chat: &dyn Chat,
        question: &Question,
        deepest: u32,
    ) -> Result<Selected, QueryError> {
        let (communities, reports) = (self.index.communities()?, self.index.reports()?);
        let params = self.params.selection;
        let roots: Vec<u32> = (0..communities.levels.len() as u32)
            .filter(|&row| communities.parents[row as usize] == NO_ROW)
            .collect();
        let children = levels::children(communities);
        let mut queue = reports_below(&children, reports, roots);
        let mut rated: FxHashSet<u32> = FxHashSet::default();
        let mut relevant: FxHashSet<u32> = FxHashSet::default();
        let mut calls = 0;
        let mut unrated = 0;
        let mut first_error: Option<CallError> = None;
        let mut level = 0;
        loop {
            queue.retain(|&report| {
                self.index.allows_report(report).unwrap_or(false) && rated.insert(report)
            });
            let mut next: Vec<u32> = Vec::new();
            for (&report, rating) in queue.iter().zip(self.rate(chat, question, &queue).await?) {
                calls += 1;
                let is_relevant = match rating {
                    Ok(rating) => rating >= f64::from(params.threshold),
                    Err(error) => {
                        unrated += 1;
                        first_error.get_or_insert(error);
                        true
                    }
                };
                if !is_relevant {
                    continue;
                }
                relevant.insert(report);
                let community = reports.communities[report as usize];
                if community == NO_ROW {
                    continue;
                }
                if !params.keep_parent {
                    let mut above = communities.parents[community as usize];
                    // Communities without a report stand between a report and the one above it.
                    while above != NO_ROW && reports.of_community[above as usize] == NO_ROW {
                        above = communities.parents[above as usize];
                    }
                    if above != NO_ROW {
                        relevant.remove(&reports.of_community[above as usize]);
                    }
                }
                let below = children[community as usize].clone();
                next.extend(
                    reports_below(&children, reports, below)
                        .into_iter()
                        .filter(|&row| reports.levels[row as usize] <= deepest),
                );
            }
            level += 1;
            if next.is_empty() && relevant.is_empty() && level <= params.max_level.min(deepest) {
                next = (0..reports.levels.len() as u32)
                    .filter(|&row| reports.levels[row as usize] == level)
                    .collect();
            }
            if next.is_empty() {
                break;
            }
            next.sort_unstable();
            next.dedup();
            queue = next;
        }
        if let Some(first) = first_error
            && unrated == calls
        {
            return Err(QueryError::AllCallsFailed { calls, first });
        }
        let mut selected: Vec<u32> = relevant.into_iter().collect();
        selected.sort_unstable();
        Ok(Selected {
            reports: selected,
            rated: calls,
            unrated,
        })
    }

    /// The ratings of some reports, in their order.
    async fn rate(
        &self,
        chat: &dyn Chat,
        question: &Question,
        reports: &[u32],
    ) -> Result<Vec<Result<f64, CallError>>, QueryError> {
        let params = self.params.selection;
        let texts = match params.by_summary {
            true => self.index.whole(Column::ReportSummary)?,
            false => self.index.whole(Column::ReportText)?,
        };
        let repeats = params.repeats.max(1);
        let asks = reports.iter().flat_map(|&report| {
            let values = [
                ("description", texts.get(report as usize)),
                ("question", question.text.as_str()),
            ];
            let messages = vec![Message::user(RATE.render(&values))];
            (0..repeats).map(move |repeat| ChatRequest {
                stage: Stage::Rate,
                item: format!("report {report}"),
                messages: messages.clone(),
                // A repeat is another question, or the cache would answer it.
                salt: format!("{} {repeat}", self.index.fingerprint()),
                ..ChatRequest::default()
            })
        });
        let calls = asks.map(|request| async move { chat.ask(request, &judge::rating).await });
        let mut running = futures::stream::iter(calls).buffered(self.params.concurrency.max(1));
        let mut single: Vec<Result<f64, CallError>> = Vec::new();
        while let Some(answer) = running.next().await {
            match answer {
                Err(error) if error.action() == Action::StopRun => return Err(error.into()),
                answer => single.push(answer.map(|answer| answer.value.score)),
            }
        }
        Ok(single.chunks(repeats as usize).map(most_frequent).collect())
    }
}

/// The most frequent rating, rounded; of equally frequent ones the lowest, as in the original. An error only where all failed.
fn most_frequent(ratings: &[Result<f64, CallError>]) -> Result<f64, CallError> {
    let mut counts = [0u32; 6];
    let mut error = None;
    for rating in ratings {
        match rating {
            Ok(rating) => counts[(rating.round().clamp(0.0, 5.0)) as usize] += 1,
            Err(failed) => error = Some(failed.clone()),
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    match (error, most) {
        (Some(error), 0) => Err(error),
        _ => Ok(counts.iter().position(|&count| count == most).unwrap_or(0) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::index::fixture;

    #[test]
    fn the_most_frequent_rating_counts_and_of_equals_the_lowest() {
        assert_eq!(most_frequent(&[Ok(3.0), Ok(5.0), Ok(5.0)]).unwrap(), 5.0);
        assert_eq!(most_frequent(&[Ok(4.0), Ok(2.0)]).unwrap(), 2.0);
        assert_eq!(
            most_frequent(&[Err(CallError::Cancelled), Ok(1.0)]).unwrap(),
            1.0
        );
        assert!(most_frequent(&[Err(CallError::Cancelled)]).is_err());
    }

    #[test]
    fn communities_without_a_report_are_looked_through() {
        // 0 -> 1 -> 2, 3; no report on 1.
        let communities =
            fixture::communities(&[(0, None), (1, Some(0)), (2, Some(1)), (2, Some(1))]);
        let reports = fixture::reports_on(&communities, &[0, 2, 3]);
        let children = levels::children(&communities);
        assert_eq!(reports_below(&children, &reports, vec![0]), [0]);
        assert_eq!(reports_below(&children, &reports, vec![1]), [1, 2]);
    }
}
