//! Text and Markdown files: the whole file is the text, front matter and all.

use encoding_rs::Encoding;
use serde_json::{Map, Value};

use super::Sink;
use super::decode::{decode, unreadable};
use super::discover::SourceFile;
use super::report::FileReport;
use crate::model::{Document, Outcome};

pub(super) fn read(
    file: &SourceFile,
    configured: Option<&'static Encoding>,
    report: &mut FileReport,
    sink: &mut Sink<'_>,
) {
    let bytes = match std::fs::read(&file.location) {
        Ok(bytes) => bytes,
        Err(error) => return report.fail_file(unreadable(&error)),
    };
    match decode(bytes, configured, None) {
        Ok(decoded) => {
            report.decoded_as = decoded.decoded_as;
            let outcome = decoded.repaired.map_or(Outcome::Ok, Outcome::Repaired);
            hand_on(file, Content::of(decoded.text), outcome, report, sink);
        }
        Err(reason) => report.fail_file(reason),
    }
}

/// What a reader of whole files found in one.
pub(super) struct Content {
    /// The text.
    pub text: String,
    /// ISO 8601, from the content.
    pub creation_date: Option<String>,
    /// Properties worth keeping.
    pub metadata: Option<Map<String, Value>>,
}

impl Content {
    /// Text and nothing else.
    pub(super) fn of(text: String) -> Self {
        Self {
            text,
            creation_date: None,
            metadata: None,
        }
    }
}

/// Hands on the one document of a file, or reports that it has no visible text.
pub(super) fn hand_on(
    file: &SourceFile,
    content: Content,
    outcome: Outcome,
    report: &mut FileReport,
    sink: &mut Sink<'_>,
) {
    if content.text.trim_start().is_empty() {
        return report.add(file.path.clone(), Outcome::Empty);
    }
    report.add(file.path.clone(), outcome);
    // One document a file: there is nothing left to stop.
    let _ = sink(Document {
        id: Document::derive_id(&file.path_bytes, &content.text),
        title: file.name().to_owned(),
        path: file.path.clone(),
        text: content.text,
        creation_date: content.creation_date,
        metadata: content.metadata,
    });
}
