//! `mentions`: where each entity is named. Ours; the original keeps no spans.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder, StringBuilder};

use super::batch;
use crate::model::{Entity, Mention, TextUnitId};
use crate::store::error::StoreError;
use crate::store::{OutputBuild, WrittenTable};

/// Writes all mentions; `mention.name` is the entity's row. Spans count Unicode scalar values in the text unit's text.
pub fn write_mentions(
    build: &OutputBuild,
    mentions: &[Mention],
    entities: &[Entity],
    unit_ids: &[TextUnitId],
) -> Result<WrittenTable, StoreError> {
    let schema = batch::schema(vec![
        batch::text("entity_id"),
        batch::text("text_unit_id"),
        batch::integer("char_start"),
        batch::integer("char_end"),
    ]);
    let mut writer = build.table("mentions", schema.clone())?;
    for rows in mentions.chunks(batch::BATCH_ROWS) {
        let mut entity_id = StringBuilder::new();
        let mut text_unit_id = StringBuilder::new();
        let mut char_start = Int64Builder::new();
        let mut char_end = Int64Builder::new();
        for row in rows {
            entity_id.append_value(entities[row.name as usize].id.to_string());
            text_unit_id.append_value(unit_ids[row.text_unit as usize].to_string());
            char_start.append_value(i64::from(row.char_start));
            char_end.append_value(i64::from(row.char_end));
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(entity_id.finish()),
            Arc::new(text_unit_id.finish()),
            Arc::new(char_start.finish()),
            Arc::new(char_end.finish()),
        ];
        writer.write(&batch::batch("mentions", &schema, columns)?)?;
    }
    writer.finish()
}
