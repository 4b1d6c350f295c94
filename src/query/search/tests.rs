//! The search file against the scan that it stands for, and against files that are not what they should be.

use std::path::{Path, PathBuf};

use super::open::build;
use super::*;
use crate::model::{
    Document, DocumentIx, Entity, Relationship, RelationshipIx, TextUnit, TextUnitIx,
};
use crate::query::index::{Column, Index, list};
use crate::query::names;
use crate::store::OutputBuild;
use crate::store::tables::{
    DocumentsWriter, TextUnitRow, TextUnitsWriter, write_communities, write_entities,
    write_relationships, write_reports,
};

/// Paragraphs of the demo corpus, by file.
fn corpus() -> Vec<(String, Vec<String>)> {
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("input")];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => files.push(path),
            }
        }
    }
    files.sort();
    let paragraphs = |path: &PathBuf| {
        let text = std::fs::read(path).unwrap();
        let text = String::from_utf8_lossy(&text).into_owned();
        let parts = text.split("\n\n").map(str::to_owned).collect();
        (
            path.file_name().unwrap().to_string_lossy().into_owned(),
            parts,
        )
    };
    files.iter().map(paragraphs).collect()
}

/// A generator whose numbers look random and are the same every time (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// Writes the demo corpus as an index: paragraphs as text units, runs of words with capitals as entities, with their paragraphs.
fn tables(output: &Path) {
    let mut store = OutputBuild::begin(output).unwrap();
    let mut documents = DocumentsWriter::create(&store).unwrap();
    let mut cut: Vec<TextUnit> = Vec::new();
    for (number, (name, parts)) in corpus().into_iter().enumerate() {
        let text = parts.concat();
        let id = Document::derive_id(name.as_bytes(), &text);
        let first = cut.len();
        let mut at = 0;
        for part in parts {
            let end = at + part.chars().count() as u64;
            cut.push(TextUnit {
                id: TextUnit::derive_id(id, at, end, &part),
                document: DocumentIx(number as u32),
                text: part,
                n_tokens: 1,
                char_start: at,
                char_end: end,
            });
            at = end;
        }
        let document = Document {
            id,
            title: name.clone(),
            path: name,
            text,
            creation_date: None,
            metadata: None,
        };
        documents.push(&document, &cut[first..]).unwrap();
    }
    let mut written = vec![documents.finish().unwrap()];
    let mut found: std::collections::BTreeMap<String, Vec<TextUnitIx>> = Default::default();
    for (row, unit) in cut.iter().enumerate() {
        let mut run: Vec<String> = Vec::new();
        let mut end = |run: &mut Vec<String>| {
            if !run.is_empty() {
                let units = found.entry(run.join(" ")).or_default();
                if units.last() != Some(&TextUnitIx(row as u32)) {
                    units.push(TextUnitIx(row as u32));
                }
                run.clear();
            }
        };
        for word in unit.text.split_whitespace() {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            match bare.chars().next() {
                Some(first) if first.is_uppercase() => run.push(bare.to_uppercase()),
                _ => end(&mut run),
            }
        }
        end(&mut run);
    }
    let entities: Vec<Entity> = found
        .into_iter()
        .enumerate()
        .map(|(row, (title, text_units))| Entity {
            id: Entity::derive_id(&title),
            kind: "THING".to_owned(),
            description: cut[text_units[0].at()]
                .text
                .chars()
                .take(60 + row % 200)
                .collect(),
            aliases: title
                .split(' ')
                .skip(1)
                .map(str::to_owned)
                .take(row % 3)
                .collect(),
            title,
            frequency: text_units.len() as u32,
            text_units,
            degree: (row % 17) as u32,
        })
        .collect();
    let ids: Vec<_> = cut.iter().map(|unit| unit.id).collect();
    let relationships: Vec<Relationship> = (1..entities.len())
        .map(|row| Relationship {
            id: Relationship::derive_id(&entities[row - 1].title, &entities[row].title),
            source: crate::model::EntityIx(row as u32 - 1),
            target: crate::model::EntityIx(row as u32),
            description: format!("{} beside {}", entities[row - 1].title, entities[row].title),
            weight: row as f64,
            combined_degree: row as u32,
            text_units: entities[row].text_units.clone(),
        })
        .collect();
    let communities = [crate::model::Community {
        community: crate::model::CommunityIx(0),
        level: 0,
        parent: None,
        children: Vec::new(),
        entities: (0..entities.len() as u32)
            .map(crate::model::EntityIx)
            .collect(),
        relationships: vec![RelationshipIx(0)],
        text_units: vec![TextUnitIx(1)],
    }];
    written.push(write_entities(&store, &entities, &ids).unwrap());
    written.push(write_relationships(&store, &relationships, &entities, &ids).unwrap());
    written.push(
        write_communities(&store, &communities, &entities, &relationships, &ids, "").unwrap(),
    );
    written.push(write_reports(&store, &[], &communities, "").unwrap());
    let mut writer = TextUnitsWriter::create(&store).unwrap();
    let names: Vec<_> = corpus()
        .iter()
        .map(|(name, parts)| Document::derive_id(name.as_bytes(), &parts.concat()))
        .collect();
    for unit in &cut {
        writer
            .push(TextUnitRow {
                id: unit.id,
                text: &unit.text,
                n_tokens: 1,
                document_id: names[unit.document.0 as usize],
                entities: &mut std::iter::empty(),
                relationships: &mut std::iter::empty(),
                claims: &mut std::iter::empty(),
                char_start: unit.char_start,
                char_end: unit.char_end,
                outcome: "ok",
            })
            .unwrap();
    }
    written.push(writer.finish().unwrap());
    written.into_iter().for_each(|table| store.add_table(table));
    store
        .commit(|manifest| manifest.method = "fast".to_owned())
        .unwrap();
}

/// The index read from its tables, and from a search file made of them.
fn both(folder: &Path) -> (Index, Index) {
    tables(folder);
    let scanned = Index::open(folder).unwrap();
    let key = key(folder, Some(scanned.fingerprint()));
    write(folder, &folder.join(FILE), &key, &|_| ()).unwrap();
    let (looked_up, note) = Index::open(folder).unwrap().searchable(&|_| ());
    assert!(looked_up.search().is_some(), "{note:?}");
    (scanned, looked_up)
}

/// Questions of words of the corpus, in any case and order, and of names.
fn questions(index: &Index, count: usize) -> Vec<String> {
    let texts = index.whole(Column::UnitText).unwrap();
    let titles = &index.entities().unwrap().titles;
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut questions: Vec<String> = ["who was it", "?!", "", "水厂 Zürich", "qqq zzz"]
        .iter()
        .map(|&question| question.to_owned())
        .collect();
    for _ in 0..count {
        let mut words: Vec<String> = Vec::new();
        for _ in 0..1 + random.below(9) {
            let text = texts.get(random.below(texts.len()));
            let own: Vec<&str> = text.split_whitespace().collect();
            if let Some(word) = own.get(random.below(own.len())) {
                words.push((*word).to_owned());
            }
            if random.below(3) == 0 {
                words.push(titles.get(random.below(titles.len())).to_owned());
            }
        }
        questions.push(match random.below(2) {
            0 => words.join(" "),
            _ => words.join(" ").to_lowercase(),
        });
    }
    questions
}

#[test]
fn looking_up_gives_the_rows_and_scores_of_the_scan_to_the_last_bit() {
    let folder = tempfile::tempdir().unwrap();
    let (scanned, looked_up) = both(folder.path());
    let mut hits = 0;
    for question in questions(&scanned, 120) {
        for field in [Field::Units, Field::Descriptions] {
            let (expected, weights) = scanned.rank(field, &question, usize::MAX).unwrap();
            for k in [0, 1, 7, 20, usize::MAX] {
                let (found, own) = looked_up.rank(field, &question, k).unwrap();
                assert_eq!(found, expected[..k.min(expected.len())], "{question}");
                assert_eq!(own.idf(), weights.idf(), "{question}");
                assert_eq!(own.absent(&question), weights.absent(&question));
                hits += found.len();
            }
        }
        let expected = names::find(&question, &scanned).unwrap();
        assert_eq!(
            names::find(&question, &looked_up).unwrap(),
            expected,
            "{question}"
        );
    }
    assert!(hits > 2_000, "{hits}");
}

#[test]
fn the_tables_numbers_links_and_texts_are_the_same_by_either_way() {
    let folder = tempfile::tempdir().unwrap();
    let (scanned, looked_up) = both(folder.path());
    let pairs = |index: &Index| {
        let (units, entities) = (index.units().unwrap(), index.entities().unwrap());
        let (relationships, communities) =
            (index.relationships().unwrap(), index.communities().unwrap());
        (
            (
                units.documents.clone(),
                units.starts.clone(),
                units.ends.clone(),
            ),
            (
                entities.titles.clone(),
                entities.aliases.clone(),
                entities.degrees.clone(),
            ),
            (relationships.sources.clone(), relationships.targets.clone()),
            (relationships.ranks.clone(), relationships.weights.clone()),
            (
                index.entity_units().unwrap().clone(),
                index.relationship_units().unwrap().clone(),
            ),
            (communities.entities.clone(), communities.parents.clone()),
            index.unit_text_bytes().unwrap(),
            index.all_documents().unwrap(),
        )
    };
    assert_eq!(pairs(&looked_up), pairs(&scanned));
    let whole = scanned.whole(Column::UnitText).unwrap();
    let rows: Vec<u32> = (0..whole.len() as u32)
        .filter(|row| row % 7 < 2)
        .rev()
        .collect();
    let some = looked_up
        .texts(Column::UnitText, rows.iter().copied())
        .unwrap();
    for row in rows {
        assert_eq!(some.get(row), whole.get(row as usize));
    }
    assert_eq!(some.get(5), "", "not asked for");
    assert_eq!(
        looked_up.document_name(3).unwrap(),
        scanned.document_name(3).unwrap()
    );
}

#[test]
fn a_filter_sees_the_same_by_either_way() {
    let folder = tempfile::tempdir().unwrap();
    let (scanned, looked_up) = both(folder.path());
    let asked = questions(&scanned, 40);
    let filter = ["title=*a*.md".to_owned()];
    let (scanned, looked_up) = (
        scanned.filtered(&filter).unwrap(),
        looked_up.filtered(&filter).unwrap(),
    );
    let mut hits = 0;
    for question in asked {
        for field in [Field::Units, Field::Descriptions] {
            let (expected, _) = scanned.rank(field, &question, 30).unwrap();
            assert_eq!(
                looked_up.rank(field, &question, 30).unwrap().0,
                expected,
                "{question}"
            );
            hits += expected.len();
            let seen = |row: u32| match field {
                Field::Units => looked_up.allows_unit(row),
                Field::Descriptions => !list(looked_up.entity_units().unwrap(), row).is_empty(),
            };
            assert!(expected.iter().all(|hit| seen(hit.row)));
        }
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn the_same_tables_give_the_same_bytes_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let bytes = |threads: usize| {
        let path = folder.path().join("x");
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| write(folder.path(), &path, "key", &|_| ()))
            .unwrap();
        std::fs::read(path).unwrap()
    };
    assert_eq!(bytes(1), bytes(4));
}

#[test]
fn a_cut_foreign_or_outdated_file_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (index, _) = both(folder.path());
    let (path, print) = (folder.path().join(FILE), index.fingerprint());
    let state = key(folder.path(), Some(print));
    let whole = std::fs::read(&path).unwrap();
    for bytes in [
        &whole[..whole.len() / 2],
        &[],
        b"BELVEC01 something else altogether",
    ] {
        std::fs::write(&path, bytes).unwrap();
        assert!(Search::open(&path, &state).is_none());
        assert!(
            build(folder.path(), Some(print), &state, &|_| ())
                .unwrap()
                .is_some()
        );
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
    assert!(Search::open(&path, &key(folder.path(), Some("another"))).is_none());
    // Without a fingerprint the tables' times count too.
    let before = key(folder.path(), None);
    let table = std::fs::File::options()
        .write(true)
        .open(folder.path().join("entities.parquet"))
        .unwrap();
    table.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_ne!(key(folder.path(), None), before);
    assert_eq!(key(folder.path(), Some(print)), state);
}

#[test]
fn a_changed_byte_anywhere_is_an_error_or_the_same_answer_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let (index, _) = both(folder.path());
    let path = folder.path().join(FILE);
    let state = key(folder.path(), Some(index.fingerprint()));
    let whole = std::fs::read(&path).unwrap();
    let question = questions(&index, 1).pop().unwrap();
    let (expected, _) = index.rank(Field::Units, &question, 50).unwrap();
    let mut random = Random(7);
    let mut refused = 0;
    for _ in 0..100 {
        let mut bytes = whole.clone();
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
        std::fs::write(&path, &bytes).unwrap();
        let Some(search) = Search::open(&path, &state) else {
            refused += 1;
            continue;
        };
        match search.rank(Field::Units, &question, 50, |_| true) {
            Ok((found, _)) => assert_eq!(found, expected, "byte {at}"),
            Err(_) => assert!(!path.exists(), "the next question makes it anew"),
        }
    }
    assert!(refused < 100);
}

#[test]
fn two_at_once_make_one_file_and_both_can_use_it() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let (path, state) = (folder.path().join(FILE), key(folder.path(), None));
    std::thread::scope(|scope| {
        let each = || build(folder.path(), None, &state, &|_| ());
        let running: Vec<_> = (0..4).map(|_| scope.spawn(each)).collect();
        for one in running {
            assert!(one.join().unwrap().unwrap().is_some());
        }
    });
    assert!(Search::open(&path, &state).is_some());
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("search"))
        .collect();
    assert_eq!(left.len(), 2, "the file and its lock: {left:?}");
}

#[test]
fn a_small_index_is_read_whole_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let (index, note) = Index::open(folder.path()).unwrap().searchable(&|_| ());
    assert!(index.search().is_none() && note.is_none());
    assert!(!folder.path().join(FILE).exists() && !folder.path().join(".search.lock").exists());
}

#[test]
fn where_the_file_cannot_be_kept_the_reason_is_said() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    // A folder in the place of the lock stops even a user who may write anywhere.
    std::fs::create_dir(folder.path().join(".search.lock")).unwrap();
    let state = key(folder.path(), None);
    let error = build(folder.path(), None, &state, &|_| ()).unwrap_err();
    assert!(error.to_string().contains("write into"), "{error}");
}
