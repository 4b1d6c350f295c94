//! Entity rows in JSON: maps, names alone, lists of fields, or maps by name or by type.

use super::super::json::{Node, Value};
use super::super::keys::{Field, Members};
use super::super::outcome::{Code, Notes, Repair};
use super::fields::{DESCRIPTION, ID, is_entity, is_relationship, joined, kind_node, name_node};
use super::from_json::{drop_row, is_ellipsis, note_ellipsis};
use super::relationships::read_relationship;
use super::{RawEntity, Records};

pub(super) fn read_entities(node: &Node, records: &mut Records) {
    match &node.value {
        Value::List(rows) => {
            let has_maps = rows.iter().any(|row| matches!(row.value, Value::Map(_)));
            for row in rows {
                match &row.value {
                    // `{...}` stands for rows left out.
                    Value::Map(list)
                        if list.is_empty() && records.notes.repairs.contains(Repair::Ellipsis) => {}
                    Value::Map(_) => read_entity(row, records),
                    Value::List(fields) => read_entity_fields(row, fields, records),
                    Value::Text(text) if is_ellipsis(text) => note_ellipsis(&mut records.notes),
                    Value::Text(text) if !has_maps && row.whole => {
                        records.notes.repair(Repair::Shape);
                        push_entity(
                            RawEntity {
                                name: text.clone(),
                                ..RawEntity::default()
                            },
                            records,
                        );
                    }
                    _ if !row.whole => {}
                    _ => drop_row(Code::BadEntity, &mut records.notes),
                }
            }
        }
        Value::Null => {}
        Value::Map(list) if list.is_empty() => {}
        Value::Map(list) => read_entity_map(node, list, records),
        _ if !node.whole => {}
        _ => {
            records.notes.repair(Repair::Shape);
            records.notes.warn(Code::EntitiesNotList);
        }
    }
}

/// `{"Mira Osei": {"type": ...}}`, `{"PERSON": ["Mira Osei"]}`, or one entity where a list should be.
fn read_entity_map(node: &Node, list: &[(String, Node)], records: &mut Records) {
    records.notes.repair(Repair::Shape);
    if is_entity(&Members::new(list)) {
        return read_entity(node, records);
    }
    for (key, value) in list {
        match &value.value {
            Value::Map(fields) => {
                let before = records.entities.len();
                let members = Members::new(fields);
                if members.has(&Field {
                    key: "name",
                    aliases: "entity_name title",
                }) {
                    read_entity(value, records);
                } else if let Some(mut entity) =
                    entity_fields(&members, value.whole, &mut records.notes)
                {
                    entity.name.clone_from(key);
                    push_entity(entity, records);
                }
                if let (Some(entity), true) =
                    (records.entities.get_mut(before), !key.trim().is_empty())
                {
                    entity.id.get_or_insert_with(|| key.clone());
                }
            }
            Value::List(names) => {
                for name in names.iter().filter(|name| name.whole) {
                    match &name.value {
                        Value::Map(_) => read_entity(name, records),
                        _ => match name.scalar() {
                            Some(name) => push_entity(
                                RawEntity {
                                    name,
                                    kind: Some(key.clone()),
                                    ..RawEntity::default()
                                },
                                records,
                            ),
                            None => drop_row(Code::BadEntity, &mut records.notes),
                        },
                    }
                }
            }
            Value::Text(text) if value.whole => {
                let is_kind = !text.trim().is_empty() && !text.trim().contains(' ');
                let kind = is_kind.then(|| text.clone());
                let description = (!is_kind).then(|| text.clone());
                push_entity(
                    RawEntity {
                        name: key.clone(),
                        kind,
                        description,
                        id: None,
                    },
                    records,
                );
            }
            _ if !value.whole => {}
            _ => drop_row(Code::BadEntity, &mut records.notes),
        }
    }
}

pub(super) fn read_entity(row: &Node, records: &mut Records) {
    let Some(members) = Members::of(row) else {
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
        if let Some(members) = Members::of(inner).filter(|members| members.len() > 1) {
            return if is_relationship(&members) {
                read_relationship(inner, records)
            } else {
                read_entity_members(inner, &members, records)
            };
        }
    }
    read_entity_members(row, &members, records);
}

fn read_entity_members(row: &Node, members: &Members<'_>, records: &mut Records) {
    if is_relationship(members) && !is_entity(members) {
        records.notes.repair(Repair::Mislabelled);
        return read_relationship(row, records);
    }
    let Some(entity) = entity_fields(members, row.whole, &mut records.notes) else {
        return;
    };
    match name_node(members, &mut records.notes) {
        Some(node) if !node.whole => {}
        Some(node) => match node.scalar() {
            Some(name) => push_entity(RawEntity { name, ..entity }, records),
            None if node.is_null() => drop_row(Code::MissingName, &mut records.notes),
            None => drop_row(Code::BadEntity, &mut records.notes),
        },
        None if !row.whole => {}
        None => drop_row(Code::MissingName, &mut records.notes),
    }
}

/// All but the name; `None` for a row that the end of the text cut before all its fields were there.
fn entity_fields(members: &Members<'_>, whole: bool, notes: &mut Notes) -> Option<RawEntity> {
    let mut kind_node = kind_node(members, notes);
    let says_entity = kind_node
        .and_then(Node::scalar)
        .is_some_and(|kind| ["entity", "node"].contains(&kind.to_lowercase().as_str()));
    if says_entity {
        let field = Field {
            key: "entity_type",
            aliases: "category class kind entity_category label node_type",
        };
        kind_node = members.get(&field, notes).or(kind_node);
    }
    let description_node = members.get(&DESCRIPTION, notes);
    if !whole {
        let is_whole = |node: Option<&Node>| node.is_some_and(|node| node.whole);
        let name = name_node(members, notes);
        if !(is_whole(kind_node) && is_whole(description_node) && is_whole(name)) {
            return None;
        }
    }
    let kind = kind_node.and_then(|node| match &node.value {
        Value::List(kinds) => kinds.iter().find_map(Node::scalar),
        _ => node.scalar(),
    });
    let description = description_node.map(joined);
    let id = members.get(&ID, notes).and_then(Node::scalar);
    Some(RawEntity {
        id,
        name: String::new(),
        kind,
        description,
    })
}

/// `["Mira Osei", "PERSON", "auditor"]`.
fn read_entity_fields(row: &Node, fields: &[Node], records: &mut Records) {
    let texts: Vec<String> = fields.iter().filter_map(Node::scalar).collect();
    if !row.whole {
        return;
    }
    if texts.len() != fields.len() || texts.is_empty() {
        return drop_row(Code::BadEntity, &mut records.notes);
    }
    records.notes.repair(Repair::Shape);
    let mut texts = texts.into_iter();
    let name = texts.next().unwrap_or_default();
    let kind = texts.next();
    let description = texts.next();
    push_entity(
        RawEntity {
            id: None,
            name,
            kind,
            description,
        },
        records,
    );
}

pub(super) fn push_entity(entity: RawEntity, records: &mut Records) {
    if entity.name.trim().is_empty() {
        return drop_row(Code::MissingName, &mut records.notes);
    }
    records.entities.push(entity);
}
