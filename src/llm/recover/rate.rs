//! The rating of a community for a question, 0 to 5.

use super::json::{Node, Value};
use super::keys::{Field, Members};
use super::opened;
use super::outcome::{Code, FinishReason, Notes, Recovered, Repair};
use super::{Context, clean, number};

const MAX_RATING: f64 = 5.0;
const RATING: Field = Field {
    key: "rating",
    aliases: "score relevance relevance_score rate relevancy 评分 評価 importance",
};
const REASON: Field = Field {
    key: "reason",
    aliases: "explanation reasoning rationale justification description 理由 原因",
};
/// How far after the word "rating" its number may stand.
const MAX_LABEL_BYTES: usize = 40;
const WORDS: &[&str] = &["zero", "one", "two", "three", "four", "five"];

/// How relevant a community is to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rating {
    /// 0 to 5.
    pub rating: f64,
    /// May be empty.
    pub reason: String,
}

pub(super) fn rating(
    answer: &str,
    finish: FinishReason,
    context: &Context<'_>,
) -> Recovered<Rating> {
    let mut opened = match opened::open(answer, finish, context.max_bytes) {
        Ok(opened) => opened,
        Err(end) => return opened::unusable(end),
    };
    let mut json = opened.json();
    let is_payload = |members: &Members<'_>| members.has(&RATING);
    json.open_embedded(is_payload, finish);
    json.drop_drafts(&opened.text, is_payload);
    let mut notes = Notes::default();
    let found = from_json(&json.roots, &mut notes);
    let rating = match found {
        Some(rating) => {
            opened.use_json(&mut json);
            rating
        }
        None => {
            let from_text = if json.is_empty() {
                from_text(&opened.text, finish)
            } else {
                None
            };
            let Some(rating) = from_text else {
                let code = if json.is_empty() {
                    Code::NoJson
                } else {
                    Code::NoRating
                };
                return opened.nothing(code, json.is_cut);
            };
            notes.repair(Repair::Markdown);
            notes.warn(Code::Prose);
            rating
        }
    };
    opened.notes.repairs.merge(notes.repairs);
    opened.notes.warnings.append(&mut notes.warnings);
    let mut rating = rating;
    if !(0.0..=MAX_RATING).contains(&rating.rating) {
        opened.notes.repair(Repair::Number);
        opened.notes.warn(Code::RatingOutOfRange);
        rating.rating = rating.rating.clamp(0.0, MAX_RATING);
    }
    opened.usable(rating, false)
}

/// The last rating among the values.
fn from_json(roots: &[Node], notes: &mut Notes) -> Option<Rating> {
    let mut best = None;
    let mut open: Vec<(&Node, usize)> = roots.iter().rev().map(|root| (root, 0)).collect();
    while let Some((node, depth)) = open.pop() {
        match &node.value {
            Value::List(items) => open.extend(items.iter().rev().map(|item| (item, depth + 1))),
            Value::Map(list) => {
                let members = Members::new(list);
                if members.has(&RATING) {
                    let mut own = Notes::default();
                    if depth > 0 {
                        own.repair(Repair::Wrapper);
                    }
                    if let Some(rating) = read(&members, &mut own) {
                        best = Some((rating, own));
                    }
                } else {
                    open.extend(list.iter().rev().map(|(_, value)| (value, depth + 1)));
                }
            }
            _ => {}
        }
    }
    let (rating, own) = best?;
    notes.repairs.merge(own.repairs);
    Some(rating)
}

fn read(members: &Members<'_>, notes: &mut Notes) -> Option<Rating> {
    let node = members.get(&RATING, notes)?;
    // A number that the end of the text cut may be another.
    if !node.whole {
        return None;
    }
    let rating = match number::of(node) {
        Some(number) => {
            if number.scale.is_some() {
                notes.repair(Repair::Number);
            }
            number.on(MAX_RATING)
        }
        None => {
            let word = node.scalar()?.trim().to_lowercase();
            let rating = WORDS.iter().position(|known| *known == word)?;
            notes.repair(Repair::Number);
            rating as f64
        }
    };
    let reason = members
        .get(&REASON, notes)
        .filter(|node| node.whole)
        .and_then(Node::scalar);
    Some(Rating {
        rating,
        reason: clean::paragraph(&reason.unwrap_or_default()),
    })
}

/// `4`, `Rating: 4`, `4/5: because ...`, or a sentence that names the rating.
fn from_text(text: &str, finish: FinishReason) -> Option<Rating> {
    let plain = super::prose::plain(text);
    let plain = plain.trim_matches(['`', '"', ' ', '\n']);
    if let Some((number, rest)) = number::take(plain) {
        // A bare number at the end of a cut text may have lost its digits.
        let goes_on = rest.starts_with(char::is_alphanumeric);
        let is_cut = rest.is_empty() && finish == FinishReason::Length;
        return (!goes_on && !is_cut).then(|| Rating {
            rating: number.on(MAX_RATING),
            reason: reason(rest),
        });
    }
    let lower = plain.to_ascii_lowercase();
    let words = ["rating", "score", "relevance", "rate", "评分", "評価"];
    let (start, end) = words
        .iter()
        .filter_map(|word| lower.find(word).map(|at| (at, at + word.len())))
        .min()?;
    let after = plain.get(end..)?;
    let digit = after
        .find(|c: char| c.is_ascii_digit())
        .filter(|&offset| offset <= MAX_LABEL_BYTES)?;
    let (number, rest) = number::take(after.get(digit..)?)?;
    let own = reason(rest);
    let before = reason(plain.get(..start)?);
    let reason = if own.is_empty() { before } else { own };
    Some(Rating {
        rating: number.on(MAX_RATING),
        reason,
    })
}

fn reason(text: &str) -> String {
    let text = text.trim_start_matches([':', '.', ',', ';', '-', '–', '—', ')', ' ', '\n']);
    let text = ["Reason:", "reason:", "Explanation:", "Reasoning:"]
        .iter()
        .find_map(|label| text.strip_prefix(label))
        .unwrap_or(text);
    clean::paragraph(text)
}
