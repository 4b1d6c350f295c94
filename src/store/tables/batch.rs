//! Column builders shared by the tables.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder, ListBuilder, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;

use crate::store::error::StoreError;

/// A nullable text field.
pub(super) fn text(name: &str) -> Field {
    Field::new(name, DataType::Utf8, true)
}

/// A nullable integer field.
pub(super) fn integer(name: &str) -> Field {
    Field::new(name, DataType::Int64, true)
}

/// A nullable floating point field.
pub(super) fn float(name: &str) -> Field {
    Field::new(name, DataType::Float64, true)
}

/// A nullable list field; `element` is the name the original's writer gives list items.
pub(super) fn list(name: &str, item: DataType) -> Field {
    Field::new(name, DataType::List(item_field(item)), true)
}

fn item_field(item: DataType) -> Arc<Field> {
    Arc::new(Field::new("element", item, true))
}

/// A builder of string lists.
pub(super) fn text_lists() -> ListBuilder<StringBuilder> {
    ListBuilder::new(StringBuilder::new()).with_field(item_field(DataType::Utf8))
}

/// A builder of integer lists.
pub(super) fn integer_lists() -> ListBuilder<Int64Builder> {
    ListBuilder::new(Int64Builder::new()).with_field(item_field(DataType::Int64))
}

/// Appends one row to a string list column.
pub(super) fn push_texts<T: std::fmt::Display>(
    builder: &mut ListBuilder<StringBuilder>,
    items: impl IntoIterator<Item = T>,
) {
    use std::fmt::Write;
    for item in items {
        // invariant: writing to a string builder cannot fail
        let _ = write!(builder.values(), "{item}");
        builder.values().append_value("");
    }
    builder.append(true);
}

/// Appends one row to an integer list column.
pub(super) fn push_integers(
    builder: &mut ListBuilder<Int64Builder>,
    items: impl IntoIterator<Item = i64>,
) {
    for item in items {
        builder.values().append_value(item);
    }
    builder.append(true);
}

/// A schema from its fields.
pub(super) fn schema(fields: Vec<Field>) -> SchemaRef {
    Arc::new(Schema::new(fields))
}

/// A batch from its columns, which must match the schema.
pub(super) fn batch(
    table: &str,
    schema: &SchemaRef,
    columns: Vec<ArrayRef>,
) -> Result<RecordBatch, StoreError> {
    RecordBatch::try_new(schema.clone(), columns)
        .map_err(|e| StoreError::damaged(std::path::Path::new(table), e))
}

/// Rows a batch holds at most: bounds the memory of building one.
pub(super) const BATCH_ROWS: usize = 4096;
