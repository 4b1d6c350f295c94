//! What became of a file and of the documents in it.

use crate::model::Outcome;

/// How many outcomes a report lists one by one; more are only counted.
const LISTED: usize = 1000;

/// The ledger entries of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileReport {
    /// The file's path below the input folder.
    pub path: String,
    /// The encoding, where it was neither UTF-8 nor configured: worth a warning `decoded_as_<encoding>`, in lower case.
    pub decoded_as: Option<String>,
    /// Documents handed on, repaired ones included.
    pub documents: u64,
    /// Documents without visible text, skipped.
    pub empty: u64,
    /// Documents or rows lost.
    pub failed: u64,
    /// Everything that did not end as `Ok`: the file itself, or rows of it; the first thousand.
    pub items: Vec<ItemReport>,
    /// Outcomes beyond those in `items`.
    pub unlisted: u64,
}

/// One outcome other than `Ok`.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemReport {
    /// The file's path, or `path#row`.
    pub path: String,
    /// What happened; details name the place in the file and what to do.
    pub outcome: Outcome,
}

impl FileReport {
    pub(super) fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            decoded_as: None,
            documents: 0,
            empty: 0,
            failed: 0,
            items: Vec::new(),
            unlisted: 0,
        }
    }

    /// The warning for the log, such as `decoded_as_windows-1252`.
    pub fn warning(&self) -> Option<String> {
        let encoding = self.decoded_as.as_deref()?;
        Some(format!("decoded_as_{encoding}"))
    }

    /// The whole file failed; the reason names the place and the remedy.
    pub(super) fn fail_file(&mut self, reason: String) {
        let path = self.path.clone();
        self.add(path, Outcome::Failed(reason));
    }

    /// The file was damaged and read all the same; its rows are counted one by one.
    pub(super) fn note_repair(&mut self, damage: Option<String>) {
        if let Some(damage) = damage {
            let path = self.path.clone();
            self.items.push(ItemReport {
                path,
                outcome: Outcome::Repaired(damage),
            });
        }
    }

    /// One outcome; `Ok` is only counted.
    pub(super) fn add(&mut self, path: String, outcome: Outcome) {
        match &outcome {
            Outcome::Ok => {
                self.documents += 1;
                return;
            }
            Outcome::Repaired(_) | Outcome::Partial(_) => self.documents += 1,
            Outcome::Empty => self.empty += 1,
            Outcome::Failed(_) => self.failed += 1,
        }
        if self.items.len() < LISTED {
            self.items.push(ItemReport { path, outcome });
        } else {
            self.unlisted += 1;
        }
    }
}
