//! Where records start: at a tag before a field delimiter, or at a parenthesis where one may begin.

use super::delimiter::{Kind, Mark};
use super::record::Tagging;
use super::tag::{self, MAX_TAG_BYTES, Tag};

/// How far after a parenthesis its first field may end.
const MAX_FIRST_FIELD_BYTES: usize = 300;

/// Where a record starts and where its first field does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) at: usize,
    pub(super) tag: Option<Tag>,
    /// After the tag's delimiter; the record's start where there is no tag.
    pub(super) fields_at: usize,
    /// The tag was written as asked for.
    pub(super) is_exact: bool,
}

/// All record starts, in order.
pub(super) fn starts(text: &str, marks: &[Mark], tagging: Tagging) -> Vec<Start> {
    let mut found: Vec<Start> = Vec::new();
    if tagging == Tagging::Tagged {
        for mark in marks
            .iter()
            .filter(|mark| matches!(mark.kind, Kind::Field | Kind::CorruptField))
        {
            if let Some(start) = tagged_start(text, *mark) {
                found.push(start);
            }
        }
    }
    let tagged = found.len();
    let by_lines = tagging == Tagging::Untagged
        && !text.lines().any(|line| {
            line.trim_start_matches([' ', '-', '*', '`'])
                .starts_with(['(', '（'])
        });
    if by_lines
        && marks
            .iter()
            .any(|mark| mark.kind == Kind::Field || mark.kind == Kind::CorruptField)
    {
        let at = text.len() - text.trim_start().len();
        found.push(Start {
            at,
            tag: None,
            fields_at: at,
            is_exact: false,
        });
    }
    let mut tagged_at = 0;
    let mut mark_at = 0;
    let mut at = 0;
    while let Some(offset) = text
        .get(at..)
        .and_then(|rest| rest.find(['(', '（', '#', '\n']))
    {
        let here = at + offset;
        let c = text[here..].chars().next().unwrap_or('(');
        at = here + c.len_utf8();
        while marks.get(mark_at).is_some_and(|mark| mark.end <= here) {
            mark_at += 1;
        }
        if let Some(mark) = marks.get(mark_at).filter(|mark| mark.start <= here) {
            at = mark.end;
            continue;
        }
        while found
            .get(tagged_at)
            .is_some_and(|start| tagged_at < tagged && start.fields_at <= here)
        {
            tagged_at += 1;
        }
        let start = match c {
            '(' | '（' if begins_record(text, here, tagged > 0) => here,
            '#' if text[here..].starts_with("##") => {
                let is_between = text[..here]
                    .trim_end_matches([' ', '\t'])
                    .ends_with([')', '）', '\n', '>', '#'])
                    || here == 0;
                let rest = text[here..].trim_start_matches('#').trim_start();
                at = text.len() - rest.len();
                if tagged > 0 && !is_between {
                    continue;
                }
                at
            }
            '\n' if by_lines => at,
            _ => continue,
        };
        if tagged_at < tagged
            && found
                .get(tagged_at)
                .is_some_and(|tagged| tagged.at <= start)
        {
            continue;
        }
        while marks.get(mark_at).is_some_and(|mark| mark.start < start) {
            mark_at += 1;
        }
        let next_mark = marks
            .get(mark_at)
            .filter(|mark| matches!(mark.kind, Kind::Field | Kind::CorruptField));
        let next_tagged = found
            .get(tagged_at)
            .filter(|_| tagged_at < tagged)
            .map_or(text.len(), |start| start.at);
        if let Some(mark) = next_mark
            .filter(|mark| mark.start < next_tagged && mark.start - start <= MAX_FIRST_FIELD_BYTES)
        {
            let between = &text[start..mark.start];
            let is_first_field = !between.contains('\n') || tagging == Tagging::Untagged;
            if is_first_field && !between.contains("##") && between.contains(char::is_alphanumeric)
            {
                found.push(Start {
                    at: start,
                    tag: None,
                    fields_at: start,
                    is_exact: tagging == Tagging::Untagged,
                });
            }
        }
    }
    found.sort_by_key(|start| (start.at, start.tag.is_none()));
    found.dedup_by_key(|start| start.at);
    found
}

/// The record whose tag stands just before the mark.
fn tagged_start(text: &str, mark: Mark) -> Option<Start> {
    let from = (mark.start.saturating_sub(MAX_TAG_BYTES)..=mark.start)
        .find(|&at| text.is_char_boundary(at))?;
    let window = text.get(from..mark.start)?;
    let window = window.trim_end_matches('|');
    let word_end = window
        .trim_end_matches([
            ' ', '\n', '\r', '"', '\'', '”', '“', '`', '*', '_', '\\', '）', ')',
        ])
        .len();
    let word_start = window
        .get(..word_end)?
        .char_indices()
        .rev()
        .take_while(|&(_, c)| c.is_alphanumeric() || c == '_')
        .last()
        .map(|(at, _)| at)?;
    let word = window.get(word_start..word_end)?;
    let tag = tag::parse(word)?;
    let before = window.get(..word_start)?;
    let quotes = before.trim_end_matches([' ', '"', '\'', '“', '”', '`', '*', '\\']);
    let quotes = if quotes.trim_end().ends_with(['(', '（']) {
        quotes.trim_end()
    } else {
        quotes
    };
    let boundary = quotes.chars().next_back();
    let is_quoted = before.ends_with(['"', '“', '*', '`']);
    let is_boundary = match boundary {
        None => from == 0 || is_quoted,
        Some('(' | '（' | '\n' | '\r' | '#' | '[' | '{') => true,
        Some(')' | '）' | ',' | ';') if is_quoted => true,
        Some('>') if after_completion(quotes) => true,
        Some(_) => at_line_start(quotes),
    };
    if !is_boundary {
        return None;
    }
    // A parenthesis before the tag is part of the record.
    let opener = quotes.trim_end_matches(' ');
    let at = match opener.chars().next_back() {
        Some(c @ ('(' | '（' | '[' | '{')) => from + opener.len() - c.len_utf8(),
        _ => {
            from + quotes.len() + (before.len() - quotes.len())
                - before.get(quotes.len()..)?.trim_start_matches(' ').len()
        }
    };
    let quoted = before.ends_with('"')
        && window
            .get(word_end..)
            .is_some_and(|after| after.trim_end() == "\"");
    let is_exact =
        quoted && matches!(word, "entity" | "relationship") && text.get(at..)?.starts_with('(');
    Some(Start {
        at,
        tag: Some(tag),
        fields_at: mark.end,
        is_exact,
    })
}

/// Whether only a list marker stands between the line's start and here.
fn at_line_start(before: &str) -> bool {
    let is_marker = |c: char| {
        c.is_ascii_digit() || matches!(c, '.' | '-' | '*' | '•' | ')' | '>' | ' ' | '\t' | '`')
    };
    let marker = before.len() - before.trim_end_matches(is_marker).len();
    marker <= 12
        && matches!(
            before.trim_end_matches(is_marker).chars().next_back(),
            None | Some('\n' | '\r')
        )
}

/// Whether `<|COMPLETE|>` or a control token stands just before here.
fn after_completion(before: &str) -> bool {
    before
        .strip_suffix("|>")
        .is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_alphabetic()))
}

/// Whether a parenthesis stands where a record may begin. Between tagged records only a finished record may precede it.
fn begins_record(text: &str, at: usize, among_tagged: bool) -> bool {
    let before = text.get(..at).unwrap_or("");
    let line = before.trim_end_matches([' ', '\t', '-', '*', '•', '`']);
    match line.chars().next_back() {
        None | Some('#' | '>' | '[' | ')' | '）') => true,
        Some('\n' | '\r') => {
            !among_tagged
                || line
                    .trim_end()
                    .ends_with([')', '）', '#', '>', '[', '`', ':'])
        }
        Some(',' | '，') => line
            .trim_end_matches([',', '，', ' '])
            .ends_with([')', '）']),
        Some('.') => line
            .trim_end_matches('.')
            .ends_with(|c: char| c.is_ascii_digit()),
        Some(_) => false,
    }
}
