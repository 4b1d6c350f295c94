//! What the form and the context of a name say of its type.

use super::kind::{EntityKind, KindEvidence};
use super::lexicon::{
    AUXILIARY, CLOSED, CONJUNCTION, DEMONYM, DETERMINER, DOCUMENT_HEAD, EVENT_HEAD, FIRST_NAME,
    GEO_FIRST, GEO_HEAD, HONORIFIC, KNOWN_ORGANIZATION, NOUN, OPEN, ORGANIZATION_HEAD,
    ORGANIZATION_POSSESSION, ORGANIZATION_VERB, PLACE, PREPOSITION, PRODUCT_HEAD, PRONOUN,
    REFERENCE_PREFIX, ROLE, SPEECH, STRONG_NOUN, VERB_S, WordHash,
};
use super::numeral::is_roman;
use super::token::{self, CAPITALS, DOT, Kind, OPENING, POSSESSIVE, Shape, Token};

const W_FOR: u64 = WordHash::of("for");
const W_IN: u64 = WordHash::of("in");
const W_IT: u64 = WordHash::of("it");
const W_NEAR: u64 = WordHash::of("near");
const W_ACROSS: u64 = WordHash::of("across");
const W_ON: u64 = WordHash::of("on");
const W_THROUGHOUT: u64 = WordHash::of("throughout");
const W_NEW: u64 = WordHash::of("new");
const W_OF: u64 = WordHash::of("of");
const W_SERVICE: u64 = WordHash::of("service");
const W_SERVICES: u64 = WordHash::of("services");
const W_WHO: u64 = WordHash::of("who");
const W_WHOM: u64 = WordHash::of("whom");

/// Adds the points for each kind of the name from token `first` to token `last`, inclusive.
pub(super) fn weigh(tokens: &[Token], first: usize, last: usize, evidence: &mut KindEvidence) {
    Weigher { tokens }.all(first, last, evidence);
}

// invariant: `first <= last < tokens.len()`, as the finder of names hands them over.
struct Weigher<'a> {
    tokens: &'a [Token],
}

impl Weigher<'_> {
    fn after(&self, at: usize) -> Option<&Token> {
        token::after(self.tokens, at)
    }

    fn before(&self, at: usize) -> Option<&Token> {
        token::before(self.tokens, at)
    }

    fn all(&self, first: usize, last: usize, evidence: &mut KindEvidence) {
        let head = &self.tokens[last];
        let lead = &self.tokens[first];
        // "World War II": the numeral is not the head.
        let numbered = last > first
            && (self.tokens[last].kind == Kind::Number || is_roman(&self.tokens[last]));
        let head = if numbered {
            &self.tokens[last - 1]
        } else {
            head
        };
        let of =
            (first..last).find(|&i| self.tokens[i].hash == W_OF || self.tokens[i].hash == W_FOR);
        // In "Bank of England" the word before "of" says what it is, but not in "State of the Union Message".
        let head = of
            .filter(|&i| {
                let body = i
                    .checked_sub(1)
                    .is_some_and(|i| self.tokens[i].is(ORGANIZATION_HEAD));
                body || last < i + 3 || !head.is(DOCUMENT_HEAD)
            })
            .and_then(|i| i.checked_sub(1))
            .filter(|&i| i >= first)
            .map_or(head, |i| &self.tokens[i]);
        let words = (first..=last)
            .filter(|&i| self.tokens[i].kind == Kind::Word)
            .count();
        let several = words >= 2;
        self.weigh_person(first, last, several, evidence);
        self.weigh_place(first, last, evidence);
        if head.is(ORGANIZATION_HEAD) && (several || head.is(OPEN)) {
            // "Secret Service" is a body, "XMPP Service" is a system.
            let service = head.hash == W_SERVICE || head.hash == W_SERVICES;
            let technical = service
                && (first..=last)
                    .any(|i| matches!(self.tokens[i].shape, Shape::Upper | Shape::Mixed));
            let kind = if technical {
                EntityKind::Product
            } else {
                EntityKind::Organization
            };
            evidence.add(kind, if several && !service { 4 } else { 2 });
        }
        if head.is(GEO_HEAD) && (several || head.is(OPEN)) && !head.is(DOCUMENT_HEAD) {
            evidence.add(EntityKind::Geo, if several { 4 } else { 1 });
        }
        // "New York", but not "New Covenant".
        let beginning = lead.hash == W_NEW && head.is(NOUN) && !head.is(GEO_HEAD | PLACE);
        if several
            && lead.is(GEO_FIRST)
            && !lead.is(DEMONYM)
            && !head.is(ORGANIZATION_HEAD)
            && !beginning
        {
            evidence.add(EntityKind::Geo, 2);
        }
        if head.is(EVENT_HEAD) {
            evidence.add(EntityKind::Event, if several { 4 } else { 2 });
        }
        if head.is(PRODUCT_HEAD) {
            evidence.add(EntityKind::Product, if several { 4 } else { 1 });
        }
        if head.is(DOCUMENT_HEAD) {
            evidence.add(EntityKind::Reference, if several { 4 } else { 2 });
        }
        if self.tokens[last].kind == Kind::Number && several {
            evidence.add(EntityKind::Product, 1);
        }
        self.weigh_code(first, last, evidence);
        if first == last
            && lead.is(KNOWN_ORGANIZATION)
            && (lead.shape != Shape::Title || !lead.is(CLOSED))
        {
            evidence.add(EntityKind::Organization, 3);
        }
        self.weigh_field(first, evidence);
        self.weigh_actor(first, last, evidence);
        let unlisted = |i: usize| {
            self.tokens[i].shape == Shape::Title
                && self.tokens[i].kind == Kind::Word
                && !self.tokens[i].is(OPEN | CLOSED)
        };
        // Two words that no list has are a person's name, but not behind an article or "in": "in Puerto Rico", "on Docker Hub".
        let placed = self.before(first).is_some_and(|t| {
            t.is(DETERMINER) || [W_IN, W_ON, W_NEAR, W_ACROSS, W_THROUGHOUT].contains(&t.hash)
        });
        if last == first + 1 && unlisted(first) && unlisted(last) && !placed {
            evidence.add(EntityKind::Person, 1);
        }
    }

    /// "Company: X", "Chair: Y": the key of a line says what its value is.
    fn weigh_field(&self, first: usize, evidence: &mut KindEvidence) {
        let Some(colon) = first
            .checked_sub(1)
            .filter(|&i| self.tokens[i].kind == Kind::Punctuation(':'))
        else {
            return;
        };
        let Some(key) = self.before(colon).filter(|t| t.shape == Shape::Title) else {
            return;
        };
        for (bits, kind) in [
            (ORGANIZATION_HEAD, EntityKind::Organization),
            (ROLE, EntityKind::Person),
            (GEO_HEAD, EntityKind::Geo),
            (PRODUCT_HEAD, EntityKind::Product),
            (EVENT_HEAD, EntityKind::Event),
        ] {
            if key.is(bits) {
                evidence.weak = false;
                evidence.add(kind, 3);
                return;
            }
        }
    }

    /// Bodies announce, release, apologise; they have customers and engineers.
    fn weigh_actor(&self, first: usize, last: usize, evidence: &mut KindEvidence) {
        let Some(next) = self.after(last).filter(|t| t.shape == Shape::Lower) else {
            return;
        };
        let possesses = self.tokens[last].has(POSSESSIVE) && next.is(ORGANIZATION_POSSESSION);
        let acts = !self.tokens[last].has(POSSESSIVE)
            && next.is(ORGANIZATION_VERB)
            && !self.tokens[first].is(FIRST_NAME);
        if possesses || acts {
            evidence.add(EntityKind::Organization, 1);
        }
    }

    fn weigh_person(&self, first: usize, last: usize, several: bool, evidence: &mut KindEvidence) {
        let lead = &self.tokens[first];
        // "SLO", "EVE": nobody is called by an acronym, whatever is said beside it.
        if !several && lead.shape == Shape::Upper && !lead.has(CAPITALS) && !evidence.honorific {
            return;
        }
        if evidence.honorific || lead.is(HONORIFIC) && first < last {
            evidence.add(EntityKind::Person, 4);
        }
        if lead.is(FIRST_NAME) && !self.tokens[last].is(ORGANIZATION_HEAD | GEO_HEAD | PLACE) {
            evidence.add(EntityKind::Person, if several { 3 } else { 2 });
        }
        if (first..=last).any(|i| self.tokens[i].shape == Shape::Initial && self.tokens[i].has(DOT))
            && several
        {
            evidence.add(EntityKind::Person, 2);
        }
        let speaks = |t: &Token| t.is(SPEECH) && t.shape == Shape::Lower;
        if self.after(last).is_some_and(speaks)
            || self.before(first).is_some_and(speaks) && !lead.has(OPENING)
        {
            // "Stack Overflow reported": a name that begins with a common noun is a body's.
            let body = several && lead.is(NOUN) && !lead.is(FIRST_NAME | ROLE | HONORIFIC);
            let kind = if body {
                EntityKind::Organization
            } else {
                EntityKind::Person
            };
            evidence.add(kind, 1);
        }
        let who = |t: &Token| t.hash == W_WHO || t.hash == W_WHOM;
        let comma = self
            .after(last)
            .filter(|t| t.kind == Kind::Punctuation(','));
        if self.after(last).is_some_and(who)
            || comma.is_some() && self.after(last + 1).is_some_and(who)
        {
            evidence.add(EntityKind::Person, 2);
        }
        if let Some(role) = self
            .before(first)
            .filter(|t| t.shape == Shape::Lower && t.is(ROLE) && !t.has(POSSESSIVE))
            && role.is(STRONG_NOUN)
        {
            evidence.add(EntityKind::Person, 2);
        }
        if comma.is_some() && self.role_in_apposition(last + 2) {
            evidence.add(EntityKind::Person, 3);
        }
    }

    /// "X, the chief engineer": a role among the next few words, before any verb.
    fn role_in_apposition(&self, from: usize) -> bool {
        let Some(start) = self.tokens.get(from) else {
            return false;
        };
        self.tokens[from..]
            .iter()
            .take(5)
            .take_while(|t| {
                t.sentence == start.sentence
                    && t.kind == Kind::Word
                    && !t.is(AUXILIARY | PRONOUN | CONJUNCTION | PREPOSITION)
                    && (t.shape == Shape::Lower || t.is(ROLE))
            })
            .any(|t| t.is(ROLE))
    }

    fn weigh_place(&self, first: usize, last: usize, evidence: &mut KindEvidence) {
        let lead = &self.tokens[first];
        if first == last
            && lead.shape == Shape::Upper
            && lead.is(CLOSED | PRONOUN)
            && lead.hash != W_IT
            && lead.hash != W_WHO
        {
            evidence.add(EntityKind::Geo, 3);
        }
        if lead.is(PLACE) && !self.tokens[last].is(ORGANIZATION_HEAD) {
            evidence.add(EntityKind::Geo, 3);
        }
        if first < last && self.tokens[last].is(PLACE) && !lead.is(FIRST_NAME) {
            evidence.add(EntityKind::Geo, 3);
        }
        let Some(previous) = self.before(first).filter(|t| t.is(PREPOSITION)) else {
            return;
        };
        // "In Kinesis streams": the place is the streams.
        let modifies = self.after(last).is_some_and(|t| {
            t.kind == Kind::Word && t.shape == Shape::Lower && t.is(NOUN) && !t.is(CLOSED | VERB_S)
        });
        if (previous.hash == W_IN || previous.hash == W_NEAR)
            && lead.shape == Shape::Title
            && !self.tokens[last].has(POSSESSIVE)
            && self.tokens[last].shape == Shape::Title
            && !lead.is(OPEN)
            && !modifies
        {
            evidence.add(EntityKind::Geo, 1);
        }
    }

    /// Codes, acronyms and spellings of products.
    fn weigh_code(&self, first: usize, last: usize, evidence: &mut KindEvidence) {
        let token = &self.tokens[last];
        let single = first == last;
        match (token.kind, token.shape) {
            (Kind::Code, _) => {
                let kind = if token.is(REFERENCE_PREFIX) {
                    EntityKind::Reference
                } else {
                    EntityKind::Product
                };
                evidence.add(kind, if single { 3 } else { 2 });
            }
            (Kind::Word, Shape::Upper | Shape::Mixed | Shape::Title)
                if single && !token.is(PLACE | FIRST_NAME | OPEN | ROLE) =>
            {
                // "EBS volumes": an acronym that modifies a common noun names a system more often than a body.
                let modifies = self.after(last).is_some_and(|t| {
                    t.kind == Kind::Word
                        && t.shape == Shape::Lower
                        && t.is(NOUN)
                        && !t.is(CLOSED | VERB_S)
                });
                let acts = self
                    .after(last)
                    .is_some_and(|t| t.shape == Shape::Lower && t.is(SPEECH));
                let system = self.after(last).is_some_and(|t| t.is(PRODUCT_HEAD));
                if modifies && !token.has(POSSESSIVE) && (system || token.shape != Shape::Title) {
                    let people = self
                        .after(last)
                        .is_some_and(|t| t.is(ROLE | ORGANIZATION_POSSESSION));
                    evidence.add(
                        if people {
                            EntityKind::Organization
                        } else {
                            EntityKind::Product
                        },
                        1,
                    );
                }
                if acts {
                    evidence.add(EntityKind::Organization, 2);
                }
            }
            _ => {}
        }
    }
}
