//! Short forms and former names that the text itself declares.

use super::kind::{EntityKind, KindEvidence};
use super::lexicon::{CLOSED, WordHash};
use super::token::{Kind, Shape, Token};
use super::{Found, sort};

const MAX_LETTERS: usize = 8;
/// Tokens of the longest name looked for.
const MAX_SPAN: usize = 24;

// invariant: the tokens of a phrase are positions in `tokens`, and `before` is at most `found.len()`.
/// Sets `alias_of` on short forms in brackets and on former names; adds the long form where it is not a phrase yet.
pub(super) fn link(text: &str, tokens: &[Token], found: &mut Vec<Found>) {
    let before = found.len();
    for open in 1..tokens.len() {
        if tokens[open].kind != Kind::Punctuation('(') {
            continue;
        }
        let Some(short) = tokens.get(open + 1) else {
            continue;
        };
        if is_short_form(short) && closes(tokens, open + 2) {
            if let Some(first) = long_form(text, tokens, open, short) {
                declare(found, tokens, before, open + 1, (first, open - 1));
            }
        } else if is_short_form(&tokens[open - 1]) {
            let long = starting(&found[..before], open + 1, open + 1)
                .iter()
                .find(|f| f.named);
            let Some((first, last)) = long.map(|f| (f.first, f.last)) else {
                continue;
            };
            if closes(tokens, last + 1)
                && long_form(text, tokens, last + 1, &tokens[open - 1]) == Some(first)
            {
                declare(found, tokens, before, open - 1, (first, last));
            }
        }
    }
    former_names(tokens, &mut found[..before]);
    if found.len() > before {
        sort(found);
    }
}

fn closes(tokens: &[Token], at: usize) -> bool {
    tokens
        .get(at)
        .is_some_and(|t| matches!(t.kind, Kind::Punctuation(')' | ',' | ';')))
}

fn is_short_form(token: &Token) -> bool {
    token.is_wordlike()
        && matches!(token.shape, Shape::Upper | Shape::Mixed)
        && (2..=MAX_LETTERS as u32 + 1).contains(&(token.end - token.start))
}

/// The first token of the words before `end` whose initials spell `short`.
fn long_form(text: &str, tokens: &[Token], end: usize, short: &Token) -> Option<usize> {
    let mut letters = [' '; MAX_LETTERS];
    let mut count = 0;
    for c in short.text(text).chars().filter(|c| c.is_uppercase()) {
        *letters.get_mut(count)? = c;
        count += 1;
    }
    if count < 2 {
        return None;
    }
    let mut left = count;
    let mut at = end;
    let mut skipped = 0;
    while left > 0 {
        at = at.checked_sub(1)?;
        let token = tokens.get(at)?;
        if token.kind == Kind::Punctuation('&') {
            continue;
        }
        if !token.is_wordlike() || token.sentence != tokens.get(end)?.sentence {
            return None;
        }
        let matched = initials_matched(token.text(text), &letters[..left]);
        if matched > 0 {
            left -= matched;
        } else if token.is(CLOSED) && skipped < 3 && left < count {
            skipped += 1;
        } else {
            return None;
        }
    }
    Some(at)
}

/// How many letters at the end of `letters` the initials of a (hyphenated) word account for.
fn initials_matched(word: &str, letters: &[char]) -> usize {
    let parts = word.split('-').count();
    if parts > 1 && parts <= letters.len() {
        let tail = &letters[letters.len() - parts..];
        if word
            .split('-')
            .zip(tail)
            .all(|(part, &letter)| begins(part, letter))
        {
            return parts;
        }
    }
    let matches = letters.last().is_some_and(|&letter| begins(word, letter));
    usize::from(matches)
}

fn begins(word: &str, letter: char) -> bool {
    word.chars()
        .next()
        .is_some_and(|c| c.to_uppercase().eq(letter.to_uppercase()))
}

/// The phrases that begin at a token from `from` to `to`, inclusive; `found` is in order of position.
fn starting(found: &[Found], from: usize, to: usize) -> &[Found] {
    let start = found.partition_point(|f| f.first < from);
    let end = found.partition_point(|f| f.first <= to);
    &found[start..end]
}

/// Marks the phrase at token `short` as an alias of `long`, widened to the name that ends there.
fn declare(
    found: &mut Vec<Found>,
    tokens: &[Token],
    before: usize,
    short: usize,
    long: (usize, usize),
) {
    let wider = starting(&found[..before], long.0.saturating_sub(2), long.0)
        .iter()
        .find(|f| f.named && f.last == long.1)
        .map(|f| f.first);
    let long = (wider.unwrap_or(long.0), long.1);
    let from = found[..before].partition_point(|f| f.first < short);
    let mut here = found[from..before]
        .iter_mut()
        .take_while(|f| f.first == short);
    let Some(alias) = here.find(|f| f.last == short) else {
        return;
    };
    alias.alias_of = Some(long);
    let known = starting(&found[..before], long.0, long.0);
    if !known.iter().any(|f| f.last == long.1) {
        let named = tokens[long.0].shape != Shape::Lower && tokens[long.1].shape != Shape::Lower;
        let mut evidence = KindEvidence::default();
        if !named {
            evidence.add(EntityKind::Concept, 2);
        }
        found.push(Found {
            first: long.0,
            last: long.1,
            named,
            evidence,
            alias_of: None,
        });
    }
}

/// "X, formerly Y", "X (previously known as Y)": Y is an alias of X.
fn former_names(tokens: &[Token], found: &mut [Found]) {
    const BEFORE: [u64; 5] = [
        WordHash::of("formerly"),
        WordHash::of("previously"),
        WordHash::of("aka"),
        WordHash::of("a.k.a"),
        WordHash::of("née"),
    ];
    const BETWEEN: [u64; 5] = [
        WordHash::of("known"),
        WordHash::of("called"),
        WordHash::of("named"),
        WordHash::of("as"),
        WordHash::of("the"),
    ];
    for i in 1..found.len() {
        let first = found[i].first;
        if !found[i].named {
            continue;
        }
        let mut at = first;
        while at > 0 && first - at < 4 && BETWEEN.contains(&tokens[at - 1].hash) {
            at -= 1;
        }
        if at < 2 || !BEFORE.contains(&tokens[at - 1].hash) {
            continue;
        }
        if !matches!(tokens[at - 2].kind, Kind::Punctuation(',' | '(')) {
            continue;
        }
        let Some(new) = at.checked_sub(3) else {
            continue;
        };
        let present = starting(&found[..i], new.saturating_sub(MAX_SPAN), new)
            .iter()
            .find(|f| f.named && f.last == new)
            .map(|f| (f.first, f.last));
        if present.is_some() {
            found[i].alias_of = present;
        }
    }
}
