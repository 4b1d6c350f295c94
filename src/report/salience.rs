//! Which members a community is about, and what they are called.

use super::extractive::Corpus;
use super::headline::{capitalised_words, enumerate, near_duplicates, title_case};
use crate::model::{Community, EntityIx};

/// Names in a title.
const TITLE_NAMES: usize = 3;

/// Characters after which no further name is added to a title.
const TITLE_CHARS: usize = 80;

/// A member of a community with its weight there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Member {
    pub entity: EntityIx,
    /// Positive; comparable within one community.
    pub salience: f32,
    /// Edges inside the community.
    pub inner_degree: u32,
    /// Text units of the community that mention it.
    pub units: u32,
}

/// All members, most salient first (ties by row).
///
/// Salience = degree inside x presence x specificity (rare over the corpus, at home here) x being a name rather than a phrase.
pub(super) fn members(corpus: &Corpus<'_>, community: &Community) -> Vec<Member> {
    let mut degrees = vec![0u32; community.entities.len()];
    for relationship in community
        .relationships
        .iter()
        .map(|ix| &corpus.relationships[ix.at()])
    {
        for end in [relationship.source, relationship.target] {
            if let Ok(local) = community.entities.binary_search(&end) {
                degrees[local] += 1;
            }
        }
    }
    let corpus_units = corpus.index.units().max(1) as f32;
    let mut members: Vec<Member> = community
        .entities
        .iter()
        .zip(degrees)
        .map(|(&ix, inner_degree)| {
            let entity = &corpus.entities[ix.at()];
            let units = shared(&entity.text_units, &community.text_units);
            let known = entity.text_units.len().max(1) as f32;
            let specificity = (1.0 + corpus_units / known).ln() / (1.0 + corpus_units).ln();
            let focus = (units as f32 / known).max(0.05);
            let weight = (1.0 + inner_degree as f32).ln() + (1.0 + units as f32).ln();
            Member {
                entity: ix,
                salience: (0.1 + weight) * (specificity * focus).sqrt() * name_factor(corpus, ix),
                inner_degree,
                units,
            }
        })
        .collect();
    members.sort_by(|a, b| {
        b.salience
            .total_cmp(&a.salience)
            .then(a.entity.cmp(&b.entity))
    });
    members
}

/// Size of the intersection of two sorted lists.
fn shared<T: Ord>(a: &[T], b: &[T]) -> u32 {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let mut from = 0;
    let mut count = 0;
    for item in short {
        match long[from..].binary_search(item) {
            Ok(at) => {
                count += 1;
                from += at + 1;
            }
            Err(at) => from += at,
        }
    }
    count
}

/// A name says more than a phrase, a phrase of two words more than one word, anything more than a date or a number.
fn name_factor(corpus: &Corpus<'_>, ix: EntityIx) -> f32 {
    let entity = &corpus.entities[ix.at()];
    let title = entity.title.as_str();
    if is_date_or_number(title)
        || matches!(
            entity.kind.as_str(),
            "DATE" | "TIME" | "NUMBER" | "QUANTITY"
        )
    {
        return 0.15;
    }
    let long = title.contains([' ', '-']);
    let named = match corpus.index.case_votes(ix) {
        0 => !matches!(
            entity.kind.as_str(),
            "CONCEPT" | "NOUN PHRASE" | "UNKNOWN" | ""
        ),
        votes => votes > 0,
    };
    match (named, long) {
        (true, _) => 1.0,
        (false, true) => 0.55,
        (false, false) => 0.3,
    }
}

fn is_date_or_number(title: &str) -> bool {
    const MONTHS: &[&str] = &[
        "JANUARY",
        "FEBRUARY",
        "MARCH",
        "APRIL",
        "MAY",
        "JUNE",
        "JULY",
        "AUGUST",
        "SEPTEMBER",
        "OCTOBER",
        "NOVEMBER",
        "DECEMBER",
        "MONDAY",
        "TUESDAY",
        "WEDNESDAY",
        "THURSDAY",
        "FRIDAY",
        "SATURDAY",
        "SUNDAY",
        "UTC",
        "PST",
        "PDT",
        "GMT",
        "AM",
        "PM",
    ];
    !title.chars().any(char::is_alphabetic)
        || title
            .split(|c: char| !c.is_alphabetic())
            .filter(|word| !word.is_empty())
            .all(|word| MONTHS.contains(&word))
}

/// The name as the text spells it, or the title in title case.
fn spelled(corpus: &Corpus<'_>, ix: EntityIx) -> String {
    let from_text = corpus.index.surface(ix).and_then(|surface| {
        let text = corpus.units.text(surface.unit);
        let name = text.get(surface.start as usize..surface.end as usize)?;
        Some(name.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    from_text.unwrap_or_else(|| title_case(&corpus.entities[ix.at()].title))
}

/// The name for a title: every word that the text writes in lower case is capitalised.
pub(super) fn display_name(corpus: &Corpus<'_>, ix: EntityIx) -> String {
    capitalised_words(&spelled(corpus, ix))
}

/// The name for running text: a common phrase as the text writes it, without a spelling there in lower case.
pub(super) fn running_name(corpus: &Corpus<'_>, ix: EntityIx) -> String {
    match corpus.index.surface(ix) {
        None if corpus.index.case_votes(ix) < 0 => corpus.entities[ix.at()].title.to_lowercase(),
        _ => spelled(corpus, ix),
    }
}

/// The members a title names: the most salient that do not repeat each other.
pub(super) fn title_members(corpus: &Corpus<'_>, members: &[Member]) -> Vec<EntityIx> {
    let mut chosen: Vec<EntityIx> = Vec::new();
    let mut chars = 0;
    let Some(best) = members.first() else {
        return chosen;
    };
    for member in members.iter().take(24) {
        let title = &corpus.entities[member.entity.at()].title;
        if chosen
            .iter()
            .any(|known| near_duplicates(&corpus.entities[known.at()].title, title))
        {
            continue;
        }
        if !chosen.is_empty()
            && (chars + title.len() > TITLE_CHARS || member.salience < best.salience * 0.25)
        {
            continue;
        }
        chars += title.len() + 2;
        chosen.push(member.entity);
        if chosen.len() == TITLE_NAMES {
            break;
        }
    }
    chosen
}

/// `Port Lune Water Authority, Harbor Trust and Mira Osei`.
pub(super) fn title(corpus: &Corpus<'_>, named: &[EntityIx]) -> String {
    let names: Vec<String> = named.iter().map(|&ix| display_name(corpus, ix)).collect();
    enumerate(&names)
}
