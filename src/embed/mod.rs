//! Texts -> vectors, by what is compiled in. (Embedding models are called through `llm`.)

mod builtin;
mod words;

pub use builtin::BuiltinEncoder;

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
}
