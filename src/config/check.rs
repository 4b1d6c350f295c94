//! The tree against the schema: every unknown key, wrong type and value out of range, with its place.
//!
//! What comes out is a JSON value of which the structs can be made; what is wrong is left out of it, so that one
//! problem does not hide the next.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::error::Problem;
use super::legacy;
use super::yaml::{Node, Place, Scalar, Value};

/// Texts in messages are cut to so many characters.
const SHOWN: usize = 40;

/// What the check found.
#[derive(Default)]
pub struct Findings {
    pub problems: Vec<Problem>,
    /// Paths of keys whose value could not be used.
    pub failed: BTreeSet<String>,
    /// Paths of keys that are there and have no effect.
    pub ineffective: Vec<String>,
}

/// Checks the tree and gives the settings as JSON.
pub fn check(root: &Node, schema: &Json, findings: &mut Findings) -> Json {
    let mut checker = Checker {
        schema,
        findings,
        path: Vec::new(),
    };
    checker
        .node(root, schema)
        .unwrap_or_else(|| Json::Object(Map::new()))
}

struct Checker<'a> {
    schema: &'a Json,
    findings: &'a mut Findings,
    path: Vec<String>,
}

impl<'a> Checker<'a> {
    fn problem(&mut self, place: Place, message: String) -> Option<Json> {
        let key = self.path.join(".");
        self.findings.failed.insert(key.clone());
        self.findings.problems.push(Problem {
            line: place.line,
            column: place.column,
            key,
            message,
        });
        None
    }

    /// Follows a reference, and looks through "this or nothing".
    fn resolve(&self, schema: &'a Json) -> &'a Json {
        let mut schema = schema;
        if let Some(options) = schema.get("anyOf").and_then(Json::as_array) {
            let is_something =
                |option: &&Json| option.get("type").and_then(Json::as_str) != Some("null");
            schema = options.iter().find(is_something).unwrap_or(schema);
        }
        let reference = schema.get("$ref").and_then(Json::as_str);
        reference
            .and_then(|name| name.strip_prefix('#'))
            .and_then(|pointer| self.schema.pointer(pointer))
            .unwrap_or(schema)
    }

    fn node(&mut self, node: &Node, schema: &'a Json) -> Option<Json> {
        if node.is_null() {
            // A section whose keys are all commented out is nothing; so is a key left empty. Both mean the default.
            return None;
        }
        let schema = self.resolve(schema);
        if let Some(choices) = choices(schema) {
            return self.choice(node, &choices);
        }
        match expected_type(schema) {
            Some("object") => self.section(node, schema),
            Some("array") => self.list(node, schema),
            Some("string") => match &node.value {
                Value::Scalar(scalar) => Some(Json::String(scalar.text.clone())),
                _ => self.wrong_type(node, "a text"),
            },
            Some("boolean") => match scalar_of(node).and_then(truth) {
                Some(value) => Some(Json::Bool(value)),
                None => self.wrong_type(node, "true or false"),
            },
            Some("integer") => self.integer(node, schema),
            Some("number") => self.number(node, schema),
            _ => Some(untyped(node)),
        }
    }

    fn section(&mut self, node: &Node, schema: &'a Json) -> Option<Json> {
        let Value::Section(entries) = &node.value else {
            return self.wrong_type(node, "a section of `key: value` lines");
        };
        let properties = schema.get("properties").and_then(Json::as_object);
        let additional = schema
            .get("additionalProperties")
            .filter(|value| **value != Json::Bool(false));
        let mut values = Map::new();
        for (index, entry) in entries.iter().enumerate() {
            self.path.push(entry.key.clone());
            let earlier = entries
                .iter()
                .take(index)
                .find(|other| other.key == entry.key);
            let known = properties.and_then(|properties| properties.get(&entry.key));
            if let Some(earlier) = earlier.filter(|earlier| !earlier.merged && !entry.merged) {
                let message = format!(
                    "given twice, first on line {}; keep one",
                    earlier.place.line
                );
                self.problem(entry.place, message);
            } else if let Some(property) = known {
                if !entry.node.is_null() && is_ineffective(property) {
                    self.findings.ineffective.push(self.path.join("."));
                }
                if let Some(value) = self.node(&entry.node, property) {
                    values.insert(entry.key.clone(), value);
                }
            } else if let Some(property) = additional {
                let value = self.node(&entry.node, property);
                // A model or other named thing that is there but empty is judged as such, not overlooked.
                let is_section = expected_type(self.resolve(property)) == Some("object");
                let is_empty = is_section && entry.node.is_null();
                let value = value.or_else(|| is_empty.then(|| Json::Object(Map::new())));
                if let Some(value) = value {
                    values.insert(entry.key.clone(), value);
                }
            } else {
                let message = self.unknown_key(&entry.key, properties);
                self.problem(entry.place, message);
            }
            self.path.pop();
        }
        Some(Json::Object(values))
    }

    fn unknown_key(&self, key: &str, known: Option<&Map<String, Json>>) -> String {
        let section = self
            .path
            .split_last()
            .map(|(_, section)| section.join("."))
            .unwrap_or_default();
        if let Some(remedy) = legacy::renamed_key(&section, key) {
            return format!("unknown key; {remedy}");
        }
        let names: Vec<&str> = known
            .into_iter()
            .flat_map(|known| known.keys().map(String::as_str))
            .collect();
        if let Some(nearest) = nearest(key, names.iter().copied()) {
            return format!("unknown key; did you mean `{nearest}`?");
        }
        if let Some(elsewhere) = self.elsewhere(key) {
            return format!("unknown key; did you mean `{elsewhere}`?");
        }
        if names.len() <= 16 {
            format!("unknown key; known here: {}", names.join(", "))
        } else {
            "unknown key; remove it, or see settings.schema.json for the known ones".to_owned()
        }
    }

    /// The path of a key of that very name in another section.
    fn elsewhere(&self, key: &str) -> Option<String> {
        let sections = self.schema.get("properties")?.as_object()?;
        if sections.contains_key(key) {
            return Some(format!(
                "{key}` at the top of the file, without indentation, as in `{key}:"
            ));
        }
        sections.iter().find_map(|(name, section)| {
            let properties = self.resolve(section).get("properties")?;
            properties.get(key).map(|_| format!("{name}.{key}"))
        })
    }

    fn list(&mut self, node: &Node, schema: &'a Json) -> Option<Json> {
        let Value::List(items) = &node.value else {
            return self.wrong_type(node, "a list such as `[a, b]`");
        };
        let item_schema = schema.get("items").unwrap_or(&ANYTHING);
        let mut values = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            self.path.push(index.to_string());
            if item.is_null() {
                self.problem(
                    item.place,
                    "an empty item; remove it or write a value".to_owned(),
                );
            } else if let Some(value) = self.node(item, item_schema) {
                values.push(value);
            }
            self.path.pop();
        }
        Some(Json::Array(values))
    }

    fn choice(&mut self, node: &Node, choices: &[(&str, &str)]) -> Option<Json> {
        let Some(scalar) = scalar_of(node) else {
            return self.wrong_type(node, "a text");
        };
        if let Some((value, description)) = choices.iter().find(|(value, _)| *value == scalar.text)
        {
            if description.starts_with(ACCEPTED) {
                self.findings.ineffective.push(self.path.join("."));
            }
            return Some(Json::String((*value).to_owned()));
        }
        let shown = show(scalar);
        if let Some(remedy) = legacy::unsupported_value(&self.path.join("."), &scalar.text) {
            return self.problem(
                node.place,
                format!("\"{shown}\" is not supported: {remedy}"),
            );
        }
        let values: Vec<&str> = choices.iter().map(|(value, _)| *value).collect();
        let hint = nearest(&scalar.text, values.iter().copied())
            .map(|nearest| format!("; did you mean `{nearest}`?"))
            .unwrap_or_default();
        self.problem(
            node.place,
            format!("expected {}, found \"{shown}\"{hint}", values.join(" or ")),
        )
    }

    fn integer(&mut self, node: &Node, schema: &Json) -> Option<Json> {
        let Some(value) = scalar_of(node).and_then(whole_number) else {
            return self.wrong_type(node, "a whole number");
        };
        let (lowest, highest) = integer_bounds(schema);
        if value < lowest || value > highest {
            let found = scalar_of(node).map(show).unwrap_or_default();
            return self.problem(
                node.place,
                out_of_range(&found, lowest, highest, i128::from(u32::MAX)),
            );
        }
        u64::try_from(value)
            .map(Json::from)
            .or_else(|_| i64::try_from(value).map(Json::from))
            .ok()
    }

    fn number(&mut self, node: &Node, schema: &Json) -> Option<Json> {
        let parsed = scalar_of(node).and_then(|scalar| scalar.text.trim().parse::<f64>().ok());
        let Some(value) = parsed.filter(|value| value.is_finite()) else {
            return self.wrong_type(node, "a number");
        };
        let lowest = schema
            .get("minimum")
            .and_then(Json::as_f64)
            .unwrap_or(f64::MIN);
        let highest = schema
            .get("maximum")
            .and_then(Json::as_f64)
            .unwrap_or(f64::MAX);
        if value < lowest || value > highest {
            let found = scalar_of(node).map(show).unwrap_or_default();
            return self.problem(
                node.place,
                out_of_range(&found, lowest, highest, f64::from(u32::MAX)),
            );
        }
        Some(Json::from(value))
    }

    fn wrong_type(&mut self, node: &Node, expected: &str) -> Option<Json> {
        let found = match &node.value {
            Value::List(_) => "a list".to_owned(),
            Value::Section(_) => "a section".to_owned(),
            Value::Scalar(scalar) => {
                let kind = match untyped_scalar(scalar) {
                    Json::Number(_) => "the number",
                    Json::Bool(_) => "the truth value",
                    _ => "text",
                };
                format!("{kind} \"{}\"", show(scalar))
            }
        };
        self.problem(node.place, format!("expected {expected}, found {found}"))
    }
}

/// How the description of a key or value starts that is taken and has no effect.
const ACCEPTED: &str = "Accepted for compatibility";

/// The schema of a list's items where none is given.
static ANYTHING: Json = Json::Bool(true);

fn is_ineffective(property: &Json) -> bool {
    property
        .get("description")
        .and_then(Json::as_str)
        .is_some_and(|text| text.starts_with(ACCEPTED))
}

/// The values of a closed set with their descriptions, or `None` for another kind of schema.
fn choices(schema: &Json) -> Option<Vec<(&str, &str)>> {
    if let Some(values) = schema.get("enum").and_then(Json::as_array) {
        return Some(
            values
                .iter()
                .filter_map(Json::as_str)
                .map(|value| (value, ""))
                .collect(),
        );
    }
    let options = schema.get("oneOf")?.as_array()?;
    options
        .iter()
        .map(|option| {
            let description = option
                .get("description")
                .and_then(Json::as_str)
                .unwrap_or_default();
            Some((option.get("const")?.as_str()?, description))
        })
        .collect()
}

fn expected_type(schema: &Json) -> Option<&str> {
    match schema.get("type")? {
        Json::String(name) => Some(name),
        Json::Array(names) => names
            .iter()
            .filter_map(Json::as_str)
            .find(|name| *name != "null"),
        _ => None,
    }
}

fn scalar_of(node: &Node) -> Option<&Scalar> {
    match &node.value {
        Value::Scalar(scalar) => Some(scalar),
        Value::List(_) | Value::Section(_) => None,
    }
}

fn show(scalar: &Scalar) -> String {
    let text = scalar.written.as_deref().unwrap_or(&scalar.text);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// YAML 1.2's truth values and 1.1's, which existing files use.
fn truth(scalar: &Scalar) -> Option<bool> {
    match scalar.text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn whole_number(scalar: &Scalar) -> Option<i128> {
    let text = scalar.text.trim();
    match text.get(..2) {
        Some("0x" | "0X") => u64::from_str_radix(text.get(2..)?, 16).ok().map(i128::from),
        _ => text.parse::<i128>().ok(),
    }
}

/// The bounds a schema sets and those of the number's type.
fn integer_bounds(schema: &Json) -> (i128, i128) {
    let (type_lowest, type_highest) = match schema.get("format").and_then(Json::as_str) {
        Some("uint32") => (0, i128::from(u32::MAX)),
        Some("uint64") => (0, i128::from(u64::MAX)),
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    let bound = |name: &str| schema.get(name).and_then(Json::as_i64).map(i128::from);
    (
        bound("minimum").unwrap_or(type_lowest),
        bound("maximum").unwrap_or(type_highest),
    )
}

fn out_of_range<T: PartialOrd + std::fmt::Display>(
    found: &str,
    lowest: T,
    highest: T,
    unbounded: T,
) -> String {
    if highest >= unbounded {
        format!("{found} is out of range; at least {lowest} is allowed")
    } else {
        format!("{found} is out of range; {lowest} to {highest} is allowed")
    }
}

/// A value that no key gives a type: YAML 1.2's core schema decides.
fn untyped(node: &Node) -> Json {
    match &node.value {
        Value::Scalar(scalar) => untyped_scalar(scalar),
        Value::List(items) => Json::Array(items.iter().map(untyped).collect()),
        Value::Section(entries) => entries
            .iter()
            .map(|entry| (entry.key.clone(), untyped(&entry.node)))
            .collect(),
    }
}

fn untyped_scalar(scalar: &Scalar) -> Json {
    if !scalar.plain {
        return Json::String(scalar.text.clone());
    }
    match scalar.text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Json::Null,
        "true" | "True" | "TRUE" => Json::Bool(true),
        "false" | "False" | "FALSE" => Json::Bool(false),
        text => {
            let starts_like_number =
                text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
            let whole = text.parse::<i64>().ok().map(Json::from);
            let real = || {
                text.parse::<f64>()
                    .ok()
                    .filter(|value| value.is_finite())
                    .map(Json::from)
            };
            whole
                .or_else(real)
                .filter(|_| starts_like_number)
                .unwrap_or_else(|| Json::String(text.to_owned()))
        }
    }
}

/// The name most like the one given, if any is like it at all.
pub fn nearest<'n>(given: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let given: String = given
        .chars()
        .take(64)
        .collect::<String>()
        .to_lowercase()
        .replace('-', "_");
    names
        .map(|name| {
            (
                strsim::jaro_winkler(&given, name)
                    .max(strsim::normalized_damerau_levenshtein(&given, name)),
                name,
            )
        })
        .filter(|(similarity, _)| *similarity >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, name)| name)
}
