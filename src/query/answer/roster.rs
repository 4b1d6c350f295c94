//! The things of one kind that the corpus links most: what "who are the main people?" asks for.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::compose::cite;
use crate::query::error::QueryError;
use crate::query::extract::{first_sentences, subject_terms};
use crate::query::index::{Column, Index};
use crate::query::lexical;
use crate::report::citations::DataKind;

/// Things listed.
const LISTED: usize = 12;

/// A kind of things.
pub(super) struct Kind {
    /// Words that ask for it.
    words: &'static str,
    /// Entity types that are of it.
    types: &'static [&'static str],
    /// What things of it are called.
    name: &'static str,
}

const KINDS: [Kind; 5] = [
    Kind {
        words: "person people character figure actor player stakeholder individual",
        types: &["PERSON"],
        name: "people",
    },
    Kind {
        words: "organization organisation company firm agency body institution",
        types: &["ORGANIZATION"],
        name: "organizations",
    },
    Kind {
        words: "place location town city site country region",
        types: &["GEO", "LOCATION"],
        name: "places",
    },
    Kind {
        words: "product system technology tool",
        types: &["PRODUCT"],
        name: "products and systems",
    },
    Kind {
        words: "event",
        types: &["EVENT"],
        name: "events",
    },
];

/// The kind that a question asks for, where it asks for nothing more.
pub(super) fn asked_kind(question: &str) -> Option<&'static Kind> {
    let asked = subject_terms(question);
    KINDS.iter().find(|kind| {
        let words = lexical::term_set(kind.words);
        !asked.is_empty() && asked.iter().all(|term| words.binary_search(term).is_ok())
    })
}

/// Those of the kind with most neighbours, each with the first sentence of its description; `None` where there are none.
pub(super) fn roster(index: &Index, kind: &Kind) -> Result<Option<String>, QueryError> {
    let (entities, types) = (index.entities()?, index.entity_types()?);
    let mut rows: Vec<u32> = (0..entities.titles.len() as u32)
        .filter(|&row| index.allows_entity(row) && kind.types.contains(&types.get(row as usize)))
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let all = rows.len();
    rows.sort_by_key(|&row| (Reverse(entities.degrees.get(row as usize).copied()), row));
    rows.truncate(LISTED);
    let texts = index.texts(Column::EntityDescription, rows.iter().copied())?;
    let mut out = match all > rows.len() {
        true => format!(
            "Of {all} {} in the index, these {} are linked to most others.\n",
            kind.name,
            rows.len()
        ),
        false => format!(
            "These are the {all} {} in the index, the most linked first.\n",
            kind.name
        ),
    };
    for &row in &rows {
        let said = first_sentences(texts.get(row), 1);
        let colon = if said.is_empty() { "" } else { ": " };
        let _ = write!(
            out,
            "\n- **{}**{colon}{said} {}",
            entities.titles.get(row as usize),
            cite(DataKind::Entities, &[entities.numbers.of(row)])
        );
    }
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_a_kind_is_told_from_one_about_it() {
        let read = |question: &str| asked_kind(question).map(|kind| kind.name);
        assert_eq!(read("Who are the main people?"), Some("people"));
        assert_eq!(
            read("Who are the key players in these documents?"),
            Some("people")
        );
        assert_eq!(
            read("Which organisations appear most?"),
            Some("organizations")
        );
        assert_eq!(read("What places are mentioned?"), Some("places"));
        assert_eq!(read("Which people left the company?"), None);
        assert_eq!(read("What is this all about?"), None);
    }
}
