//! Reads the tables of an index back and checks that they fit together.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use belvedere::store::{ListColumn, StringColumn, TableReader};

/// The columns of the original's tables, with the types a reader of them expects.
pub const SCHEMAS: &[(&str, &[(&str, &str)])] = &[
    (
        "documents",
        &[
            ("id", "Utf8"),
            ("human_readable_id", "Int64"),
            ("title", "Utf8"),
            ("text", "Utf8"),
            ("text_unit_ids", "List<Utf8>"),
            ("creation_date", "Utf8"),
            ("raw_data", "Utf8"),
        ],
    ),
    (
        "text_units",
        &[
            ("id", "Utf8"),
            ("human_readable_id", "Int64"),
            ("text", "Utf8"),
            ("n_tokens", "Int64"),
            ("document_id", "Utf8"),
            ("entity_ids", "List<Utf8>"),
            ("relationship_ids", "List<Utf8>"),
            ("covariate_ids", "List<Utf8>"),
        ],
    ),
    (
        "entities",
        &[
            ("id", "Utf8"),
            ("human_readable_id", "Int64"),
            ("title", "Utf8"),
            ("type", "Utf8"),
            ("description", "Utf8"),
            ("text_unit_ids", "List<Utf8>"),
            ("frequency", "Int64"),
            ("degree", "Int64"),
        ],
    ),
    (
        "relationships",
        &[
            ("id", "Utf8"),
            ("human_readable_id", "Int64"),
            ("source", "Utf8"),
            ("target", "Utf8"),
            ("description", "Utf8"),
            ("weight", "Float64"),
            ("combined_degree", "Int64"),
            ("text_unit_ids", "List<Utf8>"),
        ],
    ),
    (
        "communities",
        &[
            ("id", "Utf8"),
            ("human_readable_id", "Int64"),
            ("community", "Int64"),
            ("level", "Int64"),
            ("parent", "Int64"),
            ("children", "List<Int64>"),
            ("title", "Utf8"),
            ("entity_ids", "List<Utf8>"),
            ("relationship_ids", "List<Utf8>"),
            ("text_unit_ids", "List<Utf8>"),
            ("period", "Utf8"),
            ("size", "Int64"),
        ],
    ),
    (
        "community_reports",
        &[
            ("id", "Utf8"),
            ("human_readable_id", "Int64"),
            ("community", "Int64"),
            ("level", "Int64"),
            ("parent", "Int64"),
            ("children", "List<Int64>"),
            ("title", "Utf8"),
            ("summary", "Utf8"),
            ("full_content", "Utf8"),
            ("rank", "Float64"),
            ("rating_explanation", "Utf8"),
            ("findings", "List<Struct>"),
            ("full_content_json", "Utf8"),
            ("period", "Utf8"),
            ("size", "Int64"),
        ],
    ),
];

pub struct Table {
    pub reader: TableReader,
    pub ids: Vec<String>,
    pub set: BTreeSet<String>,
}

impl Table {
    pub fn open(output: &Path, name: &str) -> Self {
        let reader = TableReader::open(output, name).expect("the table opens");
        let ids: Vec<String> = reader
            .strings("id")
            .expect("ids")
            .iter()
            .map(str::to_owned)
            .collect();
        let set: BTreeSet<String> = ids.iter().cloned().collect();
        assert_eq!(set.len(), ids.len(), "{name}: ids are unique");
        let numbers = reader.integers("human_readable_id").expect("numbers");
        assert!(
            numbers.iter().enumerate().all(|(row, &n)| n == row as i64),
            "{name}: rows are numbered from 0"
        );
        Self { reader, ids, set }
    }

    pub fn texts(&self, column: &str) -> StringColumn {
        self.reader.strings(column).expect(column)
    }

    pub fn lists(&self, column: &str) -> ListColumn<StringColumn> {
        self.reader.string_lists(column).expect(column)
    }
}

fn row(list: &ListColumn<StringColumn>, at: usize) -> Vec<String> {
    list.range(at)
        .map(|value| list.values.get(value).to_owned())
        .collect()
}

fn all_known(table: &Table, column: &str, known: &BTreeSet<String>) {
    for id in table.lists(column).values.iter() {
        assert!(
            known.contains(id),
            "{}: {column} names {id}, which does not exist",
            table.reader.path().display()
        );
    }
}

/// Checks schemas, that every id that is mentioned exists, both ways, and that every span is what the table says.
pub fn check(output: &Path) {
    for (name, columns) in SCHEMAS {
        let reader = TableReader::open(output, name).expect("the table opens");
        let found = reader.schema_words();
        for (at, (column, kind)) in columns.iter().enumerate() {
            assert_eq!(&found[at].0, column, "{name}: column {at}");
            let wanted = kind.split('<').next().expect("a type");
            assert!(
                found[at].1.starts_with(wanted),
                "{name}.{column} is {}, not {kind}",
                found[at].1
            );
        }
    }
    let documents = Table::open(output, "documents");
    let units = Table::open(output, "text_units");
    let entities = Table::open(output, "entities");
    let relationships = Table::open(output, "relationships");
    let communities = Table::open(output, "communities");
    let reports = Table::open(output, "community_reports");
    all_known(&documents, "text_unit_ids", &units.set);
    all_known(&units, "entity_ids", &entities.set);
    all_known(&units, "relationship_ids", &relationships.set);
    for table in [&entities, &relationships, &communities] {
        all_known(table, "text_unit_ids", &units.set);
    }
    all_known(&communities, "entity_ids", &entities.set);
    all_known(&communities, "relationship_ids", &relationships.set);

    check_spans(output, &documents, &units, &entities);
    check_graph(&units, &entities, &relationships);
    check_communities(&entities, &communities, &reports);
}

fn check_spans(output: &Path, documents: &Table, units: &Table, entities: &Table) {
    let texts = documents.texts("text");
    let by_id: BTreeMap<&str, Vec<char>> = documents
        .ids
        .iter()
        .zip(texts.iter())
        .map(|(id, text)| (id.as_str(), text.chars().collect()))
        .collect();
    let of = units.texts("document_id");
    let unit_texts = units.texts("text");
    let starts = units.reader.integers("char_start").expect("starts");
    let ends = units.reader.integers("char_end").expect("ends");
    for at in 0..units.ids.len() {
        let chars = &by_id[of.get(at)];
        let slice: String = chars[starts[at] as usize..ends[at] as usize]
            .iter()
            .collect();
        assert_eq!(
            slice,
            unit_texts.get(at),
            "text unit {at} is what its span says"
        );
    }
    let mentions = TableReader::open(output, "mentions").expect("mentions");
    let entity = mentions.strings("entity_id").expect("entity_id");
    let unit = mentions.strings("text_unit_id").expect("text_unit_id");
    let starts = mentions.integers("char_start").expect("starts");
    let ends = mentions.integers("char_end").expect("ends");
    let row_of: BTreeMap<&str, usize> = units
        .ids
        .iter()
        .enumerate()
        .map(|(row, id)| (id.as_str(), row))
        .collect();
    let chars: Vec<Vec<char>> = unit_texts
        .iter()
        .map(|text| text.chars().collect())
        .collect();
    assert!(
        mentions.rows() >= entities.ids.len(),
        "every entity is mentioned somewhere"
    );
    for at in 0..mentions.rows() {
        assert!(entities.set.contains(entity.get(at)));
        let text = &chars[row_of[unit.get(at)]];
        let span = &text[starts[at] as usize..ends[at] as usize];
        let ends_in_words = span.first().is_some_and(|c| !c.is_whitespace())
            && span.last().is_some_and(|c| !c.is_whitespace());
        assert!(ends_in_words, "mention {at} spans words");
    }
}

fn check_graph(units: &Table, entities: &Table, relationships: &Table) {
    let titles: BTreeSet<String> = entities.texts("title").iter().map(str::to_owned).collect();
    assert_eq!(titles.len(), entities.ids.len(), "titles are unique");
    let mut neighbours: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let source = relationships.texts("source");
    let target = relationships.texts("target");
    let weights = relationships.reader.floats("weight").expect("weights");
    for (at, &weight) in weights.iter().enumerate() {
        assert!(
            titles.contains(source.get(at)) && titles.contains(target.get(at)),
            "relationship {at} joins entities"
        );
        assert!(
            weight.is_finite() && weight > 0.0,
            "relationship {at} has a weight"
        );
        neighbours
            .entry(source.get(at).to_owned())
            .or_default()
            .insert(target.get(at).to_owned());
        neighbours
            .entry(target.get(at).to_owned())
            .or_default()
            .insert(source.get(at).to_owned());
    }
    let degrees = entities.reader.integers("degree").expect("degrees");
    for (at, title) in entities.texts("title").iter().enumerate() {
        let expected = neighbours.get(title).map_or(0, BTreeSet::len) as i64;
        assert_eq!(degrees[at], expected, "degree of {title}");
    }
    let listed = units.lists("entity_ids");
    let mut from_units: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (at, unit) in units.ids.iter().enumerate() {
        for entity in row(&listed, at) {
            from_units.entry(entity).or_default().insert(unit.clone());
        }
    }
    let named = entities.lists("text_unit_ids");
    for (at, entity) in entities.ids.iter().enumerate() {
        let expected: BTreeSet<String> = row(&named, at).into_iter().collect();
        assert_eq!(
            from_units.get(entity),
            Some(&expected),
            "text units of entity {at}, both ways"
        );
    }
}

fn check_communities(entities: &Table, communities: &Table, reports: &Table) {
    assert_eq!(
        communities.ids.len(),
        reports.ids.len(),
        "every community has a report"
    );
    let parents = communities.reader.integers("parent").expect("parents");
    let levels = communities.reader.integers("level").expect("levels");
    let children = communities
        .reader
        .integer_lists("children")
        .expect("children");
    let members = communities.lists("entity_ids");
    for at in 0..communities.ids.len() {
        if parents[at] >= 0 {
            let parent = parents[at] as usize;
            assert_eq!(
                levels[parent] + 1,
                levels[at],
                "community {at} is one level below its parent"
            );
            assert!(
                children.values[children.range(parent)].contains(&(at as i64)),
                "parent {parent} lists child {at}"
            );
            let above: BTreeSet<String> = row(&members, parent).into_iter().collect();
            assert!(
                row(&members, at)
                    .iter()
                    .all(|member| above.contains(member)),
                "members of {at} are members of its parent"
            );
        } else {
            assert_eq!(levels[at], 0);
        }
    }
    let degrees = entities.reader.integers("degree").expect("degrees");
    let mut covered: BTreeSet<String> = BTreeSet::new();
    for at in (0..communities.ids.len()).filter(|&at| levels[at] == 0) {
        for member in row(&members, at) {
            assert!(
                covered.insert(member),
                "an entity is in one community of a level"
            );
        }
    }
    for (at, id) in entities.ids.iter().enumerate() {
        assert_eq!(
            covered.contains(id),
            degrees[at] > 0,
            "entity {at} is in a community exactly when it has a relationship"
        );
    }
}
