//! Records cut from whole and from damaged text.

use super::super::outcome::{FinishReason, Repair};
use super::{Record, Tag, Tagging, read};

fn tagged(text: &str) -> Vec<Record> {
    read(text, FinishReason::Stop, Tagging::Tagged).records
}

fn entity(fields: &[&str]) -> Record {
    Record {
        tag: Some(Tag::Entity),
        fields: fields.iter().map(|field| (*field).to_owned()).collect(),
    }
}

#[test]
fn whole_records_need_no_repair() {
    let text = "(\"entity\"<|>\"A (b)\"<|>\"X\"<|>\"see (c), d\")\n##\n(\"entity\"<|>B<|>Y<|>e :) f)##<|COMPLETE|>";
    let found = read(text, FinishReason::Stop, Tagging::Tagged);
    assert_eq!(
        found.records,
        [
            entity(&["A (b)", "X", "see (c), d"]),
            entity(&["B", "Y", "e :) f"])
        ]
    );
    assert!(found.repairs.is_empty(), "{}", found.repairs);
    assert!(found.is_complete && !found.is_cut);
}

#[test]
fn damaged_delimiters_part_fields() {
    for delimiter in [
        "<||>",
        "<|",
        "|>",
        "<|#|>",
        "< | >",
        "<｜>",
        "＜|＞",
        "<|>>",
        "<<|>",
        "<\\|>",
        "<#>",
        "<SEP>",
        "{tuple_delimiter}",
    ] {
        let text =
            format!("(\"entity\"{delimiter}\"A\"{delimiter}\"X\"{delimiter}\"d\")<|COMPLETE|>");
        let found = read(&text, FinishReason::Stop, Tagging::Tagged);
        assert_eq!(found.records, [entity(&["A", "X", "d"])], "{delimiter}");
        assert!(found.repairs.contains(Repair::Delimiter), "{delimiter}");
    }
}

#[test]
fn marks_inside_a_full_record_are_text() {
    assert_eq!(
        tagged("(\"entity\"<|>A<|>X<|>pipes a |> b and x <| y)##<|COMPLETE|>"),
        [entity(&["A", "X", "pipes a |> b and x <| y"])]
    );
    assert_eq!(
        tagged("(\"entity\"<|>\"C##\"<|>X<|>a ## b)##<|COMPLETE|>"),
        [entity(&["C##", "X", "a ## b"])]
    );
}

#[test]
fn a_name_equal_to_a_tag_starts_no_record() {
    let text = "(\"entity\"<|>\"ENTITY\"<|>\"CONCEPT\"<|>\"the entity\")##<|COMPLETE|>";
    assert_eq!(tagged(text), [entity(&["ENTITY", "CONCEPT", "the entity"])]);
}

#[test]
fn a_cut_drops_the_last_record_alone() {
    let text = "(\"entity\"<|>A<|>X<|>d)##(\"entity\"<|>B<|>X<|>half (some)";
    let found = read(text, FinishReason::Length, Tagging::Tagged);
    assert_eq!(found.records, [entity(&["A", "X", "d"])]);
    assert!(found.is_cut);
    // With the completion mark nothing was cut, even if the parenthesis is missing.
    let found = read(
        "(\"entity\"<|>B<|>X<|>whole<|COMPLETE|>",
        FinishReason::Length,
        Tagging::Tagged,
    );
    assert_eq!(found.records, [entity(&["B", "X", "whole"])]);
    assert!(!found.is_cut && found.repairs.contains(Repair::Parentheses));
}

#[test]
fn other_separators_part_fields_outside_quotes() {
    assert_eq!(
        tagged("(\"entity\", \"A\", \"X\", \"d, e\")"),
        [entity(&["\"A\"", "\"X\"", "\"d, e\""])]
    );
    assert_eq!(
        tagged("(entity|A|X|d)\n(entity|B|X|e)"),
        [entity(&["A", "X", "d"]), entity(&["B", "X", "e"])]
    );
    assert!(tagged("It is an entity, that is, a thing (entity).").is_empty());
}

#[test]
fn untagged_records_are_told_apart() {
    let fields = |text: &str| -> Vec<usize> {
        read(text, FinishReason::Stop, Tagging::Untagged)
            .records
            .iter()
            .map(|record| record.fields.len())
            .collect()
    };
    assert_eq!(
        fields("(A<|>B<|>C<|>D (x))##(E<|>F<|>G<|>H)<|COMPLETE|>"),
        [4, 4]
    );
    assert_eq!(fields("A<|>B<|>C\nD<|>E<|>F"), [3, 3]);
    assert!(fields("<|COMPLETE|>").is_empty());
}
