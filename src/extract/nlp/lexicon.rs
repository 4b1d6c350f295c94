//! The lexicon: a word's possible classes as bits, found by the hash of its lower-case form.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::words;

/// Possible classes of a word, one bit each.
pub(super) type Bits = u64;

macro_rules! bits {
    ($($(#[$doc:meta])* $name:ident = $shift:expr;)*) => {$(
        $(#[$doc])*
        pub(super) const $name: Bits = 1 << $shift;
    )*};
}

bits! {
    NOUN = 0;
    PLURAL = 1;
    /// Base form or plural present of a verb.
    VERB = 2;
    /// Third person singular.
    VERB_S = 3;
    PAST = 4;
    PARTICIPLE = 5;
    GERUND = 6;
    ADJECTIVE = 7;
    ADVERB = 8;
    DETERMINER = 9;
    PRONOUN = 10;
    PREPOSITION = 11;
    CONJUNCTION = 12;
    AUXILIARY = 13;
    NUMERAL = 14;
    INTERJECTION = 15;
    /// An adjective that says nothing about what a thing is.
    WEAK = 16;
    /// A noun too vague to head a phrase.
    VAGUE = 17;
    TIME = 18;
    DATE = 19;
    ABBREVIATION = 20;
    HONORIFIC = 21;
    ROLE = 22;
    FIRST_NAME = 23;
    ORGANIZATION_HEAD = 24;
    GEO_HEAD = 25;
    GEO_FIRST = 26;
    EVENT_HEAD = 27;
    PRODUCT_HEAD = 28;
    DOCUMENT_HEAD = 29;
    PLACE = 30;
    DEMONYM = 31;
    SPEECH = 32;
    /// A participle in -ing that heads compounds.
    GERUND_NOUN = 33;
    REFERENCE_PREFIX = 34;
    /// Excluded by the settings.
    EXCLUDED = 35;
    /// Listed, not guessed from a suffix.
    LISTED = 36;
    /// Of a noun-verb word: listed among the nouns too.
    STRONG_NOUN = 37;
    ORGANIZATION_VERB = 38;
    ORGANIZATION_POSSESSION = 39;
    KNOWN_ORGANIZATION = 40;
}

/// Classes that never take part in a noun phrase or a name.
pub(super) const CLOSED: Bits =
    DETERMINER | PRONOUN | PREPOSITION | CONJUNCTION | AUXILIARY | NUMERAL | INTERJECTION;

/// Classes of ordinary words.
pub(super) const OPEN: Bits =
    NOUN | VERB | VERB_S | PAST | PARTICIPLE | GERUND | ADJECTIVE | ADVERB;

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a (Fowler, Noll, Vo) over the bytes of a lower-case word, fed byte by byte while it is scanned.
#[derive(Clone, Copy)]
pub(super) struct WordHash(u64);

impl WordHash {
    pub(super) const fn new() -> Self {
        Self(FNV_OFFSET)
    }

    #[inline]
    pub(super) fn push(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
    }

    #[inline]
    pub(super) fn get(self) -> u64 {
        self.0
    }

    /// Of a whole lower-case word; usable in constants.
    pub(super) const fn of(word: &str) -> u64 {
        let bytes = word.as_bytes();
        let mut hash = FNV_OFFSET;
        let mut at = 0;
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(FNV_PRIME);
            at += 1;
        }
        hash
    }
}

/// Passes an FNV-1a hash through, its high half folded into the low one that picks the bucket.
#[derive(Default)]
pub(super) struct PassThrough(u64);

impl Hasher for PassThrough {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value ^ (value >> 29);
    }
}

/// A map keyed by [`WordHash`]. Ten thousand words in 64 bits: a false match has odds of one in 10^15.
pub(super) type HashKeyed<V> = HashMap<u64, V, BuildHasherDefault<PassThrough>>;

/// The word lists with their generated inflections.
pub(super) struct Lexicon {
    words: HashKeyed<Bits>,
}

impl Lexicon {
    /// Builds the lexicon; `excluded` are the nouns no phrase may contain.
    pub(super) fn new<S: AsRef<str>>(excluded: &[S]) -> Self {
        let mut lexicon = Self {
            words: HashMap::with_capacity_and_hasher(16_384, Default::default()),
        };
        lexicon.add_open_classes();
        lexicon.add_closed_classes();
        lexicon.add_name_hints();
        for word in excluded {
            lexicon.add(&word.as_ref().to_lowercase(), EXCLUDED);
        }
        lexicon
    }

    /// The classes of a word by the hash of its lower-case form; zero if it is not listed.
    #[inline]
    pub(super) fn get(&self, hash: u64) -> Bits {
        self.words.get(&hash).copied().unwrap_or(0)
    }

    fn add(&mut self, word: &str, bits: Bits) {
        *self.words.entry(WordHash::of(word)).or_insert(0) |= bits;
    }

    fn add_list(&mut self, list: &str, bits: Bits) {
        for word in list.split_whitespace() {
            self.add(word, bits | LISTED);
        }
    }

    /// A class that shadows the open classes of the same word ("will", "like").
    fn add_closed(&mut self, list: &str, bits: Bits) {
        for word in list.split_whitespace() {
            *self.words.entry(WordHash::of(word)).or_insert(0) |= bits | LISTED;
        }
    }

    fn add_open_classes(&mut self) {
        let mut buffer = String::new();
        let irregular: HashKeyed<()> = words::IRREGULAR
            .split(';')
            .filter_map(|triple| triple.split_whitespace().next())
            .map(|base| (WordHash::of(base), ()))
            .collect();
        for list in [words::VERBS, words::NOUN_VERBS] {
            for base in list.split_whitespace() {
                self.add(base, VERB | LISTED);
                add_s(base, &mut buffer);
                self.add(&buffer, VERB_S | LISTED);
                self.add_ing(base, &mut buffer);
                if !irregular.contains_key(&WordHash::of(base)) {
                    self.add_ed(base, &mut buffer);
                }
            }
        }
        for triple in words::IRREGULAR.split(';') {
            let mut forms = triple.split_whitespace();
            if let (Some(_), Some(past), Some(participle)) =
                (forms.next(), forms.next(), forms.next())
            {
                self.add(past, PAST | LISTED);
                self.add(participle, PARTICIPLE | LISTED);
            }
        }
        for (list, extra) in [
            (words::NOUN_VERBS, 0),
            (words::NOUNS, STRONG_NOUN),
            (words::ROLES, STRONG_NOUN),
            (words::VAGUE_NOUNS, VAGUE),
            (words::TIME_NOUNS, TIME),
        ] {
            for noun in list.split_whitespace() {
                self.add(noun, NOUN | LISTED | extra);
                add_s(noun, &mut buffer);
                let kept = extra & (VAGUE | TIME);
                self.add(&buffer, NOUN | PLURAL | LISTED | kept);
            }
        }
        self.add_list(
            "people men women children feet teeth mice data media criteria phenomena wives lives \
             knives wolves thieves",
            NOUN | PLURAL,
        );
        self.add_list(words::ADJECTIVES, ADJECTIVE);
        self.add_list(words::WEAK_ADJECTIVES, ADJECTIVE | WEAK);
        self.add_list(words::ADVERBS, ADVERB);
        self.add_list(words::GERUND_NOUNS, GERUND_NOUN | NOUN);
    }

    fn add_closed_classes(&mut self) {
        self.add_closed(words::DETERMINERS, DETERMINER);
        self.add_closed(words::PRONOUNS, PRONOUN);
        self.add_closed(words::PREPOSITIONS, PREPOSITION);
        self.add_closed(words::CONJUNCTIONS, CONJUNCTION);
        self.add_closed(words::AUXILIARIES, AUXILIARY);
        self.add_closed(words::NUMERALS, NUMERAL);
        self.add_closed(words::INTERJECTIONS, INTERJECTION);
    }

    fn add_name_hints(&mut self) {
        for (list, bits) in [
            (words::DATES, DATE),
            (words::ABBREVIATIONS, ABBREVIATION),
            (words::HONORIFICS, HONORIFIC),
            (words::ROLES, ROLE),
            (words::ORGANIZATION_HEADS, ORGANIZATION_HEAD),
            (words::GEO_HEADS, GEO_HEAD),
            (words::GEO_FIRST, GEO_FIRST),
            (words::EVENT_HEADS, EVENT_HEAD),
            (words::PRODUCT_HEADS, PRODUCT_HEAD),
            (words::DOCUMENT_HEADS, DOCUMENT_HEAD),
            (words::REFERENCE_PREFIXES, REFERENCE_PREFIX),
            (words::PLACES, PLACE),
            (words::DEMONYMS, DEMONYM | ADJECTIVE),
            (words::FIRST_NAMES, FIRST_NAME),
            (words::KNOWN_ORGANIZATIONS, KNOWN_ORGANIZATION),
            (words::SPEECH, SPEECH),
            (words::ORGANIZATION_VERBS, ORGANIZATION_VERB),
            (words::ORGANIZATION_POSSESSIONS, ORGANIZATION_POSSESSION),
        ] {
            for word in list.split_whitespace() {
                self.add(word, bits);
            }
        }
        for people in words::DEMONYMS
            .split_whitespace()
            .filter(|word| word.ends_with('s'))
        {
            self.add(people, NOUN | PLURAL);
        }
    }

    fn add_ing(&mut self, base: &str, buffer: &mut String) {
        buffer.clear();
        if let Some(stem) = base.strip_suffix("ie") {
            buffer.push_str(stem);
            buffer.push_str("ying");
        } else {
            let silent_e = base.ends_with('e') && !base.ends_with("ee") && base.len() > 2;
            buffer.push_str(if silent_e {
                &base[..base.len() - 1]
            } else {
                base
            });
            buffer.push_str("ing");
        }
        self.add(buffer, GERUND | LISTED);
        if let Some(last) = doubled(base) {
            buffer.clear();
            buffer.push_str(base);
            buffer.push(last);
            buffer.push_str("ing");
            self.add(buffer, GERUND | LISTED);
        }
    }

    fn add_ed(&mut self, base: &str, buffer: &mut String) {
        buffer.clear();
        match base.strip_suffix('y') {
            Some(stem) if !ends_with_vowel(stem) => {
                buffer.push_str(stem);
                buffer.push_str("ied");
            }
            _ if base.ends_with('e') => {
                buffer.push_str(base);
                buffer.push('d');
            }
            _ => {
                buffer.push_str(base);
                buffer.push_str("ed");
            }
        }
        self.add(buffer, PAST | PARTICIPLE | LISTED);
        if let Some(last) = doubled(base) {
            buffer.clear();
            buffer.push_str(base);
            buffer.push(last);
            buffer.push_str("ed");
            self.add(buffer, PAST | PARTICIPLE | LISTED);
        }
    }
}

/// Writes the form in -s (plural, third person) of a base form.
fn add_s(base: &str, buffer: &mut String) {
    buffer.clear();
    match base.strip_suffix('y') {
        Some(stem) if !ends_with_vowel(stem) => {
            buffer.push_str(stem);
            buffer.push_str("ies");
            return;
        }
        _ => buffer.push_str(base),
    }
    if ["s", "x", "z", "ch", "sh"]
        .iter()
        .any(|end| base.ends_with(end))
    {
        buffer.push('e');
    }
    buffer.push('s');
}

fn ends_with_vowel(word: &str) -> bool {
    word.ends_with(['a', 'e', 'i', 'o', 'u'])
}

/// The consonant that may double before -ed and -ing ("stop", "commit", "travel").
fn doubled(base: &str) -> Option<char> {
    let mut back = base.chars().rev();
    let (last, vowel, before) = (back.next()?, back.next()?, back.next()?);
    let fits = !matches!(last, 'a' | 'e' | 'i' | 'o' | 'u' | 'w' | 'x' | 'y' | 'h')
        && matches!(vowel, 'a' | 'e' | 'i' | 'o' | 'u')
        && (!matches!(before, 'a' | 'e' | 'i' | 'o' | 'u') || base.contains("qu"));
    fits.then_some(last)
}

/// Classes of an unlisted lower-case word, from its ending; `NOUN` when nothing tells.
pub(super) fn guess(word: &str) -> Bits {
    let is = |ends: &[&str]| {
        ends.iter()
            .any(|end| word.len() > end.len() + 2 && word.ends_with(end))
    };
    if is(&["ly"]) {
        return ADVERB;
    }
    if is(&["ing"]) {
        return GERUND;
    }
    if is(&["ed"]) && !is(&["eed"]) {
        return PAST | PARTICIPLE;
    }
    if is(&[
        "ous", "ful", "less", "able", "ible", "ical", "ional", "ial", "ive", "ary", "ic", "ual",
        "eral", "ural", "ish", "some", "like", "proof", "wide", "ular", "ental", "free",
    ]) {
        return ADJECTIVE;
    }
    if is(&["ant", "ent"]) && !is(&["ment"]) {
        return ADJECTIVE | NOUN;
    }
    if is(&["izes", "ises", "ifies"]) {
        return VERB_S;
    }
    if is(&["ize", "ify"]) {
        return VERB;
    }
    if word.ends_with('s') && !is(&["ss", "us", "is"]) {
        return NOUN | PLURAL;
    }
    NOUN
}

/// Whether an ending marks an ordinary derived word, whatever its capital ("Ultimately", "Remediation").
pub(super) fn is_derived(word: &str) -> bool {
    const ENDINGS: [&str; 28] = [
        "ly", "tion", "sion", "ment", "ments", "tions", "sions", "ness", "ing", "ings", "ity",
        "ities", "ance", "ances", "ence", "ences", "ed", "ous", "able", "ible", "ful", "less",
        "ship", "hood", "ive", "ives", "ically", "wards",
    ];
    word.is_ascii()
        && ENDINGS
            .iter()
            .any(|end| word.len() >= end.len() + 4 && word.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(word: &str) -> Bits {
        Lexicon::new::<&str>(&[]).get(WordHash::of(word))
    }

    #[test]
    fn regular_inflections_are_generated() {
        for (word, class) in [
            ("stopped", PAST),
            ("committed", PARTICIPLE),
            ("relies", VERB_S),
            ("causes", VERB_S | NOUN | PLURAL),
            ("lying", GERUND),
            ("making", GERUND),
            ("agreeing", GERUND),
            ("policies", NOUN | PLURAL),
            ("watches", VERB_S),
        ] {
            assert_eq!(bits(word) & class, class, "{word}");
        }
    }

    #[test]
    fn irregular_verbs_have_no_regular_past() {
        assert_eq!(bits("taked"), 0);
        assert_eq!(bits("took") & (PAST | PARTICIPLE), PAST);
        assert_eq!(bits("taken") & (PAST | PARTICIPLE), PARTICIPLE);
    }

    #[test]
    fn endings_tell_the_class_of_unlisted_words() {
        assert_eq!(guess("cautiously"), ADVERB);
        assert_eq!(guess("hydraulic"), ADJECTIVE);
        assert_eq!(guess("ligatures"), NOUN | PLURAL);
        assert_eq!(guess("turbidity"), NOUN);
    }
}
