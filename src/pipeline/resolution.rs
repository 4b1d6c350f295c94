//! Stage 4: the resolver with the project's settings and the analyst's decisions.

use super::error::PipelineError;
use super::load::Corpus;
use super::project::Project;
use super::summary::RunSummary;
use crate::extract::harvest::Harvest;
use crate::resolve::decisions;
use crate::resolve::{Options, Resolution, resolve};

/// Decides which names are one entity.
///
/// # Errors
/// `resolution.yaml` cannot be read.
pub(super) fn resolve_names(
    project: &Project,
    corpus: &Corpus,
    harvest: &Harvest,
    summary: &mut RunSummary,
) -> Result<Resolution, PipelineError> {
    let document_of: Vec<u32> = corpus.units.iter().map(|unit| unit.document.0).collect();
    let config = &project.settings.entity_resolution;
    let mut options = Options {
        document_of: &document_of,
        exact: !config.enabled,
        ..Options::default()
    };
    let path = project.root.join(&config.decisions);
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            let paths: Vec<&str> = corpus
                .documents
                .iter()
                .map(|document| document.path.as_str())
                .collect();
            let (bound, notes) = decisions::parse(&text, &path)?.bind(harvest, &paths);
            options.analyst = bound;
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
    Ok(resolve(harvest, &options))
}
