//! The index's health in the run's report: the figures of `belvedere doctor` that are at hand when a run ends.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::finish::Index;
use super::load::Corpus;
use crate::graph::Csr;
use crate::graph::portrait::{LevelFigures, Part, Parts, portrait};
use crate::model::shown::{counted, printable_line};
use crate::resolve::suspects::suspects;

/// In larger graphs the share of paths is left to `belvedere doctor`.
const PATHS: usize = 200_000;
/// Hubs, bridges and types named on a terminal.
const NAMED: usize = 3;

/// An entity and its share of something.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Its title.
    pub title: String,
    /// 0 to 1.
    pub share: f64,
}

/// Figures of an index; examples and what to do are in `belvedere doctor`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Health {
    /// Pairs of names that may be one thing.
    pub likely_duplicates: usize,
    /// Names that may mean several things.
    pub likely_homonyms: usize,
    /// Entities named in one text unit only.
    pub named_once: usize,
    /// Connected parts with two entities or more.
    pub components: usize,
    /// Share of the entities in the largest one.
    pub largest_component_share: f64,
    /// Documents that share no entity, near or far, with the rest.
    pub island_documents: usize,
    /// Their share of all documents.
    pub island_share: f64,
    /// Text units that name no entity.
    pub text_units_without_entities: usize,
    /// Documents with text that stand behind no report.
    pub documents_in_no_report: usize,
    /// Relationships that name no text unit.
    pub relationships_without_evidence: usize,
    /// Entities with most neighbours, with their share of all relationship ends.
    pub hubs: Vec<Share>,
    /// Entities without which others are cut off, with the share of entities that is.
    pub bridges: Vec<Share>,
    /// Entities with the largest share of the shortest paths in their community; empty for a very large graph.
    pub paths: Vec<Share>,
    /// Entities by type, most frequent first.
    pub types: Vec<(String, usize)>,
    /// By level.
    pub levels: Vec<LevelFigures>,
}

/// Reckons the figures from what a run has in memory.
pub(super) fn health(corpus: &Corpus, index: &Index) -> Health {
    let edges: Vec<(u32, u32, f64)> = index
        .relationships
        .iter()
        .map(|row| (row.source.0, row.target.0, row.weight))
        .collect();
    let graph = Csr::from_edges(index.entities.len(), &edges);
    let mut parts: Vec<Part> = index
        .communities
        .iter()
        .map(|community| Part {
            level: community.level,
            members: community.entities.iter().map(|row| row.0).collect(),
            units: community.text_units.iter().map(|row| row.0).collect(),
            reported: false,
        })
        .collect();
    for (report, _) in &index.reports {
        if let Some(part) = parts.get_mut(report.community.0 as usize) {
            part.reported = true;
        }
    }
    let document_of: Vec<u32> = corpus.units.iter().map(|unit| unit.document.0).collect();
    let units_of = |entity: u32, visit: &mut dyn FnMut(u32)| {
        let entity = index.entities.get(entity as usize);
        let units = entity.map_or(&[][..], |entity| &entity.text_units);
        units.iter().for_each(|unit| visit(unit.0));
    };
    let drawn = portrait(
        &Parts {
            graph: &graph,
            units_of: &units_of,
            document_of: &document_of,
            documents: corpus.documents.len(),
            communities: &parts,
        },
        PATHS,
    );
    let named = |rows: &[(u32, f64)]| -> Vec<Share> {
        let share = |&(row, share): &(u32, f64)| Share {
            // invariant: rows of the graph are rows of entities
            title: index.entities[row as usize].title.clone(),
            share,
        };
        rows.iter().map(share).collect()
    };
    let of = |part: usize, all: usize| part as f64 / all.max(1) as f64;
    let suspects = suspects(&index.resolution);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for entity in &index.entities {
        *kinds.entry(&entity.kind).or_default() += 1;
    }
    let mut types: Vec<(String, usize)> = kinds
        .into_iter()
        .map(|(kind, count)| (kind.to_owned(), count))
        .collect();
    types.sort_by_key(|entry| std::cmp::Reverse(entry.1));
    Health {
        likely_duplicates: suspects.duplicates.len(),
        likely_homonyms: suspects.homonyms.len(),
        named_once: drawn.named_once,
        components: drawn.components,
        largest_component_share: of(drawn.largest_component, index.entities.len()),
        island_documents: drawn.islands.len(),
        island_share: of(drawn.islands.len(), corpus.documents.len()),
        text_units_without_entities: drawn.bare_units.len(),
        documents_in_no_report: drawn.unreported.len(),
        relationships_without_evidence: index
            .relationships
            .iter()
            .filter(|row| row.text_units.is_empty())
            .count(),
        hubs: named(&drawn.hubs),
        bridges: named(&drawn.bridges),
        paths: named(&drawn.central),
        types,
        levels: drawn.levels,
    }
}

impl Health {
    /// Lines for a terminal; the first begins with `health`.
    pub(super) fn write(&self, out: &mut String) {
        let per_cent = |share: f64| format!("{:.0} %", share * 100.0);
        let named = |shares: &[Share]| -> String {
            let words: Vec<String> = shares
                .iter()
                .take(NAMED)
                .map(|entry| format!("{} {}", printable_line(&entry.title), per_cent(entry.share)))
                .collect();
            if words.is_empty() {
                "none".to_owned()
            } else {
                words.join(", ")
            }
        };
        let types: Vec<String> = self
            .types
            .iter()
            .take(NAMED + 2)
            .map(|(kind, count)| format!("{} {count}", printable_line(kind)))
            .collect();
        let levels: Vec<String> = self
            .levels
            .iter()
            .map(|level| format!("{:.2}", level.modularity))
            .collect();
        // invariant: writing to a string cannot fail
        let mut line = |key: &str, text: String| _ = writeln!(out, "{key:<14} {text}");
        line(
            "health",
            format!(
                "{}, {}; {} named once; {} without evidence",
                counted(self.likely_duplicates, "likely duplicate"),
                counted(self.likely_homonyms, "likely homonym"),
                counted(self.named_once, "entity"),
                counted(self.relationships_without_evidence, "relationship")
            ),
        );
        line(
            "",
            format!(
                "{}, the largest has {} of the entities; {} on islands ({})",
                counted(self.components, "component"),
                per_cent(self.largest_component_share),
                counted(self.island_documents, "document"),
                per_cent(self.island_share)
            ),
        );
        line(
            "",
            format!(
                "{} without entities, {} in no report",
                counted(self.text_units_without_entities, "text unit"),
                counted(self.documents_in_no_report, "document")
            ),
        );
        line(
            "",
            format!(
                "hubs (links) {}; bridges (cut off) {}; most paths {}",
                named(&self.hubs),
                named(&self.bridges),
                named(&self.paths)
            ),
        );
        line(
            "",
            format!(
                "types {}; modularity by level {}",
                types.join(", "),
                if levels.is_empty() {
                    "none".to_owned()
                } else {
                    levels.join(", ")
                }
            ),
        );
        line(
            "",
            "`belvedere doctor` gives examples and what to do".to_owned(),
        );
    }
}
