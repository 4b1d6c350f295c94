//! Entity types guessed from form and context: evidence per occurrence, summed per name, decided once.

/// The types the fast method tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    /// A human being.
    Person,
    /// A body that acts: company, authority, board.
    Organization,
    /// A place.
    Geo,
    /// Something that happened at a time.
    Event,
    /// A product, system, machine or its identifier.
    Product,
    /// A document or a reference code.
    Reference,
    /// A common noun phrase, or a name nothing is known about.
    Concept,
}

impl EntityKind {
    /// Every kind, in the order that breaks ties.
    pub const ALL: [Self; 7] = [
        Self::Person,
        Self::Organization,
        Self::Geo,
        Self::Event,
        Self::Product,
        Self::Reference,
        Self::Concept,
    ];

    /// The word in the `type` column.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "PERSON",
            Self::Organization => "ORGANIZATION",
            Self::Geo => "GEO",
            Self::Event => "EVENT",
            Self::Product => "PRODUCT",
            Self::Reference => "REFERENCE",
            Self::Concept => "CONCEPT",
        }
    }

    fn at(self) -> usize {
        self as usize
    }
}

/// What one occurrence says about the type of its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindEvidence {
    points: [u8; EntityKind::ALL.len()],
    /// An honorific or an office stands before the name ("Dr", "Mrs", "President").
    pub honorific: bool,
    /// Only the capital at the start of a sentence speaks for a name here.
    pub weak: bool,
}

impl KindEvidence {
    /// Adds points for a kind.
    pub fn add(&mut self, kind: EntityKind, points: u8) {
        let slot = &mut self.points[kind.at()];
        *slot = slot.saturating_add(points);
    }

    /// Points for a kind.
    pub fn points(&self, kind: EntityKind) -> u8 {
        self.points[kind.at()]
    }
}

/// The sum of all evidence about one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindTally {
    points: [u32; EntityKind::ALL.len()],
    named: u32,
    firm: u32,
    common: u32,
}

impl KindTally {
    /// Adds one occurrence; `named` as the phrase says.
    pub fn add(&mut self, evidence: &KindEvidence, named: bool) {
        for (sum, points) in self.points.iter_mut().zip(evidence.points) {
            *sum += u32::from(points);
        }
        if named {
            self.named += 1;
            self.firm += u32::from(!evidence.weak);
        } else {
            self.common += 1;
        }
    }

    /// Adds the tally of another part of the corpus.
    pub fn merge(&mut self, other: &Self) {
        for (sum, points) in self.points.iter_mut().zip(other.points) {
            *sum += points;
        }
        self.named += other.named;
        self.firm += other.firm;
        self.common += other.common;
    }

    /// False for a "name" seen at the start of sentences only, and but once: most likely an ordinary word.
    pub fn is_credible(&self) -> bool {
        self.firm > 0 || self.common > 0 || self.named > 1
    }

    /// True when it occurs as a proper name at least as often as a common phrase.
    pub fn is_name(&self) -> bool {
        self.named > 0 && self.named >= self.common
    }

    /// The kind with the most points; ties go to the first in [`EntityKind::ALL`]; no points, no claim: a concept.
    pub fn guess(&self) -> EntityKind {
        let mut best = (EntityKind::Concept, 0);
        for kind in EntityKind::ALL {
            let points = self.points[kind.at()];
            if points > best.1 {
                best = (kind, points);
            }
        }
        best.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(kind: EntityKind, points: u8) -> KindEvidence {
        let mut evidence = KindEvidence::default();
        evidence.add(kind, points);
        evidence
    }

    #[test]
    fn the_most_points_decide_and_ties_go_to_the_first_kind() {
        let mut tally = KindTally::default();
        assert_eq!(tally.guess(), EntityKind::Concept);
        tally.add(&evidence(EntityKind::Geo, 2), true);
        tally.add(&evidence(EntityKind::Person, 1), true);
        assert_eq!(tally.guess(), EntityKind::Geo);
        tally.add(&evidence(EntityKind::Person, 1), true);
        assert_eq!(tally.guess(), EntityKind::Person);
    }

    #[test]
    fn the_order_of_merging_does_not_matter() {
        let (mut a, mut b) = (KindTally::default(), KindTally::default());
        a.add(&evidence(EntityKind::Product, 3), true);
        b.add(&evidence(EntityKind::Event, 1), false);
        let (mut ab, mut ba) = (a, b);
        ab.merge(&b);
        ba.merge(&a);
        assert_eq!(ab, ba);
    }

    #[test]
    fn one_sentence_opening_is_no_name() {
        let weak = KindEvidence {
            weak: true,
            ..KindEvidence::default()
        };
        let mut tally = KindTally::default();
        tally.add(&weak, true);
        assert!(!tally.is_credible());
        tally.add(&weak, true);
        assert!(tally.is_credible());
    }
}
