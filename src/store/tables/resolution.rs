//! `resolution`: what was decided about pairs of names, and why. Ours; the original has none.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder, StringBuilder};
use arrow::datatypes::DataType;

use super::batch;
use crate::model::{DocumentId, ResolutionRow};
use crate::store::error::StoreError;
use crate::store::{OutputBuild, WrittenTable};

/// Writes all decisions; `document_ids` by row of the documents table.
pub fn write_resolution(
    build: &OutputBuild,
    rows: &[ResolutionRow],
    document_ids: &[DocumentId],
) -> Result<WrittenTable, StoreError> {
    let schema = batch::schema(vec![
        batch::text("name"),
        batch::text("other_name"),
        batch::text("decision"),
        batch::integer("score"),
        batch::list("reasons", DataType::Utf8),
        batch::text("entity"),
        batch::text("other_entity"),
        batch::text("document_id"),
    ]);
    let mut writer = build.table("resolution", schema.clone())?;
    for rows in rows.chunks(batch::BATCH_ROWS) {
        let mut name = StringBuilder::new();
        let mut other_name = StringBuilder::new();
        let mut decision = StringBuilder::new();
        let mut score = Int64Builder::new();
        let mut reasons = batch::text_lists();
        let mut entity = StringBuilder::new();
        let mut other_entity = StringBuilder::new();
        let mut document_id = StringBuilder::new();
        for row in rows {
            name.append_value(&row.name);
            other_name.append_value(&row.other);
            decision.append_value(row.decision);
            score.append_value(i64::from(row.score));
            batch::push_texts(&mut reasons, row.reasons.iter());
            entity.append_value(&row.entity);
            other_entity.append_value(&row.other_entity);
            let document = row
                .document
                .and_then(|document| document_ids.get(document as usize));
            document_id.append_option(document.map(ToString::to_string));
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(name.finish()),
            Arc::new(other_name.finish()),
            Arc::new(decision.finish()),
            Arc::new(score.finish()),
            Arc::new(reasons.finish()),
            Arc::new(entity.finish()),
            Arc::new(other_entity.finish()),
            Arc::new(document_id.finish()),
        ];
        writer.write(&batch::batch("resolution", &schema, columns)?)?;
    }
    writer.finish()
}
