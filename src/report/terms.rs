//! Words of a text as 64-bit hashes of their stems: what sentences and names are compared by.

use std::hash::Hasher;
use std::sync::LazyLock;

use rustc_hash::{FxHashSet, FxHasher};

use super::lexicon;

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

/// Bytes of a word that count; longer runs (encoded data) are told apart by this prefix only.
const WORD_BYTES: usize = 48;

/// `themselves`.
const LONGEST_STOP: usize = 10;

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Calls `each` for every word of `text` in order, stop words included.
///
/// A word is a run of letters and digits; an apostrophe inside joins (`O'Brien`), a possessive `'s` is dropped.
pub(super) fn words(text: &str, mut each: impl FnMut(Word)) {
    let bytes = text.as_bytes();
    let stops = &*STOP_TERMS;
    let mut buffer = [0u8; WORD_BYTES];
    let mut at = 0;
    while at < bytes.len() {
        // The plain case first: an ASCII run that nothing joins.
        if bytes[at].is_ascii_alphanumeric() {
            let run = bytes[at..]
                .iter()
                .take_while(|b| b.is_ascii_alphanumeric())
                .count();
            let after = bytes.get(at + run).copied().unwrap_or(b' ');
            if after.is_ascii() && after != b'\'' && run <= WORD_BYTES {
                buffer[..run].copy_from_slice(&bytes[at..at + run]);
                buffer[..run].make_ascii_lowercase();
                let capital = !bytes[at].is_ascii_lowercase();
                each(word(&mut buffer[..run], at, at + run, capital, stops));
                at += run + 1;
                continue;
            }
        }
        let Some((first, width)) = letter(text, at) else {
            at += char_width(bytes[at]);
            continue;
        };
        if is_ideograph(first) {
            each(Word {
                term: hash(&bytes[at..at + width]),
                start: at as u32,
                end: (at + width) as u32,
                stop: false,
                capital: false,
                ideograph: true,
            });
            at += width;
            continue;
        }
        let start = at;
        let mut length = 0;
        let mut end = at;
        loop {
            match letter(text, at) {
                Some((c, width)) if !is_ideograph(c) => {
                    push_lower(c, &mut buffer, &mut length);
                    at += width;
                    end = at;
                }
                Some(_) => break,
                None => {
                    let mark = apostrophe_width(&bytes[at..]);
                    if mark == 0 {
                        break;
                    }
                    match letter(text, at + mark) {
                        Some(('s' | 'S', 1)) if letter(text, at + mark + 1).is_none() => {
                            at += mark + 1;
                            break;
                        }
                        Some(_) => at += mark,
                        None => break,
                    }
                }
            }
        }
        let capital = first.is_uppercase() || first.is_ascii_digit();
        each(word(&mut buffer[..length], start, end, capital, stops));
    }
}

/// A word from its lower-cased bytes, which are stemmed in place.
fn word(lower: &mut [u8], start: usize, end: usize, capital: bool, stops: &WordSet) -> Word {
    let whole = hash(lower);
    let lone = lower.len() < 2 && !lower.first().is_some_and(u8::is_ascii_digit);
    let stop = lone || (lower.len() <= LONGEST_STOP && stops.contains(whole));
    let stemmed = stem(lower);
    Word {
        term: if stemmed.len() == end - start {
            whole
        } else {
            hash(stemmed)
        },
        start: start as u32,
        end: end as u32,
        stop,
        capital,
        ideograph: false,
    }
}

/// The letter or digit that starts at byte `at`, which is a character boundary or the end.
fn letter(text: &str, at: usize) -> Option<(char, usize)> {
    let byte = *text.as_bytes().get(at)?;
    if byte.is_ascii() {
        return byte.is_ascii_alphanumeric().then_some((byte as char, 1));
    }
    let c = text[at..].chars().next()?;
    c.is_alphanumeric().then_some((c, c.len_utf8()))
}

fn char_width(first_byte: u8) -> usize {
    match first_byte {
        0..=0xbf => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    }
}

fn apostrophe_width(bytes: &[u8]) -> usize {
    match bytes {
        [b'\'', ..] => 1,
        [0xe2, 0x80, 0x99, ..] => 3,
        _ => 0,
    }
}

fn push_lower(c: char, buffer: &mut [u8; WORD_BYTES], length: &mut usize) {
    if c.is_ascii() {
        if *length < WORD_BYTES {
            buffer[*length] = c.to_ascii_lowercase() as u8;
            *length += 1;
        }
        return;
    }
    for lower in c.to_lowercase() {
        if *length + lower.len_utf8() <= WORD_BYTES {
            *length += lower.encode_utf8(&mut buffer[*length..]).len();
        }
    }
}

/// Han, kana: scripts written without spaces, where a character is taken as a word.
pub(super) fn is_ideograph(c: char) -> bool {
    matches!(c as u32, 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// Strips plural, `-ed`, `-ing` and a final `e` from an English word (after Harman's S-stemmer and Porter's step 1).
fn stem(word: &mut [u8]) -> &[u8] {
    if word.len() < 4 || !word.is_ascii() || word.iter().any(u8::is_ascii_digit) {
        return word;
    }
    let mut length = word.len();
    if word.ends_with(b"ies") && length > 4 {
        word[length - 3] = b'y';
        length -= 2;
    } else if [&b"sses"[..], b"xes", b"ches", b"shes", b"zes"]
        .iter()
        .any(|end| word.ends_with(end))
    {
        length -= 2;
    } else if word.ends_with(b"s")
        && ![&b"ss"[..], b"us", b"is"]
            .iter()
            .any(|end| word.ends_with(end))
    {
        length -= 1;
    }
    for (ending, least) in [(&b"ing"[..], 6), (b"ed", 5)] {
        let kept = length.saturating_sub(ending.len());
        if length >= least && word[..length].ends_with(ending) && has_vowel(&word[..kept]) {
            length = kept;
            let doubled = length > 3 && word[length - 1] == word[length - 2];
            if doubled && !matches!(word[length - 1], b'l' | b's' | b'z') {
                length -= 1;
            }
            break;
        }
    }
    if length > 4 && word[length - 1] == b'e' {
        length -= 1;
    }
    &word[..length]
}

fn has_vowel(word: &[u8]) -> bool {
    word.iter()
        .any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
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

    fn stem_of(word: &str) -> String {
        let mut bytes = word.as_bytes().to_vec();
        String::from_utf8(stem(&mut bytes).to_vec()).unwrap()
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
    fn inflections_share_a_stem_and_short_words_stay() {
        for group in [
            ["outage", "outages"],
            ["causes", "caused"],
            ["policy", "policies"],
            ["stop", "stopping"],
            ["breach", "breaches"],
            ["class", "classes"],
            ["fill", "filling"],
        ] {
            assert_eq!(stem_of(group[0]), stem_of(group[1]), "{group:?}");
        }
        for word in ["gas", "bus", "ring", "red", "analysis", "census", "2015s"] {
            assert_eq!(stem_of(word), word);
        }
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
