//! The marks of the tuple format, whole or corrupted.

/// A mark and its place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `<|>`
    Field,
    /// `<||>`, `<|`, `< | >`, `<|#|>`, ...
    CorruptField,
    /// `<|COMPLETE|>` and its variants.
    Complete,
    /// A model's control token.
    Control,
}

const MAX_WORD_BYTES: usize = 28;
const MAX_EDGE_CHARS: usize = 5;
const MAX_RUN_CHARS: usize = 10;
const COMPLETE_WORDS: &[&str] = &[
    "complete",
    "completed",
    "completion",
    "completion_delimiter",
    "done",
    "finish",
    "finished",
    "stop",
];
const CONTROL_WORDS: &[&str] = &[
    "im_end",
    "im_start",
    "endoftext",
    "eot_id",
    "eom_id",
    "end",
    "end_of_text",
    "return",
    "start",
    "channel",
    "message",
    "assistant",
    "end_of_turn",
    "record_delimiter",
];

fn is_left(c: char) -> bool {
    matches!(c, '<' | '＜' | '〈' | '‹')
}

fn is_right(c: char) -> bool {
    matches!(c, '>' | '＞' | '〉' | '›')
}

fn is_bar(c: char) -> bool {
    matches!(c, '|' | '｜' | '¦' | '│' | '∣')
}

/// Whether the text holds a field delimiter, whole or corrupted, or a completion mark.
pub(in super::super) fn has_mark(text: &str) -> bool {
    let mut at = 0;
    while let Some(mark) = next(text, at) {
        if mark.kind != Kind::Control {
            return true;
        }
        at = mark.end;
    }
    false
}

/// All marks of the text, in order.
pub(super) fn marks(text: &str) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(mark) = next(text, at) {
        found.push(mark);
        at = mark.end;
    }
    found
}

fn next(text: &str, from: usize) -> Option<Mark> {
    let mut at = from;
    loop {
        let offset = text
            .get(at..)?
            .find(|c: char| is_left(c) || is_bar(c) || c == '{')?;
        let start = at + offset;
        let rest = text.get(start..)?;
        if let Some((length, kind)) = word_mark(rest).or_else(|| field_mark(rest, &text[..start])) {
            return Some(Mark {
                start,
                end: start + length,
                kind,
            });
        }
        at = start + rest.chars().next().map_or(1, char::len_utf8);
    }
}

/// `<|COMPLETE|>`, `<|im_end|>`, `{tuple_delimiter}` and the like, with one side damaged at most.
fn word_mark(rest: &str) -> Option<(usize, Kind)> {
    let is_edge = |c: char| {
        is_left(c) || is_right(c) || is_bar(c) || matches!(c, '{' | '}' | '#' | '/' | ' ')
    };
    let (body_at, _) = rest
        .char_indices()
        .take(MAX_EDGE_CHARS + 1)
        .find(|&(_, c)| !is_edge(c))?;
    let (opening, body) = rest.split_at_checked(body_at)?;
    let length = body
        .bytes()
        .take(MAX_WORD_BYTES)
        .take_while(|b| b.is_ascii_alphabetic() || *b == b'_')
        .count();
    let word = body.get(..length)?.to_ascii_lowercase();
    let after = body.get(length..)?;
    let unclosed = after.trim_start_matches([' ', '#']);
    let closing_body =
        unclosed.trim_start_matches(|c: char| is_bar(c) || is_right(c) || c == '}' || c == '/');
    let closing = unclosed.get(..unclosed.len() - closing_body.len())?;
    let end = if closing.is_empty() {
        opening.len() + length
    } else {
        rest.len() - closing_body.len()
    };
    let has_bar = opening.contains(is_bar) || closing.contains(is_bar);
    let is_braced = opening.starts_with('{') && closing.starts_with('}');
    let is_angled = opening.contains(is_left) && closing.contains(is_right);
    let is_field =
        word == "tuple_delimiter" && (is_angled || is_braced) || word == "sep" && is_angled;
    let is_complete = word == "complete" && is_angled
        || has_bar
            && COMPLETE_WORDS.contains(&word.as_str())
            && (word.starts_with("complet") || !closing.is_empty());
    let kind = if is_field {
        Kind::CorruptField
    } else if is_braced && (word == "completion_delimiter" || word == "record_delimiter") {
        if word == "record_delimiter" {
            Kind::Control
        } else {
            Kind::Complete
        }
    } else if is_complete {
        Kind::Complete
    } else if has_bar
        && !closing.is_empty()
        && opening.contains(is_left)
        && CONTROL_WORDS.contains(&word.as_str())
    {
        Kind::Control
    } else {
        return None;
    };
    Some((end, kind))
}

/// `<|>` and what models make of it: an angle or a bar too many, too few, apart, or of another script.
fn field_mark(rest: &str, before: &str) -> Option<(usize, Kind)> {
    if let Some(after) = rest.strip_prefix("<|>") {
        let extra = after.len() - after.trim_start_matches(|c| is_right(c) || is_bar(c)).len();
        return Some((
            3 + extra,
            if extra == 0 {
                Kind::Field
            } else {
                Kind::CorruptField
            },
        ));
    }
    let mut lefts = 0;
    let mut bars = 0;
    let mut rights = 0;
    let mut cores = 0;
    let mut end = 0;
    let chars: Vec<(usize, char)> = rest.char_indices().take(MAX_RUN_CHARS).collect();
    let mut at = 0;
    let char_at = |at: usize| chars.get(at).map(|&(_, c)| c);
    let next_mark =
        |from: usize| (from..from + 3).find_map(|i| char_at(i).filter(|&c| c != ' ' && c != '\\'));
    while let Some(c) = char_at(at) {
        if is_left(c) && bars == 0 && cores == 0 && rights == 0 && lefts < 2 {
            lefts += 1;
        } else if is_bar(c) && rights == 0 && bars < 4 {
            bars += 1;
        } else if is_right(c) && rights < 2 && (bars > 0 || cores > 0) {
            rights += 1;
        } else if c == '#'
            && rights == 0
            && (lefts > 0 || bars > 0)
            && next_mark(at + 1).is_some_and(|c| is_bar(c) || is_right(c) || c == '#')
        {
            cores += 1;
            at += 1;
            continue;
        } else if matches!(c, ' ' | '\\')
            && rights == 0
            && (lefts > 0 || bars > 0)
            && next_mark(at).is_some_and(|c| is_bar(c) || (bars > 0 && is_right(c)))
        {
            at += 1;
            continue;
        } else {
            break;
        }
        at += 1;
        end = char_at_end(&chars, at - 1);
    }
    let is_delimiter = (bars > 0 && lefts + rights > 0) || (cores > 0 && lefts > 0 && rights > 0);
    if is_delimiter {
        return Some((end, Kind::CorruptField));
    }
    let is_between_quotes = lefts == 1 && before.trim_end().ends_with('"') && {
        let after = rest.get(end..).unwrap_or("");
        after
            .strip_prefix('>')
            .is_some_and(|after| after.trim_start().starts_with('"'))
    };
    is_between_quotes.then_some((end + 1, Kind::CorruptField))
}

fn char_at_end(chars: &[(usize, char)], at: usize) -> usize {
    chars.get(at).map_or(0, |&(start, c)| start + c.len_utf8())
}
