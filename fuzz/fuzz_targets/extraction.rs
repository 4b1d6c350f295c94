//! Extraction answers: every relationship joins two different entities of the answer, every number is finite.
#![no_main]

use std::collections::HashSet;

use belvedere::llm::recover::{ExtractContext, FinishReason, extraction};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (bool, &str)| {
    let (is_length, answer) = input;
    let finish = if is_length {
        FinishReason::Length
    } else {
        FinishReason::Stop
    };
    let found = extraction(answer, finish, &ExtractContext::default());
    let titles: HashSet<&str> = found
        .value
        .entities
        .iter()
        .map(|entity| entity.title.as_str())
        .collect();
    for relationship in &found.value.relationships {
        assert!(
            titles.contains(relationship.source.as_str())
                && titles.contains(relationship.target.as_str())
        );
        assert!(relationship.source != relationship.target);
        assert!(relationship.weight.is_finite() && relationship.weight > 0.0);
    }
    assert!(found.outcome.is_usable() || titles.is_empty());
});
