//! What to read and how: the `input` section, checked.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use encoding_rs::Encoding;
use regex::Regex;
use thiserror::Error;

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The whole file is the text, Markdown included.
    Text,
    /// One document a row, columns named by the header line.
    Csv,
    /// An array of objects, or one object.
    Json,
    /// One object a line.
    Jsonl,
    /// One document a row.
    Parquet,
    /// The readable text of a page.
    Html,
    /// The text layer of the pages.
    Pdf,
    /// The paragraphs, tables and notes.
    Docx,
}

impl Format {
    /// The format that a file extension stands for, whatever its case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "txt" | "text" | "md" | "markdown" => Some(Self::Text),
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "jsonl" => Some(Self::Jsonl),
            "parquet" => Some(Self::Parquet),
            "html" | "htm" => Some(Self::Html),
            "pdf" => Some(Self::Pdf),
            "docx" => Some(Self::Docx),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
        })
    }
}

/// `input.type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputKind {
    /// Every known extension by its own reader.
    #[default]
    Auto,
    /// One format. Without a `file_pattern` the files with its extensions, else every file that matches.
    Only(Format),
}

impl FromStr for InputKind {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        Ok(match text {
            "auto" | "markitdown" => Self::Auto,
            "text" => Self::Only(Format::Text),
            "csv" => Self::Only(Format::Csv),
            "json" => Self::Only(Format::Json),
            "jsonl" => Self::Only(Format::Jsonl),
            "parquet" => Self::Only(Format::Parquet),
            "html" => Self::Only(Format::Html),
            "pdf" => Self::Only(Format::Pdf),
            "docx" => Self::Only(Format::Docx),
            other => return Err(InputError::UnknownKind(other.to_owned())),
        })
    }
}

/// The `input` section of the settings.
#[derive(Clone, Debug, Default)]
pub struct InputSettings {
    /// `input.type`.
    pub kind: InputKind,
    /// `input.encoding`: an encoding label such as `utf-8` or `gbk`; detected per file when absent.
    pub encoding: Option<String>,
    /// `input.file_pattern`: searched in the path below the input folder, `/` between its parts.
    pub file_pattern: Option<Regex>,
    /// `input.id_column`: a column that row files must have; its value stays in the metadata.
    pub id_column: Option<String>,
    /// `input.title_column`: a column that row files must have. Without the key, a column `title` is used if there.
    pub title_column: Option<String>,
    /// `input.text_column`; `text` when absent.
    pub text_column: Option<String>,
}

impl InputSettings {
    /// Looks up the configured encoding, by the labels of the WHATWG Encoding Standard.
    ///
    /// # Errors
    /// [`InputError::UnknownEncoding`].
    pub fn encoding(&self) -> Result<Option<&'static Encoding>, InputError> {
        let Some(label) = self.encoding.as_deref() else {
            return Ok(None);
        };
        // Python spells some labels in ways that the standard does not list.
        let spelled = match label.to_ascii_lowercase().replace('_', "-").as_str() {
            "utf-8-sig" | "utf8" => "utf-8".to_owned(),
            "cp936" => "gbk".to_owned(),
            "latin-1" => "latin1".to_owned(),
            "utf-16" | "utf-16-le" => "utf-16le".to_owned(),
            "utf-16-be" => "utf-16be".to_owned(),
            "shift-jis" => "shift_jis".to_owned(),
            other => other.to_owned(),
        };
        Encoding::for_label(spelled.as_bytes())
            .map(Some)
            .ok_or_else(|| InputError::UnknownEncoding(label.to_owned()))
    }

    /// The column that holds a row's text.
    pub(super) fn text_column(&self) -> &str {
        self.text_column.as_deref().unwrap_or("text")
    }
}

/// A column that a row file should have.
#[derive(Debug, thiserror::Error)]
#[error(
    "no column '{column}' for {key}; the columns are {}: set {key} to one of them",
    list(found)
)]
pub struct MissingColumn {
    /// The settings key that names the column.
    pub key: &'static str,
    /// The column looked for.
    pub column: String,
    /// The columns of the file (of the first object, in JSON).
    pub found: Vec<String>,
}

/// Input that cannot be used at all; each is for the user to correct in `settings.yaml` or the input folder.
#[derive(Debug, Error)]
pub enum InputError {
    /// The input folder is missing or closed to us.
    #[error("cannot list the input folder {}: {source}; create it or set input_storage.base_dir", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder holds no file that would be read.
    #[error("nothing to read in {}: {detail}", path.display())]
    NothingToRead {
        /// The folder.
        path: PathBuf,
        /// What was found instead, and what to do.
        detail: String,
    },
    /// A row file lacks a column that the settings name or imply.
    #[error("{file}: {missing}")]
    MissingColumn {
        /// The file's path below the input folder.
        file: String,
        /// What it lacks.
        missing: MissingColumn,
    },
    /// `input.encoding` is no known label.
    #[error(
        "input.encoding '{0}' is unknown: use a label such as utf-8, utf-16le, windows-1252 or gb18030"
    )]
    UnknownEncoding(String),
    /// `input.type` names no reader.
    #[error(
        "input.type '{0}' is unknown: use auto, text, csv, json, jsonl, parquet, html, pdf or docx"
    )]
    UnknownKind(String),
}

fn list(columns: &[String]) -> String {
    if columns.is_empty() {
        return "none".to_owned();
    }
    let quoted: Vec<String> = columns.iter().map(|column| format!("'{column}'")).collect();
    quoted.join(", ")
}
