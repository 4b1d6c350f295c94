//! Words of a text as 64-bit hashes of their stems: what sentences and names are compared by.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::lexicon;
use crate::chunk::word::{self, Scanned, hash};

/// One word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Hash of the stem. Two stems that share it are counted as one term, which 64 bits make negligible.
    pub term: u64,
    /// Byte offset of its first letter.
    pub start: u32,
    /// Byte offset after its last letter.
    pub end: u32,
    /// Carries no meaning of its own (`the`, `which`, a lone letter).
    pub stop: bool,
    /// Starts with an upper-case letter or a digit.
    pub capital: bool,
    /// An ideograph or kana, which is a word by itself here.
    pub ideograph: bool,
}

/// A set of hashes behind one bit a bucket: most words are in no set, and a bit says so.
struct WordSet {
    buckets: [u64; 64],
    hashes: FxHashSet<u64>,
}

impl WordSet {
    fn new() -> Self {
        Self {
            buckets: [0; 64],
            hashes: FxHashSet::default(),
        }
    }

    fn insert(&mut self, hash: u64) {
        self.buckets[(hash >> 58) as usize] |= 1 << (hash >> 52 & 63);
        self.hashes.insert(hash);
    }

    fn contains(&self, hash: u64) -> bool {
        self.buckets[(hash >> 58) as usize] >> (hash >> 52 & 63) & 1 == 1
            && self.hashes.contains(&hash)
    }
}

static STOP_TERMS: LazyLock<WordSet> = LazyLock::new(|| {
    let mut set = WordSet::new();
    for word in lexicon::STOP_WORDS.split_ascii_whitespace() {
        set.insert(hash(word.as_bytes()));
    }
    set
});

static VERB_TERMS: LazyLock<WordSet> = LazyLock::new(|| {
    let mut set = WordSet::new();
    for verb in lexicon::VERBS.split_ascii_whitespace() {
        words(verb, |word| set.insert(word.term));
    }
    set
});

/// Whether a word may be the finite verb of an English sentence. `surface` is the word as written.
pub(super) fn is_verb(word: &Word, surface: &str) -> bool {
    VERB_TERMS.contains(word.term)
        || (surface.len() > 4 && !word.capital && surface.ends_with("ed"))
}

/// `themselves`.
const LONGEST_STOP: usize = 10;

/// Calls `each` for every word of `text` in order, stop words included; see [`word::scan`].
pub(super) fn words(text: &str, mut each: impl FnMut(Word)) {
    let stops = &*STOP_TERMS;
    word::scan(text, |scanned| each(of(scanned, stops)));
}

/// Stems the word in place.
fn of(scanned: Scanned<'_>, stops: &WordSet) -> Word {
    let length = scanned.lower.len();
    let whole = hash(scanned.lower);
    let lone = length < 2 && !scanned.first.is_ascii_digit();
    let stop = lone || (length <= LONGEST_STOP && stops.contains(whole));
    let stemmed = word::stem(scanned.lower);
    Word {
        term: match stemmed.len() == scanned.end - scanned.start {
            true => whole,
            false => hash(stemmed),
        },
        start: scanned.start as u32,
        end: scanned.end as u32,
        stop,
        capital: scanned.first.is_uppercase() || scanned.first.is_ascii_digit(),
        ideograph: scanned.is_ideograph,
    }
}

/// The sorted, distinct terms of a text without stop words.
pub(super) fn term_set(text: &str) -> Vec<u64> {
    let mut terms = Vec::with_capacity(text.len() / 8);
    words(text, |word| {
        if !word.stop {
            terms.push(word.term);
        }
    });
    terms.sort_unstable();
    terms.dedup();
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surfaces(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        words(text, |word| {
            if !word.stop {
                found.push(&text[word.start as usize..word.end as usize]);
            }
        });
        found
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_without_possessives_and_stop_words() {
        assert_eq!(
            surfaces("The O'Brien report: Osei's pump-7 didn’t start in Zürich."),
            ["O'Brien", "report", "Osei", "pump", "7", "start", "Zürich"]
        );
        assert_eq!(surfaces("水厂 A"), ["水", "厂"]);
        assert_eq!(surfaces(""), [""; 0]);
        assert_eq!(surfaces("'' ’s 's —"), [""; 0]);
    }

    #[test]
    fn case_does_not_matter_to_a_term() {
        assert_eq!(term_set("PORT LUNE ÉCOLE"), term_set("Port Lune école"));
    }

    #[test]
    fn a_very_long_run_is_one_word() {
        let long = "x".repeat(5000);
        assert_eq!(surfaces(&long), [long.as_str()]);
        let accents = "é".repeat(100);
        assert_eq!(surfaces(&accents).len(), 1);
    }
}
