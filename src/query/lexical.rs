//! Words, stems, and BM25 over a column of texts.
//!
//! [`bm25`] reads the texts: one pass counts their words and those of the query, in parallel. That suits a small index, and texts that
//! are made for the question; a large index has inverted lists (`search/`), which give the same scores.

use std::sync::LazyLock;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

pub use crate::chunk::word::hash;
use crate::chunk::word::{self, Scanned};

/// One word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Hash of the stem.
    pub term: u64,
    /// Hash of the lower-cased word itself.
    pub exact: u64,
    /// Byte offset of its first letter.
    pub start: usize,
    /// Byte offset after its last letter.
    pub end: usize,
    /// Carries no meaning of its own.
    pub stop: bool,
    /// Starts with an upper-case letter.
    pub capital: bool,
    /// Contains a digit.
    pub digit: bool,
}

const STOP_WORDS: &str = "a about above after again all almost also although am among an and another any are around as at be \
    became because become been before being below between both but by can cannot could did do does doing done down due during each \
    either else even ever every few for from further had has have having he her here hers herself him himself his how however i if in \
    into is it its itself just last less let like made make many may me might more most much must my myself neither no nor not now of \
    off often on once one only or other others our ours out over own per rather said same say says shall she should since so some still such \
    than that the their theirs them themselves then there therefore these they this those though through thus to too two under until \
    up upon us very via was we well were what when where whether which while who whom whose why will with within without would yet you \
    your yours tell please describe described explain give list";

static STOPS: LazyLock<FxHashSet<u64>> = LazyLock::new(|| {
    STOP_WORDS
        .split_whitespace()
        .map(|word| hash(word.as_bytes()))
        .collect()
});

/// Whether a word, by its hash, carries no meaning of its own; a single letter that is none of these may.
pub fn is_small(exact: u64) -> bool {
    STOPS.contains(&exact)
}

/// Calls `each` for every word of `text` in order, stop words included; see [`word::scan`].
pub fn words(text: &str, mut each: impl FnMut(Word)) {
    word::scan(text, |scanned| each(of(scanned)));
}

/// Stems the word in place.
fn of(scanned: Scanned<'_>) -> Word {
    let digit = scanned.lower.iter().any(u8::is_ascii_digit);
    let exact = hash(scanned.lower);
    let is_small = scanned.lower.len() < 2 && !digit || is_small(exact);
    let stop = is_small && !scanned.is_ideograph;
    Word {
        term: match stop || scanned.is_ideograph {
            true => exact,
            false => hash(word::stem(scanned.lower)),
        },
        exact,
        start: scanned.start,
        end: scanned.end,
        stop,
        capital: scanned.first.is_uppercase(),
        digit,
    }
}

/// The sorted, distinct terms of a text without stop words.
pub fn term_set(text: &str) -> Vec<u64> {
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

/// Size of the intersection of two sorted lists.
pub fn shared(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                count += 1;
                i += 1;
                j += 1;
            }
        }
    }
    count
}

/// Terms of a question that are searched for. A longer one is a document with a question before or behind it: the first and the
/// last terms will do.
const QUERY_TERMS: usize = 256;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// A text and what BM25 says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The text's row.
    pub row: u32,
    /// Above zero.
    pub score: f32,
}

/// A question's terms with their weights in a column of texts.
#[derive(Clone, Debug, Default)]
pub struct Weighted {
    terms: Vec<u64>,
    idf: Vec<f32>,
    /// Texts that hold each term.
    frequency: Vec<u32>,
}

impl Weighted {
    /// Of `terms`, each of which stands in `frequency` of all `texts`.
    pub fn new(terms: Vec<u64>, frequency: Vec<u32>, texts: usize) -> Self {
        let all = texts as f32;
        let idf = frequency
            .iter()
            .map(|&df| (1.0 + (all - df as f32 + 0.5) / (df as f32 + 0.5)).ln())
            .collect();
        Self {
            terms,
            idf,
            frequency,
        }
    }

    /// Weights of the terms, in their order.
    pub fn idf(&self) -> &[f32] {
        &self.idf
    }

    /// Sum of the weights of the question's terms that a sorted term list holds.
    pub fn overlap(&self, sorted: &[u64]) -> f32 {
        let held = self
            .terms
            .iter()
            .zip(&self.idf)
            .filter(|(term, _)| sorted.binary_search(term).is_ok());
        held.map(|(_, idf)| idf).sum()
    }

    /// Sum of all weights: what a text with every term reaches.
    pub fn total(&self) -> f32 {
        self.idf.iter().sum()
    }

    /// Words of `question` that stand in none of the texts, as the question spells them; that "what" stands nowhere tells nothing.
    pub fn absent<'q>(&self, question: &'q str) -> Vec<&'q str> {
        let mut absent: Vec<&str> = Vec::new();
        words(question, |word| {
            let spelled = &question[word.start..word.end];
            let unknown = |at: usize| self.frequency.get(at) == Some(&0);
            let none = self.terms.binary_search(&word.term).is_ok_and(unknown);
            if none && !is_small(word.exact) && !absent.contains(&spelled) {
                absent.push(spelled);
            }
        });
        absent
    }

    /// Whether the question has no word worth searching for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// The sorted terms of a question that are searched for; single letters only where it has no others, small words never.
pub fn query_terms(query: &str) -> Vec<u64> {
    let mut terms = in_order(query, |word| !word.stop);
    if terms.is_empty() {
        // "Who is Q?"
        terms = in_order(query, |word| !is_small(word.exact));
    }
    if terms.len() > QUERY_TERMS {
        terms.drain(QUERY_TERMS / 2..terms.len() - QUERY_TERMS / 2);
    }
    terms.sort_unstable();
    terms
}

/// The distinct terms of a text as they come.
fn in_order(text: &str, wanted: impl Fn(&Word) -> bool) -> Vec<u64> {
    let mut seen = FxHashSet::default();
    let mut terms = Vec::new();
    words(text, |word| {
        if wanted(&word) && seen.insert(word.term) {
            terms.push(word.term);
        }
    });
    terms
}

/// What a text's length costs it.
#[derive(Clone, Copy, Debug)]
pub struct Norm {
    average: f32,
}

impl Norm {
    /// Of `texts` texts with `total` words together.
    pub fn new(total: u64, texts: usize) -> Self {
        Self {
            average: (total as f32 / texts as f32).max(1.0),
        }
    }

    /// What a term that stands `tf` times in a text of `length` words adds to its score.
    pub fn part(&self, tf: u16, idf: f32, length: u32) -> f32 {
        let norm = K1 * (1.0 - B + B * length as f32 / self.average);
        idf * f32::from(tf) * (K1 + 1.0) / (f32::from(tf) + norm)
    }
}

/// Keeps the `k` best hits, best first, ties by row.
pub fn keep_best(hits: &mut Vec<Hit>, k: usize) {
    let better = |a: &Hit, b: &Hit| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row));
    if k < hits.len() && k > 0 {
        hits.select_nth_unstable_by(k - 1, better);
    }
    hits.truncate(k);
    hits.sort_by(better);
}

/// Okapi BM25 of every text against `query` (Robertson and Zaragoza 2009; k1 1.2, b 0.75, idf with one added so that it stays
/// positive): the hits, best first, ties by row, with the weights used.
pub fn bm25<'a, T>(texts: usize, text: T, query: &str) -> (Vec<Hit>, Weighted)
where
    T: Fn(usize) -> &'a str + Sync,
{
    let terms = query_terms(query);
    if terms.is_empty() || texts == 0 {
        return (Vec::new(), Weighted::default());
    }
    struct Count {
        row: u32,
        length: u32,
        tf: Vec<u16>,
    }
    let count = |row: usize| -> (u32, Option<Count>) {
        let mut length = 0u32;
        let mut tf: Vec<u16> = Vec::new();
        words(text(row), |word| {
            length += 1;
            if let Ok(at) = terms.binary_search(&word.term) {
                if tf.is_empty() {
                    tf.resize(terms.len(), 0);
                }
                tf[at] = tf[at].saturating_add(1);
            }
        });
        let row = row as u32;
        (
            length,
            (!tf.is_empty()).then_some(Count { row, length, tf }),
        )
    };
    let counted: Vec<(u32, Option<Count>)> = (0..texts)
        .into_par_iter()
        .with_min_len(16)
        .map(count)
        .collect();
    let total: u64 = counted.iter().map(|(length, _)| u64::from(*length)).sum();
    let mut frequency = vec![0u32; terms.len()];
    for found in counted.iter().filter_map(|(_, count)| count.as_ref()) {
        for (df, &tf) in frequency.iter_mut().zip(&found.tf) {
            *df += u32::from(tf > 0);
        }
    }
    let norm = Norm::new(total, texts);
    let weights = Weighted::new(terms, frequency, texts);
    let mut hits: Vec<Hit> = counted
        .iter()
        .filter_map(|(_, count)| count.as_ref())
        .map(|found| {
            let parts = found.tf.iter().zip(&weights.idf);
            Hit {
                row: found.row,
                score: parts
                    .map(|(&tf, &idf)| norm.part(tf, idf, found.length))
                    .sum(),
            }
        })
        .collect();
    let all = hits.len();
    keep_best(&mut hits, all);
    (hits, weights)
}

/// Reciprocal rank fusion of ranked lists of rows (Cormack, Clarke and Büttcher 2009, k = 60): rows with the lists they stand in
/// as a bit set, best first, ties by row.
pub fn fuse(lists: &[&[u32]]) -> Vec<(u32, u32)> {
    let mut scores: rustc_hash::FxHashMap<u32, (f64, u32)> = Default::default();
    for (number, list) in lists.iter().enumerate() {
        for (rank, &row) in list.iter().enumerate() {
            let entry = scores.entry(row).or_default();
            entry.0 += 1.0 / (60.0 + rank as f64 + 1.0);
            entry.1 |= 1 << number;
        }
    }
    let mut fused: Vec<(u32, f64, u32)> = scores
        .into_iter()
        .map(|(row, (score, lists))| (row, score, lists))
        .collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    fused
        .into_iter()
        .map(|(row, _, lists)| (row, lists))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_script_and_inflections_share_a_stem() {
        let mut surfaces = Vec::new();
        let text = "The O'Brien report: Osei's pumps didn’t start in Zürich 水厂.";
        words(text, |word| {
            if !word.stop {
                surfaces.push(&text[word.start..word.end]);
            }
        });
        assert_eq!(
            surfaces,
            [
                "O'Brien", "report", "Osei", "pumps", "didn’t", "start", "Zürich", "水", "厂"
            ]
        );
        assert_eq!(
            term_set("valves exercising causes policies"),
            term_set("policy cause exercise valve")
        );
        assert_eq!(term_set("PORT LUNE"), term_set("Port Lune"));
        for hostile in ["", "'", "’s", "é'", "\u{1F642}'s 'S"] {
            words(hostile, |_| {});
        }
    }

    // Expected scores by hand: idf = ln(1 + (N - df + 0.5) / (df + 0.5)), tf part = tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len / avg)).
    #[test]
    fn bm25_gives_the_scores_of_the_formula() {
        let texts = ["pump failed pump", "valve seized here", "pump works"];
        let (hits, weights) = bm25(texts.len(), |row| texts[row], "the pump");
        let average = 8.0 / 3.0;
        let idf = (1.0f32 + (3.0 - 2.0 + 0.5) / 2.5).ln();
        let score =
            |tf: f32, length: f32| idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / average));
        assert_eq!(hits.iter().map(|hit| hit.row).collect::<Vec<_>>(), [0, 2]);
        assert!((hits[0].score - score(2.0, 3.0)).abs() < 1e-6);
        assert!((hits[1].score - score(1.0, 2.0)).abs() < 1e-6);
        assert!((weights.total() - idf).abs() < 1e-6);
    }

    #[test]
    fn words_that_no_text_holds_are_named() {
        let texts = ["pump failed", "valve seized"];
        let question = "Which zebra failed the Pump and the zebra?";
        let (_, weights) = bm25(2, |row| texts[row], question);
        assert_eq!(weights.absent(question), ["zebra"]);
        let question = "What is it, and who is Q?";
        let (_, weights) = bm25(2, |row| texts[row], question);
        assert_eq!(weights.absent(question), ["Q"]);
    }

    #[test]
    fn single_letters_are_searched_for_where_nothing_else_is_and_small_words_never() {
        let texts = ["it was Q", "pump"];
        assert_eq!(bm25(2, |row| texts[row], "who was Q").0.len(), 1);
        assert!(bm25(2, |row| texts[row], "who was it").0.is_empty());
        assert!(bm25(2, |row| texts[row], "?!").0.is_empty());
        assert!(bm25(0, |_| "", "pump").0.is_empty());
    }

    #[test]
    fn fusion_prefers_what_stands_in_both_lists() {
        // 1/61 + 1/62 beats 1/61; row 3 is second in one list only.
        assert_eq!(fuse(&[&[7, 9], &[9, 3]]), [(9, 0b11), (7, 0b01), (3, 0b10)]);
    }
}
