//! `--filter key=value`: which documents a question may draw on.

use std::collections::BTreeSet;

use super::error::QueryError;
use super::index::Index;

/// A condition on documents.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    key: String,
    /// Lower case; `*` stands for any text.
    pattern: String,
}

/// Columns that every document has, beside its metadata.
const COLUMNS: [&str; 4] = ["title", "path", "id", "creation_date"];

impl Index {
    /// Restricts the index to the documents that meet all filters `key=value`; of filters with the same key one is enough. A key is
    /// `title`, `path`, `id`, `creation_date` or a field of the documents' metadata; case does not matter, and `*` stands for any
    /// text.
    ///
    /// # Errors
    /// `Filter`, when a filter has no `=`, its key is unknown, or no document is left.
    pub fn filtered(self, filters: &[String]) -> Result<Self, QueryError> {
        if filters.is_empty() {
            return Ok(self);
        }
        let mut conditions: Vec<Condition> = Vec::with_capacity(filters.len());
        for filter in filters {
            let Some((key, value)) = filter.split_once('=') else {
                return Err(QueryError::Filter(format!(
                    "--filter '{filter}' has no '='; write it as key=value, e.g. title=minutes.md"
                )));
            };
            conditions.push(Condition {
                key: key.trim().to_lowercase(),
                pattern: value.trim().to_lowercase(),
            });
        }
        conditions.sort_by(|a, b| a.key.cmp(&b.key));
        let mut known: BTreeSet<String> = COLUMNS.iter().map(|&key| key.to_owned()).collect();
        let (metadata, dates) = self.document_metadata()?;
        let documents = self.documents()?;
        let mut allowed = Vec::with_capacity(documents.ids.len());
        for row in 0..documents.ids.len() {
            let fields = fields(metadata.get(row));
            let has = |condition: &Condition| match condition.key.as_str() {
                "title" => matches(&condition.pattern, documents.titles.get(row)),
                "path" => matches(&condition.pattern, documents.paths.get(row)),
                "id" => matches(&condition.pattern, documents.ids.get(row)),
                "creation_date" if !dates.get(row).is_empty() => {
                    matches(&condition.pattern, dates.get(row))
                }
                key => fields
                    .iter()
                    .any(|(name, value)| name == key && matches(&condition.pattern, value)),
            };
            allowed.push(
                conditions
                    .chunk_by(|a, b| a.key == b.key)
                    .all(|same| same.iter().any(has)),
            );
            known.extend(fields.into_iter().map(|(name, _)| name));
        }
        if let Some(unknown) = conditions.iter().find(|one| !known.contains(&one.key)) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            return Err(QueryError::Filter(format!(
                "--filter: no document has a field '{}'; there are {}",
                unknown.key,
                known.join(", ")
            )));
        }
        if !allowed.contains(&true) {
            return Err(QueryError::Filter(format!(
                "--filter {}: no document matches; `*` stands for any text, as in path=*.md",
                filters.join(" --filter ")
            )));
        }
        self.restricted(&allowed)
    }
}

/// The top-level fields of a document's metadata, names and values in lower case; each element of a list by itself.
fn fields(metadata: &str) -> Vec<(String, String)> {
    let Ok(serde_json::Value::Object(map)) = serde_json::from_str(metadata) else {
        return Vec::new();
    };
    let mut fields = Vec::new();
    for (name, value) in map {
        let values = match value {
            serde_json::Value::Array(values) => values,
            value => vec![value],
        };
        for value in values {
            let text = match value {
                serde_json::Value::String(text) => text,
                value => value.to_string(),
            };
            fields.push((name.to_lowercase(), text.to_lowercase()));
        }
    }
    fields
}

/// Whether the text is the pattern, where `*` stands for any run of characters; the pattern is in lower case.
fn matches(pattern: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::index::fixture::Parts;

    fn index() -> Index {
        Parts {
            documents: vec![
                ("board/a.md", "one"),
                ("board/b.md", "two"),
                ("letters/c.md", "three"),
            ],
            units: vec![(0, "one"), (1, "two"), (2, "three")],
            entities: vec![("A", "", vec![0, 1], vec![]), ("C", "", vec![2], vec![])],
            communities: vec![(0, None, vec![0], vec![0, 1]), (0, None, vec![1], vec![2])],
            reports: vec![(0, "R0", "s", vec![], 4.0), (1, "R1", "s", vec![], 9.0)],
            ..Parts::default()
        }
        .index()
    }

    fn filtered(filters: &[&str]) -> Result<Index, QueryError> {
        let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
        index().filtered(&filters)
    }

    #[test]
    fn stars_stand_for_any_text_and_case_does_not_matter() {
        for (pattern, text, expected) in [
            ("a.md", "A.MD", true),
            ("a.md", "aa.md", false),
            ("*.md", "x/y.md", true),
            ("board/*", "letters/board/a", false),
            ("*a*b*", "xaybz", true),
            ("*a*b", "xbya", false),
            ("*", "", true),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn filters_of_one_key_are_alternatives_and_of_two_are_both_needed() {
        let units = |filters: &[&str]| -> Vec<bool> {
            let index = filtered(filters).unwrap();
            (0..3).map(|row| index.allows_unit(row)).collect()
        };
        assert_eq!(units(&["path=board/*"]), [true, true, false]);
        assert_eq!(
            units(&["path=board/a.md", "path=letters/*"]),
            [true, false, true]
        );
        assert_eq!(
            units(&["path=board/*", "title=*b.md"]),
            [false, true, false]
        );
    }

    #[test]
    fn entities_need_one_allowed_text_unit_and_reports_all() {
        let index = filtered(&["path=board/a.md"]).unwrap();
        assert!(index.allows_entity(0) && !index.allows_entity(1));
        assert!(!index.allows_report(0).unwrap(), "it also rests on b.md");
        let index = filtered(&["path=board/*"]).unwrap();
        assert!(index.allows_report(0).unwrap() && !index.allows_report(1).unwrap());
    }

    #[test]
    fn what_cannot_be_met_is_an_error_that_says_what_there_is() {
        let error = |filter| filtered(&[filter]).unwrap_err();
        assert!(error("year").to_string().contains("key=value"));
        assert!(
            error("year=2024")
                .to_string()
                .contains("creation_date, id, path, title")
        );
        assert!(error("path=x").to_string().contains("no document matches"));
        assert_eq!(error("path=x").exit_code(), 2);
    }

    #[test]
    fn metadata_fields_are_read_from_json() {
        assert_eq!(
            fields(r#"{"Author": "Osei", "tags": ["Pump", 3], "year": 2024}"#),
            [
                ("author".into(), "osei".into()),
                ("tags".into(), "pump".into()),
                ("tags".into(), "3".into()),
                ("year".into(), "2024".into())
            ] as [(String, String); 4]
        );
        assert!(fields("no json").is_empty());
    }
}
