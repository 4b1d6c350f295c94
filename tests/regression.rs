//! Faults that were reported, each with the test that would have caught it.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;

use std::time::Duration;

use stand_in::{Config, StandIn};
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
