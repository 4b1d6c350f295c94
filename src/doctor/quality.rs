//! What became of the documents: failures, texts without entities, reports without evidence.

use std::collections::HashMap;

use serde_json::Value;

use super::{Findings, Weight, read_resolution};
use crate::graph::portrait::Portrait;
use crate::query::index::{Column, NO_ROW};
use crate::query::{Index, QueryError};
use crate::report::citations::{self, DataKind};
use crate::resolve::suspects::suspects;
use crate::store::{Manifest, STATS_FILE, TableReader};

const RETRY: &str = "run `belvedere index --retry-failed`; `belvedere status` tells why";
/// What fewer than one in so many text units or documents lack is a remark.
const FEW: usize = 10;

fn weight_of(count: usize, all: usize) -> Weight {
    match count * FEW > all {
        true => Weight::CostsAnswers,
        false => Weight::Advice,
    }
}

pub(super) fn check(
    index: &Index,
    drawn: &Portrait,
    findings: &mut Findings,
) -> Result<(), QueryError> {
    outcomes(index, findings)?;
    documents(index, drawn, findings)?;
    reports(index, findings)?;
    last_run(index, findings)?;
    let rows = read_resolution(index.folder())?;
    let suspects = suspects(&rows);
    let remedy = "see `belvedere entities --suspects`";
    findings.add(
        "likely_duplicates",
        Weight::Advice,
        suspects
            .duplicates
            .iter()
            .map(|pair| format!("{} - {}", pair.name, pair.other)),
        "pairs of names may be one thing",
        remedy,
    );
    findings.add(
        "likely_homonyms",
        Weight::Advice,
        suspects.homonyms.iter().map(|homonym| homonym.name.clone()),
        "names may mean several things",
        remedy,
    );
    Ok(())
}

/// Text units and reports by how they ended.
fn outcomes(index: &Index, findings: &mut Findings) -> Result<(), QueryError> {
    let units = TableReader::open(index.folder(), "text_units")?;
    let ended = units.strings_or_empty("outcome")?;
    let name = |row: usize| unit_name(index, row);
    let with = |word: &str| -> Vec<usize> {
        let rows = 0..ended.len();
        rows.filter(|&row| ended.get(row) == word).collect()
    };
    findings.add(
        "failed_text_units",
        Weight::CostsAnswers,
        with("failed").into_iter().map(name),
        "text units were not extracted",
        RETRY,
    );
    findings.add(
        "partial_text_units",
        Weight::CostsAnswers,
        with("partial").into_iter().map(name),
        "text units were extracted in part",
        "raise the model's max_tokens or lower chunking.size, then run `belvedere index`",
    );
    if let Some(manifest) = Manifest::read(index.folder())? {
        findings.count(
            "failed_items",
            Weight::CostsAnswers,
            manifest.failed,
            "items of the last run failed",
            RETRY,
            Vec::new(),
        );
    }
    Ok(())
}

fn unit_name(index: &Index, row: usize) -> String {
    let (Ok(units), Ok(documents)) = (index.units(), index.documents()) else {
        return format!("text unit {row}");
    };
    let number = units.numbers.of(row as u32);
    match units.documents.get(row) {
        Some(&document) if document != NO_ROW => {
            format!("text unit {number} of {}", documents.name(document))
        }
        _ => format!("text unit {number}"),
    }
}

fn documents(index: &Index, drawn: &Portrait, findings: &mut Findings) -> Result<(), QueryError> {
    let documents = index.documents()?;
    let units = index.units()?;
    let bare = &drawn.bare_units;
    let weight = weight_of(bare.len(), units.documents.len());
    findings.add(
        "text_units_without_entities",
        weight,
        bare.iter().map(|&row| unit_name(index, row as usize)),
        "text units name no entity, so only `--method basic` finds them",
        "look at their text; a model (--method standard) or other extract_graph.entity_types may find more",
    );

    let mut has_text = vec![false; documents.ids.len()];
    for &document in units
        .documents
        .iter()
        .filter(|document| **document != NO_ROW)
    {
        has_text[document as usize] = true;
    }
    let silent = &drawn.unreported;
    findings.add(
        "documents_in_no_report",
        weight_of(silent.len(), documents.ids.len()),
        silent
            .iter()
            .map(|&row| documents.name(row).to_owned()),
        "documents stand behind no report, so `--method global` cannot tell of them",
        "their entities have no relationships: see text_units_without_entities, and prune_graph in settings.yaml",
    );
    let empty = (0..has_text.len()).filter(|&row| !has_text[row]);
    findings.add(
        "documents_without_text",
        Weight::Advice,
        empty.map(|row| documents.name(row as u32).to_owned()),
        "documents have no text",
        "check input.text_column, or take them out of the input folder",
    );

    let Some(table) =
        TableReader::open_optional(index.folder(), "documents")?.filter(|table| table.has("text"))
    else {
        return Ok(());
    };
    let mut first: HashMap<[u8; 32], usize> = HashMap::new();
    let hashes = table.text_hashes("text")?;
    let twice = hashes.iter().enumerate().filter_map(|(row, hash)| {
        let of = *first.entry(*hash).or_insert(row);
        (of != row && has_text[row]).then(|| {
            format!(
                "{} is {}",
                documents.name(row as u32),
                documents.name(of as u32)
            )
        })
    });
    findings.add(
        "duplicate_documents",
        Weight::Advice,
        twice.collect::<Vec<_>>(),
        "documents have the text of another one, and count twice in everything",
        "take one of each pair out of the input folder",
    );
    Ok(())
}

fn reports(index: &Index, findings: &mut Findings) -> Result<(), QueryError> {
    let communities = index.communities()?;
    let reports = index.reports()?;
    let number = |row: usize| format!("community {}", reports.numbers.of(row as u32));
    let without = (0..communities.levels.len()).filter(|&row| reports.of_community[row] == NO_ROW);
    findings.add(
        "communities_without_report",
        Weight::CostsAnswers,
        without.map(|row| format!("community {}", communities.numbers.of(row as u32))),
        "communities have no report",
        "run `belvedere index`",
    );
    let Some(table) = TableReader::open_optional(index.folder(), "community_reports")? else {
        return Ok(());
    };
    let sources = table.strings_or_empty("source")?;
    let fallback = (0..sources.len()).filter(|&row| sources.get(row) == "fallback");
    findings.add(
        "fallback_reports",
        Weight::CostsAnswers,
        fallback.map(number),
        "reports are made of the text's own sentences because the model's failed",
        RETRY,
    );
    let texts = index.whole(Column::ReportText)?;
    let claims = index.claims()?;
    let (entities, relationships, units) =
        (index.entities()?, index.relationships()?, index.units()?);
    let known = |kind: DataKind, id: u32| match kind {
        DataKind::Reports => reports.numbers.row(id).is_some(),
        DataKind::Entities => entities.numbers.row(id).is_some(),
        DataKind::Relationships => relationships.numbers.row(id).is_some(),
        DataKind::Claims => claims.numbers.row(id).is_some(),
        DataKind::Sources => units.numbers.row(id).is_some(),
    };
    let (mut bare, mut broken) = (Vec::new(), Vec::new());
    for row in 0..texts.len() {
        let found = citations::parse(texts.get(row));
        if found.is_empty() {
            bare.push(number(row));
        } else if found
            .iter()
            .flat_map(|citation| citation.ids())
            .any(|(kind, id)| !known(kind, id))
        {
            broken.push(number(row));
        }
    }
    findings.add(
        "reports_without_citations",
        Weight::CostsAnswers,
        bare,
        "reports cite nothing, so what they say cannot be traced",
        "check that prompts/community_report_graph.txt asks for `[Data: ...]`, then run `belvedere index`",
    );
    findings.add(
        "reports_with_unknown_citations",
        Weight::CostsAnswers,
        broken,
        "reports cite rows that do not exist",
        "run `belvedere index --force`",
    );
    Ok(())
}

/// What the last run counted and the tables cannot show.
fn last_run(index: &Index, findings: &mut Findings) -> Result<(), QueryError> {
    let stats = std::fs::read(index.folder().join(STATS_FILE)).ok();
    let stats: Value = stats
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let counted = |key: &str| stats["summary"][key].as_u64().unwrap_or(0);
    findings.count(
        "ungrounded",
        Weight::Advice,
        counted("ungrounded"),
        "names that the model gave do not occur in their text unit; they are kept out unless entity_resolution.grounding says otherwise",
        "many of them mean that the model copies its prompt's examples: use a larger model",
        Vec::new(),
    );
    findings.count(
        "dropped_relationships",
        Weight::Advice,
        counted("dropped_relationships"),
        "relationships were dropped: an end is no entity, or both ends are one",
        "many of them mean that the model names ends it did not list: use a larger model",
        Vec::new(),
    );
    Ok(())
}
