//! From candidate pairs to clusters: certain links, then likely ones, then short forms by the company they keep.

use rustc_hash::{FxHashMap, FxHashSet};

use super::MERGE;
use super::audit::{Answer, Decision, Verdict, answered};
use super::block::candidates;
use super::clusters::Clusters;
use super::company::Company;
use super::decisions::Bound;
use super::evidence::{Buffers, Corpus, Nearness, weigh};
use super::reason::{Reason, Reasons};
use super::relate::{Comparison, Relation, compare};

/// Pairs with fewer points are not worth a question.
const UNDECIDED: i32 = 70;
/// Points against two spellings that stand in one sentence.
const SAME_SENTENCE: i32 = 40;

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

pub(super) struct Link {
    pub a: u32,
    pub b: u32,
    pub relation: Relation,
    pub equated: bool,
}

pub(super) fn decide(corpus: &Corpus<'_>, known: &Known<'_>) -> Decided {
    let count = corpus.forms.len();
    let active: Vec<bool> = (0..count as u32)
        .map(|name| corpus.mention_count(name) > 0)
        .collect();
    let mut decider = Decider::new(corpus, known);
    decider.apply_analyst();
    let links = decider.links(&active);
    decider.join_certain(&links);
    decider.join_likely(&links);
    decider.attach_short(&links);
    decider.finish()
}

pub(super) struct Decider<'a> {
    pub corpus: &'a Corpus<'a>,
    known: &'a Known<'a>,
    pub clusters: Clusters,
    pub stands_for: FxHashMap<(u32, u32), u32>,
    pub decisions: Vec<Decision>,
    buffers: Buffers,
    /// Counted when first asked for.
    pub company: Option<Company<'a>>,
}

impl<'a> Decider<'a> {
    fn new(corpus: &'a Corpus<'a>, known: &'a Known<'a>) -> Self {
        Self {
            corpus,
            known,
            clusters: Clusters::new(corpus.forms.len()),
            stands_for: FxHashMap::default(),
            decisions: Vec::new(),
            buffers: Buffers::default(),
            company: None,
        }
    }

    fn finish(mut self) -> Decided {
        self.decisions.sort_unstable();
        self.decisions
            .dedup_by_key(|decision| (decision.a, decision.b, decision.document));
        Decided {
            clusters: self.clusters,
            stands_for: self.stands_for,
            decisions: self.decisions,
        }
    }
}

impl Decider<'_> {
    pub(super) fn record(
        &mut self,
        a: u32,
        b: u32,
        verdict: Verdict,
        score: i32,
        reasons: Reasons,
    ) {
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

    pub(super) fn join_short(&mut self, short: u32, long: u32, score: i32, reasons: Reasons) {
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

    pub(super) fn weigh(&mut self, a: u32, b: u32, reasons: Reasons) -> (i32, Reasons) {
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

    pub(super) fn leave_open(&mut self, a: u32, b: u32, score: i32, reasons: Reasons) {
        if score >= UNDECIDED && self.clusters.root(a) != self.clusters.root(b) {
            self.record(a, b, Verdict::Undecided, score, reasons);
        }
    }
}

pub(super) fn union(mut a: Reasons, b: Reasons) -> Reasons {
    a.extend(b);
    a
}

/// Every name an entity of its own, but for what the analyst says.
pub(super) fn apart(corpus: &Corpus<'_>, known: &Known<'_>) -> Decided {
    let mut decider = Decider::new(corpus, known);
    decider.apply_analyst();
    decider.finish()
}
