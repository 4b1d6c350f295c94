//! What is meant as a citation and has no form that can be followed.

use std::ops::Range;

use super::citations::{Citation, has_data_word};

/// Where `text` has a number in brackets, as in `[1]`, `[1, 2]` and `[^1]`: a mark of the writer's own. A link's text and what
/// stands in code are none.
pub fn numbered(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('[') {
        let Some(length) = text[at..].bytes().take(60).position(|b| b == b']') else {
            continue;
        };
        let end = at + length + 1;
        let inner = &text[at + 1..end - 1];
        let inner = inner.strip_prefix('^').unwrap_or(inner);
        let is_list = inner
            .split(',')
            .all(|id| !id.trim().is_empty() && id.trim().bytes().all(|b| b.is_ascii_digit()));
        let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
        let is_code = line.matches('`').count() % 2 == 1;
        // `[words][1]` and `[1](address)` are links.
        let is_link = text[end..].starts_with('(')
            || text[..at].ends_with(']')
                && found
                    .last()
                    .is_none_or(|last: &Range<usize>| last.end != at);
        if is_list && !is_code && !is_link {
            found.push(at..end);
        }
    }
    found
}

/// What is meant as a citation and has no form that can be followed: a number in brackets, `[Data: Bananas (3)]`. Each is all
/// unread; `known` are the citations that were read.
pub fn in_no_form(text: &str, known: &[Citation]) -> Vec<Citation> {
    let is_free = |span: &Range<usize>| {
        known
            .iter()
            .all(|citation| citation.span.end <= span.start || span.end <= citation.span.start)
    };
    let tables = text.match_indices('[').filter_map(|(at, _)| {
        let length = text[at..].bytes().take(120).position(|b| b == b']')?;
        let inner = &text[at + 1..at + length];
        let (word, rows) = inner
            .split_once(':')
            .filter(|_| has_data_word(inner))?
            .1
            .split_once('(')?;
        let is_word = !word.trim().is_empty()
            && word
                .chars()
                .all(|c| c.is_alphabetic() || c == ' ' || c == '_');
        let has_number = rows.bytes().any(|b| b.is_ascii_digit());
        (is_word && has_number).then_some(at..at + length + 1)
    });
    numbered(text)
        .into_iter()
        .chain(tables)
        .filter(is_free)
        .map(|span| {
            let inner = &text[span.start + 1..span.end - 1];
            let inner = inner.split_once(':').map_or(inner, |(_, rows)| rows);
            Citation {
                cited: Vec::new(),
                unread: vec![inner.trim().trim_start_matches('^').to_owned()],
                span,
            }
        })
        .collect()
}
