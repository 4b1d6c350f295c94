//! The prompt's own example, given back as if it were the answer: small models do that.

use std::collections::{BTreeSet, HashSet};

use super::json::{self, Value};
use super::outcome::FinishReason;
use super::tuple::{self, Tag, Tagging};
use super::{clean, prose};

/// Shorter texts are too common to be told apart.
const MIN_TEXT_CHARS: usize = 24;
const MAX_NAMES: usize = 256;

/// The names and sentences of the example in a prompt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptExamples {
    /// As titles, upper-cased.
    titles: BTreeSet<String>,
    /// Names of several words within the example's sentences, upper-cased.
    names: BTreeSet<String>,
    /// Sentences and values, letters and digits only.
    texts: HashSet<String>,
}

impl PromptExamples {
    /// Reads the tuples and the JSON in a prompt's text. Placeholders such as `<entity_name>` or `{input_text}` are no
    /// examples. Give the instructions alone, without the source passage.
    pub fn from_prompt(prompt: &str) -> Self {
        let mut examples = Self::default();
        let tagged = tuple::read(prompt, FinishReason::Stop, Tagging::Tagged);
        let is_tagged = tagged.records.iter().any(|record| record.tag.is_some());
        let records = if is_tagged {
            tagged
        } else {
            tuple::read(prompt, FinishReason::Stop, Tagging::Untagged)
        };
        for record in records.records {
            let names = match record.tag {
                Some(Tag::Relationship) => 2,
                Some(Tag::Entity) => 1,
                Some(Tag::Other) => continue,
                None if record.fields.len() >= 4 => 2,
                None => 0,
            };
            for name in record.fields.iter().take(names) {
                examples.add_title(name);
            }
            for text in record.fields.iter().skip(names) {
                examples.add_text(text);
            }
        }
        for root in json::read(prompt).roots {
            let mut open = vec![("", &root.node)];
            while let Some((key, node)) = open.pop() {
                match &node.value {
                    Value::Text(text)
                        if matches!(
                            key,
                            "name" | "entity_name" | "source" | "target" | "subject"
                        ) =>
                    {
                        examples.add_title(text);
                    }
                    Value::Text(text) => examples.add_text(text),
                    Value::List(items) => open.extend(items.iter().map(|item| ("", item))),
                    Value::Map(members) => {
                        open.extend(members.iter().map(|(key, node)| (key.as_str(), node)))
                    }
                    _ => {}
                }
            }
        }
        examples
    }

    /// Whether the prompt holds no example.
    pub fn is_empty(&self) -> bool {
        self.titles.is_empty() && self.names.is_empty() && self.texts.is_empty()
    }

    fn add_title(&mut self, name: &str) {
        if is_placeholder(name) || self.titles.len() >= MAX_NAMES {
            return;
        }
        if let clean::Name::Good(title) = clean::name(name) {
            self.titles.insert(title);
        }
    }

    fn add_text(&mut self, text: &str) {
        if is_placeholder(text) {
            return;
        }
        for sentence in prose::sentences(text).into_iter().chain([text]) {
            let form = letters(sentence);
            if form.chars().count() >= MIN_TEXT_CHARS {
                self.texts.insert(form);
            }
        }
        for name in proper_names(text) {
            if self.names.len() < MAX_NAMES {
                self.names.insert(name);
            }
        }
    }

    /// The example's titles that the passage does not name; all of them when there is no passage to ask.
    pub(super) fn foreign_titles(&self, passage: Option<&str>) -> HashSet<&str> {
        let passage = passage.map(str::to_uppercase).unwrap_or_default();
        self.titles
            .iter()
            .map(String::as_str)
            .filter(|title| !passage.contains(title))
            .collect()
    }

    /// The example's names, of several words each, that the passage does not name.
    pub(super) fn foreign_names(&self, passage: Option<&str>) -> Vec<&str> {
        let passage = passage.map(str::to_uppercase).unwrap_or_default();
        let titles = self.titles.iter().filter(|title| title.contains(' '));
        self.names
            .iter()
            .chain(titles)
            .map(String::as_str)
            .filter(|name| !passage.contains(name))
            .collect()
    }

    /// Whether a text is one of the example's, word for word.
    pub(super) fn holds_text(&self, text: &str) -> bool {
        self.texts.contains(&letters(text))
    }
}

/// Tells the example's text from an answer's own.
#[derive(Default)]
pub(super) struct Detector<'a> {
    examples: Option<&'a PromptExamples>,
    foreign: Vec<&'a str>,
}

impl<'a> Detector<'a> {
    pub fn new(examples: Option<&'a PromptExamples>, passage: Option<&str>) -> Self {
        let foreign = examples
            .map(|examples| examples.foreign_names(passage))
            .unwrap_or_default();
        Self { examples, foreign }
    }

    /// Whether the text is the example's own or speaks of its names.
    pub fn is_example(&self, text: &str) -> bool {
        let Some(examples) = self.examples else {
            return false;
        };
        if examples.holds_text(text) {
            return true;
        }
        let upper = text.to_uppercase();
        self.foreign.iter().any(|name| upper.contains(name))
    }

    /// The text without the sentences that are the example's, and whether there were any.
    pub fn without_example(&self, text: &str) -> (String, bool) {
        if self.examples.is_none()
            || !(self.is_example(text) || prose::sentences(text).iter().any(|s| self.is_example(s)))
        {
            return (text.to_owned(), false);
        }
        let kept: Vec<&str> = prose::sentences(text)
            .into_iter()
            .filter(|sentence| !self.is_example(sentence))
            .collect();
        (kept.join(" "), true)
    }
}

fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_matches('"');
    text.is_empty()
        || text.starts_with(['<', '{', '[']) && text.ends_with(['>', '}', ']'])
        || text.contains("_name>")
        || text == "..."
}

fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Runs of two or more capitalised words.
fn proper_names(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    for word in text.split_whitespace().chain(["."]) {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let bare = bare
            .strip_suffix("'s")
            .or_else(|| bare.strip_suffix("’s"))
            .unwrap_or(bare);
        let is_name =
            bare.chars().next().is_some_and(char::is_uppercase) && bare.chars().count() > 1;
        if is_name {
            run.push(bare);
        }
        let ends =
            !is_name || word.ends_with(['.', ',', ';', ':', ')', '!', '?']) || word.ends_with("'s");
        if ends {
            if run.first().is_some_and(|first| {
                matches!(
                    *first,
                    "The" | "This" | "These" | "Its" | "In" | "And" | "Data"
                )
            }) {
                run.remove(0);
            }
            if run.len() >= 2 {
                found.push(run.join(" ").to_uppercase());
            }
            run.clear();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMPT: &str = "Return tuples (\"entity\"<|>entity_name<|>...)\n\
        Example: (\"entity\"<|>GREEN LANTERN INN<|>ORGANIZATION<|>An inn that Old Tobias keeps on the quay)##\n\
        (\"relationship\"<|>OLD TOBIAS<|>GREEN LANTERN INN<|>keeps it<|>8)<|COMPLETE|>\n\
        {\"title\": \"Green Lantern Inn and Old Tobias\", \"summary\": \"The inn stands at the centre of the Quay Market dispute.\"}";

    #[test]
    fn reads_tuples_and_json() {
        let examples = PromptExamples::from_prompt(PROMPT);
        assert!(examples.titles.contains("GREEN LANTERN INN"));
        assert!(examples.titles.contains("OLD TOBIAS"));
        assert!(examples.names.contains("QUAY MARKET"));
        assert!(examples.holds_text("The inn stands, at the centre of the quay market dispute"));
        assert_eq!(
            examples.foreign_titles(Some("Old Tobias left.")).len(),
            examples.titles.len() - 1
        );
    }

    #[test]
    fn placeholders_are_no_examples() {
        assert!(
            PromptExamples::from_prompt(
                "(\"entity\"<|><entity_name><|><entity_type><|>{description})"
            )
            .is_empty()
        );
    }
}
