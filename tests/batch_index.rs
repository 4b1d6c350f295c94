//! `index --batch` against a stand-in of the provider's Batch API: clean, killed, partial, refused, capped.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use stand_in::batch::Behaviour;
use stand_in::{Config, Faults, Scripted, StandIn};
use support::{Killer, Project};

fn settings(server: &StandIn, more: &str) -> String {
    format!(
        "completion_models:
  default_completion_model:
    model_provider: openai
    model: stand-in
    api_base: {}
    api_key: sk-test-secret
    prices: {{ input_per_million: 2.0, output_per_million: 8.0 }}
    retry: {{ max_delay: 0.05 }}
extract_claims: {{ enabled: true }}
summarize_descriptions: {{ min_tokens: 0 }}
batch: {{ linger: 0.3, poll: 0.05 }}
{more}",
        server.base()
    )
}

/// A dozen small documents that share names, so that every stage has something to ask.
fn project(server: &StandIn, more: &str) -> Project {
    let project = Project::empty();
    for n in 0..12 {
        let text = format!(
            "Ana Ruiz of Harbor Trust met Bo Lind in Port Lune in year {n}. Harbor Trust pays Bo Lind. Person{n} Walker of Quay{} Works knows Ana Ruiz.",
            n % 3
        );
        project.write(
            &format!("input/{n:02}.txt"),
            text.replace("Person", ["Mara", "Tove", "Ilse", "Runa"][n % 4]),
        );
    }
    project.write("settings.yaml", settings(server, more));
    project
}

fn behaving(batch: Behaviour) -> StandIn {
    StandIn::start(Config {
        batch,
        ..Config::default()
    })
}

/// The tables of a direct run over the same documents, with its cost.
fn direct(more: &str) -> (BTreeMap<String, String>, f64) {
    let server = StandIn::start(Config::default());
    let project = project(&server, more);
    let summary = project
        .run(&["index", "--json", "--quiet"])
        .expect(0)
        .json();
    (
        project.table_hashes(),
        summary["usage"]["cost"].as_f64().expect("a cost"),
    )
}

fn chat_requests(server: &StandIn) -> u64 {
    // the probe is the only question that may be sent by itself
    server.counts(|counts| counts.requests)
}

fn records(project: &Project) -> usize {
    std::fs::read_dir(project.path("cache/batches")).map_or(0, |entries| entries.count())
}

/// Starts a command and waits until the server has seen what it should.
fn start_until(project: &Project, args: &[&str], seen: impl Fn() -> bool) -> std::process::Child {
    let mut child = project
        .command(args)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let start = Instant::now();
    while !seen() {
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "the server never saw it"
        );
        assert!(
            child.try_wait().expect("a status").is_none(),
            "it ended early"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

#[test]
fn a_batch_run_gives_the_tables_of_a_direct_one_at_half_the_price() {
    let (expected, cost) = direct("");
    let server = behaving(Behaviour {
        looks: 2,
        ..Behaviour::default()
    });
    let project = project(&server, "");
    let run = project.run(&["index", "--batch", "--json"]).expect(0);
    let summary = run.json();
    assert_eq!(project.table_hashes(), expected);
    assert!(
        run.stderr.contains("batch 1 of 1: ") && run.stderr.contains(" done"),
        "{}",
        run.stderr
    );
    let made = server.batches(|batches| batches.made.len());
    // extraction with claims, their gleanings with the question whether there is more, summaries, levels of reports
    assert!((3..=9).contains(&made), "{made} batches");
    assert!(server.batches(|batches| batches.made[0].lines) >= 24);
    let alone = server.counts(|counts| counts.by_kind.clone());
    let lines = server.batches(|batches| batches.lines()) as u64;
    assert_eq!(
        alone.values().sum::<u64>(),
        lines + 1,
        "only the probe went by itself: {alone:?}"
    );
    let half = summary["usage"]["cost"].as_f64().expect("a cost");
    // the probe is paid in full in both
    let probe = 1e-4;
    assert!((half - cost / 2.0).abs() < probe, "{half} against {cost}");
    assert_eq!(records(&project), 0, "nothing is left to be fetched");
    let status = project.run(&["status", "--json"]).expect(0).json();
    assert!((status["spent"]["cost"].as_f64().expect("a cost") - half).abs() < 1e-9);

    // the other way round: a direct run finds every answer in the cache
    let before = chat_requests(&server);
    let again = project
        .run(&["index", "--force", "--json", "--quiet"])
        .expect(0)
        .json();
    assert_eq!(again["usage"]["calls"], 1, "the probe");
    assert_eq!(chat_requests(&server), before + 1);
    assert_eq!(project.table_hashes(), expected);
}

#[test]
fn answers_of_a_direct_run_need_no_batch() {
    let server = behaving(Behaviour::default());
    let project = project(&server, "");
    project.run(&["index", "--quiet"]).expect(0);
    project
        .run(&["index", "--batch", "--force", "--quiet"])
        .expect(0);
    assert_eq!(server.batches(|batches| batches.made.len()), 0);
}

#[cfg(unix)]
#[test]
fn a_run_killed_between_sending_and_fetching_sends_nothing_twice() {
    let (expected, _) = direct("");
    let server = behaving(Behaviour {
        stuck: true,
        ..Behaviour::default()
    });
    let project = project(&server, "");
    for _ in 0..3 {
        let mut child = start_until(&project, &["index", "--batch"], || {
            server.batches(|batches| !batches.made.is_empty()) && records(&project) > 0
        });
        std::thread::sleep(Duration::from_millis(500));
        child.kill().expect("killed");
        child.wait().expect("reaped");
    }
    assert_eq!(server.batches(|batches| batches.made.len()), 1);
    // without --batch the answers that are on their way would be paid for twice
    let refused = project.run(&["index"]).expect(2);
    assert!(
        refused.stderr.contains("24 requests") && refused.stderr.contains("--batch"),
        "{}",
        refused.stderr
    );
    let listed = project.run(&["batches", "--json"]).expect(0).json();
    assert_eq!(listed[0]["batch"], "batch_0");
    server.configure(|config| config.batch.stuck = false);
    project.run(&["index", "--batch", "--quiet"]).expect(0);
    assert_eq!(project.table_hashes(), expected);
    assert_eq!(server.repeated_answers(), 0);
    assert!(
        server.batches(|batches| batches.sent.values().all(|&times| times == 1)),
        "no question was in two batches"
    );
    assert_eq!(records(&project), 0);
}

#[cfg(unix)]
#[test]
fn a_run_killed_before_it_learnt_the_batchs_id_finds_it_by_name() {
    let (expected, _) = direct("");
    let server = behaving(Behaviour {
        silent_creations: 1,
        ..Behaviour::default()
    });
    let project = project(&server, "");
    let mut child = start_until(&project, &["index", "--batch"], || {
        server.batches(|batches| !batches.made.is_empty())
    });
    child.kill().expect("killed");
    child.wait().expect("reaped");
    project.run(&["index", "--batch", "--quiet"]).expect(0);
    assert_eq!(project.table_hashes(), expected);
    assert!(server.batches(|batches| batches.sent.values().all(|&times| times == 1)));
}

#[cfg(unix)]
#[test]
fn killed_at_random_moments_it_sends_nothing_twice() {
    let (expected, _) = direct("");
    let mut killer = Killer::new(10);
    while killer.left > 0 {
        let server = behaving(Behaviour {
            looks: 4,
            ..Behaviour::default()
        });
        let project = project(&server, "");
        let command = || {
            let mut command = project.command(&["index", "--batch", "--quiet", "--json"]);
            command.stdout(std::process::Stdio::null());
            command
        };
        while killer.kills(command(), 100..1000) {}
        assert_eq!(project.table_hashes(), expected);
        assert_eq!(server.repeated_answers(), 0);
        let sent = server.batches(|batches| batches.sent.clone());
        let twice = sent.values().filter(|&&times| times > 1).count();
        assert_eq!(twice, 0, "questions that were sent in two batches");
    }
}

#[test]
fn a_creation_that_was_not_confirmed_is_not_repeated() {
    let server = behaving(Behaviour {
        failed_creations: 1,
        failed_fetches: 2,
        ..Behaviour::default()
    });
    let project = project(&server, "");
    project.run(&["index", "--batch", "--quiet"]).expect(0);
    assert!(server.batches(|batches| batches.sent.values().all(|&times| times == 1)));
}

#[test]
fn what_a_batch_leaves_unanswered_goes_into_the_next_one() {
    let (expected, cost) = direct("");
    let server = behaving(Behaviour {
        failed_lines: 150,
        missing_lines: 150,
        expires_after: Some(10),
        ..Behaviour::default()
    });
    let project = project(&server, "");
    let summary = project
        .run(&["index", "--batch", "--json", "--quiet"])
        .expect(0)
        .json();
    assert_eq!(summary["failed"], 0, "{}", summary["troubles"]);
    assert_eq!(project.table_hashes(), expected);
    assert!(server.batches(|batches| batches.sent.values().any(|&times| times > 1)));
    assert_eq!(server.repeated_answers(), 0);
    let half = summary["usage"]["cost"].as_f64().expect("a cost");
    assert!((half - cost / 2.0).abs() < 1e-4, "{half} against {cost}");
}

#[test]
fn the_rest_is_asked_directly_where_that_is_wanted_and_fails_where_not() {
    let server = behaving(Behaviour {
        failed_lines: 200,
        always: true,
        ..Behaviour::default()
    });
    let own = project(&server, "extract_graph: { max_gleanings: 0 }\n");
    let summary = own
        .run(&["index", "--batch", "--json", "--quiet"])
        .expect(3)
        .json();
    assert!(summary["failed"].as_u64() > Some(0));
    // sent once and twice more
    assert_eq!(
        server.batches(|batches| batches.sent.values().copied().max()),
        Some(3)
    );
    let summary = own
        .run(&["index", "--batch", "--batch-fallback", "--json", "--quiet"])
        .expect(0)
        .json();
    assert_eq!(summary["failed"], 0, "{}", summary["troubles"]);
    assert_eq!(
        own.table_hashes(),
        direct("extract_graph: { max_gleanings: 0 }\n").0
    );
}

#[test]
fn unusable_and_refused_lines_are_judged_as_direct_answers_are() {
    let (expected, _) = direct("");
    let server = StandIn::start(Config {
        faults: Faults {
            fence: 100,
            unusable: 150,
            empty_text: 50,
            most_in_a_row: 2,
            ..Faults::default()
        },
        seed: 5,
        ..Config::default()
    });
    let own = project(&server, "");
    let summary = own
        .run(&["index", "--batch", "--json", "--quiet"])
        .expect(0)
        .json();
    assert_eq!(summary["failed"], 0, "{}", summary["troubles"]);
    assert_eq!(own.table_hashes(), expected);
    assert_eq!(server.repeated_answers(), 0, "never the very same request");

    let server = behaving(Behaviour::default());
    let filtered = r#"{"error":{"code":"content_filter","message":"The response was filtered due to the prompt triggering the policy."}}"#;
    server.script([Scripted::status(400, filtered).only("in year 3.")]);
    let own = project(&server, "");
    let summary = own
        .run(&["index", "--batch", "--json", "--quiet"])
        .expect(3)
        .json();
    assert_eq!(summary["failed"], 1, "{}", summary["troubles"]);
}

#[test]
fn limits_split_a_batch_and_a_limit_of_the_account_holds_it_back() {
    let (expected, _) = direct("");
    let server = behaving(Behaviour::default());
    let own = project(&server, "");
    let split = settings(&server, "").replace("poll: 0.05", "poll: 0.05, max_requests: 7");
    own.write("settings.yaml", split);
    own.run(&["index", "--batch", "--quiet"]).expect(0);
    assert_eq!(own.table_hashes(), expected);
    assert!(server.batches(|batches| batches.made.iter().all(|made| made.lines <= 7)));

    let server = behaving(Behaviour {
        token_limit_lines: Some(10),
        ..Behaviour::default()
    });
    let own = project(&server, "");
    own.run(&["index", "--batch", "--quiet"]).expect(0);
    assert_eq!(own.table_hashes(), expected);
    assert_eq!(server.repeated_answers(), 0);
}

#[test]
fn a_provider_that_refuses_batches_stops_the_run_in_its_own_words() {
    let server = behaving(Behaviour {
        refused: true,
        ..Behaviour::default()
    });
    let own = project(&server, "");
    let run = own.run(&["index", "--batch", "--quiet"]).expect(2);
    assert!(
        run.stderr.contains("not supported by the Batch API")
            && run.stderr.contains("without --batch"),
        "{}",
        run.stderr
    );
    server.configure(|config| config.batch.refused = false);
    own.run(&["index", "--quiet"]).expect(0);
}

#[test]
fn a_cap_counts_what_is_in_batches() {
    let server = behaving(Behaviour {
        looks: 2,
        ..Behaviour::default()
    });
    let own = project(&server, "");
    let run = own
        .run(&["index", "--batch", "--quiet", "--max-calls", "15"])
        .expect(1);
    assert!(run.stderr.contains("15"), "{}", run.stderr);
    let sent = server.batches(|batches| batches.lines());
    assert!(sent == 14, "{sent} lines and the probe with a cap of 15");

    let server = behaving(Behaviour {
        stuck: true,
        ..Behaviour::default()
    });
    let own = project(&server, "");
    let cap = 0.2;
    let flag = cap.to_string();
    // killed while its batch is open: what is in it counts for the next process
    let args = ["index", "--batch", "--quiet", "--max-cost", flag.as_str()];
    let mut child = start_until(&own, &args, || {
        server.batches(|batches| !batches.made.is_empty()) && records(&own) > 0
    });
    std::thread::sleep(Duration::from_millis(400));
    child.kill().expect("killed");
    child.wait().expect("reaped");
    own.write(
        "input/00a.txt",
        "Another Walker of Harbor Trust came to Port Lune.",
    );
    server.configure(|config| config.batch.stuck = false);
    own.run(&args);
    let spent = server.counts(|counts| {
        (counts.prompt_tokens as f64 * 2.0 + counts.completion_tokens as f64 * 8.0) / 2e6
    });
    assert!(spent > 0.0 && spent <= cap, "{spent} with a cap of {cap}");
    assert_eq!(server.repeated_answers(), 0);
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_waiting_and_says_that_the_batch_goes_on() {
    let server = behaving(Behaviour {
        stuck: true,
        ..Behaviour::default()
    });
    let own = project(&server, "");
    let child = start_until(&own, &["index", "--batch"], || {
        server.batches(|batches| !batches.made.is_empty()) && records(&own) > 0
    });
    std::thread::sleep(Duration::from_millis(300));
    let pid = child.id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status();
    assert!(killed.expect("kill").success());
    let output = child.wait_with_output().expect("it ends");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{words}");
    assert!(
        words.contains("the batches go on at the provider"),
        "{words}"
    );
    assert!(
        own.run(&["batches", "--cancel"])
            .expect(0)
            .stdout
            .contains("asked to stop")
    );
    assert_eq!(server.batches(|batches| batches.cancelled), 1);
    own.run(&["batches", "--forget"]).expect(0);
    assert_eq!(records(&own), 0);
}
