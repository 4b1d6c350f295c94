//! DRIFT search and the selection of reports by a model, against the stand-in.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;

use serde_json::Value;
use stand_in::{Config, Scripted, StandIn};
use support::Project;

const QUESTION: &str = "What are the recurring themes in these incident reports?";

fn project(server: &StandIn, more: &str) -> Project {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    project.write("settings.yaml", server.settings(more));
    project
}

fn watched() -> StandIn {
    StandIn::start(Config {
        keep_bodies: true,
        ..Config::default()
    })
}

/// Requests whose prompt holds `part`.
fn asked(server: &StandIn, part: &str) -> Vec<Value> {
    let seen = server.requests().into_iter().map(|seen| seen.body);
    seen.filter(|body| body.to_string().contains(part))
        .collect()
}

const STEP: &str = "one step of a longer inquiry";
const PRIMER: &str = "You begin an inquiry";
const HYDE: &str = "Write a hypothetical answer";
const REDUCE: &str = "An inquiry was made in steps";

#[test]
fn drift_reads_reports_follows_up_and_cites_what_it_read() {
    let server = watched();
    let project = project(&server, "");
    let answer = project
        .run(&["query", "--method", "drift", "--json", QUESTION])
        .expect(0)
        .json();
    assert_eq!(answer["method"], "drift");
    assert_eq!(
        answer["unresolved"],
        serde_json::json!([]),
        "{}",
        answer["answer"]
    );
    assert!(
        !answer["citations"]
            .as_array()
            .expect("citations")
            .is_empty()
    );
    let steps = answer["inquiry"]["steps"].as_array().expect("steps");
    let round = |round: u64| steps.iter().filter(|step| step["round"] == round).count();
    // Four folds of the reports with words of the question; what they all ask is asked once, what each asks of its own report four
    // times; those lead nowhere, the one asks on.
    assert_eq!((round(0), round(1), round(2), round(3)), (4, 5, 1, 0));
    assert_eq!(asked(&server, PRIMER).len(), 4);
    assert_eq!(asked(&server, STEP).len(), 6);
    // No hypothetical answer: hashed words are not searched, so nothing would be done with it.
    assert_eq!(asked(&server, HYDE).len(), 0);
    assert_eq!(answer["usage"]["calls"], 4 + 6 + 1);
    assert_eq!(answer["inquiry"]["left_open"], 0);

    let requests = server.counts(|counts| counts.requests);
    let again = project
        .run(&["query", "--method", "drift", "--json", QUESTION])
        .expect(0)
        .json();
    assert_eq!(again["answer"], answer["answer"]);
    assert_eq!(
        server.counts(|counts| counts.requests),
        requests,
        "the same question asks the same things"
    );
}

#[test]
fn a_hypothetical_answer_is_asked_for_where_it_can_be_embedded() {
    let server = watched();
    let project = Project::with_demo_input();
    let embedding = format!(
        "embedding_models:\n  default_embedding_model:\n    model_provider: stand-in\n    model: e\n    api_base: {}\n",
        server.base()
    );
    project.write("settings.yaml", server.settings(&embedding));
    project
        .run(&["index", "--method", "standard", "--quiet"])
        .expect(0);
    let answer = project
        .run(&["query", "--method", "drift", "--json", QUESTION])
        .expect(0)
        .json();
    assert_eq!(asked(&server, HYDE).len(), 1);
    let read = answer["context"]["tables"]["reports"]["rows"].as_array();
    let by_vector = read.expect("reports").iter();
    let by_vector = by_vector.filter(|row| row["arrived"] == "vector");
    assert_eq!(by_vector.count(), 20, "as many as the original takes");
}

#[test]
fn every_setting_of_drift_has_its_effect() {
    let server = watched();
    let project = project(
        &server,
        "drift_search:\n  n_depth: 1\n  drift_k_followups: 2\n  primer_folds: 1\n  primer_llm_max_tokens: 700\n  data_max_tokens: 150\n  reduce_max_tokens: 77\n  reduce_temperature: 0.3\n  local_search_temperature: 0.2\n  local_search_top_p: 0.9\n  local_search_llm_max_gen_tokens: 55\n  local_search_max_data_tokens: 1500\n  local_search_text_unit_prop: 0.2\n  local_search_community_prop: 0.1\n  local_search_top_k_mapped_entities: 1\n  local_search_top_k_relationships: 1\n  concurrency: 1\n",
    );
    let answer = project
        .run(&["query", "--method", "drift", "--json", QUESTION])
        .expect(0)
        .json();
    let primers = asked(&server, PRIMER);
    assert_eq!(primers.len(), 1);
    assert_eq!(
        answer["inquiry"]["reports"].as_u64().map(|n| n <= 2),
        Some(true)
    );
    let steps = asked(&server, STEP);
    assert_eq!(steps.len(), 2);
    for step in &steps {
        assert_eq!(
            (&step["temperature"], &step["top_p"]),
            (&0.2.into(), &0.9.into())
        );
        let most = step.get("max_tokens").or(step.get("max_completion_tokens"));
        assert_eq!(most, Some(&55.into()), "{step:#}");
        let prompt = step["messages"][0]["content"].as_str().expect("a prompt");
        assert!(prompt.len() < 1500 * 6 + 3000, "{}", prompt.len());
        let entities = prompt.split("-----Entities-----").nth(1).map_or(0, |rest| {
            rest.split("\n\n").next().unwrap_or("").lines().count()
        });
        assert!(
            entities <= 2 + 4,
            "twice one entity, named ones beside: {entities}"
        );
    }
    let reduce = &asked(&server, REDUCE)[0];
    assert_eq!(reduce["temperature"], 0.3);
    let most = reduce
        .get("max_tokens")
        .or(reduce.get("max_completion_tokens"));
    assert_eq!(most, Some(&77.into()));
    assert_eq!(server.counts(|counts| counts.peak_in_flight), 1);
}

#[test]
fn drift_without_a_model_says_what_to_configure() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    for args in [
        &["query", "--method", "drift", QUESTION][..],
        &["query", "--dynamic-community-selection", QUESTION],
    ] {
        let run = project.run(args).expect(2);
        assert!(run.stderr.contains("completion_models"), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1);
    }
}

fn refusal(only: &str) -> Scripted {
    Scripted::status(400, "{\"error\": {\"message\": \"bad request\"}}").only(only)
}

#[test]
fn steps_that_fail_are_told_and_a_first_round_that_fails_is_an_error() {
    let server = watched();
    let project = project(&server, "");
    server.script([
        refusal("Who is most connected?\"}"),
        refusal("Who is most connected?\"}"),
    ]);
    let answer = project
        .run(&["query", "--method", "drift", "--json", QUESTION])
        .expect(3)
        .json();
    assert_eq!(answer["inquiry"]["failed"], 1, "{}", answer["inquiry"]);
    assert!(
        answer["answer"]
            .as_str()
            .expect("text")
            .contains("incomplete")
    );

    let first_round = asked(&server, PRIMER).len();
    assert!(first_round > 1);
    server.script((0..20).map(|_| refusal(PRIMER)));
    let run = project
        .run(&[
            "query",
            "--method",
            "drift",
            "Another question about valves?",
        ])
        .expect(1);
    let all = format!("all {first_round} calls");
    assert!(run.stderr.contains(&all), "{}", run.stderr);
}

#[test]
fn a_model_selects_reports_from_the_top_down_and_says_what_it_read() {
    let server = watched();
    let project = project(&server, "global_search:\n  dynamic_search_threshold: 6\n");
    // The settings refuse what no rating can reach.
    project
        .run(&["query", "--dynamic-community-selection", QUESTION])
        .expect(2);
    project.write(
        "settings.yaml",
        server.settings("global_search:\n  dynamic_search_threshold: 5\n"),
    );
    let rating = "Judge how much a report helps";
    let reports = project
        .run(&["query", "--json", "--community-level", "0", QUESTION])
        .expect(0)
        .json();
    let top = reports["coverage"]["reports"].as_u64().expect("a count");

    let answer = project
        .run(&["query", "--json", "--dynamic-community-selection", QUESTION])
        .expect(0)
        .json();
    let coverage = &answer["coverage"];
    let rated = coverage["rated"].as_u64().expect("rated");
    assert_eq!(asked(&server, rating).len() as u64, rated);
    assert!(rated >= top, "the whole top level is rated");
    assert!(coverage["reports_read"].as_u64() < Some(rated));

    // Everything relevant: children stand for parents, so that the finest reports are read, and with keep_parent all are.
    for (keep, all) in [(false, false), (true, true)] {
        let more = format!(
            "global_search:\n  dynamic_search_threshold: 0\n  dynamic_search_keep_parent: {keep}\n"
        );
        project.write("settings.yaml", server.settings(&more));
        let answer = project
            .run(&["query", "--json", "--dynamic-community-selection", QUESTION])
            .expect(0)
            .json();
        let coverage = &answer["coverage"];
        assert_eq!(
            coverage["reports_read"] == coverage["rated"],
            all,
            "{coverage}"
        );
        // Children need not hold all that their parent holds, and a document may name nothing.
        let represented = coverage["documents_represented"].as_f64();
        assert!(represented > Some(0.9), "{coverage}");
    }
    let text = project
        .run(&["query", "--dynamic-community-selection", QUESTION])
        .expect(0)
        .stdout;
    assert!(text.contains("reports rated, "), "{text}");
}

#[test]
fn where_nothing_is_relevant_deeper_levels_are_rated_to_the_maximum_and_repeats_are_repeats() {
    let server = watched();
    let project = project(&server, "");
    for _ in 0..400 {
        server.script([
            Scripted::text("{\"rating\": 0}", "stop").only("Judge how much a report helps")
        ]);
    }
    let ask = |more: &str| {
        project.write("settings.yaml", server.settings(more));
        project
            .run(&["query", "--json", "--dynamic-community-selection", QUESTION])
            .expect(0)
            .json()
    };
    let top = ask("global_search:\n  dynamic_search_max_level: 0\n");
    let deep = ask("global_search:\n  dynamic_search_max_level: 1\n");
    assert!(top["coverage"]["rated"].as_u64() < deep["coverage"]["rated"].as_u64());
    for answer in [&top, &deep] {
        assert_eq!(answer["coverage"]["reports_read"], 0);
        assert!(
            answer["answer"]
                .as_str()
                .expect("text")
                .contains("Nothing in the reports")
        );
    }
    let before = asked(&server, "Judge how much").len();
    ask("global_search:\n  dynamic_search_max_level: 0\n  dynamic_search_num_repeats: 3\n");
    let rated = top["coverage"]["rated"].as_u64().expect("rated") as usize;
    assert_eq!(
        asked(&server, "Judge how much").len() - before,
        2 * rated,
        "the first of three is in the cache"
    );
}
