//! `text_units`: written last of the graph's tables, since its rows list what was found in them.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder, ListBuilder, StringBuilder};
use arrow::datatypes::{DataType, SchemaRef};

use super::batch;
use crate::model::{ClaimId, DocumentId, EntityId, RelationshipId, TextUnitId};
use crate::store::error::StoreError;
use crate::store::{OutputBuild, TableWriter, WrittenTable};

const BATCH_BYTES: usize = 4 << 20;

/// One row.
pub struct TextUnitRow<'a> {
    /// Its id.
    pub id: TextUnitId,
    /// Its text.
    pub text: &'a str,
    /// Tokens of the text.
    pub n_tokens: u32,
    /// Its document.
    pub document_id: DocumentId,
    /// Entities mentioned.
    pub entities: &'a mut dyn Iterator<Item = EntityId>,
    /// Relationships supported.
    pub relationships: &'a mut dyn Iterator<Item = RelationshipId>,
    /// Claims found.
    pub claims: &'a mut dyn Iterator<Item = ClaimId>,
    /// Start in the document, in Unicode scalar values.
    pub char_start: u64,
    /// End (exclusive) in the document, in Unicode scalar values.
    pub char_end: u64,
    /// How extraction ended: `ok`, `repaired`, `partial`, `empty` or `failed`.
    pub outcome: &'a str,
}

/// Writes text units one at a time.
pub struct TextUnitsWriter {
    schema: SchemaRef,
    writer: TableWriter,
    rows: i64,
    bytes: usize,
    id: StringBuilder,
    number: Int64Builder,
    text: StringBuilder,
    n_tokens: Int64Builder,
    document_id: StringBuilder,
    entity_ids: ListBuilder<StringBuilder>,
    relationship_ids: ListBuilder<StringBuilder>,
    covariate_ids: ListBuilder<StringBuilder>,
    char_start: Int64Builder,
    char_end: Int64Builder,
    outcome: StringBuilder,
}

impl TextUnitsWriter {
    /// Opens the table.
    pub fn create(build: &OutputBuild) -> Result<Self, StoreError> {
        let schema = batch::schema(vec![
            batch::text("id"),
            batch::integer("human_readable_id"),
            batch::text("text"),
            batch::integer("n_tokens"),
            batch::text("document_id"),
            batch::list("entity_ids", DataType::Utf8),
            batch::list("relationship_ids", DataType::Utf8),
            batch::list("covariate_ids", DataType::Utf8),
            batch::integer("char_start"),
            batch::integer("char_end"),
            batch::text("outcome"),
        ]);
        Ok(Self {
            writer: build.table("text_units", schema.clone())?,
            schema,
            rows: 0,
            bytes: 0,
            id: StringBuilder::new(),
            number: Int64Builder::new(),
            text: StringBuilder::new(),
            n_tokens: Int64Builder::new(),
            document_id: StringBuilder::new(),
            entity_ids: batch::text_lists(),
            relationship_ids: batch::text_lists(),
            covariate_ids: batch::text_lists(),
            char_start: Int64Builder::new(),
            char_end: Int64Builder::new(),
            outcome: StringBuilder::new(),
        })
    }

    /// Appends a row.
    pub fn push(&mut self, row: TextUnitRow<'_>) -> Result<(), StoreError> {
        use std::fmt::Write;
        // invariant: writing to a string builder cannot fail
        let _ = write!(self.id, "{}", row.id);
        self.id.append_value("");
        self.number.append_value(self.rows);
        self.text.append_value(row.text);
        self.n_tokens.append_value(i64::from(row.n_tokens));
        let _ = write!(self.document_id, "{}", row.document_id);
        self.document_id.append_value("");
        batch::push_texts(&mut self.entity_ids, row.entities);
        batch::push_texts(&mut self.relationship_ids, row.relationships);
        batch::push_texts(&mut self.covariate_ids, row.claims);
        self.char_start.append_value(row.char_start as i64);
        self.char_end.append_value(row.char_end as i64);
        self.outcome.append_value(row.outcome);
        self.rows += 1;
        self.bytes += row.text.len();
        if self.bytes > BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.id.finish()),
            Arc::new(self.number.finish()),
            Arc::new(self.text.finish()),
            Arc::new(self.n_tokens.finish()),
            Arc::new(self.document_id.finish()),
            Arc::new(self.entity_ids.finish()),
            Arc::new(self.relationship_ids.finish()),
            Arc::new(self.covariate_ids.finish()),
            Arc::new(self.char_start.finish()),
            Arc::new(self.char_end.finish()),
            Arc::new(self.outcome.finish()),
        ];
        self.bytes = 0;
        self.writer
            .write(&batch::batch("text_units", &self.schema, columns)?)
    }

    /// Closes the table.
    pub fn finish(mut self) -> Result<WrittenTable, StoreError> {
        self.flush()?;
        self.writer.finish()
    }
}
