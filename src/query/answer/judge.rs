//! Raw answers -> verdicts, and the schema of a map answer.

use std::sync::{Arc, LazyLock};

use serde_json::json;

use crate::llm::recover::{self, Context, FinishReason};
use crate::llm::{JsonSchema, RawAnswer, Verdict};
use crate::model::Outcome;
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
    };
    match (outcome.is_usable(), outcome.needs_larger_budget()) {
        (true, false) => Verdict::Accept(reply, outcome.to_outcome()),
        (true, true) => Verdict::LargerBudget {
            why,
            partial: Some(reply),
        },
        (false, true) => Verdict::LargerBudget { why, partial: None },
        (false, false) if matches!(outcome, recover::RecoverOutcome::Failed(_)) => {
            Verdict::Fail { why }
        }
        (false, false) => Verdict::AskAgain { why, partial: None },
    }
}

/// A text that is there and whole.
pub(super) fn text(answer: &RawAnswer) -> Verdict<Reply> {
    let reply = Reply {
        text: answer.text.trim().to_owned(),
        points: Vec::new(),
    };
    match (reply.text.is_empty(), answer.finish_reason.as_str()) {
        (true, "length") => Verdict::LargerBudget {
            why: "the length limit was reached before any text".into(),
            partial: None,
        },
        (true, _) => Verdict::AskAgain {
            why: "the answer is empty".into(),
            partial: None,
        },
        (false, "length") => Verdict::LargerBudget {
            why: "the answer was cut at its length limit".into(),
            partial: Some(reply),
        },
        (false, _) => Verdict::Accept(reply, Outcome::Ok),
    }
}
