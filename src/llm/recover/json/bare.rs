//! Literals, numbers and text without quotes.

use super::super::outcome::Repair;
use super::look::Place;
use super::parser::Parser;
use super::token::{is_json_number, is_quote, number, structural};
use super::value::{Node, Value};

impl Parser<'_> {
    /// Whether a literal ends at this space: a comment or, its comma missing, the next member or item follows.
    fn ends_literal(&mut self, at: usize, place: Place) -> bool {
        let next = self.ahead(at);
        self.is_comment_ahead(next, at)
            || place == Place::Item
            || (next.c.is_some_and(is_quote) && self.is_key_ahead(next.at))
    }

    /// Reads a literal, a number or text without quotes; the flag says whether it is a literal or a number.
    pub(super) fn bare(&mut self, place: Place) -> (Node, bool) {
        let rest = self.rest();
        if rest.starts_with(['u', 'b', 'r']) && rest[1..].starts_with(['"', '\'']) {
            self.repairs.add(Repair::Quotes);
            self.advance(1);
            let (text, whole) = self.string(place);
            return (
                Node {
                    value: Value::Text(text),
                    whole,
                },
                true,
            );
        }
        let mut length = rest.len();
        let mut skipped = 0;
        for (offset, c) in rest.char_indices() {
            self.steps += 1;
            let ends = match structural(c) {
                Some(',') => place == Place::Item || self.ends_string(self.pos() + offset, place),
                Some(':') | None => c == '\n' || (c == ')' && self.is_in_parentheses()),
                Some(_) => true,
            };
            if ends {
                length = offset;
                break;
            }
            if c == ' '
                && is_literal(&rest[..offset])
                && self.ends_literal(self.pos() + offset, place)
            {
                length = offset;
                break;
            }
            if c == '"' && offset > 0 && self.ends_string(self.pos() + offset + 1, place) {
                length = offset;
                skipped = 1;
                break;
            }
        }
        let is_cut = length == rest.len();
        self.cut |= is_cut;
        let word = rest[..length].trim();
        // invariant: the caller handled structural characters and quotes, so the word is not empty.
        self.advance(length + skipped);
        let literal = match word {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" => Some(Value::Null),
            _ if is_json_number(word) => number(word)
                .filter(|number| number.is_finite())
                .map(Value::Number),
            _ => None,
        };
        if let Some(value) = literal {
            return (
                Node {
                    value,
                    whole: !is_cut,
                },
                true,
            );
        }
        let literal = match word {
            "True" | "TRUE" => Some(Value::Bool(true)),
            "False" | "FALSE" => Some(Value::Bool(false)),
            "None" | "Null" | "NULL" | "nil" | "undefined" => Some(Value::Null),
            "NaN" | "nan" | "-NaN" => Some(Value::Number(f64::NAN)),
            "Infinity" | "inf" | "+Infinity" => Some(Value::Number(f64::INFINITY)),
            "-Infinity" | "-inf" => Some(Value::Number(f64::NEG_INFINITY)),
            _ => number(word).map(Value::Number),
        };
        let is_literal = literal.is_some();
        self.repairs.add(if is_literal {
            Repair::Literals
        } else {
            Repair::Quotes
        });
        let value = literal.unwrap_or_else(|| Value::Text(word.to_owned()));
        (
            Node {
                value,
                whole: !is_cut,
            },
            is_literal,
        )
    }
}

fn is_literal(word: &str) -> bool {
    number(word).is_some() || matches!(word, "true" | "false" | "null" | "True" | "False" | "None")
}
