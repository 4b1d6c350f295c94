use super::audit;
use super::audit::{Verdict, rows, undecided};
use super::decisions;
use super::reason::Reason;
use super::suspects::suspects;
use super::*;
use crate::extract::harvest::{EntityMention, NO_DESCRIPTION};

/// Mentions as `name/TYPE`, one list a text unit and document.
fn harvest(units: &[&[&str]]) -> Harvest {
    let mut harvest = Harvest::default();
    for (unit, names) in units.iter().enumerate() {
        for name in *names {
            let (name, kind) = name.split_once('/').unwrap_or((name, "ORGANIZATION"));
            let mention = EntityMention {
                name: harvest.names.intern(&name.to_uppercase()),
                unit: unit as u32,
                kind: harvest.kinds.intern(kind),
                description: NO_DESCRIPTION,
                span: None,
                sentence: 0,
                cues: Default::default(),
            };
            harvest.entities.push(mention);
        }
    }
    harvest
}

fn title(harvest: &Harvest, resolution: &Resolution, name: &str, unit: u32) -> String {
    let name = harvest.names.find(&name.to_uppercase()).unwrap();
    resolution.entities[resolution.entity(name, unit).unwrap() as usize]
        .title
        .clone()
}

fn resolved(units: &[&[&str]]) -> (Harvest, Resolution) {
    let harvest = harvest(units);
    let resolution = resolve(&harvest, &Options::default());
    (harvest, resolution)
}

#[test]
fn the_type_of_an_entity_is_the_majority_and_ties_go_by_name() {
    let (_, resolution) = resolved(&[&[
        "ORSOLA/PERSON",
        "ORSOLA/CREATURE",
        "LUNE/GEO",
        "ORSOLA/PERSON",
        "MERCURY/PROJECT",
        "MERCURY/PLANET",
    ]]);
    let found: Vec<_> = resolution
        .entities
        .iter()
        .map(|e| (e.title.as_str(), e.kind.as_str()))
        .collect();
    assert_eq!(
        found,
        [("ORSOLA", "PERSON"), ("LUNE", "GEO"), ("MERCURY", "PLANET")]
    );
}

#[test]
fn legal_forms_are_one_entity_with_aliases() {
    let (_, resolution) = resolved(&[&["Tarn Corp"], &["Tarn Corporation"], &["Tarn Corp."]]);
    assert_eq!(resolution.entities.len(), 1);
    assert_eq!(resolution.entities[0].aliases.len(), 2);
}

#[test]
fn a_chain_never_joins_ends_that_disagree() {
    let (harvest, resolution) = resolved(&[
        &["Falcon Ltd", "Hangar", "Pilot"],
        &["Falcon", "Hangar", "Pilot"],
        &["falcon (bird)/ANIMAL", "Hangar", "Pilot"],
    ]);
    assert_eq!(
        title(&harvest, &resolution, "Falcon", 1),
        title(&harvest, &resolution, "Falcon Ltd", 0)
    );
    assert_ne!(
        title(&harvest, &resolution, "Falcon", 1),
        title(&harvest, &resolution, "falcon (bird)", 2)
    );
}

#[test]
fn accents_and_middle_initials_need_second_evidence() {
    for (a, b) in [
        ("Zoé Müller/PERSON", "Zoe Muller/PERSON"),
        ("Ada Quist/PERSON", "Ada M. Quist/PERSON"),
    ] {
        let (_, alone) = resolved(&[&[a], &[b]]);
        assert_eq!(alone.entities.len(), 2, "{a}");
        let pair = alone
            .decisions
            .iter()
            .find(|decision| decision.verdict == Verdict::Undecided);
        assert!(pair.is_some(), "{a} is a candidate pair");
        let company = ["Oru Lab", "Port Selm", "Nine Wells"];
        let with = |name| [&[name], &company[..]].concat();
        let (_, joined) = resolved(&[&with(a), &with(b)]);
        assert_eq!(joined.entities.len(), 4, "{a}");
    }
}

#[test]
fn an_ambiguous_short_form_is_decided_by_document() {
    let (harvest, resolution) = resolved(&[
        &["Jonah Smith/PERSON", "J. Smith/PERSON"],
        &["Joyce Smith/PERSON", "J. Smith/PERSON"],
        &["J. Smith/PERSON"],
    ]);
    assert_eq!(title(&harvest, &resolution, "J. Smith", 0), "JONAH SMITH");
    assert_eq!(title(&harvest, &resolution, "J. Smith", 1), "JOYCE SMITH");
    assert_eq!(title(&harvest, &resolution, "J. Smith", 2), "J. SMITH");
    let homonyms = suspects(&audit::rows(&harvest, &resolution)).homonyms;
    assert_eq!(homonyms[0].name, "J. SMITH");
    assert_eq!(
        homonyms[0].meanings,
        ["J. SMITH", "JONAH SMITH", "JOYCE SMITH"]
    );
}

#[test]
fn one_stray_namesake_does_not_unsettle_a_short_form() {
    let full = [
        "Kerensa Blewett/PERSON",
        "Ms Blewett/PERSON",
        "Kerensa Blewett/PERSON",
    ];
    let (harvest, resolution) = resolved(&[
        &full,
        &full,
        &["Ms Blewett/PERSON"],
        &["Rang Blewett/PERSON"],
    ]);
    assert_eq!(
        title(&harvest, &resolution, "Ms Blewett", 2),
        "KERENSA BLEWETT"
    );
    assert_eq!(
        title(&harvest, &resolution, "Rang Blewett", 3),
        "RANG BLEWETT"
    );
    let (harvest, even) = resolved(&[
        &full,
        &full,
        &["Ms Blewett/PERSON"],
        &["Rang Blewett/PERSON", "Rang Blewett/PERSON"],
    ]);
    assert_eq!(title(&harvest, &even, "Ms Blewett", 2), "MS BLEWETT");
}

#[test]
fn the_spelled_out_name_is_the_title() {
    let (_, resolution) = resolved(&[
        &[
            "Ruth Ancrum/PERSON",
            "Mrs Ancrum/PERSON",
            "Mrs Ancrum/PERSON",
        ],
        &["PLWA", "Port Lune Water Authority", "PLWA"],
    ]);
    let titles: Vec<&str> = resolution
        .entities
        .iter()
        .map(|e| e.title.as_str())
        .collect();
    assert_eq!(titles, ["RUTH ANCRUM", "PORT LUNE WATER AUTHORITY"]);
}

#[test]
fn one_name_among_two_kinds_of_neighbours_is_two_entities() {
    let metal = [
        "Mercury/ELEMENT",
        "Cinnabar",
        "Amalgam",
        "Retort",
        "Mercury/ELEMENT",
    ];
    let probe = [
        "Mercury/PLANET",
        "Orbit Board",
        "Messenger Probe",
        "Perihelion",
        "Mercury/PLANET",
    ];
    let (harvest, resolution) = resolved(&[&metal, &metal, &probe]);
    assert_eq!(title(&harvest, &resolution, "Mercury", 0), "MERCURY");
    assert_eq!(
        title(&harvest, &resolution, "Mercury", 2),
        "MERCURY (PLANET)"
    );
    let shared = [
        "Mercury/PLANET",
        "Cinnabar",
        "Messenger Probe",
        "Perihelion",
        "Mercury/PLANET",
    ];
    let (_, together) = resolved(&[&metal, &metal, &shared]);
    assert!(
        together
            .entities
            .iter()
            .all(|entity| entity.title != "MERCURY (PLANET)")
    );
}

#[test]
fn an_analyst_is_never_overruled() {
    let harvest = harvest(&[
        &["Tarn Ltd", "Tarn"],
        &["Mercury", "Quicksilver"],
        &["Mercury"],
    ]);
    let text = "keep_apart:\n  - [Tarn Ltd, Tarn]\nmerge:\n  - [Mercury, Quicksilver]\nsplit:\n  - name: Mercury\n    \
                documents: [c]\n    as: Mercury the god\nrename:\n  Tarn: Tarn Hows\n";
    let decisions = decisions::parse(text, std::path::Path::new("resolution.yaml")).unwrap();
    let (analyst, notes) = decisions.bind(&harvest, &["a", "b", "c"]);
    assert!(notes.is_empty(), "{notes:?}");
    let resolution = resolve(
        &harvest,
        &Options {
            analyst,
            ..Options::default()
        },
    );
    assert_eq!(title(&harvest, &resolution, "Tarn", 0), "TARN HOWS");
    assert_eq!(title(&harvest, &resolution, "Tarn Ltd", 0), "TARN LTD");
    assert_eq!(
        title(&harvest, &resolution, "Quicksilver", 1),
        title(&harvest, &resolution, "Mercury", 1)
    );
    assert_eq!(
        title(&harvest, &resolution, "Mercury", 2),
        "MERCURY THE GOD"
    );
}

#[test]
fn a_model_settles_what_is_open_and_nothing_else() {
    let harvest = harvest(&[&["Ada Quist/PERSON"], &["Ada M. Quist/PERSON"]]);
    let open = undecided(&harvest, &resolve(&harvest, &Options::default()));
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].units, (vec![0], vec![1]));
    for (same, entities) in [(true, 1), (false, 2)] {
        let answers = [audit::Answer {
            names: open[0].names,
            same,
        }];
        let options = Options {
            answers: &answers,
            ..Options::default()
        };
        let resolution = resolve(&harvest, &options);
        assert_eq!(resolution.entities.len(), entities);
        assert!(undecided(&harvest, &resolution).is_empty());
        let rows = rows(&harvest, &resolution);
        assert!(rows[0].reasons.contains(&"adjudicated"), "{rows:?}");
    }
}

#[test]
fn what_the_text_equates_is_one_though_it_looks_different() {
    let mut harvest = harvest(&[
        &["Thrupp & Harbottle Ltd"],
        &["Nordmere Chemicals Ltd"],
        &["Ilse Brandt/PERSON"],
    ]);
    harvest.equated = vec![(0, 1), (1, 2)];
    let resolution = resolve(&harvest, &Options::default());
    assert_eq!(resolution.entity(0, 0), resolution.entity(1, 1));
    assert_ne!(resolution.entity(1, 1), resolution.entity(2, 2));
    assert!(
        resolution
            .decisions
            .iter()
            .any(|decision| decision.reasons.has(Reason::Equated))
    );
}

#[test]
fn exact_resolution_merges_nothing() {
    let harvest = harvest(&[&["Tarn Corp", "Tarn Corporation"]]);
    let options = Options {
        exact: true,
        ..Options::default()
    };
    assert_eq!(resolve(&harvest, &options).entities.len(), 2);
}
