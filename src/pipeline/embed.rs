//! Stage 9: texts -> vectors.

use futures::stream;
use futures::{Stream, StreamExt};

use super::calls::{Halt, land_all};
use super::error::PipelineError;
use super::finish::Index;
use super::load::Corpus;
use super::progress::Stage as ProgressStage;
use crate::config::{EmbeddingName, EmbeddingProvider, Settings};
use crate::embed::{BuiltinEncoder, Embedder, sentence_encoder};
use crate::llm::{Action, Door};
use crate::model::TextUnitIx;
use crate::store::OutputBuild;

/// Texts embedded between two steps of the progress bar.
const TEXTS_AT_ONCE: usize = 256;

/// The table a kind of vector belongs to.
pub(super) fn table_of(name: EmbeddingName) -> &'static str {
    match name {
        EmbeddingName::EntityDescription => "entities",
        EmbeddingName::CommunityFullContent => "community_reports",
        EmbeddingName::TextUnitText => "text_units",
    }
}

/// How many rows there are to embed.
pub(super) fn rows_of(name: EmbeddingName, corpus: &Corpus, index: &Index) -> usize {
    match name {
        EmbeddingName::EntityDescription => index.entities.len(),
        EmbeddingName::CommunityFullContent => index.reports.len(),
        EmbeddingName::TextUnitText => corpus.units.len(),
    }
}

/// The text of one row, as the original embeds it.
pub(super) fn text_of(
    name: EmbeddingName,
    row: usize,
    corpus: &Corpus,
    index: &Index,
) -> Result<String, PipelineError> {
    Ok(match name {
        EmbeddingName::EntityDescription => {
            let entity = &index.entities[row];
            format!("{}:{}", entity.title, entity.description)
        }
        EmbeddingName::CommunityFullContent => index.reports[row].0.full_content(),
        EmbeddingName::TextUnitText => corpus.texts.read(TextUnitIx(row as u32))?,
    })
}

/// The vectors of one table.
pub(super) struct Vectors {
    /// What was embedded.
    pub name: EmbeddingName,
    /// Which model made them.
    pub model: String,
    /// Numbers a vector.
    pub dimension: usize,
    /// Row-major.
    pub data: Vec<f32>,
    /// Rows that have a zero vector because their call failed: `(row, why)`.
    pub failed: Vec<(usize, String)>,
}

impl Vectors {
    /// Writes them beside their table.
    ///
    /// # Errors
    /// Disk errors.
    pub fn store(&self, build: &mut OutputBuild) -> Result<(), PipelineError> {
        let table = table_of(self.name);
        build.add_vectors(
            self.name.as_str(),
            table,
            &self.model,
            self.dimension,
            &self.data,
        )?;
        Ok(())
    }
}

/// The encoder that the settings ask for where no model is called.
///
/// # Errors
/// The sentence encoder is wanted and this binary has none.
pub(super) fn compiled_in(settings: &Settings) -> Result<Box<dyn Embedder>, PipelineError> {
    Ok(match settings.embed_text.provider {
        EmbeddingProvider::SentenceEncoder => sentence_encoder()?,
        _ => Box::new(BuiltinEncoder::new()),
    })
}

/// Embeds one kind of text with an encoder that is compiled in.
///
/// # Errors
/// Disk errors.
pub(super) fn builtin(
    name: EmbeddingName,
    corpus: &Corpus,
    index: &Index,
    encoder: &dyn Embedder,
    progress: &ProgressStage<'_>,
) -> Result<Vectors, PipelineError> {
    let rows: Vec<usize> = (0..rows_of(name, corpus, index)).collect();
    let mut data = Vec::with_capacity(rows.len() * encoder.dimension());
    for batch in rows.chunks(TEXTS_AT_ONCE) {
        let texts = batch
            .iter()
            .map(|&row| text_of(name, row, corpus, index))
            .collect::<Result<Vec<String>, _>>()?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        data.extend(encoder.embed(&texts)?);
        progress.inc(batch.len() as u64);
    }
    Ok(Vectors {
        name,
        model: encoder.name(),
        dimension: encoder.dimension(),
        data,
        failed: Vec::new(),
    })
}

/// Texts to embed in one call: their rows, which ascend, and the texts.
pub(super) type Batch = (Vec<usize>, Vec<String>);

/// Texts a call.
pub(super) fn batch_size(settings: &Settings) -> usize {
    settings.embed_text.batch_size.max(1) as usize
}

/// Embeds one kind of text with a model. A failed call costs its texts only.
///
/// # Errors
/// What stops the run as a whole.
pub(super) async fn by_model(
    name: EmbeddingName,
    corpus: &Corpus,
    index: &Index,
    door: &Door,
    settings: &Settings,
    halt: &Halt,
    progress: &ProgressStage<'_>,
) -> Result<Vectors, PipelineError> {
    let rows: Vec<usize> = (0..rows_of(name, corpus, index)).collect();
    let batches = rows.chunks(batch_size(settings)).map(|rows| {
        let text = |&row: &usize| text_of(name, row, corpus, index);
        let texts = rows.iter().map(text).collect::<Result<_, _>>()?;
        Ok((rows.to_vec(), texts))
    });
    let batches = stream::iter(batches);
    batches_by_model(name, rows.len(), batches, door, settings, halt, progress).await
}

/// As [`by_model`], for `rows` texts that come in batches; rows that never come have zero vectors.
///
/// # Errors
/// What stops the run as a whole.
pub(super) async fn batches_by_model(
    name: EmbeddingName,
    rows: usize,
    batches: impl Stream<Item = Result<Batch, PipelineError>>,
    door: &Door,
    settings: &Settings,
    halt: &Halt,
    progress: &ProgressStage<'_>,
) -> Result<Vectors, PipelineError> {
    let width = settings.concurrent_requests.max(1) as usize;
    let mut vectors = Vectors {
        name,
        model: door.model().to_owned(),
        dimension: 0,
        data: Vec::new(),
        failed: Vec::new(),
    };
    let answers = batches
        .take_while(|_| std::future::ready(!halt.is_set()))
        .map(|batch| async move {
            let (rows, texts) = batch?;
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            Ok::<_, PipelineError>((rows, door.embed(&texts).await))
        })
        .buffer_unordered(width);
    land_all(answers, halt, |(batch, result)| {
        let mut lose = |why: &str| {
            let lost = batch.iter().map(|&row| (row, why.to_owned()));
            vectors.failed.extend(lost);
        };
        match result {
            Ok(embedded) if embedded.dim > 0 && ![0, embedded.dim].contains(&vectors.dimension) => {
                lose(&format!(
                    "the model gave a vector of {} numbers after those of {}",
                    embedded.dim, vectors.dimension
                ))
            }
            Ok(embedded) => {
                let refused = embedded.refused.into_iter();
                vectors
                    .failed
                    .extend(refused.map(|(at, why)| (batch[at], why)));
                if embedded.dim > 0 {
                    vectors.dimension = embedded.dim;
                    vectors.data.resize(rows * embedded.dim, 0.0);
                    let found = embedded.vectors.chunks_exact(embedded.dim);
                    // invariant: rows are below `rows`, for which the vectors have just been given room.
                    for (&row, vector) in batch.iter().zip(found) {
                        let start = row * embedded.dim;
                        vectors.data[start..start + embedded.dim].copy_from_slice(vector);
                    }
                }
            }
            Err(error) if error.action() == Action::StopRun => return Err(error.into()),
            Err(error) => lose(&error.to_string()),
        }
        progress.inc(batch.len() as u64);
        Ok(())
    })
    .await?;
    vectors.failed.sort_unstable();
    Ok(vectors)
}
