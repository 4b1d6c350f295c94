//! The first look at an answer, the same for every stage: is there text, where is the JSON in it, was it cut?

use std::borrow::Cow;

use super::json::{self, Ending, Node, Value};
use super::keys::Members;
use super::outcome::{Code, FinishReason, Notes, RecoverOutcome, Recovered, Repair, Warning};
use super::{html, phrases, reasoning, repetition};

/// Text inside values is opened this many times: a tool call in a wrapper, and one more.
const MAX_EMBEDDINGS: usize = 3;
const LEAD_CHARS: usize = 80;
const FINAL_CUES: &[&str] = &[
    "final answer",
    "final output",
    "final json",
    "final result",
    "corrected",
    "revised",
    "improved version",
    "correct json",
    "correct output",
    "correct answer",
    "actual output",
    "actual answer",
    "real answer",
];
const EXAMPLE_CUES: &[&str] = &[
    "for example",
    "e.g.",
    "example output",
    "example format",
    "example:",
    "schema",
    "template",
    "in the format",
];

/// Why an answer ended before any stage could read it.
pub(super) type Unusable = (RecoverOutcome, Vec<Warning>);

/// An answer with its reasoning taken off.
pub(super) struct Opened<'a> {
    pub text: Cow<'a, str>,
    pub finish: FinishReason,
    pub notes: Notes,
    strict: Option<Node>,
}

/// The JSON of an answer.
#[derive(Default)]
pub(super) struct Json {
    pub roots: Vec<Node>,
    /// The end of the text cut the last value.
    pub is_cut: bool,
    /// What reading it took; merged into the answer's notes only where the JSON is used.
    pub notes: Notes,
    text_spans: Vec<(usize, usize)>,
}

pub(super) fn open(
    answer: &str,
    finish: FinishReason,
    max_bytes: usize,
) -> Result<Opened<'_>, Unusable> {
    let mut notes = Notes::default();
    let mut text = answer.trim_matches(is_blank);
    if text.len() > max_bytes {
        let end = (0..=max_bytes)
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0);
        text = &text[..end];
        notes.repair(Repair::TooLarge);
        notes.warn(Code::TooLarge);
    }
    if text.is_empty() {
        return Err(no_text(finish, false, notes));
    }
    let mut text = Cow::Borrowed(text);
    let mut strict = strict_value(&text);
    for _ in 0..MAX_EMBEDDINGS {
        let Some(Node {
            value: Value::Text(inner),
            ..
        }) = strict
        else {
            break;
        };
        notes.repair(Repair::EmbeddedText);
        strict = strict_value(inner.trim());
        text = Cow::Owned(inner);
    }
    if strict.is_none() {
        let answer = reasoning::strip(&text);
        if answer.had_reasoning {
            notes.repair(Repair::Reasoning);
        }
        if answer.text.trim_matches(is_blank).is_empty() {
            return Err(no_text(finish, answer.unclosed, notes));
        }
        if answer.had_tokens {
            notes.repair(Repair::Prose);
        }
        let has_changed = answer.had_reasoning || answer.had_tokens;
        let kept = answer.text.into_owned();
        if has_changed {
            strict = strict_value(&kept);
        }
        text = Cow::Owned(unescape_html(kept, &mut notes));
    }
    Ok(Opened {
        text,
        finish,
        notes,
        strict,
    })
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\0')
}

fn strict_value(text: &str) -> Option<Node> {
    text.starts_with(['{', '[', '"'])
        .then(|| json::strict(text))
        .flatten()
}

/// An answer that went through an HTML page as a whole.
fn unescape_html(text: String, notes: &mut Notes) -> String {
    let is_escaped = (text.contains("&quot;") && !text.contains('"')) || text.contains("&lt;|&gt;");
    if !is_escaped {
        return text;
    }
    notes.repair(Repair::Escapes);
    html::unescape(&text)
}

fn no_text(finish: FinishReason, unclosed: bool, mut notes: Notes) -> Unusable {
    let outcome = match finish {
        FinishReason::ContentFilter => RecoverOutcome::Failed(Code::ContentFilter),
        FinishReason::Length => RecoverOutcome::Retry(Code::ReasoningBudget),
        _ if unclosed => RecoverOutcome::Retry(Code::NoJson),
        _ => RecoverOutcome::Retry(Code::EmptyResponse),
    };
    if let RecoverOutcome::Failed(code) | RecoverOutcome::Retry(code) = outcome {
        notes.warn(code);
    }
    (outcome, notes.warnings)
}

impl Opened<'_> {
    /// The JSON values of the answer; empty when there are none.
    pub fn json(&mut self) -> Json {
        let mut json = Json::default();
        if let Some(node) = self.strict.take() {
            if node.has_duplicate_key() {
                json.notes.repair(Repair::DuplicateKey);
                json.notes.warn(Code::DuplicateKey);
            }
            json.roots.push(node);
            return json;
        }
        json.read(&self.text, self.finish);
        json
    }

    /// Takes over what reading the JSON took, once it is used.
    pub fn use_json(&mut self, json: &mut Json) {
        self.notes.repairs.merge(json.notes.repairs);
        self.notes.warnings.append(&mut json.notes.warnings);
        if json.is_cut {
            self.note_truncated();
        }
    }

    pub fn note_truncated(&mut self) {
        self.notes.repair(Repair::Truncated);
        self.notes.warn_once(Code::Truncated);
        if repetition::without_loop(&self.text).is_some() {
            self.notes.warn_once(Code::Repetition);
        }
    }

    /// The end of an answer that holds nothing usable.
    pub fn nothing<T: Default>(mut self, code: Code, is_cut: bool) -> Recovered<T> {
        let is_refusal = phrases::is_refusal(&self.text);
        let outcome = if is_refusal {
            RecoverOutcome::Failed(Code::Refusal)
        } else if self.finish == FinishReason::ContentFilter {
            RecoverOutcome::Failed(Code::ContentFilter)
        } else if is_cut || self.finish == FinishReason::Length {
            self.note_truncated();
            RecoverOutcome::Retry(Code::Truncated)
        } else {
            RecoverOutcome::Retry(code)
        };
        if let RecoverOutcome::Failed(code) | RecoverOutcome::Retry(code) = outcome {
            self.notes.warn_once(code);
        }
        Recovered {
            outcome,
            value: T::default(),
            warnings: self.notes.warnings,
        }
    }

    /// The end of an answer that holds a value.
    pub fn usable<T>(mut self, value: T, is_empty: bool) -> Recovered<T> {
        if self.finish == FinishReason::ContentFilter {
            self.notes.repair(Repair::ContentFilter);
            self.notes.warn(Code::ContentFilter);
        }
        let outcome = self.notes.usable(is_empty);
        Recovered {
            outcome,
            value,
            warnings: self.notes.warnings,
        }
    }

    /// The end of an answer that says in prose that there is nothing.
    pub fn says_nothing<T: Default>(mut self) -> Recovered<T> {
        self.notes.warn(Code::NonAnswer);
        Recovered {
            outcome: RecoverOutcome::Empty,
            value: T::default(),
            warnings: self.notes.warnings,
        }
    }
}

pub(super) fn unusable<T: Default>((outcome, warnings): Unusable) -> Recovered<T> {
    Recovered {
        outcome,
        value: T::default(),
        warnings,
    }
}

impl Json {
    fn read(&mut self, text: &str, finish: FinishReason) {
        let document = json::read(text);
        self.notes.repairs.merge(document.repairs);
        if let Some(last) = document.roots.last() {
            let is_length = finish == FinishReason::Length;
            let is_cut = match last.ending {
                Ending::Closed => is_length && document.roots.len() > 1,
                Ending::Stopped => is_length,
                Ending::Open { lists } => is_length || lists > 0,
                Ending::Cut => true,
            };
            self.is_cut |= is_cut;
            if last.ending != Ending::Closed && !is_cut {
                self.notes.repair(Repair::Brackets);
            }
        }
        if document
            .roots
            .iter()
            .any(|root| root.node.has_duplicate_key())
        {
            self.notes.repair(Repair::DuplicateKey);
            self.notes.warn_once(Code::DuplicateKey);
        }
        if document.repairs.contains(Repair::Ellipsis) {
            self.notes.warn_once(Code::Ellipsis);
        }
        for root in document.roots {
            self.text_spans.push((root.start, root.end));
            self.roots.push(root.node);
        }
    }

    /// Whether there is nothing in it that could hold a stage's answer: no value, or bare words in brackets.
    pub fn is_empty(&self) -> bool {
        !self.roots.iter().any(|root| match &root.value {
            Value::Map(_) => true,
            Value::List(items) => {
                items.is_empty()
                    || items
                        .iter()
                        .any(|item| matches!(item.value, Value::Map(_) | Value::List(_)))
            }
            _ => false,
        })
    }

    /// Whether a map of the kind looked for is there.
    pub fn holds(&self, is_payload: impl Fn(&Members<'_>) -> bool) -> bool {
        self.roots.iter().any(|root| holds(root, &is_payload))
    }

    /// Makes the text inside string values part of the roots, until a payload is found.
    pub fn open_embedded(
        &mut self,
        is_payload: impl Fn(&Members<'_>) -> bool,
        finish: FinishReason,
    ) {
        for _ in 0..MAX_EMBEDDINGS {
            if self.holds(&is_payload) {
                return;
            }
            let mut inner = Self::default();
            for (text, whole) in self.texts() {
                let trimmed = text.trim();
                if !trimmed
                    .trim_start_matches('`')
                    .trim_start_matches("json")
                    .trim_start()
                    .starts_with(['{', '[', '"'])
                {
                    continue;
                }
                match json::strict(trimmed) {
                    Some(node) => inner.roots.push(node),
                    None => inner.read(trimmed, finish),
                }
                inner.is_cut |= !whole;
            }
            if inner.roots.is_empty() {
                return;
            }
            inner.notes.repair(Repair::EmbeddedText);
            self.notes.repairs.merge(inner.notes.repairs);
            self.notes.warnings.append(&mut inner.notes.warnings);
            self.is_cut |= inner.is_cut;
            self.roots = inner.roots;
            self.text_spans.clear();
        }
    }

    /// All strings, in order.
    pub fn texts(&self) -> Vec<(&str, bool)> {
        let mut found = Vec::new();
        let mut open: Vec<&Node> = self.roots.iter().rev().collect();
        while let Some(node) = open.pop() {
            match &node.value {
                Value::Text(text) => found.push((text.as_str(), node.whole)),
                Value::List(items) => open.extend(items.iter().rev()),
                Value::Map(members) => open.extend(members.iter().rev().map(|(_, node)| node)),
                _ => {}
            }
        }
        found
    }

    /// Drops values that the prose around them calls an example or has corrected since.
    pub fn drop_drafts(&mut self, text: &str, is_payload: impl Fn(&Members<'_>) -> bool) {
        if self.text_spans.len() < 2 || self.text_spans.len() != self.roots.len() {
            return;
        }
        let payloads: Vec<usize> = (0..self.roots.len())
            .filter(|&at| {
                self.roots
                    .get(at)
                    .is_some_and(|root| holds(root, &is_payload))
            })
            .collect();
        if payloads.len() < 2 {
            return;
        }
        let lead = |at: usize| -> String {
            let from = at
                .checked_sub(1)
                .and_then(|before| self.text_spans.get(before))
                .map_or(0, |span| span.1);
            let to = self.text_spans.get(at).map_or(0, |span| span.0);
            let gap = text.get(from..to).unwrap_or("");
            let skipped = gap.chars().count().saturating_sub(LEAD_CHARS);
            gap.chars().skip(skipped).collect::<String>().to_lowercase()
        };
        let first_kept = payloads
            .iter()
            .rposition(|&at| FINAL_CUES.iter().any(|cue| lead(at).contains(cue)))
            .unwrap_or(0);
        let last = payloads.len() - 1;
        let dropped: Vec<usize> = payloads
            .iter()
            .enumerate()
            .filter(|&(order, &at)| {
                order < first_kept
                    || (order < last && EXAMPLE_CUES.iter().any(|cue| lead(at).contains(cue)))
            })
            .map(|(_, &at)| at)
            .collect();
        let mut at = 0;
        self.roots.retain(|_| {
            at += 1;
            dropped.binary_search(&(at - 1)).is_err()
        });
        self.text_spans.clear();
    }
}

fn holds(root: &Node, is_payload: &impl Fn(&Members<'_>) -> bool) -> bool {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        match &node.value {
            Value::List(items) => open.extend(items),
            Value::Map(members) => {
                if is_payload(&Members::new(members)) {
                    return true;
                }
                open.extend(members.iter().map(|(_, node)| node));
            }
            _ => {}
        }
    }
    false
}
