//! Finds the JSON values in a text: between prose, in fences, one after the other.

use super::super::outcome::{Repair, Repairs};
use super::parser::{Ending, Parser};
use super::token::{is_key_char, is_quote, structural};
use super::value::Node;

const MAX_ROOTS: usize = 10_000;
/// A text whose quotes are escaped is unescaped and read again, twice at most.
const MAX_UNESCAPES: usize = 2;

/// One top-level value.
#[derive(Debug)]
pub(crate) struct Root {
    pub node: Node,
    pub ending: Ending,
    /// Where it starts and ends in the text, in bytes.
    pub start: usize,
    pub end: usize,
}

/// All the values of a text.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub roots: Vec<Root>,
    pub repairs: Repairs,
    /// Units of work spent; for tests of linearity.
    pub steps: u64,
}

/// Reads every value of the text. Linear: what one value has consumed is never read again.
pub(crate) fn read(text: &str) -> Document {
    read_unescaped(text, MAX_UNESCAPES)
}

fn read_unescaped(text: &str, unescapes: usize) -> Document {
    let mut document = Document::default();
    let mut parser = Parser::new(text);
    let mut at = 0;
    let mut gap_start = 0;
    let mut unescapes = unescapes;
    while let Some(offset) = text
        .get(at..)
        .and_then(|rest| rest.find(['{', '[', '｛', '［']))
    {
        let start = at + offset;
        match candidate(&mut parser, start) {
            Candidate::No => {
                at = start + text[start..].chars().next().map_or(1, char::len_utf8);
                continue;
            }
            Candidate::Escaped if unescapes > 0 => {
                let inner = read_unescaped(&unescape(&text[start..]), unescapes - 1);
                // One try: a second would read the same text again.
                unescapes = 0;
                if !inner.roots.is_empty() {
                    note_gap(&text[gap_start..start], &mut document.repairs);
                    document.repairs.merge(inner.repairs);
                    document.repairs.add(Repair::EmbeddedText);
                    document.steps += inner.steps;
                    document.roots.extend(inner.roots);
                    at = text.len();
                    gap_start = at;
                    break;
                }
                at = start + 1;
                continue;
            }
            Candidate::Escaped | Candidate::Yes => {}
        }
        note_gap(&text[gap_start..start], &mut document.repairs);
        let (node, ending) = parser.value_at(start);
        // Progress is certain: the opening bracket was consumed.
        at = parser.pos().max(start + 1);
        gap_start = at.min(text.len());
        if document.roots.len() < MAX_ROOTS {
            document.roots.push(Root {
                node,
                ending,
                start,
                end: gap_start,
            });
        }
    }
    note_gap(text.get(gap_start..).unwrap_or(""), &mut document.repairs);
    document.repairs.merge(parser.repairs);
    document.steps += parser.steps + text.len() as u64;
    document
}

fn note_gap(gap: &str, repairs: &mut Repairs) {
    if gap.contains("```") {
        repairs.add(Repair::Fence);
    }
    if gap.chars().any(|c| c.is_alphanumeric()) {
        let fenced = gap
            .trim()
            .strip_prefix("```")
            .map(|rest| rest.trim_start_matches('`').trim());
        if !matches!(
            fenced,
            Some("json" | "JSON" | "json5" | "jsonc" | "python" | "javascript" | "js")
        ) {
            repairs.add(Repair::Prose);
        }
    }
}

enum Candidate {
    Yes,
    No,
    /// Quotes inside are escaped: a value that went through a string.
    Escaped,
}

/// Whether the bracket at `start` opens a value rather than stands in prose.
fn candidate(parser: &mut Parser<'_>, start: usize) -> Candidate {
    let rest = parser.text_from(start);
    let Some(opener) = rest.chars().next() else {
        return Candidate::No;
    };
    let is_map = structural(opener) == Some('{');
    let mut after = start + opener.len_utf8();
    if is_map && rest.starts_with("{{") {
        after += 1;
    }
    let next = parser.ahead(after);
    let Some(c) = next.c else {
        return Candidate::Yes;
    };
    let is_candidate = match structural(c) {
        Some('{') => true,
        Some('[') => !is_map,
        Some('}') => is_map,
        Some(']') => !is_map,
        Some(_) => false,
        None if c == '\\' => {
            return if parser.text_from(next.at).starts_with("\\\"") {
                Candidate::Escaped
            } else {
                Candidate::No
            };
        }
        None if is_quote(c) && is_map => parser.is_key_ahead(next.at) || c == '"',
        None if is_quote(c) => c != '`',
        None if c == '…' || parser.text_from(next.at).starts_with("...") => !is_map,
        None if matches!(c, '/' | '#') => true,
        None if is_map => is_key_char(c) && is_bare_member(parser, next.at),
        None => false,
    };
    if is_candidate {
        Candidate::Yes
    } else {
        Candidate::No
    }
}

/// A short word and a colon, as in `{name: "x"}`; in prose a colon in braces is rare.
fn is_bare_member(parser: &mut Parser<'_>, at: usize) -> bool {
    let word: String = parser
        .text_from(at)
        .chars()
        .take_while(|&c| is_key_char(c) && c != ' ')
        .collect();
    !word.is_empty() && parser.is_bare_key_ahead(at)
}

/// Takes one level of escapes off; the text ends at the first quote that is not escaped.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(c @ ('"' | '\\' | '/')) => out.push(c),
                Some(c) => {
                    out.push('\\');
                    out.push(c);
                }
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}
