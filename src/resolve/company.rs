//! The company that a name keeps in a document, as weighted words, and how well it suits another's.
//!
//! The words of a full name count double where they stand near the short one (Lesk 1986, Automatic sense disambiguation); words
//! that both keep near count by their rarity (Schütze 1998, Automatic word sense discrimination). What stands beside a name adds
//! to that: "at Coldwell" is a place, "Coldwell said" is none.

use rustc_hash::FxHashMap;

use super::evidence::Corpus;
use super::key::{Class, Gender, Part};
use super::tables;
use crate::extract::cue::{self, Cue};

/// Points of the rarest word.
const RAREST: f64 = 1000.0;
/// Weights: a word of the full name, one within a sentence of a mention, one farther off.
const OWN: i32 = 8;
const NEAR: i32 = 4;
const FAR: i32 = 1;
/// Points for, or against, a reading that the words beside the name suggest.
const USAGE: i32 = 800;
/// Names of a reading, and documents of each, that its company is taken from.
const NAMES: usize = 8;
const DOCUMENTS: usize = 8;

/// Points that decide for a reading with half as much again as the next, and those that do for one with three times as much.
const CLEAR: i32 = 800;
const CLEARER: i32 = 500;
/// A reading of which less is known is not taken for a smaller one.
const LEAST: i32 = 2000;

/// The reading that suits clearly better than any other, of `(points, worth)` of each. Points count by the fourth root of the
/// worth, the points of a reading with itself: what is named everywhere shares something with every document. (By the square root,
/// as in a cosine, what is named once beats what is named often.)
pub(super) fn clearest(readings: impl Iterator<Item = (i32, i32)>) -> Option<usize> {
    let mut best = (0, 0, None);
    let mut second = 0;
    for (at, (points, worth)) in readings.enumerate() {
        let root = i64::from(worth.max(LEAST).unsigned_abs().isqrt().isqrt());
        let share = i64::from(points) * 1000 / root;
        if share > best.0 {
            second = best.0;
            best = (share, points, Some(at));
        } else {
            second = second.max(share);
        }
    }
    let clear = best.1 >= CLEAR && best.0 * 2 >= second * 3;
    let clearer = best.1 >= CLEARER && best.0 >= second * 3;
    best.2.filter(|_| clear || clearer)
}

/// Words with their weights.
pub(super) type Words = FxHashMap<u32, i32>;

/// How rare each word is, and whom to ask for more.
pub(super) struct Company<'a> {
    corpus: &'a Corpus<'a>,
    /// By word: 0 for one that is everywhere, [`RAREST`] for one in a single document.
    rarity: Vec<i32>,
}

/// A name in a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Observed {
    pub words: Words,
    place: bool,
    agent: bool,
    male: bool,
    female: bool,
}

/// What a short name may stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    pub words: Words,
    place: bool,
    agent: bool,
    gender: Gender,
}

impl<'a> Company<'a> {
    /// Counts the documents of every word. Linear in the names and their documents.
    pub fn new(corpus: &'a Corpus<'a>) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut all: Vec<u32> = Vec::new();
        for (name, form) in corpus.forms.iter().enumerate() {
            let documents = corpus.documents(name as u32);
            all.extend_from_slice(documents);
            for &part in &form.content {
                let word = root(corpus, part);
                pairs.extend(documents.iter().map(|&document| (word, document)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        all.sort_unstable();
        all.dedup();
        let count = (all.len() as f64).max(2.0);
        let mut rarity = vec![0; corpus.lexicon.len()];
        for word in pairs.chunk_by(|a, b| a.0 == b.0) {
            let rare = (count / word.len() as f64).ln() / count.ln();
            rarity[word[0].0 as usize] = (rare * RAREST) as i32;
        }
        Self { corpus, rarity }
    }

    /// A name in a document, with the words around its mentions there.
    pub fn observe(&self, name: u32, document: u32) -> Observed {
        let mut observed = Observed::default();
        self.add(name, document, &mut observed.words);
        let kind = |mention: &crate::extract::harvest::EntityMention| {
            self.corpus.harvest.kinds.get(mention.kind)
        };
        for mention in self.corpus.mentions_in(name, document) {
            let cues = mention.cues;
            observed.place |= cues.has(Cue::Place);
            observed.agent |= cues.has(Cue::Agent);
            observed.male |= cues.has(Cue::Male);
            observed.female |= cues.has(Cue::Female);
        }
        self.corpus.around(name, document, |here, near, _| {
            let cues = here.cues;
            // "X and Y are both fed by": one is what the other is.
            let (Some(a), Some(b)) = (here.span, near.span) else {
                return;
            };
            let and = " and ".len() as u32;
            if cues.has(Cue::AndNext) && b.0 == a.1 + and
                || cues.has(Cue::AndPrevious) && b.1 + and == a.0
            {
                observed.place |= kind(near) == "GEO";
                observed.agent |= matches!(kind(near), "ORGANIZATION" | "PERSON");
            }
        });
        if observed.place && observed.agent {
            (observed.place, observed.agent) = (false, false);
        }
        observed
    }

    /// What the names of a cluster, for which `short` may stand, say of their thing.
    pub fn reading(&self, members: &[u32], short: u32) -> Reading {
        let mut reading = Reading::default();
        let own = &self.corpus.forms[short as usize].content;
        for &member in members.iter().take(NAMES) {
            for &document in self.corpus.documents(member).iter().take(DOCUMENTS) {
                self.add(member, document, &mut reading.words);
                let observed = self.observe(member, document);
                if observed.male != observed.female {
                    reading.gender = match observed.male {
                        true => Gender::Male,
                        false => Gender::Female,
                    };
                }
            }
            let form = &self.corpus.forms[member as usize];
            let last = form.content.last();
            let kind = self
                .corpus
                .harvest
                .kinds
                .get(self.corpus.kinds[member as usize]);
            let text = |part: &Part| self.corpus.lexicon.get(part.word).text.as_str();
            reading.place |=
                kind == "GEO" || last.is_some_and(|part| tables::FACILITIES.contains(&text(part)));
            reading.agent |= kind == "ORGANIZATION" || form.legal != 0;
            if form.gender != Gender::Unknown {
                reading.gender = form.gender;
            }
            for &part in &form.content {
                let first = self.corpus.lexicon.get(part.word).first_name_of;
                if kind == "PERSON" && reading.gender == Gender::Unknown {
                    reading.gender = first;
                }
                if self.counts(part) && !own.iter().any(|own| own.word == part.word) {
                    reading.words.insert(root(self.corpus, part), OWN);
                }
            }
        }
        for part in own {
            reading.words.remove(&root(self.corpus, *part));
        }
        reading
    }

    /// Points for a reading in a document; `None` where it cannot be meant. The second value tells whether usage had a say.
    pub fn suits(&self, observed: &Observed, reading: &Reading) -> (Option<i32>, bool) {
        let genders = (observed.male, observed.female, reading.gender);
        if matches!(
            genders,
            (true, false, Gender::Female) | (false, true, Gender::Male)
        ) {
            return (None, true);
        }
        let mut points = self.overlap(&observed.words, &reading.words);
        let mut usage = false;
        if matches!(
            genders,
            (true, false, Gender::Male) | (false, true, Gender::Female)
        ) {
            points += USAGE;
            usage = true;
        }
        if reading.place != reading.agent && observed.place != observed.agent {
            usage = true;
            points += if reading.place == observed.place {
                USAGE
            } else {
                -USAGE
            };
        }
        (Some(points), usage)
    }

    /// Points for a sense whose head is known, in a document that uses the name for somebody who acts.
    pub fn answering(observed: &Observed, head: Option<&str>) -> i32 {
        match head.filter(|_| observed.agent) {
            Some(head) if cue::answers(head) => USAGE,
            Some(_) => -USAGE,
            None => 0,
        }
    }

    /// Points of words with themselves.
    pub fn worth(&self, words: &Words) -> i32 {
        self.overlap(words, words)
    }

    /// Points for the words that two share.
    pub fn overlap(&self, a: &Words, b: &Words) -> i32 {
        let (small, large) = if a.len() < b.len() { (a, b) } else { (b, a) };
        let points = small.iter().filter_map(|(word, weight)| {
            let other = large.get(word)?;
            Some(self.rarity[*word as usize] * weight * other / (NEAR * NEAR))
        });
        points.sum()
    }

    /// Adds the words around the mentions of a name in a document; a word counts once, where it is nearest.
    pub fn add(&self, name: u32, document: u32, words: &mut Words) {
        let own = &self.corpus.forms[name as usize].content;
        self.corpus.around(name, document, |_, near, close| {
            let weight = if close { NEAR } else { FAR };
            for &part in &self.corpus.forms[near.name as usize].content {
                if self.counts(part) && !own.iter().any(|own| own.word == part.word) {
                    let slot = words.entry(root(self.corpus, part)).or_insert(0);
                    *slot = (*slot).max(weight);
                }
            }
        });
    }

    /// Adds a word that says what the thing is.
    pub fn add_own(&self, word: &str, words: &mut Words) {
        if let Some(word) = self.corpus.lexicon.find(word) {
            words.insert(word, OWN);
        }
    }

    fn counts(&self, part: Part) -> bool {
        part.class != Class::Small && self.corpus.lexicon.get(part.word).letters >= 3
    }
}

fn root(corpus: &Corpus<'_>, part: Part) -> u32 {
    let stem = corpus.lexicon.get(part.word).stem;
    corpus.lexicon.get(stem).loose
}
