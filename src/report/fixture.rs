//! Hand-made corpora for the tests of this room.

use std::borrow::Cow;
use std::ops::Range;

use super::TextUnits;
use crate::model::{
    Community, CommunityIx, DocumentIx, Entity, EntityIx, Relationship, RelationshipIx, TextUnitIx,
};

/// Text units as (document, text).
pub(crate) struct Units(pub Vec<(u32, String)>);

impl TextUnits for Units {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn text(&self, ix: TextUnitIx) -> Cow<'_, str> {
        Cow::Borrowed(&self.0[ix.at()].1)
    }

    fn document(&self, ix: TextUnitIx) -> DocumentIx {
        DocumentIx(self.0[ix.at()].0)
    }
}

/// Sentences end at a full stop before white space, or at a blank line.
pub(crate) fn split(text: &str, out: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut start = 0;
    for at in 0..bytes.len() {
        let stop = matches!(bytes[at], b'.' | b'!' | b'?')
            && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
        let blank = bytes[at] == b'\n' && bytes.get(at + 1) == Some(&b'\n');
        if stop || blank {
            out.push(start..at + 1);
            start = at + 1;
        }
    }
    if start < text.len() {
        out.push(start..text.len());
    }
}

pub(crate) fn entity(title: &str, units: &[u32]) -> Entity {
    Entity {
        id: Entity::derive_id(title),
        title: title.into(),
        kind: "ORGANIZATION".into(),
        description: String::new(),
        aliases: Vec::new(),
        text_units: units.iter().copied().map(TextUnitIx).collect(),
        frequency: units.len() as u32,
        degree: 0,
    }
}

/// A relationship with ends by row; degrees are filled in by [`finish`].
pub(crate) fn edge(source: u32, target: u32, description: &str, units: &[u32]) -> Relationship {
    Relationship {
        id: Relationship::derive_id(&source.to_string(), &target.to_string()),
        source: EntityIx(source),
        target: EntityIx(target),
        description: description.into(),
        weight: units.len().max(1) as f64,
        combined_degree: 0,
        text_units: units.iter().copied().map(TextUnitIx).collect(),
    }
}

/// Fills in degrees.
pub(crate) fn finish(entities: &mut [Entity], relationships: &mut [Relationship]) {
    for relationship in relationships.iter() {
        entities[relationship.source.at()].degree += 1;
        entities[relationship.target.at()].degree += 1;
    }
    for relationship in relationships.iter_mut() {
        relationship.combined_degree =
            entities[relationship.source.at()].degree + entities[relationship.target.at()].degree;
    }
}

/// A community of the given members with its inner edges and their text units.
pub(crate) fn community(
    number: u32,
    level: u32,
    parent: Option<u32>,
    children: &[u32],
    members: &[u32],
    entities: &[Entity],
    relationships: &[Relationship],
) -> Community {
    let inside = |ix: EntityIx| members.contains(&ix.0);
    let inner: Vec<usize> = (0..relationships.len())
        .filter(|&row| inside(relationships[row].source) && inside(relationships[row].target))
        .collect();
    let mut text_units: Vec<TextUnitIx> = inner
        .iter()
        .flat_map(|&row| relationships[row].text_units.clone())
        .collect();
    if inner.is_empty() {
        text_units = members
            .iter()
            .flat_map(|&row| entities[row as usize].text_units.clone())
            .collect();
    }
    text_units.sort();
    text_units.dedup();
    Community {
        community: CommunityIx(number),
        level,
        parent: parent.map(CommunityIx),
        children: children.iter().copied().map(CommunityIx).collect(),
        entities: members.iter().copied().map(EntityIx).collect(),
        relationships: inner
            .iter()
            .map(|&row| RelationshipIx(row as u32))
            .collect(),
        text_units,
    }
}
