//! Short forms: which of the names that one may stand for it means, everywhere or document by document.

use rustc_hash::FxHashMap;

use super::MERGE;
use super::audit::{Decision, Verdict};
use super::company::{Company, Observed, Reading, clearest};
use super::decide::{Decider, Link, union};
use super::reason::{Reason, Reasons};
use super::relate::{Relation, Side};

/// Points for a short form that fits no other name of the corpus.
const UNIQUE: i32 = 30;
/// Points for a single word that no other name of the corpus contains.
const DISTINCTIVE: i32 = 10;
/// Two letters are the initials of too much: not even in one document, unless the text says so.
const LOOSEST: i32 = 20;
/// Documents that must agree before a short form that fits several means one of them everywhere.
const CLEAR_DOCUMENTS: usize = 2;
/// How many times more often that one must be named than any other.
const CLEAR_RATIO: usize = 4;
/// How often what was settled may settle more.
const ROUNDS: usize = 4;
/// Names of a reading that the short form may stand beside.
const BESIDE: usize = 16;
/// Documents of a short form that are looked at one by one.
const DOCUMENTS: usize = 2000;
/// Names a short form is weighed against.
const FITTING: usize = 64;

impl Decider<'_> {
    /// The more specific forms first, so that what they settle is settled for the less specific ones.
    pub(super) fn attach_short(&mut self, links: &[Link]) {
        let mut by_short: FxHashMap<u32, Vec<(u32, Relation, bool)>> = FxHashMap::default();
        for link in links {
            let (short, long) = match link.relation.short {
                Some(Side::A) => (link.a, link.b),
                Some(Side::B) => (link.b, link.a),
                None => continue,
            };
            by_short
                .entry(short)
                .or_default()
                .push((long, link.relation, link.equated));
        }
        let mut order: Vec<(u8, i32, u32)> = by_short
            .iter()
            .map(|(&short, fits)| {
                let level = fits
                    .iter()
                    .map(|fit| level(fit.1.reasons))
                    .min()
                    .unwrap_or(0);
                (
                    level,
                    -fits.iter().map(|fit| fit.1.score).max().unwrap_or(0),
                    short,
                )
            })
            .collect();
        order.sort_unstable();
        for (_, _, short) in order {
            // invariant: `order` has the keys of `by_short`
            self.attach(short, &by_short[&short]);
        }
    }

    fn attach(&mut self, short: u32, fits: &[(u32, Relation, bool)]) {
        let own = self.clusters.root(short);
        let mut best: Vec<(u32, u32, Relation, bool)> = Vec::new();
        for &(long, relation, equated) in fits.iter().take(FITTING) {
            let root = self.clusters.root(long);
            if root == own {
                self.record(
                    short,
                    long,
                    Verdict::Merged,
                    relation.score,
                    relation.reasons,
                );
                continue;
            }
            match best.iter_mut().find(|entry| entry.0 == root) {
                Some(entry) => {
                    entry.3 |= equated;
                    if relation.score > entry.2.score {
                        (entry.1, entry.2) = (long, relation);
                    }
                }
                None => best.push((root, long, relation, equated)),
            }
        }
        best.retain(|&(_, long, relation, _)| {
            match self.clusters.objection(self.corpus, short, long) {
                None => true,
                Some(why) => {
                    self.decisions.push(Decision {
                        a: short.min(long),
                        b: short.max(long),
                        verdict: Verdict::KeptApart,
                        score: relation.score,
                        reasons: relation.reasons.with(why),
                        document: None,
                    });
                    false
                }
            }
        });
        // Two letters are the initials of something in every document: only a text that says so makes them a name's.
        best.retain(|entry| entry.3 || !self.is_two_letter_acronym(short, entry.2));
        // A first name or the beginning of a phrase is a weaker reading than a family name or an acronym.
        let strongest = best
            .iter()
            .map(|entry| entry.2.score + if entry.3 { 60 } else { 0 })
            .max()
            .unwrap_or(0);
        best.retain(|entry| entry.2.score + if entry.3 { 60 } else { 0 } > strongest - 40);
        let a_word = self.corpus.has_article(self.clusters.members(short));
        best.retain(|&(_, _, relation, _)| {
            let of_person =
                relation.reasons.has(Reason::Surname) || relation.reasons.has(Reason::FirstName);
            !(a_word && of_person)
        });
        match best.as_slice() {
            [] => {}
            // The next document may have other words with these initials.
            &[(_, long, relation, equated)]
                if !equated && self.is_loose_acronym(short, long, relation) =>
            {
                if relation.score > LOOSEST {
                    self.attach_by_document(short, &best);
                } else {
                    self.leave_open(short, long, relation.score, relation.reasons);
                }
            }
            &[(_, long, relation, equated)] => {
                let (points, more) = self.weigh(short, long, relation.reasons);
                let mut score = relation.score + points + UNIQUE;
                if self.corpus.is_distinctive(
                    short,
                    self.clusters.members(short),
                    self.clusters.members(long),
                ) {
                    score += DISTINCTIVE;
                }
                if equated {
                    score = score.max(MERGE);
                }
                let reasons = union(relation.reasons, more).with(Reason::Unique);
                if score >= MERGE {
                    self.join_short(short, long, score, reasons);
                } else {
                    self.leave_open(short, long, score, reasons);
                }
            }
            several => self.attach_by_document(short, several),
        }
    }

    fn is_two_letter_acronym(&self, short: u32, relation: Relation) -> bool {
        let form = &self.corpus.forms[short as usize];
        relation.reasons.has(Reason::Acronym)
            && self.corpus.lexicon.get(form.content[0].word).letters <= 2
            && !form.ampersand
    }

    /// Whether a short form is three letters or fewer for common nouns.
    fn is_loose_acronym(&self, short: u32, long: u32, relation: Relation) -> bool {
        let form = &self.corpus.forms[short as usize];
        let letters = form.content[0].word;
        let long = self.corpus.named(long);
        relation.reasons.has(Reason::Acronym)
            && self.corpus.lexicon.get(letters).letters <= 3
            && long.common
            && long.form.legal == 0
            && !form.ampersand
    }

    /// A short form that fits several: in each document it is the one named there, or the one whose company it keeps.
    fn attach_by_document(&mut self, short: u32, fits: &[(u32, u32, Relation, bool)]) {
        let mut open: Vec<Open> = Vec::new();
        let mut chosen_in: Vec<usize> = vec![0; fits.len()];
        let mut found: Vec<(u32, u32, usize, Reasons)> = Vec::new();
        for name in self.clusters.members(short).to_vec() {
            for &document in self.corpus.documents(name).iter().take(DOCUMENTS) {
                let mut named = Vec::new();
                for (at, fit) in fits.iter().enumerate() {
                    let members = self.clusters.members(fit.1).iter();
                    let here = |member: &u32| {
                        self.corpus
                            .documents(*member)
                            .binary_search(&document)
                            .is_ok()
                    };
                    if { members }.any(here) {
                        named.push(at);
                    }
                }
                match named.as_slice() {
                    [only] => {
                        found.push((name, document, *only, Reasons::one(Reason::DocumentContext)))
                    }
                    _ => open.push(Open {
                        name,
                        document,
                        named,
                    }),
                }
            }
        }
        if fits.len() > 1 && !self.corpus.few_documents {
            self.by_company(open, fits, &mut found);
        }
        for (name, document, at, mut reasons) in found {
            let (_, long, relation, _) = fits[at];
            chosen_in[at] += 1;
            reasons.extend(relation.reasons);
            reasons.add(Reason::Ambiguous);
            self.stands_for.insert((name, document), long);
            self.decisions.push(Decision {
                a: name.min(long),
                b: name.max(long),
                verdict: Verdict::Merged,
                score: relation.score + UNIQUE,
                reasons,
                document: Some(document),
            });
        }
        if let Some(at) = self.outweighing(fits, &chosen_in) {
            let (_, long, relation, _) = fits[at];
            let reasons = relation
                .reasons
                .with(Reason::Ambiguous)
                .with(Reason::DocumentContext);
            self.join_short(short, long, relation.score + UNIQUE, reasons);
            return;
        }
        for &(_, long, relation, _) in fits {
            self.leave_open(
                short,
                long,
                relation.score,
                relation.reasons.with(Reason::Ambiguous),
            );
        }
    }

    /// Decides documents by the words around the name. What one document settles helps with the next (Yarowsky 1995).
    fn by_company(
        &mut self,
        mut open: Vec<Open>,
        fits: &[(u32, u32, Relation, bool)],
        found: &mut Vec<(u32, u32, usize, Reasons)>,
    ) {
        let Some(first) = open.first().map(|open| open.name) else {
            return;
        };
        let corpus = self.corpus;
        let company = self.company.get_or_insert_with(|| Company::new(corpus));
        let members = |fit: &(u32, u32, Relation, bool)| self.clusters.members(fit.1);
        let mut readings: Vec<Reading> = fits
            .iter()
            .map(|fit| company.reading(members(fit), first))
            .collect();
        for &(name, document, at, _) in found.iter() {
            company.add(name, document, &mut readings[at].words);
        }
        // Initials, a first name, a word: that they suit proves nothing where no text unit has both. An initial before a family
        // name leaves fewer to choose from.
        let both: Vec<bool> = fits
            .iter()
            .map(|fit| {
                let mut members = members(fit).iter().take(BESIDE);
                fit.2.reasons.has(Reason::Initial)
                    || members.any(|&member| corpus.share_unit(first, member))
            })
            .collect();
        for _ in 0..ROUNDS {
            let worth = |reading: Reading| {
                let worth = company.worth(&reading.words);
                (reading, worth)
            };
            let weighed: Vec<(Reading, i32)> = readings.iter().cloned().map(worth).collect();
            let mut settled = Vec::new();
            open.retain(|open| {
                let observed = company.observe(open.name, open.document);
                let chosen = choose(company, &observed, &weighed, &open.named);
                let chosen = chosen.filter(|chosen| both[chosen.0]);
                settled.extend(chosen.map(|(at, reasons)| (open.name, open.document, at, reasons)));
                chosen.is_none()
            });
            if settled.is_empty() {
                break;
            }
            for &(name, document, at, _) in &settled {
                company.add(name, document, &mut readings[at].words);
            }
            found.extend(settled);
        }
    }

    /// The one of several that every decided document chose, two at least, where it is named far more often than any other.
    fn outweighing(
        &self,
        fits: &[(u32, u32, Relation, bool)],
        chosen_in: &[usize],
    ) -> Option<usize> {
        let mut chosen = chosen_in
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0);
        let (at, &count) = chosen.next()?;
        if fits.len() < 2 || count < CLEAR_DOCUMENTS || chosen.next().is_some() {
            return None;
        }
        let mentions = |fit: &(u32, u32, Relation, bool)| -> usize {
            let members = self.clusters.members(fit.1).iter();
            members
                .map(|&member| self.corpus.mention_count(member))
                .sum()
        };
        let support = mentions(fits.get(at)?);
        let mut others = fits.iter().enumerate().filter(|(other, _)| *other != at);
        others
            .all(|(_, fit)| mentions(fit) * CLEAR_RATIO <= support)
            .then_some(at)
    }
}

/// A short form in a document that names none of what it may stand for, or several.
struct Open {
    name: u32,
    document: u32,
    named: Vec<usize>,
}

/// The reading that suits clearly better than any other, among those named if any are.
fn choose(
    company: &Company<'_>,
    observed: &Observed,
    readings: &[(Reading, i32)],
    named: &[usize],
) -> Option<(usize, Reasons)> {
    let mut possible: Vec<(usize, i32, i32)> = Vec::new();
    let mut usage = false;
    for (at, (reading, worth)) in readings.iter().enumerate() {
        if named.is_empty() || named.contains(&at) {
            let (points, said) = company.suits(observed, reading);
            usage |= said;
            possible.extend(points.map(|points| (at, points, *worth)));
        }
    }
    // "Mr" leaves but one of a man and a woman.
    if let [(only, ..)] = possible.as_slice()
        && usage
    {
        return Some((*only, Reasons::one(Reason::Usage)));
    }
    let at = clearest(possible.iter().map(|reading| (reading.1, reading.2)))?;
    let reasons = Reasons::one(Reason::SharedNeighbours);
    let reasons = if usage {
        reasons.with(Reason::Usage)
    } else {
        reasons
    };
    Some((possible[at].0, reasons))
}

/// How much a short form leaves out: a first name's letters, words at the end, all words' letters, all but the family name.
fn level(reasons: Reasons) -> u8 {
    let has = |reason| reasons.has(reason);
    if has(Reason::Misspelling) && !has(Reason::Surname) && !has(Reason::FirstWords)
        || has(Reason::Nickname)
    {
        0
    } else if has(Reason::Initial) {
        1
    } else if has(Reason::TrailingAcronym) || has(Reason::LastWords) {
        2
    } else if has(Reason::Acronym) || has(Reason::Omission) {
        3
    } else if has(Reason::Surname) {
        4
    } else {
        5
    }
}
