//! Text of documents, models and file names on a terminal: stripped of what a terminal would obey.

/// Removes control characters, escape sequences' first bytes and marks that reorder or hide text; line ends and tabs stay.
pub fn printable(text: &str) -> String {
    text.chars()
        .filter(|&c| c == '\n' || c == '\t' || !(c.is_control() || is_invisible(c)))
        .collect()
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// As [`printable`], on one line.
pub fn printable_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    printable(&spaced)
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let hostile = "a\x1b[31mb\x07\r\u{9b}2J\u{202e}c\u{200b}\n\td\x1b]8;;http://x\x1b\\e\x00";
        let shown = printable(hostile);
        assert_eq!(shown, "a[31mb2Jc\n\td]8;;http://x\\e");
        assert_eq!(printable_line(" a\n\n b\x1b\tc "), "a b c");
    }
}
