//! Bytes out, bytes in: the one trait behind which HTTP happens, and its OpenAI-compatible implementation.
//!
//! `async-openai` builds the address, the authentication and the event stream. It would parse errors itself and keep
//! neither headers nor the status of a non-JSON body, so the tower service installed here carries the raw reply out as
//! its error value, and the `byot` methods hand it over untouched. The crate's own retry is not installed.

use std::fmt;
use std::task::{Context, Poll};
use std::time::Duration;

use async_openai::Client;
use async_openai::config::Config;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, StreamExt};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::SecretString;
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::{CallError, shown};
use super::request::Key;
use super::settings::{EndpointSettings, OPENAI_BASE, Secret};

/// Which method of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// `/chat/completions`
    Chat,
    /// `/embeddings`
    Embeddings,
}

/// A request ready to be sent.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// The API's method.
    pub route: Route,
    /// JSON.
    pub body: String,
    /// What a batch must know of the question; `None` where it is sent by itself.
    pub ticket: Option<Ticket>,
}

/// A question's name and worst case, for the records of batches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ticket {
    /// Names what is asked: the same for the same attempt at the same question, in every process.
    pub id: Key,
    /// Most tokens it can take.
    pub tokens: u64,
    /// Most money it can take; `None` when the price is unknown.
    pub cost: Option<f64>,
}

/// The reply headers that matter, names in lower case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// From name and value pairs.
    pub fn from_pairs(pairs: &[(&str, &str)]) -> Self {
        Self(
            pairs
                .iter()
                .map(|(name, value)| (name.to_ascii_lowercase(), (*value).to_string()))
                .collect(),
        )
    }

    /// The value of a header, by its lower-case name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    }

    fn keep(headers: &HeaderMap) -> Self {
        Self(
            headers
                .iter()
                .filter(|(name, _)| {
                    let name = name.as_str();
                    name.starts_with("retry-after")
                        || name.starts_with("x-")
                        || name == "date"
                        || name == "content-type"
                })
                .filter_map(|(name, value)| {
                    Some((name.as_str().to_string(), value.to_str().ok()?.to_string()))
                })
                .collect(),
        )
    }
}

/// A whole reply, whatever its status.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpReply {
    /// HTTP status.
    pub status: u16,
    /// The headers that matter.
    pub headers: Headers,
    /// The body as received.
    pub body: Bytes,
}

/// No whole reply came.
#[derive(Clone, Debug, PartialEq)]
pub struct SendError {
    /// What happened, fit to be shown.
    pub words: String,
    /// The server may have worked (and charged) for it.
    pub maybe_charged: bool,
    /// Whether trying again can help.
    pub fate: Fate,
}

/// What a lost request means for those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It may pass: try again.
    MayPass,
    /// No connection was made: it may pass where there was one before.
    NoConnection,
    /// Trying again cannot help (an address that is no address).
    Hopeless,
    /// Nothing of this kind can be sent: the words say what to do.
    StopsRun,
}

/// A reply to a request with `"stream": true`.
pub enum StreamReply {
    /// Not a stream: an error, or a server that does not stream.
    Whole(HttpReply),
    /// The events' JSON as they come.
    Events(BoxStream<'static, Result<Value, SendError>>),
}

/// Sends requests. Implementations do not retry, wait or judge.
pub trait Transport: Send + Sync {
    /// Sends and reads the whole reply.
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpReply, SendError>>;

    /// Sends and streams the reply; by default reads it whole.
    fn stream(&self, request: HttpRequest) -> BoxFuture<'_, Result<StreamReply, SendError>> {
        Box::pin(async move { self.send(request).await.map(StreamReply::Whole) })
    }
}

/// Address and authentication of one endpoint.
struct EndpointConfig {
    base: String,
    headers: HeaderMap,
    api_version: Option<String>,
    azure_deployment: Option<String>,
    /// The trait asks for one; requests are authenticated by `headers`.
    no_key: SecretString,
}

impl EndpointConfig {
    fn new(settings: &EndpointSettings) -> Result<Self, CallError> {
        let azure = settings.provider.starts_with("azure");
        let base =
            match (&settings.api_base, azure) {
                (Some(base), _) => base.trim_end_matches('/').to_string(),
                (None, false) => OPENAI_BASE.to_string(),
                (None, true) => return Err(CallError::Setup(
                    "provider azure needs api_base: give the resource's address in settings.yaml"
                        .into(),
                )),
            };
        if !base.starts_with("http://") && !base.starts_with("https://") {
            return Err(CallError::Setup(format!(
                "api_base {} is no http address: start it with http:// or https://",
                shown(&base)
            )));
        }
        if azure && settings.api_version.is_none() {
            return Err(CallError::Setup(format!(
                "provider azure needs api_version for model {}: give it in settings.yaml",
                settings.model
            )));
        }
        let mut headers = HeaderMap::new();
        if let Some(key) = &settings.api_key {
            let (name, text) = match azure {
                true => (
                    reqwest::header::HeaderName::from_static("api-key"),
                    key.expose().to_string(),
                ),
                false => (AUTHORIZATION, format!("Bearer {}", key.expose())),
            };
            let mut value = HeaderValue::from_str(&text).map_err(|_| {
                CallError::Setup(format!(
                    "the api_key of model {} holds a character no key can have (a line end?): check the variable it comes from",
                    settings.model
                ))
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let azure_deployment = azure.then(|| {
            settings
                .azure_deployment
                .clone()
                .unwrap_or_else(|| settings.model.clone())
        });
        let api_version = azure.then(|| settings.api_version.clone()).flatten();
        Ok(Self {
            base,
            headers,
            api_version,
            azure_deployment,
            no_key: SecretString::from(String::new()),
        })
    }
}

impl EndpointConfig {
    /// A path of the API that belongs to no deployment; `path` may hold a query.
    fn account_url(&self, path: &str) -> String {
        let base = &self.base;
        match (&self.azure_deployment, &self.api_version) {
            (Some(_), Some(version)) => {
                let sign = if path.contains('?') { '&' } else { '?' };
                format!("{base}/openai{path}{sign}api-version={version}")
            }
            _ => format!("{base}{path}"),
        }
    }
}

impl Config for EndpointConfig {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        match &self.azure_deployment {
            Some(deployment) => format!("{}/openai/deployments/{deployment}{path}", self.base),
            None => format!("{}{path}", self.base),
        }
    }

    fn query(&self) -> Vec<(&str, &str)> {
        self.api_version
            .iter()
            .map(|version| ("api-version", version.as_str()))
            .collect()
    }

    fn api_base(&self) -> &str {
        &self.base
    }

    fn api_key(&self) -> &SecretString {
        &self.no_key
    }
}

/// The raw reply, travelling as the service's error.
#[derive(Debug)]
struct Captured(Result<HttpReply, SendError>);

impl fmt::Display for Captured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a raw reply")
    }
}

impl std::error::Error for Captured {}

impl From<Captured> for OpenAIError {
    fn from(captured: Captured) -> Self {
        Self::Boxed(Box::new(captured))
    }
}

/// Sends one built request; lets only event streams through as responses.
#[derive(Clone)]
struct CaptureService {
    http: reqwest::Client,
    key: Option<Secret>,
}

impl CaptureService {
    fn new(settings: &EndpointSettings) -> Result<Self, CallError> {
        // a second install by another door is refused, which is as good
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(10))
            .pool_max_idle_per_host(settings.concurrency.max(1))
            // servers close idle connections after a minute or so; reuse of a closed one costs a retry
            .pool_idle_timeout(Duration::from_secs(50))
            .tcp_nodelay(true)
            .user_agent(concat!("belvedere/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| {
                CallError::Setup(format!(
                    "cannot prepare https: {}; check the system's certificates",
                    shown(&error.to_string())
                ))
            })?;
        Ok(Self {
            http,
            key: settings.api_key.clone(),
        })
    }

    fn failed(&self, error: &reqwest::Error, sent: bool) -> SendError {
        let mut words = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            words = format!("{words}: {cause}");
            source = cause.source();
        }
        let maybe_charged = sent || !(error.is_connect() || error.is_builder());
        SendError {
            words: shown(&self.masked(words)),
            maybe_charged,
            fate: if error.is_builder() {
                Fate::Hopeless
            } else if error.is_connect() {
                Fate::NoConnection
            } else {
                Fate::MayPass
            },
        }
    }

    fn masked(&self, words: String) -> String {
        match &self.key {
            Some(key) if key.expose().len() >= 4 => words.replace(key.expose(), "***"),
            _ => words,
        }
    }

    async fn run(self, factory: HttpRequestFactory) -> Result<reqwest::Response, Captured> {
        let request = factory.build().await.map_err(|error| {
            Captured(Err(SendError {
                words: shown(&error.to_string()),
                maybe_charged: false,
                fate: Fate::Hopeless,
            }))
        })?;
        let response = self
            .http
            .execute(request)
            .await
            .map_err(|error| Captured(Err(self.failed(&error, false))))?;
        let is_stream = response
            .headers()
            .get(reqwest::header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        if response.status().is_success() && is_stream {
            return Ok(response);
        }
        Err(Captured(self.whole(response).await))
    }

    async fn whole(&self, response: reqwest::Response) -> Result<HttpReply, SendError> {
        let status = response.status().as_u16();
        let headers = Headers::keep(response.headers());
        let body = response
            .bytes()
            .await
            .map_err(|error| self.failed(&error, true))?;
        Ok(HttpReply {
            status,
            headers,
            body,
        })
    }
}

impl tower::Service<HttpRequestFactory> for CaptureService {
    type Response = reqwest::Response;
    type Error = Captured;
    type Future = BoxFuture<'static, Result<reqwest::Response, Captured>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Captured>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        Box::pin(self.clone().run(factory))
    }
}

/// Any OpenAI-compatible server over HTTP.
pub struct OpenAiTransport {
    client: Client<EndpointConfig>,
}

impl OpenAiTransport {
    /// Prepares address, authentication and connection pool; sends nothing.
    ///
    /// # Errors
    /// [`CallError::Setup`] names the setting that cannot work.
    pub fn new(settings: &EndpointSettings) -> Result<Self, CallError> {
        let config = EndpointConfig::new(settings)?;
        let service = CaptureService::new(settings)?;
        Ok(Self {
            client: Client::build(service.http.clone(), config).with_http_service(service),
        })
    }
}

/// Requests beside the calls themselves: files, batches. The reply comes as it is.
pub(crate) struct RawHttp {
    config: EndpointConfig,
    service: CaptureService,
}

impl RawHttp {
    /// Prepares address, authentication and connection pool; sends nothing.
    ///
    /// # Errors
    /// [`CallError::Setup`] names the setting that cannot work.
    pub fn new(settings: &EndpointSettings) -> Result<Self, CallError> {
        Ok(Self {
            config: EndpointConfig::new(settings)?,
            service: CaptureService::new(settings)?,
        })
    }

    /// A request to a path of the API that belongs to no deployment.
    pub fn request(
        &self,
        method: reqwest::Method,
        path: &str,
        timeout: Duration,
    ) -> reqwest::RequestBuilder {
        let config = &self.config;
        self.service
            .http
            .request(method, config.account_url(path))
            .headers(config.headers.clone())
            .timeout(timeout)
    }

    /// Words without our key in them.
    pub fn masked(&self, words: String) -> String {
        self.service.masked(words)
    }

    /// Sends and reads the whole reply.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Result<HttpReply, SendError> {
        let response = request
            .send()
            .await
            .map_err(|error| self.service.failed(&error, false))?;
        self.service.whole(response).await
    }
}

fn body_of(request: &HttpRequest) -> Result<Box<RawValue>, SendError> {
    RawValue::from_string(request.body.clone()).map_err(|error| SendError {
        words: format!("the request is no JSON: {error}"),
        maybe_charged: false,
        fate: Fate::Hopeless,
    })
}

fn captured(error: OpenAIError) -> Result<HttpReply, SendError> {
    match error {
        OpenAIError::Boxed(boxed) => match boxed.downcast::<Captured>() {
            Ok(captured) => captured.0,
            Err(other) => Err(SendError {
                words: shown(&other.to_string()),
                maybe_charged: true,
                fate: Fate::MayPass,
            }),
        },
        other => Err(SendError {
            words: shown(&other.to_string()),
            maybe_charged: true,
            fate: Fate::MayPass,
        }),
    }
}

impl Transport for OpenAiTransport {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpReply, SendError>> {
        Box::pin(async move {
            let body = body_of(&request)?;
            let result: Result<serde::de::IgnoredAny, OpenAIError> = match request.route {
                Route::Chat => self.client.chat().create_byot(body).await,
                Route::Embeddings => self.client.embeddings().create_byot(body).await,
            };
            match result {
                Err(error) => captured(error),
                Ok(_) => Err(SendError {
                    words: "the server streamed an answer nobody asked to stream".into(),
                    maybe_charged: true,
                    fate: Fate::MayPass,
                }),
            }
        })
    }

    fn stream(&self, request: HttpRequest) -> BoxFuture<'_, Result<StreamReply, SendError>> {
        Box::pin(async move {
            let body = body_of(&request)?;
            match self
                .client
                .chat()
                .create_stream_byot::<_, Value>(body)
                .await
            {
                Ok(events) => Ok(StreamReply::Events(
                    events
                        .map(|event| {
                            event.map_err(|error| SendError {
                                words: shown(&error.to_string()),
                                maybe_charged: true,
                                fate: Fate::MayPass,
                            })
                        })
                        .boxed(),
                )),
                Err(error) => captured(error).map(StreamReply::Whole),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::EndpointKind;
    use super::*;

    #[test]
    fn azure_addresses_name_the_deployment_and_the_version() {
        let mut settings = EndpointSettings::new(EndpointKind::Chat, "azure", "gpt-4o");
        settings.api_base = Some("https://r.openai.azure.com/".into());
        settings.api_version = Some("2024-06-01".into());
        settings.api_key = Some(Secret::new("k"));
        let config = EndpointConfig::new(&settings).unwrap();
        assert_eq!(
            config.url("/chat/completions"),
            "https://r.openai.azure.com/openai/deployments/gpt-4o/chat/completions"
        );
        assert_eq!(config.query(), [("api-version", "2024-06-01")]);
        assert_eq!(config.headers().get("api-key").unwrap(), "k");
        assert_eq!(
            config.account_url("/batches?limit=100"),
            "https://r.openai.azure.com/openai/batches?limit=100&api-version=2024-06-01"
        );
        settings.azure_deployment = Some("mine".into());
        assert!(
            EndpointConfig::new(&settings)
                .unwrap()
                .url("/embeddings")
                .contains("/deployments/mine/embeddings")
        );
        settings.api_version = None;
        assert!(
            matches!(EndpointConfig::new(&settings), Err(CallError::Setup(words)) if words.contains("api_version"))
        );
    }

    #[test]
    fn a_key_with_a_line_end_is_an_error_that_does_not_show_it() {
        let mut settings = EndpointSettings::new(EndpointKind::Chat, "openai", "m");
        settings.api_key = Some(Secret::new("sk-secret\n"));
        let Err(CallError::Setup(words)) = EndpointConfig::new(&settings) else {
            panic!("accepted")
        };
        assert!(words.contains("api_key") && !words.contains("secret"));
    }
}
