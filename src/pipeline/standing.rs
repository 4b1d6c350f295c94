//! What stands in the output folder before a run: an index that is up to date, one that is damaged, or one made in another way.

use std::path::Path;

use super::error::PipelineError;
use super::progress::Progress;
use crate::query::search::{self, Building};
use crate::store::{IndexState, Manifest, StoreError};

/// The old index, and what was said about it.
pub(super) struct Standing<'a> {
    output: &'a Path,
    progress: &'a Progress,
    manifest: Option<Manifest>,
    /// Remarks for the summary.
    pub notes: Vec<String>,
}

impl<'a> Standing<'a> {
    /// Reads the manifest in `output`; a damaged one is as good as none, but told.
    ///
    /// # Errors
    /// It cannot be read at all.
    pub fn read(output: &'a Path, progress: &'a Progress) -> Result<Self, PipelineError> {
        let mut standing = Self {
            output,
            progress,
            manifest: None,
            notes: Vec::new(),
        };
        match Manifest::read(output) {
            Ok(manifest) => standing.manifest = manifest,
            Err(StoreError::DamagedManifest { path, why }) => standing.say(format!(
                "{} is damaged ({why}); the index is built anew",
                path.display()
            )),
            Err(error) => return Err(error.into()),
        }
        Ok(standing)
    }

    fn say(&mut self, note: String) {
        self.progress.say(&format!("note: {note}"));
        self.notes.push(note);
    }

    /// The complete index, where nothing failed.
    fn whole(&self) -> Option<&Manifest> {
        self.manifest
            .as_ref()
            .filter(|manifest| manifest.state == IndexState::Complete && manifest.failed == 0)
    }

    /// Whether there is a complete index in which nothing failed.
    pub fn is_whole(&self) -> bool {
        self.whole().is_some()
    }

    /// Tells that the index was made from a given graph, where this run is given none.
    pub fn note_other_graph(&mut self) {
        let graph = self.manifest.as_ref().and_then(|old| old.graph.clone());
        if let Some(graph) = graph {
            self.say(format!(
                "the index in {} was made from a given graph ({graph}) and this run is given none: it reads the documents in the input folder; stop it and name the graph again to keep that index",
                self.output.display()
            ));
        }
    }

    /// The manifest of an index that `fits` and of which every file is as it was written; what is not is told.
    pub fn up_to_date(&mut self, fits: impl FnOnce(&Manifest) -> bool) -> Option<Manifest> {
        let manifest = self.whole().filter(|manifest| fits(manifest))?.clone();
        let damage = manifest.damage(self.output);
        let Some(first) = damage.first() else {
            self.renew_search(&manifest);
            return Some(manifest);
        };
        let more = match damage.len() - 1 {
            0 => String::new(),
            more => format!(", nor are {more} more files"),
        };
        self.say(format!(
            "{} is not as it was written ({}){more}; the index is built anew",
            self.output.join(&first.file).display(),
            first.why
        ));
        None
    }

    /// The search file is made of the tables alone: for its sake nothing else is built anew.
    fn renew_search(&mut self, manifest: &Manifest) {
        let progress = self.progress;
        let tell = |event: Building<'_>| {
            if let Building::Begun(folder) = event {
                progress.say(&format!(
                    "note: {} is not there or not of these tables; it is made anew",
                    folder.join(search::FILE).display()
                ));
            }
        };
        if let Some(note) = search::renew(self.output, &manifest.fingerprint, &tell) {
            self.say(note);
        }
    }
}
