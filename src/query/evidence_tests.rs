use super::*;
use crate::query::index::fixture::Parts;

fn parts() -> Parts<'static> {
    Parts {
        documents: vec![
            (
                "a.md",
                "Élan. The pump at Harrow failed at noon. Nobody came.",
            ),
            ("b.md", "The valve was seized. It was old."),
        ],
        units: vec![
            (0, "The pump at Harrow failed at noon. Nobody came."),
            (1, "The valve was seized. It was old."),
        ],
        entities: vec![
            ("HARROW", "A works with a pump.", vec![0], vec![]),
            ("VALVE", "A seized valve.", vec![1], vec![]),
        ],
        relationships: vec![(0, 1, "The pump pressed on the valve.", 1.0, vec![1])],
        communities: vec![(0, None, vec![0, 1], vec![0, 1])],
        reports: vec![(
            0,
            "Harrow works",
            "The pump failed. [Data: Sources (1)]",
            vec![],
            5.0,
        )],
        claims: vec![("HARROW", "Harrow neglected its pump.", 0)],
        ..Parts::default()
    }
}

fn run(answer: &str) -> Evidence {
    resolve(answer, &parts().index(), None).unwrap()
}

#[test]
fn a_source_leads_to_the_characters_of_the_document() {
    let evidence = run("The pump failed [Data: Sources (0)].");
    assert_eq!(evidence.answer, "The pump failed [Data: Sources (0)].");
    let found = &evidence.citations[0];
    assert_eq!(
        (found.document.as_deref(), found.text.as_str()),
        (Some("a.md"), "The pump at Harrow failed at noon.")
    );
    let (start, end) = (found.start.unwrap() as usize, found.end.unwrap() as usize);
    let quoted: String = parts().documents[0]
        .1
        .chars()
        .skip(start)
        .take(end - start)
        .collect();
    assert_eq!(
        quoted, "The pump at Harrow failed at noon.",
        "counted in characters, not bytes"
    );
}

#[test]
fn without_spans_the_text_is_searched_in_the_document() {
    // "seized. It was old." of a text that the fixture cannot place has no span but is found by its sentence.
    let mut parts = parts();
    parts.units[1] = (1, "Prefix line.\nThe valve was seized. It was old.");
    let evidence = resolve(
        "The valve was seized [Data: Sources (1)].",
        &parts.index(),
        None,
    )
    .unwrap();
    assert_eq!(
        (evidence.citations[0].start, evidence.citations[0].end),
        (Some(0), Some(21))
    );
}

#[test]
fn every_kind_resolves_to_its_title_and_its_text_units() {
    let answer = "The pump of Harrow pressed on the valve [Data: Entities (0); Relationships (0); Claims (0); Reports (0)].";
    let evidence = run(answer);
    let rows: Vec<(&str, &str, Vec<u32>)> = evidence
        .citations
        .iter()
        .map(|row| {
            (
                row.kind,
                row.title.as_str(),
                row.supports.iter().map(|s| s.source).collect(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("Entities", "HARROW", vec![0]),
            ("Relationships", "HARROW — VALVE", vec![1]),
            ("Claims", "HARROW", vec![0]),
            ("Reports", "Harrow works", vec![1]),
        ]
    );
    assert_eq!((evidence.unresolved.len(), evidence.unsupported), (0, 0));
}

// The mutation test: what a model does to ids, one mutation at a time.
#[test]
fn invented_ids_wrong_kinds_and_ids_off_by_one_are_flagged() {
    let clean = run("The pump failed [Data: Sources (0)].");
    assert_eq!((clean.unresolved.len(), clean.unsupported), (0, 0));
    let cases = [
        // An id that no row has.
        (
            "The pump failed [Data: Sources (99)].",
            "The pump failed [unresolved: Sources (99)].",
            (1, 0),
        ),
        (
            "The pump failed [Data: Sources (0, 99)].",
            "The pump failed [Data: Sources (0)] [unresolved: Sources (99)].",
            (1, 0),
        ),
        // An id of another kind.
        (
            "Nobody came [Data: Claims (1)].",
            "Nobody came [unresolved: Claims (1)].",
            (1, 0),
        ),
        (
            "Nobody came [Data: Reports (1)].",
            "Nobody came [unresolved: Reports (1)].",
            (1, 0),
        ),
        // Off by one: there is such a row, and it says something else.
        (
            "The pump failed [Data: Sources (1)].",
            "The pump failed [unsupported: Sources (1)].",
            (0, 1),
        ),
        // A word instead of an id.
        (
            "The pump failed [Data: Sources (HARROW)].",
            "The pump failed [unresolved: HARROW].",
            (1, 0),
        ),
    ];
    for (answer, expected, counts) in cases {
        let evidence = run(answer);
        assert_eq!(evidence.answer, expected);
        assert_eq!(
            (evidence.unresolved.len(), evidence.unsupported),
            counts,
            "{answer}"
        );
    }
}

#[test]
fn an_id_that_its_writer_was_not_shown_is_invented() {
    let mut allowed = AllowedIds::default();
    allowed.allow(DataKind::Sources, [0]);
    let evidence = resolve(
        "The valve was seized [Data: Sources (1)].",
        &parts().index(),
        Some(&allowed),
    )
    .unwrap();
    assert_eq!(
        evidence.answer,
        "The valve was seized [unresolved: Sources (1)]."
    );
    assert!(evidence.citations.is_empty());
}

#[test]
fn marks_are_numbered_by_row_and_flags_stay_visible() {
    let evidence = run(
        "The pump failed [Data: Sources (0)]. The valve was seized [Data: Sources (1, 77)]. Nobody came [Data: Sources (0)].",
    );
    assert_eq!(
        evidence.marked(),
        "The pump failed [1]. The valve was seized [2] [unresolved: Sources (77)]. Nobody came [1]."
    );
    let listed: Vec<(usize, u32)> = evidence
        .listed()
        .iter()
        .map(|row| (row.number, row.id))
        .collect();
    assert_eq!(listed, [(1, 0), (2, 1)]);
    let weak = run("The pump failed [Data: Sources (1)].");
    assert_eq!(weak.marked(), "The pump failed [unsupported: 1].");
}

#[test]
fn an_answer_of_our_own_keeps_of_a_reports_citations_those_that_bear_on_its_sentences() {
    let said = "The pump failed, nobody came [Data: Reports (0); Sources (0); Entities (1)].";
    let evidence = run(said);
    assert_eq!(evidence.marked(), "The pump failed, nobody came [1][2].");
    assert_eq!((evidence.citations.len(), evidence.unsupported), (2, 0));
    let mut allowed = AllowedIds::default();
    allowed.allow(DataKind::Reports, [0]);
    allowed.allow(DataKind::Sources, [0]);
    allowed.allow(DataKind::Entities, [1]);
    let of_a_model = resolve(said, &parts().index(), Some(&allowed)).unwrap();
    assert_eq!(of_a_model.unsupported, 1);
}

#[test]
fn what_is_meant_as_a_citation_and_has_no_form_is_flagged() {
    let index = parts().index();
    let mut allowed = AllowedIds::default();
    allowed.allow(DataKind::Sources, [0, 1]);
    let cases = [
        // A number of the writer's own looks like a mark of ours, and leads to what that mark leads to.
        (
            "The pump failed [1].",
            "The pump failed [unresolved: 1].",
            1,
        ),
        (
            "The pump failed [^2] [3, 4].",
            "The pump failed [unresolved: 2] [unresolved: 3, 4].",
            2,
        ),
        (
            "The pump failed [Data: Bananas (3)].",
            "The pump failed [unresolved: Bananas (3)].",
            1,
        ),
        // A table without a row vanished from the print.
        (
            "The pump failed [Data: Sources ()].",
            "The pump failed [unresolved: Sources].",
            1,
        ),
        (
            "See [1](https://a.example) and `rows[1]`.",
            "See [1](https://a.example) and `rows[1]`.",
            0,
        ),
        ("The pump failed[1].", "The pump failed[unresolved: 1].", 1),
        (
            "Osei came [Data: Entities (OSEI)].",
            "Osei came [unresolved: OSEI].",
            1,
        ),
        ("It is [Data: not known].", "It is [Data: not known].", 0),
        // Wrapped with its line, it left its ids in the text.
        (
            "The pump failed [Data: Sources\n(0)].",
            "The pump failed [Data: Sources\n(0)].",
            0,
        ),
        (
            "The pump failed [Data: Sources (0,\n77)].",
            "The pump failed [Data: Sources (0)] [unresolved: Sources (77)].",
            1,
        ),
    ];
    for (answer, expected, lost) in cases {
        let evidence = resolve(answer, &index, Some(&allowed)).unwrap();
        assert_eq!(evidence.answer, expected);
        assert_eq!(evidence.unresolved.len(), lost, "{answer}");
    }
}

#[test]
fn a_number_in_brackets_that_the_corpus_has_is_no_mark() {
    let evidence = run("The pump failed, see [2]. [Data: Sources (0)]");
    assert_eq!(evidence.marked(), "The pump failed, see (2). [1]");
    assert!(evidence.unresolved.is_empty());
}
