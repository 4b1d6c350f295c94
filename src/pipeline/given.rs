//! A graph that the user brings: its entities and relationships, checked, with the texts that prove them.
//!
//! The pipeline then starts at clustering. Without text units of their own the rows themselves are the evidence: each description
//! becomes a document of one text unit, so that a citation leads to the row it rests on.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::error::PipelineError;
use super::given_file::{GivenTable, Wanted};
use super::load::{Corpus, DocumentRow, UnitRow};
use super::project::Project;
use super::texts::TextsWriter;
use crate::model::{
    Document, DocumentIx, Entity, EntityIx, Mention, Relationship, TextUnit, TextUnitIx,
};
use crate::resolve::grounding;
use crate::store::OutputBuild;
use crate::store::tables::DocumentsWriter;

/// The files of a given graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphFiles {
    /// Columns `title`, and as far as known `type`, `description`, `text_unit_ids`.
    pub entities: Option<PathBuf>,
    /// Columns `source`, `target`, and as far as known `description`, `weight`, `text_unit_ids`.
    pub relationships: Option<PathBuf>,
    /// Columns `id`, `text`, and as far as known `title`.
    pub text_units: Option<PathBuf>,
}

/// A given graph, ready to be clustered.
pub(super) struct GivenGraph {
    pub entities: Vec<Entity>,
    pub relationships: Vec<Relationship>,
    pub mentions: Vec<Mention>,
    /// Relationships of an entity with itself, which were left out.
    pub loops: u64,
    /// Entities and relationships that name text units, where none are given.
    pub unfollowed: [usize; 2],
}

const fn required(names: &'static [&'static str]) -> Wanted {
    Wanted {
        names,
        required: true,
    }
}

const fn optional(names: &'static [&'static str]) -> Wanted {
    Wanted {
        names,
        required: false,
    }
}

const ENTITIES: [Wanted; 3] = [
    required(&["title", "name"]),
    optional(&["type"]),
    optional(&["description"]),
];
const RELATIONSHIPS: [Wanted; 4] = [
    required(&["source"]),
    required(&["target"]),
    optional(&["description"]),
    optional(&["weight"]),
];
const TEXT_UNITS: [Wanted; 3] = [
    required(&["id"]),
    required(&["text"]),
    optional(&["title", "document"]),
];
const UNITS: &str = "text_unit_ids";

impl GraphFiles {
    /// The files of the settings, with those of the command line before them; `None` where no graph is given.
    ///
    /// # Errors
    /// Entities without relationships, or the other way round.
    pub(super) fn of(project: &Project, options: &Self) -> Result<Option<Self>, PipelineError> {
        let config = &project.settings.graph_input;
        // Paths on the command line are relative to the working directory, those of the settings to the project.
        let chosen = |option: &Option<PathBuf>, setting: &Option<PathBuf>| {
            option
                .clone()
                .or_else(|| setting.as_ref().map(|path| project.root.join(path)))
        };
        let files = Self {
            entities: chosen(&options.entities, &config.entities),
            relationships: chosen(&options.relationships, &config.relationships),
            text_units: chosen(&options.text_units, &config.text_units),
        };
        match (&files.entities, &files.relationships) {
            (Some(_), Some(_)) => {
                files.check_kind()?;
                Ok(Some(files))
            }
            (None, None) if files.text_units.is_none() => Ok(None),
            _ => Err(PipelineError::Given(
                "a graph is given by entities and relationships together; name both files (--entities, --relationships, or graph_input in settings.yaml)".to_owned(),
            )),
        }
    }

    /// The files by name, each as it was given: by an option of `options` or by a key of the settings.
    pub(super) fn named(&self, options: &Self) -> String {
        let all = [
            (&self.entities, &options.entities, "entities"),
            (&self.relationships, &options.relationships, "relationships"),
            (&self.text_units, &options.text_units, "text_units"),
        ];
        let words = all.into_iter().filter_map(|(file, option, key)| {
            let name = file.as_ref()?.file_name()?.to_string_lossy();
            Some(match option {
                Some(_) => format!("--{} {name}", key.replace('_', "-")),
                None => format!("graph_input.{key}: {name}"),
            })
        });
        words.collect::<Vec<_>>().join(", ")
    }

    fn paths(&self) -> impl Iterator<Item = &Path> {
        let all = [&self.entities, &self.relationships, &self.text_units];
        all.into_iter().filter_map(|path| path.as_deref())
    }

    /// A pipe could be read once only, and may never end.
    fn check_kind(&self) -> Result<(), PipelineError> {
        let other = |path: &&Path| std::fs::metadata(path).is_ok_and(|data| !data.is_file());
        match self.paths().find(other) {
            None => Ok(()),
            Some(path) => Err(PipelineError::Given(format!(
                "{} is not a regular file; save the table to a file and name that",
                path.display()
            ))),
        }
    }

    /// Hashes the files' names and contents.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(super) fn fingerprint(&self) -> Result<String, PipelineError> {
        let mut hasher = blake3::Hasher::new();
        for path in self.paths() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
            let hashed = std::fs::File::open(path).and_then(|mut file| {
                let mut content = blake3::Hasher::new();
                std::io::copy(&mut file, &mut content)?;
                Ok(content.finalize())
            });
            let hashed = hashed.map_err(|error| {
                PipelineError::Given(format!(
                    "cannot read {}: {error}; check the path",
                    path.display()
                ))
            })?;
            hasher.update(hashed.as_bytes());
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// Reads and checks the graph, and stores its texts.
    ///
    /// # Errors
    /// `Given` with file, row and column for whatever the user must correct; disk errors.
    pub(super) fn load(
        &self,
        project: &Project,
        build: &OutputBuild,
    ) -> Result<(Corpus, GivenGraph), PipelineError> {
        let read = |path: &Option<PathBuf>, wanted: &[Wanted], list| match path {
            Some(path) => GivenTable::read(path, wanted, list).map(Some),
            None => Ok(None),
        };
        let (Some(entities), Some(relationships)) = (
            read(&self.entities, &ENTITIES, UNITS)?,
            read(&self.relationships, &RELATIONSHIPS, UNITS)?,
        ) else {
            return Err(PipelineError::Given(
                "a graph needs entities and relationships".to_owned(),
            ));
        };
        let mut texts = UnitsBuild::new(project, build)?;
        let by_id = match read(&self.text_units, &TEXT_UNITS, "")? {
            Some(table) => Some(texts.add_units(&table)?),
            None => None,
        };
        let mut graph = build_graph(&entities, &relationships, by_id.as_ref(), &mut texts)?;
        let corpus = texts.finish()?;
        if by_id.is_some() {
            graph.find_mentions(&corpus)?;
        }
        Ok((corpus, graph))
    }
}

impl GivenGraph {
    /// Looks for each entity's title in the text units it names.
    fn find_mentions(&mut self, corpus: &Corpus) -> Result<(), PipelineError> {
        let mut named: Vec<(TextUnitIx, u32)> = Vec::new();
        for (row, entity) in self.entities.iter().enumerate() {
            named.extend(entity.text_units.iter().map(|&unit| (unit, row as u32)));
        }
        named.sort_unstable();
        for of_unit in named.chunk_by(|a, b| a.0 == b.0) {
            let unit = of_unit[0].0;
            let text = corpus.texts.read(unit)?;
            let names: Vec<(u32, &str)> = of_unit
                .iter()
                .map(|&(_, row)| (row, self.entities[row as usize].title.as_str()))
                .collect();
            mention(&text, &names, unit.0, &mut self.mentions);
        }
        self.mentions.sort_unstable();
        Ok(())
    }
}

/// Text units as they are given or made, one document each.
struct UnitsBuild {
    table: DocumentsWriter,
    texts: TextsWriter,
    tokenizer: crate::chunk::Tokenizer,
    documents: Vec<DocumentRow>,
    units: Vec<UnitRow>,
}

impl UnitsBuild {
    fn new(project: &Project, build: &OutputBuild) -> Result<Self, PipelineError> {
        Ok(Self {
            table: DocumentsWriter::create(build)?,
            texts: TextsWriter::create(build.building())?,
            tokenizer: project.chunk_settings()?.1,
            documents: Vec::new(),
            units: Vec::new(),
        })
    }

    fn push(
        &mut self,
        path: String,
        title: &str,
        text: String,
    ) -> Result<TextUnitIx, PipelineError> {
        let row = self.units.len() as u32;
        let id = Document::derive_id(path.as_bytes(), &text);
        let length = text.chars().count() as u64;
        let unit = TextUnit {
            id: TextUnit::derive_id(id, 0, length, &text),
            document: DocumentIx(row),
            n_tokens: self.tokenizer.count(&text) as u32,
            char_start: 0,
            char_end: length,
            text: text.clone(),
        };
        let document = Document {
            id,
            title: title.to_owned(),
            path,
            text,
            creation_date: None,
            metadata: None,
        };
        self.table.push(&document, std::slice::from_ref(&unit))?;
        self.texts.push(&unit.text)?;
        self.units.push(UnitRow {
            id: unit.id,
            document: unit.document,
            n_tokens: unit.n_tokens,
            char_start: 0,
            char_end: length,
        });
        self.documents.push(DocumentRow {
            id,
            path: document.path,
        });
        Ok(TextUnitIx(row))
    }

    /// Adds the given text units; returns their rows by the given id.
    fn add_units(
        &mut self,
        table: &GivenTable,
    ) -> Result<FxHashMap<String, TextUnitIx>, PipelineError> {
        let mut by_id = FxHashMap::default();
        for row in 0..table.rows {
            let (id, text) = (table.text(row, "id"), table.text(row, "text"));
            let title = match table.text(row, "title") {
                "" => id,
                title => title,
            };
            if id.is_empty() {
                return Err(table.cell_problem(row, "id", "is empty; give each text unit an id"));
            }
            let unit = self.push(table.place(row), title, text.to_owned())?;
            if by_id.insert(id.to_owned(), unit).is_some() {
                return Err(table.cell_problem(
                    row,
                    "id",
                    format!("'{id}' is there twice; give each text unit an id of its own"),
                ));
            }
        }
        Ok(by_id)
    }

    fn finish(self) -> Result<Corpus, PipelineError> {
        Ok(Corpus {
            unit_ids: self.units.iter().map(|unit| unit.id).collect(),
            documents: self.documents,
            units: self.units,
            texts: self.texts.finish()?,
            table: self.table.finish()?,
            troubles: Vec::new(),
            duplicates: Vec::new(),
        })
    }
}

fn build_graph(
    given: &GivenTable,
    edges: &GivenTable,
    by_id: Option<&FxHashMap<String, TextUnitIx>>,
    texts: &mut UnitsBuild,
) -> Result<GivenGraph, PipelineError> {
    let named = |table: &GivenTable, row: usize| -> Result<Vec<TextUnitIx>, PipelineError> {
        let Some(by_id) = by_id else {
            return Ok(Vec::new());
        };
        let ids = table.list(row).iter().map(|id| {
            by_id.get(id).copied().ok_or_else(|| {
                table.cell_problem(
                    row,
                    UNITS,
                    format!(
                        "'{id}' is the id of no text unit given; correct it or add the text unit"
                    ),
                )
            })
        });
        ids.collect()
    };
    let mut entities: Vec<Entity> = Vec::with_capacity(given.rows);
    let mut row_of: FxHashMap<&str, u32> = FxHashMap::default();
    let mut mentions = Vec::new();
    for row in 0..given.rows {
        let title = given.text(row, "title");
        if title.is_empty() {
            return Err(given.cell_problem(row, "title", "is empty; name the entity"));
        }
        if let Some(first) = row_of.insert(title, row as u32) {
            return Err(given.cell_problem(
                row,
                "title",
                format!(
                    "'{title}' is also row {}; make one row of the two",
                    first + 1
                ),
            ));
        }
        let description = given.text(row, "description");
        let mut units = named(given, row)?;
        if by_id.is_none() && !description.is_empty() {
            let text = introduced(&[title], description);
            mention(
                &text,
                &[(row as u32, title)],
                texts.units.len() as u32,
                &mut mentions,
            );
            units.push(texts.push(given.place(row), title, text)?);
        }
        entities.push(Entity {
            id: Entity::derive_id(title),
            title: title.to_owned(),
            kind: given.text(row, "type").to_owned(),
            description: description.to_owned(),
            aliases: Vec::new(),
            text_units: units,
            frequency: 0,
            degree: 0,
        });
    }
    let mut relationships: Vec<Relationship> = Vec::with_capacity(edges.rows);
    let mut known: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    let mut loops = 0;
    for row in 0..edges.rows {
        let end = |column: &str| -> Result<(u32, &str), PipelineError> {
            let title = edges.text(row, column);
            let found = row_of.get(title).copied();
            found.map(|row| (row, title)).ok_or_else(|| {
                edges.cell_problem(
                    row,
                    column,
                    format!(
                        "'{title}' is no title in {}; add it there or correct the name",
                        given.file
                    ),
                )
            })
        };
        let ((source, source_title), (target, target_title)) = (end("source")?, end("target")?);
        let weight = match edges.text(row, "weight") {
            "" => 1.0,
            text => text
                .parse::<f64>()
                .ok()
                .filter(|weight| weight.is_finite() && *weight > 0.0)
                .ok_or_else(|| {
                    edges.cell_problem(
                        row,
                        "weight",
                        format!("'{text}' is not a number above 0; correct it or leave it empty"),
                    )
                })?,
        };
        if source == target {
            loops += 1;
            continue;
        }
        let description = edges.text(row, "description");
        let mut units = named(edges, row)?;
        if by_id.is_none() {
            let text = introduced(&[source_title, target_title], description);
            let ends = [(source, source_title), (target, target_title)];
            mention(&text, &ends, texts.units.len() as u32, &mut mentions);
            let unit = texts.push(
                edges.place(row),
                &format!("{source_title} - {target_title}"),
                text,
            )?;
            units.push(unit);
            entities[source as usize].text_units.push(unit);
            entities[target as usize].text_units.push(unit);
        }
        match known.get(&(source, target)) {
            Some(&at) => {
                let first = &mut relationships[at];
                first.weight = (first.weight + weight).min(f64::MAX);
                first.text_units.extend(units);
                if !description.is_empty() && first.description != description {
                    first.description = [first.description.as_str(), description]
                        .join("\n")
                        .trim()
                        .to_owned();
                }
            }
            None => {
                known.insert((source, target), relationships.len());
                relationships.push(Relationship {
                    id: Relationship::derive_id(source_title, target_title),
                    source: EntityIx(source),
                    target: EntityIx(target),
                    description: description.to_owned(),
                    weight,
                    combined_degree: 0,
                    text_units: units,
                });
            }
        }
    }
    count(&mut entities, &mut relationships);
    let unfollowed = match by_id {
        None => [given.listed(), edges.listed()],
        Some(_) => [0, 0],
    };
    mentions.sort_unstable();
    Ok(GivenGraph {
        entities,
        relationships,
        mentions,
        loops,
        unfollowed,
    })
}

/// Sorts text units and fills in degrees.
fn count(entities: &mut [Entity], relationships: &mut [Relationship]) {
    let mut pairs: FxHashSet<(u32, u32)> = FxHashSet::default();
    for relationship in relationships.iter_mut() {
        let (a, b) = (relationship.source.0, relationship.target.0);
        if pairs.insert((a.min(b), a.max(b))) {
            // invariant: ends are rows of entities
            entities[a as usize].degree += 1;
            entities[b as usize].degree += 1;
        }
        relationship.text_units.sort_unstable();
        relationship.text_units.dedup();
    }
    for entity in entities.iter_mut() {
        entity.text_units.sort_unstable();
        entity.text_units.dedup();
        entity.frequency = entity.text_units.len() as u32;
    }
    for relationship in relationships {
        let degree = |end: EntityIx| entities[end.at()].degree;
        relationship.combined_degree = degree(relationship.source) + degree(relationship.target);
    }
}

/// A description as a text that can stand alone: what it is about comes first, unless it says so itself.
fn introduced(titles: &[&str], description: &str) -> String {
    let lower = description.to_lowercase();
    if !description.is_empty()
        && titles
            .iter()
            .all(|title| lower.contains(&title.to_lowercase()))
    {
        return description.to_owned();
    }
    let about = titles.join(" - ");
    match description {
        "" => about,
        description => format!("{about}: {description}"),
    }
}

fn mention(text: &str, names: &[(u32, &str)], unit: u32, out: &mut Vec<Mention>) {
    let titles: Vec<&str> = names.iter().map(|name| name.1).collect();
    let mut spans = Vec::new();
    grounding::occurrences(text, &titles, &mut spans);
    out.extend(spans.iter().map(|&(name, char_start, char_end)| Mention {
        // invariant: occurrences are of the names given
        name: names[name as usize].0,
        text_unit: unit,
        char_start,
        char_end,
    }));
}
