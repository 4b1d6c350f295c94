//! The graph's shape: components, islands, communities, hubs, bridges.

use std::collections::BTreeMap;

use super::{Central, Figures, Findings, LevelFigures, Weight};
use crate::graph::leiden::modularity;
use crate::graph::{Csr, shape};
use crate::query::index::{Communities, NO_ROW, list};
use crate::query::{Index, QueryError};
use crate::store::TableReader;

/// Hubs, bridges and central members listed.
const LISTED: usize = 5;
/// Sources that betweenness inside a community is estimated from.
const SAMPLES: usize = 64;
/// Communities smaller than this have no central member worth a name.
const COMMUNITY: usize = 8;
/// Entities that one bridge must hold to be worth a name.
const CUT_OFF: usize = 3;

pub(super) fn check(
    index: &Index,
    findings: &mut Findings,
    figures: &mut Figures,
) -> Result<(), QueryError> {
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

    let component = shape::components(&graph);
    let mut sizes = vec![0usize; count];
    for &own in &component {
        sizes[own as usize] += 1;
    }
    let largest = (0..count).rev().max_by_key(|&own| sizes[own]);
    figures.components = sizes.iter().filter(|&&size| size > 1).count();
    figures.singletons = sizes.iter().filter(|&&size| size == 1).count();
    figures.largest_component = largest.map_or(0, |own| sizes[own]);
    islands(index, &component, largest.unwrap_or(0) as u32, findings)?;

    let units = index.entity_units()?;
    figures.named_once = (0..count)
        .filter(|&row| units.range(row).len() <= 1)
        .count();
    figures.types = types(index)?;
    let ends = 2.0 * graph.edge_count().max(1) as f64;
    let mut by_degree: Vec<u32> = (0..count as u32).collect();
    by_degree.sort_by_key(|&row| (std::cmp::Reverse(graph.degree(row)), row));
    let central = |row: u32, share: f64| Central {
        title: title(row),
        degree: graph.degree(row) as u32,
        share,
    };
    figures.hubs = by_degree
        .iter()
        .filter(|&&row| graph.degree(row) > 0)
        .take(LISTED)
        .map(|&row| central(row, graph.degree(row) as f64 / ends))
        .collect();
    figures.bridges = shape::cut_points(&graph)
        .iter()
        .filter(|cut| cut.cut_off >= CUT_OFF)
        .take(LISTED)
        .map(|cut| central(cut.node, cut.cut_off as f64 / count as f64))
        .collect();

    let communities = index.communities()?;
    figures.levels = levels(&graph, communities);
    let mut place = vec![u32::MAX; count];
    let mut members: Vec<(f64, u32)> = Vec::new();
    for row in
        (0..communities.levels.len() as u32).filter(|&row| communities.levels[row as usize] == 0)
    {
        let inside = list(&communities.entities, row);
        if inside.len() < COMMUNITY {
            continue;
        }
        let shares = shape::betweenness(&graph, inside, SAMPLES, &mut place);
        members.extend(shares.into_iter().zip(inside.iter().copied()));
    }
    members.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    figures.central = members
        .iter()
        .take(LISTED)
        .map(|&(share, row)| central(row, share))
        .collect();

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
    Ok(())
}

fn title_or(index: &Index, row: u32) -> &str {
    index
        .entities()
        .map_or("", |entities| entities.titles.get(row as usize))
}

/// Documents that no entity ties to the largest component.
fn islands(
    index: &Index,
    component: &[u32],
    largest: u32,
    findings: &mut Findings,
) -> Result<(), QueryError> {
    let documents = index.documents()?;
    let units = index.units()?;
    let of_entity = index.entity_units()?;
    let mut seen = vec![false; documents.ids.len()];
    let mut tied = vec![false; documents.ids.len()];
    for (row, &own) in component.iter().enumerate() {
        for &unit in list(of_entity, row as u32) {
            let document = units
                .documents
                .get(unit as usize)
                .copied()
                .unwrap_or(NO_ROW);
            if let Some(seen) = seen.get_mut(document as usize) {
                *seen = true;
                tied[document as usize] |= own == largest;
            }
        }
    }
    let apart = (0..seen.len()).filter(|&row| seen[row] && !tied[row]);
    findings.add(
        "island_documents",
        Weight::Advice,
        apart.map(|row| documents.name(row as u32).to_owned()),
        "documents share no entity, near or far, with the rest of the corpus",
        "see `belvedere entities --suspects`: a name spelled two ways may keep them apart",
    );
    Ok(())
}

fn types(index: &Index) -> Result<Vec<(String, usize)>, QueryError> {
    let kinds = TableReader::open(index.folder(), "entities")?.strings_or_empty("type")?;
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

fn levels(graph: &Csr, communities: &Communities) -> Vec<LevelFigures> {
    let count = graph.node_count();
    let deepest = communities.levels.iter().max().copied();
    // Numbers beyond the communities': entities without a community are each on their own.
    let mut label: Vec<u32> = (0..count)
        .map(|row| (communities.levels.len() + row) as u32)
        .collect();
    let mut out = Vec::new();
    for level in 0..=deepest.unwrap_or(0) {
        let mut sizes = Vec::new();
        for row in (0..communities.levels.len() as u32)
            .filter(|&row| communities.levels[row as usize] == level)
        {
            let members = list(&communities.entities, row);
            sizes.push(members.len());
            for &member in members {
                label[member as usize] = row;
            }
        }
        sizes.sort_unstable();
        if let (Some(&smallest), Some(&largest)) = (sizes.first(), sizes.last()) {
            out.push(LevelFigures {
                level,
                communities: sizes.len(),
                sizes: [smallest, sizes[sizes.len() / 2], largest],
                modularity: modularity(graph, &label, 1.0),
            });
        }
    }
    out
}
