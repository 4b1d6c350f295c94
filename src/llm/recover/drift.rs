//! DRIFT's answers: an intermediate answer, its score, and follow-up questions.

use super::json::{Node, Value};
use super::keys::{Field, Members};
use super::map::NEUTRAL_SCORE;
use super::opened;
use super::outcome::{Code, FinishReason, Notes, Recovered, Repair};
use super::{Context, clean, number, phrases, prose, repetition};

const MAX_SCORE: f64 = 100.0;
const MAX_FOLLOW_UPS: usize = 50;
const PRIMER_ANSWER: Field = Field {
    key: "intermediate_answer",
    aliases: "answer response content text intermediate_response",
};
const ACTION_ANSWER: Field = Field {
    key: "response",
    aliases: "answer intermediate_answer content text result",
};
const SCORE: Field = Field {
    key: "score",
    aliases: "rating relevance confidence importance",
};
const FOLLOW_UPS: Field = Field {
    key: "follow_up_queries",
    aliases: "follow_up_questions followups follow_ups followup_queries followup_questions \
        follow_up queries questions",
};
const QUERY: Field = Field {
    key: "query",
    aliases: "question text follow_up_query content",
};

/// One answer of DRIFT search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DriftAnswer {
    /// Markdown with citations.
    pub answer: String,
    /// How well it answers the question, 0 to 100.
    pub score: f64,
    /// Questions to ask next, in order, without repeats.
    pub follow_ups: Vec<String>,
}

pub(super) fn primer(
    answer: &str,
    finish: FinishReason,
    context: &Context<'_>,
) -> Recovered<DriftAnswer> {
    drift(answer, finish, context, &PRIMER_ANSWER)
}

pub(super) fn action(
    answer: &str,
    finish: FinishReason,
    context: &Context<'_>,
) -> Recovered<DriftAnswer> {
    drift(answer, finish, context, &ACTION_ANSWER)
}

fn drift(
    answer: &str,
    finish: FinishReason,
    context: &Context<'_>,
    field: &Field,
) -> Recovered<DriftAnswer> {
    let mut opened = match opened::open(answer, finish, context.max_bytes) {
        Ok(opened) => opened,
        Err(end) => return opened::unusable(end),
    };
    let mut json = opened.json();
    let is_payload = |members: &Members<'_>| {
        members.has(field)
            && (members.has(&SCORE) || members.has(&FOLLOW_UPS) || members.len() == 1)
    };
    json.open_embedded(is_payload, finish);
    json.drop_drafts(&opened.text, is_payload);
    let mut notes = Notes::default();
    let found = payload(&json.roots, is_payload)
        .and_then(|members| read(&members, field, json.is_cut, &mut notes));
    let value = match found {
        Some(value) => {
            opened.use_json(&mut json);
            value
        }
        None if json.is_empty()
            && !phrases::is_refusal(&opened.text)
            && !opened.text.starts_with(['{', '[']) =>
        {
            let text = opened.text.clone();
            let mut text = text.trim();
            if finish == FinishReason::Length {
                opened.note_truncated();
                text = prose::whole_sentences(text).unwrap_or("");
            }
            notes.repair(Repair::Markdown);
            notes.warn(Code::Prose);
            DriftAnswer {
                answer: clean::paragraph(text),
                score: NEUTRAL_SCORE,
                follow_ups: Vec::new(),
            }
        }
        None => {
            let code = if json.is_empty() {
                Code::NoJson
            } else {
                Code::NoAnswer
            };
            return opened.nothing(code, json.is_cut);
        }
    };
    opened.notes.repairs.merge(notes.repairs);
    opened.notes.warnings.append(&mut notes.warnings);
    if value.answer.is_empty() && value.follow_ups.is_empty() {
        return opened.nothing(Code::NoAnswer, json.is_cut);
    }
    opened.usable(value, false)
}

fn payload(roots: &[Node], is_payload: impl Fn(&Members<'_>) -> bool) -> Option<Members<'_>> {
    let mut last = None;
    let mut open: Vec<&Node> = roots.iter().rev().collect();
    while let Some(node) = open.pop() {
        match &node.value {
            Value::List(items) => open.extend(items.iter().rev()),
            Value::Map(list) => {
                let members = Members::new(list);
                if is_payload(&members) {
                    last = Some(members);
                } else {
                    open.extend(list.iter().rev().map(|(_, value)| value));
                }
            }
            _ => {}
        }
    }
    last
}

fn read(
    members: &Members<'_>,
    field: &Field,
    is_cut: bool,
    notes: &mut Notes,
) -> Option<DriftAnswer> {
    let node = members.get(field, notes)?;
    let mut answer = clean::paragraph(&node.scalar()?);
    if !node.whole {
        answer = prose::whole_sentences(&answer)?.to_owned();
    }
    if let Some(once) = repetition::without_loop(&answer) {
        notes.repair(Repair::Repetition);
        notes.warn_once(Code::Repetition);
        answer = once.trim_end().to_owned();
    }
    let score = match members
        .get(&SCORE, notes)
        .filter(|node| node.whole && !node.is_null())
    {
        None => {
            if !is_cut {
                notes.repair(Repair::Default);
                notes.warn(Code::MissingScore);
            }
            NEUTRAL_SCORE
        }
        Some(node) => match number::of(node) {
            Some(number) => {
                let mut score = number.on(MAX_SCORE);
                if number.scale.is_none() && score > 0.0 && score < 1.0 {
                    notes.repair(Repair::Number);
                    notes.warn(Code::ScoreScaled);
                    score *= MAX_SCORE;
                }
                if !(0.0..=MAX_SCORE).contains(&score) {
                    notes.repair(Repair::Number);
                    notes.warn(Code::ScoreOutOfRange);
                }
                score.clamp(0.0, MAX_SCORE)
            }
            None => {
                notes.repair(Repair::Number);
                notes.warn(Code::BadScore);
                NEUTRAL_SCORE
            }
        },
    };
    let follow_ups = members
        .get(&FOLLOW_UPS, notes)
        .map(|node| follow_ups(node, notes))
        .unwrap_or_default();
    Some(DriftAnswer {
        answer,
        score,
        follow_ups,
    })
}

fn follow_ups(node: &Node, notes: &mut Notes) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut push = |text: &str| {
        let text = prose::list_item(text).unwrap_or(text).trim();
        let is_new = !found.iter().any(|known| known == text);
        if is_new && found.len() < MAX_FOLLOW_UPS && text.chars().any(char::is_alphanumeric) {
            found.push(text.to_owned());
        }
    };
    match &node.value {
        Value::List(items) => {
            for item in items.iter().filter(|item| item.whole) {
                match &item.value {
                    Value::Text(text) => push(text),
                    Value::Map(list) => {
                        notes.repair(Repair::Shape);
                        if let Some(text) = Members::new(list)
                            .get(&QUERY, &mut Notes::default())
                            .and_then(Node::scalar)
                        {
                            push(&text);
                        }
                    }
                    _ => notes.repair(Repair::DroppedRow),
                }
            }
        }
        Value::Text(text) if node.whole => {
            notes.repair(Repair::Shape);
            text.lines().for_each(push);
        }
        Value::Map(list) => {
            notes.repair(Repair::Shape);
            list.iter()
                .filter(|(_, node)| node.whole)
                .filter_map(|(_, node)| node.scalar())
                .for_each(|text| push(&text));
        }
        _ => {}
    }
    found
}
