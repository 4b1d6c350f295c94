//! Which encoding bytes are in, when nothing says so. Refuses to guess from too little.

use crate::model::shown::agreed;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS, UTF_16BE, UTF_16LE, WINDOWS_1252,
};

/// How many bytes decide about UTF-16.
const SAMPLE: usize = 1 << 16;

/// Finds UTF-16 without a byte order mark: read one way round, nearly all of it is ordinary text.
pub(super) fn utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    // invariant: cut to the length at most.
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let (little, big) = (
        utf16_fit(sample, u16::from_le_bytes),
        utf16_fit(sample, u16::from_be_bytes),
    );
    match (little, big) {
        (Some(little), Some(big)) if big > little => Some(UTF_16BE),
        (Some(_), _) => Some(UTF_16LE),
        (None, Some(_)) => Some(UTF_16BE),
        (None, None) => None,
    }
}

/// The number of ASCII characters, if at least 95 in 100 units belong to a common script.
fn utf16_fit(sample: &[u8], unit: fn([u8; 2]) -> u16) -> Option<usize> {
    let (pairs, _) = sample.as_chunks::<2>();
    let (mut common, mut ascii) = (0, 0);
    for &pair in pairs {
        match unit(pair) {
            0x09 | 0x0A | 0x0D | 0x20..=0x7E => {
                ascii += 1;
                common += 1;
            }
            0xA0..=0x24F
            | 0x370..=0x6FF
            | 0x2010..=0x2026
            | 0x3000..=0x30FF
            | 0x4E00..=0x9FFF
            | 0xAC00..=0xD7A3
            | 0xD800..=0xDFFF
            | 0xFF00..=0xFFEF => common += 1,
            _ => {}
        }
    }
    (common * 100 >= pairs.len() * 95).then_some(ascii)
}

/// Recognises UTF-8 with a few damaged places (eight good multi-byte characters for each), or cut off at its end; says
/// what is damaged.
pub(super) fn damaged_utf8(bytes: &[u8]) -> Option<String> {
    let (mut good, mut bad, mut first, mut at) = (0usize, 0usize, None, 0);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            bad += 1;
            first.get_or_insert(at);
            at += chunk.invalid().len();
        }
    }
    let first = first?;
    // invariant: first is the sum of the chunks before it.
    let cut_off = bad == 1
        && good >= 2
        && std::str::from_utf8(&bytes[first..]).is_err_and(|error| error.error_len().is_none());
    (cut_off || good >= bad * 8).then(|| {
        format!(
            "{} not UTF-8, the first at byte {first}, replaced by U+FFFD: repair the file",
            agreed(bad, "place that is", "places that are")
        )
    })
}

/// Tells the legacy encoding of bytes that are not UTF-8.
///
/// # Errors
/// The best guess, if any, when the bytes are too few or too odd to be sure.
pub(super) fn legacy(bytes: &[u8]) -> Result<&'static Encoding, Option<&'static Encoding>> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let high = bytes.iter().filter(|&&byte| byte >= 0x80).count();
    let double_byte = [GBK, GB18030, BIG5, EUC_JP, EUC_KR, SHIFT_JIS].contains(&guess);
    let guess = if guess == GBK { GB18030 } else { guess };
    let sure = if guess == GB18030 {
        is_common_chinese(bytes)
    } else if guess == WINDOWS_1252 {
        is_western(bytes)
    } else {
        high >= if double_byte { 96 } else { 64 }
    };
    if sure || (double_byte && adds_only_punctuation(bytes, guess)) {
        return Ok(guess);
    }
    // Too few bytes to choose between two encodings; but both read the same, or the guess is a script that a text of
    // mostly ASCII is not written in.
    if is_western(bytes) && !double_byte {
        let western = WINDOWS_1252.decode_without_bom_handling(bytes).0;
        let mostly_ascii = high * 20 < bytes.len();
        if (mostly_ascii && !is_latin(guess))
            || guess.decode_without_bom_handling(bytes).0 == western
        {
            return Ok(WINDOWS_1252);
        }
    }
    Err((guess != WINDOWS_1252).then_some(guess))
}

/// The single-byte encodings of the Latin script.
fn is_latin(encoding: &'static Encoding) -> bool {
    let name = encoding.name();
    [
        "windows-1250",
        "windows-1252",
        "windows-1254",
        "windows-1257",
        "windows-1258",
        "ISO-8859-2",
        "ISO-8859-3",
        "ISO-8859-4",
        "ISO-8859-10",
        "ISO-8859-13",
        "ISO-8859-14",
        "ISO-8859-15",
        "ISO-8859-16",
        "macintosh",
    ]
    .contains(&name)
}

/// Whether an East Asian reading gives ASCII text with at least eight quotes, dashes or spaces of that encoding and
/// nothing else: English typed on such a machine.
fn adds_only_punctuation(bytes: &[u8], encoding: &'static Encoding) -> bool {
    let (text, _, damaged) = encoding.decode(bytes);
    let mut marks = 0;
    for c in text.chars().filter(|c| !c.is_ascii()) {
        if !matches!(c, '\u{B7}' | '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{3002}' | '\u{FF01}'..='\u{FF0F}')
        {
            return false;
        }
        marks += 1;
    }
    !damaged && marks >= 8
}

/// Whether bytes read as GBK are at least 24 Han characters, nine in ten of them among the 3,755 most common (level 1
/// of GB 2312, lead bytes B0 to D7).
fn is_common_chinese(bytes: &[u8]) -> bool {
    let (mut common, mut other, mut at) = (0usize, 0usize, 0);
    while let Some(&lead) = bytes.get(at) {
        if lead < 0x81 {
            at += 1;
            continue;
        }
        match (lead, bytes.get(at + 1)) {
            (0xB0..=0xD7, Some(0xA1..=0xFE)) => common += 1,
            // Punctuation, full-width forms, kana.
            (0xA1..=0xA9, Some(0xA1..=0xFE)) => {}
            _ => other += 1,
        }
        at += 2;
    }
    common >= 24 && common >= 9 * other
}

/// Whether bytes read as Windows-1252 look like a European language: no unassigned byte, no run of more than three
/// bytes beyond ASCII, three in ten at most.
fn is_western(bytes: &[u8]) -> bool {
    let (mut high, mut run) = (0usize, 0usize);
    for &byte in bytes {
        if matches!(byte, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D)
            || (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C))
        {
            return false;
        }
        if byte < 0x80 {
            run = 0;
            continue;
        }
        high += 1;
        run += 1;
        if run > 3 {
            return false;
        }
    }
    high * 10 <= bytes.len() * 3
}
