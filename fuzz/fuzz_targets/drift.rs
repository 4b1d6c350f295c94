//! DRIFT answers: the score stays on its scale.
#![no_main]

use belvedere::llm::recover::{Context, FinishReason, drift_action, drift_primer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (bool, &str)| {
    let (is_length, answer) = input;
    let finish = if is_length {
        FinishReason::Length
    } else {
        FinishReason::Stop
    };
    for found in [
        drift_primer(answer, finish, &Context::default()),
        drift_action(answer, finish, &Context::default()),
    ] {
        assert!((0.0..=100.0).contains(&found.value.score));
    }
});
