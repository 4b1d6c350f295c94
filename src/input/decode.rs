//! Bytes -> text: the configured encoding, or the detected one, or a clear refusal. Nothing is mangled silently.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use encoding_rs::{DecoderResult, Encoding, UTF_8};

use super::discover::SourceFile;
use super::sniff;

/// Text out of bytes.
#[derive(Debug)]
pub(super) struct Decoded {
    /// The text, without a byte order mark.
    pub text: String,
    /// The encoding in lower case, where it was detected and is not UTF-8.
    pub decoded_as: Option<String>,
    /// What was replaced, where the bytes were damaged UTF-8.
    pub repaired: Option<String>,
}

impl Decoded {
    fn utf8(text: String) -> Self {
        Self {
            text,
            decoded_as: None,
            repaired: None,
        }
    }
}

/// Decodes a whole file. `configured` wins over everything; `declared` is what the file says about itself.
///
/// # Errors
/// The reason: the byte offset of the first byte that does not fit, and the setting to change.
pub(super) fn decode(
    bytes: Vec<u8>,
    configured: Option<&'static Encoding>,
    declared: Option<&'static Encoding>,
) -> Result<Decoded, String> {
    if let Some(encoding) = configured {
        let text = decode_strictly(bytes, encoding).map_err(|offset| {
            format!(
                "not {} at byte {offset}: correct input.encoding, or remove it to have the encoding detected",
                name(encoding)
            )
        })?;
        return Ok(Decoded::utf8(text));
    }
    if let Some((encoding, _)) = Encoding::for_bom(&bytes)
        && encoding != UTF_8
    {
        return detected(bytes, encoding);
    }
    let bytes = match String::from_utf8(bytes) {
        Ok(text) if !text.as_bytes().contains(&0) => return Ok(Decoded::utf8(without_mark(text))),
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    if let Some(nul) = bytes.iter().position(|&byte| byte == 0) {
        return match sniff::utf16(&bytes) {
            Some(encoding) => detected(bytes, encoding),
            None => Err(format!(
                "binary: a NUL byte at byte {nul}; convert the file to text, or set input.encoding if it is text"
            )),
        };
    }
    if let Some(damage) = sniff::damaged_utf8(&bytes) {
        return Ok(Decoded {
            text: without_mark(String::from_utf8_lossy(&bytes).into_owned()),
            decoded_as: None,
            repaired: Some(damage),
        });
    }
    if let Some(encoding) = declared
        && encoding != UTF_8
        && let Ok(decoded) = detected(bytes.clone(), encoding)
    {
        return Ok(decoded);
    }
    match sniff::legacy(&bytes) {
        Ok(encoding) => detected(bytes, encoding),
        Err(guess) => {
            let offset = first_non_utf8(&bytes);
            let label = guess.map_or_else(|| "gb18030 or windows-1252".to_owned(), name);
            Err(format!(
                "undecodable: not UTF-8 at byte {offset}, and too little to tell the encoding from; set input.encoding (for example {label})"
            ))
        }
    }
}

fn detected(bytes: Vec<u8>, encoding: &'static Encoding) -> Result<Decoded, String> {
    let name = name(encoding);
    let text = decode_strictly(bytes, encoding).map_err(|offset| {
        format!(
            "looks like {name} but is not at byte {offset}: repair the file or set input.encoding"
        )
    })?;
    if let Some(nul) = text.find('\0') {
        return Err(format!(
            "binary: a NUL character at byte {nul} of the text read as {name}; convert the file to UTF-8"
        ));
    }
    Ok(Decoded {
        text,
        decoded_as: Some(name),
        repaired: None,
    })
}

fn name(encoding: &'static Encoding) -> String {
    encoding.name().to_ascii_lowercase()
}

fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{FEFF}') {
        text.drain(..'\u{FEFF}'.len_utf8());
    }
    text
}

fn first_non_utf8(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
}

/// Decodes without replacing anything; the error is the byte offset of the first misfit.
fn decode_strictly(bytes: Vec<u8>, encoding: &'static Encoding) -> Result<String, usize> {
    if encoding == UTF_8 {
        return String::from_utf8(bytes)
            .map(without_mark)
            .map_err(|error| error.utf8_error().valid_up_to());
    }
    match encoding.decode_without_bom_handling_and_without_replacement(&bytes) {
        Some(text) => Ok(without_mark(text.into_owned())),
        None => Err(first_misfit(&bytes, encoding)),
    }
}

fn first_misfit(bytes: &[u8], encoding: &'static Encoding) -> usize {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut scratch = [0; 4096];
    let mut read = 0;
    // invariant: the decoder consumes no more than it was given.
    loop {
        let (result, consumed, _) =
            decoder.decode_to_utf8_without_replacement(&bytes[read..], &mut scratch, true);
        read += consumed;
        match result {
            DecoderResult::OutputFull => {}
            DecoderResult::InputEmpty => return read,
            DecoderResult::Malformed(bad, after) => {
                return read.saturating_sub(usize::from(bad) + usize::from(after));
            }
        }
    }
}

/// A row file, ready to be read as UTF-8 from its start.
pub(super) struct TextStream {
    /// The text, without a byte order mark.
    pub reader: Box<dyn BufRead>,
    /// The bytes of the mark.
    pub mark: u64,
    /// The encoding in lower case, where it was detected and is not UTF-8.
    pub decoded_as: Option<String>,
    /// What was replaced, where the bytes were damaged UTF-8.
    pub repaired: Option<String>,
}

/// Opens a row file for streaming. UTF-8 is read from the disk as it goes, after one pass that checks it; a file in
/// another encoding is decoded in memory.
///
/// # Errors
/// The reason, as [`decode`] words it.
pub(super) fn open_rows(
    file: &SourceFile,
    configured: Option<&'static Encoding>,
) -> Result<TextStream, String> {
    let unreadable = |error: io::Error| unreadable(&error);
    if configured.is_none_or(|encoding| encoding == UTF_8) {
        let checked = File::open(&file.location)
            .and_then(is_clean_utf8)
            .map_err(unreadable)?;
        if checked {
            let mut reader =
                BufReader::with_capacity(1 << 16, File::open(&file.location).map_err(unreadable)?);
            let mut mark = 0;
            if reader
                .fill_buf()
                .map_err(unreadable)?
                .starts_with(b"\xEF\xBB\xBF")
            {
                mark = 3;
                reader.consume(3);
            }
            return Ok(TextStream {
                reader: Box::new(reader),
                mark,
                decoded_as: None,
                repaired: None,
            });
        }
    }
    let bytes = std::fs::read(&file.location).map_err(unreadable)?;
    let decoded = decode(bytes, configured, None)?;
    Ok(TextStream {
        reader: Box::new(Cursor::new(decoded.text.into_bytes())),
        mark: 0,
        decoded_as: decoded.decoded_as,
        repaired: decoded.repaired,
    })
}

/// Words the failure to read a file.
pub(super) fn unreadable(error: &io::Error) -> String {
    format!("cannot be read: {error}; check the file and its permissions")
}

/// Whether a stream is UTF-8 without NUL bytes, in bounded memory.
fn is_clean_utf8(mut stream: impl Read) -> io::Result<bool> {
    let mut buffer = vec![0; 1 << 16];
    let mut kept = 0;
    // invariant: at most three bytes are kept, so there is room; filled never passes the buffer.
    loop {
        let read = stream.read(&mut buffer[kept..])?;
        if read == 0 {
            return Ok(kept == 0);
        }
        let filled = kept + read;
        if buffer[kept..filled].contains(&0) {
            return Ok(false);
        }
        kept = match std::str::from_utf8(&buffer[..filled]) {
            Ok(_) => 0,
            Err(error) if error.error_len().is_some() => return Ok(false),
            // A character that the next read completes: three bytes at most.
            Err(error) => {
                buffer.copy_within(error.valid_up_to()..filled, 0);
                filled - error.valid_up_to()
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(bytes: &[u8]) -> Result<(String, Option<String>), String> {
        decode(bytes.to_vec(), None, None).map(|decoded| (decoded.text, decoded.decoded_as))
    }

    fn text(bytes: &[u8]) -> String {
        detect(bytes).unwrap().0
    }

    const GBK: &[u8] = b"\xbb\xaa\xb6\xab\xd2\xf8\xd0\xd0\xce\xbb\xd3\xda\xb8\xdb\xbf\xda\xa1\xa3";

    #[test]
    fn utf8_loses_its_mark_and_nothing_else() {
        assert_eq!(
            detect(b"\xEF\xBB\xBFAna\r\n").unwrap(),
            ("Ana\r\n".into(), None)
        );
        assert_eq!(text("naïve 港".as_bytes()), "naïve 港");
    }

    #[test]
    fn utf16_is_found_with_and_without_its_mark() {
        let message = "Ana leads the harbour.\n港口 naïve";
        let le: Vec<u8> = message.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = message.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, mark, name) in [
            (le, [0xFF, 0xFE], "utf-16le"),
            (be, [0xFE, 0xFF], "utf-16be"),
        ] {
            let marked = [&mark[..], &bytes].concat();
            assert_eq!(
                detect(&marked).unwrap(),
                (message.into(), Some(name.into()))
            );
            assert_eq!(detect(&bytes).unwrap(), (message.into(), Some(name.into())));
        }
    }

    #[test]
    fn windows_1252_quotes_are_decoded_and_reported() {
        let (text, name) = detect(b"She said \x93no\x94.").unwrap();
        assert_eq!(text, "She said “no”.");
        assert_eq!(name.as_deref(), Some("windows-1252"));
        assert_eq!(
            self::text(b"Le caf\xe9 est ferm\xe9 \xe0 No\xebl."),
            "Le café est fermé à Noël."
        );
    }

    #[test]
    fn short_gbk_is_refused_with_offset_and_remedy_and_read_when_configured() {
        let reason = detect(GBK).unwrap_err();
        assert!(
            reason.contains("byte 0") && reason.contains("input.encoding"),
            "{reason}"
        );
        let prefixed = [b"port: ", GBK].concat();
        assert!(detect(&prefixed).unwrap_err().contains("byte 6"));
        let gbk = Encoding::for_label(b"gbk");
        assert_eq!(
            decode(GBK.to_vec(), gbk, None).unwrap().text,
            "华东银行位于港口。"
        );
    }

    #[test]
    fn long_chinese_text_is_read_as_gb18030_and_korean_is_not() {
        let chinese = "去年夏天，由于连续降雨，水库的水位比往年高出两米。工程师建议检查所有阀门，并在冬天之前更换旧的管道。";
        let (bytes, _, _) = encoding_rs::GB18030.encode(chinese);
        assert_eq!(
            detect(&bytes).unwrap(),
            (chinese.into(), Some("gb18030".into()))
        );
        let korean = "지난 여름 계속된 비로 저수지의 수위가 예년보다 이 미터 높아졌다. 기술자들은 모든 밸브를 점검하고 겨울이 오기 전에 낡은 관을 교체할 것을 권고했다.";
        let (bytes, _, _) = encoding_rs::EUC_KR.encode(korean);
        assert_eq!(
            detect(&bytes).unwrap(),
            (korean.into(), Some("euc-kr".into()))
        );
    }

    #[test]
    fn few_bytes_decide_when_the_rest_is_ascii() {
        let speech =
            "It is a nation\u{2019}s genius\u{2014}no less\u{2014}and \u{201C}war\u{201D} is not\u{2014}not ever\u{2014}its only word.\n\u{3000}"
                .repeat(3);
        let (bytes, _, _) = encoding_rs::BIG5.encode(&speech);
        assert_eq!(detect(&bytes).unwrap(), (speech, Some("big5".into())));
        let postage = b"The Senate heard of the \xbd\xa2 decrease in the postage of a letter within the city.";
        assert_eq!(detect(postage).unwrap().1.as_deref(), Some("windows-1252"));
    }

    #[test]
    fn a_configured_encoding_that_does_not_fit_names_the_byte() {
        let reason = decode(b"caf\xe9".to_vec(), Some(UTF_8), None).unwrap_err();
        assert!(reason.contains("not utf-8 at byte 3"), "{reason}");
        let gbk = Encoding::for_label(b"gbk");
        let reason = decode(b"ab\xbb\xaa\xff\xff".to_vec(), gbk, None).unwrap_err();
        assert!(reason.contains("at byte 4"), "{reason}");
    }

    #[test]
    fn damaged_utf8_is_repaired_and_said_so() {
        let mut bytes = "Die Prüfung der Ventile für März läuft; größere Schäden fehlen über Köln."
            .as_bytes()
            .to_vec();
        bytes.extend_from_slice(b" \xff End");
        let decoded = decode(bytes, None, None).unwrap();
        assert!(decoded.text.ends_with(" \u{FFFD} End") && decoded.text.contains("größere"));
        assert!(decoded.repaired.unwrap().contains("byte 83"));
    }

    #[test]
    fn binary_is_refused() {
        let reason = detect(b"\x7fELF\x02\x01\x01\x00\x00\x00\x07").unwrap_err();
        assert!(
            reason.starts_with("binary: a NUL byte at byte 7"),
            "{reason}"
        );
    }

    #[test]
    fn the_streaming_check_sees_characters_across_its_buffers() {
        let text = "港".repeat(50_000);
        assert!(is_clean_utf8(text.as_bytes()).unwrap());
        assert!(!is_clean_utf8(&text.as_bytes()[..100_000]).unwrap());
        assert!(!is_clean_utf8(&b"a\0b"[..]).unwrap());
    }
}
