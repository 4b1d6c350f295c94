//! Stage 7: graph -> communities.

use crate::config::{ClusterGraphConfig, QualityFunction};
use crate::graph::Csr;
use crate::graph::leiden::{Hierarchy, LeidenSettings, Quality, hierarchical_leiden};
use crate::model::{
    Community, CommunityIx, Entity, EntityIx, Relationship, RelationshipIx, TextUnitIx,
};

/// Clusters every component. An entity without relationships gets no community.
///
/// Both directions of a pair count: their weights add up.
pub fn communities(
    entities: &[Entity],
    relationships: &[Relationship],
    config: &ClusterGraphConfig,
) -> Vec<Community> {
    let edges: Vec<(u32, u32, f64)> = relationships
        .iter()
        .map(|r| (r.source.0, r.target.0, r.weight))
        .collect();
    let graph = Csr::from_edges(entities.len(), &edges);
    let settings = LeidenSettings {
        resolution: config.resolution,
        quality: match config.quality {
            QualityFunction::Modularity => Quality::Modularity,
            QualityFunction::Cpm => Quality::Cpm,
        },
        max_cluster_size: config.max_cluster_size as usize,
        seed: config.seed,
        iterations: config.iterations,
        ..LeidenSettings::default()
    };
    let mut in_scope = vec![true; entities.len()];
    if config.use_lcc {
        in_scope = largest_component(entities.len(), &edges);
    }
    let hierarchy = hierarchical_leiden(&graph, &settings);
    rows(&hierarchy, entities, relationships, |entity| {
        in_scope[entity as usize] && graph.degree(entity) > 0
    })
}

fn largest_component(nodes: usize, edges: &[(u32, u32, f64)]) -> Vec<bool> {
    let mut components = petgraph::unionfind::UnionFind::<u32>::new(nodes);
    for &(a, b, _) in edges {
        components.union(a, b);
    }
    let labels = components.into_labeling();
    let mut size = vec![0u32; nodes];
    for &label in &labels {
        size[label as usize] += 1;
    }
    let largest = (0..nodes).rev().max_by_key(|&label| size[label]);
    labels
        .iter()
        .map(|&label| Some(label as usize) == largest)
        .collect()
}

fn rows(
    hierarchy: &Hierarchy,
    entities: &[Entity],
    relationships: &[Relationship],
    clustered: impl Fn(u32) -> bool,
) -> Vec<Community> {
    let mut number = vec![None; hierarchy.clusters.len()];
    let mut communities: Vec<Community> = Vec::new();
    for cluster in &hierarchy.clusters {
        if !cluster.members.iter().any(|&member| clustered(member)) {
            continue;
        }
        let own = CommunityIx(communities.len() as u32);
        number[cluster.id as usize] = Some(own);
        let parent = cluster.parent.and_then(|parent| number[parent as usize]);
        if let Some(parent) = parent {
            communities[parent.at()].children.push(own);
        }
        communities.push(Community {
            community: own,
            level: cluster.level,
            parent,
            children: Vec::new(),
            entities: cluster.members.iter().map(|&m| EntityIx(m)).collect(),
            relationships: Vec::new(),
            text_units: Vec::new(),
        });
    }
    add_relationships(&mut communities, entities.len(), relationships);
    for community in &mut communities {
        let mut units: Vec<TextUnitIx> = if community.relationships.is_empty() {
            let members = community.entities.iter();
            members
                .flat_map(|e| entities[e.at()].text_units.iter().copied())
                .collect()
        } else {
            let inside = community.relationships.iter();
            inside
                .flat_map(|r| relationships[r.at()].text_units.iter().copied())
                .collect()
        };
        units.sort_unstable();
        units.dedup();
        community.text_units = units;
    }
    communities
}

/// Gives each community the relationships that lie inside it: one pass over the relationships a level.
fn add_relationships(
    communities: &mut [Community],
    entities: usize,
    relationships: &[Relationship],
) {
    let deepest = communities.iter().map(|c| c.level).max().unwrap_or(0);
    for level in 0..=deepest {
        let mut of = vec![u32::MAX; entities];
        for community in communities.iter().filter(|c| c.level == level) {
            for member in &community.entities {
                of[member.at()] = community.community.0;
            }
        }
        for (row, relationship) in relationships.iter().enumerate() {
            let community = of[relationship.source.at()];
            if community != u32::MAX && community == of[relationship.target.at()] {
                communities[community as usize]
                    .relationships
                    .push(RelationshipIx(row as u32));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntityId, RelationshipId};

    fn graph(edges: &[(u32, u32, f64)], nodes: u32) -> (Vec<Entity>, Vec<Relationship>) {
        let entities = (0..nodes)
            .map(|n| Entity {
                id: EntityId(u128::from(n)),
                title: format!("E{n}"),
                kind: "X".into(),
                description: String::new(),
                aliases: Vec::new(),
                text_units: vec![TextUnitIx(n)],
                frequency: 1,
                degree: 1,
            })
            .collect();
        let relationships = edges
            .iter()
            .enumerate()
            .map(|(row, &(source, target, weight))| Relationship {
                id: RelationshipId(row as u128),
                source: EntityIx(source),
                target: EntityIx(target),
                description: String::new(),
                weight,
                combined_degree: 2,
                text_units: vec![TextUnitIx(source)],
            })
            .collect();
        (entities, relationships)
    }

    // See: the original's use_lcc drops small components.
    #[test]
    fn every_island_has_a_community() {
        let (entities, relationships) = graph(&[(0, 1, 1.0), (2, 3, 1.0), (4, 5, 1.0)], 6);
        let found = communities(&entities, &relationships, &ClusterGraphConfig::default());
        let mut covered: Vec<u32> = found
            .iter()
            .flat_map(|c| &c.entities)
            .map(|e| e.0)
            .collect();
        covered.sort_unstable();
        assert_eq!(covered, [0, 1, 2, 3, 4, 5]);
        assert!(found.iter().all(|c| c.relationships.len() == 1));
    }

    #[test]
    fn without_relationships_there_is_no_community() {
        let (entities, relationships) = graph(&[], 3);
        assert!(communities(&entities, &relationships, &ClusterGraphConfig::default()).is_empty());
    }

    #[test]
    fn only_the_largest_component_is_clustered_when_asked() {
        let (entities, relationships) = graph(&[(0, 1, 1.0), (2, 3, 1.0), (3, 4, 1.0)], 5);
        let config = ClusterGraphConfig {
            use_lcc: true,
            ..ClusterGraphConfig::default()
        };
        let found = communities(&entities, &relationships, &config);
        let mut covered: Vec<u32> = found
            .iter()
            .flat_map(|c| &c.entities)
            .map(|e| e.0)
            .collect();
        covered.sort_unstable();
        assert_eq!(covered, [2, 3, 4]);
    }
}
