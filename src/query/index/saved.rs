//! The tables' numbers and links in the search file: written once, read instead of the tables.

use super::ids::Numbers;
use super::tables::{Communities, Entities, Relationships, Units};
use super::{Index, lazy};
use crate::query::error::QueryError;
use crate::query::search::{Search, Writer};
use crate::store::{ListColumn, StoreError, StringColumn};

/// Whether a table keeps spans.
const SPANS: [&str; 2] = ["unit.start", "unit.end"];

fn save_numbers(writer: &mut Writer, name: &str, numbers: &Numbers) -> Result<(), StoreError> {
    match numbers.given() {
        Some(given) => writer.numbers(name, given),
        None => Ok(()),
    }
}

fn saved_numbers(search: &Search, name: &str, rows: usize) -> Result<Numbers, StoreError> {
    let file = search.container();
    if !file.has(name) {
        return Ok(Numbers::by_position(rows));
    }
    let numbers: Vec<u32> = file.numbers(name)?;
    let numbers: Vec<i64> = numbers.into_iter().map(i64::from).collect();
    Ok(Numbers::new(&numbers))
}

impl Index {
    /// Writes what the tables hold in numbers and links, and gives the index back without what was only needed for that.
    pub(in crate::query) fn save(mut self, writer: &mut Writer) -> Result<Self, QueryError> {
        let units = self.units()?;
        writer.numbers("unit.document", &units.documents)?;
        save_numbers(writer, "unit.number", &units.numbers)?;
        if units.starts.iter().any(|&start| start >= 0) {
            writer.numbers(SPANS[0], &units.starts)?;
            writer.numbers(SPANS[1], &units.ends)?;
        }
        let entities = self.entities()?;
        writer.numbers("entity.degree", &entities.degrees)?;
        save_numbers(writer, "entity.number", &entities.numbers)?;
        writer.strings("entity.title", &entities.titles)?;
        if !entities.aliases.is_empty() {
            writer.numbers("entity.alias.lists", &entities.aliases.ends)?;
            writer.strings("entity.alias", &entities.aliases.values)?;
        }
        writer.lists("entity.units", self.entity_units()?)?;
        self.entity_units.take();
        let relationships = self.relationships()?;
        writer.numbers("relationship.source", &relationships.sources)?;
        writer.numbers("relationship.target", &relationships.targets)?;
        writer.numbers("relationship.rank", &relationships.ranks)?;
        writer.numbers("relationship.weight", &relationships.weights)?;
        save_numbers(writer, "relationship.number", &relationships.numbers)?;
        self.relationships.take();
        self.entities_by_title.take();
        writer.lists("relationship.units", self.relationship_units()?)?;
        self.relationship_units.take();
        let communities = self.communities()?;
        writer.numbers("community.level", &communities.levels)?;
        writer.numbers("community.parent", &communities.parents)?;
        let split: Vec<u8> = communities
            .has_children
            .iter()
            .map(|&has| u8::from(has))
            .collect();
        writer.numbers("community.split", &split)?;
        save_numbers(writer, "community.number", &communities.numbers)?;
        writer.lists("community.entities", &communities.entities)?;
        writer.lists("community.units", &communities.units)?;
        writer.numbers("claim.unit", &self.claims()?.units)?;
        let entities = self.entities.take();
        let kept = Self::tables(&self.folder);
        if let Some(entities) = entities {
            lazy(&kept.entities, || Ok::<_, QueryError>(entities))?;
        }
        Ok(kept)
    }

    pub(super) fn saved_units(&self, search: &Search) -> Result<Units, QueryError> {
        let file = search.container();
        let documents = file.pointers("unit.document", self.rows("documents")?)?;
        let rows = documents.len();
        let span = |name: &str| -> Result<Vec<i64>, StoreError> {
            match file.has(name) {
                true => file.numbers(name),
                false => Ok(vec![-1; rows]),
            }
        };
        let (starts, ends) = (span(SPANS[0])?, span(SPANS[1])?);
        if starts.len() != rows || ends.len() != rows {
            return Err(file.damaged(SPANS[0]).into());
        }
        Ok(Units {
            numbers: saved_numbers(search, "unit.number", rows)?,
            documents,
            starts,
            ends,
        })
    }

    pub(super) fn saved_entities(&self, search: &Search) -> Result<Entities, QueryError> {
        let file = search.container();
        let titles = file.strings("entity.title")?;
        let degrees: Vec<u32> = file.numbers("entity.degree")?;
        let mut aliases = ListColumn::<StringColumn>::default();
        if file.has("entity.alias") {
            aliases.values = file.strings("entity.alias")?;
            aliases.ends = file.numbers("entity.alias.lists")?;
        }
        let end = aliases.ends.last().map_or(0, |&end| end as usize);
        if degrees.len() != titles.len() || !aliases.ends.is_sorted() || end != aliases.values.len()
        {
            return Err(file.damaged("entity.alias").into());
        }
        Ok(Entities {
            numbers: saved_numbers(search, "entity.number", titles.len())?,
            titles,
            aliases,
            degrees,
        })
    }

    pub(super) fn saved_unit_lists(
        &self,
        search: &Search,
        name: &str,
    ) -> Result<ListColumn<Vec<u32>>, QueryError> {
        Ok(search.container().lists(name, self.rows("text_units")?)?)
    }

    pub(super) fn saved_relationships(&self, search: &Search) -> Result<Relationships, QueryError> {
        let file = search.container();
        let entities = self.rows("entities")?;
        let sources = file.pointers("relationship.source", entities)?;
        let targets = file.pointers("relationship.target", entities)?;
        let ranks: Vec<u32> = file.numbers("relationship.rank")?;
        let weights: Vec<f64> = file.numbers("relationship.weight")?;
        let rows = sources.len();
        if [targets.len(), ranks.len(), weights.len()] != [rows; 3] {
            return Err(file.damaged("relationship.source").into());
        }
        Ok(Relationships {
            numbers: saved_numbers(search, "relationship.number", rows)?,
            sources,
            targets,
            ranks,
            weights,
        })
    }

    pub(super) fn saved_communities(&self, search: &Search) -> Result<Communities, QueryError> {
        let file = search.container();
        let levels: Vec<u32> = file.numbers("community.level")?;
        let rows = levels.len();
        let parents = file.pointers("community.parent", rows)?;
        let split: Vec<u8> = file.numbers("community.split")?;
        let entities = file.lists("community.entities", self.rows("entities")?)?;
        let units = file.lists("community.units", self.rows("text_units")?)?;
        if [parents.len(), split.len(), entities.len(), units.len()] != [rows; 4] {
            return Err(file.damaged("community.level").into());
        }
        Ok(Communities {
            numbers: saved_numbers(search, "community.number", rows)?,
            levels,
            parents,
            has_children: split.into_iter().map(|has| has > 0).collect(),
            entities,
            units,
        })
    }

    pub(super) fn saved_claim_units(&self, search: &Search) -> Result<Vec<u32>, QueryError> {
        Ok(search
            .container()
            .pointers("claim.unit", self.rows("text_units")?)?)
    }
}
