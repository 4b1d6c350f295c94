//! From what a model returned to a report whose citations resolve, and to the JSON that goes into the table.

use serde::Serialize;

use super::citations::{self, AllowedIds, Removed};
use crate::model::{CommunityIx, Finding, Report, ReportSource};

/// A report as recovered from a model's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DraftReport {
    /// May be empty.
    pub title: String,
    /// May be empty.
    pub summary: String,
    /// May be empty.
    pub findings: Vec<Finding>,
    /// As given; `None` when missing or unreadable.
    pub rating: Option<f64>,
    /// May be empty.
    pub rating_explanation: String,
}

/// What stands in for parts the model left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults<'a> {
    /// For an empty title.
    pub title: &'a str,
    /// For a missing rating.
    pub rank: f64,
}

/// A checked report.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// Ready for the table.
    pub report: Report,
    /// Ids that were cited but were not in the context.
    pub removed: Vec<Removed>,
    /// By finding: no citation in it resolves.
    pub unsupported: Vec<bool>,
}

/// Checks and completes a model's report: citations against `allowed`, rating into 0 to 10, title never empty, findings
/// without any text dropped.
pub fn assemble(
    community: CommunityIx,
    draft: DraftReport,
    allowed: &AllowedIds,
    defaults: &Defaults<'_>,
) -> Assembled {
    let mut removed = Vec::new();
    let mut checked = |text: &str| {
        let checked = citations::check(text.trim(), allowed);
        removed.extend(checked.removed);
        (checked.text, checked.supported)
    };
    let title = citations::strip(&one_line(&draft.title));
    let (summary, _) = checked(&draft.summary);
    let mut findings = Vec::with_capacity(draft.findings.len());
    let mut unsupported = Vec::with_capacity(draft.findings.len());
    for finding in &draft.findings {
        let (headline, in_summary) = checked(&one_line(&finding.summary));
        let (explanation, in_explanation) = checked(&finding.explanation);
        if headline.is_empty() && explanation.is_empty() {
            continue;
        }
        findings.push(Finding {
            summary: headline,
            explanation,
        });
        unsupported.push(!in_summary && !in_explanation);
    }
    let rank = draft
        .rating
        .filter(|rating| rating.is_finite())
        .unwrap_or(defaults.rank);
    let report = Report {
        community,
        title: if title.is_empty() {
            defaults.title.to_owned()
        } else {
            title
        },
        summary,
        findings,
        rank: rank.clamp(0.0, 10.0),
        rating_explanation: one_line(&draft.rating_explanation),
        source: ReportSource::Model,
    };
    Assembled {
        report,
        removed,
        unsupported,
    }
}

/// A heading or a cell: line ends would break it.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[derive(Serialize)]
struct ReportJson<'a> {
    title: &'a str,
    summary: &'a str,
    rating: f64,
    rating_explanation: &'a str,
    findings: &'a [Finding],
}

/// The `full_content_json` column: the report as a model is asked to write it, indented by four.
pub fn full_content_json(report: &Report) -> String {
    let json = ReportJson {
        title: &report.title,
        summary: &report.summary,
        rating: report.rank,
        rating_explanation: &report.rating_explanation,
        findings: &report.findings,
    };
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(
        &mut out,
        serde_json::ser::PrettyFormatter::with_indent(b"    "),
    );
    // Strings and numbers into memory: neither can fail to serialise, and serde_json writes UTF-8.
    if json.serialize(&mut serializer).is_err() {
        return String::new();
    }
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::citations::DataKind;
    use super::*;

    fn finding(summary: &str, explanation: &str) -> Finding {
        Finding {
            summary: summary.into(),
            explanation: explanation.into(),
        }
    }

    fn allowed() -> AllowedIds {
        let mut allowed = AllowedIds::default();
        allowed.allow(DataKind::Entities, [5]);
        allowed
    }

    const DEFAULTS: Defaults<'_> = Defaults {
        title: "Community 3",
        rank: 4.5,
    };

    #[test]
    fn unknown_ids_are_removed_and_findings_left_with_none_are_marked() {
        let draft = DraftReport {
            title: "Port Lune\nand its pumps".into(),
            summary: "Pumps fail [Data: Entities (5, 99)].".into(),
            findings: vec![
                finding("One", "Seen [Data: Entities (5)]."),
                finding("Two", "Invented [Data: Sources (7)]."),
                finding("Three", "Not cited."),
                finding("", " "),
            ],
            rating: Some(14.0),
            rating_explanation: "High.".into(),
        };
        let assembled = assemble(CommunityIx(3), draft, &allowed(), &DEFAULTS);
        assert_eq!(assembled.report.title, "Port Lune and its pumps");
        assert_eq!(assembled.report.summary, "Pumps fail [Data: Entities (5)].");
        assert_eq!(assembled.report.findings[1].explanation, "Invented.");
        assert_eq!(assembled.unsupported, [false, true, true]);
        assert_eq!(assembled.report.rank, 10.0);
        let removed: Vec<&str> = assembled
            .removed
            .iter()
            .map(|removed| removed.what.as_str())
            .collect();
        assert_eq!(removed, ["99", "7"]);
    }

    #[test]
    fn missing_parts_have_defaults() {
        let assembled = assemble(
            CommunityIx(3),
            DraftReport {
                rating: Some(f64::NAN),
                ..DraftReport::default()
            },
            &allowed(),
            &DEFAULTS,
        );
        assert_eq!(
            (assembled.report.title.as_str(), assembled.report.rank),
            ("Community 3", 4.5)
        );
    }

    #[test]
    fn the_json_has_the_keys_in_order_and_reads_back() {
        let draft = DraftReport {
            title: "T \"q\"".into(),
            findings: vec![finding("s", "e\nf")],
            rating: Some(8.0),
            ..DraftReport::default()
        };
        let report = assemble(CommunityIx(0), draft, &allowed(), &DEFAULTS).report;
        let json = full_content_json(&report);
        assert!(json.starts_with("{\n    \"title\": \"T \\\"q\\\"\",\n    \"summary\": \"\",\n    \"rating\": 8.0,\n    \"rating_explanation\""), "{json}");
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["findings"][0]["explanation"], "e\nf");
    }
}
