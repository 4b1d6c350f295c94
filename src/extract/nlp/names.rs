//! Proper names: runs of capitalised words, with connectors, initials, codes.

use super::kind::KindEvidence;
use super::lexicon::{
    ADJECTIVE, ADVERB, CLOSED, DATE, DEMONYM, DETERMINER, DOCUMENT_HEAD, FIRST_NAME, GEO_HEAD,
    GERUND, HONORIFIC, HashKeyed, INTERJECTION, LISTED, NOUN, OPEN, ORGANIZATION_HEAD, PARTICIPLE,
    PAST, PLACE, PLURAL, PRONOUN, ROLE, TIME, VERB, VERB_S, WEAK, WordHash,
};
use super::numeral::{is_numeral, is_roman};
use super::token::{self, CAPITALS, DOT, HEADING, Kind, OPENING, POSSESSIVE, Shape, Token};
use super::weigh;

/// A name in the token list, ends inclusive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub first: usize,
    pub last: usize,
    pub evidence: KindEvidence,
}

const W_AND: u64 = WordHash::of("and");
const W_FOR: u64 = WordHash::of("for");
const W_I: u64 = WordHash::of("i");
const W_INC: u64 = WordHash::of("inc");
const W_LLC: u64 = WordHash::of("llc");
const W_LTD: u64 = WordHash::of("ltd");
const W_OF: u64 = WordHash::of("of");
const W_THE: u64 = WordHash::of("the");

/// Small words inside surnames.
const PARTICLES: [u64; 14] = {
    let words = [
        "de", "la", "le", "von", "van", "der", "den", "di", "da", "du", "del", "al", "bin", "ibn",
    ];
    let mut hashes = [0; 14];
    let mut at = 0;
    while at < words.len() {
        hashes[at] = WordHash::of(words[at]);
        at += 1;
    }
    hashes
};

/// Who a founder is joined to in the name of a firm.
const FIRMS: [u64; 7] = [
    WordHash::of("sons"),
    WordHash::of("son"),
    WordHash::of("daughters"),
    WordHash::of("brothers"),
    WordHash::of("partners"),
    WordHash::of("associates"),
    WordHash::of("company"),
];

const SEEN_LOWER: u8 = 1;
const SEEN_CAPITAL: u8 = 2;
const MAX_NAME_WORDS: usize = 8;
/// A run this long is no name; the bound keeps the search linear.
const MAX_RUN: usize = 24;

/// How words of this text are written elsewhere in it.
#[derive(Default)]
pub(super) struct CaseTable(HashKeyed<u8>);

impl CaseTable {
    pub(super) fn fill(&mut self, tokens: &[Token]) {
        self.0.clear();
        for token in tokens {
            if token.is_wordlike() && token.shape != Shape::Lower {
                let firm = !token.has(OPENING | HEADING | CAPITALS);
                *self.0.entry(token.hash).or_insert(0) |= if firm { SEEN_CAPITAL } else { 0 };
            }
        }
        for token in tokens {
            if token.kind == Kind::Word
                && token.shape == Shape::Lower
                && let Some(seen) = self.0.get_mut(&token.hash)
            {
                *seen |= SEEN_LOWER;
            }
        }
    }

    fn seen(&self, token: &Token, what: u8) -> bool {
        self.0.get(&token.hash).is_some_and(|seen| seen & what != 0)
    }
}

/// What a capital says about one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    No,
    /// A name only if nothing better explains the capital.
    Weak,
    Firm,
}

/// Finds the names of a text; marks their tokens in `marks`.
pub(super) fn find(
    tokens: &[Token],
    cases: &CaseTable,
    names: &mut Vec<Name>,
    marks: &mut Vec<bool>,
) {
    names.clear();
    marks.clear();
    marks.resize(tokens.len(), false);
    let finder = Finder { tokens, cases };
    let mut at = 0;
    while at < tokens.len() {
        let status = finder.status(at);
        if status == Status::No {
            at += 1;
            continue;
        }
        let end = finder.run_end(at);
        finder.emit(at, end, status, names, marks);
        at = end + 1;
    }
}

/// Written with a capital, or with a digit in it.
pub(super) fn is_capitalised(token: &Token) -> bool {
    token.is_wordlike() && (token.shape != Shape::Lower || token.kind == Kind::Code)
}

// invariant: every index a method takes or makes is below `tokens.len()`; `after` and `before` are checked.
struct Finder<'a> {
    tokens: &'a [Token],
    cases: &'a CaseTable,
}

impl Finder<'_> {
    fn after(&self, at: usize) -> Option<&Token> {
        token::after(self.tokens, at)
    }

    fn before(&self, at: usize) -> Option<&Token> {
        token::before(self.tokens, at)
    }

    fn status(&self, at: usize) -> Status {
        let Some(token) = self.tokens.get(at) else {
            return Status::No;
        };
        if !is_capitalised(token) {
            return Status::No;
        }
        if token.kind == Kind::Code {
            return Status::Firm;
        }
        if token.is(DATE) && !self.is_given_name(at) {
            return Status::No;
        }
        if token.is(CLOSED) || token.shape == Shape::Initial {
            return self.closed_status(at, token);
        }
        if token.has(CAPITALS) {
            return self.capitals_status(at, token);
        }
        if matches!(token.shape, Shape::Upper | Shape::Mixed) {
            return Status::Firm;
        }
        let ordinary = token.is(OPEN | ADVERB | TIME);
        if token.has(HEADING) {
            let name = !ordinary
                || (self.cases.seen(token, SEEN_CAPITAL) && !self.cases.seen(token, SEEN_LOWER));
            return if name { Status::Firm } else { Status::No };
        }
        if token.has(OPENING) {
            return self.opening_status(at, token, ordinary);
        }
        if token.is(ADVERB | PRONOUN)
            || (token.is(VERB | PAST | GERUND)
                && !token.is(NOUN | ADJECTIVE)
                && !self.near_capital(at))
        {
            return Status::No;
        }
        Status::Firm
    }

    /// "May Jones", "April Carter": a month before a name that is no month.
    fn is_given_name(&self, at: usize) -> bool {
        self.tokens[at].is(FIRST_NAME)
            && self.after(at).is_some_and(|t| {
                t.shape == Shape::Title && t.kind == Kind::Word && !t.is(CLOSED | DATE | OPEN)
            })
    }

    fn near_capital(&self, at: usize) -> bool {
        self.after(at)
            .is_some_and(|t| is_capitalised(t) && !t.is(CLOSED | DATE))
            || self
                .before(at)
                .is_some_and(|t| is_capitalised(t) && !t.is(CLOSED | DATE))
    }

    /// Capitalised closed-class words: acronyms that look like one, and initials of a person.
    fn closed_status(&self, at: usize, token: &Token) -> Status {
        if token.shape == Shape::Initial {
            let starts_name = token.has(DOT)
                && self
                    .after(at)
                    .is_some_and(|t| is_capitalised(t) && !t.is(CLOSED | DATE) && !t.has(OPENING));
            return if starts_name {
                Status::Firm
            } else {
                Status::No
            };
        }
        const ACRONYMS: [u64; 3] = [WordHash::of("us"), WordHash::of("it"), WordHash::of("who")];
        let acronym =
            token.shape == Shape::Upper && !token.has(CAPITALS) && ACRONYMS.contains(&token.hash);
        let pronoun_like = self.before(at).is_some_and(|t| t.shape == Shape::Upper)
            && self.after(at).is_some_and(|t| t.shape == Shape::Upper);
        if acronym && !pronoun_like {
            Status::Firm
        } else {
            Status::No
        }
    }

    fn capitals_status(&self, at: usize, token: &Token) -> Status {
        let titled = token.is(ROLE | HONORIFIC)
            && self
                .after(at)
                .is_some_and(|t| t.shape == Shape::Upper && !t.is(OPEN | CLOSED));
        if titled {
            return Status::Firm;
        }
        let known = self.cases.seen(token, SEEN_CAPITAL) && !self.cases.seen(token, SEEN_LOWER);
        if known || token.is(FIRST_NAME | PLACE) && !token.is(OPEN) {
            Status::Firm
        } else if token.is(OPEN | ADVERB | TIME | DEMONYM) || self.cases.seen(token, SEEN_LOWER) {
            Status::No
        } else {
            Status::Weak
        }
    }

    /// The first word of a sentence.
    fn opening_status(&self, at: usize, token: &Token, ordinary: bool) -> Status {
        let seen_lower = self.cases.seen(token, SEEN_LOWER);
        if self.cases.seen(token, SEEN_CAPITAL) && !seen_lower {
            return Status::Firm;
        }
        if token.is(HONORIFIC | FIRST_NAME | PLACE)
            && !(ordinary && seen_lower)
            && (!ordinary || self.after(at).is_some_and(|t| self.is_plain_capital(t)))
        {
            return Status::Firm;
        }
        let before_name = self.after(at).is_some_and(|t| self.is_plain_capital(t));
        if ordinary {
            let value = !token.is(LISTED)
                && self
                    .before(at)
                    .is_some_and(|t| t.kind == Kind::Punctuation(':'));
            if value {
                return Status::Weak;
            }
            let nominal = token.is(NOUN | ADJECTIVE)
                && !token.is(WEAK | ADVERB)
                && !(token.is(PAST | PARTICIPLE | GERUND))
                && !token.is(PLURAL);
            return if nominal && before_name {
                Status::Firm
            } else {
                Status::No
            };
        }
        if seen_lower {
            return Status::No;
        }
        if before_name {
            Status::Firm
        } else {
            Status::Weak
        }
    }

    /// A capitalised word whose capital means something, in title shape.
    fn is_plain_capital(&self, token: &Token) -> bool {
        token.shape == Shape::Title
            && token.kind == Kind::Word
            && !token.is(CLOSED | DATE)
            && !token.has(OPENING)
    }

    /// The last token of the run that begins at `start`.
    fn run_end(&self, start: usize) -> usize {
        let mut end = start;
        loop {
            let token = &self.tokens[end];
            let Some(next) = self.after(end) else {
                return end;
            };
            if token.has(POSSESSIVE) && !self.institution_follows(end) {
                return end;
            }
            if next.has(OPENING) || end - start >= MAX_RUN {
                return end;
            }
            if self.joins_run(end + 1) {
                end += 1;
            } else if let Some(joined) = self.connector(start, end) {
                end = joined;
            } else {
                return self.with_number(end);
            }
        }
    }

    /// A capitalised word inside a run.
    fn joins_run(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        if self.status(at) != Status::No {
            return true;
        }
        // Initials inside a name ("Harry S. Truman"), letters after a noun ("Plan B"), numerals ("Apollo XI").
        token.kind == Kind::Word && token.shape == Shape::Initial && token.hash != W_I
            || is_capitalised(token) && token.is(DEMONYM)
            || token.has(HEADING) && !token.is(CLOSED) && self.cases.seen(token, SEEN_CAPITAL)
            || token.has(HEADING)
                && token.shape == Shape::Title
                && token.is(ORGANIZATION_HEAD | GEO_HEAD | HONORIFIC)
                && !token.is(CLOSED)
    }

    /// "King's College", "St. Peter's Church": a possessive inside the name of an institution.
    fn institution_follows(&self, at: usize) -> bool {
        self.after(at).is_some_and(|t| {
            t.shape == Shape::Title
                && t.is(ORGANIZATION_HEAD | GEO_HEAD)
                && !t.has(HEADING | CAPITALS)
        })
    }

    /// Connectors between two capitalised parts; returns the first token after them.
    fn connector(&self, start: usize, end: usize) -> Option<usize> {
        let link = self.after(end)?;
        let next = self.after(end + 1)?;
        let starts_part = |at: usize| {
            let token = self.tokens.get(at)?;
            (self.status(at) != Status::No && token.kind == Kind::Word && !token.has(OPENING))
                .then_some(at)
        };
        match link.kind {
            Kind::Punctuation('&') => return starts_part(end + 2),
            Kind::Punctuation(',')
                if next.hash == W_INC || next.hash == W_LTD || next.hash == W_LLC =>
            {
                return starts_part(end + 2);
            }
            Kind::Punctuation('#') if next.kind == Kind::Number => return Some(end + 2),
            Kind::Word => {}
            _ => return None,
        }
        if link.shape != Shape::Lower {
            return None;
        }
        if link.hash == W_OF || link.hash == W_FOR {
            let head = &self.tokens[end];
            let titled = head.is(OPEN | ORGANIZATION_HEAD | GEO_HEAD | DOCUMENT_HEAD | ROLE)
                && !head.is(FIRST_NAME | PLACE);
            let institution = (start..=end).any(|i| self.tokens[i].is(ORGANIZATION_HEAD));
            if !titled || head.has(HEADING) || (link.hash == W_FOR && !institution) {
                return None;
            }
            if next.hash == W_THE {
                let capital = self
                    .tokens
                    .get(end + 3)
                    .filter(|t| t.sentence == next.sentence)?;
                return (is_capitalised(capital))
                    .then(|| starts_part(end + 3))
                    .flatten();
            }
            return starts_part(end + 2);
        }
        if link.hash == W_AND {
            // "Department of Health and Human Services": only inside the object of an institution.
            if start == end && self.is_joint_field(start) {
                return Some(end + 2);
            }
            // "Hartley and Sons" is a firm, as "Hartley & Sons" is.
            if next.shape == Shape::Title && FIRMS.contains(&next.hash) {
                return starts_part(end + 2);
            }
            let institution = self.tokens[start].is(ORGANIZATION_HEAD);
            let after_of =
                (start..=end).any(|i| self.tokens[i].hash == W_OF || self.tokens[i].hash == W_FOR);
            let part = starts_part(end + 2)?;
            return (institution
                && after_of
                && self.tokens[part].is(NOUN | ADJECTIVE)
                && !self.tokens[part].is(PLACE | FIRST_NAME))
            .then_some(part);
        }
        if PARTICLES.contains(&link.hash) {
            if next.shape == Shape::Lower && PARTICLES.contains(&next.hash) {
                return starts_part(end + 3);
            }
            return starts_part(end + 2);
        }
        None
    }

    /// "The Food and Drug Administration": two common nouns in capitals before the head of a body, after "the".
    fn is_joint_field(&self, at: usize) -> bool {
        let field = |token: &Token| {
            token.kind == Kind::Word
                && token.shape == Shape::Title
                && token.is(NOUN)
                && !token.is(PLACE | FIRST_NAME | ROLE | ORGANIZATION_HEAD | CLOSED)
        };
        let word = |at: usize| self.tokens.get(at);
        self.before(at).is_some_and(|t| t.hash == W_THE)
            && word(at).is_some_and(field)
            && word(at + 2).is_some_and(field)
            && word(at + 3).is_some_and(|t| t.shape == Shape::Title && t.is(ORGANIZATION_HEAD))
    }

    /// "Pump Station 3", "Falcon 9", "Hotfix #5": a short number that ends a name, but no year and no count of what follows.
    fn with_number(&self, end: usize) -> usize {
        let token = &self.tokens[end];
        let Some(number) = self.after(end) else {
            return end;
        };
        if is_numeral(self.tokens, end + 1) && !token.has(HEADING | POSSESSIVE) {
            return end + 1;
        }
        let length = number.end - number.start;
        if number.kind != Kind::Number
            || length > 3
            || token.has(HEADING | POSSESSIVE)
            || token.is(PLACE | VERB_S)
        {
            return end;
        }
        let counted = self.after(end + 1).is_some_and(|t| {
            t.kind == Kind::Word && t.shape == Shape::Lower && t.is(NOUN) && !t.is(CLOSED | VERB_S)
                || matches!(t.kind, Kind::Punctuation('%' | ':' | '/' | '-'))
        });
        if counted || token.is(FIRST_NAME) && !token.is(NOUN) {
            end
        } else {
            end + 1
        }
    }

    fn emit(
        &self,
        start: usize,
        end: usize,
        status: Status,
        names: &mut Vec<Name>,
        marks: &mut [bool],
    ) {
        let (mut first, mut last) = (start, end);
        let words = |first: usize, last: usize| {
            (first..=last)
                .filter(|&i| self.tokens[i].is_wordlike())
                .count()
        };
        // An initial that stands last belongs to the next sentence or to nothing.
        while last > first
            && self.tokens[last].is(DETERMINER | PRONOUN)
            && self.tokens[last].shape == Shape::Initial
            && !is_numeral(self.tokens, last)
        {
            last -= 1;
        }
        let title_from = first;
        let mut honorific = false;
        while first < last
            && self.tokens[first].is(HONORIFIC | ROLE)
            && !self.tokens[first].is(FIRST_NAME | PLACE)
            && self.person_follows(first, last)
        {
            honorific = true;
            first += 1;
        }
        if first > title_from && words(first, last) == 1 {
            // With one name left, what stands before it tells whose: "Mrs Cratchit".
            first -= 1;
        }
        if words(first, last) > MAX_NAME_WORDS || !self.is_nameable(first, last) {
            return;
        }
        let mut evidence = KindEvidence::default();
        evidence.honorific = honorific;
        evidence.weak = status == Status::Weak && first == last;
        weigh::weigh(self.tokens, first, last, &mut evidence);
        for mark in &mut marks[first..=last] {
            *mark = true;
        }
        names.push(Name {
            first,
            last,
            evidence,
        });
        self.emit_tail(first, last, names);
    }

    /// "Mr. Smith", "President Truman", "Chief Engineer Ann Lee", but not "Board Chair" and not "General Electric Company".
    fn person_follows(&self, at: usize, last: usize) -> bool {
        let next = &self.tokens[at + 1];
        let rest_institution = (at + 1..=last).any(|i| {
            self.tokens[i].is(ORGANIZATION_HEAD | GEO_HEAD)
                && self.tokens[i].is(OPEN)
                && !self.tokens[at].is(HONORIFIC)
        });
        !rest_institution
            && !next.is(CLOSED)
            && (self.tokens[at].is(HONORIFIC) || next.is(ROLE | FIRST_NAME) || !next.is(OPEN))
    }

    /// Not an honorific alone, a nationality alone, a letter alone, a number alone.
    fn is_nameable(&self, first: usize, last: usize) -> bool {
        if first != last {
            let title_only = (first..=last).all(|i| self.tokens[i].is(HONORIFIC | ROLE))
                && self.tokens[first].is(HONORIFIC);
            return !title_only
                && (first..=last).any(|i| {
                    self.tokens[i].is_wordlike() && !self.tokens[i].is(HONORIFIC | DEMONYM)
                });
        }
        let token = &self.tokens[first];
        if is_roman(token)
            || token.is(ADJECTIVE)
                && token.is(LISTED)
                && token.shape == Shape::Title
                && !token.is(NOUN | PLACE | FIRST_NAME)
        {
            return false;
        }
        // "Federal agencies": an adjective that modifies a common noun is no name.
        if token.is(ADJECTIVE)
            && !token.is(NOUN | PLACE)
            && self.after(first).is_some_and(|t| {
                t.kind == Kind::Word && t.shape == Shape::Lower && !t.is(CLOSED | VERB_S)
            })
        {
            return false;
        }
        let bare_code = token.kind == Kind::Code
            && token.shape == Shape::Lower
            && !token.has(super::token::HYPHEN);
        !(token.is(HONORIFIC | DEMONYM | TIME | INTERJECTION)
            || token.shape == Shape::Initial
            || bare_code && token.end - token.start < 3)
    }

    /// The object of an "of the": "President of the United States" names the United States too.
    fn emit_tail(&self, first: usize, last: usize, names: &mut Vec<Name>) {
        let Some(of) = (first..last).rfind(|&i| self.tokens[i].hash == W_OF) else {
            return;
        };
        let mut tail = of + 1;
        let role = of > first && self.tokens[of - 1].is(ROLE);
        let article = self.tokens[tail].is(DETERMINER);
        if article {
            tail += 1;
        }
        let worth = if tail == last {
            role && self.tokens[tail].is(PLACE)
        } else {
            role || article
        };
        if tail > last || !worth || !self.is_nameable(tail, last) {
            return;
        }
        let mut evidence = KindEvidence::default();
        weigh::weigh(self.tokens, tail, last, &mut evidence);
        names.push(Name {
            first: tail,
            last,
            evidence,
        });
    }
}
