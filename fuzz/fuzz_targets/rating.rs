//! Ratings stay on their scale.
#![no_main]

use belvedere::llm::recover::{Context, FinishReason, rating};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (bool, &str)| {
    let (is_length, answer) = input;
    let finish = if is_length {
        FinishReason::Length
    } else {
        FinishReason::Stop
    };
    let found = rating(answer, finish, &Context::default());
    assert!((0.0..=5.0).contains(&found.value.rating));
});
