//! `covariates`: claims.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder, StringBuilder};
use arrow::datatypes::DataType;

use super::batch;
use crate::model::{Claim, TextUnitId};
use crate::store::error::StoreError;
use crate::store::{OutputBuild, WrittenTable};

/// Writes all claims; an empty table is valid.
pub fn write_covariates(
    build: &OutputBuild,
    claims: &[Claim],
    unit_ids: &[TextUnitId],
) -> Result<WrittenTable, StoreError> {
    let names = [
        "covariate_type",
        "type",
        "description",
        "subject_id",
        "object_id",
        "status",
        "start_date",
        "end_date",
        "source_text",
        "text_unit_id",
    ];
    let mut fields = vec![batch::text("id"), batch::integer("human_readable_id")];
    fields.extend(names.iter().map(|name| batch::text(name)));
    fields.push(batch::list("contradicts", DataType::Utf8));
    fields.push(batch::list("confirms", DataType::Utf8));
    let schema = batch::schema(fields);
    let mut writer = build.table("covariates", schema.clone())?;
    for (part, rows) in claims.chunks(batch::BATCH_ROWS).enumerate() {
        let mut id = StringBuilder::new();
        let mut number = Int64Builder::new();
        let (mut contradicts, mut confirms) = (batch::text_lists(), batch::text_lists());
        let mut texts: Vec<StringBuilder> = names.iter().map(|_| StringBuilder::new()).collect();
        for (offset, row) in rows.iter().enumerate() {
            id.append_value(row.id.to_string());
            number.append_value((part * batch::BATCH_ROWS + offset) as i64);
            let unit = unit_ids[row.text_unit.at()].to_string();
            let claim = &row.claim;
            let values = [
                "claim",
                &claim.kind,
                &claim.description,
                &claim.subject,
                &claim.object,
                &claim.status,
                &claim.start_date,
                &claim.end_date,
                &claim.source_text,
                &unit,
            ];
            for (builder, value) in texts.iter_mut().zip(values) {
                builder.append_value(value);
            }
            // invariant: linked claims are rows of `claims`
            let ids = |rows: &[u32]| -> Vec<_> {
                rows.iter().map(|&row| claims[row as usize].id).collect()
            };
            batch::push_texts(&mut contradicts, ids(&row.contradicts));
            batch::push_texts(&mut confirms, ids(&row.confirms));
        }
        let mut columns: Vec<ArrayRef> = vec![Arc::new(id.finish()), Arc::new(number.finish())];
        columns.extend(texts.iter_mut().map(|b| Arc::new(b.finish()) as ArrayRef));
        columns.push(Arc::new(contradicts.finish()));
        columns.push(Arc::new(confirms.finish()));
        writer.write(&batch::batch("covariates", &schema, columns)?)?;
    }
    writer.finish()
}
