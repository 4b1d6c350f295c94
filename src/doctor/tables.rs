//! Whether the tables fit together: ids that exist, spans that lie in their text, vectors that belong to the rows and to the settings.

use super::{Figures, Findings, Weight};
use crate::config::{EmbeddingName, Settings};
use crate::embed::{BuiltinEncoder, Embedder};
use crate::query::index::{NO_ROW, RowsById};
use crate::query::{Index, QueryError};
use crate::store::{Manifest, StringColumn, TABLES, TableReader};

const REBUILD: &str =
    "run `belvedere index --force`; if it comes back, the tables were changed from outside";

/// Columns that hold ids of another table: table, column, the table they point to.
const LISTS: [(&str, &str, &str); 7] = [
    ("text_units", "entity_ids", "entities"),
    ("text_units", "relationship_ids", "relationships"),
    ("entities", "text_unit_ids", "text_units"),
    ("relationships", "text_unit_ids", "text_units"),
    ("communities", "entity_ids", "entities"),
    ("communities", "relationship_ids", "relationships"),
    ("communities", "text_unit_ids", "text_units"),
];

const SINGLE: [(&str, &str, &str); 4] = [
    ("text_units", "document_id", "documents"),
    ("mentions", "entity_id", "entities"),
    ("mentions", "text_unit_id", "text_units"),
    ("covariates", "text_unit_id", "text_units"),
];

pub(super) fn check(
    index: &Index,
    settings: &Settings,
    findings: &mut Findings,
    figures: &mut Figures,
) -> Result<(), QueryError> {
    for table in TABLES.into_iter().chain(["mentions"]) {
        if let Some(reader) = TableReader::open_optional(index.folder(), table)? {
            figures.rows.insert(table, reader.rows());
        }
    }
    ids(index, findings)?;
    spans(index, findings)?;
    files(index, settings, findings)?;
    Ok(())
}

fn ids(index: &Index, findings: &mut Findings) -> Result<(), QueryError> {
    let ids = |table: &str| -> Result<Option<StringColumn>, QueryError> {
        let reader = TableReader::open_optional(index.folder(), table)?;
        Ok(reader.map(|reader| reader.strings("id")).transpose()?)
    };
    let mut broken: Vec<String> = Vec::new();
    let mut lost = 0u64;
    for target in ["documents", "text_units", "entities", "relationships"] {
        let Some(known) = ids(target)? else { continue };
        let rows = RowsById::new(&known);
        let mut tell = |table: &str, column: &str, id: &str| {
            if rows.get(&known, id).is_none() {
                lost += 1;
                if broken.len() < super::EXAMPLES {
                    broken.push(format!("{table}.{column} {id}"));
                }
            }
        };
        for (table, column, _) in LISTS.iter().filter(|entry| entry.2 == target) {
            if let Some(reader) = TableReader::open_optional(index.folder(), table)?
                && reader.has(column)
            {
                reader
                    .string_lists(column)?
                    .values
                    .iter()
                    .for_each(|id| tell(table, column, id));
            }
        }
        for (table, column, _) in SINGLE.iter().filter(|entry| entry.2 == target) {
            if let Some(reader) = TableReader::open_optional(index.folder(), table)?
                && reader.has(column)
            {
                let column_ids = reader.strings(column)?;
                column_ids
                    .iter()
                    .filter(|id| !id.is_empty())
                    .for_each(|id| tell(table, column, id));
            }
        }
    }
    findings.count(
        "broken_ids",
        Weight::CostsAnswers,
        lost,
        "ids point to rows that do not exist",
        REBUILD,
        broken,
    );
    let relationships = index.relationships()?;
    let ends = relationships.sources.iter().zip(&relationships.targets);
    let open = ends
        .enumerate()
        .filter(|(_, (source, target))| **source == NO_ROW || **target == NO_ROW);
    findings.add(
        "open_relationships",
        Weight::CostsAnswers,
        open.map(|(row, _)| format!("relationship {}", relationships.numbers.of(row as u32))),
        "relationships have an end that is no entity",
        REBUILD,
    );
    Ok(())
}

fn spans(index: &Index, findings: &mut Findings) -> Result<(), QueryError> {
    let units = index.units()?;
    let lengths = match TableReader::open_optional(index.folder(), "documents")? {
        Some(reader) if reader.has("text") => reader.text_lengths("text")?,
        _ => Vec::new(),
    };
    let wrong = (0..units.documents.len()).filter(|&row| {
        let (start, end) = (units.starts.get(row), units.ends.get(row));
        let (Some(&start), Some(&end)) = (start, end) else {
            return false;
        };
        let document = units.documents.get(row).copied().unwrap_or(NO_ROW);
        let length = lengths.get(document as usize).copied();
        start >= 0 && (end < start || length.is_some_and(|length| end as u64 > length))
    });
    findings.add(
        "wrong_spans",
        Weight::CostsAnswers,
        wrong.map(|row| format!("text unit {}", units.numbers.of(row as u32))),
        "text units claim a place that their document does not have",
        REBUILD,
    );
    let Some(mentions) = TableReader::open_optional(index.folder(), "mentions")? else {
        return Ok(());
    };
    let text_lengths = TableReader::open(index.folder(), "text_units")?.text_lengths("text")?;
    let unit_ids = mentions.strings("text_unit_id")?;
    let (starts, ends) = (
        mentions.integers("char_start")?,
        mentions.integers("char_end")?,
    );
    let ids = index.unit_ids()?;
    let wrong = (0..unit_ids.len()).filter(|&row| {
        let unit = ids.row(unit_ids.get(row));
        let length = unit.and_then(|unit| text_lengths.get(unit as usize));
        starts[row] < 0
            || ends[row] < starts[row]
            || length.is_some_and(|&length| ends[row] as u64 > length)
    });
    findings.add(
        "wrong_mentions",
        Weight::CostsAnswers,
        wrong.map(|row| format!("mention {row}")),
        "mentions claim a place that their text unit does not have",
        REBUILD,
    );
    Ok(())
}

/// Files must be those of the manifest. Vectors are needed where a question looks for meaning; they must be by the model that would
/// embed the question.
fn files(index: &Index, settings: &Settings, findings: &mut Findings) -> Result<(), QueryError> {
    let Some(manifest) = Manifest::read(index.folder())? else {
        return Ok(());
    };
    let expected = match settings.embedding_model(&settings.embed_text.embedding_model_id) {
        Some(model) => model.model.clone(),
        None => BuiltinEncoder::new().name(),
    };
    let mut other = Vec::new();
    let mut uneven = Vec::new();
    for (file, entry) in &manifest.vectors {
        if entry.model != expected {
            other.push(format!("{file} is by {}", entry.model));
        }
        let rows = manifest
            .tables
            .get(&format!("{}.parquet", entry.table))
            .map_or(0, |t| t.rows);
        if entry.rows as u64 != rows {
            uneven.push(format!(
                "{file} has {} rows, {} has {rows}",
                entry.rows, entry.table
            ));
        }
    }
    let damage = manifest.damage(index.folder()).into_iter();
    findings.add(
        "damaged_files",
        Weight::CostsAnswers,
        damage.map(|damage| format!("{} ({})", damage.file, damage.why)),
        "files of the index are not as they were written",
        "run `belvedere index`, which then builds it anew",
    );
    findings.add(
        "other_vectors",
        Weight::CostsAnswers,
        other,
        format!("vector files are not by the model that would embed a question, {expected}"),
        "name the model that made them in embed_text.embedding_model_id, or run `belvedere index`",
    );
    findings.add(
        "uneven_vectors",
        Weight::CostsAnswers,
        uneven,
        "vector files do not fit their table",
        REBUILD,
    );
    let missing = settings
        .embed_text
        .names
        .iter()
        .filter(|name: &&EmbeddingName| {
            let has = manifest
                .vectors
                .keys()
                .any(|file| file.starts_with(name.as_str()));
            !has
        });
    findings.add(
        "missing_vectors",
        Weight::CostsAnswers,
        missing.map(|name| name.as_str().to_owned()),
        "kinds of vectors that embed_text.names asks for are not there",
        "run `belvedere index`",
    );
    Ok(())
}
