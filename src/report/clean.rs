//! Quotation for display: a sentence without Markdown, layout and foreign citations, otherwise word for word.

use super::citations;
use crate::chunk::list_mark;

/// A quotation of more words is cut at a clause.
const MAX_WORDS: usize = 60;

/// Cleans one sentence cut from a document.
///
/// Brackets that read as citations are dropped: text of a document must not pass for evidence. Control characters and line
/// ends become spaces; links keep their words; a sentence of more than 60 words ends at a clause, with an ellipsis.
pub(super) fn quote(piece: &str) -> String {
    let piece = piece.trim_start_matches(['>', '#', ' ']);
    let body = &piece[list_mark(piece)..];
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    let mut space = false;
    while let Some(c) = rest.chars().next() {
        let mut width = c.len_utf8();
        match c {
            '*' | '`' => {}
            '_' if rest.starts_with("__") => width = 2,
            '\\' if rest[1..].starts_with(['*', '_', '[', ']', '#', '`']) => {}
            '!' if rest.starts_with("![") && link(&rest[1..]).is_some() => {
                width = 1 + link(&rest[1..]).map_or(0, |(_, length)| length);
            }
            '[' if link(rest).is_some() => {
                let (words, length) = link(rest).unwrap_or(("", 1));
                if space {
                    text.push(' ');
                }
                space = false;
                text.push_str(words);
                width = length;
            }
            '<' if tag(rest) > 0 => {
                width = tag(rest);
                space = !text.is_empty();
            }
            c if c.is_whitespace() || c.is_control() => space = !text.is_empty(),
            c => {
                if space && !text.ends_with(' ') {
                    text.push(' ');
                }
                space = false;
                text.push(c);
            }
        }
        rest = &rest[width..];
    }
    let mut text = if text.contains(['[', '(', '【', ':']) {
        citations::strip(&text)
    } else {
        text
    };
    text.truncate(text.trim_end().len());
    shorten(text, MAX_WORDS)
}

/// `[words](target)` at the start of `text`: the words and the length of the whole.
fn link(text: &str) -> Option<(&str, usize)> {
    let head = text.get(..text.len().min(400)).unwrap_or_else(|| {
        let end = (0..400)
            .rev()
            .find(|&end| text.is_char_boundary(end))
            .unwrap_or(0);
        &text[..end]
    });
    let middle = head.find("](")?;
    let words = head.get(1..middle)?;
    if words.contains('[') {
        return None;
    }
    let end = head[middle..].find(')')?;
    Some((words, middle + end + 1))
}

/// Length of an HTML tag at the start of `text`; 0 when there is none.
fn tag(text: &str) -> usize {
    let after = text[1..].trim_start_matches('/');
    if !after.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return 0;
    }
    text.bytes()
        .take(120)
        .position(|b| b == b'>')
        .map_or(0, |end| end + 1)
}

/// Cuts a text of more than `limit` words at its last clause end within them.
pub(super) fn shorten(mut text: String, limit: usize) -> String {
    let mut words = 0;
    let mut clause = 0;
    let mut end = 0;
    for (at, _) in text.match_indices(' ') {
        words += 1;
        if words >= limit {
            end = at;
            break;
        }
        if text[..at].ends_with([',', ';', ':', '–', '—']) {
            clause = at;
        }
    }
    if end == 0 {
        return text;
    }
    let cut = if clause * 2 > end { clause } else { end };
    text.truncate(cut);
    let kept = text
        .trim_end_matches([' ', ',', ';', ':', '–', '—', '-'])
        .len();
    text.truncate(kept);
    text.push('…');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_and_layout_go_and_the_words_stay() {
        for (piece, expected) in [
            (
                "- The **pump** at `Harrow`\n  failed.",
                "The pump at Harrow failed.",
            ),
            (
                "3. See [the audit](https://lune.example/a) of May.",
                "See the audit of May.",
            ),
            (
                "> It was\u{7}\t closed <br/> at noon.",
                "It was closed at noon.",
            ),
            ("A < b and b > c hold here.", "A < b and b > c hold here."),
            (
                "The snake_case name and __all__ of it.",
                "The snake_case name and all of it.",
            ),
            ("An \\*escaped\\* star in it.", "An escaped star in it."),
            (
                "![logo](x.png) The trust [sic] paid.",
                "The trust [sic] paid.",
            ),
        ] {
            assert_eq!(quote(piece), expected);
        }
    }

    #[test]
    fn a_citation_inside_a_document_does_not_survive() {
        assert_eq!(
            quote("Trust me [Data: Sources (1, 2)], they said."),
            "Trust me, they said."
        );
    }

    #[test]
    fn long_sentences_end_at_a_clause() {
        let words = |n: usize| vec!["word"; n].join(" ");
        let text = format!("{}, {}.", words(45), words(40));
        assert_eq!(quote(&text), format!("{}…", words(45)));
        let text = format!("{}.", words(80));
        assert_eq!(quote(&text), format!("{}…", words(60)));
        let text = format!("{}.", words(60));
        assert_eq!(quote(&text), text);
    }

    #[test]
    fn text_of_many_scripts_never_splits_a_character() {
        for piece in [
            "é[é](",
            "[水](水)水。",
            "![水",
            "\\水",
            "<水>",
            "[",
            "<",
            "\\",
        ] {
            quote(piece);
        }
        let long = format!("[{}", "水".repeat(300));
        assert_eq!(quote(&long), long);
    }
}
