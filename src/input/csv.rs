//! CSV: a header line, then one document a row. Quoted fields may hold line ends.

use std::io::BufRead;
use std::ops::ControlFlow;

use encoding_rs::Encoding;
use serde_json::Value;

use super::Sink;
use super::decode::open_rows;
use super::discover::SourceFile;
use super::report::FileReport;
use super::row::{Columns, RowWriter};
use super::settings::{InputError, InputSettings};
use crate::model::Outcome;

pub(super) fn read(
    file: &SourceFile,
    settings: &InputSettings,
    configured: Option<&'static Encoding>,
    report: &mut FileReport,
    sink: &mut Sink<'_>,
) -> Result<(), InputError> {
    let mut stream = match open_rows(file, configured) {
        Ok(stream) => stream,
        Err(reason) => {
            report.fail_file(reason);
            return Ok(());
        }
    };
    report.decoded_as = stream.decoded_as;
    report.note_repair(stream.repaired);
    let delimiter = delimiter(&mut stream.reader);
    let mut reader = ::csv::ReaderBuilder::new()
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(stream.reader);
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(error) => {
            report.fail_file(format!("no header line: {error}; give the columns names"));
            return Ok(());
        }
    };
    if header.iter().all(|name| name.trim().is_empty()) {
        report.add(file.path.clone(), Outcome::Empty);
        return Ok(());
    }
    let names: Vec<String> = header
        .iter()
        .enumerate()
        .map(|(ix, name)| column_name(ix, name))
        .collect();

    let mut rows = RowWriter::new(file, settings, report, sink);
    rows.require_columns(names.iter().map(String::as_str))?;
    let mut record = ::csv::StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) => {}
            Err(error) => {
                rows.fail_rest(format!("reading stopped: {error}; repair the file"));
                return Ok(());
            }
        }
        if record.len() != names.len() {
            let line = record.position().map_or(0, ::csv::Position::line);
            rows.fail(format!(
                "line {line}: {} fields where the header has {}; check its quotes and separators",
                record.len(),
                names.len()
            ));
            continue;
        }
        let columns: Columns = names
            .iter()
            .zip(&record)
            .map(|(name, value)| (name.clone(), Value::from(value)))
            .collect();
        if let ControlFlow::Break(()) = rows.push(columns) {
            return Ok(());
        }
    }
}

fn column_name(ix: usize, name: &str) -> String {
    match name.trim() {
        "" => format!("column {}", ix + 1),
        name => name.to_owned(),
    }
}

/// The separator: a comma, unless the header line has none but has semicolons or tabs.
fn delimiter(reader: &mut dyn BufRead) -> u8 {
    let head = reader.fill_buf().unwrap_or_default();
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let count = |wanted: u8| line.iter().filter(|&&byte| byte == wanted).count();
    match (count(b','), count(b';'), count(b'\t')) {
        (0, semicolons, tabs) if semicolons > 0 && semicolons >= tabs => b';',
        (0, _, tabs) if tabs > 0 => b'\t',
        _ => b',',
    }
}
