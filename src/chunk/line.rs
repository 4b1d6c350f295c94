//! The layout of a line.

/// Bytes of a list mark (`- `, `* `, `12. `, `(a) `, `a) `) at the start of a line, with the space after it; 0 without one.
pub fn list_mark(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mark = match bytes.first() {
        Some(b'-' | b'*' | b'+') => 1,
        Some(b'(') if bytes.get(2) == Some(&b')') && bytes[1].is_ascii_alphanumeric() => 3,
        Some(b'a'..=b'z') if bytes.get(1) == Some(&b')') => 2,
        Some(b'0'..=b'9') => {
            let digits = bytes
                .iter()
                .take(4)
                .take_while(|b| b.is_ascii_digit())
                .count();
            if digits < 4 && matches!(bytes.get(digits), Some(b'.' | b')')) {
                digits + 1
            } else {
                0
            }
        }
        _ if line.starts_with("• ") || line.starts_with("– ") => 3,
        _ => 0,
    };
    if mark > 0 && bytes.get(mark) == Some(&b' ') {
        mark + 1
    } else {
        0
    }
}
