//! A run with models: what waits for what.
//!
//! Vectors of text units are made beside extraction, vectors of entities beside the reports. The only true barriers are resolution,
//! which needs all mentions, and clustering, which needs the graph.

use std::sync::Arc;

use super::calls::Halt;
use super::embed::{self, Vectors};
use super::error::PipelineError;
use super::finish::Index;
use super::load::Corpus;
use super::progress::{Progress, Stage as ProgressStage};
use super::project::Project;
use super::run::Clock;
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
use crate::model::{Claim, ClaimId, EntityIx, IdHasher, Outcome, TextUnitIx};
use crate::resolve::{Resolution, audit};

/// Extracts, resolves, summarises, clusters, reports and embeds with the configured models.
///
/// # Errors
/// What stops the run as a whole; everything answered so far is in the cache.
pub(super) fn index(
    project: &Project,
    corpus: &Corpus,
    session: &Session,
    encoder: &dyn Embedder,
    progress: &Progress,
    clock: &mut Clock,
    summary: &mut RunSummary,
) -> Result<(Index, Vec<Vectors>), PipelineError> {
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
            let units = embedded(
                EmbeddingName::TextUnitText,
                project,
                corpus,
                &none,
                embed_door.as_ref(),
                encoder,
                &halt,
                progress,
            );
            let (yields, units) = both(extractor.run(corpus, &halt, &stage), units).await?;
            vectors.extend(units);
            Ok(yields)
        })
    })?;
    note_units(summary, corpus, &yields);
    let (harvest, ungrounded) = standard::harvest(&yields, settings.entity_resolution.grounding);
    if ungrounded > 0 {
        summary.notes.push(format!(
            "{ungrounded} names do not occur in their text unit (entity_resolution.grounding: {})",
            settings.entity_resolution.grounding.as_str()
        ));
    }
    let resolution = clock.time("resolve", || {
        resolution::resolve_names(project, corpus, &harvest, summary)
    })?;
    let (graph, dropped) = DraftGraph::assemble(&harvest, &resolution);
    if dropped > 0 {
        summary.notes.push(format!(
            "{dropped} relationships were dropped: an end is no entity, or both ends are one"
        ));
    }
    let summarizer_door = chat(&settings.summarize_descriptions.completion_model_id)?;
    let (entity_texts, relationship_texts) = clock.time("summarize", || {
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
    })?;
    let (entities, relationships) =
        finalize::finalize(&graph, &resolution, entity_texts, relationship_texts);
    let communities = clock.time("cluster", || {
        cluster::communities(&entities, &relationships, &settings.cluster_graph)
    });
    let claims = settings
        .extract_claims
        .enabled
        .then(|| claims(&yields, &harvest.names, &resolution));
    let mut index = Index {
        entities,
        relationships,
        mentions: graph.mentions,
        communities,
        resolution: audit::rows(&harvest, &resolution),
        claims,
        unit_outcomes: yields
            .iter()
            .map(|unit| table_word(&unit.outcome))
            .collect(),
        ..Index::default()
    };
    let report_door = session
        .models
        .chat(&settings.community_reports.completion_model_id)?;
    let written = clock.time("report", || {
        let stage = progress.stage("report", index.communities.len() as u64);
        session.run(async {
            let entities = embedded(
                EmbeddingName::EntityDescription,
                project,
                corpus,
                &index,
                embed_door.as_ref(),
                encoder,
                &halt,
                progress,
            );
            let reports = reports::write(project, corpus, &index, report_door, &halt, &stage);
            let (written, entities) = both(reports, entities).await?;
            vectors.extend(entities);
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
    clock.time("embed", || {
        session.run(async {
            let reports = embedded(
                EmbeddingName::CommunityFullContent,
                project,
                corpus,
                &index,
                embed_door.as_ref(),
                encoder,
                &halt,
                progress,
            );
            vectors.extend(reports.await?);
            Ok(())
        })
    })?;
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

/// Both results; where one stops the run, what the other has in flight lands first.
async fn both<A, B>(
    a: impl Future<Output = Result<A, PipelineError>>,
    b: impl Future<Output = Result<B, PipelineError>>,
) -> Result<(A, B), PipelineError> {
    let (a, b) = futures::join!(a, b);
    Ok((a?, b?))
}

/// Vectors of one kind, if the settings ask for it.
#[allow(clippy::too_many_arguments)]
async fn embedded(
    name: EmbeddingName,
    project: &Project,
    corpus: &Corpus,
    index: &Index,
    door: Option<&Door>,
    encoder: &dyn Embedder,
    halt: &Halt,
    progress: &Progress,
) -> Result<Option<Vectors>, PipelineError> {
    if !project.settings.embed_text.names.contains(&name) {
        return Ok(None);
    }
    let stage = progress.stage("embed", embed::rows_of(name, corpus, index) as u64);
    match door {
        Some(door) => embed::by_model(name, corpus, index, door, &project.settings, halt, &stage)
            .await
            .map(Some),
        // The encoder computes for seconds: it must not hold up the calls that are in flight.
        None => {
            tokio::task::block_in_place(|| embed::builtin(name, corpus, index, encoder, &stage))
                .map(Some)
        }
    }
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

fn claims(yields: &[UnitYield], names: &Interner, resolution: &Resolution) -> Vec<Claim> {
    let mut out = Vec::new();
    for (unit, found) in yields.iter().enumerate() {
        for claim in &found.claims {
            let subject = names
                .find(&claim.subject)
                .and_then(|name| resolution.entity(name, unit as u32));
            let mut hasher = IdHasher::new("claim");
            hasher.number(unit as u64).number(out.len() as u64);
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
                claim: claim.clone(),
                subject: subject.map(EntityIx),
                text_unit: TextUnitIx(unit as u32),
            });
        }
    }
    out
}
