//! How important a community is within its corpus, from 0 to 10.

use super::extractive::Corpus;
use crate::model::{Community, DocumentIx};

/// A community's rank and what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// 0 to 10, one decimal.
    pub rank: f64,
    /// One sentence.
    pub explanation: String,
}

/// Shares of size, text units, documents and centrality in the score.
const WEIGHTS: [f64; 4] = [0.2, 0.3, 0.35, 0.15];

/// How much of the rank is the community's place among all rather than its score.
const PLACE_SHARE: f64 = 0.45;

/// Rates all communities against each other, in their order.
///
/// The score weighs logarithms of size, text units, documents and the degree of the members; the rank mixes it with the
/// community's place among all, so that ranks spread over the scale whatever the corpus.
pub fn rate_all(corpus: &Corpus<'_>) -> Vec<Rating> {
    let features: Vec<[f64; 4]> = corpus
        .communities
        .iter()
        .map(|community| features(corpus, community))
        .collect();
    let mut most = [f64::MIN_POSITIVE; 4];
    for feature in &features {
        for (most, value) in most.iter_mut().zip(feature) {
            *most = most.max(*value);
        }
    }
    let score = |feature: &[f64; 4]| -> f64 {
        (0..4)
            .map(|row| WEIGHTS[row] * (1.0 + feature[row]).ln() / (1.0 + most[row]).ln())
            .sum()
    };
    let scores: Vec<f64> = features.iter().map(score).collect();
    let mut sorted = scores.clone();
    sorted.sort_by(f64::total_cmp);
    let total_documents = distinct_documents(corpus);
    scores
        .iter()
        .zip(&features)
        .zip(corpus.communities)
        .map(|((score, feature), community)| {
            let below = sorted.partition_point(|other| other < score);
            let place = if sorted.len() > 1 {
                below as f64 / (sorted.len() - 1) as f64
            } else {
                *score
            };
            let rank = 10.0 * ((1.0 - PLACE_SHARE) * score + PLACE_SHARE * place.min(1.0));
            Rating {
                rank: (rank * 10.0).round().clamp(0.0, 100.0) / 10.0,
                explanation: explanation(corpus, community, feature[2] as usize, total_documents),
            }
        })
        .collect()
}

fn features(corpus: &Corpus<'_>, community: &Community) -> [f64; 4] {
    let degree: f64 = community
        .entities
        .iter()
        .map(|ix| f64::from(corpus.entities[ix.at()].degree))
        .sum();
    [
        community.entities.len() as f64,
        community.text_units.len() as f64,
        documents(corpus, community).len() as f64,
        degree,
    ]
}

/// The distinct documents of a community's text units, sorted.
pub(super) fn documents(corpus: &Corpus<'_>, community: &Community) -> Vec<DocumentIx> {
    let mut documents: Vec<DocumentIx> = community
        .text_units
        .iter()
        .map(|&unit| corpus.index.document(unit))
        .collect();
    documents.sort_unstable();
    documents.dedup();
    documents
}

fn distinct_documents(corpus: &Corpus<'_>) -> usize {
    let mut documents: Vec<DocumentIx> = (0..corpus.index.units())
        .map(|row| corpus.index.document(crate::model::TextUnitIx(row as u32)))
        .collect();
    documents.sort_unstable();
    documents.dedup();
    documents.len()
}

fn explanation(
    corpus: &Corpus<'_>,
    community: &Community,
    documents: usize,
    total_documents: usize,
) -> String {
    let relationships = match community.relationships.len() {
        0 => String::new(),
        count => format!(" and {}", counted(count, "relationship")),
    };
    format!(
        "Rests on {}{relationships}, found in {} of {} from {documents} of {}.",
        counted(community.entities.len(), "entity"),
        community.text_units.len(),
        counted(corpus.index.units(), "text unit"),
        counted(total_documents, "document"),
    )
}

/// `1 document`, `3 documents`, `2 entities`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) if !noun.ends_with("ay") => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}
