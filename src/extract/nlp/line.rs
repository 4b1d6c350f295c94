//! Lines: blank ones, headings, list items and fields end a sentence; in headings capitals say nothing.

use super::token::{CAPITALS, HEADING};

/// What the form of a line says of its sentence and its capitals.
#[derive(Default)]
pub(super) struct LineKind {
    /// Blank, a heading, a list item or a table row.
    pub breaks: bool,
    pub flags: u8,
    /// Begins with a capital or a digit.
    pub capital: bool,
}

/// Looks at a line without its line end.
pub(super) fn classify_line(line: &str) -> LineKind {
    let trimmed = line.trim();
    let Some(first) = trimmed.chars().next() else {
        return LineKind {
            breaks: true,
            ..LineKind::default()
        };
    };
    let marked = first == '#';
    let item = matches!(first, '-' | '*' | '+' | '•' | '|' | '>')
        && trimmed
            .chars()
            .nth(1)
            .is_none_or(|c| c.is_whitespace() || c == first)
        || first == '|';
    let mut kind = LineKind {
        breaks: marked || item || is_field(trimmed),
        flags: 0,
        capital: first.is_uppercase() || first.is_ascii_digit(),
    };
    if trimmed.len() > 140 {
        return kind;
    }
    let (mut upper, mut lower) = (0usize, 0usize);
    let (mut title_words, mut plain_words) = (0usize, 0usize);
    let mut previous_letter = false;
    let mut word_upper = false;
    let mut word_length = 0usize;
    for c in trimmed.chars().chain(std::iter::once(' ')) {
        if c.is_alphabetic() {
            if c.is_uppercase() {
                upper += 1;
            } else {
                lower += 1;
            }
            if !previous_letter {
                word_upper = c.is_uppercase();
                word_length = 0;
            }
            word_length += 1;
            previous_letter = true;
        } else if matches!(c, '\'' | '’') && previous_letter {
            continue;
        } else {
            if previous_letter && word_length >= 4 {
                if word_upper {
                    title_words += 1;
                } else {
                    plain_words += 1;
                }
            }
            previous_letter = false;
        }
    }
    let stops = trimmed.ends_with(['.', ',', ';', '!', '?', '"', '”']);
    if upper >= 4 && lower * 5 < upper && upper + lower >= 6 {
        kind.flags = CAPITALS;
    } else if (marked || (!stops && !trimmed.contains(": ")))
        && title_words >= 2
        && plain_words * 4 <= title_words
        || marked && title_words > plain_words
    {
        kind.flags = HEADING;
    }
    kind
}

/// "Key: value", as in front matter and letterheads.
fn is_field(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| {
        key.len() <= 30
            && key.starts_with(char::is_uppercase)
            && key.split(' ').count() <= 3
            && !key.contains(['.', ',', '"'])
    })
}
