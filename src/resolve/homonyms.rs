//! One name, two things, where no longer name tells them apart: types, company and usage document by document.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::MERGE;
use super::audit::{Decision, Verdict};
use super::company::{Company, Words, clearest};
use super::decisions::Bound;
use super::entities::Assembly;
use super::evidence::{Corpus, shared};
use super::key::Class;
use super::reason::{Reason, Reasons};
use crate::extract::cue::Cue;

/// Mentions of each sense, and neighbours of each, that a split by type needs.
const SPLIT_MENTIONS: usize = 2;
const SPLIT_NEIGHBOURS: usize = 3;
/// Documents that use a name as a proper name, for each that uses it as one of a kind.
const PROPER: usize = 2;
/// Documents of a name that are looked at.
const DOCUMENTS: usize = 2000;
/// Of the smaller company, the part that two senses may share, in hundredths.
const SHARED: i32 = 25;
/// How often what was settled may settle more.
const ROUNDS: usize = 4;
/// Points of company that a sense needs to be one.
const ENOUGH: i32 = 2000;

/// A sense and the documents that are known to have it.
#[derive(Clone, Debug, Default)]
struct Sense {
    /// The head of its phrase; none for one of a kind, or the proper name.
    head: Option<&'static str>,
    documents: BTreeSet<u32>,
    words: Words,
}

/// How the documents of a name use it.
#[derive(Default)]
struct Usage {
    heads: BTreeMap<&'static str, BTreeSet<u32>>,
    one_of_a_kind: BTreeSet<u32>,
    bare: BTreeSet<u32>,
}

impl Usage {
    fn of(corpus: &Corpus<'_>, name: u32) -> Self {
        let mut usage = Self::default();
        for mention in corpus.mentions(name).take(DOCUMENTS) {
            let document = corpus.document(mention.unit);
            if let Some(head) = mention.cues.head() {
                usage.heads.entry(head).or_default().insert(document);
            }
            if mention.cues.has(Cue::OneOfAKind) {
                usage.one_of_a_kind.insert(document);
            } else if mention.cues.has(Cue::Bare) {
                usage.bare.insert(document);
            }
        }
        usage
    }

    /// The senses that documents show by themselves, if they show several and none shows two.
    fn senses(self) -> Option<Vec<Sense>> {
        let sense = |head, documents| Sense {
            head,
            documents,
            words: Words::default(),
        };
        if self.heads.len() >= 2 {
            let mut seen = FxHashSet::default();
            let one_each = self
                .heads
                .values()
                .flatten()
                .all(|document| seen.insert(*document));
            let heads = self.heads.into_iter();
            return one_each.then(|| {
                heads
                    .map(|(head, documents)| sense(Some(head), documents))
                    .collect()
            });
        }
        let counted: BTreeSet<u32> = self.one_of_a_kind.difference(&self.bare).copied().collect();
        let proper: BTreeSet<u32> = self.bare.difference(&self.one_of_a_kind).copied().collect();
        let both = self.one_of_a_kind.len() - counted.len();
        let clear = !counted.is_empty() && both == 0 && proper.len() >= PROPER * counted.len();
        clear.then(|| vec![sense(None, proper), sense(None, counted)])
    }
}

impl<'a> Assembly<'a> {
    /// Splits names whose documents show two senses.
    pub(super) fn split_homonyms(&mut self, analyst: &Bound) {
        let merged = analyst.merge.iter().flatten().copied();
        let split = analyst.split.iter().map(|split| split.name);
        let told: FxHashSet<u32> = merged.chain(split).collect();
        let corpus = self.corpus;
        let mut company: Option<Company<'a>> = None;
        let mut kinds: Vec<(u32, u32)> = Vec::new();
        for name in 0..corpus.forms.len() as u32 {
            if told.contains(&name) || corpus.documents(name).len() < 2 {
                continue;
            }
            kinds.clear();
            let mentions = corpus.mentions(name);
            kinds.extend(mentions.map(|mention| (corpus.document(mention.unit), mention.kind)));
            kinds.sort_unstable();
            let first = kinds.first().map(|entry| entry.1);
            if kinds.iter().all(|entry| Some(entry.1) == first) {
                if let Some(senses) = self.senses_by_usage(name, &mut company) {
                    self.split_by_usage(name, senses);
                }
            } else if let Some((documents, kind)) = self.second_sense(name, &kinds) {
                let suffix = corpus.harvest.kinds.get(kind);
                let title = format!("{} ({suffix})", corpus.harvest.names.get(name));
                let reasons = Reasons::one(Reason::DisjointContexts).with(Reason::DifferentTypes);
                self.split(name, &documents, title, Verdict::Split, reasons);
            }
        }
    }

    /// "St Anne's Hospital" here and "St Anne's reservoir" there; "a Kestrel" here, beside "Kestrel K3", and "in Kestrel" there. The
    /// other documents of the name go where its company suits.
    fn senses_by_usage(&self, name: u32, company: &mut Option<Company<'a>>) -> Option<Vec<Sense>> {
        let corpus = self.corpus;
        let mut senses = Usage::of(corpus, name).senses()?;
        let all = corpus.documents(name);
        let decided = |document: &u32| self.decided.stands_for.contains_key(&(name, *document));
        if self.decided.clusters.members(name).len() > 1 || all.iter().any(decided) {
            return None;
        }
        let company = company.get_or_insert_with(|| Company::new(corpus));
        for sense in &mut senses {
            for &document in &sense.documents {
                company.add(name, document, &mut sense.words);
            }
            if let Some(head) = sense.head {
                company.add_own(head, &mut sense.words);
            }
        }
        for (at, a) in senses.iter().enumerate() {
            for b in &senses[at + 1..] {
                let least = company.worth(&a.words).min(company.worth(&b.words));
                if least < ENOUGH || company.overlap(&a.words, &b.words) > least * SHARED / 100 {
                    return None;
                }
            }
        }
        let known = |document: &&u32| {
            senses
                .iter()
                .all(|sense| !sense.documents.contains(document))
        };
        let mut open: Vec<u32> = all.iter().take(DOCUMENTS).filter(known).copied().collect();
        for _ in 0..ROUNDS {
            let worths: Vec<i32> = senses
                .iter()
                .map(|sense| company.worth(&sense.words))
                .collect();
            let mut settled = Vec::new();
            open.retain(|&document| {
                let here = company.observe(name, document);
                let points = senses.iter().map(|sense| {
                    company.overlap(&here.words, &sense.words)
                        + Company::answering(&here, sense.head)
                });
                let clear = clearest(points.zip(worths.iter().copied()));
                settled.extend(clear.map(|at| (document, at)));
                clear.is_none()
            });
            if settled.is_empty() {
                break;
            }
            for (document, at) in settled {
                senses[at].documents.insert(document);
                company.add(name, document, &mut senses[at].words);
            }
        }
        Some(senses)
    }

    fn split_by_usage(&mut self, name: u32, senses: Vec<Sense>) {
        let reasons = Reasons::one(Reason::Usage).with(Reason::DisjointContexts);
        let title = self.corpus.harvest.names.get(name);
        for (at, sense) in senses.into_iter().enumerate() {
            let documents: Vec<u32> = sense.documents.into_iter().collect();
            match sense.head {
                Some(head) => {
                    let title = format!("{title} ({})", head.to_uppercase());
                    self.split(name, &documents, title, Verdict::Split, reasons);
                }
                // The proper name stays what it is.
                None if at == 0 => {}
                None => {
                    if let Some(make) = self.make_of(name, &documents) {
                        self.stand_for(name, make, &documents, reasons);
                    }
                }
            }
        }
    }

    /// The one make that a name with a number gives, where one is named near by: "Kestrel K3" for "a Kestrel".
    fn make_of(&self, name: u32, documents: &[u32]) -> Option<u32> {
        let corpus = self.corpus;
        let own = &corpus.forms[name as usize].content;
        let mut makes = BTreeSet::new();
        for &document in documents {
            corpus.around(name, document, |_, near, _| {
                let content = &corpus.forms[near.name as usize].content;
                let numbered = content
                    .last()
                    .is_some_and(|part| part.class == Class::Number);
                let begins = content.iter().zip(own).all(|(a, b)| a.word == b.word);
                if numbered && begins && content.len() == own.len() + 1 {
                    makes.insert(near.name);
                }
            });
        }
        let only = makes.first().copied();
        only.filter(|_| makes.len() == 1)
    }

    fn stand_for(&mut self, name: u32, other: u32, documents: &[u32], reasons: Reasons) {
        let decision = |document, verdict| Decision {
            a: name,
            b: name,
            verdict,
            score: MERGE,
            reasons,
            document: Some(document),
        };
        let first = documents.first().copied();
        self.decided
            .decisions
            .extend(first.map(|document| decision(document, Verdict::Split)));
        for &document in documents {
            self.decided.stands_for.insert((name, document), other);
            self.decided.decisions.push(Decision {
                a: name.min(other),
                b: name.max(other),
                ..decision(document, Verdict::Merged)
            });
        }
    }

    /// Documents and type of the rarer of two senses. `kinds` are documents and types of the mentions, sorted.
    fn second_sense(&self, name: u32, kinds: &[(u32, u32)]) -> Option<(Vec<u32>, u32)> {
        let mut of_kind: Vec<(u32, usize, Vec<u32>)> = Vec::new();
        for document in kinds.chunk_by(|a, b| a.0 == b.0) {
            let kind = document[0].1;
            // A document that is of two minds itself proves nothing.
            if document.iter().any(|entry| entry.1 != kind) {
                return None;
            }
            let text = self.corpus.harvest.kinds.get(kind);
            if matches!(text, "" | "UNKNOWN" | "CONCEPT") {
                return None;
            }
            match of_kind.iter_mut().find(|entry| entry.0 == kind) {
                Some(entry) => {
                    entry.1 += document.len();
                    entry.2.push(document[0].0);
                }
                None => of_kind.push((kind, document.len(), vec![document[0].0])),
            }
        }
        let [first, second] = of_kind.as_slice() else {
            return None;
        };
        if first.1.min(second.1) < SPLIT_MENTIONS {
            return None;
        }
        let company = |documents: &[u32]| {
            let (mut all, mut one) = (Vec::new(), Vec::new());
            for &document in documents.iter().take(16) {
                self.corpus.neighbours(name, Some(document), &mut one);
                all.extend_from_slice(&one);
            }
            all.sort_unstable();
            all.dedup();
            all
        };
        let (a, b) = (company(&first.2), company(&second.2));
        if a.len().min(b.len()) < SPLIT_NEIGHBOURS || shared(&a, &b, 1) > 0 {
            return None;
        }
        let rarer = if (first.1, Reverse(first.2[0])) < (second.1, Reverse(second.2[0])) {
            first
        } else {
            second
        };
        Some((rarer.2.clone(), rarer.0))
    }
}
