//! The fields of a report in JSON, with any of them missing or misshapen.

use super::super::json::{Node, Value};
use super::super::keys::{Field, Members};
use super::super::opened::{Json, Opened};
use super::super::outcome::{Code, Notes, Repair};
use super::super::{clean, number, prose, repetition};
use super::{Fields, MAX_RATING};
use crate::model::Finding;

pub(super) const TITLE: Field = Field {
    key: "title",
    aliases: "report_title community_title name heading 标题 タイトル",
};
pub(super) const SUMMARY: Field = Field {
    key: "summary",
    aliases: "report_summary executive_summary overview abstract description 摘要 总结 要約",
};
pub(super) const FINDINGS: Field = Field {
    key: "findings",
    aliases: "detailed_findings key_findings insights key_insights finding 发现 详细发现 points 所見",
};
pub(super) const RATING: Field = Field {
    key: "rating",
    aliases: "impact_severity_rating impact_rating severity_rating importance_rating severity \
        score rank importance 评分 評価",
};
pub(super) const RATING_EXPLANATION: Field = Field {
    key: "rating_explanation",
    aliases: "explanation rating_reason rating_description rating_rationale impact_explanation \
        评分说明 評価の説明",
};
pub(super) const FINDING_SUMMARY: Field = Field {
    key: "summary",
    aliases: "title finding heading name headline insight point 摘要",
};
pub(super) const FINDING_EXPLANATION: Field = Field {
    key: "explanation",
    aliases: "description details detail text content body explaination analysis evidence 解释 说明 説明",
};

pub(super) fn is_payload(members: &Members<'_>) -> bool {
    let has = |field: &Field| members.has(field);
    let findings = members.iter().any(|(key, _, node)| {
        FINDINGS.is_named(key) && matches!(node.value, Value::List(_) | Value::Map(_))
    });
    let fields = [has(&TITLE), has(&SUMMARY), findings, has(&RATING)]
        .into_iter()
        .filter(|&has| has)
        .count();
    fields >= 2 || findings || members.iter().any(|(key, _, _)| key == "summary")
}

fn is_finding(members: &Members<'_>) -> bool {
    members.has(&FINDING_EXPLANATION)
        && members.has(&FINDING_SUMMARY)
        && !members.has(&FINDINGS)
        && !members.has(&RATING)
}

pub(super) fn from_json(opened: &mut Opened<'_>, json: &mut Json) -> Option<Fields> {
    let mut fields = None;
    let mut notes = Notes::default();
    if let Some(findings) = bare_findings(&json.roots) {
        notes.repair(Repair::BareList);
        let mut found = Fields::default();
        read_findings(findings, &mut found, &mut notes);
        fields = Some(found);
    } else if let Some((members, depth)) = best_payload(&json.roots) {
        if depth > 0 {
            notes.repair(Repair::Wrapper);
        }
        fields = Some(read_fields(&members, json.is_cut, &mut notes));
    }
    let fields =
        fields.filter(|fields| !(fields.summary.is_empty() && fields.findings.is_empty()))?;
    opened.use_json(json);
    opened.notes.repairs.merge(notes.repairs);
    opened.notes.warnings.append(&mut notes.warnings);
    Some(fields)
}

/// A list of findings where a report should be.
fn bare_findings(roots: &[Node]) -> Option<&Node> {
    let [root] = roots else { return None };
    let Value::List(rows) = &root.value else {
        return None;
    };
    let is_all = !rows.is_empty()
        && rows
            .iter()
            .all(|row| Members::of(row).is_some_and(|members| is_finding(&members)));
    is_all.then_some(root)
}

/// The fullest report among the values, the last of equals.
fn best_payload(roots: &[Node]) -> Option<(Members<'_>, usize)> {
    let mut best: Option<(Members<'_>, usize)> = None;
    let mut most = 0;
    let mut open: Vec<(&Node, usize)> = roots.iter().rev().map(|root| (root, 0)).collect();
    while let Some((node, depth)) = open.pop() {
        match &node.value {
            Value::List(items) => open.extend(items.iter().rev().map(|item| (item, depth + 1))),
            Value::Map(list) => {
                let members = Members::new(list);
                if is_payload(&members) {
                    let size = [&TITLE, &SUMMARY, &FINDINGS, &RATING, &RATING_EXPLANATION]
                        .into_iter()
                        .filter(|field| members.has(field))
                        .count();
                    if size >= most {
                        most = size;
                        best = Some((members, depth));
                    }
                } else {
                    open.extend(list.iter().rev().map(|(_, value)| (value, depth + 1)));
                }
            }
            _ => {}
        }
    }
    best
}

fn read_fields(members: &Members<'_>, is_cut: bool, notes: &mut Notes) -> Fields {
    let text = |field: &Field, notes: &mut Notes| -> String {
        match members.get(field, notes) {
            Some(node) if node.whole => {
                clean::paragraph(&node.scalar().unwrap_or_else(|| joined(node)))
            }
            _ => String::new(),
        }
    };
    let mut fields = Fields {
        title: text(&TITLE, notes),
        summary: text(&SUMMARY, notes),
        rating_explanation: text(&RATING_EXPLANATION, notes),
        ..Fields::default()
    };
    fields.rating = rating(members.get(&RATING, notes), is_cut, notes);
    match members.get(&FINDINGS, notes) {
        Some(node) => read_findings(node, &mut fields, notes),
        None if is_cut => {}
        None => {
            notes.repair(Repair::Default);
            notes.warn(Code::MissingFindings);
        }
    }
    fields
}

fn joined(node: &Node) -> String {
    match &node.value {
        Value::List(parts) => parts
            .iter()
            .filter_map(Node::scalar)
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

fn rating(node: Option<&Node>, is_cut: bool, notes: &mut Notes) -> Option<f64> {
    let Some(node) = node.filter(|node| !node.is_null()) else {
        if !is_cut {
            notes.repair(Repair::Default);
            notes.warn(Code::MissingRating);
        }
        return None;
    };
    if !node.whole {
        return None;
    }
    let Some(number) = number::of(node) else {
        notes.repair(Repair::Number);
        notes.warn(Code::BadRating);
        return None;
    };
    let value = number.on(MAX_RATING);
    if matches!(node.value, Value::Text(_)) && number.scale.is_some() {
        notes.repair(Repair::Number);
    }
    if !(0.0..=MAX_RATING).contains(&value) {
        notes.repair(Repair::Number);
        notes.warn(Code::RatingOutOfRange);
    }
    Some(value.clamp(0.0, MAX_RATING))
}

fn read_findings(node: &Node, fields: &mut Fields, notes: &mut Notes) {
    match &node.value {
        Value::List(rows) => {
            for row in rows {
                read_finding(row, fields, notes);
            }
        }
        Value::Map(list) => {
            notes.repair(Repair::Shape);
            if is_finding(&Members::new(list)) {
                return read_finding(node, fields, notes);
            }
            for (key, value) in list {
                match &value.value {
                    Value::Text(text) if value.whole => {
                        push_finding(key.clone(), text.clone(), fields, notes);
                    }
                    _ => read_finding(value, fields, notes),
                }
            }
        }
        Value::Text(_) => {
            notes.repair(Repair::Shape);
            read_finding(node, fields, notes);
        }
        Value::Null => {}
        _ => drop_finding(notes),
    }
}

fn read_finding(row: &Node, fields: &mut Fields, notes: &mut Notes) {
    match &row.value {
        Value::Text(text) if row.whole => {
            notes.repair(Repair::Shape);
            push_finding(text.clone(), String::new(), fields, notes);
        }
        Value::Map(list) => {
            let members = Members::new(list);
            let summary = members.get(&FINDING_SUMMARY, notes);
            let explanation = members.get(&FINDING_EXPLANATION, notes);
            if !row.whole
                && [summary, explanation]
                    .iter()
                    .any(|part| part.is_none_or(|node| !node.whole))
            {
                return;
            }
            let text = |node: Option<&Node>| {
                node.map(|node| node.scalar().unwrap_or_else(|| joined(node)))
                    .unwrap_or_default()
            };
            let (summary, explanation) = (text(summary), text(explanation));
            if summary.trim().is_empty() && explanation.trim().is_empty() {
                return match list.as_slice() {
                    // {"The heading of a finding": "its text"}
                    [
                        (
                            key,
                            node @ Node {
                                value: Value::Text(value),
                                ..
                            },
                        ),
                    ] if node.whole && !key.is_empty() => {
                        notes.repair(Repair::Shape);
                        push_finding(key.clone(), value.clone(), fields, notes);
                    }
                    [
                        (
                            _,
                            inner @ Node {
                                value: Value::Map(_),
                                ..
                            },
                        ),
                    ] if Members::of(inner).is_some_and(|m| is_finding(&m)) => {
                        notes.repair(Repair::Wrapper);
                        read_finding_members(inner, fields, notes);
                    }
                    _ => drop_finding(notes),
                };
            }
            push_finding(summary, explanation, fields, notes);
        }
        _ if !row.whole => {}
        _ => drop_finding(notes),
    }
}

/// The finding inside a map of one key; never wrapped again, so there is no recursion to drive.
fn read_finding_members(row: &Node, fields: &mut Fields, notes: &mut Notes) {
    let Some(members) = Members::of(row) else {
        return;
    };
    let text = |node: Option<&Node>| node.and_then(Node::scalar).unwrap_or_default();
    let summary = text(members.get(&FINDING_SUMMARY, notes));
    let explanation = text(members.get(&FINDING_EXPLANATION, notes));
    push_finding(summary, explanation, fields, notes);
}

fn drop_finding(notes: &mut Notes) {
    notes.repair(Repair::DroppedRow);
    notes.warn(Code::BadFinding);
}

pub(super) fn push_finding(
    summary: String,
    explanation: String,
    fields: &mut Fields,
    notes: &mut Notes,
) {
    let mut finding = Finding {
        summary: clean::paragraph(&prose::plain(&summary)),
        explanation: clean::paragraph(&explanation),
    };
    if let Some(once) = repetition::without_loop(&finding.explanation) {
        notes.repair(Repair::Repetition);
        notes.warn_once(Code::Repetition);
        finding.explanation = once.trim_end().to_owned();
    }
    if finding.summary.is_empty() {
        notes.repair(Repair::Default);
        finding.summary = prose::sentences(&finding.explanation)
            .first()
            .copied()
            .unwrap_or("")
            .to_owned();
    }
    if finding.summary.is_empty() {
        return drop_finding(notes);
    }
    if fields.findings.contains(&finding) {
        notes.repair(Repair::Repetition);
        notes.warn_once(Code::Repetition);
        return;
    }
    fields.findings.push(finding);
}
