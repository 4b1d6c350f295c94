//! Escapes inside strings: those of JSON are decoded, Markdown's lose their backslash, all others stay as text.

use super::super::outcome::Repair;
use super::parser::Parser;

impl Parser<'_> {
    /// Reads the escape that starts here and adds its text to `out`; `false` when the text ends within it.
    pub(super) fn escape(&mut self, out: &mut String, open: char) -> bool {
        self.advance(1);
        let Some(c) = self.peek() else { return false };
        self.advance(c.len_utf8());
        match c {
            '"' | '\\' | '/' => out.push(c),
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'u' => return self.unicode_escape(out),
            'x' if open == '\'' => self.byte_escape(out),
            _ => {
                self.repairs.add(Repair::Escapes);
                let is_text =
                    c.is_alphanumeric() || matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | ' ');
                if is_text {
                    out.push('\\');
                }
                out.push(c);
            }
        }
        true
    }

    fn unicode_escape(&mut self, out: &mut String) -> bool {
        if self.rest().len() < 4 && self.rest().bytes().all(|b| b.is_ascii_hexdigit()) {
            self.advance(self.rest().len());
            return false;
        }
        let Some(unit) = self.hex(4) else {
            self.repairs.add(Repair::Escapes);
            out.push_str("\\u");
            return true;
        };
        if !(0xd800..0xe000).contains(&unit) {
            out.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
            return true;
        }
        let rest = self.rest();
        if unit < 0xdc00
            && (rest.is_empty()
                || (rest.len() < 6 && "\\u".starts_with(&rest[..rest.len().min(2)])))
        {
            self.advance(rest.len());
            return false;
        }
        if unit < 0xdc00 && rest.starts_with("\\u") {
            let before = self.pos();
            self.advance(2);
            if let Some(low) = self.hex(4).filter(|low| (0xdc00..0xe000).contains(low)) {
                let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                return true;
            }
            self.go_back(before);
        }
        self.repairs.add(Repair::Escapes);
        out.push(char::REPLACEMENT_CHARACTER);
        true
    }

    fn byte_escape(&mut self, out: &mut String) {
        self.repairs.add(Repair::Escapes);
        match self.hex(2).and_then(char::from_u32) {
            Some(c) => out.push(c),
            None => out.push_str("\\x"),
        }
    }

    /// Reads exactly `digits` hexadecimal digits, or nothing.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let word = self.rest().get(..digits)?;
        if !word.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(word, 16).ok()?;
        self.advance(digits);
        Some(value)
    }
}
