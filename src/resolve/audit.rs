//! What was decided about pairs of names, and why: the rows of the `resolution` table.

use super::Resolution;
use super::reason::{Reason, Reasons};
use crate::extract::harvest::Harvest;
use crate::model::ResolutionRow;

/// The outcome for a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// One entity.
    Merged,
    /// Two entities, on evidence.
    KeptApart,
    /// Two entities, for want of evidence.
    Undecided,
    /// One name, two entities.
    Split,
    /// As `resolution.yaml` says.
    ByAnalyst,
}

impl Verdict {
    /// The word of the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Merged => "merged",
            Self::KeptApart => "kept_apart",
            Self::Undecided => "undecided",
            Self::Split => "split",
            Self::ByAnalyst => "by_analyst",
        }
    }
}

const VERDICTS: [Verdict; 5] = [
    Verdict::Merged,
    Verdict::KeptApart,
    Verdict::Undecided,
    Verdict::Split,
    Verdict::ByAnalyst,
];

impl Verdict {
    /// The word of the table that equals `text`, if it is one.
    pub fn named(text: &str) -> Option<&'static str> {
        VERDICTS
            .iter()
            .map(|verdict| verdict.as_str())
            .find(|word| *word == text)
    }
}

/// A decision about two names, the smaller number first; a split has its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decision {
    /// Number in the harvest's names.
    pub a: u32,
    /// Number in the harvest's names; equal to `a` where one name was split.
    pub b: u32,
    /// The outcome.
    pub verdict: Verdict,
    /// Points; [`super::MERGE`] are enough to merge.
    pub score: i32,
    /// Why.
    pub reasons: Reasons,
    /// Where the decision holds in one document alone.
    pub document: Option<u32>,
}

/// The rows of the table, sorted by names.
pub fn rows(harvest: &Harvest, resolution: &Resolution) -> Vec<ResolutionRow> {
    let title = |name: u32, document: Option<u32>| {
        let entity = match document {
            Some(document) => resolution.entity_in(name, document),
            None => resolution.entity_of.get(name as usize).copied().flatten(),
        };
        entity.map_or_else(String::new, |entity| {
            resolution.entities[entity as usize].title.clone()
        })
    };
    let mut rows: Vec<ResolutionRow> = resolution
        .decisions
        .iter()
        .map(|decision| ResolutionRow {
            name: harvest.names.get(decision.a).to_owned(),
            other: harvest.names.get(decision.b).to_owned(),
            decision: decision.verdict.as_str(),
            score: decision.score,
            reasons: decision.reasons.words().collect(),
            entity: title(decision.a, decision.document),
            other_entity: title(decision.b, decision.document),
            document: decision.document,
        })
        .collect();
    rows.sort_by(|a, b| (&a.name, &a.other, a.document).cmp(&(&b.name, &b.other, b.document)));
    rows
}

/// A pair that the evidence leaves open, for a model or an analyst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Numbers in the harvest's names.
    pub names: (u32, u32),
    /// Text units where each is named, at most three.
    pub units: (Vec<u32>, Vec<u32>),
    /// Points it has.
    pub score: i32,
    /// What speaks for it.
    pub reasons: Reasons,
}

/// The undecided pairs, most likely first. A name that means one thing here and another there is in none: whether it "is" one of them
/// has no answer, and a model's yes would merge what documents keep apart.
pub fn undecided(harvest: &Harvest, resolution: &Resolution) -> Vec<Question> {
    let several: rustc_hash::FxHashSet<u32> =
        resolution.by_document.keys().map(|place| place.0).collect();
    let mut open: Vec<&Decision> = resolution
        .decisions
        .iter()
        .filter(|d| d.verdict == Verdict::Undecided)
        .filter(|d| !several.contains(&d.a) && !several.contains(&d.b))
        .collect();
    open.sort_by_key(|decision| (std::cmp::Reverse(decision.score), decision.a, decision.b));
    let mut units: rustc_hash::FxHashMap<u32, Vec<u32>> = rustc_hash::FxHashMap::default();
    for decision in &open {
        units.entry(decision.a).or_default();
        units.entry(decision.b).or_default();
    }
    for mention in &harvest.entities {
        if let Some(list) = units.get_mut(&mention.name)
            && list.len() < 3
            && list.last() != Some(&mention.unit)
        {
            list.push(mention.unit);
        }
    }
    open.iter()
        .map(|decision| Question {
            names: (decision.a, decision.b),
            units: (units[&decision.a].clone(), units[&decision.b].clone()),
            score: decision.score,
            reasons: decision.reasons,
        })
        .collect()
}

/// An answer to a [`Question`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Numbers in the harvest's names.
    pub names: (u32, u32),
    /// Whether they are one.
    pub same: bool,
}

/// Reasons of an answered question.
pub(super) fn answered(mut reasons: Reasons) -> Reasons {
    reasons.add(Reason::Adjudicated);
    reasons
}
