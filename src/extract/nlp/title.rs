//! The normal form of a phrase: upper case, words joined by the delimiter, head in the singular.

use super::lexicon::{ABBREVIATION, HONORIFIC, NOUN, PLURAL};
use super::token::{POSSESSIVE, Shape, Token};

/// Appends the words of `tokens` to `title` in upper case; folds the last to the singular when asked.
pub(super) fn write(
    title: &mut String,
    text: &str,
    tokens: &[Token],
    delimiter: &str,
    singular: bool,
) {
    title.clear();
    for (i, token) in tokens.iter().enumerate() {
        if i > 0 {
            title.push_str(delimiter);
        }
        let word = token.text(text);
        let from = title.len();
        if let Some(acronym) = plural_acronym(word) {
            push_upper(title, acronym, |_| true);
        } else if is_initialism(word) {
            push_upper(title, word, |c| c != '.');
        } else {
            push_upper(title, word, |_| true);
        }
        if i + 1 < tokens.len() && token.has(POSSESSIVE) {
            title.push_str("'S");
        }
        if singular && i + 1 == tokens.len() && folds(token) {
            fold_plural(title, from);
        }
    }
}

/// Letters with dots between them ("U.S.").
fn is_initialism(word: &str) -> bool {
    word.split('.').all(|part| part.chars().count() <= 1) && word.contains('.')
}

/// The singular of "VMs", "APIs".
fn plural_acronym(word: &str) -> Option<&str> {
    let stem = word.strip_suffix('s')?;
    (stem.len() >= 2 && stem.bytes().all(|b| b.is_ascii_uppercase())).then_some(stem)
}

fn folds(token: &Token) -> bool {
    token.shape == Shape::Lower
        || (token.is(NOUN) && token.is(PLURAL))
        || token.is(ABBREVIATION | HONORIFIC) && token.is(PLURAL)
}

fn push_upper(title: &mut String, word: &str, keep: impl Fn(char) -> bool) {
    for c in word.chars().filter(|&c| keep(c)) {
        if c.is_ascii() {
            title.push(c.to_ascii_uppercase());
        } else if matches!(c, '’') {
            title.push('\'');
        } else if matches!(c, '‑') {
            title.push('-');
        } else {
            title.extend(c.to_uppercase());
        }
    }
}

/// Nouns that end in -s in the singular, or have no other.
const INVARIANT: [&str; 27] = [
    "NEWS",
    "SERIES",
    "SPECIES",
    "MEANS",
    "HEADQUARTERS",
    "CANVAS",
    "ATLAS",
    "GAS",
    "BIAS",
    "ALIAS",
    "ETHICS",
    "POLITICS",
    "ECONOMICS",
    "PHYSICS",
    "MATHEMATICS",
    "ELECTRONICS",
    "LOGISTICS",
    "ANALYTICS",
    "STATISTICS",
    "METRICS",
    "DNS",
    "HTTPS",
    "CLOTHES",
    "ARMS",
    "GOODS",
    "WORKS",
    "LENS",
];

const IRREGULAR: [(&str, &str); 22] = [
    ("MEN", "MAN"),
    ("WOMEN", "WOMAN"),
    ("CHILDREN", "CHILD"),
    ("FEET", "FOOT"),
    ("TEETH", "TOOTH"),
    ("MICE", "MOUSE"),
    ("WIVES", "WIFE"),
    ("LIVES", "LIFE"),
    ("KNIVES", "KNIFE"),
    ("WOLVES", "WOLF"),
    ("THIEVES", "THIEF"),
    ("LEAVES", "LEAF"),
    ("SHELVES", "SHELF"),
    ("HALVES", "HALF"),
    ("LOAVES", "LOAF"),
    ("CRITERIA", "CRITERION"),
    ("PHENOMENA", "PHENOMENON"),
    ("INDICES", "INDEX"),
    ("MOVIES", "MOVIE"),
    ("COOKIES", "COOKIE"),
    ("CACHES", "CACHE"),
    ("ACHES", "ACHE"),
];

/// Replaces the upper-case plural that begins at `from` by its singular.
fn fold_plural(title: &mut String, from: usize) {
    let word = title.get(from..).unwrap_or_default();
    let part_at = word.rfind('-').map_or(from, |hyphen| from + hyphen + 1);
    let word = title.get(part_at..).unwrap_or_default();
    if let Some((_, singular)) = IRREGULAR.iter().find(|(plural, _)| *plural == word) {
        title.truncate(part_at);
        title.push_str(singular);
        return;
    }
    if word.len() < (if part_at > from { 3 } else { 4 })
        || !word.ends_with('S')
        || INVARIANT.contains(&word)
    {
        return;
    }
    if ["SS", "US", "IS"].iter().any(|end| word.ends_with(end)) && !word.ends_with("MENUS") {
        return;
    }
    const STEMS_IN_SE: [&str; 7] = [
        "AUSES", "OUSES", "FUSES", "CUSES", "MUSES", "BUSES", "PULSES",
    ];
    let latin = word.ends_with("USES")
        && word.len() > 4
        && !STEMS_IN_SE.iter().any(|end| word.ends_with(end));
    if latin || ["GASES", "BIASES", "ALIASES", "CANVASES", "ATLASES", "BUSES"].contains(&word) {
        title.truncate(title.len() - 2);
    } else if word.ends_with("IES") && word.len() > 4 {
        title.truncate(title.len() - 3);
        title.push('Y');
    } else if ["SSES", "SHES", "CHES", "XES", "ZZES"]
        .iter()
        .any(|end| word.ends_with(end))
    {
        title.truncate(title.len() - 2);
    } else {
        title.truncate(title.len() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_fold_and_singulars_in_s_stay() {
        for (plural, singular) in [
            ("VOLUMES", "VOLUME"),
            ("POLICIES", "POLICY"),
            ("WATCHES", "WATCH"),
            ("CACHES", "CACHE"),
            ("PROCESSES", "PROCESS"),
            ("VALVES", "VALVE"),
            ("BOXES", "BOX"),
            ("RACE-CONDITIONS", "RACE-CONDITION"),
            ("STATUS", "STATUS"),
            ("ANALYSIS", "ANALYSIS"),
            ("ACCESS", "ACCESS"),
            ("SERIES", "SERIES"),
            ("WOMEN", "WOMAN"),
            ("BUS", "BUS"),
            ("DATABASES", "DATABASE"),
            ("RESPONSES", "RESPONSE"),
            ("CAMPUSES", "CAMPUS"),
            ("CAUSES", "CAUSE"),
            ("ALIASES", "ALIAS"),
            ("INCREASES", "INCREASE"),
        ] {
            let mut title = format!("BIG {plural}");
            fold_plural(&mut title, 4);
            assert_eq!(title, format!("BIG {singular}"));
        }
    }
}
