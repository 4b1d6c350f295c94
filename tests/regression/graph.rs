//! A graph of one's own, and what pruning leaves.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, DictionaryArray, Float64Array, Int8Array, Int64Array, ListArray, StringArray,
};
use arrow::datatypes::{Int8Type, Int64Type};
use arrow::record_batch::RecordBatch;

use crate::support::Project;

fn parquet(project: &Project, name: &str, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let file = std::fs::File::create(project.path(name)).expect("a file");
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

const ENTITIES: &str = "title,description\nAna,Ana runs the port.\nBo,Bo fishes.\nCy,Cy sings.\n";
const GIVEN: [&str; 6] = [
    "index",
    "--json",
    "--entities",
    "e.csv",
    "--relationships",
    "r.parquet",
];

/// A weight that was missing in Parquet was told to be left empty; categories and numbers in lists were refused.
#[test]
fn parquet_columns_are_read_as_common_writers_write_them() {
    let project = Project::empty();
    project.write("e.csv", ENTITIES);
    project.write("t.csv", "id,text\n1,Ana met Bo.\n2,Bo met Cy.\n");
    // The type of a pandas category.
    let ends = |keys: Vec<i8>| -> ArrayRef {
        let names = Arc::new(StringArray::from(vec!["Ana", "Bo", "Cy"]));
        Arc::new(DictionaryArray::<Int8Type>::new(
            Int8Array::from(keys),
            names,
        ))
    };
    let weights: ArrayRef = Arc::new(Float64Array::from(vec![None, Some(3.0), Some(f64::NAN)]));
    let units: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([
        Some(vec![Some(1)]),
        Some(vec![Some(1), Some(2)]),
        None,
    ]));
    parquet(
        &project,
        "r.parquet",
        vec![
            ("source", ends(vec![0, 1, 0])),
            ("target", ends(vec![1, 2, 2])),
            ("weight", weights),
            ("text_unit_ids", units),
        ],
    );
    let run = [&GIVEN[..], &["--text-units", "t.csv"]].concat();
    let summary = project.run(&run).expect(0).json();
    assert_eq!(summary["relationships"], 3, "{summary}");
    let table = belvedere::store::TableReader::open(&project.path("output"), "relationships");
    let mut weights = table.expect("a table").floats("weight").expect("weights");
    weights.sort_by(f64::total_cmp);
    assert_eq!(weights, [1.0, 1.0, 3.0]);

    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![7]));
    let flags: ArrayRef = Arc::new(arrow::array::BooleanArray::from(vec![true]));
    parquet(
        &project,
        "r.parquet",
        vec![("source", flags), ("target", numbers)],
    );
    let run = project.run(&GIVEN).expect(2);
    let told = "r.parquet: column source is Boolean, neither text nor a number; convert it";
    assert!(run.stdout.contains(told), "{}", run.stdout);
}

/// The mark that begins a file of some editors was no JSON; the line of an error was always the first.
#[test]
fn a_jsonl_file_may_begin_with_a_mark() {
    let project = Project::empty();
    let entities = "\u{feff}{\"title\": \"Ana\"}\r\n{\"title\": \"Bo\"}\r\n";
    project.write("e.jsonl", entities);
    project.write("r.csv", "source,target\nAna,Bo\n");
    let args = ["index", "--entities", "e.jsonl", "--relationships", "r.csv"];
    project.run(&args).expect(0);
    project.write("e.jsonl", format!("{entities}{{bad\n"));
    let run = project.run(&args).expect(2);
    assert!(
        run.stderr.contains("e.jsonl: row 3: ") && !run.stderr.contains("line 1"),
        "{}",
        run.stderr
    );
}

/// One threshold that left nothing took all others with it, and the note named those that were not at fault.
#[test]
fn only_the_threshold_that_leaves_nothing_is_given_up() {
    let project = Project::empty();
    for (row, text) in [
        "Anna Berg met Carl Dorn at Port Vell.",
        "Carl Dorn owns the Vell Mill with Anna Berg.",
        "Anna Berg knows Bob Stone of Port Vell.",
    ]
    .iter()
    .enumerate()
    {
        project.write(&format!("input/{row}.txt"), text);
    }
    let settings = |degree: u32| {
        format!(
            "prune_graph: {{min_node_freq: 2, min_node_degree: {degree}, min_edge_weight_pct: 0}}\n"
        )
    };
    project.write("settings.yaml", settings(1));
    let without = project.run(&["index", "--json"]).expect(0).json();
    project.write("settings.yaml", settings(1000));
    let with = project.run(&["index", "--json"]).expect(0).json();
    assert_eq!(with["relationships"], without["relationships"]);
    let notes = with["notes"].to_string();
    assert!(
        notes.contains("with prune_graph.min_node_degree, which was left out"),
        "{notes}"
    );
}
