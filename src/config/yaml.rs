//! YAML into a small tree that knows where everything stands.
//!
//! Only what settings need: scalars keep their text and whether they were quoted, types are decided later by what a
//! key expects. Aliases and merge keys are expanded within a bound; there is no recursion a file can drive.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

/// Deeper nesting than any settings file has.
const MAX_DEPTH: usize = 64;
/// More nodes, aliases expanded, than any settings file has.
const MAX_NODES: usize = 20_000;

/// A place in the file: line and column in characters, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// A value and where it starts.
#[derive(Clone, Debug)]
pub struct Node {
    pub value: Value,
    pub place: Place,
}

#[derive(Clone, Debug)]
pub enum Value {
    Scalar(Scalar),
    List(Vec<Node>),
    Section(Vec<Entry>),
}

/// A scalar before its type is decided.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub text: String,
    /// Written without quotes, so that it may be a number, a truth value or nothing.
    pub plain: bool,
    /// The text as it stands in the file, where variables were put in: shown instead of the value, which may be secret.
    pub written: Option<String>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: String,
    pub place: Place,
    /// Put in by a merge key (`<<`), so that a key of the same name beside it is no duplicate.
    pub merged: bool,
    pub node: Node,
}

/// Why a text is not YAML that settings can be read from.
#[derive(Debug)]
pub struct YamlError {
    pub place: Place,
    pub message: String,
}

impl Scalar {
    /// Whether this is YAML's null: nothing, `~` or `null`, unquoted.
    pub fn is_null(&self) -> bool {
        self.plain && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }
}

impl Node {
    /// Whether this is YAML's null.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.is_null())
    }

    /// The place of the key at that path, or of the deepest key on the way that exists.
    pub fn place_of(&self, path: &[&str]) -> Place {
        let mut node = self;
        let mut place = self.place;
        for name in path {
            let Value::Section(entries) = &node.value else {
                break;
            };
            let Some(entry) = entries.iter().find(|entry| entry.key == *name) else {
                break;
            };
            place = entry.place;
            node = &entry.node;
        }
        place
    }
}

/// Something that is open while its inside is read.
struct Frame {
    value: Value,
    place: Place,
    anchor: usize,
    /// In a section: the key whose value comes next.
    key: Option<(String, Place)>,
    /// Nodes inside, this one included.
    size: usize,
}

/// Reads one YAML document of settings; an empty one gives an empty section.
pub fn parse(text: &str) -> Result<Node, YamlError> {
    parse_within(text, MAX_NODES)
}

/// Reads one YAML document of any length. A text has no more nodes than bytes; aliases may add as many as settings have.
pub fn parse_long(text: &str) -> Result<Node, YamlError> {
    parse_within(text, text.len() + MAX_NODES)
}

fn parse_within(text: &str, max_nodes: usize) -> Result<Node, YamlError> {
    let mut builder = Builder {
        open: Vec::new(),
        root: None,
        anchors: HashMap::new(),
        nodes: 0,
        max_nodes,
    };
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let place = Place {
                line: error.marker().line(),
                column: error.marker().col() + 1,
            };
            syntax_error(text, place, error.info())
        })?;
        if matches!(event, Event::DocumentStart(_)) {
            documents += 1;
            if documents > 1 {
                return Err(YamlError {
                    place: place_of(&span),
                    message: "a second document starts here; remove the `---` line".to_owned(),
                });
            }
        }
        builder.take(event, place_of(&span))?;
    }
    let start = Place { line: 1, column: 1 };
    let empty = Node {
        value: Value::Section(Vec::new()),
        place: start,
    };
    Ok(builder.root.filter(|root| !root.is_null()).unwrap_or(empty))
}

fn place_of(span: &Span) -> Place {
    Place {
        line: span.start.line(),
        column: span.start.col() + 1,
    }
}

/// Says in plain words what the parser says in YAML's, where the cause is a common one.
fn syntax_error(text: &str, place: Place, info: &str) -> YamlError {
    let lines_before = text.lines().take(place.line).enumerate();
    let tab = lines_before
        .skip(place.line.saturating_sub(2))
        .find_map(|(index, line)| {
            let indent = line.len() - line.trim_start().len();
            let position = line.get(..indent)?.find('\t')?;
            Some(Place {
                line: index + 1,
                column: position + 1,
            })
        });
    match tab {
        Some(place) => YamlError {
            place,
            message: "a tab in the indentation; indent with spaces only".to_owned(),
        },
        None => YamlError {
            place,
            message: format!(
                "not valid YAML: {info}; check indentation, quotes and brackets here and just above"
            ),
        },
    }
}

struct Builder {
    open: Vec<Frame>,
    root: Option<Node>,
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    max_nodes: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, place: Place) -> Result<(), YamlError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text =
                    tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
                let scalar = Scalar {
                    text: text.into_owned(),
                    plain: style == ScalarStyle::Plain && !is_text,
                    written: None,
                };
                self.add(
                    Node {
                        value: Value::Scalar(scalar),
                        place,
                    },
                    1,
                    anchor,
                )
            }
            Event::SequenceStart(anchor, _) => self.enter(Value::List(Vec::new()), place, anchor),
            Event::MappingStart(anchor, _) => self.enter(Value::Section(Vec::new()), place, anchor),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(frame) => {
                    let node = Node {
                        value: merge(frame.value, place)?,
                        place: frame.place,
                    };
                    self.add(node, frame.size, frame.anchor)
                }
                None => Ok(()),
            },
            Event::Alias(anchor) => match self.anchors.get(&anchor).cloned() {
                Some((mut node, size)) => {
                    node.place = place;
                    self.add(node, size, 0)
                }
                None => Err(YamlError {
                    place,
                    message: "an alias that stands inside what it refers to; write the value out"
                        .to_owned(),
                }),
            },
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    fn enter(&mut self, value: Value, place: Place, anchor: usize) -> Result<(), YamlError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlError {
                place,
                message: format!(
                    "nested deeper than {MAX_DEPTH} levels; settings need four at most"
                ),
            });
        }
        self.open.push(Frame {
            value,
            place,
            anchor,
            key: None,
            size: 1,
        });
        Ok(())
    }

    fn add(&mut self, node: Node, size: usize, anchor: usize) -> Result<(), YamlError> {
        // A container's inside was counted when it was read; an alias brings all of its nodes at once.
        let is_new_container = !matches!(node.value, Value::Scalar(_)) && anchor != 0;
        self.nodes += if is_new_container { 1 } else { size };
        if self.nodes > self.max_nodes {
            return Err(YamlError {
                place: node.place,
                message: format!(
                    "more than {} values once aliases are expanded; write the values out",
                    self.max_nodes
                ),
            });
        }
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        frame.size += size;
        match &mut frame.value {
            Value::List(items) => items.push(node),
            Value::Section(entries) => match frame.key.take() {
                Some((key, place)) => entries.push(Entry {
                    key,
                    place,
                    merged: false,
                    node,
                }),
                None => match node.value {
                    Value::Scalar(scalar) => frame.key = Some((scalar.text, node.place)),
                    Value::List(_) | Value::Section(_) => {
                        return Err(YamlError {
                            place: node.place,
                            message: "a key must be a word, not a list or a section; quote it if it starts with a bracket".to_owned(),
                        });
                    }
                },
            },
            Value::Scalar(_) => {}
        }
        Ok(())
    }
}

/// Expands merge keys: the entries of `<<: *other` count where the section has no key of that name itself.
fn merge(value: Value, place: Place) -> Result<Value, YamlError> {
    let Value::Section(entries) = value else {
        return Ok(value);
    };
    if !entries.iter().any(|entry| entry.key == "<<") {
        return Ok(Value::Section(entries));
    }
    let (merges, mut own): (Vec<Entry>, Vec<Entry>) =
        entries.into_iter().partition(|entry| entry.key == "<<");
    for merge in merges {
        let sources = match merge.node.value {
            Value::List(nodes) => nodes,
            value => vec![Node {
                value,
                place: merge.node.place,
            }],
        };
        for source in sources {
            let Value::Section(inherited) = source.value else {
                return Err(YamlError {
                    place,
                    message: "`<<` must name a section, as in `<<: *other`".to_owned(),
                });
            };
            for entry in inherited {
                if !own.iter().any(|present| present.key == entry.key) {
                    own.push(Entry {
                        merged: true,
                        ..entry
                    });
                }
            }
        }
    }
    Ok(Value::Section(own))
}
