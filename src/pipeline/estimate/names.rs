//! How many pairs of names adjudication will ask about: counted on what the built-in extraction finds.

use super::super::adjudicate::adjudication_prompt;
use super::super::error::PipelineError;
use super::super::fast::{harvest_of, nlp_settings};
use super::super::project::Project;
use super::{Counts, Range};
use crate::chunk;
use crate::input::{SourceFile, read};
use crate::model::DocumentIx;
use crate::resolve::audit::undecided;
use crate::resolve::{Options, resolve};

/// Text units looked at; of a larger corpus, files spread over it.
const UNITS: u64 = 4000;
/// Prompts whose tokens are counted.
const PROMPTS: usize = 200;
/// A model names other things than the built-in extraction, and another number of them; half to twice as many pairs are allowed for.
const OF_A_MODEL: Range = Range {
    low: 0.5,
    high: 2.0,
};

/// The pairs left undecided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Undecided {
    /// Pairs in the text units looked at.
    pub pairs: u64,
    /// Text units looked at.
    pub units: u64,
    /// Calls that this makes for the whole corpus.
    pub calls: Range,
    /// Tokens of a prompt, on average; 0 where there is no pair.
    pub prompt: f64,
}

/// Extracts without a model and counts.
///
/// # Errors
/// Settings and input errors.
pub(super) fn count(
    project: &Project,
    files: &[(SourceFile, Counts)],
    counts: Counts,
) -> Result<Undecided, PipelineError> {
    let input = project.input_settings()?;
    let (chunking, tokenizer) = project.chunk_settings()?;
    let step = counts.units.div_ceil(UNITS).max(1) as usize;
    let (mut texts, mut document_of, mut documents) = (Vec::new(), Vec::new(), 0u32);
    for (file, _) in files.iter().step_by(step) {
        let mut units = Vec::new();
        read(file, &input, &mut |document| {
            units.clear();
            chunk::split(&document, DocumentIx(0), &chunking, tokenizer, &mut units);
            document_of.extend(units.iter().map(|_| documents));
            texts.extend(units.drain(..).map(|unit| unit.text));
            documents += 1;
            match (texts.len() as u64) < UNITS {
                true => std::ops::ControlFlow::Continue(()),
                false => std::ops::ControlFlow::Break(()),
            }
        })?;
    }
    let settings = nlp_settings(&project.settings);
    let harvest = harvest_of(texts.iter().map(String::as_str), &settings);
    let options = Options {
        document_of: &document_of,
        ..Options::default()
    };
    let questions = undecided(&harvest, &resolve(&harvest, &options));
    let template = &project.prompts.adjudicate_names;
    let mut tokens = 0;
    let asked = questions.iter().take(PROMPTS);
    let prompts = asked.len();
    for question in asked {
        let text = |unit: u32| -> Result<String, PipelineError> {
            Ok(texts.get(unit as usize).cloned().unwrap_or_default())
        };
        tokens += tokenizer.count(&adjudication_prompt(template, &harvest, question, &text)?);
    }
    let (pairs, units) = (questions.len() as u64, texts.len() as u64);
    let all = pairs as f64 * counts.units as f64 / units.max(1) as f64;
    Ok(Undecided {
        pairs,
        units,
        calls: Range::exactly(all).times(OF_A_MODEL.low, OF_A_MODEL.high),
        prompt: tokens as f64 / prompts.max(1) as f64,
    })
}
