//! An index in figures: components, hubs, bridges, the members that paths run through, levels, and what stands apart.

use std::cmp::Reverse;

use super::Csr;
use super::leiden::modularity;
use super::shape;

/// Hubs, bridges and central members listed.
const LISTED: usize = 5;
/// Sources that betweenness inside a community is estimated from.
const SAMPLES: usize = 64;
/// Communities smaller than this have no central member worth a name.
const COMMUNITY: usize = 8;
/// Nodes that one bridge must hold to be worth a name.
const CUT_OFF: usize = 3;

/// A community as rows.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// 0 is the coarsest.
    pub level: u32,
    /// Rows of entities.
    pub members: Vec<u32>,
    /// Rows of its own text units.
    pub units: Vec<u32>,
    /// Whether it has a report.
    pub reported: bool,
}

/// Visits the text units of an entity.
pub type UnitsOf<'a> = dyn Fn(u32, &mut dyn FnMut(u32)) + 'a;

/// An index as rows.
pub struct Parts<'a> {
    /// Entities and relationships.
    pub graph: &'a Csr,
    /// Text units of each entity.
    pub units_of: &'a UnitsOf<'a>,
    /// Document of each text unit; a number beyond the documents for none.
    pub document_of: &'a [u32],
    /// Documents.
    pub documents: usize,
    /// All communities.
    pub communities: &'a [Part],
}

/// Communities of one level.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LevelFigures {
    /// 0 is the coarsest.
    pub level: u32,
    /// How many.
    pub communities: usize,
    /// Entities in the smallest, the median and the largest.
    pub sizes: [usize; 3],
    /// Of entities by their deepest community down to this level.
    pub modularity: f64,
}

/// The figures; entities, documents and text units by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Portrait {
    /// Connected parts with two entities or more.
    pub components: usize,
    /// Entities of the largest component.
    pub largest_component: usize,
    /// Entities without a relationship.
    pub singletons: usize,
    /// Entities named in one text unit at most.
    pub named_once: usize,
    /// Entities with most neighbours, and their share of all relationship ends.
    pub hubs: Vec<(u32, f64)>,
    /// Entities without which others are cut off, and the share of all entities that is.
    pub bridges: Vec<(u32, f64)>,
    /// Members that most shortest paths inside their community run through, and their share.
    pub central: Vec<(u32, f64)>,
    /// By level.
    pub levels: Vec<LevelFigures>,
    /// Documents with entities, none of them in the largest component.
    pub islands: Vec<u32>,
    /// Text units that name no entity.
    pub bare_units: Vec<u32>,
    /// Documents with text that stand behind no report.
    pub unreported: Vec<u32>,
}

/// Draws the portrait. Linear in entities, relationships and text units, but for betweenness, which takes some walks over each
/// community and is left out of graphs of more than `paths` edges.
pub fn portrait(parts: &Parts<'_>, paths: usize) -> Portrait {
    let graph = parts.graph;
    let count = graph.node_count();
    let component = shape::components(graph);
    let mut sizes = vec![0usize; count];
    for &own in &component {
        sizes[own as usize] += 1;
    }
    let largest = (0..count).rev().max_by_key(|&own| sizes[own]);
    let ends = 2.0 * graph.edge_count().max(1) as f64;
    let mut by_degree: Vec<u32> = (0..count as u32).collect();
    by_degree.sort_by_key(|&row| (Reverse(graph.degree(row)), row));
    let linked = by_degree.iter().filter(|&&row| graph.degree(row) > 0);
    let cuts = shape::cut_points(graph);
    let cuts = cuts.iter().filter(|cut| cut.cut_off >= CUT_OFF);
    let mut out = Portrait {
        components: sizes.iter().filter(|&&size| size > 1).count(),
        singletons: sizes.iter().filter(|&&size| size == 1).count(),
        largest_component: largest.map_or(0, |own| sizes[own]),
        hubs: linked
            .take(LISTED)
            .map(|&row| (row, graph.degree(row) as f64 / ends))
            .collect(),
        bridges: cuts
            .take(LISTED)
            .map(|cut| (cut.node, cut.cut_off as f64 / count as f64))
            .collect(),
        levels: levels(graph, parts.communities),
        ..Portrait::default()
    };
    if graph.edge_count() <= paths {
        out.central = central(graph, parts.communities);
    }
    documents(parts, &component, largest.unwrap_or(0) as u32, &mut out);
    out
}

fn central(graph: &Csr, communities: &[Part]) -> Vec<(u32, f64)> {
    let mut place = vec![u32::MAX; graph.node_count()];
    let mut members: Vec<(u32, f64)> = Vec::new();
    for part in communities.iter().filter(|part| part.level == 0) {
        if part.members.len() >= COMMUNITY {
            let shares = shape::betweenness(graph, &part.members, SAMPLES, &mut place);
            members.extend(part.members.iter().copied().zip(shares));
        }
    }
    members.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    members.truncate(LISTED);
    members
}

/// What became of documents and text units.
fn documents(parts: &Parts<'_>, component: &[u32], largest: u32, out: &mut Portrait) {
    let document = |unit: u32| parts.document_of.get(unit as usize).copied();
    let document = |unit: u32| document(unit).filter(|row| (*row as usize) < parts.documents);
    let mut has_entity = vec![false; parts.document_of.len()];
    let (mut seen, mut tied) = (vec![false; parts.documents], vec![false; parts.documents]);
    for (row, &own) in component.iter().enumerate() {
        let mut units = 0;
        (parts.units_of)(row as u32, &mut |unit| {
            units += 1;
            if let Some(has) = has_entity.get_mut(unit as usize) {
                *has = true;
            }
            if let Some(document) = document(unit) {
                seen[document as usize] = true;
                tied[document as usize] |= own == largest;
            }
        });
        out.named_once += usize::from(units <= 1);
    }
    let mut covered = vec![false; parts.documents];
    let mut cover = |unit: u32| {
        if let Some(document) = document(unit) {
            covered[document as usize] = true;
        }
    };
    for part in parts.communities.iter().filter(|part| part.reported) {
        for &member in &part.members {
            (parts.units_of)(member, &mut cover);
        }
        part.units.iter().for_each(|&unit| cover(unit));
    }
    let mut has_text = vec![false; parts.documents];
    for unit in 0..parts.document_of.len() as u32 {
        if let Some(document) = document(unit) {
            has_text[document as usize] = true;
        }
    }
    let rows = |count: usize| 0..count as u32;
    let at = |flags: &[bool], row: u32| flags[row as usize];
    out.islands = rows(parts.documents)
        .filter(|&row| at(&seen, row) && !at(&tied, row))
        .collect();
    out.bare_units = rows(has_entity.len())
        .filter(|&unit| !at(&has_entity, unit))
        .collect();
    out.unreported = rows(parts.documents)
        .filter(|&row| at(&has_text, row) && !at(&covered, row))
        .collect();
}

fn levels(graph: &Csr, communities: &[Part]) -> Vec<LevelFigures> {
    let count = graph.node_count();
    let deepest = communities.iter().map(|part| part.level).max();
    // Numbers beyond the communities': entities without a community are each on their own.
    let mut label: Vec<u32> = (0..count)
        .map(|row| (communities.len() + row) as u32)
        .collect();
    let mut out = Vec::new();
    for level in 0..=deepest.unwrap_or(0) {
        let mut sizes = Vec::new();
        for (row, part) in communities.iter().enumerate() {
            if part.level == level {
                sizes.push(part.members.len());
                for &member in &part.members {
                    label[member as usize] = row as u32;
                }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_an_island_and_a_document_apart() {
        // Entities 0-2 and 3-5 are triangles joined by 2-3, 6-7 an island, 8 alone; units 0-2 are documents 0-2, unit 3 is empty.
        let edges = [
            (0, 1),
            (1, 2),
            (2, 0),
            (3, 4),
            (4, 5),
            (5, 3),
            (2, 3),
            (6, 7),
        ];
        let edges: Vec<(u32, u32, f64)> = edges.iter().map(|&(a, b)| (a, b, 1.0)).collect();
        let graph = Csr::from_edges(9, &edges);
        let part = |level, members: &[u32], reported| Part {
            level,
            members: members.to_vec(),
            units: Vec::new(),
            reported,
        };
        let found = portrait(
            &Parts {
                graph: &graph,
                units_of: &|entity, visit| match entity {
                    0..=2 => [0, 1].into_iter().for_each(visit),
                    3..=5 => visit(0),
                    6 | 7 => visit(2),
                    _ => {}
                },
                document_of: &[0, 1, 2, 2],
                documents: 3,
                communities: &[
                    part(0, &[0, 1, 2], true),
                    part(0, &[3, 4, 5], true),
                    part(0, &[6, 7], false),
                ],
            },
            100,
        );
        assert_eq!(
            (found.components, found.largest_component, found.singletons),
            (2, 6, 1)
        );
        assert_eq!(found.hubs[..2], [(2, 3.0 / 16.0), (3, 3.0 / 16.0)]);
        assert_eq!(found.named_once, 6);
        assert_eq!(found.islands, [2]);
        assert_eq!(found.bare_units, [3]);
        assert_eq!(found.unreported, [2]);
        // 7 of 8 edges inside; strengths 7, 7 and 2 of 16.
        let by_hand = 7.0 / 8.0 - (49.0 + 49.0 + 4.0) / 256.0;
        assert!((found.levels[0].modularity - by_hand).abs() < 1e-12);
        assert_eq!(found.levels[0].sizes, [2, 3, 3]);
    }
}
