use super::*;

fn ids(text: &str) -> Vec<(DataKind, u32)> {
    parse(text)
        .iter()
        .flat_map(|citation| citation.ids().collect::<Vec<_>>())
        .collect()
}

fn allowed() -> AllowedIds {
    let mut allowed = AllowedIds::default();
    allowed.allow(DataKind::Entities, [5, 7]);
    allowed.allow(DataKind::Reports, [1]);
    allowed.allow(DataKind::Sources, [0, 3]);
    allowed
}

use DataKind::{Claims as C, Entities as E, Relationships as R, Reports as P, Sources as S};

#[test]
fn every_spelling_models_use_gives_the_same_ids() {
    for (text, expected) in [
        (
            "x [Data: Reports (1, 2, +more); Entities (5)].",
            vec![(P, 1), (P, 2), (E, 5)],
        ),
        (
            "[Data: Entities (5), Relationships (37, 38, +more)]",
            vec![(E, 5), (R, 37), (R, 38)],
        ),
        (
            "[data:reports(1,2);entities(5)]",
            vec![(P, 1), (P, 2), (E, 5)],
        ),
        ("[DATA: ENTITY (5)]", vec![(E, 5)]),
        ("[Data: Sources 3]", vec![(S, 3)]),
        (
            "[Data: Sources 3, 4; Claims 9]",
            vec![(S, 3), (S, 4), (C, 9)],
        ),
        ("Data: Sources (3, 17) say so.", vec![(S, 3), (S, 17)]),
        ("Data: Sources 3. The rest", vec![(S, 3)]),
        ("(Data: Reports (1); Entities (2))", vec![(P, 1), (E, 2)]),
        ("[Sources: 1-3]", vec![(S, 1), (S, 2), (S, 3)]),
        (
            "[Data: Sources (1–3, 7)]",
            vec![(S, 1), (S, 2), (S, 3), (S, 7)],
        ),
        ("[Data: Sources (1-900000)]", vec![(S, 1), (S, 900_000)]),
        ("[Data: Sources [3, 17]]", vec![(S, 3), (S, 17)]),
        (
            "[Entities (5, 7)] and [Reports (2)]",
            vec![(E, 5), (E, 7), (P, 2)],
        ),
        ("[Data: Community Reports (4)]", vec![(P, 4)]),
        ("[Data: Text Units (4)]", vec![(S, 4)]),
        (
            "[Data: Entities (E5, e7); Relationships (#12)]",
            vec![(E, 5), (E, 7), (R, 12)],
        ),
        ("[Data: Entities (ids: 5 and 7)]", vec![(E, 5), (E, 7)]),
        ("**[Data: Entities (5)]**", vec![(E, 5)]),
        ("\\[Data: Entities (5)\\]", vec![(E, 5)]),
        ("【Data: Entities (5)】", vec![(E, 5)]),
        ("cut off [Data: Entities (5, 7", vec![(E, 5), (E, 7)]),
        (
            "[Data: Entities (5) [Data: Reports (1)]",
            vec![(E, 5), (P, 1)],
        ),
        (
            "[Data: Entities (5); Entities (5, 6)]",
            vec![(E, 5), (E, 6)],
        ),
    ] {
        assert_eq!(ids(text), expected, "{text}");
    }
}

#[test]
fn other_brackets_are_left_alone() {
    for text in [
        "[1] and (2)",
        "[Data center 5]",
        "[see sources below]",
        "[Sources of income 1999]",
        "[Reports]",
        "(Entities (5))",
        "metadata: Sources 3",
        "Data: the sources agree",
        "The data (Sources 3) is old",
        "[[[[[[",
        "[Data:",
    ] {
        assert_eq!(parse(text), [], "{text}");
        assert_eq!(check(text, &allowed()).text, text);
    }
}

#[test]
fn spans_cover_the_whole_citation() {
    let text = "A [Data: Reports (1)] b 【Data: Entities (5)】c Data: Sources (3).";
    let spans: Vec<_> = parse(text)
        .into_iter()
        .map(|citation| &text[citation.span])
        .collect();
    assert_eq!(
        spans,
        [
            "[Data: Reports (1)]",
            "【Data: Entities (5)】",
            "Data: Sources (3)"
        ]
    );
}

#[test]
fn a_clean_text_passes_unchanged() {
    let text = "Lune paid [data:Entities(5,7)]. Harbour too [Data: Sources (0, 3, +more)].";
    let checked = check(text, &allowed());
    assert_eq!(
        (
            checked.text.as_str(),
            checked.removed.len(),
            checked.supported
        ),
        (text, 0, true)
    );
}

#[test]
fn unknown_ids_go_and_an_empty_bracket_goes_with_its_space() {
    let checked = check(
        "One [Data: Entities (5, 99, +more); Reports (8)]. Two [Data: Sources (17)]. Three [Data: Entities (SCROOGE)].",
        &allowed(),
    );
    assert_eq!(checked.text, "One [Data: Entities (5, +more)]. Two. Three.");
    assert!(checked.supported);
    let removed: Vec<_> = checked
        .removed
        .iter()
        .map(|r| (r.kind, r.what.as_str()))
        .collect();
    assert_eq!(
        removed,
        [
            (Some(E), "99"),
            (Some(P), "8"),
            (Some(S), "17"),
            (None, "SCROOGE")
        ]
    );
}

#[test]
fn a_text_with_no_resolving_citation_is_unsupported() {
    assert!(!check("Nothing cited.", &allowed()).supported);
    assert!(!check("Wrong [Data: Claims (1)].", &allowed()).supported);
    assert_eq!(check("[Data: Claims (1)]", &allowed()).text, "");
    assert_eq!(
        check("Minus [Data: Entities (-5)]", &allowed()).text,
        "Minus"
    );
    assert_eq!(
        check("Huge [Data: Entities (99999999999999)]", &allowed()).text,
        "Huge"
    );
}

#[test]
fn writing_limits_the_ids_of_each_kind() {
    let mut out = String::new();
    let cited = [
        CitedIds {
            kind: S,
            ids: vec![3, 17],
            more: false,
        },
        CitedIds {
            kind: R,
            ids: vec![],
            more: false,
        },
        CitedIds {
            kind: E,
            ids: (1..=7).collect(),
            more: false,
        },
    ];
    write(&cited, 5, &mut out);
    assert_eq!(
        out,
        "[Data: Sources (3, 17); Entities (1, 2, 3, 4, 5, +more)]"
    );
}

/// A small linear congruential generator: the tests' only randomness, with a fixed seed.
fn noise(seed: &mut u64) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize
}

#[test]
fn after_a_check_every_citation_resolves_and_a_second_check_changes_nothing() {
    const PARTS: &[&str] = &[
        "[", "]", "(", ")", "Data", ":", " ", "Entities", "Reports", "source", "5", "7", "99", "1",
        "3", ",", ";", "+more", "-", "\n", "é", "【", "】", "\\", "word", ".", "[Data: ", "S3",
    ];
    let mut seed = 7;
    for _ in 0..20_000 {
        let text: String = (0..noise(&mut seed) % 24)
            .map(|_| PARTS[noise(&mut seed) % PARTS.len()])
            .collect();
        let first = check(&text, &allowed());
        for citation in parse(&first.text) {
            for (kind, id) in citation.ids() {
                assert!(allowed().contains(kind, id), "{text:?} -> {:?}", first.text);
            }
        }
        assert_eq!(
            check(&first.text, &allowed()).removed,
            [],
            "{text:?} -> {:?}",
            first.text
        );
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut seed = 11;
    for _ in 0..2_000 {
        let cited: Vec<CitedIds> = DataKind::ALL
            .into_iter()
            .filter_map(|kind| {
                let mut ids: Vec<u32> = (0..noise(&mut seed) % 6)
                    .map(|_| noise(&mut seed) as u32 % 1000)
                    .collect();
                ids.sort_unstable();
                ids.dedup();
                let more = noise(&mut seed).is_multiple_of(2);
                (!ids.is_empty()).then_some(CitedIds { kind, ids, more })
            })
            .collect();
        if cited.is_empty() {
            continue;
        }
        let mut text = "prose ".to_owned();
        write(&cited, usize::MAX, &mut text);
        text.push_str(" prose");
        let read = parse(&text);
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].cited, cited);
    }
}

#[test]
fn hostile_brackets_take_linear_time() {
    for unit in [
        "[",
        "[Data:",
        "[Data: [",
        "[Sources (",
        "(Data: (",
        "Data: Sources ",
        "【Data:",
    ] {
        let text = unit.repeat(200_000 / unit.len());
        check(&text, &allowed());
    }
}
