//! The tokenizer: one pass over a text, no allocation but the token list.

use super::lexicon::{self, Bits, Lexicon};
use super::line::classify_line;
use super::token::{
    CAPITALS, DOT, HEADING, HYPHEN, Kind, OPENING, POSSESSIVE, Shape, Token, is_caseless,
    is_combining,
};
use super::word::{WordScan, hash_lower, is_hyphen_modifier};

/// Fills `tokens` from the first 4 GiB of `text`; returns the number of sentences.
pub(super) fn tokenize(text: &str, lexicon: &Lexicon, tokens: &mut Vec<Token>) -> u32 {
    tokens.clear();
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        lexicon,
        tokens,
        at: 0,
        sentence: 0,
        opening: true,
        line_flags: 0,
        used: false,
    };
    scanner.line_start();
    while scanner.at < scanner.bytes.len() && scanner.at < u32::MAX as usize {
        scanner.step();
    }
    let sentences = scanner.sentence + 1;
    mark_capital_runs(tokens);
    sentences
}

/// Flags runs of four or more words in capitals inside an ordinary line, if an ordinary small word is among them.
fn mark_capital_runs(tokens: &mut [Token]) {
    let mut start = 0;
    while start < tokens.len() {
        let loud = |t: &Token| {
            matches!(t.kind, Kind::Punctuation(',' | '\'' | '’'))
                || t.kind == Kind::Word && matches!(t.shape, Shape::Upper | Shape::Initial)
        };
        let length = tokens[start..].iter().take_while(|t| loud(t)).count();
        let run = &mut tokens[start..start + length];
        if run.iter().filter(|t| t.kind == Kind::Word).count() >= 4
            && run.iter().any(|t| t.is(lexicon::CLOSED))
        {
            for token in run {
                token.flags |= CAPITALS;
            }
        }
        start += length.max(1);
    }
}

// invariant: `at` stands on a character boundary at most at the end of the text, and every slice is cut between such places.
struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    lexicon: &'a Lexicon,
    tokens: &'a mut Vec<Token>,
    at: usize,
    sentence: u32,
    opening: bool,
    line_flags: u8,
    /// The current sentence has a token.
    used: bool,
}

impl Scanner<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    fn end_sentence(&mut self) {
        if self.used {
            self.sentence += 1;
            self.used = false;
        }
        self.opening = true;
    }

    fn step(&mut self) {
        let byte = self.byte(self.at);
        match byte {
            b'\n' => {
                self.at += 1;
                self.line_start();
            }
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            b'0'..=b'9' => self.number(),
            b'*' | b'_' | b'`' | b'~' | b'\\' => self.at += 1,
            b'/' if self.byte(self.at + 1).is_ascii_alphanumeric()
                && (self.at == 0 || self.byte(self.at - 1).is_ascii_whitespace()) =>
            {
                self.opaque(self.at);
            }
            0..=127 => self.punctuation(byte as char, 1),
            _ => self.non_ascii(),
        }
    }

    fn non_ascii(&mut self) {
        let Some(c) = self.char_at(self.at) else {
            self.at += 1;
            return;
        };
        if is_caseless(c) {
            self.caseless();
        } else if c.is_alphabetic() {
            self.word();
        } else if c.is_numeric() {
            self.number();
        } else if c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}') {
            self.at += c.len_utf8();
        } else {
            self.punctuation(c, c.len_utf8());
        }
    }

    fn push(&mut self, token: Token) {
        self.used = true;
        self.tokens.push(token);
    }

    fn blank_token(&self, start: usize, end: usize, kind: Kind) -> Token {
        Token {
            start: start as u32,
            end: end as u32,
            hash: 0,
            bits: 0,
            sentence: self.sentence,
            kind,
            shape: Shape::Lower,
            flags: self.line_flags,
        }
    }

    fn punctuation(&mut self, c: char, length: usize) {
        let start = self.at;
        self.at += length;
        let token = self.blank_token(start, self.at, Kind::Punctuation(c));
        match c {
            '.' | '!' | '?' | '…' => {
                self.push(token);
                if self.sentence_ends(c) {
                    // A closing quotation mark or bracket belongs to the sentence it closes.
                    while let Some(closing) = self.char_at(self.at).filter(|&c| is_closing(c)) {
                        self.at += closing.len_utf8();
                    }
                    self.end_sentence();
                }
            }
            '。' | '！' | '？' | '｡' => {
                self.push(token);
                self.end_sentence();
            }
            '|' => self.end_sentence(),
            ':' | '•' | '·' | '—' | '–' => {
                self.push(token);
                if c == ':' {
                    self.opening = true;
                }
            }
            '"' | '“' | '‘' | '«' | '\'' => {
                let opens = start == 0
                    || self.byte(start - 1).is_ascii_whitespace()
                    || matches!(self.byte(start - 1), b'(' | b'-' | b'[');
                self.push(token);
                if opens {
                    self.opening = true;
                }
            }
            _ => self.push(token),
        }
    }

    /// Whether the full stop, exclamation or question mark just read ends a sentence.
    fn sentence_ends(&self, mark: char) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut seen_space = false;
        for c in rest.chars().take(16) {
            if c == '\n' || c.is_whitespace() {
                seen_space = true;
            } else if is_closing(c) || matches!(c, '“' | '‘' | '(' | '[' | '*' | '_' | '-' | '—')
            {
                continue;
            } else if !seen_space {
                return c.is_uppercase() && mark == '.';
            } else {
                return !c.is_lowercase();
            }
        }
        true
    }

    fn number(&mut self) {
        let start = self.at;
        while let Some(c) = self.char_at(self.at) {
            let next_alphanumeric = self
                .char_at(self.at + c.len_utf8())
                .is_some_and(char::is_alphanumeric);
            let inner = matches!(c, '.' | ',' | ':' | '-' | '/' | '\'' | '’') && next_alphanumeric;
            if is_caseless(c) || !(c.is_alphanumeric() || c == '%' || inner) {
                break;
            }
            self.at += c.len_utf8();
        }
        if self.at == start {
            self.at += self.char_at(start).map_or(1, char::len_utf8);
        }
        let mut token = self.blank_token(start, self.at, Kind::Number);
        if self.text[start..self.at].contains('-') {
            token.flags |= HYPHEN;
        }
        self.push(token);
        // The number of a list item is not the first word of its sentence.
        if self.opening && !matches!(self.byte(self.at), b'.' | b')') {
            self.opening = false;
        }
    }

    fn caseless(&mut self) {
        let start = self.at;
        while let Some(c) = self.char_at(self.at).filter(|&c| is_caseless(c)) {
            self.at += c.len_utf8();
        }
        let token = self.blank_token(start, self.at, Kind::Caseless);
        self.push(token);
        self.opening = false;
    }

    /// Consumes machine text to the next space.
    fn opaque(&mut self, start: usize) {
        while self.at < self.bytes.len()
            && !matches!(
                self.byte(self.at),
                b' ' | b'\n' | b'\t' | b'\r' | b')' | b'>' | b'"' | b'<' | b'|'
            )
        {
            self.at += 1;
        }
        let token = self.blank_token(start, self.at, Kind::Opaque);
        self.push(token);
        self.opening = false;
    }

    fn word(&mut self) {
        let start = self.at;
        let mut scan = WordScan::default();
        loop {
            // Most of any text: small letters.
            while let byte @ b'a'..=b'z' = self.byte(self.at) {
                scan.ascii(byte);
                self.at += 1;
            }
            let Some((length, joins)) = self.word_part(&scan) else {
                break;
            };
            if joins {
                scan.joint(self.byte(self.at), self.at - start);
                scan.hash_bytes(&self.bytes[self.at..self.at + length]);
            } else if length == 1 {
                scan.ascii(self.bytes[self.at]);
            } else if let Some(c) = self.char_at(self.at) {
                scan.letter(c);
            }
            self.at += length;
        }
        if self.at == start {
            // invariant: called on a letter, which word_part takes; a defence against a stall all the same.
            self.at += self.char_at(start).map_or(1, char::len_utf8);
            return;
        }
        let follows = self.byte(self.at);
        let machine = scan.machine
            || (follows == b':' && self.bytes[self.at..].starts_with(b"://"))
            || follows == b'@'
            || (follows == b'(' && self.byte(self.at + 1) == b')')
            || (follows == b'/'
                && scan.digits == 0
                && self.byte(self.at + 1).is_ascii_lowercase()
                && self.byte(start.wrapping_sub(1)) == b'/');
        if machine {
            self.opaque(start);
            return;
        }
        self.finish_word(start, scan);
    }

    /// The length of the next piece of a word and whether it is a joint between two letters or digits.
    fn word_part(&self, scan: &WordScan) -> Option<(usize, bool)> {
        let byte = self.byte(self.at);
        if byte.is_ascii_alphanumeric() {
            return Some((1, false));
        }
        if byte == 0 {
            return None;
        }
        let after = |length: usize| self.char_at(self.at + length);
        match byte {
            b'\'' | b'-' | b'&' | b'.' | b'_' => {
                let next = after(1)?;
                let ok = match byte {
                    b'\'' => next.is_alphabetic(),
                    b'-' | b'_' => next.is_alphanumeric() && !is_caseless(next),
                    b'&' => scan.upper == scan.letters && next.is_uppercase(),
                    _ => {
                        next.is_lowercase()
                            && scan.letters + scan.digits > 0
                            && self.dot_is_inner(scan)
                            || (scan.since_dot == 1
                                && next.is_alphabetic()
                                && !self.long_word_ahead())
                            || (scan.digits > 0 && next.is_ascii_digit())
                    }
                };
                ok.then_some((1, true))
            }
            0..=127 => None,
            _ => {
                let c = self.char_at(self.at)?;
                if c.is_alphanumeric() && !is_caseless(c) || is_combining(c) {
                    Some((c.len_utf8(), false))
                } else if matches!(c, '’' | '‑') {
                    let next = after(c.len_utf8())?;
                    next.is_alphabetic().then_some((c.len_utf8(), true))
                } else {
                    None
                }
            }
        }
    }

    /// "node.js" but not "end.but": the part after the dot is short and ends the word.
    fn dot_is_inner(&self, scan: &WordScan) -> bool {
        let rest = &self.bytes[self.at + 1..];
        let length = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric())
            .count();
        scan.digits > 0
            || scan.since_dot == 1
            || (length <= 3 && length > 0)
            || rest.get(length) == Some(&b'.')
    }

    fn long_word_ahead(&self) -> bool {
        self.bytes[self.at + 1..]
            .iter()
            .take_while(|b| b.is_ascii_alphabetic())
            .count()
            > 1
    }

    fn finish_word(&mut self, start: usize, scan: WordScan) {
        let mut end = self.at;
        let mut flags = self.line_flags;
        let mut hash = scan.hash.get();
        let mut contraction = false;
        if let Some(cut) = scan.apostrophe {
            let (head, tail) = (start + cut, &self.text[start + cut..end]);
            let tail = tail.trim_start_matches(['\'', '’']);
            if matches!(tail, "s" | "S") {
                end = head;
                flags |= POSSESSIVE;
                hash = hash_lower(&self.text[start..end]);
            } else {
                contraction = matches!(
                    tail,
                    "t" | "ll"
                        | "ve"
                        | "re"
                        | "d"
                        | "m"
                        | "em"
                        | "T"
                        | "LL"
                        | "VE"
                        | "RE"
                        | "D"
                        | "M"
                );
            }
        } else if matches!(self.byte(self.at), b'\'')
            && self.text[start..end].ends_with('s')
            && self.byte(self.at + 1) == b' '
            && !self.text[..start].ends_with('\'')
        {
            flags |= POSSESSIVE;
            self.at += 1;
        }
        let mut bits = self.lexicon.get(hash);
        if contraction {
            bits |= lexicon::AUXILIARY | lexicon::PRONOUN;
        }
        if scan.hyphen {
            flags |= HYPHEN;
        }
        if self.opening {
            flags |= OPENING;
        }
        if self.byte(self.at) == b'.' && self.dot_belongs(bits, &scan, end - start) {
            flags |= DOT;
            self.at += 1;
        }
        let mut shape = scan.shape(flags & POSSESSIVE != 0);
        if scan.hyphen
            && scan.digits == 0
            && is_hyphen_modifier(&self.text[start..end], self.lexicon)
        {
            shape = Shape::Lower;
        }
        let kind = if scan.digits > 0 {
            Kind::Code
        } else {
            Kind::Word
        };
        if kind == Kind::Word
            && bits & (lexicon::OPEN | lexicon::CLOSED) == 0
            && (shape == Shape::Lower
                || bits & (lexicon::FIRST_NAME | lexicon::PLACE | lexicon::HONORIFIC) == 0)
        {
            bits |= self.unlisted(start, end, shape, scan.hyphen);
        }
        if kind == Kind::Code {
            let letters = self.text[start..end]
                .chars()
                .take_while(|c| c.is_alphabetic());
            let prefix: usize = letters.map(char::len_utf8).sum();
            let known = self
                .lexicon
                .get(hash_lower(&self.text[start..start + prefix]));
            bits |= known & lexicon::REFERENCE_PREFIX;
        }
        let token = Token {
            start: start as u32,
            end: end as u32,
            hash,
            bits,
            sentence: self.sentence,
            kind,
            shape,
            flags,
        };
        self.push(token);
        self.opening = false;
    }

    /// Classes of a word the lexicon does not list: of a compound its last part's, else by ending.
    fn unlisted(&self, start: usize, end: usize, shape: Shape, hyphen: bool) -> Bits {
        let word = &self.text[start..end];
        if hyphen && let Some((first, last)) = word.rsplit_once(['-', '‑']) {
            let (first, end) = (
                self.lexicon.get(hash_lower(first)),
                self.lexicon.get(hash_lower(last)),
            );
            if first & lexicon::NUMERAL != 0 {
                return lexicon::NUMERAL;
            }
            // A dash without spaces ("take it-the rulers say").
            if first & (lexicon::PRONOUN | lexicon::AUXILIARY) != 0
                || end & lexicon::DETERMINER != 0
            {
                return lexicon::CONJUNCTION;
            }
            let bits = self.lexicon.get(hash_lower(last)) & lexicon::OPEN;
            return if bits != 0 {
                bits
            } else {
                lexicon::guess(last)
            };
        }
        match shape {
            Shape::Lower => lexicon::guess(word),
            Shape::Title if lexicon::is_derived(word) => lexicon::guess(word),
            _ => 0,
        }
    }

    /// Whether the full stop after a word is part of it: abbreviations and initials.
    fn dot_belongs(&self, bits: Bits, scan: &WordScan, length: usize) -> bool {
        if scan.letters == 1 && scan.upper == 1 && length == 1 {
            return true;
        }
        if scan.since_dot == 1 && scan.letters > 1 {
            return true;
        }
        let mut rest = self.bytes[self.at + 1..].iter().skip_while(|b| **b == b' ');
        let next = rest.next().copied().unwrap_or(0);
        match bits & lexicon::ABBREVIATION {
            0 => false,
            // "No. 5", "Sept. 9", "fig. 3", but "no." at the end of a sentence.
            _ if bits & (lexicon::OPEN | lexicon::CLOSED | lexicon::DATE) != 0
                && bits & lexicon::HONORIFIC == 0 =>
            {
                next.is_ascii_digit()
            }
            _ => true,
        }
    }

    /// Looks at the line that begins here: a blank line, a heading or a list item ends the sentence.
    fn line_start(&mut self) {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        let line = self.text.get(self.at..self.at + length).unwrap_or_default();
        let was_heading = self.line_flags & (HEADING | CAPITALS) != 0;
        let line_kind = classify_line(line);
        self.line_flags = line_kind.flags;
        let previous_short = self.at > 0 && self.previous_line_is_short();
        if line_kind.breaks
            || was_heading
            || line_kind.flags != 0
            || (previous_short && line_kind.capital)
        {
            self.end_sentence();
        }
    }

    fn previous_line_is_short(&self) -> bool {
        let before = &self.bytes[..self.at - 1];
        let start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |p| p + 1);
        before.len() - start < 45
    }
}

fn is_closing(c: char) -> bool {
    matches!(c, '"' | '\'' | '”' | '’' | ')' | ']' | '»' | '*' | '_')
}
