//! Local search: the entities a question is about, with their reports, relationships, claims and sources.
//!
//! The original's mixed context, without its marked bugs: a community is represented once, and the `links` of a relationship
//! are never those of an earlier round.

use rustc_hash::{FxHashMap, FxHashSet};

use super::claims::ClaimRows;
use super::table::{Table, field, number};
use super::{Arrival, Context, Count, Record, Section};
use crate::query::error::QueryError;
use crate::query::index::{Column, Index, list};
use crate::query::levels;
use crate::query::lexical::fuse;
use crate::report::citations::DataKind;

/// Rows whose texts are read together while a table grows.
const AT_ONCE: usize = 64;

/// An entity the question was mapped to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Row of the entity.
    pub entity: u32,
    /// How the question was mapped to it.
    pub arrived: Arrival,
    /// Its whole name or alias stands in the question.
    pub whole: bool,
}

/// A text unit found by its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextHit {
    /// Row of the text unit.
    pub unit: u32,
    /// How it was found.
    pub arrived: Arrival,
}

/// Budget and shape of a local context.
#[derive(Clone, Copy, Debug)]
pub struct LocalParams {
    /// Tokens of the whole context.
    pub max_tokens: usize,
    /// Share of the text units.
    pub text_unit_share: f64,
    /// Share of the reports; entities, relationships and claims have the rest.
    pub community_share: f64,
    /// Relationships that lead out, per entity.
    pub top_k_relationships: usize,
    /// Level of the reports.
    pub level: u32,
    /// An entity with more neighbours is not walked through, if there is another to walk from.
    pub hub_cap: Option<u32>,
}

impl LocalParams {
    fn tokens(&self, share: f64) -> usize {
        // Truncated as the original truncates.
        (self.max_tokens as f64 * share).max(0.0) as usize
    }
}

/// The anchors that relationships are followed from: hubs are seeds but are not walked through, unless nothing else is named.
pub fn expanded_from(
    index: &Index,
    anchors: &[Anchor],
    hub_cap: Option<u32>,
) -> Result<FxHashSet<u32>, QueryError> {
    let degrees = &index.entities()?.degrees;
    let is_hub =
        |anchor: &&Anchor| hub_cap.is_some_and(|cap| degrees[anchor.entity as usize] > cap);
    let named: Vec<&Anchor> = anchors.iter().filter(|anchor| anchor.whole).collect();
    let deciding: Vec<&Anchor> = if named.is_empty() {
        anchors.iter().collect()
    } else {
        named
    };
    let walk_hubs = deciding.iter().all(&is_hub);
    Ok(anchors
        .iter()
        .filter(|anchor| walk_hubs || !is_hub(anchor))
        .map(|anchor| anchor.entity)
        .collect())
}

/// Builds the context from anchors in their order; `texts` are text units found by text search, best first.
pub fn local(
    index: &Index,
    anchors: &[Anchor],
    texts: &[TextHit],
    params: &LocalParams,
    count: Count<'_>,
) -> Result<Context, QueryError> {
    let middle = params.tokens(1.0 - params.community_share - params.text_unit_share);
    let mut sections = vec![reports(index, anchors, params, count)?];
    let entities = entities(index, anchors, middle, count)?;
    let (relationships, claims) = edges(index, anchors, entities.tokens, params, middle, count)?;
    sections.push(entities);
    sections.push(relationships);
    sections.push(claims);
    sections.push(sources(index, anchors, texts, params, count)?);
    Ok(Context { sections })
}

/// Reports on the anchors' communities, those of more anchors first, then the higher ranked.
fn reports(
    index: &Index,
    anchors: &[Anchor],
    params: &LocalParams,
    count: Count<'_>,
) -> Result<Section, QueryError> {
    let budget = params.tokens(params.community_share);
    let mut table = Table::new(DataKind::Reports, "id|title|content", budget, count);
    let (communities, rows) = (index.communities()?, index.reports()?);
    if rows.numbers.row(0).is_none() && rows.communities.is_empty() {
        return Ok(table.finish());
    }
    let wanted: FxHashSet<u32> = anchors.iter().map(|anchor| anchor.entity).collect();
    let place: FxHashMap<u32, usize> = anchors
        .iter()
        .enumerate()
        .map(|(place, anchor)| (anchor.entity, place))
        .collect();
    // Report -> matches and the first anchor that led to it.
    let mut matches: FxHashMap<u32, (u32, usize)> = FxHashMap::default();
    for cell in levels::cells(communities, params.level) {
        let members = list(&communities.entities, cell);
        let inside = members.iter().filter(|entity| wanted.contains(entity));
        let (found, first) = inside.fold((0, usize::MAX), |(found, first), entity| {
            (
                found + 1,
                first.min(place.get(entity).copied().unwrap_or(usize::MAX)),
            )
        });
        if found > 0
            && let Some(report) = levels::report_of(communities, rows, cell)
            && index.allows_report(report)?
        {
            let entry = matches.entry(report).or_insert((0, usize::MAX));
            *entry = (entry.0 + found, entry.1.min(first));
        }
    }
    let rank = |report: u32| rows.ranks[report as usize];
    let mut order: Vec<(u32, (u32, usize))> = matches.into_iter().collect();
    order.sort_by(|(a, (matched_a, first_a)), (b, (matched_b, first_b))| {
        matched_b
            .cmp(matched_a)
            .then(rank(*b).total_cmp(&rank(*a)))
            .then(first_a.cmp(first_b))
            .then(a.cmp(b))
    });
    if order.is_empty() {
        return Ok(table.finish());
    }
    let contents = index.texts(Column::ReportText, order.iter().map(|found| found.0))?;
    for (row, _) in order {
        let (number, title) = (rows.numbers.of(row), rows.titles.get(row as usize));
        let content = contents.get(row);
        // Budgeted by the bare text, written quoted, as in the original.
        let tokens = count(&format!("{number}|{title}|{content}\n"));
        let line = format!("{number}|{}|{}\n", field(title), field(content));
        table.push_counted(
            Record {
                row,
                number,
                arrived: Arrival::Edge,
            },
            &line,
            tokens,
        );
    }
    Ok(table.finish())
}

fn entities(
    index: &Index,
    anchors: &[Anchor],
    budget: usize,
    count: Count<'_>,
) -> Result<Section, QueryError> {
    let entities = index.entities()?;
    let rows = anchors.iter().map(|anchor| anchor.entity);
    let descriptions = index.texts(Column::EntityDescription, rows)?;
    let header = "id|entity|description|number of relationships";
    let mut table = Table::new(DataKind::Entities, header, budget, count);
    for anchor in anchors {
        let row = anchor.entity as usize;
        let number = entities.numbers.of(anchor.entity);
        let line = format!(
            "{number}|{}|{}|{}\n",
            entities.titles.get(row),
            descriptions.get(anchor.entity),
            entities.degrees[row]
        );
        table.push(
            Record {
                row: anchor.entity,
                number,
                arrived: anchor.arrived,
            },
            &line,
        );
    }
    Ok(table.finish())
}

/// A relationship that touches an anchor.
#[derive(Clone, Copy)]
struct Edge {
    row: u32,
    /// Places of its ends among the anchors; `usize::MAX` for an end outside.
    source: usize,
    target: usize,
    outside: u32,
    rank: u32,
}

/// Relationships and claims, one anchor after the other, until the next would pass the budget; the state before it is kept.
fn edges(
    index: &Index,
    anchors: &[Anchor],
    entity_tokens: usize,
    params: &LocalParams,
    budget: usize,
    count: Count<'_>,
) -> Result<(Section, Section), QueryError> {
    let mut writer = Edges::new(index, anchors, params, count)?;
    let claims = ClaimRows::new(index, anchors, count)?;
    let (empty_edges, empty_claims) = (writer.section(0, 0)?, claims.section(0, budget));
    let mut kept = (empty_edges, empty_claims);
    for round in 1..=anchors.len() {
        let current = (
            writer.section(round, budget)?,
            claims.section(round, budget),
        );
        let used = entity_tokens + current.0.tokens;
        if used + current.1.tokens > budget {
            // The claims about one entity alone can be too many: those that fit beside its relationships are better than neither.
            if round == 1 && used <= budget {
                kept = (current.0, claims.section(1, budget - used));
            }
            break;
        }
        kept = current;
    }
    kept.0.left_out = writer.edges.len().saturating_sub(kept.0.records.len());
    kept.1.left_out = claims.len().saturating_sub(kept.1.records.len());
    Ok(kept)
}

struct Edges<'a> {
    index: &'a Index,
    edges: Vec<Edge>,
    walked: Vec<bool>,
    per_entity: usize,
    /// Lines without links and their tokens, of the edges that were listed so far.
    lines: FxHashMap<usize, (String, usize)>,
    count: Count<'a>,
}

impl<'a> Edges<'a> {
    fn new(
        index: &'a Index,
        anchors: &[Anchor],
        params: &LocalParams,
        count: Count<'a>,
    ) -> Result<Self, QueryError> {
        let relationships = index.relationships()?;
        let entities = index.entities()?;
        let mut place = vec![usize::MAX; entities.titles.len()];
        for (at, anchor) in anchors.iter().enumerate().rev() {
            place[anchor.entity as usize] = at;
        }
        let of = |row: u32| place.get(row as usize).copied().unwrap_or(usize::MAX);
        let expanded = expanded_from(index, anchors, params.hub_cap)?;
        let mut edges: Vec<Edge> = Vec::new();
        for (row, (&source, &target)) in relationships
            .sources
            .iter()
            .zip(&relationships.targets)
            .enumerate()
        {
            let (s, t) = (of(source), of(target));
            if s == usize::MAX && t == usize::MAX || !index.allows_relationship(row as u32)? {
                continue;
            }
            let outside = if s == usize::MAX { source } else { target };
            edges.push(Edge {
                row: row as u32,
                source: s,
                target: t,
                outside,
                rank: relationships.ranks[row],
            });
        }
        let walked = anchors
            .iter()
            .map(|anchor| expanded.contains(&anchor.entity))
            .collect();
        Ok(Self {
            index,
            edges,
            walked,
            per_entity: params.top_k_relationships,
            lines: FxHashMap::default(),
            count,
        })
    }

    /// Writes the lines of the edges at these places, as far as they are not written yet.
    fn write(&mut self, places: &[usize]) -> Result<(), QueryError> {
        let (relationships, entities) = (self.index.relationships()?, self.index.entities()?);
        let fresh = places.iter().filter(|at| !self.lines.contains_key(at));
        let fresh: Vec<(usize, u32)> = fresh.map(|&at| (at, self.edges[at].row)).collect();
        let rows = fresh.iter().map(|edge| edge.1);
        let descriptions = self.index.texts(Column::RelationshipDescription, rows)?;
        for (at, row) in fresh {
            let title = |entity: u32| entities.titles.get(entity as usize);
            let line = format!(
                "{}|{}|{}|{}|{}",
                relationships.numbers.of(row),
                title(relationships.sources[row as usize]),
                title(relationships.targets[row as usize]),
                descriptions.get(row),
                number(relationships.weights[row as usize]),
            );
            // With delimiter, links and line end.
            let tokens = (self.count)(&line) + 2;
            self.lines.insert(at, (line, tokens));
        }
        Ok(())
    }

    /// The relationships of the first `round` anchors: those among them by rank, then those that lead out by the number of anchors
    /// they share their outer end with, then by rank.
    fn section(&mut self, round: usize, budget: usize) -> Result<Section, QueryError> {
        let among = |at: usize| at < round;
        let mut inner: Vec<usize> = Vec::new();
        let (mut from, mut to): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for (at, edge) in self.edges.iter().enumerate() {
            match (among(edge.source), among(edge.target)) {
                (true, true) => inner.push(at),
                (true, false) if self.walked[edge.source] => from.push(at),
                (false, true) if self.walked[edge.target] => to.push(at),
                _ => {}
            }
        }
        let rank = |at: &usize| std::cmp::Reverse(self.edges[*at].rank);
        inner.sort_by_key(rank);
        let outer_end = |at: usize| {
            let edge = &self.edges[at];
            if edge.source != usize::MAX && edge.target != usize::MAX {
                // The outer end is an anchor of a later round.
                (
                    1u8,
                    if among(edge.source) {
                        edge.target as u32
                    } else {
                        edge.source as u32
                    },
                )
            } else {
                (0, edge.outside)
            }
        };
        let mut outer = from;
        outer.extend(to);
        outer.sort_by_key(rank);
        let mut links: FxHashMap<(u8, u32), Vec<usize>> = FxHashMap::default();
        for &at in &outer {
            let edge = &self.edges[at];
            let inside = if among(edge.source) {
                edge.source
            } else {
                edge.target
            };
            let shared = links.entry(outer_end(at)).or_default();
            if !shared.contains(&inside) {
                shared.push(inside);
            }
        }
        let links_of = |at: usize| links.get(&outer_end(at)).map_or(1, Vec::len);
        outer.sort_by_key(|&at| (std::cmp::Reverse(links_of(at)), rank(&at)));
        outer.truncate(self.per_entity.saturating_mul(round));
        let mut table = Table::new(
            DataKind::Relationships,
            "id|source|target|description|weight|links",
            budget,
            self.count,
        );
        let listed: Vec<(usize, usize)> = inner
            .iter()
            .map(|&at| (at, 2))
            .chain(outer.iter().map(|&at| (at, links_of(at))))
            .collect();
        let numbers = &self.index.relationships()?.numbers;
        for some in listed.chunks(AT_ONCE) {
            if table.is_full() {
                table.leave_out(some.len());
                continue;
            }
            let places: Vec<usize> = some.iter().map(|edge| edge.0).collect();
            self.write(&places)?;
            for (at, links) in some {
                let row = self.edges[*at].row;
                let record = Record {
                    row,
                    number: numbers.of(row),
                    arrived: Arrival::Edge,
                };
                if let Some((line, tokens)) = self.lines.get(at) {
                    table.push_counted(record, &format!("{line}|{links}\n"), *tokens);
                }
            }
        }
        Ok(table.finish())
    }
}

/// Text units: first the best one of each named anchor, so that no name goes without evidence; then those of the anchors in their
/// order, fused with what the text search found.
fn sources(
    index: &Index,
    anchors: &[Anchor],
    texts: &[TextHit],
    params: &LocalParams,
    count: Count<'_>,
) -> Result<Section, QueryError> {
    let units = index.units()?;
    let budget = params.tokens(params.text_unit_share);
    let mut table = Table::new(DataKind::Sources, "id|text", budget, count);
    let ranked = units_of(index, anchors)?;
    let mut order: Vec<u32> = Vec::new();
    let mut put: FxHashSet<u32> = FxHashSet::default();
    let found: FxHashMap<u32, usize> = texts
        .iter()
        .enumerate()
        .map(|(rank, hit)| (hit.unit, rank))
        .collect();
    let named = anchors
        .iter()
        .enumerate()
        .filter(|(_, anchor)| anchor.arrived == Arrival::Name);
    for (place, _) in named {
        let own = ranked
            .iter()
            .filter(|unit| unit.0 == place || unit.3 & (1 << place.min(63)) != 0);
        // Among a name's text units, the one that the text search likes best, else the first.
        let best = own.min_by_key(|unit| {
            (
                found.get(&unit.1).copied().unwrap_or(usize::MAX),
                unit.0 != place,
            )
        });
        if let Some(&(_, unit, _, _)) = best
            && put.insert(unit)
        {
            order.push(unit);
        }
    }
    let by_anchor: Vec<u32> = ranked.iter().map(|unit| unit.1).collect();
    let by_text: Vec<u32> = texts.iter().map(|hit| hit.unit).collect();
    let rest = if by_text.is_empty() {
        by_anchor
    } else {
        fuse(&[&by_anchor, &by_text])
            .into_iter()
            .map(|(row, _)| row)
            .collect()
    };
    order.extend(rest.into_iter().filter(|unit| put.insert(*unit)));
    let hanging: FxHashSet<u32> = ranked.iter().map(|unit| unit.1).collect();
    for some in order.chunks(AT_ONCE) {
        if table.is_full() {
            table.leave_out(some.len());
            continue;
        }
        let contents = index.texts(Column::UnitText, some.iter().copied())?;
        for &row in some {
            let number = units.numbers.of(row);
            let arrived = match found.get(&row) {
                Some(&rank) if !hanging.contains(&row) => texts[rank].arrived,
                _ => Arrival::Edge,
            };
            table.push(
                Record {
                    row,
                    number,
                    arrived,
                },
                &format!("{number}|{}\n", contents.get(row)),
            );
        }
    }
    Ok(table.finish())
}

/// The anchors' text units, each once with the first anchor that has it: (place of the anchor, unit, relationships of the anchor
/// in the unit, bits of all anchors that have it), by place and then by relationships, most first.
fn units_of(index: &Index, anchors: &[Anchor]) -> Result<Vec<(usize, u32, u32, u64)>, QueryError> {
    let entity_units = index.entity_units()?;
    let relationships = index.relationships()?;
    let support = index.relationship_units()?;
    let mut place: FxHashMap<u32, usize> = FxHashMap::default();
    for (at, anchor) in anchors.iter().enumerate().rev() {
        place.insert(anchor.entity, at);
    }
    let mut counts: FxHashMap<(usize, u32), u32> = FxHashMap::default();
    for (row, (source, target)) in relationships
        .sources
        .iter()
        .zip(&relationships.targets)
        .enumerate()
    {
        let ends = [
            place.get(source),
            place.get(target).filter(|_| source != target),
        ];
        for &at in ends.into_iter().flatten() {
            for &unit in list(support, row as u32) {
                *counts.entry((at, unit)).or_default() += 1;
            }
        }
    }
    let mut at_of: FxHashMap<u32, usize> = FxHashMap::default();
    let mut found: Vec<(usize, u32, u32, u64)> = Vec::new();
    for (at, anchor) in anchors.iter().enumerate() {
        for &unit in list(entity_units, anchor.entity) {
            let bit = 1u64 << at.min(63);
            match at_of.get(&unit) {
                Some(&known) => found[known].3 |= bit,
                None => {
                    at_of.insert(unit, found.len());
                    found.push((at, unit, counts.get(&(at, unit)).copied().unwrap_or(0), bit));
                }
            }
        }
    }
    found.sort_by_key(|unit| (unit.0, std::cmp::Reverse(unit.2)));
    Ok(found)
}

#[cfg(test)]
#[path = "local_tests.rs"]
mod tests;
