//! The comma-separated rows of a model's context.

use std::fmt::Write as _;

/// Appends a field, quoted where it must be.
pub(super) fn field(text: &str, out: &mut String) {
    if !text.contains([',', '"', '\n', '\r']) {
        out.push_str(text);
        return;
    }
    out.push('"');
    for part in text.split_inclusive('"') {
        out.push_str(part);
        if part.ends_with('"') {
            out.push('"');
        }
    }
    out.push('"');
}

/// Appends a number.
pub(super) fn number(value: u32, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_as_rfc_4180_says() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"no\"", "\"say \"\"no\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("\"", "\"\"\"\""),
        ] {
            let mut out = String::new();
            field(text, &mut out);
            assert_eq!(out, expected);
        }
    }
}
