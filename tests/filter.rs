//! `--filter`: nothing of other documents is seen by any method.

mod support;

use support::Project;

#[test]
fn every_method_draws_only_on_the_documents_of_the_filter() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    for method in ["basic", "local", "global"] {
        for question in [
            "What burst at Windle Moor, and why?",
            "What are the recurring themes?",
        ] {
            let run = project.run(&[
                "query",
                "--method",
                method,
                "--json",
                "--filter",
                "path=incidents/*",
                question,
            ]);
            let answer = run.expect(0).json();
            let citations = answer["citations"].as_array().expect("citations");
            let finds = method == "global" || question.contains("Windle Moor");
            assert!(!citations.is_empty() || !finds, "{method}: {question}");
            for citation in citations {
                let mut documents = vec![&citation["document"]];
                let supports = citation["supports"]
                    .as_array()
                    .map_or(&[][..], Vec::as_slice);
                documents.extend(supports.iter().map(|support| &support["document"]));
                for document in documents {
                    let document = document.as_str().expect("a document");
                    assert!(document.starts_with("incidents/"), "{method}: {document}");
                }
            }
        }
    }
}

#[test]
fn metadata_of_rows_filters_and_what_is_not_there_is_an_error() {
    let project = Project::empty();
    project.write(
        "input/notes.csv",
        "title,text,year,team\none,The pump at Harrow failed when its seal was worn.,2023,North\ntwo,The pump at Harrow was mended by Osei in a day.,2024,South\n",
    );
    project.write(
        "settings.yaml",
        "input:\n  type: csv\n  title_column: title\n  text_column: text\n",
    );
    project.run(&["index", "--quiet"]).expect(0);
    let ask = |filters: &[&str]| {
        let mut args = vec![
            "query",
            "--method",
            "basic",
            "--json",
            "What of the pump at Harrow?",
        ];
        for filter in filters {
            args.extend(["--filter", filter]);
        }
        project.run(&args)
    };
    let cited = |filters: &[&str]| {
        ask(filters).expect(0).json()["answer"]
            .as_str()
            .expect("text")
            .to_owned()
    };
    assert!(cited(&["year=2024"]).contains("Osei") && !cited(&["year=2024"]).contains("seal"));
    assert!(cited(&["TEAM=north"]).contains("seal"));
    assert!(cited(&["year=2023", "year=2024"]).contains("Osei"));
    let none = ask(&["year=2023", "team=south"]).expect(2);
    assert!(
        none.stderr.contains("no document matches"),
        "{}",
        none.stderr
    );
    let unknown = ask(&["colour=red"]).expect(2);
    assert!(
        unknown.stderr.contains("team") && unknown.stderr.contains("year"),
        "{}",
        unknown.stderr
    );
}
