//! What two names, by themselves, say about each other.

use super::key::{Class, Form, Gender, Lexeme, Lexicon, Part};
use super::reason::{Reason, Reasons};
use super::spelling::{contracted, misspelt, nicknames};
use super::tables;

/// How two names may be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Points; [`super::MERGE`] are enough.
    pub score: i32,
    /// Where the points come from.
    pub reasons: Reasons,
    /// Which side is a short form of the other that may fit others as well.
    pub short: Option<Side>,
}

/// One of two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// They may be one.
    Related(Relation),
    /// They look alike and are two.
    Contradicted(Reason),
    /// They have nothing to do with each other.
    Unrelated,
}

use Comparison::{Contradicted, Related, Unrelated};

/// A name with what comparisons ask of it.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// The name taken apart.
    pub form: &'a Form,
    /// Whether its type is a person's.
    pub person: bool,
    /// Whether its type is that of common nouns, or unknown.
    pub common: bool,
    /// Whether it is mostly written in small letters.
    pub ordinary: bool,
}

fn related(score: i32, reasons: Reasons, short: Option<Side>) -> Comparison {
    Related(Relation {
        score,
        reasons,
        short,
    })
}

/// Compares two names.
pub fn compare(lexicon: &Lexicon, a: Named<'_>, b: Named<'_>) -> Comparison {
    let compare = Comparer { lexicon };
    if !compare.same_numbers(a.form, b.form) {
        return Contradicted(Reason::DifferentNumbers);
    }
    match (a.form.qualifier, b.form.qualifier) {
        (Some(a), Some(b)) if a != b => return Contradicted(Reason::DifferentQualifiers),
        (Some(_), None) if b.form.legal != 0 => return Contradicted(Reason::DifferentQualifiers),
        (None, Some(_)) if a.form.legal != 0 => return Contradicted(Reason::DifferentQualifiers),
        _ => {}
    }
    let genders = (a.form.gender, b.form.gender);
    if matches!(
        genders,
        (Gender::Male, Gender::Female) | (Gender::Female, Gender::Male)
    ) {
        return Contradicted(Reason::DifferentHonorifics);
    }
    // A word known to name something else is nobody's surname.
    let may_be = |name: Named<'_>| is_personal(name) || name.form.content.len() == 1 && name.common;
    let persons = (is_personal(a) || is_personal(b)) && may_be(a) && may_be(b);
    let business = a.form.legal != 0 || b.form.legal != 0;
    let mut outcome =
        if compare.same_initials(a.form, b.form) || compare.same_initials(b.form, a.form) {
            related(100, Reasons::one(Reason::Initial), None)
        } else if persons && !business {
            compare.persons(a, b)
        } else {
            compare.things(a, b)
        };
    if let Related(relation) = &mut outcome {
        let company = 1 << tables::COMPANY;
        let (la, lb) = (a.form.legal & !company, b.form.legal & !company);
        if la != 0 && lb != 0 && la != lb {
            return Contradicted(Reason::DifferentLegalForms);
        }
        let single = a.form.content.len() == 1 && b.form.content.len() == 1;
        let bare = match (a.form.legal, b.form.legal) {
            (0, 0) => None,
            (0, _) => Some(a),
            (_, 0) => Some(b),
            _ => None,
        };
        // "The chemical company" is no name, nor does "private investment" tell of the Private Investment Company.
        if a.form.legal ^ b.form.legal == company && single
            || bare.is_some_and(|bare| bare.ordinary)
        {
            relation.score -= 40;
        }
        if a.form.legal != b.form.legal {
            relation.reasons.add(Reason::LegalForm);
        }
        if a.form.honorific != b.form.honorific {
            relation.reasons.add(Reason::Honorific);
        }
        if a.form.inverted != b.form.inverted {
            relation.reasons.add(Reason::WordOrder);
        }
        if a.form.qualifier != b.form.qualifier {
            if relation.short.is_some() || relation.score < 100 {
                return Unrelated;
            }
            relation.reasons.add(Reason::Qualifier);
            relation.score = relation.score.min(55);
            relation.short = Some(if a.form.qualifier.is_none() {
                Side::A
            } else {
                Side::B
            });
        }
    }
    outcome
}

fn is_personal(name: Named<'_>) -> bool {
    let form = name.form;
    let initial = form.content.len() >= 2
        && form.content[0].class == Class::Initial
        && form.content[form.content.len() - 1].class == Class::Word;
    // "Director of Operations", "the woman", "Scrooge's nephew".
    let described = (form.parts.len() != form.content.len() || form.article) && !form.honorific;
    (name.person || form.honorific || initial) && !described && !form.possessive
}

/// Letters of a word that differs from no other by accents or transliteration alone.
const LONG: u32 = 5;

struct Comparer<'a> {
    lexicon: &'a Lexicon,
}

/// How well two words agree: what it costs of 100 points, and why.
type Agreement = Option<(i32, Option<Reason>)>;

impl Comparer<'_> {
    fn word(&self, part: Part) -> &Lexeme {
        self.lexicon.get(part.word)
    }

    fn same_numbers(&self, a: &Form, b: &Form) -> bool {
        let numbers = |form: &Form| -> Vec<u32> {
            let mut words: Vec<u32> = form
                .content
                .iter()
                .filter(|p| p.class == Class::Number)
                .map(|p| p.word)
                .collect();
            words.sort_unstable();
            words
        };
        // Most names have none.
        let none = |form: &Form| form.content.iter().all(|p| p.class != Class::Number);
        (none(a) && none(b)) || numbers(a) == numbers(b)
    }

    fn agree(&self, a: Part, b: Part, plural: bool, typo: u32) -> Agreement {
        if a.word == b.word {
            return Some((0, None));
        }
        if a.class == Class::Number || b.class == Class::Number {
            return None;
        }
        let (x, y) = (self.word(a), self.word(b));
        if plural && x.stem == y.stem {
            let why = match x.prefixed || y.prefixed {
                true => Reason::Prefix,
                false => Reason::Plural,
            };
            return Some((0, Some(why)));
        }
        // Neither is enough alone; in a short word an accent may make another word.
        let is_long = x.letters.min(y.letters) >= LONG;
        if x.folded == y.folded {
            return Some((if is_long { 25 } else { 30 }, Some(Reason::Accents)));
        }
        if x.loose == y.loose {
            let cost = if is_long { 25 } else { 35 };
            return Some((cost, Some(Reason::Transliteration)));
        }
        if contracted(&x.text, &y.text) || contracted(&y.text, &x.text) {
            return Some((20, Some(Reason::Abbreviation)));
        }
        // Frances is no slip for Francis.
        let two_genders = matches!(
            (x.first_name_of, y.first_name_of),
            (Gender::Male, Gender::Female) | (Gender::Female, Gender::Male)
        );
        if !two_genders
            && x.letters.min(y.letters) >= typo
            && misspelt(
                &self.lexicon.get(x.folded).text,
                &self.lexicon.get(y.folded).text,
            )
        {
            return Some((15, Some(Reason::Misspelling)));
        }
        None
    }

    fn persons(&self, a: Named<'_>, b: Named<'_>) -> Comparison {
        let (x, y) = (&a.form.content, &b.form.content);
        let (Some(&last_x), Some(&last_y)) = (last_word(x), last_word(y)) else {
            return Unrelated;
        };
        let surname = self.agree(last_x, last_y, false, 5);
        if x.len() == 1 || y.len() == 1 {
            return self.single_person(a, b, surname);
        }
        let Some((cost, why)) = surname else {
            return match same_set(x, y) {
                true if a.form.inverted || b.form.inverted || x.len() == 2 => {
                    related(75, Reasons::one(Reason::WordOrder), None)
                }
                _ => Unrelated,
            };
        };
        let mut score = 100 - cost;
        let mut reasons = Reasons::default();
        reasons.extend(why.map_or(Reasons::default(), Reasons::one));
        let (first_x, first_y) = (x[0], y[0]);
        let mut short = None;
        match (first_x.class, first_y.class) {
            (Class::Initial, Class::Initial) => {
                if first_x.word != first_y.word {
                    return Contradicted(Reason::DifferentInitials);
                }
            }
            (Class::Initial, _) | (_, Class::Initial) => {
                let letter = |part| self.lexicon.get(self.word(part).folded).text.chars().next();
                if letter(first_x) != letter(first_y) {
                    return Contradicted(Reason::DifferentInitials);
                }
                reasons.add(Reason::Initial);
                score = score.min(100 - cost) - 30;
                short = Some(if first_x.class == Class::Initial {
                    Side::A
                } else {
                    Side::B
                });
            }
            _ => match self.agree(first_x, first_y, false, 5) {
                // A slip inside a first name; an ending often makes another name of it: Daniel, Danielle.
                Some((cost, Some(Reason::Misspelling))) => {
                    let (a, b) = (&self.word(first_x).text, &self.word(first_y).text);
                    reasons.add(Reason::Misspelling);
                    score -= cost + 15;
                    if a.chars().next_back() == b.chars().next_back() && a.len().min(b.len()) >= 6 {
                        short = Some(Side::A);
                    }
                }
                Some((cost, why)) => {
                    // One hand writes all of a name without accents.
                    score -= if why.is_some_and(|why| reasons.has(why)) {
                        0
                    } else {
                        cost
                    };
                    reasons.extend(why.map_or(Reasons::default(), Reasons::one));
                }
                None if nicknames(&self.word(first_x).text, &self.word(first_y).text) => {
                    score -= 30;
                    reasons.add(Reason::Nickname);
                    let shorter = self.word(first_x).letters < self.word(first_y).letters;
                    short = Some(if shorter { Side::A } else { Side::B });
                }
                None => return Contradicted(Reason::DifferentFirstNames),
            },
        }
        let middle = |parts: &[Part]| -> Vec<Part> { parts[1..parts.len() - 1].to_vec() };
        let (middle_x, middle_y) = (middle(x), middle(y));
        if middle_x.is_empty() != middle_y.is_empty() {
            score -= 30;
            reasons.add(Reason::MiddleName);
        } else {
            for (&m, &n) in middle_x.iter().zip(&middle_y) {
                let (m, n) = (self.word(m), self.word(n));
                let differ = if m.letters == 1 || n.letters == 1 {
                    m.text.chars().next() != n.text.chars().next()
                } else {
                    m.folded != n.folded
                };
                if differ {
                    return Contradicted(Reason::DifferentInitials);
                }
            }
            if middle_x.len() != middle_y.len() {
                score -= 30;
                reasons.add(Reason::MiddleName);
            }
        }
        if reasons == Reasons::default() {
            reasons.add(Reason::SameWords);
        }
        related(score, reasons, short)
    }

    fn single_person(&self, a: Named<'_>, b: Named<'_>, surname: Agreement) -> Comparison {
        let (x, y) = (&a.form.content, &b.form.content);
        if x.len() == 1 && y.len() == 1 {
            let Some((cost, why)) = surname else {
                return Unrelated;
            };
            // "Dr Brandt" and "Brandt" may be two things yet; two honorifics that agree make one.
            if a.form.before_first_name != b.form.before_first_name
                && a.form.honorific
                && b.form.honorific
            {
                return Unrelated;
            }
            let mut reasons = why.map_or(Reasons::one(Reason::SameWords), Reasons::one);
            if a.form.honorific == b.form.honorific {
                return related(100 - cost, reasons, None);
            }
            reasons.add(Reason::Honorific);
            let short = if a.form.honorific { Side::B } else { Side::A };
            return related(70 - cost, reasons, Some(short));
        }
        let (one, other, short) = if x.len() == 1 {
            (a, b, Side::A)
        } else {
            (b, a, Side::B)
        };
        let (word, full) = (one.form.content[0], &other.form.content);
        let titled = one.form.honorific;
        if self.word(word).role {
            return Unrelated;
        }
        // A wife is called by her husband's name, but is not he.
        let first = self.lexicon.get(self.word(full[0]).folded).first_name_of;
        let other_gender = matches!(
            (one.form.gender, first),
            (Gender::Female, Gender::Male) | (Gender::Male, Gender::Female)
        );
        if other_gender && other.form.gender == Gender::Unknown {
            return Contradicted(Reason::DifferentHonorifics);
        }
        if let Some((cost, why)) = surname.filter(|_| !one.form.before_first_name) {
            let reasons = Reasons::one(Reason::Surname);
            let reasons = why.map_or(reasons, |why| reasons.with(why));
            let score = match (titled, one.common) {
                (true, _) => 75,
                (false, false) => 55,
                (false, true) => 20,
            };
            return related(score - cost, reasons, Some(short));
        }
        if full[0].class == Class::Word
            && let Some((cost, why)) = self.agree(word, full[0], false, 5)
        {
            let reasons = Reasons::one(Reason::FirstName);
            let reasons = why.map_or(reasons, |why| reasons.with(why));
            return match (titled, one.form.before_first_name) {
                (true, true) => related(75 - cost, reasons, Some(short)),
                (true, false) => Unrelated,
                _ if one.common => Unrelated,
                _ => related(50 - cost, reasons, Some(short)),
            };
        }
        Unrelated
    }

    fn things(&self, a: Named<'_>, b: Named<'_>) -> Comparison {
        let (x, y) = (&a.form.content, &b.form.content);
        if x.len() == y.len() {
            return self.same_length(a, b);
        }
        let (short, long, side) = if x.len() < y.len() {
            (a, b, Side::A)
        } else {
            (b, a, Side::B)
        };
        let (s, l) = (&short.form.content, &long.form.content);
        let last = s[s.len() - 1];
        if s.len() == 1 && l.len() >= 2 {
            let letters = self.word(last).letters;
            if last.class == Class::Word
                && (2..=8).contains(&letters)
                && !short.form.honorific
                && self.spells(&self.word(last).text, &long.form.parts)
            {
                let and = long
                    .form
                    .parts
                    .iter()
                    .any(|part| self.word(*part).text == "and");
                let score = match letters {
                    _ if short.form.ampersand && and => 70,
                    2 => 10,
                    // Three nouns have the initials of something every day.
                    3 if long.common && long.form.legal == 0 => 40,
                    3 => 65,
                    4 if long.common && long.form.legal == 0 => 60,
                    _ => 70,
                };
                return related(score, Reasons::one(Reason::Acronym), Some(side));
            }
        }
        let before = s.len() - 1;
        if before >= 1
            && last.class == Class::Word
            && (2..=6).contains(&self.word(last).letters)
            && let Some((cost, reasons)) = self.run(&s[..before], &l[..before], false)
            && self.spells_tail(&self.word(last).text, &long.form.parts, before)
        {
            let score = if self.word(last).letters == 2 { 75 } else { 85 };
            return related(
                score - cost,
                reasons.with(Reason::TrailingAcronym),
                Some(side),
            );
        }
        // "Office of the Water Price Commissioner", "Project Mercury".
        if l.len() == s.len() + 1
            && let Some((cost, reasons)) = self.run(s, &l[1..], false)
        {
            let head = &self.word(l[0]).text;
            let of = long
                .form
                .parts
                .get(1)
                .is_some_and(|part| self.word(*part).text == "of");
            if s.len() >= 2 && of && tables::OFFICES.contains(&head.as_str()) {
                return related(85 - cost, reasons.with(Reason::LastWords), Some(side));
            }
            if matches!(head.as_str(), "project" | "operation") {
                return related(65 - cost, reasons.with(Reason::LastWords), Some(side));
            }
        }
        let firm = self.is_firm(long);
        let facility = tables::FACILITIES.contains(&self.word(l[l.len() - 1]).text.as_str());
        if let Some((cost, reasons)) = self.run(s, &l[..s.len()], false)
            && (firm || facility)
            && !short.form.honorific
        {
            let score = match (s.len(), firm) {
                (1, true) => 60,
                (1, false) => 25,
                (_, true) => 75,
                (_, false) => 60,
            };
            return related(score - cost, reasons.with(Reason::FirstWords), Some(side));
        }
        if s.len() >= 2
            && l.len() >= 3
            && s[0].word == l[0].word
            && last.word == l[l.len() - 1].word
            && in_order(s, l)
            && facility
        {
            return related(65, Reasons::one(Reason::Omission), Some(side));
        }
        Unrelated
    }

    fn same_length(&self, a: Named<'_>, b: Named<'_>) -> Comparison {
        let (x, y) = (&a.form.content, &b.form.content);
        let Some((mut cost, mut reasons)) = self.run(x, y, !a.person && !b.person) else {
            return match same_set(x, y) {
                true if a.common && b.common => related(55, Reasons::one(Reason::WordOrder), None),
                true => related(70, Reasons::one(Reason::WordOrder), None),
                false => Unrelated,
            };
        };
        // Common nouns a letter apart are most often two words: chlorine, chloride.
        if reasons.has(Reason::Misspelling) && a.common && b.common {
            cost += 15;
        }
        if reasons.has(Reason::Misspelling) && x.len() == 1 {
            cost += 20;
        }
        // "Q&A" is not "QA".
        if a.form.ampersand != b.form.ampersand {
            cost += 30;
        }
        if reasons == Reasons::default() {
            reasons.add(Reason::SameWords);
        }
        related(100 - cost, reasons, None)
    }

    /// Word by word, at most one of them misspelt; the last may be in the plural.
    fn run(&self, x: &[Part], y: &[Part], plural: bool) -> Option<(i32, Reasons)> {
        let mut sum = 0;
        let mut reasons = Reasons::default();
        let count = x.len();
        if count != y.len() {
            return None;
        }
        for (at, (&a, &b)) in x.iter().zip(y).enumerate() {
            let (cost, why) = self.agree(a, b, plural && at + 1 == count, 6)?;
            let again = why.is_some_and(|why| reasons.has(why));
            if again && why == Some(Reason::Misspelling) {
                return None;
            }
            reasons.extend(why.map_or(Reasons::default(), Reasons::one));
            // One hand writes all of a name without accents.
            sum += if again { 0 } else { cost };
        }
        Some((sum, reasons))
    }

    /// Whether a name is that of a business, which its first words may stand for: "Nordmere Chemicals Ltd", "Coldwell & Partners".
    fn is_firm(&self, name: Named<'_>) -> bool {
        let form = name.form;
        let count = form.parts.len();
        let and = count >= 3 && self.word(form.parts[count - 2]).text == "and";
        form.legal != 0
            || and && tables::FIRMS.contains(&self.word(form.parts[count - 1]).text.as_str())
    }
}

fn last_word(parts: &[Part]) -> Option<&Part> {
    parts.iter().rev().find(|part| part.class != Class::Number)
}

fn same_set(x: &[Part], y: &[Part]) -> bool {
    let sorted = |parts: &[Part]| {
        let mut words: Vec<u32> = parts.iter().map(|part| part.word).collect();
        words.sort_unstable();
        words
    };
    x.len() >= 2 && x.len() == y.len() && sorted(x) == sorted(y)
}

fn in_order(short: &[Part], long: &[Part]) -> bool {
    let mut rest = long.iter();
    short
        .iter()
        .all(|part| rest.any(|other| other.word == part.word))
}

mod initials;
#[cfg(test)]
mod tests;
