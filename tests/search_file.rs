//! The search file, as a user meets it: written by `index` for a large corpus, or made by the first question to a large index of the
//! original.

mod support;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, ListBuilder, StringArray, StringBuilder};
use arrow::record_batch::RecordBatch;
use belvedere::query::search;
use belvedere::store::Manifest;
use parquet::arrow::ArrowWriter;
use serde_json::Value;
use support::Project;

const QUESTIONS: [&str; 4] = [
    "What burst at Windle Moor, and why?",
    "Who is Mira Osei and what did the authority ask of her?",
    "which valves were exercised",
    "What are the recurring themes?",
];

/// All that is said of a question, without the time it took.
fn answer(project: &Project, method: &str, question: &str, more: &[&str]) -> Value {
    let mut args = vec!["query", "--method", method, "--json", question];
    args.extend(more);
    let mut answer = project.run(&args).expect(0).json();
    answer["seconds"] = Value::Null;
    answer
}

#[test]
fn answers_are_the_same_with_the_file_and_without_it() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    let file = project.path("output/search.bin");
    assert!(!file.exists(), "a small index goes without");
    let all = |project: &Project| {
        let mut answers: Vec<Value> = Vec::new();
        for question in QUESTIONS {
            for method in ["local", "basic", "global"] {
                answers.push(answer(project, method, question, &[]));
            }
            answers.push(answer(
                project,
                "local",
                question,
                &["--filter", "path=incidents/*"],
            ));
        }
        answers
    };
    let scanned = all(&project);
    assert!(!file.exists(), "a small index goes without");
    // A file that is there is used, whatever the size.
    let bytes = made(&project, &file);
    assert_eq!(all(&project), scanned);
    project.run(&["doctor"]).expect(0);
    project.run(&["status"]).expect(0);
    assert_eq!(made(&project, &file), bytes, "the same bytes");
    // The proof that it was: one that is open to use and wrong inside is told, and gone.
    let mut wrong = bytes.clone();
    let middle = wrong.len() / 2;
    wrong[..middle].fill(0);
    std::fs::write(&file, wrong).expect("written");
    let told = project.run(&["query", "--method", "basic", QUESTIONS[0]]);
    assert!(told.expect(1).stderr.contains("search.bin is damaged"));
    assert!(!file.exists());
    made(&project, &file);
    project.run(&["index", "--quiet", "--force"]).expect(0);
    assert!(!file.exists(), "nor is one left behind");
}

/// Makes the search file of a small index, for which nobody makes one, and gives its bytes.
fn made(project: &Project, file: &Path) -> Vec<u8> {
    let output = project.path("output");
    let manifest = Manifest::read(&output).expect("read").expect("a manifest");
    let key = search::key(&output, Some(&manifest.fingerprint));
    search::write(&output, file, &key, &|_| ()).expect("written");
    std::fs::read(file).expect("the file")
}

#[test]
fn index_writes_the_file_for_a_large_index_and_mends_it() {
    let project = Project::empty();
    let unit = |row: usize| {
        let words: Vec<String> = (0..1500)
            .map(|at| format!("w{:06}", (row * 7919 + at * 104_729) % 999_983))
            .collect();
        let text = format!("The pump P{row:05} was mended by Osei. {}", words.join(" "));
        format!("{}\n", serde_json::json!({ "id": row, "text": text }))
    };
    project
        .write("t.jsonl", (0..400).map(unit).collect::<String>())
        .write("e.csv", "title,text_unit_ids\nOsei,7\nHarrow,8\n")
        .write("r.csv", "source,target\nOsei,Harrow\n")
        .write(
            "settings.yaml",
            "graph_input: {entities: e.csv, relationships: r.csv, text_units: t.jsonl}\nembed_text: {names: [entity_description]}\n",
        );
    project.run(&["index", "--quiet"]).expect(0);
    let file = project.path("output/search.bin");
    let bytes = std::fs::read(&file).expect("index writes the file");
    let (answer, said) = ask(&project, "Who mended P00123?");
    assert_eq!(said, "");
    let first = &answer["context"]["tables"]["sources"]["rows"][0];
    assert_eq!(first["id"], 123, "{answer:#}");
    std::fs::write(&file, &bytes[..bytes.len() / 3]).expect("cut");
    let again = project.run(&["index"]).expect(0);
    assert!(again.stdout.contains("nothing changed"), "{}", again.stdout);
    assert!(again.stderr.contains("search.bin"), "{}", again.stderr);
    assert_eq!(std::fs::read(&file).expect("the file"), bytes);
}

const UNITS: usize = 16_000;

fn strings(rows: impl Iterator<Item = String>) -> ArrayRef {
    Arc::new(
        rows.collect::<Vec<_>>()
            .into_iter()
            .map(Some)
            .collect::<StringArray>(),
    )
}

fn numbers(rows: usize) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(0..rows as i64))
}

fn lists(rows: impl Iterator<Item = Vec<String>>) -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for row in rows {
        row.iter().for_each(|id| lists.values().append_value(id));
        lists.append(true);
    }
    Arc::new(lists.finish())
}

fn write(folder: &Path, name: &str, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let file = File::create(folder.join(format!("{name}.parquet"))).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

/// An index of the original, of five megabytes of text: text unit i speaks of pump i.
fn large(folder: &Path, word: &str) {
    std::fs::create_dir_all(folder).expect("a folder");
    let text = |row: usize| {
        let filler: Vec<String> = (0..40)
            .map(|at| format!("w{:05}", row * 7919 % 9973 + at * 31))
            .collect();
        format!(
            "The pump P{row:05} of {word} was mended by Osei in May. Also {}",
            filler.join(" ")
        )
    };
    let unit = |row: usize| format!("t{row}");
    write(
        folder,
        "text_units",
        vec![
            ("id", strings((0..UNITS).map(unit))),
            ("human_readable_id", numbers(UNITS)),
            ("text", strings((0..UNITS).map(text))),
            (
                "document_id",
                strings((0..UNITS).map(|row| format!("d{}", row / 100))),
            ),
        ],
    );
    write(
        folder,
        "documents",
        vec![
            ("id", strings((0..UNITS / 100).map(|row| format!("d{row}")))),
            (
                "title",
                strings((0..UNITS / 100).map(|row| format!("minutes {row}.md"))),
            ),
            ("text", strings((0..UNITS / 100).map(|_| String::new()))),
        ],
    );
    let titles = ["OSEI", "MIRA OSEI", "HARROW WORKS"];
    write(
        folder,
        "entities",
        vec![
            ("id", strings((0..3).map(|row| format!("e{row}")))),
            ("human_readable_id", numbers(3)),
            (
                "title",
                strings(titles.iter().map(|title| (*title).to_owned())),
            ),
            (
                "description",
                strings(titles.iter().map(|title| format!("{title} mends pumps."))),
            ),
            (
                "text_unit_ids",
                lists((0..3).map(|row| vec![unit(row), unit(row + 500)])),
            ),
        ],
    );
    write(
        folder,
        "relationships",
        vec![
            ("id", strings(std::iter::once("r0".to_owned()))),
            ("source", strings(std::iter::once("MIRA OSEI".to_owned()))),
            (
                "target",
                strings(std::iter::once("HARROW WORKS".to_owned())),
            ),
            (
                "description",
                strings(std::iter::once("Mira Osei works at Harrow.".to_owned())),
            ),
            ("text_unit_ids", lists(std::iter::once(vec![unit(7)]))),
        ],
    );
}

fn project_with_large_index(word: &str) -> (Project, PathBuf) {
    let project = Project::empty();
    project.write("settings.yaml", "{}\n");
    let folder = project.path("output");
    large(&folder, word);
    (project, folder)
}

fn ask(project: &Project, question: &str) -> (Value, String) {
    let run = project
        .run(&["query", "--method", "basic", "--json", question])
        .expect(0);
    let mut answer = run.json();
    answer["seconds"] = Value::Null;
    (answer, run.stderr.clone())
}

#[test]
fn the_first_question_makes_the_file_and_a_changed_table_makes_it_anew() {
    let (project, folder) = project_with_large_index("Harrow");
    let (first, said) = ask(&project, "Who mended P00123?");
    assert!(said.contains("making search.bin"), "{said}");
    assert!(
        first["answer"]
            .as_str()
            .is_some_and(|text| text.contains("P00123")),
        "{first:#}"
    );
    let (again, said) = ask(&project, "Who mended P00123?");
    assert_eq!((again, said.as_str()), (first.clone(), ""));
    let local = project
        .run(&["query", "--method", "local", "--json", "Who is Mira Osei?"])
        .expect(0)
        .json();
    assert_eq!(local["anchors"][0]["title"], "MIRA OSEI", "{local:#}");

    large(&folder, "Windle");
    let (changed, said) = ask(&project, "Who mended the pump P00123 of Windle?");
    assert!(said.contains("making search.bin"), "{said}");
    assert!(
        changed["answer"]
            .as_str()
            .is_some_and(|text| text.contains("of Windle")),
        "{changed:#}"
    );

    let file = folder.join("search.bin");
    let whole = std::fs::read(&file).expect("the file");
    std::fs::write(&file, &whole[..whole.len() / 3]).expect("cut");
    let (after, said) = ask(&project, "Who mended the pump P00123 of Windle?");
    assert!(said.contains("making search.bin"), "{said}");
    assert_eq!(after, changed);
    assert_eq!(std::fs::read(&file).expect("the file"), whole);
}

#[test]
fn two_questions_at_once_do_not_harm_each_other() {
    let (project, folder) = project_with_large_index("Harrow");
    let asked: Vec<_> = ["P00123", "P15000", "P00777"]
        .iter()
        .map(|pump| {
            let question = format!("Who mended {pump}?");
            let mut command = project.command(&["query", "--method", "basic", "--json", &question]);
            let child = command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn();
            (pump, child.expect("a process"))
        })
        .collect();
    for (pump, child) in asked {
        let output = child.wait_with_output().expect("an end");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(
            answer["answer"]
                .as_str()
                .is_some_and(|text| text.contains(pump)),
            "{answer:#}"
        );
    }
    assert!(folder.join("search.bin").exists() && !folder.join(".search.tmp").exists());
}

#[test]
fn a_folder_that_cannot_be_written_to_costs_time_and_one_note() {
    let (project, folder) = project_with_large_index("Harrow");
    // A folder in the place of the lock stops even a user who may write anywhere.
    std::fs::create_dir(folder.join(".search.lock")).expect("a folder");
    let (unkept, _) = ask(&project, "Who mended P00123?");
    let notes = unkept["notes"].to_string();
    assert!(notes.contains("search.bin could not be kept"), "{notes}");
    std::fs::remove_dir(folder.join(".search.lock")).expect("removed");
    let (kept, _) = ask(&project, "Who mended P00123?");
    assert_eq!(kept["citations"], unkept["citations"]);
    assert!(!kept["notes"].to_string().contains("search.bin"));
}
