//! Part-of-speech tags for noun-phrase chunking: the word's possible classes, decided by its neighbours.
//!
//! Not a full tagger: only the distinctions that bound a noun phrase matter (noun or verb, modifier or predicate).

use super::lexicon::{
    self, ADJECTIVE, ADVERB, AUXILIARY, CONJUNCTION, DATE, DETERMINER, GERUND, GERUND_NOUN,
    INTERJECTION, LISTED, NOUN, NUMERAL, PARTICIPLE, PAST, PLURAL, PREPOSITION, PRONOUN,
    STRONG_NOUN, VERB, VERB_S, WEAK,
};
use super::token::{HYPHEN, Kind, POSSESSIVE, Shape, Token};

const W_TO: u64 = lexicon::WordHash::of("to");
const W_AND: u64 = lexicon::WordHash::of("and");
const W_OR: u64 = lexicon::WordHash::of("or");

/// A word's part in a noun phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// Part of a proper name.
    Name,
    Noun,
    Plural,
    Adjective,
    /// A participle before the noun it modifies.
    Modifier,
    Verb,
    Auxiliary,
    /// "to", "will", "can": a verb follows.
    To,
    Determiner,
    Pronoun,
    Preposition,
    Conjunction,
    Adverb,
    Number,
    /// A comma or semicolon.
    Comma,
    /// Other punctuation, the start of a sentence, and all that ends a phrase.
    Break,
}

impl Tag {
    fn is_noun(self) -> bool {
        matches!(self, Self::Noun | Self::Plural | Self::Name)
    }

    /// A noun phrase is open before the word.
    fn opens_phrase(self) -> bool {
        matches!(
            self,
            Self::Determiner | Self::Adjective | Self::Modifier | Self::Number
        )
    }
}

// invariant: `i` runs over `tokens`, and `tags` holds one tag for each token before it.
/// Tags all tokens; `names[i]` tells whether token `i` is part of a name.
pub(super) fn tag(tokens: &[Token], names: &[bool], tags: &mut Vec<Tag>) {
    tags.clear();
    for (i, token) in tokens.iter().enumerate() {
        let same = |j: usize| tokens.get(j).filter(|t| t.sentence == token.sentence);
        let previous = match i.checked_sub(1) {
            Some(p) if same(p).is_some() => {
                if tokens[p].has(POSSESSIVE) {
                    Tag::Determiner
                } else {
                    tags[p]
                }
            }
            _ => Tag::Break,
        };
        let named = names.get(i).copied().unwrap_or(false);
        let next = same(i + 1).map(|t| (t, names.get(i + 1).copied().unwrap_or(false)));
        let tag = if named {
            Tag::Name
        } else {
            decide(token, previous, next)
        };
        tags.push(tag);
    }
}

/// The next token may stand inside a noun phrase.
fn continues(next: Option<(&Token, bool)>) -> bool {
    next.is_some_and(|(t, named)| {
        named
            || t.is_wordlike()
                && !t.is(lexicon::CLOSED | DATE)
                && (t.is(NOUN | ADJECTIVE | GERUND_NOUN)
                    || t.shape != Shape::Lower
                    || t.kind == Kind::Code)
    })
}

/// What follows a finite verb rather than a noun: an object or a clause.
fn object_follows(next: Option<(&Token, bool)>) -> bool {
    next.is_some_and(|(t, _)| {
        t.is(DETERMINER | PRONOUN) || (t.is(NUMERAL) || t.kind == Kind::Number)
    })
}

/// "disabled new requests", "bringing significant capacity": the object of a verb, not one phrase with it.
fn weak_follows(next: Option<(&Token, bool)>) -> bool {
    next.is_some_and(|(t, named)| !named && t.is(WEAK))
}

fn decide(token: &Token, previous: Tag, next: Option<(&Token, bool)>) -> Tag {
    match token.kind {
        Kind::Number => return Tag::Number,
        Kind::Code => return Tag::Noun,
        Kind::Word => {}
        Kind::Punctuation(',' | ';' | '/') => return Tag::Comma,
        _ => return Tag::Break,
    }
    let bits = token.bits;
    let listed_open = bits & lexicon::OPEN != 0;
    if bits & lexicon::CLOSED != 0 {
        return closed(token, previous, next);
    }
    if bits & DATE != 0 && token.shape != Shape::Lower {
        return Tag::Break;
    }
    if !listed_open {
        // Unlisted and capitalised but not a name: the first word of a sentence or of a heading.
        return Tag::Noun;
    }
    let hyphenated = token.has(HYPHEN);
    if bits & GERUND_NOUN != 0
        && (previous.is_noun() || previous.opens_phrase() || previous == Tag::Preposition)
        && !object_follows(next)
    {
        return Tag::Noun;
    }
    if bits & GERUND != 0 {
        return gerund(bits, previous, next, hyphenated);
    }
    if hyphenated && bits & LISTED == 0 && continues(next) {
        return Tag::Adjective;
    }
    if bits & ADJECTIVE != 0 {
        return adjective(bits, previous, next);
    }
    if bits & (PAST | PARTICIPLE) != 0 && bits & NOUN == 0 {
        return participle(bits, previous, next, hyphenated);
    }
    if bits & ADVERB != 0 && (bits & NOUN == 0 || !previous.opens_phrase()) {
        return Tag::Adverb;
    }
    let noun = if bits & PLURAL != 0 {
        Tag::Plural
    } else {
        Tag::Noun
    };
    if bits & NOUN == 0 {
        // A verb in a nominal place is an unlisted noun ("the fetch failed").
        return if previous.opens_phrase() && bits & VERB != 0 && !object_follows(next) {
            Tag::Noun
        } else {
            Tag::Verb
        };
    }
    if bits & (VERB | VERB_S | PAST) == 0 {
        return noun;
    }
    noun_or_verb(bits, noun, previous, next)
}

fn closed(token: &Token, previous: Tag, next: Option<(&Token, bool)>) -> Tag {
    let bits = token.bits;
    // "the past", "the following outage", "a well", "the will": closed words in a nominal place.
    if bits & DETERMINER != 0 {
        return Tag::Determiner;
    }
    if bits & AUXILIARY != 0 {
        let nominal = bits & STRONG_NOUN != 0
            && previous.opens_phrase()
            && !next.is_some_and(|(t, _)| t.is(VERB | AUXILIARY | ADVERB));
        return if nominal { Tag::Noun } else { Tag::Auxiliary };
    }
    if bits & PRONOUN != 0 {
        return Tag::Pronoun;
    }
    if bits & NUMERAL != 0 {
        return Tag::Number;
    }
    if bits & PREPOSITION != 0 {
        if token.hash == W_TO {
            return if next.is_some_and(|(t, _)| t.is(VERB) && !t.is(DETERMINER | PRONOUN)) {
                Tag::To
            } else {
                Tag::Preposition
            };
        }
        if previous == Tag::Determiner && bits & (ADJECTIVE | NOUN) != 0 {
            return if continues(next) {
                Tag::Adjective
            } else {
                Tag::Noun
            };
        }
        return Tag::Preposition;
    }
    if bits & CONJUNCTION != 0 {
        return Tag::Conjunction;
    }
    if bits & INTERJECTION != 0 {
        Tag::Break
    } else {
        Tag::Adverb
    }
}

fn gerund(
    bits: lexicon::Bits,
    previous: Tag,
    next: Option<(&Token, bool)>,
    hyphenated: bool,
) -> Tag {
    let modifies = continues(next) && !weak_follows(next);
    let adjectival = bits & ADJECTIVE != 0 || hyphenated;
    match previous {
        Tag::Determiner | Tag::Adjective | Tag::Modifier if modifies => Tag::Modifier,
        Tag::Determiner | Tag::Adjective | Tag::Modifier | Tag::Number if !object_follows(next) => {
            Tag::Noun
        }
        Tag::Preposition | Tag::Break | Tag::Verb | Tag::Conjunction if adjectival && modifies => {
            Tag::Modifier
        }
        _ => Tag::Verb,
    }
}

fn adjective(bits: lexicon::Bits, previous: Tag, next: Option<(&Token, bool)>) -> Tag {
    if bits & ADVERB != 0
        && next.is_some_and(|(t, _)| t.is(PAST | VERB | VERB_S) && !t.is(NOUN | ADJECTIVE))
    {
        return Tag::Adverb;
    }
    if continues(next) {
        let verbal = bits & (VERB | PAST) != 0 && bits & WEAK == 0;
        let clause = matches!(
            previous,
            Tag::To | Tag::Auxiliary | Tag::Pronoun | Tag::Plural
        );
        return if verbal && clause {
            Tag::Verb
        } else {
            Tag::Adjective
        };
    }
    if bits & NOUN != 0
        && (previous.opens_phrase() || previous.is_noun() || previous == Tag::Preposition)
    {
        return if bits & PLURAL != 0 {
            Tag::Plural
        } else {
            Tag::Noun
        };
    }
    if bits & (VERB | VERB_S) != 0 && matches!(previous, Tag::To | Tag::Auxiliary | Tag::Pronoun) {
        return Tag::Verb;
    }
    // A predicate ("is responsible for"): no phrase ends with it.
    Tag::Adjective
}

fn participle(
    bits: lexicon::Bits,
    previous: Tag,
    next: Option<(&Token, bool)>,
    hyphenated: bool,
) -> Tag {
    if bits & PARTICIPLE == 0 || !continues(next) || weak_follows(next) {
        return Tag::Verb;
    }
    match previous {
        Tag::Determiner | Tag::Adjective | Tag::Modifier | Tag::Number | Tag::Preposition => {
            Tag::Modifier
        }
        Tag::Break | Tag::Verb | Tag::Conjunction if hyphenated => Tag::Modifier,
        // "Affected instances were", "caused increased latency": but "and restored service" is a predicate.
        Tag::Break | Tag::Verb => Tag::Modifier,
        _ => Tag::Verb,
    }
}

/// A word that is listed as noun and as verb.
fn noun_or_verb(
    bits: lexicon::Bits,
    noun: Tag,
    previous: Tag,
    next: Option<(&Token, bool)>,
) -> Tag {
    let past_only = bits & (VERB | VERB_S) == 0;
    match previous {
        Tag::Determiner | Tag::Adjective | Tag::Modifier | Tag::Number => noun,
        Tag::Preposition => noun,
        Tag::To | Tag::Auxiliary => {
            if bits & VERB != 0 && bits & PLURAL == 0 {
                Tag::Verb
            } else {
                noun
            }
        }
        Tag::Pronoun => {
            if bits & STRONG_NOUN != 0 && !object_follows(next) {
                noun
            } else {
                Tag::Verb
            }
        }
        Tag::Name | Tag::Noun => {
            let agrees = bits & VERB_S != 0 || past_only;
            let verb_goes_on = object_follows(next)
                || bits & STRONG_NOUN == 0
                    && next.is_some_and(|(t, _)| {
                        t.is(CONJUNCTION)
                            && !t.is(NOUN | ADJECTIVE)
                            && t.hash != W_AND
                            && t.hash != W_OR
                    });
            let predicate = bits & VERB_S != 0 && bits & STRONG_NOUN == 0 && continues(next);
            if agrees && verb_goes_on || predicate {
                Tag::Verb
            } else {
                noun
            }
        }
        Tag::Plural => {
            if bits & VERB_S == 0
                && bits & STRONG_NOUN == 0
                && (object_follows(next) || next.is_some_and(|(t, _)| t.is(PREPOSITION | ADVERB)))
            {
                Tag::Verb
            } else {
                noun
            }
        }
        Tag::Adverb => {
            if bits & STRONG_NOUN != 0 {
                noun
            } else {
                Tag::Verb
            }
        }
        Tag::Verb | Tag::Conjunction | Tag::Comma | Tag::Break => {
            if object_follows(next) && bits & STRONG_NOUN == 0 {
                Tag::Verb
            } else {
                noun
            }
        }
    }
}
