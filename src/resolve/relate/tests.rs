use super::*;

fn compared(a: (&str, &str), b: (&str, &str)) -> Comparison {
    let mut lexicon = Lexicon::default();
    let forms = [lexicon.parse(a.0), lexicon.parse(b.0)];
    let named = |form, kind: &str| Named {
        form,
        person: kind == "PERSON",
        common: kind == "CONCEPT",
        ordinary: kind == "NOUN",
    };
    compare(&lexicon, named(&forms[0], a.1), named(&forms[1], b.1))
}

fn score(a: &str, b: &str, kind: &str) -> (i32, Option<Side>) {
    match compared((a, kind), (b, kind)) {
        Related(relation) => (relation.score, relation.short),
        other => panic!("{a} and {b}: {other:?}"),
    }
}

#[test]
fn form_alone_makes_no_two() {
    for (a, b, kind) in [
        ("GLACIERS", "GLACIER", "CONCEPT"),
        ("TARN CORP", "TARN CORPORATION", "ORGANIZATION"),
        ("TARN CORP.", "TARN", "ORGANIZATION"),
        (
            "RIVERS & COASTS AGENCY",
            "THE RIVERS AND COASTS AGENCY",
            "ORGANIZATION",
        ),
        ("GARRICK-ROWE", "GARRICK ROWE", "ORGANIZATION"),
        ("DR ILSE BRANDT", "ILSE BRANDT", "PERSON"),
        ("BRANDT, ILSE", "ILSE BRANDT", "PERSON"),
        ("ORSOLA'S", "ORSOLA", "PERSON"),
    ] {
        assert_eq!(score(a, b, kind), (100, None), "{a} and {b}");
    }
}

#[test]
fn a_likeness_is_a_candidate_and_no_more() {
    for (a, b, kind) in [
        ("ZOÉ MÜLLER", "ZOE MULLER", "PERSON"),
        ("JAN MUELLER", "JAN MULLER", "PERSON"),
        ("ADA QUIST", "ADA M. QUIST", "PERSON"),
        ("RUTH ANCRUM", "RUTH ANCKRUM", "PERSON"),
        ("TARRANT BRIDGE", "TARRENT BRIDGE", "GEO"),
        ("NESS POINT SPS", "NESS PT SPS", "GEO"),
        ("BROCHOLM VALVE", "BROCKHOLM VALVE", "ORGANIZATION"),
    ] {
        let (score, short) = score(a, b, kind);
        assert!((30..100).contains(&score), "{a} and {b}: {score}");
        assert_eq!(short, None, "{a} and {b}");
    }
}

#[test]
fn short_forms_know_their_side() {
    for (short, long, kind) in [
        ("I. BRANDT", "ILSE BRANDT", "PERSON"),
        ("DR BRANDT", "ILSE BRANDT", "PERSON"),
        ("BRANDT", "ILSE BRANDT", "PERSON"),
        ("WALLY GISBORNE", "WALTER GISBORNE", "PERSON"),
        ("DAME PHILIPPA", "PHILIPPA OAKSHOTT", "PERSON"),
        ("PLWA", "PORT LUNE WATER AUTHORITY", "ORGANIZATION"),
        ("SKERROW WTW", "SKERROW WATER TREATMENT WORKS", "GEO"),
        ("SKERROW WORKS", "SKERROW WATER TREATMENT WORKS", "GEO"),
        ("NORDMERE", "NORDMERE PROCESS CHEMICALS LTD", "ORGANIZATION"),
        ("T&H", "THRUPP & HARBOTTLE", "ORGANIZATION"),
        (
            "WATER PRICE COMMISSIONER",
            "OFFICE OF THE WATER PRICE COMMISSIONER",
            "ORGANIZATION",
        ),
        ("FALCON", "FALCON (BIRD)", "CONCEPT"),
    ] {
        let (points, side) = score(short, long, kind);
        assert!(
            points < 100 && side == Some(Side::A),
            "{short} and {long}: {points} {side:?}"
        );
        assert_eq!(
            score(long, short, kind),
            (points, Some(Side::B)),
            "{long} and {short}"
        );
    }
}

#[test]
fn contradictions_are_told() {
    for (a, b, why) in [
        ("PS-14", "PS-15", Reason::DifferentNumbers),
        ("PHASE 1", "PHASE 2", Reason::DifferentNumbers),
        ("WORLD WAR I", "WORLD WAR II", Reason::DifferentNumbers),
        ("KESTREL", "KESTREL K3", Reason::DifferentNumbers),
        ("JONAH SMITH", "JOYCE SMITH", Reason::DifferentFirstNames),
        ("J. SMITH", "K. SMITH", Reason::DifferentInitials),
        ("ADA M. QUIST", "ADA B. QUIST", Reason::DifferentInitials),
        ("MR SMITH", "MRS SMITH", Reason::DifferentHonorifics),
        ("JOHN QUIST JR", "JOHN QUIST SR", Reason::DifferentNumbers),
    ] {
        assert_eq!(
            compared((a, "PERSON"), (b, "PERSON")),
            Contradicted(why),
            "{a} and {b}"
        );
    }
    let differ = compared(("TARN LTD", "ORGANIZATION"), ("TARN GMBH", "ORGANIZATION"));
    assert_eq!(differ, Contradicted(Reason::DifferentLegalForms));
    let differ = compared(("FALCON LTD", "ORGANIZATION"), ("FALCON (BIRD)", "CONCEPT"));
    assert_eq!(differ, Contradicted(Reason::DifferentQualifiers));
}

#[test]
fn an_office_is_no_surname_and_a_wife_is_not_her_husband() {
    for (a, b) in [
        ("MR. PRESIDENT", "VICE PRESIDENT"),
        ("PRESIDENT", "VICE PRESIDENT"),
    ] {
        let found = compared((a, "PERSON"), (b, "PERSON"));
        assert_eq!(found, Unrelated, "{a} and {b}");
    }
    for (a, b) in [
        ("MRS. DOLE", "BOB DOLE"),
        ("MRS. JOHNSON", "LYNDON B. JOHNSON"),
        ("MR CRATCHIT", "MARTHA CRATCHIT"),
    ] {
        let found = compared((a, "PERSON"), (b, "PERSON"));
        assert_eq!(
            found,
            Contradicted(Reason::DifferentHonorifics),
            "{a} and {b}"
        );
    }
    assert_eq!(
        score("MRS BRANDT", "ILSE BRANDT", "PERSON"),
        (75, Some(Side::A))
    );
}

#[test]
fn what_a_name_begins_with_is_another_thing() {
    for (a, b, kind) in [
        ("GOOGLE CLOUD", "GOOGLE CLOUD CONSOLE", "PRODUCT"),
        ("CLOUDFLARE", "CLOUDFLARE API", "ORGANIZATION"),
        ("BOSTON", "BOSTON UNIVERSITY", "ORGANIZATION"),
        ("SCROOGE", "SCROOGE'S NEPHEW", "PERSON"),
        ("GOOGLE SRE", "GOOGLE SERVICE", "ORGANIZATION"),
        ("WATER", "WATER QUALITY", "CONCEPT"),
        ("INTERNAL NETWORK", "INTERNAL AWS NETWORK", "CONCEPT"),
        ("HTTP", "HTTPS", "PRODUCT"),
        ("OPERATIONS", "DIRECTOR OF OPERATIONS", "PERSON"),
        ("EMPLOY", "EMPLOYS", "PERSON"),
        ("MARSH END", "PARISH END", "GEO"),
    ] {
        assert_eq!(compared((a, kind), (b, kind)), Unrelated, "{a} and {b}");
    }
}

#[test]
fn a_firm_is_not_what_its_words_mean_in_small_letters() {
    let firm = ("PRIVATE INVESTMENT COMPANY", "ORGANIZATION");
    assert!(matches!(
        compared(firm, ("PRIVATE INVESTMENT", "NOUN")),
        Related(relation) if relation.score < 100
    ));
    assert!(matches!(
        compared(firm, ("PRIVATE INVESTMENT", "CONCEPT")),
        Related(relation) if relation.score == 100
    ));
}
