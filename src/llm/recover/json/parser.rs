//! The recovery parser: a state machine over an explicit stack.

use super::super::outcome::{Repair, Repairs};
use super::look::Place;
use super::token::{is_quote, structural};
use super::value::{Node, Value};

/// Deeper values are left out: no answer of ours nests beyond a handful.
const MAX_DEPTH: usize = 64;

/// How the reading of one top-level value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With its own closing bracket.
    Closed,
    /// At a fence or at prose, with brackets missing.
    Stopped,
    /// At the end of the text, after a complete part, with this many lists open.
    Open { lists: usize },
    /// At the end of the text, within a string, a number or a member.
    Cut,
}

pub(super) enum Shape {
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

pub(super) struct Frame {
    pub(super) shape: Shape,
    /// The key whose value comes next.
    pub(super) key: Option<String>,
    /// A comma was read after the last member or item.
    pub(super) separated: bool,
    /// A list in parentheses, as in Python.
    pub(super) in_parentheses: bool,
    /// A key of this map stood without quotes.
    pub(super) bare_keys: bool,
}

impl Frame {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            shape,
            key: None,
            separated: false,
            in_parentheses: false,
            bare_keys: false,
        }
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.shape, Shape::List(_))
    }

    pub(super) fn is_empty(&self) -> bool {
        match &self.shape {
            Shape::List(items) => items.is_empty(),
            Shape::Map(members) => members.is_empty(),
        }
    }

    pub(super) fn last(&self) -> Option<&Node> {
        match &self.shape {
            Shape::List(items) => items.last(),
            Shape::Map(members) => members.last().map(|(_, node)| node),
        }
    }

    fn into_value(self) -> Value {
        match self.shape {
            Shape::List(items) => Value::List(items),
            Shape::Map(members) => Value::Map(members),
        }
    }
}

/// What the state machine does next.
pub(super) enum Step {
    Go,
    Done(Node),
    Stop,
}

pub(super) struct Parser<'a> {
    text: &'a str,
    /// Always at a character boundary.
    pos: usize,
    pub(super) stack: Vec<Frame>,
    /// The text doubles its braces, as prompt templates do.
    doubled: bool,
    pub(super) cut: bool,
    pub(super) no_triple_quote: bool,
    pub(super) repairs: Repairs,
    /// Units of work: characters looked at and tokens read.
    pub(super) steps: u64,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            pos: 0,
            stack: Vec::new(),
            doubled: false,
            cut: false,
            no_triple_quote: false,
            repairs: Repairs::default(),
            steps: 0,
        }
    }

    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn text_from(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or("")
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text_from(self.pos)
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.pos += bytes;
    }

    pub(super) fn go_back(&mut self, pos: usize) {
        self.pos = pos;
    }

    pub(super) fn note_cut(&mut self) {
        self.cut = true;
    }

    pub(super) fn has_bare_keys(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.bare_keys)
    }

    /// Reads the value whose opening bracket stands at `start`.
    pub(super) fn value_at(&mut self, start: usize) -> (Node, Ending) {
        self.pos = start;
        self.cut = false;
        self.doubled = self.rest().starts_with("{{");
        let Some(opener) = self.peek() else {
            return (Node::whole(Value::Null), Ending::Closed);
        };
        self.open(opener);
        loop {
            self.steps += 1;
            self.blank();
            let Some(c) = self.peek() else {
                return self.unwind(false);
            };
            if self.rest().starts_with("```") {
                return self.unwind(true);
            }
            if self.ellipsis() {
                if let Some(frame) = self.stack.last_mut() {
                    frame.separated = true;
                }
                continue;
            }
            let step = match self.stack.last() {
                Some(frame) if frame.is_list() => self.in_list(c),
                Some(frame) if frame.key.is_some() => self.member_value(c),
                Some(_) => self.member_key(c),
                // invariant: the root frame stays until `Done` is returned.
                None => Step::Stop,
            };
            match step {
                Step::Go => {}
                Step::Done(node) => return (node, Ending::Closed),
                Step::Stop => return self.unwind(true),
            }
        }
    }

    pub(super) fn open(&mut self, opener: char) {
        let is_map = structural(opener) == Some('{');
        self.advance(opener.len_utf8());
        if is_map && self.doubled && self.peek() == Some('{') {
            self.repairs.add(Repair::Brackets);
            self.advance(1);
        }
        if !opener.is_ascii() {
            self.repairs.add(Repair::Punctuation);
        }
        if self.stack.len() >= MAX_DEPTH {
            self.skip_deep();
            return;
        }
        let shape = if is_map {
            Shape::Map(Vec::new())
        } else {
            Shape::List(Vec::new())
        };
        self.stack.push(Frame::new(shape));
    }

    pub(super) fn is_in_parentheses(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.in_parentheses)
    }

    /// Whether the parenthesis here opens a list of values.
    pub(super) fn opens_list(&mut self) -> bool {
        let next = self.ahead(self.pos + 1);
        next.c
            .is_some_and(|c| c == '(' || (is_quote(c) && self.is_string_ahead(next.at)))
    }

    pub(super) fn open_parenthesis(&mut self) {
        self.repairs.add(Repair::Brackets);
        let depth = self.stack.len();
        self.open('(');
        // Beyond the depth cap nothing was opened.
        if let Some(frame) = self.stack.get_mut(depth) {
            frame.in_parentheses = true;
        }
    }

    /// Leaves out a value beyond the depth cap, brackets counted and strings respected.
    fn skip_deep(&mut self) {
        self.repairs.add(Repair::TooDeep);
        let mut depth = 1usize;
        while depth > 0 {
            self.steps += 1;
            let Some(c) = self.peek() else {
                self.cut = true;
                return;
            };
            if c == '"' {
                self.string(Place::Item);
                continue;
            }
            self.advance(c.len_utf8());
            match structural(c) {
                Some('{' | '[') => depth += 1,
                Some('}' | ']') => depth -= 1,
                _ => {}
            }
        }
        self.place(Node::whole(Value::Null));
    }

    /// Puts a value into the innermost open frame.
    pub(super) fn place(&mut self, node: Node) {
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        if let Shape::List(items) = &mut frame.shape {
            if !items.is_empty() && !frame.separated {
                self.repairs.add(Repair::Separators);
            }
            items.push(node);
        } else if let (Shape::Map(members), Some(key)) = (&mut frame.shape, frame.key.take()) {
            members.push((key, node));
        }
        frame.separated = false;
    }

    /// Closes the innermost frame.
    pub(super) fn close(&mut self) -> Step {
        let Some(mut frame) = self.stack.pop() else {
            return Step::Stop;
        };
        if frame.separated && !self.repairs.contains(Repair::Ellipsis) {
            self.repairs.add(Repair::Separators);
        }
        if let (Shape::Map(members), Some(key)) = (&mut frame.shape, frame.key.take()) {
            members.push((key, Node::whole(Value::Null)));
        }
        let node = Node::whole(frame.into_value());
        if self.stack.is_empty() {
            return Step::Done(node);
        }
        self.place(node);
        Step::Go
    }

    /// Closes the innermost frame with the bracket that stands here.
    pub(super) fn close_with(&mut self, closer: char) -> Step {
        self.advance(closer.len_utf8());
        if !closer.is_ascii() {
            self.repairs.add(Repair::Punctuation);
        }
        if self.doubled && closer == '}' && self.peek() == Some('}') {
            self.advance(1);
        }
        self.close()
    }

    /// Ends the reading with frames still open; all of them are marked as not whole.
    fn unwind(&mut self, stopped: bool) -> (Node, Ending) {
        let lists = self.stack.iter().filter(|frame| frame.is_list()).count();
        let is_within = self
            .stack
            .last()
            .is_some_and(|frame| frame.key.is_some() || frame.separated);
        let ending = if stopped {
            self.repairs.add(Repair::Brackets);
            Ending::Stopped
        } else if self.cut || is_within || self.stack.last().is_some_and(Frame::is_empty) {
            Ending::Cut
        } else {
            Ending::Open { lists }
        };
        loop {
            let Some(mut frame) = self.stack.pop() else {
                // invariant: `value_at` opened a root frame, so the loop returned before this.
                return (Node::whole(Value::Null), ending);
            };
            frame.key = None;
            let node = Node {
                value: frame.into_value(),
                whole: false,
            };
            if self.stack.is_empty() {
                return (node, ending);
            }
            self.place(node);
        }
    }

    fn in_list(&mut self, c: char) -> Step {
        match structural(c) {
            Some(']') => return self.close_with(c),
            Some('}') => return self.brace_in_list(c),
            Some(',') => self.comma(c),
            Some('{' | '[') => self.open(c),
            Some(_) => self.junk(c),
            // A key among rows: the list was not closed.
            None if is_quote(c)
                && self.holds_rows()
                && self.parent_is_map()
                && self.is_key_ahead(self.pos) =>
            {
                self.repairs.add(Repair::Brackets);
                let step = self.close();
                if let Some(frame) = self.stack.last_mut() {
                    frame.separated = true;
                }
                return step;
            }
            None if c == ')' && self.is_in_parentheses() => return self.close_with(c),
            None if c == '(' && self.opens_list() => self.open_parenthesis(),
            None if is_quote(c) => {
                let (text, whole) = self.string(Place::Item);
                self.place(Node {
                    value: Value::Text(text),
                    whole,
                });
            }
            None => {
                let (node, is_literal) = self.bare(Place::Item);
                if is_literal || !self.holds_rows() {
                    self.place(node);
                } else {
                    self.repairs.add(Repair::Prose);
                }
            }
        }
        Step::Go
    }

    /// Whether the innermost list holds maps or lists so far.
    fn holds_rows(&self) -> bool {
        let last = self.stack.last().and_then(Frame::last);
        last.is_some_and(|last| matches!(last.value, Value::Map(_) | Value::List(_)))
    }

    fn parent_is_map(&self) -> bool {
        let parent = self
            .stack
            .len()
            .checked_sub(2)
            .and_then(|at| self.stack.get(at));
        parent.is_some_and(|frame| !frame.is_list())
    }

    /// A closing brace where a list is open: stray, instead of `]`, or `]` is missing before it.
    fn brace_in_list(&mut self, c: char) -> Step {
        self.repairs.add(Repair::Brackets);
        let after = self.ahead(self.pos + c.len_utf8());
        let is_stray = match after.structural() {
            Some(',') => self.ahead(after.at + 1).structural() == Some('{'),
            Some(']') => true,
            _ => false,
        };
        let depth = self.stack.len();
        if is_stray || !self.parent_is_map() {
            self.advance(c.len_utf8());
            return Step::Go;
        }
        let goes_on_with_key = after.structural() == Some(',') && {
            let next = self.ahead(after.at + 1);
            next.c.is_some_and(is_quote) && self.is_key_ahead(next.at)
        };
        let grandparent_is_map = depth >= 3
            && self
                .stack
                .get(depth - 3)
                .is_some_and(|frame| !frame.is_list());
        if goes_on_with_key && !grandparent_is_map {
            self.advance(c.len_utf8());
        }
        self.close()
    }

    pub(super) fn set_key(&mut self, key: String) {
        if let Some(frame) = self.stack.last_mut() {
            frame.key = Some(key);
        }
    }

    pub(super) fn note_missing_comma(&mut self) {
        if self
            .stack
            .last()
            .is_some_and(|frame| !frame.is_empty() && !frame.separated)
        {
            self.repairs.add(Repair::Separators);
        }
    }

    pub(super) fn comma(&mut self, c: char) {
        self.advance(c.len_utf8());
        if !c.is_ascii() {
            self.repairs.add(Repair::Punctuation);
        }
        if c == ';' {
            self.repairs.add(Repair::Separators);
        }
        if let Some(frame) = self.stack.last_mut() {
            if frame.separated || frame.is_empty() {
                self.repairs.add(Repair::Separators);
            }
            frame.separated = true;
        }
    }

    pub(super) fn junk(&mut self, c: char) {
        self.repairs.add(Repair::Separators);
        self.advance(c.len_utf8());
    }
}
