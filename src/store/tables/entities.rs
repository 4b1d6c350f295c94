//! `entities`.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder, StringBuilder};
use arrow::datatypes::DataType;

use super::batch;
use crate::model::{Entity, TextUnitId};
use crate::store::error::StoreError;
use crate::store::{OutputBuild, WrittenTable};

/// Writes all entities; row i has `human_readable_id` i.
pub fn write_entities(
    build: &OutputBuild,
    entities: &[Entity],
    unit_ids: &[TextUnitId],
) -> Result<WrittenTable, StoreError> {
    let schema = batch::schema(vec![
        batch::text("id"),
        batch::integer("human_readable_id"),
        batch::text("title"),
        batch::text("type"),
        batch::text("description"),
        batch::list("text_unit_ids", DataType::Utf8),
        batch::integer("frequency"),
        batch::integer("degree"),
        batch::list("aliases", DataType::Utf8),
    ]);
    let mut writer = build.table("entities", schema.clone())?;
    for (part, rows) in entities.chunks(batch::BATCH_ROWS).enumerate() {
        let mut id = StringBuilder::new();
        let mut number = Int64Builder::new();
        let mut title = StringBuilder::new();
        let mut kind = StringBuilder::new();
        let mut description = StringBuilder::new();
        let mut text_unit_ids = batch::text_lists();
        let mut frequency = Int64Builder::new();
        let mut degree = Int64Builder::new();
        let mut aliases = batch::text_lists();
        for (offset, entity) in rows.iter().enumerate() {
            id.append_value(entity.id.to_string());
            number.append_value((part * batch::BATCH_ROWS + offset) as i64);
            title.append_value(&entity.title);
            kind.append_value(&entity.kind);
            description.append_value(&entity.description);
            batch::push_texts(
                &mut text_unit_ids,
                entity.text_units.iter().map(|unit| unit_ids[unit.at()]),
            );
            frequency.append_value(i64::from(entity.frequency));
            degree.append_value(i64::from(entity.degree));
            batch::push_texts(&mut aliases, &entity.aliases);
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(id.finish()),
            Arc::new(number.finish()),
            Arc::new(title.finish()),
            Arc::new(kind.finish()),
            Arc::new(description.finish()),
            Arc::new(text_unit_ids.finish()),
            Arc::new(frequency.finish()),
            Arc::new(degree.finish()),
            Arc::new(aliases.finish()),
        ];
        writer.write(&batch::batch("entities", &schema, columns)?)?;
    }
    writer.finish()
}
