//! Likely duplicates and likely homonyms, for a person to look at.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::model::ResolutionRow;

use super::audit::Verdict;
use super::reason::Reason;

/// Two entities that may be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// A name of one.
    pub name: String,
    /// A name of the other.
    pub other: String,
    /// Titles of the two entities.
    pub entities: (String, String),
    /// Points; 100 would have merged them.
    pub score: i32,
    /// Words for why.
    pub reasons: Vec<&'static str>,
}

/// A name that may be two things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Homonym {
    /// The name.
    pub name: String,
    /// Titles of the entities that it means somewhere, or may mean.
    pub meanings: Vec<String>,
    /// Words for why.
    pub reasons: Vec<&'static str>,
}

/// What to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suspects {
    /// Most likely first.
    pub duplicates: Vec<Duplicate>,
    /// In order of the alphabet.
    pub homonyms: Vec<Homonym>,
}

/// Finds pairs of entities that were left undecided, and names with several meanings.
pub fn suspects(rows: &[ResolutionRow]) -> Suspects {
    let mut open: Vec<&ResolutionRow> = rows.iter().collect();
    open.sort_by_key(|row| (std::cmp::Reverse(row.score), &row.name, &row.other));
    let mut seen: FxHashSet<(&str, &str)> = FxHashSet::default();
    let mut duplicates = Vec::new();
    let mut meanings: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for row in open {
        let (a, b) = (row.entity.as_str(), row.other_entity.as_str());
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let ambiguous = row.reasons.contains(&Reason::Ambiguous.word());
        let split = row.decision == Verdict::Split.as_str();
        if ambiguous || split {
            let shorter = row.name.len() < row.other.len();
            let name = if shorter { &row.name } else { &row.other };
            let entry = meanings.entry(name).or_default();
            entry.0.extend([a, b]);
            if split {
                entry.0.insert(name);
            }
            entry.1.extend(&row.reasons);
            continue;
        }
        let undecided = row.decision == Verdict::Undecided.as_str();
        if undecided && a != b && seen.insert((a.min(b), a.max(b))) {
            duplicates.push(Duplicate {
                name: row.name.clone(),
                other: row.other.clone(),
                entities: (a.to_owned(), b.to_owned()),
                score: row.score,
                reasons: row.reasons.clone(),
            });
        }
    }
    let owned = |titles: BTreeSet<&str>| titles.into_iter().map(str::to_owned).collect();
    let homonyms = meanings
        .into_iter()
        .filter(|(_, (titles, _))| titles.len() > 1)
        .map(|(name, (titles, reasons))| Homonym {
            name: name.to_owned(),
            meanings: owned(titles),
            reasons: reasons.into_iter().filter_map(Reason::named).collect(),
        })
        .collect();
    Suspects {
        duplicates,
        homonyms,
    }
}
