//! `belvedere chat`: questions one after the other, each with those before it.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::asker::Asker;
use super::link::Links;
use super::output::{self, print_part};
use super::print;
use super::query::{AnswerArgs, IndexArgs, MethodArg, ask, evidence_text, failed, to_text, whole};
use super::session::Session;
use crate::llm::CallError;
use crate::query::show::{printable, printable_line};
use crate::query::{Answered, Method, QueryError};

const HELP: &str = "\
Type a question. Questions before it are kept in mind.
  /method local    search by local, global, basic or drift from now on; without a word tells which
  /level 1         level of the reports from now on; without a number the default
  /why             what the last answer was made from
  /sources         the sources of the last answer
  /sources 3       source [3] in full
  /new             forget what was said before
  /help            this list
  /quit            leave (so does the end of the input); Ctrl-C stops an answer";

/// Options of `belvedere chat`.
#[derive(Args)]
pub struct ChatArgs {
    #[command(flatten)]
    index: IndexArgs,
    /// How to search, until /method says otherwise
    #[arg(short, long, value_enum, default_value = "local")]
    method: MethodArg,
    #[command(flatten)]
    answer: AnswerArgs,
    /// Keep the conversation in a file (JSONL), and go on with it if it is there
    #[arg(long, value_name = "FILE")]
    session: Option<PathBuf>,
}

/// Runs the command and gives its exit code.
pub fn run(args: &ChatArgs) -> u8 {
    talk(
        &args.index,
        args.method,
        &args.answer,
        args.session.as_deref(),
    )
}

/// Answers what is typed until the end of the input.
pub(super) fn talk(
    index: &IndexArgs,
    method: MethodArg,
    answer: &AnswerArgs,
    session: Option<&std::path::Path>,
) -> u8 {
    let opened = index.open().and_then(|asker| {
        can_ask(&asker, method.into())?;
        Ok((asker, Session::open(session)?))
    });
    let (asker, session) = match opened {
        Ok(opened) => opened,
        Err(error) => return failed(&error),
    };
    let is_terminal = std::io::stdin().is_terminal();
    let mut talk = Talk {
        links: Links::to(&asker.project.input_dir()),
        asker,
        session,
        method: method.into(),
        answer: answer.clone(),
        last: None,
        streams: std::io::stdout().is_terminal(),
    };
    if is_terminal {
        print(&format!(
            "{} search; /help lists what else can be typed",
            talk.method.as_str()
        ));
    }
    let mut failures = 0;
    let mut input = std::io::stdin().lock();
    loop {
        if is_terminal {
            print_part("> ");
        }
        let mut line = Vec::new();
        talk.asker.waits_for_input(true);
        let read = input.read_until(b'\n', &mut line);
        talk.asker.waits_for_input(false);
        match read {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => return failed(&QueryError::Output(error.to_string())),
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let word = line.split_whitespace().next();
        if matches!(word, Some("/quit" | "/exit" | "/q")) {
            break;
        }
        let command = line.strip_prefix('/');
        let done = match command {
            Some(command) => talk.obey(command).map(|text| print(&text)),
            None => talk.ask(line),
        };
        // Further answers would be paid for and seen by nobody.
        if output::is_over() {
            break;
        }
        match done {
            Ok(()) => {}
            // A slip of the finger is told, and costs no answer.
            Err(error) if command.is_some() && error.exit_code() == 2 => drop(failed(&error)),
            // Who types stops one answer and goes on.
            Err(QueryError::Model(CallError::Cancelled)) if is_terminal => {
                print("stopped; ask again, or /quit to leave");
                talk.asker.renew();
            }
            Err(error) => {
                failures += 1;
                let code = failed(&error);
                // Who types may start the server; a script has nothing to wait for.
                if code == 130 || (error.is_unreachable() && !is_terminal) {
                    return code;
                }
            }
        }
    }
    // Who types sees what failed; a script must be told.
    if failures > 0 && !is_terminal { 3 } else { 0 }
}

/// The method, unless it needs a model and there is none.
fn can_ask(asker: &Asker, method: Method) -> Result<Method, QueryError> {
    if method.needs_model() && !asker.has_chat(method) {
        let settings = &asker.project.settings;
        return Err(QueryError::NeedsModel {
            what: "drift search",
            model: settings.drift_search.completion_model_id.clone(),
            instead: "ask with local or global search",
        });
    }
    Ok(method)
}

struct Talk {
    asker: Asker,
    session: Session,
    method: Method,
    answer: AnswerArgs,
    last: Option<Answered>,
    streams: bool,
    links: Links,
}

fn wrong(words: String) -> QueryError {
    QueryError::Settings(words)
}

impl Talk {
    /// Answers and prints; an error may follow an answer that was not kept.
    fn ask(&mut self, text: &str) -> Result<(), QueryError> {
        let mut question = self.answer.question(self.method, text);
        question.history.clone_from(&self.session.turns);
        let streamed = self.streams && self.asker.has_chat(self.method);
        let answered = ask(&self.asker, &question, streamed)?;
        let kept = self.session.push(text, &answered.answer);
        print(&to_text(&answered, false, streamed, &self.links));
        let whole = whole(&answered);
        self.last = Some(answered);
        kept.and(whole)
    }

    fn obey(&mut self, command: &str) -> Result<String, QueryError> {
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        let rest = rest.trim();
        match word {
            "help" | "?" => Ok(HELP.to_owned()),
            "method" if rest.is_empty() => Ok(format!(
                "{} search; /method with local, global, basic or drift changes it",
                self.method.as_str()
            )),
            "method" => {
                let method = MethodArg::from_str(rest, true).map_err(|_| {
                    wrong(format!(
                        "there is no method '{}'; there are local, global, basic and drift",
                        printable_line(rest)
                    ))
                })?;
                self.method = can_ask(&self.asker, method.into())?;
                Ok(format!("{} search from now on", self.method.as_str()))
            }
            "level" => {
                self.answer.community_level = match rest {
                    "" => None,
                    rest => Some(rest.parse().map_err(|_| {
                        wrong(format!(
                            "'{}' is no level; write /level 1",
                            printable_line(rest)
                        ))
                    })?),
                };
                Ok("the level is set".to_owned())
            }
            "new" => {
                self.session.turns.clear();
                self.last = None;
                Ok("what was said before is forgotten (a session file keeps it)".to_owned())
            }
            "why" => Ok(evidence_text(self.last()?).trim().to_owned()),
            "sources" => self.sources(rest),
            _ => Err(wrong(format!(
                "there is no /{}; /help lists what there is",
                printable_line(word)
            ))),
        }
    }

    fn last(&self) -> Result<&Answered, QueryError> {
        self.last
            .as_ref()
            .ok_or_else(|| wrong("nothing was asked yet; type a question".to_owned()))
    }

    /// The sources of the last answer, or one of them in full.
    fn sources(&self, which: &str) -> Result<String, QueryError> {
        let evidence = self.last()?.evidence();
        let listed = evidence.listed();
        if which.is_empty() {
            let lines: Vec<String> = listed
                .iter()
                .map(|found| format!("[{}] {}", found.number, printable_line(&found.title)))
                .collect();
            return Ok(match lines.is_empty() {
                true => "the last answer cites nothing".to_owned(),
                false => lines.join("\n"),
            });
        }
        let number: usize = which.trim_matches(['[', ']']).parse().map_err(|_| {
            wrong(format!(
                "'{}' is no number; write /sources 3",
                printable_line(which)
            ))
        })?;
        let Some(found) = listed.iter().find(|found| found.number == number) else {
            return Err(wrong(format!(
                "the last answer has no source [{number}]; it has {}",
                listed.len()
            )));
        };
        let mut out = format!("[{number}] {} {}", found.kind, found.id);
        if let (Some(start), Some(end)) = (found.start, found.end) {
            out.push_str(&format!(", characters {start} to {end}"));
        }
        out.push_str(&format!(
            "\n{}\n\n{}",
            printable_line(&found.title),
            printable(&self.asker.index.text_of(found)?)
        ));
        for support in &found.supports {
            out.push_str(&format!(
                "\nfrom {} (source {})",
                printable_line(&support.document),
                support.source
            ));
        }
        Ok(out)
    }
}
