//! Content-derived ids (128 bits, 32 hexadecimal digits on disk) and dense row indices.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Hashes the parts of an id with their lengths, so `("ab", "c")` and `("a", "bc")` differ.
///
/// The first part names the kind of row: a document and a text unit of equal text never share an id.
pub struct IdHasher(blake3::Hasher);

impl IdHasher {
    /// Starts an id of the given kind of row.
    pub fn new(kind: &str) -> Self {
        let mut hasher = Self(blake3::Hasher::new());
        hasher.part(kind.as_bytes());
        hasher
    }

    /// Adds one part, framed by its length.
    pub fn part(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds one integer part.
    pub fn number(&mut self, value: u64) -> &mut Self {
        self.0.update(&value.to_le_bytes());
        self
    }

    /// The first 128 bits of the digest.
    pub fn finish(&self) -> u128 {
        let mut bytes = [0u8; 16];
        bytes.copy_from_slice(&self.0.finalize().as_bytes()[..16]);
        u128::from_be_bytes(bytes)
    }
}

macro_rules! content_id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u128);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:032x}", self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:032x})"), self.0)
            }
        }
    )*};
}

content_id! {
    /// From the relative path and the content.
    DocumentId;
    /// From the document's id, the span and the text.
    TextUnitId;
    /// From the title.
    EntityId;
    /// From the two titles and the direction.
    RelationshipId;
    /// From the text unit and the claim's fields.
    ClaimId;
    /// From the level and the member entities.
    CommunityId;
    /// From the community and the report's content.
    ReportId;
}

macro_rules! row_index {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The index as a slice position.
            pub fn at(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

row_index! {
    /// A row of `documents`.
    DocumentIx;
    /// A row of `text_units`.
    TextUnitIx;
    /// A row of `entities`.
    EntityIx;
    /// A row of `relationships`.
    RelationshipIx;
    /// A row of `communities`; equals the `community` column.
    CommunityIx;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_framed_so_that_moving_a_boundary_changes_the_id() {
        let one = IdHasher::new("t").part(b"ab").part(b"c").finish();
        let two = IdHasher::new("t").part(b"a").part(b"bc").finish();
        assert_ne!(one, two);
        assert_ne!(one, IdHasher::new("u").part(b"ab").part(b"c").finish());
    }

    #[test]
    fn an_id_prints_as_32_hexadecimal_digits() {
        assert_eq!(DocumentId(255).to_string(), format!("{}ff", "0".repeat(30)));
    }
}
