//! `belvedere prompt-tune`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tokio_util::sync::CancellationToken;

use super::{fail, print, target};
use crate::chunk;
use crate::config::{ChunkType, STOCK_PROMPTS};
use crate::embed::{BuiltinEncoder, Embedder};
use crate::input;
use crate::model::DocumentIx;
use crate::pipeline::{BudgetOptions, Models, Project, aside};
use crate::query::show::{counted, printable_line};
use crate::tune::{self, Given};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Selection {
    /// Drawn with a fixed seed
    Random,
    /// The first ones
    Top,
    /// Those nearest to the middle of the corpus
    Auto,
    /// All of them
    All,
}

/// Options of `belvedere prompt-tune`.
#[derive(Args)]
pub struct TuneArgs {
    /// The project folder
    #[arg(short, long, default_value = ".")]
    root: PathBuf,
    /// What the documents are about; by default the model says
    #[arg(long)]
    domain: Option<String>,
    /// Language of descriptions and reports; by default the model says
    #[arg(long)]
    language: Option<String>,
    /// How text units are chosen for the sample
    #[arg(long, value_enum, default_value = "random")]
    selection_method: Selection,
    /// Text units of the sample
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=500))]
    limit: u32,
    /// With --selection-method auto: text units that are embedded
    #[arg(long, default_value_t = 300)]
    n_subset_max: usize,
    /// With --selection-method auto: text units that are taken of them
    #[arg(long, default_value_t = 15)]
    k: usize,
    /// Tokens the extraction prompt may have
    #[arg(long, default_value_t = 2000)]
    max_tokens: usize,
    /// Examples it has, whatever their size
    #[arg(long, default_value_t = 2)]
    min_examples_required: usize,
    /// Tokens of a text unit of the sample
    #[arg(long, default_value_t = 1200)]
    chunk_size: u32,
    /// Tokens it shares with the one before
    #[arg(long, default_value_t = 100)]
    overlap: u32,
    /// Keep the entity types of settings.yaml
    #[arg(long)]
    no_discover_entity_types: bool,
    /// Have the model propose entity types (the default)
    #[arg(long, hide = true, conflicts_with = "no_discover_entity_types")]
    discover_entity_types: bool,
    /// The folder the prompts are written to
    #[arg(short, long, default_value = "prompts")]
    output: PathBuf,
    /// Replace prompts that were edited too
    #[arg(short, long)]
    force: bool,
}

/// An error with its exit code.
type Failure = (String, u8);

fn user(error: impl std::fmt::Display) -> Failure {
    (error.to_string(), 2)
}

/// Runs the command and gives its exit code.
pub fn run(args: &TuneArgs) -> u8 {
    match tune(args) {
        Ok(text) => {
            print(&text);
            0
        }
        Err((error, code)) => fail(&printable_line(&error), code),
    }
}

const FILES: [&str; 3] = [
    "extract_graph.txt",
    "summarize_descriptions.txt",
    "community_report_graph.txt",
];

fn tune(args: &TuneArgs) -> Result<String, Failure> {
    let mut project = Project::open(&args.root).map_err(user)?;
    let folder = project.root.join(&args.output);
    let model_id = project.settings.extract_graph.completion_model_id.clone();
    if project.settings.completion_model(&model_id).is_none() {
        return Err(user(format!(
            "prompt-tune needs a completion model and settings.yaml names none as {model_id}; name one under completion_models (settings.yaml has examples)"
        )));
    }
    // Before anything is paid for.
    std::fs::create_dir_all(&folder).map_err(|error| {
        user(format!(
            "--output {}: the folder cannot be made: {error}; name another one",
            folder.display()
        ))
    })?;
    for file in FILES {
        target::check("--output", &folder.join(file)).map_err(user)?;
    }
    let edited = |file: &&str| !args.force && is_edited(&folder, file);
    let kept: Vec<&str> = FILES.into_iter().filter(edited).collect();
    if kept.len() == FILES.len() {
        return Err(user(format!(
            "all prompts in {} were edited or tuned before, so none would be written; use --force to replace them, or --output for another folder",
            folder.display()
        )));
    }
    project.settings.chunking.kind = ChunkType::Tokens;
    project.settings.chunking.size = args.chunk_size;
    project.settings.chunking.overlap = args.overlap;
    let sample = sample(&project, args)?;
    let settings = &project.settings;
    let given = Given {
        domain: args.domain.clone(),
        language: args.language.clone(),
        entity_types: settings.extract_graph.entity_types.clone(),
        discover: !args.no_discover_entity_types,
        max_tokens: args.max_tokens,
        min_examples: args.min_examples_required,
    };
    let cancel = CancellationToken::new();
    let models = Models::open(
        &project,
        None,
        BudgetOptions::default(),
        None,
        cancel.clone(),
        Arc::new(|line| aside(&printable_line(line))),
    )
    .map_err(user)?;
    let Some(door) = models.chat(&model_id).map_err(user)? else {
        return Err(user("the completion model is gone; run it again"));
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| (error.to_string(), 1))?;
    runtime.spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            cancel.cancel();
        }
    });
    let tuned = runtime
        .block_on(tune::tune(&door, &sample, &given))
        .map_err(|error| (error.to_string(), error.exit_code()))?;
    let (_, tokenizer) = project.chunk_settings().map_err(user)?;
    let count = |text: &str| tokenizer.count(text);
    let mut out = format!(
        "domain       {}\nlanguage     {}\nentity types {}\nexamples     {} from {}\n",
        tuned.domain,
        tuned.language,
        tuned.entity_types.join(", "),
        tuned.examples.len(),
        counted(sample.len(), "text unit")
    );
    for (file, text) in tune::prompts(&tuned, &given, &count) {
        let path = folder.join(file);
        if kept.contains(&file) {
            out.push_str(&format!(
                "kept         {} (it was edited or tuned before; --force replaces it)\n",
                path.display()
            ));
            continue;
        }
        std::fs::write(&path, text).map_err(|error| (format!("{}: {error}", path.display()), 1))?;
        out.push_str(&format!("written      {}\n", path.display()));
    }
    if settings.extract_graph.entity_types != tuned.entity_types {
        out.push_str(&format!(
            "put these types into settings.yaml as well: extract_graph: {{entity_types: [{}]}}\n",
            tuned.entity_types.join(", ")
        ));
    }
    let spent = models.shared().spent();
    out.push_str(&format!(
        "{}, {} + {} tokens",
        counted(spent.calls, "call"),
        spent.prompt_tokens,
        spent.completion_tokens
    ));
    Ok(out)
}

/// Whether a prompt file is there and not the built-in text.
fn is_edited(folder: &Path, file: &str) -> bool {
    let stock = STOCK_PROMPTS.iter().find(|prompt| prompt.file == file);
    match std::fs::read_to_string(folder.join(file)) {
        Ok(text) => stock.is_none_or(|prompt| prompt.text.trim() != text.trim()),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Text units of the input, chosen as asked, in reading order.
fn sample(project: &Project, args: &TuneArgs) -> Result<Vec<String>, Failure> {
    let settings = project.input_settings().map_err(user)?;
    let (chunking, tokenizer) = project.chunk_settings().map_err(user)?;
    let folder = project.input_dir();
    let files = input::discover(&folder, &settings).map_err(user)?;
    let mut texts: Vec<String> = Vec::new();
    for file in files.iter().filter(|file| file.is_selected()) {
        let enough = args.selection_method == Selection::Top && texts.len() >= args.limit as usize;
        if enough {
            break;
        }
        input::read(file, &settings, &mut |document| {
            let mut units = Vec::new();
            chunk::split(&document, DocumentIx(0), &chunking, tokenizer, &mut units);
            texts.extend(units.into_iter().map(|unit| unit.text));
            ControlFlow::Continue(())
        })
        .map_err(user)?;
    }
    if texts.is_empty() {
        return Err(user(format!(
            "no document was read from {}; put documents there first",
            folder.display()
        )));
    }
    let limit = args.limit as usize;
    let chosen: Vec<usize> = match args.selection_method {
        Selection::All => (0..texts.len()).collect(),
        Selection::Top => (0..texts.len().min(limit)).collect(),
        Selection::Random => drawn(&texts, limit),
        Selection::Auto => nearest_to_middle(&texts, &drawn(&texts, args.n_subset_max), args.k)?,
    };
    Ok(chosen
        .into_iter()
        .map(|at| std::mem::take(&mut texts[at]))
        .collect())
}

/// Places of up to `limit` texts, by the hash of their content: the same corpus gives the same sample, wherever its files stand.
fn drawn(texts: &[String], limit: usize) -> Vec<usize> {
    let mut places: Vec<([u8; 32], usize)> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| (*blake3::hash(text.as_bytes()).as_bytes(), at))
        .collect();
    places.sort_unstable();
    places.truncate(limit);
    let mut places: Vec<usize> = places.into_iter().map(|(_, at)| at).collect();
    places.sort_unstable();
    places
}

fn nearest_to_middle(texts: &[String], subset: &[usize], k: usize) -> Result<Vec<usize>, Failure> {
    let encoder = BuiltinEncoder::new();
    let chosen: Vec<&str> = subset.iter().map(|&at| texts[at].as_str()).collect();
    let vectors = encoder
        .embed(&chosen)
        .map_err(|error| (error.to_string(), 1))?;
    let dimension = encoder.dimension();
    let mut middle = vec![0f32; dimension];
    for row in vectors.chunks_exact(dimension) {
        middle
            .iter_mut()
            .zip(row)
            .for_each(|(sum, value)| *sum += value);
    }
    let mut scored: Vec<(f32, usize)> = vectors
        .chunks_exact(dimension)
        .zip(subset)
        .map(|(row, &at)| (row.iter().zip(&middle).map(|(a, b)| a * b).sum(), at))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(k.max(1));
    let mut places: Vec<usize> = scored.into_iter().map(|(_, at)| at).collect();
    places.sort_unstable();
    Ok(places)
}
