//! `prompt-tune` against the stand-in.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;

use stand_in::{Config, StandIn};
use support::Project;

const FILES: [&str; 3] = [
    "prompts/extract_graph.txt",
    "prompts/summarize_descriptions.txt",
    "prompts/community_report_graph.txt",
];

#[test]
fn tuned_prompts_are_written_used_and_never_overwritten_unasked() {
    let server = StandIn::start(Config::default());
    let project = Project::with_demo_input();
    project.write("settings.yaml", server.settings(""));
    let args = [
        "prompt-tune",
        "--limit",
        "4",
        "--domain",
        "water {supply}",
        "--language",
        "Dutch",
    ];
    let run = project.run(&args).expect(0);
    assert!(
        run.stdout
            .contains("entity types person, site, organization"),
        "{}",
        run.stdout
    );
    // The persona, the types and four examples; domain and language were given.
    assert_eq!(server.counts(|counts| counts.requests), 6);
    let texts: Vec<String> = FILES
        .iter()
        .map(|file| std::fs::read_to_string(project.path(file)).expect("a prompt"))
        .collect();
    assert!(
        texts[0].contains("Write descriptions in Dutch.") && texts[0].contains("(\"entity\"<|>")
    );
    assert!(texts[2].contains("on water {{supply}}."));

    // What was written counts as edited.
    let again = project.run(&args).expect(2);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
    assert_eq!(
        server.counts(|counts| counts.requests),
        6,
        "nothing is paid before that"
    );
    let forced = project.run(&[&args[..], &["--force"]].concat()).expect(0);
    assert!(
        forced.stdout.contains("0 calls"),
        "from the cache: {}",
        forced.stdout
    );
    for (file, text) in FILES.iter().zip(&texts) {
        assert_eq!(
            &std::fs::read_to_string(project.path(file)).expect("a prompt"),
            text
        );
    }

    // The index accepts the tuned prompts.
    project.run(&["index", "--quiet"]).expect(0);
}

#[test]
fn the_stock_prompts_of_init_give_way_and_every_selection_works() {
    let server = StandIn::start(Config::default());
    let project = Project::with_demo_input();
    project.run(&["init"]).expect(0);
    project.write("settings.yaml", server.settings(""));
    project.run(&["prompt-tune", "--limit", "2"]).expect(0);
    for (method, calls) in [("top", 6), ("auto", 6)] {
        server.reset_counts();
        let folder = format!("tuned-{method}");
        project
            .run(&[
                "prompt-tune",
                "--selection-method",
                method,
                "--limit",
                "2",
                "--k",
                "2",
                "-o",
                &folder,
                "--no-discover-entity-types",
            ])
            .expect(0);
        // Domain, language, persona, two examples at most; some may be known from the run before.
        assert!(server.counts(|counts| counts.requests) < calls);
        assert!(project.path(&folder).join("extract_graph.txt").is_file());
    }
}

/// One edited prompt kept all of them from being written.
#[test]
fn a_prompt_that_was_edited_is_kept_and_the_others_are_written() {
    let server = StandIn::start(Config::default());
    let project = Project::with_demo_input();
    project.run(&["init"]).expect(0);
    project.write("settings.yaml", server.settings(""));
    let stock = FILES.map(|file| std::fs::read_to_string(project.path(file)).expect("a prompt"));
    let edited = format!("{}\nWrite in the present tense.\n", stock[1]);
    project.write(FILES[1], &edited);
    let run = project.run(&["prompt-tune", "--limit", "2"]).expect(0);
    let kept: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("kept"))
        .collect();
    assert_eq!(kept.len(), 1, "{}", run.stdout);
    assert!(kept[0].contains("summarize_descriptions.txt") && kept[0].contains("--force"));
    let read = |at: usize| std::fs::read_to_string(project.path(FILES[at])).expect("a prompt");
    assert_eq!(read(1), edited);
    assert!(read(0) != stock[0] && read(2) != stock[2]);
    project
        .run(&["prompt-tune", "--limit", "2", "--force"])
        .expect(0);
    assert_ne!(read(1), edited);
}

#[test]
fn without_a_model_it_says_what_to_configure() {
    let project = Project::with_demo_input();
    let run = project.run(&["prompt-tune"]).expect(2);
    assert!(run.stderr.contains("completion_models"), "{}", run.stderr);
}
