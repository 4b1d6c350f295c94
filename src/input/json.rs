//! JSON: an array of objects or one object, read as a stream. JSONL: one object a line.

use std::fmt;
use std::io::BufRead;
use std::ops::ControlFlow;

use encoding_rs::Encoding;
use serde::de::{Deserializer as _, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::Sink;
use super::decode::{TextStream, open_rows};
use super::discover::SourceFile;
use super::report::FileReport;
use super::row::{Columns, RowWriter};
use super::settings::{InputError, InputSettings};
use crate::model::Outcome;

const NOT_AN_OBJECT: &str = "not an object: make every row an object with a text column";

pub(super) fn read(
    file: &SourceFile,
    settings: &InputSettings,
    configured: Option<&'static Encoding>,
    report: &mut FileReport,
    sink: &mut Sink<'_>,
) -> Result<(), InputError> {
    let Some(TextStream { mut reader, .. }) = open(file, configured, report) else {
        return Ok(());
    };
    let mut rows = Rows {
        writer: RowWriter::new(file, settings, report, sink),
        checked: false,
        stop: None,
    };
    let mut json = serde_json::Deserializer::from_reader(&mut reader);
    let read = json.deserialize_any(&mut rows).and_then(|()| json.end());
    match (rows.stop, read) {
        (Some(Stop::Settings(error)), _) => Err(error),
        (Some(Stop::Sink), _) | (None, Ok(())) => Ok(()),
        (None, Err(error)) => {
            let remedy = if error.to_string().starts_with("trailing characters") {
                "is it one object a line? then name it .jsonl or set input.type to jsonl"
            } else {
                "repair the file"
            };
            rows.writer
                .fail_rest(format!("not JSON: {error}; {remedy}"));
            Ok(())
        }
    }
}

pub(super) fn read_lines(
    file: &SourceFile,
    settings: &InputSettings,
    configured: Option<&'static Encoding>,
    report: &mut FileReport,
    sink: &mut Sink<'_>,
) -> Result<(), InputError> {
    let Some(TextStream {
        mut reader, mark, ..
    }) = open(file, configured, report)
    else {
        return Ok(());
    };
    let mut rows = Rows {
        writer: RowWriter::new(file, settings, report, sink),
        checked: false,
        stop: None,
    };
    let mut line = Vec::new();
    let (mut number, mut offset) = (0u64, mark);
    loop {
        line.clear();
        let length = match reader.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(()),
            Ok(length) => length as u64,
            Err(error) => {
                rows.writer
                    .fail_rest(format!("reading stopped at byte {offset}: {error}"));
                return Ok(());
            }
        };
        number += 1;
        if !line.trim_ascii().is_empty() {
            match serde_json::from_slice::<Value>(&line) {
                Ok(value) => rows.push(value),
                Err(error) => rows.writer.fail(format!(
                    "line {number} (byte {offset}) is not JSON: {error}; repair the line"
                )),
            }
        }
        offset += length;
        match rows.stop {
            Some(Stop::Settings(error)) => return Err(error),
            Some(Stop::Sink) => return Ok(()),
            None => {}
        }
    }
}

/// Opens the stream; reports a file that cannot be opened or has nothing in it.
fn open(
    file: &SourceFile,
    configured: Option<&'static Encoding>,
    report: &mut FileReport,
) -> Option<TextStream> {
    if file.size == 0 {
        report.add(file.path.clone(), Outcome::Empty);
        return None;
    }
    match open_rows(file, configured) {
        Ok(mut stream) => {
            report.decoded_as = stream.decoded_as.take();
            report.note_repair(stream.repaired.take());
            Some(stream)
        }
        Err(reason) => {
            report.fail_file(reason);
            None
        }
    }
}

enum Stop {
    Settings(InputError),
    Sink,
}

struct Rows<'a, 'r, 's> {
    writer: RowWriter<'a, 'r, 's>,
    checked: bool,
    stop: Option<Stop>,
}

impl Rows<'_, '_, '_> {
    /// The first object decides whether the settings' columns exist; later ones may lack them one by one.
    fn push(&mut self, value: Value) {
        let Value::Object(columns) = value else {
            self.writer.fail(NOT_AN_OBJECT.to_owned());
            return;
        };
        if !self.checked {
            self.checked = true;
            let names = columns.keys().map(String::as_str);
            if let Err(error) = self.writer.require_columns(names) {
                self.stop = Some(Stop::Settings(error));
                return;
            }
        }
        if let ControlFlow::Break(()) = self.writer.push(columns) {
            self.stop = Some(Stop::Sink);
        }
    }
}

impl<'de> Visitor<'de> for &mut Rows<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects or one object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        while let Some(value) = array.next_element::<Value>()? {
            self.push(value);
            if self.stop.is_some() {
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let mut columns = Columns::new();
        while let Some((name, value)) = object.next_entry()? {
            columns.insert(name, value);
        }
        self.push(Value::Object(columns));
        Ok(())
    }
}
