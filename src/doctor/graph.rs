//! The graph's shape: components, islands, communities, hubs, bridges.

use std::collections::BTreeMap;

use super::{Central, Figures, Findings, Weight};
use crate::graph::Csr;
use crate::graph::portrait::{Part, Parts, Portrait, portrait};
use crate::query::index::{NO_ROW, list};
use crate::query::{Index, QueryError};

pub(super) fn check(
    index: &Index,
    findings: &mut Findings,
    figures: &mut Figures,
) -> Result<Portrait, QueryError> {
    let entities = index.entities()?;
    let relationships = index.relationships()?;
    let count = entities.titles.len();
    let edges: Vec<(u32, u32, f64)> = (0..relationships.sources.len())
        .map(|row| {
            let weight = relationships.weights.get(row).copied().unwrap_or(1.0);
            (
                relationships.sources[row],
                relationships.targets[row],
                weight,
            )
        })
        .filter(|edge| edge.0 != NO_ROW && edge.1 != NO_ROW)
        .collect();
    let graph = Csr::from_edges(count, &edges);
    let title = |row: u32| entities.titles.get(row as usize).to_owned();

    let communities = index.communities()?;
    let reports = index.reports()?;
    let parts: Vec<Part> = (0..communities.levels.len())
        .map(|row| Part {
            level: communities.levels[row],
            members: list(&communities.entities, row as u32).to_vec(),
            units: list(&communities.units, row as u32).to_vec(),
            reported: reports.of_community[row] != NO_ROW,
        })
        .collect();
    let of_entity = index.entity_units()?;
    let documents = index.documents()?;
    let drawn = portrait(
        &Parts {
            graph: &graph,
            units_of: &|entity, visit| list(of_entity, entity).iter().for_each(|&unit| visit(unit)),
            document_of: &index.units()?.documents,
            documents: documents.ids.len(),
            communities: &parts,
        },
        usize::MAX,
    );
    findings.add(
        "island_documents",
        Weight::Advice,
        drawn
            .islands
            .iter()
            .map(|&row| documents.name(row).to_owned()),
        "documents share no entity, near or far, with the rest of the corpus",
        "see `belvedere entities --suspects`: a name spelled two ways may keep them apart",
    );
    let central = |&(row, share): &(u32, f64)| Central {
        title: title(row),
        degree: graph.degree(row) as u32,
        share,
    };
    figures.components = drawn.components;
    figures.singletons = drawn.singletons;
    figures.largest_component = drawn.largest_component;
    figures.named_once = drawn.named_once;
    figures.types = types(index)?;
    figures.hubs = drawn.hubs.iter().map(central).collect();
    figures.bridges = drawn.bridges.iter().map(central).collect();
    figures.central = drawn.central.iter().map(central).collect();
    figures.levels.clone_from(&drawn.levels);

    let mut covered = vec![false; count];
    for &row in &communities.entities.values {
        covered[row as usize] = true;
    }
    let left_out = (0..count as u32).filter(|&row| !covered[row as usize] && graph.degree(row) > 0);
    findings.add(
        "entities_without_community",
        Weight::CostsAnswers,
        left_out.map(title),
        "entities with relationships are in no community, so no report can tell of them",
        "set cluster_graph.use_lcc: false in settings.yaml and run `belvedere index`",
    );
    let evidence = index.relationship_units()?;
    let unproven = (0..relationships.sources.len()).filter(|&row| evidence.range(row).is_empty());
    findings.add(
        "relationships_without_evidence",
        Weight::Advice,
        unproven.map(|row| {
            format!(
                "{} - {}",
                title_or(index, relationships.sources[row]),
                title_or(index, relationships.targets[row])
            )
        }),
        "relationships name no text unit that supports them",
        "an imported graph may lack them; else run `belvedere index --force`",
    );
    Ok(drawn)
}

fn title_or(index: &Index, row: u32) -> &str {
    index
        .entities()
        .map_or("", |entities| entities.titles.get(row as usize))
}

fn types(index: &Index) -> Result<Vec<(String, usize)>, QueryError> {
    let kinds = index.entity_types()?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for kind in kinds.iter() {
        *counts.entry(kind).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts
        .into_iter()
        .map(|(kind, n)| (kind.to_owned(), n))
        .collect();
    counts.sort_by_key(|entry| std::cmp::Reverse(entry.1));
    Ok(counts)
}
