//! JSON as models write it: `serde_json` for what is well formed, our own parser for the rest.
//!
//! The parser never looks at the names of keys and never evaluates anything. It walks the text once with an explicit
//! stack of bounded depth; every look ahead is bounded too, so the work is linear in the length of the text.

mod bare;
mod blank;
mod document;
mod escape;
mod look;
mod member;
mod parser;
mod string;
#[cfg(test)]
mod tests;
mod token;
mod value;

pub(super) use document::read;
pub(super) use parser::Ending;
pub(super) use value::{Node, Value};

/// Reads a text that is one well-formed JSON value and nothing else.
pub(super) fn strict(text: &str) -> Option<Node> {
    serde_json::from_str(text).ok()
}
