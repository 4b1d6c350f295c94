//! Draft graph and descriptions -> entities and relationships with ids and degrees.

use crate::graph::draft::DraftGraph;
use crate::model::{Entity, EntityIx, Relationship, TextUnitIx};
use crate::resolve::Resolution;

/// Fills in what only the whole graph knows. Descriptions are by row.
pub fn finalize(
    graph: &DraftGraph,
    resolution: &Resolution,
    entity_descriptions: Vec<String>,
    relationship_descriptions: Vec<String>,
) -> (Vec<Entity>, Vec<Relationship>) {
    let degrees = graph.degrees();
    let units = |rows: &[u32]| {
        rows.iter()
            .map(|&unit| TextUnitIx(unit))
            .collect::<Vec<_>>()
    };
    let entities: Vec<Entity> = graph
        .entities
        .iter()
        .zip(entity_descriptions)
        .enumerate()
        .map(|(row, (draft, description))| {
            let resolved = &resolution.entities[draft.resolved as usize];
            Entity {
                id: Entity::derive_id(&resolved.title),
                title: resolved.title.clone(),
                kind: resolved.kind.clone(),
                description,
                aliases: resolved.aliases.clone(),
                text_units: units(&draft.units),
                frequency: draft.units.len() as u32,
                degree: degrees[row],
            }
        })
        .collect();
    let relationships = graph
        .relationships
        .iter()
        .zip(relationship_descriptions)
        .map(|(draft, description)| Relationship {
            id: Relationship::derive_id(
                &entities[draft.source as usize].title,
                &entities[draft.target as usize].title,
            ),
            source: EntityIx(draft.source),
            target: EntityIx(draft.target),
            description,
            weight: draft.weight,
            combined_degree: degrees[draft.source as usize] + degrees[draft.target as usize],
            text_units: units(&draft.units),
        })
        .collect();
    (entities, relationships)
}
