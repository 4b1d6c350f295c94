//! Reads chosen columns of a Parquet table, ours or the original's, into plain columns.
//!
//! The original writes `string` or `large_string`, depending on the pandas it ran on; both are accepted, as are string views
//! and dictionaries.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int32Type, Int64Type};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};

use super::columns::{ListColumn, StringColumn};
use super::error::StoreError;

/// A table on disk: its schema is read, its columns only when asked for.
#[derive(Debug)]
pub struct TableReader {
    pub(super) path: PathBuf,
    pub(super) metadata: ArrowReaderMetadata,
}

pub(super) const BATCH_ROWS: usize = 8192;

impl TableReader {
    /// Opens `folder/name.parquet` and reads its footer.
    ///
    /// # Errors
    /// `Missing` when there is no such file, `Damaged` when it is not Parquet.
    pub fn open(folder: &Path, name: &str) -> Result<Self, StoreError> {
        let path = folder.join(format!("{name}.parquet"));
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(StoreError::Missing { path });
            }
            Err(error) => return Err(StoreError::io("open", &path, error)),
        };
        let metadata = ArrowReaderMetadata::load(&file, Default::default())
            .map_err(|e| StoreError::damaged(&path, e))?;
        Ok(Self { path, metadata })
    }

    /// Opens a table that may be absent.
    pub fn open_optional(folder: &Path, name: &str) -> Result<Option<Self>, StoreError> {
        match Self::open(folder, name) {
            Ok(reader) => Ok(Some(reader)),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        usize::try_from(self.metadata.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the table has a column of that name.
    pub fn has(&self, column: &str) -> bool {
        self.metadata.schema().field_with_name(column).is_ok()
    }

    /// Column names in order.
    pub fn column_names(&self) -> Vec<String> {
        let fields = self.metadata.schema().fields();
        fields.iter().map(|field| field.name().clone()).collect()
    }

    /// The schema in words, `name: type`, for checks and messages.
    pub fn schema_words(&self) -> Vec<(String, String)> {
        let fields = self.metadata.schema().fields();
        fields
            .iter()
            .map(|field| (field.name().clone(), field.data_type().to_string()))
            .collect()
    }

    /// Feeds the column's arrays, batch by batch, to `visit`.
    fn visit(
        &self,
        column: &str,
        mut visit: impl FnMut(&ArrayRef) -> Result<(), String>,
    ) -> Result<(), StoreError> {
        self.visit_some(column, |all| all.with_batch_size(BATCH_ROWS), &mut visit)
    }

    /// Feeds the arrays of the part of a column that `narrow` leaves to `visit`.
    pub(super) fn visit_some(
        &self,
        column: &str,
        narrow: impl FnOnce(
            ParquetRecordBatchReaderBuilder<File>,
        ) -> ParquetRecordBatchReaderBuilder<File>,
        visit: &mut dyn FnMut(&ArrayRef) -> Result<(), String>,
    ) -> Result<(), StoreError> {
        let Ok(root) = self.metadata.schema().index_of(column) else {
            return Err(StoreError::column(&self.path, column, "is missing"));
        };
        let file = File::open(&self.path).map_err(|e| StoreError::io("open", &self.path, e))?;
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), [root]);
        let all = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_projection(mask);
        let reader = narrow(all)
            .build()
            .map_err(|e| StoreError::damaged(&self.path, e))?;
        for batch in reader {
            let batch = batch.map_err(|e| StoreError::damaged(&self.path, e))?;
            visit(batch.column(0)).map_err(|why| StoreError::column(&self.path, column, why))?;
        }
        Ok(())
    }

    /// A string column; null is the empty string.
    pub fn strings(&self, column: &str) -> Result<StringColumn, StoreError> {
        let mut out = StringColumn::default();
        self.visit(column, |array| push_strings(array, &mut out))?;
        Ok(out)
    }

    /// A string column, or empty strings where the table lacks it.
    pub fn strings_or_empty(&self, column: &str) -> Result<StringColumn, StoreError> {
        if self.has(column) {
            return self.strings(column);
        }
        let mut out = StringColumn::default();
        for _ in 0..self.rows() {
            out.push("");
        }
        Ok(out)
    }

    /// Feeds every string of a column to `each`, holding one batch at a time; null is the empty string.
    fn each_string(&self, column: &str, mut each: impl FnMut(&str)) -> Result<(), StoreError> {
        self.visit(column, |array| {
            let mut batch = StringColumn::default();
            push_strings(array, &mut batch)?;
            batch.iter().for_each(&mut each);
            Ok(())
        })
    }

    /// Lengths of a string column's texts in Unicode scalar values, without holding the texts.
    pub fn text_lengths(&self, column: &str) -> Result<Vec<u64>, StoreError> {
        let mut out = Vec::with_capacity(self.rows());
        self.each_string(column, |text| out.push(text.chars().count() as u64))?;
        Ok(out)
    }

    /// Hashes of a string column's texts, without holding the texts.
    pub fn text_hashes(&self, column: &str) -> Result<Vec<[u8; 32]>, StoreError> {
        let mut out = Vec::with_capacity(self.rows());
        self.each_string(column, |text| {
            out.push(*blake3::hash(text.as_bytes()).as_bytes());
        })?;
        Ok(out)
    }

    /// A column of text or numbers as text; null, and a number that is none, are empty.
    pub fn texts(&self, column: &str) -> Result<StringColumn, StoreError> {
        let mut out = StringColumn::default();
        self.visit(column, |array| push_texts(array, &mut out))?;
        Ok(out)
    }

    /// A column of lists of text or numbers, as text; null is the empty list.
    pub fn text_lists(&self, column: &str) -> Result<ListColumn<StringColumn>, StoreError> {
        self.lists_of(column, push_texts)
    }

    /// An integer column; null is -1.
    pub fn integers(&self, column: &str) -> Result<Vec<i64>, StoreError> {
        let mut out = Vec::with_capacity(self.rows());
        self.visit(column, |array| {
            push_integers(array, &mut out);
            match array.data_type() {
                DataType::Int64 | DataType::Int32 | DataType::UInt32 | DataType::UInt64 => Ok(()),
                other => Err(format!("is {other}, not an integer")),
            }
        })?;
        Ok(out)
    }

    /// A floating point column; null is NaN, integers are converted.
    pub fn floats(&self, column: &str) -> Result<Vec<f64>, StoreError> {
        let mut out = Vec::with_capacity(self.rows());
        self.visit(column, |array| match array.data_type() {
            DataType::Float64 => {
                let values = array.as_primitive::<Float64Type>();
                out.extend(values.iter().map(|v| v.unwrap_or(f64::NAN)));
                Ok(())
            }
            DataType::Int64 => {
                let values = array.as_primitive::<Int64Type>();
                out.extend(values.iter().map(|v| v.map_or(f64::NAN, |v| v as f64)));
                Ok(())
            }
            DataType::Float32 => {
                let values = array.as_primitive::<Float32Type>();
                out.extend(values.iter().map(|v| v.map_or(f64::NAN, f64::from)));
                Ok(())
            }
            DataType::Int32 => {
                let values = array.as_primitive::<Int32Type>();
                out.extend(values.iter().map(|v| v.map_or(f64::NAN, f64::from)));
                Ok(())
            }
            other => Err(format!("is {other}, not a number")),
        })?;
        Ok(out)
    }

    /// A column of string lists; null is the empty list.
    pub fn string_lists(&self, column: &str) -> Result<ListColumn<StringColumn>, StoreError> {
        self.lists_of(column, push_strings)
    }

    fn lists_of(
        &self,
        column: &str,
        push: impl Fn(&ArrayRef, &mut StringColumn) -> Result<(), String>,
    ) -> Result<ListColumn<StringColumn>, StoreError> {
        let mut out = ListColumn::<StringColumn>::default();
        self.visit(column, |array| {
            each_list(array, |list| {
                if let Some(values) = list {
                    push(&values, &mut out.values)?;
                }
                out.ends.push(out.values.len() as u32);
                Ok(())
            })
        })?;
        Ok(out)
    }

    /// A column of integer lists; null is the empty list.
    pub fn integer_lists(&self, column: &str) -> Result<ListColumn<Vec<i64>>, StoreError> {
        let mut out = ListColumn::<Vec<i64>>::default();
        self.visit(column, |array| {
            each_list(array, |list| {
                if let Some(values) = list {
                    push_integers(&values, &mut out.values);
                }
                out.ends.push(out.values.len() as u32);
                Ok(())
            })
        })?;
        Ok(out)
    }

    /// A column of lists of `{summary, explanation}`, as `findings` in `community_reports`.
    pub fn finding_lists(
        &self,
        column: &str,
    ) -> Result<ListColumn<Vec<crate::model::Finding>>, StoreError> {
        let mut out = ListColumn::<Vec<crate::model::Finding>>::default();
        self.visit(column, |array| {
            each_list(array, |list| {
                if let Some(values) = list
                    && let Some(rows) = values.as_struct_opt()
                {
                    let mut summaries = StringColumn::default();
                    let mut explanations = StringColumn::default();
                    if let Some(field) = rows.column_by_name("summary") {
                        push_strings(field, &mut summaries)?;
                    }
                    if let Some(field) = rows.column_by_name("explanation") {
                        push_strings(field, &mut explanations)?;
                    }
                    for row in 0..rows.len() {
                        out.values.push(crate::model::Finding {
                            summary: summaries.get(row).to_owned(),
                            explanation: explanations.get(row).to_owned(),
                        });
                    }
                }
                out.ends.push(out.values.len() as u32);
                Ok(())
            })
        })?;
        Ok(out)
    }
}

pub(super) fn push_strings(array: &ArrayRef, out: &mut StringColumn) -> Result<(), String> {
    match array.data_type() {
        DataType::Utf8 => {
            for value in array.as_string::<i32>() {
                out.push(value.unwrap_or_default());
            }
        }
        DataType::LargeUtf8 => {
            for value in array.as_string::<i64>() {
                out.push(value.unwrap_or_default());
            }
        }
        DataType::Utf8View => {
            for value in array.as_string_view() {
                out.push(value.unwrap_or_default());
            }
        }
        DataType::Dictionary(_, values) => {
            let plain = arrow::compute::cast(array, values).map_err(|error| error.to_string())?;
            push_strings(&plain, out)?;
        }
        DataType::Null => {
            for _ in 0..array.len() {
                out.push("");
            }
        }
        other => return Err(format!("is {other}, not text")),
    }
    Ok(())
}

/// As [`push_strings`], numbers too.
fn push_texts(array: &ArrayRef, out: &mut StringColumn) -> Result<(), String> {
    match array.data_type() {
        DataType::Float64 => {
            for value in array.as_primitive::<Float64Type>() {
                let value = value.filter(|value| !value.is_nan());
                out.push(&value.map_or(String::new(), |value| value.to_string()));
            }
            Ok(())
        }
        DataType::Float32 => {
            for value in array.as_primitive::<Float32Type>() {
                let value = value.filter(|value| !value.is_nan());
                out.push(&value.map_or(String::new(), |value| value.to_string()));
            }
            Ok(())
        }
        kind if kind.is_numeric() => {
            let texts = arrow::compute::cast(array, &DataType::Utf8);
            push_strings(&texts.map_err(|error| error.to_string())?, out)
        }
        DataType::Dictionary(_, values) => {
            let plain = arrow::compute::cast(array, values).map_err(|error| error.to_string())?;
            push_texts(&plain, out)
        }
        other => {
            push_strings(array, out).map_err(|_| format!("is {other}, neither text nor a number"))
        }
    }
}

fn push_integers(array: &ArrayRef, out: &mut Vec<i64>) {
    match array.data_type() {
        DataType::Int64 => {
            out.extend(
                array
                    .as_primitive::<Int64Type>()
                    .iter()
                    .map(|v| v.unwrap_or(-1)),
            );
        }
        DataType::Int32 => {
            let values = array.as_primitive::<Int32Type>();
            out.extend(values.iter().map(|v| v.map_or(-1, i64::from)));
        }
        DataType::UInt32 => {
            let values = array.as_primitive::<arrow::datatypes::UInt32Type>();
            out.extend(values.iter().map(|v| v.map_or(-1, i64::from)));
        }
        DataType::UInt64 => {
            let values = array.as_primitive::<arrow::datatypes::UInt64Type>();
            out.extend(
                values
                    .iter()
                    .map(|v| v.and_then(|v| i64::try_from(v).ok()).unwrap_or(-1)),
            );
        }
        _ => {}
    }
}

pub(super) fn each_list(
    array: &ArrayRef,
    mut visit: impl FnMut(Option<ArrayRef>) -> Result<(), String>,
) -> Result<(), String> {
    for row in 0..array.len() {
        if array.is_null(row) {
            visit(None)?;
            continue;
        }
        let values = match array.data_type() {
            DataType::List(_) => array.as_list::<i32>().value(row),
            DataType::LargeList(_) => array.as_list::<i64>().value(row),
            DataType::FixedSizeList(_, _) => array.as_fixed_size_list().value(row),
            DataType::Null => {
                visit(None)?;
                continue;
            }
            other => return Err(format!("is {other}, not a list")),
        };
        visit(Some(values))?;
    }
    Ok(())
}
