//! A headline for a finding: the sentence's own main clause.

use super::lexicon::{self, holds};
use super::terms;

/// A sentence of at most so many words is its own headline.
const WHOLE_WORDS: usize = 22;

/// Words of a headline that had to be cut.
const MAX_WORDS: usize = 18;

/// A clause of fewer words says too little.
const MIN_WORDS: usize = 6;

/// The main clause of a cleaned sentence, without scene-setting opening, subordinate tail and final stop.
pub(super) fn headline(sentence: &str) -> String {
    let body = sentence.trim_start_matches(['"', '“', '\'', '‘', '(', '[']);
    let words: Vec<&str> = body.split(' ').filter(|word| !word.is_empty()).collect();
    let words = &words[opening(&words)..];
    let mut end = words.len();
    if end > WHOLE_WORDS {
        end = clause_end(words).unwrap_or(MAX_WORDS);
        while end > MIN_WORDS && is_dangling(words[end - 1]) {
            end -= 1;
        }
    } else if let Some(clause) = clause_end(words).filter(|_| end > 14) {
        end = clause;
    }
    let cut = end < words.len();
    let mut text = words[..end].join(" ");
    let closers = [' ', '.', ',', ';', ':', '!', '–', '—', '-', '。', '！', '…'];
    text.truncate(text.trim_end_matches(closers).len());
    balance(&mut text);
    let clause = !cut || ends_clause(words, end);
    if !clause {
        text.push('…');
    }
    capitalised(&text)
}

/// Words of the opening clause to drop: none unless a full clause is left.
fn opening(words: &[&str]) -> usize {
    let Some(first) = words.first() else {
        return 0;
    };
    let bare = first.trim_end_matches(',');
    let subordinate = holds(lexicon::SUBORDINATE_OPENINGS, bare);
    if !subordinate && !holds(lexicon::OPENINGS, bare) {
        return 0;
    }
    for at in 0..words.len().min(16) {
        let dated = words
            .get(at + 1)
            .is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
        if !words[at].ends_with(',') || dated || words.len() - at <= MIN_WORDS {
            continue;
        }
        // Only a subordinate clause has a verb of its own; past another's verb the main clause is over.
        if !subordinate && at > 0 && has_verb(&words[..=at]) {
            return 0;
        }
        let rest = &words[at + 1..];
        // A list ("In Lune, Harrow, and Osei ...") or a second opening goes on past its comma.
        let lists = rest[0] == "and"
            || rest[0] == "or"
            || rest.iter().take(2).any(|word| word.ends_with(','));
        if !lists && !goes_on(rest[0]) && has_verb(rest) {
            return at + 1;
        }
    }
    0
}

/// Whether a word after a comma continues the opening rather than starting the main clause.
fn goes_on(word: &str) -> bool {
    holds(lexicon::PREPOSITIONS, word)
        || (word.ends_with("ing") && word.starts_with(char::is_lowercase))
}

/// The last clause boundary that leaves a headline of 6 to 18 words; what follows ", which" is no longer the main clause.
fn clause_end(words: &[&str]) -> Option<usize> {
    let longest = words.len().saturating_sub(1).min(MAX_WORDS);
    let relative = |&end: &usize| {
        words[end - 1].ends_with(',') && matches!(words[end], "which" | "who" | "whose" | "where")
    };
    let last = (MIN_WORDS..=longest).find(relative).unwrap_or(longest);
    (MIN_WORDS..=last)
        .rev()
        .find(|&end| ends_clause(words, end))
}

fn ends_clause(words: &[&str], end: usize) -> bool {
    let Some(next) = words.get(end) else {
        return true;
    };
    let before = words[end - 1];
    let ends = if before.ends_with([';', '–', '—', ':']) {
        true
    } else if before.ends_with(',') {
        // A comma between the items of a list is no clause end.
        holds(lexicon::CLAUSE_WORDS, next) && !matches!(*next, "and" | "as")
            || (next.ends_with("ing") && next.len() > 5)
    } else {
        holds(lexicon::FREE_CLAUSE_WORDS, next) && !is_dangling(before)
    };
    ends && has_verb(&words[..end])
}

/// Whether some word after the first may be a finite verb. After the comma that opens an apposition a word in `-ed` is a
/// participle, after the one that closes it a verb.
fn has_verb(words: &[&str]) -> bool {
    let mut commas = 0;
    words.windows(2).any(|pair| {
        commas += usize::from(pair[0].ends_with(','));
        let participle = pair[0].ends_with(',') && commas % 2 == 1 && pair[1].ends_with("ed");
        let mut verb = false;
        if !participle {
            terms::words(pair[1], |word| {
                verb =
                    verb || terms::is_verb(&word, &pair[1][word.start as usize..word.end as usize]);
            });
        }
        verb
    })
}

fn is_dangling(word: &str) -> bool {
    let bare = word.trim_end_matches([',', ';', ':']);
    holds(lexicon::DANGLING, &bare.to_ascii_lowercase())
}

/// Drops a bracket or quotation mark whose partner was cut off.
fn balance(text: &mut String) {
    for (open, close) in [('(', ')'), ('[', ']'), ('“', '”')] {
        if text.matches(open).count() > text.matches(close).count()
            && let Some(at) = text.rfind(open)
        {
            let after = at + open.len_utf8();
            if text[..at].split(' ').count() > MIN_WORDS {
                text.truncate(at);
                text.truncate(text.trim_end().len());
            } else {
                text.replace_range(at..after, "");
            }
        } else if text.matches(close).count() > text.matches(open).count()
            && let Some(at) = text.rfind(close)
        {
            text.replace_range(at..at + close.len_utf8(), "");
        }
    }
    if text.matches('"').count() % 2 == 1 {
        text.retain(|c| c != '"');
    }
}

/// With a capital first letter, unless the first word is spelled with one inside (`eBay`).
pub(super) fn capitalised(text: &str) -> String {
    let first_word = text.split(' ').next().unwrap_or("");
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if first.is_lowercase() && !first_word.chars().any(char::is_uppercase) => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// With a capital at every word that is written small, but for the small words of titles.
pub(super) fn capitalised_words(name: &str) -> String {
    let words: Vec<String> = name
        .split(' ')
        .enumerate()
        .map(|(row, word)| {
            let code = word.chars().any(|c| c.is_ascii_digit());
            if code || (row > 0 && holds(lexicon::SMALL_WORDS, word)) {
                word.to_owned()
            } else {
                capitalised(word)
            }
        })
        .collect();
    words.join(" ")
}

/// An upper-cased title in title case: small words low, words with digits and short vowelless ones kept as codes.
pub(super) fn title_case(title: &str) -> String {
    let mut out = String::with_capacity(title.len());
    for (row, word) in title.split_whitespace().enumerate() {
        if row > 0 {
            out.push(' ');
        }
        let lower = word.to_lowercase();
        if row > 0 && holds(lexicon::SMALL_WORDS, &lower) {
            out.push_str(&lower);
            continue;
        }
        let letters = lower.chars().filter(|c| c.is_alphabetic()).count();
        let vowel = lower.contains(['a', 'e', 'i', 'o', 'u', 'y']);
        if word.chars().any(|c| c.is_ascii_digit()) || (letters <= 4 && lower.is_ascii() && !vowel)
        {
            out.push_str(word);
            continue;
        }
        let mut start = true;
        for c in lower.chars() {
            if start {
                out.extend(c.to_uppercase());
            } else {
                out.push(c);
            }
            start = matches!(c, '-' | '/' | '(' | '.' | '&');
        }
    }
    out
}

/// Whether two names say nearly the same: one's words are within the other's, or they share half of them.
pub(super) fn near_duplicates(a: &str, b: &str) -> bool {
    let (left, right) = (terms::term_set(a), terms::term_set(b));
    let shared = left
        .iter()
        .filter(|term| right.binary_search(term).is_ok())
        .count();
    let least = left.len().min(right.len());
    least == 0
        || shared == least
        || shared * 2 >= left.len().max(right.len())
        || is_acronym(a, b)
        || is_acronym(b, a)
}

fn is_acronym(short: &str, long: &str) -> bool {
    let letters: Vec<char> = short
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    (2..=8).contains(&letters.len())
        && !short.contains(' ')
        && long
            .split([' ', '-'])
            .filter_map(|word| word.chars().next())
            .flat_map(char::to_lowercase)
            .eq(letters.iter().copied())
}

/// `A`, `A and B`, `A, B and C`.
pub(super) fn enumerate(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_is_the_main_clause() {
        for (sentence, expected) in [
            (
                "On July 7, 2015, CircleCI experienced a severe and lengthy downtime, which began after hooks resumed with an unprecedented intensity.",
                "CircleCI experienced a severe and lengthy downtime",
            ),
            (
                "The pump at Harrow failed at noon.",
                "The pump at Harrow failed at noon",
            ),
            (
                "The audit found that the seals of both pumps had been ordered twice because nobody had told the stores about the first order.",
                "The audit found that the seals of both pumps had been ordered twice",
            ),
            (
                "In Lune, Harrow, and Brisk the intake was shut.",
                "In Lune, Harrow, and Brisk the intake was shut",
            ),
            (
                "V-417, replaced in February with a new gate and a Kestrel actuator, closed from the control room, which pleased the board very much.",
                "V-417, replaced in February with a new gate and a Kestrel actuator, closed from the control room",
            ),
            (
                "In November 2018 a database hit the integer limit, leaving the service in read-only mode.",
                "In November 2018 a database hit the integer limit",
            ),
            (
                "On October 9, 2020, starting at 21:30 UTC, Harrow lost the power of both its pumps.",
                "Harrow lost the power of both its pumps",
            ),
            (
                "After the seal had failed, the operator closed the intake by hand.",
                "The operator closed the intake by hand",
            ),
            (
                "However, the harbour trust paid the fine of the year.",
                "The harbour trust paid the fine of the year",
            ),
            (
                "The board of the authority asked the new manager of the works for one more plain report on the state of every valve in the town.",
                "The board of the authority asked the new manager of the works for one more plain report…",
            ),
        ] {
            assert_eq!(headline(sentence), expected);
        }
    }

    #[test]
    fn titles_read_as_people_write_them() {
        assert_eq!(
            title_case("PORT LUNE WATER AUTHORITY"),
            "Port Lune Water Authority"
        );
        assert_eq!(title_case("BANK OF THE WEST-END"), "Bank of the West-End");
        assert_eq!(title_case("PLWB EC2 ÉCOLE"), "PLWB EC2 École");
    }

    #[test]
    fn near_duplicates_share_their_words_or_their_initials() {
        assert!(near_duplicates("PORT LUNE", "PORT LUNE WATER AUTHORITY"));
        assert!(near_duplicates("PLWA", "PORT LUNE WATER AUTHORITY"));
        assert!(near_duplicates("SEVERE OUTAGES", "SEVERE OUTAGE"));
        assert!(!near_duplicates("PORT LUNE", "HARBOR TRUST"));
    }
}
