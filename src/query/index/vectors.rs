//! Vectors of a table, ours or the original's, and the exact search in them.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::super::error::QueryError;
use crate::store::{StoreError, StringColumn, TableReader, VectorTable};

/// What a vector stands for, with the file that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorName {
    /// Titles and descriptions of entities.
    Entities,
    /// Whole reports.
    Reports,
    /// Text units.
    TextUnits,
}

impl VectorName {
    /// The name of the file, and of the index in the original's settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entities => "entity_description",
            Self::Reports => "community_full_content",
            Self::TextUnits => "text_unit_text",
        }
    }
}

/// The vectors of one table: vector i belongs to row i.
#[derive(Debug)]
pub struct Vectors {
    /// The file.
    pub path: PathBuf,
    /// Which model made them; `None` where the file does not say.
    pub model: Option<String>,
    /// Numbers a vector.
    pub dimension: usize,
    /// Row-major.
    data: Vec<f32>,
    /// One over the length of each vector; 0 for a row without a vector.
    scales: Vec<f32>,
}

impl Vectors {
    /// Takes row-major data.
    pub fn new(path: PathBuf, model: Option<String>, dimension: usize, data: Vec<f32>) -> Self {
        let scales = data
            .chunks_exact(dimension.max(1))
            .map(|row| {
                let length = dot(row, row).sqrt();
                if length > 0.0 && length.is_finite() {
                    1.0 / length
                } else {
                    0.0
                }
            })
            .collect();
        Self {
            path,
            model,
            dimension,
            data,
            scales,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.scales.len()
    }

    /// The model's name for messages.
    pub fn model_name(&self) -> String {
        self.model
            .clone()
            .unwrap_or_else(|| "a model that the file does not name".to_owned())
    }

    /// Cosine of every row with `query`; rows without a vector have 0.
    pub fn similarities(&self, query: &[f32]) -> Vec<f32> {
        let length = dot(query, query).sqrt();
        if query.len() != self.dimension || length <= 0.0 {
            return vec![0.0; self.rows()];
        }
        self.data
            .par_chunks_exact(self.dimension)
            .with_min_len(256)
            .zip(self.scales.par_iter())
            .map(|(row, scale)| dot(row, query) * scale / length)
            .collect()
    }

    /// The `k` most similar rows of those that `allows` takes, best first, ties by row.
    pub fn nearest(
        &self,
        query: &[f32],
        k: usize,
        allows: impl Fn(u32) -> bool,
    ) -> Vec<(u32, f32)> {
        let similarities = self.similarities(query);
        let mut rows: Vec<(u32, f32)> = similarities
            .into_iter()
            .enumerate()
            .map(|(row, score)| (row as u32, score))
            .collect();
        rows.retain(|&(row, _)| self.scales[row as usize] > 0.0 && allows(row));
        let better = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if k < rows.len() && k > 0 {
            rows.select_nth_unstable_by(k - 1, better);
        }
        rows.truncate(k);
        rows.sort_by(better);
        rows
    }
}

/// Eight sums side by side, so that the compiler uses vector instructions.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = left
        .remainder()
        .iter()
        .zip(right.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in left.zip(right) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Reads the vectors of a table: `name.f32` beside the tables, else `embeddings.name.parquet` there, in `vectors/`, or in a
/// sibling folder `vectors/`. `None` where there are none.
///
/// # Errors
/// A file that is damaged, or that has another number of rows than the table.
pub(super) fn read(
    folder: &Path,
    name: VectorName,
    ids: &StringColumn,
) -> Result<Option<Vectors>, QueryError> {
    if let Some(table) = VectorTable::read(folder, name.as_str())? {
        let path = folder.join(format!("{}.f32", name.as_str()));
        if table.rows() != ids.len() {
            let why = format!("it holds {} vectors for {} rows", table.rows(), ids.len());
            return Err(StoreError::Damaged { path, why }.into());
        }
        return Ok(Some(Vectors::new(
            path,
            Some(table.model),
            table.dimension,
            table.data,
        )));
    }
    let file = format!("embeddings.{}", name.as_str());
    let mut places = vec![folder.to_owned(), folder.join("vectors")];
    places.extend(folder.parent().map(|parent| parent.join("vectors")));
    for place in places {
        let Some(reader) = TableReader::open_optional(&place, &file)? else {
            continue;
        };
        let column = if reader.has("embedding") {
            "embedding"
        } else {
            "vector"
        };
        let (data, dimension) = reader.vectors(column)?;
        let stored = reader.strings("id")?;
        let path = reader.path().to_owned();
        return Ok(by_id(&stored, data, dimension, ids)
            .map(|data| Vectors::new(path, None, dimension, data)));
    }
    Ok(None)
}

/// Vectors in the table's order; zeros where a row has none. `None` where none of them belongs to the table.
fn by_id(
    stored: &StringColumn,
    data: Vec<f32>,
    dimension: usize,
    ids: &StringColumn,
) -> Option<Vec<f32>> {
    if dimension == 0 {
        return None;
    }
    if stored == ids {
        return Some(data);
    }
    let rows = super::ids::RowsById::new(stored);
    let mut ordered = vec![0f32; ids.len() * dimension];
    let mut found = false;
    for (id, slot) in ids.iter().zip(ordered.chunks_exact_mut(dimension)) {
        let row = rows.get(stored, id).map(|row| row as usize * dimension);
        if let Some(vector) = row.and_then(|start| data.get(start..start + dimension)) {
            slot.copy_from_slice(vector);
            found = true;
        }
    }
    found.then_some(ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(rows: &[&[f32]]) -> Vectors {
        Vectors::new(PathBuf::from("v"), None, rows[0].len(), rows.concat())
    }

    #[test]
    fn the_nearest_rows_come_by_angle_and_not_by_length() {
        let table = vectors(&[&[0.0, 9.0], &[0.1, 0.0], &[5.0, 5.0], &[0.0, 0.0]]);
        let near = table.nearest(&[1.0, 0.0], 3, |_| true);
        assert_eq!(near.iter().map(|hit| hit.0).collect::<Vec<_>>(), [1, 2, 0]);
        assert!((near[0].1 - 1.0).abs() < 1e-6 && (near[1].1 - 0.5f32.sqrt()).abs() < 1e-6);
        assert_eq!(
            table.nearest(&[1.0, 0.0], 99, |_| true).len(),
            3,
            "a row without a vector is no neighbour"
        );
        assert!(table.nearest(&[1.0, 0.0], 0, |_| true).is_empty());
        assert_eq!(table.nearest(&[1.0, 0.0], 1, |row| row != 1)[0].0, 2);
    }

    #[test]
    fn dot_products_of_any_length_are_exact_on_small_integers() {
        for n in [0usize, 1, 7, 8, 9, 31] {
            let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let expected: usize = (0..n).map(|i| i * i).sum();
            assert_eq!(dot(&a, &a), expected as f32);
        }
    }

    #[test]
    fn vectors_follow_ids_into_the_tables_order() {
        let column = |ids: &[&str]| {
            let mut column = StringColumn::default();
            ids.iter().for_each(|id| column.push(id));
            column
        };
        let stored = column(&["b", "a"]);
        let ordered = by_id(&stored, vec![2.0, 1.0], 1, &column(&["a", "b", "c"]));
        assert_eq!(ordered, Some(vec![1.0, 2.0, 0.0]));
        assert_eq!(by_id(&stored, vec![2.0, 1.0], 1, &column(&["x"])), None);
    }
}
