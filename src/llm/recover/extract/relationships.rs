//! Relationship rows in JSON: maps, lists of fields, triples.

use std::collections::HashSet;

use super::super::json::{Node, Value};
use super::super::keys::Members;
use super::super::number;
use super::super::outcome::{Code, Notes, Repair};
use super::fields::{
    DESCRIPTION, ID, NAME, RELATION, SOURCE, TARGET, WEIGHT, is_relationship, joined,
};
use super::from_json::{drop_row, is_ellipsis, note_ellipsis};
use super::{RawRelationship, Records, Weight};

pub(super) fn read_relationships(node: &Node, records: &mut Records) {
    match &node.value {
        Value::List(rows) => {
            let has_lists = rows.iter().any(|row| matches!(row.value, Value::List(_)));
            let titles: HashSet<String> = records
                .entities
                .iter()
                .filter(|_| has_lists)
                .map(|entity| entity.name.to_uppercase())
                .collect();
            for row in rows {
                match &row.value {
                    Value::Map(list)
                        if list.is_empty() && records.notes.repairs.contains(Repair::Ellipsis) => {}
                    Value::Map(_) => read_relationship(row, records),
                    Value::List(fields) => read_relationship_fields(row, fields, &titles, records),
                    Value::Text(text) if is_ellipsis(text) => note_ellipsis(&mut records.notes),
                    _ if !row.whole => {}
                    _ => drop_row(Code::BadRelationship, &mut records.notes),
                }
            }
        }
        Value::Null => {}
        Value::Map(list) if list.is_empty() => {}
        Value::Map(list) if is_relationship(&Members::new(list)) => {
            records.notes.repair(Repair::Shape);
            read_relationship(node, records);
        }
        Value::Map(list) => {
            records.notes.repair(Repair::Shape);
            for (_, value) in list {
                match &value.value {
                    Value::Map(_) => read_relationship(value, records),
                    _ if !value.whole => {}
                    _ => drop_row(Code::BadRelationship, &mut records.notes),
                }
            }
        }
        _ if !node.whole => {}
        _ => {
            records.notes.repair(Repair::Shape);
            records.notes.warn(Code::RelationshipsNotList);
        }
    }
}

pub(super) fn read_relationship(row: &Node, records: &mut Records) {
    let Some(mut members) = Members::of(row) else {
        return;
    };
    let only = members.iter().next().filter(|_| members.len() == 1);
    if let Some((
        _,
        _,
        inner @ Node {
            value: Value::Map(_),
            ..
        },
    )) = only
    {
        records.notes.repair(Repair::Wrapper);
        members = Members::of(inner).unwrap_or(members);
    }
    let notes = &mut records.notes;
    let source = members.get(&SOURCE, notes);
    let target = members.get(&TARGET, notes);
    let described = members.has(&DESCRIPTION);
    let description = if described {
        members.get(&DESCRIPTION, notes)
    } else {
        members.get(&RELATION, notes)
    };
    let weight = members.get(&WEIGHT, notes);
    if !row.whole {
        let parts = [source, target, description, weight];
        if parts.iter().any(|part| part.is_none_or(|node| !node.whole)) {
            return;
        }
    }
    if source.is_none() && target.is_none() {
        return drop_row(Code::BadRelationship, notes);
    }
    if description.is_none() {
        notes.repair(Repair::Default);
    }
    let weight = match weight {
        None => Weight::Missing,
        Some(node) if node.is_null() => Weight::Missing,
        Some(node) => Weight::of(number::of(node).map(|number| number.value)),
    };
    records.relationships.push(RawRelationship {
        source: source.map(endpoint).unwrap_or_default(),
        target: target.map(endpoint).unwrap_or_default(),
        description: description.map(joined).unwrap_or_default(),
        weight,
    });
}

/// An endpoint's name; it may be an object of its own.
fn endpoint(node: &Node) -> String {
    match &node.value {
        Value::Map(members) => {
            let members = Members::new(members);
            let mut ignored = Notes::default();
            let name = members
                .get(&NAME, &mut ignored)
                .or_else(|| members.get(&ID, &mut ignored));
            name.and_then(Node::scalar).unwrap_or_default()
        }
        Value::List(items) if items.len() == 1 => {
            items.first().and_then(Node::scalar).unwrap_or_default()
        }
        _ => node.scalar().unwrap_or_default(),
    }
}

/// `["Mira Osei", "Harbor Trust", "audits", 7]` or the triple `["Mira Osei", "audits", "Harbor Trust"]`.
fn read_relationship_fields(
    row: &Node,
    fields: &[Node],
    titles: &HashSet<String>,
    records: &mut Records,
) {
    if !row.whole {
        return;
    }
    let texts: Vec<String> = fields.iter().filter_map(Node::scalar).collect();
    let [source, second, rest @ ..] = texts.as_slice() else {
        return drop_row(Code::BadRelationship, &mut records.notes);
    };
    records.notes.repair(Repair::Shape);
    let is_title = |text: &str| titles.contains(&text.to_uppercase());
    let third = rest.first().cloned().unwrap_or_default();
    let is_triple = !third.is_empty()
        && !is_title(second)
        && (is_title(&third) || rest.len() == 1)
        && !number::is_plain(&third);
    let (target, description) = if is_triple {
        (third, second.clone())
    } else {
        (second.clone(), third)
    };
    let weight = match fields
        .get(3)
        .or(fields.last())
        .map(|node| number::of(node).map(|n| n.value))
    {
        Some(Some(value)) if fields.len() > 2 => Weight::of(Some(value)),
        _ => Weight::Missing,
    };
    let description = if number::is_plain(&description) {
        String::new()
    } else {
        description
    };
    records.relationships.push(RawRelationship {
        source: source.clone(),
        target,
        description,
        weight,
    });
}
