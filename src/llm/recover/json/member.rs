//! Members of a map: keys and colons, and brackets where a key should stand.

use super::super::outcome::Repair;
use super::look::Place;
use super::parser::{Frame, Parser, Shape, Step};
use super::token::{is_key_char, is_quote, structural};
use super::value::{Node, Value};

const MAX_KEY_CHARS: usize = 64;

impl Parser<'_> {
    pub(super) fn member_value(&mut self, c: char) -> Step {
        match structural(c) {
            Some('{' | '[') => self.open(c),
            Some(',' | '}' | ']') => {
                self.repairs.add(Repair::Separators);
                self.place(Node::whole(Value::Null));
            }
            Some(_) => self.junk(c),
            None if c == '(' && self.opens_list() => self.open_parenthesis(),
            None if is_quote(c) => {
                let (text, whole) = self.string(Place::Member);
                self.place(Node {
                    value: Value::Text(text),
                    whole,
                });
            }
            None => {
                let (node, _) = self.bare(Place::Member);
                self.place(node);
            }
        }
        Step::Go
    }

    pub(super) fn member_key(&mut self, c: char) -> Step {
        match structural(c) {
            Some('}') => return self.close_with(c),
            Some(']') => return self.bracket_in_map(c),
            Some('{') => return self.brace_for_key(c),
            Some(',') => self.comma(c),
            Some('[') => {
                self.repairs.add(Repair::Brackets);
                self.set_key(String::new());
                self.open(c);
            }
            Some(_) => self.junk(c),
            None if is_quote(c) => {
                self.note_missing_comma();
                let (key, whole) = self.string(Place::Key);
                if whole {
                    self.colon(key);
                }
            }
            None => return self.bare_key(),
        }
        Step::Go
    }

    /// A closing bracket where a map is open: instead of `}`, or `}` is missing before it.
    fn bracket_in_map(&mut self, c: char) -> Step {
        self.repairs.add(Repair::Brackets);
        if !self.stack.iter().any(Frame::is_list) {
            self.advance(c.len_utf8());
            return Step::Go;
        }
        let after = self.ahead(self.pos() + c.len_utf8());
        let depth = self.stack.len();
        let parent_is_list = depth >= 2 && self.stack.get(depth - 2).is_some_and(Frame::is_list);
        let goes_on_with_row =
            after.structural() == Some(',') && self.ahead(after.at + 1).structural() == Some('{');
        if parent_is_list && goes_on_with_row {
            self.advance(c.len_utf8());
        }
        self.close()
    }

    /// An opening brace where a key should stand: the map before it was not closed, or its list was not opened.
    fn brace_for_key(&mut self, c: char) -> Step {
        self.repairs.add(Repair::Brackets);
        let depth = self.stack.len();
        let parent_is_list = depth >= 2 && self.stack.get(depth - 2).is_some_and(Frame::is_list);
        let Some(frame) = self.stack.last_mut() else {
            return Step::Stop;
        };
        if frame.is_empty() {
            self.advance(c.len_utf8());
            return Step::Go;
        }
        if parent_is_list {
            return self.close();
        }
        let Shape::Map(members) = &mut frame.shape else {
            return Step::Stop;
        };
        if frame.separated
            && members
                .last()
                .is_some_and(|(_, node)| matches!(node.value, Value::Map(_)))
        {
            if let Some((key, first)) = members.pop() {
                frame.key = Some(key);
                frame.separated = false;
                self.stack.push(Frame {
                    separated: true,
                    ..Frame::new(Shape::List(vec![first]))
                });
            }
            return Step::Go;
        }
        if depth == 1 {
            return Step::Stop;
        }
        self.set_key(String::new());
        self.open(c);
        Step::Go
    }

    /// Reads the colon after a key; a key without one keeps a null value.
    fn colon(&mut self, key: String) {
        self.blank();
        if let Some(frame) = self.stack.last_mut() {
            frame.separated = false;
        }
        match self.peek() {
            Some(c) if structural(c) == Some(':') => {
                if c != ':' {
                    self.repairs.add(Repair::Punctuation);
                }
                self.advance(c.len_utf8());
                self.set_key(key);
            }
            Some('=') => {
                self.repairs.add(Repair::Separators);
                let arrow = if self.rest().starts_with("=>") { 2 } else { 1 };
                self.advance(arrow);
                self.set_key(key);
            }
            Some(c)
                if matches!(structural(c), Some('{' | '['))
                    || (is_quote(c) && !self.is_key_ahead(self.pos())) =>
            {
                self.repairs.add(Repair::Separators);
                self.set_key(key);
            }
            None => self.set_key(key),
            Some(_) => {
                self.repairs.add(Repair::Separators);
                self.set_key(key);
                self.place(Node::whole(Value::Null));
            }
        }
    }

    fn bare_key(&mut self) -> Step {
        let rest = self.rest();
        if rest.starts_with(['u', 'b', 'r']) && rest[1..].starts_with(['"', '\'']) {
            self.repairs.add(Repair::Quotes);
            self.advance(1);
            return Step::Go;
        }
        let end = rest
            .char_indices()
            .take(MAX_KEY_CHARS)
            .find(|&(_, c)| !is_key_char(c));
        if let Some((end, c)) = end.filter(|&(end, _)| end > 0) {
            let quoted = usize::from(matches!(c, '"' | '\''));
            let after = self.ahead(self.pos() + end + quoted);
            if after.structural() == Some(':') {
                self.note_missing_comma();
                self.repairs.add(Repair::BareKeys);
                if let Some(frame) = self.stack.last_mut() {
                    frame.bare_keys |= quoted == 0;
                }
                self.advance(end + quoted);
                self.colon(rest[..end].trim().to_owned());
                return Step::Go;
            }
        }
        if end.is_none() && rest.chars().count() < MAX_KEY_CHARS {
            self.advance(rest.len());
            self.cut = true;
            return Step::Go;
        }
        if self.stack.len() == 1 && self.stack.last().is_some_and(|frame| !frame.is_empty()) {
            return Step::Stop;
        }
        self.repairs.add(Repair::Prose);
        let length = rest
            .find(|c: char| structural(c).is_some() || is_quote(c) || c == '\n')
            .unwrap_or(rest.len());
        self.advance(length.max(rest.chars().next().map_or(0, char::len_utf8)));
        Step::Go
    }
}
