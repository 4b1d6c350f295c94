//! Keys under other names: `entityName`, `desc`, `src`, `名称`.

use super::json::{Node, Value};
use super::outcome::{Notes, Repair};

/// A field: the key we ask for and the keys models use for it, best first.
pub(super) struct Field {
    pub key: &'static str,
    /// Parted by spaces.
    pub aliases: &'static str,
}

impl Field {
    /// Whether a normal key names the field.
    pub fn is_named(&self, key: &str) -> bool {
        key == self.key || self.aliases.split(' ').any(|alias| alias == key)
    }
}

/// A key in one form: lower case, words joined by `_`.
pub(super) fn normal_form(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    let mut after_lower = false;
    for c in key.chars() {
        if c.is_alphanumeric() {
            if c.is_uppercase() && after_lower {
                out.push('_');
            }
            after_lower = c.is_lowercase() || c.is_numeric();
            out.extend(c.to_lowercase());
        } else {
            after_lower = false;
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
        }
    }
    let length = out.trim_end_matches('_').len();
    out.truncate(length);
    out
}

/// The members of a map under normal keys.
pub(super) struct Members<'a> {
    members: Vec<(String, &'a str, &'a Node)>,
}

impl<'a> Members<'a> {
    pub fn new(members: &'a [(String, Node)]) -> Self {
        Self {
            members: members
                .iter()
                .map(|(key, node)| (normal_form(key), key.as_str(), node))
                .collect(),
        }
    }

    pub fn of(node: &'a Node) -> Option<Self> {
        match &node.value {
            Value::Map(members) => Some(Self::new(members)),
            _ => None,
        }
    }

    pub fn has(&self, field: &Field) -> bool {
        self.find(field).is_some()
    }

    /// The last non-null value under the field's key, else under the first alias that is there.
    fn find(&self, field: &Field) -> Option<(&'a Node, bool)> {
        std::iter::once(field.key)
            .chain(field.aliases.split(' '))
            .find_map(|name| {
                let mut found = self.members.iter().filter(|(key, _, _)| key == name);
                let last = found.next_back()?;
                let (_, written, node) = if last.2.is_null() {
                    found.rfind(|member| !member.2.is_null()).unwrap_or(last)
                } else {
                    last
                };
                Some((*node, *written == field.key))
            })
    }

    /// The field's value; a key other than the one asked for is noted.
    pub fn get(&self, field: &Field, notes: &mut Notes) -> Option<&'a Node> {
        let (node, is_exact) = self.find(field)?;
        if !is_exact {
            notes.repair(Repair::Keys);
        }
        Some(node)
    }

    /// All values whose key is the field's, an alias, or contains `fragment`.
    pub fn all(&self, field: &Field, fragment: &str, notes: &mut Notes) -> Vec<&'a Node> {
        let mut found = Vec::new();
        for (key, written, node) in &self.members {
            let is_known = field.is_named(key);
            if is_known || (!fragment.is_empty() && key.contains(fragment)) {
                if *written != field.key {
                    notes.repair(Repair::Keys);
                }
                found.push(*node);
            }
        }
        found
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a str, &'a Node)> {
        self.members
            .iter()
            .map(|(key, written, node)| (key.as_str(), *written, *node))
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_forms() {
        for (key, expected) in [
            ("entityName", "entity_name"),
            ("Entity Name", "entity_name"),
            ("ENTITY-NAME", "entity_name"),
            ("name", "name"),
            ("**Rating Explanation:**", "rating_explanation"),
            ("名称", "名称"),
        ] {
            assert_eq!(normal_form(key), expected);
        }
    }
}
