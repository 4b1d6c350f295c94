//! Files -> a stream of documents: one reader per format.
//!
//! [`discover`] lists the input folder in a fixed order, [`read`] turns one file into documents, handed to a sink one
//! at a time. Row files (CSV, JSON, JSONL, Parquet) are streamed row by row; other files are one document each, so
//! memory follows the largest file, not the corpus. Trouble with a file or a row ends in the [`FileReport`], never in
//! an error; the one exception is a column that the settings name and the file lacks.
//!
//! A document's date comes from its content alone (a `creation_date` or `date` column, a DOCX property), never from
//! the file system: the same files on another machine must give the same tables.

mod csv;
mod decode;
mod discover;
mod docx;
mod html;
mod json;
mod parquet;
mod pdf;
mod report;
mod row;
mod settings;
mod sniff;
mod text;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

pub use discover::{Selection, SourceFile, discover};
pub use pdf::THREAD as PDF_THREAD;
pub use report::{FileReport, ItemReport};
pub use settings::{Format, InputError, InputKind, InputSettings, MissingColumn};

use crate::model::{Document, IdHasher};

/// Receives documents one by one; `Break` stops the reading of the file.
pub type Sink<'a> = dyn FnMut(Document) -> ControlFlow<()> + 'a;

/// Reads one file and hands its documents to `sink` in file order.
///
/// A file that was not selected is reported as such and not opened.
///
/// # Errors
/// [`InputError::MissingColumn`] when the settings ask for a column that a row file does not have,
/// [`InputError::UnknownEncoding`] for an `input.encoding` nobody knows. Everything else is in the report.
pub fn read(
    file: &SourceFile,
    settings: &InputSettings,
    sink: &mut Sink<'_>,
) -> Result<FileReport, InputError> {
    let mut report = FileReport::new(&file.path);
    let encoding = settings.encoding()?;
    match &file.selection {
        Selection::Read(format) => match format {
            Format::Text => text::read(file, encoding, &mut report, sink),
            Format::Html => html::read(file, encoding, &mut report, sink),
            Format::Pdf => pdf::read(file, &mut report, sink),
            Format::Docx => docx::read(file, &mut report, sink),
            Format::Csv => csv::read(file, settings, encoding, &mut report, sink)?,
            Format::Json => json::read(file, settings, encoding, &mut report, sink)?,
            Format::Jsonl => json::read_lines(file, settings, encoding, &mut report, sink)?,
            Format::Parquet => parquet::read(file, settings, &mut report, sink)?,
        },
        skipped => report.fail_file(skipped.to_string()),
    }
    Ok(report)
}

/// The report of a file that is not read, and why.
pub fn unread(file: &SourceFile, reason: &str) -> FileReport {
    let mut report = FileReport::new(&file.path);
    report.fail_file(reason.to_owned());
    report
}

/// Hashes a text, for finding documents of equal content under different paths.
pub fn content_hash(text: &str) -> u128 {
    IdHasher::new("content").part(text.as_bytes()).finish()
}
