//! Names that a model decides, and claims that speak of the same matter, against a stand-in model server.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;

use std::collections::BTreeSet;

use belvedere::store::TableReader;
use stand_in::{Config, Scripted, StandIn};
use support::Project;

fn settings(server: &StandIn, more: &str) -> String {
    format!(
        "completion_models:\n  default_completion_model:\n    model_provider: openai\n    model: stand-in\n    api_base: {}\n    api_key: sk-test\n    retry:\n      max_delay: 0.05\n{more}",
        server.base()
    )
}

struct Row {
    pair: (String, String),
    decision: String,
    reasons: Vec<String>,
}

fn resolution(project: &Project) -> Vec<Row> {
    let table = TableReader::open(&project.path("output"), "resolution").expect("a table");
    let text = |column: &str| table.strings(column).expect("a column");
    let (names, others, decisions) = (text("name"), text("other_name"), text("decision"));
    let reasons = table.string_lists("reasons").expect("lists");
    (0..names.len())
        .map(|row| Row {
            pair: (names.get(row).to_owned(), others.get(row).to_owned()),
            decision: decisions.get(row).to_owned(),
            reasons: reasons
                .range(row)
                .map(|at| reasons.values.get(at).to_owned())
                .collect(),
        })
        .collect()
}

/// Names of works and the same without their last word, each in a document of its own: likely, but not certain.
fn with_short_names() -> Project {
    let project = Project::empty();
    for (at, name) in ["Fenny Lane", "Kirkmoss Paper", "Tarrant Bridge"]
        .into_iter()
        .enumerate()
    {
        let whole = ["Works", "Mill", "Station"][at];
        project.write(
            &format!("input/{at}-whole.txt"),
            format!("The board of {name} {whole} met Mira Osei. {name} {whole} pays Harbor Trust."),
        );
        project.write(
            &format!("input/{at}-short.txt"),
            format!("Nobody saw {name} that day but Bo Lind. Then {name} closed for Gallery Nine."),
        );
    }
    project
}

#[test]
fn only_undecided_pairs_are_asked_and_an_unusable_answer_changes_nothing() {
    let server = StandIn::start(Config::default());
    let project = with_short_names();
    project.write("settings.yaml", settings(&server, ""));
    project.run(&["index", "--quiet"]).expect(0);
    let rules = resolution(&project);
    let undecided: BTreeSet<_> = rules
        .iter()
        .filter(|row| row.decision == "undecided")
        .map(|row| row.pair.clone())
        .collect();
    assert!(undecided.len() >= 2, "there are pairs to ask about");

    project.write(
        "settings.yaml",
        settings(&server, "entity_resolution: {adjudicate: true}\n"),
    );
    let estimate = project.run(&["estimate", "--json"]).expect(0).stdout;
    assert!(estimate.contains("\"resolve\""), "{estimate}");
    let stubborn = undecided.iter().next().expect("a pair").clone();
    let unusable = || {
        Scripted::text("Hard to say, really.", "stop").only(&format!("Name 1: {}\\n", stubborn.0))
    };
    server.script((0..8).map(|_| unusable()));
    let summary = project
        .run(&["index", "--json", "--quiet"])
        .expect(3)
        .json();
    assert!(
        summary["troubles"][0]["item"]
            .as_str()
            .expect("an item")
            .contains(&stubborn.0),
        "{}",
        summary["troubles"]
    );
    let asked = server.counts(|counts| counts.by_kind.get("adjudicate").copied().unwrap_or(0));
    // The scripted answers are not counted.
    assert_eq!(asked, undecided.len() as u64 - 1);
    let judged = resolution(&project);
    for row in &judged {
        let by_model = row.reasons.iter().any(|reason| reason == "adjudicated");
        assert!(
            !by_model || undecided.contains(&row.pair),
            "{:?} was not undecided",
            row.pair
        );
        if row.pair == stubborn {
            assert!(!by_model && row.decision == "undecided");
        }
    }
    let merged = judged.iter().filter(|row| {
        row.decision == "merged" && row.reasons.iter().any(|reason| reason == "adjudicated")
    });
    assert!(merged.count() > 0);
}

#[test]
fn answers_about_names_are_paid_for_once() {
    let server = StandIn::start(Config::default());
    let project = with_short_names();
    project.write(
        "settings.yaml",
        settings(&server, "entity_resolution: {adjudicate: true}\n"),
    );
    project.run(&["index", "--quiet"]).expect(0);
    assert!(server.counts(|counts| counts.by_kind.contains_key("adjudicate")));
    let table = || std::fs::read(project.path("output/resolution.parquet")).expect("a table");
    let first = table();
    let calls = server.counts(|counts| counts.requests);
    project.run(&["index", "--force", "--quiet"]).expect(0);
    assert_eq!(
        server.counts(|counts| counts.requests),
        calls + 1,
        "the probe alone"
    );
    assert!(first == table());
}

#[test]
fn claims_that_disagree_reach_reports_and_local_search() {
    let server = StandIn::start(Config {
        keep_bodies: true,
        ..Config::default()
    });
    let project = Project::empty();
    project.write(
        "prompts/extract_claims.txt",
        "Claim description: {claim_description}\nCLAIMS OF: {input_text}",
    );
    project.write(
        "settings.yaml",
        settings(
            &server,
            "extract_claims: {enabled: true, max_gleanings: 0}\n",
        ),
    );
    project.write(
        "input/a.txt",
        "FIRST Harrow Mill and Halewick Works share a weir. Halewick Works says Harrow Mill paid.",
    );
    project.write("input/b.txt", "SECOND Harrow Mill and Halewick Works share a weir. Halewick Works says Harrow Mill never paid.");
    let claim = |status: &str, only: &str| {
        let text = format!(
            "(HARROW MILL<|>HALEWICK WORKS<|>DEBT<|>{status}<|>NONE<|>NONE<|>Harrow Mill paid its share of the weir<|>Harrow Mill paid)\n<|COMPLETE|>"
        );
        Scripted::text(&text, "stop").only(only)
    };
    server.script([
        claim("TRUE", "CLAIMS OF: FIRST"),
        claim("FALSE", "CLAIMS OF: SECOND"),
    ]);
    project.run(&["index", "--quiet"]).expect(0);
    let table = TableReader::open(&project.path("output"), "covariates").expect("a table");
    let ids: Vec<String> = table
        .strings("id")
        .expect("ids")
        .iter()
        .map(str::to_owned)
        .collect();
    let contradicts = table.string_lists("contradicts").expect("lists");
    assert_eq!(ids.len(), 2);
    let of = |row: usize| {
        contradicts
            .range(row)
            .map(|at| contradicts.values.get(at).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!((of(0), of(1)), (vec![ids[1].clone()], vec![ids[0].clone()]));
    let bodies = || -> Vec<String> {
        server
            .requests()
            .iter()
            .map(|seen| seen.body.to_string())
            .collect()
    };
    let seen = bodies().join("\n");
    assert!(
        seen.contains("(contradicted by claim 1)"),
        "the report's context says so: {seen}"
    );
    project
        .run(&["query", "--method", "local", "Did Harrow Mill pay?"])
        .expect(0);
    let last = bodies().pop().expect("a request");
    assert!(last.contains("(contradicted by claim 0)"), "{last}");
}
