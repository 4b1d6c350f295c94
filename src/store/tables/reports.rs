//! `community_reports`.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Float64Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder,
};
use arrow::datatypes::{DataType, Field, Fields};

use super::batch;
use crate::model::{Community, IdHasher, Report, ReportId};
use crate::store::error::StoreError;
use crate::store::{OutputBuild, WrittenTable};

/// A report and how it ended.
pub struct ReportRow<'a> {
    /// The report.
    pub report: &'a Report,
    /// Pretty JSON of the report, as the original stores the model's answer.
    pub full_content_json: String,
    /// Its outcome word.
    pub outcome: &'a str,
}

/// Writes all reports, in community order.
pub fn write_reports(
    build: &OutputBuild,
    reports: &[ReportRow<'_>],
    communities: &[Community],
    period: &str,
) -> Result<WrittenTable, StoreError> {
    let finding = Fields::from(vec![
        Field::new("explanation", DataType::Utf8, true),
        Field::new("summary", DataType::Utf8, true),
    ]);
    let schema = batch::schema(vec![
        batch::text("id"),
        batch::integer("human_readable_id"),
        batch::integer("community"),
        batch::integer("level"),
        batch::integer("parent"),
        batch::list("children", DataType::Int64),
        batch::text("title"),
        batch::text("summary"),
        batch::text("full_content"),
        batch::float("rank"),
        batch::text("rating_explanation"),
        batch::list("findings", DataType::Struct(finding.clone())),
        batch::text("full_content_json"),
        batch::text("period"),
        batch::integer("size"),
        batch::text("source"),
        batch::text("outcome"),
    ]);
    let mut writer = build.table("community_reports", schema.clone())?;
    for rows in reports.chunks(batch::BATCH_ROWS) {
        let mut id = StringBuilder::new();
        let mut number = Int64Builder::new();
        let mut level = Int64Builder::new();
        let mut parent = Int64Builder::new();
        let mut children = batch::integer_lists();
        let mut title = StringBuilder::new();
        let mut summary = StringBuilder::new();
        let mut full_content = StringBuilder::new();
        let mut rank = Float64Builder::new();
        let mut rating_explanation = StringBuilder::new();
        let mut findings =
            ListBuilder::new(StructBuilder::from_fields(finding.clone(), 0)).with_field(Arc::new(
                Field::new("element", DataType::Struct(finding.clone()), true),
            ));
        let mut full_content_json = StringBuilder::new();
        let mut when = StringBuilder::new();
        let mut size = Int64Builder::new();
        let mut source = StringBuilder::new();
        let mut outcome = StringBuilder::new();
        for row in rows {
            let report = row.report;
            let community = &communities[report.community.at()];
            let content = report.full_content();
            let mut hasher = IdHasher::new("community_report");
            hasher
                .number(u64::from(report.community.0))
                .part(content.as_bytes());
            id.append_value(ReportId(hasher.finish()).to_string());
            number.append_value(i64::from(report.community.0));
            level.append_value(i64::from(community.level));
            parent.append_value(community.parent.map_or(-1, |p| i64::from(p.0)));
            let kids = community.children.iter().map(|c| i64::from(c.0));
            batch::push_integers(&mut children, kids);
            title.append_value(&report.title);
            summary.append_value(&report.summary);
            full_content.append_value(content);
            rank.append_value(report.rank);
            rating_explanation.append_value(&report.rating_explanation);
            for finding in &report.findings {
                let item = findings.values();
                for (field, value) in [&finding.explanation, &finding.summary].iter().enumerate() {
                    if let Some(builder) = item.field_builder::<StringBuilder>(field) {
                        builder.append_value(value);
                    }
                }
                item.append(true);
            }
            findings.append(true);
            full_content_json.append_value(&row.full_content_json);
            when.append_value(period);
            size.append_value(community.entities.len() as i64);
            source.append_value(report.source.as_str());
            outcome.append_value(row.outcome);
        }
        let number: ArrayRef = Arc::new(number.finish());
        let columns: Vec<ArrayRef> = vec![
            Arc::new(id.finish()),
            number.clone(),
            number,
            Arc::new(level.finish()),
            Arc::new(parent.finish()),
            Arc::new(children.finish()),
            Arc::new(title.finish()),
            Arc::new(summary.finish()),
            Arc::new(full_content.finish()),
            Arc::new(rank.finish()),
            Arc::new(rating_explanation.finish()),
            Arc::new(findings.finish()),
            Arc::new(full_content_json.finish()),
            Arc::new(when.finish()),
            Arc::new(size.finish()),
            Arc::new(source.finish()),
            Arc::new(outcome.finish()),
        ];
        writer.write(&batch::batch("community_reports", &schema, columns)?)?;
    }
    writer.finish()
}
