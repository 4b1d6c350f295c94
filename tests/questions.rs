//! Questions over the demo corpus, answered without a model, held against what was planted in it.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use support::Project;

/// `name` and `any_of` of the themes in `tests/ground_truth.yaml`; the file is ours and its layout fixed.
fn planted_themes() -> BTreeMap<String, Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ground_truth.yaml");
    let text = std::fs::read_to_string(path).expect("the ground truth");
    let unquoted = |line: &str| line.trim().trim_matches('"').to_lowercase();
    let mut themes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut in_themes, mut list, mut name) = (false, "", String::new());
    for line in text.lines() {
        if !line.starts_with([' ', '#']) && !line.is_empty() {
            in_themes = line == "themes:";
        } else if let Some(title) = line.strip_prefix("  - name:").filter(|_| in_themes) {
            name = unquoted(title);
        } else if in_themes && line.starts_with("    ") && line.ends_with(':') {
            list = line.trim();
        } else if let Some(item) = line
            .strip_prefix("      - ")
            .filter(|_| in_themes && list == "any_of:")
        {
            themes.entry(name.clone()).or_default().push(unquoted(item));
        }
    }
    themes
}

fn document_texts(project: &Project) -> BTreeMap<String, Vec<char>> {
    let table = belvedere::store::TableReader::open(&project.path("output"), "documents")
        .expect("documents");
    let paths = table.strings("path").expect("paths");
    let texts = table.strings("text").expect("texts");
    paths
        .iter()
        .zip(texts.iter())
        .map(|(path, text)| (path.to_owned(), text.chars().collect()))
        .collect()
}

#[track_caller]
fn citations_resolve(project: &Project, answer: &serde_json::Value) {
    assert_eq!(
        answer["unresolved"],
        serde_json::json!([]),
        "citations that lead nowhere"
    );
    let texts = document_texts(project);
    let citations = answer["citations"].as_array().expect("citations");
    assert!(!citations.is_empty(), "an answer cites something");
    for citation in citations
        .iter()
        .filter(|citation| citation["start"].is_u64())
    {
        let document = citation["document"].as_str().expect("a document");
        let span = |key: &str| citation[key].as_u64().expect("a place") as usize;
        let quoted: String = texts[document][span("start")..span("end")].iter().collect();
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = squeezed(citation["text"].as_str().expect("a quote"));
        assert!(
            squeezed(&quoted).contains(&text),
            "{document}: {quoted:?} is not {text:?}"
        );
    }
}

#[test]
fn the_global_answer_names_the_planted_themes_with_citations_that_resolve() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    let question = "What are the recurring themes in these incident reports?";
    let answer = project
        .run(&["query", "--method", "global", "--json", question])
        .expect(0)
        .json();
    let text = answer["answer"].as_str().expect("an answer").to_lowercase();
    let themes = planted_themes();
    assert_eq!(themes.len(), 10);
    let named: Vec<&String> = themes
        .iter()
        .filter(|(_, phrases)| phrases.iter().any(|phrase| text.contains(phrase)))
        .map(|(name, _)| name)
        .collect();
    assert!(named.len() >= 7, "only {named:?}");
    assert_eq!(answer["method"], "global");
    assert!(answer["usage"].is_null());
    citations_resolve(&project, &answer);
}

#[test]
fn local_and_basic_answers_cite_where_they_come_from() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    for (method, question, document) in [
        (
            "local",
            "Who runs the chemical house at Skerrow?",
            "incidents/2022/INC-2022-031-skerrow-turbidity.md",
        ),
        (
            "basic",
            "How long did it take to isolate the Windle Moor burst?",
            "letters/2022-05-24-garrick-rowe.txt",
        ),
    ] {
        let answer = project
            .run(&["query", "--method", method, "--json", question])
            .expect(0)
            .json();
        citations_resolve(&project, &answer);
        assert!(
            answer["citations"].to_string().contains(document),
            "{method}: {answer:#}"
        );
    }
}

#[test]
fn a_question_that_cannot_be_answered_says_why() {
    let project = Project::with_demo_input();
    let run = project.run(&["query", "anything"]).expect(2);
    assert!(run.stderr.contains("belvedere index"), "{}", run.stderr);
    project.run(&["index", "--quiet"]).expect(0);
    let run = project
        .run(&["query", "--community-level", "9", "themes?"])
        .expect(2);
    assert!(run.stderr.contains("level"), "{}", run.stderr);
    let run = project.run(&["query", "   "]).expect(2);
    assert!(run.stderr.contains("question"), "{}", run.stderr);
}

/// Tables the original made with a real model; skipped where they are not at hand.
#[test]
fn an_index_of_the_original_is_answered_from() {
    let tables =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/christmas_carol/parquet");
    if !tables.is_dir() {
        println!("skipped: {} is not here", tables.display());
        return;
    }
    let project = Project::empty();
    let data = tables.to_str().expect("a path");
    for method in ["local", "global", "basic"] {
        let run = project
            .run(&[
                "query",
                "--method",
                method,
                "--data",
                data,
                "--json",
                "Who is Tiny Tim?",
            ])
            .expect(0);
        let answer = run.json();
        assert!(
            answer["answer"]
                .as_str()
                .expect("an answer")
                .contains("Tim"),
            "{method}"
        );
        assert_eq!(answer["unresolved"], serde_json::json!([]), "{method}");
    }
}
