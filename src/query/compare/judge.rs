//! A model as judge of two answers, asked in both orders: a verdict counts where the order does not change it.

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::Value;

use super::{Column, claims};
use crate::config::{JUDGE_PAIR, Template};
use crate::llm::recover;
use crate::llm::{CallError, ChatRequest, Message, RawAnswer, Stage, Verdict};
use crate::model::Outcome;
use crate::query::models::{Chat, Reply};

/// What answers are compared on, after the original's evaluation (Edge et al. 2024).
pub const CRITERIA: [&str; 4] = [
    "comprehensiveness",
    "diversity",
    "empowerment",
    "directness",
];

// invariant: a test of the configuration parses every built-in text with these placeholders
static PROMPT: LazyLock<Template> = LazyLock::new(|| {
    let placeholders = ["question", "first", "second"];
    Template::parse(JUDGE_PAIR, "built in", &placeholders, &[]).expect("a template")
});

/// How two answers stand on one criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Won {
    /// The first method, in both orders.
    A,
    /// The second method, in both orders.
    B,
    /// Neither, or only in one order.
    Tie,
    /// The one that came first (or last) in either order: the place decided, not the answer.
    Flip,
}

/// What the judge says of two answers on one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ruling {
    /// One method.
    pub a: &'static str,
    /// The other.
    pub b: &'static str,
    /// One of [`CRITERIA`].
    pub criterion: &'static str,
    /// Who won.
    pub won: Won,
    /// The judge's words, with the first method's answer before the second's and then the other way round.
    pub reasons: [String; 2],
}

/// 1 for the first answer, 2 for the second, 0 for neither; with the reason.
type Said = [(u8, String); CRITERIA.len()];

/// Judges two answers; none where one of them is missing.
///
/// # Errors
/// Whatever kept the judge from answering.
pub async fn judge(
    chat: &dyn Chat,
    question: &str,
    a: &Column,
    b: &Column,
    salt: &str,
) -> Result<Vec<Ruling>, CallError> {
    let (Some(first), Some(second)) = (&a.answer, &b.answer) else {
        return Ok(Vec::new());
    };
    // Without citations: their form would tell the methods apart.
    let texts = [claims::plain(&first.answer), claims::plain(&second.answer)];
    let forth = ask(chat, question, &texts[0], &texts[1], salt).await?;
    let back = ask(chat, question, &texts[1], &texts[0], salt).await?;
    let rulings = CRITERIA.iter().zip(forth).zip(back);
    Ok(rulings
        .map(|((criterion, forth), back)| Ruling {
            a: a.method,
            b: b.method,
            criterion,
            won: won(forth.0, back.0),
            reasons: [forth.1, back.1],
        })
        .collect())
}

/// `forth` with A in the first place, `back` with B there.
fn won(forth: u8, back: u8) -> Won {
    match (forth, back) {
        (1, 2) => Won::A,
        (2, 1) => Won::B,
        (1, 1) | (2, 2) => Won::Flip,
        _ => Won::Tie,
    }
}

async fn ask(
    chat: &dyn Chat,
    question: &str,
    first: &str,
    second: &str,
    salt: &str,
) -> Result<Said, CallError> {
    let values = [("question", question), ("first", first), ("second", second)];
    let request = ChatRequest {
        stage: Stage::Eval,
        item: "two answers".to_owned(),
        messages: vec![Message::user(PROMPT.render(&values))],
        salt: salt.to_owned(),
        ..ChatRequest::default()
    };
    let answer = chat.ask(request, &verdict).await?;
    Ok(read(&answer.value.text).unwrap_or_default())
}

fn verdict(answer: &RawAnswer) -> Verdict<Reply> {
    match read(&answer.text) {
        Some(_) => Verdict::Accept(
            Reply {
                text: answer.text.clone(),
                ..Reply::default()
            },
            Outcome::Ok,
        ),
        None => Verdict::AskAgain {
            why: "the four verdicts with their winners are not all there".into(),
            partial: None,
        },
    }
}

/// The verdicts from the outermost braces of the answer; `None` unless all four are there.
fn read(text: &str) -> Option<Said> {
    let text = recover::words(text).text;
    let json = text.get(text.find('{')?..=text.rfind('}')?)?;
    let value: Value = serde_json::from_str(json).ok()?;
    let mut said = Said::default();
    for (criterion, slot) in CRITERIA.iter().zip(&mut said) {
        let own = value.get(criterion)?;
        let winner = own.get("winner").unwrap_or(own);
        let number = winner
            .as_u64()
            .or_else(|| winner.as_str().and_then(|word| word.trim().parse().ok()))?;
        let reason = own.get("reason").and_then(Value::as_str).unwrap_or("");
        *slot = (
            u8::try_from(number).ok().filter(|&n| n <= 2)?,
            reason.to_owned(),
        );
    }
    Some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_counts_where_the_order_does_not_change_it() {
        assert_eq!(won(1, 2), Won::A);
        assert_eq!(won(2, 1), Won::B);
        assert_eq!(won(1, 1), Won::Flip);
        assert_eq!(won(2, 2), Won::Flip);
        assert_eq!(won(0, 0), Won::Tie);
        assert_eq!(won(1, 0), Won::Tie);
    }

    #[test]
    fn verdicts_are_read_in_a_fence_and_refused_where_one_is_missing() {
        let text = "```json\n{\"comprehensiveness\": {\"winner\": 1, \"reason\": \"more\"}, \"diversity\": {\"winner\": \"2\"}, \"empowerment\": 0, \"directness\": {\"winner\": 2}}\n```";
        let said = read(text).unwrap();
        assert_eq!(said[0], (1, "more".to_owned()));
        assert_eq!([said[1].0, said[2].0, said[3].0], [2, 0, 2]);
        let reasoned = format!("<think>{{Either}} will do.</think>\n{text}");
        assert_eq!(read(&reasoned).unwrap()[1].0, 2);
        assert!(read("{\"comprehensiveness\": {\"winner\": 1}}").is_none());
        assert!(read("{\"winner\": 3}").is_none() && read("first").is_none());
    }
}
