//! The encoder that is compiled in: hashed words and word parts, no model.
//!
//! Every word adds a few signed coordinates chosen by its hash, and so do its stem and its character trigrams; the sum is brought to unit length
//! (feature hashing: Weinberger et al., "Feature hashing for large scale multitask learning", 2009; word parts: Bojanowski et al.,
//! "Enriching word vectors with subword information", 2017). Words that bind or are frequent weigh little. Two texts are near
//! when they share rare words, or parts of them: inflections, compounds, misspellings. It knows no synonyms.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::words::{FREQUENT, SILENT};
use super::{EmbedError, Embedder};

const DIMENSION: usize = 384;
/// Coordinates a feature touches: more make collisions milder.
const SPREAD: u64 = 4;
const FREQUENT_WEIGHT: f32 = 0.35;
/// Of a word's weight, what goes to its stem and to its trigrams.
const STEM_SHARE: f32 = 0.6;
const TRIGRAM_SHARE: f32 = 0.5;

/// The built-in encoder. Cheap to make, shared by all threads; the same text gives the same bits on every machine.
pub struct BuiltinEncoder {
    weights: FxHashMap<u64, f32>,
}

impl Default for BuiltinEncoder {
    fn default() -> Self {
        Self::new()
    }
}

impl BuiltinEncoder {
    /// Builds the table of word weights.
    pub fn new() -> Self {
        let mut weights = FxHashMap::default();
        for word in FREQUENT.split_whitespace() {
            weights.insert(hash(word.bytes()), FREQUENT_WEIGHT);
        }
        for word in SILENT.split_whitespace() {
            weights.insert(hash(word.bytes()), 0.0);
        }
        Self { weights }
    }

    fn embed_one(&self, text: &str, row: &mut [f32]) {
        let mut features = Features::default();
        features.collect(text, &self.weights);
        features.merge();
        for &(feature, weight) in &features.list {
            scatter(row, feature, weight);
        }
        super::normalise(row);
    }
}

impl Embedder for BuiltinEncoder {
    fn name(&self) -> String {
        super::WORD_VECTORS.to_owned()
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let mut rows = vec![0.0; texts.len() * DIMENSION];
        rows.par_chunks_mut(DIMENSION)
            .zip(texts)
            .for_each(|(row, text)| self.embed_one(text, row));
        Ok(rows)
    }
}

/// Features of one text with their weights.
#[derive(Default)]
struct Features {
    list: Vec<(u64, f32)>,
    word: String,
}

impl Features {
    fn collect(&mut self, text: &str, weights: &FxHashMap<u64, f32>) {
        for c in text.chars() {
            if c.is_alphanumeric() && !is_ideograph(c) {
                self.word.extend(c.to_lowercase());
            } else if !matches!(c, '\'' | '’') {
                self.end_word(weights);
                if is_ideograph(c) {
                    self.list
                        .push((hash([b'c'].into_iter().chain(utf8(c))), 1.0));
                }
            }
        }
        self.end_word(weights);
    }

    fn end_word(&mut self, weights: &FxHashMap<u64, f32>) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let bare = word.strip_suffix("'s").unwrap_or(&word);
        let whole = hash(bare.bytes());
        let weight = weights.get(&whole).copied().unwrap_or(1.0);
        if weight > 0.0 {
            self.list.push((whole, weight));
            self.list.push((
                hash([b'/'].into_iter().chain(stem(bare).bytes())),
                weight * STEM_SHARE,
            ));
            self.trigrams(bare, weight);
        }
        self.word = word;
        self.word.clear();
    }

    /// The character trigrams of `<word>`; together they weigh as much as the share says.
    fn trigrams(&mut self, word: &str, weight: f32) {
        let count = word.chars().count();
        if count < 5 {
            return;
        }
        let share = weight * TRIGRAM_SHARE / (count as f32).sqrt();
        let mut window = ['<'; 3];
        for c in word.chars().chain(std::iter::once('>')) {
            window = [window[1], window[2], c];
            let feature = hash([b'3'].into_iter().chain(window.into_iter().flat_map(utf8)));
            self.list.push((feature, share));
        }
    }

    /// Adds up equal features; a feature that repeats grows with the square root of its count.
    fn merge(&mut self) {
        self.list
            .sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut count = 1.0f32;
        self.list.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                let before = count.sqrt();
                count += 1.0;
                kept.1 *= count.sqrt() / before;
            } else {
                count = 1.0;
            }
            same
        });
    }
}

/// Adds a feature to the coordinates its hash picks.
fn scatter(row: &mut [f32], feature: u64, weight: f32) {
    for k in 0..SPREAD {
        let bits = mix(feature.wrapping_add(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let at = (bits % DIMENSION as u64) as usize;
        let sign = if bits >> 63 == 0 { weight } else { -weight };
        if let Some(x) = row.get_mut(at) {
            *x += sign;
        }
    }
}

/// The word without the endings of English inflection, roughly: enough that "leaks", "leaking", "leaked" meet.
fn stem(word: &str) -> &str {
    const ENDINGS: [&str; 12] = [
        "ations", "ation", "ings", "ing", "ers", "ies", "ed", "es", "er", "ly", "s", "e",
    ];
    ENDINGS
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .find(|rest| rest.chars().count() >= 4)
        .unwrap_or(word)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn utf8(c: char) -> impl Iterator<Item = u8> {
    let mut buffer = [0; 4];
    let length = c.encode_utf8(&mut buffer).len();
    buffer.into_iter().take(length)
}

/// FNV-1a (Fowler, Noll, Vo).
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
