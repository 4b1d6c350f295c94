//! Summaries are never empty where they are usable.
#![no_main]

use belvedere::llm::recover::{Context, FinishReason, summary};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (bool, &str)| {
    let (is_length, answer) = input;
    let finish = if is_length {
        FinishReason::Length
    } else {
        FinishReason::Stop
    };
    let found = summary(answer, finish, &Context::default());
    assert!(!found.outcome.is_usable() || !found.value.is_empty());
});
