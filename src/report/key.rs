//! The key of a report by its content: what has not changed is not paid for again.

use std::fmt;

use crate::model::IdHasher;

/// Equal for equal context, prompt and model; independent of community numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReportKey(pub u128);

impl ReportKey {
    /// Of the text shown to the model, the prompt template and the model's name with whatever parameters matter.
    pub fn new(context: &str, prompt: &str, model: &str) -> Self {
        let mut hasher = IdHasher::new("report_key");
        hasher
            .part(context.as_bytes())
            .part(prompt.as_bytes())
            .part(model.as_bytes());
        Self(hasher.finish())
    }
}

impl fmt::Display for ReportKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_changes_with_each_of_its_parts_and_with_their_borders() {
        let key = ReportKey::new("context", "prompt", "model");
        assert_eq!(key, ReportKey::new("context", "prompt", "model"));
        for other in [
            ("context2", "prompt", "model"),
            ("context", "prompt2", "model"),
            ("context", "prompt", "model2"),
            ("contextp", "rompt", "model"),
        ] {
            assert_ne!(key, ReportKey::new(other.0, other.1, other.2));
        }
        assert_eq!(key.to_string().len(), 32);
    }
}
