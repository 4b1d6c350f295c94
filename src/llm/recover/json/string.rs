//! Strings: where they end when their quotes do not say so.

use super::super::outcome::Repair;
use super::look::Place;
use super::parser::Parser;
use super::token::{closes, is_quote};

impl Parser<'_> {
    /// Reads the string that starts here with its opening quote; the flag is `false` when the text ends within it.
    pub(super) fn string(&mut self, place: Place) -> (String, bool) {
        let Some(open) = self.peek() else {
            return (String::new(), false);
        };
        if let Some(text) = self.triple_quoted() {
            return text;
        }
        self.advance(open.len_utf8());
        match open {
            '"' => {}
            '\'' | '`' => self.repairs.add(Repair::Quotes),
            _ => self.repairs.add(Repair::Punctuation),
        }
        let mut out = String::new();
        loop {
            self.steps += 1;
            let rest = self.rest();
            let plain = rest
                .find(|c: char| c == '\\' || c.is_control() || is_quote(c))
                .unwrap_or(rest.len());
            out.push_str(&rest[..plain]);
            self.advance(plain);
            let Some(c) = self.peek() else {
                self.note_cut();
                return (out, false);
            };
            if c == '\\' {
                if !self.escape(&mut out, open) {
                    self.note_cut();
                    return (out, false);
                }
            } else if closes(open, c) {
                self.advance(c.len_utf8());
                if self.ends_string(self.pos(), place) {
                    return (out, true);
                }
                self.repairs.add(Repair::Quotes);
                out.push(c);
            } else if c == '\n' && self.ends_with_line(place) {
                self.repairs.add(Repair::Quotes);
                let length = out
                    .trim_end_matches(|c: char| c.is_whitespace() || c == ',')
                    .len();
                out.truncate(length);
                return (out, true);
            } else {
                if c.is_control() {
                    self.repairs.add(Repair::RawNewline);
                }
                self.advance(c.len_utf8());
                out.push(c);
            }
        }
    }

    /// Whether the string lost its closing quote at this line break: the next line goes on with a key or a bracket.
    fn ends_with_line(&mut self, place: Place) -> bool {
        if place != Place::Member {
            return false;
        }
        let next = self.ahead(self.pos());
        match next.c {
            Some(c) if is_quote(c) && c != '`' => self.is_key_ahead(next.at),
            Some(_) => self.closes_and_continues(next.at),
            None => false,
        }
    }

    /// Python's `"""text"""`.
    fn triple_quoted(&mut self) -> Option<(String, bool)> {
        if self.no_triple_quote {
            return None;
        }
        let fence = ["\"\"\"", "'''"]
            .into_iter()
            .find(|fence| self.rest().starts_with(fence))?;
        let body = &self.rest()[fence.len()..];
        // An empty string, or quotes within quotes, is no triple quote.
        if !body.starts_with(|c: char| c.is_alphanumeric() || c.is_whitespace()) {
            return None;
        }
        let Some(end) = body.find(fence) else {
            // One vain search is enough: the work stays linear.
            self.no_triple_quote = true;
            return None;
        };
        self.repairs.add(Repair::Quotes);
        let text = body[..end].to_owned();
        self.advance(2 * fence.len() + end);
        Some((text, true))
    }
}
