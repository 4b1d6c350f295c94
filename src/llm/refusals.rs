//! Reading from a provider's words (in lower case) what it refused: a prompt too long, too many texts, a feature it lacks.

use super::classify::Kind;

/// A feature an endpoint lacks, remembered for the run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Lack {
    /// No `response_format`.
    Schema,
    /// Wants `max_completion_tokens`.
    MaxTokensName,
    /// Wants `max_tokens`.
    MaxCompletionTokensName,
    /// Longest answer it can be asked for.
    MaxOutput(u32),
    /// No choice of temperature.
    Temperature,
    /// No seed.
    Seed,
    /// No `encoding_format`.
    EncodingFormat,
    /// No `stream_options`.
    StreamOptions,
}

/// Whether the text contains any of the phrases.
pub(crate) fn has(text: &str, any: &[&str]) -> bool {
    any.iter().any(|words| text.contains(words))
}

/// The first whole number after one of the phrases.
fn number_after(text: &str, phrases: &[&str]) -> Option<u64> {
    phrases.iter().find_map(|phrase| {
        let at = text.find(phrase)? + phrase.len();
        // invariant: `at` is the end of a match, a character boundary
        let rest = &text[at..];
        let start = rest.find(|c: char| c.is_ascii_digit())?;
        // a figure that far away belongs to something else
        if start > 24 {
            return None;
        }
        let digits: String = rest[start..]
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == ',')
            .filter(char::is_ascii_digit)
            .collect();
        digits.parse().ok()
    })
}

/// A prompt that does not fit, with the limit where the words name it.
pub(crate) fn too_long(text: &str) -> Option<Kind> {
    let long = has(
        text,
        &[
            "context_length",
            "context length",
            "context window",
            "context size",
            "maximum context",
            "exceed_context",
            "too many tokens",
            "prompt is too long",
            "input is too long",
            "input too long",
            "prompt too long",
            "too long for",
            "reduce the length",
            "maximum input length",
            "max input length",
            "input length",
            "exceeds the model's",
            "string_above_max_length",
            "tokens per request",
            "input (",
            "must have less than",
        ],
    ) && has(
        text,
        &[
            "exceed",
            "too long",
            "too many",
            "maximum",
            "max",
            "larger",
            "longer",
            "limit",
            "less than",
            "above",
        ],
    );
    long.then(|| {
        Kind::ContextTooLong(number_after(
            text,
            &[
                "maximum context length is",
                "maximum context length of",
                "context window of",
                "context size (",
                "context length is only",
                "context length of",
                "maximum input length of",
                "maximum input length is",
                "less than",
                "limit of",
                "limit is",
                "max ",
            ],
        ))
    })
}

/// More texts in one request than the server takes.
pub(crate) fn too_many(text: &str) -> Option<Kind> {
    let many = has(
        text,
        &[
            "too many inputs",
            "batch size",
            "maximum batch",
            "max_batch",
            "array too long",
            "number of inputs",
            "inputs per",
            "too many texts",
            "too many items",
            "input array",
        ],
    ) || (text.contains("input") && text.contains("array") && text.contains("less"));
    many.then(|| {
        let limit = number_after(
            text,
            &[
                "at most",
                "maximum allowed batch size",
                "maximum batch size is",
                "maximum of",
                "max of",
                "limit is",
                "limit of",
                "up to",
                "less than",
                "larger than",
                "greater than",
                "cannot exceed",
                "exceeds the maximum",
                "max",
            ],
        );
        Kind::TooManyInputs(
            limit
                .and_then(|n| usize::try_from(n).ok())
                .filter(|&n| n > 0),
        )
    })
}

/// A feature the server says it lacks, from the parameter it names and its words.
pub(crate) fn unsupported(param: &str, text: &str) -> Option<Kind> {
    let refused = has(
        text,
        &[
            "unsupported",
            "not support",
            "unrecognized",
            "unknown",
            "not permitted",
            "not allowed",
            "extra_forbidden",
            "extra inputs",
            "invalid",
            "not implemented",
            "unavailable",
            "must be",
            "only the default",
            "not available",
            "deprecated",
        ],
    );
    if param == "max_tokens"
        || param == "max_completion_tokens"
        || text.contains("max_tokens")
        || text.contains("max_completion_tokens")
    {
        if has(
            text,
            &[
                "use 'max_completion_tokens'",
                "use max_completion_tokens",
                "use `max_completion_tokens`",
            ],
        ) {
            return Some(Kind::Unsupported(Lack::MaxTokensName));
        }
        if let Some(limit) = number_after(
            text,
            &[
                "supports at most",
                "at most",
                "less than or equal to",
                "must be <=",
                "maximum value for",
                "range of [1,",
                "limit is",
            ],
        )
        .filter(|_| !text.contains("context length"))
        {
            return u32::try_from(limit)
                .ok()
                .filter(|&n| n > 0)
                .map(|n| Kind::Unsupported(Lack::MaxOutput(n)));
        }
        if refused
            && (param == "max_completion_tokens" || !text.contains("'max_tokens'"))
            && text.contains("max_completion_tokens")
        {
            return Some(Kind::Unsupported(Lack::MaxCompletionTokensName));
        }
    }
    if !refused {
        return None;
    }
    let names =
        |name: &str| param == name || param.starts_with(&format!("{name}.")) || text.contains(name);
    if names("response_format")
        || has(
            text,
            &[
                "json_schema",
                "structured output",
                "guided_json",
                "grammar",
                "json mode",
            ],
        )
    {
        return Some(Kind::Unsupported(Lack::Schema));
    }
    if names("stream_options") {
        return Some(Kind::Unsupported(Lack::StreamOptions));
    }
    if names("encoding_format") {
        return Some(Kind::Unsupported(Lack::EncodingFormat));
    }
    if names("temperature") {
        return Some(Kind::Unsupported(Lack::Temperature));
    }
    if param == "seed" || has(text, &["'seed'", "\"seed\"", "`seed`", " seed "]) {
        return Some(Kind::Unsupported(Lack::Seed));
    }
    None
}
