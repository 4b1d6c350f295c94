//! `belvedere compare`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::asker::Asker;
use super::query::{AnswerArgs, IndexArgs, failed};
use super::{fail, print, target};
use crate::config::yaml;
use crate::llm::CallError;
use crate::pipeline::aside;
use crate::query::compare::{self, Column, Compared, Comparison, EQUAL_TOKENS};
use crate::query::show::printable_line;
use crate::query::{Method, QueryError};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MethodArg {
    /// What the model knows, without the corpus; needs a model
    ClosedBook,
    /// From the nearest text units
    Basic,
    /// From the entities the question is about
    Local,
    /// From the reports on the whole corpus
    Global,
    /// From reports first, then from what follow-up questions lead to; needs a model
    Drift,
}

impl From<MethodArg> for Method {
    fn from(method: MethodArg) -> Self {
        match method {
            MethodArg::ClosedBook => Self::ClosedBook,
            MethodArg::Basic => Self::Basic,
            MethodArg::Local => Self::Local,
            MethodArg::Global => Self::Global,
            MethodArg::Drift => Self::Drift,
        }
    }
}

/// Options of `belvedere compare`.
#[derive(Args)]
pub struct CompareArgs {
    /// The question
    #[arg(required_unless_present = "questions")]
    question: Option<String>,
    /// A list of questions instead: a line each (.txt), JSONL or YAML with `question`
    #[arg(long, value_name = "FILE", conflicts_with = "question")]
    questions: Option<PathBuf>,
    #[command(flatten)]
    index: IndexArgs,
    /// Which methods; by default basic,local,global, and with a model closed-book and drift as well
    #[arg(short, long, value_enum, value_delimiter = ',')]
    methods: Vec<MethodArg>,
    #[command(flatten)]
    answer: AnswerArgs,
    /// Give every method the same tokens of context, so that the choice of what is read is compared and not its size
    #[arg(long, value_name = "TOKENS", num_args = 0..=1, require_equals = true, default_missing_value = "12000")]
    equal_budget: Option<usize>,
    /// Have a model judge every pair of answers, in both orders; judges have preferences of their own
    #[arg(long)]
    judge: bool,
    /// Print everything as JSON on standard output
    #[arg(long)]
    json: bool,
    /// Write one self-contained page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// The command line with `--equal-budget 4000` as `--equal-budget=4000`. The option's value may be left out, and without this the
/// number would be taken for the question.
pub(super) fn with_budget_joined(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut is_over = false;
    for arg in args {
        let number = arg
            .to_str()
            .is_some_and(|text| text.parse::<usize>().is_ok());
        match joined.last_mut() {
            Some(last) if number && !is_over && last == "--equal-budget" => {
                last.push("=");
                last.push(&arg);
            }
            _ => {
                is_over |= arg == "--";
                joined.push(arg);
            }
        }
    }
    joined
}

/// Runs the command and gives its exit code.
pub fn run(args: &CompareArgs) -> u8 {
    let comparison = match compare(args) {
        Ok(comparison) => comparison,
        Err(error) => return failed(&error),
    };
    if args.json {
        match serde_json::to_string_pretty(&comparison) {
            Ok(text) => print(&text),
            Err(error) => return fail(&error, 1),
        }
    } else {
        print(&compare::text(&comparison, width()));
    }
    // After the answers: they were paid for, whatever becomes of the page.
    if let Some(path) = &args.html
        && let Err(error) = std::fs::write(path, compare::html(&comparison))
    {
        return fail(
            &format!("{} could not be written: {error}", path.display()),
            1,
        );
    }
    match comparison.failed() {
        0 if comparison.unjudged > 0 => fail(
            &format!(
                "{} of {} pairs were not judged",
                comparison.unjudged, comparison.judged
            ),
            3,
        ),
        0 if comparison.incomplete() > 0 => fail(
            &format!(
                "{} of {} answers {} incomplete",
                comparison.incomplete(),
                comparison.asked(),
                if comparison.incomplete() == 1 {
                    "is"
                } else {
                    "are"
                }
            ),
            3,
        ),
        0 => 0,
        failed if failed == comparison.asked() => fail(&"no method answered", 1),
        failed => fail(
            &format!("{failed} of {} answers failed", comparison.asked()),
            3,
        ),
    }
}

fn compare(args: &CompareArgs) -> Result<Comparison, QueryError> {
    let questions = match (&args.question, &args.questions) {
        (_, Some(path)) => read_questions(path)?,
        (Some(question), None) => vec![question.clone()],
        (None, None) => return Err(QueryError::EmptyQuestion),
    };
    if questions.iter().any(|question| question.trim().is_empty()) {
        return Err(QueryError::EmptyQuestion);
    }
    if args.equal_budget.is_some_and(|tokens| tokens < 400) {
        return Err(QueryError::Settings(
            "--equal-budget is less than 400 tokens, too few to hold a text unit; give more, e.g. --equal-budget=4000".to_owned(),
        ));
    }
    if let Some(path) = &args.html {
        target::check("--html", path)?;
    }
    let mut asker = args.index.open()?;
    if let Some(tokens) = args.equal_budget {
        asker.params = asker.params.with_equal_budget(tokens);
    }
    let methods = methods(args, &asker)?;
    if args.judge && !asker.has_chat(Method::Global) {
        return Err(QueryError::NeedsModel {
            what: "--judge",
            model: asker
                .project
                .settings
                .global_search
                .completion_model_id
                .clone(),
            instead: "leave it out",
        });
    }
    let mut comparison = Comparison {
        index: asker.index.fingerprint().to_owned(),
        equal_budget: args.equal_budget,
        notes: asker.project.notes.clone(),
        ..Comparison::default()
    };
    if let Some(tokens) = args.equal_budget {
        comparison.notes.push(format!(
            "every method had at most {tokens} tokens of context (the default is {EQUAL_TOKENS}); closed-book has none"
        ));
    }
    let mut answered = false;
    for question in &questions {
        let mut answers = Vec::with_capacity(methods.len());
        for &method in &methods {
            if questions.len() > 1 {
                aside(&format!(
                    "{}: {}",
                    method.as_str(),
                    printable_line(question)
                ));
            }
            let result = match asker.answer(&args.answer.question(method, question), None) {
                Err(error @ QueryError::Model(CallError::Cancelled)) => return Err(error),
                // The same for every question: nothing is gained by going on.
                Err(error) if error.exit_code() == 2 => return Err(error),
                Err(error) if error.is_unreachable() && !answered => return Err(error),
                result => result.map_err(|error| error.to_string()),
            };
            answered |= result.is_ok();
            if let (Some(tokens), Ok(own)) = (args.equal_budget, &result)
                && own
                    .context
                    .tables
                    .get("sources")
                    .is_some_and(|table| table.count == 0 && table.left_out > 0)
            {
                let note = format!(
                    "no text unit fits into the share that {} has for them of {tokens} tokens; give more, e.g. --equal-budget={EQUAL_TOKENS}",
                    method.as_str()
                );
                if !comparison.notes.contains(&note) {
                    comparison.notes.push(note);
                }
            }
            answers.push((method, result));
        }
        let mut compared = compare::compare(question, answers);
        if args.judge {
            judge(&asker, &mut compared, &mut comparison)?;
        }
        comparison.questions.push(compared);
    }
    Ok(comparison)
}

/// Columns of the terminal; `None` where there is none, or it does not say.
fn width() -> Option<usize> {
    let terminal = console::Term::stdout();
    if !terminal.is_term() {
        return None;
    }
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    match terminal.size_checked() {
        Some((_, columns)) => Some(usize::from(columns)),
        None => told().filter(|&columns| columns > 0),
    }
}

/// The methods asked for, each once, or those that can answer.
fn methods(args: &CompareArgs, asker: &Asker) -> Result<Vec<Method>, QueryError> {
    let mut methods: Vec<Method> = Vec::new();
    if args.methods.is_empty() {
        methods.extend([Method::Basic, Method::Local, Method::Global]);
        if asker.has_chat(Method::ClosedBook) {
            methods.insert(0, Method::ClosedBook);
        }
        if asker.has_chat(Method::Drift) {
            methods.push(Method::Drift);
        }
        return Ok(methods);
    }
    for &method in &args.methods {
        let method = Method::from(method);
        if method.needs_model() && !asker.has_chat(method) {
            let settings = &asker.project.settings;
            return Err(QueryError::NeedsModel {
                what: match method {
                    Method::Drift => "drift",
                    _ => "closed-book",
                },
                model: match method {
                    Method::Drift => settings.drift_search.completion_model_id.clone(),
                    _ => settings.global_search.completion_model_id.clone(),
                },
                instead: "leave it out of --methods",
            });
        }
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    Ok(methods)
}

fn judge(
    asker: &Asker,
    compared: &mut Compared,
    comparison: &mut Comparison,
) -> Result<(), QueryError> {
    let Some(chat) = asker.chat(Method::Global)? else {
        return Ok(());
    };
    let mut rulings = Vec::new();
    let answered = compared.methods.iter().filter(|one| one.answer.is_some());
    let answered: Vec<&Column> = answered.collect();
    for (at, a) in answered.iter().enumerate() {
        for b in &answered[at + 1..] {
            comparison.judged += 1;
            let judged = compare::judge(&chat, &compared.question, a, b, asker.index.fingerprint());
            match asker.wait(judged) {
                Ok(found) => rulings.extend(found),
                Err(CallError::Cancelled) => return Err(CallError::Cancelled.into()),
                Err(error) => {
                    comparison.unjudged += 1;
                    comparison.notes.push(format!(
                        "{} and {} were not judged: {error}",
                        a.method, b.method
                    ));
                }
            }
        }
    }
    compared.rulings = rulings;
    Ok(())
}

/// Questions from a file: `.jsonl` with `question` in every line, `.yaml`, `.yml` or `.json` with a list of texts or of entries with
/// `question` (at the top, or under `questions`), anything else a question a line.
fn read_questions(path: &Path) -> Result<Vec<String>, QueryError> {
    let wrong = |why: String| {
        QueryError::Settings(format!(
            "--questions {}: {why}; write a question a line, or JSONL or YAML with `question`",
            path.display()
        ))
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let questions = match extension.unwrap_or("").to_ascii_lowercase().as_str() {
        "jsonl" | "ndjson" => text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(number, line)| {
                let value: serde_json::Value = serde_json::from_str(line)
                    .map_err(|error| wrong(format!("line {}: {error}", number + 1)))?;
                value["question"]
                    .as_str()
                    .or(value.as_str())
                    .map(str::to_owned)
                    .ok_or_else(|| wrong(format!("line {} has no `question`", number + 1)))
            })
            .collect::<Result<Vec<_>, _>>()?,
        "yaml" | "yml" | "json" => {
            let node = yaml::parse(text)
                .map_err(|error| wrong(format!("line {}: {}", error.place.line, error.message)))?;
            from_yaml(&node).ok_or_else(|| wrong("it is not a list of questions".to_owned()))?
        }
        _ => text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(str::to_owned)
            .collect(),
    };
    if questions.is_empty() {
        return Err(wrong("it holds no question".to_owned()));
    }
    Ok(questions)
}

fn from_yaml(node: &yaml::Node) -> Option<Vec<String>> {
    let member = |entries: &[yaml::Entry], key: &str| {
        let found = entries.iter().find(|entry| entry.key == key)?;
        Some(found.node.clone())
    };
    match &node.value {
        yaml::Value::Section(entries) => from_yaml(&member(entries, "questions")?),
        yaml::Value::Scalar(_) => None,
        yaml::Value::List(items) => items
            .iter()
            .map(|item| match &item.value {
                yaml::Value::Scalar(scalar) => Some(scalar.text.clone()),
                yaml::Value::Section(entries) => match member(entries, "question")?.value {
                    yaml::Value::Scalar(scalar) => Some(scalar.text),
                    _ => None,
                },
                yaml::Value::List(_) => None,
            })
            .collect(),
    }
}
