//! `entities` and `doctor`, as a user runs them.

mod support;

use support::Project;

/// Two Smiths and an initial that may be either; a name spelled two ways.
fn ambiguous() -> Project {
    let project = Project::empty();
    project.write(
        "input/a.txt",
        "Jonah Smith repaired the Halewick pump. Jonah Smith of Harbor Trust met Mira Osei. J. Smith signed for Harbor Trust.",
    );
    project.write(
        "input/b.txt",
        "Joyce Smith audited Port Lune. Joyce Smith wrote to Mira Osei of Harbor Trust. J. Smith closed the books of Port Lune.",
    );
    project.write(
        "input/c.txt",
        "J. Smith was seen in Halewick. J. Smith spoke with Mira Osei in Halewick about Harbor Trust.",
    );
    project.write(
        "settings.yaml",
        "prune_graph: {min_node_freq: 1, min_edge_weight_pct: 0, remove_ego_nodes: false}\n",
    );
    project.run(&["index", "--quiet"]).expect(0);
    project
}

#[test]
fn entities_are_listed_by_degree_and_found_by_any_name() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    let all = project
        .run(&["entities", "--json", "--limit", "0"])
        .expect(0)
        .json();
    let rows = all["entities"].as_array().expect("rows");
    assert_eq!(all["total"], rows.len());
    let degrees: Vec<i64> = rows
        .iter()
        .map(|row| row["degree"].as_i64().expect("a degree"))
        .collect();
    assert!(degrees.is_sorted_by(|a, b| a >= b));
    let with_alias = rows
        .iter()
        .find(|row| {
            row["aliases"]
                .as_array()
                .is_some_and(|names| !names.is_empty())
        })
        .expect("an entity with an alias");
    let alias = with_alias["aliases"][0]
        .as_str()
        .expect("a name")
        .to_lowercase();
    let found = project
        .run(&["entities", "--find", &alias, "--json"])
        .expect(0)
        .json();
    let titles: Vec<&str> = found["entities"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|row| row["title"].as_str())
        .collect();
    assert!(
        titles.contains(&with_alias["title"].as_str().expect("a title")),
        "{alias}: {titles:?}"
    );
    let nothing = project
        .run(&["entities", "--find", "no such name"])
        .expect(0);
    assert!(nothing.stdout.contains("no entity"), "{}", nothing.stdout);
}

#[test]
fn a_suspect_goes_away_when_its_line_is_pasted() {
    let project = ambiguous();
    let found = project
        .run(&["entities", "--suspects", "--json"])
        .expect(0)
        .json();
    let homonym = &found["homonyms"][0];
    assert_eq!(homonym["name"], "J SMITH", "{found:#}");
    let line = homonym["split"].as_str().expect("a line");
    assert!(line.contains("c.txt") && !line.contains("a.txt"), "{line}");
    project.write(
        "resolution.yaml",
        format!(
            "split:\n  {}\n",
            line.replace("J SMITH (2)", "Jasper Smith")
        ),
    );
    project.run(&["index", "--quiet"]).expect(0);
    let listed = project.run(&["entities", "--find", "jasper"]).expect(0);
    assert!(listed.stdout.contains("JASPER SMITH"), "{}", listed.stdout);

    let demo = Project::with_demo_input();
    demo.run(&["index", "--quiet"]).expect(0);
    let before = demo
        .run(&["entities", "--suspects", "--json", "--limit", "0"])
        .expect(0)
        .json();
    let pair = &before["duplicates"][0];
    let lines = demo.run(&["entities", "--suspects"]).expect(0).stdout;
    let line = pair["merge"].as_str().expect("a line");
    assert!(lines.contains(line), "{lines}");
    demo.write("resolution.yaml", format!("merge:\n  {line}\n"));
    demo.run(&["index", "--quiet"]).expect(0);
    let after = demo
        .run(&["entities", "--suspects", "--json", "--limit", "0"])
        .expect(0)
        .json();
    let is_it =
        |row: &serde_json::Value| row["name"] == pair["name"] && row["other"] == pair["other"];
    assert!(
        !after["duplicates"]
            .as_array()
            .expect("rows")
            .iter()
            .any(is_it)
    );
}

#[test]
fn doctor_finds_a_healthy_index_healthy() {
    let project = Project::with_demo_input();
    let summary = project.run(&["index", "--quiet"]).expect(0).stdout;
    let health = summary.lines().find(|line| line.starts_with("health  "));
    assert!(
        health.is_some() && summary.contains("`belvedere doctor`"),
        "{summary}"
    );
    let report = project.run(&["doctor", "--json"]).expect(0).json();
    assert_eq!(report["healthy"], true);
    let figures = &report["figures"];
    assert_eq!(figures["rows"]["documents"], 49);
    // The run's own report has the same figures.
    let stats = std::fs::read(project.path("output/stats.json")).expect("a file");
    let stats: serde_json::Value = serde_json::from_slice(&stats).expect("JSON");
    let health = &stats["summary"]["health"];
    for key in ["components", "named_once", "types", "levels"] {
        assert_eq!(health[key], figures[key], "{key}");
    }
    for (key, of) in [
        ("hubs", "hubs"),
        ("bridges", "bridges"),
        ("paths", "central"),
    ] {
        let titles = |list: &serde_json::Value| -> Vec<serde_json::Value> {
            let rows = list.as_array().expect("rows").iter();
            rows.map(|row| row["title"].clone()).collect()
        };
        assert_eq!(titles(&health[key]), titles(&figures[of]), "{key}");
    }
    let levels = figures["levels"].as_array().expect("levels");
    let communities: u64 = levels
        .iter()
        .filter_map(|level| level["communities"].as_u64())
        .sum();
    assert_eq!(figures["rows"]["communities"], communities);
    assert!(figures["hubs"][0]["degree"].as_u64() >= figures["hubs"][1]["degree"].as_u64());
    let text = project.run(&["doctor"]).expect(0).stdout;
    assert!(text.contains("hubs") && text.contains("healthy"), "{text}");
}

#[test]
fn doctor_names_what_costs_answers_and_what_to_do() {
    let project = ambiguous();
    // The same text twice, and a text that names nothing.
    project.write(
        "input/d.txt",
        std::fs::read(project.path("input/a.txt")).expect("a file"),
    );
    project.write(
        "input/e.txt",
        "it was wet and they went on as before, all of them.",
    );
    project.run(&["index", "--quiet"]).expect(0);
    let report = project.run(&["doctor", "--json"]).expect(3).json();
    let finding = |what: &str| {
        let found = report["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .find(|finding| finding["what"] == what);
        found.unwrap_or_else(|| panic!("no {what} in {report:#}"))
    };
    assert_eq!(
        finding("duplicate_documents")["examples"][0],
        "d.txt is a.txt"
    );
    assert_eq!(finding("documents_in_no_report")["examples"][0], "e.txt");
    assert_eq!(finding("documents_in_no_report")["weight"], "costs_answers");
    assert!(
        finding("text_units_without_entities")["examples"][0]
            .as_str()
            .expect("words")
            .contains("e.txt")
    );

    // Vectors by another model than the one that would embed a question.
    let manifest =
        std::fs::read_to_string(project.path("output/manifest.json")).expect("a manifest");
    project.write(
        "output/manifest.json",
        manifest.replace("builtin/", "another/"),
    );
    let text = project.run(&["doctor"]).expect(3).stdout;
    assert!(
        text.contains("other_vectors") && text.contains("embed_text.embedding_model_id"),
        "{text}"
    );
}

#[test]
fn doctor_sees_tables_that_do_not_fit_together() {
    let project = ambiguous();
    let other = Project::empty();
    other.write(
        "input/z.txt",
        "Ana Ruiz leads Harbor Trust. Bo Lind met Ana Ruiz of Harbor Trust.",
    );
    other.run(&["index", "--quiet"]).expect(0);
    std::fs::copy(
        other.path("output/entities.parquet"),
        project.path("output/entities.parquet"),
    )
    .expect("a copy");
    let report = project.run(&["doctor", "--json"]).expect(3).json();
    let what: Vec<&str> = report["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter_map(|finding| finding["what"].as_str())
        .collect();
    assert!(
        what.contains(&"broken_ids") && what.contains(&"open_relationships"),
        "{what:?}"
    );
    assert_eq!(report["findings"][0]["weight"], "costs_answers");
    let none = Project::empty();
    none.write("input/a.txt", "x");
    none.run(&["doctor"]).expect(2);
}
