//! Tokens: words with shape, classes, sentence and line kind.

use super::lexicon::Bits;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, with inner apostrophes, hyphens and dots.
    Word,
    /// Letters and digits, beginning with a letter ("PS-14", "EC2").
    Code,
    /// Begins with a digit.
    Number,
    /// A run of a script without case (Han, kana, Hangul, Arabic, ...).
    Caseless,
    /// One punctuation character.
    Punctuation(char),
    /// Addresses, paths and other machine text.
    Opaque,
}

/// How a word is capitalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Lower,
    /// One capital, at the front ("Lune", "O'Hara").
    Title,
    /// Two or more capitals and no small letter ("SCADA").
    Upper,
    /// One capital letter alone.
    Initial,
    /// Capitals elsewhere ("CamelCase", "eBay").
    Mixed,
}

/// The first word of a sentence, a quotation, a line item: its capital says nothing.
pub(super) const OPENING: u8 = 1;
/// A possessive ending was cut off.
pub(super) const POSSESSIVE: u8 = 2;
/// Stands in a heading in title case.
pub(super) const HEADING: u8 = 4;
/// Stands in a line of capitals.
pub(super) const CAPITALS: u8 = 8;
/// Has an inner hyphen.
pub(super) const HYPHEN: u8 = 16;
/// A full stop that belongs to the word follows ("Mr.").
pub(super) const DOT: u8 = 32;

/// One token; offsets in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub start: u32,
    pub end: u32,
    /// Of the lower-case form.
    pub hash: u64,
    pub bits: Bits,
    pub sentence: u32,
    pub kind: Kind,
    pub shape: Shape,
    pub flags: u8,
}

impl Token {
    pub(super) fn is(&self, bits: Bits) -> bool {
        self.bits & bits != 0
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }

    pub(super) fn is_wordlike(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Code)
    }
}

/// The token after `at`, if in the same sentence.
pub(super) fn after(tokens: &[Token], at: usize) -> Option<&Token> {
    let token = tokens.get(at)?;
    tokens.get(at + 1).filter(|t| t.sentence == token.sentence)
}

/// The token before `at`, if in the same sentence.
pub(super) fn before(tokens: &[Token], at: usize) -> Option<&Token> {
    let token = tokens.get(at)?;
    let previous = tokens.get(at.checked_sub(1)?)?;
    (previous.sentence == token.sentence).then_some(previous)
}

pub(super) fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Letters of scripts that have no capitals.
pub(super) fn is_caseless(c: char) -> bool {
    matches!(c,
        '\u{0590}'..='\u{08ff}' | '\u{0900}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
        && (c.is_alphabetic() || is_mark(c))
}

/// Vowel signs of Indic and other scripts, which are not alphabetic by themselves everywhere.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{093c}'..='\u{094d}' | '\u{0e31}'..='\u{0e4e}' | '\u{3005}')
}
