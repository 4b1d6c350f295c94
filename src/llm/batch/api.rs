//! The provider's files and batches: <https://platform.openai.com/docs/api-reference/batch>.

use std::time::Duration;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::error::CallError;
use super::super::settings::EndpointSettings;
use super::super::transport::{HttpReply, RawHttp, SendError};

/// Where our own name stands in a batch's metadata.
pub(crate) const NAME_IN_METADATA: &str = "belvedere";

/// A question about a batch.
const SHORT: Duration = Duration::from_secs(60);

/// A file on its way.
const LONG: Duration = Duration::from_secs(30 * 60);

/// A batch as the provider tells of it.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Batch {
    pub id: String,
    #[serde(default)]
    pub status: String,
    #[serde(default)]
    pub output_file_id: Option<String>,
    #[serde(default)]
    pub error_file_id: Option<String>,
    #[serde(default)]
    pub created_at: Option<u64>,
    #[serde(default)]
    pub request_counts: Option<RequestCounts>,
    #[serde(default)]
    errors: Option<Value>,
    #[serde(default)]
    metadata: Option<Value>,
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct RequestCounts {
    #[serde(default)]
    pub total: u64,
    #[serde(default)]
    pub completed: u64,
    #[serde(default)]
    pub failed: u64,
}

impl Batch {
    /// Our name for it.
    pub fn name(&self) -> Option<&str> {
        self.metadata.as_ref()?.get(NAME_IN_METADATA)?.as_str()
    }

    /// Nothing more will come of it.
    pub fn has_ended(&self) -> bool {
        matches!(
            self.status.as_str(),
            "completed" | "failed" | "expired" | "cancelled"
        )
    }

    /// Why it failed as a whole, in the provider's words: codes and messages.
    pub fn failure(&self) -> String {
        let list = self
            .errors
            .as_ref()
            .and_then(|errors| errors.get("data"))
            .and_then(Value::as_array);
        let words: Vec<String> = list
            .into_iter()
            .flatten()
            .take(3)
            .map(|error| {
                let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
                format!("{} {}", part("code"), part("message"))
                    .trim()
                    .to_owned()
            })
            .collect();
        match words.is_empty() {
            true => "it gave no reason".to_owned(),
            false => words.join("; "),
        }
    }
}

/// A page of batches, newest first.
#[derive(Deserialize)]
pub(crate) struct Page {
    #[serde(default)]
    pub data: Vec<Batch>,
    #[serde(default)]
    pub has_more: bool,
}

/// See the module. Nothing here retries or waits.
pub(crate) struct BatchApi(RawHttp);

impl BatchApi {
    /// Prepares address and authentication; sends nothing.
    ///
    /// # Errors
    /// [`CallError::Setup`] names the setting that cannot work.
    pub fn new(settings: &EndpointSettings) -> Result<Self, CallError> {
        RawHttp::new(settings).map(Self)
    }

    /// Words of a reply without our key in them.
    pub fn masked(&self, words: String) -> String {
        self.0.masked(words)
    }

    /// Uploads the lines; the reply's `id` names the file. `name` must not occur in the lines.
    pub async fn upload(&self, name: &str, lines: &[u8]) -> Result<HttpReply, SendError> {
        let boundary = format!("belvedere-{name}");
        let mut body = Vec::with_capacity(lines.len() + 512);
        body.extend_from_slice(
            format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n\
                 --{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"belvedere-{name}.jsonl\"\r\n\
                 Content-Type: application/jsonl\r\n\r\n"
            )
            .as_bytes(),
        );
        body.extend_from_slice(lines);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        let request = self
            .0
            .request(Method::POST, "/files", LONG)
            .header(
                CONTENT_TYPE,
                format!("multipart/form-data; boundary={boundary}"),
            )
            .body(body);
        self.0.send(request).await
    }

    /// Starts a batch over an uploaded file.
    pub async fn create(&self, file: &str, name: &str, url: &str) -> Result<HttpReply, SendError> {
        let mut metadata = serde_json::Map::new();
        metadata.insert(NAME_IN_METADATA.to_owned(), json!(name));
        let body = json!({
            "input_file_id": file, "endpoint": url, "completion_window": "24h", "metadata": metadata,
        });
        let request = self
            .0
            .request(Method::POST, "/batches", SHORT)
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string());
        self.0.send(request).await
    }

    /// How far a batch is.
    pub async fn get(&self, batch: &str) -> Result<HttpReply, SendError> {
        let path = format!("/batches/{batch}");
        self.0.send(self.0.request(Method::GET, &path, SHORT)).await
    }

    /// The newest batches of the account, or those after one.
    pub async fn list(&self, after: Option<&str>) -> Result<HttpReply, SendError> {
        let path = match after {
            Some(after) => format!("/batches?limit=100&after={after}"),
            None => "/batches?limit=100".to_owned(),
        };
        self.0.send(self.0.request(Method::GET, &path, SHORT)).await
    }

    /// The lines of a file.
    pub async fn content(&self, file: &str) -> Result<HttpReply, SendError> {
        let path = format!("/files/{file}/content");
        self.0.send(self.0.request(Method::GET, &path, LONG)).await
    }

    /// Asks the provider to stop a batch; what is answered by then stays.
    pub async fn cancel(&self, batch: &str) -> Result<HttpReply, SendError> {
        let path = format!("/batches/{batch}/cancel");
        let request = self
            .0
            .request(Method::POST, &path, SHORT)
            .header(CONTENT_TYPE, "application/json")
            .body("{}");
        self.0.send(request).await
    }
}
