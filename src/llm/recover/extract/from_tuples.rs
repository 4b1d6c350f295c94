//! Entity and relationship rows from tuple records, mislabelled and incomplete ones included.

use std::collections::HashSet;

use super::super::outcome::{Code, FinishReason, Repair};
use super::super::tuple::{self, Record, Tag, Tagging};
use super::super::{ExtractContext, clean, number};
use super::{RawEntity, RawRelationship, Records, Weight};

/// Longer or more wordy texts in a type's place are descriptions.
const MAX_KIND_WORDS: usize = 4;
const MAX_WEIGHT_WORDS: usize = 2;

/// The names and types an answer's plain records give, to tell mislabelled ones from them.
#[derive(Default)]
struct Known {
    titles: HashSet<String>,
    kinds: HashSet<String>,
}

pub(super) fn records(text: &str, finish: FinishReason, context: &ExtractContext<'_>) -> Records {
    let read = tuple::read(text, finish, Tagging::Tagged);
    let mut records = Records {
        is_cut: read.is_cut,
        ..Records::default()
    };
    records.notes.repairs = read.repairs;
    records.found = !read.records.is_empty() || (read.is_complete && only_marks(text));
    let known = known(&read.records, context);
    for record in read.records {
        match kind_of(&record, &known) {
            Some(Tag::Entity) => entity(record, &mut records),
            Some(Tag::Relationship) => relationship(record, &known, &mut records),
            Some(Tag::Other) => records.notes.repair(Repair::DroppedRow),
            None => {
                records.notes.repair(Repair::DroppedRow);
                records.notes.warn(Code::BadEntity);
            }
        }
    }
    records
}

/// Whether the answer is the completion mark alone.
fn only_marks(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphanumeric()).count() <= "completion_delimiter".len()
}

fn known(records: &[Record], context: &ExtractContext<'_>) -> Known {
    let mut known = Known {
        kinds: context
            .entity_types
            .iter()
            .map(|kind| kind.to_uppercase())
            .collect(),
        titles: context
            .known
            .iter()
            .flat_map(|known| &known.entities)
            .map(|entity| entity.title.clone())
            .collect(),
    };
    for record in records
        .iter()
        .filter(|record| record.tag == Some(Tag::Entity) && record.fields.len() == 3)
    {
        let [name, kind, _] = record.fields.as_slice() else {
            continue;
        };
        if let clean::Name::Good(title) = clean::name(name) {
            known.titles.insert(title);
        }
        known.kinds.extend(clean::kind(kind, context.entity_types));
    }
    // A name that is also a type somewhere is a name here only if a plain record with another type gives it.
    known
}

/// What a record is, whatever its tag says.
fn kind_of(record: &Record, known: &Known) -> Option<Tag> {
    let fields = &record.fields;
    let names = |at: usize| {
        fields
            .get(at)
            .is_some_and(|field| title(field).is_some_and(|title| known.titles.contains(&title)))
    };
    let ends_in_number = fields.last().is_some_and(|field| is_number(field));
    match record.tag {
        Some(Tag::Entity) => {
            let is_relation = match fields.len() {
                0..=2 => false,
                // An entity's type is the name of another: ("entity"<|>ANA<|>BO<|>works with).
                3 => {
                    names(0)
                        && names(1)
                        && fields
                            .get(1)
                            .is_some_and(|kind| is_only_here_a_kind(kind, known))
                }
                _ => names(1) && (names(0) || ends_in_number),
            };
            Some(if is_relation {
                Tag::Relationship
            } else {
                Tag::Entity
            })
        }
        Some(Tag::Relationship) => {
            let has_kind = fields
                .get(1)
                .and_then(|field| title(field))
                .is_some_and(|kind| known.kinds.contains(&kind));
            let is_entity =
                fields.len() == 3 && !ends_in_number && !names(0) && !names(1) && has_kind;
            Some(if is_entity {
                Tag::Entity
            } else {
                Tag::Relationship
            })
        }
        Some(Tag::Other) => Some(Tag::Other),
        None => match fields.len() {
            0 | 1 => None,
            _ if names(0) && names(1) => Some(Tag::Relationship),
            4.. if ends_in_number => Some(Tag::Relationship),
            _ => Some(Tag::Entity),
        },
    }
}

/// Whether a name is used as a type by no other record: types come in numbers, a name in a type's place does not.
fn is_only_here_a_kind(kind: &str, known: &Known) -> bool {
    const USUAL: &[&str] = &[
        "ORGANIZATION",
        "PERSON",
        "GEO",
        "EVENT",
        "LOCATION",
        "PRODUCT",
        "DATE",
        "CONCEPT",
    ];
    title(kind).is_some_and(|kind| !USUAL.contains(&kind.as_str()) && known.titles.contains(&kind))
}

fn title(field: &str) -> Option<String> {
    match clean::name(field) {
        clean::Name::Good(title) => Some(title),
        _ => None,
    }
}

fn is_number(field: &str) -> bool {
    number::is_plain(field.trim_matches(['"', '\'', ' ', ')', '）']))
}

fn entity(record: Record, records: &mut Records) {
    if record.tag != Some(Tag::Entity) {
        records.notes.repair(if record.tag.is_some() {
            Repair::Mislabelled
        } else {
            Repair::Tag
        });
    }
    if record.fields.len() != 3 {
        records.notes.repair(Repair::FieldCount);
    }
    let mut fields = record.fields.into_iter();
    let name = fields.next().unwrap_or_default();
    let second = fields.next();
    let third = fields.next();
    // Extra fields belong to the description; a lone number there is a score of no use here.
    let extra: Vec<String> = fields.filter(|field| !is_number(field)).collect();
    let (kind, description) = match (second, third) {
        (Some(kind), Some(description)) => {
            let parts = std::iter::once(description)
                .chain(extra)
                .filter(|part| !part.is_empty());
            (Some(kind), Some(parts.collect::<Vec<_>>().join(" ")))
        }
        (Some(text), None) if text.split_whitespace().count() > MAX_KIND_WORDS => {
            (None, Some(text))
        }
        (kind, description) => (kind, description),
    };
    if name.trim().is_empty() {
        records.notes.repair(Repair::DroppedRow);
        records.notes.warn(Code::MissingName);
        return;
    }
    records.entities.push(RawEntity {
        id: None,
        name,
        kind,
        description,
    });
}

fn relationship(record: Record, known: &Known, records: &mut Records) {
    if record.tag != Some(Tag::Relationship) {
        records.notes.repair(if record.tag.is_some() {
            Repair::Mislabelled
        } else {
            Repair::Tag
        });
    }
    let names = |field: &str| title(field).is_some_and(|title| known.titles.contains(&title));
    if record.fields.len() != 4 {
        records.notes.repair(Repair::FieldCount);
    }
    let mut fields = record.fields;
    let weight = match fields.len() {
        0..=2 => Weight::Missing,
        // ("relationship"<|>A<|>B<|>7): the description is missing, unless B is one: then the target is.
        3 if fields.last().is_some_and(|field| is_number(field)) => take_weight(&mut fields),
        3 => Weight::Missing,
        _ => {
            let last = fields.last().map_or("", String::as_str);
            let is_weight = is_number(last)
                || number::parse(last).is_some()
                || last.split_whitespace().count() <= MAX_WEIGHT_WORDS;
            if is_weight {
                take_weight(&mut fields)
            } else {
                records.notes.repair(Repair::FieldCount);
                Weight::Missing
            }
        }
    };
    let mut fields = fields.into_iter();
    let source = fields.next().unwrap_or_default();
    let target = fields.next();
    let description = fields.max_by_key(|field| field.len());
    let Some(target) = target.filter(|target| description.is_some() || names(target)) else {
        records.notes.repair(Repair::DroppedRow);
        records.notes.warn_about(Code::MissingEndpoint, &source);
        return;
    };
    records.relationships.push(RawRelationship {
        source,
        target,
        description: description.unwrap_or_default(),
        weight,
    });
}

fn take_weight(fields: &mut Vec<String>) -> Weight {
    let field = fields.pop().unwrap_or_default();
    if field.trim_matches(['"', '\'', ' ']).is_empty() {
        return Weight::Missing;
    }
    Weight::of(
        number::parse(field.trim_end_matches([')', '）', '"', '#'])).map(|number| number.value),
    )
}
