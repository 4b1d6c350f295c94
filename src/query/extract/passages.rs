//! The sentences that answer a question about a thing, from text units that were found for it.

use super::quote::quote;
use super::sentences::{Sentence, Sentences};
use crate::query::lexical::{self, Weighted};

/// A sentence chosen for an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Row of the text unit.
    pub unit: u32,
    /// As shown.
    pub text: String,
    /// Share of the question's weight that its terms hold, 0 to 1.
    pub overlap: f32,
    /// It spells a word of a name.
    pub named: bool,
}

/// How many text units are read for sentences, the best ranked.
pub const UNITS_READ: usize = 40;

/// Terms shared from which a sentence only repeats another.
const REPEATS: f32 = 0.6;

/// Chooses up to `limit` sentences from the ranked text units, the best first: those with the question's rarest words, in
/// well-ranked units, worth quoting, and not repeating each other (maximal marginal relevance, Carbonell and Goldstein 1998).
///
/// `names` are terms of what the question is about; they count where the question itself does not spell them.
pub fn passages<'a>(
    ranked: &[u32],
    text: impl Fn(u32) -> &'a str + Sync,
    goes_on: impl Fn(u32) -> bool + Sync,
    question: &Weighted,
    names: &[u64],
    limit: usize,
) -> Vec<Passage> {
    let units = &ranked[..ranked.len().min(UNITS_READ)];
    let sentences = Sentences::of(units, &text, goes_on);
    let total = question.total().max(f32::MIN_POSITIVE);
    struct Candidate {
        row: Sentence,
        terms: Vec<u64>,
        overlap: f32,
        named: bool,
        score: f32,
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut place = 0;
    let mut before: Vec<u64> = Vec::new();
    for row in &sentences.rows {
        if units.get(place) != Some(&row.unit) {
            place = units
                .iter()
                .position(|unit| *unit == row.unit)
                .unwrap_or(place);
            before.clear();
        }
        let terms = lexical::term_set(&text(row.unit)[row.range()]);
        let overlap = question.overlap(&terms) / total;
        // What the sentence before names is still the subject: half of it counts.
        let carried = (question.overlap(&before) / total - overlap).max(0.0) * 0.4;
        let named = names.iter().any(|name| terms.binary_search(name).is_ok());
        let rank = 1.0 / (1.0 + place as f32 * 0.12);
        if row.quality > 0.0 && (overlap > 0.0 || named) {
            let score = (overlap + carried.min(overlap) + if named { 0.12 } else { 0.0 })
                * (0.55 + 0.45 * row.quality)
                * (0.6 + 0.4 * rank);
            candidates.push(Candidate {
                row: *row,
                terms: terms.clone(),
                overlap,
                named,
                score,
            });
        }
        before = terms;
    }
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < limit {
        let mut best: Option<(f32, usize)> = None;
        for (at, candidate) in candidates.iter().enumerate() {
            if chosen.contains(&at) {
                continue;
            }
            let alike = chosen
                .iter()
                .map(|&other| similarity(&candidate.terms, &candidates[other].terms))
                .fold(0.0, f32::max);
            let value = candidate.score - 0.3 * alike * candidate.score;
            if alike < REPEATS && best.is_none_or(|(known, _)| value > known) {
                best = Some((value, at));
            }
        }
        let Some((value, at)) = best else { break };
        // What follows must still be about the question.
        if chosen
            .first()
            .is_some_and(|&first| value < candidates[first].score * 0.35)
        {
            break;
        }
        chosen.push(at);
    }
    let passage = |at: usize| {
        let Candidate {
            row,
            overlap,
            named,
            ..
        } = &candidates[at];
        Passage {
            unit: row.unit,
            text: quote(&text(row.unit)[row.range()]),
            overlap: *overlap,
            named: *named,
        }
    };
    chosen
        .into_iter()
        .map(passage)
        .filter(|passage| !passage.text.is_empty())
        .collect()
}

/// Share of the shorter list that the two have in common.
pub(super) fn similarity(a: &[u64], b: &[u64]) -> f32 {
    lexical::shared(a, b) as f32 / a.len().min(b.len()).max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_with_the_questions_rare_words_comes_first_and_repeats_are_left_out() {
        let texts = [
            "The pump at Harrow was painted green in the spring of that year. The pump at Harrow failed because its seal was worn.",
            "The pump at Harrow failed because the seal was worn. The board met in the town hall on Tuesday morning.",
        ];
        let question = "Why did the Harrow pump fail: was the seal worn?";
        let (_, weights) = lexical::bm25(2, |row| texts[row], question);
        let found = passages(
            &[0, 1],
            |unit| texts[unit as usize],
            |_| false,
            &weights,
            &[],
            4,
        );
        assert_eq!(
            found[0].text,
            "The pump at Harrow failed because its seal was worn."
        );
        assert_eq!(found[0].unit, 0);
        assert!(
            found
                .iter()
                .all(|passage| !passage.text.contains("board met"))
        );
        let repeats = found
            .iter()
            .filter(|passage| passage.text.contains("failed because"))
            .count();
        assert_eq!(repeats, 1);
    }

    #[test]
    fn nothing_is_quoted_where_nothing_bears_on_the_question() {
        let texts = ["The board met in the town hall on Tuesday morning."];
        let (_, weights) = lexical::bm25(1, |row| texts[row], "zebra");
        assert_eq!(
            passages(
                &[0],
                |unit| texts[unit as usize],
                |_| false,
                &weights,
                &[],
                4
            ),
            []
        );
    }
}
