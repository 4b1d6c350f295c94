//! Chooses a community's most central, best corroborated and least redundant sentences.
//!
//! Sentences are compared by the cosine of their weighted terms, computed through an inverted index over at most
//! [`MAX_CANDIDATES`] candidates. Centrality is biased LexRank (Erkan and Radev 2004; Otterbacher et al. 2005); the choice
//! is maximal marginal relevance (Carbonell and Goldstein 1998).

use super::extractive::Corpus;
use super::salience::Member;
use super::sentences::SentenceIx;
use crate::model::{Community, DocumentIx, EntityIx, TextUnitIx};

/// Candidates that enter the comparison, the best by a quick score.
const MAX_CANDIDATES: usize = 160;

/// Cosine from which two sentences of different text units corroborate each other.
const CORROBORATES: f32 = 0.26;

/// Cosine that suffices where they name the same member of the community.
const CORROBORATES_ON_MEMBER: f32 = 0.17;

/// Terms, a name counting once, that they must share as well.
const SHARED_TERMS: u8 = 3;

/// Cosine above which a second sentence only repeats the first.
const REPEATS: f32 = 0.75;

/// Similarities below this are noise and not kept.
const MIN_SIMILARITY: f32 = 0.08;

/// Sentences that are taken where none names a member.
const UNNAMED_LIMIT: usize = 2;

/// Share of relevance against novelty.
const MMR_LAMBDA: f32 = 0.7;

const DAMPING: f32 = 0.7;
const ROUNDS: usize = 6;

/// A chosen sentence with what supports it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pick {
    pub sentence: SentenceIx,
    /// Similar sentences of other text units that add to it, best first.
    pub supporters: Vec<SentenceIx>,
    /// All text units in which it or a similar sentence stands: its own first, then sorted.
    pub units: Vec<TextUnitIx>,
    /// Distinct documents among them.
    pub documents: u32,
    pub score: f32,
}

/// Per-thread buffers, reused over communities.
#[derive(Default)]
pub(super) struct Scratch {
    /// Local weight of an entity; 0 outside the community at hand.
    salience: Vec<f32>,
    /// Local number of a term plus one; 0 when not seen.
    local_term: Vec<u32>,
    seen_terms: Vec<u32>,
}

struct Candidate {
    sentence: SentenceIx,
    /// Sum of the saliences of the members it names.
    weight: f32,
    /// Further text units with the very same sentence.
    copies: Vec<TextUnitIx>,
}

/// At most `limit` picks, best first.
pub(super) fn select(
    corpus: &Corpus<'_>,
    community: &Community,
    members: &[Member],
    limit: usize,
    scratch: &mut Scratch,
) -> Vec<Pick> {
    scratch.salience.resize(corpus.entities.len(), 0.0);
    let most = members.first().map_or(1.0, |member| member.salience);
    for member in members {
        scratch.salience[member.entity.at()] = member.salience / most;
    }
    let candidates = candidates(corpus, community, scratch);
    let similar = Similarity::new(corpus, &candidates, scratch);
    for member in members {
        scratch.salience[member.entity.at()] = 0.0;
    }
    let scores = scores(corpus, &candidates, &similar);
    // What names no member shows at best what surrounds them.
    let naming = candidates.iter().any(|candidate| candidate.weight > 0.0);
    let limit = if naming {
        limit
    } else {
        limit.min(UNNAMED_LIMIT)
    };
    choose(corpus, &candidates, &similar, &scores, limit)
}

fn candidates(corpus: &Corpus<'_>, community: &Community, scratch: &Scratch) -> Vec<Candidate> {
    let index = corpus.index;
    let mut all = Vec::new();
    for naming in [true, false] {
        for &unit in &community.text_units {
            for row in index.of_unit(unit) {
                let ix = SentenceIx(row);
                let (mut weight, mut named) = (0.0, 0);
                for entity in index.mentions(ix) {
                    let salience = scratch.salience[entity.at()];
                    if salience > 0.0 {
                        // Each further member adds less: a list of names is not a statement.
                        weight += salience / (1.0 + 0.5 * named as f32);
                        named += 1;
                    }
                }
                if named > 0 || !naming {
                    all.push((weight, ix));
                }
            }
        }
        // Sentences that name no member count only where none does.
        if !all.is_empty() {
            break;
        }
    }
    // The same words twice (overlapping windows, boilerplate) are one candidate.
    all.sort_by_key(|&(_, ix)| (index.sentence(ix).form, ix));
    let mut merged: Vec<Candidate> = Vec::new();
    for group in all.chunk_by(|a, b| index.sentence(a.1).form == index.sentence(b.1).form) {
        let (weight, sentence) = group[0];
        let home = index.document(index.sentence(sentence).unit);
        let mut copies: Vec<TextUnitIx> = group[1..]
            .iter()
            .map(|&(_, ix)| index.sentence(ix).unit)
            .collect();
        copies.retain(|&unit| index.document(unit) != home);
        merged.push(Candidate {
            sentence,
            weight,
            copies,
        });
    }
    let quick = |candidate: &Candidate| {
        (0.2 + candidate.weight) * index.sentence(candidate.sentence).quality
    };
    if merged.len() > MAX_CANDIDATES {
        merged.sort_by(|a, b| {
            quick(b)
                .total_cmp(&quick(a))
                .then(a.sentence.cmp(&b.sentence))
        });
        merged.truncate(MAX_CANDIDATES);
    }
    merged.sort_by_key(|candidate| candidate.sentence);
    merged
}

/// A candidate like another.
#[derive(Clone, Copy, Debug, Default)]
struct Near {
    row: u32,
    cosine: f32,
    /// Alike enough to support it, if it stands in another text unit.
    corroborates: bool,
}

/// Symmetric similarities of the candidates, sparse.
struct Similarity {
    start: Vec<u32>,
    near: Vec<Near>,
}

impl Similarity {
    fn new(corpus: &Corpus<'_>, candidates: &[Candidate], scratch: &mut Scratch) -> Self {
        let index = corpus.index;
        scratch.local_term.resize(index.term_count(), 0);
        let count = candidates.len();
        let mut frequency: Vec<u32> = Vec::new();
        for candidate in candidates {
            for &term in index.terms(candidate.sentence) {
                let local = &mut scratch.local_term[term as usize];
                if *local == 0 {
                    frequency.push(0);
                    scratch.seen_terms.push(term);
                    *local = frequency.len() as u32;
                }
                frequency[*local as usize - 1] += 1;
            }
        }
        // Rare over the corpus and not in every sentence here: the community's own name must not make all alike.
        let weights: Vec<f32> = scratch
            .seen_terms
            .iter()
            .zip(&frequency)
            .map(|(&term, &df)| {
                ((1.0 + index.idf(term)) * (1.0 + (count as f32 + 4.0) / (df as f32 + 1.0)).ln())
                    .max(0.01)
            })
            .collect();
        // Postings as linked lists, filled while sentences are compared with those before them.
        let mut head = vec![u32::MAX; frequency.len()];
        let mut links: Vec<(u32, u32)> = Vec::new();
        let common = (count as u32 * 2 / 5).max(12);
        let mut norms = vec![0f32; count];
        let mut dot = vec![(0f32, 0u8); count];
        let mut touched: Vec<u32> = Vec::new();
        let mut pairs: Vec<(u32, Near)> = Vec::new();
        for (row, candidate) in candidates.iter().enumerate() {
            let mut square = 0.0;
            for &term in index.terms(candidate.sentence) {
                let local = scratch.local_term[term as usize] as usize - 1;
                let weight = weights[local] * weights[local];
                square += weight;
                if frequency[local] < 2 || frequency[local] > common {
                    continue;
                }
                let mut link = head[local];
                while link != u32::MAX {
                    let (other, next) = links[link as usize];
                    let (sum, shared) = &mut dot[other as usize];
                    if *shared == 0 {
                        touched.push(other);
                    }
                    *sum += weight;
                    *shared = shared.saturating_add(1);
                    link = next;
                }
                links.push((row as u32, head[local]));
                head[local] = links.len() as u32 - 1;
            }
            norms[row] = square.sqrt();
            for other in touched.drain(..) {
                let (sum, shared) = std::mem::take(&mut dot[other as usize]);
                let cosine = sum / (norms[row] * norms[other as usize]);
                if cosine >= MIN_SIMILARITY {
                    let alike = || {
                        let theirs = index.mentions(candidates[other as usize].sentence);
                        let common = |entity: &EntityIx| {
                            scratch.salience[entity.at()] > 0.0 && theirs.contains(entity)
                        };
                        cosine >= CORROBORATES
                            || (cosine >= CORROBORATES_ON_MEMBER
                                && index.mentions(candidate.sentence).iter().any(common))
                    };
                    let corroborates = shared >= SHARED_TERMS && alike();
                    pairs.push((
                        row as u32,
                        Near {
                            row: other,
                            cosine,
                            corroborates,
                        },
                    ));
                }
            }
        }
        for term in scratch.seen_terms.drain(..) {
            scratch.local_term[term as usize] = 0;
        }
        Self::from_pairs(count, &pairs)
    }

    fn from_pairs(count: usize, pairs: &[(u32, Near)]) -> Self {
        let mut start = vec![0u32; count + 1];
        for (row, near) in pairs {
            start[*row as usize + 1] += 1;
            start[near.row as usize + 1] += 1;
        }
        for row in 0..count {
            start[row + 1] += start[row];
        }
        let mut next = start.clone();
        let mut all = vec![Near::default(); pairs.len() * 2];
        for &(row, near) in pairs {
            for (from, to) in [(row, near.row), (near.row, row)] {
                all[next[from as usize] as usize] = Near { row: to, ..near };
                next[from as usize] += 1;
            }
        }
        Self { start, near: all }
    }

    fn near(&self, row: usize) -> &[Near] {
        &self.near[self.start[row] as usize..self.start[row + 1] as usize]
    }
}

/// What every candidate is worth by itself.
struct Scores {
    score: Vec<f32>,
    documents: Vec<u32>,
}

fn scores(corpus: &Corpus<'_>, candidates: &[Candidate], similar: &Similarity) -> Scores {
    let index = corpus.index;
    let heaviest = candidates
        .iter()
        .map(|candidate| candidate.weight)
        .fold(f32::MIN_POSITIVE, f32::max);
    let prior: Vec<f32> = candidates
        .iter()
        .map(|candidate| {
            (0.1 + candidate.weight / heaviest) * index.sentence(candidate.sentence).quality
        })
        .collect();
    let central = lexrank(&prior, similar);
    let most_central = central.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let mut seen: Vec<DocumentIx> = Vec::new();
    let mut documents = Vec::with_capacity(candidates.len());
    let score = (0..candidates.len())
        .map(|row| {
            let sentence = index.sentence(candidates[row].sentence);
            seen.clear();
            seen.push(index.document(sentence.unit));
            seen.extend(
                candidates[row]
                    .copies
                    .iter()
                    .map(|&unit| index.document(unit)),
            );
            let mut units = 1.0 + candidates[row].copies.len() as f32;
            for near in similar.near(row).iter().filter(|near| near.corroborates) {
                let unit = index.sentence(candidates[near.row as usize].sentence).unit;
                if unit != sentence.unit {
                    seen.push(index.document(unit));
                    units += 1.0;
                }
            }
            seen.sort_unstable();
            seen.dedup();
            let distinct = seen.len() as f32;
            documents.push(seen.len() as u32);
            let recurrence = (distinct + (units - distinct).max(0.0) * 0.25).ln() / 4.0f32.ln();
            let opening = if sentence.start < 400 { 0.1 } else { 0.0 };
            let base = 0.42 * candidates[row].weight / heaviest
                + 0.3 * central[row] / most_central
                + 0.28 * recurrence.min(1.5)
                + opening;
            let stands = match (sentence.leans, index.before(candidates[row].sentence)) {
                (false, _) => 1.0,
                (true, Some(before)) if !index.sentence(before).leans => 0.8,
                (true, _) => 0.45,
            };
            base * sentence.quality * stands
        })
        .collect();
    Scores { score, documents }
}

/// Random walk over similar sentences that restarts at the prior.
fn lexrank(prior: &[f32], similar: &Similarity) -> Vec<f32> {
    let total: f32 = prior.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let restart: Vec<f32> = prior.iter().map(|weight| weight / total).collect();
    let inverse_degree: Vec<f32> = (0..prior.len())
        .map(|row| {
            1.0 / similar
                .near(row)
                .iter()
                .map(|near| near.cosine)
                .sum::<f32>()
                .max(f32::MIN_POSITIVE)
        })
        .collect();
    let mut rank = restart.clone();
    let mut spread = vec![0f32; prior.len()];
    let mut next = vec![0f32; prior.len()];
    for _ in 0..ROUNDS {
        for (row, slot) in spread.iter_mut().enumerate() {
            *slot = rank[row] * inverse_degree[row];
        }
        for (row, slot) in next.iter_mut().enumerate() {
            let walked: f32 = similar
                .near(row)
                .iter()
                .map(|near| spread[near.row as usize] * near.cosine)
                .sum();
            *slot = (1.0 - DAMPING) * restart[row] + DAMPING * walked;
        }
        std::mem::swap(&mut rank, &mut next);
    }
    rank
}

fn choose(
    corpus: &Corpus<'_>,
    candidates: &[Candidate],
    similar: &Similarity,
    scores: &Scores,
    limit: usize,
) -> Vec<Pick> {
    let index = corpus.index;
    let mut redundancy = vec![0f32; candidates.len()];
    let mut taken = vec![false; candidates.len()];
    let mut unit_uses: Vec<(TextUnitIx, u32)> = Vec::new();
    let mut covered: Vec<EntityIx> = Vec::new();
    let mut picks: Vec<Pick> = Vec::new();
    let best_score = scores
        .score
        .iter()
        .copied()
        .fold(f32::MIN_POSITIVE, f32::max);
    while picks.len() < limit {
        let mut best: Option<(f32, usize)> = None;
        for row in (0..candidates.len()).filter(|&row| !taken[row]) {
            let sentence = index.sentence(candidates[row].sentence);
            let uses = unit_uses
                .iter()
                .find(|(unit, _)| *unit == sentence.unit)
                .map_or(0, |(_, uses)| *uses);
            let fresh = index
                .mentions(candidates[row].sentence)
                .iter()
                .any(|entity| !covered.contains(entity));
            let value = MMR_LAMBDA * scores.score[row] / best_score
                - (1.0 - MMR_LAMBDA) * redundancy[row]
                + if fresh { 0.05 } else { 0.0 }
                - 0.06 * uses as f32;
            if best.is_none_or(|(known, _)| value > known) {
                best = Some((value, row));
            }
        }
        let Some((value, row)) = best else {
            break;
        };
        // After the third finding, only what still says something central.
        if picks.len() >= 3 && value < 0.22 {
            break;
        }
        taken[row] = true;
        let pick = picked(corpus, candidates, similar, scores, row, &mut taken);
        for near in similar.near(row) {
            let slot = &mut redundancy[near.row as usize];
            *slot = slot.max(near.cosine);
        }
        let unit = index.sentence(candidates[row].sentence).unit;
        match unit_uses.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, uses)) => *uses += 1,
            None => unit_uses.push((unit, 1)),
        }
        covered.extend_from_slice(index.mentions(candidates[row].sentence));
        picks.push(pick);
    }
    // What recurs over documents comes first.
    picks.sort_by(|a, b| {
        (b.documents > 1, b.score)
            .partial_cmp(&(a.documents > 1, a.score))
            .unwrap_or(std::cmp::Ordering::Equal)
            .then(a.sentence.cmp(&b.sentence))
    });
    picks
}

/// Gathers what corroborates a pick; those sentences are used up.
fn picked(
    corpus: &Corpus<'_>,
    candidates: &[Candidate],
    similar: &Similarity,
    scores: &Scores,
    row: usize,
    taken: &mut [bool],
) -> Pick {
    let index = corpus.index;
    let home = index.sentence(candidates[row].sentence).unit;
    use_up_context(corpus, candidates, row, taken);
    let mut near: Vec<Near> = similar
        .near(row)
        .iter()
        .copied()
        .filter(|near| near.corroborates)
        .collect();
    near.retain(|near| index.sentence(candidates[near.row as usize].sentence).unit != home);
    near.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.row.cmp(&b.row)));
    let mut units = candidates[row].copies.clone();
    let mut supporters: Vec<SentenceIx> = Vec::new();
    for Near {
        row: other, cosine, ..
    } in near
    {
        let other = other as usize;
        units.push(index.sentence(candidates[other].sentence).unit);
        units.extend_from_slice(&candidates[other].copies);
        if !taken[other] && cosine < REPEATS {
            supporters.push(candidates[other].sentence);
            use_up_context(corpus, candidates, other, taken);
        }
        taken[other] = true;
    }
    units.retain(|&unit| unit != home);
    units.sort_unstable();
    units.dedup();
    units.insert(0, home);
    Pick {
        sentence: candidates[row].sentence,
        supporters,
        units,
        documents: scores.documents[row],
        score: scores.score[row],
    }
}

/// A sentence that leans is quoted with the one before it, and the one before it must not be quoted again.
fn use_up_context(corpus: &Corpus<'_>, candidates: &[Candidate], row: usize, taken: &mut [bool]) {
    let ix = candidates[row].sentence;
    let position = |ix: SentenceIx| {
        candidates
            .binary_search_by_key(&ix, |candidate| candidate.sentence)
            .ok()
    };
    if corpus.index.sentence(ix).leans
        && let Some(at) = corpus.index.before(ix).and_then(position)
    {
        taken[at] = true;
    }
    // Nor may what leans on it.
    let after = SentenceIx(ix.0 + 1);
    if let Some(at) = position(after)
        .filter(|_| corpus.index.sentence(after).leans && corpus.index.before(after) == Some(ix))
    {
        taken[at] = true;
    }
}
