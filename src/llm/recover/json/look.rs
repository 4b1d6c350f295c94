//! Bounded looks ahead: does this quote end its string, is this a key?

use super::parser::Parser;
use super::token::{closes, is_key_char, is_quote, structural};

/// White space looked past after a quote; pretty-printed answers indent by far less.
const MAX_BLANK_BYTES: usize = 512;
const MAX_KEY_BYTES: usize = 256;
const MAX_BARE_KEY_BYTES: usize = 64;
const MAX_CLOSERS: usize = 64;

/// Where a string stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Key,
    Member,
    Item,
}

/// The next character that is not white space.
#[derive(Clone, Copy)]
pub(super) struct Ahead {
    /// `None` at the end of the text.
    pub c: Option<char>,
    /// Its position.
    pub at: usize,
    /// Line breaks before it.
    pub line_breaks: usize,
}

impl Ahead {
    /// The ASCII form of the character where it is structural.
    pub fn structural(self) -> Option<char> {
        self.c.and_then(structural)
    }

    fn past(self) -> usize {
        self.at + self.c.map_or(0, char::len_utf8)
    }
}

impl Parser<'_> {
    /// Looks past white space from `at`.
    pub(super) fn ahead(&mut self, at: usize) -> Ahead {
        let mut line_breaks = 0;
        let mut escaped = false;
        let text = self.text_from(at);
        for (offset, c) in text.char_indices() {
            self.steps += 1;
            if offset > MAX_BLANK_BYTES {
                return Ahead {
                    c: None,
                    at: at + offset,
                    line_breaks,
                };
            }
            if std::mem::take(&mut escaped) {
                if matches!(c, 'n' | 'r' | 't') {
                    line_breaks += usize::from(c == 'n');
                    continue;
                }
                return Ahead {
                    c: Some('\\'),
                    at: at + offset - 1,
                    line_breaks,
                };
            }
            match c {
                '\n' => line_breaks += 1,
                '\\' => escaped = true,
                c if c.is_whitespace() => {}
                c => {
                    return Ahead {
                        c: Some(c),
                        at: at + offset,
                        line_breaks,
                    };
                }
            }
        }
        Ahead {
            c: None,
            at: at + text.len(),
            line_breaks,
        }
    }

    /// Whether the quote that ends just before `after` ends its string.
    pub(super) fn ends_string(&mut self, after: usize, place: Place) -> bool {
        let next = self.ahead(after);
        let Some(c) = next.c else { return true };
        if place == Place::Key {
            return match structural(c) {
                Some(_) => true,
                None => c == '=' || is_quote(c) || next.line_breaks > 0,
            };
        }
        match structural(c) {
            Some(',') => self.continues_after_comma(next.past(), place),
            Some('}' | ']') => self.closes_here(next.at),
            Some('{' | '[') => next.line_breaks > 0,
            Some(_) => false,
            None if self.text_from(next.at).starts_with("```") => true,
            None if is_quote(c) => match place {
                Place::Item => self.is_string_ahead(next.at),
                _ => self.is_key_ahead(next.at),
            },
            None if c == ')' => self.is_in_parentheses(),
            None if matches!(c, '/' | '#') => self.is_comment_ahead(next, after),
            None if c == '…' || self.text_from(next.at).starts_with("...") => true,
            None if place == Place::Member
                && self.has_bare_keys()
                && self.is_bare_key_ahead(next.at) =>
            {
                true
            }
            None => next.line_breaks >= 2,
        }
    }

    /// Whether what follows a comma can be the next member or item.
    fn continues_after_comma(&mut self, after: usize, place: Place) -> bool {
        let next = self.ahead(after);
        let Some(c) = next.c else { return true };
        match structural(c) {
            Some('}' | ']') => return self.closes_here(next.at),
            Some('{' | '[' | ',') => return true,
            Some(_) => return false,
            None => {}
        }
        let rest = self.text_from(next.at);
        if c == '…' || rest.starts_with("...") || rest.starts_with("```") {
            return true;
        }
        if matches!(c, '/' | '#') {
            return self.is_comment_ahead(next, after);
        }
        if place == Place::Item {
            let word = &rest[..rest
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(rest.len())];
            return is_quote(c)
                || c.is_ascii_digit()
                || c == '-'
                || matches!(word, "true" | "false" | "null" | "None" | "True" | "False");
        }
        if is_quote(c) {
            return self.is_key_ahead(next.at);
        }
        (self.has_bare_keys() || next.line_breaks > 0) && self.is_bare_key_ahead(next.at)
    }

    /// Whether the closing brackets from `at` end values rather than belong to a string.
    pub(super) fn closes_here(&mut self, at: usize) -> bool {
        let mut next = self.ahead(at);
        let mut closers = 0;
        while matches!(next.structural(), Some('}' | ']')) && closers < MAX_CLOSERS {
            closers += 1;
            next = self.ahead(next.past());
        }
        let Some(c) = next.c else { return true };
        match structural(c) {
            Some(',') => {
                let after = self.ahead(next.past());
                let rest = self.text_from(after.at);
                match after.c {
                    None | Some('…' | '/') => true,
                    Some(c) if is_quote(c) => {
                        self.is_key_ahead(after.at) || self.is_string_ahead(after.at)
                    }
                    Some(c) if structural(c).is_some() => true,
                    Some(_) if rest.starts_with("...") => true,
                    Some(_) => {
                        closers >= self.depth()
                            || after.line_breaks > 0
                            || self.is_bare_key_ahead(after.at)
                    }
                }
            }
            Some('{' | '[' | '}' | ']') => true,
            Some(_) => closers >= self.depth(),
            None if is_quote(c) => self.is_key_ahead(next.at) || c == '`',
            None => {
                closers >= self.depth()
                    || next.line_breaks > 0
                    || matches!(c, '<' | '/' | '#' | ';')
            }
        }
    }

    /// Whether brackets close at `at` and JSON goes on after them: the end of a string whose quote is missing.
    pub(super) fn closes_and_continues(&mut self, at: usize) -> bool {
        let mut next = self.ahead(at);
        if !matches!(next.structural(), Some('}' | ']')) {
            return false;
        }
        while matches!(next.structural(), Some('}' | ']')) {
            next = self.ahead(next.past());
        }
        if next.structural() == Some(',') {
            next = self.ahead(next.past());
        }
        match next.c {
            None => true,
            Some(c) if is_quote(c) => c == '`' || self.is_key_ahead(next.at),
            Some(c) => matches!(structural(c), Some('{' | '[')),
        }
    }

    /// Whether a quoted text from `at` is short and followed by a colon. What the end of the text cuts may be one.
    pub(super) fn is_key_ahead(&mut self, at: usize) -> bool {
        self.quoted_end(at).is_none_or(|end| {
            end.is_some_and(|end| {
                let next = self.ahead(end);
                next.c.is_none() || next.structural() == Some(':') || next.c == Some('=')
            })
        })
    }

    /// Whether a quoted text from `at` is followed by what ends an item.
    pub(super) fn is_string_ahead(&mut self, at: usize) -> bool {
        self.quoted_end(at).is_none_or(|end| {
            end.is_some_and(|end| {
                let next = self.ahead(end);
                next.c.is_none()
                    || (matches!(next.structural(), Some(',' | ']' | '}')) || next.c == Some(')'))
                    || next.c.is_some_and(is_quote)
            })
        })
    }

    /// The position after the quoted text from `at`: outer `None` when the text ends first, inner when it is none.
    fn quoted_end(&mut self, at: usize) -> Option<Option<usize>> {
        let text = self.text_from(at);
        let mut chars = text.char_indices();
        let (_, open) = chars.next()?;
        if !is_quote(open) {
            return Some(None);
        }
        let mut escaped = false;
        for (offset, c) in chars {
            self.steps += 1;
            if offset > MAX_KEY_BYTES || c == '\n' {
                return Some(None);
            }
            if std::mem::take(&mut escaped) {
                continue;
            }
            if c == '\\' {
                escaped = true;
            } else if closes(open, c) {
                return Some(Some(at + offset + c.len_utf8()));
            }
        }
        None
    }

    /// Whether a word without quotes from `at` is followed by a colon.
    pub(super) fn is_bare_key_ahead(&mut self, at: usize) -> bool {
        let text = self.text_from(at);
        for (offset, c) in text.char_indices() {
            self.steps += 1;
            if offset > MAX_BARE_KEY_BYTES {
                return false;
            }
            if structural(c) == Some(':') {
                return offset > 0;
            }
            if !is_key_char(c) {
                return false;
            }
        }
        true
    }

    pub(super) fn is_comment_ahead(&mut self, next: Ahead, after: usize) -> bool {
        let rest = self.text_from(next.at);
        rest.starts_with("//")
            || rest.starts_with("/*")
            || (rest.starts_with('#') && next.at > after)
    }
}
