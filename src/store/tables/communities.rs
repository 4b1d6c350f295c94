//! `communities`.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder, StringBuilder};
use arrow::datatypes::DataType;

use super::batch;
use crate::model::{Community, CommunityId, Entity, IdHasher, Relationship, TextUnitId};
use crate::store::error::StoreError;
use crate::store::{OutputBuild, WrittenTable};

/// The id of a community: its level and its members.
pub(super) fn community_id(community: &Community, entities: &[Entity]) -> CommunityId {
    let mut hasher = IdHasher::new("community");
    hasher.number(u64::from(community.level));
    for member in &community.entities {
        hasher.part(&entities[member.at()].id.0.to_be_bytes());
    }
    CommunityId(hasher.finish())
}

/// Writes all communities. `period` is a date or empty: the run's day would make every run's bytes differ.
pub fn write_communities(
    build: &OutputBuild,
    communities: &[Community],
    entities: &[Entity],
    relationships: &[Relationship],
    unit_ids: &[TextUnitId],
    period: &str,
) -> Result<WrittenTable, StoreError> {
    let schema = batch::schema(vec![
        batch::text("id"),
        batch::integer("human_readable_id"),
        batch::integer("community"),
        batch::integer("level"),
        batch::integer("parent"),
        batch::list("children", DataType::Int64),
        batch::text("title"),
        batch::list("entity_ids", DataType::Utf8),
        batch::list("relationship_ids", DataType::Utf8),
        batch::list("text_unit_ids", DataType::Utf8),
        batch::text("period"),
        batch::integer("size"),
    ]);
    let mut writer = build.table("communities", schema.clone())?;
    for rows in communities.chunks(batch::BATCH_ROWS) {
        let mut id = StringBuilder::new();
        let mut number = Int64Builder::new();
        let mut community = Int64Builder::new();
        let mut level = Int64Builder::new();
        let mut parent = Int64Builder::new();
        let mut children = batch::integer_lists();
        let mut title = StringBuilder::new();
        let mut entity_ids = batch::text_lists();
        let mut relationship_ids = batch::text_lists();
        let mut text_unit_ids = batch::text_lists();
        let mut when = StringBuilder::new();
        let mut size = Int64Builder::new();
        for row in rows {
            let own = i64::from(row.community.0);
            id.append_value(community_id(row, entities).to_string());
            number.append_value(own);
            community.append_value(own);
            level.append_value(i64::from(row.level));
            parent.append_value(row.parent.map_or(-1, |p| i64::from(p.0)));
            batch::push_integers(&mut children, row.children.iter().map(|c| i64::from(c.0)));
            title.append_value(format!("Community {own}"));
            batch::push_texts(
                &mut entity_ids,
                row.entities.iter().map(|e| entities[e.at()].id),
            );
            batch::push_texts(
                &mut relationship_ids,
                row.relationships.iter().map(|r| relationships[r.at()].id),
            );
            batch::push_texts(
                &mut text_unit_ids,
                row.text_units.iter().map(|unit| unit_ids[unit.at()]),
            );
            when.append_value(period);
            size.append_value(row.entities.len() as i64);
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(id.finish()),
            Arc::new(number.finish()),
            Arc::new(community.finish()),
            Arc::new(level.finish()),
            Arc::new(parent.finish()),
            Arc::new(children.finish()),
            Arc::new(title.finish()),
            Arc::new(entity_ids.finish()),
            Arc::new(relationship_ids.finish()),
            Arc::new(text_unit_ids.finish()),
            Arc::new(when.finish()),
            Arc::new(size.finish()),
        ];
        writer.write(&batch::batch("communities", &schema, columns)?)?;
    }
    writer.finish()
}
