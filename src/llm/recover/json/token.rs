//! The characters that carry structure, with their full-width and curly forms.

/// The ASCII form of a structural character.
pub(super) fn structural(c: char) -> Option<char> {
    Some(match c {
        '{' | '｛' => '{',
        '}' | '｝' => '}',
        '[' | '［' => '[',
        ']' | '］' => ']',
        ':' | '：' => ':',
        ',' | '，' | '、' | ';' | '；' => ',',
        _ => return None,
    })
}

pub(super) fn is_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '`' | '“' | '”' | '„' | '‘' | '’' | '＂' | '＇'
    )
}

/// Whether `c` may end a string that `open` began.
pub(super) fn closes(open: char, c: char) -> bool {
    match open {
        '"' | '＂' => matches!(c, '"' | '＂'),
        '“' | '”' | '„' => matches!(c, '”' | '“' | '"'),
        '‘' | '’' | '＇' => matches!(c, '’' | '‘' | '\'' | '＇'),
        other => c == other,
    }
}

/// Characters of a key that was left without quotes.
pub(super) fn is_key_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '.' | ' ')
}

/// Whether a word is a number as JSON writes it.
pub(super) fn is_json_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let is_led_by_zero =
        digits.starts_with('0') && digits.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && !is_led_by_zero
        && !word.ends_with('.')
        && !word.contains('_')
}

/// The number in a bare word: what JSON allows, and a leading plus, a leading or trailing dot, or digit groups.
pub(super) fn number(word: &str) -> Option<f64> {
    let signless = word.strip_prefix(['+', '-']).unwrap_or(word);
    let is_plain = signless
        .bytes()
        .all(|b| b.is_ascii_digit() || b"+-.eE_".contains(&b));
    if !is_plain || !signless.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    word.replace('_', "").parse().ok()
}
