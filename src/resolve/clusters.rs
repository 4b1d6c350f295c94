//! Growing clusters of names, strongest links first, none joined to what it contradicts.

use rustc_hash::FxHashSet;

use super::evidence::Corpus;
use super::key::Class;
use super::reason::Reason;
use super::relate::{Comparison, compare};

/// Comparisons of one union at most; larger clusters join by strong links only.
const COMPARISONS: usize = 2500;

/// Clusters of names; within one, nuclei of names that are certainly one.
pub(super) struct Clusters {
    parent: Vec<u32>,
    nucleus: Vec<u32>,
    members: Vec<Vec<u32>>,
    apart: FxHashSet<(u32, u32)>,
}

impl Clusters {
    pub fn new(count: usize) -> Self {
        Self {
            parent: (0..count as u32).collect(),
            nucleus: (0..count as u32).collect(),
            members: (0..count as u32).map(|name| vec![name]).collect(),
            apart: FxHashSet::default(),
        }
    }

    /// Two names that never come together.
    pub fn keep_apart(&mut self, a: u32, b: u32) {
        self.apart.insert((a.min(b), a.max(b)));
    }

    pub fn root(&self, mut name: u32) -> u32 {
        while self.parent[name as usize] != name {
            name = self.parent[name as usize];
        }
        name
    }

    /// Sorted.
    pub fn members(&self, name: u32) -> &[u32] {
        &self.members[self.root(name) as usize]
    }

    /// Joins without a question. The smaller cluster joins the larger, so that roots stay near.
    pub fn join(&mut self, a: u32, b: u32) {
        let (mut a, mut b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        if (self.members[a as usize].len(), b) < (self.members[b as usize].len(), a) {
            std::mem::swap(&mut a, &mut b);
        }
        self.parent[b as usize] = a;
        let moved = std::mem::take(&mut self.members[b as usize]);
        let members = &mut self.members[a as usize];
        members.extend(moved);
        members.sort_unstable();
    }

    /// Joins a short form, which from now on says no more than the long one.
    pub fn join_short(&mut self, short: u32, long: u32) {
        let nucleus = self.nucleus[long as usize];
        for name in self.members(short).to_vec() {
            self.nucleus[name as usize] = nucleus;
        }
        self.join(short, long);
    }

    /// What has been joined so far is certain.
    pub fn settle(&mut self) {
        for name in 0..self.parent.len() as u32 {
            self.nucleus[name as usize] = self.root(name);
        }
    }

    /// Why two clusters must not be joined, if so.
    pub fn objection(&self, corpus: &Corpus<'_>, a: u32, b: u32) -> Option<Reason> {
        let (left, right) = (self.members(a), self.members(b));
        let kept = |x: u32, y: u32| self.apart.contains(&(x.min(y), x.max(y)));
        if !self.apart.is_empty() && left.iter().any(|&x| right.iter().any(|&y| kept(x, y))) {
            return Some(Reason::Analyst);
        }
        if left.len() * right.len() > COMPARISONS {
            return Some(Reason::ChainOfDifferentNames);
        }
        let mut unrelated: Vec<(u32, u32)> = Vec::new();
        let mut related: FxHashSet<(u32, u32)> = FxHashSet::default();
        for &x in left {
            for &y in right {
                let nuclei = (self.nucleus[x as usize], self.nucleus[y as usize]);
                match compare(&corpus.lexicon, corpus.named(x), corpus.named(y)) {
                    Comparison::Contradicted(reason) => return Some(reason),
                    Comparison::Related(_) => {
                        related.insert(nuclei);
                    }
                    Comparison::Unrelated
                        if is_strong(corpus, x)
                            && is_strong(corpus, y)
                            && !is_within(corpus, x, y) =>
                    {
                        unrelated.push(nuclei);
                    }
                    Comparison::Unrelated => {}
                }
            }
        }
        let chained = unrelated.iter().any(|nuclei| !related.contains(nuclei));
        chained.then_some(Reason::ChainOfDifferentNames)
    }
}

/// Whether all words of one name stand in the other, in order: it adds nothing that could differ.
fn is_within(corpus: &Corpus<'_>, a: u32, b: u32) -> bool {
    let (a, b) = (
        &corpus.forms[a as usize].content,
        &corpus.forms[b as usize].content,
    );
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let mut rest = long.iter();
    short
        .iter()
        .all(|part| rest.any(|other| other.word == part.word))
}

/// Whether a name says by itself what it names: two words or more, none of them an initial.
pub(super) fn is_strong(corpus: &Corpus<'_>, name: u32) -> bool {
    let form = &corpus.forms[name as usize];
    form.content.len() >= 2 && form.content[0].class == Class::Word
}
