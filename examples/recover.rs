//! Reads one model answer on standard input and prints what can be recovered from it as one JSON object.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use belvedere::llm::recover::{
    self, Code, Context, ExtractContext, FinishReason, PromptExamples, RecoverOutcome, Recovered,
    ReportContext,
};
use clap::{Parser, ValueEnum};
use serde_json::{Map, Value, json};

/// Recovers the records of one model answer.
#[derive(Parser)]
struct Arguments {
    /// What the answer was asked for.
    #[arg(long, value_enum)]
    stage: Stage,
    /// Why the model stopped, in the provider's word.
    #[arg(long, default_value = "stop")]
    finish_reason: String,
    /// The prompt's text; its own example is not taken for an answer.
    #[arg(long)]
    prompt: Option<PathBuf>,
    /// The text the answer is about.
    #[arg(long)]
    passage: Option<PathBuf>,
    /// A report's title where the answer gives none.
    #[arg(long, default_value = "")]
    title: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Stage {
    Extract,
    Report,
    Map,
    Rate,
    Claims,
    Summary,
    DriftPrimer,
    DriftAction,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(found) => {
            println!("{found}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<Value, std::io::Error> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let answer = String::from_utf8_lossy(&bytes);
    let read = |path: &Option<PathBuf>| path.as_ref().map(std::fs::read_to_string).transpose();
    let passage = read(&arguments.passage)?;
    let examples = read(&arguments.prompt)?.map(|prompt| PromptExamples::from_prompt(&prompt));
    let finish = FinishReason::parse(&arguments.finish_reason);
    let context = Context {
        passage: passage.as_deref(),
        examples: examples.as_ref(),
        ..Context::default()
    };
    Ok(match arguments.stage {
        Stage::Extract => {
            let context = ExtractContext {
                passage: context.passage,
                examples: context.examples,
                ..ExtractContext::default()
            };
            let found = recover::extraction(&answer, finish, &context);
            let says_so_in_prose = found.has(Code::NonAnswer);
            let mut out = frame(&found, says_so_in_prose);
            out.insert("entities".to_owned(), json!(found.value.entities));
            out.insert("relationships".to_owned(), json!(found.value.relationships));
            out.into()
        }
        Stage::Report => {
            let context = ReportContext {
                passage: context.passage,
                examples: context.examples,
                fallback_title: &arguments.title,
                ..ReportContext::default()
            };
            let found = recover::report(&answer, finish, &context);
            let mut out = frame(&found, false);
            if found.outcome.is_usable() {
                out.insert("title".to_owned(), json!(found.value.title));
                out.insert("summary".to_owned(), json!(found.value.summary));
                out.insert("rating".to_owned(), json!(found.value.rating));
                out.insert(
                    "rating_explanation".to_owned(),
                    json!(found.value.rating_explanation),
                );
                out.insert("findings".to_owned(), json!(found.value.findings));
            }
            out.into()
        }
        Stage::Map => {
            let found = recover::map_points(&answer, finish, &context);
            let mut out = frame(&found, false);
            let points: Vec<Value> = found
                .value
                .iter()
                .map(|point| json!({"description": point.description, "score": point.score}))
                .collect();
            out.insert("points".to_owned(), json!(points));
            out.into()
        }
        Stage::Rate => {
            let found = recover::rating(&answer, finish, &context);
            let mut out = frame(&found, false);
            let rating = found.outcome.is_usable().then_some(found.value.rating);
            out.insert("rating".to_owned(), json!(rating));
            out.insert("reason".to_owned(), json!(found.value.reason));
            out.into()
        }
        Stage::Claims => {
            let found = recover::claims(&answer, finish, &context);
            let says_so_in_prose = found.has(Code::NonAnswer);
            let mut out = frame(&found, says_so_in_prose);
            out.insert("claims".to_owned(), json!(found.value));
            out.into()
        }
        Stage::Summary => {
            let found = recover::summary(&answer, finish, &context);
            let mut out = frame(&found, false);
            out.insert("text".to_owned(), json!(found.value));
            out.into()
        }
        Stage::DriftPrimer | Stage::DriftAction => {
            let found = match arguments.stage {
                Stage::DriftPrimer => recover::drift_primer(&answer, finish, &context),
                _ => recover::drift_action(&answer, finish, &context),
            };
            let mut out = frame(&found, false);
            out.insert("answer".to_owned(), json!(found.value.answer));
            out.insert("score".to_owned(), json!(found.value.score));
            out.insert(
                "follow_up_queries".to_owned(),
                json!(found.value.follow_ups),
            );
            out.into()
        }
    })
}

/// The outcome and the warnings. An answer in the form asked for that has nothing to tell is `ok` without records;
/// one that says so in prose is `empty`.
fn frame<T>(found: &Recovered<T>, says_so_in_prose: bool) -> Map<String, Value> {
    let word = match found.outcome {
        RecoverOutcome::Empty if !says_so_in_prose => "ok",
        outcome => outcome.word(),
    };
    let warnings: Vec<&str> = found
        .warnings
        .iter()
        .map(|warning| warning.code.as_str())
        .collect();
    let mut out = Map::new();
    out.insert("outcome".to_owned(), json!(word));
    out.insert("warnings".to_owned(), json!(warnings));
    if !matches!(found.outcome, RecoverOutcome::Ok | RecoverOutcome::Empty) {
        out.insert("detail".to_owned(), json!(found.outcome.detail()));
    }
    out
}
