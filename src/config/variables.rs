//! `${NAME}` in settings, and the `.env` file its values may come from.
//!
//! A variable is marked before YAML is read and put in afterwards, scalar by scalar, so no value can change the
//! structure of the file, whatever it holds, and nothing is put into comments.

use std::collections::BTreeMap;

use super::error::Problem;
use super::yaml::{Node, Value};

/// Three characters the text does not use: they stand for `${`, `}` and the `$$` of an escaped `$${`.
#[derive(Clone, Copy)]
pub struct Marks {
    open: char,
    close: char,
    escape: char,
}

/// Replaces `${NAME}` and `$${NAME}` by marked names of the same length, so that columns stay right. `None` where the
/// text uses every private character, which no settings file does.
pub fn mark(text: &str) -> Option<(String, Marks)> {
    let mut free = ('\u{E000}'..='\u{F8FF}').filter(|&mark| !text.contains(mark));
    let marks = Marks {
        open: free.next()?,
        close: free.next()?,
        escape: free.next()?,
    };
    let mut marked = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        let (before, from) = rest.split_at(dollar);
        marked.push_str(before);
        if let Some((name, after)) = from.strip_prefix("$${").and_then(split_name) {
            marked.extend([marks.escape, marks.escape, marks.open]);
            marked.push_str(name);
            marked.push(marks.close);
            rest = after;
        } else if let Some((name, after)) = from.strip_prefix("${").and_then(split_name) {
            marked.extend([marks.open, marks.open]);
            marked.push_str(name);
            marked.push(marks.close);
            rest = after;
        } else {
            marked.push('$');
            rest = from.get(1..).unwrap_or_default();
        }
    }
    marked.push_str(rest);
    Some((marked, marks))
}

/// Splits `NAME}rest` where `NAME` is a variable's name.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('}')?;
    let mut characters = name.chars();
    let starts_well = characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    (starts_well && characters.all(|c| c.is_ascii_alphanumeric() || c == '_'))
        .then_some((name, rest))
}

/// Puts the variables' values into every scalar of the tree. A scalar with a missing variable becomes null, and a
/// problem names it.
pub fn substitute(
    node: &mut Node,
    path: &mut Vec<String>,
    marks: Marks,
    lookup: &dyn Fn(&str) -> Option<String>,
    problems: &mut Vec<Problem>,
) {
    match &mut node.value {
        Value::Section(entries) => {
            for entry in entries {
                entry.key = written(&entry.key, marks);
                path.push(entry.key.clone());
                substitute(&mut entry.node, path, marks, lookup, problems);
                path.pop();
            }
        }
        Value::List(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                path.push(index.to_string());
                substitute(item, path, marks, lookup, problems);
                path.pop();
            }
        }
        Value::Scalar(scalar) => {
            if !scalar.text.contains(marks.open) {
                return;
            }
            let as_written = written(&scalar.text, marks);
            match expand(&scalar.text, marks, lookup) {
                Ok((text, has_values)) => {
                    scalar.text = text;
                    scalar.written = has_values.then_some(as_written);
                }
                Err(name) => {
                    problems.push(Problem {
                        line: node.place.line,
                        column: node.place.column,
                        key: path.join("."),
                        message: format!(
                            "environment variable {name} is not set; set it, or add {name}=... to .env beside the settings file"
                        ),
                    });
                    scalar.text = String::new();
                    scalar.plain = true;
                }
            }
        }
    }
}

/// The text as it stood in the file.
fn written(text: &str, marks: Marks) -> String {
    let mut original = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            c if c == marks.escape => original.push('$'),
            c if c == marks.open => {
                let is_pair = characters.next_if_eq(&marks.open).is_some();
                original.push_str(if is_pair { "${" } else { "{" });
            }
            c if c == marks.close => original.push('}'),
            c => original.push(c),
        }
    }
    original
}

/// The text with values put in and escapes undone, and whether a value was put in; or the name that is missing.
fn expand(
    text: &str,
    marks: Marks,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<(String, bool), String> {
    let mut expanded = String::with_capacity(text.len());
    let mut has_values = false;
    let mut rest = text;
    while let Some(start) = rest.find([marks.open, marks.escape]) {
        let (before, from) = rest.split_at(start);
        expanded.push_str(before);
        let is_escape = from.starts_with(marks.escape);
        let name_on = from.trim_start_matches([marks.open, marks.escape]);
        let (name, after) = name_on.split_once(marks.close).unwrap_or((name_on, ""));
        if is_escape {
            expanded.push_str("${");
            expanded.push_str(name);
            expanded.push('}');
        } else {
            expanded.push_str(&lookup(name).ok_or_else(|| name.to_owned())?);
            has_values = true;
        }
        rest = after;
    }
    expanded.push_str(rest);
    Ok((expanded, has_values))
}

/// Reads a `.env` file: `NAME=value` lines, `export` allowed, values bare, `'literal'` or `"with \n escapes"`,
/// comments after `#`. Returns the values and the numbers of lines that are none of these.
pub fn parse_dotenv(text: &str) -> (BTreeMap<String, String>, Vec<usize>) {
    let mut values = BTreeMap::new();
    let mut unread = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        match line.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => {
                values.insert(name.trim().to_owned(), dotenv_value(value.trim()));
            }
            _ => unread.push(index + 1),
        }
    }
    (values, unread)
}

fn dotenv_value(value: &str) -> String {
    if let Some(inside) = value.strip_prefix('\'') {
        return inside.split('\'').next().unwrap_or_default().to_owned();
    }
    let Some(inside) = value.strip_prefix('"') else {
        let end = value
            .find(" #")
            .or_else(|| value.starts_with('#').then_some(0));
        return value
            .get(..end.unwrap_or(value.len()))
            .unwrap_or_default()
            .trim_end()
            .to_owned();
    };
    let mut text = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => match characters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some(other) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
    }
    text
}
