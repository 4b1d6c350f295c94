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

use thiserror::Error;

use crate::config::yaml::{self, Node, Place, Value};
use crate::extract::harvest::Harvest;

/// A name as written, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Written {
    text: String,
    line: usize,
}

/// The decisions of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    merge: Vec<Vec<Written>>,
    keep_apart: Vec<Vec<Written>>,
    split: Vec<(Written, Vec<Written>, Option<Written>)>,
    rename: Vec<(Written, Written)>,
}

/// The decisions in numbers of a harvest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// Names that are one.
    pub merge: Vec<Vec<u32>>,
    /// Names that are two.
    pub keep_apart: Vec<(u32, u32)>,
    /// A name, documents where it is something else, and the title of that.
    pub split: Vec<(u32, Vec<u32>, String)>,
    /// Titles for the entity of a name.
    pub rename: Vec<(u32, String)>,
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
/// Text that is not YAML, unknown keys, values of the wrong shape.
pub fn parse(text: &str, path: &Path) -> Result<Decisions, DecisionsError> {
    let root = yaml::parse(text).map_err(|error| DecisionsError::Syntax {
        path: path.to_owned(),
        line: error.place.line,
        message: error.message,
    })?;
    let mut reader = Reader::default();
    let decisions = reader.decisions(&root);
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
            groups.push(names);
        }
        groups
    }

    fn splits(&mut self, node: &Node) -> Vec<(Written, Vec<Written>, Option<Written>)> {
        let mut splits = Vec::new();
        for item in self.items(node, "a list of sections with name and documents") {
            let Value::Section(entries) = &item.value else {
                self.problem(item.place, "expected a section with name and documents");
                continue;
            };
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
                Some(name) if !documents.is_empty() => splits.push((name, documents, title)),
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
            Value::Scalar(scalar) if !scalar.text.trim().is_empty() => Some(Written {
                text: scalar.text.trim().to_owned(),
                line: node.place.line,
            }),
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
    /// Names are looked up in upper case.
    pub fn bind(&self, harvest: &Harvest, paths: &[&str]) -> (Bound, Vec<String>) {
        let mut bound = Bound::default();
        let mut unknown_names = Vec::new();
        let mut find = |written: &Written| {
            let found = harvest.names.find(&upper(&written.text));
            if found.is_none() {
                let message = unknown("name", &upper(&written.text), harvest.names.iter());
                unknown_names.push(format!("line {}: {message}", written.line));
            }
            found
        };
        for group in &self.merge {
            let names: Vec<u32> = group.iter().filter_map(&mut find).collect();
            if names.len() >= 2 {
                bound.merge.push(names);
            }
        }
        for group in &self.keep_apart {
            let names: Vec<u32> = group.iter().filter_map(&mut find).collect();
            for (at, &a) in names.iter().enumerate() {
                bound
                    .keep_apart
                    .extend(names[at + 1..].iter().map(|&b| (a, b)));
            }
        }
        for (from, to) in &self.rename {
            let Some(name) = find(from) else {
                continue;
            };
            let title = upper(&to.text);
            // A title that is another name's would be two entities of one title.
            if let Some(other) = harvest.names.find(&title).filter(|other| *other != name) {
                bound.merge.push(vec![name, other]);
            }
            bound.rename.push((name, title));
        }
        let mut unknown_paths = Vec::new();
        for (written, documents, title) in &self.split {
            let Some(name) = find(written) else {
                continue;
            };
            let mut rows = Vec::new();
            for path in documents {
                match paths.iter().position(|known| *known == path.text) {
                    Some(row) => rows.push(row as u32),
                    None => {
                        let message = unknown("document", &path.text, paths.iter().copied());
                        unknown_paths.push(format!("line {}: {message}", path.line));
                    }
                }
            }
            if !rows.is_empty() {
                let title = match title {
                    Some(title) => upper(&title.text),
                    None => format!("{} (2)", harvest.names.get(name)),
                };
                bound.split.push((name, rows, title));
            }
        }
        unknown_names.extend(unknown_paths);
        (bound, unknown_names)
    }
}

fn upper(text: &str) -> String {
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
        assert_eq!(bound.split, [(2, vec![1], "MERCURY ANALYTICAL".to_owned())]);
        assert_eq!(bound.rename, [(1, "THE WATER AUTHORITY".to_owned())]);
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
