//! The files of the input folder, in a fixed order.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::settings::{Format, InputError, InputKind, InputSettings};
use crate::model::shown::counted;

/// A file of the input folder.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    /// Where to open it.
    pub location: PathBuf,
    /// The path below the input folder, `/` between its parts; lossy where a name is not Unicode.
    pub path: String,
    /// The exact bytes of that path: what the document's id is made from.
    pub path_bytes: Vec<u8>,
    /// Bytes on disk; 0 when unknown.
    pub size: u64,
    /// Whether and how it is read.
    pub selection: Selection,
}

/// Whether a file is read, and why not.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// Read in this format.
    Read(Format),
    /// `input.file_pattern` does not occur in the path.
    PatternMismatch,
    /// The extension belongs to no reader, or to another one than `input.type` names.
    UnknownFormat,
    /// A pipe, a socket or a device: opening it may wait for ever.
    NotRegular,
    /// The file or folder could not be looked at.
    Unreadable(String),
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(format) => write!(f, "read as {format}"),
            Self::PatternMismatch => f.write_str("does not match input.file_pattern"),
            Self::UnknownFormat => {
                f.write_str("unknown format: convert it, or set input.type and input.file_pattern")
            }
            Self::NotRegular => f.write_str("no regular file: copy what it gives into a file"),
            Self::Unreadable(reason) => write!(f, "{reason}: check its permissions"),
        }
    }
}

impl SourceFile {
    /// The file name without its folders; lossy where it is not Unicode.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether [`super::read`] would open it.
    pub fn is_selected(&self) -> bool {
        matches!(self.selection, Selection::Read(_))
    }
}

/// Lists every file below `root`, skipped ones included, sorted by the bytes of the relative path.
///
/// Hidden files and folders (`.name`) and the lock files of office programs (`~$name`) are passed over. Links to files
/// are followed; links to folders only when they lead out of `root`, and never twice to the same folder.
///
/// # Errors
/// [`InputError::Folder`] when `root` itself cannot be listed, [`InputError::NothingToRead`] when no file is selected.
pub fn discover(root: &Path, settings: &InputSettings) -> Result<Vec<SourceFile>, InputError> {
    let folder_error = |source| InputError::Folder {
        path: root.to_owned(),
        source,
    };
    let real_root = fs::canonicalize(root).map_err(folder_error)?;
    fs::read_dir(root).map_err(folder_error)?;

    let mut files = Vec::new();
    let mut linked = BTreeSet::new();
    let mut folders = vec![(root.to_owned(), Vec::new())];
    while let Some((folder, prefix)) = folders.pop() {
        let entries = fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut names: Vec<_> = match entries {
            Ok(entries) => entries.into_iter().map(|entry| entry.file_name()).collect(),
            Err(error) => {
                let selection = Selection::Unreadable(error.to_string());
                files.push(source_file(folder, prefix, 0, selection));
                continue;
            }
        };
        // The order decides which of two links to one folder is followed.
        names.sort_unstable();
        for name in names {
            if is_hidden(&name) {
                continue;
            }
            let location = folder.join(&name);
            let path = join(&prefix, &name);
            match fs::metadata(&location) {
                Ok(metadata) if metadata.is_dir() => {
                    if may_enter(&location, &real_root, &mut linked) {
                        folders.push((location, path));
                    }
                }
                Ok(metadata) if metadata.is_file() => {
                    let selection = select(&path, settings);
                    files.push(source_file(location, path, metadata.len(), selection));
                }
                Ok(_) => files.push(source_file(location, path, 0, Selection::NotRegular)),
                Err(error) => {
                    let selection = Selection::Unreadable(error.to_string());
                    files.push(source_file(location, path, 0, selection));
                }
            }
        }
    }
    files.sort_unstable_by(|a, b| a.path_bytes.cmp(&b.path_bytes));
    if files.iter().any(SourceFile::is_selected) {
        Ok(files)
    } else {
        Err(InputError::NothingToRead {
            path: root.to_owned(),
            detail: what_was_found(&files, settings),
        })
    }
}

fn source_file(location: PathBuf, path: Vec<u8>, size: u64, selection: Selection) -> SourceFile {
    SourceFile {
        location,
        path: String::from_utf8_lossy(&path).into_owned(),
        path_bytes: path,
        size,
        selection,
    }
}

fn join(prefix: &[u8], name: &OsStr) -> Vec<u8> {
    let mut path = prefix.to_vec();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name.as_encoded_bytes());
    path
}

fn is_hidden(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") || name.starts_with(b"~$")
}

/// Real folders always; links only to folders that the walk would not meet otherwise.
fn may_enter(folder: &Path, real_root: &Path, linked: &mut BTreeSet<PathBuf>) -> bool {
    if !folder.is_symlink() {
        return true;
    }
    let Ok(target) = fs::canonicalize(folder) else {
        return false;
    };
    let seen = linked
        .iter()
        .any(|known| target.starts_with(known) || known.starts_with(&target));
    if target.starts_with(real_root) || real_root.starts_with(&target) || seen {
        return false;
    }
    linked.insert(target)
}

fn select(path: &[u8], settings: &InputSettings) -> Selection {
    let shown = String::from_utf8_lossy(path);
    if let Some(pattern) = &settings.file_pattern
        && !pattern.is_match(&shown)
    {
        return Selection::PatternMismatch;
    }
    let name = shown.rsplit('/').next().unwrap_or_default();
    let by_extension = name
        .rsplit_once('.')
        .and_then(|(_, extension)| Format::of_extension(extension));
    match (settings.kind, by_extension) {
        (InputKind::Auto, Some(format)) => Selection::Read(format),
        (InputKind::Only(wanted), Some(format)) if wanted == format => Selection::Read(format),
        (InputKind::Only(wanted), _) if settings.file_pattern.is_some() => Selection::Read(wanted),
        _ => Selection::UnknownFormat,
    }
}

fn what_was_found(files: &[SourceFile], settings: &InputSettings) -> String {
    let wanted = match settings.kind {
        InputKind::Auto => {
            "put .txt, .md, .csv, .json, .jsonl, .parquet, .html, .pdf or .docx files there"
                .to_owned()
        }
        InputKind::Only(format) => {
            format!("put {format} files there, or set input.type to auto")
        }
    };
    match files.first() {
        None => format!("the folder is empty; {wanted}"),
        Some(first) => format!(
            "{}, none selected (for example {}: {}); {wanted}",
            counted(files.len(), "file"),
            first.path,
            first.selection
        ),
    }
}
