//! What was said before, as a model reads it: the original's table of a conversation, the latest turn first.

use serde::{Deserialize, Serialize};

use super::Count;
use super::table::field;
use crate::report::citations;

/// A question with its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// What was asked.
    pub question: String,
    /// What was answered.
    #[serde(default)]
    pub answer: String,
}

/// The turns that are given to a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The table; empty where there is no turn.
    pub text: String,
    /// Its tokens.
    pub tokens: usize,
}

const HEAD: &str = "-----Conversation History-----\nturn|content\n";

/// The last `most` turns that fit into `budget` tokens, the latest first. An answer that does not fit is left out before its
/// question is. Answers go without citations: their numbers belong to another context.
pub fn history(turns: &[Turn], most: usize, budget: usize, count: Count<'_>) -> History {
    let mut history = History {
        text: HEAD.to_owned(),
        tokens: count(HEAD),
    };
    let mut rows = 0;
    for turn in turns.iter().rev().take(most) {
        let asked = format!("user|{}\n", field(turn.question.trim()));
        let answer = citations::strip(&turn.answer);
        let answered = match answer.trim() {
            "" => String::new(),
            answer => format!("assistant|{}\n", field(answer)),
        };
        let (first, second) = (count(&asked), count(&answered));
        if history.tokens + first > budget {
            break;
        }
        history.text.push_str(&asked);
        history.tokens += first;
        rows += 1;
        if history.tokens + second > budget {
            break;
        }
        history.text.push_str(&answered);
        history.tokens += second;
    }
    if rows == 0 {
        return History::default();
    }
    history
}

impl History {
    /// The table before `text`, as a context begins with it.
    pub fn before(&self, text: &str) -> String {
        match (self.text.as_str(), text) {
            ("", text) => text.to_owned(),
            (history, "") => history.to_owned(),
            (history, text) => format!("{history}\n\n{text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns() -> Vec<Turn> {
        let turn = |question: &str, answer: &str| Turn {
            question: question.into(),
            answer: answer.into(),
        };
        vec![
            turn("first?", "One [Data: Sources (3)]."),
            turn("second?", "a|b"),
            turn("third?", ""),
        ]
    }

    #[test]
    fn the_latest_turns_come_first_and_answers_go_without_citations() {
        let shown = history(&turns(), 5, 10_000, &|text| text.len());
        assert_eq!(
            shown.text,
            "-----Conversation History-----\nturn|content\nuser|third?\nuser|second?\nassistant|\"a|b\"\nuser|first?\nassistant|One.\n"
        );
        assert_eq!(shown.tokens, shown.text.len());
        assert_eq!(shown.before("tables"), format!("{}\n\ntables", shown.text));
    }

    #[test]
    fn turns_and_tokens_bound_it() {
        let shown = history(&turns(), 1, 10_000, &|text| text.len());
        assert!(shown.text.ends_with("turn|content\nuser|third?\n"));
        // 44 bytes of head, 12 and 13 of the two questions; the second answer does not fit.
        let shown = history(&turns(), 5, HEAD.len() + 25, &|text| text.len());
        assert!(
            shown.text.ends_with("user|third?\nuser|second?\n"),
            "{}",
            shown.text
        );
        assert_eq!(
            history(&turns(), 5, 10, &|text| text.len()),
            History::default()
        );
        assert_eq!(history(&[], 5, 999, &|text| text.len()).before("x"), "x");
    }
}
