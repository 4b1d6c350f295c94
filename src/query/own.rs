//! What an answer says in our own words and not the corpus': that nothing was found, or that not all was read.

/// No text unit bears on the question.
pub(super) const NOTHING: &str = "Nothing in the index bears on this question.";

/// No report does.
pub(super) const NOTHING_IN_REPORTS: &str =
    "Nothing in the reports of this index answers the question.";

/// No subject stands in several documents.
pub(super) const NO_SUBJECT: &str = "No subject recurs in this index.";

/// Before sentences that are near the question only.
pub(super) const RESERVE: &str =
    "No sentence of the index answers this directly. What comes nearest:";

const INCOMPLETE: &str = "*This answer is incomplete: ";

/// The last paragraph of an answer that lacks something.
pub(super) fn incomplete(why: &str) -> String {
    format!("\n\n{INCOMPLETE}{why}.*")
}

/// Whether a line of an answer is one of these.
pub(super) fn is_own(line: &str) -> bool {
    [NOTHING, NOTHING_IN_REPORTS, NO_SUBJECT, RESERVE].contains(&line)
        || line.starts_with(INCOMPLETE)
}
