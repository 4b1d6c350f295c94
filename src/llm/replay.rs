//! Recorded answers in place of a server: for tests and for demonstrations without a key.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Mutex;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::shown;
use super::limits::lock;
use super::request::KeyHasher;
use super::transport::{Fate, Headers, HttpReply, HttpRequest, SendError, Transport};

/// One line of a recording.
#[derive(Serialize, Deserialize)]
struct Line {
    /// Hash of the request's body.
    key: String,
    /// The last turn's beginning, for people.
    preview: String,
    /// The reply's body.
    reply: Value,
}

fn key_of(body: &Value) -> String {
    let mut hasher = KeyHasher::new("replay.1");
    let mut body = body.clone();
    if let Some(fields) = body.as_object_mut() {
        // how the answer travels is not what was asked
        fields.remove("stream");
        fields.remove("stream_options");
    }
    format!("{:032x}", hasher.value(&body).finish().0)
}

fn parsed(request: &HttpRequest) -> Result<Value, SendError> {
    serde_json::from_str(&request.body).map_err(|error| SendError {
        words: error.to_string(),
        maybe_charged: false,
        fate: Fate::Hopeless,
    })
}

/// Answers from a recording; a question it does not hold is a 404 that shows its beginning.
#[derive(Debug, Default)]
pub struct Replay {
    replies: BTreeMap<String, Value>,
}

impl Replay {
    /// Reads a recording: JSON lines.
    ///
    /// # Errors
    /// The file cannot be read or a line is no recording.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut replies = BTreeMap::new();
        for line in BufReader::new(File::open(path)?).lines() {
            let line: Line = serde_json::from_str(&line?)?;
            replies.insert(line.key, line.reply);
        }
        Ok(Self { replies })
    }
}

impl Transport for Replay {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpReply, SendError>> {
        Box::pin(async move {
            let body = parsed(&request)?;
            let (status, body) = match self.replies.get(&key_of(&body)) {
                Some(reply) => (200, reply.to_string()),
                None => {
                    let message = format!("not in the recording: {}", preview(&body));
                    (
                        404,
                        serde_json::json!({"error": {"message": message}}).to_string(),
                    )
                }
            };
            Ok(HttpReply {
                status,
                headers: Headers::default(),
                body: body.into(),
            })
        })
    }
}

/// Passes requests on and writes down every successful reply.
pub struct Recorder<T> {
    inner: T,
    file: Mutex<File>,
}

impl<T: Transport> Recorder<T> {
    /// Appends to the recording at `path`.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn new(inner: T, path: &Path) -> io::Result<Self> {
        Ok(Self {
            inner,
            file: Mutex::new(OpenOptions::new().create(true).append(true).open(path)?),
        })
    }

    fn write(&self, body: &Value, reply: &HttpReply) {
        let Ok(answer) = serde_json::from_slice(&reply.body) else {
            return;
        };
        let line = Line {
            key: key_of(body),
            preview: preview(body),
            reply: answer,
        };
        if let Ok(mut text) = serde_json::to_vec(&line) {
            text.push(b'\n');
            // a recording is made by hand: what is missing shows when it is played
            let _ = lock(&self.file).write_all(&text);
        }
    }
}

impl<T: Transport> Transport for Recorder<T> {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpReply, SendError>> {
        Box::pin(async move {
            let body = parsed(&request)?;
            let reply = self.inner.send(request).await?;
            if reply.status == 200 {
                self.write(&body, &reply);
            }
            Ok(reply)
        })
    }
}

fn preview(body: &Value) -> String {
    let turn = body
        .get("messages")
        .and_then(Value::as_array)
        .and_then(|turns| turns.last())
        .and_then(|turn| turn.get("content"));
    let text = turn
        .or_else(|| body.get("input").and_then(|input| input.get(0)))
        .and_then(Value::as_str)
        .unwrap_or_default();
    shown(text).chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::super::transport::Route;
    use super::*;

    struct Echo;

    impl Transport for Echo {
        fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpReply, SendError>> {
            Box::pin(async move {
                Ok(HttpReply {
                    status: 200,
                    headers: Headers::default(),
                    body: request.body.into(),
                })
            })
        }
    }

    #[tokio::test]
    async fn what_was_recorded_is_played_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("recording.jsonl");
        let ask = |text: &str| HttpRequest {
            route: Route::Chat,
            body: format!(r#"{{"model":"m","messages":[{{"role":"user","content":"{text}"}}]}}"#),
            ticket: None,
        };
        let recorder = Recorder::new(Echo, &path).unwrap();
        recorder.send(ask("one")).await.unwrap();
        let replay = Replay::read(&path).unwrap();
        assert_eq!(replay.send(ask("one")).await.unwrap().status, 200);
        let missing = replay.send(ask("two")).await.unwrap();
        assert_eq!(missing.status, 404);
        assert!(String::from_utf8_lossy(&missing.body).contains("not in the recording: two"));
    }
}
