//! `index --method standard` against a stand-in model server: clean, tortured, killed, capped, refused.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;
#[path = "support/tables.rs"]
mod tables;

use std::time::Duration;

use stand_in::{Config, Faults, Scripted, StandIn};
use support::{Killer, Project};

fn settings(server: &StandIn, more: &str) -> String {
    let model = |name: &str, kind: &str| {
        format!(
            "{kind}:\n  {name}:\n    model_provider: openai\n    model: stand-in\n    api_base: {}\n    api_key: sk-test-secret\n    retry:\n      max_retries: 12\n      max_delay: 0.05\n",
            server.base()
        )
    };
    let chat = model("default_completion_model", "completion_models");
    let embedding = model("default_embedding_model", "embedding_models")
        .replace("stand-in", "stand-in-embedding");
    format!("{chat}{embedding}limits:\n  call_timeout: 2\n{more}")
}

#[test]
fn a_clean_run_fills_every_table_and_the_next_one_calls_nothing() {
    let server = StandIn::start(Config::default());
    let project = Project::with_demo_input();
    project.write("settings.yaml", settings(&server, ""));
    let summary = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(summary["method"], "standard");
    assert_eq!(summary["failed"], 0, "{}", summary["troubles"]);
    tables::check(&project.path("output"));
    let first = project.table_hashes();
    let calls = server.counts(|counts| counts.requests);
    assert!(calls > 49, "every text unit is asked about");

    let again = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(again["unchanged"], true);
    let forced = project
        .run(&["index", "--force", "--json"])
        .expect(0)
        .json();
    // The chat model is probed again, the probe's vector and everything else come from the cache.
    assert_eq!(forced["usage"]["calls"], 1);
    assert_eq!(server.counts(|counts| counts.requests), calls + 1);
    assert_eq!(project.table_hashes(), first);

    let logs = std::fs::read_to_string(project.path("output/ledger.jsonl")).expect("a ledger");
    let stats = std::fs::read_to_string(project.path("output/stats.json")).expect("stats");
    assert!(
        !logs.contains("sk-test-secret") && !stats.contains("sk-test-secret"),
        "keys are written nowhere"
    );
}

#[test]
fn a_tortured_run_ends_with_the_tables_of_a_clean_one() {
    let server = StandIn::start(Config::default());
    let clean = Project::with_demo_input();
    clean.write("settings.yaml", settings(&server, ""));
    clean.run(&["index", "--quiet"]).expect(0);

    let faulty = StandIn::start(Config {
        faults: Faults::torture(),
        retry_after: 0.05,
        seed: 7,
        ..Config::default()
    });
    let tortured = Project::with_demo_input();
    tortured.write("settings.yaml", settings(&faulty, ""));
    let summary = tortured
        .run(&["index", "--json", "--quiet"])
        .expect(0)
        .json();
    assert_eq!(summary["failed"], 0, "{}", summary["troubles"]);
    let faults: u64 = faulty.counts(|counts| counts.faults.values().sum());
    assert!(faults > 30, "only {faults} faults were given");
    assert_eq!(tortured.table_hashes(), clean.table_hashes());
}

#[cfg(unix)]
#[test]
fn a_killed_run_pays_for_nothing_twice() {
    let server = StandIn::start(Config::default());
    let clean = Project::with_demo_input();
    clean.write("settings.yaml", settings(&server, ""));
    clean.run(&["index", "--quiet"]).expect(0);
    let expected = clean.table_hashes();

    let mut killer = Killer::new(12);
    while killer.left > 0 {
        let server = StandIn::start(Config {
            latency: Duration::from_millis(15),
            embedding_latency: Duration::from_millis(15),
            ..Config::default()
        });
        let project = Project::with_demo_input();
        project.write(
            "settings.yaml",
            settings(&server, "concurrent_requests: 2\n"),
        );
        let mut killed = 0;
        while killer.kills(project.command(&["index", "--quiet"]), 120..520) {
            killed += 1;
        }
        assert_eq!(project.table_hashes(), expected);
        let repeated = server.repeated_answers();
        println!("{killed} kills, {repeated} answers asked for twice");
        assert!(
            repeated <= killed * 2,
            "{repeated} answers were asked for twice with {killed} kills"
        );
    }
}

#[test]
fn a_wrong_key_stops_the_run_before_anything_is_asked() {
    let server = StandIn::start(Config {
        key: Some("sk-other".into()),
        ..Config::default()
    });
    let project = Project::with_demo_input();
    project.write("settings.yaml", settings(&server, ""));
    let run = project.run(&["index"]).expect(2);
    assert!(
        run.stderr.contains("401") && run.stderr.contains("api_key"),
        "{}",
        run.stderr
    );
    assert!(
        !run.stderr.contains("sk-test-secret"),
        "the key is not shown"
    );
    assert!(server.counts(|counts| counts.requests) <= 2);
}

#[test]
fn a_cap_on_calls_is_never_passed_and_the_run_goes_on_from_there() {
    let server = StandIn::start(Config::default());
    let project = Project::with_demo_input();
    // nothing hangs here, and on a busy machine an answer may take its time
    let patient = settings(&server, "").replace("call_timeout: 2", "call_timeout: 120");
    project.write("settings.yaml", patient);
    let run = project.run(&["index", "--max-calls", "20"]).expect(1);
    assert!(
        run.stderr.contains("20") && run.stderr.contains("resume"),
        "{}",
        run.stderr
    );
    let made = server.counts(|counts| counts.requests);
    assert!(made <= 20, "{made} calls with a cap of 20");
    project.run(&["index", "--quiet"]).expect(0);
    assert_eq!(
        server.repeated_answers(),
        0,
        "calls in flight at the cap are let land"
    );
}

#[test]
fn one_refused_text_unit_costs_that_one_and_is_asked_again() {
    let server = StandIn::start(Config::default());
    let project = Project::empty();
    for n in 0..6 {
        let text = format!(
            "Document {n}: Ana Ruiz of Harbor Trust met Bo Lind in Port Lune. Harbor Trust pays Bo Lind."
        );
        project.write(&format!("input/{n}.txt"), text);
    }
    project.write("settings.yaml", settings(&server, ""));
    let filtered = r#"{"error":{"code":"content_filter","message":"The response was filtered due to the prompt triggering the policy."}}"#;
    // Only the question about it: its vector is asked for with the others.
    server.script([Scripted::status(400, filtered).only("passage>\\nDocument 3")]);
    let summary = project.run(&["index", "--json"]).expect(3).json();
    assert_eq!(summary["failed"], 1, "{}", summary["troubles"]);
    assert!(
        summary["troubles"].to_string().contains("3.txt"),
        "{}",
        summary["troubles"]
    );
    assert_eq!(summary["documents"], 6);
    let status = project.run(&["status"]).expect(0);
    assert!(
        status.stdout.contains("failed") && status.stdout.contains("3.txt"),
        "{}",
        status.stdout
    );
    let retried = project
        .run(&["index", "--retry-failed", "--json"])
        .expect(0)
        .json();
    assert_eq!(retried["failed"], 0, "{}", retried["troubles"]);
}
