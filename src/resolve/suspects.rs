//! Likely duplicates and likely homonyms, for a person to look at.

use rustc_hash::FxHashSet;

use super::Resolution;
use super::audit::Verdict;
use crate::extract::harvest::Harvest;

/// Two entities that may be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// Title of one.
    pub title: String,
    /// Title of the other.
    pub other: String,
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
pub fn suspects(harvest: &Harvest, resolution: &Resolution) -> Suspects {
    let title = |entity: u32| resolution.entities[entity as usize].title.as_str();
    let mut seen: FxHashSet<(u32, u32)> = FxHashSet::default();
    let mut duplicates: Vec<Duplicate> = Vec::new();
    let mut meanings: Vec<(u32, u32)> = Vec::new();
    let mut open: Vec<_> = resolution.decisions.iter().collect();
    open.sort_by_key(|decision| (std::cmp::Reverse(decision.score), decision.a, decision.b));
    for decision in open {
        let of = |name: u32| resolution.entity_of.get(name as usize).copied().flatten();
        let (Some(a), Some(b)) = (of(decision.a), of(decision.b)) else {
            continue;
        };
        let ambiguous = decision.reasons.has(super::reason::Reason::Ambiguous);
        if ambiguous && a != b {
            let short = if harvest.names.get(decision.a).len() < harvest.names.get(decision.b).len()
            {
                (decision.a, b)
            } else {
                (decision.b, a)
            };
            meanings.push(short);
        }
        if decision.verdict == Verdict::Undecided
            && !ambiguous
            && a != b
            && seen.insert((a.min(b), a.max(b)))
        {
            duplicates.push(Duplicate {
                title: title(a).to_owned(),
                other: title(b).to_owned(),
                score: decision.score,
                reasons: decision.reasons.words().collect(),
            });
        }
    }
    for (&(name, _), &entity) in &resolution.by_document {
        meanings.push((name, entity));
    }
    meanings.sort_unstable();
    meanings.dedup();
    let mut homonyms: Vec<Homonym> = Vec::new();
    for of_name in meanings.chunk_by(|a, b| a.0 == b.0) {
        let name = of_name[0].0;
        let mut titles: Vec<String> = of_name
            .iter()
            .map(|entry| title(entry.1).to_owned())
            .collect();
        if let Some(own) = resolution.entity_of.get(name as usize).copied().flatten() {
            titles.push(title(own).to_owned());
        }
        titles.sort_unstable();
        titles.dedup();
        if titles.len() > 1 {
            homonyms.push(Homonym {
                name: harvest.names.get(name).to_owned(),
                meanings: titles,
            });
        }
    }
    homonyms.sort_by(|a, b| a.name.cmp(&b.name));
    Suspects {
        duplicates,
        homonyms,
    }
}
