//! Where a name stands in its text unit, and whether it stands there at all.
//!
//! A model may return the prompt's example, or what it knows of the world, as if the text had said it. A name counts as grounded
//! when its words stand in the text one after the other, case, hyphens, accents of form and inflection allowed for; when all its
//! significant words stand somewhere in it; or when it abbreviates, or is abbreviated by, what stands there.

use rustc_hash::FxHashMap;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// One place: number of the name, start and end (exclusive) in Unicode scalar values.
pub type Occurrence = (u32, u32, u32);

struct Word {
    /// Lower case, without inflection; numbered.
    stem: u32,
    start: u32,
    end: u32,
    /// Start and end in bytes.
    bytes: (u32, u32),
    initial: char,
    capital: bool,
}

#[derive(Default)]
struct Words {
    numbers: FxHashMap<String, u32>,
    scratch: String,
}

/// Cuts the endings that set a name and its inflected form apart: possessives, plurals.
fn stem(word: &mut String) {
    for possessive in ["'s", "’s", "'", "’"] {
        if let Some(stem) = word.strip_suffix(possessive) {
            word.truncate(stem.len());
            break;
        }
    }
    let long_enough = |stem: &&str| stem.chars().count() >= 3;
    if let Some(length) = word.strip_suffix("ies").filter(long_enough).map(str::len) {
        word.truncate(length);
        word.push('i');
        return;
    }
    let is_vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    if let Some(stem) = word
        .strip_suffix('y')
        .filter(long_enough)
        .filter(|stem| !stem.ends_with(is_vowel))
    {
        word.truncate(stem.len());
        word.push('i');
        return;
    }
    let singular = ["ss", "us", "is"]
        .iter()
        .any(|ending| word.ends_with(ending));
    if let Some(stem) = word
        .strip_suffix('s')
        .filter(long_enough)
        .filter(|_| !singular)
    {
        word.truncate(stem.len());
    }
    // "boxes" and "box", "caches" and "cache".
    let hissing = |stem: &&str| {
        ["x", "ch", "sh", "s", "z"]
            .iter()
            .any(|ending| stem.ends_with(ending))
    };
    if let Some(stem) = word.strip_suffix('e').filter(long_enough).filter(hissing) {
        word.truncate(stem.len());
    }
}

/// Lower case; of accented letters the base, so that composed, decomposed and plain spellings are one.
fn fold(word: &str, out: &mut String) {
    out.clear();
    if word.is_ascii() {
        out.extend(word.chars().map(|c| c.to_ascii_lowercase()));
        return;
    }
    out.extend(
        word.nfkd()
            .filter(|&c| !is_combining_mark(c))
            .flat_map(char::to_lowercase),
    );
}

impl Words {
    fn number(&mut self, word: &str, add: bool) -> Option<u32> {
        fold(word, &mut self.scratch);
        stem(&mut self.scratch);
        if let Some(&number) = self.numbers.get(&self.scratch) {
            return Some(number);
        }
        if !add {
            return None;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(self.scratch.clone(), number);
        Some(number)
    }

    fn split(
        &mut self,
        text: &str,
        add: bool,
        mut visit: impl FnMut(&str, Option<u32>, (u32, u32), u32),
    ) {
        let mut at = 0u32;
        let mut start: Option<(usize, u32)> = None;
        let mut previous = ' ';
        let mut chars = text.char_indices().peekable();
        while let Some((byte, c)) = chars.next() {
            let joins = matches!(c, '\'' | '’')
                && previous.is_alphanumeric()
                && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
            // Without spaces between words, every character is one.
            let caseless = is_ideograph(c);
            if caseless || !(c.is_alphanumeric() || joins || is_combining_mark(c)) {
                if let Some((from, from_char)) = start.take() {
                    let word = &text[from..byte];
                    visit(word, self.number(word, add), (from_char, at), from as u32);
                }
                if caseless {
                    let word = &text[byte..byte + c.len_utf8()];
                    visit(word, self.number(word, add), (at, at + 1), byte as u32);
                }
            } else if start.is_none() {
                start = Some((byte, at));
            }
            previous = c;
            at += 1;
        }
        if let Some((from, from_char)) = start {
            let word = &text[from..];
            visit(word, self.number(word, add), (from_char, at), from as u32);
        }
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

/// Words that say nothing about whether a name is in a text.
const INSIGNIFICANT: &[&str] = &[
    "the", "a", "an", "of", "and", "for", "in", "on", "at", "to", "by", "de", "la", "von", "van",
    "mr", "mrs", "ms", "dr", "sir",
];

/// Finds every occurrence of every name, in order of name and place. A name without any is ungrounded.
///
/// Linear in the text for each distinct first word of the names.
pub fn occurrences(text: &str, names: &[&str], out: &mut Vec<Occurrence>) {
    let mut numbers = Words::default();
    let mut words: Vec<Word> = Vec::new();
    numbers.split(text, true, |word, stem, (start, end), from| {
        let initial = word.chars().next().unwrap_or(' ');
        words.push(Word {
            stem: stem.unwrap_or(u32::MAX),
            start,
            end,
            bytes: (from, from + word.len() as u32),
            initial: initial.to_uppercase().next().unwrap_or(initial),
            capital: initial.is_uppercase(),
        });
    });
    let mut places: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (place, word) in words.iter().enumerate() {
        places.entry(word.stem).or_default().push(place as u32);
    }
    let mut parts: Vec<(Option<u32>, bool, usize)> = Vec::new();
    for (row, name) in names.iter().enumerate() {
        let row = row as u32;
        parts.clear();
        numbers.split(name, false, |word, stem, _, _| {
            let lower = word.to_lowercase();
            parts.push((
                stem,
                INSIGNIFICANT.contains(&lower.as_str()),
                word.chars().count(),
            ));
        });
        let before = out.len();
        in_sequence(row, &parts, &words, &places, out);
        if out.len() == before {
            joined(row, name, &words, text, out);
        }
        if out.len() == before {
            scattered(row, &parts, &words, &places, out);
        }
        if out.len() == before {
            abbreviated(row, name, &words, text, out);
        }
    }
}

fn in_sequence(
    row: u32,
    parts: &[(Option<u32>, bool, usize)],
    words: &[Word],
    places: &FxHashMap<u32, Vec<u32>>,
    out: &mut Vec<Occurrence>,
) {
    // An article before a name is often the model's own.
    let skipped = usize::from(parts.len() > 1 && parts[0].1);
    for parts in [parts, &parts[skipped..]] {
        let Some(&(Some(first), ..)) = parts.first() else {
            continue;
        };
        let mut free_from = 0;
        for &place in places.get(&first).map_or(&[][..], Vec::as_slice) {
            let from = place as usize;
            let matches = words.get(from..from + parts.len()).is_some_and(|window| {
                window
                    .iter()
                    .zip(parts)
                    .all(|(word, part)| part.0 == Some(word.stem))
            });
            if matches && from >= free_from {
                free_from = from + parts.len();
                out.push((row, words[from].start, words[free_from - 1].end));
            }
        }
        if free_from > 0 {
            return;
        }
    }
}

fn scattered(
    row: u32,
    parts: &[(Option<u32>, bool, usize)],
    words: &[Word],
    places: &FxHashMap<u32, Vec<u32>>,
    out: &mut Vec<Occurrence>,
) {
    let mut longest: Option<(usize, u32)> = None;
    for &(stem, insignificant, length) in parts {
        if insignificant {
            continue;
        }
        let Some(&place) = stem
            .and_then(|stem| places.get(&stem))
            .and_then(|list| list.first())
        else {
            return;
        };
        if longest.is_none_or(|(best, _)| length > best) {
            longest = Some((length, place));
        }
    }
    if let Some((_, place)) = longest {
        let word = &words[place as usize];
        out.push((row, word.start, word.end));
    }
}

/// "E-mail" for "EMAIL", "data base" for "DATABASE": the same letters, divided otherwise.
fn joined(row: u32, name: &str, words: &[Word], text: &str, out: &mut Vec<Occurrence>) {
    let mut wanted = String::new();
    fold(name, &mut wanted);
    wanted.retain(char::is_alphanumeric);
    let Some(first) = wanted.chars().next().filter(|_| wanted.len() >= 4) else {
        return;
    };
    let mut piece = String::new();
    'places: for from in 0..words.len() {
        let mut rest = wanted.as_str();
        // The initial spares folding nearly every word.
        if words[from].initial.to_lowercase().next() != Some(first)
            && words[from].initial.is_ascii()
        {
            continue;
        }
        for word in &words[from..] {
            let Some(letters) = text.get(word.bytes.0 as usize..word.bytes.1 as usize) else {
                continue 'places;
            };
            fold(letters, &mut piece);
            let Some(left) = rest.strip_prefix(piece.as_str()) else {
                continue 'places;
            };
            rest = left;
            if rest.is_empty() {
                out.push((row, words[from].start, word.end));
                return;
            }
        }
    }
}

/// "PLWA" where the text spells the words out one after the other, or the words where it has "PLWA" alone.
fn abbreviated(row: u32, name: &str, words: &[Word], text: &str, out: &mut Vec<Occurrence>) {
    let letters: Vec<char> = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_uppercase)
        .collect();
    let one_word = !name.trim().contains(char::is_whitespace);
    if one_word && (2..=8).contains(&letters.len()) {
        'places: for from in 0..words.len() {
            if !words[from].capital || words[from].initial != letters[0] {
                continue;
            }
            let mut at = from;
            for &letter in &letters[1..] {
                at += 1;
                // Small words inside ("Bank of England") are passed over.
                while words
                    .get(at)
                    .is_some_and(|word| !word.capital && word.end - word.start <= 3)
                {
                    at += 1;
                }
                if words
                    .get(at)
                    .is_none_or(|word| !word.capital || word.initial != letter)
                {
                    continue 'places;
                }
            }
            out.push((row, words[from].start, words[at].end));
            return;
        }
    }
    if one_word {
        return;
    }
    let parts = || {
        name.split(|c: char| !c.is_alphanumeric())
            .filter(|part| !part.is_empty())
    };
    let initials = |small: bool| -> String {
        parts()
            .filter(|part| small || !INSIGNIFICANT.contains(&part.to_lowercase().as_str()))
            .filter_map(|part| part.chars().next())
            .flat_map(char::to_uppercase)
            .collect()
    };
    for short in [initials(false), initials(true)] {
        if short.chars().count() < 3 {
            continue;
        }
        let found = words.iter().find(|word| {
            text.get(word.bytes.0 as usize..word.bytes.1 as usize) == Some(short.as_str())
        });
        if let Some(word) = found {
            out.push((row, word.start, word.end));
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, name: &str) -> Vec<String> {
        let mut out = Vec::new();
        occurrences(text, &[name], &mut out);
        let chars: Vec<char> = text.chars().collect();
        out.iter()
            .map(|&(_, start, end)| chars[start as usize..end as usize].iter().collect())
            .collect()
    }

    #[test]
    fn every_occurrence_is_found_whatever_its_case_and_ending() {
        let text = "Mira Osei audits. MIRA OSEI's report; the mira-osei file. Mira alone.";
        assert_eq!(
            found(text, "MIRA OSEI"),
            ["Mira Osei", "MIRA OSEI's", "mira-osei"]
        );
        assert_eq!(
            found("Glaciers melt, a glacier moves", "GLACIER"),
            ["Glaciers", "glacier"]
        );
    }

    #[test]
    fn spans_count_characters_not_bytes() {
        assert_eq!(
            found("Übergröße in München – Zoë Müller kam.", "ZOË MÜLLER"),
            ["Zoë Müller"]
        );
    }

    #[test]
    fn what_the_text_does_not_say_is_not_found() {
        let text = "Cloudflare had an outage in November.";
        assert!(found(text, "VERDANT OASIS PLAZA").is_empty());
        assert!(found(text, "UNITY MARCH").is_empty());
    }

    #[test]
    fn scattered_words_and_abbreviations_count() {
        assert_eq!(
            found(
                "The authority for water in Port Lune",
                "PORT LUNE WATER AUTHORITY"
            ),
            ["authority"]
        );
        assert_eq!(
            found("the Port Lune Water Authority met", "PLWA"),
            ["Port Lune Water Authority"]
        );
        assert_eq!(found("the Bank of England met", "BE"), ["Bank of England"]);
    }

    #[test]
    fn inflection_of_either_side_is_allowed_for() {
        for (text, name) in [
            ("the valleys flood", "VALLEY"),
            ("two caches", "CACHE"),
            ("the boxes", "BOX"),
            ("three armies", "ARMY"),
            ("houses", "HOUSE"),
        ] {
            assert_eq!(found(text, name).len(), 1, "{name}");
        }
        assert!(found("his arms", "ARMY").is_empty());
        assert!(found("part of it", "PARTY").is_empty());
    }

    #[test]
    fn accents_and_divided_words_are_no_difference() {
        assert_eq!(
            found("Zoe\u{308} Mu\u{308}ller kam", "ZOË MÜLLER"),
            ["Zoe\u{308} Mu\u{308}ller"]
        );
        assert_eq!(found("Zoë kam", "ZOE"), ["Zoë"]);
        assert_eq!(found("by e-mail", "EMAIL"), ["e-mail"]);
        assert_eq!(found("a database", "DATA BASE"), ["database"]);
    }

    #[test]
    fn a_long_name_is_found_by_its_abbreviation() {
        assert_eq!(found("the PLWA met", "PORT LUNE WATER AUTHORITY"), ["PLWA"]);
        assert_eq!(
            found("the FBI met", "FEDERAL BUREAU OF INVESTIGATION"),
            ["FBI"]
        );
    }

    #[test]
    fn text_without_spaces_is_searched_by_character() {
        assert_eq!(found("华东银行位于港口。", "华东银行"), ["华东银行"]);
    }
}
