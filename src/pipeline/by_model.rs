//! A run with models: what waits for what.
//!
//! Vectors of text units are made beside extraction, extractive reports beside the summaries, vectors of entities and of finished
//! reports beside the reports. The only true barriers are resolution, which needs all mentions, and clustering, which needs the graph.

use std::sync::Arc;

use futures::StreamExt;
use futures::channel::mpsc;

use super::adjudicate::adjudicate;
use super::calls::Halt;
use super::embed::{self, Vectors};
use super::error::PipelineError;
use super::finish::Index;
use super::load::Corpus;
use super::progress::{Progress, Stage as ProgressStage};
use super::project::Project;
use super::run::{Clock, beside, extractive_reports};
use super::session::Session;
use super::standard::{self, Extractor, UnitYield};
use super::summarize::{Summarizer, ToSummarize, joined};
use super::summary::{RunSummary, Trouble};
use super::{cluster, finalize, reports, resolution};
use crate::config::EmbeddingName;
use crate::embed::Embedder;
use crate::extract::harvest::{Harvest, Interner};
use crate::graph::draft::DraftGraph;
use crate::llm::Door;
use crate::model::shown::agreed;
use crate::model::{
    Claim, ClaimId, EntityIx, ExtractedClaim, IdHasher, Outcome, Report, TextUnitIx,
};
use crate::resolve::claims::link;
use crate::resolve::decisions::Decisions;
use crate::resolve::{Resolution, audit};

/// What a run works on.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub project: &'a Project,
    pub corpus: &'a Corpus,
    /// Makes the vectors where no embedding model is configured.
    pub encoder: &'a dyn Embedder,
    pub progress: &'a Progress,
}

impl Run<'_> {
    /// Extracts, resolves, summarises, clusters, reports and embeds with the configured models.
    ///
    /// # Errors
    /// What stops the run as a whole; everything answered so far is in the cache.
    pub(super) fn index(
        self,
        session: &Session,
        decisions: Option<&Decisions>,
        clock: &mut Clock,
        summary: &mut RunSummary,
    ) -> Result<(Index, Vec<Vectors>), PipelineError> {
        let Self {
            project,
            corpus,
            progress,
            ..
        } = self;
        let settings = &project.settings;
        let chat = |id: &str| -> Result<Door, PipelineError> {
            session.models.chat(id)?.ok_or_else(|| {
            PipelineError::Settings(format!(
                "--method standard needs completion_models.{id} in settings.yaml; add it, or index with --method fast"
            ))
        })
        };
        let graph_door = chat(&settings.extract_graph.completion_model_id)?;
        let claims_door = match settings.extract_claims.enabled {
            true => Some(chat(&settings.extract_claims.completion_model_id)?),
            false => None,
        };
        let judge = &settings.entity_resolution;
        let judge_door = match judge.enabled && judge.adjudicate {
            true => Some(chat(&judge.completion_model_id)?),
            false => None,
        };
        let embed_door = session
            .models
            .embedding(&settings.embed_text.embedding_model_id)?;
        let mut vectors = Vec::new();
        let halt = Halt::default();

        let none = Index::default();
        let yields = clock.time("extract", || {
            let stage = progress.stage("extract", corpus.units.len() as u64);
            let extractor = Extractor::new(project, graph_door, claims_door);
            session.run(async {
                let units = self.embedded(
                    EmbeddingName::TextUnitText,
                    &none,
                    embed_door.as_ref(),
                    &halt,
                );
                let (yields, units) = both(extractor.run(corpus, &halt, &stage), units).await?;
                vectors.extend(units);
                Ok(yields)
            })
        })?;
        note_units(summary, corpus, &yields);
        let (harvest, ungrounded) =
            standard::harvest(&yields, settings.entity_resolution.grounding);
        summary.ungrounded = ungrounded;
        if ungrounded > 0 {
            summary.notes.push(format!(
                "{} in their text unit (entity_resolution.grounding: {})",
                agreed(ungrounded, "name does not occur", "names do not occur"),
                settings.entity_resolution.grounding.as_str()
            ));
        }
        let names = resolution::Names::new(project, corpus, &harvest, decisions, summary);
        let mut resolution = clock.time("resolve", || names.resolve(&[]));
        if let Some(door) = &judge_door {
            let questions = audit::undecided(&harvest, &resolution);
            let stage = progress.stage("resolve", questions.len() as u64);
            let found = clock.time("resolve", || {
                session.run(adjudicate(
                    project, corpus, &harvest, door, &questions, &halt, &stage,
                ))
            })?;
            summary.notes.push(format!(
                "{} of {} undecided pairs of names were decided by the model, {} were left open",
                found.answers.len(),
                questions.len(),
                found.unsure + found.failures.len()
            ));
            for (item, why) in found.failures {
                note(summary, item, &Outcome::Failed(why));
            }
            resolution = clock.time("resolve", || names.resolve(&found.answers));
        }
        summary.notes.extend(names.without_effect(&resolution));
        let (graph, dropped) = DraftGraph::assemble(&harvest, &resolution);
        summary.dropped_relationships = dropped as u64;
        if dropped > 0 {
            summary.notes.push(format!(
                "{} dropped: an end is no entity, or both ends are one",
                agreed(dropped, "relationship was", "relationships were")
            ));
        }
        let summarizer_door = chat(&settings.summarize_descriptions.completion_model_id)?;
        let (entities, relationships) = finalize::finalize(
            &graph,
            &resolution,
            vec![String::new(); graph.entities.len()],
            vec![String::new(); graph.relationships.len()],
        );
        let communities = clock.time("cluster", || {
            cluster::communities(&entities, &relationships, &settings.cluster_graph)
        });
        let claims = settings
            .extract_claims
            .enabled
            .then(|| claims(corpus, &yields, &harvest.names, &resolution));
        let mut index = Index {
            entities,
            relationships,
            communities,
            resolution: audit::rows(&harvest, &resolution),
            claims,
            unit_outcomes: yields
                .iter()
                .map(|unit| table_word(&unit.outcome))
                .collect(),
            ..Index::default()
        };
        // Extractive reports rest on names and links, not on descriptions.
        let (described, extracted) = clock.time("summarize", || {
            beside(
                || extractive_reports(corpus, &index),
                || {
                    describe(
                        project,
                        session,
                        progress,
                        summarizer_door,
                        &harvest,
                        &resolution,
                        &graph,
                        &halt,
                        summary,
                    )
                },
            )
        });
        let (entity_texts, relationship_texts) = described?;
        for (entity, text) in index.entities.iter_mut().zip(entity_texts) {
            entity.description = text;
        }
        for (relationship, text) in index.relationships.iter_mut().zip(relationship_texts) {
            relationship.description = text;
        }
        index.mentions = graph.mentions;
        self.report_and_embed(session, index, extracted, vectors, &halt, clock, summary)
    }

    /// Reports on and embeds a graph that the user brought.
    ///
    /// # Errors
    /// What stops the run as a whole.
    pub(super) fn given_graph(
        self,
        session: &Session,
        index: Index,
        clock: &mut Clock,
        summary: &mut RunSummary,
    ) -> Result<(Index, Vec<Vectors>), PipelineError> {
        let halt = Halt::default();
        let embed_door = session
            .models
            .embedding(&self.project.settings.embed_text.embedding_model_id)?;
        let (units, extracted) = clock.time("embed", || {
            beside(
                || extractive_reports(self.corpus, &index),
                || {
                    session.run(self.embedded(
                        EmbeddingName::TextUnitText,
                        &index,
                        embed_door.as_ref(),
                        &halt,
                    ))
                },
            )
        });
        self.report_and_embed(
            session,
            index,
            extracted,
            units?.into_iter().collect(),
            &halt,
            clock,
            summary,
        )
    }

    #[allow(clippy::too_many_arguments)]
    fn report_and_embed(
        self,
        session: &Session,
        mut index: Index,
        extracted: Vec<Report>,
        mut vectors: Vec<Vectors>,
        halt: &Halt,
        clock: &mut Clock,
        summary: &mut RunSummary,
    ) -> Result<(Index, Vec<Vectors>), PipelineError> {
        let Self {
            project, progress, ..
        } = self;
        let settings = &project.settings;
        let embed_door = session
            .models
            .embedding(&settings.embed_text.embedding_model_id)?;
        let report_door = session
            .models
            .chat(&settings.community_reports.completion_model_id)?;
        let name = EmbeddingName::CommunityFullContent;
        let beside_reports = embed_door
            .as_ref()
            .filter(|_| settings.embed_text.names.contains(&name));
        let written = clock.time("report", || {
            let stage = progress.stage("report", index.communities.len() as u64);
            session.run(async {
                let entities = self.embedded(
                    EmbeddingName::EntityDescription,
                    &index,
                    embed_door.as_ref(),
                    halt,
                );
                let (finished, texts) = mpsc::unbounded();
                let reports = async {
                    let finished = finished;
                    let on_report = |row, report: &Report| {
                        if beside_reports.is_some() {
                            // The receiver is gone only where the run is stopped.
                            let _ = finished.unbounded_send((row, report.full_content()));
                        }
                    };
                    reports::write(
                        project,
                        &index,
                        extracted,
                        report_door,
                        halt,
                        &stage,
                        on_report,
                    )
                    .await
                };
                let of_reports = async {
                    let Some(door) = beside_reports else {
                        return Ok(None);
                    };
                    let rows = index.communities.len();
                    let stage = progress.stage("embed", rows as u64);
                    let batches = texts
                        .chunks(embed::batch_size(settings))
                        .map(|batch: Vec<(usize, String)>| Ok(batch.into_iter().unzip()));
                    embed::batches_by_model(name, rows, batches, door, settings, halt, &stage)
                        .await
                        .map(Some)
                };
                let (written, (entities, of_reports)) =
                    both(reports, both(entities, of_reports)).await?;
                vectors.extend(entities);
                vectors.extend(of_reports);
                Ok(written)
            })
        })?;
        for (row, (_, outcome)) in written.iter().enumerate() {
            note(summary, format!("report of community {row}"), outcome);
        }
        index.reports = written
            .into_iter()
            .map(|(report, outcome)| (report, table_word(&outcome)))
            .collect();
        if beside_reports.is_none() {
            let of_reports = self.embedded(name, &index, None, halt);
            vectors.extend(clock.time("embed", || session.run(of_reports))?);
        }
        for vectors in &vectors {
            for (row, why) in &vectors.failed {
                note(
                    summary,
                    format!("vector of {} {row}", vectors.name.as_str()),
                    &Outcome::Failed(why.clone()),
                );
            }
        }
        Ok((index, vectors))
    }

    /// Vectors of one kind, if the settings ask for it.
    async fn embedded(
        self,
        name: EmbeddingName,
        index: &Index,
        door: Option<&Door>,
        halt: &Halt,
    ) -> Result<Option<Vectors>, PipelineError> {
        let Self {
            project,
            corpus,
            encoder,
            progress,
        } = self;
        if !project.settings.embed_text.names.contains(&name) {
            return Ok(None);
        }
        let stage = progress.stage("embed", embed::rows_of(name, corpus, index) as u64);
        match door {
            Some(door) => {
                embed::by_model(name, corpus, index, door, &project.settings, halt, &stage)
                    .await
                    .map(Some)
            }
            // The encoder computes for seconds: it must not hold up the calls that are in flight.
            None => {
                tokio::task::block_in_place(|| embed::builtin(name, corpus, index, encoder, &stage))
                    .map(Some)
            }
        }
    }
}

/// Both results; where one stops the run, what the other has in flight lands first.
async fn both<A, B>(
    a: impl Future<Output = Result<A, PipelineError>>,
    b: impl Future<Output = Result<B, PipelineError>>,
) -> Result<(A, B), PipelineError> {
    let (a, b) = futures::join!(a, b);
    Ok((a?, b?))
}

/// The word in the tables: how an answer was wrapped on its way must not change their bytes, so a repaired one is `ok` there.
fn table_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Repaired(_) => "ok",
        other => other.word(),
    }
}

fn note(summary: &mut RunSummary, item: String, outcome: &Outcome) {
    let detail = match outcome {
        Outcome::Partial(why) | Outcome::Failed(why) => why.clone(),
        // Repaired answers are complete; the ledger has them.
        Outcome::Ok | Outcome::Repaired(_) | Outcome::Empty => return,
    };
    summary.failed += u64::from(matches!(outcome, Outcome::Failed(_)));
    summary.troubles.push(Trouble {
        of_input: false,
        item,
        outcome: outcome.word(),
        detail,
    });
}

fn note_units(summary: &mut RunSummary, corpus: &Corpus, yields: &[UnitYield]) {
    for (unit, found) in yields.iter().enumerate() {
        note(summary, corpus.unit_name(unit as u32), &found.outcome);
    }
}

#[allow(clippy::too_many_arguments)]
fn describe(
    project: &Project,
    session: &Session,
    progress: &Progress,
    door: Door,
    harvest: &Harvest,
    resolution: &Resolution,
    graph: &DraftGraph,
    halt: &Halt,
    summary: &mut RunSummary,
) -> Result<(Vec<String>, Vec<String>), PipelineError> {
    let texts = |numbers: &[u32]| -> Vec<Arc<str>> {
        numbers
            .iter()
            .map(|&number| Arc::from(harvest.descriptions.get(number)))
            .collect()
    };
    let title =
        |entity: u32| &resolution.entities[graph.entities[entity as usize].resolved as usize].title;
    let mut out: Vec<String> = Vec::with_capacity(graph.entities.len() + graph.relationships.len());
    let mut rows = Vec::new();
    let mut asked = Vec::new();
    let mut add = |descriptions: &[u32], name: &dyn Fn() -> (String, String)| {
        let descriptions = texts(descriptions);
        if descriptions.len() >= 2 {
            let (name, item) = name();
            asked.push(out.len());
            rows.push(ToSummarize {
                name,
                item,
                descriptions,
            });
            out.push(String::new());
        } else {
            out.push(joined(&descriptions));
        }
    };
    for (row, entity) in graph.entities.iter().enumerate() {
        add(&entity.descriptions, &|| {
            let title = title(row as u32);
            (
                serde_json::json!(title).to_string(),
                format!("entity {title}"),
            )
        });
    }
    for relationship in &graph.relationships {
        add(&relationship.descriptions, &|| {
            let ends = [title(relationship.source), title(relationship.target)];
            (
                serde_json::json!(ends).to_string(),
                format!("relationship {} - {}", ends[0], ends[1]),
            )
        });
    }
    let (_, tokenizer) = project.chunk_settings()?;
    let count = |text: &str| tokenizer.count(text);
    let stage: ProgressStage<'_> = progress.stage("summarize", rows.len() as u64);
    let summarizer = Summarizer {
        project,
        door,
        count: &count,
    };
    let (texts, failures) = session.run(summarizer.run(rows, halt, &stage))?;
    for (item, why) in failures {
        note(summary, item, &Outcome::Failed(why));
    }
    for (at, text) in asked.into_iter().zip(texts) {
        out[at] = text;
    }
    let relationships = out.split_off(graph.entities.len());
    Ok((out, relationships))
}

fn claims(
    corpus: &Corpus,
    yields: &[UnitYield],
    names: &Interner,
    resolution: &Resolution,
) -> Vec<Claim> {
    let mut out: Vec<Claim> = Vec::new();
    for (unit, found) in yields.iter().enumerate() {
        for (place, claim) in found.claims.iter().enumerate() {
            let entity = |name: &str| {
                let name = names.find(name)?;
                resolution.entity(name, unit as u32)
            };
            let title = |entity: u32| resolution.entities[entity as usize].title.clone();
            let (subject, object) = (entity(&claim.subject), entity(&claim.object));
            let mut hasher = IdHasher::new("claim");
            // The same claim may be made twice in a text unit.
            hasher
                .part(&corpus.unit_ids[unit].0.to_be_bytes())
                .number(place as u64);
            for part in [
                &claim.subject,
                &claim.object,
                &claim.kind,
                &claim.description,
                &claim.source_text,
            ] {
                hasher.part(part.as_bytes());
            }
            out.push(Claim {
                id: ClaimId(hasher.finish()),
                claim: ExtractedClaim {
                    subject: subject.map_or_else(|| claim.subject.clone(), title),
                    object: object.map_or_else(|| claim.object.clone(), title),
                    ..claim.clone()
                },
                subject: subject.map(EntityIx),
                text_unit: TextUnitIx(unit as u32),
                contradicts: Vec::new(),
                confirms: Vec::new(),
            });
        }
    }
    link(&mut out);
    out
}
