//! From a splitter's sentences to quotable pieces: cut at the lines Markdown means as lines, and judged.

use std::ops::Range;

use crate::chunk::list_mark;
use crate::chunk::quotable::{CUT, is_furniture};

/// A line this short that does not run on into a lower-case one was ended on purpose, not by wrapping.
const SHORT_LINE: usize = 48;

/// Fewer words than this are no sentence.
const MIN_WORDS: usize = 5;

/// Cuts the sentence at `range` of `text` at structural line ends (blank lines, headings, bullets, table rows, address
/// lines) and appends the trimmed, non-empty pieces to `out`.
pub(super) fn cut(text: &str, range: Range<usize>, out: &mut Vec<Range<usize>>) {
    let Some(sentence) = text.get(range.clone()) else {
        return;
    };
    let mut start = 0;
    let mut line_start = 0;
    for (newline, _) in sentence.match_indices('\n') {
        let line = &sentence[line_start..newline];
        let rest = &sentence[newline + 1..];
        let next = rest.split('\n').next().unwrap_or("");
        if breaks(line.trim(), next.trim()) {
            push_trimmed(sentence, start..newline, range.start, out);
            start = newline + 1;
        }
        line_start = newline + 1;
    }
    push_trimmed(sentence, start..sentence.len(), range.start, out);
}

fn push_trimmed(sentence: &str, piece: Range<usize>, offset: usize, out: &mut Vec<Range<usize>>) {
    let text = &sentence[piece.clone()];
    let trimmed = text.trim();
    if !trimmed.is_empty() {
        let lead = text.len() - text.trim_start().len();
        let start = offset + piece.start + lead;
        out.push(start..start + trimmed.len());
    }
}

fn breaks(line: &str, next: &str) -> bool {
    if line.is_empty() || next.is_empty() || starts_block(next) {
        return true;
    }
    if line.starts_with(['#', '|']) || line.starts_with("```") {
        return true;
    }
    let runs_on = next.starts_with(|c: char| c.is_lowercase() || matches!(c, '(' | ',' | ';'));
    !runs_on && (line.len() < SHORT_LINE || is_field(line))
}

fn starts_block(line: &str) -> bool {
    line.starts_with(['#', '|', '>', '•', '='])
        || line.starts_with("---")
        || line.starts_with("```")
        || list_mark(line) > 0
}

/// Whether a line reads `Name: value`, as the head of a letter or of an incident record does.
fn is_field(line: &str) -> bool {
    let line = line.trim_start_matches(['*', '_']);
    let Some(colon) = line.bytes().take(32).position(|b| b == b':') else {
        return false;
    };
    let name = &line[..colon];
    let value = line[colon + 1..].trim_start_matches(['*', '_']);
    name.split(' ').count() <= 3
        && name.starts_with(|c: char| c.is_uppercase())
        && (value.is_empty() || value.starts_with(' '))
}

/// What is known of a piece besides its text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    /// Words, stop words included.
    pub words: usize,
    /// Words that carry meaning and are no part of a name.
    pub substance: usize,
    /// Has a word that may be its finite verb.
    pub verb: bool,
    /// Speaks as one person to another: `I`, `you`.
    pub personal: bool,
    /// First piece of its text unit, which a token window may have cut.
    pub first: bool,
    /// Goes on where the text unit before it ends: most first sentences lack their beginning.
    pub goes_on: bool,
    /// Last piece of its text unit.
    pub last: bool,
}

/// What a piece is worth as a quotation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Verdict {
    /// 0 (never quote) to 1.
    pub quality: f32,
    /// Leans on the sentence before it (`This`, `However`).
    pub leans: bool,
}

const JUNK: Verdict = Verdict {
    quality: 0.0,
    leans: false,
};

/// Judges one trimmed piece.
pub(super) fn judge(piece: &str, facts: Facts) -> Verdict {
    let words = facts.words;
    if words < MIN_WORDS || piece.starts_with(['#', '|', '=', '`']) {
        return JUNK;
    }
    let marker = list_mark(piece);
    let body =
        piece[marker..].trim_start_matches(['*', '_', '>', ' ', '"', '“', '\'', '‘', '(', '[']);
    let shape = Shape::of(piece);
    if shape.letters * 10 < shape.visible * 6 || shape.upper * 2 > shape.letters || shape.pipes > 1
    {
        return JUNK;
    }
    if is_letter_furniture(body) || (shape.at_sign && words < 15) {
        return JUNK;
    }
    let starts_low = body.starts_with(|c: char| c.is_lowercase());
    if starts_low && facts.first {
        return JUNK;
    }
    let closed = piece.trim_end_matches(['"', '”', '\'', '’', ')', ']', '*', '_', '»', '」']);
    let end = closed.chars().next_back();
    let mut quality: f32 = match end {
        Some('.' | '!' | '。' | '！') => 1.0,
        Some('…') => 0.6,
        Some('?' | '？') => 0.4,
        Some(':' | '：' | ';') => 0.35,
        _ if facts.last && marker == 0 => 0.0,
        _ if is_field(body) => 0.0,
        _ if marker > 0 && words >= 8 => 0.6,
        _ if words >= 14 => 0.4,
        _ => 0.0,
    };
    if facts.first && facts.goes_on {
        quality *= CUT;
    }
    if starts_low {
        quality *= 0.5;
    }
    if is_field(body) {
        quality *= 0.6;
    }
    if !facts.verb && shape.ascii {
        quality *= 0.35;
    }
    quality *= match facts.substance {
        0 | 1 => 0.3,
        2 => 0.55,
        3 => 0.8,
        4 => 0.9,
        _ => 1.0,
    };
    if shape.unbalanced != 0 || has_columns(piece) {
        quality *= 0.25;
    }
    if shape.code || piece.contains("://") {
        quality *= 0.4;
    }
    if shape.comma_ratio_is_high(words) {
        quality *= 0.6;
    }
    let first_word = body
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or("");
    if matches!(first_word, "Please" | "Thank" | "Thanks" | "Let" | "P") || facts.personal {
        quality *= 0.6;
    } else if matches!(first_word, "We" | "Our" | "My") {
        quality *= 0.8;
    }
    Verdict {
        quality: quality * length_prior(words),
        leans: leans(body, first_word),
    }
}

/// Runs of spaces inside a line set columns, not a sentence.
fn has_columns(piece: &str) -> bool {
    piece
        .match_indices("   ")
        .any(|(at, _)| at > 0 && !matches!(piece.as_bytes()[at - 1], b'\n' | b' '))
}

/// Sentences of 9 to 32 words read best alone.
fn length_prior(words: usize) -> f32 {
    match words {
        0..=6 => 0.6,
        7..=8 => 0.85,
        9..=32 => 1.0,
        33..=45 => 0.85,
        46..=60 => 0.65,
        _ => 0.4,
    }
}

fn leans(body: &str, first_word: &str) -> bool {
    matches!(
        first_word,
        "It" | "They"
            | "This"
            | "These"
            | "Those"
            | "That"
            | "He"
            | "She"
            | "Such"
            | "Its"
            | "Their"
            | "His"
            | "Her"
            | "Both"
            | "However"
            | "But"
            | "And"
            | "So"
            | "Then"
            | "Instead"
            | "Therefore"
            | "Thus"
            | "Moreover"
            | "Furthermore"
            | "Additionally"
            | "Meanwhile"
            | "Consequently"
            | "Or"
            | "Nor"
            | "Yet"
            | "Similarly"
            | "Nevertheless"
            | "Hence"
            | "Also"
            | "Finally"
            | "Second"
            | "Secondly"
            | "Third"
            | "Thirdly"
            | "Afterwards"
            | "Here"
            | "There"
            | "Ours"
            | "Theirs"
            | "Another"
            | "Others"
            | "Neither"
            | "None"
            | "Same"
            | "Unfortunately"
            | "Fortunately"
            | "Otherwise"
    ) || body.starts_with("As a result")
        || body.starts_with("For example")
        || body.starts_with("For instance")
        || body.starts_with("In addition")
        || body.starts_with("At that ")
        || body.starts_with("At this ")
        || body.starts_with("The latter")
        || body.starts_with("The former")
        || body.starts_with("The same")
}

fn is_letter_furniture(body: &str) -> bool {
    const STARTS: &[&str] = &[
        "Best regards",
        "Phone",
        "Attendees:",
        "Attn",
        "Enclosure",
        "Encl",
        "P.O. Box",
    ];
    is_furniture(body) || STARTS.iter().any(|start| body.starts_with(start))
}

/// Character counts of a piece.
#[derive(Default)]
struct Shape {
    letters: usize,
    upper: usize,
    visible: usize,
    pipes: usize,
    commas: usize,
    at_sign: bool,
    code: bool,
    ascii: bool,
    /// Open minus closed round brackets.
    unbalanced: i32,
}

impl Shape {
    fn of(piece: &str) -> Self {
        let mut shape = Self {
            ascii: piece.is_ascii(),
            ..Self::default()
        };
        for c in piece.chars() {
            if c.is_ascii() {
                shape.ascii_char(c as u8);
            } else {
                shape.visible += usize::from(!c.is_whitespace());
                shape.letters += usize::from(c.is_alphabetic());
                shape.upper += usize::from(c.is_uppercase());
            }
        }
        shape
    }

    fn ascii_char(&mut self, byte: u8) {
        match byte {
            b'a'..=b'z' => self.letters += 1,
            b'A'..=b'Z' => {
                self.letters += 1;
                self.upper += 1;
            }
            b'|' => self.pipes += 1,
            b',' => self.commas += 1,
            b'(' => self.unbalanced += 1,
            b')' => self.unbalanced -= 1,
            b'@' => self.at_sign = true,
            b'{' | b'}' | b'\\' => self.code = true,
            _ => {}
        }
        self.visible += usize::from(byte > b' ');
    }

    /// A list of names rather than a statement.
    fn comma_ratio_is_high(&self, words: usize) -> bool {
        self.commas >= 4 && self.commas * 4 > words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let mut out = Vec::new();
        cut(text, 0..text.len(), &mut out);
        out.into_iter().map(|range| &text[range]).collect()
    }

    fn facts(words: usize) -> Facts {
        Facts {
            words,
            substance: 6,
            verb: true,
            ..Facts::default()
        }
    }

    fn quality(piece: &str) -> f32 {
        judge(piece, facts(piece.split_whitespace().count())).quality
    }

    #[test]
    fn headings_fields_bullets_and_rows_are_cut_from_the_sentence_they_stand_before() {
        assert_eq!(
            pieces("# Outage\n\nCompany: Lune\nDate: 2015\nThe pump failed at noon."),
            [
                "# Outage",
                "Company: Lune",
                "Date: 2015",
                "The pump failed at noon."
            ]
        );
        assert_eq!(
            pieces("Causes:\n- a worn seal\n- a late visit"),
            ["Causes:", "- a worn seal", "- a late visit"]
        );
        assert_eq!(
            pieces("| a | b |\n| 1 | 2 |\nText"),
            ["| a | b |", "| 1 | 2 |", "Text"]
        );
    }

    #[test]
    fn wrapped_lines_stay_one_sentence() {
        let text = "The pump that the harbour trust had installed in the spring\nfailed at noon, and nobody on the shift saw the alarm before\nOsei came in.";
        assert_eq!(pieces(text), [text]);
    }

    #[test]
    fn only_sentences_are_quotable() {
        assert_eq!(
            quality("The pump at Harrow failed at noon because its seal was worn."),
            1.0
        );
        for junk in [
            "Board minutes of the third meeting",
            "| pump | seal | 3 | 4 | 5 | worn |",
            "Dear Mrs Osei of the Harbour Trust,",
            "14 Quay Street, Port Lune, PL3 4QT",
            "MINUTES OF THE BOARD OF THE AUTHORITY.",
            "Yours sincerely for the harbour trust.",
            "Too short a line.",
            "12.5 13.7 14.9 15.2 16.8 17.1 mg/l.",
            "Company: the water authority of Port Lune",
        ] {
            assert_eq!(quality(junk), 0.0, "{junk}");
        }
        let cut = judge(
            "failed at noon because its seal was worn.",
            Facts {
                first: true,
                ..facts(8)
            },
        );
        assert_eq!(cut.quality, 0.0);
        let open = judge(
            "The pump at Harrow failed at noon because its",
            Facts {
                last: true,
                ..facts(9)
            },
        );
        assert_eq!(open.quality, 0.0);
    }

    #[test]
    fn what_says_little_is_worth_less() {
        let text = "The pump at Harrow failed at noon because its seal was worn.";
        let whole = judge(text, facts(12)).quality;
        assert!(
            judge(
                text,
                Facts {
                    verb: false,
                    ..facts(12)
                }
            )
            .quality
                < whole * 0.5
        );
        assert!(
            judge(
                text,
                Facts {
                    substance: 1,
                    ..facts(12)
                }
            )
            .quality
                < whole * 0.5
        );
        assert!(
            judge(
                text,
                Facts {
                    personal: true,
                    ..facts(12)
                }
            )
            .quality
                < whole
        );
        assert!(quality("The pump at Harrow (of the old works failed at noon.") < whole * 0.5);
        assert!(
            quality("Harbour trust report     15 May 2024     it was received today.")
                < whole * 0.5
        );
    }

    #[test]
    fn sentences_that_lean_on_the_one_before_are_marked() {
        let leans = |text: &str| judge(text, facts(10)).leans;
        assert!(leans("This was found only in the third audit of the year."));
        assert!(leans("As a result the intake was closed for nine days."));
        assert!(!leans("Harrow intake was closed for nine days."));
    }
}
