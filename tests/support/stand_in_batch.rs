//! The stand-in's Batch API: files, batches, and what goes wrong with them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use serde_json::{Value, json};

use super::{Scripted, State, error, hash};

/// How the Batch API behaves. What goes wrong goes wrong once for each question, so that a second batch answers it.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    /// Looks at a batch that find it still in progress.
    pub looks: u32,
    /// Batches stay in progress until this is taken back.
    pub stuck: bool,
    /// Of a thousand lines, how many get an error 500 in the error file.
    pub failed_lines: u64,
    /// Of a thousand lines, how many stand in neither file.
    pub missing_lines: u64,
    /// The first batch expires after so many answers.
    pub expires_after: Option<usize>,
    /// Lines fail every time.
    pub always: bool,
    /// So many requests for a file's content get an error 500.
    pub failed_fetches: u32,
    /// So many creations of a batch are carried out and never answered.
    pub silent_creations: u32,
    /// So many creations of a batch are carried out and answered with an error 500.
    pub failed_creations: u32,
    /// A batch with more lines fails as a whole for its tokens.
    pub token_limit_lines: Option<usize>,
    /// Every batch fails its validation.
    pub refused: bool,
}

#[derive(Clone, Debug)]
pub struct Made {
    pub id: String,
    pub metadata: Value,
    pub lines: usize,
    pub bytes: usize,
    pub status: &'static str,
    looks_left: u32,
    completed: usize,
    failed: usize,
    output: String,
    errors: String,
}

#[derive(Default)]
pub struct Batches {
    files: HashMap<String, Vec<u8>>,
    pub made: Vec<Made>,
    /// How often each custom id was sent.
    pub sent: BTreeMap<String, u64>,
    pub cancelled: u64,
}

impl Batches {
    /// Lines sent in all batches.
    pub fn lines(&self) -> usize {
        self.made.iter().map(|made| made.lines).sum()
    }
}

/// A reply, if the route is one of the Batch API.
pub(super) fn respond(
    state: &Mutex<State>,
    method: &str,
    path: &str,
    headers: &BTreeMap<String, String>,
    body: &[u8],
) -> Option<Scripted> {
    let route = path.split('?').next()?.strip_prefix("/v1/")?;
    let parts: Vec<&str> = route.split('/').collect();
    let reply = match (method, parts.as_slice()) {
        ("POST", ["files"]) => upload(state, headers, body),
        ("GET", ["files", id, "content"]) => content(state, id),
        ("POST", ["batches"]) => create(state, body),
        ("GET", ["batches"]) => list(state, path),
        ("GET", ["batches", id]) => look(state, id),
        ("POST", ["batches", id, "cancel"]) => cancel(state, id),
        _ => return None,
    };
    Some(reply)
}

fn ok(value: &Value) -> Scripted {
    Scripted::status(200, &value.to_string())
}

fn upload(state: &Mutex<State>, headers: &BTreeMap<String, String>, body: &[u8]) -> Scripted {
    let boundary = headers
        .get("content-type")
        .and_then(|kind| kind.strip_prefix("multipart/form-data; boundary="));
    let Some(boundary) = boundary else {
        return error(400, "not a form");
    };
    let text = String::from_utf8_lossy(body);
    let part = |name: &str| {
        let part = text
            .split(&format!("--{boundary}"))
            .find(|part| part.contains(&format!("name=\"{name}\"")))?;
        let (_, value) = part.split_once("\r\n\r\n")?;
        value.strip_suffix("\r\n").map(str::to_owned)
    };
    if part("purpose").as_deref() != Some("batch") {
        return error(400, "purpose must be batch");
    }
    let Some(file) = part("file") else {
        return error(400, "no file");
    };
    let mut state = state.lock().expect("the server's state");
    let id = format!("file-{}", state.batches.files.len());
    state.batches.files.insert(id.clone(), file.into_bytes());
    ok(&json!({"id": id, "object": "file", "purpose": "batch"}))
}

fn content(state: &Mutex<State>, id: &str) -> Scripted {
    let mut state = state.lock().expect("the server's state");
    if state.config.batch.failed_fetches > 0 {
        state.config.batch.failed_fetches -= 1;
        return error(500, "The server had an error");
    }
    let own = |suffix: &str| id.strip_suffix(suffix);
    let found = state.batches.made.iter().find_map(|made| {
        if own("-output") == Some(&made.id) {
            Some(made.output.clone())
        } else if own("-errors") == Some(&made.id) {
            Some(made.errors.clone())
        } else {
            None
        }
    });
    match found {
        Some(lines) => Scripted::status(200, &lines),
        None => error(404, "no such file"),
    }
}

fn create(state: &Mutex<State>, body: &[u8]) -> Scripted {
    let value: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    if value["endpoint"] != "/v1/chat/completions" || value["completion_window"] != "24h" {
        return error(400, "wrong endpoint or window");
    }
    let (file, behaviour, number) = {
        let state = state.lock().expect("the server's state");
        let file = value["input_file_id"]
            .as_str()
            .and_then(|id| state.batches.files.get(id))
            .cloned();
        (file, state.config.batch.clone(), state.batches.made.len())
    };
    let Some(file) = file else {
        return error(400, "no such file");
    };
    let mut made = Made {
        id: format!("batch_{number}"),
        metadata: value["metadata"].clone(),
        lines: 0,
        bytes: file.len(),
        status: "in_progress",
        looks_left: behaviour.looks,
        completed: 0,
        failed: 0,
        output: String::new(),
        errors: String::new(),
    };
    run(state, &file, &behaviour, &mut made);
    let reply = ok(&shown(&made));
    let mut state = state.lock().expect("the server's state");
    state.batches.made.push(made);
    if behaviour.silent_creations > 0 {
        state.config.batch.silent_creations -= 1;
        return Scripted::hanging();
    }
    if behaviour.failed_creations > 0 {
        state.config.batch.failed_creations -= 1;
        return error(500, "The server had an error");
    }
    reply
}

/// Answers every line, or what the behaviour leaves of it.
fn run(state: &Mutex<State>, file: &[u8], behaviour: &Behaviour, made: &mut Made) {
    let lines: Vec<Value> = file
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("a line of JSON"))
        .collect();
    made.lines = lines.len();
    if behaviour.refused
        || behaviour
            .token_limit_lines
            .is_some_and(|most| lines.len() > most)
    {
        made.status = "failed";
        return;
    }
    let expires = behaviour.expires_after.filter(|_| made.id == "batch_0");
    for (at, line) in lines.iter().enumerate() {
        let id = line["custom_id"].as_str().expect("a custom id").to_owned();
        assert_eq!(line["method"], "POST");
        assert_eq!(line["url"], "/v1/chat/completions");
        let times = {
            let mut state = state.lock().expect("the server's state");
            let times = state.batches.sent.entry(id.clone()).or_insert(0);
            *times += 1;
            *times
        };
        if expires.is_some_and(|most| at >= most) {
            let expired = json!({"id": format!("r{at}"), "custom_id": id, "response": null,
                "error": {"code": "batch_expired", "message": "This request could not be executed before the completion window expired."}});
            made.errors.push_str(&format!("{expired}\n"));
            continue;
        }
        let roll =
            u64::from_le_bytes(hash(id.as_bytes())[..8].try_into().expect("eight bytes")) % 1000;
        let fails = times == 1 || behaviour.always;
        if fails && roll < behaviour.failed_lines {
            made.failed += 1;
            let failed = json!({"id": format!("r{at}"), "custom_id": id, "error": null,
                "response": {"status_code": 500, "body": {"error": {"message": "The server had an error"}}}});
            made.errors.push_str(&format!("{failed}\n"));
            continue;
        }
        if fails && roll >= 1000 - behaviour.missing_lines {
            continue;
        }
        let body = serde_json::to_vec(&line["body"]).expect("JSON");
        let reply = super::respond(state, "/v1/chat/completions", BTreeMap::new(), &body);
        let answer: Value = serde_json::from_slice(&reply.scripted.body).unwrap_or(Value::Null);
        let status = reply.scripted.status;
        let line = json!({"id": format!("r{at}"), "custom_id": id, "error": null,
            "response": {"status_code": status, "request_id": "r", "body": answer}});
        if status == 200 {
            made.completed += 1;
            made.output.push_str(&format!("{line}\n"));
            if let Some(exact) = reply.answers {
                let mut state = state.lock().expect("the server's state");
                *state.counts.answered.entry(exact).or_insert(0) += 1;
            }
        } else {
            made.failed += 1;
            made.errors.push_str(&format!("{line}\n"));
        }
    }
    made.status = if expires.is_some() {
        "expired"
    } else {
        "completed"
    };
}

/// The batch as the API tells of it.
fn shown(made: &Made) -> Value {
    let ended = made.looks_left == 0;
    let file = |lines: &str, kind: &str| match ended && !lines.is_empty() {
        true => json!(format!("{}-{kind}", made.id)),
        false => Value::Null,
    };
    let errors = match (ended, made.status) {
        (true, "failed") => json!({"object": "list", "data": [{"code": "token_limit_exceeded",
            "message": "Enqueued token limit reached for stand-in in organization org."}]}),
        _ => Value::Null,
    };
    let completed = if ended {
        made.completed
    } else {
        made.completed / 2
    };
    json!({
        "id": made.id, "object": "batch", "endpoint": "/v1/chat/completions",
        "status": if ended { made.status } else { "in_progress" },
        "created_at": std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        "output_file_id": file(&made.output, "output"), "error_file_id": file(&made.errors, "errors"),
        "request_counts": {"total": made.lines, "completed": completed, "failed": made.failed},
        "errors": errors, "metadata": made.metadata,
    })
}

fn look(state: &Mutex<State>, id: &str) -> Scripted {
    let mut state = state.lock().expect("the server's state");
    let stuck = state.config.batch.stuck;
    let refused = state.config.batch.refused;
    let Some(made) = state.batches.made.iter_mut().find(|made| made.id == id) else {
        return error(404, "No such batch");
    };
    if stuck {
        made.looks_left = made.looks_left.max(1);
    } else {
        made.looks_left = made.looks_left.saturating_sub(1);
    }
    let mut value = shown(made);
    if refused {
        value["errors"] = json!({"data": [{"code": "model_not_found", "message": "The provided model 'stand-in' is not supported by the Batch API."}]});
    }
    ok(&value)
}

fn list(state: &Mutex<State>, path: &str) -> Scripted {
    let state = state.lock().expect("the server's state");
    let after = path.split("after=").nth(1);
    let mut newest: Vec<&Made> = state.batches.made.iter().rev().collect();
    if let Some(at) = newest
        .iter()
        .position(|made| Some(made.id.as_str()) == after)
    {
        newest.drain(..=at);
    }
    // small pages, so that turning them is tried
    let has_more = newest.len() > 2;
    let data: Vec<Value> = newest.into_iter().take(2).map(shown).collect();
    ok(&json!({"object": "list", "data": data, "has_more": has_more}))
}

fn cancel(state: &Mutex<State>, id: &str) -> Scripted {
    let mut state = state.lock().expect("the server's state");
    state.batches.cancelled += 1;
    let Some(made) = state.batches.made.iter_mut().find(|made| made.id == id) else {
        return error(404, "No such batch");
    };
    made.status = "cancelled";
    made.looks_left = 0;
    ok(&shown(made))
}
