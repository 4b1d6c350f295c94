//! What is damaged, cut or missing is noticed, and told with what mends it.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;

use stand_in::{Config, StandIn};
use support::Project;

/// What is done to a file.
type Harm<'a> = &'a dyn Fn(&std::path::Path);

/// A table, a vector file or the figures of the run that were cut, emptied or removed counted as up to date and complete.
#[test]
fn a_damaged_file_of_the_index_is_noticed_and_the_index_built_anew() {
    let project = Project::empty();
    project.write(
        "input/a.txt",
        "Ana Ruiz of Harbor Trust met Bo Lind of Harbor Trust. Ana Ruiz left.",
    );
    project.write("settings.yaml", "snapshots: {graphml: true}\n");
    project.run(&["index", "--quiet"]).expect(0);
    let whole = project.table_hashes();
    let cut = |path: &std::path::Path| std::fs::write(path, vec![b'P'; 100]).expect("written");
    let emptied = |path: &std::path::Path| std::fs::write(path, "").expect("written");
    let removed = |path: &std::path::Path| std::fs::remove_file(path).expect("removed");
    let zeroed = |path: &std::path::Path| {
        let size = std::fs::metadata(path).expect("a file").len();
        std::fs::write(path, vec![0; size as usize]).expect("written");
    };
    let harms: [(&str, Harm<'_>); 7] = [
        ("entities.parquet", &cut),
        ("mentions.parquet", &removed),
        ("documents.parquet", &zeroed),
        ("text_unit_text.f32", &cut),
        ("entity_description.f32", &removed),
        ("stats.json", &emptied),
        ("graph.graphml", &cut),
    ];
    for (file, harm) in harms {
        harm(&project.path(&format!("output/{file}")));
        let status = project.run(&["status"]).expect(0).stdout;
        let line = status
            .lines()
            .find(|line| line.contains(file) && line.starts_with("damaged"));
        assert!(
            line.is_some_and(|line| line.contains("run `belvedere index`")),
            "{file}: {status}"
        );
        let json = project.run(&["status", "--json"]).expect(0).json();
        assert_eq!(json["index"], "damaged");
        assert_eq!(json["damaged"][0]["file"], file);
        let index = project.run(&["index"]).expect(0);
        let said: Vec<&str> = index
            .stderr
            .lines()
            .filter(|line| line.contains(file))
            .collect();
        assert_eq!(said.len(), 1, "{file}: {}", index.stderr);
        assert!(said[0].contains("built anew"), "{}", said[0]);
        assert_eq!(project.table_hashes(), whole, "{file}");
        let status = project.run(&["status"]).expect(0).stdout;
        assert!(status.starts_with("index          complete"), "{status}");
        let again = project.run(&["index"]).expect(0).stdout;
        assert!(again.contains("nothing changed"), "{again}");
    }
    std::fs::remove_file(project.path("output/text_unit_text.f32")).expect("removed");
    let report = project.run(&["doctor", "--json"]).expect(3).json();
    let example = &report["findings"][0]["examples"][0];
    assert_eq!(example, "text_unit_text.f32 (missing)", "{report:#}");
}

/// A damaged manifest stopped every command with words about a table; none told how to go on.
#[test]
fn a_damaged_manifest_is_named_and_the_index_built_anew() {
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    project.run(&["index", "--quiet"]).expect(0);
    let manifest = project.path("output/manifest.json");
    let whole = std::fs::read(&manifest).expect("a manifest");
    for damage in ["{", "", "no manifest at all", "[]"] {
        project.write("output/manifest.json", damage);
        let status = project.run(&["status"]).expect(0).stdout;
        let query = project.run(&["query", "Who is Ana Ruiz?"]).expect(2).stderr;
        let doctor = project.run(&["doctor"]).expect(2).stderr;
        for said in [&status, &query, &doctor] {
            assert!(
                said.contains("manifest.json") && said.contains("run `belvedere index`"),
                "{said}"
            );
        }
        let index = project.run(&["index"]).expect(0).stderr;
        assert!(
            index.contains("manifest.json is damaged") && index.contains("built anew"),
            "{index}"
        );
        assert_eq!(std::fs::read(&manifest).expect("a manifest"), whole);
    }
}

/// A vector file that was cut was told as a full disk, and a graph's file of the user's as one of the index.
#[test]
fn a_damaged_file_is_told_with_what_mends_that_file() {
    let server = StandIn::start(Config::default());
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    let embedding = format!(
        "embedding_models:\n  default_embedding_model:\n    model_provider: stand-in\n    model: e\n    api_base: {}\n",
        server.base()
    );
    project.write("settings.yaml", server.settings(&embedding));
    project.run(&["index", "--quiet"]).expect(0);
    let vectors = project.path("output/text_unit_text.f32");
    let whole = std::fs::read(&vectors).expect("vectors");
    for length in [0, 5, 40, whole.len() - 3] {
        std::fs::write(&vectors, &whole[..length]).expect("cut");
        let run = project
            .run(&["query", "--method", "basic", "Who is Ana Ruiz?"])
            .expect(1);
        assert!(
            run.stderr.contains("text_unit_text.f32 is damaged")
                && run.stderr.contains("`belvedere index --force`")
                && !run.stderr.contains("free space"),
            "{length}: {}",
            run.stderr
        );
    }
    project.run(&["index", "--quiet", "--force"]).expect(0);
    assert_eq!(std::fs::read(&vectors).expect("vectors"), whole);

    let graph = Project::empty();
    graph.write("r.csv", "source,target\nAna,Bo\n");
    for (file, content, remedy) in [
        ("e.parquet", "no Parquet", "export it again"),
        ("e.parquet", "", "export it again"),
        ("e.csv", "", "no header line"),
        (
            "e.csv",
            "name,type\nAna,person\nBo\n",
            "line 3: 1 fields where the header has 2",
        ),
        ("e.jsonl", "{\"title\": \"Ana\"}\n{\"tit", "row 2: EOF"),
    ] {
        graph.write(file, content);
        let args = ["index", "--entities", file, "--relationships", "r.csv"];
        let error = graph.run(&args).expect(2).stderr;
        assert!(
            error.contains(file) && error.contains(remedy) && !error.contains("--force"),
            "{file}: {error}"
        );
    }
}

/// An index made from a given graph was replaced by one of the documents without a word.
#[test]
fn a_run_without_the_graph_of_the_index_says_so() {
    let project = Project::empty();
    project.write("e.csv", "title\nAna\nBo\n");
    project.write("r.csv", "source,target\nAna,Bo\n");
    let args = [
        "index",
        "--quiet",
        "--entities",
        "e.csv",
        "--relationships",
        "r.csv",
    ];
    project.run(&args).expect(0);
    // There is nothing else to index, and the reason is told.
    let error = project.run(&["index"]).expect(2).stderr;
    let flags = "--entities e.csv, --relationships r.csv";
    assert!(error.contains(flags), "{error}");
    std::fs::write(project.path("output/entities.parquet"), "").expect("emptied");
    let status = project.run(&["status"]).expect(0).stdout;
    assert!(status.contains(flags), "{status}");
    project.run(&args).expect(0);
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    let summary = project.run(&["index", "--json"]).expect(0).json();
    assert!(summary["notes"].to_string().contains(flags), "{summary:#}");
    let after = project.run(&["index"]).expect(0);
    assert!(after.stdout.contains("nothing changed") && !after.stderr.contains(flags));
    project.write(
        "settings.yaml",
        "graph_input: {entities: e.csv, relationships: r.csv}\n",
    );
    project.run(&["index"]).expect(0);
    project.write("settings.yaml", "");
    let run = project.run(&["index"]).expect(0);
    assert!(
        run.stderr.contains("graph_input.entities: e.csv"),
        "{}",
        run.stderr
    );
}
