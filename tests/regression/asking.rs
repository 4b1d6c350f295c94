//! Faults of the commands that ask: `query`, `compare`, `chat`, `questions`, `prompt-tune`.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::stand_in::{Config, Scripted, StandIn};
use crate::support::Project;

const TEXT: &str = "Ana Ruiz of Harbor Trust met Bo Lind. Bo Lind repaired the pump at Harrow.";

/// A small index made without a model.
fn indexed() -> Project {
    let project = Project::empty();
    project.write("input/a.txt", TEXT);
    project.run(&["index", "--quiet"]).expect(0);
    project
}

/// An address where nobody listens.
fn nowhere() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    format!("http://127.0.0.1:{port}/v1")
}

fn model(kind: &str, base: &str) -> String {
    format!(
        "{kind}_models:\n  default_{kind}_model:\n    model_provider: stand-in\n    model: m\n    api_base: {base}\n"
    )
}

/// Commands that ask waited for minutes, without a word, for a server that was not running; `index` said so at once.
#[test]
fn a_server_that_is_not_there_is_named_at_once_by_every_command() {
    let project = indexed();
    let base = nowhere();
    let question = "Who is Ana Ruiz?";
    let is_told = |args: &[&str], typed: &str| {
        let mut command = project.command(args);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // Who does not read it closes the pipe.
        let _ = stdin.write_all(typed.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        let told: Vec<&str> = stderr.lines().collect();
        assert_eq!(told.len(), 1, "{args:?}: {stderr}");
        let begins = format!("error: cannot reach model m at {base}: ");
        assert!(told[0].starts_with(&begins), "{args:?}: {stderr}");
        assert!(
            told[0].ends_with("; check api_base and that the server is running"),
            "{args:?}: {stderr}"
        );
        let took = started.elapsed();
        assert!(took < Duration::from_secs(8), "{args:?}: {took:?}");
    };
    project.write("settings.yaml", model("completion", &base));
    for method in ["local", "global", "basic", "drift"] {
        is_told(&["query", "--method", method, question], "");
    }
    is_told(&["query", "--dynamic-community-selection", question], "");
    is_told(&["query", "--streaming", question], "");
    is_told(&["compare", question], "");
    is_told(&["questions", question], "");
    is_told(&["chat"], "Who is Ana Ruiz?\nWho is Bo Lind?\n");
    is_told(&["prompt-tune", "--output", "tuned"], "");
    is_told(&["estimate", "--quiet", "--sample", "1"], "");

    // The question is embedded by a model that is not there; the index has its vectors.
    let server = StandIn::start(Config::default());
    let both = model("completion", &server.base()) + &model("embedding", &server.base());
    project.write("settings.yaml", both);
    project.run(&["index", "--quiet"]).expect(0);
    project.write("settings.yaml", model("embedding", &base));
    is_told(&["query", "--method", "local", question], "");
    is_told(&["compare", "--methods", "local", question], "");
}

/// A sample, and a run that goes on, remembered the probe of a server that had stopped since, and waited for it.
#[test]
fn a_server_that_has_stopped_since_the_probe_is_named_at_once() {
    let project = Project::empty();
    for n in 0..4 {
        project.write(&format!("input/{n}.txt"), format!("{TEXT} Document {n}."));
    }
    let server = StandIn::start(Config::default());
    project.write("settings.yaml", model("completion", &server.base()));
    project
        .run(&["estimate", "--quiet", "--sample", "1"])
        .expect(0);
    drop(server);
    for args in [
        &["estimate", "--quiet", "--sample", "4"][..],
        &["index", "--quiet"],
    ] {
        let started = Instant::now();
        let run = project.run(args).expect(1);
        assert!(
            run.stderr.contains("cannot reach model m"),
            "{}",
            run.stderr
        );
        assert!(started.elapsed() < Duration::from_secs(8));
    }
}

/// The counterpart: who was reached and goes away for a moment is waited for.
#[test]
fn a_server_that_was_reached_is_waited_for() {
    let project = indexed();
    let server = StandIn::start(Config::default());
    let port = server.port;
    project.write("settings.yaml", model("completion", &server.base()));
    let mut child = project
        .command(&["chat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    stdin.write_all(b"Who is Ana Ruiz?\n").expect("it reads");
    // The time it took ends an answer.
    let mut answered = || {
        lines
            .by_ref()
            .map_while(Result::ok)
            .any(|line| line.ends_with(" s)"))
    };
    assert!(answered(), "with the server");
    drop(server);
    stdin.write_all(b"Who is Bo Lind?\n").expect("it reads");
    std::thread::sleep(Duration::from_millis(300));
    let _server = StandIn::start_at(port, Config::default());
    assert!(answered(), "with the server that came back");
    drop(stdin);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

/// What could not be written to standard output was lost with exit code 0.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_told() {
    let project = indexed();
    let question = "Who is Ana Ruiz?";
    let told = |args: &[&str], code: i32| {
        let mut command = project.command(args);
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        command.stdout(full.expect("a full device"));
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let output = command.output().expect("the binary starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
        assert!(
            stderr.starts_with("error: cannot write standard output: "),
            "{args:?}: {stderr}"
        );
    };
    for args in [
        &["query", question][..],
        &["compare", question],
        &["questions"],
        &["status"],
        &["entities"],
        &["entities", "--suspects"],
        &["doctor"],
        &["batches"],
        &["cache", "stats"],
        &["estimate", "--quiet"],
        &["index", "--quiet"],
    ] {
        told(args, 1);
        told(&[args, &["--json"]].concat(), 1);
    }
    told(&["init", "--root", "new"], 1);
    told(&["--help"], 1);
    told(&["query", "--help"], 1);
    told(&["--version"], 1);
}

/// The counterpart: who reads the first lines only is no error.
#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_error() {
    let project = indexed();
    for args in [&["status"][..], &["query", "Who is Ana Ruiz?"], &["--help"]] {
        let mut child = project
            .command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}");
    }
}

/// A page, a session or prompts that could not be written were found out after everything was paid for.
#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_told_before_it_is_paid_for() {
    let server = StandIn::start(Config::default());
    let project = indexed();
    project.write("settings.yaml", model("completion", &server.base()));
    project.write("file", "kept");
    project.write("talk", "");
    let pipe = std::process::Command::new("mkfifo")
        .arg(project.path("pipe"))
        .status();
    assert!(pipe.expect("mkfifo").success());
    let question = "Who is Ana Ruiz?";
    for (option, path) in [
        ("--html", "nowhere/page.html"),
        ("--html", "file/page.html"),
        ("--html", "input"),
        ("--session", "nowhere/talk.jsonl"),
        ("--session", "input"),
        ("--session", "/dev/zero"),
        ("--session", "pipe"),
        ("--output", "file"),
        ("--output", "file/prompts"),
    ] {
        let commands: &[&[&str]] = match option {
            "--html" => &[&["compare", question]],
            "--session" => &[&["query", question], &["chat"]],
            _ => &[&["prompt-tune"]],
        };
        for command in commands {
            let run = project
                .run(&[command, &[option, path][..]].concat())
                .expect(2);
            assert!(run.stderr.contains(option), "{path}: {}", run.stderr);
            assert_eq!(run.stderr.lines().count(), 1, "{path}: {}", run.stderr);
        }
    }
    assert_eq!(server.counts(|counts| counts.requests), 0);
    let kept = std::fs::read_to_string(project.path("file")).expect("a file");
    assert_eq!(kept, "kept");
}

/// What turned out at the end not to be writable took the answers with it, or was told as if nothing were wrong.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_is_shown_whatever_becomes_of_its_file() {
    let project = indexed();
    let question = "Who is Ana Ruiz?";
    let run = project
        .run(&["compare", "--html", "/dev/full", question])
        .expect(1);
    assert!(run.stdout.contains("== basic =="), "{}", run.stdout);
    assert!(run.stderr.contains("/dev/full"), "{}", run.stderr);

    // The file goes while the question is answered.
    let server = StandIn::start(Config {
        latency: Duration::from_millis(1500),
        ..Config::default()
    });
    project.write("settings.yaml", model("completion", &server.base()));
    project.write("talks/talk.jsonl", "");
    let asked = [
        "query",
        "--method",
        "basic",
        "--session",
        "talks/talk.jsonl",
        question,
    ];
    let child = project
        .command(&asked)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let limit = Instant::now() + Duration::from_secs(20);
    while server.counts(|counts| counts.requests) == 0 && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::fs::remove_dir_all(project.path("talks")).expect("a folder");
    let output = child.wait_with_output().expect("it ends");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("not kept") && stderr.contains("talk.jsonl"),
        "{stderr}"
    );
    assert!(
        stdout.contains("answer") && !stdout.contains("not kept"),
        "{stdout}"
    );
}

/// A judge that never ruled ended with exit code 0, and its failure advised an option that `compare` and `prompt-tune` have not.
#[test]
fn a_judge_that_does_not_rule_is_a_failure_with_advice_that_works() {
    let server = StandIn::start(Config::default());
    let project = indexed();
    let settings = model("completion", &server.base()) + "limits: {max_reasks: 0}\n";
    project.write("settings.yaml", settings);
    server.script([Scripted::text("I would rather not say.", "stop").only("comprehensiveness")]);
    let args = [
        "compare",
        "--judge",
        "--methods",
        "closed-book,basic",
        "Who is Ana Ruiz?",
    ];
    let run = project.run(&args).expect(3);
    assert!(
        run.stderr.contains("1 of 1 pairs were not judged"),
        "{}",
        run.stderr
    );
    assert!(
        run.stdout.contains("closed-book and basic were not judged"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("--retry-failed"), "{}", run.stdout);
    assert!(
        run.stdout.contains("run the same command again"),
        "{}",
        run.stdout
    );
    // As advised.
    project.run(&args).expect(0);

    server.script([Scripted::text("", "stop")]);
    let run = project.run(&["prompt-tune", "--output", "tuned"]).expect(1);
    assert!(!run.stderr.contains("--retry-failed"), "{}", run.stderr);
    project.run(&["prompt-tune", "--output", "tuned"]).expect(0);
}

/// A cap that the settings hold advised an option that commands which ask have not.
#[test]
fn a_cap_of_the_settings_is_named_by_its_key() {
    let server = StandIn::start(Config::default());
    let project = indexed();
    let settings = model("completion", &server.base()) + "budget: {max_tokens: 10}\n";
    project.write("settings.yaml", settings);
    let run = project.run(&["query", "Who is Ana Ruiz?"]).expect(1);
    assert!(
        run.stderr
            .contains("raise budget.max_tokens in settings.yaml"),
        "{}",
        run.stderr
    );
}

/// `--equal-budget 500 "Who?"` took 500 for the question.
#[test]
fn a_number_behind_equal_budget_is_its_value() {
    let project = indexed();
    let question = "Who is Ana Ruiz?";
    let ask = |args: &[&str]| {
        let found = project.run(&[&["compare", "--json"], args].concat());
        let found = found.expect(0).json();
        assert_eq!(found["questions"][0]["question"], question);
        found["equal_budget"].as_u64()
    };
    assert_eq!(ask(&["--equal-budget", "500", question]), Some(500));
    assert_eq!(ask(&[question, "--equal-budget", "500"]), Some(500));
    assert_eq!(ask(&["--equal-budget=500", question]), Some(500));
    assert_eq!(ask(&["--equal-budget", question]), Some(12_000));
    let number = ["compare", "--equal-budget=500", "--json", "--", "500"];
    let found = project.run(&number).expect(0).json();
    assert_eq!(found["questions"][0]["question"], "500");
}

/// "Nothing in the index bears on this question." counted as a statement, and there was such a thing as "1 statements".
#[test]
fn an_answer_that_finds_nothing_states_nothing_and_one_is_singular() {
    let project = indexed();
    let text = project.run(&["compare", "Zebra?"]).expect(0).stdout;
    assert!(text.contains("Nothing in the index bears on"), "{text}");
    let asked = ["compare", "--json", "--methods", "basic", "Zebra?"];
    let found = project.run(&asked).expect(0).json();
    let basic = &found["questions"][0]["methods"][0];
    assert_eq!(basic["claims"], 0, "{basic:#}");
    assert_eq!(basic["only_here"], serde_json::json!([]));

    // One document of one text unit: whatever is counted here is often one.
    let question = "Who is Ana Ruiz?";
    for args in [
        &["compare", question][..],
        &["query", "--evidence", question],
        &["query", "--method", "local", "--evidence", question],
        &["status"],
        &["doctor"],
        &["index"],
        &["index", "--force"],
        &["estimate"],
    ] {
        let run = project.run(args);
        let shown = format!("{}{}", run.stdout, run.stderr);
        let lines = shown
            .lines()
            .map(|line| line.split_whitespace().chain([""]).collect());
        let windows: Vec<Vec<&str>> = lines
            .flat_map(|words: Vec<&str>| words.windows(3).map(<[&str]>::to_vec).collect::<Vec<_>>())
            .collect();
        for pair in windows {
            let counted = pair[0].trim_start_matches('(') == "1"
                && ["of", "in", "to", "by"].iter().all(|word| *word != pair[1]);
            let plural = |word: &str| {
                let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
                word.ends_with('s') && !word.ends_with("ss") && word != "is"
            };
            let two_words = ["text", "likely"].contains(&pair[1]) && plural(pair[2]);
            let wrong = counted && (plural(pair[1]) || two_words);
            assert!(!wrong, "{args:?}: {pair:?} in {shown}");
        }
    }
}

/// Question words were listed among the words that no text holds, and an entity named by one letter was not found by its name.
#[test]
fn question_words_are_not_missed_and_one_letter_is_a_name() {
    let project = Project::empty();
    project.write(
        "people.csv",
        "title,description\nA,The first ship.\nBoat,A small one.\n",
    );
    project.write(
        "links.csv",
        "source,target,description\nA,Boat,A carries it.\n",
    );
    let index = [
        "index",
        "--quiet",
        "--entities",
        "people.csv",
        "--relationships",
        "links.csv",
    ];
    project.run(&index).expect(0);
    let asked = ["query", "--method", "local", "--json", "What is A?"];
    let found = project.run(&asked).expect(0).json();
    assert_eq!(found["anchors"][0]["title"], "A", "{found:#}");
    assert_eq!(found["anchors"][0]["matched"], "name", "{found:#}");
    for question in [
        "What is A?",
        "What is it and who was there?",
        "What is Zeppelin?",
    ] {
        let run = project
            .run(&["query", "--method", "local", question])
            .expect(0);
        let missed: Vec<&str> = run
            .stdout
            .lines()
            .filter(|line| line.contains("no text of the index holds"))
            .collect();
        let expected: &[&str] = match question.contains("Zeppelin") {
            true => &["(no text of the index holds: Zeppelin)"],
            false => &[],
        };
        assert_eq!(missed, expected, "{question}");
    }
}

/// A full standard error stopped everything with a panic.
#[cfg(target_os = "linux")]
#[test]
fn a_standard_error_that_cannot_be_written_stops_nothing() {
    let project = Project::empty();
    project.write("input/a.txt", TEXT);
    let full = || {
        let device = std::fs::OpenOptions::new().write(true).open("/dev/full");
        device.expect("/dev/full")
    };
    let code = |args: &[&str]| {
        let run = project.command(args).stderr(full()).output();
        run.expect("started").status.code()
    };
    assert_eq!(code(&["index"]), Some(0));
    assert_eq!(code(&["query", "Who met Bo Lind?"]), Some(0));
    assert_eq!(
        code(&["query", "--level", "99", "Who met Bo Lind?"]),
        Some(2)
    );
}

/// `--equal-budget` bounded what the context held, and answers without a model were made of everything that was found.
#[test]
fn an_equal_budget_bounds_answers_without_a_model_too() {
    let project = Project::empty();
    let filling = "It was noted and nobody said more of it at the time. ".repeat(60);
    project.write(
        "input/a.txt",
        format!("{TEXT} {filling}Bo Lind left Harrow in May. {filling}"),
    );
    project.write("input/b.txt", "Bo Lind wrote to Harbor Trust.");
    project.run(&["index", "--quiet"]).expect(0);
    let args = [
        "compare",
        "--methods",
        "basic,local",
        "--json",
        "Who is Bo Lind?",
    ];
    let cited = |args: &[&str]| {
        let found = project.run(args).expect(0).json();
        let columns = found["questions"][0]["methods"].as_array().cloned();
        let titles = |column: &serde_json::Value| {
            let rows = column["answer"]["citations"].as_array().cloned();
            let rows = rows.expect("citations").into_iter();
            let sources = rows.filter(|row| row["kind"] == "Sources");
            let titles: Vec<String> = sources.map(|row| row["title"].to_string()).collect();
            titles.concat()
        };
        let columns: Vec<String> = columns.expect("methods").iter().map(titles).collect();
        (columns, found["notes"].to_string())
    };
    for titles in cited(&args).0 {
        assert!(titles.contains("a.txt"), "{titles}");
    }
    // The long text unit does not fit.
    let (bound, notes) = cited(&[&args[..], &["--equal-budget=500"]].concat());
    for titles in bound {
        assert!(!titles.contains("a.txt"), "{titles}");
    }
    assert!(!notes.contains("no text unit fits"), "{notes}");
    std::fs::remove_file(project.path("input/b.txt")).expect("a file");
    project.run(&["index", "--quiet"]).expect(0);
    let (_, notes) = cited(&[&args[..], &["--equal-budget=500"]].concat());
    assert!(notes.contains("no text unit fits"), "{notes}");
}

/// Of a question of more than 64 words any 64 were searched for, those of the corpus or not; and of words that no text holds
/// every one was listed.
#[test]
fn a_long_question_finds_what_it_asks_for() {
    let project = indexed();
    let words: Vec<String> = (0..500).map(|at| format!("zyx{at}q")).collect();
    let words = words.join(" ");
    for question in [format!("Bo Lind {words}"), format!("{words} Bo Lind")] {
        let run = project
            .run(&["query", "--method", "basic", &question])
            .expect(0);
        assert!(run.stdout.contains("Bo Lind repaired"), "{}", run.stdout);
        assert!(run.stdout.contains(" more)"), "{}", run.stdout);
        assert_eq!(run.stdout.matches("zyx").count(), 20, "{}", run.stdout);
    }
}

/// A server that only failed was asked again for minutes without a word.
#[test]
fn whoever_waits_for_a_server_is_told() {
    let server = StandIn::start(Config::default());
    let project = indexed();
    project.write(
        "settings.yaml",
        format!(
            "{}    retry: {{max_delay: 0.1}}\n",
            model("completion", &server.base())
        ),
    );
    let busy = || Scripted::status(503, "{}").header("retry-after", "1");
    server.script((0..5).map(|_| busy()));
    let run = project.run(&["query", "--method", "basic", "Who is Ana Ruiz?"]);
    let run = run.expect(0);
    let told = run.stderr.matches("has answered nothing for ").count();
    assert_eq!(told, 1, "{}", run.stderr);
    assert!(run.stderr.contains("503"), "{}", run.stderr);
}

/// The key that the original's `init` leaves to be replaced was called empty, and `estimate` promised fewer calls for vectors than a
/// run makes at least: one for each kind of text.
#[test]
fn a_placeholder_is_called_one_and_vectors_are_reckoned_by_kind() {
    let server = StandIn::start(Config::default());
    let project = Project::with_demo_input();
    let settings = format!(
        "completion_models:\n  default_completion_model:\n    model_provider: stand-in\n    model: m\n    api_base: {0}\nembedding_models:\n  default_embedding_model:\n    model_provider: stand-in\n    model: e\n    api_base: {0}\n    api_key: ${{GRAPHRAG_API_KEY}}\n",
        server.base()
    );
    project.write("settings.yaml", &settings);
    project.write(".env", "GRAPHRAG_API_KEY=<API_KEY>\n");
    let told = project.run(&["status"]).expect(2).stderr;
    assert!(
        told.contains("is still the placeholder <API_KEY>"),
        "{told}"
    );
    project.write(".env", "GRAPHRAG_API_KEY=sk\n");
    let estimate = project.run(&["estimate", "--json"]).expect(0).json();
    let stages = estimate["stages"].as_array().unwrap();
    let vectors = stages.iter().find(|stage| stage["stage"] == "embed_text");
    let least = vectors.unwrap()["calls"]["low"].as_f64().unwrap();
    assert!(least >= 3.0, "{estimate}");
}

/// Where the answer cache could not be used a question was refused, though an answer need not be kept.
#[test]
fn a_question_is_answered_where_nothing_can_be_kept() {
    let server = StandIn::start(Config::default());
    let project = indexed();
    project.write("settings.yaml", model("completion", &server.base()));
    // A file in the place of the folder.
    project.write("cache", "");
    let run = project.run(&["query", "--method", "basic", "Who is Ana Ruiz?"]);
    let run = run.expect(0);
    let notes = run.stderr.matches("; answers are not kept").count();
    assert_eq!(notes, 1, "{}", run.stderr);
    project.run(&["index", "--force"]).expect(2);
}
