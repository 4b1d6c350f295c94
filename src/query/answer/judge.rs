//! Raw answers -> verdicts, and the schema of a map answer.

use std::sync::{Arc, LazyLock};

use serde_json::json;

use crate::llm::recover::{self, Context, DriftAnswer, FinishReason, RecoverOutcome, Recovered};
use crate::llm::{JsonSchema, RawAnswer, Verdict, in_words};
use crate::query::models::{Noted, Reply};

static POINTS: LazyLock<Arc<serde_json::Value>> = LazyLock::new(|| {
    Arc::new(json!({
        "type": "object",
        "properties": {
            "points": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": { "description": { "type": "string" }, "score": { "type": "integer" } },
                    "required": ["description", "score"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["points"],
        "additionalProperties": false
    }))
});

/// The form of a map answer.
pub(super) fn points_schema() -> JsonSchema {
    JsonSchema {
        name: "points".to_owned(),
        schema: POINTS.clone(),
    }
}

/// Points, in whatever form they came.
pub(super) fn points(answer: &RawAnswer) -> Verdict<Reply> {
    let recovered = recover::map_points(
        &answer.text,
        FinishReason::parse(&answer.finish_reason),
        &Context::default(),
    );
    let (outcome, why) = (recovered.outcome, recovered.outcome.detail());
    let points = recovered
        .value
        .into_iter()
        .map(|point| Noted {
            text: point.description,
            score: point.score,
        })
        .collect();
    let reply = Reply {
        text: answer.text.clone(),
        points,
        ..Reply::default()
    };
    verdict(outcome, why, reply)
}

fn verdict(outcome: RecoverOutcome, why: String, reply: Reply) -> Verdict<Reply> {
    // The recovery's codes are words.
    let why = why.replace('_', " ");
    match (outcome.is_usable(), outcome.needs_larger_budget()) {
        (true, false) => Verdict::Accept(reply, outcome.to_outcome()),
        (true, true) => Verdict::LargerBudget {
            why,
            partial: Some(reply),
        },
        (false, true) => Verdict::LargerBudget { why, partial: None },
        (false, false) if matches!(outcome, RecoverOutcome::Failed(_)) => Verdict::Fail { why },
        (false, false) => Verdict::AskAgain { why, partial: None },
    }
}

fn steps_schema(name: &str, answer: &str) -> JsonSchema {
    let schema = json!({
        "type": "object",
        "properties": {
            answer: { "type": "string" },
            "score": { "type": "integer" },
            "follow_up_queries": { "type": "array", "items": { "type": "string" } }
        },
        "required": [answer, "score", "follow_up_queries"],
        "additionalProperties": false
    });
    JsonSchema {
        name: name.to_owned(),
        schema: Arc::new(schema),
    }
}

/// The form of an answer of DRIFT's first round.
pub(super) fn primer_schema() -> JsonSchema {
    steps_schema("primer", "intermediate_answer")
}

/// The form of the answer of a DRIFT step.
pub(super) fn step_schema() -> JsonSchema {
    steps_schema("step", "response")
}

fn drift(recovered: Recovered<DriftAnswer>) -> Verdict<Reply> {
    let (outcome, why) = (recovered.outcome, recovered.outcome.detail());
    let reply = Reply {
        text: recovered.value.answer,
        score: recovered.value.score,
        follow_ups: recovered.value.follow_ups,
        ..Reply::default()
    };
    verdict(outcome, why, reply)
}

/// An answer of DRIFT's first round.
pub(super) fn primer(answer: &RawAnswer) -> Verdict<Reply> {
    let finish = FinishReason::parse(&answer.finish_reason);
    drift(recover::drift_primer(
        &answer.text,
        finish,
        &Context::default(),
    ))
}

/// The answer of a DRIFT step.
pub(super) fn step(answer: &RawAnswer) -> Verdict<Reply> {
    let finish = FinishReason::parse(&answer.finish_reason);
    drift(recover::drift_action(
        &answer.text,
        finish,
        &Context::default(),
    ))
}

/// A rating, 0 to 5, as the reply's score.
pub(super) fn rating(answer: &RawAnswer) -> Verdict<Reply> {
    let finish = FinishReason::parse(&answer.finish_reason);
    let recovered = recover::rating(&answer.text, finish, &Context::default());
    let (outcome, why) = (recovered.outcome, recovered.outcome.detail());
    let reply = Reply {
        text: recovered.value.reason,
        score: recovered.value.rating,
        ..Reply::default()
    };
    verdict(outcome, why, reply)
}

/// A text that is there and whole.
pub(super) fn text(answer: &RawAnswer) -> Verdict<Reply> {
    in_words(answer).map(|text| Reply {
        text,
        ..Reply::default()
    })
}
