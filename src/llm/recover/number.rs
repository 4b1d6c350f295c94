//! Numbers as models write them: `7`, `"7.5/10"`, `8 out of 10`, `80 %`, `Score: 4`.

use super::json::{Node, Value};

/// A number and the scale it was given on, if it said one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scaled {
    pub value: f64,
    pub scale: Option<f64>,
}

impl Scaled {
    /// The value on a scale from 0 to `top`, where its own scale was another and it says so.
    pub fn on(self, top: f64) -> f64 {
        match self.scale {
            Some(scale)
                if scale > 0.0 && (scale > top || self.value > top || scale * 2.0 <= top) =>
            {
                self.value * top / scale
            }
            _ => self.value,
        }
    }
}

/// The number in a JSON value; `None` when it is not finite or is none.
pub(super) fn of(node: &Node) -> Option<Scaled> {
    match &node.value {
        Value::Number(value) if value.is_finite() => Some(Scaled {
            value: *value,
            scale: None,
        }),
        Value::Text(text) => parse(text),
        Value::List(items) if items.len() == 1 => match &items.first()?.value {
            Value::Number(value) if value.is_finite() => Some(Scaled {
                value: *value,
                scale: None,
            }),
            _ => None,
        },
        _ => None,
    }
}

/// The number a short text gives; words before it are allowed only as a label with a colon.
pub(super) fn parse(text: &str) -> Option<Scaled> {
    let text = text
        .trim()
        .trim_matches(['"', '\'', '`', '*', '(', ')', '[', ']', '（', '）'])
        .trim();
    let text = match text.split_once([':', '：', '=']) {
        Some((label, rest)) if label.chars().any(char::is_alphabetic) && label.len() < 40 => {
            rest.trim().trim_start_matches('*').trim()
        }
        _ => text,
    };
    let (number, rest) = take(text)?;
    let rest = rest.trim_start();
    let is_number = number.scale.is_some()
        || !rest.starts_with(char::is_alphanumeric)
        || rest.starts_with("points");
    is_number.then_some(number)
}

/// A number at the start of the text with the scale after it, as in `4/5` or `4 out of 5`, and what follows both.
pub(super) fn take(text: &str) -> Option<(Scaled, &str)> {
    let (value, rest) = leading(text)?;
    let (scale, rest) =
        scale(rest.trim_start()).map_or((None, rest), |(scale, rest)| (Some(scale), rest));
    Some((Scaled { value, scale }, rest))
}

/// Whether the whole text is one plain number.
pub(super) fn is_plain(text: &str) -> bool {
    leading(text.trim()).is_some_and(|(_, rest)| rest.trim().is_empty())
}

/// A number at the start of the text and what follows it.
pub(super) fn leading(text: &str) -> Option<(f64, &str)> {
    let sign = usize::from(text.starts_with(['+', '-']));
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(sign);
    let mut end = sign + whole;
    if text[end..].starts_with('.') {
        let fraction = digits(end + 1);
        if fraction > 0 {
            end += 1 + fraction;
        }
    }
    if end == sign {
        return None;
    }
    let exponent = text[end..].strip_prefix(['e', 'E']).map(|rest| {
        let sign = usize::from(rest.starts_with(['+', '-']));
        let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 { 1 + sign + digits } else { 0 }
    });
    end += exponent.unwrap_or(0);
    let value: f64 = text[..end].parse().ok()?;
    let rest = text[end..].strip_prefix('.').unwrap_or(&text[end..]);
    value.is_finite().then_some((value, rest))
}

fn scale(rest: &str) -> Option<(f64, &str)> {
    if let Some(after) = ["%", "％", "percent"]
        .iter()
        .find_map(|word| rest.strip_prefix(word))
    {
        return Some((100.0, after));
    }
    let after = ["/", "out of", "of", "／"]
        .iter()
        .find_map(|word| rest.strip_prefix(word))?;
    leading(after.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, value, scale) in [
            ("7", 7.0, None),
            (" \"7.5/10\"", 7.5, Some(10.0)),
            ("8 out of 10", 8.0, Some(10.0)),
            ("80%", 80.0, Some(100.0)),
            ("Score: 4", 4.0, None),
            ("**Rating:** 4 / 5", 4.0, Some(5.0)),
            ("-3.", -3.0, None),
            ("1e2", 100.0, None),
            (".5", 0.5, None),
        ] {
            assert_eq!(parse(text), Some(Scaled { value, scale }), "{text}");
        }
        for text in ["", "high", "seven", "7th", "about 7", "-", "1e999"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn scales() {
        assert_eq!(parse("75/100").map(|n| n.on(10.0)), Some(7.5));
        assert_eq!(parse("7.5/10").map(|n| n.on(10.0)), Some(7.5));
        assert_eq!(parse("8/10").map(|n| n.on(100.0)), Some(80.0));
        assert_eq!(parse("80").map(|n| n.on(100.0)), Some(80.0));
    }
}
