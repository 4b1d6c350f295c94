//! The sentences of some text units, judged by how well they stand alone.

use std::ops::Range;

use rayon::prelude::*;

use crate::chunk;
use crate::chunk::quotable::{CUT, is_furniture};
use crate::query::lexical::{self, Word};

/// Fewer words than this are no sentence.
const MIN_WORDS: usize = 5;

/// A sentence of a text unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sentence {
    /// Row of the text unit.
    pub unit: u32,
    /// First byte in the unit's text.
    pub start: u32,
    /// End (exclusive) in bytes.
    pub end: u32,
    /// 0 (never quote) to 1.
    pub quality: f32,
}

impl Sentence {
    /// The bytes of the unit's text.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Sentences of several text units, in the order of the units given and of their texts.
#[derive(Clone, Debug, Default)]
pub struct Sentences {
    /// All of them, headings and rows included, which have quality 0.
    pub rows: Vec<Sentence>,
}

impl Sentences {
    /// Splits the given text units in parallel; `goes_on` tells which go on where the one before them ends.
    pub fn of<'a>(
        units: &[u32],
        text: impl Fn(u32) -> &'a str + Sync,
        goes_on: impl Fn(u32) -> bool + Sync,
    ) -> Self {
        let parts: Vec<Vec<Sentence>> = units
            .par_iter()
            .with_min_len(8)
            .map(|&unit| {
                let text = text(unit);
                let mut rows = Vec::new();
                let mut words: Vec<Word> = Vec::new();
                for range in chunk::sentences(text) {
                    let piece = &text[range.clone()];
                    words.clear();
                    lexical::words(piece, |word| words.push(word));
                    // A window mostly begins with the space before a word.
                    let first = text[..range.start].trim().is_empty();
                    let last = range.end == text.trim_end().len();
                    let mut quality = quality(piece, &words, first, last);
                    if first && goes_on(unit) {
                        quality *= CUT;
                    }
                    rows.push(Sentence {
                        unit,
                        start: range.start as u32,
                        end: range.end as u32,
                        quality,
                    });
                }
                rows
            })
            .collect();
        Self {
            rows: parts.concat(),
        }
    }
}

/// What a piece is worth as a quotation; `first` and `last` in its text unit, where a token window may have cut it.
fn quality(piece: &str, words: &[Word], first: bool, last: bool) -> f32 {
    if words.len() < MIN_WORDS
        || piece.starts_with(['#', '|', '=', '`'])
        || piece.matches('|').count() > 1
    {
        return 0.0;
    }
    let (mut letters, mut upper, mut visible) = (0usize, 0usize, 0usize);
    for c in piece.chars() {
        visible += usize::from(!c.is_whitespace());
        letters += usize::from(c.is_alphabetic());
        upper += usize::from(c.is_uppercase());
    }
    let body = piece.trim_start_matches(['*', '_', '>', ' ', '-', '"', '“', '\'', '‘', '(', '[']);
    let starts_low = body.starts_with(|c: char| c.is_lowercase());
    if letters * 10 < visible * 6
        || upper * 2 > letters
        || is_furniture(body)
        || (starts_low && first)
    {
        return 0.0;
    }
    let closed = piece.trim_end_matches(['"', '”', '\'', '’', ')', ']', '*', '_', '»', '」']);
    let end = closed.chars().next_back();
    // A line of bold type without a stop is a heading by custom.
    let is_bold = ["**", "__"]
        .iter()
        .any(|mark| piece.starts_with(mark) && piece.trim_end().ends_with(mark));
    if is_bold && !matches!(end, Some('.' | '!' | '?' | '…' | '。' | '！' | '？')) {
        return 0.0;
    }
    let mut quality: f32 = match end {
        Some('.' | '!' | '。' | '！') => 1.0,
        Some('?' | '？') => 0.35,
        Some('…') => 0.6,
        Some(':' | '：' | ';') => 0.3,
        _ if last => 0.1,
        _ if words.len() >= 8 => 0.35,
        _ => 0.15,
    };
    if starts_low {
        quality *= 0.6;
    }
    if leans(body) {
        quality *= 0.65;
    }
    if matches!(
        body.split(' ').next(),
        Some("I" | "We" | "Our" | "You" | "Your" | "My" | "Please" | "Thank")
    ) {
        quality *= 0.85;
    }
    quality
        * match words.len() {
            0..=6 => 0.6,
            7..=8 => 0.85,
            9..=32 => 1.0,
            33..=45 => 0.85,
            46..=60 => 0.65,
            _ => 0.4,
        }
}

/// Opens by pointing at the sentence before it.
fn leans(body: &str) -> bool {
    const STARTS: &[&str] = &[
        "It ",
        "They ",
        "This ",
        "These ",
        "Those ",
        "That ",
        "He ",
        "She ",
        "Such ",
        "Its ",
        "Their ",
        "His ",
        "Her ",
        "Both ",
        "However",
        "But ",
        "And ",
        "So ",
        "Then ",
        "Instead",
        "Therefore",
        "Thus",
        "Also",
        "Here ",
        "There ",
        "As a result",
        "For example",
        "For instance",
        "Which ",
        "Or ",
        "Nor ",
        "Otherwise",
    ];
    STARTS.iter().any(|start| body.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sentences_are_worth_quoting() {
        let text = "# Outage of the pump at Harrow\n\n**Burst of the main at Harrow, Friday 9 March 2022**\n\nThe pump at Harrow failed at noon because its seal was worn. This was found late in the day.\n\n| a | b | c |\n";
        let sentences = Sentences::of(&[7], |_| text, |_| false);
        let judged: Vec<(&str, f32)> = sentences
            .rows
            .iter()
            .map(|row| (&text[row.range()], row.quality))
            .collect();
        assert!(
            judged
                .iter()
                .all(|(piece, quality)| (*quality > 0.0) == piece.ends_with('.')),
            "{judged:?}"
        );
        let of = |start: &str| {
            judged
                .iter()
                .find(|(piece, _)| piece.starts_with(start))
                .map(|row| row.1)
        };
        assert_eq!(of("The pump"), Some(1.0));
        assert!(
            of("This was") < Some(0.7),
            "what leans on the sentence before is worth less alone"
        );
        assert!(sentences.rows.iter().all(|row| row.unit == 7));
        let cut = " States, our strategic forces levelled off in the years before. The pump failed at noon that day.";
        let worth = |goes_on| Sentences::of(&[7], |_| cut, |_| goes_on).rows;
        let (whole, cut) = (worth(false), worth(true));
        assert!(cut[0].quality < 0.5 * whole[0].quality);
        assert_eq!(cut[1], whole[1]);
    }
}
