//! Token windows: `size` tokens each, starting `size - overlap` tokens apart.

use std::collections::VecDeque;
use std::ops::Range;

use super::tokenizer::Tokenizer;

/// Calls `emit` with the byte range of every window, and the number of tokens of that range where it is known
/// without counting again.
///
/// The windows are those of the reference: the first starts at token 0, the last is the first to reach the end of
/// the text. A bound that falls inside a character moves to that character's start, so a character belongs to the
/// window that holds its last token and none is lost; a window this empties, or leaves without a character the
/// one before did not have, is left out. One pass, memory for the windows that overlap at one point.
pub(super) fn token_windows(
    text: &str,
    size: usize,
    overlap: usize,
    tokenizer: Tokenizer,
    mut emit: impl FnMut(Range<usize>, Option<usize>),
) {
    let step = size - overlap;
    let mut open: VecDeque<Bound> = VecDeque::new();
    let mut here = Bound {
        token: 0,
        byte: 0,
        piece_bound: true,
    };
    let mut next_start = 0;
    let mut emitted_end = 0;
    let mut reached = 0;

    let mut close = |start: Bound, end: Bound| {
        let from = text.floor_char_boundary(start.byte);
        let to = text.floor_char_boundary(end.byte);
        if to > emitted_end {
            emitted_end = to;
            let tokens = end.token - start.token;
            emit(
                from..to,
                counts_the_same(text, start, end).then_some(tokens),
            );
        }
    };

    tokenizer.for_each_token(text, |token| {
        if here.token == next_start {
            open.push_back(here);
            next_start += step;
        }
        here = Bound {
            token: here.token + 1,
            byte: token.byte,
            piece_bound: token.piece_ends,
        };
        if let Some(&start) = open.front()
            && here.token - start.token == size
        {
            open.pop_front();
            reached = here.token;
            close(start, here);
        }
    });
    // The windows that start later end here too: this one holds all they have.
    if reached < here.token
        && let Some(start) = open.pop_front()
    {
        close(start, here);
    }
}

/// A position between two tokens.
#[derive(Clone, Copy)]
struct Bound {
    /// Tokens before it.
    token: usize,
    /// Bytes before it.
    byte: usize,
    /// Whether the encoding's pattern splits the text here.
    piece_bound: bool,
}

/// Whether the text between two bounds, taken alone, certainly has the tokens it has in the document.
///
/// The pattern reads left to right and looks back at nothing, so from a bound of its own it splits alike; of its
/// alternatives only trailing white space asks whether the text ends.
fn counts_the_same(text: &str, start: Bound, end: Bound) -> bool {
    // invariant: a bound of the pattern lies between characters.
    start.piece_bound
        && end.piece_bound
        && (end.byte == text.len()
            || text[..end.byte]
                .chars()
                .next_back()
                .is_none_or(|last| !last.is_whitespace()))
}
