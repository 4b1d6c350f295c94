//! `belvedere entities`: what the index knows by name, and which names may be wrong.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::{fail, print};
use crate::doctor::read_resolution;
use crate::pipeline::Project;
use crate::query::index::NO_ROW;
use crate::query::{Index, QueryError};
use crate::resolve::suspects::{Homonym, Suspects, suspects};
use crate::store::TableReader;

#[derive(Args)]
pub(super) struct EntitiesArgs {
    /// The project folder
    #[arg(short, long, default_value = ".")]
    root: PathBuf,
    /// The folder of the tables, ours or GraphRAG's; by default the project's output folder
    #[arg(short, long)]
    data: Option<PathBuf>,
    /// List only entities with this text in a name
    #[arg(long, value_name = "TEXT", conflicts_with = "suspects")]
    find: Option<String>,
    /// List likely duplicates and names with several meanings, with lines for resolution.yaml
    #[arg(long)]
    suspects: bool,
    /// Rows to print; 0 prints all
    #[arg(long, default_value_t = 50)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &EntitiesArgs) -> u8 {
    let project = match Project::open(&args.root) {
        Ok(project) => project,
        Err(error) => return fail(&error, error.exit_code()),
    };
    let output = args.data.clone().unwrap_or_else(|| project.output_dir());
    let done = Index::open(&output).and_then(|index| match args.suspects {
        true => {
            let decisions = &project.settings.entity_resolution.decisions;
            print_suspects(args, &output, &index, &decisions.display().to_string())
        }
        false => print_entities(args, &output, &index),
    });
    match done {
        Ok(()) => 0,
        Err(error) => fail(&error, error.exit_code()),
    }
}

struct Row {
    row: u32,
    degree: u32,
    mentions: u64,
    kind: String,
}

fn print_entities(args: &EntitiesArgs, output: &Path, index: &Index) -> Result<(), QueryError> {
    let entities = index.entities()?;
    let table = TableReader::open(output, "entities")?;
    let kinds = table.strings_or_empty("type")?;
    let mentions = mention_counts(output, index)?;
    let wanted = args.find.as_deref().map(str::to_uppercase);
    let aliases = |row: u32| {
        let range = entities.aliases.range(row as usize);
        range.map(|at| entities.aliases.values.get(at))
    };
    let mut rows: Vec<Row> = (0..entities.titles.len() as u32)
        .filter(|&row| {
            wanted.as_deref().is_none_or(|wanted| {
                let title = entities.titles.get(row as usize);
                title.to_uppercase().contains(wanted)
                    || aliases(row).any(|alias| alias.to_uppercase().contains(wanted))
            })
        })
        .map(|row| Row {
            row,
            degree: entities.degrees.get(row as usize).copied().unwrap_or(0),
            mentions: mentions.get(row as usize).copied().unwrap_or(0),
            kind: kinds.get(row as usize).to_owned(),
        })
        .collect();
    rows.sort_by(|a, b| {
        let title = |row: &Row| entities.titles.get(row.row as usize);
        (b.degree, b.mentions)
            .cmp(&(a.degree, a.mentions))
            .then_with(|| title(a).cmp(title(b)))
    });
    let total = rows.len();
    if args.limit > 0 {
        rows.truncate(args.limit);
    }
    if args.json {
        let ids = index.entity_ids()?.column();
        let rows: Vec<Value> = rows
            .iter()
            .map(|row| {
                json!({
                    "id": ids.get(row.row as usize),
                    "title": entities.titles.get(row.row as usize),
                    "type": row.kind,
                    "degree": row.degree,
                    "mentions": row.mentions,
                    "aliases": aliases(row.row).collect::<Vec<_>>(),
                })
            })
            .collect();
        print(&format!(
            "{:#}",
            json!({ "total": total, "entities": rows })
        ));
        return Ok(());
    }
    if rows.is_empty() {
        print("no entity has that text in a name");
        return Ok(());
    }
    let mut out = format!(
        "{:>6} {:>8}  {:<14} {}\n",
        "degree", "mentions", "type", "name"
    );
    for row in &rows {
        let also: Vec<&str> = aliases(row.row).collect();
        let also = match also.is_empty() {
            true => String::new(),
            false => format!("  (also {})", also.join("; ")),
        };
        out.push_str(&format!(
            "{:>6} {:>8}  {:<14} {}{also}\n",
            row.degree,
            row.mentions,
            row.kind,
            entities.titles.get(row.row as usize)
        ));
    }
    if total > rows.len() {
        out.push_str(&format!(
            "{} more; --limit 0 lists all\n",
            total - rows.len()
        ));
    }
    print(&out);
    Ok(())
}

/// Mentions by row of the entity; text units that name it where the index keeps no mentions.
fn mention_counts(output: &Path, index: &Index) -> Result<Vec<u64>, QueryError> {
    let entities = index.entities()?;
    let ids = index.entity_ids()?;
    let mut counts = vec![0u64; entities.titles.len()];
    match TableReader::open_optional(output, "mentions")? {
        Some(table) => {
            for id in table.strings("entity_id")?.iter() {
                if let Some(row) = ids.row(id) {
                    counts[row as usize] += 1;
                }
            }
        }
        None => {
            let units = index.entity_units()?;
            for (row, count) in counts.iter_mut().enumerate() {
                *count = units.range(row).len() as u64;
            }
        }
    }
    Ok(counts)
}

fn print_suspects(
    args: &EntitiesArgs,
    output: &Path,
    index: &Index,
    decisions: &str,
) -> Result<(), QueryError> {
    let Suspects {
        mut duplicates,
        mut homonyms,
    } = suspects(&read_resolution(output)?);
    // Of a name that was pruned away nothing is left to take apart.
    let mut lines = Vec::with_capacity(homonyms.len());
    for homonym in &homonyms {
        lines.push(split_line(index, homonym)?);
    }
    let mut line = lines.iter();
    homonyms.retain(|_| line.next().is_some_and(Option::is_some));
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    let totals = (duplicates.len(), homonyms.len());
    if args.limit > 0 {
        duplicates.truncate(args.limit);
        homonyms.truncate(args.limit);
    }
    let merge = |a: &str, b: &str| format!("- [{}, {}]", quoted(a), quoted(b));
    if args.json {
        let found: Vec<Value> = homonyms
            .iter()
            .zip(&lines)
            .map(|(homonym, line)| {
                json!({
                    "name": homonym.name, "meanings": homonym.meanings, "reasons": homonym.reasons,
                    "split": line,
                })
            })
            .collect();
        let pairs: Vec<Value> = duplicates
            .iter()
            .map(|pair| {
                json!({
                    "name": pair.name, "other": pair.other, "entities": [pair.entities.0, pair.entities.1],
                    "score": pair.score, "reasons": pair.reasons, "merge": merge(&pair.name, &pair.other),
                })
            })
            .collect();
        print(&format!(
            "{:#}",
            json!({
                "duplicates": pairs, "duplicates_total": totals.0,
                "homonyms": found, "homonyms_total": totals.1,
            })
        ));
        return Ok(());
    }
    let mut out = String::new();
    if duplicates.is_empty() {
        out.push_str("no likely duplicates\n");
    } else {
        out.push_str(&format!(
            "likely duplicates: {}. Paste a line under `merge:` in {decisions} to make one of two, under `keep_apart:` to settle that they are two\n",
            totals.0
        ));
    }
    for pair in &duplicates {
        out.push_str(&format!(
            "  {}    # {} of 100: {}\n",
            merge(&pair.name, &pair.other),
            pair.score,
            pair.reasons.join(", ")
        ));
    }
    if homonyms.is_empty() {
        out.push_str("no likely homonyms\n");
    } else {
        out.push_str(&format!(
            "likely homonyms: {}. Paste a line under `split:` in {decisions}, with the documents where the name means something else\n",
            totals.1
        ));
    }
    for (homonym, line) in homonyms.iter().zip(&lines) {
        out.push_str(&format!(
            "  {line}    # {}; may mean {}\n",
            homonym.reasons.join(", "),
            homonym.meanings.join("; ")
        ));
    }
    if duplicates.len() < totals.0 || homonyms.len() < totals.1 {
        out.push_str("there are more; --limit 0 lists all\n");
    }
    print(&out);
    Ok(())
}

/// The line that takes a name apart: in the documents where nothing told what it means, or else where it has its rarest meaning.
/// `None` where no document is left.
fn split_line(index: &Index, homonym: &Homonym) -> Result<Option<String>, QueryError> {
    let (entities, by_title) = (index.entities()?, index.entities_by_title()?);
    let units = index.units()?;
    let documents = index.documents()?;
    let of_unit = index.entity_units()?;
    let mut rarest: Option<Vec<&str>> = None;
    for title in &homonym.meanings {
        let Some(row) = by_title.get(&entities.titles, title) else {
            continue;
        };
        let rows: BTreeSet<u32> = of_unit
            .range(row as usize)
            .filter_map(|at| {
                units
                    .documents
                    .get(*of_unit.values.get(at)? as usize)
                    .copied()
            })
            .filter(|&document| document != NO_ROW)
            .collect();
        let names: Vec<&str> = rows.iter().map(|&row| documents.name(row)).collect();
        let own = *title == homonym.name;
        if own
            || rarest
                .as_ref()
                .is_none_or(|found| names.len() < found.len())
        {
            rarest = Some(names);
        }
        if own {
            break;
        }
    }
    let documents: Vec<String> = rarest
        .unwrap_or_default()
        .iter()
        .map(|name| quoted(name))
        .collect();
    Ok((!documents.is_empty()).then(|| {
        format!(
            "- {{name: {}, documents: [{}], as: {}}}",
            quoted(&homonym.name),
            documents.join(", "),
            quoted(&format!("{} (2)", homonym.name))
        )
    }))
}

/// Text as a double-quoted YAML scalar, which a JSON string is.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
