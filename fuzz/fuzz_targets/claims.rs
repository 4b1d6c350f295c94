//! Claims have a subject and one of three states.
#![no_main]

use belvedere::llm::recover::{Context, FinishReason, claims};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (bool, &str)| {
    let (is_length, answer) = input;
    let finish = if is_length {
        FinishReason::Length
    } else {
        FinishReason::Stop
    };
    let found = claims(answer, finish, &Context::default());
    for claim in &found.value {
        assert!(
            !claim.subject.is_empty()
                && matches!(claim.status.as_str(), "TRUE" | "FALSE" | "SUSPECTED")
        );
    }
});
