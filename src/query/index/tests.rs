//! Indexes on disk: ours, written by the store itself, and the original's.

use std::path::{Path, PathBuf};

use super::*;
use crate::model::{
    Community, CommunityIx, Document, DocumentIx, Entity, EntityIx, Relationship, RelationshipIx,
    Report, ReportSource, TextUnit, TextUnitIx,
};
use crate::store::OutputBuild;
use crate::store::tables::{
    DocumentsWriter, ReportRow, TextUnitRow, TextUnitsWriter, write_communities, write_entities,
    write_relationships, write_reports,
};

/// One document of two text units, two entities, one relationship, one community with a report, vectors of entities.
fn write(output: &Path, units: usize) {
    let mut build = OutputBuild::begin(output).unwrap();
    let text = "Élan failed. Osei came.";
    let document = Document {
        id: Document::derive_id(b"a.md", text),
        title: "a".to_owned(),
        path: "notes/a.md".to_owned(),
        text: text.to_owned(),
        creation_date: None,
        metadata: None,
    };
    let cut: Vec<TextUnit> = [(0, 12), (13, 23)]
        .into_iter()
        .take(units)
        .map(|(start, end)| {
            let text: String = text.chars().skip(start).take(end - start).collect();
            let (char_start, char_end) = (start as u64, end as u64);
            let id = TextUnit::derive_id(document.id, char_start, char_end, &text);
            TextUnit {
                id,
                document: DocumentIx(0),
                text,
                n_tokens: 3,
                char_start,
                char_end,
            }
        })
        .collect();
    let unit_ids: Vec<_> = cut.iter().map(|unit| unit.id).collect();
    let mut documents = DocumentsWriter::create(&build).unwrap();
    documents.push(&document, &cut).unwrap();
    let mut tables = vec![documents.finish().unwrap()];
    let mut writer = TextUnitsWriter::create(&build).unwrap();
    for unit in &cut {
        writer
            .push(TextUnitRow {
                id: unit.id,
                text: &unit.text,
                n_tokens: unit.n_tokens,
                document_id: document.id,
                entities: &mut std::iter::empty(),
                relationships: &mut std::iter::empty(),
                claims: &mut std::iter::empty(),
                char_start: unit.char_start,
                char_end: unit.char_end,
                outcome: "ok",
            })
            .unwrap();
    }
    tables.push(writer.finish().unwrap());
    let entity = |title: &str, alias: &[&str], units: Vec<u32>| Entity {
        id: Entity::derive_id(title),
        title: title.to_owned(),
        kind: "PERSON".to_owned(),
        description: format!("{title} it is."),
        aliases: alias.iter().map(|alias| (*alias).to_owned()).collect(),
        frequency: units.len() as u32,
        text_units: units.into_iter().map(TextUnitIx).collect(),
        degree: 1,
    };
    if units == 2 {
        let entities = [
            entity("OSEI", &["MIRA OSEI"], vec![1]),
            entity("ÉLAN", &[], vec![0, 1]),
        ];
        let relationships = [Relationship {
            id: Relationship::derive_id("OSEI", "ÉLAN"),
            source: EntityIx(0),
            target: EntityIx(1),
            description: "came after".to_owned(),
            weight: 2.5,
            combined_degree: 2,
            text_units: vec![TextUnitIx(1)],
        }];
        let communities = [Community {
            community: CommunityIx(0),
            level: 0,
            parent: None,
            children: Vec::new(),
            entities: vec![EntityIx(0), EntityIx(1)],
            relationships: vec![RelationshipIx(0)],
            text_units: vec![TextUnitIx(1)],
        }];
        let report = Report {
            community: CommunityIx(0),
            title: "Osei".to_owned(),
            summary: "Osei came.".to_owned(),
            findings: vec![crate::model::Finding {
                summary: "S".to_owned(),
                explanation: "E".to_owned(),
            }],
            rank: 6.5,
            rating_explanation: String::new(),
            source: ReportSource::Extractive,
        };
        let rows = [ReportRow {
            report: &report,
            full_content_json: "{}".to_owned(),
            outcome: "ok",
        }];
        tables.push(write_entities(&build, &entities, &unit_ids).unwrap());
        tables.push(write_relationships(&build, &relationships, &entities, &unit_ids).unwrap());
        tables.push(
            write_communities(
                &build,
                &communities,
                &entities,
                &relationships,
                &unit_ids,
                "",
            )
            .unwrap(),
        );
        tables.push(write_reports(&build, &rows, &communities, "").unwrap());
        build
            .add_vectors(
                "entity_description",
                "entities",
                "test",
                2,
                &[1.0, 0.0, 0.0, 1.0],
            )
            .unwrap();
    }
    tables.into_iter().for_each(|table| build.add_table(table));
    build
        .commit(|manifest| manifest.method = "fast".to_owned())
        .unwrap();
}

#[test]
fn our_own_tables_become_rows_that_point_at_each_other() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 2);
    let index = Index::open(folder.path()).unwrap();
    assert_eq!((index.method(), index.fingerprint().len()), ("fast", 64));
    let units = index.units().unwrap();
    assert_eq!(
        (
            units.documents.as_slice(),
            units.starts.as_slice(),
            units.ends.as_slice()
        ),
        (&[0, 0][..], &[0, 13][..], &[12, 23][..])
    );
    assert_eq!(index.documents().unwrap().name(0), "notes/a.md");
    assert_eq!(index.whole(Column::UnitText).unwrap().get(1), "Osei came.");
    let entities = index.entities().unwrap();
    assert_eq!(
        entities.aliases.values.get(entities.aliases.range(0).start),
        "MIRA OSEI"
    );
    assert_eq!(list(index.entity_units().unwrap(), 1), [0, 1]);
    let relationships = index.relationships().unwrap();
    assert_eq!(
        (
            relationships.sources[0],
            relationships.targets[0],
            relationships.weights[0]
        ),
        (0, 1, 2.5)
    );
    assert_eq!(list(index.relationship_units().unwrap(), 0), [1]);
    assert_eq!(list(&index.communities().unwrap().entities, 0), [0, 1]);
    assert_eq!(
        (
            index.reports().unwrap().communities.as_slice(),
            index.reports().unwrap().ranks[0]
        ),
        (&[0][..], 6.5)
    );
    assert_eq!(index.report_findings().unwrap().values[0].summary, "S");
    assert!(index.claims().unwrap().subjects.is_empty());
    let vectors = index.vectors(VectorName::Entities).unwrap().unwrap();
    assert_eq!(
        (
            vectors.model.as_deref(),
            index
                .nearest(VectorName::Entities, &[0.1, 0.9], 1)
                .unwrap()
                .unwrap()[0]
                .0
        ),
        (Some("test"), 1)
    );
    assert!(index.vectors(VectorName::TextUnits).unwrap().is_none());
}

#[test]
fn a_folder_without_tables_a_half_built_index_and_an_empty_one_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let error = Index::open(folder.path()).unwrap_err();
    assert!(
        matches!(error, QueryError::Store(StoreError::Missing { .. })),
        "{error}"
    );
    write(folder.path(), 2);
    let mut manifest = Manifest::read(folder.path()).unwrap().unwrap();
    manifest.state = IndexState::Building;
    manifest.write(folder.path()).unwrap();
    let error = Index::open(folder.path()).unwrap_err();
    assert!(
        matches!(error, QueryError::Store(StoreError::HalfBuilt { .. })),
        "{error}"
    );
    assert_eq!(error.exit_code(), 2);
    let empty = tempfile::tempdir().unwrap();
    write(empty.path(), 0);
    let error = Index::open(empty.path()).unwrap_err();
    assert!(error.to_string().contains("has no text units"), "{error}");
}

#[test]
fn vectors_of_another_number_of_rows_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 2);
    let mut writer =
        crate::store::VectorWriter::create(folder.path(), "entity_description", "test", 2, 1)
            .unwrap();
    writer.write(&[1.0, 0.0]).unwrap();
    writer.finish().unwrap();
    let index = Index::open(folder.path()).unwrap();
    let error = index.vectors(VectorName::Entities).unwrap_err().to_string();
    assert!(error.contains("1 vectors for 2 rows"), "{error}");
}

fn shared(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../shared")
        .join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

#[test]
fn an_index_of_the_original_is_read_whatever_its_version() {
    for (path, sizes) in [
        ("data/christmas_carol/parquet", [1, 42, 529, 978, 122, 406]),
        ("data/dulce", [1, 5, 39, 107, 10, 41]),
    ] {
        let Some(folder) = shared(path) else { return };
        let index = Index::open(&folder).unwrap();
        let found = [
            index.documents().unwrap().titles.len(),
            index.units().unwrap().documents.len(),
            index.entities().unwrap().titles.len(),
            index.relationships().unwrap().sources.len(),
            index.reports().unwrap().titles.len(),
            index.claims().unwrap().subjects.len(),
        ];
        assert_eq!(found, sizes, "{path}");
        let units = index.units().unwrap();
        assert!(
            units.documents.iter().all(|&document| document == 0)
                && units.starts.iter().all(|&start| start == -1)
        );
        let relationships = index.relationships().unwrap();
        // The original keeps relationships whose end was later dropped as an entity; they have no row.
        let ends = || relationships.sources.iter().chain(&relationships.targets);
        let known = ends().filter(|&&row| row != NO_ROW).count();
        assert!(known * 10 > ends().count() * 9);
        let (communities, reports) = (index.communities().unwrap(), index.reports().unwrap());
        assert!(reports.communities.iter().all(|&row| row != NO_ROW));
        assert!(
            (0..communities.levels.len())
                .all(|row| !list(&communities.entities, row as u32).is_empty())
        );
    }
}

#[test]
fn vectors_are_found_beside_the_tables_or_in_a_sibling_folder() {
    let Some(carol) = shared("data/christmas_carol/parquet") else {
        return;
    };
    let index = Index::open(&carol).unwrap();
    let vectors = index.vectors(VectorName::TextUnits).unwrap().unwrap();
    assert_eq!((vectors.dimension, vectors.model.as_deref()), (3072, None));
    assert!(index.vectors(VectorName::Entities).unwrap().is_none());
    let Some(dulce) = shared("data/dulce") else {
        return;
    };
    let index = Index::open(&dulce).unwrap();
    let near = index
        .nearest(VectorName::Reports, &[1.0; 3072], 99)
        .unwrap();
    assert_eq!(near.map(|near| near.len()), Some(10));
}
