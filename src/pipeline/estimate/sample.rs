//! `estimate --sample`: some text units asked about in earnest, and what their answers say of all others.
//!
//! The questions are those of `index`, through the same door and cache: an index run finds the answers there.

use futures::{StreamExt, stream};
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::super::calls::{Halt, land_all, until};
use super::super::error::PipelineError;
use super::super::models::BudgetOptions;
use super::super::progress::Progress;
use super::super::project::Project;
use super::super::session::Session;
use super::super::standard::{Asked, Extractor, UnitYield, spent_so_far};
use super::stages::Yields;
use super::{Counts, Range};
use crate::chunk;
use crate::input::{SourceFile, read};
use crate::llm::CallError;
use crate::model::{DocumentIx, Outcome};

/// What a sample measured, and what it cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sample {
    /// Text units that were answered.
    pub text_units: u64,
    /// Text units whose call failed.
    pub failed: u64,
    /// Calls made for it now.
    pub calls: u64,
    /// Answers that were in the cache.
    pub cached_calls: u64,
    /// Tokens of these calls' prompts.
    pub prompt_tokens: u64,
    /// Tokens of these calls' answers.
    pub completion_tokens: u64,
    /// Money for these calls; null when the price is unknown.
    pub cost: Option<f64>,
    /// Tokens of a text unit, on average.
    pub tokens_a_unit: f64,
    /// Entities in a text unit, on average.
    pub entities_a_unit: f64,
    /// Relationships in a text unit, on average.
    pub relationships_a_unit: f64,
    /// Tokens of the first answer, on average.
    pub answer_tokens_a_unit: f64,
    /// Follow-up questions to a text unit, on average.
    pub gleanings_a_unit: f64,
    /// Seconds of a first call, on average; null when all answers came from the cache.
    pub seconds_a_call: Option<f64>,
}

/// A sample and what follows from it.
pub(super) struct Measured {
    pub sample: Sample,
    pub yields: Yields,
    /// Why it is smaller than asked for.
    pub note: Option<String>,
}

/// A text unit chosen for the sample.
struct Chosen {
    name: String,
    tokens: u32,
    text: String,
}

/// Asks about `size` text units spread evenly over the corpus.
///
/// # Errors
/// What stops it before the first answer.
pub(super) fn run(
    project: &Project,
    files: &[(SourceFile, Counts)],
    counts: Counts,
    size: u32,
    budget: BudgetOptions,
    progress: &Progress,
) -> Result<Measured, PipelineError> {
    let chosen = choose(project, files, counts.units, u64::from(size.max(1)))?;
    let session = Session::for_sample(project, budget, progress)?;
    let settings = &project.settings;
    let no_model = || {
        PipelineError::Settings(
            "--sample needs a completion model; add one to settings.yaml".to_owned(),
        )
    };
    let door = session
        .models
        .chat(&settings.extract_graph.completion_model_id)?
        .ok_or_else(no_model)?;
    let claims = match settings.extract_claims.enabled {
        true => session
            .models
            .chat(&settings.extract_claims.completion_model_id)?,
        false => None,
    };
    let extractor = Extractor::new(project, door.clone(), claims);
    let halt = Halt::default();
    let stage = progress.stage("sample", chosen.len() as u64);
    let mut landed: Vec<Option<UnitYield>> = chosen.iter().map(|_| None).collect();
    // no more than there are places, so that no call's seconds are spent in a queue
    let width = settings.concurrent_requests.max(1) as usize;
    let asked = session.run(async {
        let answers = stream::iter(until(chosen.iter().enumerate(), &halt))
            .map(|(at, unit)| {
                let asked = Asked {
                    name: &unit.name,
                    tokens: unit.tokens,
                    text: &unit.text,
                };
                let extractor = &extractor;
                async move { Ok((at, extractor.unit(asked).await?)) }
            })
            .buffer_unordered(width);
        land_all(answers, &halt, |(at, found)| {
            landed[at] = Some(found);
            stage.inc(1);
            stage.remark(spent_so_far(&door));
            Ok(())
        })
        .await
    });
    let answered: Vec<(u32, UnitYield)> = chosen
        .iter()
        .zip(landed)
        .filter_map(|(unit, found)| Some((unit.tokens, found?)))
        .collect();
    let failed = answered
        .iter()
        .filter(|(_, found)| matches!(found.outcome, Outcome::Failed(_)))
        .count();
    let answered: Vec<(u32, UnitYield)> = answered
        .into_iter()
        .filter(|(_, found)| !matches!(found.outcome, Outcome::Failed(_)))
        .collect();
    let note = match asked {
        Ok(()) => None,
        Err(PipelineError::Model(error @ CallError::BudgetReached { .. }))
            if !answered.is_empty() =>
        {
            Some(format!("the sample is smaller than asked for: {error}"))
        }
        Err(error) => return Err(error),
    };
    if answered.is_empty() {
        return Err(PipelineError::Settings(format!(
            "none of the {} text units of the sample was answered; see `belvedere status` for why",
            chosen.len()
        )));
    }
    let usage = session.usage();
    let (mut sample, yields) = measure(&answered, counts);
    sample.failed = failed as u64;
    sample.calls = usage.calls;
    sample.cached_calls = usage.cached_calls;
    sample.prompt_tokens = usage.prompt_tokens;
    sample.completion_tokens = usage.completion_tokens;
    sample.cost = usage.cost;
    Ok(Measured {
        sample,
        yields,
        note,
    })
}

/// Text units in the middle of `size` equal parts of the corpus, with the names `index` gives them.
fn choose(
    project: &Project,
    files: &[(SourceFile, Counts)],
    units: u64,
    size: u64,
) -> Result<Vec<Chosen>, PipelineError> {
    let size = size.min(units);
    let mut wanted = (0..size)
        .map(|part| (2 * part + 1) * units / (2 * size))
        .peekable();
    let input = project.input_settings()?;
    let (chunking, tokenizer) = project.chunk_settings()?;
    let mut chosen = Vec::new();
    let mut first = 0;
    for (file, counts) in files {
        let end = first + counts.units;
        if wanted.peek().is_none_or(|&unit| unit >= end) {
            first = end;
            continue;
        }
        let mut cut = Vec::new();
        read(file, &input, &mut |document| {
            cut.clear();
            chunk::split(&document, DocumentIx(0), &chunking, tokenizer, &mut cut);
            for unit in &cut {
                if wanted.next_if_eq(&first).is_some() {
                    chosen.push(Chosen {
                        name: format!("text unit {first} of {}", document.path),
                        tokens: unit.n_tokens,
                        text: unit.text.clone(),
                    });
                }
                first += 1;
            }
            std::ops::ControlFlow::Continue(())
        })?;
        first = end;
    }
    Ok(chosen)
}

/// The sum over all text units of what a sample of them took, within two standard errors.
///
/// By the mean of a unit or by the mean of a token, whichever is surer: answers grow with their text for one model and hardly for
/// another. Both, and the correction for a finite corpus, after Cochran, Sampling Techniques (1977), chapters 2 and 6.
fn total(values: &[f64], tokens: &[f64], counts: Counts) -> Range {
    let (n, all) = (values.len() as f64, counts.units as f64);
    let sum: f64 = values.iter().sum();
    if n >= all {
        return Range::exactly(sum);
    }
    let by = |expected: &dyn Fn(f64) -> f64| {
        let squares = values
            .iter()
            .zip(tokens)
            .map(|(value, tokens)| (value - expected(*tokens)).powi(2));
        (squares.sum::<f64>() / (n - 1.0).max(1.0) / n * (1.0 - n / all)).sqrt() * all
    };
    let mean = sum / n.max(1.0);
    let ratio = sum / tokens.iter().sum::<f64>().max(1.0);
    let (by_unit, unit_error) = (mean * all, by(&|_| mean));
    let (by_token, token_error) = (ratio * counts.tokens as f64, by(&|tokens| ratio * tokens));
    let (middle, error) = match token_error < unit_error {
        true => (by_token, token_error),
        false => (by_unit, unit_error),
    };
    // a handful of units says little of the spread
    let error = 2.0 * error.max(middle * 0.1 / n.max(1.0).sqrt());
    Range::new((middle - error).max(0.0), middle + error)
}

/// Distinct things in `all` units, when `units` have `distinct` and one has `one` on average.
///
/// Heaps' law: the number of distinct words in n texts grows as a power of n (Heaps 1978, Information Retrieval).
fn grown(one: f64, distinct: f64, units: f64, all: f64) -> Range {
    if units >= all || one <= 0.0 {
        return Range::exactly(distinct);
    }
    let exponent = match units > 1.0 {
        true => ((distinct / one).ln() / units.ln()).clamp(0.4, 1.0),
        false => 0.9,
    };
    // neighbouring units share more than units far apart, so the low end is the farther one
    let at = |exponent: f64| distinct * (all / units).powf(exponent);
    Range::new(
        at((exponent - 0.08).max(0.0)),
        at((exponent + 0.03).min(1.0)),
    )
}

fn measure(answered: &[(u32, UnitYield)], counts: Counts) -> (Sample, Yields) {
    let units = answered.len() as f64;
    let all = counts.units as f64;
    let mut entities: FxHashSet<&str> = FxHashSet::default();
    let mut pairs: FxHashSet<(&str, &str)> = FxHashSet::default();
    let (mut mentions, mut edges) = (0usize, 0usize);
    for (_, found) in answered {
        let own: FxHashSet<&str> = found
            .extraction
            .entities
            .iter()
            .map(|entity| entity.title.as_str())
            .collect();
        mentions += own.len();
        entities.extend(own);
        let own: FxHashSet<(&str, &str)> = found
            .extraction
            .relationships
            .iter()
            .map(|edge| {
                let (a, b) = (edge.source.as_str(), edge.target.as_str());
                (a.min(b), a.max(b))
            })
            .collect();
        edges += own.len();
        pairs.extend(own);
    }
    let list = |pick: &dyn Fn(&UnitYield) -> f64| -> Vec<f64> {
        answered.iter().map(|(_, found)| pick(found)).collect()
    };
    let tokens: Vec<f64> = answered
        .iter()
        .map(|(tokens, _)| f64::from(*tokens))
        .collect();
    let answers = list(&|u| u.taken.first.completion_tokens as f64);
    let gleanings = list(&|u| f64::from(u.taken.gleanings));
    let gleaned = list(&|u| u.taken.gleaned.completion_tokens as f64);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / units;
    let timed: Vec<(f64, f64)> = answered
        .iter()
        .filter_map(|(_, found)| {
            let tokens = found.taken.first.completion_tokens as f64;
            Some((found.taken.seconds?, tokens))
        })
        .collect();
    let seconds: f64 = timed.iter().map(|(seconds, _)| seconds).sum();
    let timed_tokens: f64 = timed.iter().map(|(_, tokens)| tokens).sum();
    let sample = Sample {
        text_units: answered.len() as u64,
        tokens_a_unit: mean(&tokens),
        entities_a_unit: mentions as f64 / units,
        relationships_a_unit: edges as f64 / units,
        answer_tokens_a_unit: mean(&answers),
        gleanings_a_unit: mean(&gleanings),
        seconds_a_call: (!timed.is_empty()).then(|| seconds / timed.len() as f64),
        ..Sample::default()
    };
    let yields = Yields {
        entities: grown(mentions as f64 / units, entities.len() as f64, units, all),
        relationships: grown(edges as f64 / units, pairs.len() as f64, units, all),
        answers: total(&answers, &tokens, counts),
        gleanings: total(&gleanings, &tokens, counts),
        gleaned: Some(total(&gleaned, &tokens, counts)),
        pace: (timed_tokens > 0.0).then(|| seconds / timed_tokens),
        undecided: None,
        communities: None,
    };
    (sample, yields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ExtractedEntity;

    #[test]
    fn distinct_things_grow_slower_than_texts_and_the_whole_is_exact() {
        assert_eq!(grown(10.0, 37.0, 8.0, 8.0), Range::exactly(37.0));
        // nothing shared: proportional at most
        let range = grown(10.0, 80.0, 8.0, 80.0);
        assert!(range.high <= 800.0 + 1e-9 && range.low > 600.0, "{range:?}");
        // everything shared: hardly more
        let range = grown(10.0, 10.0, 8.0, 80.0);
        assert!(range.low >= 10.0 && range.high < 30.0, "{range:?}");
        assert_eq!(grown(0.0, 0.0, 8.0, 80.0), Range::exactly(0.0));
    }

    #[test]
    fn the_bounds_of_a_total_shrink_with_the_sample_and_meet_when_it_is_all() {
        let counts = Counts {
            documents: 1,
            units: 1000,
            tokens: 100_000,
        };
        let few = [90.0, 110.0, 100.0, 100.0];
        let many: Vec<f64> = few.iter().cycle().take(64).copied().collect();
        let by_few = total(&few, &[100.0; 4], counts);
        let by_many = total(&many, &[100.0; 64], counts);
        assert!((by_few.low + by_few.high - 200_000.0).abs() < 1e-6);
        assert!(by_many.high - by_many.low < (by_few.high - by_few.low) / 2.0);
        let all = Counts { units: 4, ..counts };
        assert_eq!(total(&few, &[100.0; 4], all), Range::exactly(400.0));
        // answers as long as their texts: the exact count of tokens tells
        let proportional = total(&[50.0, 500.0, 950.0], &[50.0, 500.0, 950.0], counts);
        assert!((proportional.low + proportional.high - 200_000.0).abs() < 1e-6);
        assert!(
            proportional.high - proportional.low < 25_000.0,
            "{proportional:?}"
        );
    }

    #[test]
    fn names_found_twice_are_one_entity_and_answers_are_averaged() {
        let unit = |names: &[&str], tokens: u64| {
            let mut found = UnitYield {
                extraction: Default::default(),
                spans: Vec::new(),
                claims: Vec::new(),
                outcome: Outcome::Ok,
                taken: Default::default(),
            };
            found.taken.first.completion_tokens = tokens;
            found.extraction.entities = names
                .iter()
                .map(|name| ExtractedEntity {
                    title: (*name).to_owned(),
                    ..ExtractedEntity::default()
                })
                .collect();
            (100, found)
        };
        let answered = [unit(&["ANA", "BO"], 50), unit(&["ANA", "CY"], 150)];
        let counts = Counts {
            documents: 1,
            units: 2,
            tokens: 200,
        };
        let (sample, yields) = measure(&answered, counts);
        assert_eq!(
            (sample.entities_a_unit, sample.answer_tokens_a_unit),
            (2.0, 100.0)
        );
        assert_eq!(yields.entities, Range::exactly(3.0));
        assert_eq!(yields.answers, Range::exactly(200.0));
        assert_eq!((sample.seconds_a_call, yields.pace), (None, None));
    }
}
