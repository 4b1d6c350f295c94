use super::sentences;

fn split(text: &str) -> Vec<&str> {
    sentences(text).map(|range| &text[range]).collect()
}

#[track_caller]
fn whole(text: &str) {
    assert_eq!(split(text), [text]);
}

#[test]
fn plain_sentences_end_at_full_stops_and_marks() {
    assert_eq!(
        split("The pump failed. Was it old? It was! Nobody knew.\n"),
        ["The pump failed.", "Was it old?", "It was!", "Nobody knew."]
    );
}

#[test]
fn titles_initials_and_examples_do_not_end_a_sentence() {
    whole("Mr. Tam met Dr. J. R. Okafor, e.g. at St. Mary's, and Prof. Lind.");
    whole("Pipes (cf. Fig. 3, No. 7, pp. 12) of Acme Ltd. Northern burst, i.e. Line B.");
    whole("The U.S. Army and J.R.R. Tolkien signed approx. 40 letters on Jan. 3.");
}

#[test]
fn an_abbreviation_may_still_end_a_sentence() {
    assert_eq!(
        split(
            "It went to Acme Inc. The board agreed. He said no. Then it closed at 5 p.m. Ana left."
        ),
        [
            "It went to Acme Inc.",
            "The board agreed.",
            "He said no.",
            "Then it closed at 5 p.m.",
            "Ana left."
        ]
    );
    assert_eq!(
        split("We sailed to the U.S. They stayed."),
        ["We sailed to the U.S.", "They stayed."]
    );
}

#[test]
fn numbers_names_and_ellipses_stay_whole() {
    whole("Flow was 3.14 m3/s at v1.2.3 of pump.exe, see www.example.org/a.b for 1.000.000 more");
    whole("They waited... and waited… until 5 p.m. Monday came.");
    whole("1 Introduction . . . . . . 12");
    assert_eq!(
        split("They waited... Nothing came."),
        ["They waited...", "Nothing came."]
    );
}

#[test]
fn quotes_and_brackets_close_with_their_sentence() {
    assert_eq!(
        split("“Stop!” said he. “Why?” She left. (It rained.) \"No.\" And so on.[12] Next."),
        [
            "“Stop!” said he.",
            "“Why?”",
            "She left.",
            "(It rained.)",
            "\"No.\"",
            "And so on.[12]",
            "Next."
        ]
    );
}

#[test]
fn blank_lines_headings_and_items_end_without_a_full_stop() {
    let text = "# Minutes 4\nThe board met\non Monday. It\nagreed:\n- new valves\n- a survey\n  of mains\n1. Act now. 2 days\n\nEnd";
    assert_eq!(
        split(text),
        [
            "# Minutes 4",
            "The board met\non Monday.",
            "It\nagreed:",
            "- new valves",
            "- a survey\n  of mains",
            "1. Act now.",
            "2 days",
            "End"
        ]
    );
}

#[test]
fn fields_and_titles_are_lines_of_their_own_and_wrapped_lines_are_not() {
    let text = "BOARD MINUTES\nDate: 3 May 2021\nPresent: A. Brown, C. Smith, D. Jones\nApologies: none\n\nThe report of the engineer on the state of the mains was read, and\nMrs. Brown asked for the costs of the replacement of the pumps at\nHollow Weir.";
    assert_eq!(
        split(text),
        [
            "BOARD MINUTES",
            "Date: 3 May 2021",
            "Present: A. Brown, C. Smith, D. Jones",
            "Apologies: none",
            "The report of the engineer on the state of the mains was read, and\nMrs. Brown asked for the costs of the replacement of the pumps at\nHollow Weir.",
        ]
    );
}

#[test]
fn windows_line_ends_and_form_feeds_count_like_the_others() {
    assert_eq!(
        split("One\r\n\r\nTwo three\x0CFour"),
        ["One", "Two three", "Four"]
    );
}

#[test]
fn other_scripts_need_no_space() {
    assert_eq!(
        split("华东银行位于港口。它很大！是吗？是。"),
        ["华东银行位于港口。", "它很大！", "是吗？", "是。"]
    );
    assert_eq!(
        split("「行く。」と言った。次。"),
        ["「行く。」と言った。", "次。"]
    );
    assert_eq!(split("यह नदी है। वह पुल है।"), ["यह नदी है।", "वह पुल है।"]);
    assert_eq!(split("هل وصل؟ نعم."), ["هل وصل؟", "نعم."]);
}

#[test]
fn every_visible_character_is_in_exactly_one_sentence() {
    let pieces = [
        "Mr. ", "港。", "\n", "\n\n", "- ", "a", "B", ". ", "…", "\r\n", "\u{3000}", "?\" ", "🙂",
        "1. ", "#", "\u{2028}", "\x0C", ".",
    ];
    let mut state = 7u32;
    for _ in 0..2000 {
        let mut text = String::new();
        for _ in 0..24 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(pieces[(state >> 16) as usize % pieces.len()]);
        }
        let mut end = 0;
        for range in sentences(&text) {
            assert!(range.start >= end && range.end > range.start);
            assert!(text[end..range.start].trim().is_empty(), "{text:?}");
            assert_eq!(text[range.clone()].trim(), &text[range.clone()]);
            end = range.end;
        }
        assert!(text[end..].trim().is_empty(), "{text:?}");
    }
}

#[test]
fn text_without_a_boundary_is_cut_at_white_space() {
    let words = "word ".repeat(5000);
    assert!(sentences(&words).all(|range| range.len() <= 4096 && range.len() % 5 == 4));
    let han = "港".repeat(5000);
    let lengths: Vec<usize> = sentences(&han).map(|range| range.len()).collect();
    assert_eq!(lengths.iter().sum::<usize>(), han.len());
    assert!(lengths.iter().all(|&length| length <= 4096));
}
