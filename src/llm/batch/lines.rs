//! The lines of a batch file: questions out, replies in.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::error::shown;
use super::super::request::Key;
use super::super::transport::{Fate, Headers, HttpReply, SendError};
use super::record::{custom_id, key_of};

/// What a line says of its question, in the terms of a call that was sent by itself.
pub(crate) type Reply = Result<HttpReply, SendError>;

/// Appends one question; `body` is JSON on one line.
pub(crate) fn push_line(out: &mut Vec<u8>, id: Key, url: &str, body: &str) {
    out.extend_from_slice(b"{\"custom_id\":\"");
    out.extend_from_slice(custom_id(id).as_bytes());
    out.extend_from_slice(b"\",\"method\":\"POST\",\"url\":\"");
    out.extend_from_slice(url.as_bytes());
    out.extend_from_slice(b"\",\"body\":");
    out.extend_from_slice(body.as_bytes());
    out.extend_from_slice(b"}\n");
}

/// Bytes of a line beside its body, at most.
pub(crate) const AROUND_BODY: usize = 128;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    custom_id: Cow<'a, str>,
    #[serde(borrow, default)]
    response: Option<Response<'a>>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(default)]
    status_code: Option<u16>,
    #[serde(borrow, default)]
    body: Option<&'a RawValue>,
}

/// A question the batch left without an answer: not charged, to be asked again.
pub(crate) fn unanswered(words: &str) -> Reply {
    Err(SendError {
        words: shown(words),
        maybe_charged: false,
        fate: Fate::MayPass,
    })
}

/// Reads an output or error file. Lines that are no replies are skipped: their questions count as unanswered.
pub(crate) fn read_lines(file: &[u8]) -> impl Iterator<Item = (Key, Reply)> {
    file.split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Line<'_>>(line).ok())
        .filter_map(|line| Some((key_of(&line.custom_id)?, read(line))))
}

fn read(line: Line<'_>) -> Reply {
    let body = line.response.as_ref().and_then(|response| response.body);
    let status = line
        .response
        .as_ref()
        .and_then(|response| response.status_code);
    match (status, body) {
        (Some(status), body) if status > 0 => Ok(HttpReply {
            status,
            headers: Headers::default(),
            body: body.map_or_else(Bytes::new, |body| {
                Bytes::copy_from_slice(body.get().as_bytes())
            }),
        }),
        (None, Some(body)) if line.error.is_none() => Ok(HttpReply {
            status: 200,
            headers: Headers::default(),
            body: Bytes::copy_from_slice(body.get().as_bytes()),
        }),
        _ => {
            let error = line.error.unwrap_or(Value::Null);
            let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
            unanswered(&format!(
                "not answered in its batch: {} {}",
                part("code"),
                part("message")
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_becomes_one_line() {
        let mut out = Vec::new();
        push_line(
            &mut out,
            Key(7),
            "/v1/chat/completions",
            r#"{"model":"m","messages":[]}"#,
        );
        let line: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(
            line,
            serde_json::json!({"custom_id": "00000000000000000000000000000007", "method": "POST",
                "url": "/v1/chat/completions", "body": {"model": "m", "messages": []}})
        );
        assert_eq!(out.iter().filter(|&&byte| byte == b'\n').count(), 1);
        assert!(out.len() <= AROUND_BODY + 27);
    }

    // The forms of https://platform.openai.com/docs/guides/batch
    #[test]
    fn replies_errors_and_expired_lines_are_told_apart() {
        let file = concat!(
            r#"{"id":"batch_req_1","custom_id":"00000000000000000000000000000001","response":{"status_code":200,"request_id":"r","body":{"choices":[]}},"error":null}"#,
            "\n",
            r#"{"id":"batch_req_2","custom_id":"00000000000000000000000000000002","response":{"status_code":400,"body":{"error":{"message":"no"}}},"error":null}"#,
            "\n",
            r#"{"id":"batch_req_3","custom_id":"00000000000000000000000000000003","response":null,"error":{"code":"batch_expired","message":"This request could not be executed before the completion window expired."}}"#,
            "\n\nnot json\n",
            r#"{"custom_id":"no name of ours","response":{"status_code":200,"body":{}}}"#,
        );
        let lines: Vec<(Key, Reply)> = read_lines(file.as_bytes()).collect();
        assert_eq!(lines.len(), 3);
        let first = lines[0].1.as_ref().unwrap();
        assert_eq!(
            (first.status, &first.body[..]),
            (200, &br#"{"choices":[]}"#[..])
        );
        let second = lines[1].1.as_ref().unwrap();
        assert_eq!(
            (second.status, &second.body[..]),
            (400, &br#"{"error":{"message":"no"}}"#[..])
        );
        let third = lines[2].1.as_ref().unwrap_err();
        assert!(
            !third.maybe_charged && third.words.contains("batch_expired"),
            "{third:?}"
        );
    }
}
