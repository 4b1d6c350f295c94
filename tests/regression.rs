//! Faults that were reported, each with the test that would have caught it.

#[path = "regression/answers.rs"]
mod answers;
#[path = "regression/asking.rs"]
mod asking;
#[path = "regression/graph.rs"]
mod graph;
#[path = "regression/names.rs"]
mod names;
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

/// The estimate named built-in prices though all it reckoned with stood in the settings.
#[test]
fn built_in_prices_are_named_only_where_they_are_used() {
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    let prices = "    prices: {input_per_million: 1.0, output_per_million: 2.0}\n";
    for (chat, embedding, named) in [("", "", true), (prices, "", true), (prices, prices, false)] {
        project.write(
            "settings.yaml",
            format!(
                "completion_models:\n  default_completion_model:\n    model_provider: openai\n    model: gpt-4o-mini\n    api_key: k\n{chat}embedding_models:\n  default_embedding_model:\n    model_provider: openai\n    model: text-embedding-3-small\n    api_key: k\n{embedding}"
            ),
        );
        let estimate = project.run(&["estimate", "--json"]).expect(0).json();
        assert!(estimate["cost"].is_object(), "{estimate:#}");
        let notes = estimate["notes"].to_string();
        assert_eq!(notes.contains("built-in prices"), named, "{notes}");
    }
}

/// The text units that a graph's rows name were passed over in silence where none were given.
#[test]
fn text_units_that_are_named_and_not_given_are_told() {
    let project = Project::empty();
    project.write("e.csv", "title,text_unit_ids\nAna,t1;t2\nBo,t1\nCy,\n");
    project.write(
        "r.jsonl",
        "{\"source\": \"Ana\", \"target\": \"Bo\", \"text_unit_ids\": [\"t1\"]}\n",
    );
    project.write("t.csv", "id,text\nt1,Ana met Bo.\nt2,Ana left.\n");
    let args = [
        "index",
        "--json",
        "--entities",
        "e.csv",
        "--relationships",
        "r.jsonl",
    ];
    let notes = |more: &[&str]| {
        let all = [&args[..], more].concat();
        project.run(&all).expect(0).json()["notes"].to_string()
    };
    let told = notes(&[]);
    assert!(
        told.contains("text_unit_ids of 2 entities and 1 relationships")
            && told.contains("--text-units"),
        "{told}"
    );
    let told = notes(&["--text-units", "t.csv"]);
    assert!(!told.contains("text_unit_ids"), "{told}");
}

/// What was said to be read before a fault of a file need not have been.
#[test]
fn a_broken_table_of_documents_says_what_was_read_of_it() {
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    project.write("input/none.json", "{\"text\": \"Ana Ruiz met");
    project.write("input/one.json", "[{\"text\": \"Ana Ruiz met Bo.\"}, {\"te");
    project.write(
        "input/two.json",
        "[{\"text\": \"Ana Ruiz left.\"}, {\"text\": \"Bo Lind left.\"}, oops",
    );
    project.write(
        "input/lines.json",
        "{\"text\": \"Bo Lind came.\"}\n{\"text\": \"Ana came.\"}\n",
    );
    let summary = project.run(&["index", "--json"]).expect(3).json();
    let detail = |item: &str| {
        let troubles = summary["troubles"].as_array().expect("troubles");
        let found = troubles.iter().find(|trouble| trouble["item"] == item);
        found.expect(item)["detail"].to_string()
    };
    assert_eq!(summary["documents"], 1 + 1 + 2 + 1);
    for (item, read) in [
        ("none.json", "nothing of it was read"),
        ("one.json", "the document before that was read"),
        ("two.json", "the 2 documents before that were read"),
        ("lines.json", "the document before that was read"),
    ] {
        assert!(detail(item).contains(read), "{}", detail(item));
    }
    assert!(detail("lines.json").contains(".jsonl"));
}

/// A pipe in the input folder was passed over in silence; one given as a graph was waited for.
#[cfg(unix)]
#[test]
fn pipes_are_named_and_never_waited_for() {
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    let pipe = |name: &str| {
        let made = std::process::Command::new("mkfifo")
            .arg(project.path(name))
            .status();
        assert!(made.expect("mkfifo").success());
    };
    pipe("input/b.txt");
    pipe("e.csv");
    let summary = project.run(&["index", "--json"]).expect(0).json();
    let notes = summary["notes"].to_string();
    assert!(notes.contains("pipe") && notes.contains("b.txt"), "{notes}");
    project.write("r.csv", "source,target\nAna,Bo\n");
    let args = ["index", "--entities", "e.csv", "--relationships", "r.csv"];
    let error = project.run(&args).expect(2).stderr;
    assert!(error.contains("not a regular file"), "{error}");
    std::fs::remove_file(project.path("input/a.txt")).expect("removed");
    let error = project.run(&["index"]).expect(2).stderr;
    assert!(error.contains("b.txt: no regular file"), "{error}");
}

/// A command with `--json` that failed left standard output empty, and `cache` put prose there.
#[test]
fn json_is_what_a_script_gets_whatever_happens() {
    let project = Project::empty();
    project.write("input/a.txt", "Ana Ruiz of Harbor Trust met Bo Lind.");
    for args in [
        &["query", "--json", "Who is Ana Ruiz?"][..],
        &["compare", "--json", "Who is Ana Ruiz?"],
        &["questions", "--json"],
        &["entities", "--json"],
        &["doctor", "--json"],
        &[
            "index",
            "--json",
            "--entities",
            "e.csv",
            "--relationships",
            "r.csv",
        ],
        &["estimate", "--json", "--sample", "2"],
        &["status", "--json", "--root", "nowhere"],
        &["cache", "stats", "--json", "--root", "nowhere"],
        &["batches", "--json", "--root", "nowhere"],
    ] {
        let run = project.run(args).expect(2);
        let error = &run.json()["error"];
        assert_eq!(error["exit_code"], 2, "{args:?}");
        let message = error["message"].as_str().expect("a message");
        assert!(
            !message.is_empty() && run.stderr.contains(message),
            "{args:?}: {}",
            run.stderr
        );
        let words: Vec<&str> = args
            .iter()
            .copied()
            .filter(|word| *word != "--json")
            .collect();
        assert_eq!(project.run(&words).expect(2).stdout, "", "{words:?}");
    }
    for (action, figure) in [
        ("stats", "answers"),
        ("verify", "intact"),
        ("prune", "kept"),
    ] {
        let told = project.run(&["cache", action, "--json"]).expect(0).json();
        assert_eq!(told[figure], 0, "{action}: {told:#}");
        assert!(
            !project.path("cache").exists(),
            "nothing is made for the asking"
        );
    }
    // Where the answers themselves tell of the failure, they are the one document.
    project.run(&["index", "--quiet"]).expect(0);
    let server = StandIn::start(Config::default());
    server.script((0..8).map(|_| Scripted::status(400, "refused")));
    project.write("settings.yaml", settings(&server, "{}"));
    let args = [
        "compare",
        "--json",
        "--methods",
        "closed-book,basic",
        "Who is Ana Ruiz?",
    ];
    let compared = project.run(&args).expect(1);
    assert!(compared.json()["error"].is_null(), "{}", compared.stdout);
    assert!(
        compared.stderr.contains("no method answered"),
        "{}",
        compared.stderr
    );
}

/// A run that was killed had sent more calls than `status` told.
#[test]
fn calls_in_flight_at_a_kill_are_told() {
    let server = StandIn::start(Config::default());
    let project = Project::empty();
    for (name, who) in [("a", "Ana Ruiz"), ("b", "Bo Lind"), ("c", "Mira Osei")] {
        project.write(
            &format!("input/{name}.txt"),
            format!("{who} of Harbor Trust repaired the Halewick pump."),
        );
    }
    project.write("settings.yaml", settings(&server, "{}"));
    server.configure(|config| config.latency = Duration::from_secs(2));
    let mut child = project
        .command(&["index", "--quiet"])
        .spawn()
        .expect("the binary starts");
    // The probe, and a call for each text.
    while server.counts(|counts| counts.requests) < 4 {
        assert!(child.try_wait().expect("a status").is_none(), "it runs");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(200));
    child.kill().expect("killed");
    child.wait().expect("reaped");
    let status = project.run(&["status", "--json"]).expect(0).json();
    assert_eq!(
        (&status["spent"]["sent"], &status["unended_calls"]),
        (&1.into(), &3.into())
    );
    server.configure(|config| config.latency = Duration::ZERO);
    project.run(&["index", "--quiet"]).expect(0);
    let status = project.run(&["status", "--json"]).expect(0).json();
    let sent = status["spent"]["sent"].as_u64().expect("a number");
    assert_eq!(sent + 3, server.counts(|counts| counts.requests));
    assert_eq!(status["unended_calls"], 3);
    let status = project.run(&["status"]).expect(0).stdout;
    assert!(status.contains("3 more calls"), "{status}");
}
