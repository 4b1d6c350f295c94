//! Text of documents, models and file names on a terminal: stripped of what a terminal would obey.

use std::fmt::Display;

/// Removes control characters, escape sequences' first bytes and marks that reorder or hide text; line ends and tabs stay.
pub fn printable(text: &str) -> String {
    text.chars()
        .filter(|&c| c == '\n' || c == '\t' || !(c.is_control() || is_invisible(c)))
        .collect()
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// As [`printable`], on one line.
pub fn printable_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    printable(&spaced)
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A number with its word: `1 statement`, `2 statements`, `0 entities`.
pub fn counted(n: impl TryInto<u64> + Display + Copy, one: &str) -> String {
    // No word that ends as "day" does is counted.
    let many = match one.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{one}s"),
    };
    agreed(n, one, &many)
}

/// A number with one of two forms, where the verb or more than the last word changes: `1 key is`, `2 keys are`.
pub fn agreed(n: impl TryInto<u64> + Display + Copy, one: &str, many: &str) -> String {
    let is_one = n.try_into().is_ok_and(|n| n == 1);
    format!("{n} {}", if is_one { one } else { many })
}

/// The first `most` of some words in one line, with how many are left: `a, b and 3 more`.
pub fn some_of(words: &[impl AsRef<str>], most: usize) -> String {
    let named: Vec<&str> = words.iter().take(most).map(AsRef::as_ref).collect();
    match words.len() - named.len() {
        0 => named.join(", "),
        left => format!("{} and {left} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_counted_in_the_singular() {
        assert_eq!(counted(1usize, "text unit"), "1 text unit");
        assert_eq!(counted(0u64, "text unit"), "0 text units");
        assert_eq!(counted(1u32, "entity"), "1 entity");
        assert_eq!(counted(12usize, "entity"), "12 entities");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let hostile = "a\x1b[31mb\x07\r\u{9b}2J\u{202e}c\u{200b}\n\td\x1b]8;;http://x\x1b\\e\x00";
        let shown = printable(hostile);
        assert_eq!(shown, "a[31mb2Jc\n\td]8;;http://x\\e");
        assert_eq!(printable_line(" a\n\n b\x1b\tc "), "a b c");
    }
}
