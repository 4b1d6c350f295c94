//! Reports without a model: a community described by its own text's most telling sentences.

use rayon::prelude::*;

use super::TextUnits;
use super::citations::{self, CitedIds, DataKind};
use super::clean;
use super::headline::{capitalised, enumerate, headline};
use super::rating::{self, Rating, counted};
use super::rollup;
use super::salience::{self, Member, running_name};
use super::select::{self, Pick, Scratch};
use super::sentences::{SentenceIndex, SentenceIx};
use crate::model::{
    Community, CommunityIx, Entity, EntityIx, Finding, Relationship, Report, ReportSource,
    TextUnitIx,
};

/// Ids of one kind that a citation shows before `+more`.
pub(super) const CITED_IDS: usize = 5;

/// Findings a report has at most.
pub(super) const MAX_FINDINGS: usize = 8;

/// Corroborating sentences a finding quotes.
const QUOTED_SUPPORTERS: usize = 2;

/// Words of verbatim sentences in a summary.
const SUMMARY_WORDS: usize = 70;

/// Everything extractive reports read.
#[derive(Clone, Copy)]
pub struct Corpus<'a> {
    /// By row.
    pub entities: &'a [Entity],
    /// By row.
    pub relationships: &'a [Relationship],
    /// By number.
    pub communities: &'a [Community],
    /// The text.
    pub units: &'a dyn TextUnits,
    /// Of the same text units and entities.
    pub index: &'a SentenceIndex,
}

/// Reports of all communities in their order, children before parents, in parallel; the result does not depend on the
/// thread count.
pub fn write_all(corpus: &Corpus<'_>) -> Vec<Report> {
    let ratings = rating::rate_all(corpus);
    let mut reports: Vec<Option<Report>> = vec![None; corpus.communities.len()];
    let mut order: Vec<&Community> = corpus.communities.iter().collect();
    order.sort_by_key(|community| (std::cmp::Reverse(community.level), community.community));
    for level in order.chunk_by(|a, b| a.level == b.level) {
        let written: Vec<Report> = level
            .par_iter()
            .map_init(Scratch::default, |scratch, community| {
                let children: Vec<&Report> = community
                    .children
                    .iter()
                    .filter_map(|child| reports.get(child.at()).and_then(Option::as_ref))
                    .collect();
                write(
                    corpus,
                    community,
                    &children,
                    &ratings[community.community.at()],
                    scratch,
                )
            })
            .collect();
        for report in written {
            let row = report.community.at();
            reports[row] = Some(report);
        }
    }
    // Every community is on one level, so none is left out.
    reports.into_iter().flatten().collect()
}

/// The report of one community, say because a model failed at it. `children` are the finished reports of its children, by
/// whomever; with none of them it is written from the text. `source` says what to call it.
pub fn write_one(
    corpus: &Corpus<'_>,
    community: CommunityIx,
    children: &[&Report],
    rating: &Rating,
    source: ReportSource,
) -> Report {
    let community = &corpus.communities[community.at()];
    let mut report = write(corpus, community, children, rating, &mut Scratch::default());
    report.source = source;
    report
}

fn write(
    corpus: &Corpus<'_>,
    community: &Community,
    children: &[&Report],
    rating: &Rating,
    scratch: &mut Scratch,
) -> Report {
    let members = salience::members(corpus, community);
    let named = salience::title_members(corpus, &members);
    let mut title = salience::title(corpus, &named);
    if title.is_empty() {
        title = format!("Community {}", community.community.0);
    }
    let (summary, findings) = if children.is_empty() {
        from_text(corpus, community, &members, &named, scratch)
    } else {
        rollup::from_children(corpus, community, &named, children)
    };
    Report {
        community: community.community,
        title,
        summary,
        findings,
        rank: rating.rank,
        rating_explanation: rating.explanation.clone(),
        source: ReportSource::Extractive,
    }
}

fn from_text(
    corpus: &Corpus<'_>,
    community: &Community,
    members: &[Member],
    named: &[EntityIx],
    scratch: &mut Scratch,
) -> (String, Vec<Finding>) {
    let documents = rating::documents(corpus, community).len();
    let wanted = 3.0 + (members.len().max(1) as f64).ln() + (documents.max(1) as f64).ln();
    let picks = select::select(
        corpus,
        community,
        members,
        (wanted.round() as usize).min(MAX_FINDINGS),
        scratch,
    );
    let findings = picks
        .iter()
        .map(|pick| finding(corpus, community, members, pick))
        .collect();
    (
        summary(corpus, community, members, named, &picks, documents),
        findings,
    )
}

/// A sentence as quoted, with the one before it where it leans on that; and the sentence to take a headline from.
fn quoted(corpus: &Corpus<'_>, ix: SentenceIx) -> (String, String) {
    let sentence = corpus.index.sentence(ix);
    let text = corpus.units.text(sentence.unit);
    let read = |ix: SentenceIx| {
        let sentence = corpus.index.sentence(ix);
        clean::quote(
            text.get(sentence.start as usize..sentence.end as usize)
                .unwrap_or(""),
        )
    };
    let own = capitalised(&read(ix));
    if !sentence.leans {
        return (own.clone(), own);
    }
    match corpus.index.before(ix) {
        Some(before) if !corpus.index.sentence(before).leans => {
            let lead = read(before);
            (format!("{lead} {own}"), lead)
        }
        _ => (own.clone(), own),
    }
}

/// Begins the sentence of a finding that points at further text units.
pub(super) const RELATED: &str = "Related passages stand";

fn finding(corpus: &Corpus<'_>, community: &Community, members: &[Member], pick: &Pick) -> Finding {
    let (text, lead) = quoted(corpus, pick.sentence);
    let home = corpus.index.sentence(pick.sentence).unit;
    let mut explanation = cited(
        &text,
        &[home],
        &named_members(corpus, community, members, pick.sentence),
    );
    let mut shown = vec![home];
    for &supporter in pick.supporters.iter().take(QUOTED_SUPPORTERS) {
        let unit = corpus.index.sentence(supporter).unit;
        let (text, _) = quoted(corpus, supporter);
        explanation.push(' ');
        explanation.push_str(&cited(
            &text,
            &[unit],
            &named_members(corpus, community, members, supporter),
        ));
        shown.push(unit);
    }
    if pick.units.iter().any(|unit| !shown.contains(unit)) {
        let place = if pick.documents > 1 {
            format!("in {} documents", pick.documents)
        } else {
            "elsewhere in the document".to_owned()
        };
        let mut units = pick.units.clone();
        units.sort_unstable();
        explanation.push(' ');
        explanation.push_str(&cited(&format!("{RELATED} {place}."), &units, &[]));
    }
    Finding {
        summary: headline(&lead),
        explanation,
    }
}

/// The community's members a sentence names, the most salient five first picked, then by row.
fn named_members(
    corpus: &Corpus<'_>,
    community: &Community,
    members: &[Member],
    ix: SentenceIx,
) -> Vec<EntityIx> {
    let inside: Vec<EntityIx> = corpus
        .index
        .mentions(ix)
        .iter()
        .copied()
        .filter(|entity| community.entities.binary_search(entity).is_ok())
        .collect();
    let mut named: Vec<EntityIx> = members
        .iter()
        .map(|member| member.entity)
        .filter(|entity| inside.contains(entity))
        .take(CITED_IDS + 1)
        .collect();
    if let Some(shown) = named.get_mut(..CITED_IDS.min(inside.len())) {
        shown.sort_unstable();
    }
    named
}

/// `text` with its citation before the final full stop, as reports write it.
fn cited(text: &str, units: &[TextUnitIx], entities: &[EntityIx]) -> String {
    let groups = [
        CitedIds {
            kind: DataKind::Sources,
            ids: units.iter().map(|unit| unit.0).collect(),
            more: false,
        },
        CitedIds {
            kind: DataKind::Entities,
            ids: entities.iter().map(|entity| entity.0).collect(),
            more: false,
        },
    ];
    with_citation(text, &groups)
}

/// `text` with a citation of `groups` before its final full stop, or after it where it ends otherwise.
pub(super) fn with_citation(text: &str, groups: &[CitedIds]) -> String {
    let stop = text.strip_suffix('.');
    let mut out = stop.unwrap_or(text).to_owned();
    out.push(' ');
    citations::write(groups, CITED_IDS, &mut out);
    if stop.is_some() {
        out.push('.');
    }
    out
}

fn summary(
    corpus: &Corpus<'_>,
    community: &Community,
    members: &[Member],
    named: &[EntityIx],
    picks: &[Pick],
    documents: usize,
) -> String {
    let mut sentences: Vec<String> = Vec::new();
    let mut words = 0;
    let names_two = |pick: &&Pick| {
        let mentions = corpus.index.mentions(pick.sentence);
        mentions
            .iter()
            .filter(|entity| community.entities.binary_search(entity).is_ok())
            .count()
            > 1
    };
    let stands_alone = |pick: &&Pick| !corpus.index.sentence(pick.sentence).leans;
    // What connects the members first, then whatever else is central.
    let connecting = picks.iter().filter(stands_alone).filter(names_two);
    let others = picks
        .iter()
        .filter(stands_alone)
        .filter(|pick| !names_two(pick));
    for pick in connecting.chain(others).chain(picks.first()) {
        let (text, _) = quoted(corpus, pick.sentence);
        let length = text.split(' ').count();
        if sentences.len() == 2
            || (!sentences.is_empty()
                && (words + length > SUMMARY_WORDS || pick.sentence == picks[0].sentence))
        {
            continue;
        }
        words += length;
        sentences.push(cited(
            &text,
            &pick.units,
            &named_members(corpus, community, members, pick.sentence),
        ));
    }
    sentences.push(composition(corpus, community, members, named, documents));
    sentences.join(" ")
}

/// One sentence on who belongs to the community and where it stands.
fn composition(
    corpus: &Corpus<'_>,
    community: &Community,
    members: &[Member],
    named: &[EntityIx],
    documents: usize,
) -> String {
    let names: Vec<String> = named.iter().map(|&ix| running_name(corpus, ix)).collect();
    let place = format!(
        "{} of {}",
        counted(community.text_units.len(), "text unit"),
        counted(documents, "document")
    );
    let verb = if names.len() > 1 { "are" } else { "is" };
    let rest: Vec<&Member> = members
        .iter()
        .filter(|member| !named.contains(&member.entity))
        .take(4)
        .collect();
    let mut ids: Vec<u32> = named.iter().map(|ix| ix.0).collect();
    ids.sort_unstable();
    let group = [CitedIds {
        kind: DataKind::Entities,
        ids,
        more: community.entities.len() > named.len(),
    }];
    if community.entities.len() <= named.len() {
        let text = capitalised(&format!("{} {verb} named in {place}.", enumerate(&names)));
        return with_citation(&text, &group);
    }
    let others: Vec<String> = rest
        .iter()
        .map(|member| running_name(corpus, member.entity))
        .collect();
    let left = community.entities.len() - named.len() - others.len();
    let others = if left > 0 {
        format!("{} and {left} more", others.join(", "))
    } else {
        enumerate(&others)
    };
    let stand = if names.len() > 1 { "stand" } else { "stands" };
    let text = format!(
        "{} {stand} at the centre of {} found in {place}; the others include {others}.",
        enumerate(&names),
        counted(community.entities.len(), "entity"),
    );
    with_citation(&capitalised(&text), &group)
}

#[cfg(test)]
#[path = "extractive_tests.rs"]
mod tests;
