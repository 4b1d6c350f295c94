//! Conversations: `chat` with piped input, `--session`, and proposed questions.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;

use std::io::Write;
use std::process::Stdio;

use stand_in::{Config, StandIn};
use support::{Project, Run};

fn chat(project: &Project, args: &[&str], typed: &str) -> Run {
    let mut command = project.command(&[&["chat"], args].concat());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(typed.as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn indexed() -> Project {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    project
}

#[test]
fn a_chat_answers_remembers_and_shows_its_evidence() {
    let project = indexed();
    let typed = "Who runs the chemical house at Skerrow?\n/why\n/sources 1\n/sources\n/method basic\nWhat burst at Windle Moor?\n/help\n/quit\nnever read\n";
    let run = chat(&project, &["--session", "talk.jsonl"], typed).expect(0);
    for part in [
        "Evidence (method local",
        "entity ",
        "[1] ",
        "basic search from now on",
        "/method local",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("never read"));
    let kept = std::fs::read_to_string(project.path("talk.jsonl")).expect("a session");
    let turns: Vec<serde_json::Value> = kept
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[1]["question"], "What burst at Windle Moor?");
    assert!(
        turns[0]["answer"]
            .as_str()
            .expect("text")
            .contains("[Data: ")
    );
}

#[test]
fn what_cannot_be_done_is_said_and_the_talk_goes_on() {
    let project = indexed();
    let typed =
        "/why\n/method sideways\n/method\n/sources 3\n/nothing\nWho is Ilse Brandt?\n/sources 99\n";
    // No answer failed.
    let run = chat(&project, &[], typed).expect(0);
    assert!(run.stdout.starts_with("local search; "), "{}", run.stdout);
    for part in [
        "nothing was asked",
        "sideways",
        "no /nothing",
        "no source [99]",
    ] {
        assert!(run.stderr.contains(part), "{part}\n{}", run.stderr);
    }
    assert!(run.stdout.contains("Sources\n"), "{}", run.stdout);
}

#[test]
fn a_question_that_names_nothing_is_about_what_was_asked_before() {
    let project = indexed();
    let first = "What happened at Windle Moor?";
    project
        .run(&["query", "--method", "local", "--session", "s.jsonl", first])
        .expect(0);
    let second = [
        "query",
        "--method",
        "local",
        "--json",
        "and why was that so?",
    ];
    let anchors = |run: Run| run.expect(0).json()["anchors"].to_string().to_uppercase();
    let alone = anchors(project.run(&second));
    let after = anchors(project.run(&[&second[..], &["--session", "s.jsonl"]].concat()));
    let named = |anchors: &str| anchors.contains("WINDLE MOOR") && anchors.contains("\"NAME\"");
    assert!(named(&after) && !named(&alone), "{after}\n{alone}");
    assert_eq!(
        std::fs::read_to_string(project.path("s.jsonl"))
            .expect("a session")
            .lines()
            .count(),
        2
    );
    project.write("bad.jsonl", "no json\n");
    let run = project
        .run(&["query", "--session", "bad.jsonl", "x"])
        .expect(2);
    assert!(run.stderr.contains("line 1"), "{}", run.stderr);
}

#[test]
fn a_model_is_given_the_last_turns_without_their_citations() {
    let server = StandIn::start(Config {
        keep_bodies: true,
        ..Config::default()
    });
    let project = indexed();
    project.write(
        "settings.yaml",
        server.settings("local_search:\n  conversation_history_max_turns: 2\n"),
    );
    let turns: String = (1..=3)
        .map(|n| format!("{{\"question\": \"question {n}?\", \"answer\": \"answer {n} [Data: Sources ({n})].\"}}\n"))
        .collect();
    for method in ["local", "basic", "global", "drift"] {
        project.write("s.jsonl", &turns);
        project
            .run(&[
                "query",
                "--method",
                method,
                "--session",
                "s.jsonl",
                "Who is Osei?",
            ])
            .expect(0);
        let seen = server.requests();
        let prompts: Vec<String> = seen.iter().map(|seen| seen.body.to_string()).collect();
        let with = prompts
            .iter()
            .find(|prompt| prompt.contains("Conversation History"));
        let with = with.unwrap_or_else(|| panic!("{method}: no history in {prompts:?}"));
        let table = "turn|content\\nuser|question 3?\\nassistant|answer 3.\\nuser|question 2?\\nassistant|answer 2.";
        assert!(with.contains(table), "{method}: {with}");
        assert!(!with.contains("question 1?"));
        server.reset_counts();
    }
}

#[test]
fn a_query_without_a_question_is_refused_where_nobody_can_type() {
    let project = indexed();
    let run = project.run(&["query"]).expect(2);
    assert!(run.stderr.contains("question"), "{}", run.stderr);
}

#[test]
fn questions_are_proposed_without_a_model_and_with_one() {
    let project = indexed();
    let found = project
        .run(&["questions", "--json", "-n", "4"])
        .expect(0)
        .json();
    let count =
        |found: &serde_json::Value, kind: &str| found[kind].as_array().expect("a list").len();
    assert_eq!(
        (count(&found, "themes"), count(&found, "follow_ups")),
        (4, 4)
    );
    let about = project
        .run(&["questions", "--json", "What burst at Windle Moor?"])
        .expect(0)
        .json();
    assert!(
        about["follow_ups"]
            .to_string()
            .to_uppercase()
            .contains("WINDLE MOOR"),
        "{about:#}"
    );

    let server = StandIn::start(Config::default());
    project.write("settings.yaml", server.settings(""));
    let found = project
        .run(&["questions", "--json", "What happened at Harrow?"])
        .expect(0)
        .json();
    let only = serde_json::json!(["Who is most connected?"]);
    assert_eq!((&found["themes"], &found["follow_ups"]), (&only, &only));
}
