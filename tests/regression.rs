//! Faults that were reported, each with the test that would have caught it.

#[path = "regression/asking.rs"]
mod asking;
#[path = "support/stand_in.rs"]
mod stand_in;
mod support;

use std::time::Duration;

use stand_in::{Config, Scripted, StandIn};
use support::Project;

fn settings(server: &StandIn, call_args: &str) -> String {
    format!(
        "completion_models:\n  default_completion_model:\n    model_provider: stand-in\n    model: m\n    api_base: {}\n    call_args: {call_args}\n    retry: {{max_delay: 0.05}}\nextract_graph: {{max_gleanings: 0}}\n",
        server.base()
    )
}

/// A small model on a busy machine took longer than the timeout for every answer, and the run never ended: each call was made
/// again and again with the same time.
#[test]
fn a_server_slower_than_the_timeout_is_given_more_time() {
    let server = StandIn::start(Config {
        latency: Duration::from_millis(500),
        ..Config::default()
    });
    let project = Project::empty();
    project.write(
        "input/a.txt",
        "Ana Ruiz of Harbor Trust met Bo Lind in Port Lune.",
    );
    project.write("settings.yaml", settings(&server, "{timeout: 0.2}"));
    let summary = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(summary["failed"], 0, "{}", summary["troubles"]);
    assert!(
        summary["notes"].to_string().contains("call_timeout"),
        "{}",
        summary["notes"]
    );
}

/// `index` told of files that could not be read once, and from then on that all was well.
#[test]
fn what_could_not_be_read_is_told_again_and_by_status() {
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    project.write("input/b.pdf", "no pdf");
    project.run(&["index", "--quiet"]).expect(3);
    let again = project.run(&["index", "--quiet"]).expect(3);
    assert!(
        again.stdout.contains("not read       1"),
        "{}",
        again.stdout
    );
    let status = project.run(&["status"]).expect(0);
    assert!(status.stdout.contains("b.pdf"), "{}", status.stdout);
    let status = project.run(&["status", "--json"]).expect(0).json();
    assert_eq!(status["not_read"][0][0], "b.pdf");
}

/// A file's name could clear the screen or forge a line of the summary.
#[cfg(unix)]
#[test]
fn file_names_do_not_reach_the_terminal_raw() {
    let project = Project::empty();
    let text = "Ana Ruiz of Harbor Trust met Bo Lind.";
    project.write("input/plain.txt", text);
    project.write("input/esc\x1b[31mX\nfailed 0.txt", text);
    project.write("input/esc\x1b[2J.pdf", "no pdf");
    let run = project.run(&["index"]).expect(3);
    let status = project.run(&["status"]).expect(0);
    for shown in [&run.stdout, &run.stderr, &status.stdout] {
        assert!(!shown.contains('\x1b'), "{shown:?}");
        assert!(!shown.contains("X\nfailed 0"), "{shown}");
    }
}

/// One table that is no document stopped the whole run.
#[test]
fn a_table_without_text_costs_itself_alone() {
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    project.write("input/sums.csv", "month,sum\nMay,3\n");
    let summary = project.run(&["index", "--json"]).expect(3).json();
    assert_eq!(summary["documents"], 1);
    let trouble = &summary["troubles"][0];
    assert_eq!(trouble["item"], "sums.csv");
    let detail = trouble["detail"].as_str().expect("why");
    assert!(
        detail.contains("'month'") && detail.contains("input.text_column"),
        "{detail}"
    );
}

/// Parquet as common writers compress it by default was refused.
#[test]
fn parquet_is_read_however_it_is_compressed() {
    use parquet::basic::{BrotliLevel, Compression, ZstdLevel};
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::{properties::WriterProperties, writer::SerializedFileWriter};
    let project = Project::empty();
    std::fs::create_dir_all(project.path("input")).expect("a folder");
    let kinds = [
        ("zstd", Compression::ZSTD(ZstdLevel::default())),
        ("lz4", Compression::LZ4_RAW),
        ("brotli", Compression::BROTLI(BrotliLevel::default())),
    ];
    for (name, compression) in kinds {
        let schema = parquet::schema::parser::parse_message_type(
            "message schema { REQUIRED BYTE_ARRAY text (UTF8); }",
        )
        .expect("a schema");
        let path = project.path(&format!("input/{name}.parquet"));
        let file = std::fs::File::create(path).expect("a file");
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .build();
        let mut writer =
            SerializedFileWriter::new(file, schema.into(), properties.into()).expect("a writer");
        let mut group = writer.next_row_group().expect("a row group");
        let mut column = group.next_column().expect("no error").expect("a column");
        let text = format!("Ana Ruiz of Harbor Trust met Bo Lind about {name}.");
        column
            .typed::<ByteArrayType>()
            .write_batch(&[ByteArray::from(text.as_str())], None, None)
            .expect("written");
        column.close().expect("closed");
        group.close().expect("closed");
        writer.close().expect("closed");
    }
    let summary = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(summary["documents"], 3, "{}", summary["troubles"]);
}

/// An embedding model that could not be reached was waited for without a word.
#[test]
fn an_embedding_model_out_of_reach_is_named_by_the_probe() {
    let server = StandIn::start(Config::default());
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    let nobody = "embedding_models:\n  default_embedding_model:\n    model_provider: stand-in\n    model: e\n    api_base: http://127.0.0.1:1/v1\n    retry: {max_delay: 0.05}\n";
    project.write("settings.yaml", settings(&server, "{}") + nobody);
    let run = project.run(&["index"]).expect(1);
    assert!(
        run.stderr
            .contains("cannot reach model e at http://127.0.0.1:1/v1"),
        "{}",
        run.stderr
    );
}

/// A quotation of a list item began after the place that its span gave.
#[test]
fn the_span_of_a_citation_begins_with_its_text() {
    let project = Project::empty();
    let text = "Notes\n\n- Ana Ruiz repaired the Harbor pump.\n1. Bo Lind paid Harbor Trust.\n";
    project.write("input/a.txt", text);
    project.run(&["index", "--quiet"]).expect(0);
    for question in ["Who repaired the Harbor pump?", "Who paid Harbor Trust?"] {
        let answer = project
            .run(&["query", "--method", "basic", "--json", question])
            .expect(0)
            .json();
        let cited = answer["citations"].as_array().expect("citations");
        assert!(!cited.is_empty());
        for citation in cited {
            let place = |key: &str| citation[key].as_u64().expect("a place") as usize;
            let held: String = text
                .chars()
                .skip(place("start"))
                .take(place("end") - place("start"))
                .collect();
            assert_eq!(held, citation["text"].as_str().expect("a text"));
        }
    }
}

/// One text that the provider's filter refused cost the vectors of all texts in its request.
#[test]
fn a_text_refused_by_the_embedding_model_costs_its_own_vector_alone() {
    let server = StandIn::start(Config::default());
    let project = Project::empty();
    for n in 0..6 {
        let text = format!("Document {n}: Ana Ruiz of Harbor Trust met Bo Lind.");
        project.write(&format!("input/{n}.txt"), text);
    }
    let embedding = format!(
        "embedding_models:\n  default_embedding_model:\n    model_provider: stand-in\n    model: e\n    api_base: {}\n",
        server.base()
    );
    project.write("settings.yaml", settings(&server, "{}") + &embedding);
    let filtered = r#"{"error":{"code":"content_filter","message":"The response was filtered."}}"#;
    // As the first text of its request or not: all six, the half, the one.
    let refusal = || Scripted::status(400, filtered).only("\"Document 3");
    server.script([refusal(), refusal(), refusal()]);
    let summary = project.run(&["index", "--json"]).expect(3).json();
    assert_eq!(summary["failed"], 1, "{}", summary["troubles"]);
    let troubles = summary["troubles"].to_string();
    assert!(
        troubles.contains("vector of text_unit_text 3"),
        "{troubles}"
    );
    let again = project
        .run(&["index", "--retry-failed", "--json"])
        .expect(0)
        .json();
    assert_eq!(again["failed"], 0, "{}", again["troubles"]);
}

/// Faults of the user ended with exit code 1, as if the program had failed.
#[test]
fn what_the_user_must_correct_exits_with_2() {
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    project.run(&["query", "Who is Ana Ruiz?"]).expect(2);
    let missing = ["query", "--data", "nowhere", "Who is Ana Ruiz?"];
    project.run(&missing).expect(2);
    for (status, words) in [(401, "no such key"), (404, "no such model")] {
        let server = StandIn::start(Config::default());
        server.script([Scripted::status(status, words)]);
        project.write("settings.yaml", settings(&server, "{}"));
        let run = project.run(&["index"]).expect(2);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    project.write("input/a.pdf", "no pdf");
    std::fs::remove_file(project.path("input/a.txt")).expect("a file");
    std::fs::remove_file(project.path("settings.yaml")).expect("a file");
    project.run(&["index"]).expect(2);
}

/// A folder in the place of the settings counted as no settings, and the defaults were used without a word.
#[test]
fn a_settings_file_that_is_a_folder_is_told() {
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    std::fs::create_dir(project.path("settings.yaml")).expect("a folder");
    let run = project.run(&["index"]).expect(2);
    assert!(run.stderr.contains("settings.yaml"), "{}", run.stderr);
}

/// One model without a price hid what the others cost, and was not named.
#[test]
fn a_model_without_a_price_is_named_beside_the_known_cost() {
    let server = StandIn::start(Config::default());
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    let models = format!(
        "    prices: {{input_per_million: 1000.0, output_per_million: 1000.0}}\nembedding_models:\n  default_embedding_model:\n    model_provider: stand-in\n    model: unpriced-e\n    api_base: {}\n",
        server.base()
    );
    let text =
        settings(&server, "{}").replace("extract_graph:", &format!("{models}extract_graph:"));
    project.write("settings.yaml", text);
    let run = project.run(&["index"]).expect(0);
    let status = project.run(&["status"]).expect(0);
    for shown in [&run.stdout, &status.stdout] {
        assert!(
            shown.contains("at least ") && shown.contains("(no price for unpriced-e;"),
            "{shown}"
        );
    }
    let status = project.run(&["status", "--json"]).expect(0).json();
    assert_eq!(status["spent"]["unpriced"][0], "unpriced-e", "{status:#}");
    assert!(status["spent"]["known_cost"].as_f64() > Some(0.0));
}

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
