//! The graph before pruning and summaries: mentions merged by entity, in integers.

use rustc_hash::FxHashMap;

use crate::extract::harvest::{Harvest, NO_DESCRIPTION};
use crate::model::Mention;
use crate::resolve::Resolution;

/// An entity with everything that was said of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DraftEntity {
    /// Row in [`Resolution::entities`].
    pub resolved: u32,
    /// Text units that mention it, sorted, without repeats.
    pub units: Vec<u32>,
    /// Numbers of its distinct descriptions, in order of appearance.
    pub descriptions: Vec<u32>,
}

/// A relationship with everything that was said of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DraftRelationship {
    /// Entity row.
    pub source: u32,
    /// Entity row.
    pub target: u32,
    /// Sum over its supports.
    pub weight: f64,
    /// Text units that support it, sorted, without repeats.
    pub units: Vec<u32>,
    /// Numbers of its distinct descriptions, in order of appearance.
    pub descriptions: Vec<u32>,
}

/// Entities, relationships and mentions with dense rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DraftGraph {
    /// In order of first mention.
    pub entities: Vec<DraftEntity>,
    /// In order of first statement; directed.
    pub relationships: Vec<DraftRelationship>,
    /// `name` is the entity's row; sorted by entity, text unit and place.
    pub mentions: Vec<Mention>,
}

fn push_new(list: &mut Vec<u32>, value: u32) {
    // Lists are short and repeats come from the same text unit, near the end.
    if value != NO_DESCRIPTION && !list.contains(&value) {
        list.push(value);
    }
}

fn push_unit(list: &mut Vec<u32>, unit: u32) {
    if list.last() != Some(&unit) {
        list.push(unit);
    }
}

impl DraftGraph {
    /// Merges entity mentions by resolved entity and relationship mentions by directed pair.
    ///
    /// A relationship whose end is no entity, or that joins an entity to itself, is dropped; the number of those dropped is
    /// returned beside the graph.
    pub fn assemble(harvest: &Harvest, resolution: &Resolution) -> (Self, usize) {
        let mut graph = Self {
            entities: (0..resolution.entities.len())
                .map(|row| DraftEntity {
                    resolved: row as u32,
                    ..DraftEntity::default()
                })
                .collect(),
            ..Self::default()
        };
        let mut seen: Vec<FxHashMap<u32, ()>> = Vec::new();
        seen.resize_with(graph.entities.len(), FxHashMap::default);
        for mention in &harvest.entities {
            let Some(row) = resolution.entity(mention.name, mention.unit) else {
                continue;
            };
            let entity = &mut graph.entities[row as usize];
            push_unit(&mut entity.units, mention.unit);
            if mention.description != NO_DESCRIPTION
                && seen[row as usize].insert(mention.description, ()).is_none()
            {
                entity.descriptions.push(mention.description);
            }
            if let Some((char_start, char_end)) = mention.span {
                graph.mentions.push(Mention {
                    name: row,
                    text_unit: mention.unit,
                    char_start,
                    char_end,
                });
            }
        }
        graph.mentions.sort_unstable();
        graph.mentions.dedup();
        let dropped = graph.add_relationships(harvest, resolution);
        (graph, dropped)
    }

    fn add_relationships(&mut self, harvest: &Harvest, resolution: &Resolution) -> usize {
        let mut dropped = 0;
        let mut rows: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        for mention in &harvest.relationships {
            let source = resolution.entity(mention.source, mention.unit);
            let target = resolution.entity(mention.target, mention.unit);
            let (Some(source), Some(target)) = (source, target) else {
                dropped += 1;
                continue;
            };
            if source == target {
                dropped += 1;
                continue;
            }
            let row = *rows.entry((source, target)).or_insert_with(|| {
                self.relationships.push(DraftRelationship {
                    source,
                    target,
                    ..DraftRelationship::default()
                });
                self.relationships.len() - 1
            });
            let relationship = &mut self.relationships[row];
            relationship.weight += mention.weight;
            push_unit(&mut relationship.units, mention.unit);
            push_new(&mut relationship.descriptions, mention.description);
        }
        dropped
    }

    /// Distinct neighbours of every entity.
    pub fn degrees(&self) -> Vec<u32> {
        let mut pairs: Vec<(u32, u32)> = self
            .relationships
            .iter()
            .map(|r| (r.source.min(r.target), r.source.max(r.target)))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut degrees = vec![0; self.entities.len()];
        for (a, b) in pairs {
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
        }
        degrees
    }

    /// Keeps the marked entities and relationships, renumbering rows; relationships of a lost entity go with it.
    pub fn retain(&mut self, keep_entity: &[bool], keep_relationship: &[bool]) {
        let mut row_of = vec![u32::MAX; self.entities.len()];
        let mut next = 0;
        for (row, &keep) in keep_entity.iter().enumerate() {
            if keep {
                row_of[row] = next;
                next += 1;
            }
        }
        let mut row = 0;
        self.entities.retain(|_| {
            row += 1;
            keep_entity[row - 1]
        });
        let mut row = 0;
        self.relationships.retain_mut(|relationship| {
            row += 1;
            relationship.source = row_of[relationship.source as usize];
            relationship.target = row_of[relationship.target as usize];
            keep_relationship[row - 1]
                && relationship.source != u32::MAX
                && relationship.target != u32::MAX
        });
        self.mentions.retain_mut(|mention| {
            mention.name = row_of[mention.name as usize];
            mention.name != u32::MAX
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::harvest::{EntityMention, RelationshipMention};
    use crate::resolve::{Options, resolve};

    fn harvest() -> Harvest {
        let mut harvest = Harvest::default();
        for (name, unit, text) in [
            ("A", 0, "one"),
            ("B", 0, ""),
            ("A", 1, "two"),
            ("A", 1, "one"),
        ] {
            let mention = EntityMention {
                name: harvest.names.intern(name),
                unit,
                kind: harvest.kinds.intern("X"),
                description: if text.is_empty() {
                    NO_DESCRIPTION
                } else {
                    harvest.descriptions.intern(text)
                },
                span: Some((unit, unit + 1)),
                sentence: 0,
                cues: Default::default(),
            };
            harvest.entities.push(mention);
        }
        let lost = harvest.names.intern("LOST");
        for (source, target, unit, weight) in [
            (0, 1, 0, 3.0),
            (1, 0, 0, 5.0),
            (0, 1, 1, 2.0),
            (0, lost, 1, 1.0),
            (0, 0, 1, 1.0),
        ] {
            harvest.relationships.push(RelationshipMention {
                source,
                target,
                unit,
                description: NO_DESCRIPTION,
                weight,
            });
        }
        harvest
    }

    #[test]
    fn directed_pairs_stay_apart_and_weights_add_up() {
        let harvest = harvest();
        let (graph, dropped) =
            DraftGraph::assemble(&harvest, &resolve(&harvest, &Options::default()));
        assert_eq!(dropped, 2);
        let rows: Vec<_> = graph
            .relationships
            .iter()
            .map(|r| (r.source, r.target, r.weight, r.units.clone()))
            .collect();
        assert_eq!(rows, [(0, 1, 5.0, vec![0, 1]), (1, 0, 5.0, vec![0])]);
        assert_eq!(graph.entities[0].units, [0, 1]);
        assert_eq!(graph.entities[0].descriptions, [0, 1]);
        assert_eq!(graph.degrees(), [1, 1]);
    }

    #[test]
    fn retaining_renumbers_everything() {
        let harvest = harvest();
        let (mut graph, _) =
            DraftGraph::assemble(&harvest, &resolve(&harvest, &Options::default()));
        graph.retain(&[false, true], &[true, true]);
        assert_eq!(graph.entities.len(), 1);
        assert_eq!(graph.entities[0].resolved, 1);
        assert!(graph.relationships.is_empty());
        assert_eq!(graph.mentions.len(), 1);
        assert_eq!(graph.mentions[0].name, 0);
    }
}
