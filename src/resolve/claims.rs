//! Claims that speak of the same matter: which agree, which disagree.
//!
//! Two claims are compared when they have the same subject, object and type. They speak of the same matter when their descriptions
//! share enough words; then they disagree when one is true and the other false, when both give a time and the times do not meet,
//! or when each gives a number that the other does not have. What is merely suspected contradicts nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Claim;

/// Later claims of one subject, object and type that a claim is compared with: keeps the work linear.
const COMPARED: usize = 64;
/// Words two descriptions must share, in percent of all their words; fewer where subject, object and type are all named.
const SHARED: usize = 50;
const SHARED_WITH_OBJECT: usize = 30;

/// Fills in `contradicts` and `confirms` of every claim, as rows in order.
pub fn link(claims: &mut [Claim]) {
    let mut groups: BTreeMap<(String, String, String), Vec<u32>> = BTreeMap::new();
    for (row, claim) in claims.iter().enumerate() {
        let key = |text: &str| text.trim().to_uppercase();
        let fields = &claim.claim;
        groups
            .entry((key(&fields.subject), key(&fields.object), key(&fields.kind)))
            .or_default()
            .push(row as u32);
    }
    let mut found: Vec<(u32, u32, bool)> = Vec::new();
    for ((_, object, _), rows) in groups.iter().filter(|(_, rows)| rows.len() > 1) {
        let needed = match object.as_str() {
            "" | "NONE" => SHARED,
            _ => SHARED_WITH_OBJECT,
        };
        // invariant: rows are those of `claims`
        let read: Vec<Matter> = rows
            .iter()
            .map(|&row| Matter::of(&claims[row as usize]))
            .collect();
        for (at, one) in read.iter().enumerate() {
            let others = read.iter().zip(rows).skip(at + 1).take(COMPARED);
            for (other, &row) in others.filter(|(other, _)| one.is_matter_of(other, needed)) {
                if one.disagrees(other) {
                    found.push((rows[at], row, false));
                } else if one.status == other.status && one.unit != other.unit {
                    found.push((rows[at], row, true));
                }
            }
        }
    }
    for (a, b, agree) in found {
        for (own, other) in [(a, b), (b, a)] {
            let claim = &mut claims[own as usize];
            if agree {
                claim.confirms.push(other);
            } else {
                claim.contradicts.push(other);
            }
        }
    }
    for claim in claims {
        claim.confirms.sort_unstable();
        claim.contradicts.sort_unstable();
    }
}

/// A remark on what other claims say, for a model's context: ` (contradicted by claims 3, 7; confirmed by claim 2)`; empty where
/// none says anything. Numbers are those the context gives the claims.
pub fn remark(contradicts: &[u32], confirms: &[u32]) -> String {
    let named = |word: &str, numbers: &[u32]| {
        let listed: Vec<String> = numbers.iter().map(u32::to_string).collect();
        let plural = if numbers.len() == 1 { "" } else { "s" };
        (!numbers.is_empty()).then(|| format!("{word} by claim{plural} {}", listed.join(", ")))
    };
    let parts: Vec<String> = [
        named("contradicted", contradicts),
        named("confirmed", confirms),
    ]
    .into_iter()
    .flatten()
    .collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!(" ({})", parts.join("; ")),
    }
}

/// What comparing needs of a claim.
struct Matter {
    status: String,
    unit: u32,
    start: String,
    end: String,
    words: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

/// Words that say nothing of the matter, or turn it round.
const PASSED_OVER: &[&str] = &[
    "the", "and", "was", "were", "had", "has", "have", "that", "this", "for", "with", "from",
    "not", "never", "did", "its", "his", "her", "their", "which", "who", "been", "are", "is", "no",
];

impl Matter {
    fn of(claim: &Claim) -> Self {
        let fields = &claim.claim;
        let names = format!("{} {}", fields.subject, fields.object).to_lowercase();
        let names: BTreeSet<&str> = names.split(|c: char| !c.is_alphanumeric()).collect();
        let (mut words, mut numbers) = (BTreeSet::new(), BTreeSet::new());
        let lower = fields.description.to_lowercase();
        let parts = lower.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == ','));
        for part in parts.map(|part| part.trim_matches(['.', ','])) {
            if part.starts_with(|c: char| c.is_ascii_digit()) {
                numbers.insert(part.replace(',', ""));
                continue;
            }
            for word in part
                .split(['.', ','])
                .filter(|word| word.chars().count() > 2)
            {
                if !names.contains(word) && !PASSED_OVER.contains(&word) {
                    words.insert(word.to_owned());
                }
            }
        }
        Self {
            status: fields.status.trim().to_uppercase(),
            unit: claim.text_unit.0,
            start: date(&fields.start_date),
            end: date(&fields.end_date),
            words,
            numbers,
        }
    }

    fn is_matter_of(&self, other: &Self, needed: usize) -> bool {
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.len() + other.words.len() - shared;
        all > 0 && shared * 100 >= needed * all
    }

    fn disagrees(&self, other: &Self) -> bool {
        let asserted = |matter: &Self| matter.status == "TRUE" || matter.status == "FALSE";
        if !asserted(self) || !asserted(other) {
            return false;
        }
        if self.status != other.status {
            return true;
        }
        let apart = |a: &Self, b: &Self| {
            let end = if a.end.is_empty() { &a.start } else { &a.end };
            // A year alone meets every day of that year.
            !end.is_empty()
                && !b.start.is_empty()
                && end < &b.start
                && !b.start.starts_with(end.as_str())
        };
        let new = |a: &Self, b: &Self| a.numbers.iter().any(|number| !b.numbers.contains(number));
        apart(self, other) || apart(other, self) || new(self, other) && new(other, self)
    }
}

/// ISO 8601 as far as known: no time of day, nothing for `NONE`. Such texts sort by time.
fn date(text: &str) -> String {
    let day = text.trim().split(['T', ' ']).next().unwrap_or_default();
    match day.starts_with(|c: char| c.is_ascii_digit()) {
        true => day.to_owned(),
        false => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ClaimId, ExtractedClaim, TextUnitIx};

    /// `status, start, description`, each in a text unit of its own, about one subject.
    fn linked(rows: &[(&str, &str, &str)]) -> Vec<(Vec<u32>, Vec<u32>)> {
        let mut claims: Vec<Claim> = rows
            .iter()
            .enumerate()
            .map(|(unit, &(status, start, description))| Claim {
                id: ClaimId(unit as u128),
                claim: ExtractedClaim {
                    subject: "HARROW".into(),
                    object: "NONE".into(),
                    kind: "NEGLIGENCE".into(),
                    status: status.into(),
                    start_date: start.into(),
                    end_date: "NONE".into(),
                    description: description.into(),
                    source_text: String::new(),
                },
                subject: None,
                text_unit: TextUnitIx(unit as u32),
                contradicts: Vec::new(),
                confirms: Vec::new(),
            })
            .collect();
        link(&mut claims);
        claims
            .into_iter()
            .map(|claim| (claim.contradicts, claim.confirms))
            .collect()
    }

    #[test]
    fn true_and_false_contradict_and_true_and_true_confirm() {
        let found = linked(&[
            ("TRUE", "NONE", "Harrow neglected the pump at the weir."),
            ("FALSE", "NONE", "Harrow neglected no pump at the weir."),
            ("TRUE", "NONE", "Harrow neglected its pump at the weir"),
            (
                "SUSPECTED",
                "NONE",
                "Harrow neglected the pump at the weir.",
            ),
            ("TRUE", "NONE", "Harrow dismissed forty people in spring."),
        ]);
        assert_eq!(found[0], (vec![1], vec![2]));
        assert_eq!(found[1], (vec![0, 2], vec![]));
        assert_eq!(found[2], (vec![1], vec![0]));
        assert_eq!(found[3], (vec![], vec![]));
        assert_eq!(found[4], (vec![], vec![]));
    }

    #[test]
    fn times_and_numbers_that_do_not_meet_contradict() {
        let text = "Harrow paid the fine to the commissioner.";
        let found = linked(&[
            ("TRUE", "2024-03-01", text),
            ("TRUE", "2024-05-01T00:00:00", text),
            ("TRUE", "2024", text),
        ]);
        assert_eq!(found[0], (vec![1], vec![2]));
        assert_eq!(found[2], (vec![], vec![0, 1]));
        let found = linked(&[
            (
                "TRUE",
                "NONE",
                "Harrow paid a fine of 12,000 pounds to the commissioner.",
            ),
            (
                "TRUE",
                "NONE",
                "Harrow paid a fine of 14,500 pounds to the commissioner.",
            ),
            (
                "TRUE",
                "NONE",
                "Harrow paid a fine to the commissioner, in pounds.",
            ),
        ]);
        assert_eq!(found[0], (vec![1], vec![2]));
    }

    #[test]
    fn the_remark_names_the_claims() {
        assert_eq!(remark(&[], &[]), "");
        assert_eq!(
            remark(&[3, 7], &[2]),
            " (contradicted by claims 3, 7; confirmed by claim 2)"
        );
    }
}
