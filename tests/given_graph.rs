//! `index --entities --relationships`: a graph of one's own, in each format, with and without texts.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;
#[path = "support/tables.rs"]
mod tables;

use belvedere::store::TableReader;
use support::Project;

const ENTITIES: &str = "title,type,description\nMira Osei,person,Mira Osei chairs the board of Harbor Trust.\nHarbor Trust,organization,\"A trust that owns the Halewick, Lune and Sorrel works.\"\nHalewick Works,geo,\nBo Lind,person,An engineer at Halewick Works.\nAna Ruiz,person,A painter.\nGallery Nine,organization,A gallery.\n";
const RELATIONSHIPS: &str = "source,target,description,weight\nMira Osei,Harbor Trust,chairs,3\nHarbor Trust,Halewick Works,owns,2.5\nBo Lind,Halewick Works,runs the pumps,\nBo Lind,Halewick Works,is paid by,1\nAna Ruiz,Gallery Nine,shows her paintings at,1\nBo Lind,Bo Lind,knows himself,1\n";

fn csv_graph() -> Project {
    let project = Project::empty();
    project.write("graph/entities.csv", ENTITIES);
    project.write("graph/relationships.csv", RELATIONSHIPS);
    project
}

const FLAGS: [&str; 4] = [
    "--entities",
    "graph/entities.csv",
    "--relationships",
    "graph/relationships.csv",
];

fn index(project: &Project, more: &[&str]) -> serde_json::Value {
    let args: Vec<&str> = ["index", "--json", "--quiet"]
        .iter()
        .chain(&FLAGS)
        .chain(more)
        .copied()
        .collect();
    project.run(&args).expect(0).json()
}

#[test]
fn a_csv_graph_gets_communities_reports_and_vectors() {
    let project = csv_graph();
    let summary = index(&project, &[]);
    assert_eq!(
        (&summary["entities"], &summary["relationships"]),
        (&6.into(), &4.into())
    );
    // Two components, of which modularity splits the path of four.
    assert_eq!(summary["communities_by_level"][0], 3);
    assert_eq!(
        summary["dropped_relationships"], 1,
        "the one of Bo Lind with himself"
    );
    let output = project.path("output");
    tables::check(&output);
    let relationships = TableReader::open(&output, "relationships").expect("a table");
    // The empty weight is 1, and parallel relationships add up.
    assert_eq!(
        relationships.floats("weight").expect("weights"),
        [3.0, 2.5, 2.0, 1.0]
    );
    let entities = TableReader::open(&output, "entities").expect("a table");
    assert_eq!(
        entities.integers("degree").expect("degrees"),
        [1, 2, 2, 1, 1, 1]
    );
    assert_eq!(
        entities.strings("title").expect("titles").get(0),
        "Mira Osei"
    );

    let answer = project
        .run(&[
            "query",
            "--method",
            "local",
            "--json",
            "Who chairs Harbor Trust?",
        ])
        .expect(0);
    assert!(
        answer.stdout.contains("Mira Osei chairs the board") && answer.stdout.contains(".csv#"),
        "{}",
        answer.stdout
    );
    project.run(&["doctor"]).expect(0);
    assert_eq!(index(&project, &[])["unchanged"], true);
    project.write(
        "graph/relationships.csv",
        RELATIONSHIPS.replace(",3\n", ",4\n"),
    );
    assert_eq!(index(&project, &[])["unchanged"], false);
}

#[test]
fn jsonl_and_our_own_parquet_give_the_same_graph() {
    let project = csv_graph();
    index(&project, &[]);
    let parquet = Project::empty();
    for table in ["entities", "relationships"] {
        let name = format!("{table}.parquet");
        std::fs::copy(project.path("output").join(&name), parquet.path(&name)).expect("a copy");
    }
    // A table of the reference names text units that are not given: without --text-units they are not looked up.
    parquet.write(
        "settings.yaml",
        "graph_input: {entities: entities.parquet, relationships: relationships.parquet}\n",
    );
    let summary = parquet
        .run(&["index", "--json", "--quiet"])
        .expect(0)
        .json();
    assert_eq!(
        (&summary["entities"], &summary["relationships"]),
        (&6.into(), &4.into())
    );

    let jsonl = Project::empty();
    let lines = |text: &str| -> String {
        let mut reader = text.lines().map(|line| {
            line.replace(
                "\"A trust that owns the Halewick, Lune and Sorrel works.\"",
                "A trust.",
            )
        });
        let header: Vec<String> = reader
            .next()
            .expect("a header")
            .split(',')
            .map(str::to_owned)
            .collect();
        reader
            .map(|line| {
                let cells: serde_json::Map<String, serde_json::Value> = header
                    .iter()
                    .zip(line.split(','))
                    .map(|(name, cell)| {
                        (
                            name.clone(),
                            cell.parse::<f64>().map_or_else(|_| cell.into(), Into::into),
                        )
                    })
                    .collect();
                format!("{}\n", serde_json::Value::from(cells))
            })
            .collect()
    };
    jsonl
        .write("e.jsonl", lines(ENTITIES))
        .write("r.jsonl", lines(RELATIONSHIPS));
    let summary = jsonl
        .run(&[
            "index",
            "--json",
            "--quiet",
            "--entities",
            "e.jsonl",
            "--relationships",
            "r.jsonl",
        ])
        .expect(0)
        .json();
    assert_eq!(
        (&summary["entities"], &summary["relationships"]),
        (&6.into(), &4.into())
    );
}

#[test]
fn given_text_units_are_the_evidence() {
    let project = Project::empty();
    project.write("t.jsonl", "{\"id\": 7, \"title\": \"minutes\", \"text\": \"Mira Osei has chaired Harbor Trust since May.\"}\n{\"id\": 8, \"text\": \"Harbor Trust bought Halewick Works.\"}\n");
    project.write("e.csv", "title,text_unit_ids\nMira Osei,7\nHarbor Trust,\"[\"\"7\"\", \"\"8\"\"]\"\nHalewick Works,8\n");
    project.write(
        "r.csv",
        "source,target,text_unit_ids\nMira Osei,Harbor Trust,7\nHarbor Trust,Halewick Works,8\n",
    );
    let args = [
        "index",
        "--json",
        "--quiet",
        "--entities",
        "e.csv",
        "--relationships",
        "r.csv",
        "--text-units",
        "t.jsonl",
    ];
    let summary = project.run(&args).expect(0).json();
    assert_eq!(
        (&summary["documents"], &summary["text_units"]),
        (&2.into(), &2.into())
    );
    tables::check(&project.path("output"));
    let answer = project
        .run(&["query", "--method", "local", "Who chairs Harbor Trust?"])
        .expect(0)
        .stdout;
    assert!(
        answer.contains("since May") && answer.contains("t.jsonl#1"),
        "{answer}"
    );
    project.write(
        "r.csv",
        "source,target,text_unit_ids\nMira Osei,Harbor Trust,7;9\n",
    );
    let error = project.run(&args).expect(2).stderr;
    assert!(
        error.contains("r.csv: row 1, column text_unit_ids: '9'"),
        "{error}"
    );
}

#[test]
fn what_is_wrong_is_told_with_file_row_and_column() {
    let cases = [
        (
            "graph/relationships.csv",
            "source,target\nMira Osei,Harbour Trust\n",
            "relationships.csv: row 1, column target: 'Harbour Trust' is no title in entities.csv",
        ),
        (
            "graph/relationships.csv",
            "source,target,weight\nMira Osei,Harbor Trust,1\nBo Lind,Harbor Trust,-2\n",
            "relationships.csv: row 2, column weight: '-2' is not a number above 0",
        ),
        (
            "graph/relationships.csv",
            "from,target\nA,B\n",
            "relationships.csv: has no column 'source' (it has from, target)",
        ),
        (
            "graph/entities.csv",
            "title\nMira Osei\n \n",
            "entities.csv: row 2, column title: is empty",
        ),
        (
            "graph/entities.csv",
            "title\nMira Osei\nBo Lind\nMira Osei\n",
            "entities.csv: row 3, column title: 'Mira Osei' is also row 1",
        ),
    ];
    for (file, text, expected) in cases {
        let project = csv_graph();
        project.write(file, text);
        let args: Vec<&str> = ["index"].iter().chain(&FLAGS).copied().collect();
        let error = project.run(&args).expect(2).stderr;
        assert!(error.contains(expected), "{error}");
        assert_eq!(
            error
                .lines()
                .filter(|line| line.starts_with("error"))
                .count(),
            1,
            "{error}"
        );
    }
    let project = csv_graph();
    project
        .run(&["index", "--entities", "graph/entities.csv"])
        .expect(2);
    project.write(
        "settings.yaml",
        "graph_input: {entities: graph/entities.csv}\n",
    );
    let error = project.run(&["index"]).expect(2).stderr;
    assert!(error.contains("name both files"), "{error}");
    project.write("e.txt", "x");
    let error = project
        .run(&[
            "index",
            "--entities",
            "e.txt",
            "--relationships",
            "graph/relationships.csv",
        ])
        .expect(2)
        .stderr;
    assert!(
        error.contains("e.txt: is not .parquet, .csv or .jsonl"),
        "{error}"
    );
}

#[test]
fn a_model_reports_on_a_given_graph() {
    let server = stand_in::StandIn::start(stand_in::Config::default());
    let project = csv_graph();
    project.write(
        "settings.yaml",
        format!(
            "completion_models:\n  default_completion_model:\n    model_provider: openai\n    model: stand-in\n    api_base: {}\n    api_key: sk-test\n",
            server.base()
        ),
    );
    let settings = std::fs::read_to_string(project.path("settings.yaml")).expect("settings");
    let graph =
        "graph_input: {entities: graph/entities.csv, relationships: graph/relationships.csv}\n";
    project.write("settings.yaml", settings + graph);
    let estimate = project.run(&["estimate", "--json"]).expect(0).json();
    assert_eq!(server.counts(|counts| counts.requests), 0);
    assert!(!project.path("output/.estimate").exists());
    let summary = index(&project, &[]);
    assert_eq!(summary["method"], "standard");
    // Nothing is extracted, and there is a report for each community.
    let stages = estimate["stages"].as_array().expect("stages");
    assert_eq!(stages.len(), 1);
    assert_eq!(stages[0]["stage"], "community_reports");
    let reports = summary["reports"].as_f64().expect("a number");
    assert_eq!(
        stages[0]["calls"],
        serde_json::json!({ "low": reports, "high": reports })
    );
    assert_eq!(estimate["text_units"], summary["text_units"]);
    project.run(&["estimate", "--sample", "2"]).expect(2);
    let reports = TableReader::open(&project.path("output"), "community_reports").expect("a table");
    let sources = reports.strings("source").expect("sources");
    assert!(sources.iter().all(|source| source == "model"));
    // The probe, and one call a community.
    assert_eq!(
        server.counts(|counts| counts.requests),
        1 + sources.len() as u64
    );
}
