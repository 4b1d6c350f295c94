//! Stage 4: the resolver with the project's settings and the analyst's decisions.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::error::PipelineError;
use super::load::Corpus;
use super::project::Project;
use super::summary::RunSummary;
use crate::extract::harvest::Harvest;
use crate::resolve::audit::Answer;
use crate::resolve::decisions::{self, Bound, Decisions};
use crate::resolve::{Options, Resolution, resolve};

/// All that decides which names are one entity, but for a model's answers.
pub(super) struct Names<'a> {
    harvest: &'a Harvest,
    document_of: Vec<u32>,
    enabled: bool,
    analyst: Bound,
    /// The file of the decisions, as the settings name it.
    file: String,
    paths: Vec<&'a str>,
}

/// Reads `resolution.yaml`, if there is one.
///
/// # Errors
/// It cannot be read, or its decisions contradict each other.
pub(super) fn read(project: &Project) -> Result<Option<Decisions>, PipelineError> {
    let path = project
        .root
        .join(&project.settings.entity_resolution.decisions);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some(decisions::parse(&text, &path)?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(PipelineError::Settings(format!(
            "{}: {error}; check that it is a text file that can be read",
            path.display()
        ))),
    }
}

impl<'a> Names<'a> {
    /// With the decisions that were [`read`].
    pub(super) fn new(
        project: &Project,
        corpus: &'a Corpus,
        harvest: &'a Harvest,
        decisions: Option<&Decisions>,
        summary: &mut RunSummary,
    ) -> Self {
        let config = &project.settings.entity_resolution;
        let file = config.decisions.display().to_string();
        let documents = corpus.documents.iter();
        let paths: Vec<&str> = documents.map(|document| document.path.as_str()).collect();
        let mut analyst = Bound::default();
        if let Some(decisions) = decisions {
            let (bound, notes) = decisions.bind(harvest, &paths);
            analyst = bound;
            let notes = notes.into_iter().map(|note| format!("{file}: {note}"));
            summary.notes.extend(notes);
        }
        Self {
            harvest,
            document_of: corpus.units.iter().map(|unit| unit.document.0).collect(),
            enabled: config.enabled,
            analyst,
            file,
            paths,
        }
    }

    /// What the analyst decided and nothing came of, each with its line.
    pub(super) fn without_effect(&self, resolution: &Resolution) -> Vec<String> {
        let name = |name| self.harvest.names.get(name);
        let titles: FxHashSet<&str> = resolution
            .entities
            .iter()
            .map(|entity| entity.title.as_str())
            .collect();
        let mut notes = Vec::new();
        let renames = self.analyst.rename.iter();
        let idle: Vec<_> = renames
            .filter(|rename| !titles.contains(rename.title.as_str()))
            .collect();
        // What the names of these stand for instead, in one pass over the mentions.
        let mut meant: FxHashMap<u32, BTreeSet<&str>> = idle
            .iter()
            .map(|rename| (rename.name, BTreeSet::new()))
            .collect();
        for mention in &self.harvest.entities {
            if let Some(meant) = meant.get_mut(&mention.name)
                && let Some(entity) = resolution.entity(mention.name, mention.unit)
            {
                meant.insert(&resolution.entities[entity as usize].title);
            }
        }
        for rename in idle {
            // invariant: every idle rename has its entry
            let meant: Vec<&str> = meant[&rename.name].iter().copied().collect();
            notes.push(format!(
                "{}: line {}: '{}' stands for other names, so that '{}' was given to none; rename {}",
                self.file,
                rename.line,
                name(rename.name),
                rename.title,
                meant.join(" or ")
            ));
        }
        let split: FxHashSet<u32> = self.analyst.split.iter().map(|split| split.name).collect();
        let mentions = self.harvest.entities.iter();
        let here: FxHashSet<(u32, u32)> = mentions
            .filter(|mention| split.contains(&mention.name))
            .map(|mention| (mention.name, self.document_of[mention.unit as usize]))
            .collect();
        for split in &self.analyst.split {
            for document in &split.documents {
                if !here.contains(&(split.name, *document)) {
                    notes.push(format!(
                        "{}: line {}: '{}' does not occur in {}; correct or remove the document",
                        self.file,
                        split.line,
                        name(split.name),
                        self.paths[*document as usize]
                    ));
                }
            }
        }
        notes
    }

    /// Decides, with what a model answered to [`crate::resolve::audit::undecided`].
    pub(super) fn resolve(&self, answers: &[Answer]) -> Resolution {
        resolve(
            self.harvest,
            &Options {
                document_of: &self.document_of,
                exact: !self.enabled,
                analyst: self.analyst.clone(),
                answers,
                ..Options::default()
            },
        )
    }
}
