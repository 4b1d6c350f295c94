//! Stages 1 and 2: files -> documents -> text units. Texts go straight to disk.

use std::ops::ControlFlow;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::calls::Halt;
use super::error::PipelineError;
use super::progress::Progress;
use super::project::Project;
use super::texts::{Texts, TextsWriter};
use crate::chunk;
use crate::input::{self, FileReport, InputError, SourceFile};
use crate::model::{Document, DocumentId, DocumentIx, Outcome, TextUnit, TextUnitId};
use crate::store::tables::DocumentsWriter;
use crate::store::{OutputBuild, WrittenTable};

/// What later stages keep of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentRow {
    /// Its id.
    pub id: DocumentId,
    /// Path below the input folder.
    pub path: String,
}

/// What later stages keep of a text unit; its text is in [`Corpus::texts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitRow {
    /// Its id.
    pub id: TextUnitId,
    /// Its document.
    pub document: DocumentIx,
    /// Tokens.
    pub n_tokens: u32,
    /// Start in the document, in Unicode scalar values.
    pub char_start: u64,
    /// End in the document, in Unicode scalar values.
    pub char_end: u64,
}

/// The corpus as loaded.
pub struct Corpus {
    /// One row a document.
    pub documents: Vec<DocumentRow>,
    /// One row a text unit.
    pub units: Vec<UnitRow>,
    /// Ids of the text units, by row.
    pub unit_ids: Vec<TextUnitId>,
    /// Their texts, on disk.
    pub texts: Texts,
    /// The finished `documents` table.
    pub table: WrittenTable,
    /// Files and rows that did not end as `ok`.
    pub troubles: Vec<FileReport>,
    /// Documents whose text another one has too: `(path, path of the first)`.
    pub duplicates: Vec<(String, String)>,
}

impl Corpus {
    /// Names a text unit for messages: `text unit 12 of board/minutes.md`.
    pub fn unit_name(&self, unit: u32) -> String {
        let row = &self.units[unit as usize];
        format!(
            "text unit {unit} of {}",
            self.documents[row.document.at()].path
        )
    }
}

/// Files read at once: bounds memory, keeps every core busy.
const FILES_AT_ONCE: usize = 32;

struct LoadedFile {
    report: FileReport,
    documents: Vec<(Document, Vec<TextUnit>)>,
}

/// Hashes the selected files' paths and bytes: whether anything changed since the last index.
///
/// Content, not time stamps: a file edited and put back is the same file.
pub fn input_fingerprint(files: &[SourceFile]) -> String {
    let hashes: Vec<[u8; 32]> = files
        .par_iter()
        .map(|file| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&(file.path_bytes.len() as u64).to_le_bytes());
            hasher.update(&file.path_bytes);
            // A file that cannot be read hashes as its path alone and is reported when it is loaded.
            if file.is_selected()
                && let Ok(mut reader) = std::fs::File::open(&file.location)
            {
                let _ = std::io::copy(&mut reader, &mut hasher);
            }
            *hasher.finalize().as_bytes()
        })
        .collect();
    let mut hasher = blake3::Hasher::new();
    for hash in &hashes {
        hasher.update(hash);
    }
    hasher.finalize().to_hex().to_string()
}

/// Reads, cuts and stores every selected file, in path order whatever finishes first.
///
/// # Errors
/// `NothingRead` when no document came of it; `Cancelled` once `halt` is set; settings and disk errors. A broken file is a trouble,
/// not an error.
pub(super) fn load(
    project: &Project,
    files: &[SourceFile],
    build: &OutputBuild,
    halt: &Halt,
    progress: &Progress,
) -> Result<Corpus, PipelineError> {
    let input_settings = project.input_settings()?;
    let (chunking, tokenizer) = project.chunk_settings()?;
    let selected: Vec<&SourceFile> = files.iter().filter(|file| file.is_selected()).collect();
    let max_bytes = u64::from(project.settings.limits.max_file_size) << 20;
    let mut table = DocumentsWriter::create(build)?;
    let mut texts = TextsWriter::create(build.building())?;
    let mut documents = Vec::new();
    let mut units = Vec::new();
    let mut troubles: Vec<FileReport> = Vec::new();
    let mut first_with: FxHashMap<u128, u32> = FxHashMap::default();
    let mut duplicates = Vec::new();
    let mut no_column: Option<InputError> = None;
    let stage = progress.stage("load", selected.len() as u64);
    for batch in selected.chunks(FILES_AT_ONCE) {
        if halt.is_set() {
            return Err(PipelineError::Cancelled);
        }
        let loaded: Vec<Result<LoadedFile, InputError>> = batch
            .par_iter()
            .map(|file| {
                let mut documents = Vec::new();
                if file.size > max_bytes {
                    let report = input::unread(
                        file,
                        &format!(
                            "{} bytes are more than limits.max_file_size allows; raise it or split the file",
                            file.size
                        ),
                    );
                    return Ok(LoadedFile { report, documents });
                }
                let report = input::read(file, &input_settings, &mut |document| {
                    let mut units = Vec::new();
                    // The real row number is known when the batch is stored.
                    chunk::split(&document, DocumentIx(0), &chunking, tokenizer, &mut units);
                    documents.push((document, units));
                    ControlFlow::Continue(())
                })?;
                Ok(LoadedFile { report, documents })
            })
            .collect();
        for (file, source) in loaded.into_iter().zip(batch) {
            let file = match file {
                Ok(file) => file,
                // One table among the documents may be no document: it costs itself.
                Err(InputError::MissingColumn { file, missing }) => {
                    let report = input::unread(source, &missing.to_string());
                    no_column.get_or_insert(InputError::MissingColumn { file, missing });
                    LoadedFile {
                        report,
                        documents: Vec::new(),
                    }
                }
                Err(error) => return Err(error.into()),
            };
            for (document, cut) in file.documents {
                let row = documents.len() as u32;
                match first_with.entry(input::content_hash(&document.text)) {
                    std::collections::hash_map::Entry::Occupied(first) => {
                        let first: &DocumentRow = &documents[*first.get() as usize];
                        duplicates.push((document.path.clone(), first.path.clone()));
                    }
                    std::collections::hash_map::Entry::Vacant(slot) => {
                        slot.insert(row);
                    }
                }
                table.push(&document, &cut)?;
                for unit in cut {
                    texts.push(&unit.text)?;
                    units.push(UnitRow {
                        id: unit.id,
                        document: DocumentIx(row),
                        n_tokens: unit.n_tokens,
                        char_start: unit.char_start,
                        char_end: unit.char_end,
                    });
                }
                documents.push(DocumentRow {
                    id: document.id,
                    path: document.path,
                });
            }
            if !file.report.items.is_empty() || file.report.decoded_as.is_some() {
                troubles.push(file.report);
            }
        }
        stage.inc(batch.len() as u64);
    }
    drop(stage);
    if documents.is_empty() {
        if let Some(error) = no_column {
            return Err(error.into());
        }
        let first = troubles.iter().flat_map(|report| &report.items).next();
        return Err(PipelineError::NothingRead {
            files: selected.len(),
            first: first.map_or_else(String::new, |item| match &item.outcome {
                Outcome::Failed(why) => format!("{}: {why}", item.path),
                other => format!("{}: {}", item.path, other.word()),
            }),
        });
    }
    Ok(Corpus {
        unit_ids: units.iter().map(|unit| unit.id).collect(),
        documents,
        units,
        texts: texts.finish()?,
        table: table.finish()?,
        troubles,
        duplicates,
    })
}
