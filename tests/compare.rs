//! `compare`: several methods side by side, without a model and with one.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;

use serde_json::Value;
use stand_in::{Config, Scripted, StandIn};
use support::Project;

/// The demo corpus indexed without a model, asked with one.
fn project_with_model(server: &StandIn) -> Project {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    project.write("settings.yaml", server.settings(""));
    project
}

fn column<'a>(compared: &'a Value, method: &str) -> &'a Value {
    let methods = compared["methods"].as_array().expect("methods");
    methods
        .iter()
        .find(|column| column["method"] == method)
        .unwrap_or_else(|| panic!("no {method} in {compared:#}"))
}

#[test]
fn without_a_model_three_methods_are_compared_in_text_json_and_html() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    let question = "Why did the main at Windle Moor burst?";
    let comparison = project
        .run(&["compare", "--json", "--html", "page.html", question])
        .expect(0)
        .json();
    let compared = &comparison["questions"][0];
    assert_eq!(compared["question"], question);
    for method in ["basic", "local", "global"] {
        let own = column(compared, method);
        assert!(own["evidence"]["cited"].as_u64() > Some(0), "{method}");
        assert_eq!(own["evidence"]["unresolved"], 0);
        assert!(own["claims"].as_u64() > Some(0), "{method}");
    }
    assert_eq!(compared["methods"].as_array().expect("methods").len(), 3);
    let pairs = compared["pairs"].as_array().expect("pairs");
    assert_eq!(pairs.len(), 3);
    for pair in pairs {
        let (a, b) = (
            pair["a"].as_str().expect("a"),
            pair["b"].as_str().expect("b"),
        );
        let claims = |method| {
            column(compared, method)["claims"]
                .as_u64()
                .expect("a count")
        };
        assert!(pair["claims_only_a"].as_u64() <= Some(claims(a)));
        assert!(pair["claims_only_b"].as_u64() <= Some(claims(b)));
        let shared = &pair["documents"];
        assert!(shared["both"].as_u64() <= shared["either"].as_u64());
    }
    let page = std::fs::read_to_string(project.path("page.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<h3>local</h3>"));
    assert!(!page.contains("<script") && !page.contains("src="));

    let text = project.run(&["compare", question]).expect(0).stdout;
    assert!(
        text.contains("== basic ==") && text.contains("\nIn common\n"),
        "{text}"
    );
    assert!(text.contains("basic and local: "), "{text}");
}

#[test]
fn methods_that_need_a_model_and_bad_input_are_refused_in_one_line() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    for (args, words) in [
        (
            &["compare", "--methods", "drift", "x"][..],
            "completion_models",
        ),
        (
            &["compare", "--methods", "closed-book,basic", "x"],
            "completion_models",
        ),
        (&["compare", "--judge", "x"], "completion_models"),
        (&["compare", "--questions", "gone.txt"], "gone.txt"),
        (&["compare", "--equal-budget=5", "x"], "--equal-budget"),
        (&["compare", " "], "question"),
    ] {
        let run = project.run(args).expect(2);
        assert!(run.stderr.contains(words), "{args:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
}

#[test]
fn a_list_of_questions_gives_one_report_whatever_its_form() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    project.write("q.txt", "# two\nWho is Osei?\n\nWhat burst?\n");
    project.write(
        "q.jsonl",
        "{\"question\": \"Who is Osei?\"}\n{\"question\": \"What burst?\"}\n",
    );
    project.write(
        "q.yaml",
        "questions:\n- question: Who is Osei?\n  answer: x\n- What burst?\n",
    );
    for file in ["q.txt", "q.jsonl", "q.yaml"] {
        let comparison = project
            .run(&[
                "compare",
                "--methods",
                "basic",
                "--json",
                "--questions",
                file,
            ])
            .expect(0)
            .json();
        let asked: Vec<&str> = comparison["questions"]
            .as_array()
            .expect("questions")
            .iter()
            .filter_map(|one| one["question"].as_str())
            .collect();
        assert_eq!(asked, ["Who is Osei?", "What burst?"], "{file}");
    }
    project.write("bad.jsonl", "{\"q\": 1}\n");
    let run = project
        .run(&["compare", "--questions", "bad.jsonl"])
        .expect(2);
    assert!(run.stderr.contains("line 1"), "{}", run.stderr);
}

#[test]
fn with_a_model_cost_is_counted_a_method_and_the_second_time_comes_from_the_cache() {
    let server = StandIn::start(Config::default());
    let project = project_with_model(&server);
    let args = ["compare", "--json", "What are the recurring themes?"];
    let comparison = project.run(&args).expect(0).json();
    let compared = &comparison["questions"][0];
    let methods: Vec<&str> = compared["methods"]
        .as_array()
        .expect("methods")
        .iter()
        .filter_map(|column| column["method"].as_str())
        .collect();
    assert_eq!(
        methods,
        ["closed-book", "basic", "local", "global", "drift"]
    );
    let calls = |comparison: &Value, method: &str| {
        column(&comparison["questions"][0], method)["answer"]["usage"]["calls"]
            .as_u64()
            .expect("calls")
    };
    assert_eq!(calls(&comparison, "closed-book"), 1);
    assert_eq!(calls(&comparison, "local"), 1);
    assert!(calls(&comparison, "global") >= 2, "map and reduce");
    assert!(calls(&comparison, "drift") > calls(&comparison, "global"));
    let total: u64 = methods
        .iter()
        .map(|method| calls(&comparison, method))
        .sum();
    assert_eq!(server.counts(|counts| counts.requests), total);
    assert_eq!(column(compared, "closed-book")["context_tokens"], 0);

    let again = project.run(&args).expect(0).json();
    assert_eq!(
        server.counts(|counts| counts.requests),
        total,
        "nothing is paid for twice"
    );
    let global = &column(&again["questions"][0], "global")["answer"]["usage"];
    assert_eq!(global["calls"], 0);
    assert_eq!(
        global["cached"].as_u64(),
        Some(calls(&comparison, "global"))
    );
}

#[test]
fn an_equal_budget_bounds_every_context() {
    let server = StandIn::start(Config::default());
    let project = project_with_model(&server);
    let comparison = project
        .run(&[
            "compare",
            "--equal-budget=3000",
            "--json",
            "What are the recurring themes?",
        ])
        .expect(0)
        .json();
    for method in ["basic", "local", "global", "drift"] {
        let tokens = column(&comparison["questions"][0], method)["context_tokens"]
            .as_u64()
            .expect("tokens");
        // The global table quotes its reports and has columns of its own.
        assert!((300..=3300).contains(&tokens), "{method}: {tokens}");
    }
    let coverage = &column(&comparison["questions"][0], "global")["answer"]["coverage"];
    assert!(coverage["reports_read"].as_u64() < coverage["reports"].as_u64());
}

#[test]
fn the_judge_is_asked_in_both_orders_and_its_flips_are_told() {
    let server = StandIn::start(Config::default());
    let project = project_with_model(&server);
    let run = project
        .run(&[
            "compare",
            "--judge",
            "--methods",
            "closed-book,local",
            "Who is Osei?",
        ])
        .expect(0);
    assert_eq!(server.counts(|counts| counts.by_kind["judge"]), 2);
    assert!(
        run.stdout.contains("closed-book and local, diversity: tie"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("directness: flip"), "{}", run.stdout);
    // "A plain answer" with a number is longer than "An answer from the tables.", and so in either place.
    assert!(
        run.stdout.contains("comprehensiveness: closed-book"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("judges prefer"), "the warning");
}

#[test]
fn a_method_that_fails_leaves_the_others_and_exit_code_3() {
    let server = StandIn::start(Config::default());
    let project = project_with_model(&server);
    server.script((0..9).map(|_| {
        Scripted::status(400, "{\"error\": {\"message\": \"bad request\"}}")
            .only("from what you know")
    }));
    let run = project
        .run(&[
            "compare",
            "--json",
            "--methods",
            "closed-book,basic",
            "Who is Osei?",
        ])
        .expect(3);
    let comparison = run.json();
    let compared = &comparison["questions"][0];
    assert!(
        column(compared, "closed-book")["error"]
            .as_str()
            .expect("an error")
            .contains("bad request")
    );
    assert!(column(compared, "basic")["answer"]["answer"].is_string());
    assert!(
        run.stderr.contains("1 of 2 answers failed"),
        "{}",
        run.stderr
    );
}
