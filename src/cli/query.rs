//! `belvedere query`.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use tokio_util::sync::CancellationToken;

use super::{fail, print};
use crate::chunk::Tokenizer;
use crate::config::Settings;
use crate::pipeline::{BudgetOptions, Models, Project};
use crate::query::show::{printable, printable_line};
use crate::query::{
    Answered, Builtin, Chat, Engine, Index, Method, OnText, Params, QueryError, Question,
    QuestionEncoder, Resolved, SearchPrompts,
};

#[derive(Clone, Copy, ValueEnum)]
enum MethodArg {
    /// From the entities the question is about, with their reports, relationships and sources
    Local,
    /// From the reports on the whole corpus, every one of them read
    Global,
    /// From the nearest text units
    Basic,
}

/// Options of `belvedere query`.
#[derive(Args)]
pub struct QueryArgs {
    /// The question
    question: String,
    /// The project folder
    #[arg(short, long, default_value = ".")]
    root: PathBuf,
    /// The folder of the tables, ours or GraphRAG's; by default the project's output folder
    #[arg(short, long)]
    data: Option<PathBuf>,
    /// How to search
    #[arg(short, long, value_enum, default_value = "global")]
    method: MethodArg,
    /// Level of the community reports, 0 the coarsest; by default 2, or the deepest there is
    #[arg(long, value_name = "N")]
    community_level: Option<u32>,
    /// Length and form of a model's answer, in words
    #[arg(long, value_name = "TEXT", default_value = "Multiple Paragraphs")]
    response_type: String,
    /// Print the answer with all its evidence as JSON on standard output
    #[arg(long)]
    json: bool,
    /// Print how the question was matched and what the answer was made from
    #[arg(long)]
    evidence: bool,
    /// Print a model's answer as it comes
    #[arg(long)]
    streaming: bool,
}

/// Runs the command and gives its exit code.
pub fn run(args: &QueryArgs) -> u8 {
    match answer(args) {
        Ok(answered) => match output(args, &answered) {
            Ok(()) => 0,
            Err(error) => fail(&error, error.exit_code()),
        },
        Err(error) => fail(&printable_line(&error.to_string()), error.exit_code()),
    }
}

fn settings_error(error: impl std::fmt::Display) -> QueryError {
    QueryError::Settings(error.to_string())
}

fn answer(args: &QueryArgs) -> Result<Answered, QueryError> {
    let start = Instant::now();
    let project = Project::open(&args.root).map_err(settings_error)?;
    let folder = args.data.clone().unwrap_or_else(|| project.output_dir());
    let index = Index::open(&folder)?;
    let method = match args.method {
        MethodArg::Local => Method::Local,
        MethodArg::Global => Method::Global,
        MethodArg::Basic => Method::Basic,
    };
    let question = Question {
        text: args.question.clone(),
        method,
        response_type: args.response_type.clone(),
        level: args.community_level,
    };
    let settings = &project.settings;
    let (chat_id, embedding_id) = model_ids(settings, method);
    let has_model = settings.completion_model(chat_id).is_some()
        || settings.embedding_model(embedding_id).is_some();
    let mut builder = if has_model {
        tokio::runtime::Builder::new_multi_thread()
    } else {
        tokio::runtime::Builder::new_current_thread()
    };
    let runtime = builder
        .enable_all()
        .build()
        .map_err(|error| QueryError::Output(error.to_string()))?;
    // Without a model there is no cache to open.
    let mut answered = if has_model {
        let cancel = CancellationToken::new();
        let models = Models::open(
            &project,
            None,
            BudgetOptions::default(),
            None,
            cancel.clone(),
        )
        .map_err(settings_error)?;
        let chat = models.chat(chat_id).map_err(settings_error)?;
        let embedding = models.embedding(embedding_id).map_err(settings_error)?;
        let tokenizer =
            Tokenizer::named(settings.chunking.encoding_model.as_str()).map_err(settings_error)?;
        let count = move |text: &str| tokenizer.count(text);
        let builtin = Builtin::default();
        let encoder: &dyn QuestionEncoder = match &embedding {
            Some(door) => door,
            None => &builtin,
        };
        let chat = chat.as_ref().map(|door| door as &dyn Chat);
        runtime.block_on(async {
            let stop = tokio::spawn(async move {
                if tokio::signal::ctrl_c().await.is_ok() {
                    cancel.cancel();
                }
            });
            let answered = ask(args, &project, &index, &question, chat, encoder, &count).await;
            stop.abort();
            answered
        })?
    } else {
        // No prompt is sent, so tokens need no exact count: four bytes make one.
        let count = |text: &str| text.len().div_ceil(4);
        let builtin = Builtin::default();
        runtime.block_on(ask(
            args, &project, &index, &question, None, &builtin, &count,
        ))?
    };
    let mut notes = project.notes.clone();
    notes.append(&mut answered.notes);
    answered.notes = notes;
    answered.seconds = start.elapsed().as_secs_f64();
    Ok(answered)
}

/// The settings' ids of the models that the method uses.
fn model_ids(settings: &Settings, method: Method) -> (&str, &str) {
    match method {
        Method::Local => (
            &settings.local_search.completion_model_id,
            &settings.local_search.embedding_model_id,
        ),
        Method::Basic => (
            &settings.basic_search.completion_model_id,
            &settings.basic_search.embedding_model_id,
        ),
        Method::Global => (
            &settings.global_search.completion_model_id,
            &settings.embed_text.embedding_model_id,
        ),
    }
}

async fn ask(
    args: &QueryArgs,
    project: &Project,
    index: &Index,
    question: &Question,
    chat: Option<&dyn Chat>,
    encoder: &dyn QuestionEncoder,
    count: &(dyn Fn(&str) -> usize + Sync),
) -> Result<Answered, QueryError> {
    let params = Params::from_settings(&project.settings);
    let prompts = SearchPrompts::from(&project.prompts);
    let engine = Engine {
        index,
        params: &params,
        prompts,
        chat,
        encoder: Some(encoder),
        count,
    };
    let mut show = |text: &str| {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(printable(text).as_bytes());
        let _ = out.flush();
    };
    let on_text: Option<OnText<'_>> = if args.streaming && !args.json && chat.is_some() {
        Some(&mut show)
    } else {
        None
    };
    engine.answer(question, on_text).await
}

fn output(args: &QueryArgs, answered: &Answered) -> Result<(), QueryError> {
    if args.json {
        let text = serde_json::to_string_pretty(answered)
            .map_err(|error| QueryError::Output(error.to_string()))?;
        print(&text);
        return Ok(());
    }
    let streamed = args.streaming && answered.usage.is_some();
    print(&to_text(answered, args.evidence, streamed));
    Ok(())
}

/// Characters of a quotation in the list of sources.
const QUOTED: usize = 160;

/// The answer for a terminal: marks, what they stand for, and what the reader should know.
fn to_text(answered: &Answered, with_evidence: bool, streamed: bool) -> String {
    let evidence = answered.evidence();
    let mut out = String::new();
    if streamed {
        out.push('\n');
    } else {
        out.push_str(&printable(&evidence.marked()));
        out.push('\n');
    }
    let listed = evidence.listed();
    if !listed.is_empty() {
        out.push_str("\nSources\n");
    }
    for found in listed {
        out.push_str(&source_line(found, streamed));
    }
    if with_evidence {
        out.push_str(&evidence_text(answered));
    }
    let mut notes: Vec<String> = Vec::new();
    notes.extend(answered.coverage.as_ref().map(|coverage| coverage.words()));
    if !answered.unresolved.is_empty() {
        let words: Vec<String> = answered
            .unresolved
            .iter()
            .map(|lost| {
                format!("{} {}", lost.kind.unwrap_or(""), lost.id)
                    .trim()
                    .to_owned()
            })
            .collect();
        notes.push(format!(
            "{} citations lead nowhere: {}",
            words.len(),
            words.join(", ")
        ));
    }
    if answered.unsupported > 0 {
        notes.push(format!(
            "{} citations share no word with what they are cited for",
            answered.unsupported
        ));
    }
    notes.extend(answered.notes.iter().cloned());
    if let Some(used) = &answered.usage {
        let cost = used.cost.map_or_else(
            || "cost unknown".to_owned(),
            |cost| format!("cost {cost:.4}"),
        );
        notes.push(format!(
            "{} calls, {} + {} tokens, {cost}",
            used.calls, used.prompt_tokens, used.completion_tokens
        ));
    }
    notes.push(format!("{:.2} s", answered.seconds));
    out.push('\n');
    for note in notes {
        out.push_str(&format!("({})\n", printable_line(&note)));
    }
    out
}

/// `[1] board/minutes.md: "The pump failed."`, or the row's name with the documents behind it.
fn source_line(found: &Resolved, streamed: bool) -> String {
    let mark = if streamed {
        format!("{} ({})", found.kind, found.id)
    } else {
        format!("[{}]", found.number)
    };
    let mut quoted: String = printable_line(&found.text).chars().take(QUOTED).collect();
    if quoted.chars().count() == QUOTED {
        quoted.push('…');
    }
    if found.kind == "Sources" {
        return format!("{mark} {}: \"{quoted}\"\n", printable_line(&found.title));
    }
    let kind = found
        .kind
        .trim_end_matches('s')
        .to_lowercase()
        .replace("entitie", "entity");
    let mut documents: Vec<String> = found
        .supports
        .iter()
        .map(|support| printable_line(&support.document))
        .collect();
    documents.dedup();
    let behind = if documents.is_empty() {
        String::new()
    } else {
        format!(" (from {})", documents.join(", "))
    };
    format!(
        "{mark} {kind} {}, {}{behind}: \"{quoted}\"\n",
        found.id,
        printable_line(&found.title)
    )
}

/// Rows named in one line of the evidence.
const NAMED: usize = 20;

fn evidence_text(answered: &Answered) -> String {
    let word = |arrived| {
        serde_json::to_value(arrived)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    };
    let mut out = format!(
        "\nEvidence (method {}, index {})\n",
        answered.method,
        short(&answered.index)
    );
    for anchor in &answered.anchors {
        let walked = if anchor.expanded {
            ""
        } else {
            ", a hub, not walked through"
        };
        out.push_str(&format!(
            "  entity {} {} by {}{walked}\n",
            anchor.id,
            printable_line(&anchor.title),
            word(anchor.matched)
        ));
    }
    for (name, table) in &answered.context.tables {
        let rows: Vec<String> = table
            .rows
            .iter()
            .take(NAMED)
            .map(|row| format!("{} ({})", row.id, word(row.arrived)))
            .collect();
        let more = if table.rows.len() > NAMED {
            ", ..."
        } else {
            ""
        };
        out.push_str(&format!(
            "  {name}: {} rows, {} left out by the budget: {}{more}\n",
            table.count,
            table.left_out,
            rows.join(", ")
        ));
    }
    out
}

fn short(fingerprint: &str) -> &str {
    fingerprint.get(..12).unwrap_or(fingerprint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Unresolved;

    fn found(number: usize, kind: &'static str, title: &str, text: &str) -> Resolved {
        Resolved {
            number,
            marker: String::new(),
            kind,
            id: 7,
            title: title.to_owned(),
            document: None,
            start: None,
            end: None,
            text: text.to_owned(),
            supports: Vec::new(),
            supported: true,
        }
    }

    #[test]
    fn the_terminal_gets_marks_sources_flags_and_no_escapes() {
        let answered = Answered {
            answer: "It failed [Data: Sources (7)] at \x1b[31mnoon [unresolved: Sources (9)]."
                .to_owned(),
            citations: vec![found(
                1,
                "Sources",
                "a\x1b]8;;x\x07.md",
                "It \x1b[2Jfailed.",
            )],
            unresolved: vec![Unresolved {
                kind: Some("Sources"),
                id: "9".to_owned(),
            }],
            ..Answered::default()
        };
        let text = to_text(&answered, false, false);
        assert!(
            text.starts_with("It failed [1] at [31mnoon [unresolved: Sources (9)].\n"),
            "{text}"
        );
        assert!(
            text.contains("\nSources\n[1] a]8;;x.md: \"It [2Jfailed.\"\n"),
            "{text}"
        );
        assert!(text.contains("(1 citations lead nowhere: Sources 9)"));
        assert!(!text.contains('\x1b') && !text.contains('\x07'));
    }

    #[test]
    fn rows_that_are_no_sources_are_named_in_the_singular() {
        let line = |kind| source_line(&found(2, kind, "HARROW", "A works."), false);
        assert_eq!(line("Entities"), "[2] entity 7, HARROW: \"A works.\"\n");
        assert_eq!(line("Reports"), "[2] report 7, HARROW: \"A works.\"\n");
        assert_eq!(
            line("Relationships"),
            "[2] relationship 7, HARROW: \"A works.\"\n"
        );
    }
}
