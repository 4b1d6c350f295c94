use super::*;

/// Six documents; pumps recur in four, the audit of drawings in three, the weather in all.
fn corpus() -> Vec<&'static str> {
    vec![
        "The pump at Harrow failed because the pump had a worn seal. Nobody had tested the spare pump since spring. The weather was fair that week in Harrow.",
        "A pump at Lune failed in the night and the spare pump did not start. The weather was poor that week along the coast.",
        "The drawing of the main was wrong and the drawing of the valve was missing. The weather was fair that week at the works.",
        "The spare pump was never tested and the pump failed again in the storm. The drawing in the office was wrong about the pump house.",
        "The auditors found that the drawing was wrong in one place out of seven. The weather was fine that week for the visit.",
        "The spare pump failed on test and a new pump was ordered without delay. The weather was good that week for the fitters.",
    ]
}

fn find(limit: usize, problems: bool) -> (Vec<Theme>, Vec<String>) {
    let texts = corpus();
    let units: Vec<u32> = (0..texts.len() as u32).collect();
    let sentences = Sentences::of(&units, |unit| texts[unit as usize], |_| false);
    let params = ThemeParams {
        limit,
        problems,
        focus: Vec::new(),
    };
    let found = themes(
        &sentences,
        |unit| texts[unit as usize],
        |unit| unit,
        &params,
    );
    let shown = sentences
        .rows
        .iter()
        .map(|row| texts[row.unit as usize][row.range()].to_owned())
        .collect();
    (found, shown)
}

#[test]
fn what_many_documents_come_back_to_is_found_with_evidence_from_different_documents() {
    let (found, sentences) = find(3, true);
    let labels: Vec<String> = found.iter().map(|theme| theme.words.join(", ")).collect();
    let place = |word: &str| labels.iter().position(|label| label.contains(word));
    assert!(place("drawing").is_some(), "{labels:?}");
    assert!(place("pump").is_some(), "{labels:?}");
    let drawing = &found[place("drawing").unwrap()];
    assert_eq!(drawing.documents, 3);
    assert!(
        drawing
            .evidence
            .iter()
            .all(|&at| sentences[at].to_lowercase().contains("drawing"))
    );
    let mut units = drawing.units.clone();
    units.dedup();
    assert_eq!(units, drawing.units);
    assert!(
        [2, 3, 4].iter().all(|unit| units.contains(unit)),
        "{units:?}"
    );
}

#[test]
fn the_order_and_the_words_are_the_same_on_every_run() {
    assert_eq!(find(4, true).0, find(4, true).0);
}

#[test]
fn nothing_recurs_in_nothing() {
    let sentences = Sentences::default();
    let params = ThemeParams {
        limit: 5,
        ..ThemeParams::default()
    };
    assert_eq!(themes(&sentences, |_| "", |_| 0, &params), []);
}
