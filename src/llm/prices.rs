//! What models cost. Unknown is unknown, never zero.

use super::answer::Usage;

/// Prices per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// Prompt tokens.
    pub input: f64,
    /// Prompt tokens the provider served from its own prompt cache; `input` when it gives no rebate.
    pub cached_input: f64,
    /// Completion tokens; zero for embeddings.
    pub output: f64,
}

impl Prices {
    /// Prices without a rebate for cached prompts.
    pub fn new(input: f64, output: f64) -> Self {
        Self {
            input,
            cached_input: input,
            output,
        }
    }

    /// Prices in a batch: half, and no promise of a rebate for cached prompts on top.
    ///
    /// See <https://platform.openai.com/docs/guides/batch>.
    pub fn in_batches(self) -> Self {
        Self::new(self.input / 2.0, self.output / 2.0)
    }

    /// Cost of one call.
    pub fn cost(&self, usage: Usage) -> f64 {
        let cached = usage.cached_tokens.min(usage.prompt_tokens);
        let fresh = usage.prompt_tokens - cached;
        (fresh as f64 * self.input
            + cached as f64 * self.cached_input
            + usage.completion_tokens as f64 * self.output)
            / 1e6
    }
}

/// The day the table below was written, for `estimate` to show.
pub const PRICES_AS_OF: &str = "2025-08-31";

/// US dollars per million tokens as published by the provider: model, input, cached input, output.
const TABLE: &[(&str, f64, f64, f64)] = &[
    ("gpt-5", 1.25, 0.125, 10.0),
    ("gpt-5-mini", 0.25, 0.025, 2.0),
    ("gpt-5-nano", 0.05, 0.005, 0.4),
    ("gpt-4.1", 2.0, 0.5, 8.0),
    ("gpt-4.1-mini", 0.4, 0.1, 1.6),
    ("gpt-4.1-nano", 0.1, 0.025, 0.4),
    ("gpt-4o", 2.5, 1.25, 10.0),
    ("gpt-4o-mini", 0.15, 0.075, 0.6),
    ("gpt-4-turbo", 10.0, 10.0, 30.0),
    ("gpt-3.5-turbo", 0.5, 0.5, 1.5),
    ("o3", 2.0, 0.5, 8.0),
    ("o3-mini", 1.1, 0.55, 4.4),
    ("o4-mini", 1.1, 0.275, 4.4),
    ("text-embedding-3-small", 0.02, 0.02, 0.0),
    ("text-embedding-3-large", 0.13, 0.13, 0.0),
    ("text-embedding-ada-002", 0.1, 0.1, 0.0),
];

/// Looks a model up; a dated name (`gpt-4o-2024-08-06`) finds its model.
///
/// Only for OpenAI's and Azure's own addresses: a local server may call anything `gpt-4o`.
pub fn built_in(model: &str) -> Option<Prices> {
    let name = match model.char_indices().rev().nth(10) {
        Some((at, '-')) if is_date(&model[at + 1..]) => &model[..at],
        _ => model,
    };
    TABLE
        .iter()
        .find(|(own, ..)| *own == name)
        .map(|&(_, input, cached_input, output)| Prices {
            input,
            cached_input,
            output,
        })
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, b)| {
            if at == 4 || at == 7 {
                b == b'-'
            } else {
                b.is_ascii_digit()
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dated_name_finds_its_model_and_an_unknown_one_is_unknown() {
        assert_eq!(built_in("gpt-4o-2024-08-06"), built_in("gpt-4o"));
        assert_eq!(
            built_in("gpt-4o-mini-2024-07-18").map(|prices| prices.output),
            Some(0.6)
        );
        assert_eq!(built_in("llama3"), None);
        assert_eq!(built_in("gpt-4o-audio"), None);
        assert_eq!(built_in(""), None);
    }

    #[test]
    fn cached_prompt_tokens_cost_less() {
        let prices = Prices {
            input: 2.0,
            cached_input: 0.5,
            output: 8.0,
        };
        let usage = Usage {
            prompt_tokens: 1_000_000,
            completion_tokens: 500_000,
            cached_tokens: 400_000,
        };
        assert!((prices.cost(usage) - (1.2 + 0.2 + 4.0)).abs() < 1e-12);
    }
}
