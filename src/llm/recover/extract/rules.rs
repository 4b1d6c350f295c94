//! The rules every extraction answer goes through, whatever its format.

use std::collections::{HashMap, HashSet};

use super::super::outcome::{Code, Notes, Repair};
use super::super::{ExtractContext, clean, phrases, repetition};
use super::{RawEntity, Records, Weight};
use crate::model::{ExtractedEntity, ExtractedRelationship, Extraction};

const DEFAULT_WEIGHT: f64 = 1.0;

/// What a title stands for in this answer.
#[derive(Default)]
struct Claimed {
    kind: String,
    id: Option<String>,
    /// Claimed with two types.
    kinds_differ: bool,
    /// Claimed under two ids: the answer itself tells two things apart.
    ids_differ: bool,
}

/// The names of an answer, for the ends of its relationships.
#[derive(Default)]
struct Names {
    titles: HashMap<String, Claimed>,
    /// `None` where two titles share it.
    ids: HashMap<String, Option<String>>,
    /// Titles without their punctuation and spaces.
    loose: HashMap<String, Option<String>>,
}

/// The entity an endpoint means.
struct End {
    title: String,
    by: By,
}

/// What told which entity an endpoint means.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Name,
    Id,
    /// The name but for its punctuation.
    Form,
}

impl Names {
    fn add(&mut self, title: &str, kind: &str, id: Option<&str>) {
        if let Some(claimed) = self.titles.get_mut(title) {
            claimed.kinds_differ |= claimed.kind != kind
                && kind != clean::untyped()
                && claimed.kind != clean::untyped();
            claimed.ids_differ |= claimed.kinds_differ
                && id.is_some()
                && claimed.id.is_some()
                && claimed.id.as_deref() != id;
        } else {
            let claimed = Claimed {
                kind: kind.to_owned(),
                id: id.map(str::to_owned),
                ..Claimed::default()
            };
            self.titles.insert(title.to_owned(), claimed);
            insert_unique(&mut self.loose, loose(title), title);
        }
        if let Some(id) = id {
            insert_unique(&mut self.ids, id.trim().to_uppercase(), title);
        }
    }

    /// The title an endpoint means, and whether it took more than its name to tell.
    fn resolve(&self, title: &str, raw: &str) -> Option<End> {
        if self.titles.contains_key(title) {
            return Some(End {
                title: title.to_owned(),
                by: By::Name,
            });
        }
        let by_id = self.ids.get(&raw.trim().to_uppercase()).cloned().flatten();
        if let Some(title) = by_id {
            return Some(End { title, by: By::Id });
        }
        let by_form = self.loose.get(&loose(title)).cloned().flatten();
        by_form.map(|title| End {
            title,
            by: By::Form,
        })
    }

    fn ambiguous(&self, title: &str) -> Option<(&str, &Claimed)> {
        let (title, claimed) = self.titles.get_key_value(title)?;
        claimed.kinds_differ.then_some((title, claimed))
    }
}

fn insert_unique(map: &mut HashMap<String, Option<String>>, key: String, title: &str) {
    map.entry(key)
        .and_modify(|known| {
            if known.as_deref() != Some(title) {
                *known = None;
            }
        })
        .or_insert_with(|| Some(title.to_owned()));
}

fn loose(title: &str) -> String {
    let title = title.strip_prefix("THE ").unwrap_or(title);
    title.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Cleans the rows, drops and counts the bad ones, and ties relationships to entities.
pub(super) fn assemble(
    records: Records,
    context: &ExtractContext<'_>,
    notes: &mut Notes,
) -> Extraction {
    let mut names = Names::default();
    for known in context.known.iter().flat_map(|known| &known.entities) {
        names.add(&known.title, &known.kind, None);
    }
    let foreign = context
        .examples
        .map(|examples| examples.foreign_titles(context.passage))
        .unwrap_or_default();
    let mut examples: HashSet<String> = HashSet::new();
    let mut seen = HashSet::new();
    let mut extraction = Extraction::default();
    for raw in &records.entities {
        let Some(entity) = entity(raw, context, notes) else {
            continue;
        };
        if foreign.contains(entity.title.as_str()) {
            notes.repair(Repair::PromptExample);
            notes.warn_about(Code::PromptExample, &entity.title);
            examples.insert(entity.title);
            continue;
        }
        names.add(&entity.title, &entity.kind, raw.id.as_deref());
        if !seen.insert((
            entity.title.clone(),
            entity.kind.clone(),
            entity.description.clone(),
        )) {
            note_repetition(notes);
            continue;
        }
        extraction.entities.push(entity);
    }
    let mut seen = HashSet::new();
    for raw in &records.relationships {
        let source = clean_endpoint(&raw.source);
        let target = clean_endpoint(&raw.target);
        let (Some(source), Some(target)) = (source, target) else {
            notes.repair(Repair::DroppedRow);
            notes.warn(Code::EmptyEndpoint);
            continue;
        };
        if examples.contains(&source) || examples.contains(&target) {
            notes.warn_about(Code::PromptExample, &format!("{source} -> {target}"));
            continue;
        }
        let (source_end, target_end) = match (
            names.resolve(&source, &raw.source),
            names.resolve(&target, &raw.target),
        ) {
            (Some(source), Some(target)) => (source, target),
            _ if source == target => {
                notes.warn_about(Code::SelfLoop, &source);
                continue;
            }
            (found, _) => {
                notes.warn_about(
                    Code::UnknownEndpoint,
                    if found.is_some() { &target } else { &source },
                );
                continue;
            }
        };
        if source_end.title == target_end.title {
            notes.warn_about(Code::SelfLoop, &source_end.title);
            continue;
        }
        let description = clean::description(&raw.description);
        if phrases::is_negative_relation(&description) {
            notes.warn_about(
                Code::NegativeRelation,
                &format!("{} -> {}", source_end.title, target_end.title),
            );
            continue;
        }
        let ends = [&source_end, &target_end];
        let ambiguous = ends
            .into_iter()
            .filter(|end| end.by != By::Id)
            .find_map(|end| names.ambiguous(&end.title));
        if let Some((title, claimed)) = ambiguous {
            notes.warn_about(Code::AmbiguousEndpoint, title);
            if claimed.ids_differ {
                continue;
            }
        }
        if ends.into_iter().any(|end| end.by != By::Name) {
            notes.repair(Repair::Endpoint);
        }
        let weight = match raw.weight {
            Weight::Given(weight) => weight,
            Weight::Missing => DEFAULT_WEIGHT,
            Weight::Bad => {
                notes.repair(Repair::Number);
                notes.warn(Code::BadWeight);
                DEFAULT_WEIGHT
            }
        };
        let description = collapse(description, notes);
        let (source, target) = (source_end.title, target_end.title);
        if !seen.insert((
            source.clone(),
            target.clone(),
            description.clone(),
            weight.to_bits(),
        )) {
            note_repetition(notes);
            continue;
        }
        extraction.relationships.push(ExtractedRelationship {
            source,
            target,
            description,
            weight,
        });
    }
    extraction
}

fn entity(
    raw: &RawEntity,
    context: &ExtractContext<'_>,
    notes: &mut Notes,
) -> Option<ExtractedEntity> {
    let title = match clean::name(&raw.name) {
        clean::Name::Good(title) => title,
        clean::Name::Missing => {
            notes.repair(Repair::DroppedRow);
            notes.warn(Code::MissingName);
            return None;
        }
        clean::Name::Suspicious(name) => {
            notes.repair(Repair::DroppedRow);
            notes.warn_about(Code::SuspiciousName, &name);
            return None;
        }
    };
    let kind = raw
        .kind
        .as_deref()
        .and_then(|kind| clean::kind(kind, context.entity_types));
    let kind = kind.unwrap_or_else(|| {
        notes.repair(Repair::Default);
        notes.warn_about(Code::MissingType, &title);
        clean::untyped()
    });
    if raw.description.is_none() {
        notes.repair(Repair::Default);
    }
    let description = collapse(
        clean::description(raw.description.as_deref().unwrap_or("")),
        notes,
    );
    Some(ExtractedEntity {
        title,
        kind,
        description,
    })
}

fn clean_endpoint(raw: &str) -> Option<String> {
    match clean::name(raw) {
        clean::Name::Good(name) | clean::Name::Suspicious(name) => Some(name),
        clean::Name::Missing => None,
    }
}

/// A description that ends in a loop keeps one copy.
fn collapse(description: String, notes: &mut Notes) -> String {
    match repetition::without_loop(&description) {
        Some(once) => {
            note_repetition(notes);
            once.trim_end().to_owned()
        }
        None => description,
    }
}

fn note_repetition(notes: &mut Notes) {
    notes.repair(Repair::Repetition);
    notes.warn_once(Code::Repetition);
}
