//! What models return, and what must come of it: hand-made cases of every kind, and the shared ones where they are.

#[path = "recover/extract_cases.rs"]
mod extract_cases;

use std::path::PathBuf;

use belvedere::llm::recover::{
    Code, Context, ExtractContext, FinishReason, PromptExamples, RecoverOutcome, Recovered,
    ReportContext, claims, drift_action, drift_primer, extraction, map_points, rating, report,
    summary,
};
use belvedere::model::{ExtractedEntity, ExtractedRelationship, Extraction};
use serde_json::Value;

/// The printed word: an answer in the form asked for that has nothing to tell counts as `ok`.
fn word(outcome: RecoverOutcome) -> &'static str {
    if outcome == RecoverOutcome::Empty {
        "ok"
    } else {
        outcome.word()
    }
}

fn codes<T>(found: &Recovered<T>) -> Vec<&'static str> {
    found
        .warnings
        .iter()
        .map(|warning| warning.code.as_str())
        .collect()
}

fn titles(found: &Extraction) -> Vec<&str> {
    found
        .entities
        .iter()
        .map(|entity| entity.title.as_str())
        .collect()
}

fn pairs(found: &Extraction) -> Vec<(&str, &str)> {
    found
        .relationships
        .iter()
        .map(|r| (r.source.as_str(), r.target.as_str()))
        .collect()
}

fn extract(answer: &str, finish: &str) -> Recovered<Extraction> {
    extraction(
        answer,
        FinishReason::parse(finish),
        &ExtractContext::default(),
    )
}

fn shared(name: &str) -> Option<Vec<Value>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/cases")
        .join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not here", path.display());
        return None;
    };
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

fn strings(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_str().unwrap())
        .collect()
}

fn sorted(mut list: Vec<&str>) -> Vec<&str> {
    list.sort_unstable();
    list
}

#[test]
fn shared_cases() {
    let Some(cases) = shared("llm-outputs.jsonl") else {
        return;
    };
    let mut wrong = Vec::new();
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let content = case["input"]["content"].as_str().unwrap();
        let finish = case["input"]["finish_reason"].as_str().unwrap();
        let expected = &case["expected"];
        let mut differs = Vec::new();
        let (outcome, warnings) = match case["input"]["stage"].as_str().unwrap() {
            "extract" => {
                let found = extract(content, finish);
                if let Some(list) = expected.get("entities")
                    && sorted(titles(&found.value)) != sorted(strings(list))
                {
                    differs.push(format!("entities {:?}", titles(&found.value)));
                }
                if let Some(list) = expected.get("relationships") {
                    let want: Vec<(&str, &str)> = list
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|r| (r[0].as_str().unwrap(), r[1].as_str().unwrap()))
                        .collect();
                    if pairs(&found.value) != want {
                        differs.push(format!("relationships {:?}", pairs(&found.value)));
                    }
                }
                if let Some(list) = expected.get("weights") {
                    let weights: Vec<f64> =
                        found.value.relationships.iter().map(|r| r.weight).collect();
                    let want: Vec<f64> = list
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|w| w.as_f64().unwrap())
                        .collect();
                    if weights != want {
                        differs.push(format!("weights {weights:?}"));
                    }
                }
                if let Some(list) = expected.get("types") {
                    let kinds: Vec<&str> = found
                        .value
                        .entities
                        .iter()
                        .map(|e| e.kind.as_str())
                        .collect();
                    if kinds != strings(list) {
                        differs.push(format!("types {kinds:?}"));
                    }
                }
                (found.outcome, codes(&found))
            }
            "report" => {
                let context = ReportContext {
                    fallback_title: "TOP",
                    ..ReportContext::default()
                };
                let found = report(content, FinishReason::parse(finish), &context);
                if expected
                    .get("rating")
                    .is_some_and(|want| want.as_f64() != Some(found.value.rating))
                {
                    differs.push(format!("rating {}", found.value.rating));
                }
                if expected
                    .get("findings")
                    .is_some_and(|want| want.as_u64() != Some(found.value.findings.len() as u64))
                {
                    differs.push(format!("findings {:?}", found.value.findings));
                }
                (found.outcome, codes(&found))
            }
            "map" => {
                let found = map_points(content, FinishReason::parse(finish), &Context::default());
                if expected
                    .get("points")
                    .is_some_and(|want| want.as_array().unwrap().len() != found.value.len())
                {
                    differs.push(format!("points {:?}", found.value));
                }
                (found.outcome, codes(&found))
            }
            other => panic!("unknown stage {other}"),
        };
        if word(outcome) != expected["outcome"].as_str().unwrap() {
            differs.push(format!("outcome {} ({})", outcome.word(), outcome.detail()));
        }
        if let Some(list) = expected.get("warnings")
            && sorted(warnings.clone()) != sorted(strings(list))
        {
            differs.push(format!("warnings {warnings:?}"));
        }
        if !differs.is_empty() {
            wrong.push(format!(
                "{id}: {}\n    expected {expected}",
                differs.join("; ")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn shared_real_answers() {
    let Some(answers) = shared("real-outputs.jsonl") else {
        return;
    };
    for answer in &answers {
        let name = answer["name"].as_str().unwrap();
        let content = answer["content"].as_str().unwrap();
        let finish = FinishReason::parse(answer["finish_reason"].as_str().unwrap());
        match answer["stage"].as_str().unwrap() {
            "extract" => {
                let found = extraction(content, finish, &ExtractContext::default());
                assert!(
                    found.outcome.is_usable() && !found.value.entities.is_empty(),
                    "{name}: {:?}",
                    found.outcome
                );
                // Every plain record of the stock format names an entity that must be there.
                for line in content
                    .lines()
                    .filter(|line| line.starts_with("(\"entity\"<|>") && line.ends_with(')'))
                {
                    let title = line.split("<|>").nth(1).unwrap().to_uppercase();
                    assert!(
                        titles(&found.value).contains(&title.as_str()),
                        "{name}: {title}"
                    );
                }
                assert_eq!(
                    finish == FinishReason::Length,
                    matches!(found.outcome, RecoverOutcome::Partial(_)),
                    "{name}"
                );
            }
            "report" => {
                let found = report(content, finish, &ReportContext::default());
                let complete = content.matches("\"explanation\"").count()
                    - usize::from(finish == FinishReason::Length);
                assert!(found.outcome.is_usable(), "{name}: {:?}", found.outcome);
                assert_eq!(found.value.findings.len(), complete, "{name}");
            }
            "map" => {
                let found = map_points(content, finish, &Context::default());
                let is_json = content.trim_start().starts_with('{');
                assert!(!found.value.is_empty(), "{name}");
                assert_eq!(found.has(Code::Prose), !is_json, "{name}");
                assert!(
                    is_json || found.value.iter().all(|point| point.score == 50.0),
                    "{name}"
                );
            }
            other => panic!("unknown stage {other}"),
        }
    }
}

fn entity_matches(entity: &ExtractedEntity, expected: &str) -> bool {
    let mut parts = expected.splitn(3, '|');
    parts.next() == Some(&entity.title)
        && parts.next().is_none_or(|kind| kind == entity.kind)
        && parts
            .next()
            .is_none_or(|description| description == entity.description)
}

fn relationship_matches(found: &ExtractedRelationship, expected: &str) -> bool {
    let mut parts = expected.splitn(3, '|');
    parts.next() == Some(&format!("{}>{}", found.source, found.target))
        && parts
            .next()
            .is_none_or(|weight| weight.parse() == Ok(found.weight))
        && parts
            .next()
            .is_none_or(|description| description == found.description)
}

#[test]
fn extraction_answers() {
    let mut wrong = Vec::new();
    for case in extract_cases::CASES {
        let found = extract(case.answer, case.finish);
        let printed = if found.has(Code::NonAnswer) {
            found.outcome.word()
        } else {
            word(found.outcome)
        };
        let entities = &found.value.entities;
        let relationships = &found.value.relationships;
        let is_right = printed == case.outcome
            && entities.len() == case.entities.len()
            && case.entities.iter().all(|expected| {
                entities
                    .iter()
                    .any(|entity| entity_matches(entity, expected))
            })
            && relationships.len() == case.relationships.len()
            && case
                .relationships
                .iter()
                .zip(relationships)
                .all(|(expected, found)| relationship_matches(found, expected))
            && sorted(codes(&found)) == sorted(case.warnings.to_vec());
        if !is_right {
            wrong.push(format!(
                "{}: {} ({}) {:?} {entities:?} {relationships:?}",
                case.id,
                printed,
                found.outcome.detail(),
                codes(&found)
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        extract_cases::CASES.len(),
        wrong.join("\n")
    );
}

/// Loops are too long to write out.
#[test]
fn loops() {
    let row = r#"{"name":"A","type":"X","description":"d"}"#;
    let rows = vec![row; 30].join(",");
    let found = extract(
        &format!(r#"{{"entities":[{rows}],"relationships":[]}}"#),
        "stop",
    );
    assert_eq!(
        (word(found.outcome), titles(&found.value), codes(&found)),
        ("repaired", vec!["A"], vec!["repetition"])
    );

    let found = extract(
        &format!(r#"{{"entities":[{rows},{{"name":"A","ty"#),
        "length",
    );
    assert_eq!(
        (word(found.outcome), titles(&found.value)),
        ("partial", vec!["A"])
    );
    assert_eq!(sorted(codes(&found)), ["repetition", "truncated"]);

    for answer in [
        format!(r#"{{"entities":[{{"name":"{}"#, "no ".repeat(500)),
        format!(r#"("entity"<|>"A"<|>"X"<|>"{}"#, "dock ".repeat(300)),
        "I think ".repeat(300),
    ] {
        let found = extract(&answer, "length");
        assert_eq!(
            (found.outcome, codes(&found)),
            (
                RecoverOutcome::Retry(Code::Truncated),
                vec!["truncated", "repetition"]
            )
        );
        assert!(found.outcome.needs_larger_budget());
    }

    let found = extract(
        &format!(
            "{}(\"entity\"<|>\"A\"<|>\"X",
            r#"("entity"<|>"A"<|>"X"<|>"d")##"#.repeat(50)
        ),
        "length",
    );
    assert_eq!(
        (word(found.outcome), titles(&found.value)),
        ("partial", vec!["A"])
    );
    assert!(found.has(Code::Repetition) && found.has(Code::Truncated));

    let found = extract(
        &format!(
            r#"("entity"<|>"A"<|>"X"<|>"the pier {}")<|COMPLETE|>"#,
            "dock ".repeat(200)
        ),
        "stop",
    );
    assert_eq!(found.value.entities[0].description, "the pier dock");
}

#[test]
fn relationships_may_name_what_earlier_answers_gave() {
    let first = extract(
        r#"("entity"<|>"MIRA"<|>"PERSON"<|>"d")<|COMPLETE|>"#,
        "stop",
    )
    .value;
    let second = r#"("entity"<|>"BO"<|>"PERSON"<|>"d")##("relationship"<|>"MIRA"<|>"BO"<|>"knows"<|>3)<|COMPLETE|>"#;
    assert!(extract(second, "stop").has(Code::UnknownEndpoint));
    let context = ExtractContext {
        known: Some(&first),
        ..ExtractContext::default()
    };
    let found = extraction(second, FinishReason::Stop, &context);
    assert_eq!(
        (found.outcome, pairs(&found.value)),
        (RecoverOutcome::Ok, vec![("MIRA", "BO")])
    );
}

#[test]
fn types_follow_the_prompt() {
    let types = ["Ship".to_owned(), "Harbour Master".to_owned()];
    let context = ExtractContext {
        entity_types: &types,
        ..ExtractContext::default()
    };
    let answer = r#"{"entities":[{"name":"A","type":"ships","description":"d"},{"name":"B","type":"harbour master","description":"d"}],"relationships":[]}"#;
    let found = extraction(answer, FinishReason::Stop, &context);
    let kinds: Vec<&str> = found
        .value
        .entities
        .iter()
        .map(|entity| entity.kind.as_str())
        .collect();
    assert_eq!(kinds, ["SHIP", "HARBOUR MASTER"]);
}

const PROMPT: &str = r#"Give every entity as ("entity"<|><name><|><type><|><description>).
Example:
("entity"<|>GREEN LANTERN INN<|>ORGANIZATION<|>An inn on the quay that Old Tobias keeps)
##
("entity"<|>OLD TOBIAS<|>PERSON<|>The keeper of the Green Lantern Inn)
##
("relationship"<|>OLD TOBIAS<|>GREEN LANTERN INN<|>Old Tobias keeps the inn<|>8)
<|COMPLETE|>
{"title": "Green Lantern Inn", "summary": "The inn is the heart of the Quay Market dispute.",
 "findings": [{"summary": "Old Tobias at the centre", "explanation": "Old Tobias keeps the inn where the Quay Market meets."}]}"#;

#[test]
fn the_prompts_example_is_no_answer() {
    let examples = PromptExamples::from_prompt(PROMPT);
    let copied = r#"("entity"<|>OLD TOBIAS<|>PERSON<|>The keeper of the Green Lantern Inn)##("entity"<|>GREEN LANTERN INN<|>ORGANIZATION<|>An inn)##("relationship"<|>OLD TOBIAS<|>GREEN LANTERN INN<|>keeps it<|>8)<|COMPLETE|>"#;
    let mixed = copied.replace(
        "<|COMPLETE|>",
        r#"##("entity"<|>MIRA OSEI<|>PERSON<|>auditor)<|COMPLETE|>"#,
    );
    let context = ExtractContext {
        examples: Some(&examples),
        passage: Some("Mira Osei audits."),
        ..ExtractContext::default()
    };
    let all = extraction(copied, FinishReason::Stop, &context);
    assert_eq!(all.outcome, RecoverOutcome::Retry(Code::PromptExample));
    let some = extraction(&mixed, FinishReason::Stop, &context);
    assert_eq!(
        (word(some.outcome), titles(&some.value)),
        ("repaired", vec!["MIRA OSEI"])
    );
    assert!(some.has(Code::PromptExample));
    // A passage that really speaks of them keeps them.
    let context = ExtractContext {
        passage: Some("Old Tobias sold the Green Lantern inn."),
        ..context
    };
    let real = extraction(copied, FinishReason::Stop, &context);
    assert_eq!(
        (
            real.outcome,
            titles(&real.value).len(),
            pairs(&real.value).len()
        ),
        (RecoverOutcome::Ok, 2, 1)
    );

    let leaked = r#"{"title":"Harbor Trust","summary":"Harbor Trust is a bank. It lies near the Quay Market.","rating":4,"rating_explanation":"e","findings":[{"summary":"Old Tobias at the centre","explanation":"x"},{"summary":"The audit","explanation":"Mira audits."}]}"#;
    let context = ReportContext {
        examples: Some(&examples),
        passage: Some("HARBOR TRUST, MIRA OSEI"),
        ..ReportContext::default()
    };
    let found = report(leaked, FinishReason::Stop, &context);
    assert_eq!(found.value.summary, "Harbor Trust is a bank.");
    assert_eq!(found.value.findings.len(), 1);
    assert!(found.has(Code::PromptExample));
}

#[test]
fn reports() {
    let full = r#"{"title":"Port","summary":"About the port.","rating":RATING,"rating_explanation":"e","findings":[{"summary":"f1","explanation":"x1"},{"summary":"f2","explanation":"x2"}]}"#;
    let context = ReportContext {
        fallback_title: "TOP NAMES",
        ..ReportContext::default()
    };
    for (written, expected, warning) in [
        ("7.5", 7.5, None),
        ("\"8\"", 8.0, None),
        ("\"8 out of 10\"", 8.0, None),
        ("\"85/100\"", 8.5, None),
        ("\"75%\"", 7.5, None),
        ("12", 10.0, Some("rating_out_of_range")),
        ("-1", 0.0, Some("rating_out_of_range")),
        ("\"high\"", 5.0, Some("bad_rating")),
        ("NaN", 5.0, Some("bad_rating")),
        ("null", 5.0, Some("missing_rating")),
    ] {
        let found = report(
            &full.replace("RATING", written),
            FinishReason::Stop,
            &context,
        );
        assert_eq!(found.value.rating, expected, "{written}");
        assert_eq!(codes(&found).first().copied(), warning, "{written}");
        assert_eq!(found.value.findings.len(), 2, "{written}");
    }
    let full = full.replace("RATING", "7.5");
    for (answer, finish, outcome, title, findings) in [
        (full.as_str(), "stop", "ok", "Port", 2),
        (
            &format!("```json\n{full}\n```"),
            "stop",
            "repaired",
            "Port",
            2,
        ),
        (
            &format!("<think>{{\"title\":\"No\",\"summary\":\"no\"}}</think>{full}"),
            "stop",
            "repaired",
            "Port",
            2,
        ),
        (
            &format!(r#"{{"report":{full}}}"#),
            "stop",
            "repaired",
            "Port",
            2,
        ),
        (&format!("[{full}]"), "stop", "repaired", "Port", 2),
        (
            &full.replace(r#""title":"Port","#, ""),
            "stop",
            "repaired",
            "TOP NAMES",
            2,
        ),
        (
            &full.replace(r#""explanation":"x1"},"#, r#""explanation":"x1","#),
            "stop",
            "repaired",
            "Port",
            2,
        ),
        (
            &full.replace("f1", "the \"first\" one"),
            "stop",
            "repaired",
            "Port",
            2,
        ),
        (
            &full.replace("About the", "About\nthe"),
            "stop",
            "repaired",
            "Port",
            2,
        ),
        (
            &full.replace('"', "'").replace("About", "It's about"),
            "stop",
            "repaired",
            "Port",
            2,
        ),
        (&full[..full.len() - 20], "length", "partial", "Port", 1),
        (&full[..70], "length", "partial", "Port", 0),
        (&full[..20], "length", "retry", "", 0),
        (
            r##"{"title":"Port","summary":"s","rating":5,"findings":"one string"}"##,
            "stop",
            "repaired",
            "Port",
            1,
        ),
        (
            r##"{"title":"Port","summary":"s","rating":5,"findings":{"Head":"text","Other":"more"}}"##,
            "stop",
            "repaired",
            "Port",
            2,
        ),
        (
            r##"{"title":"Port","summary":"s","rating":5,"findings":[5,null,{"summary":"a","explanation":"b"}]}"##,
            "stop",
            "repaired",
            "Port",
            1,
        ),
        (
            r##"{"Title":"Port","Executive Summary":"s","Impact Severity Rating":6,"Detailed Findings":[{"title":"f","description":"x"}]}"##,
            "stop",
            "repaired",
            "Port",
            1,
        ),
        (
            r##"[{"summary":"a","explanation":"b"},{"summary":"c","explanation":"d"}]"##,
            "stop",
            "repaired",
            "TOP NAMES",
            2,
        ),
        (
            "# Port\n\nThe port is central.\n\n## Rating: 7\n\n## Findings\n\n### The bank\n\nIt leads.\n\n### The ferry\n\nIt runs.",
            "stop",
            "repaired",
            "Port",
            2,
        ),
        (
            "**Title:** Port\n\n**Summary:** The port.\n\n**Rating:** 7\n\n**Findings:**\n\n1. **The bank**: It leads.\n2. **The ferry**: It runs.",
            "stop",
            "repaired",
            "Port",
            2,
        ),
        ("I see.", "stop", "retry", "", 0),
        (r#"{"answer":"x"}"#, "stop", "retry", "", 0),
        (
            "I'm sorry, but I can't help with that request.",
            "stop",
            "failed",
            "",
            0,
        ),
        ("", "stop", "retry", "", 0),
    ] {
        let found = report(answer, FinishReason::parse(finish), &context);
        let seen = (
            found.outcome.word(),
            found.value.title.as_str(),
            found.value.findings.len(),
        );
        assert_eq!(seen, (outcome, title, findings), "{answer}");
    }
}

#[test]
fn map_answers() {
    for (answer, finish, outcome, points) in [
        (
            r#"{"points":[{"description":"a b","score":80},{"description":"c","score":"20/100"}]}"#,
            "stop",
            "ok",
            &[("a b", 80.0), ("c", 20.0)][..],
        ),
        (
            r#"{"points":[{"description":"a","score":0.85},{"description":"c","score":1}]}"#,
            "stop",
            "repaired",
            &[("a", 85.0), ("c", 100.0)],
        ),
        (
            r#"{"points":[{"description":"a","score":150},{"description":"c","score":"high"},{"description":"d"}]}"#,
            "stop",
            "repaired",
            &[("a", 100.0), ("c", 50.0), ("d", 50.0)],
        ),
        (
            r#"{"points":[{"description":"a","score":80},{"description":"a","score":80}]}"#,
            "stop",
            "repaired",
            &[("a", 80.0)],
        ),
        (
            r#"{"points":[{"score":80},7,{"description":"a","score":0}]}"#,
            "stop",
            "repaired",
            &[("a", 0.0)],
        ),
        (r#"{"points":[]}"#, "stop", "ok", &[]),
        (
            r#"{"points":["a b","c d"]}"#,
            "stop",
            "repaired",
            &[("a b", 50.0), ("c d", 50.0)],
        ),
        (
            r#"[{"answer":"a","importance":5}]"#,
            "stop",
            "repaired",
            &[("a", 5.0)],
        ),
        (
            r#"{"result":{"key_points":[{"point":"a","score":9}]}}"#,
            "stop",
            "repaired",
            &[("a", 9.0)],
        ),
        (
            r#"{"points":[{"description":"first","score":80},{"description":"second","sco"#,
            "length",
            "partial",
            &[("first", 80.0)],
        ),
        (r#"{"points":[{"description":"half"#, "length", "retry", &[]),
        (
            "The causes are:\n\n1. **Bank**: It failed.\n2. **Ferry**: It sank. (Score: 80)\n\nThat is all.",
            "stop",
            "repaired",
            &[("Bank: It failed.", 50.0), ("Ferry: It sank.", 80.0)],
        ),
        (
            "The bank failed in March.\n\nThe ferry sank.",
            "stop",
            "repaired",
            &[
                ("The bank failed in March.", 50.0),
                ("The ferry sank.", 50.0),
            ],
        ),
        (
            "1. The bank failed. It was bad.\n2. The ferry sank and",
            "length",
            "partial",
            &[("The bank failed. It was bad.", 50.0)],
        ),
        (
            "要点：\n1. 银行倒闭了。\n2. 渡轮沉没了。",
            "stop",
            "repaired",
            &[("银行倒闭了。", 50.0), ("渡轮沉没了。", 50.0)],
        ),
        ("I don't know.", "stop", "ok", &[]),
        (
            "I'm sorry, but I cannot answer this question based on the provided data.",
            "stop",
            "ok",
            &[],
        ),
        (
            "<think>hm</think>The provided data does not contain that information.",
            "stop",
            "ok",
            &[],
        ),
        (
            "The page was not found because the name did not resolve.",
            "stop",
            "repaired",
            &[(
                "The page was not found because the name did not resolve.",
                50.0,
            )],
        ),
        (
            "I'm sorry, but I can't help with that request.",
            "stop",
            "failed",
            &[],
        ),
        (r#"{"answer":"It failed."}"#, "stop", "retry", &[]),
        ("", "length", "retry", &[]),
    ] {
        let found = map_points(answer, FinishReason::parse(finish), &Context::default());
        let seen: Vec<(&str, f64)> = found
            .value
            .iter()
            .map(|point| (point.description.as_str(), point.score))
            .collect();
        assert_eq!(
            (word(found.outcome), seen.as_slice()),
            (outcome, points),
            "{answer}"
        );
    }
}

#[test]
fn ratings() {
    for (answer, finish, outcome, value, reason) in [
        (r#"{"rating":4,"reason":"near"}"#, "stop", "ok", 4.0, "near"),
        (
            r#"{"reason":"near","rating":"4"}"#,
            "stop",
            "ok",
            4.0,
            "near",
        ),
        (
            r#"{"reason":"near","rating":"8/10"}"#,
            "stop",
            "repaired",
            4.0,
            "near",
        ),
        (r#"{"rating":9}"#, "stop", "repaired", 5.0, ""),
        (r#"{"rating":"four"}"#, "stop", "repaired", 4.0, ""),
        (
            r#"{"score":3,"explanation":"e"}"#,
            "stop",
            "repaired",
            3.0,
            "e",
        ),
        (
            "{'rating': 2, 'reason': 'it's far'}",
            "stop",
            "repaired",
            2.0,
            "it's far",
        ),
        (
            "```json\n{\"rating\":3,\"reason\":\"e\"}\n```",
            "stop",
            "repaired",
            3.0,
            "e",
        ),
        (
            r#"<think>rating 5?</think>{"rating":1,"reason":"n"}"#,
            "stop",
            "repaired",
            1.0,
            "n",
        ),
        ("4", "stop", "repaired", 4.0, ""),
        (
            "**Rating:** 4/5\n\n**Reason:** because",
            "stop",
            "repaired",
            4.0,
            "because",
        ),
        (
            "It is near. Rating: 5",
            "stop",
            "repaired",
            5.0,
            "It is near.",
        ),
        (
            r#"{"rating":4,"reason":"because of"#,
            "length",
            "partial",
            4.0,
            "",
        ),
        (r#"{"rating":4"#, "length", "retry", 0.0, ""),
        (r#"{"rating":"high"}"#, "stop", "retry", 0.0, ""),
        ("It is relevant.", "stop", "retry", 0.0, ""),
        ("I can't help with that.", "stop", "failed", 0.0, ""),
    ] {
        let found = rating(answer, FinishReason::parse(finish), &Context::default());
        let seen = (
            found.outcome.word(),
            found.value.rating,
            found.value.reason.as_str(),
        );
        assert_eq!(seen, (outcome, value, reason), "{answer}");
    }
}

#[test]
fn claim_answers() {
    let one = "(COMPANY A<|>NONE<|>FRAUD<|>TRUE<|>2022-01-10<|>2022-01-11<|>A was fined<|>In an article (2022), A was fined)";
    let two =
        "(MR B<|>COMPANY A<|>CORRUPTION<|>suspected<|>NONE<|>NONE<|>B was suspected<|>B owns A)";
    let both = format!("{one}##{two}<|COMPLETE|>");
    for (answer, finish, outcome, subjects) in [
        (both.as_str(), "stop", "ok", &["COMPANY A", "MR B"][..]),
        (
            &both.replace("##", "\n##\n"),
            "stop",
            "ok",
            &["COMPANY A", "MR B"],
        ),
        (
            &both.replace("##", "\n"),
            "stop",
            "ok",
            &["COMPANY A", "MR B"],
        ),
        (
            &both.replace("<|>", "<||>"),
            "stop",
            "repaired",
            &["COMPANY A", "MR B"],
        ),
        (
            &both.replace('(', "（").replace(')', "）"),
            "stop",
            "repaired",
            &["COMPANY A", "MR B"],
        ),
        (
            &format!("Here they are:\n{both}\nDone."),
            "stop",
            "repaired",
            &["COMPANY A", "MR B"],
        ),
        (
            &both[..both.len() - 40],
            "length",
            "partial",
            &["COMPANY A"],
        ),
        (
            "A<|>NONE<|>X<|>TRUE<|>NONE<|>NONE<|>d (e)<|>s\nB<|>NONE<|>X<|>TRUE<|>NONE<|>NONE<|>d<|>s<|COMPLETE|>",
            "stop",
            "repaired",
            &["A", "B"],
        ),
        (
            r#"("claim"<|>"A"<|>"NONE"<|>"X"<|>"TRUE"<|>"NONE"<|>"NONE"<|>"d"<|>"s")<|COMPLETE|>"#,
            "stop",
            "repaired",
            &["A"],
        ),
        (
            r#"{"claims":[{"subject":"A","object":"B","type":"X","status":"TRUE","start_date":"2022","end_date":null,"description":"d","source_text":"s"}]}"#,
            "stop",
            "ok",
            &["A"],
        ),
        (
            r#"[{"subject_entity":"A","claim_type":"X","claim_status":"FALSE","claim_description":"d","claim_source_text":["s","t"]}]"#,
            "stop",
            "repaired",
            &["A"],
        ),
        (r#"{"claims":[]}"#, "stop", "ok", &[]),
        ("<|COMPLETE|>", "stop", "ok", &[]),
        ("No claims were found in the text.", "stop", "ok", &[]),
        ("The company was fined.", "stop", "retry", &[]),
        ("", "stop", "retry", &[]),
    ] {
        let found = claims(answer, FinishReason::parse(finish), &Context::default());
        let seen: Vec<&str> = found
            .value
            .iter()
            .map(|claim| claim.subject.as_str())
            .collect();
        assert_eq!(
            (word(found.outcome), seen.as_slice()),
            (outcome, subjects),
            "{answer}"
        );
    }
    let found = claims(&both, FinishReason::Stop, &Context::default()).value;
    assert_eq!(
        (
            found[0].object.as_str(),
            found[0].status.as_str(),
            found[0].start_date.as_str()
        ),
        ("NONE", "TRUE", "2022-01-10")
    );
    assert_eq!(found[0].source_text, "In an article (2022), A was fined");
    assert_eq!(
        (
            found[1].object.as_str(),
            found[1].status.as_str(),
            found[1].end_date.as_str()
        ),
        ("COMPANY A", "SUSPECTED", "NONE")
    );
}

#[test]
fn summaries() {
    for (answer, finish, outcome, text) in [
        ("The bank is old.", "stop", "ok", "The bank is old."),
        (
            "\"The bank is old.\"",
            "stop",
            "repaired",
            "The bank is old.",
        ),
        (
            "Here is the summary:\n\nThe bank is old.",
            "stop",
            "repaired",
            "The bank is old.",
        ),
        (
            "**Summary:** The bank is old.",
            "stop",
            "repaired",
            "The bank is old.",
        ),
        (
            "```\nThe bank is old.\n```",
            "stop",
            "repaired",
            "The bank is old.",
        ),
        (
            r#"{"summary":"The bank is old."}"#,
            "stop",
            "repaired",
            "The bank is old.",
        ),
        (
            "<think>x</think>The bank is old.<|im_end|>",
            "stop",
            "repaired",
            "The bank is old.",
        ),
        (
            "The set {a, b} is [old].",
            "stop",
            "ok",
            "The set {a, b} is [old].",
        ),
        (
            "Note: the bank is old.",
            "stop",
            "ok",
            "Note: the bank is old.",
        ),
        (
            "The bank is old. It was founded in",
            "length",
            "partial",
            "The bank is old.",
        ),
        ("The bank is", "length", "retry", ""),
        ("I'm sorry, I can't help with that.", "stop", "failed", ""),
        ("", "stop", "retry", ""),
    ] {
        let found = summary(answer, FinishReason::parse(finish), &Context::default());
        assert_eq!(
            (found.outcome.word(), found.value.as_str()),
            (outcome, text),
            "{answer}"
        );
    }
}

#[test]
fn drift_answers() {
    let context = Context::default();
    let found = drift_primer(
        r##"{"intermediate_answer":"# A","score":80,"follow_up_queries":["q1?","q2?"]}"##,
        FinishReason::Stop,
        &context,
    );
    assert_eq!(
        (
            found.outcome,
            found.value.score,
            found.value.follow_ups.len()
        ),
        (RecoverOutcome::Ok, 80.0, 2)
    );
    let found = drift_action(
        r#"{"response":"a","score":"80","follow_up_queries":[{"query":"q1?"},"q1?","q2?"]} and more }"#,
        FinishReason::Stop,
        &context,
    );
    assert_eq!(
        (found.outcome.word(), found.value.follow_ups),
        ("repaired", vec!["q1?".to_owned(), "q2?".to_owned()])
    );
    let found = drift_action(
        r#"{"response":"One. Two. Thr"#,
        FinishReason::Length,
        &context,
    );
    assert_eq!(
        (found.outcome.word(), found.value.answer.as_str()),
        ("partial", "One. Two.")
    );
    let found = drift_primer("The bank failed.", FinishReason::Stop, &context);
    assert_eq!(
        (found.outcome.word(), found.value.score),
        ("repaired", 50.0)
    );
    assert!(found.has(Code::Prose));
}

/// A generator that needs no crate (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const FIRST: &[&str] = &[
    "Harbor",
    "Mira",
    "O'Hara",
    "Lune",
    "華東",
    "Ünal",
    "St. Anne",
    "7th",
    "Quill",
    "Reed & Sons",
];
const LAST: &[&str] = &[
    "Trust",
    "Osei",
    "Mill",
    "Ferry",
    "銀行",
    "(Clause 4)",
    "of Port",
    "C++",
    "Fund",
    "Éclair",
];
const SAYS: &[&str] = &[
    "A bank in Port Lune.",
    "audits the books, and more",
    "runs at 9:30; daily",
    "see (some) trips",
    "is {old} and [new]",
    "the town's mill",
    "costs 5% more",
    "一家银行，很大",
    "uses a // path and # mark",
    "said \"no\" twice",
    "x < y & z",
];

/// A random extraction; names are unique and every end is known.
fn graph(random: &mut Random) -> Extraction {
    let mut extraction = Extraction::default();
    for at in 0..2 + random.below(5) {
        extraction.entities.push(ExtractedEntity {
            title: format!("{} {} {at}", random.pick(FIRST), random.pick(LAST)),
            kind: random.pick(&["PERSON", "ORGANIZATION", "GEO"]).to_owned(),
            description: random.pick(SAYS).to_owned(),
        });
    }
    for at in 0..random.below(6) {
        let count = extraction.entities.len();
        let (source, target) = (random.below(count), random.below(count));
        if source != target {
            extraction.relationships.push(ExtractedRelationship {
                source: extraction.entities[source].title.clone(),
                target: extraction.entities[target].title.clone(),
                description: format!("{} {at}", random.pick(SAYS)),
                weight: 1.0 + random.below(10) as f64,
            });
        }
    }
    extraction
}

fn as_json(extraction: &Extraction) -> String {
    let entities: Vec<Value> = extraction
        .entities
        .iter()
        .map(|e| serde_json::json!({"name": e.title, "type": e.kind, "description": e.description}))
        .collect();
    serde_json::json!({"entities": entities, "relationships": extraction.relationships}).to_string()
}

fn as_tuples(extraction: &Extraction) -> String {
    let entities = extraction.entities.iter().map(|e| {
        format!(
            r#"("entity"<|>"{}"<|>"{}"<|>"{}")"#,
            e.title, e.kind, e.description
        )
    });
    let relationships = extraction.relationships.iter().map(|r| {
        format!(
            r#"("relationship"<|>"{}"<|>"{}"<|>"{}"<|>{})"#,
            r.source, r.target, r.description, r.weight
        )
    });
    entities.chain(relationships).collect::<Vec<_>>().join("##") + "<|COMPLETE|>"
}

#[test]
fn every_prefix_gives_a_subset() {
    let mut random = Random(0x5eed);
    for round in 0..6 {
        let graph = graph(&mut random);
        for answer in [as_json(&graph), as_tuples(&graph)] {
            let full = extract(&answer, "stop");
            assert_eq!(full.outcome, RecoverOutcome::Ok, "{round}: {answer}");
            assert_eq!(
                full.value.entities.len(),
                graph.entities.len(),
                "{round}: {answer}"
            );
            assert_eq!(
                full.value.relationships.len(),
                graph.relationships.len(),
                "{round}: {answer}"
            );
            let mut most = 0;
            for end in (0..answer.len()).filter(|&end| answer.is_char_boundary(end)) {
                for finish in ["length", "stop"] {
                    let part = extract(&answer[..end], finish);
                    let is_subset = part
                        .value
                        .entities
                        .iter()
                        .all(|e| full.value.entities.contains(e))
                        && part
                            .value
                            .relationships
                            .iter()
                            .all(|r| full.value.relationships.contains(r));
                    assert!(is_subset, "{}: {:?}", &answer[..end], part.value);
                    if finish == "length" {
                        // What was whole at a shorter cut is not lost at a longer one.
                        let rows = part.value.entities.len() + part.value.relationships.len();
                        assert!(rows >= most, "{}", &answer[..end]);
                        most = rows;
                    }
                }
            }
        }
    }
}

#[test]
fn wrapping_changes_nothing() {
    let mut random = Random(0xbee5);
    for _ in 0..60 {
        let graph = graph(&mut random);
        for answer in [as_json(&graph), as_tuples(&graph)] {
            let plain = extract(&answer, "stop").value;
            for wrapped in [
                format!("```json\n{answer}\n```"),
                format!("```\n{answer}\n```\n"),
                format!("Sure! Here's the result (don't worry about {{order}}):\n\n{answer}"),
                format!("{answer}\n\nI hope this helps; let me know if it doesn't."),
                format!(
                    "<think>It's about {{\"entities\": [1]}} and (\"entity\"<|>\"NO\"<|>\"X\"<|>\"d\")</think>\n{answer}"
                ),
                format!("The names are clear.\n</think>\n\n{answer}"),
                format!("\u{feff}{answer}<|im_end|>"),
            ] {
                let found = extract(&wrapped, "stop");
                assert_eq!(found.value, plain, "{wrapped}");
            }
        }
    }
}

#[test]
fn hostile_answers_end() {
    let patterns = [
        "[",
        "{",
        "{\"a\":",
        "(((",
        "\"",
        "'",
        "<|>",
        "<|",
        "##",
        "(\"entity\"<|>",
        "\\",
        "{{",
        "}]",
        ",",
        "```",
        "<think>",
        "</think>",
        "[[],",
        "{\"entities\":[",
        "\"a\" ",
        "{'a':'b' ",
        "{\\\"",
        "/*",
        "\"\"\"a",
        "…",
        "&lt;",
        "<b>",
        "|",
        "- a: b\n",
        "# a\n",
        "(entity,",
        "{\"name\":\"a\",\"type\":\"b\"}",
        "\u{ff5b}",
        "a",
        "\n",
        "「",
        "0,",
        "(a<|>b<|>c<|>d<|>e)\n",
        "entity<|>a<|>",
        "\"a\":\"b\",",
        "{a:b,",
        "[1,2",
        "\"x\",",
        "no ",
        "('a',",
        "<|COMPLETE|>",
        "{\"x\":\"y\" \"",
        "\"} ",
        "{\"a\":\"} ",
        "entity\"<|>",
        ". ",
        "score 1 ",
    ];
    let context = Context::default();
    for pattern in patterns {
        for lead in ["", "{\"entities\":[{\"name\":\"", "(\"entity\"<|>\"", "x "] {
            let answer = format!("{lead}{}", pattern.repeat((1 << 17) / pattern.len()));
            for finish in [FinishReason::Stop, FinishReason::Length] {
                let found = extraction(&answer, finish, &ExtractContext::default());
                assert!(found.warnings.len() <= 1000, "{pattern}");
                report(&answer, finish, &ReportContext::default());
                map_points(&answer, finish, &context);
                rating(&answer, finish, &context);
                claims(&answer, finish, &context);
                summary(&answer, finish, &context);
                drift_primer(&answer, finish, &context);
                PromptExamples::from_prompt(&answer);
            }
        }
    }
}

#[test]
fn a_megabyte_of_brackets_ends() {
    for pattern in [
        "[",
        "{\"a\":",
        "(((",
        "\"",
        "<|>",
        "{",
        "(\"entity\"<|>\"A\"<|>\"X\"<|>\"d",
    ] {
        let answer = pattern.repeat((1 << 20) / pattern.len());
        let found = extraction(&answer, FinishReason::Length, &ExtractContext::default());
        assert!(found.value.relationships.is_empty(), "{pattern}");
    }
}

#[test]
fn answers_beyond_the_cap_are_cut() {
    let graph = graph(&mut Random(7));
    let answer = as_json(&graph);
    let context = ExtractContext {
        max_bytes: answer.len() / 2,
        ..ExtractContext::default()
    };
    let found = extraction(&answer, FinishReason::Stop, &context);
    assert!(
        matches!(found.outcome, RecoverOutcome::Partial(_)) && found.has(Code::TooLarge),
        "{:?}",
        found.outcome
    );
}
