//! Answers without a model: the corpus' own sentences, chosen, ordered and cited.
//!
//! Pure functions of the index and the question.

mod findings;
mod passages;
mod quote;
mod sentences;
mod themes;

pub use findings::{Point, broadest, points};
pub use passages::{Passage, UNITS_READ, passages};
pub use quote::{first_sentences, lead, quote};
pub use sentences::{Sentence, Sentences};
pub use themes::{Theme, ThemeParams, ThemeQuestion, subject_terms, theme_question, themes};
