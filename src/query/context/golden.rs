//! Contexts against those the original builds from the same tables (`../shared/compat/golden`); skipped where they are not there.
//!
//! Mode: equal up to the marked bugs. At level 0 nothing is rolled up, so contexts and batches are the same row for row. Deeper, the
//! original maps reports of all levels; ours are a subset that represents every community once. The vectors of the novella are in
//! a format that is not read here, so local contexts start from the entities that the original selected.

use std::path::PathBuf;

use serde_json::Value;

use super::{Anchor, Arrival, GlobalParams, LocalParams, batches, local};
use crate::chunk::Tokenizer;
use crate::query::index::Index;
use crate::query::levels;
use crate::report::citations::DataKind;

fn shared(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../shared")
        .join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

fn load(golden: &str, data: &str) -> Option<(Vec<Value>, Index)> {
    let (golden, data) = (shared(golden)?, shared(data)?);
    let golden = serde_json::from_slice(&std::fs::read(golden).unwrap()).unwrap();
    Some((golden, Index::open(&data).unwrap()))
}

fn ids(value: &Value) -> Vec<u32> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .map(|id| id.as_str().unwrap().parse().unwrap())
        .collect()
}

#[test]
fn local_contexts_hold_the_rows_of_the_original_in_its_order() {
    let Some((golden, index)) = load("compat/golden/local_dulce.json", "data/dulce") else {
        return;
    };
    let tokenizer = Tokenizer::named("o200k_base").unwrap();
    let count = |text: &str| tokenizer.count(text);
    let entities = index.entities().unwrap();
    for case in &golden {
        let name = &case["query_vector_of_entity"];
        // The selection is whole only where the budget was wide.
        let wide = golden
            .iter()
            .find(|other| {
                &other["query_vector_of_entity"] == name && other["max_context_tokens"] == 12_000
            })
            .unwrap();
        let row = |id: u32| Anchor {
            entity: entities.numbers.row(id).unwrap(),
            arrived: Arrival::Vector,
            whole: false,
        };
        let anchors: Vec<Anchor> = ids(&wide["records"]["entities"])
            .into_iter()
            .map(row)
            .collect();
        assert_eq!(anchors.len(), 20);
        let params = LocalParams {
            max_tokens: case["max_context_tokens"].as_u64().unwrap() as usize,
            text_unit_share: 0.5,
            community_share: 0.15,
            top_k_relationships: 10,
            level: case["community_level"].as_u64().unwrap() as u32,
            hub_cap: None,
        };
        let context = local(&index, &anchors, &[], &params, &count).unwrap();
        for (kind, section) in [
            (DataKind::Reports, "reports"),
            (DataKind::Entities, "entities"),
            (DataKind::Relationships, "relationships"),
            (DataKind::Claims, "claims"),
            (DataKind::Sources, "sources"),
        ] {
            let own: Vec<u32> = context
                .records(kind)
                .iter()
                .map(|record| record.number)
                .collect();
            assert_eq!(
                own,
                ids(&case["records"][section]),
                "{section} of {name} in {} tokens",
                params.max_tokens
            );
        }
        // The texts too, but for the relationships' `links`, which in the original are those of an earlier round.
        let theirs = case["context"].as_str().unwrap();
        for kind in [DataKind::Reports, DataKind::Entities, DataKind::Sources] {
            let own = context
                .sections
                .iter()
                .find(|section| section.kind == kind)
                .unwrap();
            assert!(
                theirs.contains(own.text.trim_end()),
                "{kind:?} of {name}: {}",
                own.text
            );
        }
        let tokens = case["tokens"].as_f64().unwrap();
        assert!(
            (context.tokens() as f64 - tokens).abs() < 0.02 * tokens,
            "{} tokens against {tokens}",
            context.tokens()
        );
    }
}

fn global(golden: &str, data: &str) {
    let Some((golden, index)) = load(golden, data) else {
        return;
    };
    let tokenizer = Tokenizer::named("o200k_base").unwrap();
    let count = |text: &str| tokenizer.count(text);
    let (communities, reports) = (index.communities().unwrap(), index.reports().unwrap());
    for case in &golden {
        let level = case["community_level"].as_u64().unwrap() as u32;
        let max_tokens = case["max_context_tokens"].as_u64().unwrap() as usize;
        let rows = levels::rolled_up(communities, reports, level);
        let own = batches(&index, &rows, GlobalParams { max_tokens }, &count).unwrap();
        let numbers: Vec<Vec<u32>> = own
            .iter()
            .map(|batch| batch.records.iter().map(|record| record.number).collect())
            .collect();
        let theirs: Vec<Vec<u32>> = case["batches"]
            .as_array()
            .unwrap()
            .iter()
            .map(|batch| ids(&batch["report_ids"]))
            .collect();
        if level == 0 {
            assert_eq!(numbers, theirs, "{max_tokens}");
            for (own, theirs) in own.iter().zip(case["batches"].as_array().unwrap()) {
                assert_eq!(own.tokens as u64, theirs["tokens"].as_u64().unwrap());
                assert!(own.text.starts_with(theirs["head"].as_str().unwrap()));
            }
            continue;
        }
        let flat: Vec<u32> = numbers.concat();
        assert!(
            flat.iter()
                .all(|number| theirs.iter().flatten().any(|other| other == number))
        );
        assert!(
            flat.len() < theirs.iter().flatten().count(),
            "rolled up, there is less to read"
        );
        for &row in &rows {
            let mut above = communities.parents[reports.communities[row as usize] as usize];
            while above != crate::query::index::NO_ROW {
                assert!(
                    rows.iter()
                        .all(|&other| reports.communities[other as usize] != above),
                    "an ancestor is read as well"
                );
                above = communities.parents[above as usize];
            }
        }
        assert!(
            own.iter()
                .all(|batch| batch.tokens <= max_tokens || batch.records.len() == 1)
        );
    }
}

#[test]
fn map_batches_of_the_novella_are_those_of_the_original() {
    global("compat/golden/global_dulce.json", "data/dulce");
}

#[test]
fn map_batches_of_the_christmas_carol_are_those_of_the_original() {
    global(
        "compat/golden/global_christmas_carol.json",
        "data/christmas_carol/parquet",
    );
}
