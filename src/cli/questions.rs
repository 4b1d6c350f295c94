//! `belvedere questions`.

use clap::Args;

use super::print;
use super::query::{IndexArgs, failed};
use crate::query::show::printable_line;
use crate::query::{Method, QueryError, Suggestions};

/// Options of `belvedere questions`.
#[derive(Args)]
pub struct QuestionsArgs {
    /// Questions asked before, the latest last: follow-ups are about what it asked for
    asked: Vec<String>,
    #[command(flatten)]
    index: IndexArgs,
    /// How many of each kind
    #[arg(short = 'n', long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=50))]
    count: u32,
    /// Level of the community reports, 0 the coarsest; by default 2, or the deepest there is
    #[arg(long, value_name = "N")]
    community_level: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command and gives its exit code.
pub fn run(args: &QuestionsArgs) -> u8 {
    match suggest(args) {
        Ok(found) => match args.json {
            true => match serde_json::to_string_pretty(&found) {
                Ok(text) => {
                    print(&text);
                    0
                }
                Err(error) => failed(&QueryError::Output(error.to_string())),
            },
            false => {
                print(&to_text(&found));
                0
            }
        },
        Err(error) => failed(&error),
    }
}

fn suggest(args: &QuestionsArgs) -> Result<Suggestions, QueryError> {
    let asker = args.index.open()?;
    let desk = asker.desk(Method::Local)?;
    let engine = desk.engine();
    asker.wait(engine.suggest(&args.asked, args.count as usize, args.community_level))
}

fn to_text(found: &Suggestions) -> String {
    let mut out = String::new();
    for (heading, questions) in [("Themes", &found.themes), ("Follow-ups", &found.follow_ups)] {
        if questions.is_empty() {
            continue;
        }
        out.push_str(&format!("{heading}\n"));
        for question in questions {
            out.push_str(&format!("  {}\n", printable_line(question)));
        }
        out.push('\n');
    }
    for note in &found.notes {
        out.push_str(&format!("({})\n", printable_line(note)));
    }
    out
}
