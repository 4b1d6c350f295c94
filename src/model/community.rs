//! Communities of the graph and the reports written about them.

use super::ids::{CommunityIx, EntityIx, RelationshipIx, TextUnitIx};

/// A community at one level of the hierarchy; level 0 is the coarsest.
#[derive(Clone, Debug, PartialEq)]
pub struct Community {
    /// Unique over all levels; its row.
    pub community: CommunityIx,
    /// Depth from the top.
    pub level: u32,
    /// The community it was split from; `None` at level 0.
    pub parent: Option<CommunityIx>,
    /// The communities it was split into, sorted.
    pub children: Vec<CommunityIx>,
    /// Members, sorted.
    pub entities: Vec<EntityIx>,
    /// Relationships with both ends inside, sorted.
    pub relationships: Vec<RelationshipIx>,
    /// Text units of those relationships (of the members where there is no relationship), sorted.
    pub text_units: Vec<TextUnitIx>,
}

/// How a report came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportSource {
    /// Written by a model.
    Model,
    /// Built from the text units' own sentences.
    Extractive,
    /// Extractive because the model's report failed.
    Fallback,
}

impl ReportSource {
    /// The word that goes into the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Extractive => "extractive",
            Self::Fallback => "fallback",
        }
    }
}

/// One insight of a report.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Finding {
    /// One sentence.
    pub summary: String,
    /// Paragraphs with `[Data: ...]` citations.
    pub explanation: String,
}

/// A community report.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The community it describes.
    pub community: CommunityIx,
    /// Short name of the community.
    pub title: String,
    /// One paragraph.
    pub summary: String,
    /// Three to eight, most important first; may be empty for a tiny community.
    pub findings: Vec<Finding>,
    /// Importance, 0 to 10.
    pub rank: f64,
    /// One sentence on the rank.
    pub rating_explanation: String,
    /// How it came to be.
    pub source: ReportSource,
}

impl Report {
    /// The Markdown form that goes to embeddings and to global search.
    pub fn full_content(&self) -> String {
        let mut text = format!("# {}\n\n{}", self.title, self.summary);
        for finding in &self.findings {
            text.push_str("\n\n## ");
            text.push_str(&finding.summary);
            text.push_str("\n\n");
            text.push_str(&finding.explanation);
        }
        text
    }
}
