//! Records whose fields are parted by something else altogether: `("entity", "MIRA OSEI", "PERSON", "auditor")`.

use super::super::outcome::{FinishReason, Repair};
use super::record::{Record, Records};
use super::tag::{self, MAX_TAG_BYTES, Tag};

const SEPARATORS: &[char] = &[',', '，', '、', '|', '｜', ';', '；', '\t'];
const QUOTES: &[char] = &['"', '“', '”', '`'];

struct Start {
    at: usize,
    tag: Tag,
    separator: char,
    fields_at: usize,
    is_opened: bool,
}

/// Reads records whose tag is followed by a plain separator.
pub(super) fn read(text: &str, finish: FinishReason, is_complete: bool) -> Records {
    let mut records = Records {
        is_complete,
        ..Records::default()
    };
    let starts = starts(text);
    for (order, start) in starts.iter().enumerate() {
        let is_last = order + 1 == starts.len();
        let to = starts.get(order + 1).map_or(text.len(), |next| next.at);
        let body = text.get(start.fields_at..to).unwrap_or("");
        let (content, is_closed) = content_of(body, start.is_opened);
        let is_cut = is_last
            && !is_complete
            && !is_closed
            && (start.is_opened || finish == FinishReason::Length);
        if is_cut {
            records.is_cut = true;
            continue;
        }
        records.repairs.add(Repair::Delimiter);
        // A doubled separator is one.
        let content = content.replace(
            &start.separator.to_string().repeat(2),
            &start.separator.to_string(),
        );
        let fields = joined(split(&content, start.separator), start.tag, start.separator);
        records.records.push(Record {
            tag: Some(start.tag),
            fields,
        });
    }
    records.is_cut |= finish == FinishReason::Length && !is_complete && !starts.is_empty();
    records
}

fn starts(text: &str) -> Vec<Start> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut at_line_start = true;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or("");
        let Some(c) = rest.chars().next() else { break };
        let is_opened = matches!(c, '(' | '（');
        if (is_opened || at_line_start)
            && let Some(start) = start(rest, at, is_opened)
        {
            at = start.fields_at;
            at_line_start = false;
            found.push(start);
            continue;
        }
        at_line_start = c == '\n' || (at_line_start && matches!(c, ' ' | '-' | '*' | '\r'));
        let skip = rest
            .get(c.len_utf8()..)
            .and_then(|after| after.find(['(', '（', '\n']))
            .unwrap_or(rest.len());
        at += if at_line_start {
            c.len_utf8()
        } else {
            c.len_utf8() + skip
        };
    }
    found
}

fn start(rest: &str, at: usize, is_opened: bool) -> Option<Start> {
    let opener = if is_opened {
        rest.chars().next().map_or(0, char::len_utf8)
    } else {
        0
    };
    let body = rest.get(opener..)?;
    let word_at = body.len()
        - body
            .trim_start_matches([' ', '"', '\'', '“', '`', '*'])
            .len();
    let is_quoted = word_at > 0;
    let from_word = body.get(word_at..)?;
    let length = from_word
        .char_indices()
        .take(MAX_TAG_BYTES)
        .find(|&(_, c)| !c.is_alphanumeric() && c != '_')
        .map(|(at, _)| at)?;
    let tag = tag::parse(from_word.get(..length)?)?;
    let after = from_word.get(length..)?;
    let separator_at = after.len()
        - after
            .trim_start_matches([' ', '"', '\'', '”', '`', '*'])
            .len();
    let separator = after
        .get(separator_at..)?
        .chars()
        .next()
        .filter(|c| SEPARATORS.contains(c))?;
    // Without a parenthesis or quotes, "entity, that is ..." is prose.
    let is_closed_quote = is_quoted && after.starts_with(QUOTES);
    let is_marked = is_opened || is_closed_quote || matches!(separator, '|' | '\t');
    if !is_marked {
        return None;
    }
    let from_separator = after.get(separator_at..)?;
    let separators = from_separator.len() - from_separator.trim_start_matches(separator).len();
    let fields_at = at + opener + word_at + length + separator_at + separators;
    Some(Start {
        at,
        tag,
        separator,
        fields_at,
        is_opened,
    })
}

fn content_of(body: &str, is_opened: bool) -> (&str, bool) {
    let complete = body
        .find("<|")
        .or_else(|| body.find("|>"))
        .unwrap_or(body.len());
    let body = body.get(..complete).unwrap_or(body);
    if !is_opened {
        let line = body.find('\n').unwrap_or(body.len());
        return (
            body.get(..line)
                .unwrap_or(body)
                .trim()
                .trim_end_matches(['#', ',']),
            line < body.len(),
        );
    }
    let mut depth = 1usize;
    let mut fallback = None;
    for (offset, c) in body.char_indices() {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => {
                let after = body
                    .get(offset + c.len_utf8()..)
                    .unwrap_or("")
                    .trim_start_matches([' ', ',', '，']);
                let ends = after.is_empty() || after.starts_with(['\n', '\r', '#', '(', '（', ']']);
                if ends && depth <= 1 {
                    return (body.get(..offset).unwrap_or(body), true);
                }
                if ends {
                    fallback = Some(offset);
                }
                depth = depth.saturating_sub(1).max(1);
            }
            _ => {}
        }
    }
    match fallback {
        Some(offset) => (body.get(..offset).unwrap_or(body), true),
        None => (body.trim_end_matches(['#', '\n', ' ', ',']), false),
    }
}

/// Splits at the separator outside quotes. A quote ends a field only before a separator or the end.
fn split(content: &str, separator: char) -> Vec<String> {
    let mut fields = Vec::new();
    let mut rest = content.trim();
    loop {
        let end = match rest.chars().next() {
            Some(open) if QUOTES.contains(&open) => quoted_end(rest, open, separator)
                .unwrap_or_else(|| rest.find(separator).unwrap_or(rest.len())),
            _ => rest.find(separator).unwrap_or(rest.len()),
        };
        fields.push(rest.get(..end).unwrap_or("").trim().to_owned());
        match rest
            .get(end..)
            .and_then(|after| after.strip_prefix(separator))
        {
            Some(after) => rest = after.trim_start_matches([' ', '\n']),
            None => return fields,
        }
    }
}

fn quoted_end(rest: &str, open: char, separator: char) -> Option<usize> {
    let first = open.len_utf8();
    rest.get(first..)?.char_indices().find_map(|(offset, c)| {
        let end = first + offset + c.len_utf8();
        let after = rest.get(end..)?.trim_start_matches([' ', '\n']);
        (QUOTES.contains(&c) && (after.is_empty() || after.starts_with(separator)))
            .then(|| rest.len() - after.len())
    })
}

/// Descriptions without quotes may hold the separator themselves: what is too much belongs to them.
fn joined(fields: Vec<String>, tag: Tag, separator: char) -> Vec<String> {
    let is_number = |field: &String| super::super::number::is_plain(field.trim_matches(QUOTES));
    let weight = if tag == Tag::Relationship && fields.len() > 3 {
        fields.last().filter(|field| is_number(field)).cloned()
    } else {
        None
    };
    let described = fields.len() - usize::from(weight.is_some());
    if described <= 3
        || fields
            .iter()
            .all(|field| field.starts_with(QUOTES) || is_number(field))
    {
        return fields;
    }
    let glue = format!("{separator} ");
    let mut out: Vec<String> = fields.iter().take(2).cloned().collect();
    out.push(fields.get(2..described).unwrap_or(&[]).join(&glue));
    out.extend(weight);
    out
}

/// The parts of one field that holds several quoted ones: `"ANA","PERSON"`.
pub(super) fn quoted_parts(field: &str) -> Vec<String> {
    if !field.starts_with('"') || !field.ends_with('"') {
        return vec![field.to_owned()];
    }
    let Some(separator) = SEPARATORS.iter().copied().find(|&separator| {
        field.match_indices(separator).any(|(at, _)| {
            field
                .get(..at)
                .is_some_and(|before| before.trim_end().ends_with('"'))
                && field
                    .get(at + separator.len_utf8()..)
                    .is_some_and(|after| after.trim_start().starts_with('"'))
        })
    }) else {
        return vec![field.to_owned()];
    };
    split(field, separator)
}
