//! Sentence chunks: whole sentences packed up to a number of tokens.

use std::collections::VecDeque;
use std::ops::Range;

use super::sentence::sentences;
use super::tokenizer::Tokenizer;

struct Measured {
    range: Range<usize>,
    tokens: usize,
}

/// Calls `emit` with the byte range of every chunk: as many whole sentences as `size` tokens hold, repeating the last
/// sentences of the chunk before as far as `overlap` tokens hold them.
///
/// The reference makes one chunk of every sentence, whatever `size` says: a corpus of tiny units. Here `size: 1`,
/// `overlap: 0` gives that; a sentence longer than `size` is a chunk of its own, never cut. Sentences are counted one by
/// one, with the white space before them; joined they can come out a token or two longer.
pub(super) fn sentence_windows(
    text: &str,
    size: usize,
    overlap: usize,
    tokenizer: Tokenizer,
    mut emit: impl FnMut(Range<usize>),
) {
    let mut chunk: VecDeque<Measured> = VecDeque::new();
    let mut total = 0;
    let mut previous_end = 0;
    for range in sentences(text) {
        // invariant: sentences ascend and lie between characters.
        let tokens = tokenizer.count(&text[previous_end..range.end]);
        previous_end = range.end;
        if total + tokens > size {
            if let Some(span) = span(&chunk) {
                emit(span);
            }
            while total > overlap || total + tokens > size {
                match chunk.pop_front() {
                    Some(dropped) => total -= dropped.tokens,
                    None => break,
                }
            }
        }
        total += tokens;
        chunk.push_back(Measured { range, tokens });
    }
    if let Some(span) = span(&chunk) {
        emit(span);
    }
}

fn span(chunk: &VecDeque<Measured>) -> Option<Range<usize>> {
    let first = chunk.front()?;
    let last = chunk.back()?;
    Some(first.range.start..last.range.end)
}
