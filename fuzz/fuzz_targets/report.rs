//! Reports: the rating stays on its scale, a usable report has a summary.
#![no_main]

use belvedere::llm::recover::{FinishReason, ReportContext, report};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (bool, &str)| {
    let (is_length, answer) = input;
    let finish = if is_length {
        FinishReason::Length
    } else {
        FinishReason::Stop
    };
    let found = report(answer, finish, &ReportContext::default());
    assert!((0.0..=10.0).contains(&found.value.rating));
    assert!(!found.outcome.is_usable() || !found.value.summary.is_empty());
});
