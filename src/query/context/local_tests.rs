use super::*;
use crate::query::index::fixture::Parts;

fn anchors(rows: &[(u32, Arrival)]) -> Vec<Anchor> {
    rows.iter()
        .map(|&(entity, arrived)| Anchor {
            entity,
            arrived,
            whole: arrived == Arrival::Name,
        })
        .collect()
}

fn params() -> LocalParams {
    LocalParams {
        max_tokens: 100_000,
        text_unit_share: 0.5,
        community_share: 0.15,
        top_k_relationships: 10,
        level: 1,
        hub_cap: None,
    }
}

fn numbers(context: &Context, kind: DataKind) -> Vec<u32> {
    context
        .records(kind)
        .iter()
        .map(|record| record.number)
        .collect()
}

fn build(
    parts: &Parts<'_>,
    rows: &[(u32, Arrival)],
    texts: &[u32],
    params: &LocalParams,
) -> Context {
    let texts: Vec<TextHit> = texts
        .iter()
        .map(|&unit| TextHit {
            unit,
            arrived: Arrival::Lexical,
        })
        .collect();
    local(&parts.index(), &anchors(rows), &texts, params, &|text| {
        text.len()
    })
    .unwrap()
}

fn parts() -> Parts<'static> {
    Parts {
        documents: vec![("d", "")],
        units: vec![(0, "u0"), (0, "u1"), (0, "u2"), (0, "u3")],
        entities: vec![
            ("A", "first", vec![0, 1], vec![]),
            ("B", "second", vec![1, 2], vec![]),
            ("C", "third", vec![3], vec![]),
            ("D", "fourth", vec![3], vec![]),
        ],
        // A-B inside; A-C, B-C share C; B-D leads out alone.
        relationships: vec![
            (1, 3, "b-d", 1.0, vec![2]),
            (0, 1, "a-b", 2.0, vec![1]),
            (0, 2, "a-c", 1.0, vec![0]),
            (2, 1, "c-b", 1.0, vec![2]),
        ],
        communities: vec![
            (0, None, vec![0, 1, 2, 3], vec![]),
            (1, Some(0), vec![0, 1], vec![]),
            (1, Some(0), vec![2, 3], vec![]),
        ],
        reports: vec![
            (0, "All", "s", vec![], 9.0),
            (1, "AB", "s", vec![], 5.0),
            (2, "CD", "s", vec![], 7.0),
        ],
        claims: vec![("B", "b did it", 2), ("A", "a did it", 0)],
        ..Parts::default()
    }
}

const V: Arrival = Arrival::Vector;

#[test]
fn relationships_among_anchors_come_first_then_those_that_share_their_outer_end() {
    let context = build(&parts(), &[(0, V), (1, V)], &[], &params());
    // a-b inside; a-c and c-b have two links to C, by rank c-b (3+2) before a-c (2+2)... B has degree 3, A 2, C 2, D 1.
    assert_eq!(numbers(&context, DataKind::Relationships), [1, 3, 2, 0]);
    let text = context.text();
    assert!(text.contains("-----Relationships-----\nid|source|target|description|weight|links\n1|A|B|a-b|2.0|2\n3|C|B|c-b|1.0|2\n"), "{text}");
    assert!(text.contains("0|B|D|b-d|1.0|1\n"));
}

#[test]
fn sections_follow_the_order_of_the_original_and_rows_are_labelled() {
    let context = build(&parts(), &[(0, Arrival::Name), (1, V)], &[], &params());
    let text = context.text();
    let at = |name: &str| text.find(&format!("-----{name}-----")).unwrap();
    assert!(
        at("Reports") < at("Entities")
            && at("Entities") < at("Relationships")
            && at("Relationships") < at("Claims")
            && at("Claims") < at("Sources")
    );
    let arrivals: Vec<Arrival> = context
        .records(DataKind::Entities)
        .iter()
        .map(|record| record.arrived)
        .collect();
    assert_eq!(arrivals, [Arrival::Name, Arrival::Vector]);
    assert_eq!(
        numbers(&context, DataKind::Claims),
        [1, 0],
        "by anchor, not by row"
    );
    assert!(text.contains("0|A|first|2\n1|B|second|3\n"));
}

#[test]
fn a_community_is_represented_once_by_its_finest_report() {
    let context = build(&parts(), &[(0, V), (2, V), (1, V)], &[], &params());
    assert_eq!(
        numbers(&context, DataKind::Reports),
        [1, 2],
        "two anchors against one; never the parent too"
    );
    let coarse = LocalParams {
        level: 0,
        ..params()
    };
    assert_eq!(
        numbers(&build(&parts(), &[(0, V)], &[], &coarse), DataKind::Reports),
        [0]
    );
}

#[test]
fn text_units_come_by_anchor_and_by_the_relationships_they_support() {
    // A's units: 0 and 1 with one relationship each; then B's unit 2 with two.
    assert_eq!(
        numbers(
            &build(&parts(), &[(0, V), (1, V)], &[], &params()),
            DataKind::Sources
        ),
        [0, 1, 2]
    );
    assert_eq!(
        numbers(
            &build(&parts(), &[(1, V), (0, V)], &[], &params()),
            DataKind::Sources
        ),
        [2, 1, 0]
    );
}

#[test]
fn the_next_anchor_that_passes_the_budget_takes_nothing_with_it() {
    let text_only = |max_tokens| LocalParams {
        max_tokens,
        text_unit_share: 0.0,
        community_share: 0.0,
        ..params()
    };
    let whole = build(&parts(), &[(0, V), (1, V)], &[], &text_only(100_000));
    let used: usize = whole.tokens();
    let tight = build(&parts(), &[(0, V), (1, V)], &[], &text_only(used - 1));
    // Back to the state with A alone: its two relationships and its claim.
    assert_eq!(numbers(&tight, DataKind::Entities), [0, 1]);
    assert_eq!(numbers(&tight, DataKind::Relationships), [1, 2]);
    assert_eq!(numbers(&tight, DataKind::Claims), [1]);
    assert_eq!(tight.sections[2].left_out, 2);
}

#[test]
fn claims_that_are_too_many_do_not_drive_out_the_relationships() {
    let mut parts = parts();
    parts.claims = vec![("A", "claim", 0); 50];
    let tight = LocalParams {
        max_tokens: 500,
        text_unit_share: 0.0,
        community_share: 0.0,
        ..params()
    };
    let context = build(&parts, &[(0, V)], &[], &tight);
    assert_eq!(numbers(&context, DataKind::Relationships), [1, 2]);
    let claims = numbers(&context, DataKind::Claims).len();
    assert!((1..50).contains(&claims), "{claims}");
    assert!(context.tokens() <= 500);
}

// See case query-names-both.
#[test]
fn every_name_in_the_question_gets_a_passage_before_any_gets_a_second() {
    let parts = Parts {
        documents: vec![("d", "")],
        units: vec![
            (0, "Ana one"),
            (0, "Ana two"),
            (0, "Ana three"),
            (0, "Bo one"),
        ],
        entities: vec![
            ("ANA RUIZ", "", vec![0, 1, 2], vec![]),
            ("BO LIND", "", vec![3], vec![]),
        ],
        ..Parts::default()
    };
    let room_for_two = LocalParams {
        max_tokens: 26 + 24,
        text_unit_share: 1.0,
        community_share: 0.0,
        ..params()
    };
    let context = build(
        &parts,
        &[(0, Arrival::Name), (1, Arrival::Name)],
        &[1],
        &room_for_two,
    );
    assert_eq!(
        numbers(&context, DataKind::Sources),
        [1, 3],
        "of Ana's the one that the text search likes"
    );
}

// See case query-hub-seed.
#[test]
fn a_hub_stays_as_a_seed_but_is_not_walked_through() {
    let mut parts = Parts {
        documents: vec![("d", "")],
        entities: vec![
            ("NILS AKER", "", vec![], vec![]),
            ("NORWAY", "", vec![], vec![]),
        ],
        ..Parts::default()
    };
    for _ in 0..43 {
        parts.entities.push(("X", "", vec![], vec![]));
    }
    parts.relationships = vec![(0, 2, "", 1.0, vec![]), (0, 3, "", 1.0, vec![])];
    parts
        .relationships
        .extend((4..45).map(|row| (1, row, "", 1.0, vec![])));
    let index = parts.index();
    let seeds = anchors(&[(0, Arrival::Name), (1, Arrival::Name)]);
    let expanded = expanded_from(&index, &seeds, Some(20)).unwrap();
    assert_eq!(expanded.into_iter().collect::<Vec<_>>(), [0]);
    let capped = LocalParams {
        hub_cap: Some(20),
        ..params()
    };
    let context = local(&index, &seeds, &[], &capped, &|text| text.len()).unwrap();
    assert_eq!(numbers(&context, DataKind::Entities), [0, 1]);
    assert_eq!(numbers(&context, DataKind::Relationships).len(), 2);
    // Asked about alone, the hub is what there is.
    let alone = expanded_from(&index, &anchors(&[(1, Arrival::Name)]), Some(20)).unwrap();
    assert!(alone.contains(&1));
}

#[test]
fn what_only_the_text_search_found_is_labelled_so() {
    let context = build(&parts(), &[(2, V)], &[1], &params());
    let found: Vec<(u32, Arrival)> = context
        .records(DataKind::Sources)
        .iter()
        .map(|r| (r.number, r.arrived))
        .collect();
    assert_eq!(found, [(1, Arrival::Lexical), (3, Arrival::Edge)]);
}

#[test]
fn an_index_without_reports_relationships_and_claims_gives_what_it_has() {
    let parts = Parts {
        documents: vec![("d", "")],
        units: vec![(0, "u0")],
        entities: vec![("A", "", vec![0], vec![])],
        ..Parts::default()
    };
    let context = build(&parts, &[(0, V)], &[], &params());
    assert_eq!(numbers(&context, DataKind::Sources), [0]);
    assert!(!context.text().contains("Reports") && !context.text().contains("Relationships"));
    assert_eq!(build(&parts, &[], &[], &params()).text(), "");
}
