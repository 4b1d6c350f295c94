//! Stage 10: every table, checked against each other before the manifest is written.

use crate::model::{
    Claim, Community, DocumentId, Entity, Mention, Relationship, Report, ResolutionRow, TextUnitIx,
};

use crate::query::{QueryError, search};
use crate::store::OutputBuild;
use crate::store::tables::{
    ReportRow, TextUnitRow, TextUnitsWriter, write_communities, write_covariates, write_entities,
    write_mentions, write_relationships, write_reports, write_resolution,
};

use super::error::PipelineError;
use super::load::Corpus;

/// The graph and everything said about it, ready for the tables.
#[derive(Default)]
pub struct Index {
    /// By row.
    pub entities: Vec<Entity>,
    /// By row.
    pub relationships: Vec<Relationship>,
    /// `name` is the entity's row.
    pub mentions: Vec<Mention>,
    /// By number.
    pub communities: Vec<Community>,
    /// One a community, in its order, with its outcome word.
    pub reports: Vec<(Report, &'static str)>,
    /// `None` where claims were not asked for.
    pub claims: Option<Vec<Claim>>,
    /// What was decided about names.
    pub resolution: Vec<ResolutionRow>,
    /// How extraction of each text unit ended.
    pub unit_outcomes: Vec<&'static str>,
}

/// Rows of a table grouped by text unit, in one allocation each.
struct ByUnit {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl ByUnit {
    fn new<'a>(units: usize, lists: impl Iterator<Item = &'a [TextUnitIx]> + Clone) -> Self {
        let mut starts = vec![0u32; units + 1];
        for list in lists.clone() {
            for unit in list {
                starts[unit.at() + 1] += 1;
            }
        }
        for unit in 0..units {
            starts[unit + 1] += starts[unit];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[units] as usize];
        for (row, list) in lists.enumerate() {
            for unit in list {
                let slot = &mut next[unit.at()];
                rows[*slot as usize] = row as u32;
                *slot += 1;
            }
        }
        Self { starts, rows }
    }

    fn of(&self, unit: usize) -> &[u32] {
        &self.rows[self.starts[unit] as usize..self.starts[unit + 1] as usize]
    }
}

/// Checks that every row that is pointed at exists and that spans lie inside their text units.
///
/// # Errors
/// `Integrity`, naming the first contradiction; nothing has been written over the old index then.
pub fn check(corpus: &Corpus, index: &Index) -> Result<(), PipelineError> {
    let broken = |what: String| Err(PipelineError::Integrity(what));
    let units = corpus.units.len();
    let sorted = |list: &[TextUnitIx]| {
        list.windows(2).all(|pair| pair[0] < pair[1]) && list.last().is_none_or(|u| u.at() < units)
    };
    for entity in &index.entities {
        if !sorted(&entity.text_units) {
            return broken(format!("text units of entity {}", entity.title));
        }
    }
    for (row, relationship) in index.relationships.iter().enumerate() {
        let ends = [relationship.source, relationship.target];
        let known = ends.iter().all(|end| end.at() < index.entities.len());
        if !known || !sorted(&relationship.text_units) || !relationship.weight.is_finite() {
            return broken(format!("relationship {row}"));
        }
    }
    for mention in &index.mentions {
        let unit = corpus.units.get(mention.text_unit as usize);
        let inside = unit.is_some() && mention.char_start < mention.char_end;
        if !inside || mention.name as usize >= index.entities.len() {
            return broken(format!("a mention of entity {}", mention.name));
        }
    }
    for (number, community) in index.communities.iter().enumerate() {
        let own = community.community.at() == number;
        let parent = community.parent.is_none_or(|p| p < community.community);
        let members = community
            .entities
            .iter()
            .all(|e| e.at() < index.entities.len());
        if !own || !parent || !members || !sorted(&community.text_units) {
            return broken(format!("community {number}"));
        }
    }
    if index.reports.len() != index.communities.len() {
        return broken(format!(
            "{} reports for {} communities",
            index.reports.len(),
            index.communities.len()
        ));
    }
    Ok(())
}

/// Writes all tables but `documents`, which was written while loading.
///
/// # Errors
/// `Integrity` or a store error.
pub fn write_tables(
    corpus: &Corpus,
    index: &Index,
    build: &mut OutputBuild,
) -> Result<(), PipelineError> {
    check(corpus, index)?;
    build.add_table(corpus.table.clone());
    let ids = &corpus.unit_ids;
    let entities = write_entities(build, &index.entities, ids)?;
    build.add_table(entities);
    let relationships = write_relationships(build, &index.relationships, &index.entities, ids)?;
    build.add_table(relationships);
    let mentions = write_mentions(build, &index.mentions, &index.entities, ids)?;
    build.add_table(mentions);
    let communities = write_communities(
        build,
        &index.communities,
        &index.entities,
        &index.relationships,
        ids,
        "",
    )?;
    build.add_table(communities);
    let rows: Vec<ReportRow<'_>> = index
        .reports
        .iter()
        .map(|(report, outcome)| ReportRow {
            report,
            full_content_json: crate::report::full_content_json(report),
            outcome,
        })
        .collect();
    let reports = write_reports(build, &rows, &index.communities, "")?;
    build.add_table(reports);
    let document_ids: Vec<DocumentId> = corpus.documents.iter().map(|d| d.id).collect();
    let resolution = write_resolution(build, &index.resolution, &document_ids)?;
    build.add_table(resolution);
    if let Some(claims) = &index.claims {
        let covariates = write_covariates(build, claims, ids)?;
        build.add_table(covariates);
    }
    write_text_units(corpus, index, build)?;
    write_search(build)
}

/// The file that questions are looked up in, made of the tables as they were written; a small index goes without.
fn write_search(build: &mut OutputBuild) -> Result<(), PipelineError> {
    let folder = build.building();
    if search::is_small(folder) {
        return Ok(());
    }
    let key = search::key(folder, Some(&build.fingerprint()));
    search::write(folder, &folder.join(search::FILE), &key, &|_| ()).map_err(
        |error| match error {
            QueryError::Store(error) => error.into(),
            error => PipelineError::Integrity(error.to_string()),
        },
    )?;
    build.add_made(search::FILE);
    Ok(())
}

fn write_text_units(
    corpus: &Corpus,
    index: &Index,
    build: &mut OutputBuild,
) -> Result<(), PipelineError> {
    let units = corpus.units.len();
    let entities = ByUnit::new(
        units,
        index.entities.iter().map(|e| e.text_units.as_slice()),
    );
    let relationships = ByUnit::new(
        units,
        index.relationships.iter().map(|r| r.text_units.as_slice()),
    );
    let claims = index.claims.as_deref().unwrap_or_default();
    let claims_by_unit = ByUnit::new(
        units,
        claims.iter().map(|c| std::slice::from_ref(&c.text_unit)),
    );
    let mut writer = TextUnitsWriter::create(build)?;
    for (row, unit) in corpus.units.iter().enumerate() {
        let text = corpus.texts.read(TextUnitIx(row as u32))?;
        let entity = |&row: &u32| index.entities[row as usize].id;
        let relationship = |&row: &u32| index.relationships[row as usize].id;
        let claim = |&row: &u32| claims[row as usize].id;
        writer.push(TextUnitRow {
            id: unit.id,
            text: &text,
            n_tokens: unit.n_tokens,
            document_id: corpus.documents[unit.document.at()].id,
            entities: &mut entities.of(row).iter().map(entity),
            relationships: &mut relationships.of(row).iter().map(relationship),
            claims: &mut claims_by_unit.of(row).iter().map(claim),
            char_start: unit.char_start,
            char_end: unit.char_end,
            outcome: index.unit_outcomes.get(row).copied().unwrap_or("ok"),
        })?;
    }
    build.add_table(writer.finish()?);
    Ok(())
}
