//! Prompt templates: Python's `str.format` as far as prompt files use it.
//!
//! A template is read once; rendering is a single pass over its parts, so text that is put in is never looked at
//! again: braces in a document mean nothing.

use std::path::PathBuf;

/// The record marks of the extraction format. Prompt files of Microsoft GraphRAG 0.x to 2.x name them as placeholders.
const DELIMITERS: [(&str, &str); 3] = [
    ("tuple_delimiter", "<|>"),
    ("record_delimiter", "##"),
    ("completion_delimiter", "<|COMPLETE|>"),
];

/// Why a prompt file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// A file that the settings name is not there.
    #[error("{}: named by {key} in the settings, but not there; create it, correct the name, or remove the key to use the built-in prompt", .path.display())]
    Missing {
        /// The key that names it.
        key: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// A file that could not be read as text.
    #[error("{}: {message}; check that it is a readable UTF-8 text", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        message: String,
    },
    /// A placeholder that is none, or that this prompt has no value for.
    #[error("{file}:{line}: {message}")]
    Placeholder {
        /// The file.
        file: String,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong, which placeholders there are, and what to do.
        message: String,
    },
    /// A placeholder without which the prompt cannot do its work.
    #[error(
        "{file}: {{{name}}} is missing; put it where that text is to appear (placeholders of this prompt: {allowed})"
    )]
    MissingPlaceholder {
        /// The file.
        file: String,
        /// The placeholder.
        name: String,
        /// All placeholders of the prompt.
        allowed: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Placeholder(String),
}

/// A checked prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    source: String,
    parts: Vec<Part>,
}

impl Template {
    /// Reads a template: `{name}` is a placeholder, `{{` and `}}` are braces. `allowed` are the placeholders it may
    /// use, `required` those it must. Prompts with `entity_types` or `entity_specs` may also use the three delimiter
    /// placeholders of older prompt files, which get their fixed values.
    ///
    /// # Errors
    /// [`PromptError::Placeholder`] for an unknown or malformed one, [`PromptError::MissingPlaceholder`] for one left out.
    pub fn parse(
        text: &str,
        file: &str,
        allowed: &[&str],
        required: &[&str],
    ) -> Result<Self, PromptError> {
        let takes_delimiters = allowed
            .iter()
            .any(|name| matches!(*name, "entity_types" | "entity_specs"));
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(position) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(position);
            literal.push_str(before);
            if let Some(after) = from.strip_prefix("{{") {
                literal.push('{');
                rest = after;
                continue;
            }
            if let Some(after) = from.strip_prefix("}}") {
                literal.push('}');
                rest = after;
                continue;
            }
            let line = 1 + text
                .get(..text.len() - from.len())
                .unwrap_or_default()
                .matches('\n')
                .count();
            let error = |message: String| PromptError::Placeholder {
                file: file.to_owned(),
                line,
                message,
            };
            let Some((name, after)) = from
                .strip_prefix('{')
                .and_then(|inside| inside.split_once('}'))
            else {
                return Err(error(format!(
                    "a single `{}`; double it where a brace is meant",
                    from.get(..1).unwrap_or_default()
                )));
            };
            let delimiter = DELIMITERS
                .iter()
                .find(|(known, _)| *known == name)
                .filter(|_| takes_delimiters);
            if allowed.contains(&name) {
                if !literal.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut literal)));
                }
                parts.push(Part::Placeholder(name.to_owned()));
            } else if let Some((_, value)) = delimiter {
                literal.push_str(value);
            } else {
                let shown: String = name.chars().take(40).collect();
                let shown = shown.escape_debug();
                return Err(error(format!(
                    "unknown placeholder {{{shown}}}; this prompt has {}; double the braces where braces are meant",
                    listed(allowed)
                )));
            }
            rest = after;
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        for name in required {
            if !parts.contains(&Part::Placeholder((*name).to_owned())) {
                return Err(PromptError::MissingPlaceholder {
                    file: file.to_owned(),
                    name: (*name).to_owned(),
                    allowed: listed(allowed),
                });
            }
        }
        Ok(Self {
            source: text.to_owned(),
            parts,
        })
    }

    /// The prompt with the values in place of their names. A name without a value is left as it is written.
    pub fn render(&self, values: &[(&str, &str)]) -> String {
        let length: usize =
            self.source.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>();
        let mut prompt = String::with_capacity(length);
        for part in &self.parts {
            match part {
                Part::Text(text) => prompt.push_str(text),
                Part::Placeholder(name) => match values.iter().find(|(known, _)| known == name) {
                    Some((_, value)) => prompt.push_str(value),
                    None => {
                        prompt.push('{');
                        prompt.push_str(name);
                        prompt.push('}');
                    }
                },
            }
        }
        prompt
    }

    /// The template's text: what a fingerprint of the prompt is made of.
    pub fn source(&self) -> &str {
        &self.source
    }
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "no placeholders".to_owned(),
        names => names
            .iter()
            .map(|name| format!("{{{name}}}"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Template, PromptError> {
        Template::parse(
            text,
            "p.txt",
            &["input_text", "entity_types"],
            &["input_text"],
        )
    }

    fn message(text: &str) -> String {
        match parse(text) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    /// Expected values are what Python's `str.format` gives.
    #[test]
    fn renders_as_str_format_does() {
        let cases = [
            ("a {input_text} b", "a X b"),
            ("{{\"k\": {{}}}} {input_text}", "{\"k\": {}} X"),
            ("{{input_text}} {input_text}", "{input_text} X"),
            ("{{{input_text}}}", "{X}"),
            ("{input_text}{input_text}", "XX"),
            ("{entity_types}|{input_text}", "T|X"),
            ("{input_text} ünï {{", "X ünï {"),
        ];
        for (text, expected) in cases {
            let rendered =
                parse(text).map(|t| t.render(&[("input_text", "X"), ("entity_types", "T")]));
            assert_eq!(rendered.ok().as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn text_put_in_is_not_looked_at_again() {
        let template = parse("{entity_types} {input_text}").unwrap();
        let hostile = "{entity_types} {{}} {0} {input_text.__class__}";
        let rendered =
            template.render(&[("input_text", hostile), ("entity_types", "{input_text}")]);
        assert_eq!(rendered, format!("{{input_text}} {hostile}"));
    }

    #[test]
    fn older_delimiter_placeholders_get_their_values() {
        let text =
            "(\"entity\"{tuple_delimiter}N){record_delimiter}{completion_delimiter} {input_text}";
        let rendered = parse(text).map(|t| t.render(&[("input_text", "X")]));
        assert_eq!(
            rendered.ok().as_deref(),
            Some("(\"entity\"<|>N)##<|COMPLETE|> X")
        );
        let elsewhere = Template::parse(text, "p.txt", &["input_text"], &[]);
        assert!(elsewhere.is_err(), "only extraction prompts have them");
    }

    #[test]
    fn mistakes_name_file_line_and_placeholders() {
        let unknown = message("one\ntwo {inputtext}");
        assert!(
            unknown.starts_with("p.txt:2: unknown placeholder {inputtext}"),
            "{unknown}"
        );
        assert!(
            unknown.contains("{input_text}, {entity_types}"),
            "{unknown}"
        );
        let json = message("{input_text}\n\n{\n \"title\": 1\n}");
        assert!(json.starts_with("p.txt:3: unknown placeholder"), "{json}");
        assert!(json.contains("double the braces"), "{json}");
        assert!(message("{input_text} }").contains("a single `}`"));
        assert!(message("{input_text} {").contains("a single `{`"));
        assert!(message("{} {input_text}").contains("unknown placeholder {}"));
        assert!(message("{input_text!r}").contains("unknown placeholder {input_text!r}"));
        assert!(message("nothing").contains("p.txt: {input_text} is missing"));
    }
}
