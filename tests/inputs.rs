//! Hostile files and settings: one clear line, the right exit code, nothing lost.

mod support;

use support::Project;

fn troubles(summary: &serde_json::Value) -> Vec<(String, String)> {
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let list = summary["troubles"].as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|trouble| (word(&trouble["item"]), word(&trouble["outcome"])))
        .collect()
}

// See: https://github.com/HKUDS/LightRAG/issues/2318
#[test]
fn an_empty_file_is_skipped_and_said_so() {
    for empty in ["", " \n\t "] {
        let project = Project::empty();
        project
            .write("input/a.txt", empty)
            .write("input/b.txt", "Mira audits.");
        let summary = project.run(&["index", "--json"]).expect(0).json();
        assert_eq!(summary["documents"], 1);
        assert_eq!(
            troubles(&summary),
            [("a.txt".to_owned(), "empty".to_owned())]
        );
    }
}

// See: https://github.com/HKUDS/LightRAG/issues/3158
#[test]
fn files_of_one_name_in_two_folders_are_two_documents() {
    let project = Project::empty();
    project
        .write("input/x/readme.md", "Ana leads.")
        .write("input/y/readme.md", "Bo leads.");
    let summary = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(summary["documents"], 2);
}

#[test]
fn a_file_that_cannot_be_read_fails_alone() {
    let project = Project::empty();
    project
        .write("input/a.txt", b"\x00\x01\x02\x03binary\x00")
        .write("input/b.txt", "Mira Osei audits Harbor Trust.");
    let summary = project.run(&["index", "--json"]).expect(3).json();
    assert_eq!(summary["documents"], 1);
    assert_eq!(
        troubles(&summary),
        [("a.txt".to_owned(), "failed".to_owned())]
    );
}

#[test]
fn a_folder_with_nothing_to_read_is_one_clear_error() {
    let project = Project::empty();
    project.write("input/picture.png", b"\x89PNG");
    let run = project.run(&["index"]).expect(2);
    assert!(run.stderr.contains("nothing to read"), "{}", run.stderr);
    let run = Project::empty().run(&["index"]).expect(2);
    assert!(run.stderr.contains("input"), "{}", run.stderr);
}

#[test]
fn the_same_text_twice_is_reported() {
    let project = Project::empty();
    project
        .write("input/a.txt", "Mira Osei audits.")
        .write("input/b.txt", "Mira Osei audits.");
    let summary = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(summary["documents"], 2);
    assert!(
        summary["notes"]
            .to_string()
            .contains("b.txt has the same text as a.txt"),
        "{}",
        summary["notes"]
    );
}

#[test]
fn an_overlap_as_large_as_the_size_is_a_settings_error() {
    let project = Project::empty();
    project
        .write("input/a.txt", "Mira audits.")
        .write("settings.yaml", "chunking:\n  size: 100\n  overlap: 100\n");
    let run = project.run(&["index"]).expect(2);
    assert!(
        run.stderr.contains("overlap") && run.stderr.contains("settings.yaml"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_nearest_key() {
    let project = Project::empty();
    project
        .write("input/a.txt", "Mira audits.")
        .write("settings.yaml", "# mine\nchunking:\n  sise: 100\n");
    let run = project.run(&["index"]).expect(2);
    for part in ["sise", "3", "size"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}

// See: https://github.com/open-webui/open-webui/issues/27094
#[test]
fn special_token_text_is_plain_text() {
    let project = Project::empty();
    let text = "The mark <|endoftext|> and <|im_start|> end a text of Mira Osei.";
    project.write("input/a.txt", text);
    project.run(&["index"]).expect(0);
    let units =
        belvedere::store::TableReader::open(&project.path("output"), "text_units").expect("units");
    assert_eq!(units.strings("text").expect("texts").get(0), text);
}

// See: https://github.com/microsoft/graphrag/issues/1832
#[test]
fn a_missing_text_column_names_the_columns_found() {
    let project = Project::empty();
    project.write("input/rows.csv", "title,body\na,b\n");
    let run = project.run(&["index"]).expect(2);
    for part in ["rows.csv", "text", "title", "body"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}

#[test]
fn a_corpus_without_any_relationship_is_indexed() {
    let project = Project::empty();
    project.write("input/a.txt", "It rained.");
    let summary = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(summary["reports"], 0);
}
