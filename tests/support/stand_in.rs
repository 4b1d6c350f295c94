//! A stand-in for an OpenAI-compatible server: chat (whole and streamed), embeddings, models.
//!
//! Answers are a pure function of the question (the request without sampling parameters and corrective sentences). What
//! goes wrong is either scripted, one reply after the other, or drawn from a seed, the question and how often it was
//! asked, so that it does not depend on the order in which requests arrive.
#![allow(dead_code)]

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use base64::Engine;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[path = "stand_in_answers.rs"]
mod answers;
#[path = "stand_in_batch.rs"]
pub mod batch;

/// A reply given before anything else is considered.
#[derive(Clone, Debug)]
pub struct Scripted {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Before the first byte.
    pub delay: Duration,
    /// Close the connection after this many bytes of the body.
    pub cut_after: Option<usize>,
    /// Never answer.
    pub hang: bool,
    /// Only for requests whose body contains this.
    pub only: Option<String>,
}

impl Scripted {
    pub fn status(status: u16, body: &str) -> Self {
        let body = body.as_bytes().to_vec();
        Self {
            status,
            headers: Vec::new(),
            body,
            delay: Duration::ZERO,
            cut_after: None,
            hang: false,
            only: None,
        }
    }

    /// A chat answer with the given text.
    pub fn text(text: &str, finish_reason: &str) -> Self {
        Self::status(
            200,
            &chat_body("scripted", text, finish_reason, 40, 10).to_string(),
        )
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_string(), value.to_string()));
        self
    }

    pub fn delayed(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.cut_after = Some(bytes);
        self
    }

    pub fn hanging() -> Self {
        Self {
            hang: true,
            ..Self::status(200, "")
        }
    }

    pub fn only(mut self, part: &str) -> Self {
        self.only = Some(part.to_string());
        self
    }
}

/// How often things go wrong, in thousandths of requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    pub limited_with_hint: u32,
    pub limited_bare: u32,
    pub error_500: u32,
    pub error_503: u32,
    pub hang: u32,
    pub cut_body: u32,
    pub wrong_json: u32,
    /// The right answer in a Markdown fence.
    pub fence: u32,
    pub empty_text: u32,
    /// Text that cannot be used.
    pub unusable: u32,
    pub slow_start: u32,
    /// No more than this many in a row for one question.
    pub most_in_a_row: u32,
}

impl Faults {
    /// Three of ten requests, every kind, two of a hundred with text that cannot be used.
    pub fn torture() -> Self {
        Self {
            limited_with_hint: 30,
            limited_bare: 30,
            error_500: 50,
            error_503: 50,
            hang: 5,
            cut_body: 30,
            wrong_json: 25,
            fence: 20,
            empty_text: 10,
            unusable: 20,
            slow_start: 30,
            most_in_a_row: 5,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Config {
    pub latency: Duration,
    pub embedding_latency: Duration,
    pub dimensions: usize,
    /// Entities in a first extraction, and more in a gleaning.
    pub entities: usize,
    pub glean: usize,
    pub seed: u64,
    pub faults: Faults,
    /// Wait told with `Retry-After`, in seconds.
    pub retry_after: f64,
    /// Answer no schema, as small servers do.
    pub refuse_schema: bool,
    /// Requests and tokens in any period, enforced with 429.
    pub limits: Option<(u64, u64, Duration)>,
    /// Keep every request's body for [`StandIn::requests`].
    pub keep_bodies: bool,
    /// Key that must be sent.
    pub key: Option<String>,
    /// How the Batch API behaves.
    pub batch: batch::Behaviour,
    /// Answers of a real model, given before made-up ones.
    pub recorded: Vec<Recorded>,
}

/// An answer that a real model gave.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct Recorded {
    /// The kind of question, as [`answers::kind`] tells it.
    pub kind: String,
    /// Words of the question that it answers and no other; empty where it will do for any question of its kind.
    pub about: String,
    pub text: String,
    pub finish_reason: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            latency: Duration::ZERO,
            embedding_latency: Duration::ZERO,
            dimensions: 64,
            entities: 12,
            glean: 4,
            seed: 1,
            faults: Faults::default(),
            retry_after: 0.2,
            refuse_schema: false,
            limits: None,
            keep_bodies: false,
            key: None,
            batch: batch::Behaviour::default(),
            recorded: Vec::new(),
        }
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Since the server started.
    pub at: Duration,
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

#[derive(Default)]
pub struct Counts {
    /// Requests by kind of question.
    pub by_kind: BTreeMap<String, u64>,
    /// Requests by hash of the exact body.
    pub by_body: HashMap<[u8; 32], u64>,
    /// Whole answers written, by hash of the exact body.
    pub answered: HashMap<[u8; 32], u64>,
    pub faults: BTreeMap<&'static str, u64>,
    pub in_flight: u64,
    pub peak_in_flight: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub requests: u64,
    pub inputs_embedded: u64,
}

struct State {
    config: Config,
    started: Instant,
    script: VecDeque<Scripted>,
    counts: Counts,
    seen: Vec<Seen>,
    /// How often each question was asked, and its faults in a row.
    asked: HashMap<[u8; 32], (u64, u32)>,
    /// What passed the limits lately: moment and tokens.
    window: VecDeque<(Instant, u64)>,
    batches: batch::Batches,
}

/// The running server; stops when dropped.
pub struct StandIn {
    pub port: u16,
    state: Arc<Mutex<State>>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for StandIn {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl StandIn {
    /// Starts on a free port of the loopback address, on a thread of its own.
    pub fn start(config: Config) -> Self {
        Self::start_at(0, config)
    }

    /// Starts on this port, where another has stopped.
    pub fn start_at(port: u16, config: Config) -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", port)).expect("a free port");
        listener.set_nonblocking(true).expect("a listener");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(Mutex::new(State {
            config,
            started: Instant::now(),
            script: VecDeque::new(),
            counts: Counts::default(),
            seen: Vec::new(),
            asked: HashMap::new(),
            window: VecDeque::new(),
            batches: batch::Batches::default(),
        }));
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).expect("a listener");
                let accept = async {
                    while let Ok((stream, _)) = listener.accept().await {
                        let _ = stream.set_nodelay(true);
                        tokio::spawn(serve(stream, Arc::clone(&shared)));
                    }
                };
                tokio::select! {
                    () = accept => {}
                    _ = stopped => {}
                }
            });
        });
        Self {
            port,
            state,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Address for `api_base`.
    pub fn base(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Settings that name this server for completions, and `more`.
    pub fn settings(&self, more: &str) -> String {
        format!(
            "completion_models:\n  default_completion_model:\n    model_provider: openai\n    model: stand-in\n    api_base: {}\n    api_key: sk-test-secret\n    retry:\n      max_retries: 4\n      max_delay: 0.05\nlimits:\n  call_timeout: 5\n{more}",
            self.base()
        )
    }

    /// Adds replies to the script.
    pub fn script(&self, replies: impl IntoIterator<Item = Scripted>) {
        self.state().script.extend(replies);
    }

    pub fn configure(&self, change: impl FnOnce(&mut Config)) {
        change(&mut self.state().config);
    }

    pub fn counts<T>(&self, look: impl FnOnce(&Counts) -> T) -> T {
        look(&self.state().counts)
    }

    pub fn requests(&self) -> Vec<Seen> {
        self.state().seen.clone()
    }

    pub fn batches<T>(&self, look: impl FnOnce(&batch::Batches) -> T) -> T {
        look(&self.state().batches)
    }

    /// Answers written more than once for the very same request.
    pub fn repeated_answers(&self) -> u64 {
        self.counts(|counts| counts.answered.values().map(|times| times - 1).sum())
    }

    pub fn reset_counts(&self) {
        let mut state = self.state();
        state.counts = Counts {
            in_flight: state.counts.in_flight,
            ..Counts::default()
        };
        state.seen.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the server's state")
    }
}

/// What to write back.
struct Reply {
    scripted: Scripted,
    /// Stream this text instead of the body.
    stream: Option<String>,
    /// Counts as an answer once written whole.
    answers: Option<[u8; 32]>,
    usage: (u64, u64),
}

/// In the question that the program begins a run with.
const PROBE: &str = "Reply with the word ready.";

async fn serve(mut stream: TcpStream, state: Arc<Mutex<State>>) {
    let mut buffer = Vec::new();
    while let Some((method, path, headers, body)) = read_request(&mut stream, &mut buffer).await {
        {
            let mut state = state.lock().expect("the server's state");
            state.counts.in_flight += 1;
            state.counts.requests += 1;
            state.counts.peak_in_flight = state.counts.peak_in_flight.max(state.counts.in_flight);
        }
        let reply = match batch::respond(&state, &method, &path, &headers, &body) {
            Some(reply) => plain(reply),
            None => respond(&state, &path, headers, &body),
        };
        let goes_on = write_reply(&mut stream, &reply).await;
        let mut state = state.lock().expect("the server's state");
        state.counts.in_flight -= 1;
        // Every process that did not see the end of a probe makes it again.
        let is_probe = String::from_utf8_lossy(&body).contains(PROBE);
        if goes_on
            && !is_probe
            && let Some(hash) = reply.answers
        {
            *state.counts.answered.entry(hash).or_insert(0) += 1;
        }
        drop(state);
        if !goes_on {
            return;
        }
    }
}

async fn read_request(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
) -> Option<(String, String, BTreeMap<String, String>, Vec<u8>)> {
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&buffer[..head_end]).into_owned();
    let method = head.split_whitespace().next()?.to_string();
    let path = head.split_whitespace().nth(1)?.to_string();
    let headers: BTreeMap<String, String> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_string()))
        .collect();
    let length: usize = headers
        .get("content-length")
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    while buffer.len() < head_end + length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let body = buffer[head_end..head_end + length].to_vec();
    buffer.drain(..head_end + length);
    Some((method, path, headers, body))
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

fn plain(scripted: Scripted) -> Reply {
    Reply {
        scripted,
        stream: None,
        answers: None,
        usage: (0, 0),
    }
}

fn error(status: u16, message: &str) -> Scripted {
    Scripted::status(
        status,
        &json!({"error": {"message": message, "type": "stand_in", "code": status.to_string()}})
            .to_string(),
    )
}

fn respond(
    state: &Mutex<State>,
    path: &str,
    headers: BTreeMap<String, String>,
    body: &[u8],
) -> Reply {
    let value: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let exact = hash(body);
    let mut guard = state.lock().expect("the server's state");
    let state = &mut *guard;
    *state.counts.by_body.entry(exact).or_insert(0) += 1;
    if state.config.keep_bodies {
        let at = state.started.elapsed();
        state.seen.push(Seen {
            at,
            path: path.to_string(),
            headers: headers.clone(),
            body: value.clone(),
        });
    }
    let text = String::from_utf8_lossy(body);
    let next = state.script.iter().position(|reply| {
        reply
            .only
            .as_ref()
            .is_none_or(|part| text.contains(part.as_str()))
    });
    if let Some(reply) = next.and_then(|at| state.script.remove(at)) {
        return plain(reply);
    }
    if let Some(key) = &state.config.key {
        let sent = headers
            .get("authorization")
            .or(headers.get("api-key"))
            .map(|sent| sent.trim_start_matches("Bearer "));
        if sent != Some(key.as_str()) {
            return plain(error(401, "Incorrect API key provided."));
        }
    }
    let route = path.split('?').next().unwrap_or(path);
    if route.ends_with("/models") {
        return plain(Scripted::status(
            200,
            r#"{"object":"list","data":[{"id":"stand-in","object":"model"}]}"#,
        ));
    }
    let embedding = route.ends_with("/embeddings");
    if !embedding && !route.ends_with("/chat/completions") {
        return plain(error(404, "no such route"));
    }
    if state.config.refuse_schema && value.get("response_format").is_some() {
        return plain(error(
            400,
            "response_format is not supported by this server",
        ));
    }
    let mut finish_reason = "stop".to_owned();
    let (question, kind, answer, usage) = if embedding {
        let usage = (text.len() as u64 / 4, 0);
        (exact, "embed".to_string(), String::new(), usage)
    } else {
        let messages = answers::messages(&value);
        let question = answers::question(&value, &messages);
        let kind = answers::kind(&messages);
        let recorded = recorded(&state.config.recorded, kind, &messages, &question);
        finish_reason = recorded.map_or("stop", |own| &own.finish_reason).to_owned();
        let answer = match recorded {
            Some(own) => own.text.clone(),
            None => answers::answer(kind, &messages, state.config.entities, state.config.glean),
        };
        let prompt: usize = messages
            .iter()
            .map(|(_, content)| content.chars().count())
            .sum();
        let usage = (
            prompt as u64 / 4,
            (answer.chars().count() as u64 / 4).max(1),
        );
        (hash(question.as_bytes()), kind.to_string(), answer, usage)
    };
    *state.counts.by_kind.entry(kind.clone()).or_insert(0) += 1;
    if let Some((requests, tokens, period)) = state.config.limits {
        let now = Instant::now();
        while state
            .window
            .front()
            .is_some_and(|(at, _)| now.duration_since(*at) >= period)
        {
            state.window.pop_front();
        }
        let used: u64 = state.window.iter().map(|(_, tokens)| tokens).sum();
        if state.window.len() as u64 >= requests || used + usage.0 + usage.1 > tokens {
            *state.counts.faults.entry("over_limit").or_insert(0) += 1;
            return plain(
                error(429, "Rate limit reached")
                    .header("retry-after", &state.config.retry_after.to_string()),
            );
        }
        state.window.push_back((now, usage.0 + usage.1));
    }
    let latency = if embedding {
        state.config.embedding_latency
    } else {
        state.config.latency
    };
    let fault = draw_fault(state, question, &kind);
    if let Some(fault) = fault {
        *state.counts.faults.entry(fault).or_insert(0) += 1;
    }
    let body = if embedding {
        embeddings(&value, state)
    } else {
        let text = match fault {
            Some("fence") => format!("Here you are:\n```json\n{answer}\n```"),
            Some("empty_text") => String::new(),
            Some("unusable") => "Something went wrong on my side. Please wait.".to_string(),
            _ => answer.clone(),
        };
        chat_body(
            value["model"].as_str().unwrap_or_default(),
            &text,
            &finish_reason,
            usage.0,
            usage.1,
        )
        .to_string()
    };
    let reply = Scripted::status(200, &body).delayed(latency);
    let reply = match fault {
        Some("limited_with_hint") => error(429, "Rate limit reached")
            .header("retry-after", &state.config.retry_after.to_string()),
        Some("limited_bare") => error(429, "Rate limit reached"),
        Some("error_500") => error(500, "The server had an error"),
        Some("error_503") => Scripted::status(503, "<html><body>Service unavailable</body></html>"),
        Some("hang") => Scripted::hanging(),
        Some("cut_body") => {
            let half = reply.body.len() / 2;
            reply.cut_after(half)
        }
        Some("wrong_json") => {
            Scripted::status(200, &body[..body.floor_char_boundary(body.len() / 2)])
        }
        Some("slow_start") => reply.delayed(latency + Duration::from_millis(300)),
        _ => reply,
    };
    let whole = reply.status == 200
        && !reply.hang
        && reply.cut_after.is_none()
        && fault != Some("wrong_json");
    if whole {
        state.counts.prompt_tokens += usage.0;
        state.counts.completion_tokens += usage.1;
    }
    let stream = (whole && value["stream"] == json!(true)).then_some(answer);
    Reply {
        scripted: reply,
        stream,
        answers: whole.then_some(exact),
        usage,
    }
}

/// A fault from the seed, the question and how often it was asked.
fn draw_fault(state: &mut State, question: [u8; 32], kind: &str) -> Option<&'static str> {
    let faults = state.config.faults;
    let (times, in_a_row) = state.asked.entry(question).or_insert((0, 0));
    *times += 1;
    let mut bytes = question.to_vec();
    bytes.extend(times.to_le_bytes());
    bytes.extend(state.config.seed.to_le_bytes());
    let roll = u32::from_le_bytes(hash(&bytes)[..4].try_into().expect("four bytes")) % 1000;
    let table = [
        ("limited_with_hint", faults.limited_with_hint),
        ("limited_bare", faults.limited_bare),
        ("error_500", faults.error_500),
        ("error_503", faults.error_503),
        ("hang", faults.hang),
        ("cut_body", faults.cut_body),
        ("wrong_json", faults.wrong_json),
        ("slow_start", faults.slow_start),
        ("fence", faults.fence),
        ("empty_text", faults.empty_text),
        ("unusable", faults.unusable),
    ];
    let mut up_to = 0;
    let drawn = table.into_iter().find(|(_, share)| {
        up_to += share;
        roll < up_to
    });
    let drawn = drawn.map(|(name, _)| name).filter(|name| {
        let about_text = matches!(*name, "fence" | "empty_text" | "unusable");
        // prose answers have no form to break, vectors no text
        let has_form = matches!(
            kind,
            "extract" | "continue" | "claims" | "report" | "map" | "rate"
        );
        (!about_text || has_form) && *in_a_row < faults.most_in_a_row
    });
    *in_a_row = if drawn.is_some_and(|name| name != "slow_start" && name != "fence") {
        *in_a_row + 1
    } else {
        0
    };
    drawn
}

fn chat_body(model: &str, text: &str, finish_reason: &str, prompt: u64, completion: u64) -> Value {
    json!({
        "id": "chatcmpl-stand-in", "object": "chat.completion", "created": 1_700_000_000, "model": model,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
    })
}

fn embeddings(value: &Value, state: &mut State) -> String {
    let inputs: Vec<&str> = match &value["input"] {
        Value::String(text) => vec![text],
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    state.counts.inputs_embedded += inputs.len() as u64;
    let base64 = value["encoding_format"] == json!("base64");
    let data: Vec<Value> = inputs
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let vector = answers::vector(text, state.config.dimensions);
            let embedding = match base64 {
                true => {
                    let bytes: Vec<u8> = vector
                        .iter()
                        .flat_map(|value| value.to_le_bytes())
                        .collect();
                    Value::String(base64::engine::general_purpose::STANDARD.encode(bytes))
                }
                false => json!(vector),
            };
            json!({"object": "embedding", "index": index, "embedding": embedding})
        })
        .collect();
    let tokens = inputs
        .iter()
        .map(|text| text.len() as u64 / 4)
        .sum::<u64>()
        .max(1);
    json!({"object": "list", "data": data, "model": value["model"], "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}).to_string()
}

/// The recorded answer to a question: the one about it, or one of those that will do, always the same.
fn recorded<'a>(
    all: &'a [Recorded],
    kind: &str,
    messages: &[(String, String)],
    question: &str,
) -> Option<&'a Recorded> {
    let own: Vec<&Recorded> = all.iter().filter(|one| one.kind == kind).collect();
    let asked = |words: &str| messages.iter().any(|(_, text)| text.contains(words));
    let about = own
        .iter()
        .find(|one| !one.about.is_empty() && asked(&one.about));
    let any: Vec<&&Recorded> = own.iter().filter(|one| one.about.is_empty()).collect();
    let drawn = u64::from(hash(question.as_bytes())[0]) as usize;
    about
        .or_else(|| any.get(drawn % any.len().max(1)).copied())
        .copied()
}

/// Writes the reply; false when the connection ends with it.
async fn write_reply(stream: &mut TcpStream, reply: &Reply) -> bool {
    let Scripted {
        status,
        headers,
        body,
        delay,
        cut_after,
        hang,
        ..
    } = &reply.scripted;
    if *hang {
        // until the client gives up
        let mut rest = [0u8; 64];
        while matches!(stream.read(&mut rest).await, Ok(n) if n > 0) {}
        return false;
    }
    if !delay.is_zero() {
        tokio::time::sleep(*delay).await;
    }
    // a client that is gone receives nothing: what is written to it now is no answer
    if !matches!(stream.try_read(&mut [0u8; 1]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    {
        return false;
    }
    if let Some(text) = &reply.stream {
        return write_stream(stream, text, reply.usage).await.is_ok();
    }
    let mut head = format!(
        "HTTP/1.1 {status} Stand-In\r\ncontent-length: {}\r\n",
        body.len()
    );
    if !headers.iter().any(|(name, _)| name == "content-type") {
        head.push_str("content-type: application/json\r\n");
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(&body[..cut_after.unwrap_or(body.len()).min(body.len())]);
    stream.write_all(&bytes).await.is_ok() && cut_after.is_none()
}

async fn write_stream(
    stream: &mut TcpStream,
    text: &str,
    usage: (u64, u64),
) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n").await?;
    let mut events: Vec<Value> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rest.ceil_char_boundary(40.min(rest.len())));
        rest = after;
        events.push(
            json!({"choices": [{"index": 0, "delta": {"content": part}, "finish_reason": null}]}),
        );
    }
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
    events.push(json!({"choices": [], "usage": {"prompt_tokens": usage.0, "completion_tokens": usage.1, "total_tokens": usage.0 + usage.1}}));
    for event in events
        .iter()
        .map(Value::to_string)
        .chain(["[DONE]".to_string()])
    {
        let data = format!("data: {event}\n\n");
        stream
            .write_all(format!("{:x}\r\n{data}\r\n", data.len()).as_bytes())
            .await?;
    }
    stream.write_all(b"0\r\n\r\n").await
}
