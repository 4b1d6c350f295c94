//! The same question again after an answer that could not be used, and never with the very same request.
//!
//! First with another seed and temperature, then with a corrective sentence as well; a cut answer gets more room. What is
//! asked depends only on the question and on the answers rejected so far, so a resumed run asks what the killed one would
//! have asked.

use serde::{Deserialize, Serialize};

use super::answer::RawAnswer;
use super::error::shown;
use super::quirks::Quirks;
use super::request::{Message, Params, Role};

/// Opens the corrective sentence; a test server uses it to recognise one.
pub const NUDGE: &str = "Your previous answer could not be used";

/// Room for an answer whose limit was the server's own and unknown.
const FIRST_ROOM: u32 = 4096;
/// No answer is asked to be longer than this.
const MOST_ROOM: u32 = 65_536;

/// What was wrong with a received answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fault {
    /// Could not be used.
    Unusable,
    /// Cut off by its length limit.
    Cut,
    /// Final: a refusal.
    Refused,
    /// Final: the provider filters this content.
    Filtered,
    /// Final for this very request: the prompt does not fit.
    TooLong,
}

/// A received answer that was not accepted, as remembered on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rejection {
    /// Which run it belongs to: attempts are counted within a run.
    pub run: u64,
    pub fault: Fault,
    /// What the judge or the provider said.
    pub why: String,
    /// The limit that was asked for, when one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<u32>,
    /// What came, so that a resumed run can still use a part of it.
    pub answer: RawAnswer,
}

/// The question to send after `history`.
pub(crate) fn next_question(
    messages: &[Message],
    params: &Params,
    history: &[Rejection],
    quirks: &Quirks,
) -> (Vec<Message>, Params) {
    let mut messages = messages.to_vec();
    let mut params = params.clone();
    let mut unusable = 0u32;
    for rejection in history {
        let larger = match rejection.fault {
            Fault::Cut => larger_room(
                params.max_output_tokens.or(rejection.room),
                &rejection.answer,
                quirks.max_output,
            ),
            _ => None,
        };
        match larger {
            Some(room) => params.max_output_tokens = Some(room),
            None => unusable += 1,
        }
    }
    if unusable > 0 {
        params.seed = Some(params.seed.unwrap_or(0).wrapping_add(i64::from(unusable)));
        // up from wherever it is, within what every provider takes
        params.temperature = params
            .temperature
            .map(|t| (t + 0.2 * f64::from(unusable)).min(t.max(1.0)));
    }
    let sampling_ignored =
        quirks.no_seed && (quirks.no_temperature || params.temperature.is_none());
    if (unusable > 1 || (unusable == 1 && sampling_ignored))
        && let Some(last) = history.last()
    {
        nudge(&mut messages, unusable, &last.why);
    }
    (messages, params)
}

/// Twice the room, or `None` when there is no more to be had.
fn larger_room(asked: Option<u32>, answer: &RawAnswer, most: Option<u32>) -> Option<u32> {
    let used = answer.usage.map_or(0, |usage| {
        u32::try_from(usage.completion_tokens).unwrap_or(u32::MAX)
    });
    let now = asked.unwrap_or(0).max(used);
    // A limit that the user set is small on purpose: it is doubled, not replaced.
    let least = asked.map_or(FIRST_ROOM, |_| 0);
    let room = now
        .saturating_mul(2)
        .max(least)
        .min(most.unwrap_or(MOST_ROOM))
        .min(MOST_ROOM);
    (room > now).then_some(room)
}

/// Adds a corrective sentence to the last turn of the asker (some servers insist on alternating turns).
fn nudge(messages: &mut Vec<Message>, times: u32, why: &str) {
    // quotes in it would be taken for part of the data that prompts end with
    let why = shown(why).replace(['"', '`'], "'");
    let text = format!(
        "\n\n{NUDGE} ({why}; try {}). Answer again and keep exactly to the form asked for above.",
        times + 1
    );
    match messages
        .iter_mut()
        .rfind(|message| message.role == Role::User)
    {
        Some(last) => last.content = format!("{}{text}", last.content).into(),
        None => messages.push(Message::user(text.trim_start().to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::Usage;
    use super::*;

    fn rejection(fault: Fault, completion_tokens: u64) -> Rejection {
        let usage = Some(Usage {
            prompt_tokens: 10,
            completion_tokens,
            cached_tokens: 0,
        });
        Rejection {
            run: 0,
            fault,
            why: "no \"json\"".into(),
            room: None,
            answer: RawAnswer {
                usage,
                ..RawAnswer::default()
            },
        }
    }

    #[test]
    fn no_question_of_a_series_equals_another() {
        for quirks in [
            Quirks::default(),
            Quirks {
                no_seed: true,
                no_temperature: true,
                ..Quirks::default()
            },
        ] {
            let messages = [Message::system("s"), Message::user("question")];
            let params = Params {
                temperature: Some(0.0),
                ..Params::default()
            };
            let mut history = Vec::new();
            let mut seen = Vec::new();
            for _ in 0..6 {
                let (messages, params) = next_question(&messages, &params, &history, &quirks);
                let sampling = if quirks.no_seed {
                    None
                } else {
                    Some((params.seed, params.temperature.map(f64::to_bits)))
                };
                let sent = (format!("{messages:?}"), sampling);
                assert!(!seen.contains(&sent), "{sent:?}");
                seen.push(sent);
                history.push(rejection(Fault::Unusable, 5));
            }
        }
    }

    #[test]
    fn a_cut_answer_gets_twice_the_room_up_to_what_the_model_has() {
        let messages = [Message::user("q")];
        let params = Params {
            max_output_tokens: Some(3000),
            ..Params::default()
        };
        let quirks = Quirks {
            max_output: Some(8000),
            ..Quirks::default()
        };
        let room = |n: usize| {
            let history = vec![rejection(Fault::Cut, 3000); n];
            next_question(&messages, &params, &history, &quirks).1
        };
        assert_eq!(room(1).max_output_tokens, Some(6000));
        assert_eq!(room(2).max_output_tokens, Some(8000));
        // no more room: ask differently instead
        assert_eq!(
            (room(3).max_output_tokens, room(3).seed),
            (Some(8000), Some(1))
        );
        assert_eq!(room(1).seed, None);
        // small on purpose, on a slow machine
        let small = Params {
            max_output_tokens: Some(400),
            ..Params::default()
        };
        let history = [rejection(Fault::Cut, 400)];
        let again = next_question(&messages, &small, &history, &quirks).1;
        assert_eq!(again.max_output_tokens, Some(800));
    }

    #[test]
    fn a_correction_joins_the_askers_last_turn_without_quotes() {
        let messages = [
            Message::user("q"),
            Message::assistant("a"),
            Message::user("more"),
        ];
        let history = vec![rejection(Fault::Unusable, 1); 2];
        let (asked, params) =
            next_question(&messages, &Params::default(), &history, &Quirks::default());
        assert_eq!((asked.len(), params.temperature), (3, None));
        assert!(
            asked[2].content.starts_with("more\n\nYour previous answer"),
            "{}",
            asked[2].content
        );
        assert!(!asked[2].content.contains('"'));
    }
}
