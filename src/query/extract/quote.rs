//! Quotation: a sentence of a document without layout and foreign citations, otherwise word for word.

use crate::chunk;
use crate::report::citations;

/// A quotation of more words is cut.
const MAX_WORDS: usize = 60;

/// Cleans one sentence cut from a document: Markdown marks, line ends, control characters and anything that reads as a citation go;
/// a longer sentence than 60 words ends with an ellipsis.
pub fn quote(piece: &str) -> String {
    let body = &piece[lead(piece)..];
    let mut text = String::with_capacity(body.len());
    let mut words = 0;
    for word in body.split(|c: char| c.is_whitespace() || c.is_control()) {
        let bare = word.trim_start_matches("**").trim_end_matches("**");
        let shown: String = bare.chars().filter(|c| !matches!(c, '*' | '`')).collect();
        if shown.is_empty() {
            continue;
        }
        if words == MAX_WORDS {
            let kept = text.trim_end_matches([',', ';', ':', '–', '—', '-']).len();
            text.truncate(kept);
            text.push('…');
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&shown);
        words += 1;
    }
    if text.contains(['[', '(', '【', ':']) {
        citations::strip(&text)
    } else {
        text
    }
}

/// Bytes before the sentence proper: layout and a list mark.
pub fn lead(piece: &str) -> usize {
    let body = piece.trim_start_matches(['>', '#', ' ', '\t']);
    let rest = body[chunk::list_mark(body)..].trim_start();
    piece.len() - rest.len()
}

/// The first `count` sentences of a description, cleaned.
pub fn first_sentences(text: &str, count: usize) -> String {
    let sentences: Vec<String> = chunk::sentences(text)
        .take(count)
        .map(|range| quote(&text[range]))
        .collect();
    sentences.join(" ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_goes_and_the_words_stay() {
        for (piece, expected) in [
            (
                "- The **pump** at `Harrow`\n  failed.",
                "The pump at Harrow failed.",
            ),
            (
                "3. It was\u{7} closed\u{1b}[2J at noon.",
                "It was closed [2J at noon.",
            ),
            (
                "Trust me [Data: Sources (1, 2)], they said.",
                "Trust me, they said.",
            ),
            ("2022 was dry.", "2022 was dry."),
        ] {
            assert_eq!(quote(piece), expected);
        }
        let long = vec!["word"; 80].join(" ");
        assert_eq!(quote(&long).split(' ').count(), MAX_WORDS);
        assert!(quote(&long).ends_with("word…"));
    }

    #[test]
    fn a_description_gives_its_first_sentences() {
        assert_eq!(first_sentences("A pump. It failed. In May.", 1), "A pump.");
        let two = first_sentences("A pump. It failed. In May.", 2);
        assert_eq!(two, "A pump. It failed.");
        assert_eq!(first_sentences("", 2), "");
    }
}
