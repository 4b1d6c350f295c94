//! Map answers: every score stays on its scale.
#![no_main]

use belvedere::llm::recover::{Context, FinishReason, map_points};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (bool, &str)| {
    let (is_length, answer) = input;
    let finish = if is_length {
        FinishReason::Length
    } else {
        FinishReason::Stop
    };
    let found = map_points(answer, finish, &Context::default());
    assert!(
        found
            .value
            .iter()
            .all(|point| (0.0..=100.0).contains(&point.score))
    );
});
