//! Basic search: the best text units in the order of their rank.

use super::table::Table;
use super::{Arrival, Context, Count, Record};
use crate::query::error::QueryError;
use crate::query::index::{Column, Index};
use crate::report::citations::DataKind;

/// Budget of a basic search.
#[derive(Clone, Copy, Debug)]
pub struct BasicParams {
    /// Text units taken.
    pub k: usize,
    /// Tokens of the context.
    pub max_tokens: usize,
}

/// The first `k` of the ranked text units that fit. (The original emits them in table order and may cut the best.)
pub fn basic(
    index: &Index,
    ranked: &[(u32, Arrival)],
    params: BasicParams,
    count: Count<'_>,
) -> Result<Context, QueryError> {
    let units = index.units()?;
    let taken = ranked.iter().take(params.k).map(|hit| hit.0);
    let texts = index.texts(Column::UnitText, taken)?;
    let mut table = Table::new(DataKind::Sources, "id|text", params.max_tokens, count);
    for &(row, arrived) in ranked.iter().take(params.k) {
        let number = units.numbers.of(row);
        table.push(
            Record {
                row,
                number,
                arrived,
            },
            &format!("{number}|{}\n", texts.get(row)),
        );
    }
    Ok(Context {
        sections: vec![table.finish()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::index::fixture::Parts;

    #[test]
    fn the_best_text_unit_comes_first_and_is_never_the_one_that_is_cut() {
        let index = Parts {
            documents: vec![("d", "")],
            units: vec![(0, "aaaa"), (0, "bbbb"), (0, "cccc")],
            ..Parts::default()
        }
        .index();
        let ranked = [
            (2, Arrival::Vector),
            (0, Arrival::Lexical),
            (1, Arrival::Lexical),
        ];
        let params = BasicParams {
            k: 2,
            max_tokens: 26 + 7,
        };
        let context = basic(&index, &ranked, params, &|text| text.len()).unwrap();
        assert_eq!(context.text(), "-----Sources-----\nid|text\n2|cccc\n");
        assert_eq!(context.sections[0].left_out, 1);
    }
}
