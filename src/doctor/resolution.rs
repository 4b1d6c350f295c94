//! The `resolution` table read back.

use std::collections::HashMap;
use std::path::Path;

use crate::model::ResolutionRow;
use crate::resolve::audit::Verdict;
use crate::resolve::reason::Reason;
use crate::store::{StoreError, TableReader};

/// Reads the `resolution` table; no rows where the index has none. Documents are numbered by first appearance.
///
/// # Errors
/// The table is damaged.
pub fn read_resolution(output: &Path) -> Result<Vec<ResolutionRow>, StoreError> {
    let Some(table) = TableReader::open_optional(output, "resolution")? else {
        return Ok(Vec::new());
    };
    let (names, others) = (table.strings("name")?, table.strings("other_name")?);
    let (entities, other_entities) = (table.strings("entity")?, table.strings("other_entity")?);
    let decisions = table.strings("decision")?;
    let documents = table.strings("document_id")?;
    let reasons = table.string_lists("reasons")?;
    let scores = table.integers("score")?;
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut rows = Vec::with_capacity(names.len());
    for row in 0..names.len() {
        let next = numbers.len() as u32;
        let document = match documents.get(row) {
            "" => None,
            id => Some(*numbers.entry(id.to_owned()).or_insert(next)),
        };
        rows.push(ResolutionRow {
            name: names.get(row).to_owned(),
            other: others.get(row).to_owned(),
            decision: Verdict::named(decisions.get(row)).unwrap_or_default(),
            score: scores.get(row).map_or(0, |&score| score as i32),
            reasons: reasons
                .range(row)
                .filter_map(|at| Reason::named(reasons.values.get(at)))
                .collect(),
            entity: entities.get(row).to_owned(),
            other_entity: other_entities.get(row).to_owned(),
            document,
        });
    }
    Ok(rows)
}
