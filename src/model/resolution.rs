//! A decision about two names, in words.

/// A row of the `resolution` table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolutionRow {
    /// One name.
    pub name: String,
    /// The other.
    pub other: String,
    /// `merged`, `kept_apart`, `undecided`, `split` or `by_analyst`.
    pub decision: &'static str,
    /// Points; 100 are enough to merge.
    pub score: i32,
    /// Words for why.
    pub reasons: Vec<&'static str>,
    /// Title of the entity of the first name.
    pub entity: String,
    /// Title of the entity of the second name; equal where merged.
    pub other_entity: String,
    /// Row of the document, where the decision holds in one document alone.
    pub document: Option<u32>,
}
