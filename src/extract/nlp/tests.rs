use super::*;

/// All phrases of a text as `(title, named)`, in order.
fn phrases(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let extractor = PhraseExtractor::new(&NlpSettings::default());
    extractor.extract(&mut Scratch::default(), text, &mut |phrase| {
        found.push((phrase.title.to_owned(), phrase.named));
    });
    found
}

fn names(text: &str) -> Vec<String> {
    phrases(text)
        .into_iter()
        .filter(|p| p.1)
        .map(|p| p.0)
        .collect()
}

fn common(text: &str) -> Vec<String> {
    phrases(text)
        .into_iter()
        .filter(|p| !p.1)
        .map(|p| p.0)
        .collect()
}

fn kind_of(text: &str, title: &str) -> EntityKind {
    let mut tally = KindTally::default();
    PhraseExtractor::new(&NlpSettings::default()).extract(
        &mut Scratch::default(),
        text,
        &mut |phrase| {
            if phrase.title == title {
                tally.add(&phrase.evidence, phrase.named);
            }
        },
    );
    assert!(
        tally.is_name() || !tally.is_credible() || tally.guess() == EntityKind::Concept,
        "{title} not found in {text}"
    );
    tally.guess()
}

#[test]
fn names_are_found_whole() {
    for (text, expected) in [
        (
            "He wrote to the Bank of England about it.",
            vec!["BANK OF ENGLAND"],
        ),
        (
            "We met J. R. Smith and Ann O'Hara there.",
            vec!["J R SMITH", "ANN O'HARA"],
        ),
        (
            "They flew from Zürich to see Jürgen Müller.",
            vec!["ZÜRICH", "JÜRGEN MÜLLER"],
        ),
        (
            "She works for the Department of Health and Human Services now.",
            vec!["DEPARTMENT OF HEALTH AND HUMAN SERVICES"],
        ),
        (
            "The works at St. Peter's Church went on.",
            vec!["ST PETER'S CHURCH"],
        ),
        (
            "It bought Johnson & Johnson and AT&T shares.",
            vec!["JOHNSON & JOHNSON", "AT&T"],
        ),
        (
            "He painted like Vincent van Gogh and Leonardo da Vinci did.",
            vec!["VINCENT VAN GOGH", "LEONARDO DA VINCI"],
        ),
        (
            "We reached Pump Station 3 and filed WO-2231 on the SCADA screen.",
            vec!["PUMP STATION 3", "WO-2231", "SCADA"],
        ),
        ("Send the VMs and the APIs to us.", vec!["VM", "API"]),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn an_honorific_stays_with_a_lone_surname_only() {
    assert_eq!(
        names("We asked Mr. Fezziwig and Dr. Anita Patel again."),
        ["MR FEZZIWIG", "ANITA PATEL"]
    );
    assert_eq!(
        kind_of("We asked Dr. Anita Patel again.", "ANITA PATEL"),
        EntityKind::Person
    );
    assert!(names("Yes, Mr. President, we will.").is_empty());
}

#[test]
fn a_capital_at_the_start_of_a_sentence_is_no_name_by_itself() {
    assert!(names("Unfortunately the pumps failed. Engineers went home. When they came back, Nothing worked.").is_empty());
    assert_eq!(
        names("Scrooge left. They saw Scrooge go."),
        ["SCROOGE", "SCROOGE"]
    );
    let mut weak = Vec::new();
    PhraseExtractor::new(&NlpSettings::default()).extract(
        &mut Scratch::default(),
        "Grundfos was late.",
        &mut |p| weak.push(p.evidence.weak),
    );
    assert_eq!(weak, [true]);
}

#[test]
fn dates_and_numbers_are_no_names() {
    assert!(phrases("On Monday, 3 March 2014, at 12:47 PM UTC, it was 13th of 24.").is_empty());
    assert_eq!(names("In May we hired April Jones."), ["APRIL JONES"]);
}

#[test]
fn headings_do_not_make_names_of_common_words() {
    assert!(names("BOARD MINUTES\n\nThe meeting began at nine.").is_empty());
    assert_eq!(
        names("# Loss of Telemetry at Harrow Weir\n\nAll was well at Harrow Weir."),
        ["HARROW WEIR", "HARROW WEIR"]
    );
    assert_eq!(
        names("PRESIDENT TRUMAN'S ADDRESS TO THE CONGRESS\n\nHe came in."),
        ["PRESIDENT TRUMAN"]
    );
}

#[test]
fn noun_phrases_have_two_words_and_no_dressing() {
    for (text, expected) in [
        (
            "The senior partner reviewed the valve maintenance backlogs.",
            vec!["SENIOR PARTNER", "VALVE MAINTENANCE BACKLOG"],
        ),
        (
            "A large number of the degraded instances failed.",
            vec!["DEGRADED INSTANCE"],
        ),
        (
            "They disabled new write requests to reduce the database load.",
            vec!["WRITE REQUEST", "DATABASE LOAD"],
        ),
        (
            "The outage caused increased error rates.",
            vec!["ERROR RATE"],
        ),
        (
            "It was responsible for good things and other people.",
            vec![],
        ),
        ("The response time rose last night.", vec!["RESPONSE TIME"]),
        ("The EBS control plane failed.", vec!["EBS CONTROL PLANE"]),
        ("After the hand-off the crew slept.", vec!["HAND-OFF"]),
    ] {
        assert_eq!(common(text), expected, "{text}");
    }
}

#[test]
fn the_settings_bound_a_phrase() {
    let settings = NlpSettings {
        max_word_length: 8,
        word_delimiter: "_".to_owned(),
        exclude_nouns: vec!["pump".to_owned()],
        include_named_entities: false,
        ..NlpSettings::default()
    };
    let mut titles = Vec::new();
    let text = "Port Lune has a pump house, a valve chamber, an installation plan.";
    PhraseExtractor::new(&settings).extract(&mut Scratch::default(), text, &mut |p| {
        titles.push(p.title.to_owned())
    });
    assert_eq!(titles, ["VALVE_CHAMBER"]);
}

#[test]
fn a_nested_head_counts_where_the_text_has_it_alone() {
    let text = "The EBS control plane failed. The control plane recovered. The valve maintenance backlog grew.";
    let found = common(text);
    assert_eq!(
        found,
        [
            "EBS CONTROL PLANE",
            "CONTROL PLANE",
            "CONTROL PLANE",
            "VALVE MAINTENANCE BACKLOG"
        ]
    );
}

#[test]
fn declared_short_forms_point_to_their_long_form() {
    let aliases = |text: &str| {
        let mut found = Vec::new();
        PhraseExtractor::new(&NlpSettings::default()).extract(
            &mut Scratch::default(),
            text,
            &mut |p| {
                if let Some(long) = p.alias_of {
                    found.push((p.title.to_owned(), text[long].to_owned()));
                }
            },
        );
        found
    };
    for (text, short, long) in [
        (
            "The Port Lune Water Authority (PLWA) met.",
            "PLWA",
            "Port Lune Water Authority",
        ),
        (
            "A root cause analysis (RCA) was made.",
            "RCA",
            "root cause analysis",
        ),
        (
            "The PLWA (Port Lune Water Authority) met.",
            "PLWA",
            "Port Lune Water Authority",
        ),
        (
            "It ran on Amazon Elastic Block Store (EBS) then.",
            "EBS",
            "Amazon Elastic Block Store",
        ),
        (
            "They hired Marlow Dredging, formerly known as Hythe Marine, again.",
            "HYTHE MARINE",
            "Marlow Dredging",
        ),
    ] {
        assert_eq!(
            aliases(text),
            [(short.to_owned(), long.to_owned())],
            "{text}"
        );
    }
    assert!(aliases("The water works (EBS) closed.").is_empty());
}

#[test]
fn form_and_context_tell_the_kind() {
    for (text, title, kind) in [
        (
            "He asked Ann Lee, the chief engineer.",
            "ANN LEE",
            EntityKind::Person,
        ),
        (
            "They sued Halden Pumps Ltd again.",
            "HALDEN PUMPS LTD",
            EntityKind::Organization,
        ),
        (
            "It flooded the Lune Valley again.",
            "LUNE VALLEY",
            EntityKind::Geo,
        ),
        ("We drove to Chicago again.", "CHICAGO", EntityKind::Geo),
        (
            "It began with the Harrow Weir Incident then.",
            "HARROW WEIR INCIDENT",
            EntityKind::Event,
        ),
        (
            "They fought in World War II together.",
            "WORLD WAR II",
            EntityKind::Event,
        ),
        ("See WO-2231 for that.", "WO-2231", EntityKind::Reference),
        ("He restarted PS-14 at once.", "PS-14", EntityKind::Product),
        (
            "They passed the Clean Water Act again.",
            "CLEAN WATER ACT",
            EntityKind::Reference,
        ),
        ("It was the root cause.", "ROOT CAUSE", EntityKind::Concept),
        (
            "Company: Fastly\nDate: 2021\n",
            "FASTLY",
            EntityKind::Organization,
        ),
    ] {
        assert_eq!(kind_of(text, title), kind, "{text}");
    }
}

#[test]
fn spans_are_the_text_of_the_phrase() {
    let text = "“Später” schrieb Jürgen\n  Müller’s valve maintenance backlogs, 《水务局》 notes.";
    let mut last = 0;
    PhraseExtractor::new(&NlpSettings::default()).extract(
        &mut Scratch::default(),
        text,
        &mut |p| {
            let surface = text[p.start..p.end]
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            assert!(
                surface.to_uppercase().starts_with(p.title),
                "{surface} is not {}",
                p.title
            );
            assert!(p.start >= last);
            last = p.start;
        },
    );
    assert!(last > 40);
}

#[test]
fn chinese_text_yields_what_is_quoted_or_recurs() {
    let text = "《红楼梦》讲述了贾宝玉的故事。贾宝玉住在大观园。大观园很大。";
    let found = phrases(text);
    assert!(found.contains(&("红楼梦".to_owned(), true)), "{found:?}");
    assert_eq!(found.iter().filter(|p| p.0 == "贾宝玉").count(), 2);
    assert_eq!(found.iter().filter(|p| p.0 == "大观园").count(), 2);
}

#[test]
fn hostile_text_neither_panics_nor_stalls() {
    let mut scratch = Scratch::default();
    let extractor = PhraseExtractor::new(&NlpSettings::default());
    let pieces = [
        "", "'", "’s", "A.", "a-", "-", "--", "U.S.", "\u{0}", "\u{301}", "🦀", "((PLWA)", "#",
        "\n\n", "İ", "ß", "3.", "٣", "Mr.", "《", "ー", "_x_", "://", "@", "&",
    ];
    let mut state = 7usize;
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(state >> 33) % pieces.len()]);
            if state >> 60 > 7 {
                text.push(' ');
            }
        }
        let mut copy = text.clone();
        extractor.extract(&mut scratch, &text, &mut |p| {
            assert!(text.get(p.start..p.end).is_some_and(|s| !s.is_empty()));
            copy.push_str(p.title);
        });
    }
}
