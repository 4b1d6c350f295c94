//! From candidate pairs to clusters: certain links, then likely ones, then short forms by the company they keep.

use rustc_hash::{FxHashMap, FxHashSet};

use super::MERGE;
use super::audit::{Answer, Decision, Verdict, answered};
use super::block::candidates;
use super::clusters::Clusters;
use super::decisions::Bound;
use super::evidence::{Buffers, Corpus, Nearness, shared, weigh};
use super::reason::{Reason, Reasons};
use super::relate::{Comparison, Relation, Side, compare};

/// Pairs with fewer points are not worth a question.
const UNDECIDED: i32 = 70;
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
/// Points against two spellings that stand in one sentence.
const SAME_SENTENCE: i32 = 40;
/// Documents of a short form that are looked at one by one.
const DOCUMENTS: usize = 2000;
/// Names a short form is weighed against.
const FITTING: usize = 64;

/// The outcome for all names.
pub(super) struct Decided {
    pub clusters: Clusters,
    /// In one document a name stands for another one.
    pub stands_for: FxHashMap<(u32, u32), u32>,
    pub decisions: Vec<Decision>,
}

/// What else is known.
pub(super) struct Known<'a> {
    pub analyst: &'a Bound,
    pub answers: &'a [Answer],
    pub near: Option<&'a Nearness<'a>>,
}

struct Link {
    a: u32,
    b: u32,
    relation: Relation,
    equated: bool,
}

pub(super) fn decide(corpus: &Corpus<'_>, known: &Known<'_>) -> Decided {
    let count = corpus.forms.len();
    let active: Vec<bool> = (0..count as u32)
        .map(|name| corpus.mention_count(name) > 0)
        .collect();
    let mut decider = Decider {
        corpus,
        known,
        clusters: Clusters::new(count),
        stands_for: FxHashMap::default(),
        decisions: Vec::new(),
        buffers: Buffers::default(),
    };
    decider.apply_analyst();
    let links = decider.links(&active);
    decider.join_certain(&links);
    decider.join_likely(&links);
    decider.attach_short(&links);
    decider.decisions.sort_unstable();
    decider
        .decisions
        .dedup_by_key(|decision| (decision.a, decision.b, decision.document));
    Decided {
        clusters: decider.clusters,
        stands_for: decider.stands_for,
        decisions: decider.decisions,
    }
}

struct Decider<'a> {
    corpus: &'a Corpus<'a>,
    known: &'a Known<'a>,
    clusters: Clusters,
    stands_for: FxHashMap<(u32, u32), u32>,
    decisions: Vec<Decision>,
    buffers: Buffers,
}

impl Decider<'_> {
    fn record(&mut self, a: u32, b: u32, verdict: Verdict, score: i32, reasons: Reasons) {
        self.decisions.push(Decision {
            a: a.min(b),
            b: a.max(b),
            verdict,
            score,
            reasons,
            document: None,
        });
    }

    fn apply_analyst(&mut self) {
        let reasons = Reasons::one(Reason::Analyst);
        for &(a, b) in &self.known.analyst.keep_apart {
            self.clusters.keep_apart(a, b);
            self.record(a, b, Verdict::ByAnalyst, 0, reasons);
        }
        for group in &self.known.analyst.merge {
            for pair in group.windows(2) {
                self.clusters.join(pair[0], pair[1]);
                self.record(pair[0], pair[1], Verdict::ByAnalyst, MERGE, reasons);
            }
        }
        for answer in self.known.answers.iter().filter(|answer| !answer.same) {
            self.clusters.keep_apart(answer.names.0, answer.names.1);
        }
    }

    /// Candidates that may be one, with what the text or a model says of them.
    fn links(&mut self, active: &[bool]) -> Vec<Link> {
        let equated: FxHashSet<(u32, u32)> = self
            .corpus
            .harvest
            .equated
            .iter()
            .map(|&(a, b)| (a.min(b), a.max(b)))
            .filter(|&(a, b)| a != b && active[a as usize] && active[b as usize])
            .collect();
        let said: FxHashMap<(u32, u32), bool> = self
            .known
            .answers
            .iter()
            .map(|answer| {
                (
                    (
                        answer.names.0.min(answer.names.1),
                        answer.names.0.max(answer.names.1),
                    ),
                    answer.same,
                )
            })
            .collect();
        let mut pairs = candidates(&self.corpus.lexicon, &self.corpus.forms, active);
        pairs.extend(equated.iter().copied().chain(said.keys().copied()));
        pairs.sort_unstable();
        pairs.dedup();
        let mut links = Vec::new();
        for (a, b) in pairs {
            let is_equated = equated.contains(&(a, b));
            let compared = compare(
                &self.corpus.lexicon,
                self.corpus.named(a),
                self.corpus.named(b),
            );
            let mut relation = match compared {
                Comparison::Related(relation) => relation,
                // "Ilse Brandt (formerly Nordmere)" is a person's post.
                Comparison::Unrelated if is_equated && self.corpus.is_one_a_person(a, b) => {
                    self.record(
                        a,
                        b,
                        Verdict::KeptApart,
                        0,
                        Reasons::one(Reason::Equated).with(Reason::DifferentTypes),
                    );
                    continue;
                }
                Comparison::Unrelated if is_equated || said.contains_key(&(a, b)) => Relation {
                    score: 0,
                    reasons: Reasons::default(),
                    short: None,
                },
                Comparison::Contradicted(reason) => {
                    // Siblings by number are many and never in doubt.
                    if reason != Reason::DifferentNumbers && reason != Reason::DifferentFirstNames {
                        self.record(a, b, Verdict::KeptApart, 0, Reasons::one(reason));
                    }
                    continue;
                }
                Comparison::Unrelated => continue,
            };
            match said.get(&(a, b)) {
                Some(true) => {
                    relation.score = MERGE;
                    relation.short = None;
                    relation.reasons = answered(relation.reasons);
                }
                Some(false) => {
                    self.record(
                        a,
                        b,
                        Verdict::KeptApart,
                        relation.score,
                        answered(relation.reasons),
                    );
                    continue;
                }
                None if is_equated => {
                    relation.reasons.add(Reason::Equated);
                    if relation.short.is_none() {
                        relation.score = MERGE;
                    }
                }
                None => {}
            }
            links.push(Link {
                a,
                b,
                relation,
                equated: is_equated,
            });
        }
        links
    }

    fn join_certain(&mut self, links: &[Link]) {
        for link in links
            .iter()
            .filter(|link| link.relation.short.is_none() && link.relation.score >= MERGE)
        {
            self.try_join(link.a, link.b, link.relation.score, link.relation.reasons);
        }
        self.clusters.settle();
    }

    fn try_join(&mut self, a: u32, b: u32, score: i32, mut reasons: Reasons) -> bool {
        if self.clusters.root(a) == self.clusters.root(b) {
            self.record(a, b, Verdict::Merged, score, reasons);
            return true;
        }
        // What the text itself equates is no chain.
        let objection = self.clusters.objection(self.corpus, a, b);
        let objection = objection
            .filter(|why| !(reasons.has(Reason::Equated) && *why == Reason::ChainOfDifferentNames));
        if let Some(why) = objection {
            reasons.add(why);
            self.record(a, b, Verdict::KeptApart, score, reasons);
            return false;
        }
        self.clusters.join(a, b);
        self.record(a, b, Verdict::Merged, score, reasons);
        true
    }

    fn join_short(&mut self, short: u32, long: u32, score: i32, reasons: Reasons) {
        self.clusters.join_short(short, long);
        self.record(short, long, Verdict::Merged, score, reasons);
    }

    fn join_likely(&mut self, links: &[Link]) {
        let mut weighed: Vec<(i32, u32, u32, Reasons)> = Vec::new();
        for link in links {
            let relation = link.relation;
            if relation.short.is_some() || relation.score >= MERGE {
                continue;
            }
            let (points, reasons) = self.weigh(link.a, link.b, relation.reasons);
            let mut score = relation.score + points;
            let mut reasons = union(relation.reasons, reasons);
            if self.corpus.share_sentence(link.a, link.b) {
                score -= SAME_SENTENCE;
                reasons.add(Reason::SameSentence);
            }
            weighed.push((-score, link.a, link.b, reasons));
        }
        weighed.sort_unstable();
        for (negative, a, b, reasons) in weighed {
            if -negative >= MERGE {
                self.try_join(a, b, -negative, reasons);
            } else {
                self.leave_open(a, b, -negative, reasons);
            }
        }
    }

    fn weigh(&mut self, a: u32, b: u32, reasons: Reasons) -> (i32, Reasons) {
        let sides = (self.clusters.members(a), self.clusters.members(b));
        weigh(
            self.corpus,
            a,
            b,
            sides,
            reasons,
            self.known.near,
            &mut self.buffers,
        )
    }

    fn leave_open(&mut self, a: u32, b: u32, score: i32, reasons: Reasons) {
        if score >= UNDECIDED && self.clusters.root(a) != self.clusters.root(b) {
            self.record(a, b, Verdict::Undecided, score, reasons);
        }
    }

    /// The more specific forms first, so that what they settle is settled for the less specific ones.
    fn attach_short(&mut self, links: &[Link]) {
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
        let names: Vec<u32> = self.clusters.members(short).to_vec();
        let mut company: Vec<Option<Vec<u32>>> = vec![None; fits.len()];
        let mut near = Vec::new();
        let mut chosen_in: Vec<usize> = vec![0; fits.len()];
        for name in names {
            let documents: Vec<u32> = self
                .corpus
                .documents(name)
                .iter()
                .copied()
                .take(DOCUMENTS)
                .collect();
            for document in documents {
                let mut named = fits.iter().enumerate().filter(|(_, fit)| {
                    let members = self.clusters.members(fit.1);
                    members.iter().any(|&member| {
                        self.corpus
                            .documents(member)
                            .binary_search(&document)
                            .is_ok()
                    })
                });
                let first = named.next().map(|(at, _)| at);
                let only = first.filter(|_| named.next().is_none());
                let (chosen, mut reasons) = match (first, only) {
                    (_, Some(at)) => (at, Reasons::one(Reason::DocumentContext)),
                    _ if self.corpus.few_documents => continue,
                    _ => {
                        for (slot, fit) in company.iter_mut().zip(fits) {
                            slot.get_or_insert_with(|| self.company(fit.1, name));
                        }
                        self.corpus.neighbours(name, Some(document), &mut near);
                        match nearest(&near, &company) {
                            Some(at) => (at, Reasons::one(Reason::SharedNeighbours)),
                            None => continue,
                        }
                    }
                };
                let (_, long, relation, _) = fits[chosen];
                chosen_in[chosen] += 1;
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

    fn company(&self, long: u32, except: u32) -> Vec<u32> {
        let mut all = Vec::new();
        let mut one = Vec::new();
        for &member in self.clusters.members(long).iter().take(8) {
            for &document in self.corpus.documents(member).iter().take(8) {
                self.corpus.neighbours(member, Some(document), &mut one);
                all.extend(one.iter().copied().filter(|&name| name != except));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }
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

/// The one company that shares clearly more with `near` than any other.
fn nearest(near: &[u32], company: &[Option<Vec<u32>>]) -> Option<usize> {
    let mut best = (0, None);
    let mut second = 0;
    for (at, names) in company.iter().enumerate() {
        let count = names
            .as_ref()
            .map_or(0, |names| shared(near, names, usize::MAX));
        if count > best.0 {
            second = best.0;
            best = (count, Some(at));
        } else {
            second = second.max(count);
        }
    }
    best.1
        .filter(|_| company.len() > 1 && best.0 >= 3 && best.0 >= 2 * second)
}

fn union(mut a: Reasons, b: Reasons) -> Reasons {
    a.extend(b);
    a
}

/// Every name an entity of its own.
pub(super) fn apart(corpus: &Corpus<'_>) -> Decided {
    Decided {
        clusters: Clusters::new(corpus.forms.len()),
        stands_for: FxHashMap::default(),
        decisions: Vec::new(),
    }
}
