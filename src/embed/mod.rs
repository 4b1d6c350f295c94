//! Texts -> vectors, by what is compiled in. (Embedding models are called through `llm`.)

mod builtin;
#[cfg(feature = "sentence-encoder")]
mod sentence;
mod words;

pub use builtin::BuiltinEncoder;

/// The name of the vectors that [`BuiltinEncoder`] makes.
pub const WORD_VECTORS: &str = "builtin/hashed-words-384-v1";

/// The name of the vectors that the sentence encoder makes.
pub const SENTENCE_VECTORS: &str = "builtin/paraphrase-minilm-l3-v1";

/// The sentence encoder, where the cargo feature `sentence-encoder` has compiled it in.
///
/// # Errors
/// [`EmbedError::NotCompiledIn`], or weights that cannot be read.
#[cfg(feature = "sentence-encoder")]
pub fn sentence_encoder() -> Result<Box<dyn Embedder>, EmbedError> {
    Ok(Box::new(sentence::SentenceEncoder::new()?))
}

/// The sentence encoder, where the cargo feature `sentence-encoder` has compiled it in.
///
/// # Errors
/// [`EmbedError::NotCompiledIn`], or weights that cannot be read.
#[cfg(not(feature = "sentence-encoder"))]
pub fn sentence_encoder() -> Result<Box<dyn Embedder>, EmbedError> {
    Err(EmbedError::NotCompiledIn)
}

/// Brings a vector to unit length; zeros stay zeros.
fn normalise(row: &mut [f32]) {
    let length = row
        .iter()
        .map(|x| f64::from(*x) * f64::from(*x))
        .sum::<f64>()
        .sqrt();
    if length > 0.0 {
        for x in row {
            *x = (f64::from(*x) / length) as f32;
        }
    }
}

/// Turns texts into vectors of one length.
pub trait Embedder: Send + Sync {
    /// Names the vector space: goes into cache keys and the manifest. Vectors of different names must not be compared.
    fn name(&self) -> String;

    /// Numbers in a vector.
    fn dimension(&self) -> usize;

    /// One vector for each text, row after row (`texts.len() * dimension()` numbers): finite, of unit length, all zeros for a text
    /// without a word.
    ///
    /// # Errors
    /// [`EmbedError`], when the encoder cannot do its work.
    fn embed(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError>;
}

/// Why texts could not be embedded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The encoder itself is at fault; another text would fail as well.
    #[error(
        "the built-in encoder failed: {0}; report this, or name an embedding model in settings.yaml"
    )]
    Encoder(String),
    /// The sentence encoder is wanted, but this binary was built without it.
    #[error(
        "this belvedere was built without the sentence encoder; build it with cargo build --release --features sentence-encoder, or set embed_text.provider: auto"
    )]
    NotCompiledIn,
}
