use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use regex::Regex;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::model::Outcome;

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let dir = TempDir::new().unwrap();
    for (path, bytes) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    dir
}

fn read_all(
    root: &Path,
    settings: &InputSettings,
) -> Result<(Vec<Document>, Vec<FileReport>), InputError> {
    let mut documents = Vec::new();
    let mut reports = Vec::new();
    for file in discover(root, settings)? {
        reports.push(read(&file, settings, &mut |document| {
            documents.push(document);
            ControlFlow::Continue(())
        })?);
    }
    Ok((documents, reports))
}

fn read_one(name: &str, bytes: &[u8]) -> (Vec<Document>, FileReport) {
    let dir = folder(&[(name, bytes)]);
    let (documents, mut reports) = read_all(dir.path(), &InputSettings::default()).unwrap();
    (documents, reports.remove(0))
}

fn failed(report: &FileReport) -> Vec<(&str, &str)> {
    report
        .items
        .iter()
        .map(|item| match &item.outcome {
            Outcome::Failed(reason) => (item.path.as_str(), reason.as_str()),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn an_empty_file_is_skipped_and_named() {
    let dir = folder(&[
        ("a.txt", b""),
        ("b.txt", b"Ana leads."),
        ("c.txt", b"\xEF\xBB\xBF \r\n"),
    ]);
    let (documents, reports) = read_all(dir.path(), &InputSettings::default()).unwrap();
    assert_eq!(documents.len(), 1);
    assert_eq!(
        (documents[0].title.as_str(), documents[0].text.as_str()),
        ("b.txt", "Ana leads.")
    );
    assert_eq!(
        reports[0].items,
        [ItemReport {
            path: "a.txt".into(),
            outcome: Outcome::Empty
        }]
    );
    assert_eq!((reports[1].documents, reports[2].empty), (1, 1));
}

#[test]
fn utf16_and_windows_1252_are_read_with_a_warning_and_short_gbk_needs_the_setting() {
    let (documents, report) = read_one("a.txt", b"\xff\xfeP\0o\0r\0t\0 \0S\0a\0i\0n\0t\0e\0.\0");
    assert_eq!(documents[0].text, "Port Sainte.");
    assert_eq!(report.warning().as_deref(), Some("decoded_as_utf-16le"));
    let (documents, report) = read_one("a.txt", b"She said \x93no\x94.");
    assert_eq!(documents[0].text, "She said “no”.");
    assert_eq!(report.warning().as_deref(), Some("decoded_as_windows-1252"));

    let gbk = b"\xbb\xaa\xb6\xab\xd2\xf8\xd0\xd0\xce\xbb\xd3\xda\xb8\xdb\xbf\xda\xa1\xa3";
    let (documents, report) = read_one("a.txt", gbk);
    assert!(documents.is_empty());
    let (path, reason) = failed(&report)[0];
    assert_eq!(path, "a.txt");
    assert!(
        reason.contains("byte 0") && reason.contains("input.encoding"),
        "{reason}"
    );
    let dir = folder(&[("a.txt", gbk)]);
    let settings = InputSettings {
        encoding: Some("gbk".into()),
        ..InputSettings::default()
    };
    assert_eq!(
        read_all(dir.path(), &settings).unwrap().0[0].text,
        "华东银行位于港口。"
    );
}

#[test]
fn one_name_in_two_folders_is_two_documents() {
    let dir = folder(&[
        ("x/readme.md", b"Ana leads."),
        ("y/readme.md", b"Bo leads."),
        ("z/readme.md", b"Bo leads."),
    ]);
    let (documents, _) = read_all(dir.path(), &InputSettings::default()).unwrap();
    let paths: Vec<&str> = documents
        .iter()
        .map(|document| document.path.as_str())
        .collect();
    assert_eq!(paths, ["x/readme.md", "y/readme.md", "z/readme.md"]);
    assert!(documents[0].id != documents[1].id && documents[1].id != documents[2].id);
    assert_eq!(
        content_hash(&documents[1].text),
        content_hash(&documents[2].text)
    );
    assert_ne!(
        content_hash(&documents[0].text),
        content_hash(&documents[1].text)
    );
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_unicode_keeps_its_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let dir = TempDir::new().unwrap();
    for name in [&b"r\xe9sum\xe9.txt"[..], b"r\xe8sum\xe9.txt"] {
        if fs::write(dir.path().join(std::ffi::OsStr::from_bytes(name)), "Ana.").is_err() {
            println!("skipped: the file system takes Unicode names only");
            return;
        }
    }
    let (documents, _) = read_all(dir.path(), &InputSettings::default()).unwrap();
    assert_eq!(documents.len(), 2);
    assert_eq!(documents[0].title, "r\u{FFFD}sum\u{FFFD}.txt");
    assert_eq!(documents[0].title, documents[1].title);
    assert_ne!(documents[0].id, documents[1].id);
}

#[cfg(unix)]
#[test]
fn links_cannot_make_the_walk_loop_or_double() {
    use std::os::unix::fs::symlink;
    let outside = folder(&[("o.txt", b"Outside.")]);
    let dir = folder(&[
        ("a/b.txt", b"Inside."),
        ("a/.hidden.txt", b"x"),
        (".git/c.txt", b"x"),
        ("~$d.docx", b"x"),
    ]);
    symlink(dir.path(), dir.path().join("a/loop")).unwrap();
    symlink(dir.path().join("a"), dir.path().join("again")).unwrap();
    symlink(outside.path(), dir.path().join("out1")).unwrap();
    symlink(outside.path(), dir.path().join("out2")).unwrap();
    symlink(outside.path(), outside.path().join("self")).unwrap();
    symlink(dir.path().join("gone"), dir.path().join("dangling.txt")).unwrap();
    let files = discover(dir.path(), &InputSettings::default()).unwrap();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a/b.txt", "dangling.txt", "out1/o.txt"]);
    assert!(matches!(files[1].selection, Selection::Unreadable(_)));
}

#[test]
fn patterns_search_the_path_and_types_choose_the_reader() {
    let files: &[(&str, &[u8])] = &[
        ("b/2021/a.log", b"Log."),
        ("b/2021/a.md", b"Md."),
        ("b/x.TXT", b"Txt."),
        ("b/x.xyz", b"Xyz."),
    ];
    let dir = folder(files);
    let select = |kind: &str, pattern: Option<&str>| -> Vec<String> {
        let settings = InputSettings {
            kind: kind.parse().unwrap(),
            file_pattern: pattern.map(|pattern| Regex::new(pattern).unwrap()),
            ..InputSettings::default()
        };
        let files = discover(dir.path(), &settings).unwrap();
        files
            .into_iter()
            .filter(SourceFile::is_selected)
            .map(|file| file.path)
            .collect()
    };
    assert_eq!(select("auto", None), ["b/2021/a.md", "b/x.TXT"]);
    assert_eq!(select("auto", Some("^b/20")), ["b/2021/a.md"]);
    assert_eq!(select("text", Some(r"\.log$")), ["b/2021/a.log"]);
    assert_eq!(select("markitdown", None), ["b/2021/a.md", "b/x.TXT"]);
    let files = discover(dir.path(), &InputSettings::default()).unwrap();
    assert_eq!(files[0].selection, Selection::UnknownFormat);
    assert_eq!(files[0].size, 4);

    let settings = InputSettings {
        kind: "csv".parse().unwrap(),
        ..InputSettings::default()
    };
    let message = discover(dir.path(), &settings).unwrap_err().to_string();
    assert!(
        message.contains("4 files, none selected") && message.contains("put csv files"),
        "{message}"
    );
    assert!("xlsx".parse::<InputKind>().is_err());
    let gone = discover(&dir.path().join("gone"), &InputSettings::default()).unwrap_err();
    assert!(gone.to_string().contains("input_storage.base_dir"));
}

#[test]
fn a_missing_text_column_is_a_settings_error_that_names_the_columns() {
    for (name, content) in [
        ("rows.csv", "title,body\na,b\n"),
        ("rows.json", r#"[{"title": "a", "body": "b"}]"#),
        ("rows.jsonl", r#"{"title": "a", "body": "b"}"#),
    ] {
        let dir = folder(&[(name, content.as_bytes())]);
        let error = read_all(dir.path(), &InputSettings::default()).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains(name) && message.contains("'text'"),
            "{message}"
        );
        assert!(
            message.contains("'title'") && message.contains("'body'"),
            "{message}"
        );
        let settings = InputSettings {
            text_column: Some("body".into()),
            title_column: Some("name".into()),
            ..InputSettings::default()
        };
        let message = read_all(dir.path(), &settings).unwrap_err().to_string();
        assert!(
            message.contains("'name' for input.title_column"),
            "{message}"
        );
    }
}

#[test]
fn csv_rows_become_documents_and_ragged_ones_are_reported() {
    let csv = "id,title,text,date\n\
        7,Pump,\"It failed,\nthen \"\"held\"\".\",2021-05-03\n\
        8,,Second.,soon\n\
        9,Bad,too,many,fields\n\
        10,None,  ,\n\
        11,Last,Third.,\n";
    let dir = folder(&[("in/rows.csv", csv.as_bytes())]);
    let settings = InputSettings {
        id_column: Some("id".into()),
        ..InputSettings::default()
    };
    let (documents, reports) = read_all(dir.path(), &settings).unwrap();
    let titles: Vec<&str> = documents
        .iter()
        .map(|document| document.title.as_str())
        .collect();
    assert_eq!(titles, ["Pump", "in/rows.csv (1)", "Last"]);
    assert_eq!(documents[0].text, "It failed,\nthen \"held\".");
    assert_eq!(documents[0].path, "in/rows.csv#0");
    assert_eq!(documents[0].creation_date.as_deref(), Some("2021-05-03"));
    assert_eq!(documents[1].creation_date, None);
    assert_eq!(
        serde_json::to_value(&documents[0].metadata).unwrap(),
        json!({"id": "7", "title": "Pump", "date": "2021-05-03"})
    );
    assert_eq!(
        documents[0].id,
        Document::derive_id(b"in/rows.csv#0", &documents[0].text)
    );
    let report = &reports[0];
    assert_eq!((report.documents, report.failed, report.empty), (3, 1, 1));
    assert_eq!(report.items[0].path, "in/rows.csv#2");
    assert!(
        matches!(&report.items[0].outcome, Outcome::Failed(reason) if reason.starts_with("line 5: 5 fields where the header has 4"))
    );
    assert_eq!(report.items[1].path, "in/rows.csv#3");
}

#[test]
fn csv_in_other_separators_and_encodings_is_read() {
    let (documents, _) = read_one("a.csv", b"title;text\nx;Ana, Bo\n");
    assert_eq!(documents[0].text, "Ana, Bo");
    let utf16: Vec<u8> = "\u{FEFF}title\ttext\nx\tAna\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let (documents, report) = read_one("a.csv", &utf16);
    assert_eq!(documents[0].text, "Ana");
    assert_eq!(report.warning().as_deref(), Some("decoded_as_utf-16le"));
    let (documents, report) = read_one("a.csv", b"");
    assert!(documents.is_empty() && report.empty == 1);
}

#[test]
fn json_arrays_objects_and_lines_are_read_and_bad_rows_reported() {
    let (documents, report) = read_one(
        "a.json",
        br#"[{"text": "One.", "n": 1}, 5, {"n": 2}, {"text": ["x"]}, {"text": null}, {"text": 42}]"#,
    );
    let texts: Vec<&str> = documents
        .iter()
        .map(|document| document.text.as_str())
        .collect();
    assert_eq!(texts, ["One.", "42"]);
    assert_eq!(documents[1].path, "a.json#5");
    assert_eq!((report.failed, report.empty), (3, 1));

    let (documents, report) = read_one("a.json", br#"{"text": "Alone.", "tags": ["a"]}"#);
    assert_eq!((documents.len(), report.items.len()), (1, 0));

    let (documents, report) = read_one("a.json", br#"[{"text": "One."}, {"text": "Tw"#);
    assert_eq!(documents.len(), 1);
    assert!(failed(&report)[0].1.contains("line 1 column"), "{report:?}");

    let (_, report) = read_one("a.json", b"{\"text\": \"a\"}\n{\"text\": \"b\"}\n");
    assert!(failed(&report)[0].1.contains(".jsonl"), "{report:?}");

    let (documents, report) = read_one(
        "a.jsonl",
        b"\xEF\xBB\xBF{\"text\": \"a\"}\r\n\n{\"text\": \"b\n{\"text\": \"c\"}",
    );
    assert_eq!(documents.len(), 2);
    assert_eq!(documents[1].path, "a.jsonl#2");
    let (path, reason) = failed(&report)[0];
    assert_eq!(path, "a.jsonl#1");
    assert!(
        reason.starts_with("line 3 (byte 19) is not JSON"),
        "{reason}"
    );
}

#[test]
fn deep_json_is_refused_not_fatal() {
    let deep = format!("[{{\"text\": {}", "[".repeat(1_000_000));
    let (documents, report) = read_one("a.json", deep.as_bytes());
    assert!(documents.is_empty());
    assert!(
        failed(&report)[0].1.contains("recursion limit"),
        "{report:?}"
    );
}

#[test]
fn a_sink_can_stop_a_row_file() {
    for (name, content) in [
        ("a.csv", "text\na\nb\nc\n"),
        ("a.json", r#"[{"text":"a"},{"text":"b"},{"text":"c"}]"#),
        (
            "a.jsonl",
            "{\"text\":\"a\"}\n{\"text\":\"b\"}\n{\"text\":\"c\"}\n",
        ),
    ] {
        let dir = folder(&[(name, content.as_bytes())]);
        let settings = InputSettings::default();
        let file = discover(dir.path(), &settings).unwrap().remove(0);
        let mut seen = 0;
        let report = read(&file, &settings, &mut |_| {
            seen += 1;
            if seen == 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert_eq!((seen, report.unwrap().failed), (2, 0), "{name}");
    }
}

#[test]
fn parquet_rows_become_documents() {
    use std::sync::Arc;

    use ::parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;

    let dir = TempDir::new().unwrap();
    let path = dir.path().join("rows.parquet");
    let schema = "message rows { OPTIONAL BYTE_ARRAY text (UTF8); REQUIRED INT64 year; REQUIRED INT64 __index_level_0__; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer =
        SerializedFileWriter::new(fs::File::create(&path).unwrap(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let texts = [ByteArray::from("Ana leads."), ByteArray::from("Bo leads.")];
    column
        .typed::<ByteArrayType>()
        .write_batch(&texts, Some(&[1, 0, 1]), None)
        .unwrap();
    column.close().unwrap();
    for values in [[2019, 2020, 2021], [0, 1, 2]] {
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<Int64Type>()
            .write_batch(&values, None, None)
            .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();

    let (documents, reports) = read_all(dir.path(), &InputSettings::default()).unwrap();
    assert_eq!(documents.len(), 2);
    assert_eq!(documents[1].title, "rows.parquet (2)");
    assert_eq!(
        serde_json::to_value(&documents[1].metadata).unwrap(),
        json!({"year": 2021})
    );
    assert_eq!((reports[0].documents, reports[0].empty), (2, 1));

    let bytes = fs::read(&path).unwrap();
    for cut in (0..bytes.len()).step_by(5) {
        fs::write(&path, &bytes[..cut]).unwrap();
        let (documents, reports) = read_all(dir.path(), &InputSettings::default()).unwrap();
        assert!(documents.is_empty() && reports[0].failed == 1);
    }
}

#[test]
fn files_that_are_not_what_they_say_cost_only_themselves() {
    let dir = folder(&[
        ("a.pdf", b"%PDF-1.7 no"),
        ("b.docx", b"PK\x03\x04 no"),
        ("c.parquet", b"PAR1 no PAR1"),
        ("d.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("e.html", b"<p>Ana leads."),
        ("f.json", b"no"),
        ("g.jsonl", b"no\n"),
    ]);
    let (documents, reports) = read_all(dir.path(), &InputSettings::default()).unwrap();
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0].text, "Ana leads.\n");
    for report in reports.iter().filter(|report| report.path != "e.html") {
        assert_eq!(report.failed, 1, "{report:?}");
        assert_eq!(failed(report).len(), 1);
    }
}

#[test]
fn an_unknown_encoding_setting_is_named() {
    let settings = InputSettings {
        encoding: Some("klingon".into()),
        ..InputSettings::default()
    };
    assert!(
        settings
            .encoding()
            .unwrap_err()
            .to_string()
            .contains("'klingon'")
    );
    for label in [
        "utf-8-sig",
        "UTF_8",
        "cp1252",
        "gb18030",
        "latin-1",
        "utf-16",
    ] {
        let settings = InputSettings {
            encoding: Some(label.into()),
            ..InputSettings::default()
        };
        assert!(settings.encoding().is_ok(), "{label}");
    }
}
