//! Finds the entities' names in tokenised sentences: leftmost, longest, only where the entity is known to occur.

use rustc_hash::FxHashMap;

use super::terms::{self, Word};
use crate::model::{Entity, EntityIx, TextUnitIx};

/// All names of all entities, keyed by their first term.
pub(super) struct Names<'a> {
    entities: &'a [Entity],
    terms: Vec<u64>,
    names: Vec<Name>,
    by_first: FxHashMap<u64, (u32, u32)>,
}

#[derive(Clone, Copy)]
struct Name {
    entity: u32,
    start: u32,
    length: u32,
    /// The title itself, not an alias.
    title: bool,
}

/// One place where an entity is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub entity: EntityIx,
    /// Positions of its first and last word among the sentence's content words.
    pub first: usize,
    pub last: usize,
    pub title: bool,
}

impl<'a> Names<'a> {
    /// Reads titles and aliases; of `MERCURY (PROJECT)` also `MERCURY`.
    pub(super) fn new(entities: &'a [Entity]) -> Self {
        let mut terms = Vec::new();
        let mut names: Vec<Name> = Vec::new();
        for (row, entity) in entities.iter().enumerate() {
            let bare = entity.title.split_once(" (").map(|(bare, _)| bare);
            let titles =
                std::iter::once((entity.title.as_str(), true)).chain(bare.map(|bare| (bare, true)));
            let aliases = entity.aliases.iter().map(|alias| (alias.as_str(), false));
            for (text, title) in titles.chain(aliases) {
                let start = terms.len();
                terms::words(text, |word| {
                    if !word.stop {
                        terms.push(word.term);
                    }
                });
                if terms.len() > start {
                    names.push(Name {
                        entity: row as u32,
                        start: start as u32,
                        length: (terms.len() - start) as u32,
                        title,
                    });
                }
            }
        }
        let sequence =
            |name: &Name| &terms[name.start as usize..(name.start + name.length) as usize];
        names.sort_by(|a, b| {
            let (left, right) = (sequence(a), sequence(b));
            (left[0], right.len(), left, a.entity, !a.title).cmp(&(
                right[0],
                left.len(),
                right,
                b.entity,
                !b.title,
            ))
        });
        let mut by_first = FxHashMap::default();
        let mut start = 0;
        for group in names.chunk_by(|a, b| sequence(a)[0] == sequence(b)[0]) {
            by_first.insert(sequence(&group[0])[0], (start, start + group.len() as u32));
            start += group.len() as u32;
        }
        Self {
            entities,
            terms,
            names,
            by_first,
        }
    }

    /// Appends the names found in a sentence's content words, in order, without overlap.
    pub(super) fn find(&self, sentence: &[Word], unit: TextUnitIx, out: &mut Vec<Found>) {
        let mut at = 0;
        while at < sentence.len() {
            match self.longest(&sentence[at..], unit) {
                Some(name) => {
                    let last = at + name.length as usize - 1;
                    out.push(Found {
                        entity: EntityIx(name.entity),
                        first: at,
                        last,
                        title: name.title,
                    });
                    at = last + 1;
                }
                None => at += 1,
            }
        }
    }

    fn longest(&self, words: &[Word], unit: TextUnitIx) -> Option<&Name> {
        let &(start, end) = self.by_first.get(&words.first()?.term)?;
        // Longest names come first within a group.
        self.names[start as usize..end as usize]
            .iter()
            .find(|name| {
                let sequence =
                    &self.terms[name.start as usize..(name.start + name.length) as usize];
                sequence.len() <= words.len()
                    && sequence
                        .iter()
                        .zip(words)
                        .all(|(term, word)| *term == word.term)
                    && self.entities[name.entity as usize]
                        .text_units
                        .binary_search(&unit)
                        .is_ok()
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::entity;

    fn found(entities: &[Entity], text: &str, unit: u32) -> Vec<(u32, bool)> {
        let mut words = Vec::new();
        terms::words(text, |word| {
            if !word.stop {
                words.push(word);
            }
        });
        let mut out = Vec::new();
        Names::new(entities).find(&words, TextUnitIx(unit), &mut out);
        out.iter().map(|f| (f.entity.0, f.title)).collect()
    }

    #[test]
    fn the_longest_name_wins_and_an_inner_name_is_not_counted() {
        let entities = [
            entity("PORT LUNE", &[0]),
            entity("PORT LUNE WATER AUTHORITY", &[0]),
        ];
        assert_eq!(
            found(
                &entities,
                "In Port Lune the Port Lune Water Authority met.",
                0
            ),
            [(0, true), (1, true)]
        );
    }

    #[test]
    fn an_alias_counts_as_its_entity_and_a_homonym_only_in_its_own_units() {
        let mut authority = entity("PORT LUNE WATER AUTHORITY", &[0, 1]);
        authority.aliases = vec!["PLWA".into()];
        let entities = [
            authority,
            entity("MERCURY (PROJECT)", &[0]),
            entity("MERCURY (METAL)", &[1]),
        ];
        assert_eq!(
            found(&entities, "PLWA closed Mercury.", 0),
            [(0, false), (1, true)]
        );
        assert_eq!(
            found(&entities, "PLWA measured mercury.", 1),
            [(0, false), (2, true)]
        );
        assert_eq!(found(&entities, "PLWA measured mercury.", 2), []);
    }
}
