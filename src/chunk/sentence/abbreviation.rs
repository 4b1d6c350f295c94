//! Full stops that do not end a sentence: abbreviations, initials, list numbers.

/// Longest word that is looked up, in bytes.
const LONGEST: usize = 8;

/// Never the last word of a sentence: a name, a number or an example follows.
const BEFORE_MORE: &[&str] = &[
    "adm", "approx", "capt", "cf", "cmdr", "col", "cpl", "dr", "eg", "e.g", "fr", "gen", "gov",
    "hon", "ie", "i.e", "lt", "maj", "messrs", "mlle", "mme", "mr", "mrs", "ms", "mt", "mx",
    "pres", "prof", "rep", "rev", "sen", "sgt", "supt", "viz", "vs",
];

/// Abbreviations only before a number: `No. 5`, `pp. 12`, `Jan. 3`; else words like any other.
const BEFORE_NUMBER: &[&str] = &[
    "apr", "art", "aug", "bd", "c", "ca", "ch", "chap", "cl", "dec", "eq", "ext", "feb", "fig",
    "figs", "jan", "jul", "jun", "l", "mar", "n", "no", "nos", "nov", "nr", "oct", "p", "para",
    "pg", "pl", "pp", "pt", "ref", "s", "sec", "sect", "sep", "sept", "tab", "tel", "v", "ver",
    "vol", "vols", "ss",
];

/// May end a sentence; does so only before a word that commonly starts one.
const EITHER: &[&str] = &[
    "assn", "assoc", "ave", "b.c", "bldg", "blvd", "bros", "co", "corp", "dept", "dist", "div",
    "esq", "est", "ft", "govt", "hwy", "inc", "jr", "llc", "ltd", "md", "mfg", "mgr", "ph.d",
    "plc", "rd", "rte", "sr", "st", "ste", "univ",
];

/// Times of day: they end a sentence unless a day, a month or a time zone follows.
const TIMES: &[&str] = &["a.m", "p.m", "am", "pm"];

const DAYS_AND_MONTHS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words that start a sentence far more often than a name or a title goes on with them.
const STARTERS: &[&str] = &[
    "a",
    "after",
    "all",
    "although",
    "an",
    "and",
    "another",
    "any",
    "as",
    "at",
    "because",
    "before",
    "both",
    "but",
    "by",
    "despite",
    "during",
    "each",
    "every",
    "finally",
    "for",
    "from",
    "he",
    "her",
    "here",
    "his",
    "how",
    "however",
    "i",
    "if",
    "in",
    "instead",
    "is",
    "it",
    "its",
    "later",
    "many",
    "meanwhile",
    "most",
    "my",
    "neither",
    "no",
    "not",
    "of",
    "on",
    "once",
    "one",
    "only",
    "or",
    "our",
    "over",
    "several",
    "she",
    "since",
    "so",
    "some",
    "such",
    "that",
    "the",
    "their",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "through",
    "thus",
    "to",
    "under",
    "until",
    "we",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "why",
    "with",
    "yet",
    "you",
    "your",
];

/// Whether the sentence that started at `start` goes on over the full stop at `dot`; `next` is the text after the
/// space and any opening quotes, and starts with no lower-case letter.
pub(super) fn keeps_going(text: &str, start: usize, dot: usize, next: &str) -> bool {
    if is_item_number(&text[start..dot]) {
        return true;
    }
    let Some(word) = word_before(text, start, dot) else {
        return false;
    };
    let next_word = leading_word(next);
    let starts_sentence = contains(STARTERS, next_word);
    if is_initial(word) {
        return !starts_sentence && next.starts_with(char::is_alphabetic);
    }
    if contains(BEFORE_MORE, word) {
        return true;
    }
    if contains(BEFORE_NUMBER, word) {
        return next.starts_with(|c: char| c.is_ascii_digit());
    }
    if contains(TIMES, word) {
        return contains(DAYS_AND_MONTHS, next_word)
            || (next_word.len() >= 2 && next_word.bytes().all(|b| b.is_ascii_uppercase()));
    }
    (contains(EITHER, word) || is_dotted(word)) && !starts_sentence
}

/// The run of ASCII letters and inner full stops that ends at `dot`; none when it is too long to be an abbreviation
/// or is the end of a longer word.
fn word_before(text: &str, start: usize, dot: usize) -> Option<&str> {
    // invariant: start <= dot, and only ASCII is stepped over.
    let bytes = text.as_bytes();
    let mut from = dot;
    while from > start && (bytes[from - 1].is_ascii_alphabetic() || bytes[from - 1] == b'.') {
        from -= 1;
        if dot - from > LONGEST {
            return None;
        }
    }
    let whole = from == start || !(bytes[from - 1].is_ascii_alphanumeric() || bytes[from - 1] >= 0x80)
        // Typographic quotes and dashes are not part of a word.
        || text[..from].chars().next_back().is_some_and(|c| !c.is_alphanumeric());
    (whole && from < dot).then(|| &text[from..dot])
}

fn leading_word(text: &str) -> &str {
    let length = text
        .bytes()
        .take(16)
        .take_while(u8::is_ascii_alphabetic)
        .count();
    &text[..length]
}

fn contains(list: &[&str], word: &str) -> bool {
    list.iter().any(|entry| entry.eq_ignore_ascii_case(word))
}

/// `J`, but not the pronoun.
fn is_initial(word: &str) -> bool {
    word.len() == 1 && word != "I" && word.bytes().all(|b| b.is_ascii_uppercase())
}

/// `U.S`, `J.R.R`: single letters between full stops.
fn is_dotted(word: &str) -> bool {
    word.contains('.') && word.split('.').all(|letter| letter.len() == 1)
}

/// `3`, `b`, `IV` or `2.1` at the start of a sentence, behind a list or heading mark at most.
fn is_item_number(before: &str) -> bool {
    if before.len() > 12 {
        return false;
    }
    let label = before.trim_start_matches(['#', '-', '*', '>', '(', '•', ' ']);
    let digits = !label.is_empty()
        && label.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && label.len() <= 6;
    let letter = label.len() == 1 && label != "I" && label.bytes().all(|b| b.is_ascii_alphabetic());
    let roman =
        (2..=5).contains(&label.len()) && label.bytes().all(|b| matches!(b, b'I' | b'V' | b'X'));
    digits || letter || roman
}
