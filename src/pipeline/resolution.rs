//! Stage 4: the resolver with the project's settings and the analyst's decisions.

use super::error::PipelineError;
use super::load::Corpus;
use super::project::Project;
use super::summary::RunSummary;
use crate::extract::harvest::Harvest;
use crate::resolve::audit::Answer;
use crate::resolve::decisions::{self, Bound};
use crate::resolve::{Options, Resolution, resolve};

/// All that decides which names are one entity, but for a model's answers.
pub(super) struct Names<'a> {
    harvest: &'a Harvest,
    document_of: Vec<u32>,
    enabled: bool,
    analyst: Bound,
}

impl<'a> Names<'a> {
    /// Reads `resolution.yaml`, if there is one.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn new(
        project: &Project,
        corpus: &Corpus,
        harvest: &'a Harvest,
        summary: &mut RunSummary,
    ) -> Result<Self, PipelineError> {
        let config = &project.settings.entity_resolution;
        let mut analyst = Bound::default();
        let path = project.root.join(&config.decisions);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let paths: Vec<&str> = corpus
                    .documents
                    .iter()
                    .map(|document| document.path.as_str())
                    .collect();
                let (bound, notes) = decisions::parse(&text, &path)?.bind(harvest, &paths);
                analyst = bound;
                summary.notes.extend(notes);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(PipelineError::Settings(format!(
                    "{}: {error}; check that it is a text file that can be read",
                    path.display()
                )));
            }
        }
        Ok(Self {
            harvest,
            document_of: corpus.units.iter().map(|unit| unit.document.0).collect(),
            enabled: config.enabled,
            analyst,
        })
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
