//! `relationships`.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Builder, Int64Builder, StringBuilder};
use arrow::datatypes::DataType;

use super::batch;
use crate::model::{Entity, Relationship, TextUnitId};
use crate::store::error::StoreError;
use crate::store::{OutputBuild, WrittenTable};

/// Writes all relationships; row i has `human_readable_id` i.
pub fn write_relationships(
    build: &OutputBuild,
    relationships: &[Relationship],
    entities: &[Entity],
    unit_ids: &[TextUnitId],
) -> Result<WrittenTable, StoreError> {
    let schema = batch::schema(vec![
        batch::text("id"),
        batch::integer("human_readable_id"),
        batch::text("source"),
        batch::text("target"),
        batch::text("description"),
        batch::float("weight"),
        batch::integer("combined_degree"),
        batch::list("text_unit_ids", DataType::Utf8),
    ]);
    let mut writer = build.table("relationships", schema.clone())?;
    for (part, rows) in relationships.chunks(batch::BATCH_ROWS).enumerate() {
        let mut id = StringBuilder::new();
        let mut number = Int64Builder::new();
        let mut source = StringBuilder::new();
        let mut target = StringBuilder::new();
        let mut description = StringBuilder::new();
        let mut weight = Float64Builder::new();
        let mut combined_degree = Int64Builder::new();
        let mut text_unit_ids = batch::text_lists();
        for (offset, row) in rows.iter().enumerate() {
            id.append_value(row.id.to_string());
            number.append_value((part * batch::BATCH_ROWS + offset) as i64);
            source.append_value(&entities[row.source.at()].title);
            target.append_value(&entities[row.target.at()].title);
            description.append_value(&row.description);
            weight.append_value(row.weight);
            combined_degree.append_value(i64::from(row.combined_degree));
            batch::push_texts(
                &mut text_unit_ids,
                row.text_units.iter().map(|unit| unit_ids[unit.at()]),
            );
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(id.finish()),
            Arc::new(number.finish()),
            Arc::new(source.finish()),
            Arc::new(target.finish()),
            Arc::new(description.finish()),
            Arc::new(weight.finish()),
            Arc::new(combined_degree.finish()),
            Arc::new(text_unit_ids.finish()),
        ];
        writer.write(&batch::batch("relationships", &schema, columns)?)?;
    }
    writer.finish()
}
