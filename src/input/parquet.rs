//! Parquet: one document a row, read row by row.

use std::fs::File;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::parquet::file::reader::FileReader;
use ::parquet::file::serialized_reader::SerializedFileReader;
use ::parquet::record::{Field, Row};
use serde_json::{Map, Value};

use super::Sink;
use super::decode::unreadable;
use super::discover::SourceFile;
use super::report::FileReport;
use super::row::{Columns, RowWriter};
use super::settings::{InputError, InputSettings};

pub(super) fn read(
    file: &SourceFile,
    settings: &InputSettings,
    report: &mut FileReport,
    sink: &mut Sink<'_>,
) -> Result<(), InputError> {
    let opened = match File::open(&file.location) {
        Ok(opened) => opened,
        Err(error) => {
            report.fail_file(unreadable(&error));
            return Ok(());
        }
    };
    let reader =
        match guarded(|| SerializedFileReader::new(opened).map_err(|error| error.to_string())) {
            Ok(reader) => reader,
            Err(reason) => {
                report.fail_file(format!("not Parquet: {reason}; write the file again"));
                return Ok(());
            }
        };
    let schema = reader.metadata().file_metadata().schema();
    let names: Vec<String> = schema
        .get_fields()
        .iter()
        .map(|field| field.name().to_owned())
        .collect();
    let mut rows = RowWriter::new(file, settings, report, sink);
    rows.require_columns(names.iter().map(String::as_str))?;

    let mut iterator = reader.into_iter();
    loop {
        let next = guarded(|| {
            iterator
                .next()
                .transpose()
                .map_err(|error| error.to_string())
        });
        match next {
            Ok(Some(row)) => {
                if let ControlFlow::Break(()) = rows.push(columns(row)) {
                    return Ok(());
                }
            }
            Ok(None) => return Ok(()),
            Err(reason) => {
                rows.fail_rest(format!(
                    "reading stopped: {reason}; write the file again, with snappy, gzip or no compression"
                ));
                return Ok(());
            }
        }
    }
}

/// A damaged file can make the decoder panic on an index; that must cost the file, not the run. The state behind a
/// caught panic is dropped unread.
fn guarded<T>(step: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| Err("the file is damaged".to_owned()))
}

fn columns(row: Row) -> Columns {
    row.into_columns()
        .into_iter()
        // The row labels that pandas adds.
        .filter(|(name, _)| !name.starts_with("__index_level_"))
        .map(|(name, field)| (name, value(field)))
        .collect()
}

fn value(field: Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(flag) => Value::Bool(flag),
        Field::Byte(number) => number.into(),
        Field::Short(number) => number.into(),
        Field::Int(number) => number.into(),
        Field::Long(number) => number.into(),
        Field::UByte(number) => number.into(),
        Field::UShort(number) => number.into(),
        Field::UInt(number) => number.into(),
        Field::ULong(number) => number.into(),
        Field::Float16(number) => f64::from(number).into(),
        Field::Float(number) => f64::from(number).into(),
        Field::Double(number) => number.into(),
        Field::Str(text) => Value::String(text),
        // A binary column without a text annotation often holds text all the same.
        Field::Bytes(bytes) => match std::str::from_utf8(bytes.data()) {
            Ok(text) => Value::from(text),
            Err(_) => Value::Null,
        },
        Field::Group(row) => Value::Object(columns(row)),
        Field::ListInternal(list) => list.elements().iter().cloned().map(value).collect(),
        Field::MapInternal(map) => {
            let entries: Map<String, Value> = map
                .entries()
                .iter()
                .map(|(key, entry)| (plain(key), value(entry.clone())))
                .collect();
            Value::Object(entries)
        }
        // Dates, times and decimals print as people write them.
        other => Value::String(plain(&other)),
    }
}

fn plain(field: &Field) -> String {
    match field {
        Field::Str(text) => text.clone(),
        other => other.to_string(),
    }
}
