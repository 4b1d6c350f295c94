//! Small indexes made by hand, for tests.

use std::path::PathBuf;
use std::sync::OnceLock;

use super::{
    Claims, Column, Communities, Documents, Entities, Ids, Index, NO_ROW, Numbers, Relationships,
    Reports, RowsById, Units, Vectors,
};
use crate::model::Finding;
use crate::store::{ListColumn, StringColumn};

pub(crate) fn strings(values: &[&str]) -> StringColumn {
    let mut column = StringColumn::default();
    values.iter().for_each(|value| column.push(value));
    column
}

pub(crate) fn lists(rows: &[&[u32]]) -> ListColumn<Vec<u32>> {
    let mut column = ListColumn::<Vec<u32>>::default();
    for row in rows {
        column.values.extend_from_slice(row);
        column.ends.push(column.values.len() as u32);
    }
    column
}

/// Communities by (level, parent row), without members.
pub(crate) fn communities(rows: &[(u32, Option<u32>)]) -> Communities {
    let mut has_children = vec![false; rows.len()];
    rows.iter()
        .filter_map(|row| row.1)
        .for_each(|parent| has_children[parent as usize] = true);
    let empty: Vec<&[u32]> = rows.iter().map(|_| &[][..]).collect();
    Communities {
        numbers: Numbers::by_position(rows.len()),
        levels: rows.iter().map(|row| row.0).collect(),
        parents: rows.iter().map(|row| row.1.unwrap_or(NO_ROW)).collect(),
        has_children,
        entities: lists(&empty),
        units: lists(&empty),
    }
}

/// Reports on the given communities, in that order.
pub(crate) fn reports_on(communities: &Communities, rows: &[u32]) -> Reports {
    let mut of_community = vec![NO_ROW; communities.levels.len()];
    for (row, &community) in rows.iter().enumerate() {
        of_community[community as usize] = row as u32;
    }
    let numbers: Vec<i64> = rows
        .iter()
        .map(|&row| i64::from(communities.numbers.of(row)))
        .collect();
    Reports {
        communities: rows.to_vec(),
        numbers: Numbers::new(&numbers),
        levels: rows
            .iter()
            .map(|&row| communities.levels[row as usize])
            .collect(),
        titles: strings(&rows.iter().map(|_| "Report").collect::<Vec<_>>()),
        ranks: vec![5.0; rows.len()],
        of_community,
    }
}

/// Level, parent, members, relationships.
type CommunityRow = (u32, Option<u32>, Vec<u32>, Vec<u32>);

/// Community, title, summary, findings, rank.
type ReportRow<'a> = (u32, &'a str, &'a str, Vec<(&'a str, &'a str)>, f64);

/// What a hand-made index consists of.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    /// (path, text)
    pub documents: Vec<(&'a str, &'a str)>,
    /// (document, text); the span is where the text is found in the document.
    pub units: Vec<(u32, &'a str)>,
    /// (title, description, units, aliases)
    pub entities: Vec<(&'a str, &'a str, Vec<u32>, Vec<&'a str>)>,
    /// (source, target, description, weight, units)
    pub relationships: Vec<(u32, u32, &'a str, f64, Vec<u32>)>,
    /// (level, parent, members, units)
    pub communities: Vec<CommunityRow>,
    /// (community, title, summary, findings, rank)
    pub reports: Vec<ReportRow<'a>>,
    /// (subject, description, unit)
    pub claims: Vec<(&'a str, &'a str, u32)>,
    /// Vectors of entities.
    pub entity_vectors: Option<Vec<Vec<f32>>>,
}

fn set<T>(value: T) -> OnceLock<T> {
    OnceLock::from(value)
}

impl Parts<'_> {
    pub(crate) fn index(&self) -> Index {
        let ids = |n: usize, prefix: &str| {
            let mut column = StringColumn::default();
            (0..n).for_each(|row| column.push(&format!("{prefix}{row}")));
            column
        };
        let mut degrees = vec![0u32; self.entities.len()];
        for edge in &self.relationships {
            degrees[edge.0 as usize] += 1;
            degrees[edge.1 as usize] += 1;
        }
        let mut aliases = ListColumn::<StringColumn>::default();
        for entity in &self.entities {
            entity.3.iter().for_each(|alias| aliases.values.push(alias));
            aliases.ends.push(aliases.values.len() as u32);
        }
        let titles = strings(&self.entities.iter().map(|row| row.0).collect::<Vec<_>>());
        let entity_ids = ids(self.entities.len(), "e");
        let span = |unit: &(u32, &str)| {
            let text = self.documents[unit.0 as usize].1;
            text.find(unit.1)
                .map(|at| text[..at].chars().count() as i64)
        };
        let starts: Vec<i64> = self
            .units
            .iter()
            .map(|unit| span(unit).unwrap_or(-1))
            .collect();
        let ends = self.units.iter().zip(&starts).map(|(unit, &start)| {
            if start < 0 {
                -1
            } else {
                start + unit.1.chars().count() as i64
            }
        });
        let mut communities = communities(
            &self
                .communities
                .iter()
                .map(|row| (row.0, row.1))
                .collect::<Vec<_>>(),
        );
        communities.entities = lists(
            &self
                .communities
                .iter()
                .map(|row| row.2.as_slice())
                .collect::<Vec<_>>(),
        );
        communities.units = lists(
            &self
                .communities
                .iter()
                .map(|row| row.3.as_slice())
                .collect::<Vec<_>>(),
        );
        let mut reports = reports_on(
            &communities,
            &self.reports.iter().map(|row| row.0).collect::<Vec<_>>(),
        );
        reports.titles = strings(&self.reports.iter().map(|row| row.1).collect::<Vec<_>>());
        reports.ranks = self.reports.iter().map(|row| row.4).collect();
        let mut findings = ListColumn::<Vec<Finding>>::default();
        let mut texts = StringColumn::default();
        for report in &self.reports {
            let mut text = format!("# {}\n\n{}", report.1, report.2);
            for (summary, explanation) in &report.3 {
                text.push_str(&format!("\n\n## {summary}\n\n{explanation}"));
                findings.values.push(Finding {
                    summary: (*summary).to_owned(),
                    explanation: (*explanation).to_owned(),
                });
            }
            findings.ends.push(findings.values.len() as u32);
            texts.push(&text);
        }
        let document_ids = ids(self.documents.len(), "d");
        let unit_ids = ids(self.units.len(), "t");
        let names = self.documents.iter().map(|row| row.0).collect::<Vec<_>>();
        let none = |n: usize, value: &str| strings(&vec![value; n]);
        let vectors = self.entity_vectors.as_ref().map(|rows| {
            Vectors::new(
                PathBuf::from("entity_description.f32"),
                Some("test".to_owned()),
                rows[0].len(),
                rows.concat(),
            )
        });
        let texts = [
            (Column::DocumentTitle, strings(&names)),
            (Column::DocumentPath, strings(&names)),
            (
                Column::DocumentText,
                strings(&self.documents.iter().map(|row| row.1).collect::<Vec<_>>()),
            ),
            (
                Column::UnitText,
                strings(&self.units.iter().map(|unit| unit.1).collect::<Vec<_>>()),
            ),
            (
                Column::EntityDescription,
                strings(&self.entities.iter().map(|row| row.1).collect::<Vec<_>>()),
            ),
            (
                Column::RelationshipDescription,
                strings(
                    &self
                        .relationships
                        .iter()
                        .map(|row| row.2)
                        .collect::<Vec<_>>(),
                ),
            ),
            (Column::ReportText, texts),
            (
                Column::ReportSummary,
                strings(&self.reports.iter().map(|row| row.2).collect::<Vec<_>>()),
            ),
        ];
        let columns: [OnceLock<StringColumn>; Column::COUNT] = Default::default();
        for (column, texts) in texts {
            let _ = columns[column as usize].set(texts);
        }
        Index {
            folder: PathBuf::from("tables"),
            fingerprint: "fixture".to_owned(),
            method: "fast".to_owned(),
            documents: set(Documents {
                by_id: RowsById::new(&document_ids),
                ids: document_ids,
                titles: strings(&names),
                paths: strings(&names),
            }),
            unit_ids: set(Ids::new(unit_ids)),
            units: set(Units {
                numbers: Numbers::by_position(self.units.len()),
                documents: self.units.iter().map(|unit| unit.0).collect(),
                ends: ends.collect(),
                starts: starts.clone(),
            }),
            entity_ids: set(Ids::new(entity_ids)),
            entities_by_title: set(RowsById::new(&titles)),
            entities: set(Entities {
                titles,
                aliases,
                numbers: Numbers::by_position(self.entities.len()),
                degrees: degrees.clone(),
            }),
            entity_units: set(lists(
                &self
                    .entities
                    .iter()
                    .map(|row| row.2.as_slice())
                    .collect::<Vec<_>>(),
            )),
            relationships: set(Relationships {
                sources: self.relationships.iter().map(|row| row.0).collect(),
                targets: self.relationships.iter().map(|row| row.1).collect(),
                ranks: self
                    .relationships
                    .iter()
                    .map(|row| degrees[row.0 as usize] + degrees[row.1 as usize])
                    .collect(),
                weights: self.relationships.iter().map(|row| row.3).collect(),
                numbers: Numbers::by_position(self.relationships.len()),
            }),
            relationship_units: set(lists(
                &self
                    .relationships
                    .iter()
                    .map(|row| row.4.as_slice())
                    .collect::<Vec<_>>(),
            )),
            communities: set(communities),
            reports: set(reports),
            report_findings: set(findings),
            claims: set(Claims {
                numbers: Numbers::by_position(self.claims.len()),
                subjects: strings(&self.claims.iter().map(|row| row.0).collect::<Vec<_>>()),
                objects: none(self.claims.len(), "NONE"),
                statuses: none(self.claims.len(), "TRUE"),
                starts: none(self.claims.len(), "NONE"),
                ends: none(self.claims.len(), "NONE"),
                descriptions: strings(&self.claims.iter().map(|row| row.1).collect::<Vec<_>>()),
                units: self.claims.iter().map(|row| row.2).collect(),
                ..Claims::default()
            }),
            columns,
            vectors: [set(vectors), set(None), set(None)],
            ..Index::default()
        }
    }
}
