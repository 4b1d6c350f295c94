//! One index run from files to manifest.

use std::collections::BTreeMap;
use std::time::Instant;

use super::calls::Halt;
use super::embed::{self, Vectors};
use super::error::PipelineError;
use super::finish::{Index, write_tables};
use super::given::{GivenGraph, GraphFiles};
use super::load::{Corpus, input_fingerprint, load};
use super::models::BudgetOptions;
use super::progress::Progress;
use super::project::Project;
use super::session::{BatchChoice, Session};
use super::standing::Standing;
use super::summary::{RunSummary, Trouble};
use super::{by_model, cluster, fast, finalize, fingerprint, graphml, health, resolution};
use crate::chunk;
use crate::embed::Embedder;
use crate::input::{Selection, SourceFile, discover};
use crate::model::shown::agreed;
use crate::model::{DocumentIx, Outcome, Report, TextUnitIx};
use crate::report;
use crate::resolve::audit;
use crate::resolve::decisions::Decisions;
use crate::store::{Manifest, OutputBuild, STATS_FILE, write_atomically};

/// How entities and relationships are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By a model.
    Standard,
    /// By form alone.
    Fast,
}

impl Method {
    /// The word on the command line and in the manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Fast => "fast",
        }
    }
}

/// What the caller may choose.
#[derive(Clone, Debug, Default)]
pub struct IndexOptions {
    /// By default `standard` where a completion model is configured, else `fast`.
    pub method: Option<Method>,
    /// Index even when nothing changed.
    pub force: bool,
    /// Do nothing unless something failed last time.
    pub retry_failed: bool,
    /// Caps that replace those of the settings.
    pub budget: BudgetOptions,
    /// Send the model's questions in batches.
    pub batch: Option<BatchChoice>,
    /// A graph to start from, before that of the settings.
    pub graph: GraphFiles,
}

/// Wall seconds by stage.
#[derive(Default)]
pub(super) struct Clock(BTreeMap<&'static str, f64>);

impl Clock {
    pub(super) fn time<T>(&mut self, stage: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let value = work();
        *self.0.entry(stage).or_default() += start.elapsed().as_secs_f64();
        value
    }
}

/// Runs `work` on the calling thread and `other` on one of its own, and gives the results of `work` and `other`.
pub(super) fn beside<A: Send, B>(
    other: impl FnOnce() -> A + Send,
    work: impl FnOnce() -> B,
) -> (B, A) {
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        let done = work();
        let other = other
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (done, other)
    })
}

/// Indexes a project: reads, extracts, clusters, reports, embeds, and replaces the tables as a whole.
///
/// # Errors
/// What stops the run as a whole; the old index is then untouched. Everything else is in the summary.
pub fn index(
    project: &Project,
    options: &IndexOptions,
    progress: &Progress,
) -> Result<RunSummary, PipelineError> {
    let start = Instant::now();
    let mut clock = Clock::default();
    let method = options
        .method
        .unwrap_or(if project.settings.has_completion_model() {
            Method::Standard
        } else {
            Method::Fast
        });
    if options.batch.is_some() && method == Method::Fast {
        return Err(PipelineError::Settings(
            "--batch sends questions to a model, and --method fast has none; configure a completion model in settings.yaml or index without --batch".to_owned(),
        ));
    }
    let output = project.output_dir();
    let given = GraphFiles::of(project, &options.graph)?;
    // What is wrong with the decisions is told before anything is paid for.
    let decisions = match &given {
        Some(_) => None,
        None => resolution::read(project)?,
    };
    let mut standing = Standing::read(&output, progress)?;
    if given.is_none() && !(options.retry_failed && standing.is_whole()) {
        standing.note_other_graph();
    }
    let files = match &given {
        Some(_) => Vec::new(),
        None => discover(&project.input_dir(), &project.input_settings()?)?,
    };
    let input = clock.time("compare", || match &given {
        Some(given) => given.fingerprint(),
        None => Ok(input_fingerprint(&files)),
    })?;
    let settings = fingerprint::settings_fingerprint(project, method);
    let fits = |old: &Manifest| {
        options.retry_failed || (old.input.as_str(), old.settings.as_str()) == (&input, &settings)
    };
    if !options.force
        && let Some(manifest) = standing.up_to_date(fits)
    {
        return Ok(RunSummary {
            notes: standing.notes,
            ..unchanged(project, &manifest, start)
        });
    }
    let mut build = OutputBuild::begin(&output)?;
    let encoder = embed::compiled_in(&project.settings)?;
    let halt = Halt::default();
    let read = || match &given {
        Some(given) => given
            .load(project, &build)
            .map(|(corpus, graph)| (corpus, Some(graph))),
        None => Ok((load(project, &files, &build, &halt, progress)?, None)),
    };
    let (session, (corpus, graph)) = match method {
        Method::Fast => (None, clock.time("load", read)?),
        Method::Standard => {
            let open = || {
                Session::open(project, options.budget, options.batch, progress)
                    .inspect_err(|_| halt.set())
            };
            // The models are probed while the files are read.
            let (session, loaded) = clock.time("load", || beside(read, open));
            (Some(session?), loaded?)
        }
    };
    let mut summary = RunSummary {
        method: method.as_str().to_owned(),
        documents: corpus.documents.len() as u64,
        text_units: corpus.units.len() as u64,
        output: output.display().to_string(),
        notes: standing.notes,
        ..RunSummary::default()
    };
    note_input(&mut summary, &files, &corpus);
    let input_failures = summary.failed;
    let run = by_model::Run {
        project,
        corpus: &corpus,
        encoder: encoder.as_ref(),
        progress,
    };
    let (index, vectors) = match (&session, graph) {
        (Some(session), Some(graph)) => {
            let index = given_index(&corpus, graph, project, &mut clock, &mut summary);
            run.given_graph(session, index, &mut clock, &mut summary)?
        }
        (Some(session), None) => {
            run.index(session, decisions.as_ref(), &mut clock, &mut summary)?
        }
        (None, Some(graph)) => {
            let index = given_index(&corpus, graph, project, &mut clock, &mut summary);
            without_model(
                project,
                &corpus,
                index,
                encoder.as_ref(),
                progress,
                &mut clock,
            )?
        }
        (None, None) => {
            let decisions = decisions.as_ref();
            let index = fast_index(
                project,
                &corpus,
                decisions,
                progress,
                &mut clock,
                &mut summary,
            )?;
            without_model(
                project,
                &corpus,
                index,
                encoder.as_ref(),
                progress,
                &mut clock,
            )?
        }
    };
    clock.time("write", || -> Result<(), PipelineError> {
        write_tables(&corpus, &index, &mut build)?;
        for vectors in &vectors {
            vectors.store(&mut build)?;
        }
        if project.settings.snapshots.graphml {
            let text = graphml::graphml(&index.entities, &index.relationships);
            build.add_file("graph.graphml", text.as_bytes())?;
        }
        Ok(())
    })?;
    describe(&mut summary, &index);
    summary.health = Some(clock.time("health", || health::health(&corpus, &index)));
    let failed_calls = summary.failed - input_failures;
    build.commit(|manifest| {
        manifest.method = method.as_str().to_owned();
        manifest.input = input;
        manifest.settings = settings;
        manifest.failed = failed_calls;
        manifest.unread = input_failures;
        manifest.graph = given.as_ref().map(|given| given.named(&options.graph));
    })?;
    if let Some(session) = &session {
        session.finished(failed_calls)?;
        summary.usage = Some(session.usage());
        summary.notes.extend(session.warnings());
    }
    summary
        .troubles
        .sort_by_key(|trouble| trouble.outcome != "failed");
    summary.stages = clock.0;
    summary.seconds = start.elapsed().as_secs_f64();
    write_stats(project, &summary)?;
    Ok(summary)
}

fn fast_index(
    project: &Project,
    corpus: &Corpus,
    decisions: Option<&Decisions>,
    progress: &Progress,
    clock: &mut Clock,
    summary: &mut RunSummary,
) -> Result<Index, PipelineError> {
    let harvest = clock.time("extract", || {
        fast::harvest(corpus, &project.settings, progress)
    })?;
    let (entities, relationships, mentions, decided) =
        clock.time("resolve", || -> Result<_, PipelineError> {
            let names = resolution::Names::new(project, corpus, &harvest, decisions, summary);
            let resolution = names.resolve(&[]);
            summary.notes.extend(names.without_effect(&resolution));
            let found = fast::graph(&harvest, &resolution, corpus.units.len(), &project.settings);
            if !found.relaxed.is_empty() {
                summary.notes.push(format!(
                    "the graph would be empty with {}, which {} left out",
                    found.relaxed.join(", "),
                    match found.relaxed.len() {
                        1 => "was",
                        _ => "were",
                    }
                ));
            }
            summary.pruned_entities = found.pruned as u64;
            let quotes = fast::quotes(corpus, &found.graph)?;
            let (entities, relationships) = finalize::finalize(
                &found.graph,
                &resolution,
                quotes.entities,
                quotes.relationships,
            );
            let decided = audit::rows(&harvest, &resolution);
            Ok((entities, relationships, found.graph.mentions, decided))
        })?;
    let communities = clock.time("cluster", || {
        cluster::communities(&entities, &relationships, &project.settings.cluster_graph)
    });
    Ok(Index {
        entities,
        relationships,
        mentions,
        communities,
        resolution: decided,
        unit_outcomes: vec!["ok"; corpus.units.len()],
        ..Index::default()
    })
}

/// The communities of a graph that the user brought.
fn given_index(
    corpus: &Corpus,
    graph: GivenGraph,
    project: &Project,
    clock: &mut Clock,
    summary: &mut RunSummary,
) -> Index {
    if graph.loops > 0 {
        summary.dropped_relationships = graph.loops;
        summary.notes.push(format!(
            "{} left out",
            agreed(
                graph.loops,
                "relationship of an entity with itself was",
                "relationships of an entity with itself were"
            )
        ));
    }
    let [entities, relationships] = graph.unfollowed;
    if entities + relationships > 0 {
        summary.notes.push(format!(
            "text_unit_ids of {entities} entities and {relationships} relationships lead nowhere, as no text units are given; give their file (columns id, text) with --text-units or as graph_input.text_units"
        ));
    }
    let communities = clock.time("cluster", || {
        cluster::communities(
            &graph.entities,
            &graph.relationships,
            &project.settings.cluster_graph,
        )
    });
    Index {
        entities: graph.entities,
        relationships: graph.relationships,
        mentions: graph.mentions,
        communities,
        unit_outcomes: vec!["ok"; corpus.units.len()],
        ..Index::default()
    }
}

/// Reports and vectors by what is compiled in.
fn without_model(
    project: &Project,
    corpus: &Corpus,
    mut index: Index,
    encoder: &dyn Embedder,
    progress: &Progress,
    clock: &mut Clock,
) -> Result<(Index, Vec<Vectors>), PipelineError> {
    index.reports = clock.time("report", || {
        let stage = progress.stage("report", index.communities.len() as u64);
        let reports = extractive_reports(corpus, &index);
        stage.inc(reports.len() as u64);
        reports.into_iter().map(|report| (report, "ok")).collect()
    });
    let names = &project.settings.embed_text.names;
    let total: usize = names
        .iter()
        .map(|&name| embed::rows_of(name, corpus, &index))
        .sum();
    let stage = progress.stage("embed", total as u64);
    let vectors = clock.time("embed", || {
        names
            .iter()
            .map(|&name| embed::builtin(name, corpus, &index, encoder, &stage))
            .collect::<Result<_, _>>()
    })?;
    Ok((index, vectors))
}

/// Reports made of the communities' own sentences, in community order.
pub(super) fn extractive_reports(corpus: &Corpus, index: &Index) -> Vec<Report> {
    let units = UnitTexts(corpus);
    let split =
        |text: &str, out: &mut Vec<std::ops::Range<usize>>| out.extend(chunk::sentences(text));
    let sentences = report::SentenceIndex::build(&units, &index.entities, &split);
    report::write_all(&report::Corpus {
        entities: &index.entities,
        relationships: &index.relationships,
        communities: &index.communities,
        units: &units,
        index: &sentences,
    })
}

/// The corpus as the report room reads it.
pub(super) struct UnitTexts<'a>(pub &'a Corpus);

impl report::TextUnits for UnitTexts<'_> {
    fn len(&self) -> usize {
        self.0.units.len()
    }

    fn text(&self, unit: TextUnitIx) -> std::borrow::Cow<'_, str> {
        // A scratch file that vanishes is reported when the tables are written; a report without a text stays a report.
        self.0.texts.read(unit).unwrap_or_default().into()
    }

    fn document(&self, unit: TextUnitIx) -> DocumentIx {
        self.0.units[unit.at()].document
    }
}

fn unchanged(project: &Project, manifest: &Manifest, start: Instant) -> RunSummary {
    let rows = |file: &str| manifest.tables.get(file).map_or(0, |entry| entry.rows);
    RunSummary {
        method: manifest.method.clone(),
        unchanged: true,
        documents: rows("documents.parquet"),
        text_units: rows("text_units.parquet"),
        entities: rows("entities.parquet"),
        relationships: rows("relationships.parquet"),
        reports: rows("community_reports.parquet"),
        failed: manifest.unread,
        seconds: start.elapsed().as_secs_f64(),
        output: project.output_dir().display().to_string(),
        ..RunSummary::default()
    }
}

/// Paths named in one note.
const NAMED: usize = 5;

fn note_input(summary: &mut RunSummary, files: &[SourceFile], corpus: &Corpus) {
    for report in &corpus.troubles {
        if let Some(encoding) = &report.decoded_as {
            summary.troubles.push(Trouble {
                of_input: true,
                item: report.path.clone(),
                outcome: "repaired",
                detail: format!("decoded as {encoding}; set input.encoding if that is wrong"),
            });
        }
        for item in &report.items {
            let detail = match &item.outcome {
                Outcome::Repaired(why) | Outcome::Partial(why) | Outcome::Failed(why) => {
                    why.clone()
                }
                Outcome::Empty => "no text in it".to_owned(),
                Outcome::Ok => continue,
            };
            summary.failed += u64::from(matches!(item.outcome, Outcome::Failed(_)));
            summary.troubles.push(Trouble {
                of_input: true,
                item: item.path.clone(),
                outcome: item.outcome.word(),
                detail,
            });
        }
        if report.unlisted > 0 {
            summary.failed += report.failed.saturating_sub(report.items.len() as u64);
            summary.notes.push(format!(
                "{}: {} not ok",
                report.path,
                agreed(report.unlisted, "further row is", "further rows are")
            ));
        }
    }
    for file in files {
        if let Selection::Unreadable(why) = &file.selection {
            summary.failed += 1;
            summary.troubles.push(Trouble {
                of_input: true,
                item: file.path.clone(),
                outcome: "failed",
                detail: why.clone(),
            });
        }
    }
    summary
        .troubles
        .sort_by_key(|trouble| trouble.outcome != "failed");
    for (selection, one, many) in [
        (
            Selection::UnknownFormat,
            "file is of a format that is not read",
            "files are of a format that is not read",
        ),
        (
            Selection::NotRegular,
            "file is a pipe, socket or device, which is not read",
            "files are pipes, sockets or devices, which are not read",
        ),
    ] {
        let skipped: Vec<&str> = files
            .iter()
            .filter(|file| file.selection == selection)
            .map(|file| file.path.as_str())
            .collect();
        if !skipped.is_empty() {
            let more = if skipped.len() > NAMED { ", ..." } else { "" };
            let named = skipped[..skipped.len().min(NAMED)].join(", ");
            summary.notes.push(format!(
                "{}: {named}{more}",
                agreed(skipped.len(), one, many)
            ));
        }
    }
    for (path, first) in corpus.duplicates.iter().take(NAMED) {
        summary.notes.push(format!(
            "{path} has the same text as {first}; both are indexed"
        ));
    }
    if corpus.duplicates.len() > NAMED {
        let more = corpus.duplicates.len() - NAMED;
        summary.notes.push(format!(
            "{} the text of another one",
            agreed(more, "more document has", "more documents have")
        ));
    }
}

fn describe(summary: &mut RunSummary, index: &Index) {
    summary.entities = index.entities.len() as u64;
    summary.relationships = index.relationships.len() as u64;
    summary.claims = index.claims.as_ref().map(|claims| claims.len() as u64);
    summary.reports = index.reports.len() as u64;
    summary.isolated_entities = index.entities.iter().filter(|e| e.degree == 0).count() as u64;
    for community in &index.communities {
        let level = community.level as usize;
        if summary.communities_by_level.len() <= level {
            summary.communities_by_level.resize(level + 1, 0);
        }
        summary.communities_by_level[level] += 1;
    }
}

/// `stats.json`, with the original's keys and ours.
fn write_stats(project: &Project, summary: &RunSummary) -> Result<(), PipelineError> {
    let workflows: serde_json::Map<String, serde_json::Value> = summary
        .stages
        .iter()
        .map(|(stage, seconds)| {
            (
                (*stage).to_owned(),
                serde_json::json!({ "overall": seconds }),
            )
        })
        .collect();
    let stats = serde_json::json!({
        "total_runtime": summary.seconds,
        "num_documents": summary.documents,
        "update_documents": 0,
        "input_load_time": summary.stages.get("load"),
        "workflows": workflows,
        "summary": summary,
    });
    let text = format!("{stats:#}\n");
    write_atomically(&project.output_dir().join(STATS_FILE), text.as_bytes())?;
    Ok(())
}
