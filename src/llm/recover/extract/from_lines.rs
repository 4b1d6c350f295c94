//! Entity and relationship rows from YAML-like blocks, Markdown tables and lists, for models that ignore the format.
//!
//! Lists count only below a heading that names entities or relationships: prose must not turn into entities.

use super::super::json::{Node, Value};
use super::super::keys::normal_form;
use super::super::outcome::{Code, FinishReason, Repair};
use super::super::{number, prose};
use super::Records;
use super::fields::{ENTITIES, RELATIONSHIPS, is_field, is_first_field};
use super::from_json;

const MAX_HEADING_WORDS: usize = 5;
const ARROWS: &[&str] = &["-->", "->", "=>", "→", "⟶", "➔", "—>", "–>"];

#[derive(Clone, Copy, PartialEq)]
enum Section {
    None,
    Entities,
    Relationships,
}

type Row = Vec<(String, String)>;

#[derive(Default)]
struct Lines {
    rows: Vec<Row>,
    /// The row that `key: value` lines are being added to.
    open: Row,
    /// Columns of the table being read.
    header: Vec<String>,
}

pub(super) fn records(text: &str, finish: FinishReason) -> Records {
    let mut lines = Lines::default();
    let mut section = Section::None;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with("```") || trimmed == "---" {
            lines.close_row();
            lines.header.clear();
        } else if let Some(heading) = heading(trimmed) {
            lines.close_row();
            lines.header.clear();
            section = heading;
        } else if trimmed.matches('|').count() >= 2
            || (trimmed.starts_with('|') && trimmed.len() > 1)
        {
            lines.table_row(trimmed, section);
        } else if !lines.field(line) && !lines.continues(line) {
            lines.close_row();
            if let Some(item) = prose::list_item(trimmed) {
                lines.rows.extend(listed(item, section));
            }
        }
    }
    lines.close_row();
    let mut records = Records::default();
    if finish == FinishReason::Length {
        // The last row may have lost its end.
        lines.rows.pop();
        records.is_cut = true;
    }
    for row in lines.rows {
        let members = row
            .into_iter()
            .map(|(key, value)| (key, Node::whole(Value::Text(value))))
            .collect();
        from_json::read_row(&Node::whole(Value::Map(members)), &mut records);
    }
    records.found = records.len() > 0;
    if records.found {
        records.notes.repair(Repair::Markdown);
        records.notes.warn(Code::Prose);
    } else {
        records.is_cut = false;
    }
    records
}

/// A short line that names entities or relationships and nothing else.
fn heading(line: &str) -> Option<Section> {
    let text = prose::plain(line.trim_start_matches(['#', '-', '*', ' ', '\t']));
    let is_marked = line.starts_with(['#', '*']) || text.ends_with([':', '：']);
    let words = text.trim_end_matches([':', '：', '*']).trim();
    let words =
        words.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
    if !is_marked || words.split_whitespace().count() > MAX_HEADING_WORDS {
        return None;
    }
    let form = normal_form(words);
    if RELATIONSHIPS.is_named(&form) || form.ends_with("relationships") {
        Some(Section::Relationships)
    } else if (ENTITIES.is_named(&form) || form.ends_with("entities")) && form != "entity" {
        Some(Section::Entities)
    } else {
        None
    }
}

impl Lines {
    fn close_row(&mut self) {
        if !self.open.is_empty() {
            self.rows.push(std::mem::take(&mut self.open));
        }
    }

    /// `- key: value`; a list marker or a key that is there already begins a new row.
    fn field(&mut self, line: &str) -> bool {
        let item = prose::list_item(line);
        let Some((label, value)) = prose::labelled(item.unwrap_or(line)) else {
            return false;
        };
        let key = normal_form(&label);
        if !is_field(&key) {
            return false;
        }
        if self.open.iter().any(|(known, _)| *known == key)
            || (item.is_some() && is_first_field(&key))
        {
            self.close_row();
        }
        let value = if matches!(value, "|" | ">" | "|-" | ">-") {
            ""
        } else {
            value
        };
        self.open.push((key, value.to_owned()));
        true
    }

    /// An indented line goes on with the value before it.
    fn continues(&mut self, line: &str) -> bool {
        let is_indented = line.starts_with([' ', '\t']) && prose::list_item(line).is_none();
        match self.open.last_mut().filter(|_| is_indented) {
            Some((_, value)) => {
                value.push(' ');
                value.push_str(line.trim());
                true
            }
            None => false,
        }
    }

    fn table_row(&mut self, line: &str, section: Section) {
        let cells: Vec<String> = line
            .trim_matches('|')
            .split('|')
            .map(|cell| prose::plain(cell.trim()))
            .collect();
        if cells
            .iter()
            .all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' ')))
        {
            return;
        }
        if self.header.is_empty() {
            let keys: Vec<String> = cells.iter().map(|cell| normal_form(cell)).collect();
            let known = keys.iter().filter(|key| is_field(key)).count();
            if known >= 2 {
                self.header = keys;
                return;
            }
            self.rows.extend(listed(
                prose::list_item(line).unwrap_or(line.trim_matches('|')),
                section,
            ));
            return;
        }
        self.rows
            .push(self.header.iter().cloned().zip(cells).collect());
    }
}

/// A list item below a heading.
fn listed(item: &str, section: Section) -> Option<Row> {
    match section {
        Section::None => None,
        Section::Entities => entity(item),
        Section::Relationships => relationship(item),
    }
}

fn row(fields: &[(&str, &str)]) -> Row {
    fields
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

/// `**Mira Osei** (PERSON): Chief auditor`, `Mira Osei - PERSON - Chief auditor`, `Mira Osei | PERSON | Chief auditor`.
fn entity(item: &str) -> Option<Row> {
    let item = &prose::plain(item);
    let parts = split_fields(item);
    if let [name, kind, description] = parts.as_slice() {
        return Some(row(&[
            ("name", name),
            ("type", kind),
            ("description", description),
        ]));
    }
    let dashed: Vec<&str> = item
        .split(
            [" - ", " – ", " — "]
                .into_iter()
                .find(|dash| item.contains(dash))
                .unwrap_or(" - "),
        )
        .map(str::trim)
        .collect();
    if let [name, kind, description] = dashed.as_slice()
        && kind.split_whitespace().count() <= 3
        && !name.contains(": ")
    {
        return Some(row(&[
            ("name", name),
            ("type", kind),
            ("description", description),
        ]));
    }
    let (head, description) =
        split_once_at(item, &[": ", "：", " - ", " – ", " — "]).unwrap_or((item, ""));
    let (name, kind) = match head
        .trim_end()
        .strip_suffix([')', '）', ']'])
        .and_then(|head| head.rsplit_once(['(', '（', '[']))
    {
        Some((name, kind)) => (name.trim(), kind.trim()),
        None => (head.trim(), ""),
    };
    let is_named = !name.is_empty()
        && name.split_whitespace().count() <= 12
        && (!kind.is_empty() || !description.is_empty());
    is_named.then(|| {
        row(&[
            ("name", name),
            ("type", kind),
            ("description", description.trim()),
        ])
    })
}

/// `Mira Osei -> Harbor Trust: audits (weight: 7)`, `Mira Osei | Harbor Trust | audits | 7`.
fn relationship(item: &str) -> Option<Row> {
    let item = &prose::plain(item);
    let parts = split_fields(item);
    match parts.as_slice() {
        [source, target, description] => {
            return Some(row(&[
                ("source", source),
                ("target", target),
                ("description", description),
            ]));
        }
        [source, target, description, weight] => {
            return Some(row(&[
                ("source", source),
                ("target", target),
                ("description", description),
                ("weight", weight),
            ]));
        }
        _ => {}
    }
    let (source, rest) = split_once_at(item, ARROWS)?;
    let source = source.trim_matches(['(', ' ', '[']);
    // A -> audits -> B
    if let Some((label, target)) = split_once_at(rest, ARROWS) {
        let (target, more) =
            split_once_at(target, &[": ", "：", " - ", " – ", " — "]).unwrap_or((target, ""));
        let description = if more.is_empty() {
            label.trim()
        } else {
            more.trim()
        };
        return Some(row(&[
            ("source", source),
            ("target", target.trim()),
            ("description", description),
        ]));
    }
    let (target, description) =
        split_once_at(rest, &[": ", "：", " - ", " – ", " — ", " ("]).unwrap_or((rest, ""));
    let (description, weight) = take_weight(description);
    Some(row(&[
        ("source", source.trim()),
        ("target", target.trim_matches([')', ' ', ']'])),
        ("description", &description),
        ("weight", &weight),
    ]))
}

/// Fields parted by bars or tabs.
fn split_fields(item: &str) -> Vec<&str> {
    let separator = if item.contains('|') { '|' } else { '\t' };
    item.split(separator).map(str::trim).collect()
}

fn split_once_at<'a>(text: &'a str, separators: &[&str]) -> Option<(&'a str, &'a str)> {
    let (at, separator) = separators
        .iter()
        .filter_map(|separator| text.find(separator).map(|at| (at, *separator)))
        .min_by_key(|&(at, _)| at)?;
    Some((text.get(..at)?, text.get(at + separator.len()..)?))
}

/// Takes `(weight: 7)` or `[strength 7]` off the end of a description.
fn take_weight(description: &str) -> (String, String) {
    let text = description.trim().trim_end_matches([')', ']', '）']);
    let opened = text.rfind(['(', '[', '（']);
    let Some((before, inner)) = opened.and_then(|at| Some((text.get(..at)?, text.get(at..)?)))
    else {
        return (description.trim().to_owned(), String::new());
    };
    let inner = inner.trim_start_matches(['(', '[', '（']);
    let digits = inner.trim_start_matches(|c: char| {
        c.is_alphabetic() || matches!(c, ':' | ' ' | '=' | '_' | '：')
    });
    let is_weight = number::is_plain(digits) && inner.len() - digits.len() <= 24;
    if is_weight {
        (before.trim().to_owned(), digits.to_owned())
    } else {
        (description.trim().to_owned(), String::new())
    }
}
