//! Vectors of a table, ours or the original's, and the exact search in them.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{Ids, Index, lazy};
use crate::query::error::QueryError;
use crate::store::{StoreError, TableReader, VectorFile};

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
    /// The table whose rows they follow.
    fn table(self) -> &'static str {
        match self {
            Self::Entities => "entities",
            Self::Reports => "community_reports",
            Self::TextUnits => "text_units",
        }
    }

    /// What the rows are, in words.
    pub fn rows(self) -> &'static str {
        match self {
            Self::Entities => "entities",
            Self::Reports => "reports",
            Self::TextUnits => "text units",
        }
    }

    /// The name of the file, and of the index in the original's settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entities => "entity_description",
            Self::Reports => "community_full_content",
            Self::TextUnits => "text_unit_text",
        }
    }
}

/// The vectors of one table. What they are is known at once; they themselves are read when they are searched, and never all at a time.
#[derive(Debug)]
pub struct Vectors {
    /// The file.
    pub path: PathBuf,
    /// Which model made them; `None` where the file does not say.
    pub model: Option<String>,
    /// Numbers a vector.
    pub dimension: usize,
    source: Source,
}

#[derive(Debug)]
enum Source {
    /// Vector i belongs to row i.
    Flat(VectorFile),
    /// Rows by their ids, in any order.
    Table(TableReader, &'static str),
    #[cfg(test)]
    Memory(Vec<f32>),
}

/// Bytes of vectors that one thread holds.
const BLOCK: usize = 4 << 20;

impl Vectors {
    /// Vectors of a test, row-major.
    #[cfg(test)]
    pub fn new(path: PathBuf, model: Option<String>, dimension: usize, data: Vec<f32>) -> Self {
        Self {
            path,
            model,
            dimension,
            source: Source::Memory(data),
        }
    }

    /// The model's name for messages.
    pub fn model_name(&self) -> String {
        self.model
            .clone()
            .unwrap_or_else(|| "a model that the file does not name".to_owned())
    }

    /// Cosine of every one of `rows` rows with `query`, NaN for rows without a vector; `ids` are the rows' ids.
    fn similarities<'i>(
        &self,
        query: &[f32],
        rows: usize,
        ids: impl FnOnce() -> Result<&'i Ids, QueryError>,
    ) -> Result<Vec<f32>, QueryError> {
        let mut out = vec![f32::NAN; rows];
        let length = dot(query, query).sqrt();
        if query.len() != self.dimension || length <= 0.0 {
            return Ok(out);
        }
        let cosine = |row: &[f32]| {
            let own = dot(row, row).sqrt();
            match own > 0.0 && own.is_finite() {
                true => dot(row, query) / (own * length),
                false => f32::NAN,
            }
        };
        let block = (BLOCK / 4 / self.dimension.max(1)).max(1);
        match &self.source {
            Source::Flat(file) => {
                let blocks = out.par_chunks_mut(block).enumerate();
                blocks.try_for_each_init(Vec::new, |buffer, (number, out)| {
                    let start = number * block;
                    file.read(start..start + out.len(), buffer)?;
                    let vectors = buffer.chunks_exact(self.dimension);
                    out.iter_mut()
                        .zip(vectors)
                        .for_each(|(slot, vector)| *slot = cosine(vector));
                    Ok::<(), StoreError>(())
                })?;
            }
            Source::Table(table, column) => {
                let ids = ids()?;
                let groups = table.groups();
                let read = |number: usize| -> Result<Vec<(u32, f32)>, StoreError> {
                    let rows = groups[number].clone();
                    let stored = table.strings_in("id", rows.clone())?;
                    let mut found = Vec::with_capacity(rows.len());
                    table.vectors_of(column, number, self.dimension, &mut |first, data| {
                        let vectors = data.chunks_exact(self.dimension).zip(first..);
                        found.extend(vectors.filter_map(|(vector, row)| {
                            let id = stored.get(row - rows.start);
                            Some((ids.row_near(id, row as u32)?, cosine(vector)))
                        }));
                    })?;
                    Ok(found)
                };
                let found: Vec<Vec<(u32, f32)>> = (0..groups.len())
                    .into_par_iter()
                    .map(read)
                    .collect::<Result<_, _>>()?;
                for (row, similarity) in found.into_iter().flatten() {
                    if let Some(slot) = out.get_mut(row as usize) {
                        *slot = similarity;
                    }
                }
            }
            #[cfg(test)]
            Source::Memory(data) => {
                let vectors = data.chunks_exact(self.dimension);
                out.iter_mut()
                    .zip(vectors)
                    .for_each(|(slot, vector)| *slot = cosine(vector));
            }
        }
        Ok(out)
    }
}

/// The `k` most similar rows of those that `allows` takes, best first, ties by row.
fn best(similarities: Vec<f32>, k: usize, allows: impl Fn(u32) -> bool) -> Vec<(u32, f32)> {
    let mut rows: Vec<(u32, f32)> = similarities
        .into_iter()
        .enumerate()
        .map(|(row, score)| (row as u32, score))
        .filter(|&(row, score)| !score.is_nan() && allows(row))
        .collect();
    let better = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if k < rows.len() && k > 0 {
        rows.select_nth_unstable_by(k - 1, better);
    }
    rows.truncate(k);
    rows.sort_by(better);
    rows
}

impl Index {
    /// What vectors a table has, without reading them; `None` where the index has none.
    ///
    /// # Errors
    /// A file that is damaged, or that has another number of rows than the table.
    pub fn vectors(&self, name: VectorName) -> Result<Option<&Vectors>, QueryError> {
        let opened = lazy(&self.vectors[name as usize], || -> Result<_, QueryError> {
            open(&self.folder, name, self.rows(name.table())?)
        })?;
        Ok(opened.as_ref())
    }

    /// Cosine of every row with `query`, 0 for rows without a vector; `None` where no vector belongs to the table.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn similarities(
        &self,
        name: VectorName,
        query: &[f32],
    ) -> Result<Option<Vec<f32>>, QueryError> {
        let mut similarities = self.cosines(name, query)?;
        for similarity in similarities.iter_mut().flatten().filter(|one| one.is_nan()) {
            *similarity = 0.0;
        }
        Ok(similarities)
    }

    /// As `similarities`, NaN for rows without a vector.
    fn cosines(&self, name: VectorName, query: &[f32]) -> Result<Option<Vec<f32>>, QueryError> {
        let Some(vectors) = self.vectors(name)? else {
            return Ok(None);
        };
        let rows = match name {
            VectorName::Entities => self.entities()?.titles.len(),
            VectorName::TextUnits => self.units()?.documents.len(),
            VectorName::Reports => self.reports()?.titles.len(),
        };
        let reports;
        let similarities = match name {
            VectorName::Entities => vectors.similarities(query, rows, || self.entity_ids())?,
            VectorName::TextUnits => vectors.similarities(query, rows, || self.unit_ids())?,
            VectorName::Reports => {
                reports = match &vectors.source {
                    Source::Table(..) => Ids::new(self.table("community_reports")?.strings("id")?),
                    _ => Ids::default(),
                };
                vectors.similarities(query, rows, || Ok(&reports))?
            }
        };
        let any = similarities.iter().any(|similarity| !similarity.is_nan());
        Ok(any.then_some(similarities))
    }

    /// The `k` rows nearest to `query` of those that may be seen, best first, ties by row; `None` where no vector belongs to the table.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn nearest(
        &self,
        name: VectorName,
        query: &[f32],
        k: usize,
    ) -> Result<Option<Vec<(u32, f32)>>, QueryError> {
        let allows = |row: u32| match name {
            VectorName::Entities => self.allows_entity(row),
            VectorName::TextUnits => self.allows_unit(row),
            VectorName::Reports => self.allows_report(row).unwrap_or(false),
        };
        let similarities = self.cosines(name, query)?;
        Ok(similarities.map(|similarities| best(similarities, k, allows)))
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

/// Opens the vectors of a table of `rows` rows: `name.f32` beside the tables, else `embeddings.name.parquet` there, in `vectors/`, or
/// in a sibling folder `vectors/`. `None` where there are none.
fn open(folder: &Path, name: VectorName, rows: usize) -> Result<Option<Vectors>, QueryError> {
    if let Some(file) = VectorFile::open(folder, name.as_str())? {
        let path = file.path().to_owned();
        if file.rows() != rows {
            let why = format!("it holds {} vectors for {rows} rows", file.rows());
            return Err(StoreError::Damaged { path, why }.into());
        }
        return Ok(Some(Vectors {
            path,
            model: Some(file.model.clone()),
            dimension: file.dimension,
            source: Source::Flat(file),
        }));
    }
    let file = format!("embeddings.{}", name.as_str());
    let mut places = vec![folder.to_owned(), folder.join("vectors")];
    places.extend(folder.parent().map(|parent| parent.join("vectors")));
    for place in places {
        let Some(table) = TableReader::open_optional(&place, &file)? else {
            continue;
        };
        let column = match table.has("embedding") {
            true => "embedding",
            false => "vector",
        };
        // The first vector tells the dimension.
        let dimension = table.dimension(column)?;
        return Ok((dimension > 0).then(|| Vectors {
            path: table.path().to_owned(),
            model: None,
            dimension,
            source: Source::Table(table, column),
        }));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::index::fixture::strings;

    fn near(rows: &[&[f32]], k: usize, allows: impl Fn(u32) -> bool) -> Vec<(u32, f32)> {
        let vectors = Vectors::new(PathBuf::from("v"), None, rows[0].len(), rows.concat());
        let ids = Ids::default();
        let found = vectors.similarities(&[1.0, 0.0], rows.len(), || Ok(&ids));
        best(found.unwrap(), k, allows)
    }

    #[test]
    fn the_nearest_rows_come_by_angle_and_not_by_length() {
        let table: [&[f32]; 4] = [&[0.0, 9.0], &[0.1, 0.0], &[5.0, 5.0], &[0.0, 0.0]];
        let found = near(&table, 3, |_| true);
        assert_eq!(found.iter().map(|hit| hit.0).collect::<Vec<_>>(), [1, 2, 0]);
        assert!((found[0].1 - 1.0).abs() < 1e-6 && (found[1].1 - 0.5f32.sqrt()).abs() < 1e-6);
        let all = near(&table, 99, |_| true);
        assert_eq!(all.len(), 3, "a row without a vector is no neighbour");
        assert!(near(&table, 0, |_| true).is_empty());
        assert_eq!(near(&table, 1, |row| row != 1)[0].0, 2);
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
    fn ids_lead_to_rows_whatever_their_order() {
        let ids = Ids::new(strings(&["a", "b", "c"]));
        assert_eq!(ids.row_near("b", 1), Some(1));
        assert_eq!(ids.row_near("b", 0), Some(1));
        assert_eq!(ids.row_near("x", 9), None);
    }
}
