//! Numerals that belong to a name.

use super::lexicon::{CLOSED, WordHash};
use super::names;
use super::token::{self, CAPITALS, HEADING, Kind, OPENING, Shape, Token};

const W_I: u64 = WordHash::of("i");
const W_OF: u64 = WordHash::of("of");

/// "II", "IV": a numeral by itself.
pub(super) fn is_roman(token: &Token) -> bool {
    const NUMERALS: [u64; 9] = [
        WordHash::of("ii"),
        WordHash::of("iii"),
        WordHash::of("iv"),
        WordHash::of("vi"),
        WordHash::of("vii"),
        WordHash::of("viii"),
        WordHash::of("ix"),
        WordHash::of("xi"),
        WordHash::of("xii"),
    ];
    token.shape == Shape::Upper && NUMERALS.contains(&token.hash)
}

/// "Air Force One", "World War I", "Elizabeth I of England": a numeral that is a word, and no pronoun.
pub(super) fn is_numeral(tokens: &[Token], at: usize) -> bool {
    const SPELLED: [u64; 12] = [
        WordHash::of("one"),
        WordHash::of("two"),
        WordHash::of("three"),
        WordHash::of("four"),
        WordHash::of("five"),
        WordHash::of("six"),
        WordHash::of("seven"),
        WordHash::of("eight"),
        WordHash::of("nine"),
        WordHash::of("ten"),
        WordHash::of("eleven"),
        WordHash::of("twelve"),
    ];
    const NUMBERED: [u64; 12] = [
        WordHash::of("war"),
        WordHash::of("type"),
        WordHash::of("phase"),
        WordHash::of("part"),
        WordHash::of("volume"),
        WordHash::of("act"),
        WordHash::of("class"),
        WordHash::of("stage"),
        WordHash::of("level"),
        WordHash::of("annex"),
        WordHash::of("schedule"),
        WordHash::of("title"),
    ];
    let (Some(token), Some(name)) = (tokens.get(at), token::before(tokens, at)) else {
        return false;
    };
    if token.kind != Kind::Word || token.has(OPENING | HEADING | CAPITALS) {
        return false;
    }
    if token.hash != W_I {
        return token.shape == Shape::Title && SPELLED.contains(&token.hash);
    }
    let ends = match token::after(tokens, at) {
        None => true,
        Some(next) => {
            matches!(next.kind, Kind::Punctuation('.' | ',' | ';' | ':' | ')')) || next.hash == W_OF
        }
    };
    // "In Part I agree": one word before it is not enough.
    let numbered = NUMBERED.contains(&name.hash)
        && token::before(tokens, at - 1).is_some_and(|t| names::is_capitalised(t) && !t.is(CLOSED));
    ends || numbered
}
