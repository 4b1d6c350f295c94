//! Sentence boundaries by rules: no model, no allocation, one pass.
//!
//! Written for reports, minutes and letters as well as for prose: abbreviations, initials, decimals, list numbers,
//! ellipses and quotes do not end a sentence wrongly; blank lines, headings, list items, table rows and `Key: value`
//! lines end one without a full stop; 。！？ need no space after them.

mod abbreviation;
mod line;

#[cfg(test)]
mod tests;

use std::ops::Range;

/// A sentence never gets longer than this many bytes: text without any boundary is cut at white space.
const LONGEST: usize = 4096;

/// Finds the sentences of a text: byte ranges in ascending order, without the white space around them, never
/// empty. Together they hold every visible character.
pub fn sentences(text: &str) -> Sentences<'_> {
    Sentences {
        text,
        position: 0,
        line_start: 0,
    }
}

/// The iterator that [`sentences`] makes.
#[derive(Clone, Debug)]
pub struct Sentences<'a> {
    text: &'a str,
    position: usize,
    line_start: usize,
}

impl Iterator for Sentences<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        // invariant: the position is the end of a sentence or of the text, both between characters.
        let rest = &self.text[self.position..];
        let start = self.position + (rest.len() - rest.trim_start().len());
        if start == self.text.len() {
            self.position = start;
            return None;
        }
        if let Some(newline) = self.text[self.position..start].rfind(['\n', '\r', '\x0C']) {
            self.line_start = self.position + newline + 1;
        }
        let end = self.sentence_end(start);
        self.position = end;
        Some(start..start + self.text[start..end].trim_end().len())
    }
}

impl Sentences<'_> {
    /// The end (exclusive) of the sentence that starts at `start`; always beyond it.
    fn sentence_end(&mut self, start: usize) -> usize {
        let text = self.text;
        let bytes = text.as_bytes();
        let limit = text.floor_char_boundary(text.len().min(start + LONGEST));
        let mut at = start;
        // invariant: limit is within the text and between characters; a terminator or a wide lead byte starts one.
        while at < limit {
            let verdict = match CLASSES[bytes[at] as usize] {
                Class::Plain => {
                    at += 1;
                    continue;
                }
                Class::Newline => {
                    if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                        at += 1;
                        continue;
                    }
                    if bytes[at] == 0x0C || line::ends_segment(text, self.line_start, at) {
                        return at;
                    }
                    self.line_start = at + 1;
                    Verdict::GoesOn(at + 1)
                }
                Class::Terminator => end_after_terminator(text, start, at),
                Class::Wide => match text[at..].chars().next() {
                    Some('。' | '！' | '？' | '．' | '｡' | '।' | '؟' | '۔') => {
                        end_after_wide(text, at)
                    }
                    Some('…') => end_after_terminator(text, start, at),
                    Some('\u{2028}' | '\u{2029}') => return at,
                    _ => Verdict::GoesOn(at + 1),
                },
            };
            match verdict {
                Verdict::Ends(end) => return end,
                Verdict::GoesOn(from) => at = from,
            }
        }
        if limit == text.len() {
            return limit;
        }
        text[start..limit]
            .rfind(char::is_whitespace)
            .filter(|&space| space > 0)
            .map_or(limit, |space| start + space)
    }
}

/// What becomes of a possible end.
enum Verdict {
    /// The sentence ends here.
    Ends(usize),
    /// It does not; nothing before this position has to be looked at again.
    GoesOn(usize),
}

/// What a byte can begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    Newline,
    Terminator,
    /// The first byte of a character that may be a terminator or a line separator outside ASCII.
    Wide,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Plain; 256];
    classes[b'\n' as usize] = Class::Newline;
    classes[b'\r' as usize] = Class::Newline;
    classes[0x0C] = Class::Newline;
    classes[b'.' as usize] = Class::Terminator;
    classes[b'!' as usize] = Class::Terminator;
    classes[b'?' as usize] = Class::Terminator;
    // Arabic and Urdu, Devanagari, general punctuation, CJK punctuation, full-width forms.
    classes[0xD8] = Class::Wide;
    classes[0xDB] = Class::Wide;
    classes[0xE0] = Class::Wide;
    classes[0xE2] = Class::Wide;
    classes[0xE3] = Class::Wide;
    classes[0xEF] = Class::Wide;
    classes
};

/// Decides about a run of `.`, `!`, `?`, `…` that starts at `at`; closing quotes belong to the sentence.
fn end_after_terminator(text: &str, start: usize, at: usize) -> Verdict {
    let run = skip(text, at, |c| {
        matches!(c, '.' | '!' | '?' | '…' | '！' | '？')
    });
    let closed = skip_reference(text, skip(text, run, is_closer));
    let rest = &text[closed..];
    let after = rest.trim_start();
    let next = after.trim_start_matches(is_opener);
    let single_stop = &text[at..run] == ".";
    let ends = match next.chars().next() {
        None => true,
        // No space: a decimal, a file name, an abbreviation like U.S., unless CJK text goes on.
        Some(first) if after.len() == rest.len() => is_cjk(first) && !single_stop,
        Some(first)
            if first.is_lowercase() || matches!(first, ',' | ';' | ':' | ')' | '.' | '…') =>
        {
            false
        }
        // Spaced dots lead to a page number.
        Some(_) if single_stop && text[start..at].ends_with(". ") => false,
        Some(_) => !(single_stop && abbreviation::keeps_going(text, start, at, next)),
    };
    if ends {
        Verdict::Ends(closed)
    } else {
        Verdict::GoesOn(closed)
    }
}

/// A CJK, Arabic or Indic terminator ends the sentence whatever follows, but for a quote that the sentence goes on from.
fn end_after_wide(text: &str, at: usize) -> Verdict {
    let run = skip(text, at, |c| {
        matches!(
            c,
            '。' | '！' | '？' | '．' | '｡' | '।' | '؟' | '۔' | '!' | '?' | '…'
        )
    });
    let closed = skip(text, run, is_closer);
    match text[closed..].chars().next() {
        Some('，' | '、' | ',' | '；') => Verdict::GoesOn(closed),
        Some('と') if closed > run => Verdict::GoesOn(closed),
        _ => Verdict::Ends(closed),
    }
}

// invariant of the helpers below: positions come from stepping over whole characters.
fn skip(text: &str, from: usize, wanted: impl Fn(char) -> bool) -> usize {
    let rest = &text[from..];
    from + (rest.len() - rest.trim_start_matches(wanted).len())
}

/// Steps over note marks such as `[12]` right after the closing quotes.
fn skip_reference(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(rest) = text[at..].strip_prefix('[') {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || digits > 4 || rest.as_bytes().get(digits) != Some(&b']') {
            break;
        }
        at += digits + 2;
    }
    at
}

fn is_closer(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | ')'
            | ']'
            | '}'
            | '”'
            | '’'
            | '»'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '*'
            | '_'
    )
}

fn is_opener(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '('
            | '['
            | '{'
            | '“'
            | '‘'
            | '«'
            | '「'
            | '『'
            | '（'
            | '【'
            | '《'
            | '*'
            | '_'
            | '¿'
            | '¡'
    )
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}')
}
