use std::collections::BTreeSet;
use std::path::Path;

use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::{Field, Row};
use serde_json::{Map, Value};

use super::{ChunkKind, ChunkSettings, Tokenizer, sentences, split};
use crate::model::{Document, DocumentIx, TextUnit};

fn document(text: &str) -> Document {
    Document {
        id: Document::derive_id(b"a.txt", text),
        title: "a.txt".into(),
        path: "a.txt".into(),
        text: text.into(),
        creation_date: None,
        metadata: None,
    }
}

fn settings(kind: ChunkKind, size: usize, overlap: usize) -> ChunkSettings {
    ChunkSettings {
        kind,
        size,
        overlap,
        ..ChunkSettings::default()
    }
}

fn cut(document: &Document, settings: &ChunkSettings) -> Vec<TextUnit> {
    let mut out = Vec::new();
    let tokenizer = settings.validate().unwrap();
    split(document, DocumentIx(0), settings, tokenizer, &mut out);
    out
}

fn span(text: &str, unit: &TextUnit) -> String {
    let length = (unit.char_end - unit.char_start) as usize;
    text.chars()
        .skip(unit.char_start as usize)
        .take(length)
        .collect()
}

#[test]
fn an_overlap_that_reaches_the_size_is_refused_by_its_keys() {
    let message = settings(ChunkKind::Tokens, 100, 100)
        .validate()
        .unwrap_err()
        .to_string();
    assert!(message.contains("chunking.overlap (100)") && message.contains("chunking.size (100)"));
    assert!(settings(ChunkKind::Tokens, 0, 0).validate().is_err());
    assert!(settings(ChunkKind::Tokens, 100, 99).validate().is_ok());
}

#[test]
fn special_token_text_is_kept_and_counted_as_text() {
    let text = "The mark <|endoftext|> and <|im_start|> end a text.";
    let units = cut(&document(text), &settings(ChunkKind::Tokens, 100, 10));
    assert_eq!(units.len(), 1);
    assert_eq!(units[0].text, text);
    assert!(units[0].n_tokens > 15);
}

// Words of one token each, so the bounds can be worked out by hand.
#[test]
fn windows_step_by_size_less_overlap_and_the_last_ends_with_the_text() {
    let text = " a".repeat(10);
    let spans = |size, overlap| -> Vec<(u64, u64, u32)> {
        cut(
            &document(&text),
            &settings(ChunkKind::Tokens, size, overlap),
        )
        .iter()
        .map(|unit| (unit.char_start, unit.char_end, unit.n_tokens))
        .collect()
    };
    assert_eq!(spans(4, 1), [(0, 8, 4), (6, 14, 4), (12, 20, 4)]);
    assert_eq!(spans(4, 0), [(0, 8, 4), (8, 16, 4), (16, 20, 2)]);
    assert_eq!(spans(10, 9), [(0, 20, 10)]);
    assert_eq!(spans(50, 0), [(0, 20, 10)]);
}

#[test]
fn nothing_visible_makes_no_unit() {
    for kind in [ChunkKind::Tokens, ChunkKind::Sentence] {
        assert!(cut(&document(""), &settings(kind, 5, 1)).is_empty());
        assert!(cut(&document(" \n\t\u{3000}\n"), &settings(kind, 5, 1)).is_empty());
    }
    let gap = format!("Ana leads. {} Bo leads.", "\n \t\n".repeat(400));
    let units = cut(&document(&gap), &settings(ChunkKind::Tokens, 8, 0));
    assert!(units.iter().all(|unit| !unit.text.trim().is_empty()));
    assert!(units[0].text.contains("Ana") && units.last().unwrap().text.contains("Bo leads."));
}

#[test]
fn a_long_run_of_one_character_keeps_every_character() {
    let text = "港".repeat(5000);
    let units = cut(&document(&text), &settings(ChunkKind::Tokens, 100, 0));
    assert_eq!(units.first().unwrap().char_start, 0);
    assert_eq!(units.last().unwrap().char_end, 5000);
    assert!(
        units
            .windows(2)
            .all(|pair| pair[0].char_end == pair[1].char_start)
    );
    assert!(
        units
            .iter()
            .all(|unit| unit.n_tokens <= 102 && !unit.text.contains('\u{FFFD}'))
    );
}

#[test]
fn metadata_lines_come_before_the_text_and_count() {
    let mut columns = Map::new();
    columns.insert("site".into(), Value::from("Hollow Weir"));
    columns.insert("year".into(), Value::from(2021));
    columns.insert("none".into(), Value::Null);
    let mut document = document("It rained. It poured.");
    document.metadata = Some(columns);
    let mut settings = settings(ChunkKind::Sentence, 4, 0);
    settings.prepend_metadata = ["title", "year", "site", "none", "absent"]
        .map(String::from)
        .into();
    let units = cut(&document, &settings);
    let header = "title: a.txt.\nyear: 2021.\nsite: Hollow Weir.\n";
    assert_eq!(units.len(), 2);
    assert_eq!(units[1].text, format!("{header}It poured."));
    assert_eq!((units[1].char_start, units[1].char_end), (11, 21));
    let tokenizer = Tokenizer::named("o200k_base").unwrap();
    assert_eq!(units[1].n_tokens as usize, tokenizer.count(&units[1].text));
}

#[test]
fn sentences_are_packed_whole_and_overlap_whole() {
    // Four tokens each, the space included.
    let text = "Ana leads it. Bo runs it. Cy owns it. Di left it.";
    let texts = |size, overlap| -> Vec<String> {
        cut(
            &document(text),
            &settings(ChunkKind::Sentence, size, overlap),
        )
        .into_iter()
        .map(|unit| unit.text)
        .collect()
    };
    assert_eq!(texts(1, 0).len(), 4);
    assert_eq!(
        texts(8, 0),
        ["Ana leads it. Bo runs it.", "Cy owns it. Di left it."]
    );
    assert_eq!(
        texts(8, 4),
        [
            "Ana leads it. Bo runs it.",
            "Bo runs it. Cy owns it.",
            "Cy owns it. Di left it."
        ]
    );
    assert_eq!(texts(100, 8), [text]);
}

/// Pieces that disagree about everything: scripts, widths, white space, line ends, combining marks.
const PIECES: &[&str] = &[
    "The ",
    "pump",
    " 3.14",
    "  ",
    "\n",
    "\r\n\r\n",
    "港",
    "华东银行。",
    "🙂",
    "👩‍👩‍👧",
    "e\u{301}",
    "naïve ",
    "<|endoftext|>",
    "Mr. ",
    "!? ",
    "\u{3000}",
    "ῥόδος",
    "𠮷",
    "\t",
    "ABCDEF",
    "日本ABC",
    " ",
    "'s ",
    "1   2",
    "\u{200D}",
    "हिन्दी।",
    ". ",
    "x",
];

fn random_text(state: &mut u32, pieces: usize) -> String {
    let mut text = String::new();
    for _ in 0..pieces {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.push_str(PIECES[(*state >> 16) as usize % PIECES.len()]);
    }
    text
}

#[test]
fn every_span_is_its_text_and_every_count_is_true() {
    let mut state = 1;
    for round in 0..600 {
        let text = random_text(&mut state, 1 + round % 90);
        let document = document(&text);
        for encoding in Tokenizer::SUPPORTED {
            let tokenizer = Tokenizer::named(encoding).unwrap();
            for (size, overlap) in [(1, 0), (2, 1), (3, 0), (7, 3), (20, 19), (64, 10)] {
                for kind in [ChunkKind::Tokens, ChunkKind::Sentence] {
                    let mut settings = settings(kind, size, overlap);
                    settings.encoding = encoding.into();
                    let units = cut(&document, &settings);
                    let mut seen = BTreeSet::new();
                    let mut end = 0;
                    for unit in &units {
                        assert_eq!(span(&text, unit), unit.text);
                        assert_eq!(
                            unit.n_tokens as usize,
                            tokenizer.count(&unit.text),
                            "{:?}",
                            unit.text
                        );
                        assert!(unit.char_end > end, "no progress in {text:?}");
                        let gap: String = text
                            .chars()
                            .take(unit.char_start as usize)
                            .skip(end as usize)
                            .collect();
                        assert!(gap.trim().is_empty(), "lost {gap:?} of {text:?}");
                        end = unit.char_end;
                        assert!(seen.insert(unit.id));
                    }
                    let rest: String = text.chars().skip(end as usize).collect();
                    assert!(rest.trim().is_empty(), "lost {rest:?} of {text:?}");
                }
            }
        }
    }
}

#[test]
fn sentence_chunks_stay_within_the_size_but_for_the_joins() {
    let mut state = 5;
    let tokenizer = Tokenizer::named("o200k_base").unwrap();
    for _ in 0..200 {
        let text = random_text(&mut state, 200);
        let longest = sentences(&text)
            .map(|range| tokenizer.count(&text[range]))
            .max();
        let size = longest.unwrap_or(1) + 12;
        for unit in cut(&document(&text), &settings(ChunkKind::Sentence, size, 5)) {
            assert!(
                unit.n_tokens as usize <= size + 2,
                "{} of {size}",
                unit.n_tokens
            );
        }
    }
}

/// The Christmas Carol as the original cut it: 42 windows of 1200 tokens, title line first.
#[test]
fn a_real_index_is_cut_at_the_same_places() {
    let tables =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/christmas_carol/parquet");
    let open = |name: &str| {
        let file = std::fs::File::open(tables.join(name)).ok()?;
        SerializedFileReader::new(file)
            .ok()?
            .into_iter()
            .collect::<Result<Vec<_>, _>>()
            .ok()
    };
    let (Some(documents), Some(expected)) = (open("documents.parquet"), open("text_units.parquet"))
    else {
        println!("skipped: {} is not here", tables.display());
        return;
    };
    let field = |row: &Row, name: &str| {
        let (_, field) = row
            .get_column_iter()
            .find(|(column, _)| *column == name)
            .unwrap();
        match field {
            Field::Str(text) => text.clone(),
            other => other.to_string(),
        }
    };
    let mut document = document(&field(&documents[0], "text"));
    document.title = field(&documents[0], "title");
    let settings = ChunkSettings {
        prepend_metadata: vec!["title".into()],
        ..ChunkSettings::default()
    };
    let units = cut(&document, &settings);
    assert_eq!(units.len(), expected.len());
    for (unit, row) in units.iter().zip(&expected) {
        assert_eq!(unit.text, field(row, "text"));
        assert_eq!(unit.n_tokens.to_string(), field(row, "n_tokens"));
        let header = unit.text.len() - "title: a-christmas-carol.txt.\n".len();
        assert_eq!(
            unit.text[unit.text.len() - header..],
            span(&document.text, unit)
        );
    }
}
