//! Names that the text itself equates in passing: "(until last year the Telemetry Renewal Programme", "is trading as Nordmere".

/// One place of a name: its number, start and end (exclusive) in Unicode scalar values.
pub type Place = (u32, u32, u32);

/// Words between two names that make them one; `true` for those that do so only inside the brackets after the first.
const TRIGGERS: &[(&str, bool)] = &[
    ("also known as", false),
    ("better known as", false),
    ("formerly known as", false),
    ("now known as", false),
    ("previously known as", false),
    ("trading as", false),
    ("renamed", false),
    ("formerly", true),
    ("previously", true),
    ("until", true),
    ("now", true),
    ("still call", true),
    ("still called", true),
    ("also called", true),
    ("then called", true),
];

/// Words that may stand between the first name and a trigger.
const BEFORE: &[&str] = &[
    "is", "was", "are", "were", "has", "had", "been", "now", "since", "later", "being", "also", ",",
];

/// Words that may stand between a trigger and the second name.
const AFTER: &[&str] = &[
    "the", "last", "this", "year", "recently", "to", "as", "\"", "“", "'", "*", "_",
];

/// Characters that brackets may run before their trigger.
const INSIDE: usize = 80;

/// Adds the pairs of names, the earlier first, that `text` equates. `places` in order of start.
///
/// Linear in the text and in the number of triggers found.
pub fn declared(text: &str, places: &[Place], out: &mut Vec<(u32, u32)>) {
    let lower = text.to_ascii_lowercase();
    let mut chars = CharCounter {
        text,
        byte: 0,
        chars: 0,
    };
    let mut found: Vec<(usize, usize, bool)> = Vec::new();
    for &(trigger, inside) in TRIGGERS {
        found.extend(
            lower
                .match_indices(trigger)
                .map(|(at, word)| (at, at + word.len(), inside)),
        );
    }
    found.sort_unstable();
    for (start, end, inside) in found {
        let whole = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        if !whole(text[..start].chars().next_back()) || !whole(text[end..].chars().next()) {
            continue;
        }
        let second = end + skipped(&lower[end..], AFTER);
        let first = match inside {
            true => before_bracket(text, start),
            false => Some(start - skipped_back(&lower[..start], BEFORE)),
        };
        let Some(first) = first.map(|at| {
            text[..at]
                .trim_end_matches([' ', '\n', '*', '_', '"', '”'])
                .len()
        }) else {
            continue;
        };
        // First the earlier place: the counter goes along the text, triggers being in order.
        let first = chars.at(first);
        let second = chars.at(second);
        let longest_before = places
            .iter()
            .filter(|place| place.2 == first)
            .min_by_key(|place| place.1);
        let longest_after = places
            .iter()
            .filter(|place| place.1 == second)
            .max_by_key(|place| place.2);
        if let (Some(a), Some(b)) = (longest_before, longest_after)
            && a.0 != b.0
        {
            out.push((a.0, b.0));
        }
    }
}

/// The opening bracket that a place is inside of.
fn before_bracket(text: &str, at: usize) -> Option<usize> {
    let mut left = INSIDE;
    for (byte, c) in text[..at].char_indices().rev() {
        match c {
            '(' => return Some(byte),
            ')' | '.' | ';' => return None,
            _ => left = left.checked_sub(1)?,
        }
    }
    None
}

fn skipped(text: &str, words: &[&str]) -> usize {
    let mut at = text.len() - text.trim_start().len();
    while let Some(word) = words
        .iter()
        .find(|word| starts_with_word(&text[at..], word))
    {
        at += word.len();
        at += text[at..].len() - text[at..].trim_start().len();
    }
    at
}

fn starts_with_word(text: &str, word: &str) -> bool {
    let is_sign = word.chars().all(|c| !c.is_alphanumeric());
    text.strip_prefix(word)
        .is_some_and(|rest| is_sign || rest.starts_with(char::is_whitespace))
}

fn skipped_back(text: &str, words: &[&str]) -> usize {
    let mut rest = text.trim_end();
    loop {
        let shorter = words.iter().find_map(|word| {
            let before = rest.strip_suffix(word)?;
            let is_sign = *word == ",";
            (is_sign || before.ends_with(char::is_whitespace)).then(|| before.trim_end())
        });
        match shorter {
            Some(shorter) => rest = shorter,
            None => return text.len() - rest.len(),
        }
    }
}

struct CharCounter<'a> {
    text: &'a str,
    byte: usize,
    chars: u32,
}

impl CharCounter<'_> {
    fn at(&mut self, byte: usize) -> u32 {
        if byte >= self.byte {
            self.chars += self.text[self.byte..byte].chars().count() as u32;
        } else {
            self.chars -= self.text[byte..self.byte].chars().count() as u32;
        }
        self.byte = byte;
        self.chars
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str, names: &[&str]) -> Vec<(u32, u32)> {
        let mut places: Vec<Place> = Vec::new();
        for (number, name) in names.iter().enumerate() {
            for (at, _) in text.match_indices(name) {
                let start = text[..at].chars().count() as u32;
                places.push((number as u32, start, start + name.chars().count() as u32));
            }
        }
        places.sort_by_key(|place| place.1);
        let mut out = Vec::new();
        declared(text, &places, &mut out);
        out
    }

    #[test]
    fn former_and_present_names_are_found() {
        for text in [
            "“Zürich” – Harbour House (until last year the Custom House, or CH) is open.",
            "From July Harbour House is trading as Custom House, as you know.",
            "Harbour House, formerly known as Custom House, burned.",
            "Harbour House was later renamed *Custom House* by all.",
            "at Harbour House (which many an old hand still calls Custom Houses, but most still call Custom House) we met",
        ] {
            assert_eq!(
                pairs(text, &["Harbour House", "Custom House"]),
                [(0, 1)],
                "{text}"
            );
        }
    }

    #[test]
    fn mere_nearness_is_no_declaration() {
        for text in [
            "Harbour House until Custom House opens.",
            "Harbour House. Formerly Custom House was empty.",
            "He left Harbour House (where he was happy) and until now Custom House is shut.",
        ] {
            assert!(
                pairs(text, &["Harbour House", "Custom House"]).is_empty(),
                "{text}"
            );
        }
    }

    #[test]
    fn the_longest_names_are_meant() {
        let text = "Old Mill Trust Ltd is trading as New Mill Ltd.";
        assert_eq!(
            pairs(
                text,
                &[
                    "Old Mill Trust Ltd",
                    "Trust Ltd",
                    "New Mill",
                    "New Mill Ltd"
                ]
            ),
            [(0, 3)]
        );
    }
}
