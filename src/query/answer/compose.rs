//! Extractive answers as text: Markdown with a citation behind every sentence.

use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use super::anchors::Mapped;
use crate::query::context::{Arrival, Context, occurrence_weights};
use crate::query::error::QueryError;
use crate::query::extract::{self, Passage, Point, ThemeQuestion, first_sentences};
use crate::query::index::{Column, Index};
use crate::query::lexical::{self, Weighted, fuse};
use crate::query::own::{NOTHING, RESERVE};
use crate::query::search::Field;
use crate::report::citations::{self, CitedIds, DataKind};

/// Said of every answer that no model wrote.
pub(super) const WITHOUT_MODEL: &str = "answered without a model, from the corpus' own sentences";

/// Share of the question's weight that a sentence must hold to be given as an answer without reserve.
const ANSWERS: f32 = 0.5;

const LOCAL_SENTENCES: usize = 5;
const BASIC_SENTENCES: usize = 6;
const SHOWN_ENTITIES: usize = 5;
const SHOWN_RELATIONSHIPS: usize = 6;
pub(super) const THEMES: usize = 12;
const POINTS: usize = 10;
const FALLBACK_UNITS: usize = 20;

/// The text units that sentences are taken from.
fn read_of(units: &[u32]) -> impl Iterator<Item = u32> + '_ {
    units.iter().take(extract::UNITS_READ).copied()
}

pub(super) fn cite(kind: DataKind, ids: &[u32]) -> String {
    let mut text = String::new();
    citations::write(
        &[CitedIds {
            kind,
            ids: ids.to_vec(),
            more: false,
        }],
        5,
        &mut text,
    );
    text
}

fn passage_lines(
    index: &Index,
    passages: &[Passage],
    with_reserve: bool,
    out: &mut String,
) -> Result<(), QueryError> {
    let units = index.units()?;
    if with_reserve && passages.iter().all(|passage| passage.overlap < ANSWERS) {
        let _ = writeln!(out, "{RESERVE}\n");
    }
    for passage in passages {
        let _ = writeln!(
            out,
            "- {} {}",
            passage.text,
            cite(DataKind::Sources, &[units.numbers.of(passage.unit)])
        );
    }
    Ok(())
}

/// The best sentences of the best text units.
pub(super) fn basic(
    index: &Index,
    units: &[u32],
    weights: &Weighted,
) -> Result<String, QueryError> {
    let texts = index.texts(Column::UnitText, read_of(units))?;
    let rows = index.units()?;
    let passages = extract::passages(
        units,
        |unit| texts.get(unit),
        |unit| rows.goes_on(unit),
        weights,
        &[],
        BASIC_SENTENCES,
    );
    if passages.is_empty() {
        return Ok(NOTHING.to_owned());
    }
    let mut out = String::new();
    passage_lines(index, &passages, true, &mut out)?;
    Ok(out.trim_end().to_owned())
}

/// The sentences that answer, then what the entities are and how they hang together.
pub(super) fn local(
    index: &Index,
    mapped: &Mapped,
    context: &Context,
    context_only: bool,
) -> Result<String, QueryError> {
    let entities = index.entities()?;
    let by_anchor = context.rows(DataKind::Sources);
    let by_text: Vec<u32> = match context_only {
        true => Vec::new(),
        false => mapped.texts.iter().map(|hit| hit.unit).collect(),
    };
    let units: Vec<u32> = fuse(&[&by_anchor, &by_text])
        .into_iter()
        .map(|(row, _)| row)
        .collect();
    let texts = index.texts(Column::UnitText, read_of(&units))?;
    let rows = index.units()?;
    let named: Vec<u32> = mapped
        .anchors
        .iter()
        .filter(|anchor| anchor.arrived == Arrival::Name)
        .map(|anchor| anchor.entity)
        .collect();
    let mut names: Vec<u64> = named
        .iter()
        .flat_map(|&entity| lexical::term_set(entities.titles.get(entity as usize)))
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut passages = extract::passages(
        &units,
        |unit| texts.get(unit),
        |unit| rows.goes_on(unit),
        &mapped.weights,
        &names,
        LOCAL_SENTENCES,
    );
    // Entities found by similarity alone are shown only where none is named and nothing was quoted.
    let shown: Vec<u32> = match (mapped.named, passages.is_empty()) {
        (true, _) => named,
        (false, true) => mapped
            .anchors
            .iter()
            .map(|anchor| anchor.entity)
            .take(3)
            .collect(),
        (false, false) => Vec::new(),
    };
    // "Who is Osei?": no sentence holds the rest of the question, so what is known of the entity is the answer.
    let about = mapped.named && passages.iter().all(|passage| passage.overlap < ANSWERS);
    if about {
        passages.retain(|passage| passage.named);
    }
    let mut quoted = String::new();
    if !passages.is_empty() && !about {
        passage_lines(index, &passages, true, &mut quoted)?;
    }
    let described = context.rows(DataKind::Entities);
    let shown: Vec<u32> = shown
        .into_iter()
        .filter(|entity| !context_only || described.contains(entity))
        .collect();
    let about_shown = shown.iter().take(SHOWN_ENTITIES).copied();
    let descriptions = index.texts(Column::EntityDescription, about_shown)?;
    let sentences = if about { 2 } else { 1 };
    let mut known = String::new();
    for &entity in shown.iter().take(SHOWN_ENTITIES) {
        let text = first_sentences(descriptions.get(entity), sentences);
        if !text.is_empty() && !quoted.contains(&text) {
            let title = entities.titles.get(entity as usize);
            let _ = writeln!(
                known,
                "- **{title}**: {text} {}",
                cite(DataKind::Entities, &[entities.numbers.of(entity)])
            );
        }
    }
    // Nothing is said twice.
    let mut said = format!("{quoted}{known}");
    let related = relationship_lines(index, context, &shown, &mapped.weights, &said)?;
    if about {
        said.push_str(&related);
        passages.retain(|passage| !said.contains(&passage.text));
        passage_lines(index, &passages, false, &mut quoted)?;
    }
    let (known, related) = (
        ("What they are", known),
        ("How they hang together", related),
    );
    let parts = if about {
        [known, related, ("In the text", quoted)]
    } else {
        [("", quoted), known, related]
    };
    let mut out = String::new();
    for (heading, lines) in parts.iter().filter(|part| !part.1.is_empty()) {
        if !heading.is_empty() {
            let _ = write!(out, "\n**{heading}**\n\n");
        }
        out.push_str(lines);
    }
    let out = out.trim();
    Ok(if out.is_empty() {
        NOTHING.to_owned()
    } else {
        out.to_owned()
    })
}

/// Relationships of the shown entities, those that share words with the question first, then the strongest; those that say what
/// `said_before` holds are left out.
fn relationship_lines(
    index: &Index,
    context: &Context,
    shown: &[u32],
    weights: &Weighted,
    said_before: &str,
) -> Result<String, QueryError> {
    let (relationships, entities) = (index.relationships()?, index.entities()?);
    let records = context.records(DataKind::Relationships);
    if records.is_empty() || shown.is_empty() {
        return Ok(String::new());
    }
    let rows = records.iter().map(|record| record.row);
    let descriptions = index.texts(Column::RelationshipDescription, rows)?;
    let mut scored: Vec<(usize, f32, f64, u32, String)> = Vec::new();
    for record in records {
        let row = record.row as usize;
        let ends = [relationships.sources[row], relationships.targets[row]];
        let known = ends.iter().filter(|end| shown.contains(end)).count();
        let text = first_sentences(descriptions.get(record.row), 1);
        if known > 0 && !text.is_empty() {
            scored.push((
                known,
                weights.overlap(&lexical::term_set(&text)),
                relationships.weights[row],
                record.row,
                text,
            ));
        }
    }
    scored.sort_by(|a, b| {
        b.0.cmp(&a.0)
            .then(b.1.total_cmp(&a.1))
            .then(b.2.total_cmp(&a.2))
            .then(a.3.cmp(&b.3))
    });
    let mut said: FxHashSet<String> = FxHashSet::default();
    let mut lines = String::new();
    let mut count = 0;
    for (_, _, _, row, text) in scored {
        let is_old = said_before.contains(&text) || !said.insert(text.clone());
        if count == SHOWN_RELATIONSHIPS || is_old {
            continue;
        }
        count += 1;
        let title = |entity: u32| entities.titles.get(entity as usize);
        let (source, target) = (
            title(relationships.sources[row as usize]),
            title(relationships.targets[row as usize]),
        );
        let number = relationships.numbers.of(row);
        let _ = writeln!(
            lines,
            "- **{source}** — **{target}**: {text} {}",
            cite(DataKind::Relationships, &[number])
        );
    }
    Ok(lines)
}

/// The findings that bear on the question, or, where none does, sentences of the text units.
pub(super) fn global(
    index: &Index,
    reports: &[u32],
    question: &str,
    nearness: Option<&[f32]>,
    weights: &Weighted,
) -> Result<String, QueryError> {
    let points = extract::points(index, reports, question, nearness, POINTS)?;
    if points.is_empty() {
        let (hits, _) = index.rank(Field::Units, question, FALLBACK_UNITS)?;
        let units: Vec<u32> = hits.iter().map(|hit| hit.row).collect();
        return basic(index, &units, weights);
    }
    Ok(point_lines(&points))
}

/// What a model's reports make most of, each community once before any comes twice.
pub(super) fn broadest(
    index: &Index,
    reports: &[u32],
    asked: &ThemeQuestion,
) -> Result<String, QueryError> {
    let weights = occurrence_weights(index, reports)?;
    let points = extract::broadest(index, reports, &weights, &asked.focus, THEMES)?;
    Ok(point_lines(&points))
}

fn point_lines(points: &[Point]) -> String {
    let mut out = String::new();
    for (number, point) in points.iter().enumerate() {
        let mut cited = String::new();
        citations::write(&point.cited, 5, &mut cited);
        let headline = point.headline.trim_end_matches(['.', '…']);
        // An extractive headline is the beginning of its sentence, or what stands behind its date.
        let said = point.body.to_lowercase().contains(&headline.to_lowercase());
        let stop = if point.headline.ends_with('…') {
            "…"
        } else if headline.ends_with([':', '!', '?']) {
            ""
        } else {
            "."
        };
        let text = match (said, point.body.as_str()) {
            (true, body) => body.to_owned(),
            (false, "") => format!("**{headline}{stop}**"),
            (false, body) => format!("**{headline}{stop}** {body}"),
        };
        let _ = writeln!(out, "{}. {text} {cited}", number + 1);
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_has_one_stop_and_is_not_said_twice() {
        let line = |headline: &str, body: &str| {
            let point = Point {
                report: 0,
                headline: headline.to_owned(),
                body: body.to_owned(),
                cited: Vec::new(),
                score: 1.0,
            };
            point_lines(&[point]).replace(" [Data: ]", "")
        };
        assert_eq!(
            line("At foot of the copy:", "It was late."),
            "1. **At foot of the copy:** It was late."
        );
        assert_eq!(
            line("The pump failed", "On 3 May, the pump failed. It was old."),
            "1. On 3 May, the pump failed. It was old."
        );
        assert_eq!(
            line("The pump failed…", "It was old."),
            "1. **The pump failed…** It was old."
        );
    }
}
