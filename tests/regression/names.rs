//! Names that were lost or cut.

use belvedere::store::TableReader;

use crate::support::Project;

/// A document of one long line gave entities such as `CINNATI` where a window of tokens ended inside a name.
#[test]
fn names_that_a_window_cuts_are_taken_from_the_window_that_holds_them() {
    let project = Project::empty();
    let text = "Cincinnati Waterworks paid Montgomery Fairbanks and Cincinnati Waterworks paid Philadelphia Masonry too ".repeat(60);
    project.write("input/a.txt", text.trim_end());
    for size in 50..60 {
        project.write(
            "settings.yaml",
            format!(
                "chunking: {{size: {size}, overlap: 20}}\nentity_resolution: {{enabled: false}}\n"
            ),
        );
        project.run(&["index", "--quiet"]).expect(0);
        let found = project.run(&["entities", "--json", "--limit", "100"]);
        let found = found.expect(0).json();
        let titles: Vec<&str> = found["entities"]
            .as_array()
            .expect("entities")
            .iter()
            .filter_map(|entity| entity["title"].as_str())
            .collect();
        assert!(!titles.is_empty());
        let whole = [
            "CINCINNATI WATERWORKS",
            "MONTGOMERY FAIRBANKS",
            "PHILADELPHIA MASONRY",
        ];
        let cut = titles.iter().find(|title| !whole.contains(title));
        assert_eq!(cut, None, "with {size} tokens");
    }
}

fn titles(project: &Project) -> Vec<String> {
    let found = project.run(&["entities", "--json", "--limit", "0"]);
    let found = found.expect(0).json();
    let entities = found["entities"].as_array().expect("entities");
    entities
        .iter()
        .filter_map(|entity| entity["title"].as_str().map(str::to_owned))
        .collect()
}

/// In a corpus of five lines names were pruned because they stood in one text unit, or because their pairs were light.
#[test]
fn a_small_corpus_keeps_its_names() {
    let project = Project::empty();
    for (file, text) in [
        ("a", "Anna Berg met Carl Dorn at Port Vell."),
        ("b", "Carl Dorn owns the Vell Mill."),
        ("c", "Anna Berg knows Bob Stone. Bob Stone runs Port Vell."),
        ("d", "Dora Finch lives in Port Vell."),
        ("e", "The Vell Mill employs Dora Finch."),
    ] {
        project.write(&format!("input/{file}.txt"), text);
    }
    let pruned = || {
        let summary = project.run(&["index", "--json"]).expect(0).json();
        summary["pruned_entities"].as_u64()
    };
    let of_small_corpus = pruned();
    let mut found = titles(&project);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "ANNA BERG",
            "BOB STONE",
            "CARL DORN",
            "DORA FINCH",
            "PORT VELL",
            "VELL MILL"
        ]
    );
    project.write("settings.yaml", "prune_graph: {min_node_freq: 2}\n");
    // Bob Stone, and no other name, stands in one text unit only.
    assert_eq!(pruned(), of_small_corpus.map(|count| count + 1));
    assert!(!titles(&project).contains(&"BOB STONE".to_owned()));
}

/// The entity with most neighbours was dropped, as the original does: in a novel its hero.
#[test]
fn the_name_that_all_others_meet_is_kept() {
    let project = Project::empty();
    let others = [
        "Bo Lind",
        "Ira Voss",
        "Mia Keller",
        "Tom Ashby",
        "Una Frost",
    ];
    for round in 0..30 {
        let (one, two) = (others[round % 5], others[(round + 1) % 5]);
        project.write(
            &format!("input/{round}.txt"),
            format!(
                "Ebenezer Grote met {one} on the quay. Later {one} saw {two} with Ebenezer Grote."
            ),
        );
    }
    project.run(&["index", "--quiet"]).expect(0);
    assert!(titles(&project).contains(&"EBENEZER GROTE".to_owned()));
    project.write("settings.yaml", "prune_graph: {remove_ego_nodes: true}\n");
    project.run(&["index", "--quiet"]).expect(0);
    assert!(!titles(&project).contains(&"EBENEZER GROTE".to_owned()));
}

/// Names in scripts without capitals became entities only where they recurred within one text unit.
#[test]
fn names_in_scripts_without_capitals_are_found_across_documents() {
    let corpora: [(&[&str], &[&str]); 4] = [
        (
            &[
                "王小明在北京大学工作。他见了李华。",
                "李华管理长江水务公司。王小明认识张伟。",
                "张伟住在上海市，他在长江水务公司工作。",
            ],
            &["王小明", "李华", "张伟", "长江水务公司", "上海市"],
        ),
        (
            &[
                "يعمل أحمد في شركة النيل في القاهرة.",
                "التقى أحمد مع ليلى في القاهرة.",
                "تدير ليلى شركة النيل.",
            ],
            &["أحمد", "ليلى", "القاهرة", "النيل"],
        ),
        (
            &[
                "김철수는 서울에서 한강수도공사를 운영한다.",
                "이영희가 김철수와 서울에서 만났다.",
                "이영희는 한강수도공사에 다닌다.",
            ],
            &["김철수", "이영희", "서울", "한강수도공사"],
        ),
        (
            &[
                "田中さんは東京大学で働いている。",
                "佐藤は東京大学で田中に会った。",
                "佐藤はトヨタに勤める。",
            ],
            &["田中", "佐藤", "東京大学"],
        ),
    ];
    for (texts, names) in corpora {
        let project = Project::empty();
        for (row, text) in texts.iter().enumerate() {
            project.write(&format!("input/{row}.txt"), text);
        }
        project.run(&["index", "--quiet"]).expect(0);
        let found = titles(&project);
        for name in names {
            assert!(found.iter().any(|title| title == name), "{name}: {found:?}");
        }
        for word in ["في", "مع", "工作", "的", "で", "に"] {
            assert!(!found.iter().any(|title| title == word), "{word}");
        }
    }
}

/// Five documents of which one knows the truth.
fn little() -> Project {
    let project = Project::empty();
    for (file, text) in [
        ("a", "Anna Berg met Carl Dorn at Port Vell. Mercury rose."),
        ("b", "Carl Dorn owns the Vell Mill. J. R. Stone sells kits."),
        ("c", "Anna Berg knows Bob Stone. Mercury is a planet."),
        ("d", "Dora Finch lives in Port Vell. Mercury said no."),
        ("e", "The Vell Mill employs Dora Finch. Anna Berg sings."),
    ] {
        project.write(&format!("input/{file}.txt"), text);
    }
    project
}

/// Title, and other names, of the entities; and the notes of the run.
fn decided(project: &Project, decisions: &str) -> (Vec<(String, Vec<String>)>, String) {
    project.write("resolution.yaml", decisions);
    let run = project.run(&["index", "--json"]).expect(0).json();
    let found = project.run(&["entities", "--json", "--limit", "0"]);
    let found = found.expect(0).json();
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let entities = found["entities"].as_array().expect("entities");
    let entities = entities.iter().map(|entity| {
        let aliases = entity["aliases"].as_array().expect("aliases");
        (text(&entity["title"]), aliases.iter().map(text).collect())
    });
    (entities.collect(), run["notes"].to_string())
}

fn has(entities: &[(String, Vec<String>)], title: &str, aliases: &[&str]) -> bool {
    entities
        .iter()
        .any(|entity| entity.0 == title && entity.1 == aliases)
}

/// Of decisions that contradict each other one was silently dropped, and the table said that both were applied.
#[test]
fn decisions_that_contradict_each_other_are_told() {
    let project = little();
    for (decisions, told) in [
        (
            "merge:\n  - [Anna Berg, Carl Dorn]\nkeep_apart:\n  - [Carl Dorn, Anna Berg]\n",
            "line 4: 'CARL DORN' and 'ANNA BERG' are kept apart here and made one by line 2",
        ),
        (
            "merge:\n  - [Anna Berg, Carl Dorn]\n  - [Carl Dorn, Bob Stone]\nkeep_apart:\n  - [Anna Berg, Bob Stone]\n",
            "made one by lines 2, 3",
        ),
        (
            "rename:\n  Anna Berg: Carl Dorn\nkeep_apart:\n  - [Anna Berg, Carl Dorn]\n",
            "made one by line 2",
        ),
        (
            "rename:\n  Anna Berg: Carl Dorn\n  Carl Dorn: Anna Berg\n",
            "line 3: one entity gets two titles, 'CARL DORN' on line 2 and 'ANNA BERG' here",
        ),
        (
            "merge:\n  - [Anna Berg, Carl Dorn]\nrename:\n  Anna Berg: X\n  Carl Dorn: Y\n",
            "line 5: one entity gets two titles",
        ),
        (
            "rename:\n  Anna Berg: X\n  Anna Berg: Y\n",
            "line 3: one entity gets two titles, 'X' on line 2 and 'Y' here",
        ),
        (
            "merge:\n  - [Anna Berg, Bob Stone]\nmerge:\n  - [Carl Dorn, Dora Finch]\n",
            "line 3: 'merge' is given twice, first on line 1",
        ),
        (
            "keep_apart:\n  - [Anna Berg, anna  BERG]\n",
            "line 2: 'ANNA BERG' is named twice here",
        ),
        (
            "split:\n  - {name: Mercury, documents: [a.txt], as: X}\n  - {name: Mercury, documents: [a.txt], as: Y}\n",
            "line 3: 'MERCURY' in a.txt is split off twice, first on line 2",
        ),
        (
            "split:\n  - {name: Mercury, documents: [a.txt], as: mercury}\n",
            "line 2: 'MERCURY' is split off under its own name",
        ),
        ("merge:\n  - [Anna Berg, null]\n", "line 2: expected a name"),
    ] {
        project.write("resolution.yaml", decisions);
        let run = project.run(&["index", "--quiet"]).expect(2);
        assert!(
            run.stderr.contains(told) && run.stderr.trim().lines().count() == 1,
            "{told}: {}",
            run.stderr
        );
    }
    assert!(!project.path("output/manifest.json").exists());
}

/// With `entity_resolution.enabled: false` an analyst's merges and splits were passed over.
#[test]
fn decisions_hold_where_nothing_else_is_resolved() {
    let project = little();
    project.write("settings.yaml", "entity_resolution: {enabled: false}\n");
    let (entities, _) = decided(&project, "merge:\n  - [Anna Berg, Dora Finch]\n");
    assert!(has(&entities, "ANNA BERG", &["DORA FINCH"]), "{entities:?}");
}

/// A split into a known name pushed that name aside as `DORA FINCH (2)`; two renames to one title made two entities.
#[test]
fn one_title_is_one_entity() {
    let project = little();
    let (entities, _) = decided(
        &project,
        "split:\n  - {name: Anna Berg, documents: [a.txt], as: Dora Finch}\n",
    );
    assert!(has(&entities, "DORA FINCH", &["ANNA BERG"]), "{entities:?}");
    assert!(has(&entities, "ANNA BERG", &[]), "{entities:?}");
    assert!(!has(&entities, "DORA FINCH (2)", &[]), "{entities:?}");
    let (entities, _) = decided(
        &project,
        "split:\n  - {name: Mercury, documents: [a.txt], as: Hg}\n  - {name: Anna Berg, documents: [c.txt], as: hg}\n",
    );
    assert!(
        has(&entities, "HG", &["ANNA BERG", "MERCURY"]),
        "{entities:?}"
    );
    let (entities, _) = decided(&project, "rename:\n  Anna Berg: X Y\n  Carl Dorn: x y\n");
    assert!(
        has(&entities, "X Y", &["ANNA BERG", "CARL DORN"]),
        "{entities:?}"
    );
    let (entities, _) = decided(
        &project,
        "split:\n  - {name: Mercury, documents: [a.txt]}\n  - {name: Mercury, documents: [c.txt]}\n",
    );
    assert!(has(&entities, "MERCURY (3)", &["MERCURY"]), "{entities:?}");
}

/// A rename left no row in the `resolution` table, and notes did not name the file; a name had to be written as the index has it.
#[test]
fn decisions_can_be_read_and_what_came_to_nothing_is_told() {
    let project = little();
    let (entities, notes) = decided(&project, "rename:\n  J. R. Stone: Jonas Stone\n");
    assert!(
        has(&entities, "JONAS STONE", &["J R STONE"]),
        "{entities:?} {notes}"
    );
    let table = TableReader::open(&project.path("output"), "resolution").expect("a table");
    let names = table.strings("name").expect("names");
    let titles = table.strings("entity").expect("titles");
    let decisions = table.strings("decision").expect("decisions");
    let row = names.iter().position(|name| name == "J R STONE");
    let row = row.expect("a row of the rename");
    assert_eq!(titles.get(row), "JONAS STONE");
    assert_eq!(decisions.get(row), "by_analyst");

    let (_, notes) = decided(
        &project,
        "split:\n  - {name: Mercury, documents: [b.txt], as: Hg}\nmerge:\n  - [Nobody, Anna Berg]\n",
    );
    for told in [
        "resolution.yaml: line 2: 'MERCURY' does not occur in b.txt",
        "resolution.yaml: line 4: unknown name 'NOBODY'",
    ] {
        assert!(notes.contains(told), "{told}: {notes}");
    }

    // As many decisions as a long project has, and not a note for each.
    let many: String = (0..9000)
        .map(|row| format!("  - [Nobody {row}, Someone {row}]\n"))
        .collect();
    let (_, notes) = decided(&project, &format!("merge:\n{many}"));
    assert!(notes.contains("and 17979 more"), "{notes}");
    assert!(notes.len() < 4000, "{notes}");
}

/// Renaming a short form gave its title to all that it stands for.
#[test]
fn a_short_form_of_several_names_renames_none() {
    let project = Project::empty();
    for (file, text) in [
        ("a", "Jonah Smith met Anna Berg. J. Smith paid."),
        ("b", "Joyce Smith met Carl Dorn. J. Smith paid."),
        ("c", "Jonah Smith met Anna Berg. J. Smith left."),
        ("d", "Joyce Smith sang."),
    ] {
        project.write(&format!("input/{file}.txt"), text);
    }
    let (entities, notes) = decided(&project, "rename:\n  J Smith: Jay\n");
    assert!(has(&entities, "JONAH SMITH", &["J SMITH"]), "{entities:?}");
    assert!(
        notes.contains("rename JONAH SMITH or JOYCE SMITH"),
        "{notes}"
    );
}

/// "World War I" and "World War II", "Air Force One" and "Air Force Two" became one: the numeral was taken for a pronoun or dropped.
#[test]
fn a_numeral_that_is_a_word_tells_names_apart() {
    let project = Project::empty();
    project.write(
        "input/a.txt",
        "The mill was built before World War I. Its roof burnt in World War II, when Air Force One was no name yet. \
         In World War I the mill made boots. Air Force Two came later.",
    );
    project.write(
        "input/b.txt",
        "A portrait of Elizabeth I of England hung there. On Friday the owner, whom in Port Vell I met, sold it.",
    );
    project.run(&["index", "--quiet"]).expect(0);
    let found = titles(&project);
    for name in [
        "WORLD WAR I",
        "WORLD WAR II",
        "AIR FORCE ONE",
        "AIR FORCE TWO",
        "PORT VELL",
    ] {
        assert!(found.iter().any(|title| title == name), "{name}: {found:?}");
    }
    assert!(
        found.iter().any(|title| title.starts_with("ELIZABETH I")),
        "{found:?}"
    );
    for cut in ["WORLD WAR", "AIR FORCE", "PORT VELL I"] {
        assert!(!found.iter().any(|title| title == cut), "{cut}: {found:?}");
    }
}

/// Clauses of scripts without spaces were names; long names in Han characters were cut after four; a name with "and" or "in"
/// written on it was a name of its own.
#[test]
fn names_in_other_scripts_are_whole_and_no_clauses() {
    let index = |texts: &[&str]| {
        let project = Project::empty();
        for (row, text) in texts.iter().enumerate() {
            project.write(&format!("input/{row}.txt"), text);
        }
        project.run(&["index", "--quiet"]).expect(0);
        titles(&project)
    };
    let clause = "กรุงเทพมหานครกล่าวว่าโครงการนี้สำคัญมากสำหรับเชียงใหม่";
    let found = index(&[
        &format!("{clause} สมชาย พบ สมหญิง"),
        &format!("{clause} สมชาย ไป สมหญิง"),
    ]);
    assert!(found.iter().any(|title| title == "สมชาย"), "{found:?}");
    assert!(!found.iter().any(|title| title == clause), "{found:?}");

    let found = index(&[
        "北海道水道局は水質を調べた。北海道水道局によると、水質はよい。",
        "黄河水利委员会发布了报告。根据黄河水利委员会的说法，水位很高。",
        "黄河水利委员会在郑州。北海道水道局は札幌にある。",
    ]);
    for name in ["北海道水道局", "黄河水利委员会"] {
        assert!(found.iter().any(|title| title == name), "{name}: {found:?}");
    }
    for cut in ["北海道水", "黄河水利", "道局"] {
        assert!(!found.iter().any(|title| title == cut), "{cut}: {found:?}");
    }

    let found = index(&[
        "التقى محمد مع ليلى في القاهرة.",
        "زار أحمد ومحمد القاهرة.",
        "سافر أحمد ومحمد وليلى. محمد في القاهرة.",
        "דוד גר בירושלים עם שרה.",
        "שרה באה מירושלים. ירושלים יפה.",
        "דוד ראה את ירושלים.",
    ]);
    for name in ["محمد", "ירושלים"] {
        assert!(found.iter().any(|title| title == name), "{name}: {found:?}");
    }
    for with in ["ومحمد", "בירושלים", "מירושלים"] {
        assert!(
            !found.iter().any(|title| title == with),
            "{with}: {found:?}"
        );
    }
}

/// "J. P. Morgan" and "J.P. Morgan" were two, Francis Bacon and Frances Bacon one.
#[test]
fn initials_are_one_however_written_and_two_first_names_are_two() {
    let project = Project::empty();
    for (file, text) in [
        (
            "a",
            "J. P. Morgan met Oskar Quell. Frances Bacon met Lena Pohl at Tarn Fell.",
        ),
        (
            "b",
            "J.P. Morgan met Oskar Quell. Francis Bacon met Lena Pohl at Tarn Fell.",
        ),
        (
            "c",
            "Lena Pohl wrote to Frances Bacon. Later Lena Pohl wrote to Francis Bacon.",
        ),
        ("d", "Oskar Quell paid J.P. Morgan."),
        ("e", "Tarn Fell is a hill."),
    ] {
        project.write(&format!("input/{file}.txt"), text);
    }
    project.run(&["index", "--quiet"]).expect(0);
    let found = titles(&project);
    let of = |name: &str| found.iter().filter(|title| title.contains(name)).count();
    assert_eq!(of("MORGAN"), 1, "{found:?}");
    assert_eq!(of("BACON"), 2, "{found:?}");
}

/// A name with accents, and with letters for them, was two in one company; of "Hartley and Sons" two names were made.
#[test]
fn one_name_however_it_is_spelt() {
    let project = Project::empty();
    for (file, text) in [
        (
            "a",
            "Jürgen Müller runs Port Vell with Anna Berg. Jürgen Müller left Malmö for Hartley & Sons.",
        ),
        (
            "b",
            "Juergen Mueller met Anna Berg at Port Vell. Juergen Mueller left Malmo for Hartley and Sons.",
        ),
    ] {
        project.write(&format!("input/{file}.txt"), text);
    }
    project.run(&["index", "--quiet"]).expect(0);
    let found = titles(&project);
    for parts in [&["MULLER", "MÜLLER", "MUELLER"][..], &["HARTLEY"]] {
        let of = |title: &&String| parts.iter().any(|part| title.contains(part));
        assert_eq!(found.iter().filter(of).count(), 1, "{parts:?}: {found:?}");
    }
    assert!(!found.iter().any(|title| title == "SONS"), "{found:?}");
}
