//! Words as they stand in a text, and their stems: what reports, questions and search share.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Bytes of a word that count; longer runs (encoded data) are told apart by this prefix only.
const WORD_BYTES: usize = 48;

/// A word of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Scanned<'b> {
    /// The lower-cased word without inner apostrophes, at most 48 bytes of it.
    pub lower: &'b mut [u8],
    /// Byte offset of its first letter.
    pub start: usize,
    /// Byte offset after its last letter.
    pub end: usize,
    /// Its first letter, as written.
    pub first: char,
    /// An ideograph or kana, which is a word by itself here.
    pub is_ideograph: bool,
}

/// Hashes the bytes of a word.
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Calls `each` for every word of `text` in order.
///
/// A word is a run of letters and digits; an apostrophe inside joins (`O'Brien`), a possessive `'s` is dropped; an ideograph is
/// a word by itself.
pub fn scan(text: &str, mut each: impl FnMut(Scanned<'_>)) {
    let bytes = text.as_bytes();
    let mut buffer = [0u8; WORD_BYTES];
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        // The plain case first: an ASCII run that nothing joins.
        if bytes[at].is_ascii_alphanumeric() {
            let run = bytes[at..]
                .iter()
                .take_while(|b| b.is_ascii_alphanumeric())
                .count();
            let after = bytes.get(at + run).copied().unwrap_or(b' ');
            if after.is_ascii() && after != b'\'' && run <= WORD_BYTES {
                buffer[..run].copy_from_slice(&bytes[at..at + run]);
                buffer[..run].make_ascii_lowercase();
                each(Scanned {
                    lower: &mut buffer[..run],
                    start,
                    end: at + run,
                    first: bytes[at] as char,
                    is_ideograph: false,
                });
                at += run + 1;
                continue;
            }
        }
        let Some((first, width)) = letter(text, at) else {
            at += char_width(bytes[at]);
            continue;
        };
        if is_ideograph(first) {
            at += width;
            buffer[..width].copy_from_slice(&bytes[start..at]);
            each(Scanned {
                lower: &mut buffer[..width],
                start,
                end: at,
                first,
                is_ideograph: true,
            });
            continue;
        }
        let mut length = 0;
        let mut end = at;
        loop {
            match letter(text, at) {
                Some((c, width)) if !is_ideograph(c) => {
                    push_lower(c, &mut buffer, &mut length);
                    at += width;
                    end = at;
                }
                Some(_) => break,
                None => {
                    let mark = apostrophe_width(&bytes[at..]);
                    match letter(text, at + mark).filter(|_| mark > 0) {
                        Some(('s' | 'S', 1)) if letter(text, at + mark + 1).is_none() => {
                            at += mark + 1;
                            break;
                        }
                        Some(_) => at += mark,
                        None => break,
                    }
                }
            }
        }
        each(Scanned {
            lower: &mut buffer[..length],
            start,
            end,
            first,
            is_ideograph: false,
        });
    }
}

/// The letter or digit that starts at byte `at`, which is a character boundary or the end.
fn letter(text: &str, at: usize) -> Option<(char, usize)> {
    let byte = *text.as_bytes().get(at)?;
    if byte.is_ascii() {
        return byte.is_ascii_alphanumeric().then_some((byte as char, 1));
    }
    let c = text[at..].chars().next()?;
    c.is_alphanumeric().then_some((c, c.len_utf8()))
}

/// Bytes of the character that begins with this one.
pub fn char_width(first_byte: u8) -> usize {
    match first_byte {
        0..=0xbf => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    }
}

fn apostrophe_width(bytes: &[u8]) -> usize {
    match bytes {
        [b'\'', ..] => 1,
        [0xe2, 0x80, 0x99, ..] => 3,
        _ => 0,
    }
}

fn push_lower(c: char, buffer: &mut [u8; WORD_BYTES], length: &mut usize) {
    if c.is_ascii() {
        if *length < WORD_BYTES {
            buffer[*length] = c.to_ascii_lowercase() as u8;
            *length += 1;
        }
        return;
    }
    for lower in c.to_lowercase() {
        if *length + lower.len_utf8() <= WORD_BYTES {
            *length += lower.encode_utf8(&mut buffer[*length..]).len();
        }
    }
}

/// Han, kana: scripts written without spaces, where a character is taken as a word.
pub fn is_ideograph(c: char) -> bool {
    matches!(c as u32, 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// Strips plural, `-ed`, `-ing` and a final `e` from an English word (after Harman's S-stemmer and Porter's step 1).
pub fn stem(word: &mut [u8]) -> &[u8] {
    if word.len() < 4 || !word.is_ascii() || word.iter().any(u8::is_ascii_digit) {
        return word;
    }
    let mut length = word.len();
    if word.ends_with(b"ies") && length > 4 {
        word[length - 3] = b'y';
        length -= 2;
    } else if [&b"sses"[..], b"xes", b"ches", b"shes", b"zes"]
        .iter()
        .any(|end| word.ends_with(end))
    {
        length -= 2;
    } else if word.ends_with(b"s")
        && ![&b"ss"[..], b"us", b"is"]
            .iter()
            .any(|end| word.ends_with(end))
    {
        length -= 1;
    }
    for (ending, least) in [(&b"ing"[..], 6), (b"ed", 5)] {
        let kept = length.saturating_sub(ending.len());
        if length >= least && word[..length].ends_with(ending) && has_vowel(&word[..kept]) {
            length = kept;
            let doubled = length > 3 && word[length - 1] == word[length - 2];
            if doubled && !matches!(word[length - 1], b'l' | b's' | b'z') {
                length -= 1;
            }
            break;
        }
    }
    if length > 4 && word[length - 1] == b'e' {
        length -= 1;
    }
    &word[..length]
}

fn has_vowel(word: &[u8]) -> bool {
    word.iter()
        .any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem_of(word: &str) -> String {
        let mut bytes = word.as_bytes().to_vec();
        String::from_utf8(stem(&mut bytes).to_vec()).unwrap()
    }

    #[test]
    fn inflections_share_a_stem_and_short_words_stay() {
        for group in [
            ["outage", "outages"],
            ["causes", "caused"],
            ["policy", "policies"],
            ["stop", "stopping"],
            ["breach", "breaches"],
            ["class", "classes"],
            ["fill", "filling"],
        ] {
            assert_eq!(stem_of(group[0]), stem_of(group[1]), "{group:?}");
        }
        for word in ["gas", "bus", "ring", "red", "analysis", "census", "2015s"] {
            assert_eq!(stem_of(word), word);
        }
    }
}
