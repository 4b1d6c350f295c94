//! `belvedere query`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};

use super::asker::Asker;
use super::link::Links;
use super::output::print_part;
use super::session::Session;
use super::{chat, fail, print};
use crate::query::show::{agreed, counted, printable, printable_line, some_of};
use crate::query::{Answered, Method, OnText, QueryError, Question, Resolved};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodArg {
    /// From the entities the question is about, with their reports, relationships and sources
    Local,
    /// From the reports on the whole corpus, every one of them read
    Global,
    /// From the nearest text units
    Basic,
    /// From reports first, then from what follow-up questions lead to; needs a model
    Drift,
}

impl From<MethodArg> for Method {
    fn from(method: MethodArg) -> Self {
        match method {
            MethodArg::Local => Self::Local,
            MethodArg::Global => Self::Global,
            MethodArg::Basic => Self::Basic,
            MethodArg::Drift => Self::Drift,
        }
    }
}

/// Which index is asked, and how much of it is seen.
#[derive(Args, Clone)]
pub(super) struct IndexArgs {
    /// The project folder
    #[arg(short, long, default_value = ".")]
    pub root: PathBuf,
    /// The folder of the tables, ours or GraphRAG's; by default the project's output folder
    #[arg(short, long)]
    pub data: Option<PathBuf>,
    /// Draw only on documents with this title, path, id, creation_date or metadata field; `*` stands for any text; repeat it for
    /// more (of one key any, of several keys all). Text units of other documents are not seen, nor entities and relationships that
    /// no allowed text unit supports, nor reports that rest on any other document; descriptions of entities may draw on others
    #[arg(long, value_name = "KEY=VALUE")]
    pub filter: Vec<String>,
}

impl IndexArgs {
    pub fn open(&self) -> Result<Asker, QueryError> {
        Asker::open(&self.root, self.data.as_deref(), &self.filter)
    }
}

/// How the question is to be answered.
#[derive(Args, Clone)]
pub(super) struct AnswerArgs {
    /// Level of the community reports, 0 the coarsest; by default 2, or the deepest there is
    #[arg(long, value_name = "N")]
    pub community_level: Option<u32>,
    /// Length and form of a model's answer, in words
    #[arg(long, value_name = "TEXT", default_value = "Multiple Paragraphs")]
    pub response_type: String,
    /// With --method global: a model rates reports from the top down, and only what bears on the question is read
    #[arg(long, overrides_with = "no_dynamic_selection")]
    pub dynamic_community_selection: bool,
    /// Read every report (the default)
    #[arg(long, hide = true)]
    pub no_dynamic_selection: bool,
}

impl AnswerArgs {
    pub fn question(&self, method: Method, text: &str) -> Question {
        Question {
            response_type: self.response_type.clone(),
            level: self.community_level,
            select_reports: method == Method::Global && self.dynamic_community_selection,
            ..Question::new(method, text)
        }
    }
}

/// Options of `belvedere query`.
#[derive(Args)]
pub struct QueryArgs {
    /// The question; without one, a terminal becomes a conversation
    question: Option<String>,
    #[command(flatten)]
    index: IndexArgs,
    /// How to search
    #[arg(short, long, value_enum, default_value = "global")]
    method: MethodArg,
    #[command(flatten)]
    answer: AnswerArgs,
    /// Keep the conversation in a file (JSONL): earlier questions and answers in it are kept in mind
    #[arg(long, value_name = "FILE")]
    session: Option<PathBuf>,
    /// Print the answer with all its evidence as JSON on standard output
    #[arg(long)]
    json: bool,
    /// Print how the question was matched and what the answer was made from
    #[arg(long)]
    evidence: bool,
    /// Print a model's answer as it comes
    #[arg(long, overrides_with = "no_streaming")]
    streaming: bool,
    /// Print the answer when it is whole (the default)
    #[arg(long, hide = true)]
    no_streaming: bool,
}

/// Runs the command and gives its exit code.
pub fn run(args: &QueryArgs) -> u8 {
    let Some(question) = &args.question else {
        if std::io::stdin().is_terminal() && !args.json {
            let session = args.session.as_deref();
            return chat::talk(&args.index, args.method, &args.answer, session);
        }
        return failed(&QueryError::EmptyQuestion);
    };
    let (answered, links, kept) = match answer(args, question) {
        Ok(answered) => answered,
        Err(error) => return failed(&error),
    };
    if let Err(error) = output(args, &answered, &links) {
        return failed(&error);
    }
    match kept.and_then(|()| whole(&answered)) {
        Ok(()) => 0,
        Err(error) => failed(&error),
    }
}

/// Whether the answer that was printed lacks nothing.
pub(super) fn whole(answered: &Answered) -> Result<(), QueryError> {
    match &answered.incomplete {
        Some(why) => Err(QueryError::Incomplete(why.clone())),
        None => Ok(()),
    }
}

/// Prints why there is no answer, and gives the exit code.
pub(super) fn failed(error: &QueryError) -> u8 {
    fail(&printable_line(&error.to_string()), error.exit_code())
}

/// The answer, and whether the session has it.
type Kept = (Answered, Links, Result<(), QueryError>);

fn answer(args: &QueryArgs, text: &str) -> Result<Kept, QueryError> {
    let asker = args.index.open()?;
    let mut session = Session::open(args.session.as_deref())?;
    let method = Method::from(args.method);
    let mut question = args.answer.question(method, text);
    question.history.clone_from(&session.turns);
    let streams = args.streaming && !args.json && asker.has_chat(method);
    let mut answered = ask(&asker, &question, streams)?;
    let mut notes = asker.project.notes.clone();
    // The answer is shown, whatever becomes of the file.
    let kept = session.push(text, &answered.answer);
    notes.append(&mut answered.notes);
    answered.notes = notes;
    Ok((answered, Links::to(&asker.project.input_dir()), kept))
}

/// Asks, and shows a model's answer as it comes where that is wanted.
pub(super) fn ask(
    asker: &Asker,
    question: &Question,
    streams: bool,
) -> Result<Answered, QueryError> {
    let begun = AtomicBool::new(false);
    let mut show = |text: &str| {
        begun.store(true, Ordering::Relaxed);
        print_part(&printable(text));
    };
    let on_text: Option<OnText<'_>> = if streams { Some(&mut show) } else { None };
    let answered = asker.answer(question, on_text);
    if answered.is_err() && begun.load(Ordering::Relaxed) {
        // What is said next stands on a line of its own.
        print_part("\n");
    }
    answered
}

fn output(args: &QueryArgs, answered: &Answered, links: &Links) -> Result<(), QueryError> {
    if args.json {
        let text = serde_json::to_string_pretty(answered)
            .map_err(|error| QueryError::Output(error.to_string()))?;
        print(&text);
        return Ok(());
    }
    let streamed = args.streaming && answered.usage.is_some();
    print(&to_text(answered, args.evidence, streamed, links));
    Ok(())
}

/// Characters of a quotation in the list of sources.
const QUOTED: usize = 160;

/// The answer for a terminal: marks, what they stand for, and what the reader should know.
pub(super) fn to_text(
    answered: &Answered,
    with_evidence: bool,
    streamed: bool,
    links: &Links,
) -> String {
    let evidence = answered.evidence();
    let mut out = String::new();
    let mut notes: Vec<String> = Vec::new();
    if streamed {
        out.push('\n');
        // What was shown as it came ends where it ended.
        let lacks = |why: &String| format!("the answer is incomplete: {why}");
        notes.extend(answered.incomplete.as_ref().map(lacks));
    } else {
        out.push_str(&printable(&evidence.marked()));
        out.push('\n');
    }
    let listed = evidence.listed();
    if !listed.is_empty() {
        out.push_str("\nSources\n");
    }
    for found in listed {
        out.push_str(&source_line(found, streamed, links));
    }
    if with_evidence {
        out.push_str(&evidence_text(answered));
    }
    notes.extend(answered.coverage.as_ref().map(|coverage| coverage.words()));
    notes.extend(answered.inquiry.as_ref().map(|inquiry| inquiry.words()));
    if !answered.unresolved.is_empty() {
        let mut words: Vec<String> = Vec::new();
        for lost in &answered.unresolved {
            let word = format!("{} {}", lost.kind.unwrap_or(""), lost.id);
            let word = word.trim().to_owned();
            if !words.contains(&word) {
                words.push(word);
            }
        }
        notes.push(format!(
            "{} nowhere: {}",
            agreed(
                answered.unresolved.len(),
                "citation leads",
                "citations lead"
            ),
            some_of(&words, NAMED)
        ));
    }
    if answered.unsupported > 0 {
        notes.push(format!(
            "{} cited for",
            agreed(
                answered.unsupported,
                "citation shares no word with what it is",
                "citations share no word with what they are"
            )
        ));
    }
    notes.extend(answered.notes.iter().cloned());
    if let Some(used) = &answered.usage {
        let cost = used.cost.map_or_else(
            || "cost unknown".to_owned(),
            |cost| format!("cost {cost:.4}"),
        );
        let cached = match used.cached {
            0 => String::new(),
            cached => format!(", {} from the cache", counted(cached, "answer")),
        };
        notes.push(format!(
            "{}, {} + {} tokens, {cost}{cached}",
            counted(used.calls, "call"),
            used.prompt_tokens,
            used.completion_tokens
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
fn source_line(found: &Resolved, streamed: bool, links: &Links) -> String {
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
        let title = links.link(&found.title, &printable_line(&found.title));
        return format!("{mark} {title}: \"{quoted}\"\n");
    }
    let kind = found.kind_of_one();
    let mut documents: Vec<String> = found
        .supports
        .iter()
        .map(|support| links.link(&support.document, &printable_line(&support.document)))
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

/// Rows and words named in one line.
const NAMED: usize = 20;

pub(super) fn evidence_text(answered: &Answered) -> String {
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
    for step in answered.inquiry.iter().flat_map(|inquiry| &inquiry.steps) {
        let asked = match step.round {
            0 => "from the reports".to_owned(),
            round => format!("round {round}: {}", printable_line(&step.question)),
        };
        out.push_str(&format!("  step, score {:.0}, {asked}\n", step.score));
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
            "  {name}: {}, {} left out by the budget: {}{more}\n",
            counted(table.count, "row"),
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
        let text = to_text(&answered, false, false, &Links::default());
        assert!(
            text.starts_with("It failed [1] at [31mnoon [unresolved: Sources (9)].\n"),
            "{text}"
        );
        assert!(
            text.contains("\nSources\n[1] a]8;;x.md: \"It [2Jfailed.\"\n"),
            "{text}"
        );
        assert!(text.contains("(1 citation leads nowhere: Sources 9)"));
        assert!(!text.contains('\x1b') && !text.contains('\x07'));
    }

    #[test]
    fn rows_that_are_no_sources_are_named_in_the_singular() {
        let line = |kind| {
            source_line(
                &found(2, kind, "HARROW", "A works."),
                false,
                &Links::default(),
            )
        };
        assert_eq!(line("Entities"), "[2] entity 7, HARROW: \"A works.\"\n");
        assert_eq!(line("Reports"), "[2] report 7, HARROW: \"A works.\"\n");
        assert_eq!(
            line("Relationships"),
            "[2] relationship 7, HARROW: \"A works.\"\n"
        );
    }
}
