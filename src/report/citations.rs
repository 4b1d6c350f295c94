//! Citations of the form `[Data: Reports (1, 2, +more); Entities (5)]`: read, written, checked.
//!
//! The reader takes what models really write: any case, missing spaces or parentheses, singular kinds, ranges, several
//! brackets, round brackets, no bracket at all after `Data:`, a bracket that a length limit cut off. One pass, linear.

use std::fmt::Write as _;
use std::ops::Range;

use crate::chunk::word::char_width;

/// What a citation points at; the ids are rows (`human_readable_id`), for reports the community's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DataKind {
    /// Community reports.
    Reports,
    /// Entities.
    Entities,
    /// Relationships.
    Relationships,
    /// Claims.
    Claims,
    /// Text units.
    Sources,
}

impl DataKind {
    /// All kinds, in the order they are printed.
    pub const ALL: [Self; 5] = [
        Self::Sources,
        Self::Reports,
        Self::Entities,
        Self::Relationships,
        Self::Claims,
    ];

    /// The word a citation uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reports => "Reports",
            Self::Entities => "Entities",
            Self::Relationships => "Relationships",
            Self::Claims => "Claims",
            Self::Sources => "Sources",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        const WORDS: &[(&str, DataKind)] = &[
            ("report", DataKind::Reports),
            ("reports", DataKind::Reports),
            ("community", DataKind::Reports),
            ("communities", DataKind::Reports),
            ("entity", DataKind::Entities),
            ("entities", DataKind::Entities),
            ("relationship", DataKind::Relationships),
            ("relationships", DataKind::Relationships),
            ("relation", DataKind::Relationships),
            ("relations", DataKind::Relationships),
            ("claim", DataKind::Claims),
            ("claims", DataKind::Claims),
            ("source", DataKind::Sources),
            ("sources", DataKind::Sources),
            ("text_unit", DataKind::Sources),
            ("text_units", DataKind::Sources),
            ("unit", DataKind::Sources),
            ("units", DataKind::Sources),
        ];
        WORDS
            .iter()
            .find(|(known, _)| word.eq_ignore_ascii_case(known))
            .map(|&(_, kind)| kind)
    }
}

/// The ids of one kind inside a citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedIds {
    /// What they are ids of.
    pub kind: DataKind,
    /// In the order written, without repeats.
    pub ids: Vec<u32>,
    /// Followed by `+more`.
    pub more: bool,
}

/// One citation in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// Byte range in the text, brackets included.
    pub span: Range<usize>,
    /// One entry a kind, in the order written.
    pub cited: Vec<CitedIds>,
    /// Words in the place of ids (`SCROOGE`), which can point at nothing.
    pub unread: Vec<String>,
}

impl Citation {
    /// All (kind, id) pairs.
    pub fn ids(&self) -> impl Iterator<Item = (DataKind, u32)> + '_ {
        self.cited
            .iter()
            .flat_map(|cited| cited.ids.iter().map(|&id| (cited.kind, id)))
    }
}

/// A bracket longer than this is not read as a citation.
const MAX_BRACKET: usize = 4000;

/// `1-900` is read as its two ends; a range of at most this many ids as all of them.
const MAX_RANGE: u32 = 100;

/// Finds all citations in `text`, in order and without overlap.
pub fn parse(text: &str) -> Vec<Citation> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let citation = match bytes[at] {
            b'[' => bracketed(text, at, 1, "[", "]"),
            b'(' => bracketed(text, at, 1, "(", ")").filter(|_| has_data_word(&text[at + 1..])),
            0xe3 if text[at..].starts_with('【') => bracketed(text, at, 3, "【", "】"),
            b'D' | b'd' if at == 0 || !bytes[at - 1].is_ascii_alphanumeric() => bare(text, at),
            _ => None,
        };
        match citation {
            Some(citation) => {
                at = citation.span.end;
                found.push(citation);
            }
            None => at += char_width(bytes[at]),
        }
    }
    found
}

pub(super) fn has_data_word(inner: &str) -> bool {
    let inner = inner.trim_start_matches([' ', '*', '_', '\\']);
    inner
        .get(..4)
        .is_some_and(|word| word.eq_ignore_ascii_case("data"))
        && !inner
            .as_bytes()
            .get(4)
            .is_some_and(u8::is_ascii_alphanumeric)
}

fn starts_with_kind(inner: &str) -> bool {
    let inner = inner.trim_start_matches([' ', '*', '_', '\\']);
    let end = inner
        .bytes()
        .take(16)
        .take_while(|b| b.is_ascii_alphabetic() || *b == b'_')
        .count();
    DataKind::from_word(&inner[..end]).is_some()
}

fn bracketed(
    text: &str,
    at: usize,
    open_width: usize,
    open: &str,
    close: &str,
) -> Option<Citation> {
    let inner_start = at + open_width;
    let data = has_data_word(&text[inner_start..]);
    if !data && (open == "(" || !starts_with_kind(&text[inner_start..])) {
        return None;
    }
    let (inner, mut end) = inner_of(text, inner_start, open, close, data)?;
    let mut reader = Reader::default();
    reader.read(inner, false);
    if reader.cited.is_empty() || (!data && (!reader.unread.is_empty() || reader.is_idless())) {
        return None;
    }
    // A link's target belongs to the bracket: `[Data: Sources (3)](#s3)`.
    if text[end..].starts_with("(#")
        && let Some(close) = text[end..].bytes().take(80).position(|b| b == b')')
    {
        end += close + 1;
    }
    let start = if text[..at].ends_with('\\') {
        at - 1
    } else {
        at
    };
    Some(reader.finish(start..end))
}

/// The text inside a bracket and the position after it. An unclosed `Data` bracket ends with its line or before the next one.
fn inner_of<'a>(
    text: &'a str,
    start: usize,
    open: &str,
    close: &str,
    data: bool,
) -> Option<(&'a str, usize)> {
    let mut depth = 0;
    for (offset, c) in text[start..].char_indices() {
        let at = start + offset;
        let rest = &text[at..];
        if rest.starts_with(close) {
            if depth == 0 {
                return Some((&text[start..at], at + close.len()));
            }
            depth -= 1;
        } else if let Some(inside) = rest.strip_prefix(open) {
            if !data {
                return None;
            }
            if has_data_word(inside) {
                return Some((&text[start..at], at));
            }
            depth += 1;
        } else if c == '\n' && data && goes_on(rest, close) {
            // A citation that was wrapped with its line.
        } else if c == '\n' || offset > MAX_BRACKET {
            return (data && open != "(").then(|| (&text[start..at], at));
        }
    }
    (data && open != "(").then(|| (&text[start..], text.len()))
}

/// Whether a line break stands among the ids of a citation.
fn goes_on(rest: &str, close: &str) -> bool {
    let Some(end) = rest.find(close).filter(|&end| end < 200) else {
        return false;
    };
    let inner = &rest[..end];
    inner.matches('\n').count() == 1
        && inner.contains(')')
        && inner
            .chars()
            .all(|c| c.is_ascii_digit() || c.is_whitespace() || "(),;+more".contains(c))
}

/// `Data: Sources (3, 17)` without a bracket: as far as it reads as ids.
fn bare(text: &str, at: usize) -> Option<Citation> {
    let rest = &text[at..];
    let after = rest
        .get(4..)
        .filter(|_| rest.as_bytes()[..4].eq_ignore_ascii_case(b"data"))?;
    let after = after.trim_start_matches(' ').strip_prefix(':')?;
    if !starts_with_kind(after) {
        return None;
    }
    let line = &after[..after.floor_char_boundary(MAX_BRACKET)];
    let line = line.split('\n').next().unwrap_or("");
    let mut reader = Reader::default();
    let used = reader.read(line, true);
    if reader.is_idless() {
        return None;
    }
    let start = rest.len() - after.len();
    Some(reader.finish(at..at + start + used))
}

#[derive(Default)]
struct Reader {
    cited: Vec<CitedIds>,
    unread: Vec<String>,
    current: Option<usize>,
    last: Option<u32>,
    range: bool,
    minus: bool,
}

impl Reader {
    fn is_idless(&self) -> bool {
        self.cited.iter().all(|cited| cited.ids.is_empty())
    }

    fn finish(self, span: Range<usize>) -> Citation {
        Citation {
            span,
            cited: self.cited,
            unread: self.unread,
        }
    }

    /// Reads kinds and ids; `strict` stops at the first word that is neither. Returns the bytes that belong to the citation.
    fn read(&mut self, inner: &str, strict: bool) -> usize {
        let bytes = inner.as_bytes();
        let mut at = 0;
        let mut used = 0;
        let mut depth = 0;
        while at < bytes.len() {
            let width = char_width(bytes[at]);
            let c = inner[at..].chars().next().unwrap_or(' ');
            if c.is_alphanumeric() {
                let rest = &inner[at..];
                let length = rest
                    .find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(rest.len());
                let known = self.word(&rest[..length], strict);
                if strict && !known {
                    return used;
                }
                at += length;
                used = if depth > 0 { used } else { at };
                continue;
            }
            match c {
                '-' | '–' | '—' | '‑' => {
                    self.range = self.last.is_some();
                    self.minus = !self.range;
                }
                ' ' | '\n' => {}
                _ => {
                    self.last = None;
                    self.range = false;
                    self.minus = false;
                }
            }
            at += width;
            match c {
                '(' => depth += 1,
                ')' if depth > 0 => {
                    depth -= 1;
                    used = at;
                }
                '.' | ')' | ']' if strict => return used,
                _ => {}
            }
        }
        if strict { used } else { inner.len() }
    }

    /// Takes one word; whether it has a place in a citation.
    fn word(&mut self, word: &str, strict: bool) -> bool {
        let (range, minus) = (
            std::mem::take(&mut self.range),
            std::mem::take(&mut self.minus),
        );
        let previous = self.last.take();
        if let Some(id) = self.number(word) {
            let Some(current) = self.current else {
                self.note(word);
                return false;
            };
            if minus {
                self.note(word);
                return true;
            }
            let ids = &mut self.cited[current].ids;
            let first = match previous {
                Some(start) if range && start < id && id - start < MAX_RANGE => start + 1,
                _ => id,
            };
            for id in first..=id {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            self.last = Some(id);
            return true;
        }
        if let Some(kind) = DataKind::from_word(word) {
            let known = self.cited.iter().position(|cited| cited.kind == kind);
            // "community reports" is one kind, not an empty citation of communities.
            self.current = Some(known.unwrap_or_else(|| {
                self.cited.push(CitedIds {
                    kind,
                    ids: Vec::new(),
                    more: false,
                });
                self.cited.len() - 1
            }));
            return true;
        }
        if word.eq_ignore_ascii_case("more") {
            if let Some(current) = self.current {
                self.cited[current].more = true;
            }
            return true;
        }
        const FILLERS: &[&str] = &["data", "and", "id", "ids", "no", "nos", "text"];
        if FILLERS
            .iter()
            .any(|filler| word.eq_ignore_ascii_case(filler))
        {
            return !strict
                || word.len() > 2
                    && !word.eq_ignore_ascii_case("data")
                    && !word.eq_ignore_ascii_case("and");
        }
        self.note(word);
        false
    }

    /// `17`, or `S17` after `Sources`.
    fn number(&self, word: &str) -> Option<u32> {
        let digits = match (word.as_bytes().first(), self.current) {
            (Some(first), Some(current)) if first.is_ascii_alphabetic() => {
                let initial = self.cited[current].kind.as_str().as_bytes()[0];
                if !first.eq_ignore_ascii_case(&initial) {
                    return None;
                }
                &word[1..]
            }
            _ => word,
        };
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse().ok())?
    }

    fn note(&mut self, word: &str) {
        if self.unread.len() < 16 {
            self.unread.push(word.to_owned());
        }
    }
}

/// The ids a text may cite, per kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedIds {
    sorted: [Vec<u32>; 5],
}

impl AllowedIds {
    /// Adds ids of one kind.
    pub fn allow(&mut self, kind: DataKind, ids: impl IntoIterator<Item = u32>) {
        let list = &mut self.sorted[kind as usize];
        list.extend(ids);
        list.sort_unstable();
        list.dedup();
    }

    /// Adds every id that `text` itself cites: who reads a report may cite what it cites.
    pub fn allow_cited_in(&mut self, text: &str) {
        for citation in parse(text) {
            for cited in citation.cited {
                self.allow(cited.kind, cited.ids);
            }
        }
    }

    /// Whether the id may be cited.
    pub fn contains(&self, kind: DataKind, id: u32) -> bool {
        self.sorted[kind as usize].binary_search(&id).is_ok()
    }

    /// The ids of one kind, sorted.
    pub fn ids(&self, kind: DataKind) -> &[u32] {
        &self.sorted[kind as usize]
    }
}

/// An id or word that a check took out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The kind it was cited as; `None` for a word that is no id.
    pub kind: Option<DataKind>,
    /// The id or the word, as printed.
    pub what: String,
}

/// A text whose citations all resolve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The text without unknown ids.
    pub text: String,
    /// What was taken out, in order.
    pub removed: Vec<Removed>,
    /// At least one citation is left.
    pub supported: bool,
}

/// Removes ids outside `allowed`. See [`check_with`].
pub fn check(text: &str, allowed: &AllowedIds) -> Checked {
    check_with(text, |kind, id| allowed.contains(kind, id))
}

/// Removing a citation from inside another can leave a third; text that nests deeper than this is hostile.
const MAX_PASSES: usize = 8;

/// Removes the ids for which `known` is false, and what cannot be an id; a bracket left empty goes with the space before it.
/// A citation that needs no change keeps its spelling, a changed one is written in the standard form.
pub fn check_with(text: &str, known: impl Fn(DataKind, u32) -> bool) -> Checked {
    let mut checked = check_once(text, &known);
    let mut fresh = checked.removed.len();
    for _ in 1..MAX_PASSES {
        if fresh == 0 {
            break;
        }
        let again = check_once(&checked.text, &known);
        fresh = again.removed.len();
        checked.text = again.text;
        checked.supported = again.supported;
        checked.removed.extend(again.removed);
    }
    checked
}

fn check_once(text: &str, known: &impl Fn(DataKind, u32) -> bool) -> Checked {
    let mut checked = Checked {
        text: String::with_capacity(text.len()),
        removed: Vec::new(),
        supported: false,
    };
    let mut copied = 0;
    for citation in parse(text) {
        let before = checked.removed.len();
        checked.removed.extend(
            citation
                .unread
                .into_iter()
                .map(|what| Removed { kind: None, what }),
        );
        let mut kept = citation.cited;
        for cited in &mut kept {
            cited.ids.retain(|&id| {
                let keep = known(cited.kind, id);
                if !keep {
                    checked.removed.push(Removed {
                        kind: Some(cited.kind),
                        what: id.to_string(),
                    });
                }
                keep
            });
        }
        kept.retain(|cited| !cited.ids.is_empty());
        checked.supported |= !kept.is_empty();
        if checked.removed.len() > before || kept.is_empty() {
            let lead = &text[copied..citation.span.start];
            if kept.is_empty() {
                checked
                    .text
                    .push_str(lead.trim_end_matches([' ', '\u{a0}']));
            } else {
                checked.text.push_str(lead);
                write(&kept, usize::MAX, &mut checked.text);
            }
            copied = citation.span.end;
        }
    }
    checked.text.push_str(&text[copied..]);
    checked
}

/// Appends `[Data: Sources (3, 17); Entities (5, 9)]` with at most `limit` ids a kind, then `+more`.
pub fn write(cited: &[CitedIds], limit: usize, out: &mut String) {
    out.push_str("[Data: ");
    let mut separator = "";
    for group in cited.iter().filter(|group| !group.ids.is_empty()) {
        out.push_str(separator);
        separator = "; ";
        out.push_str(group.kind.as_str());
        out.push_str(" (");
        for (row, id) in group.ids.iter().take(limit).enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(out, "{}{id}", if row > 0 { ", " } else { "" });
        }
        if group.more || group.ids.len() > limit {
            out.push_str(", +more");
        }
        out.push(')');
    }
    out.push(']');
}

/// The text without its citations.
pub fn strip(text: &str) -> String {
    check_with(text, |_, _| false).text
}

#[cfg(test)]
#[path = "citations_tests.rs"]
mod tests;
