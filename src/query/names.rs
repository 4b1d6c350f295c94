//! Entities that a question names: by title or alias, or by a word of either.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::error::QueryError;
use super::index::{Entities, Index};
use super::lexical::{self, Word};

/// Words of the longest name that is looked for.
const MAX_NAME_WORDS: usize = 8;

/// A word that more titles than this hold names none of them.
pub(super) const MAX_SHARING: usize = 60;

/// Entities a single word may stand for.
const PER_WORD: usize = 3;

/// An entity the question names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Row of the entity.
    pub entity: u32,
    /// Words of the question that named it.
    pub words: u32,
    /// The whole name or alias occurs, not only a word of it.
    pub whole: bool,
}

/// Hashes a name by the hashes of its words.
pub(super) fn hash_words(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    words.iter().for_each(|word| hasher.write_u64(*word));
    hasher.finish()
}

/// What a question may name: its runs of words by their hash, and its single words.
pub(super) struct Asked {
    exact: Vec<u64>,
    runs: FxHashMap<u64, (usize, usize)>,
    single: FxHashSet<u64>,
}

impl Asked {
    pub fn new(question: &str) -> Self {
        let mut asked: Vec<Word> = Vec::new();
        lexical::words(question, |word| asked.push(word));
        let mut runs: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
        let exact: Vec<u64> = asked.iter().map(|word| word.exact).collect();
        let written = written_as_names(&asked);
        for start in 0..asked.len() {
            for end in start + 1..=asked.len().min(start + MAX_NAME_WORDS) {
                let whole = end - start == asked.len();
                let meant = asked[start..end].iter().any(|word| !word.stop)
                    || written[start..end].iter().all(|written| *written);
                if meant || whole {
                    runs.entry(hash_words(&exact[start..end]))
                        .or_insert((start, end));
                }
            }
        }
        // Where the question writes names with capitals, only those words can be part of one.
        let cased = asked.iter().skip(1).any(|word| word.capital && !word.stop);
        let may_name =
            |word: &&Word| !word.stop && word.end - word.start > 2 && (word.capital || !cased);
        let single = asked
            .iter()
            .filter(may_name)
            .map(|word| word.exact)
            .collect();
        Self {
            exact,
            runs,
            single,
        }
    }

    pub fn runs(&self) -> &FxHashMap<u64, (usize, usize)> {
        &self.runs
    }

    pub fn single(&self) -> &FxHashSet<u64> {
        &self.single
    }
}

/// Which small words ("A", "IT", "The Who") are written as names: with a capital that neither the start of the question nor the
/// capitals of all its words account for.
fn written_as_names(asked: &[Word]) -> Vec<bool> {
    let all_capital = asked.iter().all(|word| word.capital);
    let mut starts = true;
    let is_written = |word: &Word| {
        let first = std::mem::replace(&mut starts, false);
        // "B failed": no other word than a name has one such letter.
        let letter = word.end - word.start == 1 && !lexical::is_small(word.exact);
        word.capital && !all_capital && (!first || letter) && word.exact != lexical::hash(b"i")
    };
    asked.iter().map(is_written).collect()
}

/// Entities whose names the question holds.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// By row, the longest run of the question's words that is its title or an alias.
    pub whole: FxHashMap<u32, (usize, usize)>,
    /// By word, the rows, ascending, that have it in a title of more words; more than [`MAX_SHARING`] count as none.
    pub sharing: FxHashMap<u64, Vec<u32>>,
}

/// The words of a name, and whether it is short enough to be looked for.
pub(super) fn name_words(name: &str, words: &mut Vec<u64>) -> bool {
    words.clear();
    lexical::words(name, |word| words.push(word.exact));
    words.len() <= MAX_NAME_WORDS
}

/// One pass over the names; nothing but hashes of the question's words is compared.
fn scan(asked: &Asked, entities: &Entities) -> Found {
    let mut found = Found::default();
    let mut words: Vec<u64> = Vec::with_capacity(16);
    let mut look = |name: &str, row: u32, partial: bool| {
        if name_words(name, &mut words)
            && let Some(&run) = asked.runs.get(&hash_words(&words))
        {
            let known = found.whole.entry(row).or_insert(run);
            if run.1 - run.0 > known.1 - known.0 {
                *known = run;
            }
        }
        if partial && words.len() > 1 {
            for word in words.iter().filter(|word| asked.single.contains(word)) {
                let rows = found.sharing.entry(*word).or_default();
                if rows.len() <= MAX_SHARING && rows.last() != Some(&row) {
                    rows.push(row);
                }
            }
        }
    };
    for (row, title) in entities.titles.iter().enumerate() {
        look(title, row as u32, true);
        for at in entities.aliases.range(row) {
            look(entities.aliases.values.get(at), row as u32, false);
        }
    }
    found
}

/// The entities named in `question`: whole names first, longer before shorter, then more connected before less; then, for words
/// of the question that no longer name covers, the most connected entities that have the word in their title.
///
/// # Errors
/// A table or search file that cannot be read.
pub fn find(question: &str, index: &Index) -> Result<Vec<Named>, QueryError> {
    let asked = Asked::new(question);
    let entities = index.entities()?;
    if asked.runs.is_empty() {
        return Ok(Vec::new());
    }
    let found = match index.search() {
        Some(search) => search.named(&asked, entities.degrees.len())?,
        None => scan(&asked, entities),
    };
    Ok(decide(&asked, found, entities))
}

/// Which of the found are meant, in order.
fn decide(asked: &Asked, found: Found, entities: &Entities) -> Vec<Named> {
    let Found { whole, sharing } = found;
    let degree = |row: u32| entities.degrees.get(row as usize).copied().unwrap_or(0);
    // A name inside a longer one that also matched is not meant: "Port Lune" in "Port Lune Water Authority".
    let runs: Vec<(usize, usize)> = whole.values().copied().collect();
    let inside = |run: (usize, usize)| {
        runs.iter()
            .any(|&(start, end)| start <= run.0 && run.1 <= end && end - start > run.1 - run.0)
    };
    let mut named: Vec<Named> = whole
        .iter()
        .filter(|(_, run)| !inside(**run))
        .map(|(&entity, run)| Named {
            entity,
            words: (run.1 - run.0) as u32,
            whole: true,
        })
        .collect();
    named.sort_by(|a, b| {
        b.words
            .cmp(&a.words)
            .then(degree(b.entity).cmp(&degree(a.entity)))
            .then(a.entity.cmp(&b.entity))
    });
    // A longer name settles who is meant; a single word may also stand for those who have it in a longer one.
    let covered: FxHashSet<u64> = runs
        .iter()
        .filter(|(start, end)| end - start > 1)
        .flat_map(|&(start, end)| asked.exact[start..end].iter().copied())
        .collect();
    let mut partial: FxHashMap<u32, u32> = FxHashMap::default();
    for (word, mut rows) in sharing {
        if covered.contains(&word) || rows.len() > MAX_SHARING {
            continue;
        }
        rows.sort_by(|a, b| degree(*b).cmp(&degree(*a)).then(a.cmp(b)));
        // All that share two of the question's words count, of one word only the most connected.
        for (place, row) in rows.into_iter().enumerate() {
            let entry = partial.entry(row).or_default();
            *entry += if place < PER_WORD { 2 } else { 1 };
        }
    }
    let mut partial: Vec<Named> = partial
        .into_iter()
        .filter(|&(row, votes)| votes >= 2 && !whole.contains_key(&row))
        .map(|(entity, votes)| Named {
            entity,
            words: votes.div_ceil(2),
            whole: false,
        })
        .collect();
    partial.sort_by(|a, b| {
        b.words
            .cmp(&a.words)
            .then(degree(b.entity).cmp(&degree(a.entity)))
            .then(a.entity.cmp(&b.entity))
    });
    named.extend(partial);
    named
}

#[cfg(test)]
mod tests {
    use super::super::index::fixture::Parts;
    use super::*;

    fn named(question: &str) -> Vec<(String, bool)> {
        let index = Parts {
            entities: vec![
                ("PORT LUNE WATER AUTHORITY", "", vec![], vec!["PLWA"]),
                ("PORT LUNE", "", vec![], vec![]),
                ("MIRA OSEI", "", vec![], vec![]),
                ("TOM OSEI", "", vec![], vec![]),
                ("THE WHO", "", vec![], vec![]),
                ("VALVE", "", vec![], vec![]),
                ("MAIN STREET", "", vec![], vec![]),
                ("A", "", vec![], vec![]),
                ("B", "", vec![], vec![]),
                ("IT", "", vec![], vec![]),
                ("I", "", vec![], vec![]),
            ],
            relationships: vec![(2, 1, "", 1.0, vec![]), (2, 0, "", 1.0, vec![])],
            ..Parts::default()
        }
        .index();
        let entities = index.entities().unwrap();
        let found = find(question, &index).unwrap();
        found
            .iter()
            .map(|named| {
                (
                    entities.titles.get(named.entity as usize).to_owned(),
                    named.whole,
                )
            })
            .collect()
    }

    fn whole(name: &str) -> (String, bool) {
        (name.to_owned(), true)
    }

    #[test]
    fn the_longest_name_counts_and_an_alias_too() {
        assert_eq!(
            named("what did the Port Lune Water Authority's board do?"),
            [whole("PORT LUNE WATER AUTHORITY")]
        );
        assert_eq!(
            named("Who runs PLWA in Port Lune?"),
            [whole("PORT LUNE"), whole("PORT LUNE WATER AUTHORITY")]
        );
    }

    #[test]
    fn a_surname_names_those_who_have_it_the_best_connected_first() {
        let expected = [
            ("MIRA OSEI".to_owned(), false),
            ("TOM OSEI".to_owned(), false),
        ];
        assert_eq!(named("who is osei"), expected);
        assert_eq!(named("Who is Tom Osei?"), [whole("TOM OSEI")]);
    }

    #[test]
    fn a_word_in_lower_case_is_no_name_where_names_have_capitals() {
        let asked = "Who is Mira Osei and what are her main tasks?";
        assert_eq!(named(asked), [whole("MIRA OSEI")]);
        assert_eq!(
            named("what is on main?"),
            [("MAIN STREET".to_owned(), false)]
        );
    }

    #[test]
    fn small_words_name_nobody() {
        assert_eq!(named("who was the one?"), []);
        assert_eq!(named(""), []);
        assert_eq!(named("valves and a valve"), [whole("VALVE")]);
    }

    /// Entities named by small words were never found, not even by their exact names.
    #[test]
    fn a_small_word_written_as_a_name_is_one() {
        for asked in [
            "What is A?",
            "A",
            "a",
            "Is pump A old?",
            "WHO RUNS A?\u{20}why?",
        ] {
            assert_eq!(named(asked), [whole("A")], "{asked}");
        }
        for asked in [
            "A pump failed",
            "what is a pump?",
            "WHAT IS A PUMP?",
            "Who am I?",
        ] {
            assert_eq!(named(asked), [], "{asked}");
        }
        assert_eq!(named("B failed, why?"), [whole("B")]);
        assert_eq!(named("What does IT do?"), [whole("IT")]);
        assert_eq!(named("What does it do?"), []);
        assert_eq!(named("When did The Who play?"), [whole("THE WHO")]);
    }
}
