//! Common noun phrases: `(adjective | participle | noun | name)* noun` over the tags, at least two words.

use super::lexicon::{
    ADJECTIVE, CLOSED, DATE, DEMONYM, EXCLUDED, GEO_FIRST, NOUN, PLURAL, TIME, VAGUE, WEAK,
};
use super::tag::Tag;
use super::token::{CAPITALS, HYPHEN, Kind, POSSESSIVE, Token};

/// A noun phrase in the token list, ends inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub first: usize,
    pub last: usize,
}

/// Bounds of a phrase, from the settings.
pub(super) struct Limits {
    pub max_words: usize,
    /// In characters, of each part of a hyphenated word.
    pub max_word_length: usize,
    /// Also the two-noun head of a longer phrase ("control plane" of "EBS control plane"), if the text has it on its own too.
    pub nested_heads: bool,
}

// invariant: `tags` is as long as `tokens`, and `first <= last < tokens.len()` throughout.
/// Finds the noun phrases of a tagged text.
pub(super) fn find(
    text: &str,
    tokens: &[Token],
    tags: &[Tag],
    limits: &Limits,
    chunks: &mut Vec<Chunk>,
) {
    chunks.clear();
    let mut at = 0;
    while at < tokens.len() {
        if !takes_part(tags[at]) || tokens[at].has(CAPITALS) {
            at += 1;
            continue;
        }
        let end = run_end(tokens, tags, at);
        add(text, tokens, tags, limits, at, end, chunks);
        at = end + 1;
    }
    if limits.nested_heads {
        add_nested_heads(tokens, tags, chunks);
    }
}

/// Adds the last two nouns of longer phrases where they are a phrase of their own elsewhere in the text.
fn add_nested_heads(tokens: &[Token], tags: &[Tag], chunks: &mut Vec<Chunk>) {
    let key = |first: usize, last: usize| (tokens[first].hash, tokens[last].hash);
    let mut pairs: Vec<(u64, u64)> = chunks
        .iter()
        .filter(|chunk| chunk.last == chunk.first + 1)
        .map(|chunk| key(chunk.first, chunk.last))
        .collect();
    pairs.sort_unstable();
    for i in 0..chunks.len() {
        let Chunk { first, last } = chunks[i];
        if last >= first + 2
            && is_head(tags[last - 1])
            && pairs.binary_search(&key(last - 1, last)).is_ok()
        {
            chunks.push(Chunk {
                first: last - 1,
                last,
            });
        }
    }
}

fn takes_part(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Name | Tag::Noun | Tag::Plural | Tag::Adjective | Tag::Modifier
    )
}

fn is_head(tag: Tag) -> bool {
    matches!(tag, Tag::Noun | Tag::Plural)
}

/// The last token of the run that begins at `start`: ends before a modifier that follows a noun, and after a possessive.
fn run_end(tokens: &[Token], tags: &[Tag], start: usize) -> usize {
    let mut end = start;
    let mut seen_noun = is_head(tags[start]);
    while let (Some(token), Some(&tag)) = (tokens.get(end + 1), tags.get(end + 1)) {
        let modifier = matches!(tag, Tag::Adjective | Tag::Modifier);
        if token.sentence != tokens[start].sentence
            || !takes_part(tag)
            || tokens[end].has(POSSESSIVE)
            || (modifier && seen_noun)
            || (tag == Tag::Name && seen_noun)
        {
            break;
        }
        seen_noun |= is_head(tag);
        end += 1;
    }
    end
}

fn add(
    text: &str,
    tokens: &[Token],
    tags: &[Tag],
    limits: &Limits,
    start: usize,
    end: usize,
    chunks: &mut Vec<Chunk>,
) {
    let Some((first, last)) = trim(tokens, tags, start, end) else {
        return;
    };
    let first = first.max((last + 1).saturating_sub(limits.max_words));
    // Cutting a long phrase may leave a weak word in front again.
    let Some((first, last)) = trim(tokens, tags, first, last) else {
        return;
    };
    let words = &tokens[first..=last];
    if words.iter().any(|t| t.is(EXCLUDED)) || !is_meant(tokens, tags, first, last) {
        return;
    }
    if !words
        .iter()
        .all(|t| fits(t.text(text), limits.max_word_length))
    {
        return;
    }
    chunks.push(Chunk { first, last });
}

/// Strips words that say nothing from the front and everything after the last noun that may head a phrase.
fn trim(
    tokens: &[Token],
    tags: &[Tag],
    mut first: usize,
    mut last: usize,
) -> Option<(usize, usize)> {
    while !is_head(tags[last]) || tokens[last].is(VAGUE | DATE) {
        if last == first {
            return None;
        }
        last -= 1;
    }
    while first < last
        && (tokens[first].is(WEAK) && tags[first] != Tag::Name
            || tokens[first].is(VAGUE | EXCLUDED))
    {
        first += 1;
    }
    Some((first, last))
}

/// Whether the phrase names something: two words, or a hyphenated compound noun.
fn is_meant(tokens: &[Token], tags: &[Tag], first: usize, last: usize) -> bool {
    let head = &tokens[last];
    if head.end - head.start < 2 {
        return false;
    }
    if first == last {
        return is_compound(tokens, tags, first);
    }
    if head.is(TIME) {
        return is_head(tags[last - 1]) && !tokens[last - 1].is(TIME | PLURAL);
    }
    // "old man", "good thing": two words of which neither tells anything are left to the lists.
    true
}

/// A hyphenated noun that stands alone ("hand-off"), but not a number or a measure.
fn is_compound(tokens: &[Token], tags: &[Tag], at: usize) -> bool {
    let token = &tokens[at];
    let opened = at
        .checked_sub(1)
        .is_some_and(|p| tags[p] != Tag::Break && tokens[p].sentence == token.sentence);
    token.kind == Kind::Word
        && token.has(HYPHEN)
        && opened
        && token.is(NOUN)
        && !token.is(CLOSED | ADJECTIVE | DEMONYM | GEO_FIRST | TIME)
}

fn fits(word: &str, max_length: usize) -> bool {
    word.len() <= max_length
        || word
            .split(['-', '‑'])
            .all(|part| part.chars().count() <= max_length)
}
