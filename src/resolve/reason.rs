//! Why two names were, or were not, taken for one thing.

/// One reason; several are kept as [`Reasons`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reason {
    /// The same words, but for case, spaces, punctuation, "the", "and".
    SameWords,
    /// The text says so: "Port Lune Water Authority (PLWA)".
    Equated,
    /// With and without "Ltd" or another legal form.
    LegalForm,
    /// With and without "Dr" or another honorific.
    Honorific,
    /// The same words in another order.
    WordOrder,
    /// Singular and plural.
    Plural,
    /// With and without a small word that is written on it: "ومحمد", "בירושלים".
    Prefix,
    /// With and without accents.
    Accents,
    /// "ü" written "ue" or "u".
    Transliteration,
    /// A few letters differ.
    Misspelling,
    /// A word cut short: "Pt" for "Point".
    Abbreviation,
    /// A first name as its initial.
    Initial,
    /// With and without a middle name.
    MiddleName,
    /// "Bill" for "William".
    Nickname,
    /// The family name alone.
    Surname,
    /// The first name alone.
    FirstName,
    /// The initials of the other's words.
    Acronym,
    /// The initials of the other's last words.
    TrailingAcronym,
    /// The other's first words.
    FirstWords,
    /// The other without "Project" or "Office of".
    LastWords,
    /// The other without words in the middle.
    Omission,
    /// With and without a qualifier in brackets.
    Qualifier,
    /// No other name of the corpus fits the short one.
    Unique,
    /// Named in the same document.
    SameDocument,
    /// Named beside the same other things.
    SharedNeighbours,
    /// The same type.
    SameType,
    /// Different types.
    DifferentTypes,
    /// Vectors of the descriptions are near each other.
    NearVectors,
    /// Vectors of the descriptions are far apart.
    FarVectors,
    /// The document names only this one in full.
    DocumentContext,
    /// The words beside it: "at Coldwell", "Coldwell said", "Mr Smith", "a Kestrel".
    Usage,
    /// Several names fit.
    Ambiguous,
    /// Numbers differ.
    DifferentNumbers,
    /// First names differ.
    DifferentFirstNames,
    /// Initials differ.
    DifferentInitials,
    /// "Mr" and "Mrs".
    DifferentHonorifics,
    /// "Ltd" and "GmbH".
    DifferentLegalForms,
    /// Qualifiers in brackets differ, or one stands against a legal form.
    DifferentQualifiers,
    /// Named in the same sentence as two things.
    SameSentence,
    /// Joining them would join two names that differ.
    ChainOfDifferentNames,
    /// Documents that use the name for different types share no neighbour.
    DisjointContexts,
    /// `resolution.yaml` says so.
    Analyst,
    /// A model says so.
    Adjudicated,
}

const ALL: [(Reason, &str); 43] = [
    (Reason::SameWords, "same_words"),
    (Reason::Equated, "equated"),
    (Reason::LegalForm, "legal_form"),
    (Reason::Honorific, "honorific"),
    (Reason::WordOrder, "word_order"),
    (Reason::Plural, "plural"),
    (Reason::Prefix, "prefix"),
    (Reason::Accents, "accents"),
    (Reason::Transliteration, "transliteration"),
    (Reason::Misspelling, "misspelling"),
    (Reason::Abbreviation, "abbreviation"),
    (Reason::Initial, "initial"),
    (Reason::MiddleName, "middle_name"),
    (Reason::Nickname, "nickname"),
    (Reason::Surname, "surname"),
    (Reason::FirstName, "first_name"),
    (Reason::Acronym, "acronym"),
    (Reason::TrailingAcronym, "trailing_acronym"),
    (Reason::FirstWords, "first_words"),
    (Reason::LastWords, "last_words"),
    (Reason::Omission, "omission"),
    (Reason::Qualifier, "qualifier"),
    (Reason::Unique, "unique"),
    (Reason::SameDocument, "same_document"),
    (Reason::SharedNeighbours, "shared_neighbours"),
    (Reason::SameType, "same_type"),
    (Reason::DifferentTypes, "different_types"),
    (Reason::NearVectors, "near_vectors"),
    (Reason::FarVectors, "far_vectors"),
    (Reason::DocumentContext, "document_context"),
    (Reason::Usage, "usage"),
    (Reason::Ambiguous, "ambiguous"),
    (Reason::DifferentNumbers, "different_numbers"),
    (Reason::DifferentFirstNames, "different_first_names"),
    (Reason::DifferentInitials, "different_initials"),
    (Reason::DifferentHonorifics, "different_honorifics"),
    (Reason::DifferentLegalForms, "different_legal_forms"),
    (Reason::DifferentQualifiers, "different_qualifiers"),
    (Reason::SameSentence, "same_sentence"),
    (Reason::ChainOfDifferentNames, "chain_of_different_names"),
    (Reason::DisjointContexts, "disjoint_contexts"),
    (Reason::Analyst, "analyst"),
    (Reason::Adjudicated, "adjudicated"),
];

impl Reason {
    /// The word of the table.
    pub fn word(self) -> &'static str {
        // invariant: `ALL` has every reason at its own number
        ALL[self as usize].1
    }

    /// The word of the table that equals `text`, if it is one.
    pub fn named(text: &str) -> Option<&'static str> {
        ALL.iter().map(|entry| entry.1).find(|word| *word == text)
    }
}

/// A set of reasons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reasons(u64);

impl Reasons {
    /// The set of one.
    pub fn one(reason: Reason) -> Self {
        Self(1 << reason as u8)
    }

    /// Adds one.
    pub fn add(&mut self, reason: Reason) {
        self.0 |= 1 << reason as u8;
    }

    /// With one more.
    #[must_use]
    pub fn with(mut self, reason: Reason) -> Self {
        self.add(reason);
        self
    }

    /// Adds another set.
    pub fn extend(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether it has one.
    pub fn has(self, reason: Reason) -> bool {
        self.0 & (1 << reason as u8) != 0
    }

    /// The words of the table, in the order of [`Reason`].
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        ALL.iter()
            .filter(move |(reason, _)| self.has(*reason))
            .map(|(_, word)| *word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_own_bit_and_word_in_order() {
        for (at, (reason, _)) in ALL.iter().enumerate() {
            assert_eq!(*reason as usize, at);
        }
        let reasons = Reasons::one(Reason::Adjudicated).with(Reason::SameWords);
        assert_eq!(
            reasons.words().collect::<Vec<_>>(),
            ["same_words", "adjudicated"]
        );
    }
}
