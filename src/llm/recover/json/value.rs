//! JSON values as a model writes them: every member kept, and what the end of the text cut is marked.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

/// A value and whether its end was seen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    /// `false` when the text ended before the value did.
    pub whole: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// May be NaN or infinite.
    Number(f64),
    Text(String),
    List(Vec<Node>),
    /// In order, duplicate keys included.
    Map(Vec<(String, Node)>),
}

impl Node {
    pub fn whole(value: Value) -> Self {
        Self { value, whole: true }
    }

    /// The text of a scalar: a string as it is, a number in its shortest form.
    pub fn scalar(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) => Some(text.clone()),
            Value::Number(number) if number.is_finite() => Some(number.to_string()),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        self.value == Value::Null
    }

    /// Whether any map in the value has a key twice.
    pub fn has_duplicate_key(&self) -> bool {
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            match &node.value {
                Value::List(items) => open.extend(items),
                Value::Map(members) => {
                    if repeats_key(members) {
                        return true;
                    }
                    open.extend(members.iter().map(|(_, node)| node));
                }
                _ => {}
            }
        }
        false
    }
}

fn repeats_key(members: &[(String, Node)]) -> bool {
    if members.len() <= 8 {
        return members
            .iter()
            .enumerate()
            .any(|(at, (key, _))| members[..at].iter().any(|(earlier, _)| earlier == key));
    }
    let mut seen = HashSet::with_capacity(members.len());
    members.iter().any(|(key, _)| !seen.insert(key.as_str()))
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor).map(Node::whole)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Value::Map(members))
    }
}
