//! What recurs in the corpus, or in the part of it that a question names, as text.

use std::fmt::Write as _;

use super::compose::{THEMES, cite};
use crate::model::shown::agreed;
use crate::query::error::QueryError;
use crate::query::extract::{self, Sentence, Sentences, Theme, ThemeParams, ThemeQuestion};
use crate::query::index::{Column, Index, NO_ROW, list};
use crate::query::lexical;
use crate::query::own::NO_SUBJECT;
use crate::report::citations::DataKind;

/// Text that themes are mined from; of a larger corpus every n-th text unit is read.
const MINED_BYTES: u64 = 8 << 20;

/// Fewer documents are no part of a corpus.
const NAMED_DOCUMENTS: usize = 3;

/// In fewer sentences nothing recurs.
const NEAR_SENTENCES: usize = 12;

/// The part of the corpus that is looked at.
struct Scope {
    sentences: Sentences,
    /// `that speak of health care`; empty for the whole.
    told: String,
}

/// The subjects that recur, each with sentences of different documents. A question that narrows has those of the documents its words
/// are in the names of, else those beside its words; `None` where that is too little.
pub(super) fn themes(
    index: &Index,
    reports: &[u32],
    asked: &ThemeQuestion,
    notes: &mut Vec<String>,
) -> Result<Option<String>, QueryError> {
    let units = index.units()?;
    let step = index.unit_text_bytes()?.div_ceil(MINED_BYTES).max(1) as usize;
    let mut read: Vec<u32> = (0..units.documents.len() as u32)
        .step_by(step)
        .filter(|&unit| index.allows_unit(unit))
        .collect();
    let (mut focus, mut told) = (asked.focus.clone(), String::new());
    if let Some((chosen, held)) = named(index, &asked.named)? {
        read.retain(|&unit| chosen.get(units.documents[unit as usize] as usize) == Some(&true));
        focus.retain(|term| held.binary_search(term).is_err());
        told = format!("named {}", spelled(asked, &held));
    }
    let texts = index.texts(Column::UnitText, read.iter().copied())?;
    let text = |unit: u32| texts.get(unit);
    let whole = Sentences::of(&read, text, |unit| units.goes_on(unit));
    let mut scopes: Vec<Scope> = Vec::new();
    if let Some(sentences) = beside(&whole, text, &focus) {
        let of = format!("that speak of {}", spelled(asked, &focus));
        scopes.push(Scope {
            sentences,
            told: format!("{told} {of}").trim_start().to_owned(),
        });
    }
    if focus.is_empty() || !told.is_empty() {
        scopes.push(Scope {
            sentences: whole,
            told,
        });
    }
    // A corpus of one document is one of many text units.
    let by_unit = index.document_count()? < 3;
    let document = |unit: u32| match by_unit {
        true => unit,
        false => units.documents[unit as usize],
    };
    for scope in &scopes {
        let params = ThemeParams {
            limit: THEMES,
            problems: asked.problems,
            focus: asked.focus.clone(),
        };
        let found = extract::themes(&scope.sentences, text, document, &params);
        if found.is_empty() {
            continue;
        }
        if step > 1 {
            notes.push(format!(
                "the corpus is large: subjects were looked for in one of every {step} text units"
            ));
        }
        let mut seen: Vec<u32> = (scope.sentences.rows.iter())
            .map(|row| document(row.unit))
            .collect();
        seen.sort_unstable();
        seen.dedup();
        let all = match (scope.told.is_empty(), by_unit) {
            (true, false) => index.document_count()?,
            (true, true) => read.len(),
            (false, _) => seen.len(),
        };
        let what = if by_unit { "text units" } else { "documents" };
        let which = match scope.told.as_str() {
            "" => format!("these {all} {what}"),
            told => format!("the {all} {what} {told}"),
        };
        let mut out = format!(
            "{} in {which}, the strongest first.\n",
            agreed(found.len(), "subject recurs", "subjects recur")
        );
        for (number, theme) in found.iter().enumerate() {
            let _ = write!(
                out,
                "\n{}. **{}**, in {} of {all} {what}",
                number + 1,
                heading(&theme.words),
                theme.documents
            );
            if !theme.company.is_empty() {
                let _ = write!(out, "; with {}", theme.company.join(", "));
            }
            if let Some(report) = report_on(index, reports, theme)? {
                let _ = write!(out, " {}", cite(DataKind::Reports, &[report]));
            }
            out.push('\n');
            for &at in &theme.evidence {
                let row = &scope.sentences.rows[at];
                let quoted = extract::quote(&text(row.unit)[row.range()]);
                let _ = writeln!(
                    out,
                    "   - {quoted} {}",
                    cite(DataKind::Sources, &[units.numbers.of(row.unit)])
                );
            }
        }
        return Ok(Some(out.trim_end().to_owned()));
    }
    let narrows = !asked.focus.is_empty();
    Ok((!narrows).then(|| NO_SUBJECT.to_owned()))
}

/// Whether each document is chosen, and the terms that it is chosen by.
type Chosen = (Vec<bool>, Vec<u64>);

/// The documents that most of `terms` stand in the path or title of, and the terms that do, sorted.
fn named(index: &Index, terms: &[u64]) -> Result<Option<Chosen>, QueryError> {
    if terms.is_empty() {
        return Ok(None);
    }
    let documents = index.documents()?;
    let held: Vec<Vec<u64>> = (0..documents.titles.len() as u32)
        .map(|row| {
            let name = documents.name(row);
            let words = name.replace(|c: char| !c.is_alphanumeric(), " ");
            let mut held = lexical::term_set(&words);
            held.retain(|term| terms.binary_search(term).is_ok());
            held
        })
        .collect();
    let best = held.iter().map(Vec::len).max().unwrap_or(0);
    let chosen: Vec<bool> = held
        .iter()
        .map(|held| best > 0 && held.len() == best)
        .collect();
    if chosen.iter().filter(|chosen| **chosen).count() < NAMED_DOCUMENTS {
        return Ok(None);
    }
    let mut common: Vec<u64> = (held.into_iter().zip(&chosen))
        .filter(|(_, chosen)| **chosen)
        .flat_map(|(held, _)| held)
        .collect();
    common.sort_unstable();
    common.dedup();
    Ok(Some((chosen, common)))
}

/// The sentences that hold all of `terms`, or where these are few one of them, with their neighbours.
fn beside<'t>(all: &Sentences, text: impl Fn(u32) -> &'t str, terms: &[u64]) -> Option<Sentences> {
    if terms.is_empty() {
        return None;
    }
    let held: Vec<usize> = (all.rows.iter())
        .map(|row| lexical::shared(&lexical::term_set(&text(row.unit)[row.range()]), terms))
        .collect();
    [terms.len(), 1].into_iter().find_map(|least| {
        let near = |at: usize| {
            let around = at.saturating_sub(1)..=(at + 1).min(held.len() - 1);
            around
                .into_iter()
                .any(|other| held[other] >= least && all.rows[other].unit == all.rows[at].unit)
        };
        let rows: Vec<Sentence> = (0..held.len())
            .filter(|&at| near(at))
            .map(|at| all.rows[at])
            .collect();
        (rows.len() >= NEAR_SENTENCES).then_some(Sentences { rows })
    })
}

/// These terms as the question spells them.
fn spelled(asked: &ThemeQuestion, terms: &[u64]) -> String {
    let holds = |word: &&str| (lexical::term_set(word).iter()).any(|term| terms.contains(term));
    let mut words: Vec<&str> = asked
        .spelled
        .iter()
        .map(String::as_str)
        .filter(holds)
        .collect();
    words.dedup();
    words.join(" ")
}

/// `Standby plant, generators and power`.
fn heading(words: &[String]) -> String {
    let text = match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    };
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

/// The number of the report whose community best covers the theme's text units and that speaks of it.
fn report_on(index: &Index, reports: &[u32], theme: &Theme) -> Result<Option<u32>, QueryError> {
    let (communities, table, contents) = (
        index.communities()?,
        index.reports()?,
        index.whole(Column::ReportText)?,
    );
    let words = lexical::term_set(&theme.words.join(" "));
    let mut best: Option<(f64, u32)> = None;
    for &report in reports {
        let community = table.communities[report as usize];
        if community == NO_ROW {
            continue;
        }
        let own = list(&communities.units, community);
        let shared = own
            .iter()
            .filter(|unit| theme.units.binary_search(unit).is_ok())
            .count();
        if shared < 2 {
            continue;
        }
        // Much of the theme, and not just because it holds everything.
        let score = shared as f64 / ((own.len() * theme.units.len()) as f64).sqrt();
        if best.is_none_or(|(known, _)| score > known) {
            let spoken = lexical::term_set(&format!(
                "{} {}",
                table.titles.get(report as usize),
                contents.get(report as usize)
            ));
            if lexical::shared(&spoken, &words) > 0 {
                best = Some((score, report));
            }
        }
    }
    Ok(best.map(|(_, report)| table.numbers.of(report)))
}
