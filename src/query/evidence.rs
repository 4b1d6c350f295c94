//! After the answer: each citation is followed to its row, its document and the characters that say it.
//!
//! A citation that leads nowhere, or to a text that shares no word with what it is cited for, is flagged in the answer and counted.

use std::fmt::Write as _;

use serde::Serialize;

use super::error::QueryError;
use super::extract::{lead, quote};
use super::index::{Column, Index, NO_ROW, list};
use super::lexical;
use crate::chunk;
use crate::report::citations::{self, AllowedIds, CitedIds, DataKind};
use crate::report::misfits;

/// Text units named for what is cited through a report, entity or relationship.
const SUPPORTS: usize = 3;

/// A text unit that stands behind a citation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Support {
    /// The number a citation of `Sources` uses.
    pub source: u32,
    /// Path or title of the document.
    pub document: String,
}

/// One id of a citation, resolved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Resolved {
    /// Its mark in the printed answer, from 1; the same row has the same mark.
    pub number: usize,
    /// The citation as the answer writes it.
    pub marker: String,
    /// `Sources`, `Reports`, `Entities`, `Relationships` or `Claims`.
    pub kind: &'static str,
    /// The number that was cited.
    pub id: u32,
    /// What the row is called; for a source its document.
    pub title: String,
    /// Path or title of the document, of the first supporting text unit where the row is no text unit.
    pub document: Option<String>,
    /// Start of `text` in the document, in Unicode scalar values, where known.
    pub start: Option<u64>,
    /// End (exclusive).
    pub end: Option<u64>,
    /// The sentence of the cited text that is nearest to what it is cited for.
    pub text: String,
    /// The text units behind a row that is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<Support>,
    /// Whether the cited text shares a word with the sentence it is cited for.
    pub supported: bool,
}

impl Resolved {
    /// `entity` where the kind is `Entities`.
    pub fn kind_of_one(&self) -> String {
        let one = self.kind.trim_end_matches('s').to_lowercase();
        one.replace("entitie", "entity")
    }
}

/// An id that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unresolved {
    /// The kind, where one was given.
    pub kind: Option<&'static str>,
    /// The id or word, as written.
    pub id: String,
}

/// An answer whose citations have been followed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Evidence {
    /// The answer; what does not resolve is marked `[unresolved: ...]`, what is not supported `[unsupported: ...]`.
    pub answer: String,
    /// Every id that resolves, once for each place where it is cited.
    pub citations: Vec<Resolved>,
    /// Every id that does not.
    pub unresolved: Vec<Unresolved>,
    /// Citations whose text shares nothing with the sentence.
    pub unsupported: usize,
}

/// Follows the citations of `answer`. `allowed` are the ids its writer was shown; any other is invented, even if such a row exists.
pub fn resolve(
    answer: &str,
    index: &Index,
    allowed: Option<&AllowedIds>,
) -> Result<Evidence, QueryError> {
    let mut evidence = Evidence::default();
    let mut marks: Vec<(DataKind, u32)> = Vec::new();
    let mut copied = 0;
    let mut claim: &str = "";
    let mut found_all = citations::parse(answer);
    if allowed.is_some() {
        found_all.extend(misfits::in_no_form(answer, &found_all));
        found_all.sort_by_key(|citation| citation.span.start);
    }
    for citation in found_all {
        let before = &answer[copied..citation.span.start];
        let own = before.rsplit('\n').next().unwrap_or("");
        if !lexical::term_set(own).is_empty() {
            claim = own;
        }
        let claim_terms = lexical::term_set(claim);
        let marker = &answer[citation.span.clone()];
        let mut kept: Vec<CitedIds> = Vec::new();
        let mut unsupported: Vec<CitedIds> = Vec::new();
        let mut lost: Vec<String> = Vec::new();
        let mut spared = false;
        for word in &citation.unread {
            lost.push(word.clone());
            evidence.unresolved.push(Unresolved {
                kind: None,
                id: word.clone(),
            });
        }
        for group in &citation.cited {
            // A table without a row, as in `[Data: Sources ()]`.
            if group.ids.is_empty() && citation.unread.is_empty() {
                lost.push(group.kind.as_str().to_owned());
                evidence.unresolved.push(Unresolved {
                    kind: Some(group.kind.as_str()),
                    id: String::new(),
                });
            }
            for &id in &group.ids {
                let shown = allowed.is_none_or(|allowed| allowed.contains(group.kind, id));
                let row = if shown {
                    row_of(index, group.kind, id)?
                } else {
                    None
                };
                let Some(row) = row else {
                    lost.push(format!("{} ({id})", group.kind.as_str()));
                    evidence.unresolved.push(Unresolved {
                        kind: Some(group.kind.as_str()),
                        id: id.to_string(),
                    });
                    continue;
                };
                let known = marks.iter().position(|mark| *mark == (group.kind, id));
                let number = known.unwrap_or(marks.len()) + 1;
                let found = follow(index, group.kind, row, id, number, marker, &claim_terms)?;
                // A report's citations cover all its sentences; an answer made of some of them keeps those that bear on these.
                if !found.supported && allowed.is_none() && !kept.is_empty() {
                    spared = true;
                    continue;
                }
                if known.is_none() {
                    marks.push((group.kind, id));
                }
                let list = if found.supported {
                    &mut kept
                } else {
                    &mut unsupported
                };
                match list.iter_mut().find(|known| known.kind == group.kind) {
                    Some(known) => known.ids.push(id),
                    None => list.push(CitedIds {
                        kind: group.kind,
                        ids: vec![id],
                        more: false,
                    }),
                }
                evidence.unsupported += usize::from(!found.supported);
                evidence.citations.push(found);
            }
            if let Some(known) = kept.iter_mut().find(|known| known.kind == group.kind) {
                known.more = group.more;
            }
        }
        evidence.answer.push_str(before);
        if lost.is_empty() && unsupported.is_empty() && !spared {
            evidence.answer.push_str(marker);
        } else {
            let mut parts: Vec<String> = Vec::new();
            if !kept.is_empty() {
                let mut text = String::new();
                citations::write(&kept, usize::MAX, &mut text);
                parts.push(text);
            }
            if !unsupported.is_empty() {
                let mut text = String::new();
                citations::write(&unsupported, usize::MAX, &mut text);
                parts.push(text.replacen("[Data: ", "[unsupported: ", 1));
            }
            if !lost.is_empty() {
                parts.push(format!("[unresolved: {}]", lost.join(", ")));
            }
            evidence.answer.push_str(&parts.join(" "));
        }
        copied = citation.span.end;
    }
    evidence.answer.push_str(&answer[copied..]);
    Ok(evidence)
}

impl Index {
    /// The whole text of a cited row: of the text unit, the report, the description.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn text_of(&self, found: &Resolved) -> Result<String, QueryError> {
        let kind = DataKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == found.kind);
        let Some((kind, row)) =
            kind.and_then(|kind| Some((kind, row_of(self, kind, found.id).ok()??)))
        else {
            return Ok(String::new());
        };
        match kind {
            DataKind::Sources => self.text(Column::UnitText, row),
            DataKind::Reports => self.text(Column::ReportText, row),
            DataKind::Entities => self.text(Column::EntityDescription, row),
            DataKind::Relationships => self.text(Column::RelationshipDescription, row),
            DataKind::Claims => Ok(self.claims()?.descriptions.get(row as usize).to_owned()),
        }
    }
}

fn row_of(index: &Index, kind: DataKind, id: u32) -> Result<Option<u32>, QueryError> {
    Ok(match kind {
        DataKind::Sources => index.units()?.numbers.row(id),
        DataKind::Entities => index.entities()?.numbers.row(id),
        DataKind::Relationships => index.relationships()?.numbers.row(id),
        DataKind::Claims => index.claims()?.numbers.row(id),
        DataKind::Reports => index.reports()?.numbers.row(id),
    })
}

fn follow(
    index: &Index,
    kind: DataKind,
    row: u32,
    id: u32,
    number: usize,
    marker: &str,
    claim: &[u64],
) -> Result<Resolved, QueryError> {
    let at = row as usize;
    let mut found = Resolved {
        number,
        marker: marker.to_owned(),
        kind: kind.as_str(),
        id,
        title: String::new(),
        document: None,
        start: None,
        end: None,
        text: String::new(),
        supports: Vec::new(),
        supported: true,
    };
    if kind == DataKind::Sources {
        let text = index.text(Column::UnitText, row)?;
        let text = text.as_str();
        let (range, shared) = nearest_sentence(text, claim);
        found.supported =
            claim.is_empty() || shared > 0 || lexical::shared(&lexical::term_set(text), claim) > 0;
        // What is quoted is what the span holds, but for white space and marks inside.
        let piece = &text[range.clone()];
        let range = range.start + lead(piece)..range.start + piece.trim_end().len();
        let range = range.start.min(range.end)..range.end;
        found.text = quote(&text[range.clone()]);
        found.document = document_of(index, row)?;
        found.title = found
            .document
            .clone()
            .unwrap_or_else(|| format!("text unit {id}"));
        if let Some((start, end)) = span(index, row, text, range)? {
            (found.start, found.end) = (Some(start), Some(end));
        }
        return Ok(found);
    }
    let (title, text, units): (String, String, Vec<u32>) = match kind {
        DataKind::Entities => {
            let entities = index.entities()?;
            let units = list(index.entity_units()?, row).to_vec();
            (
                entities.titles.get(at).to_owned(),
                index.text(Column::EntityDescription, row)?,
                units,
            )
        }
        DataKind::Relationships => {
            let (relationships, entities) = (index.relationships()?, index.entities()?);
            let title = |entity: u32| entities.titles.get(entity as usize);
            let title = format!(
                "{} — {}",
                title(relationships.sources[at]),
                title(relationships.targets[at])
            );
            (
                title,
                index.text(Column::RelationshipDescription, row)?,
                list(index.relationship_units()?, row).to_vec(),
            )
        }
        DataKind::Claims => {
            let claims = index.claims()?;
            let units = claims.units.get(at).copied().filter(|&unit| unit != NO_ROW);
            (
                claims.subjects.get(at).to_owned(),
                claims.descriptions.get(at).to_owned(),
                units.into_iter().collect(),
            )
        }
        _ => {
            let (reports, text) = (index.reports()?, index.text(Column::ReportText, row)?);
            let cited = citations::parse(&text)
                .into_iter()
                .flat_map(|citation| citation.cited);
            let mut units: Vec<u32> = Vec::new();
            for id in cited
                .filter(|group| group.kind == DataKind::Sources)
                .flat_map(|group| group.ids)
            {
                units.extend(
                    index
                        .units()?
                        .numbers
                        .row(id)
                        .filter(|unit| !units.contains(unit)),
                );
            }
            if units.is_empty() && reports.communities[at] != NO_ROW {
                units = list(&index.communities()?.units, reports.communities[at]).to_vec();
            }
            (
                reports.titles.get(at).to_owned(),
                citations::strip(&text),
                units,
            )
        }
    };
    let (range, _) = nearest_sentence(&text, claim);
    found.text = quote(&text[range]);
    found.supported = claim.is_empty()
        || lexical::shared(&lexical::term_set(&format!("{title} {text}")), claim) > 0;
    found.title = title;
    for unit in units.into_iter().take(SUPPORTS) {
        if let Some(document) = document_of(index, unit)? {
            found.supports.push(Support {
                source: index.units()?.numbers.of(unit),
                document,
            });
        }
    }
    found.document = found
        .supports
        .first()
        .map(|support| support.document.clone());
    Ok(found)
}

/// The sentence with most of the claim's terms (the shorter of equals), with how many; without any, the first that has a word.
fn nearest_sentence(text: &str, claim: &[u64]) -> (std::ops::Range<usize>, usize) {
    let mut best: Option<(usize, std::cmp::Reverse<usize>, std::ops::Range<usize>)> = None;
    let has_words =
        |range: &std::ops::Range<usize>| text[range.clone()].contains(char::is_alphanumeric);
    for range in chunk::sentences(text).filter(has_words) {
        let terms = lexical::term_set(&text[range.clone()]);
        let shared = lexical::shared(&terms, claim);
        let key = (
            shared,
            std::cmp::Reverse(if shared > 0 { terms.len() } else { 0 }),
        );
        if best
            .as_ref()
            .is_none_or(|(known, size, _)| key > (*known, *size))
        {
            best = Some((key.0, key.1, range));
        }
    }
    best.map_or((0..text.len(), 0), |(shared, _, range)| (range, shared))
}

fn document_of(index: &Index, unit: u32) -> Result<Option<String>, QueryError> {
    let document = index
        .units()?
        .documents
        .get(unit as usize)
        .copied()
        .unwrap_or(NO_ROW);
    if document == NO_ROW {
        return Ok(None);
    }
    Ok(Some(index.document_name(document)?))
}

/// Where a byte range of a text unit stands in its document, in Unicode scalar values: by the unit's span, or by searching.
fn span(
    index: &Index,
    unit: u32,
    text: &str,
    range: std::ops::Range<usize>,
) -> Result<Option<(u64, u64)>, QueryError> {
    let units = index.units()?;
    let Some(piece) = text.get(range.clone()) else {
        return Ok(None);
    };
    let length = piece.chars().count() as u64;
    let (start, end) = (units.starts[unit as usize], units.ends[unit as usize]);
    if let (Ok(start), Ok(end)) = (u64::try_from(start), u64::try_from(end)) {
        let offset = text[..range.start].chars().count() as u64;
        // Lines that were put before the text are not in the document.
        let prepended = (text.chars().count() as u64).saturating_sub(end.saturating_sub(start));
        return Ok((offset >= prepended).then(|| {
            (
                start + offset - prepended,
                start + offset - prepended + length,
            )
        }));
    }
    let document = units.documents[unit as usize];
    if document == NO_ROW {
        return Ok(None);
    }
    let whole = index.text(Column::DocumentText, document)?;
    let found = whole
        .find(piece)
        .map(|at| whole[..at].chars().count() as u64);
    Ok(found.map(|start| (start, start + length)))
}

fn push_plain(words: &str, out: &mut String) {
    let mut copied = 0;
    for span in misfits::numbered(words) {
        out.push_str(&words[copied..span.start]);
        let _ = write!(out, "({})", &words[span.start + 1..span.end - 1]);
        copied = span.end;
    }
    out.push_str(&words[copied..]);
}

impl Evidence {
    /// The answer with marks `[1]` in the place of citations, as a terminal shows it.
    pub fn marked(&self) -> String {
        let mut out = String::with_capacity(self.answer.len());
        let mut copied = 0;
        for citation in citations::parse(&self.answer) {
            let lead = &self.answer[copied..citation.span.start];
            self.push_words(lead, &mut out);
            copied = citation.span.end;
            for mark in self.marks_of(&citation) {
                let _ = write!(out, "[{mark}]");
            }
        }
        self.push_words(&self.answer[copied..], &mut out);
        out
    }

    /// The marks of the rows that a citation names.
    fn marks_of(&self, citation: &citations::Citation) -> Vec<usize> {
        let mark = |(kind, id): (DataKind, u32)| {
            let mut rows = self.citations.iter();
            let found = rows.find(|found| found.kind == kind.as_str() && found.id == id)?;
            Some(found.number)
        };
        citation.ids().filter_map(mark).collect()
    }

    /// Words without citations. What is not supported is flagged by the marks of its rows; a number in brackets that the corpus
    /// itself has is no mark of ours, and does not look like one.
    fn push_words(&self, words: &str, out: &mut String) {
        const FLAG: &str = "[unsupported: ";
        let mut parts = words.split(FLAG);
        push_plain(parts.next().unwrap_or(""), out);
        for part in parts {
            let (rows, after) = part.split_once(']').unwrap_or((part, ""));
            let marks: Vec<String> = citations::parse(&format!("[Data: {rows}]"))
                .iter()
                .flat_map(|citation| self.marks_of(citation))
                .map(|mark| mark.to_string())
                .collect();
            let _ = write!(out, "{FLAG}{}]", marks.join(", "));
            push_plain(after, out);
        }
    }

    /// The cited rows, each once, in the order of their marks.
    pub fn listed(&self) -> Vec<&Resolved> {
        let mut rows: Vec<&Resolved> = Vec::new();
        for found in &self.citations {
            if rows.iter().all(|known| known.number != found.number) {
                rows.push(found);
            }
        }
        rows.sort_by_key(|found| found.number);
        rows
    }
}

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;
