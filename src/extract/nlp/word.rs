//! What is learnt of a word while its bytes go by: hash of the lower-case form, shape, joints.

use super::lexicon::{self, Lexicon, WordHash};
use super::token::{Shape, is_combining};

/// What is learnt of a word while it is scanned.
pub(super) struct WordScan {
    pub hash: WordHash,
    pub letters: u32,
    pub upper: u32,
    pub digits: u32,
    pub since_dot: u32,
    /// A capital stood after a small letter, not after a joint.
    inner_capital: bool,
    first_upper: bool,
    after_joint: bool,
    pub hyphen: bool,
    pub machine: bool,
    /// Offset of the last apostrophe, in bytes.
    pub apostrophe: Option<usize>,
    /// Letters after the last apostrophe, to leave a possessive out of the shape.
    lower_tail: u32,
}

impl Default for WordScan {
    fn default() -> Self {
        Self {
            hash: WordHash::new(),
            letters: 0,
            upper: 0,
            digits: 0,
            since_dot: 0,
            inner_capital: false,
            first_upper: false,
            after_joint: false,
            hyphen: false,
            machine: false,
            apostrophe: None,
            lower_tail: 0,
        }
    }
}

impl WordScan {
    #[inline]
    pub(super) fn ascii(&mut self, byte: u8) {
        self.hash.push(byte.to_ascii_lowercase());
        if byte.is_ascii_digit() {
            self.digits += 1;
        } else {
            self.count(byte.is_ascii_uppercase());
        }
        self.since_dot += 1;
        self.after_joint = false;
    }

    pub(super) fn letter(&mut self, c: char) {
        let mut buffer = [0u8; 4];
        for lower in c.to_lowercase() {
            for &byte in lower.encode_utf8(&mut buffer).as_bytes() {
                self.hash.push(byte);
            }
        }
        if c.is_numeric() {
            self.digits += 1;
        } else if !is_combining(c) {
            self.count(c.is_uppercase());
        }
        self.since_dot += 1;
        self.after_joint = false;
    }

    #[inline]
    fn count(&mut self, upper: bool) {
        if upper {
            self.upper += 1;
            if self.letters == 0 && self.digits == 0 {
                self.first_upper = true;
            } else if !self.after_joint && self.upper <= self.letters {
                self.inner_capital = true;
            }
        }
        self.letters += 1;
        if self.apostrophe.is_some() && !upper {
            self.lower_tail += 1;
        }
    }

    pub(super) fn joint(&mut self, byte: u8, offset: usize) {
        match byte {
            b'-' => self.hyphen = true,
            b'_' => self.machine = true,
            b'.' => self.since_dot = 0,
            b'\'' => self.apostrophe = Some(offset),
            // The typographic apostrophe and hyphen share their first byte; both are rare enough to look alike here.
            0xe2 => {
                self.apostrophe = Some(offset);
            }
            _ => {}
        }
        self.after_joint = true;
        if byte == b'.' {
            self.since_dot = 0;
        }
    }

    pub(super) fn hash_bytes(&mut self, bytes: &[u8]) {
        if bytes == "’".as_bytes() {
            self.hash.push(b'\'');
        } else {
            for &byte in bytes {
                self.hash.push(byte);
            }
        }
    }

    pub(super) fn shape(&self, possessive: bool) -> Shape {
        let letters = if possessive {
            self.letters.saturating_sub(1)
        } else {
            self.letters
        };
        let upper = if possessive && self.lower_tail == 0 && self.upper == self.letters {
            self.upper.saturating_sub(1)
        } else {
            self.upper
        };
        if upper == 0 {
            Shape::Lower
        } else if letters == 1 && self.digits == 0 {
            Shape::Initial
        } else if upper == letters {
            Shape::Upper
        } else if self.inner_capital || !self.first_upper {
            Shape::Mixed
        } else {
            Shape::Title
        }
    }
}

/// Hash of the lower-case form of a slice of text.
pub(super) fn hash_lower(word: &str) -> u64 {
    let mut scan = WordScan::default();
    for c in word.chars() {
        if c == '’' {
            scan.hash.push(b'\'');
        } else {
            scan.letter(c);
        }
    }
    scan.hash.get()
}

/// "EBS-backed", "single-AZ": a compound modifier around a name, no name itself.
pub(super) fn is_hyphen_modifier(word: &str, lexicon: &Lexicon) -> bool {
    let small = |part: &str| part.starts_with(char::is_lowercase);
    let Some((_, last)) = word.rsplit_once(['-', '‑']) else {
        return false;
    };
    if small(word) {
        return true;
    }
    let bits = lexicon.get(hash_lower(last));
    let bits = if bits == 0 {
        lexicon::guess(last)
    } else {
        bits
    };
    small(last) && bits & (lexicon::PARTICIPLE | lexicon::ADJECTIVE | lexicon::GERUND) != 0
}
