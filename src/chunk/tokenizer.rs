//! The token encodings of the OpenAI models. Special-token text such as `<|endoftext|>` is ordinary text here.

use super::piece::remembered;
use super::settings::ChunkError;

/// Counts and cuts text in tokens; gives the same tokens as `tiktoken` without special tokens. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Tokenizer {
    name: &'static str,
    /// Tells the encodings apart in the table of pieces.
    number: u8,
    encoding: &'static bpe_openai::Tokenizer,
}

/// Where a token ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenEnd {
    /// Bytes from the start of the text; may lie inside a character.
    pub byte: usize,
    /// Whether the encoding's pattern also splits the text here.
    pub piece_ends: bool,
}

impl Tokenizer {
    /// The encodings that [`Tokenizer::named`] knows.
    pub const SUPPORTED: [&'static str; 2] = ["o200k_base", "cl100k_base"];
    /// The encoding where the settings name none.
    pub const DEFAULT: &'static str = "o200k_base";

    /// Finds an encoding by its name. The tables are unpacked once a process, on first use.
    ///
    /// # Errors
    /// [`ChunkError::UnknownEncoding`], which names those we have.
    pub fn named(name: &str) -> Result<Self, ChunkError> {
        match name {
            "o200k_base" => Ok(Self {
                name: "o200k_base",
                number: 0,
                encoding: bpe_openai::o200k_base(),
            }),
            "cl100k_base" => Ok(Self {
                name: "cl100k_base",
                number: 1,
                encoding: bpe_openai::cl100k_base(),
            }),
            other => Err(ChunkError::UnknownEncoding {
                name: other.to_owned(),
            }),
        }
    }

    /// The encoding's name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Counts the tokens of a text, in time linear in its length.
    pub fn count(self, text: &str) -> usize {
        self.encoding
            .split(text)
            .map(|piece| self.count_piece(piece))
            .sum()
    }

    fn count_piece(self, piece: &str) -> usize {
        remembered(self.number, piece, || {
            self.encoding.bpe.count(piece.as_bytes())
        })
    }

    /// The tokens of a text.
    pub fn encode(self, text: &str) -> Vec<u32> {
        self.encoding.encode(text)
    }

    /// The longest start of the text that has at most `max_tokens` tokens and ends between characters.
    pub fn truncate(self, text: &str, max_tokens: usize) -> &str {
        // A token is at least one byte long.
        if text.len() <= max_tokens {
            return text;
        }
        let mut left = max_tokens;
        let mut start = 0;
        for piece in self.encoding.split(text) {
            let count = self.count_piece(piece);
            if count > left {
                let tokens = self.encoding.bpe.encode_via_backtracking(piece.as_bytes());
                // invariant: the piece has `count` tokens, more than are left.
                return self.cut_in_piece(text, start, &tokens[..left], max_tokens);
            }
            left -= count;
            start += piece.len();
        }
        text
    }

    /// Cuts behind `kept`, the first tokens of the piece at `start`.
    fn cut_in_piece<'a>(
        self,
        text: &'a str,
        start: usize,
        kept: &[u32],
        max_tokens: usize,
    ) -> &'a str {
        let mut end = start
            + kept
                .iter()
                .map(|&token| self.token_len(token))
                .sum::<usize>();
        for &token in kept.iter().rev() {
            // invariant: floored to a character; `start` is where a piece starts.
            let cut = &text[..text.floor_char_boundary(end)];
            // What remains of a character's first bytes can need more tokens than the whole had.
            if cut.len() == end || self.count(cut) <= max_tokens {
                return cut;
            }
            end -= self.token_len(token);
        }
        &text[..start]
    }

    fn token_len(self, token: u32) -> usize {
        self.encoding.bpe.token_len(token)
    }

    /// Calls `visit` with the end of every token, in order.
    pub(super) fn for_each_token(self, text: &str, mut visit: impl FnMut(TokenEnd)) {
        let mut byte = 0;
        for piece in self.encoding.split(text) {
            let piece_end = byte + piece.len();
            if self.count_piece(piece) == 1 {
                byte = piece_end;
                visit(TokenEnd {
                    byte,
                    piece_ends: true,
                });
                continue;
            }
            for token in self.encoding.bpe.encode_via_backtracking(piece.as_bytes()) {
                byte += self.token_len(token);
                visit(TokenEnd {
                    byte,
                    piece_ends: byte == piece_end,
                });
            }
        }
    }
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tokenizer").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn o200k() -> Tokenizer {
        Tokenizer::named("o200k_base").unwrap()
    }

    #[test]
    fn an_unknown_encoding_is_refused_with_the_known_ones() {
        let message = Tokenizer::named("p50k_base").unwrap_err().to_string();
        assert_eq!(
            message,
            "chunking.encoding_model 'p50k_base' is unknown: use o200k_base or cl100k_base"
        );
    }

    // Token ids as published for tiktoken.
    #[test]
    fn tokens_are_those_of_tiktoken() {
        assert_eq!(o200k().encode("hello world"), [24912, 2375]);
        let cl100k = Tokenizer::named("cl100k_base").unwrap();
        assert_eq!(
            cl100k.encode("tiktoken is great!"),
            [83, 1609, 5963, 374, 2294, 0]
        );
        assert_eq!(cl100k.count("tiktoken is great!"), 6);
    }

    #[test]
    fn special_token_text_is_ordinary_text() {
        let tokens = o200k().encode("<|endoftext|>");
        assert!(tokens.len() > 1, "{tokens:?}");
        assert!(tokens.iter().all(|&token| token < 199_998));
    }

    #[test]
    fn truncation_keeps_the_limit_and_whole_characters() {
        let text = "The 港口 of Ῥόδος 🙂🙃 lies 1   2\n\n here, naïvely𠮷.";
        for encoding in Tokenizer::SUPPORTED {
            let tokenizer = Tokenizer::named(encoding).unwrap();
            for max in 0..=tokenizer.count(text) {
                let cut = tokenizer.truncate(text, max);
                assert!(text.starts_with(cut));
                assert!(tokenizer.count(cut) <= max, "{cut:?} at {max}");
            }
            assert_eq!(tokenizer.truncate(text, tokenizer.count(text)), text);
            assert_eq!(tokenizer.truncate(text, 1), "The");
        }
    }

    #[test]
    fn token_ends_add_up_to_the_text() {
        let text = "Ana  met 华东银行 at 10.30. ";
        let mut ends = Vec::new();
        o200k().for_each_token(text, |end| ends.push(end));
        assert_eq!(ends.len(), o200k().count(text));
        assert_eq!(ends.last().map(|end| end.byte), Some(text.len()));
        assert!(ends.is_sorted_by_key(|end| end.byte));
    }
}
