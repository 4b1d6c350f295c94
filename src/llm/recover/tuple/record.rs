//! Cuts a text into records and records into fields.
//!
//! A record starts where a tag stands before a field delimiter, or where a parenthesis opens at the start of a line
//! or after a record delimiter and a field delimiter follows. It ends at its own parenthesis, or where the next begins.
//! So a lost record delimiter, a lost parenthesis or a parenthesis in a name costs nothing.

use super::super::outcome::{FinishReason, Repair, Repairs};
use super::delimiter::{Kind, Mark, marks};
use super::separated;
use super::start::{Start, starts};
use super::tag::Tag;

/// Fields of a full record, tag included; more marks than that need not be looked for among corrupted ones.
const FULL_ENTITY: usize = 4;
const FULL_RELATIONSHIP: usize = 5;
const FULL_UNTAGGED: usize = 7;

/// Whether records begin with a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Tagging {
    Tagged,
    Untagged,
}

#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Record {
    /// `None` where the tag is missing, or none is expected.
    pub tag: Option<Tag>,
    /// Without the tag; trimmed, quotes still on.
    pub fields: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub(in super::super) struct Records {
    pub records: Vec<Record>,
    pub repairs: Repairs,
    /// The end of the text cut the last record, or more was to come.
    pub is_cut: bool,
    /// The completion mark was there.
    pub is_complete: bool,
}

/// Reads the records of a text.
pub(in super::super) fn read(text: &str, finish: FinishReason, tagging: Tagging) -> Records {
    let mut repairs = Repairs::default();
    let text = &unescaped(text, &mut repairs);
    let marks = marks(text);
    let is_field = |mark: &Mark| matches!(mark.kind, Kind::Field | Kind::CorruptField);
    if !marks.iter().any(is_field) && tagging == Tagging::Tagged {
        let is_complete = marks.iter().any(|mark| mark.kind == Kind::Complete);
        let mut records = separated::read(text, finish, is_complete);
        records.repairs.merge(repairs);
        return records;
    }
    let starts = starts(text, &marks, tagging);
    let mut reader = Reader {
        text,
        finish,
        tagging,
        out: Records {
            repairs,
            ..Records::default()
        },
        last_is_closed: true,
    };
    reader.out.is_complete = marks.iter().any(|mark| mark.kind == Kind::Complete);
    let mut mark_at = 0;
    let mut previous_end = 0;
    for (order, start) in starts.iter().enumerate() {
        let next_start = starts.get(order + 1).map_or(text.len(), |next| next.at);
        while marks
            .get(mark_at)
            .is_some_and(|mark| mark.start < start.fields_at)
        {
            mark_at += 1;
        }
        let of_record: Vec<Mark> = marks
            .get(mark_at..)
            .unwrap_or(&[])
            .iter()
            .take_while(|mark| mark.start < next_start)
            .copied()
            .collect();
        let stop = of_record
            .iter()
            .find(|mark| mark.kind == Kind::Complete || mark.kind == Kind::Control);
        let span_end = stop.map_or(next_start, |mark| mark.start);
        let is_last = order + 1 == starts.len();
        reader.note_gap(previous_end, start.at, order);
        previous_end = reader.record(*start, span_end, stop.is_some(), is_last, &of_record);
    }
    reader.note_tail(previous_end, starts.is_empty());
    reader.finish_last(starts.is_empty());
    reader.out
}

/// Quotes and line breaks that went through a string lose their backslash.
fn unescaped(text: &str, repairs: &mut Repairs) -> String {
    let mut text = text.to_owned();
    if text.contains("(\\\"") || text.contains(">\\\"") {
        repairs.add(Repair::Escapes);
        text = text.replace("\\\"", "\"");
    }
    if !text.contains('\n') && (text.contains(")\\n") || text.contains("##\\n")) {
        repairs.add(Repair::Escapes);
        text = text.replace("\\n", "\n");
    }
    text
}

struct Reader<'a> {
    text: &'a str,
    finish: FinishReason,
    tagging: Tagging,
    out: Records,
    /// The end of the last record was seen.
    last_is_closed: bool,
}

impl Reader<'_> {
    /// Reads one record; returns the position after it.
    fn record(
        &mut self,
        start: Start,
        span_end: usize,
        is_stopped: bool,
        is_last: bool,
        marks: &[Mark],
    ) -> usize {
        let span = self.text.get(start.at..span_end).unwrap_or("");
        let opener = span
            .chars()
            .next()
            .filter(|c| matches!(c, '(' | '（' | '[' | '{'));
        if !start.is_exact {
            self.out.repairs.add(Repair::Tag);
        }
        if opener.is_some_and(|opener| opener != '(') || (opener.is_none() && start.tag.is_some()) {
            self.out.repairs.add(Repair::Parentheses);
        }
        let body_start = start
            .fields_at
            .max(start.at + opener.map_or(0, char::len_utf8));
        let end = self.end_of(body_start, span_end, opener, marks);
        let is_closed = end.is_closed || is_stopped || !is_last;
        if is_closed && opener.is_some() && !end.by_parenthesis {
            self.out.repairs.add(Repair::Parentheses);
        }
        let full = match start.tag {
            Some(Tag::Entity) => FULL_ENTITY - 1,
            Some(Tag::Relationship) => FULL_RELATIONSHIP - 1,
            Some(Tag::Other) => 1,
            None => FULL_UNTAGGED,
        };
        let fields = self.fields(body_start, end.content, marks, full);
        if fields.iter().any(|field| !field.is_empty()) {
            self.out.records.push(Record {
                tag: start.tag,
                fields,
            });
            self.last_is_closed = is_closed;
        }
        end.after
    }

    fn fields(&mut self, from: usize, to: usize, marks: &[Mark], full: usize) -> Vec<String> {
        let within: Vec<&Mark> = marks
            .iter()
            .filter(|mark| mark.start >= from && mark.end <= to)
            .collect();
        let exact = within
            .iter()
            .filter(|mark| mark.kind == Kind::Field)
            .count();
        let takes_corrupt = exact + 1 < full;
        let mut fields = Vec::new();
        let mut at = from;
        for mark in within {
            match mark.kind {
                Kind::Field => {}
                Kind::CorruptField if takes_corrupt => self.out.repairs.add(Repair::Delimiter),
                _ => continue,
            }
            fields.push(unquoted(self.text.get(at..mark.start).unwrap_or("")));
            at = mark.end;
        }
        fields.push(unquoted(self.text.get(at..to).unwrap_or("")));
        if fields.len() < full.min(FULL_ENTITY - 1) {
            fields = self.split_quoted(fields);
        }
        fields
    }

    /// `"ANA","PERSON"` in one field: other separators between quoted fields.
    fn split_quoted(&mut self, fields: Vec<String>) -> Vec<String> {
        let mut split = Vec::new();
        for field in fields {
            let parts = separated::quoted_parts(&field);
            if parts.len() > 1 {
                self.out.repairs.add(Repair::Delimiter);
                split.extend(parts);
            } else {
                split.push(field);
            }
        }
        split
    }

    /// Where a record's fields end, and where its text does.
    fn end_of(&self, from: usize, to: usize, opener: Option<char>, marks: &[Mark]) -> End {
        let body = self.text.get(from..to).unwrap_or("");
        let (openers, closers) = match opener {
            None => return self.end_without_parenthesis(from, to, body),
            Some('[') => (['['; 2], [']'; 2]),
            Some('{') => (['{'; 2], ['}'; 2]),
            Some(_) => (['(', '（'], [')', '）']),
        };
        let last_mark = marks
            .iter()
            .rfind(|mark| mark.start >= from && mark.end <= to && mark.kind == Kind::Field);
        let last_field = last_mark.map_or(0, |mark| mark.end - from);
        let is_quoted = body
            .get(last_field..)
            .is_some_and(|field| field.trim_start().starts_with(['"', '“']));
        let at_parenthesis = |offset: usize, c: char| End {
            content: from + offset,
            after: from + offset + c.len_utf8(),
            is_closed: true,
            by_parenthesis: true,
        };
        let mut depth = 1usize;
        let mut fallback = None;
        for (offset, c) in body.char_indices() {
            match c {
                c if openers.contains(&c) => depth += 1,
                c if closers.contains(&c) => {
                    let ends_here = offset >= last_field
                        && ends_record(body.get(offset + c.len_utf8()..).unwrap_or(""));
                    let before = body.get(last_field..offset).unwrap_or("");
                    let is_quote_closed = !is_quoted || before.trim_end().ends_with(['"', '”']);
                    if depth <= 1 && ends_here && is_quote_closed {
                        return at_parenthesis(offset, c);
                    }
                    if ends_here {
                        fallback = Some((offset, c, depth));
                    }
                    depth = depth.saturating_sub(1).max(1);
                }
                _ => {}
            }
        }
        // Parentheses or quotes do not balance: the last one that could end the record does, unless the text was cut there.
        let is_length = self.finish == FinishReason::Length;
        let accepted = fallback.filter(|&(offset, c, depth)| {
            let at_text_end =
                to == self.text.len() && offset + c.len_utf8() == body.trim_end().len();
            !at_text_end || (!is_length && depth <= 1)
        });
        if let Some((offset, c, _)) = accepted {
            return at_parenthesis(offset, c);
        }
        let content = trimmed_end(body);
        let is_closed = content < body.trim_end().len();
        End {
            content: from + content,
            after: from + body.len(),
            is_closed,
            by_parenthesis: false,
        }
    }

    fn end_without_parenthesis(&self, from: usize, to: usize, body: &str) -> End {
        let cut = body
            .find("\n\n")
            .or_else(|| body.find("\r\n\r\n"))
            .unwrap_or(body.len());
        let body = body.get(..cut).unwrap_or(body);
        let content = trimmed_end(body);
        let text = body.get(..content).unwrap_or("");
        if text.ends_with([')', '）'])
            && text.matches(['(', '（']).count() < text.matches([')', '）']).count()
        {
            let content = text.trim_end_matches([')', '）']).len();
            return End {
                content: from + content,
                after: from + cut,
                is_closed: true,
                by_parenthesis: true,
            };
        }
        let is_delimited =
            content < body.trim_end().len() || from + cut < to || to < self.text.len();
        let is_closed = is_delimited || self.finish != FinishReason::Length;
        End {
            content: from + content,
            after: from + cut,
            is_closed,
            by_parenthesis: false,
        }
    }

    fn note_gap(&mut self, from: usize, to: usize, order: usize) {
        let gap = self.text.get(from..to).unwrap_or("");
        if order > 0
            && self.tagging == Tagging::Tagged
            && !gap.contains("##")
            && !gap.contains(['|', '｜', '{'])
            && !self
                .text
                .get(..from)
                .is_some_and(|t| t.trim_end().ends_with('#'))
        {
            self.out.repairs.add(Repair::RecordDelimiter);
        }
        self.note_prose(gap);
    }

    fn note_tail(&mut self, from: usize, is_all: bool) {
        if !is_all {
            let tail = self.text.get(from..).unwrap_or("");
            self.note_prose(tail);
        }
    }

    fn note_prose(&mut self, gap: &str) {
        if gap.contains("```") {
            self.out.repairs.add(Repair::Fence);
        }
        let mut rest = gap.to_owned();
        for mark in marks(gap).iter().rev() {
            rest.replace_range(mark.start..mark.end, " ");
        }
        let word = rest.trim().trim_matches('`').trim();
        if word.chars().any(char::is_alphanumeric)
            && !matches!(word, "text" | "plaintext" | "txt" | "tuple")
        {
            self.out.repairs.add(Repair::Prose);
        }
    }

    /// A last record without its end is dropped; without a completion mark, more was to come.
    fn finish_last(&mut self, is_empty: bool) {
        let is_length = self.finish == FinishReason::Length;
        if !self.last_is_closed {
            self.out.records.pop();
            self.out.is_cut = true;
        } else if is_length && !self.out.is_complete && !is_empty {
            self.out.is_cut = true;
        }
    }
}

struct End {
    /// Where the last field ends.
    content: usize,
    /// Where the record's text ends.
    after: usize,
    is_closed: bool,
    /// Its closing parenthesis was there.
    by_parenthesis: bool,
}

/// A field without the quotes around it. In `"A" and "B"` they are not around it.
fn unquoted(field: &str) -> String {
    let field = field.trim().trim_matches('|').trim();
    let inner = [('"', '"'), ('“', '”'), ('＂', '＂')]
        .into_iter()
        .find_map(|(open, close)| {
            field
                .strip_prefix(open)?
                .strip_suffix(close)
                .map(|inner| (inner, close))
        });
    let Some((inner, close)) = inner else {
        return field.to_owned();
    };
    let first = inner.find(close).and_then(|at| inner.get(..at));
    let is_around = first.is_none_or(|before| {
        before.is_empty() || before.ends_with([' ', '(', '“', '「', '-', '—'])
    });
    // Two fields in one keep their quotes: they are parted later.
    if is_around && separated::quoted_parts(field).len() == 1 {
        inner.trim().to_owned()
    } else {
        field.to_owned()
    }
}

/// Whether what follows a parenthesis lets it be a record's end.
fn ends_record(after: &str) -> bool {
    let next = after.trim_start_matches([' ', '\t', '`', '*']);
    let Some(c) = next.chars().next() else {
        return true;
    };
    match c {
        '\n' | '\r' | '#' | '(' | '（' | ']' | '<' | '{' | '"' => true,
        ',' | '，' | ';' => next
            .trim_start_matches([',', '，', ';', ' '])
            .starts_with(['(', '（', '\n', '\r', ']']),
        _ => false,
    }
}

/// The length of a record's text without record delimiters at its end.
fn trimmed_end(body: &str) -> usize {
    let mut text = body.trim_end();
    loop {
        let shorter = text.trim_end_matches(['#', '`']).trim_end();
        // One `#` may belong to the text, as in "C#".
        if shorter.len() == text.len() || !text.ends_with("##") && !text.ends_with("``") {
            return text.len();
        }
        text = shorter;
    }
}
