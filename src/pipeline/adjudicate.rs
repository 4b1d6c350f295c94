//! Stage 4, where the evidence leaves a pair of names undecided: a model reads passages with each and says whether they are one.

use futures::StreamExt;
use futures::stream;

use super::calls::{Halt, finish_of, land_all, until, verdict};
use super::error::PipelineError;
use super::load::Corpus;
use super::progress::Stage as ProgressStage;
use super::project::Project;
use super::standard::spent_so_far;
use crate::config::Template;
use crate::extract::harvest::Harvest;
use crate::llm::recover;
use crate::llm::{Action, CallError, ChatRequest, Door, Message, RawAnswer, Stage, Verdict};
use crate::model::TextUnitIx;
use crate::resolve::audit::{Answer, Question};
use crate::resolve::grounding;

/// Passages given of each name.
const PASSAGES: usize = 3;
/// Unicode scalar values of a passage before and after the name.
const AROUND: usize = 300;

/// What came of the questions.
#[derive(Default)]
pub(super) struct Adjudicated {
    /// Pairs that a model decided.
    pub answers: Vec<Answer>,
    /// Questions whose answer was no decision.
    pub unsure: usize,
    /// Questions that failed, by pair, with the reason; what the evidence said stays.
    pub failures: Vec<(String, String)>,
}

/// Asks about every question; answers come back in the order of the questions.
///
/// # Errors
/// What stops the run as a whole.
pub(super) async fn adjudicate(
    project: &Project,
    corpus: &Corpus,
    harvest: &Harvest,
    door: &Door,
    questions: &[Question],
    halt: &Halt,
    progress: &ProgressStage<'_>,
) -> Result<Adjudicated, PipelineError> {
    let width = door.width();
    let mut found: Vec<Option<Result<Option<bool>, String>>> = vec![None; questions.len()];
    let answers = stream::iter(until(questions.iter().enumerate(), halt))
        .map(|(row, question)| async move {
            match ask(project, corpus, harvest, door, question).await? {
                Ok(same) => Ok((row, Ok(same))),
                Err(error) if error.action() == Action::StopRun => Err(error.into()),
                Err(error) => Ok((row, Err(error.to_string()))),
            }
        })
        .buffer_unordered(width.max(1));
    land_all(answers, halt, |(row, answer)| {
        found[row] = Some(answer);
        progress.inc(1);
        progress.remark(spent_so_far(door));
        Ok(())
    })
    .await?;
    let mut out = Adjudicated::default();
    for (question, answer) in questions.iter().zip(found) {
        match answer {
            Some(Ok(Some(same))) => out.answers.push(Answer {
                names: question.names,
                same,
            }),
            Some(Ok(None)) | None => out.unsure += 1,
            Some(Err(why)) => out.failures.push((pair(harvest, question), why)),
        }
    }
    Ok(out)
}

fn pair(harvest: &Harvest, question: &Question) -> String {
    let name = |name| harvest.names.get(name);
    format!(
        "names {} - {}",
        name(question.names.0),
        name(question.names.1)
    )
}

/// `None`: the model cannot tell.
async fn ask(
    project: &Project,
    corpus: &Corpus,
    harvest: &Harvest,
    door: &Door,
    question: &Question,
) -> Result<Result<Option<bool>, CallError>, PipelineError> {
    let template = &project.prompts.adjudicate_names;
    let prompt = adjudication_prompt(template, harvest, question, &|unit| {
        corpus.texts.read(TextUnitIx(unit))
    })?;
    let request = ChatRequest {
        stage: Stage::Resolve,
        item: pair(harvest, question),
        messages: vec![Message::user(prompt)],
        ..ChatRequest::default()
    };
    let judge = |answer: &RawAnswer| {
        let text = recover::summary(
            &answer.text,
            finish_of(answer),
            &recover::Context::default(),
        );
        match verdict(answer, text) {
            Verdict::Accept(read, outcome) => match decision(&read.value) {
                Some(same) => Verdict::Accept(same, outcome),
                None => Verdict::AskAgain {
                    why: "the first word is not SAME, DIFFERENT or UNSURE".to_owned(),
                    partial: None,
                },
            },
            Verdict::AskAgain { why, .. } => Verdict::AskAgain { why, partial: None },
            Verdict::LargerBudget { why, .. } => Verdict::LargerBudget { why, partial: None },
            Verdict::Fail { why } => Verdict::Fail { why },
        }
    };
    Ok(door.ask(request, judge).await.map(|answer| answer.value))
}

/// What a model is asked about a pair; `text` gives the text of a text unit.
///
/// # Errors
/// Those of `text`.
pub fn adjudication_prompt<E>(
    template: &Template,
    harvest: &Harvest,
    question: &Question,
    text: &dyn Fn(u32) -> Result<String, E>,
) -> Result<String, E> {
    let (name, other) = (
        harvest.names.get(question.names.0),
        harvest.names.get(question.names.1),
    );
    Ok(template.render(&[
        ("name", name),
        ("passages", &passages(text, name, &question.units.0)?),
        ("other_name", other),
        ("other_passages", &passages(text, other, &question.units.1)?),
    ]))
}

/// The decision that an answer begins with; the inner `None` is "unsure".
pub fn decision(text: &str) -> Option<Option<bool>> {
    let word = text
        .split(|c: char| !c.is_alphanumeric())
        .find(|word| !word.is_empty())?;
    match word.to_uppercase().as_str() {
        "SAME" => Some(Some(true)),
        "DIFFERENT" => Some(Some(false)),
        "UNSURE" => Some(None),
        _ => None,
    }
}

/// The text around a name in each of its text units.
fn passages<E>(
    text: &dyn Fn(u32) -> Result<String, E>,
    name: &str,
    units: &[u32],
) -> Result<String, E> {
    let mut out = String::new();
    for &unit in units.iter().take(PASSAGES) {
        let text = text(unit)?;
        let mut spans = Vec::new();
        grounding::occurrences(&text, &[name], &mut spans);
        let at = spans.first().map_or(0, |span| span.1 as usize);
        let from = at.saturating_sub(AROUND);
        let passage: String = text.chars().skip(from).take(at - from + AROUND).collect();
        let words: Vec<&str> = passage.split_whitespace().collect();
        out.push_str("- ");
        out.push_str(&words.join(" "));
        out.push('\n');
    }
    Ok(out.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_first_word_decides() {
        assert_eq!(decision("SAME\nBoth run the works."), Some(Some(true)));
        assert_eq!(decision("**Different** - two sisters"), Some(Some(false)));
        assert_eq!(decision("Unsure."), Some(None));
        assert_eq!(decision("They are not the same."), None);
        assert_eq!(decision(""), None);
    }
}
