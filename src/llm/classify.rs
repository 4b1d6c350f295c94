//! Status, headers and body of a failed call, turned into what to do about it.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::error::shown;
use super::hints::wait_asked_for;
use super::refusals::{Lack, has, too_long, too_many, unsupported};
use super::transport::HttpReply;

/// What to do about a failed call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Pause the pool, try again.
    RateLimited,
    /// Stop: no money left.
    QuotaExhausted,
    /// Less context; the limit in tokens when the words name it.
    ContextTooLong(Option<u64>),
    /// Skip the item.
    ContentFiltered,
    /// Stop: wrong key.
    AuthRejected,
    /// Stop: wrong model or address.
    NotFound,
    /// The server lacks a feature we used: do without and send again.
    Unsupported(Lack),
    /// Embeddings: fewer texts per request; the limit when the words name it.
    TooManyInputs(Option<usize>),
    /// Embeddings: again not as many vectors as texts; fewer texts may help.
    Mismatched,
    /// Batches cannot be used; the words say what to do.
    NoBatch,
    /// Not answered in time: try again with more of it.
    Late,
    /// No connection: try again where this server was reached before.
    NoConnection,
    /// Try again.
    Transient,
    /// The request is wrong.
    Permanent,
}

/// A classified failure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub kind: Kind,
    /// HTTP status; 0 when no reply came.
    pub status: u16,
    /// The provider's own words, fit to be shown.
    pub words: String,
    /// The wait it asked for, uncapped.
    pub retry_after: Option<Duration>,
}

impl Failure {
    pub fn transient(words: impl Into<String>) -> Self {
        Self {
            kind: Kind::Transient,
            status: 0,
            words: words.into(),
            retry_after: None,
        }
    }
}

/// The message, code, type and parameter of an error body, whatever its nesting.
#[derive(Default)]
struct ErrorBody {
    message: String,
    code: String,
    kind: String,
    param: String,
}

fn field(value: &Value, name: &str) -> String {
    match value.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Array(_) | Value::Object(_)) => value[name].to_string(),
        _ => String::new(),
    }
}

impl ErrorBody {
    fn read(body: &str) -> Self {
        let Ok(value) = serde_json::from_str::<Value>(body) else {
            return Self {
                message: body.to_string(),
                ..Self::default()
            };
        };
        // Gemini wraps the object in a list
        let value = match value {
            Value::Array(mut items) if !items.is_empty() => items.swap_remove(0),
            other => other,
        };
        let error = match value.get("error") {
            Some(Value::String(message)) => {
                return Self {
                    message: message.clone(),
                    ..Self::default()
                };
            }
            Some(error @ Value::Object(_)) => error,
            _ => &value,
        };
        let mut message = field(error, "message");
        if message.is_empty() {
            message = field(error, "detail");
        }
        if message.is_empty() {
            message = body.to_string();
        }
        let inner = error
            .get("innererror")
            .map(|inner| field(inner, "code"))
            .unwrap_or_default();
        let code = [field(error, "code"), field(error, "status"), inner].join(" ");
        Self {
            message,
            code,
            kind: field(error, "type"),
            param: field(error, "param"),
        }
    }

    fn all_lower(&self) -> String {
        [self.message.as_str(), &self.code, &self.kind]
            .join(" ")
            .chars()
            .take(8192)
            .collect::<String>()
            .to_lowercase()
    }
}

/// The provider's own words in an error body, cut and stripped.
pub(crate) fn words_of(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let words = shown(&ErrorBody::read(&text).message);
    if words.is_empty() {
        "an empty body".to_string()
    } else {
        words
    }
}

/// Classifies a reply that is not a success. `now` is the local clock, for dates.
pub(crate) fn classify(reply: &HttpReply, now: SystemTime) -> Failure {
    let body = String::from_utf8_lossy(&reply.body);
    let error = ErrorBody::read(&body);
    let retry_after = wait_asked_for(&reply.headers, &body, now);
    let kind = kind_of(reply.status, &error, retry_after);
    let words = match shown(&error.message) {
        empty if empty.is_empty() => format!("http {} with an empty body", reply.status),
        words if kind == Kind::Transient || kind == Kind::RateLimited => {
            format!("http {}: {words}", reply.status)
        }
        words => words,
    };
    Failure {
        kind,
        status: reply.status,
        words,
        retry_after,
    }
}

fn kind_of(status: u16, error: &ErrorBody, retry_after: Option<Duration>) -> Kind {
    let text = error.all_lower();
    let quota = has(
        &text,
        &[
            "insufficient_quota",
            "insufficient quota",
            "insufficient balance",
            "insufficient credit",
            "billing_hard_limit",
            "credit balance",
        ],
    );
    let filtered = has(
        &text,
        &[
            "content_filter",
            "content filter",
            "content management policy",
            "responsibleaipolicyviolation",
            "content_policy",
            "content policy",
            "flagged",
            "moderation",
            "usage policy",
            "invalid_prompt",
        ],
    );
    match status {
        401 => Kind::AuthRejected,
        402 => Kind::QuotaExhausted,
        403 if quota => Kind::QuotaExhausted,
        403 if filtered => Kind::ContentFiltered,
        403 if has(&text, &["rate limit", "rate_limit"]) => Kind::RateLimited,
        403 => Kind::AuthRejected,
        404 | 410 => Kind::NotFound,
        429 if quota
            || (retry_after.is_none()
                && has(
                    &text,
                    &["exceeded your current quota", "check your plan and billing"],
                )) =>
        {
            Kind::QuotaExhausted
        }
        429 => Kind::RateLimited,
        529 => Kind::Transient,
        501 | 505 => unsupported(&error.param, &text).unwrap_or(Kind::Permanent),
        408 | 409 | 423 | 425 | 500..=599 => match too_long(&text) {
            // llama.cpp and some proxies answer 500 to an over-long prompt
            Some(kind) if status == 500 => kind,
            _ => Kind::Transient,
        },
        413 => too_many(&text)
            .or_else(|| too_long(&text))
            .unwrap_or(Kind::ContextTooLong(None)),
        400..=499 => client_error(error, &text, quota, filtered),
        // a success that could not be read, or a redirect that went nowhere
        200..=299 => Kind::Transient,
        _ => Kind::Permanent,
    }
}

fn client_error(error: &ErrorBody, text: &str, quota: bool, filtered: bool) -> Kind {
    if quota {
        return Kind::QuotaExhausted;
    }
    if has(
        text,
        &[
            "invalid_api_key",
            "api key not valid",
            "incorrect api key",
            "invalid api key",
            "invalid authentication",
        ],
    ) {
        return Kind::AuthRejected;
    }
    if let Some(kind) = unsupported(&error.param, text) {
        return kind;
    }
    if let Some(kind) = too_many(text).or_else(|| too_long(text)) {
        return kind;
    }
    if filtered {
        return Kind::ContentFiltered;
    }
    if has(
        text,
        &[
            "model_not_found",
            "deploymentnotfound",
            "model not found",
            "no such model",
            "unknown model",
            "invalid model",
        ],
    ) || (text.contains("model") && text.contains("does not exist"))
    {
        return Kind::NotFound;
    }
    Kind::Permanent
}

#[cfg(test)]
mod tests {
    use super::super::transport::Headers;
    use super::*;

    fn case(status: u16, headers: &[(&str, &str)], body: &str) -> Failure {
        let reply = HttpReply {
            status,
            headers: Headers::from_pairs(headers),
            body: body.as_bytes().to_vec().into(),
        };
        classify(&reply, SystemTime::UNIX_EPOCH)
    }

    fn kind(status: u16, body: &str) -> Kind {
        case(status, &[], body).kind
    }

    #[test]
    fn every_kind_of_failure_names_its_action() {
        let table: &[(u16, &str, Kind)] = &[
            (
                401,
                r#"{"error":{"message":"Incorrect API key provided: sk-x"}}"#,
                Kind::AuthRejected,
            ),
            (
                400,
                r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
                Kind::AuthRejected,
            ),
            (
                403,
                r#"{"error":{"message":"Country not supported"}}"#,
                Kind::AuthRejected,
            ),
            (
                403,
                r#"{"error":{"message":"Your input was flagged"}}"#,
                Kind::ContentFiltered,
            ),
            (402, "", Kind::QuotaExhausted),
            (
                404,
                r#"{"error":{"code":"model_not_found","message":"The model `x` does not exist"}}"#,
                Kind::NotFound,
            ),
            (
                400,
                r#"{"error":{"message":"The model `x` does not exist"}}"#,
                Kind::NotFound,
            ),
            (
                429,
                r#"{"error":{"code":"insufficient_quota"}}"#,
                Kind::QuotaExhausted,
            ),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details"}}"#,
                Kind::QuotaExhausted,
            ),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota. Please retry in 23.4s."}}"#,
                Kind::RateLimited,
            ),
            (
                429,
                r#"{"error":{"message":"Rate limit reached"}}"#,
                Kind::RateLimited,
            ),
            (429, "", Kind::RateLimited),
            (
                400,
                r#"{"error":{"code":"context_length_exceeded","message":"context window of 8192 tokens exceeded"}}"#,
                Kind::ContextTooLong(Some(8192)),
            ),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 16,385 tokens. However, your messages resulted in 20000 tokens."}}"#,
                Kind::ContextTooLong(Some(16385)),
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"the request exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}"#,
                Kind::ContextTooLong(Some(4096)),
            ),
            (
                500,
                r#"{"error":{"message":"Requested tokens (5000) exceed context window of 4096"}}"#,
                Kind::ContextTooLong(Some(4096)),
            ),
            (413, "Payload Too Large", Kind::ContextTooLong(None)),
            (
                400,
                r#"{"message":"too many inputs: at most 10 per call"}"#,
                Kind::TooManyInputs(Some(10)),
            ),
            (
                413,
                r#"{"error":"batch size 32 > maximum allowed batch size 8","error_type":"Validation"}"#,
                Kind::TooManyInputs(Some(8)),
            ),
            (
                400,
                r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter"}}"#,
                Kind::ContentFiltered,
            ),
            (
                400,
                r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}"#,
                Kind::Unsupported(Lack::MaxTokensName),
            ),
            (
                400,
                r#"{"error":{"message":"max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192."}}"#,
                Kind::Unsupported(Lack::MaxOutput(4096)),
            ),
            (
                422,
                r#"{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"}]}"#,
                Kind::Unsupported(Lack::MaxCompletionTokensName),
            ),
            (
                400,
                r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","param":"temperature"}}"#,
                Kind::Unsupported(Lack::Temperature),
            ),
            (
                400,
                r#"{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."}}"#,
                Kind::Unsupported(Lack::Schema),
            ),
            (
                400,
                r#"{"error":{"message":"response_format is not supported"}}"#,
                Kind::Unsupported(Lack::Schema),
            ),
            (
                422,
                r#"{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}"#,
                Kind::Unsupported(Lack::Seed),
            ),
            (
                400,
                r#"{"error":{"message":"encoding_format base64 is not supported"}}"#,
                Kind::Unsupported(Lack::EncodingFormat),
            ),
            (
                400,
                r#"{"error":{"message":"top_p must be between 0 and 1"}}"#,
                Kind::Permanent,
            ),
            (500, "", Kind::Transient),
            (503, "overloaded", Kind::Transient),
            (529, "overloaded", Kind::Transient),
            (408, "", Kind::Transient),
            (302, "", Kind::Permanent),
        ];
        for (status, body, expected) in table {
            assert_eq!(&kind(*status, body), expected, "{status} {body}");
        }
    }

    // See: https://github.com/HKUDS/LightRAG/issues/1437
    #[test]
    fn a_gateways_html_shows_status_and_first_words() {
        let failure = case(502, &[], "<html>Bad gateway</html>");
        assert_eq!(failure.kind, Kind::Transient);
        assert_eq!(failure.words, "http 502: <html>Bad gateway</html>");
        assert!(case(502, &[], &"x".repeat(999)).words.chars().count() < 220);
    }

    #[test]
    fn a_wait_is_read_with_the_kind() {
        let failure = case(503, &[("Retry-After", "3")], "");
        assert_eq!(
            (failure.kind, failure.retry_after),
            (Kind::Transient, Some(Duration::from_secs(3)))
        );
    }
}
