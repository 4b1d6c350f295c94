//! Names that were lost or cut.

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
