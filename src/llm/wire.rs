//! Request bodies as an OpenAI-compatible server expects them, without what it is known to lack.

use serde::Serialize;
use serde_json::{Map, Value};

use super::quirks::Quirks;
use super::request::{JsonSchema, Message, Params};
use super::transport::{HttpRequest, Route};

#[derive(Serialize)]
struct Chat<'a> {
    model: &'a str,
    messages: &'a [Message],
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "is_false")]
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    json_schema: NamedSchema<'a>,
}

#[derive(Serialize)]
struct NamedSchema<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a Value,
}

#[derive(Serialize)]
struct Embeddings<'a> {
    model: &'a str,
    input: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding_format: Option<&'static str>,
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn request(route: Route, body: &impl Serialize) -> HttpRequest {
    // invariant: strings, numbers and maps with string keys always serialize
    HttpRequest {
        route,
        body: serde_json::to_string(body).unwrap_or_default(),
        ticket: None,
    }
}

/// A chat request.
pub(crate) fn chat(
    model: &str,
    messages: &[Message],
    params: &Params,
    schema: Option<&JsonSchema>,
    quirks: &Quirks,
    stream: bool,
) -> HttpRequest {
    let new_name = quirks.max_completion_tokens == Some(true);
    let body = Chat {
        model,
        messages,
        temperature: params.temperature.filter(|_| !quirks.no_temperature),
        seed: params.seed.filter(|_| !quirks.no_seed),
        max_tokens: params.max_output_tokens.filter(|_| !new_name),
        max_completion_tokens: params.max_output_tokens.filter(|_| new_name),
        response_format: schema
            .filter(|_| !quirks.no_schema)
            .map(|schema| ResponseFormat {
                kind: "json_schema",
                json_schema: NamedSchema {
                    name: &schema.name,
                    strict: true,
                    schema: &schema.schema,
                },
            }),
        stream,
        stream_options: (stream && !quirks.no_stream_options).then_some(StreamOptions {
            include_usage: true,
        }),
        extra: &params.extra,
    };
    request(Route::Chat, &body)
}

/// An embedding request.
pub(crate) fn embeddings(
    model: &str,
    input: &[&str],
    params: &Params,
    quirks: &Quirks,
) -> HttpRequest {
    let encoding_format = (!quirks.no_encoding_format).then_some("base64");
    request(
        Route::Embeddings,
        &Embeddings {
            model,
            input,
            encoding_format,
            extra: &params.extra,
        },
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    fn body(quirks: &Quirks) -> Value {
        let schema = JsonSchema {
            name: "report".into(),
            schema: Arc::new(json!({"type": "object"})),
        };
        let args = json!({"temperature": 0.5, "max_tokens": 10, "seed": 3, "top_p": 0.9});
        let params = Params::from_call_args(args.as_object().unwrap());
        serde_json::from_str(
            &chat(
                "m",
                &[Message::user("hi")],
                &params,
                Some(&schema),
                quirks,
                true,
            )
            .body,
        )
        .unwrap()
    }

    #[test]
    fn a_request_carries_everything_and_leaves_out_what_the_server_lacks() {
        assert_eq!(
            body(&Quirks::default()),
            json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "temperature": 0.5, "seed": 3, "max_tokens": 10,
                "response_format": {"type": "json_schema", "json_schema": {"name": "report", "strict": true, "schema": {"type": "object"}}},
                "stream": true, "stream_options": {"include_usage": true}, "top_p": 0.9})
        );
        let lacking = Quirks {
            no_schema: true,
            max_completion_tokens: Some(true),
            no_temperature: true,
            no_seed: true,
            no_stream_options: true,
            ..Quirks::default()
        };
        assert_eq!(
            body(&lacking),
            json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_completion_tokens": 10, "stream": true, "top_p": 0.9})
        );
    }
}
