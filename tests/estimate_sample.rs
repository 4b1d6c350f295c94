//! `estimate`, with and without a sample, against a stand-in model server.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;

use belvedere::store::TableReader;
use stand_in::{Config, StandIn};
use support::Project;

fn project(server: &StandIn, more: &str) -> Project {
    let project = Project::with_demo_input();
    let settings = format!(
        "completion_models:\n  default_completion_model:\n    model_provider: openai\n    model: stand-in\n    api_base: {}\n    api_key: sk-test-secret\n    prices: {{ input_per_million: 2.0, output_per_million: 8.0 }}\n{more}",
        server.base()
    );
    project.write("settings.yaml", settings);
    project
}

fn stage<'a>(estimate: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    estimate["stages"]
        .as_array()
        .expect("stages")
        .iter()
        .find(|stage| stage["stage"] == name)
        .unwrap_or_else(|| panic!("no stage {name}"))
}

fn ends(range: &serde_json::Value) -> (f64, f64) {
    (
        range["low"].as_f64().expect("a low end"),
        range["high"].as_f64().expect("a high end"),
    )
}

#[test]
fn a_sample_sharpens_the_estimate_and_index_does_not_ask_it_again() {
    let server = StandIn::start(Config::default());
    let project = project(&server, "");
    let plain = project.run(&["estimate", "--json"]).expect(0).json();
    assert_eq!(server.counts(|counts| counts.requests), 0, "no call");
    assert!(plain["sample"].is_null() && plain["before_sample"].is_null());

    let sampled = project
        .run(&["estimate", "--sample", "12", "--json", "--quiet"])
        .expect(0)
        .json();
    let sample = &sampled["sample"];
    assert_eq!(
        (&sample["text_units"], &sample["failed"]),
        (&12.into(), &0.into())
    );
    let requests = server.counts(|counts| counts.requests);
    assert_eq!(sample["calls"], requests, "what was sent is what is told");
    let cost = server.counts(|counts| {
        (counts.prompt_tokens as f64 * 2.0 + counts.completion_tokens as f64 * 8.0) / 1e6
    });
    assert!((sample["cost"].as_f64().expect("a cost") - cost).abs() < 1e-9);
    // both estimates stand in the answer
    assert_eq!(sampled["before_sample"]["calls"], plain["calls"]);
    let spread = |estimate: &serde_json::Value, key: &str| {
        let (low, high) = ends(&stage(estimate, "extract_graph")[key]);
        (high - low) / (high + low)
    };
    let (plainly, sharply) = (
        spread(&plain, "completion_tokens"),
        spread(&sampled, "completion_tokens"),
    );
    assert!(sharply < plainly / 2.0, "{sharply} against {plainly}");

    let again = project
        .run(&["estimate", "--sample", "12", "--json", "--quiet"])
        .expect(0)
        .json();
    assert_eq!(
        again["sample"]["calls"], 0,
        "the same text units, from the cache"
    );
    assert_eq!(
        again["sample"]["entities_a_unit"],
        sample["entities_a_unit"]
    );
    let text = project
        .run(&["estimate", "--sample", "12", "--quiet"])
        .expect(0)
        .stdout;
    assert!(
        text.contains("sample         12 text units") && text.contains("without the sample"),
        "{text}"
    );

    project.run(&["index", "--quiet"]).expect(0);
    assert_eq!(server.repeated_answers(), 0);
    let status = project.run(&["status", "--json"]).expect(0).json();
    let actual = status["stages"]["extract_graph"]["calls"]["completion_tokens"]
        .as_f64()
        .expect("tokens");
    let (low, high) = ends(&stage(&sampled, "extract_graph")["completion_tokens"]);
    assert!(
        low <= actual && actual <= high,
        "{actual} answer tokens, reckoned {low} to {high}"
    );
    let words = project.run(&["status"]).expect(0).stdout;
    assert!(
        words.contains("estimated      ") && words.contains(", estimated 49)"),
        "{words}"
    );
}

#[test]
fn a_sample_keeps_to_its_caps() {
    let server = StandIn::start(Config::default());
    let project = project(&server, "");
    let sampled = project
        .run(&[
            "estimate",
            "--sample",
            "12",
            "--max-calls",
            "5",
            "--json",
            "--quiet",
        ])
        .expect(0)
        .json();
    let requests = server.counts(|counts| counts.requests);
    assert!(requests <= 5, "{requests} calls with a cap of 5");
    assert!(sampled["sample"]["text_units"].as_u64() < Some(12));
    assert!(
        sampled["notes"]
            .to_string()
            .contains("smaller than asked for"),
        "{}",
        sampled["notes"]
    );
    // nothing at all for nothing
    let other = self::project(&server, "");
    let run = other
        .run(&[
            "estimate",
            "--sample",
            "40",
            "--max-cost",
            "0.0000001",
            "--quiet",
        ])
        .expect(1);
    assert!(run.stderr.contains("cost cap"), "{}", run.stderr);
    assert!(server.counts(|counts| counts.requests) <= 5);
}

#[test]
fn batches_cost_half_and_the_threshold_of_descriptions_is_told() {
    let server = StandIn::start(Config::default());
    let own = project(&server, "");
    let direct = own.run(&["estimate", "--json"]).expect(0).json();
    let batch = own.run(&["estimate", "--batch", "--json"]).expect(0).json();
    for name in [
        "extract_graph",
        "summarize_descriptions",
        "community_reports",
    ] {
        let (low, high) = ends(&stage(&direct, name)["cost"]);
        let (half_low, half_high) = ends(&stage(&batch, name)["cost"]);
        assert!((half_low - low / 2.0).abs() < 1e-9 && (half_high - high / 2.0).abs() < 1e-9);
    }
    let (_, hours) = ends(&batch["hours"]);
    assert!(hours >= 3.0 * 24.0, "three rounds of a day at most");
    let (low, high) = ends(&direct["summary_calls_saved"]);
    assert!(0.0 < low && low < high);
    assert!(
        direct["notes"].to_string().contains("summary calls"),
        "{}",
        direct["notes"]
    );
    let none = project(&server, "summarize_descriptions: { min_tokens: 0 }\n");
    let none = none.run(&["estimate", "--json"]).expect(0).json();
    assert_eq!(ends(&none["summary_calls_saved"]), (0.0, 0.0));
    // what is saved with the threshold and what is asked add up to what is asked without it
    let (asked, without) = (
        ends(&stage(&direct, "summarize_descriptions")["calls"]),
        ends(&stage(&none, "summarize_descriptions")["calls"]),
    );
    assert!((asked.0 + low - without.0).abs() <= 2.0 && (asked.1 + high - without.1).abs() <= 2.0);

    let without_model = Project::with_demo_input();
    let run = without_model.run(&["estimate", "--sample", "3"]).expect(2);
    assert!(run.stderr.contains("completion model"), "{}", run.stderr);
    without_model.run(&["index", "--batch"]).expect(2);
}

#[test]
fn adjudication_is_reckoned_from_the_pairs_that_extraction_leaves_open() {
    let server = StandIn::start(Config::default());
    let project = project(&server, "entity_resolution: { adjudicate: true }\n");
    let estimate = project.run(&["estimate", "--json"]).expect(0).json();
    assert_eq!(server.counts(|counts| counts.requests), 0, "no call");
    project
        .run(&["index", "--method", "fast", "--quiet"])
        .expect(0);
    let table = TableReader::open(&project.path("output"), "resolution").expect("a table");
    let decisions = table.strings("decision").expect("decisions");
    let (names, others) = (
        table.strings("name").expect("names"),
        table.strings("other_name").expect("names"),
    );
    // A name of several meanings is nothing to ask about.
    let suspects = project
        .run(&["entities", "--suspects", "--json"])
        .expect(0)
        .json();
    let several: Vec<&str> = suspects["homonyms"]
        .as_array()
        .expect("homonyms")
        .iter()
        .filter_map(|homonym| homonym["name"].as_str())
        .collect();
    let asked = |row: &usize| {
        decisions.get(*row) == "undecided"
            && !several.contains(&names.get(*row))
            && !several.contains(&others.get(*row))
    };
    let open = (0..decisions.len()).filter(asked).count() as f64;
    assert!(open > 0.0);
    let found = ends(&stage(&estimate, "resolve")["calls"]);
    assert_eq!(found, ((open / 2.0).ceil(), open * 2.0));
    let notes = estimate["notes"].as_array().expect("notes");
    let rests_on = format!("{open} pairs of names undecided in 49 of 49 text units");
    assert!(
        notes
            .iter()
            .any(|note| note.as_str().is_some_and(|note| note.contains(&rests_on))),
        "{notes:?}"
    );
}
