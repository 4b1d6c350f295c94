//! What tells against a sentence as a quotation, whoever judges it.

/// What a sentence keeps of its worth whose beginning a window may have cut; the window before has it whole.
pub const CUT: f32 = 0.3;

/// Beginnings of what stands around a letter, a speech or minutes and says nothing.
const FURNITURE: [&str; 29] = [
    "Dear ",
    "Mr. Speaker, ",
    "Madam Speaker, ",
    "Mr. President, ",
    "Mr. Vice President, ",
    "Mr. Chairman, ",
    "My fellow ",
    "Yours ",
    "Sincerely",
    "Regards",
    "Kind regards",
    "From:",
    "To:",
    "Cc:",
    "CC:",
    "Subject:",
    "Re:",
    "RE:",
    "Date:",
    "Tel",
    "Fax",
    "Signed",
    "Present:",
    "Apologies:",
    "Copyright",
    "©",
    "Page ",
    "Our ref",
    "Your ref",
];

/// Whether a sentence begins as a greeting, a closing or a line of a letter's head does.
pub fn is_furniture(body: &str) -> bool {
    FURNITURE.iter().any(|start| body.starts_with(start))
}
