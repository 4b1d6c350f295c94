//! `init`, `index --method fast` and re-index, as a user runs them.

mod support;
#[path = "support/tables.rs"]
mod tables;

use support::{Project, Run};

#[test]
fn init_index_and_index_again() {
    let project = Project::with_demo_input();
    let init = project.run(&["init"]).expect(0);
    assert!(
        project.path("settings.yaml").is_file()
            && project.path("prompts/extract_graph.txt").is_file(),
        "{}",
        init.stdout
    );

    let summary = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(summary["method"], "fast");
    assert_eq!(summary["documents"], 49);
    assert_eq!(summary["failed"], 0);
    assert!(summary["usage"].is_null(), "no model was called");
    tables::check(&project.path("output"));
    for file in [
        "manifest.json",
        "stats.json",
        "entity_description.f32",
        "text_unit_text.f32",
        "community_full_content.f32",
    ] {
        assert!(project.path("output").join(file).is_file(), "{file}");
    }

    let again = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(again["unchanged"], true);
    assert_eq!(again["entities"], summary["entities"]);

    project.write(
        "input/late.md",
        "Mira Osei wrote to the board about the Halewick pumping station.",
    );
    let third = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(third["unchanged"], false);
    assert_eq!(third["documents"], 50);
}

#[test]
fn tables_do_not_depend_on_the_number_of_threads() {
    let project = Project::with_demo_input();
    let mut hashes = Vec::new();
    for threads in ["1", "2", "7"] {
        let mut command = project.command(&["index", "--force", "--quiet"]);
        command.env("RAYON_NUM_THREADS", threads);
        Run::of(command).expect(0);
        let manifest =
            std::fs::read_to_string(project.path("output/manifest.json")).expect("a manifest");
        let vectors: Vec<blake3::Hash> = [
            "entity_description.f32",
            "text_unit_text.f32",
            "community_full_content.f32",
        ]
        .map(|file| {
            blake3::hash(&std::fs::read(project.path("output").join(file)).expect("vectors"))
        })
        .to_vec();
        hashes.push((manifest, vectors));
    }
    assert!(
        hashes.windows(2).all(|pair| pair[0] == pair[1]),
        "tables or vectors differ between thread counts"
    );
}

#[test]
fn a_half_built_index_says_so_and_is_built_again() {
    let project = Project::empty();
    project.write(
        "input/a.txt",
        "Ana Ruiz of Harbor Trust met Bo Lind. Ana Ruiz and Bo Lind signed for Harbor Trust.",
    );
    project.run(&["index"]).expect(0);
    let path = project.path("output/manifest.json");
    let text = std::fs::read_to_string(&path).expect("a manifest");
    std::fs::write(&path, text.replace("\"complete\"", "\"building\"")).expect("a manifest");
    let query = project
        .run(&["query", "--method", "local", "Who is Ana Ruiz?"])
        .expect(2);
    assert!(query.stderr.contains("half built"), "{}", query.stderr);
    let summary = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(summary["unchanged"], false);
    project
        .run(&["query", "--method", "local", "Who is Ana Ruiz?"])
        .expect(0);
}

#[test]
fn a_second_process_on_the_same_index_is_told_so() {
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz leads Harbor Trust.");
    std::fs::create_dir_all(project.path("output")).expect("a folder");
    let lock = std::fs::File::create(project.path("output/.lock")).expect("a lock file");
    fs4::FileExt::lock(&lock).expect("a lock");
    let run = project.run(&["index"]).expect(1);
    assert!(
        run.stderr.contains("being indexed by another process"),
        "{}",
        run.stderr
    );
}

#[cfg(not(feature = "sentence-encoder"))]
#[test]
fn an_encoder_that_is_not_compiled_in_is_named_before_anything_is_written() {
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz leads Harbor Trust.");
    project.write(
        "settings.yaml",
        "embed_text:\n  provider: sentence_encoder\n",
    );
    let run = project.run(&["index"]).expect(2);
    assert!(
        run.stderr.contains("--features sentence-encoder"),
        "{}",
        run.stderr
    );
    assert!(!project.path("output/entities.parquet").exists());
}

#[cfg(feature = "sentence-encoder")]
#[test]
fn the_encoder_that_is_compiled_in_makes_the_vectors_and_finds_by_meaning() {
    let project = Project::empty();
    project.write(
        "input/a.txt",
        "The physician treated the sick child in Harbor Trust.",
    );
    project.write("input/b.txt", "Bond yields fell sharply at Harbor Trust.");
    project.write(
        "settings.yaml",
        "embed_text:\n  provider: sentence_encoder\n",
    );
    project.run(&["index"]).expect(0);
    let answer = project
        .run(&["query", "--method", "basic", "--json", "doctor"])
        .expect(0)
        .json();
    let first = &answer["context"]["tables"]["sources"]["rows"][0];
    assert_eq!(
        (&first["id"], &first["arrived"]),
        (&0.into(), &"vector".into())
    );
}
