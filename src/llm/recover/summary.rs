//! Plain text: the summary of an entity's or a relationship's descriptions.

use super::json::{Node, Value};
use super::keys::{Field, Members};
use super::opened;
use super::outcome::{Code, FinishReason, Recovered, Repair};
use super::{Context, clean, phrases, prose, repetition};

const MAX_LEAD_CHARS: usize = 120;
const TEXT: Field = Field {
    key: "summary",
    aliases: "description text answer response output content result 摘要 描述",
};

pub(super) fn summary(
    answer: &str,
    finish: FinishReason,
    context: &Context<'_>,
) -> Recovered<String> {
    let mut opened = match opened::open(answer, finish, context.max_bytes) {
        Ok(opened) => opened,
        Err(end) => return opened::unusable(end),
    };
    if phrases::is_refusal(&opened.text)
        || phrases::is_non_answer(&opened.text) && opened.text.chars().count() < 60
    {
        return opened.nothing(Code::NoAnswer, false);
    }
    let mut text = opened.text.clone().into_owned();
    let looks_like_json = text
        .trim_start_matches('`')
        .trim_start_matches("json")
        .trim_start()
        .starts_with(['{', '[']);
    if looks_like_json {
        let mut json = opened.json();
        if let Some((inner, whole)) = from_json(&json.roots) {
            json.is_cut |= !whole;
            opened.use_json(&mut json);
            opened.notes.repair(Repair::Wrapper);
            text = inner;
        } else if json
            .roots
            .iter()
            .any(|root| matches!(root.value, Value::Map(_)))
        {
            return opened.nothing(Code::NoAnswer, json.is_cut);
        }
    }
    let text = without_frame(&text, &mut opened.notes.repairs);
    let mut text = clean::paragraph(&text);
    if let Some(once) = repetition::without_loop(&text) {
        opened.notes.repair(Repair::Repetition);
        opened.notes.warn_once(Code::Repetition);
        text = once.trim_end().to_owned();
    }
    if finish == FinishReason::Length || opened.notes.repairs.contains(Repair::Truncated) {
        opened.note_truncated();
        text = prose::whole_sentences(&text).unwrap_or("").to_owned();
    }
    if !text.chars().any(char::is_alphanumeric) {
        return opened.nothing(Code::EmptyResponse, finish == FinishReason::Length);
    }
    opened.usable(text, false)
}

/// The text of the first value that holds one.
fn from_json(roots: &[Node]) -> Option<(String, bool)> {
    let mut open: Vec<&Node> = roots.iter().rev().collect();
    let mut ignored = super::outcome::Notes::default();
    while let Some(node) = open.pop() {
        match &node.value {
            Value::Map(list) => {
                let members = Members::new(list);
                let found = members
                    .get(&TEXT, &mut ignored)
                    .and_then(|node| node.scalar().map(|text| (text, node.whole)));
                if found.is_some() {
                    return found;
                }
                open.extend(list.iter().rev().map(|(_, value)| value));
            }
            Value::List(items) => {
                let texts: Option<Vec<String>> = items.iter().map(Node::scalar).collect();
                match texts.filter(|texts| !texts.is_empty()) {
                    Some(texts) => return Some((texts.join(" "), node.whole)),
                    None => open.extend(items.iter().rev()),
                }
            }
            _ => {}
        }
    }
    None
}

/// Takes a fence, a lead such as "Here is the summary:" and outer quotes off.
fn without_frame(text: &str, repairs: &mut super::outcome::Repairs) -> String {
    let mut text = text.trim();
    if let Some(body) = text.strip_prefix("```") {
        repairs.add(Repair::Fence);
        let body =
            body.split_once('\n').map_or(
                body,
                |(language, rest)| if language.contains(' ') { body } else { rest },
            );
        text = body.trim_end().strip_suffix("```").unwrap_or(body).trim();
    }
    let first_line = text.lines().next().unwrap_or("");
    let lead = first_line
        .find([':', '：'])
        .map(|at| first_line.get(..at).unwrap_or(""));
    if let Some(lead) = lead.filter(|lead| lead.chars().count() <= MAX_LEAD_CHARS && is_lead(lead))
    {
        let rest = text
            .get(lead.len()..)
            .unwrap_or("")
            .trim_start_matches([':', '：', '*', ' ', '\n', '\r']);
        if !rest.is_empty() {
            repairs.add(Repair::Prose);
            text = rest;
        }
    }
    let unwrapped = clean::unwrap(text);
    let is_quoted =
        unwrapped.len() < text.len() && text.starts_with(['"', '“', '\'', '`', '「', '«']);
    if is_quoted {
        unwrapped
    } else {
        text.to_owned()
    }
}

fn is_lead(lead: &str) -> bool {
    let lead = lead.trim_matches(['*', '#', ' ', '"']).to_lowercase();
    let is_announcement = [
        "here is",
        "here's",
        "sure",
        "certainly",
        "of course",
        "below is",
        "okay",
        "the following is",
        "以下",
    ]
    .iter()
    .any(|start| lead.starts_with(start));
    is_announcement
        || matches!(
            lead.as_str(),
            "summary"
                | "description"
                | "output"
                | "answer"
                | "comprehensive summary"
                | "final summary"
                | "comprehensive description"
                | "摘要"
                | "总结"
                | "要約"
        )
}
