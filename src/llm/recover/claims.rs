//! Claims, from tuples or JSON.

use super::examples::PromptExamples;
use super::json::{Node, Value};
use super::keys::{Field, Members};
use super::opened;
use super::outcome::{Code, FinishReason, Notes, Recovered, Repair};
use super::tuple::{self, Tagging};
use super::{Context, clean, phrases, repetition};
use crate::model::ExtractedClaim;

const NONE: &str = "NONE";
const SUSPECTED: &str = "SUSPECTED";
/// Fields of a full record.
const FULL: usize = 8;
const MIN_FIELDS: usize = 4;

const CLAIMS: Field = Field {
    key: "claims",
    aliases: "covariates claim results claims_list 声明 主张 facts",
};
const SUBJECT: Field = Field {
    key: "subject",
    aliases: "subject_entity subject_id entity source subject_name 主体 主語",
};
const OBJECT: Field = Field {
    key: "object",
    aliases: "object_entity object_id target object_name 客体 目的語",
};
const KIND: Field = Field {
    key: "type",
    aliases: "claim_type category claim_category 类型 種類",
};
const STATUS: Field = Field {
    key: "status",
    aliases: "claim_status truth 状态 状態",
};
const START: Field = Field {
    key: "start_date",
    aliases: "claim_start_date start from date claim_date 开始日期 開始日",
};
const END: Field = Field {
    key: "end_date",
    aliases: "claim_end_date end to 结束日期 終了日",
};
const DESCRIPTION: Field = Field {
    key: "description",
    aliases: "claim_description desc claim text details 描述 説明",
};
const SOURCE_TEXT: Field = Field {
    key: "source_text",
    aliases: "claim_source_text source_quotes quotes quote evidence claim_source 原文 引用",
};

fn is_claim(members: &Members<'_>) -> bool {
    members.has(&SUBJECT)
        && (members.has(&DESCRIPTION) || members.has(&KIND) || members.has(&STATUS))
}

fn is_payload(members: &Members<'_>) -> bool {
    !is_claim(members)
        && members.iter().any(|(key, _, node)| {
            CLAIMS.is_named(key)
                && matches!(node.value, Value::List(_) | Value::Map(_) | Value::Null)
        })
}

pub(super) fn claims(
    answer: &str,
    finish: FinishReason,
    context: &Context<'_>,
) -> Recovered<Vec<ExtractedClaim>> {
    let mut opened = match opened::open(answer, finish, context.max_bytes) {
        Ok(opened) => opened,
        Err(end) => return opened::unusable(end),
    };
    let mut notes = Notes::default();
    let mut json = opened.json();
    let mut is_cut = json.is_cut;
    let mut rows = if tuple::has_mark(&opened.text) && json.is_empty() {
        from_tuples(&opened.text, finish, &mut notes, &mut is_cut)
    } else {
        None
    };
    if rows.is_none() {
        let is_rows = |members: &Members<'_>| is_payload(members) || is_claim(members);
        json.open_embedded(is_rows, finish);
        json.drop_drafts(&opened.text, is_rows);
        is_cut = json.is_cut;
        rows = from_json(&json.roots, &mut notes);
        if rows.is_some() {
            opened.use_json(&mut json);
        } else if tuple::has_mark(&opened.text) {
            rows = from_tuples(&opened.text, finish, &mut notes, &mut is_cut);
        }
    }
    let Some(rows) = rows else {
        if finish != FinishReason::ContentFilter && phrases::is_non_answer(&opened.text) {
            return opened.says_nothing();
        }
        let code = if json.is_empty() {
            Code::NoJson
        } else {
            Code::NoClaims
        };
        return opened.nothing(code, is_cut);
    };
    opened.notes.repairs.merge(notes.repairs);
    opened.notes.warnings.append(&mut notes.warnings);
    if is_cut {
        opened.note_truncated();
    }
    let had_rows = !rows.is_empty();
    let claims = cleaned(rows, context, &mut opened.notes);
    if claims.is_empty() && is_cut {
        return opened.nothing(Code::Truncated, true);
    }
    if claims.is_empty() && opened.notes.repairs.contains(Repair::PromptExample) {
        return opened.nothing(Code::PromptExample, false);
    }
    let is_empty = claims.is_empty() && !had_rows;
    opened.usable(claims, is_empty)
}

/// Records of eight fields; `None` where there are none and the text is not the completion mark alone.
fn from_tuples(
    text: &str,
    finish: FinishReason,
    notes: &mut Notes,
    is_cut: &mut bool,
) -> Option<Vec<ExtractedClaim>> {
    let read = tuple::read(text, finish, Tagging::Untagged);
    let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
    if read.records.is_empty() && !(read.is_complete && letters <= 40) && !read.is_cut {
        return None;
    }
    *is_cut = read.is_cut;
    notes.repairs.merge(read.repairs);
    let mut claims = Vec::new();
    for record in read.records {
        let mut fields = record.fields;
        let is_tagged = fields.first().is_some_and(|field| {
            matches!(
                field.trim_matches('"').to_lowercase().as_str(),
                "claim" | "covariate" | "claims"
            )
        });
        if is_tagged {
            notes.repair(Repair::Tag);
            fields.remove(0);
        }
        if fields.len() < MIN_FIELDS {
            notes.repair(Repair::DroppedRow);
            notes.warn_about(Code::BadClaim, fields.first().map_or("", String::as_str));
            continue;
        }
        if fields.len() != FULL {
            notes.repair(Repair::FieldCount);
        }
        // Without its dates a record is still one: subject, object, type, status, description, source.
        if fields.len() <= 6
            && fields.len() >= 5
            && !fields.get(4).is_some_and(|field| is_date(field))
        {
            fields.insert(4, NONE.to_owned());
            fields.insert(5, NONE.to_owned());
        }
        let mut fields = fields.into_iter();
        let mut next = || fields.next().unwrap_or_default();
        let mut claim = ExtractedClaim {
            subject: next(),
            object: next(),
            kind: next(),
            status: next(),
            start_date: next(),
            end_date: next(),
            description: next(),
            source_text: next(),
        };
        for extra in fields {
            claim.source_text.push(' ');
            claim.source_text.push_str(&extra);
        }
        claims.push(claim);
    }
    Some(claims)
}

fn is_date(field: &str) -> bool {
    let field = field.trim_matches(['"', ' ']);
    field.eq_ignore_ascii_case(NONE)
        || field.is_empty()
        || field.starts_with(|c: char| c.is_ascii_digit()) && field.len() <= 40
}

fn from_json(roots: &[Node], notes: &mut Notes) -> Option<Vec<ExtractedClaim>> {
    let mut claims = Vec::new();
    let mut found = false;
    let mut open: Vec<(&Node, usize)> = roots.iter().rev().map(|root| (root, 0)).collect();
    while let Some((node, depth)) = open.pop() {
        match &node.value {
            Value::List(items) => {
                found |= items.is_empty() && depth == 0 && node.whole;
                if depth == 0 && !items.is_empty() {
                    notes.repair(Repair::BareList);
                }
                open.extend(items.iter().rev().map(|item| (item, depth + 1)));
            }
            Value::Map(list) => {
                let members = Members::new(list);
                if is_claim(&members) {
                    found = true;
                    if depth == 0 {
                        notes.repair(Repair::SeveralValues);
                    }
                    read_claim(node, &mut claims, notes);
                } else if is_payload(&members) {
                    found = true;
                    if depth > 0 {
                        notes.repair(Repair::Wrapper);
                    }
                    for node in members.all(&CLAIMS, "", notes) {
                        read_claims(node, &mut claims, notes);
                    }
                } else {
                    open.extend(list.iter().rev().map(|(_, value)| (value, depth + 1)));
                }
            }
            _ => {}
        }
    }
    found.then_some(claims)
}

fn read_claims(node: &Node, claims: &mut Vec<ExtractedClaim>, notes: &mut Notes) {
    match &node.value {
        Value::List(rows) => {
            for row in rows {
                read_claim(row, claims, notes);
            }
        }
        Value::Map(list) if is_claim(&Members::new(list)) => {
            notes.repair(Repair::Shape);
            read_claim(node, claims, notes);
        }
        Value::Map(list) => {
            for (_, value) in list {
                notes.repair(Repair::Shape);
                read_claim(value, claims, notes);
            }
        }
        _ => {}
    }
}

fn read_claim(row: &Node, claims: &mut Vec<ExtractedClaim>, notes: &mut Notes) {
    let Some(members) = Members::of(row) else {
        if row.whole {
            notes.repair(Repair::DroppedRow);
            notes.warn(Code::BadClaim);
        }
        return;
    };
    let required = [&SUBJECT, &OBJECT, &KIND, &STATUS, &DESCRIPTION];
    if !row.whole {
        let mut ignored = Notes::default();
        let is_whole = |field: &&Field| {
            members
                .get(field, &mut ignored)
                .is_some_and(|node| node.whole)
        };
        if !required.iter().all(is_whole) || !row_is_whole(&members) {
            return;
        }
    }
    let mut text = |field: &Field| {
        members
            .get(field, notes)
            .map(scalar_or_list)
            .unwrap_or_default()
    };
    claims.push(ExtractedClaim {
        subject: text(&SUBJECT),
        object: text(&OBJECT),
        kind: text(&KIND),
        status: text(&STATUS),
        start_date: text(&START),
        end_date: text(&END),
        description: text(&DESCRIPTION),
        source_text: text(&SOURCE_TEXT),
    });
}

/// In a row that was cut, the source text is the last field: without it the row is not whole.
fn row_is_whole(members: &Members<'_>) -> bool {
    members.has(&SOURCE_TEXT) && members.iter().all(|(_, _, node)| node.whole)
}

fn scalar_or_list(node: &Node) -> String {
    match &node.value {
        Value::List(parts) => parts
            .iter()
            .filter_map(Node::scalar)
            .collect::<Vec<_>>()
            .join(" "),
        Value::Bool(value) => value.to_string(),
        _ => node.scalar().unwrap_or_default(),
    }
}

fn cleaned(
    rows: Vec<ExtractedClaim>,
    context: &Context<'_>,
    notes: &mut Notes,
) -> Vec<ExtractedClaim> {
    let foreign = context
        .examples
        .map(|examples: &PromptExamples| examples.foreign_titles(context.passage))
        .unwrap_or_default();
    let mut claims: Vec<ExtractedClaim> = Vec::with_capacity(rows.len());
    let mut seen = std::collections::HashSet::new();
    for row in rows {
        let subject = match clean::name(&row.subject) {
            clean::Name::Good(subject) => subject,
            clean::Name::Missing => {
                notes.repair(Repair::DroppedRow);
                notes.warn(Code::MissingSubject);
                continue;
            }
            clean::Name::Suspicious(name) => {
                notes.repair(Repair::DroppedRow);
                notes.warn_about(Code::SuspiciousName, &name);
                continue;
            }
        };
        if foreign.contains(subject.as_str()) {
            notes.repair(Repair::PromptExample);
            notes.warn_about(Code::PromptExample, &subject);
            continue;
        }
        let object = match clean::name(&row.object) {
            clean::Name::Good(object) => object,
            _ => NONE.to_owned(),
        };
        let kind = clean::kind(&row.kind, &[]).unwrap_or_else(|| {
            notes.repair(Repair::Default);
            notes.warn_about(Code::MissingType, &subject);
            clean::untyped()
        });
        let mut description = clean::description(&row.description);
        if let Some(once) = repetition::without_loop(&description) {
            notes.repair(Repair::Repetition);
            notes.warn_once(Code::Repetition);
            description = once.trim_end().to_owned();
        }
        let claim = ExtractedClaim {
            status: status(&row.status, notes),
            start_date: date(&row.start_date),
            end_date: date(&row.end_date),
            source_text: clean::description(&row.source_text),
            subject,
            object,
            kind,
            description,
        };
        let key = (
            claim.subject.clone(),
            claim.object.clone(),
            claim.kind.clone(),
            claim.description.clone(),
            claim.source_text.clone(),
        );
        if !seen.insert(key) {
            notes.repair(Repair::Repetition);
            notes.warn_once(Code::Repetition);
            continue;
        }
        claims.push(claim);
    }
    claims
}

fn status(raw: &str, notes: &mut Notes) -> String {
    let word = clean::unwrap(raw).to_uppercase();
    let known = match word.as_str() {
        "TRUE" | "CONFIRMED" | "VERIFIED" | "PROVEN" | "YES" | "真" | "属实" => "TRUE",
        "FALSE" | "REFUTED" | "DENIED" | "DISPROVEN" | "NO" | "假" => "FALSE",
        SUSPECTED | "ALLEGED" | "UNVERIFIED" | "POSSIBLE" | "SUSPICIOUS" | "疑似" => SUSPECTED,
        _ => {
            notes.repair(Repair::Default);
            notes.warn_about(Code::BadStatus, raw);
            SUSPECTED
        }
    };
    known.to_owned()
}

fn date(raw: &str) -> String {
    let text = clean::unwrap(&clean::description(raw));
    let is_none = text.is_empty()
        || ["none", "n/a", "null", "unknown", "-"].contains(&text.to_lowercase().as_str());
    if is_none { NONE.to_owned() } else { text }
}
