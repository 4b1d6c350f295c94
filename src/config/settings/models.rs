use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// A value that is never shown: `Debug`, `Display` and serialisation print `***`.
#[derive(Clone, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key or connection string.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("***")
    }
}

choice! {
    /// The client behind a model.
    pub enum ModelClient {
        /// Any OpenAI-compatible endpoint. The name is the one Microsoft GraphRAG writes.
        Litellm = "litellm",
    }
}

choice! {
    /// How a request proves who sends it.
    pub enum AuthMethod {
        /// A key, sent as the provider expects it.
        ApiKey = "api_key",
    }
}

choice! {
    /// How long to wait before a failed call is tried again.
    pub enum RetryType {
        /// A delay that grows by `base_delay` each time.
        ExponentialBackoff = "exponential_backoff",
        /// No delay, except the one the server asks for.
        Immediate = "immediate",
    }
}

choice! {
    /// How calls are counted against a limit.
    pub enum RateLimitType {
        /// At most so many in any window of `period_in_seconds`.
        SlidingWindow = "sliding_window",
    }
}

choice! {
    /// Whether the endpoint is asked to hold its answer to a JSON schema.
    pub enum StructuredOutput {
        /// Asked for, and given up on an endpoint that refuses it.
        Auto = "auto",
        /// Always asked for; a refusal is an error.
        Always = "always",
        /// Never asked for; answers are parsed tolerantly.
        Never = "never",
    }
}

section! {
    /// One model: who serves it, how it is called, what it may do and what it costs.
    pub struct ModelConfig {
        /// The client to use; any OpenAI-compatible endpoint is `litellm`.
        #[serde(rename = "type")]
        pub client: ModelClient = ModelClient::Litellm,
        /// Who serves the model: `openai`, `azure`, `ollama`, `vllm`, ... (anything OpenAI-compatible, with `api_base`), or `builtin` for no model at all.
        pub model_provider: String = String::new(),
        /// The model's name as the provider knows it.
        pub model: String = String::new(),
        /// Sampling parameters sent with every call: `temperature`, `top_p`, `max_tokens`, `n`, `timeout`, ...
        pub call_args: BTreeMap<String, serde_json::Value> = BTreeMap::new(),
        /// The endpoint's base URL, up to and including `/v1`. Known for `openai` and `ollama`.
        pub api_base: Option<String> = None,
        /// The API version, for Azure.
        pub api_version: Option<String> = None,
        /// The key. Write `${NAME}` and keep the value in the environment or in `.env`.
        pub api_key: Option<Secret> = None,
        /// How requests are authenticated. Only `api_key` is supported.
        pub auth_method: AuthMethod = AuthMethod::ApiKey,
        /// The deployment's name, for Azure; `model` when absent.
        pub azure_deployment_name: Option<String> = None,
        /// What happens when a call fails.
        pub retry: RetryConfig = RetryConfig::default(),
        /// The provider's limits, shared by every stage that uses the endpoint.
        pub rate_limit: Option<RateLimitConfig> = None,
        /// Accepted for compatibility; figures are always kept, in `output/stats.json`.
        pub metrics: Option<MetricsConfig> = None,
        /// Accepted for compatibility, without effect.
        pub mock_responses: Vec<serde_json::Value> = Vec::new(),
        /// What the model costs, for estimates and for `budget.max_cost`. Replaces the price that is built in.
        pub prices: Option<PricesConfig> = None,
        /// How many tokens of prompt and answer the endpoint takes together. Needed only where a local server cuts long prompts without saying so.
        #[schemars(range(min = 256))]
        pub context_window: Option<u32> = None,
        /// Whether the endpoint is asked to hold its answer to a JSON schema.
        pub structured_output: StructuredOutput = StructuredOutput::Auto,
    }
}

impl ModelConfig {
    /// Whether this is the model-free provider that is compiled in.
    pub fn is_builtin(&self) -> bool {
        self.model_provider == "builtin"
    }

    /// Whether this is an Azure OpenAI deployment.
    pub fn is_azure(&self) -> bool {
        self.model_provider == "azure"
    }

    /// The endpoint's base URL: `api_base` without trailing slashes, or the one known for the provider.
    pub fn base_url(&self) -> Option<&str> {
        match self.api_base.as_deref() {
            Some(base) => Some(base.trim().trim_end_matches('/')),
            None => match self.model_provider.as_str() {
                "openai" => Some("https://api.openai.com/v1"),
                "ollama" => Some("http://localhost:11434/v1"),
                _ => None,
            },
        }
    }
}

section! {
    /// What happens when a call fails.
    pub struct RetryConfig {
        /// How the wait between two attempts grows.
        #[serde(rename = "type")]
        pub kind: RetryType = RetryType::ExponentialBackoff,
        /// How often a failed call is tried again.
        #[schemars(range(max = 100))]
        pub max_retries: u32 = 7,
        /// The factor by which the wait grows, starting from one second.
        #[schemars(range(min = 1))]
        pub base_delay: f64 = 2.0,
        /// Whether waits are spread at random, so that many calls do not come back at once.
        pub jitter: bool = true,
        /// The longest wait in seconds, unless the server asks for a longer one. The reference has no bound.
        #[schemars(range(min = 0))]
        pub max_delay: f64 = 60.0,
        /// How many seconds an index run waits for an endpoint that answers nothing at all to come back, before it stops.
        #[schemars(range(min = 0))]
        pub outage_patience: f64 = 900.0,
    }
}

section! {
    /// A provider's limits.
    pub struct RateLimitConfig {
        /// How calls are counted.
        #[serde(rename = "type")]
        pub kind: RateLimitType = RateLimitType::SlidingWindow,
        /// The window's length in seconds.
        #[schemars(range(min = 1))]
        pub period_in_seconds: u32 = 60,
        /// How many requests a window takes; unlimited when absent.
        #[schemars(range(min = 1))]
        pub requests_per_period: Option<u64> = None,
        /// How many tokens, of prompts and answers, a window takes; unlimited when absent.
        #[schemars(range(min = 1))]
        pub tokens_per_period: Option<u64> = None,
    }
}

section! {
    /// Accepted for compatibility, without effect.
    pub struct MetricsConfig {
        /// Accepted for compatibility, without effect.
        #[serde(rename = "type")]
        pub kind: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub store: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub writer: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub log_level: Option<i64> = None,
        /// Accepted for compatibility, without effect.
        pub base_dir: Option<String> = None,
    }
}

section! {
    /// What a model costs.
    pub struct PricesConfig {
        /// The price of a million prompt tokens.
        #[schemars(range(min = 0))]
        pub input_per_million: f64 = 0.0,
        /// The price of a million answer tokens. Leave it at 0 for an embedding model.
        #[schemars(range(min = 0))]
        pub output_per_million: f64 = 0.0,
        /// The price of a million prompt tokens that the provider had cached; `input_per_million` when absent.
        #[schemars(range(min = 0))]
        pub cached_input_per_million: Option<f64> = None,
        /// The currency of all three, as it is printed.
        pub currency: String = "USD".to_owned(),
    }
}
