//! Global answers from reports: every finding of every report of the level is scored against the question, and the best that do
//! not repeat each other are kept.

use super::passages::similarity;
use super::quote::quote;
use super::themes::subject_terms;
use crate::chunk;
use crate::query::error::QueryError;
use crate::query::index::{Column, Index};
use crate::query::lexical;
use crate::report::citations::{self, CitedIds, DataKind};
use crate::report::without_pointers;

/// One thing the reports say.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Row of the report.
    pub report: u32,
    /// A short statement.
    pub headline: String,
    /// One to three sentences.
    pub body: String,
    /// What the finding rests on, its report first.
    pub cited: Vec<CitedIds>,
    /// Above zero.
    pub score: f32,
}

/// Sentences of an explanation that a point keeps.
const BODY_SENTENCES: usize = 2;

/// Terms shared from which two points say the same.
const REPEATS: f32 = 0.6;

/// Points that are compared with each other.
const MAX_COMPARED: usize = 400;

struct Candidate {
    report: u32,
    headline: String,
    explanation: String,
    terms: Vec<u64>,
    score: f32,
}

/// Scores all findings of `reports` by the question's words they hold, by how near their report's vector is (`nearness`, by place
/// in `reports`, where there are vectors), by the report's rank and by how many sources they rest on; keeps up to `limit` by
/// maximal marginal relevance.
pub fn points(
    index: &Index,
    reports: &[u32],
    question: &str,
    nearness: Option<&[f32]>,
    limit: usize,
) -> Result<Vec<Point>, QueryError> {
    let (table, findings, summaries) = (
        index.reports()?,
        index.report_findings()?,
        index.whole(Column::ReportSummary)?,
    );
    let mut candidates: Vec<(usize, Candidate)> = Vec::new();
    for (place, &report) in reports.iter().enumerate() {
        let own = &findings.values[findings.range(report as usize)];
        let title = table.titles.get(report as usize);
        let mut add = |headline: &str, explanation: &str| {
            let bare = citations::strip(explanation);
            let candidate = Candidate {
                report,
                headline: citations::strip(headline),
                explanation: explanation.to_owned(),
                terms: lexical::term_set(&format!("{headline} {bare}")),
                score: 0.0,
            };
            candidates.push((place, candidate));
        };
        if own.is_empty() {
            add(title, summaries.get(report as usize));
        }
        for finding in own {
            add(&finding.summary, &finding.explanation);
        }
    }
    let texts: Vec<String> = candidates
        .iter()
        .map(|(_, candidate)| {
            format!(
                "{} {} {}",
                table.titles.get(candidate.report as usize),
                candidate.headline,
                citations::strip(&candidate.explanation)
            )
        })
        .collect();
    let (hits, weights) = lexical::bm25(texts.len(), |row| texts[row].as_str(), question);
    let best = hits.first().map_or(1.0, |hit| hit.score);
    for hit in &hits {
        candidates[hit.row as usize].1.score = 0.65 * hit.score / best;
    }
    let near = |place: usize| {
        nearness
            .and_then(|near| near.get(place))
            .copied()
            .unwrap_or(0.0)
            .max(0.0)
    };
    let nearest = (0..reports.len())
        .map(near)
        .fold(f32::MIN_POSITIVE, f32::max);
    for (place, candidate) in &mut candidates {
        let rank = table.ranks[candidate.report as usize];
        let rank = if rank.is_nan() {
            0.0
        } else {
            (rank / 10.0).clamp(0.0, 1.0) as f32
        };
        let sources: usize = citations::parse(&candidate.explanation)
            .iter()
            .map(|citation| citation.ids().count())
            .sum();
        let relative = near(*place) / nearest;
        // Nearness counts only where it tells reports apart, and by itself is enough only at the top.
        let by_vector = if nearness.is_some() {
            0.35 * relative.powi(3)
        } else {
            0.0
        };
        if candidate.score > 0.0 || relative > 0.85 {
            candidate.score += by_vector + 0.1 * rank + 0.05 * (1.0 + sources as f32).ln().min(2.0);
        }
    }
    let mut candidates: Vec<Candidate> = candidates
        .into_iter()
        .map(|(_, candidate)| candidate)
        .filter(|candidate| candidate.score > 0.0)
        .collect();
    // "What are the risks of inflation?" is not answered by a risk of something else.
    let subject = subject_terms(question);
    if nearness.is_none() && !subject.is_empty() {
        candidates.retain(|candidate| lexical::shared(&candidate.terms, &subject) > 0);
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.report.cmp(&b.report)));
    candidates.truncate(MAX_COMPARED);
    let chosen = diverse(&candidates, limit, 0.4, 0.06, 0.3);
    chosen
        .into_iter()
        .map(|at| point(index, &candidates[at], &weights))
        .collect()
}

/// Findings of the reports that cover most and rank highest, by maximal marginal relevance; `weights` are the reports' shares of
/// text units, by place in `reports`, `focus` the question's terms that narrow it.
pub fn broadest(
    index: &Index,
    reports: &[u32],
    weights: &[f64],
    focus: &[u64],
    limit: usize,
) -> Result<Vec<Point>, QueryError> {
    let (table, findings, summaries) = (
        index.reports()?,
        index.report_findings()?,
        index.whole(Column::ReportSummary)?,
    );
    let mut candidates: Vec<Candidate> = Vec::new();
    for (&report, &weight) in reports.iter().zip(weights) {
        let rank = table.ranks[report as usize];
        let rank = if rank.is_nan() {
            0.0
        } else {
            (rank / 10.0).clamp(0.0, 1.0)
        };
        let own = &findings.values[findings.range(report as usize)];
        let mut add = |place: usize, headline: &str, explanation: &str| {
            let terms = lexical::term_set(&format!("{headline} {}", citations::strip(explanation)));
            let narrowed = lexical::shared(&terms, focus) as f32;
            // The first findings of a report are its most important.
            let own = (0.5 * weight.sqrt() + 0.5 * rank) as f32 / (1.0 + 0.25 * place as f32);
            candidates.push(Candidate {
                report,
                headline: citations::strip(headline),
                explanation: explanation.to_owned(),
                terms,
                score: own + narrowed,
            });
        };
        if own.is_empty() {
            let title = table.titles.get(report as usize);
            add(0, title, summaries.get(report as usize));
        }
        for (place, finding) in own.iter().enumerate() {
            add(place, &finding.summary, &finding.explanation);
        }
    }
    // Where some speak of what was asked for, the others do not answer.
    let speaks = |candidate: &Candidate| lexical::shared(&candidate.terms, focus) > 0;
    if candidates.iter().any(speaks) {
        candidates.retain(speaks);
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.report.cmp(&b.report)));
    candidates.truncate(MAX_COMPARED);
    let chosen = diverse(&candidates, limit, 0.6, 0.25, 0.0);
    let weights = lexical::Weighted::default();
    chosen
        .into_iter()
        .map(|at| point(index, &candidates[at], &weights))
        .collect()
}

/// Maximal marginal relevance: what is like something chosen loses up to `redundancy` of its score, what is of the same report
/// `same_report` for each; ends below the share `floor` of the first.
fn diverse(
    candidates: &[Candidate],
    limit: usize,
    redundancy: f32,
    same_report: f32,
    floor: f32,
) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    // What each candidate has in common with the chosen: (likeness, of the same report).
    let mut common: Vec<(f32, f32)> = vec![(0.0, 0.0); candidates.len()];
    while chosen.len() < limit {
        let mut pick: Option<(f32, usize)> = None;
        for (at, candidate) in candidates.iter().enumerate() {
            let (alike, same) = common[at];
            let value = candidate.score * (1.0 - redundancy * alike) - same_report * same;
            if alike < REPEATS
                && !chosen.contains(&at)
                && pick.is_none_or(|(known, _)| value > known)
            {
                pick = Some((value, at));
            }
        }
        let Some((value, at)) = pick else { break };
        if chosen
            .first()
            .is_some_and(|&first| value < candidates[first].score * floor)
        {
            break;
        }
        chosen.push(at);
        for (slot, candidate) in common.iter_mut().zip(candidates) {
            slot.0 = slot
                .0
                .max(similarity(&candidate.terms, &candidates[at].terms));
            slot.1 += if candidate.report == candidates[at].report {
                1.0
            } else {
                0.0
            };
        }
    }
    chosen
}

fn point(
    index: &Index,
    candidate: &Candidate,
    weights: &lexical::Weighted,
) -> Result<Point, QueryError> {
    let bare = without_pointers(&citations::strip(&candidate.explanation));
    let ranges: Vec<_> = chunk::sentences(&bare).collect();
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    let overlap = |at: &usize| weights.overlap(&lexical::term_set(&bare[ranges[*at].clone()]));
    order.sort_by(|a, b| overlap(b).total_cmp(&overlap(a)).then(a.cmp(b)));
    order.truncate(BODY_SENTENCES);
    order.sort_unstable();
    let body: Vec<String> = order
        .into_iter()
        .map(|at| quote(&bare[ranges[at].clone()]))
        .filter(|text| !text.is_empty())
        .collect();
    let number = index.reports()?.numbers.of(candidate.report);
    let mut cited = vec![CitedIds {
        kind: DataKind::Reports,
        ids: vec![number],
        more: false,
    }];
    for group in citations::parse(&candidate.explanation)
        .into_iter()
        .flat_map(|citation| citation.cited)
    {
        match cited.iter_mut().find(|known| known.kind == group.kind) {
            Some(known) => {
                let fresh: Vec<u32> = group
                    .ids
                    .into_iter()
                    .filter(|id| !known.ids.contains(id))
                    .collect();
                known.ids.extend(fresh);
            }
            None => cited.push(group),
        }
    }
    Ok(Point {
        report: candidate.report,
        headline: quote(&candidate.headline),
        body: body.join(" "),
        cited,
        score: candidate.score,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::index::fixture::Parts;

    #[test]
    fn the_broadest_reports_come_first_and_each_once_before_any_twice() {
        let findings = |word: &'static str| {
            vec![
                (word, "It is said."),
                ("Second", "It is also said, of another thing."),
            ]
        };
        let index = Parts {
            communities: vec![(0, None, vec![], vec![]), (0, None, vec![], vec![])],
            reports: vec![
                (0, "Narrow", "s", findings("Narrow thing"), 8.0),
                (1, "Broad", "s", findings("Broad matter"), 8.0),
            ],
            ..Parts::default()
        }
        .index();
        let headlines = |focus: &[u64], limit| {
            let found = broadest(&index, &[0, 1], &[0.1, 1.0], focus, limit).unwrap();
            let headlines: Vec<String> = found.into_iter().map(|point| point.headline).collect();
            headlines.join(", ")
        };
        assert_eq!(headlines(&[], 2), "Broad matter, Narrow thing");
        assert_eq!(headlines(&lexical::term_set("narrow"), 1), "Narrow thing");
    }

    #[test]
    fn the_finding_with_the_questions_words_leads_and_a_copy_of_it_is_left_out() {
        let index = Parts {
            communities: vec![(0, None, vec![], vec![]), (0, None, vec![], vec![])],
            reports: vec![
                (
                    0,
                    "Harrow works",
                    "About Harrow.",
                    vec![
                        ("The pump failed", "The pump failed because its seal was worn. It was old. [Data: Sources (3, 4)]"),
                        ("The fence was painted", "The fence was painted green in spring. [Data: Sources (9)]"),
                    ],
                    9.0,
                ),
                (1, "Lune", "About Lune.", vec![("The pump failed", "The pump failed because its seal was worn. It was old.")], 2.0),
            ],
            ..Parts::default()
        }
        .index();
        let found = points(&index, &[0, 1], "Which pump seals failed?", None, 6).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].report, found[0].headline.as_str()),
            (0, "The pump failed")
        );
        assert!(
            found[0]
                .body
                .starts_with("The pump failed because its seal was worn.")
        );
        let mut cited = String::new();
        citations::write(&found[0].cited, 5, &mut cited);
        assert_eq!(cited, "[Data: Reports (0); Sources (3, 4)]");
        assert_eq!(
            points(&index, &[0, 1], "zebra crossing", None, 6).unwrap(),
            []
        );
        let near = points(&index, &[0, 1], "zebra crossing", Some(&[0.1, 0.9]), 6).unwrap();
        assert_eq!(near[0].report, 1, "by vector alone");
    }

    /// Sentences by which a report points at others stood in answers, where they point at nothing.
    #[test]
    fn a_point_says_what_the_documents_say_and_not_where_more_stands() {
        let told = "On 3 May, the pump at Harrow failed [Data: Sources (3)]. Related passages stand in 2 documents \
                    [Data: Sources (4)]. See the sub-report [Data: Reports (1)].";
        let index = Parts {
            communities: vec![(0, None, vec![], vec![])],
            reports: vec![(
                0,
                "Harrow",
                "s",
                vec![("The pump at Harrow failed", told)],
                8.0,
            )],
            ..Parts::default()
        }
        .index();
        let found = points(&index, &[0], "What is said about the pump?", None, 6).unwrap();
        assert_eq!(
            found[0].body.replace(" .", "."),
            "On 3 May, the pump at Harrow failed."
        );
    }
}
