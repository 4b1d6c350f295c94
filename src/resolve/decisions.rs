//! `resolution.yaml`: what an analyst decided about names. Applied first, never overridden.
//!
//! ```yaml
//! merge:
//!   - [Port Lune Water Authority, PLWA]
//! keep_apart:
//!   - [Jonah Smith, Joyce Smith]
//! split:
//!   - name: Mercury
//!     documents: [letters/2024-02-12.txt]
//!     as: Mercury Analytical
//! rename:
//!   PLWA: Port Lune Water Authority
//! ```

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use super::contradictions::contradictions;
use super::key;
use crate::config::yaml::{self, Entry, Node, Place, Value};
use crate::extract::harvest::Harvest;

/// Names the corpus does not have that are told one by one, each with the nearest it has: that is looked for among all names.
const TOLD: usize = 20;

/// A name as written, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub text: String,
    pub line: usize,
}

/// A name, documents where it is something else, and what that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenSplit {
    pub name: Written,
    pub documents: Vec<Written>,
    pub title: Option<Written>,
}

/// The decisions of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    pub(super) merge: Vec<Vec<Written>>,
    pub(super) keep_apart: Vec<Vec<Written>>,
    pub(super) split: Vec<WrittenSplit>,
    pub(super) rename: Vec<(Written, Written)>,
}

/// What a name means in some documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// What another name means.
    Known(u32),
    /// Something of this title.
    New(String),
}

/// A name that is something else in some documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The name.
    pub name: u32,
    /// The documents, by row.
    pub documents: Vec<u32>,
    /// What it is there.
    pub meaning: Meaning,
    /// Where that was decided.
    pub line: usize,
}

/// A title for the entity of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// The name.
    pub name: u32,
    /// The title.
    pub title: String,
    /// Where that was decided.
    pub line: usize,
}

/// The decisions in numbers of a harvest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// Names that are one.
    pub merge: Vec<Vec<u32>>,
    /// Names that are two.
    pub keep_apart: Vec<(u32, u32)>,
    /// Names that are something else in some documents.
    pub split: Vec<Split>,
    /// Titles for the entities of names.
    pub rename: Vec<Rename>,
}

/// A file that cannot be used; each is for the user to correct.
#[derive(Debug, Error)]
pub enum DecisionsError {
    /// Not YAML.
    #[error("{}:{line}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong and what to do.
        message: String,
    },
    /// YAML that says nothing we know.
    #[error("{}: {}", path.display(), problems.join("; "))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Each with its line and what to do.
        problems: Vec<String>,
    },
}

const KEYS: [&str; 4] = ["merge", "keep_apart", "split", "rename"];
const SPLIT_KEYS: [&str; 3] = ["name", "documents", "as"];

/// Reads the text of a decisions file. `path` is used in messages only.
///
/// # Errors
/// Text that is not YAML, unknown keys, values of the wrong shape, decisions that contradict each other.
pub fn parse(text: &str, path: &Path) -> Result<Decisions, DecisionsError> {
    let root = yaml::parse_long(text).map_err(|error| DecisionsError::Syntax {
        path: path.to_owned(),
        line: error.place.line,
        message: error.message,
    })?;
    let mut reader = Reader::default();
    let decisions = reader.decisions(&root);
    if reader.problems.is_empty() {
        reader.problems = contradictions(&decisions);
    }
    if reader.problems.is_empty() {
        return Ok(decisions);
    }
    Err(DecisionsError::Invalid {
        path: path.to_owned(),
        problems: reader.problems,
    })
}

#[derive(Default)]
struct Reader {
    problems: Vec<String>,
}

impl Reader {
    fn problem(&mut self, place: Place, message: impl std::fmt::Display) {
        self.problems
            .push(format!("line {}: {message}", place.line));
    }

    fn decisions(&mut self, root: &Node) -> Decisions {
        let mut decisions = Decisions::default();
        let Value::Section(entries) = &root.value else {
            self.problem(
                root.place,
                "expected the sections merge, keep_apart, split, rename",
            );
            return decisions;
        };
        self.once(entries);
        for entry in entries {
            if entry.node.is_null() {
                continue;
            }
            match entry.key.as_str() {
                "merge" => decisions.merge = self.groups(&entry.node),
                "keep_apart" => decisions.keep_apart = self.groups(&entry.node),
                "split" => decisions.split = self.splits(&entry.node),
                "rename" => match &entry.node.value {
                    Value::Section(renames) => {
                        for rename in renames {
                            let from = Written {
                                text: rename.key.clone(),
                                line: rename.place.line,
                            };
                            decisions
                                .rename
                                .extend(self.name(&rename.node).map(|to| (from, to)));
                        }
                    }
                    _ => self.problem(entry.node.place, "rename takes lines `old name: new name`"),
                },
                other => {
                    let message = unknown("key", other, KEYS.into_iter());
                    self.problem(entry.place, message);
                }
            }
        }
        decisions
    }

    /// A key that is there twice would silently undo one of the two.
    fn once(&mut self, entries: &[Entry]) {
        let mut first: FxHashMap<&str, usize> = FxHashMap::default();
        for entry in entries.iter().filter(|entry| !entry.merged) {
            if let Some(line) = first.insert(&entry.key, entry.place.line) {
                let key = &entry.key;
                self.problem(
                    entry.place,
                    format!("'{key}' is given twice, first on line {line}; make one of the two"),
                );
            }
        }
    }

    fn groups(&mut self, node: &Node) -> Vec<Vec<Written>> {
        let mut groups = Vec::new();
        for item in self.items(node, "a list of lists of names, as in `- [A, B]`") {
            let names: Vec<Written> = self
                .items(item, "a list of names, as in `[A, B]`")
                .iter()
                .filter_map(|name| self.name(name))
                .collect();
            if names.len() < 2 {
                self.problem(item.place, "two names or more are needed here");
            }
            let mut seen = FxHashSet::default();
            for name in &names {
                if !seen.insert(upper(&name.text)) {
                    let message =
                        format!("'{}' is named twice here; remove one", upper(&name.text));
                    self.problem(item.place, message);
                }
            }
            groups.push(names);
        }
        groups
    }

    fn splits(&mut self, node: &Node) -> Vec<WrittenSplit> {
        let mut splits = Vec::new();
        for item in self.items(node, "a list of sections with name and documents") {
            let Value::Section(entries) = &item.value else {
                self.problem(item.place, "expected a section with name and documents");
                continue;
            };
            self.once(entries);
            let (mut name, mut documents, mut title) = (None, Vec::new(), None);
            for entry in entries {
                match entry.key.as_str() {
                    "name" => name = self.name(&entry.node),
                    "as" => title = self.name(&entry.node),
                    "documents" => {
                        let items = self.items(&entry.node, "a list of document paths");
                        documents = items.iter().filter_map(|path| self.name(path)).collect();
                    }
                    other => {
                        self.problem(entry.place, unknown("key", other, SPLIT_KEYS.into_iter()))
                    }
                }
            }
            match name {
                Some(name) if !documents.is_empty() => splits.push(WrittenSplit {
                    name,
                    documents,
                    title,
                }),
                _ => self.problem(item.place, "a split needs a name and documents"),
            }
        }
        splits
    }

    fn items<'n>(&mut self, node: &'n Node, expected: &str) -> &'n [Node] {
        if let Value::List(items) = &node.value {
            return items;
        }
        self.problem(node.place, format!("expected {expected}"));
        &[]
    }

    fn name(&mut self, node: &Node) -> Option<Written> {
        match &node.value {
            Value::Scalar(scalar) if !scalar.is_null() && !scalar.text.trim().is_empty() => {
                Some(Written {
                    text: scalar.text.trim().to_owned(),
                    line: node.place.line,
                })
            }
            _ => {
                self.problem(node.place, "expected a name");
                None
            }
        }
    }
}

impl Decisions {
    /// Numbers for names and documents (`paths`, by row), with a message for each that the corpus does not have.
    ///
    /// Names are looked up in upper case, then by their words alone: "J. Smith" is known as "J SMITH".
    pub fn bind(&self, harvest: &Harvest, paths: &[&str]) -> (Bound, Vec<String>) {
        let mut bound = Bound::default();
        let mut names = Names::new(harvest);
        for group in &self.merge {
            let found: Vec<u32> = group.iter().filter_map(|name| names.find(name)).collect();
            if found.len() >= 2 {
                bound.merge.push(found);
            }
        }
        for group in &self.keep_apart {
            let found: Vec<u32> = group.iter().filter_map(|name| names.find(name)).collect();
            for (at, &a) in found.iter().enumerate() {
                bound
                    .keep_apart
                    .extend(found[at + 1..].iter().map(|&b| (a, b)));
            }
        }
        let mut renamed: FxHashMap<String, u32> = FxHashMap::default();
        for (from, to) in &self.rename {
            let Some(name) = names.find(from) else {
                continue;
            };
            let title = upper(&to.text);
            // A title that is another name's would be two entities of one title.
            let other = harvest.names.find(&title);
            let other = other.or_else(|| renamed.get(&title).copied());
            if let Some(other) = other.filter(|other| *other != name) {
                bound.merge.push(vec![name, other]);
            }
            renamed.entry(title.clone()).or_insert(name);
            bound.rename.push(Rename {
                name,
                title,
                line: from.line,
            });
        }
        let mut unknown_paths = Vec::new();
        let mut unnamed: FxHashMap<u32, usize> = FxHashMap::default();
        for split in &self.split {
            let Some(name) = names.find(&split.name) else {
                continue;
            };
            let mut documents = Vec::new();
            for path in &split.documents {
                match paths.iter().position(|known| *known == path.text) {
                    Some(row) => documents.push(row as u32),
                    None => {
                        let message = unknown("document", &path.text, paths.iter().copied());
                        unknown_paths.push(format!("line {}: {message}", path.line));
                    }
                }
            }
            if documents.is_empty() {
                continue;
            }
            let meaning = match &split.title {
                Some(title) => match names.mentioned(&upper(&title.text)) {
                    Some(other) => Meaning::Known(other),
                    None => Meaning::New(upper(&title.text)),
                },
                None => {
                    let number = unnamed.entry(name).or_insert(1);
                    *number += 1;
                    Meaning::New(format!("{} ({number})", harvest.names.get(name)))
                }
            };
            bound.split.push(Split {
                name,
                documents,
                meaning,
                line: split.name.line,
            });
        }
        let mut messages = names.messages();
        messages.extend(unknown_paths);
        (bound, messages)
    }
}

/// The names of the corpus, as an analyst may write them.
struct Names<'h> {
    harvest: &'h Harvest,
    /// By their words alone; `None` where several names have them. Made when first asked for.
    by_words: Option<FxHashMap<String, Option<u32>>>,
    /// Those that some mention of an entity carries. Made when first asked for.
    mentioned: Option<FxHashSet<u32>>,
    unknown: Vec<Written>,
}

impl<'h> Names<'h> {
    fn new(harvest: &'h Harvest) -> Self {
        Self {
            harvest,
            by_words: None,
            mentioned: None,
            unknown: Vec::new(),
        }
    }

    fn find(&mut self, written: &Written) -> Option<u32> {
        let name = upper(&written.text);
        let harvest = self.harvest;
        let found = harvest.names.find(&name).or_else(|| {
            let by_words = self.by_words.get_or_insert_with(|| {
                let mut map: FxHashMap<String, Option<u32>> = FxHashMap::default();
                for (number, name) in harvest.names.iter().enumerate() {
                    map.entry(key::words(name))
                        .and_modify(|known| *known = None)
                        .or_insert(Some(number as u32));
                }
                map
            });
            by_words.get(&key::words(&name)).copied().flatten()
        });
        if found.is_none() {
            self.unknown.push(written.clone());
        }
        found
    }

    /// A name that some mention of an entity carries.
    fn mentioned(&mut self, name: &str) -> Option<u32> {
        let harvest = self.harvest;
        let number = harvest.names.find(name)?;
        let mentioned = self.mentioned.get_or_insert_with(|| {
            harvest
                .entities
                .iter()
                .map(|mention| mention.name)
                .collect()
        });
        mentioned.contains(&number).then_some(number)
    }

    fn messages(&self) -> Vec<String> {
        let mut messages: Vec<String> = self
            .unknown
            .iter()
            .take(TOLD)
            .map(|written| {
                let message = unknown("name", &upper(&written.text), self.harvest.names.iter());
                format!("line {}: {message}", written.line)
            })
            .collect();
        if let Some(next) = self.unknown.get(TOLD) {
            messages.push(format!(
                "line {}: unknown name '{}', and {} more; correct or remove them",
                next.line,
                upper(&next.text),
                self.unknown.len() - TOLD - 1
            ));
        }
        messages
    }
}

pub(super) fn upper(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_uppercase).collect();
    words.join(" ")
}

fn unknown<'n>(what: &str, given: &str, known: impl Iterator<Item = &'n str>) -> String {
    match nearest(given, known) {
        Some(near) => format!("unknown {what} '{given}'; did you mean '{near}'?"),
        None => format!("unknown {what} '{given}'; correct or remove it"),
    }
}

/// The known text that shares most pairs of letters (Dice's coefficient), if it shares more than half.
fn nearest<'n>(given: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let pairs = |text: &str| -> Vec<(char, char)> {
        let lower: Vec<char> = text.chars().take(64).flat_map(char::to_lowercase).collect();
        let mut pairs: Vec<(char, char)> =
            lower.windows(2).map(|pair| (pair[0], pair[1])).collect();
        pairs.sort_unstable();
        pairs
    };
    let wanted = pairs(given);
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let other = pairs(name);
        let (mut i, mut j, mut same) = (0, 0, 0);
        while i < wanted.len() && j < other.len() {
            match wanted[i].cmp(&other[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    same += 1;
                    i += 1;
                    j += 1;
                }
            }
        }
        let total = wanted.len() + other.len();
        if total > 0 && same * 4 > total {
            let likeness = same * 2000 / total;
            if best.is_none_or(|(most, text)| likeness > most || likeness == most && name < text) {
                best = Some((likeness, name));
            }
        }
    }
    best.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Decisions, String> {
        parse(text, Path::new("resolution.yaml")).map_err(|error| error.to_string())
    }

    fn harvest() -> Harvest {
        let mut harvest = Harvest::default();
        for name in [
            "PORT LUNE WATER AUTHORITY",
            "PLWA",
            "MERCURY",
            "JONAH SMITH",
        ] {
            harvest.names.intern(name);
        }
        harvest
    }

    #[test]
    fn all_four_kinds_are_read_and_bound() {
        let text = "merge:\n  - [Port Lune Water Authority, plwa]\nkeep_apart:\n  - [Mercury, PLWA]\nsplit:\n  - name: Mercury\n    \
                    documents: [b.txt]\n    as: Mercury Analytical\nrename:\n  PLWA: The Water Authority\n";
        let (bound, messages) = read(text).unwrap().bind(&harvest(), &["a.txt", "b.txt"]);
        assert!(messages.is_empty(), "{messages:?}");
        assert_eq!(bound.merge, [vec![0, 1]]);
        assert_eq!(bound.keep_apart, [(2, 1)]);
        let split = Split {
            name: 2,
            documents: vec![1],
            meaning: Meaning::New("MERCURY ANALYTICAL".to_owned()),
            line: 6,
        };
        assert_eq!(bound.split, [split]);
        let rename = Rename {
            name: 1,
            title: "THE WATER AUTHORITY".to_owned(),
            line: 10,
        };
        assert_eq!(bound.rename, [rename]);
    }

    #[test]
    fn unknown_keys_and_names_are_told_with_line_and_nearest() {
        let message = read("\nmerged:\n  - [A, B]\n").unwrap_err();
        assert_eq!(
            message,
            "resolution.yaml: line 2: unknown key 'merged'; did you mean 'merge'?"
        );
        let (_, messages) = read("merge:\n  - [Jona Smith, PLWA]\n")
            .unwrap()
            .bind(&harvest(), &[]);
        assert_eq!(
            messages,
            ["line 2: unknown name 'JONA SMITH'; did you mean 'JONAH SMITH'?"]
        );
        let message = read("merge:\n  - [A\n").unwrap_err();
        assert!(message.starts_with("resolution.yaml:"), "{message}");
    }

    #[test]
    fn an_empty_file_decides_nothing() {
        assert_eq!(read("").unwrap(), Decisions::default());
        assert_eq!(read("merge:\n").unwrap(), Decisions::default());
    }
}
