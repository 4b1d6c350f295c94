//! `documents`: streamed, so that no more than a batch of texts is in memory.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder, ListBuilder, StringBuilder};
use arrow::datatypes::{DataType, SchemaRef};

use super::batch;
use crate::model::{Document, TextUnit};
use crate::store::error::StoreError;
use crate::store::{OutputBuild, TableWriter, WrittenTable};

/// Text bytes after which a batch goes to the file.
const BATCH_BYTES: usize = 4 << 20;

/// Writes documents one at a time.
pub struct DocumentsWriter {
    schema: SchemaRef,
    writer: TableWriter,
    rows: i64,
    bytes: usize,
    id: StringBuilder,
    number: Int64Builder,
    title: StringBuilder,
    text: StringBuilder,
    text_unit_ids: ListBuilder<StringBuilder>,
    creation_date: StringBuilder,
    raw_data: StringBuilder,
    path: StringBuilder,
}

impl DocumentsWriter {
    /// Opens the table.
    pub fn create(build: &OutputBuild) -> Result<Self, StoreError> {
        let schema = batch::schema(vec![
            batch::text("id"),
            batch::integer("human_readable_id"),
            batch::text("title"),
            batch::text("text"),
            batch::list("text_unit_ids", DataType::Utf8),
            batch::text("creation_date"),
            batch::text("raw_data"),
            batch::text("path"),
        ]);
        Ok(Self {
            writer: build.table("documents", schema.clone())?,
            schema,
            rows: 0,
            bytes: 0,
            id: StringBuilder::new(),
            number: Int64Builder::new(),
            title: StringBuilder::new(),
            text: StringBuilder::new(),
            text_unit_ids: batch::text_lists(),
            creation_date: StringBuilder::new(),
            raw_data: StringBuilder::new(),
            path: StringBuilder::new(),
        })
    }

    /// Appends a document with the text units cut from it.
    pub fn push(&mut self, document: &Document, units: &[TextUnit]) -> Result<(), StoreError> {
        use std::fmt::Write;
        // invariant: writing to a string builder cannot fail
        let _ = write!(self.id, "{}", document.id);
        self.id.append_value("");
        self.number.append_value(self.rows);
        self.title.append_value(&document.title);
        self.text.append_value(&document.text);
        batch::push_texts(&mut self.text_unit_ids, units.iter().map(|unit| unit.id));
        self.creation_date
            .append_option(document.creation_date.as_deref());
        let raw = document
            .metadata
            .as_ref()
            .map(|map| serde_json::Value::Object(map.clone()).to_string());
        self.raw_data.append_option(raw);
        self.path.append_value(&document.path);
        self.rows += 1;
        self.bytes += document.text.len();
        if self.bytes > BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.id.finish()),
            Arc::new(self.number.finish()),
            Arc::new(self.title.finish()),
            Arc::new(self.text.finish()),
            Arc::new(self.text_unit_ids.finish()),
            Arc::new(self.creation_date.finish()),
            Arc::new(self.raw_data.finish()),
            Arc::new(self.path.finish()),
        ];
        self.bytes = 0;
        self.writer
            .write(&batch::batch("documents", &self.schema, columns)?)
    }

    /// Closes the table.
    pub fn finish(mut self) -> Result<WrittenTable, StoreError> {
        self.flush()?;
        self.writer.finish()
    }
}
