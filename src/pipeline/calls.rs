//! What stages share when they call: judges (recovered answers -> verdicts of the door), and letting calls land.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::{Stream, StreamExt};

use super::error::PipelineError;
use crate::llm::recover::{FinishReason, Recovered};
use crate::llm::{RawAnswer, Usage, Verdict};

/// What was recovered, with the raw text a follow-up question needs.
#[derive(Clone, Debug)]
pub(super) struct Read<T> {
    pub value: T,
    pub text: String,
    /// As the server counted; zero where it did not.
    pub usage: Usage,
}

/// How the answer's end is told to the recovery.
pub(super) fn finish_of(answer: &RawAnswer) -> FinishReason {
    FinishReason::parse(&answer.finish_reason)
}

/// Turns a recovery into the door's verdict.
///
/// Half an answer is asked for again with more room and used if nothing better comes; a refusal is final.
pub(super) fn verdict<T>(answer: &RawAnswer, recovered: Recovered<T>) -> Verdict<Read<T>> {
    let outcome = recovered.outcome;
    let read = |value| Read {
        value,
        text: answer.text.clone(),
        usage: answer.usage.unwrap_or_default(),
    };
    let why = outcome.detail();
    if !outcome.is_usable() {
        return match outcome {
            crate::llm::recover::RecoverOutcome::Failed(_) => Verdict::Fail { why },
            _ if outcome.needs_larger_budget() => Verdict::LargerBudget { why, partial: None },
            _ => Verdict::AskAgain { why, partial: None },
        };
    }
    if outcome.needs_larger_budget() {
        let partial = Some(read(recovered.value));
        return Verdict::LargerBudget { why, partial };
    }
    Verdict::Accept(read(recovered.value), outcome.to_outcome())
}

/// Set by the first error that stops the run: from then on no stage starts an item.
#[derive(Debug, Default)]
pub(super) struct Halt(AtomicBool);

impl Halt {
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Hands every result to `land`; after an error those still under way land too, for their answers are paid for.
///
/// The stream must start nothing once `halt` is set, as one over [`until`] does.
///
/// # Errors
/// The first error of the stream or of `land`.
pub(super) async fn land_all<T>(
    answers: impl Stream<Item = Result<T, PipelineError>>,
    halt: &Halt,
    mut land: impl FnMut(T) -> Result<(), PipelineError>,
) -> Result<(), PipelineError> {
    let mut answers = std::pin::pin!(answers);
    let mut stopped = None;
    while let Some(result) = answers.next().await {
        if let Err(error) = result.and_then(&mut land) {
            halt.set();
            stopped.get_or_insert(error);
        }
    }
    stopped.map_or(Ok(()), Err)
}

/// The items up to the moment the run is stopped.
pub(super) fn until<I>(items: impl IntoIterator<Item = I>, halt: &Halt) -> impl Iterator<Item = I> {
    items.into_iter().take_while(|_| !halt.is_set())
}
