//! The sentence encoder: a small transformer whose weights are compiled in (paraphrase-MiniLM-L3, 384 dimensions).
//!
//! It knows that "boiler" and "furnace" are near, which the hashed words of [`super::BuiltinEncoder`] cannot, at some
//! fifty times their cost: see `embed_text.provider`. Reimers and Gurevych, "Sentence-BERT", 2019.

use pocket_encoder::Encoder;
use rayon::prelude::*;

use super::{EmbedError, Embedder};

const DIMENSION: usize = 384;

/// Words of a text that are encoded together: the model reads 128 word pieces and ignores the rest.
const WINDOW_WORDS: usize = 80;

/// Windows of one text that are read; a report or a text unit has fewer.
const MAX_WINDOWS: usize = 64;

/// A word piece is a byte at least: what is longer than this is no word.
const MAX_WINDOW_BYTES: usize = 4096;

/// The compiled-in transformer; cheap to make after the first.
pub(super) struct SentenceEncoder(Encoder);

impl SentenceEncoder {
    /// Unpacks the weights, once a process.
    ///
    /// # Errors
    /// [`EmbedError::Encoder`] where the compiled-in weights cannot be read.
    pub fn new() -> Result<Self, EmbedError> {
        Encoder::new().map(Self).map_err(failed)
    }

    /// Longer texts are the mean of their windows.
    fn embed_one(&self, text: &str, row: &mut [f32]) -> Result<(), EmbedError> {
        let windows = windows(text);
        if windows.is_empty() {
            return Ok(());
        }
        for vector in self.0.embed(&windows).map_err(failed)? {
            for (sum, value) in row.iter_mut().zip(vector) {
                *sum += value;
            }
        }
        super::normalise(row);
        Ok(())
    }
}

fn failed(error: pocket_encoder::Error) -> EmbedError {
    EmbedError::Encoder(error.to_string())
}

/// Runs of at most [`WINDOW_WORDS`] words; none of them blank.
fn windows(text: &str) -> Vec<&str> {
    let mut windows = Vec::new();
    let (mut start, mut end, mut words) = (None, 0, 0);
    for word in text.split_whitespace() {
        // invariant: `word` is a part of `text`
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let word = &word[..word.floor_char_boundary(MAX_WINDOW_BYTES)];
        let full = words == WINDOW_WORDS
            || start.is_some_and(|start| at + word.len() - start > MAX_WINDOW_BYTES);
        if let Some(from) = start.filter(|_| full) {
            windows.push(&text[from..end]);
            if windows.len() == MAX_WINDOWS {
                return windows;
            }
            (start, words) = (None, 0);
        }
        start.get_or_insert(at);
        (end, words) = (at + word.len(), words + 1);
    }
    windows.extend(start.map(|from| &text[from..end]));
    windows
}

impl Embedder for SentenceEncoder {
    fn name(&self) -> String {
        super::SENTENCE_VECTORS.to_owned()
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let mut rows = vec![0.0; texts.len() * DIMENSION];
        rows.par_chunks_mut(DIMENSION)
            .zip(texts)
            .try_for_each(|(row, text)| self.embed_one(text, row))?;
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_hold_every_word_once_and_no_more_than_their_share() {
        let text = (0..205)
            .map(|n| format!("w{n} \u{e9}"))
            .collect::<Vec<_>>()
            .join("\n ");
        let found = windows(&text);
        assert_eq!(found.len(), 410_usize.div_ceil(WINDOW_WORDS));
        let again: Vec<&str> = found.iter().flat_map(|w| w.split_whitespace()).collect();
        assert_eq!(again, text.split_whitespace().collect::<Vec<_>>());
        assert!(windows(" \n").is_empty());
        let wall = "\u{e9}".repeat(100_000);
        assert!(windows(&wall).iter().all(|w| w.len() <= MAX_WINDOW_BYTES));
    }

    #[test]
    fn meanings_are_near_where_no_word_is_shared() {
        let encoder = SentenceEncoder::new().expect("the weights are compiled in");
        let texts = [
            "A physician treated the sick child.",
            "The doctor healed an ill boy.",
            "Quarterly bond yields fell sharply.",
            "",
        ];
        let rows = encoder.embed(&texts).expect("vectors");
        let row = |n: usize| &rows[n * DIMENSION..(n + 1) * DIMENSION];
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
        assert!((dot(row(0), row(0)) - 1.0).abs() < 1e-4);
        assert!(dot(row(0), row(1)) > dot(row(0), row(2)) + 0.3);
        assert!(row(3).iter().all(|x| *x == 0.0));
    }
}
