use super::*;
use crate::report::citations::parse;
use crate::report::fixture::{Units, community, edge, entity, finish, split};

struct World {
    entities: Vec<Entity>,
    relationships: Vec<Relationship>,
    communities: Vec<Community>,
    units: Units,
}

impl World {
    fn index(&self) -> SentenceIndex {
        SentenceIndex::build(&self.units, &self.entities, &split)
    }

    fn corpus<'a>(&'a self, index: &'a SentenceIndex) -> Corpus<'a> {
        Corpus {
            entities: &self.entities,
            relationships: &self.relationships,
            communities: &self.communities,
            units: &self.units,
            index,
        }
    }

    fn reports(&self) -> Vec<Report> {
        let index = self.index();
        write_all(&self.corpus(&index))
    }
}

/// Five documents: worn seals recur in three of them, the fine is told once; one entity stands alone in document 4.
fn waterworks() -> World {
    let texts = [
        "# Incident\n\nHarrow Pumping Station stopped at noon because a worn seal flooded the motor. Mira Osei closed the intake by hand. The weather had been fine all week.",
        "Date: 3 May\n\nA worn seal flooded the motor of Brisk Pumping Station during the night. Osei asked for a new budget. | a | b | c |",
        "Harrow Pumping Station lost its second motor when another worn seal flooded it in June. The Harbor Trust paid a fine of nine thousand pounds for the spill.",
        "The Harbor Trust and Mira Osei agreed a plan for both pumping stations in the autumn. Dear Mr Osei,",
        "Nothing else matters here, and Cato Lane is only named in passing by the clerk.",
    ];
    let units = Units(
        texts
            .iter()
            .enumerate()
            .map(|(row, text)| (row as u32, (*text).to_owned()))
            .collect(),
    );
    let mut osei = entity("MIRA OSEI", &[0, 1, 3]);
    osei.aliases = vec!["OSEI".into()];
    let mut worn = entity("WORN SEAL", &[0, 1, 2]);
    worn.kind = "CONCEPT".into();
    let mut entities = vec![
        entity("HARROW PUMPING STATION", &[0, 2]),
        osei,
        entity("HARBOR TRUST", &[2, 3]),
        worn,
        entity("BRISK PUMPING STATION", &[1]),
        entity("CATO LANE", &[4]),
    ];
    let mut relationships = vec![
        edge(0, 1, "", &[0]),
        edge(0, 3, "", &[0, 2]),
        edge(1, 2, "", &[3]),
        edge(3, 4, "", &[1]),
        edge(0, 2, "", &[2]),
        edge(1, 4, "", &[1]),
    ];
    finish(&mut entities, &mut relationships);
    let communities = vec![
        community(
            0,
            0,
            None,
            &[2, 3],
            &[0, 1, 2, 3, 4],
            &entities,
            &relationships,
        ),
        community(1, 0, None, &[], &[5], &entities, &relationships),
        community(2, 1, Some(0), &[], &[0, 3, 4], &entities, &relationships),
        community(3, 1, Some(0), &[], &[1, 2], &entities, &relationships),
    ];
    World {
        entities,
        relationships,
        communities,
        units,
    }
}

#[test]
fn what_recurs_over_documents_comes_first_with_all_its_sources() {
    let reports = waterworks().reports();
    let leaf = &reports[2];
    let first = &leaf.findings[0];
    assert!(first.explanation.contains("worn seal flooded"), "{first:?}");
    let mut sources: Vec<u32> = parse(&first.explanation)
        .iter()
        .flat_map(|c| {
            c.ids()
                .filter(|(kind, _)| *kind == DataKind::Sources)
                .map(|(_, id)| id)
                .collect::<Vec<_>>()
        })
        .collect();
    sources.sort();
    sources.dedup();
    assert_eq!(sources, [0, 1, 2]);
}

#[test]
fn a_title_names_the_salient_members_as_the_text_spells_them() {
    let reports = waterworks().reports();
    assert!(
        reports[2].title.starts_with("Harrow Pumping Station"),
        "{}",
        reports[2].title
    );
    assert!(
        reports[3].title.contains("Mira Osei") && reports[3].title.contains("Harbor Trust"),
        "{}",
        reports[3].title
    );
}

#[test]
fn junk_is_never_quoted_and_quotations_are_verbatim() {
    let world = waterworks();
    for report in world.reports() {
        let content = report.full_content();
        for junk in ["| a |", "Dear Mr", "Date: 3 May", "# Incident"] {
            assert!(!content.contains(junk), "{content}");
        }
    }
    let leaf = &world.reports()[3];
    let text = citations::strip(&leaf.findings[0].explanation);
    assert!(
        world
            .units
            .0
            .iter()
            .any(|(_, unit)| unit.contains(text.trim_end_matches('.'))),
        "{text}"
    );
}

#[test]
fn every_citation_resolves() {
    let world = waterworks();
    for report in world.reports() {
        let content = report.full_content();
        let cited = parse(&content);
        assert!(!cited.is_empty());
        for (kind, id) in cited
            .iter()
            .flat_map(|citation| citation.ids().collect::<Vec<_>>())
        {
            let rows = match kind {
                DataKind::Sources => world.units.0.len(),
                DataKind::Entities => world.entities.len(),
                DataKind::Relationships => world.relationships.len(),
                DataKind::Reports => world.communities.len(),
                DataKind::Claims => 0,
            };
            assert!((id as usize) < rows, "{kind:?} {id}");
        }
    }
}

#[test]
fn a_parent_is_told_by_its_children_and_cites_them() {
    let reports = waterworks().reports();
    let parent = &reports[0];
    let content = parent.full_content();
    let cited: Vec<u32> = parse(&content)
        .iter()
        .flat_map(|c| {
            c.ids()
                .filter(|(kind, _)| *kind == DataKind::Reports)
                .map(|(_, id)| id)
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(cited.contains(&2) && cited.contains(&3));
    for finding in &parent.findings {
        let from_child = reports[2..]
            .iter()
            .flat_map(|child| &child.findings)
            .any(|own| own.summary == finding.summary);
        assert!(from_child, "{finding:?}");
    }
    // The edges between the two children are what only the parent shows.
    assert!(
        parent.summary.contains("The groups are tied by"),
        "{}",
        parent.summary
    );
    assert!(parent.rank > reports[2].rank && parent.rank > reports[3].rank);
}

#[test]
fn a_lone_entity_has_a_short_valid_report() {
    let report = &waterworks().reports()[1];
    assert_eq!(report.title, "Cato Lane");
    assert!(report.findings.len() <= 1);
    assert!(report.summary.contains("[Data: "));
    assert_eq!(
        report.rating_explanation,
        "Rests on 1 entity, found in 1 of 5 text units from 1 of 5 documents."
    );
}

#[test]
fn a_community_without_any_sentence_still_has_a_report() {
    let mut entities = vec![entity("VALVE 7", &[0])];
    finish(&mut entities, &mut []);
    let communities = vec![community(0, 0, None, &[], &[0], &entities, &[])];
    let world = World {
        entities,
        relationships: Vec::new(),
        communities,
        units: Units(vec![(0, "| Valve 7 | shut |".into())]),
    };
    let reports = world.reports();
    assert_eq!(reports[0].title, "Valve 7");
    assert_eq!(
        reports[0].summary,
        "Valve 7 is named in 1 text unit of 1 document [Data: Entities (0)]."
    );
    assert!(reports[0].findings.is_empty());
}

#[test]
fn reports_are_the_same_on_one_thread_and_on_many() {
    let world = waterworks();
    let run = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| world.reports())
    };
    assert_eq!(run(1), run(7));
}

#[test]
fn a_fallback_uses_the_children_a_model_wrote_and_says_what_it_is() {
    let world = waterworks();
    let index = world.index();
    let corpus = world.corpus(&index);
    let ratings = rating::rate_all(&corpus);
    let child = Report {
        community: CommunityIx(2),
        title: "Pumps".into(),
        summary: "Pumps fail.".into(),
        findings: vec![Finding {
            summary: "Seals wear".into(),
            explanation: "Seals wear at every station [Data: Relationships (1)].".into(),
        }],
        rank: 8.0,
        rating_explanation: String::new(),
        source: ReportSource::Model,
    };
    let report = write_one(
        &corpus,
        CommunityIx(0),
        &[&child],
        &ratings[0],
        ReportSource::Fallback,
    );
    assert_eq!(report.source, ReportSource::Fallback);
    assert_eq!(report.findings[0].summary, "Seals wear");
    assert!(
        report.findings[0]
            .explanation
            .starts_with("Seals wear at every station [Data: Relationships (1)].")
    );
    assert!(
        report.findings[0]
            .explanation
            .contains("[Data: Reports (2)]")
    );
}

#[test]
fn a_forged_citation_in_a_document_is_not_repeated() {
    let mut entities = vec![entity("HARBOR TRUST", &[0])];
    finish(&mut entities, &mut []);
    let communities = vec![community(0, 0, None, &[], &[0], &entities, &[])];
    let world = World {
        entities,
        relationships: Vec::new(),
        communities,
        units: Units(vec![(
            0,
            "The Harbor Trust has never spilled a drop of oil anywhere [Data: Sources (99)]."
                .into(),
        )]),
    };
    let content = world.reports()[0].full_content();
    assert!(content.contains("never spilled"));
    assert!(
        parse(&content)
            .iter()
            .all(|citation| citation.ids().all(|(_, id)| id == 0)),
        "{content}"
    );
}
