//! What a stage asks: messages, parameters, and the content-derived key of the question.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The part of the product that asks; the word that goes into the ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Entities and relationships of a text unit.
    ExtractGraph,
    /// The follow-up question for what the extraction missed.
    Glean,
    /// One description out of many.
    Summarize,
    /// Claims of a text unit.
    Claims,
    /// A community report.
    Report,
    /// Deciding whether two names are one thing.
    Resolve,
    /// Vectors.
    Embed,
    /// Global search, one share of the reports.
    Map,
    /// Global search, the final answer.
    Reduce,
    /// Local search.
    Local,
    /// Basic search.
    #[default]
    Basic,
    /// Drift search, all of its calls.
    Drift,
    /// Rating a community or an answer.
    Rate,
    /// Generating or judging an evaluation question.
    Eval,
    /// An answer from what the model knows, without the corpus.
    ClosedBook,
    /// Questions worth asking.
    Questions,
    /// Fitting the prompts to a corpus.
    Tune,
    /// The one call before the run.
    Probe,
}

impl Stage {
    /// The stage's word in the ledger and in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ExtractGraph => "extract_graph",
            Self::Glean => "glean",
            Self::Summarize => "summarize_descriptions",
            Self::Claims => "extract_claims",
            Self::Report => "community_reports",
            Self::Resolve => "resolve",
            Self::Embed => "embed_text",
            Self::Map => "global_map",
            Self::Reduce => "global_reduce",
            Self::Local => "local_search",
            Self::Basic => "basic_search",
            Self::Drift => "drift_search",
            Self::Rate => "rate",
            Self::Eval => "eval",
            Self::ClosedBook => "closed_book",
            Self::Questions => "question_generation",
            Self::Tune => "prompt_tune",
            Self::Probe => "probe",
        }
    }
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions.
    System,
    /// The question.
    User,
    /// An earlier answer of the model.
    Assistant,
}

impl Role {
    fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One chat turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said; shared, since prompts repeat.
    pub content: Arc<str>,
}

impl Message {
    /// A turn of standing instructions.
    pub fn system(content: impl Into<Arc<str>>) -> Self {
        Self {
            role: Role::System,
            content: content.into(),
        }
    }

    /// A turn of the asker.
    pub fn user(content: impl Into<Arc<str>>) -> Self {
        Self {
            role: Role::User,
            content: content.into(),
        }
    }

    /// An earlier answer of the model.
    pub fn assistant(content: impl Into<Arc<str>>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
        }
    }
}

/// The JSON Schema an answer should follow, for servers that can enforce one.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonSchema {
    /// Name sent to the provider: letters, digits, `_` and `-`.
    pub name: String,
    /// The schema.
    pub schema: Arc<Value>,
}

/// One question to a chat model.
#[derive(Clone, Debug, Default)]
pub struct ChatRequest {
    /// Who asks; not part of the key.
    pub stage: Stage,
    /// What it is asked about, for the ledger and for errors, e.g. `text unit 12 of board/minutes.md`; not part of the key.
    pub item: String,
    /// The conversation.
    pub messages: Vec<Message>,
    /// The form the answer should take.
    pub schema: Option<JsonSchema>,
    /// Longest answer in tokens; overrides the endpoint's `call_args`.
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature; overrides the endpoint's `call_args`.
    pub temperature: Option<f64>,
    /// Nucleus sampling; overrides the endpoint's `call_args`.
    pub top_p: Option<f64>,
    /// Sampling seed; overrides the endpoint's `call_args`.
    pub seed: Option<i64>,
    /// What else the answer depends on, e.g. the index's fingerprint for a query; part of the key.
    pub salt: String,
}

impl ChatRequest {
    /// Bytes of all message texts.
    pub fn text_bytes(&self) -> usize {
        text_bytes(&self.messages)
    }
}

pub(crate) fn text_bytes(messages: &[Message]) -> usize {
    messages.iter().map(|message| message.content.len()).sum()
}

/// Characters of all message texts.
pub(crate) fn text_chars(messages: &[Message]) -> usize {
    messages
        .iter()
        .map(|message| message.content.chars().count())
        .sum()
}

/// Names a question (or an embedded text) in the cache: 128 bits of a blake3 hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u128);

/// Hashes length-framed parts into a [`Key`].
pub(crate) struct KeyHasher(blake3::Hasher);

impl KeyHasher {
    pub(crate) fn new(kind: &str) -> Self {
        let mut hasher = Self(blake3::Hasher::new());
        hasher.part(kind.as_bytes());
        hasher
    }

    pub(crate) fn part(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds a JSON value independently of the order of its object keys.
    pub(crate) fn value(&mut self, value: &Value) -> &mut Self {
        let canonical = canonical_json(value);
        self.part(canonical.as_bytes())
    }

    pub(crate) fn finish(&self) -> Key {
        let mut bytes = [0u8; 16];
        // invariant: a blake3 hash has 32 bytes
        bytes.copy_from_slice(&self.0.finalize().as_bytes()[..16]);
        Key(u128::from_le_bytes(bytes))
    }
}

/// JSON text with sorted object keys: `serde_json`'s own order depends on a feature any crate can turn on.
///
/// Only for values from settings and schemas, whose depth the JSON and YAML readers bound.
fn canonical_json(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            let fields: Vec<String> = keys
                .into_iter()
                .map(|key| {
                    format!(
                        "{}:{}",
                        Value::String(key.clone()),
                        canonical_json(&map[key])
                    )
                })
                .collect();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical_json).collect();
            format!("[{}]", items.join(","))
        }
        scalar => scalar.to_string(),
    }
}

/// The parameters that reach the model: the endpoint's `call_args` with the request's own on top.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Params {
    pub max_output_tokens: Option<u32>,
    pub temperature: Option<f64>,
    pub seed: Option<i64>,
    /// Passed on as they are.
    pub extra: Map<String, Value>,
}

/// Arguments that say how to call, not what to ask: never sent, never part of a key.
const NOT_SAMPLING: &[&str] = &[
    "timeout",
    "stream",
    "stream_options",
    "n",
    "model",
    "messages",
    "input",
    "api_key",
    "api_base",
    "base_url",
    "api_version",
    "drop_params",
    "mock_response",
    "num_retries",
    "max_retries",
    "extra_headers",
];

impl Params {
    /// Reads an endpoint's `call_args`.
    pub fn from_call_args(call_args: &Map<String, Value>) -> Self {
        let mut params = Self::default();
        for (name, value) in call_args {
            if value.is_null() || NOT_SAMPLING.contains(&name.as_str()) {
                continue;
            }
            match name.as_str() {
                "max_tokens" | "max_completion_tokens" => {
                    params.max_output_tokens = value.as_u64().and_then(|n| u32::try_from(n).ok());
                }
                "temperature" => params.temperature = value.as_f64(),
                "seed" => params.seed = value.as_i64(),
                _ => {
                    params.extra.insert(name.clone(), value.clone());
                }
            }
        }
        params
    }

    /// Lays a request's own parameters over the endpoint's.
    pub fn with_request(&self, request: &ChatRequest) -> Self {
        let mut params = self.clone();
        params.max_output_tokens = request.max_output_tokens.or(self.max_output_tokens);
        params.temperature = request.temperature.or(self.temperature);
        params.seed = request.seed.or(self.seed);
        if let Some(top_p) = request.top_p {
            params.extra.insert("top_p".to_owned(), top_p.into());
        }
        params
    }

    fn hash_into(&self, hasher: &mut KeyHasher) {
        let number = |n: Option<u64>| n.map_or_else(Vec::new, |n| n.to_le_bytes().to_vec());
        hasher
            .part(&number(self.max_output_tokens.map(u64::from)))
            .part(&number(self.temperature.map(f64::to_bits)))
            .part(&number(self.seed.map(|seed| seed as u64)));
        hasher.value(&Value::Object(self.extra.clone()));
    }
}

/// The key of a chat question: model, parameters, schema, messages and salt; neither provider address nor key.
pub(crate) fn chat_key(model: &str, params: &Params, request: &ChatRequest) -> Key {
    let mut hasher = KeyHasher::new("chat.1");
    hasher.part(model.as_bytes()).part(request.salt.as_bytes());
    params.hash_into(&mut hasher);
    match &request.schema {
        Some(schema) => hasher.part(schema.name.as_bytes()).value(&schema.schema),
        None => hasher.part(b"").part(b""),
    };
    for message in &request.messages {
        hasher
            .part(message.role.as_str().as_bytes())
            .part(message.content.as_bytes());
    }
    hasher.finish()
}

/// The key of one embedded text.
pub(crate) fn embedding_key(model: &str, params: &Params, text: &str) -> Key {
    let mut hasher = KeyHasher::new("embedding.1");
    hasher.part(model.as_bytes());
    params.hash_into(&mut hasher);
    hasher.part(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request() -> ChatRequest {
        ChatRequest {
            messages: vec![Message::system("be brief"), Message::user("who is Ada?")],
            ..ChatRequest::default()
        }
    }

    fn key(model: &str, args: Value, request: &ChatRequest) -> Key {
        let args = args.as_object().cloned().unwrap_or_default();
        chat_key(
            model,
            &Params::from_call_args(&args).with_request(request),
            request,
        )
    }

    // See: https://github.com/microsoft/graphrag/issues/819
    #[test]
    fn temperature_model_prompt_and_schema_change_the_key() {
        let base = key("m", json!({"temperature": 0.0}), &request());
        assert_eq!(base, key("m", json!({"temperature": 0.0}), &request()));
        assert_ne!(base, key("m", json!({"temperature": 0.1}), &request()));
        assert_ne!(base, key("m2", json!({"temperature": 0.0}), &request()));
        assert_ne!(
            base,
            key("m", json!({"temperature": 0.0, "top_p": 0.5}), &request())
        );
        let mut other = request();
        other.messages[0] = Message::system("be brief!");
        assert_ne!(base, key("m", json!({"temperature": 0.0}), &other));
        let mut other = request();
        other.schema = Some(JsonSchema {
            name: "r".into(),
            schema: Arc::new(json!({"type": "object"})),
        });
        assert_ne!(base, key("m", json!({"temperature": 0.0}), &other));
        let mut other = request();
        other.salt = "index 2".into();
        assert_ne!(base, key("m", json!({"temperature": 0.0}), &other));
    }

    #[test]
    fn stage_item_keys_and_timeouts_do_not_change_the_key() {
        let base = key("m", json!({}), &request());
        let mut other = request();
        other.stage = Stage::Report;
        other.item = "community 4".into();
        assert_eq!(
            base,
            key(
                "m",
                json!({"timeout": 5, "api_key": "k", "api_base": "http://h"}),
                &other
            )
        );
    }

    #[test]
    fn the_order_of_object_keys_does_not_matter() {
        let one: Value = serde_json::from_str(r#"{"b":1,"a":{"d":[1,2],"c":null}}"#).unwrap();
        let two: Value = serde_json::from_str(r#"{"a":{"c":null,"d":[1,2]},"b":1}"#).unwrap();
        assert_eq!(canonical_json(&one), canonical_json(&two));
        assert_eq!(canonical_json(&one), r#"{"a":{"c":null,"d":[1,2]},"b":1}"#);
    }

    #[test]
    fn a_request_overrides_the_endpoint() {
        let args = json!({"temperature": 0.7, "max_completion_tokens": 100, "seed": 3});
        let params = Params::from_call_args(args.as_object().unwrap());
        let mut request = request();
        request.temperature = Some(0.0);
        request.top_p = Some(0.5);
        let params = params.with_request(&request);
        assert_eq!(params.extra["top_p"], 0.5);
        assert_eq!(
            (params.temperature, params.max_output_tokens, params.seed),
            (Some(0.0), Some(100), Some(3))
        );
    }
}
