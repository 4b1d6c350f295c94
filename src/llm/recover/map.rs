//! The points of a map answer.

use super::examples::Detector;
use super::json::{Node, Value};
use super::keys::{Field, Members};
use super::opened::{self, Json, Opened};
use super::outcome::{Code, FinishReason, Notes, Recovered, Repair};
use super::{Context, clean, number, phrases, prose, repetition};

const MAX_SCORE: f64 = 100.0;
/// Where the answer gives none: the middle of the scale.
pub(super) const NEUTRAL_SCORE: f64 = 50.0;

const POINTS: Field = Field {
    key: "points",
    aliases: "key_points keypoints responses answers results findings items insights point 要点 关键点 \
        ポイント",
};
const DESCRIPTION: Field = Field {
    key: "description",
    aliases: "answer point text content summary key_point explanation response insight statement \
        描述 说明 説明",
};
const SCORE: Field = Field {
    key: "score",
    aliases: "importance_score importance rating relevance relevance_score helpfulness weight \
        rank 评分 分数 スコア",
};

/// A point of a map answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapPoint {
    /// What it says, citations included.
    pub description: String,
    /// Importance for the question, 0 to 100.
    pub score: f64,
}

fn is_payload(members: &Members<'_>) -> bool {
    members.iter().any(|(key, _, node)| {
        POINTS.is_named(key) && matches!(node.value, Value::List(_) | Value::Map(_) | Value::Null)
    })
}

fn is_point(members: &Members<'_>) -> bool {
    members.has(&DESCRIPTION) && members.has(&SCORE)
}

pub(super) fn map_points(
    answer: &str,
    finish: FinishReason,
    context: &Context<'_>,
) -> Recovered<Vec<MapPoint>> {
    let mut opened = match opened::open(answer, finish, context.max_bytes) {
        Ok(opened) => opened,
        Err(end) => return opened::unusable(end),
    };
    let mut json = opened.json();
    let is_rows = |members: &Members<'_>| is_payload(members) || is_point(members);
    json.open_embedded(is_rows, finish);
    json.drop_drafts(&opened.text, is_rows);
    let mut notes = Notes::default();
    let mut points = match from_json(&json, &mut notes) {
        Some(points) => {
            opened.use_json(&mut json);
            points
        }
        None if opened.finish != FinishReason::ContentFilter
            && phrases::is_non_answer(&opened.text) =>
        {
            return opened.says_nothing();
        }
        None if !is_prose(&opened, &json) => {
            let code = if json.is_empty() {
                Code::NoJson
            } else {
                Code::NoPoints
            };
            return opened.nothing(code, json.is_cut);
        }
        None => from_prose(&mut opened, &mut notes),
    };
    opened.notes.repairs.merge(notes.repairs);
    opened.notes.warnings.append(&mut notes.warnings);
    let had_points = !points.is_empty();
    let detector = Detector::new(context.examples, context.passage);
    points.retain(|point| {
        let is_example = detector.is_example(&point.description);
        if is_example {
            opened.notes.repair(Repair::PromptExample);
            opened
                .notes
                .warn_about(Code::PromptExample, &point.description);
        }
        !is_example
    });
    if points.is_empty() && had_points {
        return opened.nothing(Code::PromptExample, false);
    }
    if points.is_empty() && opened.notes.repairs.contains(Repair::Truncated) {
        return opened.nothing(Code::Truncated, true);
    }
    let is_empty = points.is_empty();
    opened.usable(points, is_empty)
}

fn from_json(json: &Json, notes: &mut Notes) -> Option<Vec<MapPoint>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut found = false;
    let mut payloads = 0;
    let mut open: Vec<(&Node, usize)> = json.roots.iter().rev().map(|root| (root, 0)).collect();
    while let Some((node, depth)) = open.pop() {
        match &node.value {
            Value::List(items) => {
                let is_text_list = depth == 0
                    && !items.is_empty()
                    && items
                        .iter()
                        .all(|item| matches!(item.value, Value::Text(_)));
                if items.is_empty() && depth == 0 && node.whole {
                    found = true;
                }
                if is_text_list {
                    found = true;
                    notes.repair(Repair::BareList);
                    read_rows(node, &mut rows, notes);
                }
                if depth == 0 && !items.is_empty() {
                    notes.repair(Repair::BareList);
                }
                open.extend(items.iter().rev().map(|item| (item, depth + 1)));
            }
            Value::Map(list) => {
                let members = Members::new(list);
                if is_payload(&members) {
                    found = true;
                    payloads += 1;
                    if depth > 0 {
                        notes.repair(Repair::Wrapper);
                    }
                    for node in members.all(&POINTS, "", notes) {
                        read_rows(node, &mut rows, notes);
                    }
                } else if is_point(&members) {
                    found = true;
                    notes.repair(Repair::Shape);
                    read_row(node, &mut rows, notes);
                } else {
                    open.extend(list.iter().rev().map(|(_, value)| (value, depth + 1)));
                }
            }
            _ => {}
        }
    }
    if payloads > 1 {
        notes.repair(Repair::SeveralValues);
    }
    found.then(|| scored(rows, notes))
}

struct Row {
    description: String,
    score: Option<number::Scaled>,
}

fn read_rows(node: &Node, rows: &mut Vec<Row>, notes: &mut Notes) {
    match &node.value {
        Value::List(items) => {
            for item in items {
                read_row(item, rows, notes);
            }
        }
        Value::Map(list) if is_point(&Members::new(list)) => {
            notes.repair(Repair::Shape);
            read_row(node, rows, notes);
        }
        Value::Map(list) => {
            notes.repair(Repair::Shape);
            for (key, value) in list {
                match (&value.value, number::of(value)) {
                    (Value::Map(_), _) => read_row(value, rows, notes),
                    // {"The point": 80}
                    (_, Some(score)) if value.whole && key.contains(' ') => rows.push(Row {
                        description: key.clone(),
                        score: Some(score),
                    }),
                    (Value::Text(_), _) => read_row(value, rows, notes),
                    _ => drop_row(notes),
                }
            }
        }
        Value::Null => {}
        _ => drop_row(notes),
    }
}

fn drop_row(notes: &mut Notes) {
    notes.repair(Repair::DroppedRow);
    notes.warn(Code::BadPoint);
}

fn read_row(row: &Node, rows: &mut Vec<Row>, notes: &mut Notes) {
    match &row.value {
        Value::Text(text) if row.whole => {
            if text.trim().trim_matches(['.', '…']).is_empty() {
                return drop_row(notes);
            }
            notes.repair(Repair::Shape);
            notes.warn(Code::MissingScore);
            rows.push(Row {
                description: text.clone(),
                score: None,
            });
        }
        Value::Map(list) => {
            let members = Members::new(list);
            let description = members.get(&DESCRIPTION, notes);
            let score = members.get(&SCORE, notes);
            if !row.whole
                && [description, score]
                    .iter()
                    .any(|part| part.is_none_or(|node| !node.whole))
            {
                return;
            }
            let description = description.and_then(Node::scalar).unwrap_or_default();
            if description.trim().is_empty() {
                notes.repair(Repair::DroppedRow);
                return notes.warn(Code::MissingDescription);
            }
            let score = match score.filter(|node| !node.is_null()) {
                None => {
                    notes.repair(Repair::Default);
                    notes.warn(Code::MissingScore);
                    None
                }
                Some(node) => {
                    let score = number::of(node);
                    if score.is_none() {
                        notes.repair(Repair::Number);
                        notes.warn(Code::BadScore);
                    }
                    score
                }
            };
            rows.push(Row { description, score });
        }
        _ if !row.whole => {}
        _ => drop_row(notes),
    }
}

/// Brings the scores to 0 to 100 and drops repeated points.
fn scored(rows: Vec<Row>, notes: &mut Notes) -> Vec<MapPoint> {
    let values = || rows.iter().filter_map(|row| row.score);
    let is_fraction = values().any(|score| score.scale.is_none() && score.value.fract() != 0.0)
        && values().all(|score| score.scale.is_none() && (0.0..=1.0).contains(&score.value));
    if is_fraction {
        notes.repair(Repair::Number);
        notes.warn(Code::ScoreScaled);
    }
    let mut points = Vec::with_capacity(rows.len());
    let mut seen = std::collections::HashSet::new();
    for row in rows {
        let score = match row.score {
            None => NEUTRAL_SCORE,
            Some(score) if is_fraction => score.value * MAX_SCORE,
            Some(score) => score.on(MAX_SCORE),
        };
        if !(0.0..=MAX_SCORE).contains(&score) {
            notes.repair(Repair::Number);
            notes.warn(Code::ScoreOutOfRange);
        }
        let description = clean::paragraph(&row.description);
        if !seen.insert(description.clone()) {
            notes.repair(Repair::Repetition);
            notes.warn_once(Code::Repetition);
            continue;
        }
        points.push(MapPoint {
            description,
            score: score.clamp(0.0, MAX_SCORE),
        });
    }
    points
}

/// Whether there is an answer in words: not JSON of another kind, not a refusal.
fn is_prose(opened: &Opened<'_>, json: &Json) -> bool {
    json.is_empty()
        && !phrases::is_refusal(&opened.text)
        && opened.text.split_whitespace().count() >= 3
        || json.is_empty()
            && opened
                .text
                .chars()
                .filter(|c| !c.is_ascii() && c.is_alphanumeric())
                .count()
                >= 6
}

fn from_prose(opened: &mut Opened<'_>, notes: &mut Notes) -> Vec<MapPoint> {
    let mut items = prose::items(&opened.text);
    if opened.finish == FinishReason::Length {
        opened.note_truncated();
        if let Some(last) = items.pop() {
            items.extend(prose::whole_sentences(&last).map(str::to_owned));
        }
    }
    notes.repair(Repair::Markdown);
    notes.warn(Code::Prose);
    let rows = items
        .into_iter()
        .map(|item| {
            let (description, score) = take_score(&item);
            let description = repetition::without_loop(&description)
                .unwrap_or(&description)
                .trim()
                .to_owned();
            Row { description, score }
        })
        .filter(|row| !row.description.is_empty())
        .collect();
    scored(rows, notes)
}

/// Takes `(Score: 80)` off the end of a point.
fn take_score(item: &str) -> (String, Option<number::Scaled>) {
    let lower = item.to_ascii_lowercase();
    let Some(at) = lower.rfind("score") else {
        return (item.to_owned(), None);
    };
    let after = item
        .get(at + "score".len()..)
        .unwrap_or("")
        .trim_start_matches([':', '=', ' ', '*']);
    let Some((value, rest)) = number::leading(after) else {
        return (item.to_owned(), None);
    };
    if !rest
        .trim_start_matches(|c: char| {
            c.is_ascii_digit() || matches!(c, '/' | ')' | ']' | '.' | ' ' | '*' | '%')
        })
        .is_empty()
    {
        return (item.to_owned(), None);
    }
    let scale = number::parse(after).and_then(|number| number.scale);
    let before = item.get(..at).unwrap_or("").trim_end();
    let before = before
        .strip_suffix("Importance")
        .or_else(|| before.strip_suffix("importance"))
        .unwrap_or(before);
    let description = before
        .trim_end_matches(['(', '[', '*', '-', '–', '—', '|', ' ', ','])
        .to_owned();
    (description, Some(number::Scaled { value, scale }))
}
