//! Line ends that end a sentence: blank lines, list items, headings, and lines that nobody wrapped.

/// How far into the next line is looked.
const LOOKAHEAD: usize = 256;

/// Whether the line end at `newline` ends the sentence whose current line starts at `line_start`.
///
/// A wrapped paragraph is broken where the next word no longer fits; a line that had room for it was ended on purpose.
pub(super) fn ends_segment(text: &str, line_start: usize, newline: usize) -> bool {
    // invariant: both positions are at ASCII characters or starts of lines, and next_start stops at the end.
    let bytes = text.as_bytes();
    let mut next_start = newline + 1;
    while next_start < bytes.len() && matches!(bytes[next_start], b' ' | b'\t' | b'\r') {
        next_start += 1;
    }
    if next_start == bytes.len() || matches!(bytes[next_start], b'\n' | 0x0C) {
        return true;
    }
    let horizon = text.floor_char_boundary(bytes.len().min(next_start + LOOKAHEAD));
    let ahead = &text[next_start..horizon];
    let next = ahead.split(['\n', '\r']).next().unwrap_or(ahead);
    if starts_block(next) {
        return true;
    }
    let current = text[line_start..newline].trim();
    if current.starts_with(['#', '|']) || (is_capitals(current) && !is_capitals(next)) {
        return true;
    }
    if has_key(next) && (has_key(current) || is_title(current)) {
        return true;
    }
    let first_word = next.split_whitespace().next().unwrap_or(next);
    let width = current.len().max(next.len());
    current.len() + 1 + first_word.len() < width && starts_anew(next)
}

/// A line that begins a list item, a heading, a quote, a table row, a code fence or a rule.
fn starts_block(line: &str) -> bool {
    if line.starts_with(['#', '|', '>', '•']) || line.starts_with("```") {
        return true;
    }
    if line.starts_with("---") || line.starts_with("===") || line.starts_with("***") {
        return true;
    }
    if line.starts_with("- ")
        || line.starts_with("* ")
        || line.starts_with("+ ")
        || line.starts_with("– ")
    {
        return true;
    }
    // invariant: what was counted or found below is ASCII, so the slices are between characters.
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=3).contains(&digits)
        && line[digits..].starts_with(['.', ')'])
        && line[digits + 1..].starts_with(' ')
}

/// `Date: 3 May`, `Prepared by: A. Brown`.
fn has_key(line: &str) -> bool {
    let Some(colon) = line.bytes().take(32).position(|b| b == b':') else {
        return false;
    };
    line.starts_with(|c: char| c.is_uppercase())
        && line[colon + 1..].starts_with([' ', '\t'])
        && line.bytes().take(colon).filter(|&b| b == b' ').count() <= 3
}

/// A heading in capitals.
fn is_capitals(line: &str) -> bool {
    line.len() <= LOOKAHEAD
        && line.chars().any(char::is_uppercase)
        && !line.chars().any(char::is_lowercase)
}

/// Short enough for a title, and begins like one.
fn is_title(line: &str) -> bool {
    line.len() < 60 && line.starts_with(char::is_uppercase)
}

fn starts_anew(line: &str) -> bool {
    line.starts_with(|c: char| {
        c.is_uppercase() || c.is_ascii_digit() || matches!(c, '"' | '“' | '[' | '(' | '*')
    })
}
