//! Entity and relationship rows in JSON, whatever their keys, wrappers and shapes.

use super::super::json::{Node, Value};
use super::super::keys::Members;
use super::super::opened::Json;
use super::super::outcome::{Code, FinishReason, Notes, Repair};
use super::Records;
use super::entities::{read_entities, read_entity};
use super::fields::{ENTITIES, RELATIONSHIPS, is_entity, is_payload, is_relationship};
use super::relationships::{read_relationship, read_relationships};

/// Finds the rows of an answer's JSON.
pub(super) fn records(json: &mut Json, text: &str, finish: FinishReason) -> Records {
    let is_rows = |members: &Members<'_>| {
        is_payload(members) || is_entity(members) || is_relationship(members)
    };
    json.open_embedded(is_rows, finish);
    json.drop_drafts(text, is_rows);
    let mut records = Records {
        is_cut: json.is_cut,
        notes: json.notes.clone(),
        ..Records::default()
    };
    let mut payloads = 0;
    let mut loose_rows = 0;
    let mut open: Vec<(&Node, usize)> = json.roots.iter().rev().map(|root| (root, 0)).collect();
    while let Some((node, depth)) = open.pop() {
        match &node.value {
            Value::List(items) => {
                let is_bare = items.is_empty() && depth == 0 && node.whole;
                records.has_empty_list |= is_bare;
                records.found |= is_bare && !records.notes.repairs.contains(Repair::Prose);
                if depth == 0 && !items.is_empty() {
                    records.notes.repair(Repair::BareList);
                }
                open.extend(items.iter().rev().map(|item| (item, depth + 1)));
            }
            Value::Map(list) => {
                let members = Members::new(list);
                if is_payload(&members) {
                    records.found = true;
                    payloads += 1;
                    if depth > 0 {
                        records.notes.repair(Repair::Wrapper);
                    }
                    read_payload(&members, &mut records);
                } else if is_relationship(&members) {
                    records.found = true;
                    loose_rows += 1;
                    read_relationship(node, &mut records);
                } else if is_entity(&members) {
                    records.found = true;
                    loose_rows += 1;
                    read_entity(node, &mut records);
                } else {
                    open.extend(list.iter().rev().map(|(_, value)| (value, depth + 1)));
                }
            }
            _ => {}
        }
    }
    if payloads > 1 || (loose_rows > 0 && json.roots.len() > 1) {
        records.notes.repair(Repair::SeveralValues);
    } else if loose_rows > 0 {
        records.notes.repair(Repair::Shape);
    }
    records
}

/// Reads a map as the row it looks like; anything else is left alone.
pub(super) fn read_row(row: &Node, records: &mut Records) {
    let Some(members) = Members::of(row) else {
        return;
    };
    if is_relationship(&members) {
        read_relationship(row, records);
    } else if is_entity(&members) {
        read_entity(row, records);
    }
}

fn read_payload(members: &Members<'_>, records: &mut Records) {
    for node in members.all(&ENTITIES, "entities", &mut records.notes) {
        read_entities(node, records);
    }
    for node in members.all(&RELATIONSHIPS, "relationships", &mut records.notes) {
        read_relationships(node, records);
    }
}

pub(super) fn is_ellipsis(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|c| matches!(c, '.' | '…'))
}

pub(super) fn note_ellipsis(notes: &mut Notes) {
    notes.repair(Repair::Ellipsis);
    notes.warn_once(Code::Ellipsis);
}

pub(super) fn drop_row(code: Code, notes: &mut Notes) {
    notes.repair(Repair::DroppedRow);
    notes.warn(code);
}
