//! The health of an index: what is wrong with it, what that costs, and what to do.
//!
//! Reads the tables, calls no model and changes nothing.

mod graph;
mod quality;
mod resolution;
mod tables;

pub use resolution::read_resolution;

use serde::Serialize;

pub use crate::graph::portrait::LevelFigures;

use crate::config::Settings;
use crate::query::{Index, QueryError};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Answers are wrong or missing because of it.
    CostsAnswers,
    /// Worth a look.
    Advice,
}

/// Something found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable word for scripts.
    pub what: &'static str,
    /// How much it matters.
    pub weight: Weight,
    /// How many things it is true of.
    pub count: u64,
    /// In words, without the count.
    pub message: String,
    /// What to do.
    pub remedy: &'static str,
    /// A few of the things.
    pub examples: Vec<String>,
}

/// An entity that matters to the graph's shape.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Central {
    /// Its title.
    pub title: String,
    /// Its neighbours.
    pub degree: u32,
    /// Of a hub: share of all relationship ends. Of a central member: share of the shortest paths in its community. Of a bridge:
    /// share of all entities that are cut off without it.
    pub share: f64,
}

/// Figures that are neither good nor bad.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Rows by table.
    pub rows: std::collections::BTreeMap<&'static str, usize>,
    /// Connected parts with two entities or more.
    pub components: usize,
    /// Entities of the largest component.
    pub largest_component: usize,
    /// Entities without a relationship.
    pub singletons: usize,
    /// Entities named in one text unit only.
    pub named_once: usize,
    /// Entities by type, most frequent first.
    pub types: Vec<(String, usize)>,
    /// By level.
    pub levels: Vec<LevelFigures>,
    /// Entities with most neighbours.
    pub hubs: Vec<Central>,
    /// Entities without which others are cut off.
    pub bridges: Vec<Central>,
    /// Members that most paths inside their community run through.
    pub central: Vec<Central>,
}

/// All that was found; findings that cost answers first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Examination {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// What there is.
    pub figures: Figures,
}

impl Examination {
    /// Whether nothing was found that costs answers.
    pub fn is_healthy(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.weight == Weight::Advice)
    }
}

/// Examples given of a finding.
const EXAMPLES: usize = 5;

/// Collects findings.
#[derive(Default)]
struct Findings(Vec<Finding>);

/// Tables of another program are not ours to build anew.
const OF_ANOTHER: &str = "another program wrote these tables; `belvedere index` over the documents makes an index without this";

impl Findings {
    /// Adds a finding unless there is no such thing.
    fn add(
        &mut self,
        what: &'static str,
        weight: Weight,
        found: impl IntoIterator<Item = String>,
        message: impl Into<String>,
        remedy: &'static str,
    ) {
        let mut found = found.into_iter();
        let examples: Vec<String> = found.by_ref().take(EXAMPLES).collect();
        let count = (examples.len() + found.count()) as u64;
        self.count(what, weight, count, message, remedy, examples);
    }

    fn count(
        &mut self,
        what: &'static str,
        weight: Weight,
        count: u64,
        message: impl Into<String>,
        remedy: &'static str,
        examples: Vec<String>,
    ) {
        if count > 0 {
            self.0.push(Finding {
                what,
                weight,
                count,
                message: message.into(),
                remedy,
                examples,
            });
        }
    }
}

/// Examines an index under the settings that questions would use.
///
/// # Errors
/// A table cannot be read at all.
pub fn examine(index: &Index, settings: &Settings) -> Result<Examination, QueryError> {
    let mut findings = Findings::default();
    let mut figures = Figures::default();
    tables::check(index, settings, &mut findings, &mut figures)?;
    let portrait = graph::check(index, &mut findings, &mut figures)?;
    quality::check(index, &portrait, &mut findings)?;
    let mut findings = findings.0;
    if !index.is_own() {
        let ours = |finding: &&mut Finding| finding.remedy.contains("belvedere index");
        for finding in findings.iter_mut().filter(ours) {
            finding.remedy = OF_ANOTHER;
        }
    }
    findings.sort_by_key(|finding| finding.weight);
    Ok(Examination { findings, figures })
}
