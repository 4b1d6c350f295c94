//! The statements of an answer, and whether two say the same: by the words they share, so that it needs no model.

use crate::chunk;
use crate::query::{lexical, own};
use crate::report::citations;

/// Share of the shorter statement's words that another must have to say the same.
const SAME: f64 = 0.7;

/// A sentence or point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub text: String,
    /// Sorted stems of its content words.
    terms: Vec<u64>,
}

impl Claim {
    /// Whether `other` says the same, or more.
    pub fn is_said_by(&self, other: &Claim) -> bool {
        let shared = lexical::shared(&self.terms, &other.terms);
        let shorter = self.terms.len().min(other.terms.len());
        shared >= shorter.min(3) && shared as f64 >= SAME * shorter as f64
    }
}

/// The statements of an answer in Markdown: its sentences, without headings, citations and marks.
pub(super) fn of(answer: &str) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for line in plain(answer).lines() {
        let line = line.trim();
        let is_bold = line.starts_with("**") && line.ends_with("**");
        if own::is_own(line) || line.starts_with('#') || is_bold && !line.ends_with(".**") {
            continue;
        }
        let line = without_bullet(line).replace("**", "");
        for range in chunk::sentences(&line) {
            let text = line[range].trim();
            let terms = lexical::term_set(text);
            // "Sources:" or "In short" state nothing.
            if terms.len() >= 2 && !text.ends_with(':') {
                claims.push(Claim {
                    text: text.to_owned(),
                    terms,
                });
            }
        }
    }
    claims
}

/// The answer without citations and the flags of those that failed.
pub(super) fn plain(answer: &str) -> String {
    without_flags(&citations::strip(answer))
}

/// Drops `[unresolved: ...]` and `[unsupported: ...]`.
fn without_flags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("[un") {
        let flag = &rest[at..];
        let is_flag = flag.starts_with("[unresolved:") || flag.starts_with("[unsupported:");
        let end = flag.find(']').filter(|_| is_flag).map(|end| end + 1);
        let before = &rest[..at];
        out.push_str(match end {
            Some(_) => before.trim_end_matches(' '),
            None => before,
        });
        let taken = end.unwrap_or(3);
        if end.is_none() {
            out.push_str(&flag[..taken]);
        }
        rest = &flag[taken..];
    }
    out.push_str(rest);
    out
}

fn without_bullet(line: &str) -> &str {
    let bare = line.trim_start_matches(['-', '*', '•', '>']);
    if bare.len() < line.len() && bare.starts_with([' ', '*']) {
        return bare.trim_start();
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = &line[digits..];
    match after.strip_prefix(['.', ')']) {
        Some(text) if digits > 0 && text.starts_with(' ') => text.trim_start(),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(answer: &str) -> Vec<String> {
        of(answer).into_iter().map(|claim| claim.text).collect()
    }

    #[test]
    fn statements_are_sentences_without_marks() {
        let answer = "# Themes\n\n**What they are**\n\n1. **Valves seized.** Nobody turned them [Data: Sources (3)].\n- Osei left in May [unresolved: Sources (9)].\n\nIn short:\n";
        assert_eq!(
            texts(answer),
            ["Valves seized.", "Nobody turned them.", "Osei left in May."]
        );
        assert!(of("").is_empty());
    }

    #[test]
    fn our_own_words_are_no_statements() {
        for own in [own::NOTHING, own::NOTHING_IN_REPORTS, own::NO_SUBJECT] {
            assert!(of(own).is_empty(), "{own}");
        }
        let reserved = format!(
            "{}\n\n- The pump failed at noon.{}",
            own::RESERVE,
            own::incomplete("2 of 3 steps failed")
        );
        assert_eq!(texts(&reserved), ["The pump failed at noon."]);
    }

    #[test]
    fn the_same_words_in_another_order_say_the_same() {
        let one = |text: &str| of(text).remove(0);
        let claim = one("The pump at Harrow failed in March.");
        assert!(claim.is_said_by(&one("In March, at Harrow, the pumps failed again.")));
        assert!(!claim.is_said_by(&one("The pump at Harrow was mended.")));
        assert!(!claim.is_said_by(&one("March was wet.")));
    }
}
