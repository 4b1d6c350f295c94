//! Any text may be a prompt, and any answer may follow it.
#![no_main]

use belvedere::llm::recover::{
    ExtractContext, FinishReason, PromptExamples, ReportContext, extraction, report,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (prompt, answer) = input;
    let examples = PromptExamples::from_prompt(prompt);
    let context = ExtractContext {
        examples: Some(&examples),
        passage: Some(answer),
        ..ExtractContext::default()
    };
    extraction(answer, FinishReason::Stop, &context);
    report(
        answer,
        FinishReason::Stop,
        &ReportContext {
            examples: Some(&examples),
            ..ReportContext::default()
        },
    );
});
