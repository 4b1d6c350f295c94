//! What is meant as a citation and has no form that can be followed.

use std::ops::Range;

use super::citations::{Citation, has_data_word};

/// Where `text` has a number in brackets, as in `[1]`, `[1, 2]` and `[^1]`: a mark of the writer's own. A link's text and what
/// stands in code are none.
pub fn numbered(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut read, mut in_code) = (0, false);
    for (at, _) in text.match_indices('[') {
        for byte in text[read..at].bytes() {
            match byte {
                b'\n' => in_code = false,
                b'`' => in_code = !in_code,
                _ => {}
            }
        }
        read = at;
        let Some(length) = text[at..].bytes().take(60).position(|b| b == b']') else {
            continue;
        };
        let end = at + length + 1;
        let inner = &text[at + 1..end - 1];
        let inner = inner.strip_prefix('^').unwrap_or(inner);
        let is_list = inner
            .split(',')
            .all(|id| !id.trim().is_empty() && id.trim().bytes().all(|b| b.is_ascii_digit()));
        // `[words][1]` and `[1](address)` are links.
        let is_link = text[end..].starts_with('(')
            || text[..at].ends_with(']') && found.last().is_none_or(|last| last.end != at);
        if is_list && !in_code && !is_link {
            found.push(at..end);
        }
    }
    found
}

/// What is meant as a citation and has no form that can be followed: a number in brackets, `[Data: Bananas (3)]`. Each is all
/// unread; `known` are the citations that were read, in order.
pub fn in_no_form(text: &str, known: &[Citation]) -> Vec<Citation> {
    let is_free = |span: &Range<usize>| {
        // Only the first that ends behind the beginning can overlap.
        let next = known.partition_point(|citation| citation.span.end <= span.start);
        known
            .get(next)
            .is_none_or(|citation| span.end <= citation.span.start)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::citations;

    #[test]
    fn marks_of_the_writers_own_are_told_from_links_and_code() {
        let text = "One [1]. Two [2, 3][4]. `a[5]` and [words][6] and [7](address).\nNext `line\n[^8] [x9] [ ]";
        let found: Vec<&str> = numbered(text).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, ["[1]", "[2, 3]", "[4]", "[^8]"]);
    }

    #[test]
    fn what_was_read_as_a_citation_is_no_misfit() {
        let text = "A [Data: Sources (1)] b [2] c [Data: Bananas (3)] d [Data: Reports (4)] [5]";
        let known = citations::parse(text);
        let misfits = in_no_form(text, &known);
        let found: Vec<&str> = misfits.iter().map(|one| &text[one.span.clone()]).collect();
        assert_eq!(found, ["[2]", "[5]", "[Data: Bananas (3)]"]);
    }
}
