//! What recurs in a corpus: subjects that many documents come back to, found without a model.
//!
//! A subject starts from a seed, a word or phrase that behaves like a noun, stands in many documents and comes in bursts where it
//! stands at all (Katz 1996: content words repeat within a document, function words do not). The terms that keep it company more
//! often than chance (log-likelihood, Dunning 1993) join it. What a subject has explained no longer speaks for the next, so the
//! list covers the corpus instead of repeating its loudest subject.

mod count;
mod question;

pub use question::{ThemeQuestion, subject_terms, theme_question};

use rustc_hash::FxHashMap;

use super::passages::similarity;
use super::sentences::Sentences;
use crate::query::lexical;
use count::Terms;

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct ThemeParams {
    /// Subjects wanted.
    pub limit: usize,
    /// Sentences that speak of trouble count more.
    pub problems: bool,
    /// Terms of the question that narrow it; sorted.
    pub focus: Vec<u64>,
}

/// A subject that recurs.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// The words and phrases that name it, best first.
    pub words: Vec<String>,
    /// Further words and phrases that keep it company.
    pub company: Vec<String>,
    /// Documents that come back to it.
    pub documents: u32,
    /// Positions of its strongest sentences in the sentence list, of different documents, best first.
    pub evidence: Vec<usize>,
    /// Rows of the text units that speak of it, sorted.
    pub units: Vec<u32>,
}

/// Terms that join a seed.
const COMPANIONS: usize = 10;

/// Sentences shown for a subject.
const EVIDENCE: usize = 3;

/// Share of terms from which two sentences are the same.
const SAME: f32 = 0.8;

/// Words and phrases that name a subject.
const LABEL_WORDS: usize = 3;

/// Further words and phrases shown.
const COMPANY_WORDS: usize = 6;

/// Share of its seed's weight from which a sentence is about a subject.
const ABOUT: f32 = 0.9;

/// How much of a sentence a subject explains that it holds the seed of.
const EXPLAINED: f32 = 0.7;

/// Finds up to `limit` subjects, the broadest first. `text` gives a unit's text, `document` its document.
pub fn themes<'a>(
    sentences: &Sentences,
    text: impl Fn(u32) -> &'a str + Sync,
    document: impl Fn(u32) -> u32 + Sync,
    params: &ThemeParams,
) -> Vec<Theme> {
    let terms = Terms::count(sentences, &text, &document, &params.focus);
    let mut finder = Finder {
        explained: vec![0.0; sentences.rows.len()],
        taken: vec![false; terms.rows.len()],
        static_score: terms
            .rows
            .iter()
            .map(|term| terms.static_score(term, params))
            .collect(),
        terms: &terms,
        sentences,
        params,
    };
    let mut found = Vec::new();
    while found.len() < params.limit {
        let Some(seed) = finder.seed() else { break };
        let members = finder.companions(seed);
        if let Some(theme) = finder.theme(seed, &members, &text) {
            found.push(theme);
        }
    }
    found
}

struct Finder<'a> {
    terms: &'a Terms,
    sentences: &'a Sentences,
    params: &'a ThemeParams,
    /// By sentence, 0 to 1.
    explained: Vec<f32>,
    taken: Vec<bool>,
    static_score: Vec<f32>,
}

impl Finder<'_> {
    /// The term that says most that is not yet explained.
    fn seed(&self) -> Option<usize> {
        let mut best: Option<(f32, usize)> = None;
        for (at, term) in self.terms.rows.iter().enumerate() {
            if self.taken[at] || self.static_score[at] <= 0.0 {
                continue;
            }
            // Postings are in sentence order, so a document's sentences stand together.
            let (mut mass, mut breadth, mut repeated) = (0.0f32, 0.0f32, 0.0f32);
            let of_document = |a: &u32, b: &u32| {
                self.terms.documents[*a as usize] == self.terms.documents[*b as usize]
            };
            for group in term.postings.chunk_by(of_document) {
                let left: f32 = group
                    .iter()
                    .map(|&sentence| 1.0 - self.explained[sentence as usize])
                    .sum();
                mass += left.ln_1p();
                breadth += left.min(1.0);
                repeated += if left >= 1.5 { 1.0 } else { 0.0 };
            }
            let score = (mass + repeated) * self.static_score[at];
            if breadth >= self.terms.least_documents as f32
                && best.is_none_or(|(known, _)| score > known)
            {
                best = Some((score, at));
            }
        }
        best.map(|(_, at)| at)
    }

    /// Terms that stand in and beside the seed's sentences more often than chance, with their weight relative to it.
    fn companions(&mut self, seed: usize) -> Vec<(usize, f32)> {
        let terms = self.terms;
        self.taken[seed] = true;
        let all = self.sentences.rows.len();
        let mut near: Vec<u32> = Vec::new();
        for &sentence in &terms.rows[seed].postings {
            for at in sentence.saturating_sub(1)..=(sentence + 1).min(all as u32 - 1) {
                if terms.documents[at as usize] == terms.documents[sentence as usize] {
                    near.push(at);
                }
            }
        }
        near.sort_unstable();
        near.dedup();
        // Term -> sentences, distinct documents, the last document seen.
        let mut company: FxHashMap<u32, (u32, u32, u32)> = FxHashMap::default();
        for &sentence in &near {
            let document = terms.documents[sentence as usize];
            for &term in terms.of_sentence(sentence) {
                let entry = company.entry(term).or_insert((0, 0, u32::MAX));
                entry.0 += 1;
                if entry.2 != document {
                    entry.1 += 1;
                    entry.2 = document;
                }
            }
        }
        let mut scored: Vec<(f32, usize)> = company
            .into_iter()
            .filter(|&(term, (_, documents, _))| {
                term as usize != seed && documents >= 2 && terms.is_companion(term as usize)
            })
            .filter_map(|(term, (count, documents, _))| {
                let row = &terms.rows[term as usize];
                let expected = near.len() as f32 * row.postings.len() as f32 / all as f32;
                let count = count as f32;
                let part = !row.parts.is_empty() && terms.rows[seed].parts.is_empty()
                    || !terms.shares_word(seed, term as usize);
                (part && count > expected * 1.5).then(|| {
                    (
                        (count * (count / expected).ln() - (count - expected))
                            * (documents as f32).sqrt(),
                        term as usize,
                    )
                })
            })
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.truncate(COMPANIONS);
        let strongest = scored.first().map_or(1.0, |first| first.0);
        let mut members = vec![(seed, 1.0)];
        members.extend(
            scored
                .into_iter()
                .map(|(score, term)| (term, 0.55 * score / strongest + 0.1)),
        );
        members
    }

    /// Gathers a subject's sentences and marks them as explained.
    fn theme<'t>(
        &mut self,
        seed: usize,
        members: &[(usize, f32)],
        text: &impl Fn(u32) -> &'t str,
    ) -> Option<Theme> {
        let terms = self.terms;
        let mut strength: FxHashMap<u32, f32> = FxHashMap::default();
        let weight = |term: usize, share: f32| share * terms.rows[term].idf.sqrt();
        for &(term, share) in members {
            for &sentence in &terms.rows[term].postings {
                *strength.entry(sentence).or_default() += weight(term, share);
            }
        }
        let own = weight(seed, 1.0);
        for (&sentence, &strength) in &strength {
            let slot = &mut self.explained[sentence as usize];
            *slot = slot.max((strength / own * EXPLAINED).min(1.0));
        }
        let mut about: Vec<(f32, u32)> = strength
            .into_iter()
            .filter(|&(_, strength)| strength >= ABOUT * own)
            .map(|(sentence, strength)| {
                let row = &self.sentences.rows[sentence as usize];
                let trouble = if self.params.problems {
                    f32::from(terms.trouble[sentence as usize].min(2)) * 0.4
                } else {
                    0.0
                };
                (strength * row.quality * (1.0 + trouble), sentence)
            })
            .collect();
        about.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut shown: Vec<u32> = Vec::new();
        let mut said: Vec<Vec<u64>> = Vec::new();
        for &(score, sentence) in &about {
            let document = terms.documents[sentence as usize];
            if score > 0.0
                && shown
                    .iter()
                    .all(|&other| terms.documents[other as usize] != document)
            {
                // Overlapping windows and copied papers hold the same sentence twice.
                let row = &self.sentences.rows[sentence as usize];
                let words = lexical::term_set(&text(row.unit)[row.range()]);
                if said.iter().any(|other| similarity(other, &words) > SAME) {
                    continue;
                }
                said.push(words);
                shown.push(sentence);
                if shown.len() == EVIDENCE {
                    break;
                }
            }
        }
        if shown.len() < 2 {
            return None;
        }
        let mut units: Vec<u32> = about
            .iter()
            .map(|&(_, sentence)| self.sentences.rows[sentence as usize].unit)
            .collect();
        units.sort_unstable();
        units.dedup();
        let (words, company) = self.label(members, text);
        Some(Theme {
            words,
            company,
            documents: terms.rows[seed].documents,
            evidence: shown
                .into_iter()
                .map(|sentence| sentence as usize)
                .collect(),
            units,
        })
    }

    /// The seed and the noun-like companions that add to it; then what else keeps it company.
    fn label<'t>(
        &self,
        members: &[(usize, f32)],
        text: &impl Fn(u32) -> &'t str,
    ) -> (Vec<String>, Vec<String>) {
        let terms = self.terms;
        let mut name: Vec<usize> = Vec::new();
        let mut company: Vec<usize> = Vec::new();
        for &(term, _) in members {
            // A word adds nothing beside a phrase that holds it, a phrase says more than its words.
            let repeats = |known: &[usize]| known.iter().any(|&other| terms.holds(other, term));
            if name.len() < LABEL_WORDS
                && terms.rows[term].noun >= count::NOUN
                && !terms.rows[term].verbal
            {
                if !repeats(&name) {
                    name.retain(|&other| other == members[0].0 || !terms.holds(term, other));
                    name.push(term);
                }
            } else if company.len() < COMPANY_WORDS && !repeats(&name) && !repeats(&company) {
                company.push(term);
            }
        }
        let surface = |term: usize| terms.surface(term, self.sentences, text);
        (
            name.into_iter().map(surface).collect(),
            company.into_iter().map(surface).collect(),
        )
    }
}

#[cfg(test)]
mod tests;
