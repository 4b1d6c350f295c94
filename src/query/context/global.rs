//! The map step's reading: the reports of the rolled-up level, shuffled with a fixed seed and packed in batches.

use super::shuffle::shuffle;
use super::table::{field, number};
use super::{Arrival, Count, Record};
use crate::query::error::QueryError;
use crate::query::index::{Column, Index, NO_ROW, list};

/// The original's seed.
const SEED: u32 = 86;

/// How batches are packed.
#[derive(Clone, Copy, Debug)]
pub struct GlobalParams {
    /// Tokens of one batch.
    pub max_tokens: usize,
}

/// What one map call reads.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The table.
    pub text: String,
    /// Its reports, in order.
    pub records: Vec<Record>,
    /// Tokens of the table.
    pub tokens: usize,
}

/// Share of text units that each report's community covers, relative to the one that covers most; by place in `reports`.
pub fn occurrence_weights(index: &Index, reports: &[u32]) -> Result<Vec<f64>, QueryError> {
    let (communities, table) = (index.communities()?, index.reports()?);
    let entity_units = index.entity_units()?;
    let mut seen = vec![u32::MAX; index.units()?.documents.len()];
    let mut counts = Vec::with_capacity(reports.len());
    for (place, &report) in reports.iter().enumerate() {
        let community = table.communities[report as usize];
        let mut count = 0u32;
        if community != NO_ROW {
            for &entity in list(&communities.entities, community) {
                for &unit in list(entity_units, entity) {
                    count += u32::from(seen[unit as usize] != place as u32);
                    seen[unit as usize] = place as u32;
                }
            }
        }
        counts.push(count);
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    Ok(counts
        .into_iter()
        .map(|count| f64::from(count) / f64::from(most))
        .collect())
}

/// Shuffles and packs the reports; within a batch the weightiest come first, then the highest ranked.
///
/// A report without a rank is left out, as in the original; one longer than a batch has a batch of its own.
pub fn batches(
    index: &Index,
    reports: &[u32],
    params: GlobalParams,
    count: Count<'_>,
) -> Result<Vec<Batch>, QueryError> {
    let (table, texts) = (index.reports()?, index.whole(Column::ReportText)?);
    let weights = occurrence_weights(index, reports)?;
    let mut order: Vec<(u32, f64)> = reports.iter().copied().zip(weights).collect();
    order.retain(|&(report, _)| !table.ranks[report as usize].is_nan());
    shuffle(&mut order, SEED);
    const HEADER: &str = "id|title|occurrence weight|content|rank\n";
    let head = count("-----Reports-----\n") + count(HEADER);
    let mut packed: Vec<Vec<(u32, f64)>> = Vec::new();
    let mut used = usize::MAX;
    for item in order {
        let (report, weight) = item;
        let row = report as usize;
        let line = [
            table.numbers.of(report).to_string().as_str(),
            table.titles.get(row),
            &number(weight),
            texts.get(row),
            &number(table.ranks[row]),
        ]
        .join("|");
        let tokens = count(&format!("{line}\n"));
        match packed.last_mut() {
            Some(batch) if used.saturating_add(tokens) <= params.max_tokens => {
                batch.push(item);
                used += tokens;
            }
            _ => {
                packed.push(vec![item]);
                used = head + tokens;
            }
        }
    }
    let rank = |report: u32| table.ranks[report as usize];
    let batches = packed.into_iter().map(|mut batch| {
        batch.sort_by(|a, b| b.1.total_cmp(&a.1).then(rank(b.0).total_cmp(&rank(a.0))));
        let mut text = HEADER.to_owned();
        for &(report, weight) in &batch {
            let row = report as usize;
            let fields = [
                table.numbers.of(report).to_string(),
                field(table.titles.get(row)),
                number(weight),
                field(texts.get(row)),
                number(rank(report)),
            ];
            text.push_str(&fields.join("|"));
            text.push('\n');
        }
        let record = |&(row, _): &(u32, f64)| Record {
            row,
            number: table.numbers.of(row),
            arrived: Arrival::Report,
        };
        Batch {
            tokens: count(&text),
            text,
            records: batch.iter().map(record).collect(),
        }
    });
    Ok(batches.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::index::fixture::Parts;

    fn index() -> Index {
        Parts {
            documents: vec![("d", "")],
            units: vec![(0, "a"), (0, "b"), (0, "c")],
            entities: vec![
                ("A", "", vec![0, 1], vec![]),
                ("B", "", vec![1, 2], vec![]),
                ("C", "", vec![2], vec![]),
            ],
            communities: vec![(0, None, vec![0, 1], vec![]), (0, None, vec![2], vec![])],
            reports: vec![(0, "R|0", "s", vec![], 4.0), (1, "R1", "s", vec![], 9.0)],
            ..Parts::default()
        }
        .index()
    }

    #[test]
    fn weights_count_distinct_text_units_against_the_most() {
        // Units of A and B: 0, 1, 2; of C: 2.
        assert_eq!(
            occurrence_weights(&index(), &[0, 1]).unwrap(),
            [1.0, 1.0 / 3.0]
        );
        assert_eq!(occurrence_weights(&index(), &[1]).unwrap(), [1.0]);
    }

    #[test]
    fn every_report_is_in_exactly_one_batch_whatever_the_budget() {
        let index = index();
        for max_tokens in [1, 70, 120, 10_000] {
            let batches = batches(&index, &[0, 1], GlobalParams { max_tokens }, &|text| {
                text.len()
            })
            .unwrap();
            let mut rows: Vec<u32> = batches
                .iter()
                .flat_map(|batch| batch.records.iter().map(|record| record.row))
                .collect();
            rows.sort_unstable();
            assert_eq!(rows, [0, 1], "{max_tokens}");
            assert!(batches.iter().all(|batch| !batch.records.is_empty()));
        }
        let one = batches(
            &index,
            &[0, 1],
            GlobalParams { max_tokens: 10_000 },
            &|text| text.len(),
        )
        .unwrap();
        let expected = "id|title|occurrence weight|content|rank\n0|\"R|0\"|1.0|\"# R|0\n\ns\"|4.0\n1|R1|0.3333333333333333|\"# R1\n\ns\"|9.0\n";
        assert_eq!(one[0].text, expected);
    }
}
