//! Text units -> mentions: by form alone (`nlp`) or by a model.

pub mod cue;
pub mod harvest;
pub mod nlp;
