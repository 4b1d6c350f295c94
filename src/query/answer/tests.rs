//! Whole questions against a hand-made index, with a stand-in for the model.

mod stand;

use super::*;
use crate::llm::{CallError, ChatRequest};
use stand::{Encoder, Stand, ask, ask_aloud, question, small_batches, transient};

#[test]
fn an_empty_question_is_refused() {
    for text in ["", "  \n"] {
        assert!(matches!(
            ask(
                None,
                None,
                &Params::default(),
                &question(Method::Basic, text)
            ),
            Err(QueryError::EmptyQuestion)
        ));
    }
}

#[test]
fn a_local_answer_of_a_model_is_made_from_the_context_and_its_citations_are_followed() {
    let stand = Stand::new(|request, _| {
        assert!(
            request.messages[0]
                .content
                .starts_with("LOCAL One line\n-----Reports-----")
        );
        assert_eq!(
            &*request.messages[1].content,
            "Why did the pump at Harrow fail?"
        );
        assert_eq!(request.salt, "fixture");
        Ok("Its seal was worn [Data: Sources (0, 7)].".into())
    });
    let answered = ask(
        Some(&stand),
        None,
        &Params::default(),
        &question(Method::Local, "Why did the pump at Harrow fail?"),
    )
    .unwrap();
    assert_eq!(
        answered.answer,
        "Its seal was worn [Data: Sources (0)] [unresolved: Sources (7)]."
    );
    assert_eq!(answered.citations[0].document.as_deref(), Some("a.md"));
    assert_eq!(answered.unresolved.len(), 1);
    assert_eq!(answered.usage.unwrap().calls, 1);
    let anchors: Vec<(&str, Arrival)> = answered
        .anchors
        .iter()
        .map(|row| (row.title.as_str(), row.matched))
        .collect();
    assert_eq!(anchors[0], ("HARROW", Arrival::Name));
    assert_eq!(
        answered.context.tables["entities"].rows[0].arrived,
        Arrival::Name
    );
}

#[test]
fn an_answer_can_be_shown_as_it_comes() {
    let stand = Stand::new(|_, _| Ok("Its seal was worn.".into()));
    let mut shown = Vec::new();
    let mut on_text = |text: &str| shown.push(text.to_owned());
    let asked = question(Method::Basic, "pump");
    let params = Params::default();
    ask_aloud(Some(&stand), None, &params, &asked, Some(&mut on_text)).unwrap();
    assert_eq!(
        (shown.len(), shown.concat().as_str()),
        (4, "Its seal was worn.")
    );
}

#[test]
fn entities_are_found_by_name_and_by_vector() {
    let encoder = Encoder {
        name: "test",
        vector: vec![0.0, 1.0],
        configured: true,
    };
    let answered = ask(
        None,
        Some(&encoder),
        &Params::default(),
        &question(Method::Local, "What did Harrow do?"),
    )
    .unwrap();
    let anchors: Vec<(&str, Arrival)> = answered
        .anchors
        .iter()
        .map(|row| (row.title.as_str(), row.matched))
        .collect();
    assert_eq!(
        anchors,
        [
            ("HARROW", Arrival::Name),
            ("LUNE", Arrival::Vector),
            ("OSEI", Arrival::Vector)
        ]
    );
}

// See case query-no-seed.
#[test]
fn a_question_without_a_name_falls_back_to_text_search_and_says_so() {
    let answered = ask(
        None,
        None,
        &Params::default(),
        &question(Method::Local, "What was seized when the main burst?"),
    )
    .unwrap();
    assert!(
        answered
            .notes
            .iter()
            .any(|note| note.contains("names no entity") && note.contains("text search")),
        "{:?}",
        answered.notes
    );
    assert!(
        answered
            .answer
            .contains("The valve at Lune was seized when the main burst. [Data: Sources (1)]"),
        "{}",
        answered.answer
    );
    assert!(answered.usage.is_none());
}

#[test]
fn a_model_other_than_that_of_the_vectors_is_an_error_if_configured_and_a_note_if_not() {
    let asked = question(Method::Local, "What did Harrow do?");
    let other = Encoder {
        name: "other",
        vector: vec![0.0; 3],
        configured: true,
    };
    let error = ask(None, Some(&other), &Params::default(), &asked).unwrap_err();
    let words = error.to_string();
    assert!(
        words.contains("2 numbers made by test") && words.contains("embedded by other"),
        "{words}"
    );
    assert_eq!(error.exit_code(), 2);
    let builtin = Encoder {
        configured: false,
        ..other
    };
    let answered = ask(None, Some(&builtin), &Params::default(), &asked).unwrap();
    assert!(
        answered
            .notes
            .iter()
            .any(|note| note.contains("made by test (2 numbers)")),
        "{:?}",
        answered.notes
    );
    // Same name, other length: found out when the vector comes.
    let short = Encoder {
        name: "test",
        vector: vec![1.0],
        configured: true,
    };
    assert!(
        ask(None, Some(&short), &Params::default(), &asked)
            .unwrap_err()
            .to_string()
            .contains("(1 numbers)")
    );
}

fn map_reduce(request: &ChatRequest, _: usize) -> Result<String, CallError> {
    let system = &request.messages[0].content;
    if system.starts_with("MAP") {
        let points = match system.contains("|Harrow|") {
            true => {
                r#"{"points": [{"description": "The seal was worn [Data: Reports (0)]", "score": 80}, {"description": "Noise", "score": 0}]}"#
            }
            false => {
                r#"{"points": [{"description": "The valve was seized [Data: Reports (1)]", "score": 90}]}"#
            }
        };
        return Ok(points.into());
    }
    assert!(system.starts_with("REDUCE One line 2000\n"));
    let (valve, seal) = (
        system.find("The valve was seized").unwrap(),
        system.find("The seal was worn").unwrap_or(usize::MAX),
    );
    assert!(
        valve < seal && !system.contains("Noise"),
        "the most important first, nothing of no importance"
    );
    Ok("Plant was neglected: a valve was seized [Data: Reports (1)] and a seal worn [Data: Reports (0)].".into())
}

#[test]
fn a_global_answer_reads_every_report_and_brings_the_points_together() {
    let stand = Stand::new(map_reduce);
    let answered = ask(
        Some(&stand),
        None,
        &small_batches(),
        &question(Method::Global, "What went wrong?"),
    )
    .unwrap();
    assert_eq!(
        answered.coverage.as_ref().unwrap().words(),
        "2 of 2 reports at level 0, 100 % of documents represented"
    );
    assert_eq!(
        (
            answered.unresolved.len(),
            answered.unsupported,
            answered.citations.len()
        ),
        (0, 0, 2)
    );
    let seen = stand.seen.lock().unwrap();
    assert_eq!(seen.len(), 3);
    assert!(seen[0].schema.is_some() && seen[2].schema.is_none());
}

#[test]
fn half_of_the_map_calls_failing_gives_an_answer_that_says_so() {
    let stand = Stand::new(|request, place| {
        if request.messages[0].content.contains("|Harrow|") {
            Err(transient())
        } else {
            map_reduce(request, place)
        }
    });
    let answered = ask(
        Some(&stand),
        None,
        &small_batches(),
        &question(Method::Global, "What went wrong?"),
    )
    .unwrap();
    let expected =
        "1 of 2 reports at level 0, 1 of 2 batches failed, 50 % of documents represented";
    assert!(
        answered
            .answer
            .ends_with(&format!("*This answer is incomplete: {expected}.*")),
        "{}",
        answered.answer
    );
    assert!(
        answered
            .notes
            .iter()
            .any(|note| note.contains("the server is on fire"))
    );
    // The report that was not read cannot be cited.
    assert!(
        answered.answer.contains("[unresolved: Reports (0)]"),
        "{}",
        answered.answer
    );
}

#[test]
fn all_map_calls_failing_or_the_reduce_failing_is_an_error_in_the_providers_words() {
    let all = Stand::new(|_, _| Err(transient()));
    let error = ask(
        Some(&all),
        None,
        &small_batches(),
        &question(Method::Global, "What went wrong?"),
    )
    .unwrap_err();
    assert!(error.to_string().starts_with("all 2 calls that read the reports failed, the first: model m at http://x failed 3 times"), "{error}");
    assert_eq!(error.exit_code(), 1);
    let reduce = Stand::new(|request, place| {
        if request.messages[0].content.starts_with("REDUCE") {
            Err(transient())
        } else {
            map_reduce(request, place)
        }
    });
    let error = ask(
        Some(&reduce),
        None,
        &small_batches(),
        &question(Method::Global, "What went wrong?"),
    )
    .unwrap_err();
    assert!(error.to_string().contains("the server is on fire"));
}

#[test]
fn what_stops_a_run_stops_the_calls_that_have_not_begun() {
    let stand = Stand::new(|_, _| Err(CallError::Cancelled));
    let params = Params {
        concurrency: 1,
        ..small_batches()
    };
    assert!(
        ask(
            Some(&stand),
            None,
            &params,
            &question(Method::Global, "What?")
        )
        .is_err()
    );
    assert_eq!(stand.seen.lock().unwrap().len(), 1);
}

#[test]
fn no_points_is_an_honest_answer_without_a_further_call() {
    let stand = Stand::new(|_, _| Ok(r#"{"points": []}"#.into()));
    let answered = ask(
        Some(&stand),
        None,
        &Params::default(),
        &question(Method::Global, "What went wrong?"),
    )
    .unwrap();
    assert_eq!(
        answered.answer,
        "Nothing in the reports of this index answers the question."
    );
    assert_eq!(stand.seen.lock().unwrap().len(), 1);
}

#[test]
fn general_knowledge_is_asked_for_only_where_it_is_allowed() {
    for (allowed, expected) in [(false, false), (true, true)] {
        let stand = Stand::new(map_reduce);
        let params = Params {
            general_knowledge: allowed,
            ..small_batches()
        };
        ask(
            Some(&stand),
            None,
            &params,
            &question(Method::Global, "What went wrong?"),
        )
        .unwrap();
        let seen = stand.seen.lock().unwrap();
        assert_eq!(
            seen.last().unwrap().messages[0]
                .content
                .ends_with("\nKNOWLEDGE"),
            expected
        );
    }
}

#[test]
fn a_level_that_is_not_there_is_refused_by_name() {
    for method in [Method::Local, Method::Global] {
        let asked = Question {
            level: Some(5),
            ..question(method, "What?")
        };
        let error = ask(None, None, &Params::default(), &asked).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no community level 5; this index has only level 0"
        );
    }
}

#[test]
fn answers_without_a_model_cite_only_what_resolves() {
    for (method, text) in [
        (Method::Local, "Why did the pump at Harrow fail?"),
        (Method::Local, "Who is Osei?"),
        (Method::Basic, "Why was the valve seized?"),
        (Method::Global, "Which seals were worn?"),
        (Method::Global, "What are the main themes?"),
    ] {
        let answered = ask(None, None, &Params::default(), &question(method, text)).unwrap();
        assert_eq!(
            (answered.unresolved.len(), answered.unsupported),
            (0, 0),
            "{}",
            answered.answer
        );
        if text != "What are the main themes?" {
            assert!(
                !answered.citations.is_empty(),
                "{text}: {}",
                answered.answer
            );
        }
    }
}

#[test]
fn a_local_answer_without_a_model_quotes_describes_and_relates() {
    let answered = ask(
        None,
        None,
        &Params::default(),
        &question(Method::Local, "What did Osei mend?"),
    )
    .unwrap();
    let text = &answered.answer;
    assert!(
        text.starts_with("- Osei mended the pump at Harrow in May. [Data: Sources (0)]"),
        "{text}"
    );
    assert!(
        text.contains("- **OSEI**: Osei mends pumps. [Data: Entities (2)]"),
        "{text}"
    );
    assert!(
        text.contains(
            "- **OSEI** — **HARROW**: Osei mended the pump at Harrow. [Data: Relationships (0)]"
        ),
        "{text}"
    );
}

#[test]
fn a_question_that_nothing_answers_is_told_so() {
    let answered = ask(
        None,
        None,
        &Params::default(),
        &question(Method::Basic, "Which zebra won the lottery?"),
    )
    .unwrap();
    assert_eq!(
        answered.answer,
        "Nothing in the index bears on this question."
    );
    assert!(answered.citations.is_empty());
}
