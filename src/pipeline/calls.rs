//! Judges: recovered answers -> verdicts of the door.

use crate::llm::recover::{FinishReason, Recovered};
use crate::llm::{RawAnswer, Verdict};

/// What was recovered, with the raw text a follow-up question needs.
#[derive(Clone, Debug)]
pub(super) struct Read<T> {
    pub value: T,
    pub text: String,
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
