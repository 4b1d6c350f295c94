//! Prose and Markdown where JSON was asked for: items, sections and sentences.

const MAX_ITEMS: usize = 200;

/// A heading and the text below it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Section {
    /// 1 for `#`; 0 for the text before any heading; 7 for a bold line.
    pub level: usize,
    pub heading: String,
    pub body: String,
}

/// The sentences of a text; a line break ends one too.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next_is_blank = chars.peek().is_none_or(|&(_, next)| next.is_whitespace());
        let ends = c == '\n'
            || matches!(c, '。' | '！' | '？')
            || (matches!(c, '.' | '!' | '?') && next_is_blank);
        if ends {
            let end = at + c.len_utf8();
            let sentence = text.get(start..end).unwrap_or("").trim();
            if !sentence.is_empty() {
                found.push(sentence);
            }
            start = end;
        }
    }
    let rest = text.get(start..).unwrap_or("").trim();
    if !rest.is_empty() {
        found.push(rest);
    }
    found
}

/// The text up to the end of its last whole sentence; `None` when it has none.
pub(super) fn whole_sentences(text: &str) -> Option<&str> {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?', '。', '！', '？', '"', ')', ']']) {
        return Some(text);
    }
    let last = sentences(text).pop()?;
    let kept = text.get(..text.len() - last.len())?.trim_end();
    (!kept.is_empty()).then_some(kept)
}

/// The marker of a list item, and the text after it.
pub(super) fn list_item(line: &str) -> Option<&str> {
    let text = line.trim_start();
    for marker in ["- ", "* ", "+ ", "• ", "– ", "— ", "· ", "◦ ", "▪ "] {
        if let Some(rest) = text.strip_prefix(marker) {
            return Some(rest.trim());
        }
    }
    if let Some(rest) = text.strip_prefix(['•', '・']) {
        return Some(rest.trim());
    }
    let text = text
        .trim_start_matches("**")
        .trim_start_matches(['(', '（']);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&digits) {
        let rest = text.get(digits..)?;
        let after = rest.strip_prefix(['.', ')', '、', '．', '）', ':'])?;
        // `3.5 million` is no list item.
        return after
            .starts_with(|c: char| !c.is_ascii_digit())
            .then(|| after.trim());
    }
    None
}

/// The items of a text: those of its lists, else its paragraphs. Marks of emphasis are taken off; lines that only
/// announce what follows are left out.
pub(super) fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut indent = 0;
    let mut is_open = false;
    for line in text
        .lines()
        .filter(|line| !line.trim_start().starts_with("```"))
    {
        let own_indent = line.len() - line.trim_start().len();
        if line.trim().is_empty() {
            continue;
        }
        match list_item(line) {
            Some(item) if !is_open || own_indent <= indent + 1 => {
                if items.len() >= MAX_ITEMS {
                    break;
                }
                items.push(item.to_owned());
                indent = own_indent;
                is_open = true;
            }
            Some(item) => append(&mut items, item),
            None if is_open
                && (own_indent > indent || !line.starts_with(['#', '*']))
                && own_indent > 0 =>
            {
                append(&mut items, line.trim())
            }
            None => is_open = false,
        }
    }
    if items.is_empty() {
        items = paragraphs(text);
    }
    items
        .iter()
        .map(|item| plain(item))
        .filter(|item| !item.is_empty() && !is_announcement(item))
        .collect()
}

fn append(items: &mut [String], text: &str) {
    if let Some(last) = items.last_mut() {
        last.push(' ');
        last.push_str(text);
    }
}

fn paragraphs(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut current = String::new();
    for line in text.lines().chain([""]) {
        let line = line.trim();
        if line.is_empty() || line.starts_with("```") || line.starts_with('#') {
            if !current.is_empty() && found.len() < MAX_ITEMS {
                found.push(std::mem::take(&mut current));
            }
        } else {
            if !current.is_empty() {
                current.push(' ');
            }
            current.push_str(line);
        }
    }
    found
}

fn is_announcement(text: &str) -> bool {
    text.ends_with([':', '：']) && text.chars().count() < 200
}

/// The text without emphasis.
pub(super) fn plain(text: &str) -> String {
    text.replace("**", "").replace("__", "").trim().to_owned()
}

/// Splits a Markdown text at its headings. A bold line on its own is one too.
pub(super) fn sections(text: &str) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            continue;
        }
        let hashes = trimmed.bytes().take_while(|&b| b == b'#').count();
        let bold = trimmed
            .strip_prefix("**")
            .and_then(|rest| rest.strip_suffix("**").or_else(|| rest.strip_suffix("**:")));
        let heading = match bold {
            _ if (1..=6).contains(&hashes) => Some((hashes, trimmed.trim_start_matches('#'))),
            Some(bold) if !bold.contains("**") => Some((7, bold)),
            _ => None,
        };
        match heading {
            Some((level, heading)) => {
                let heading = plain(heading)
                    .trim_end_matches([':', '：'])
                    .trim()
                    .to_owned();
                sections.push(Section {
                    level,
                    heading,
                    body: String::new(),
                });
            }
            None => {
                if let Some(section) = sections.last_mut() {
                    section.body.push_str(line.trim_end());
                    section.body.push('\n');
                }
            }
        }
    }
    for section in &mut sections {
        section.body = section.body.trim().to_owned();
    }
    sections.retain(|section| !section.body.is_empty() || !section.heading.is_empty());
    sections
}

/// `**Label:** value` or `Label: value`; the label is short.
pub(super) fn labelled(line: &str) -> Option<(String, &str)> {
    let line = line.trim().trim_start_matches(['-', '*', '•', ' ', '#']);
    let (label, value) = line.split_once([':', '：'])?;
    let label = plain(label);
    if label.is_empty() || label.chars().count() > 40 || label.split_whitespace().count() > 4 {
        return None;
    }
    Some((label, value.trim().trim_start_matches("**").trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_items() {
        assert_eq!(list_item("1. **A**: b"), Some("**A**: b"));
        assert_eq!(list_item("  - x"), Some("x"));
        assert_eq!(list_item("3.5 million"), None);
        assert_eq!(list_item("In 2022"), None);
    }

    #[test]
    fn items_of_a_list_leave_the_frame_out() {
        let text = "The causes are:\n\n1. **A**: first.\n   - more\n\n2. B.\n\nThat is all.";
        assert_eq!(items(text), ["A: first. more", "B."]);
        assert_eq!(
            items("One paragraph\nof two lines.\n\nAnother."),
            ["One paragraph of two lines.", "Another."]
        );
    }

    #[test]
    fn cut_sentences_go() {
        assert_eq!(whole_sentences("One. Two and"), Some("One."));
        assert_eq!(whole_sentences("One and"), None);
        assert_eq!(whole_sentences("One. Two."), Some("One. Two."));
    }

    #[test]
    fn markdown_sections() {
        let found = sections("# T\n\ns\n\n## F\nx\n**B**\ny");
        let heads: Vec<(usize, &str, &str)> = found
            .iter()
            .map(|s| (s.level, s.heading.as_str(), s.body.as_str()))
            .collect();
        assert_eq!(heads, [(1, "T", "s"), (2, "F", "x"), (7, "B", "y")]);
    }
}
