//! Names, types and descriptions as they go into the tables.

use super::html;

/// Longer names are no names; a wide (CJK) character counts twice.
const MAX_NAME_WIDTH: usize = 200;
const MAX_NAME_WORDS: usize = 30;
const UNTYPED: &str = "UNKNOWN";
/// Types whose plural and lower-case forms are brought together when the caller names none.
const COMMON_TYPES: &[&str] = &[
    "ORGANIZATION",
    "PERSON",
    "GEO",
    "EVENT",
    "LOCATION",
    "PLACE",
    "PRODUCT",
    "DATE",
    "CONCEPT",
    "TECHNOLOGY",
    "DOCUMENT",
    "VEHICLE",
    "PROJECT",
    "SYSTEM",
    "SERVICE",
    "ROLE",
    "GROUP",
    "COUNTRY",
    "CITY",
];

/// What a name turned out to be.
#[derive(Debug, PartialEq)]
pub(super) enum Name {
    /// Cleaned and upper-cased.
    Good(String),
    /// Nothing there, or a word for nothing.
    Missing,
    /// Too long or too much like a sentence of reasoning.
    Suspicious(String),
}

/// Cleans a name: HTML decoded, tags, control characters, reasoning and outer quotes removed, white space collapsed,
/// upper-cased.
pub(super) fn name(raw: &str) -> Name {
    let without_reasoning = super::reasoning::strip(raw);
    // Some answers went through HTML twice.
    let text = upper(&join_cjk(&unwrap(&plain(&html::unescape(
        &without_reasoning.text,
    )))));
    if !text.chars().any(|c| c.is_alphanumeric() || is_symbol(c)) {
        return Name::Missing;
    }
    if matches!(
        text.as_str(),
        "NONE" | "NULL" | "N/A" | "NIL" | "UNDEFINED" | "UNKNOWN" | "NAN"
    ) {
        return Name::Missing;
    }
    let width: usize = text.chars().map(|c| if is_cjk(c) { 2 } else { 1 }).sum();
    let words = text.split(' ').count();
    let is_thought = words > 8
        && [
            "OKAY", "OK,", "LET ME", "LET'S", "WAIT", "I NEED", "I SHOULD", "I THINK", "WE NEED",
            "FIRST,", "HMM", "SO,",
        ]
        .iter()
        .any(|start| text.starts_with(start));
    if width > MAX_NAME_WIDTH || words > MAX_NAME_WORDS || is_thought {
        return Name::Suspicious(text);
    }
    Name::Good(text)
}

/// Cleans a type; `None` when there is none. `known` types take over their plurals.
pub(super) fn kind(raw: &str, known: &[String]) -> Option<String> {
    let text = upper(&join_cjk(&unwrap(&plain(raw))));
    let is_nothing = !text.chars().any(char::is_alphanumeric)
        || matches!(
            text.as_str(),
            "NONE" | "NULL" | "N/A" | "UNDEFINED" | "UNTYPED"
        );
    if is_nothing {
        return None;
    }
    let is_known = |word: &str| {
        if known.is_empty() {
            COMMON_TYPES.contains(&word)
        } else {
            known.iter().any(|k| k.to_uppercase() == word)
        }
    };
    if is_known(&text) {
        return Some(text);
    }
    if let Some(known_form) = singular(&text).into_iter().find(|word| is_known(word)) {
        return Some(known_form);
    }
    // A list of types instead of one: the first, when every part is a type we know.
    let parts: Vec<&str> = text.split([',', '/', '|', ';']).map(str::trim).collect();
    if parts.len() > 1 && parts.iter().all(|part| is_known(part)) {
        return parts.first().map(|part| (*part).to_owned());
    }
    Some(text)
}

/// The type of an entity whose answer gave none.
pub(super) fn untyped() -> String {
    UNTYPED.to_owned()
}

fn singular(word: &str) -> Vec<String> {
    let mut forms = Vec::new();
    if word == "PEOPLE" {
        forms.push("PERSON".to_owned());
    }
    if let Some(stem) = word.strip_suffix("IES") {
        forms.push(format!("{stem}Y"));
    }
    if let Some(stem) = word.strip_suffix('S') {
        forms.push(stem.to_owned());
    }
    forms
}

/// Cleans a description: as a name, but with its case and inner quotes, in one line.
pub(super) fn description(raw: &str) -> String {
    let text = latex(raw);
    let text = plain(&text);
    let text = text.trim();
    match text.chars().filter(|&c| c == '"').count() {
        // A lone quote at either end is left over from a broken pair.
        1 => text
            .strip_suffix('"')
            .or_else(|| text.strip_prefix('"'))
            .unwrap_or(text)
            .trim()
            .to_owned(),
        2 => unwrap(text),
        count if count % 2 == 1 && text.ends_with('"') => {
            text.strip_suffix('"').unwrap_or(text).trim().to_owned()
        }
        _ => {
            let curly = text
                .strip_prefix('“')
                .and_then(|rest| rest.strip_suffix('”'));
            curly
                .filter(|inner| !inner.contains(['“', '”']))
                .unwrap_or(text)
                .to_owned()
        }
    }
}

/// Cleans a paragraph: HTML entities decoded and control characters removed, line breaks kept.
pub(super) fn paragraph(raw: &str) -> String {
    let text = html::unescape(&latex(raw).replace("\r\n", "\n"));
    let kept: String = text
        .chars()
        .filter(|&c| c == '\n' || c == '\t' || !is_hidden(c))
        .collect();
    kept.trim().to_owned()
}

/// `\frac` and `\beta` read as JSON are a form feed and a backspace before letters: no text has those.
fn latex(raw: &str) -> String {
    if !raw.contains(['\u{8}', '\u{c}']) {
        return raw.to_owned();
    }
    raw.replace('\u{8}', "\\b").replace('\u{c}', "\\f")
}

/// HTML and hidden characters off, white space collapsed.
fn plain(raw: &str) -> String {
    let text = html::remove_tags(raw);
    let text = if text.contains('&') {
        html::remove_tags(&html::unescape(&text))
    } else {
        text
    };
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !is_hidden(c) {
            out.push(c);
        }
    }
    out.trim().to_owned()
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fffe}')
}

/// Takes pairs of quotes and of Markdown marks off both ends.
pub(super) fn unwrap(text: &str) -> String {
    const PAIRS: &[(&str, &str)] = &[
        ("\"", "\""),
        ("'", "'"),
        ("`", "`"),
        ("“", "”"),
        ("‘", "’"),
        ("«", "»"),
        ("「", "」"),
        ("『", "』"),
        ("**", "**"),
        ("__", "__"),
        ("*", "*"),
        ("\\\"", "\\\""),
        ("＂", "＂"),
        ("”", "”"),
        ("“", "“"),
    ];
    let mut text = text.trim();
    'again: loop {
        for (open, close) in PAIRS {
            let inner = text
                .strip_prefix(open)
                .and_then(|rest| rest.strip_suffix(close));
            if let Some(inner) =
                inner.filter(|inner| *open != "\"" || !inner.contains('"') || is_wrapped(inner))
            {
                text = inner.trim();
                continue 'again;
            }
        }
        let trimmed = text.trim_end_matches([',', ';', '，', '；']).trim_end();
        if trimmed.len() < text.len() {
            text = trimmed;
            continue;
        }
        if text.matches('"').count() == 1 {
            let stripped = text.strip_prefix('"').or_else(|| text.strip_suffix('"'));
            if let Some(stripped) = stripped {
                text = stripped.trim();
                continue;
            }
        }
        return text.to_owned();
    }
}

/// `""x""`: quoted twice. `"a" b "c"` is not wrapped as a whole.
fn is_wrapped(inner: &str) -> bool {
    inner.len() >= 2 && inner.starts_with('"') && inner.ends_with('"')
        || inner.matches('"').count() == 2 && !inner.starts_with('"') && !inner.ends_with('"')
}

fn upper(text: &str) -> String {
    text.to_uppercase()
}

/// Removes spaces between CJK characters: `华东 银行` is one word. Korean keeps its spaces.
fn join_cjk(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut previous = ' ';
    while let Some(c) = chars.next() {
        let between_cjk =
            c == ' ' && is_cjk(previous) && chars.peek().is_some_and(|&next| is_cjk(next));
        if !between_cjk {
            out.push(c);
            previous = c;
        }
    }
    out
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

/// Symbols that may be a whole name: currency, mathematics, arrows aside.
fn is_symbol(c: char) -> bool {
    matches!(c, '$' | '€' | '£' | '¥' | '\u{2200}'..='\u{22ff}' | '\u{1f300}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(raw: &str) -> String {
        match name(raw) {
            Name::Good(name) => name,
            other => panic!("{raw}: {other:?}"),
        }
    }

    #[test]
    fn names() {
        for (raw, expected) in [
            ("Reed &amp; Sons<br/>", "REED & SONS"),
            (" \"Port\n Lune\" ", "PORT LUNE"),
            ("华东 银行", "华东银行"),
            ("山田　太郎", "山田太郎"),
            ("삼성 전자", "삼성 전자"),
            ("IBM 中国", "IBM 中国"),
            ("Dana \"Sparrow\" Cole", "DANA \"SPARROW\" COLE"),
            ("\"Dana \"Sparrow\" Cole\"", "DANA \"SPARROW\" COLE"),
            ("\"\"Mira\"\"", "MIRA"),
            ("Mira Osei\"", "MIRA OSEI"),
            ("**Mira Osei**", "MIRA OSEI"),
            ("`Mira`,", "MIRA"),
            ("O'Hara", "O'HARA"),
            ("'O'Hara Mill'", "O'HARA MILL"),
            ("Straße", "STRASSE"),
            ("<think>a person</think>Mira Osei", "MIRA OSEI"),
            ("Zero\u{200b}Width\u{7}", "ZEROWIDTH"),
            ("List<String>", "LIST<STRING>"),
            ("2022", "2022"),
            ("C++", "C++"),
        ] {
            assert_eq!(good(raw), expected, "{raw}");
        }
    }

    #[test]
    fn no_names() {
        for raw in ["", "  ", "\"\"", "...", "None", "null", "N/A", "<br>", "--"] {
            assert_eq!(name(raw), Name::Missing, "{raw}");
        }
        assert!(matches!(name(&"x".repeat(700)), Name::Suspicious(_)));
        assert!(matches!(
            name("Okay, let me look at the text and find every entity in it"),
            Name::Suspicious(_)
        ));
    }

    #[test]
    fn kinds() {
        assert_eq!(
            kind("\"organization\"", &[]).as_deref(),
            Some("ORGANIZATION")
        );
        assert_eq!(kind("organizations", &[]).as_deref(), Some("ORGANIZATION"));
        assert_eq!(kind("People", &[]).as_deref(), Some("PERSON"));
        assert_eq!(kind("NEWS", &[]).as_deref(), Some("NEWS"));
        assert_eq!(kind("person, geo", &[]).as_deref(), Some("PERSON"));
        assert_eq!(kind("ships", &["Ship".to_owned()]).as_deref(), Some("SHIP"));
        assert_eq!(kind(" ", &[]), None);
    }

    #[test]
    fn descriptions() {
        assert_eq!(description(" x &lt; y\r\nz "), "x < y z");
        assert_eq!(description("cut here\""), "cut here");
        assert_eq!(description("\"whole\""), "whole");
        assert_eq!(description("said \"no\""), "said \"no\"");
        assert_eq!(description("\u{c}rac{1}{2}"), "\\frac{1}{2}");
    }
}
