//! What the door must know about an endpoint, and what all doors of a run share.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::prices::Prices;

/// Shows a line to whoever waits.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// An API key. Neither `Debug` nor `Display` shows it; only the transport reads it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key itself, for the request header and for masking it in a provider's words.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

/// What the endpoint serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointKind {
    /// Chat completions.
    Chat,
    /// Embeddings.
    Embedding,
}

/// When and how often a call is repeated.
#[derive(Clone, Debug, PartialEq)]
pub struct RetrySettings {
    /// Repeats after the first try of one request.
    pub max_retries: u32,
    /// Upper end of the first wait; doubles with each retry.
    pub base_delay: Duration,
    /// Upper end of any wait the server did not ask for.
    pub max_delay: Duration,
    /// Longest wait a server may ask for.
    pub max_retry_after: Duration,
    /// Draw each wait from zero to its upper end ("full jitter"); else wait the upper end.
    pub jitter: bool,
    /// How often an answer that cannot be used is asked for again.
    pub max_reasks: u32,
    /// While the whole endpoint fails (no call of the pool succeeds), failures do not count against an item for this long;
    /// then the run stops. Zero: they always count.
    pub outage_patience: Duration,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            max_retries: 7,
            base_delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(60),
            max_retry_after: Duration::from_secs(15 * 60),
            jitter: true,
            max_reasks: 2,
            outage_patience: Duration::ZERO,
        }
    }
}

/// One model behind one address.
#[derive(Clone, Debug)]
pub struct EndpointSettings {
    /// Chat or embeddings.
    pub kind: EndpointKind,
    /// `openai`, `azure`, or any other word for an OpenAI-compatible server.
    pub provider: String,
    /// Model name as the server knows it.
    pub model: String,
    /// Address up to and with `/v1`; `None` is OpenAI's own. For Azure the resource's address.
    pub api_base: Option<String>,
    /// `None` for servers that want none.
    pub api_key: Option<Secret>,
    /// Azure only.
    pub api_version: Option<String>,
    /// Azure only; the model's name when absent.
    pub azure_deployment: Option<String>,
    /// Parameters for every request (`temperature`, `top_p`, `max_tokens`, ...).
    pub call_args: Map<String, Value>,
    /// Repeats.
    pub retry: RetrySettings,
    /// Requests allowed in any `period`.
    pub requests_per_period: Option<u32>,
    /// Tokens (prompt and completion) allowed in any `period`.
    pub tokens_per_period: Option<u64>,
    /// The limits' period.
    pub period: Duration,
    /// Calls in flight at most.
    pub concurrency: usize,
    /// One request, from sending to the last byte.
    pub request_timeout: Duration,
    /// Price per million tokens; `None` looks the model up in the built-in table.
    pub prices: Option<Prices>,
    /// Tokens of prompt and answer the model can hold; for embeddings, tokens of one text.
    pub context_window: Option<u32>,
    /// Embeddings: texts per request at most.
    pub batch_size: usize,
    /// Embeddings: tokens per request at most.
    pub batch_max_tokens: usize,
}

impl EndpointSettings {
    /// An endpoint with default limits.
    pub fn new(kind: EndpointKind, provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            kind,
            provider: provider.into(),
            model: model.into(),
            api_base: None,
            api_key: None,
            api_version: None,
            azure_deployment: None,
            call_args: Map::new(),
            retry: RetrySettings::default(),
            requests_per_period: None,
            tokens_per_period: None,
            period: Duration::from_secs(60),
            concurrency: 25,
            request_timeout: Duration::from_secs(180),
            prices: None,
            context_window: None,
            batch_size: 16,
            batch_max_tokens: 8191,
        }
    }

    /// The address without credentials or query, for messages.
    pub fn address(&self) -> String {
        let base = self
            .api_base
            .as_deref()
            .unwrap_or(OPENAI_BASE)
            .trim_end_matches('/');
        let (scheme, rest) = base.split_once("://").unwrap_or(("http", base));
        let rest = rest.split(['?', '#']).next().unwrap_or(rest);
        let (authority, path) = rest.split_once('/').map_or((rest, ""), |(a, p)| (a, p));
        let host = authority.rsplit('@').next().unwrap_or(authority);
        match path {
            "" => format!("{scheme}://{host}"),
            path => format!("{scheme}://{host}/{path}"),
        }
    }
}

/// OpenAI's own address.
pub(crate) const OPENAI_BASE: &str = "https://api.openai.com/v1";

/// Limits that are never passed; what is in flight counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Caps {
    /// Money, in the currency of the prices.
    pub max_cost: Option<f64>,
    /// Prompt and completion tokens together.
    pub max_tokens: Option<u64>,
    /// Requests sent, repeats included.
    pub max_calls: Option<u64>,
    /// Spent before by the same run (a resumed one), counted against the caps.
    pub already: Already,
}

/// What earlier processes of the same run spent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Already {
    /// Money.
    pub cost: f64,
    /// Tokens.
    pub tokens: u64,
    /// Requests.
    pub calls: u64,
}

/// Counts the tokens of a text.
pub type CountTokens = Arc<dyn Fn(&str) -> usize + Send + Sync>;

/// What all doors of one process share.
#[derive(Clone)]
pub struct SharedSettings {
    /// Folder of the answer cache; `None` keeps answers in memory.
    pub cache_dir: Option<PathBuf>,
    /// Whether to go on in memory, and say so, where that folder cannot be used: one question can be answered without being kept.
    pub cache_may_fail: bool,
    /// The run's ledger; `None` records nothing (queries).
    pub ledger: Option<PathBuf>,
    /// Hard limits.
    pub caps: Caps,
    /// Counts tokens for worst cases and for noticing cut prompts.
    pub count_tokens: CountTokens,
    /// Seeds the jitter of waits.
    pub jitter_seed: u64,
    /// No call starts, and none is repeated, after this long.
    pub run_deadline: Option<Duration>,
    /// How long calls in flight may still land after a cancellation.
    pub grace: Duration,
    /// Tells that a server is waited for.
    pub say: Say,
}

impl Default for SharedSettings {
    fn default() -> Self {
        Self {
            cache_dir: None,
            cache_may_fail: false,
            ledger: None,
            caps: Caps::default(),
            count_tokens: Arc::new(|text| text.len().div_ceil(4)),
            jitter_seed: 0,
            run_deadline: None,
            grace: Duration::from_millis(1500),
            say: Arc::new(|_| {}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown() {
        let mut settings = EndpointSettings::new(EndpointKind::Chat, "openai", "m");
        settings.api_key = Some(Secret::new("sk-very-secret"));
        assert!(!format!("{settings:?}").contains("very-secret"));
    }

    #[test]
    fn an_address_shows_no_credentials() {
        let mut settings = EndpointSettings::new(EndpointKind::Chat, "openai", "m");
        assert_eq!(settings.address(), "https://api.openai.com/v1");
        settings.api_base = Some("http://user:pass@localhost:8080/v1/?key=abc".into());
        assert_eq!(settings.address(), "http://localhost:8080/v1/");
    }
}
