//! How many tokens a piece of text has, remembered.
//!
//! The encoding's pattern splits text into pieces, about one a word, and 97 in 100 of them in English are one token; the
//! merge of a piece costs several times what finding it does. Each thread keeps the answers for short pieces in a table
//! where a newer piece overwrites an older one. Nothing depends on what the table holds but time.

use std::cell::Cell;

/// Slots of the table: 128 KiB, so that it stays in a core's own cache.
const SLOTS: usize = 1 << 13;

/// Longest piece that is remembered: with its length and its count it fills 16 bytes.
const LONGEST: usize = 14;

thread_local! {
    static TABLE: Box<[Cell<u128>]> = vec![Cell::new(0); SLOTS].into_boxed_slice();
}

/// Gives the number of tokens of `piece`, from the table or from `count`. `encoding` (below 16) keeps the encodings'
/// answers apart.
pub(super) fn remembered(encoding: u8, piece: &str, count: impl FnOnce() -> usize) -> usize {
    if piece.is_empty() || piece.len() > LONGEST {
        return count();
    }
    let mut bytes = [0; 16];
    // invariant: at most LONGEST bytes, checked above.
    bytes[..piece.len()].copy_from_slice(piece.as_bytes());
    // invariant: 14 at most, so the length fits in the low half of the byte.
    bytes[14] = encoding << 4 | piece.len() as u8;
    let key = u128::from_le_bytes(bytes);
    TABLE.with(|table| {
        // invariant: the slot is below SLOTS, the table's length.
        let slot = &table[slot(key)];
        let entry = slot.get();
        if entry << 8 == key << 8 {
            return (entry >> 120) as usize;
        }
        let tokens = count();
        // A piece has at most as many tokens as bytes.
        slot.set(key | (tokens as u128) << 120);
        tokens
    })
}

fn slot(key: u128) -> usize {
    let folded = (key as u64) ^ ((key >> 64) as u64).rotate_left(29);
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_worked_out_once_and_belongs_to_its_piece_and_encoding() {
        assert_eq!(remembered(0, " pump", || 1), 1);
        assert_eq!(remembered(0, " pump", || unreachable!()), 1);
        assert_eq!(remembered(1, " pump", || 2), 2);
        assert_eq!(remembered(0, " pump\0", || 3), 3);
        assert_eq!(remembered(0, "fifteen letters", || 4), 4);
        assert_eq!(remembered(0, "fifteen letters", || 5), 5);
    }

    #[test]
    fn pieces_that_share_a_slot_replace_each_other() {
        for round in 0..3 {
            for number in 0..3 * SLOTS {
                let piece = format!("p{number}");
                let tokens = number % 5 + 1;
                assert_eq!(remembered(2, &piece, || tokens), tokens, "round {round}");
            }
        }
    }
}
