//! A report in Markdown where JSON was asked for.

use super::super::keys::normal_form;
use super::super::opened::Opened;
use super::super::outcome::{Code, FinishReason, Notes, Repair};
use super::super::{clean, number, prose};
use super::fields::{RATING, SUMMARY, push_finding};
use super::{Fields, MAX_RATING};

/// Prose without a heading is a report only if it is at least this long.
const MIN_PROSE_CHARS: usize = 200;

/// A report in Markdown: headings, or labels such as `Title:`.
pub(super) fn from_markdown(opened: &mut Opened<'_>) -> Option<Fields> {
    let text = opened.text.clone();
    let mut fields = Fields::default();
    let mut notes = Notes::default();
    let mut prose_left = String::new();
    let mut has_form = false;
    for section in prose::sections(&text) {
        let labelled =
            prose::labelled(&section.heading).map(|(label, value)| (normal_form(&label), value));
        let heading = normal_form(&section.heading);
        let mut body = String::new();
        for line in section.body.lines() {
            match prose::labelled(line).map(|(label, value)| (normal_form(&label), value)) {
                Some((label, value)) if label == "title" || label == "report_title" => {
                    value.clone_into(&mut fields.title);
                    has_form = true;
                }
                Some((label, value)) if label == "summary" || label == "executive_summary" => {
                    value.clone_into(&mut fields.summary);
                    has_form = true;
                }
                Some((label, value)) if RATING.is_named(&label) => {
                    fields.rating = number::parse(value)
                        .map(|number| number.on(MAX_RATING).clamp(0.0, MAX_RATING));
                    has_form = true;
                }
                Some((label, value)) if label.starts_with("rating_") => {
                    value.clone_into(&mut fields.rating_explanation)
                }
                Some((label, "")) if label.ends_with("findings") => has_form = true,
                _ => {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
        let body = body.trim();
        if let Some((_, value)) = labelled.filter(|(label, _)| RATING.is_named(label)) {
            fields.rating =
                number::parse(value).map(|number| number.on(MAX_RATING).clamp(0.0, MAX_RATING));
            has_form = true;
            continue;
        }
        if section.level == 0 {
            prose_left = body.to_owned();
        } else if SUMMARY.is_named(&heading) {
            has_form = true;
            body.clone_into(&mut fields.summary);
        } else if RATING.is_named(&heading) {
            fields.rating = fields
                .rating
                .or(number::parse(body.lines().next().unwrap_or(""))
                    .map(|n| n.on(MAX_RATING).clamp(0.0, MAX_RATING)));
        } else if heading.starts_with("rating_") {
            body.clone_into(&mut fields.rating_explanation);
        } else if heading.ends_with("findings") || heading.ends_with("insights") {
            has_form = true;
            for item in prose::items(body) {
                let (summary, explanation) = item.split_once(": ").unwrap_or((item.as_str(), ""));
                push_finding(
                    summary.to_owned(),
                    explanation.to_owned(),
                    &mut fields,
                    &mut notes,
                );
            }
        } else if fields.title.is_empty() && section.level <= 2 && fields.findings.is_empty() {
            has_form = true;
            let title = section
                .heading
                .strip_prefix("Title:")
                .unwrap_or(&section.heading);
            title.trim().clone_into(&mut fields.title);
            if fields.summary.is_empty() {
                body.clone_into(&mut fields.summary);
            }
        } else if !body.is_empty() {
            has_form = true;
            push_finding(
                section.heading.clone(),
                body.to_owned(),
                &mut fields,
                &mut notes,
            );
        }
    }
    if fields.summary.is_empty() {
        fields.summary = prose_left;
    }
    let is_long = fields.summary.chars().count() >= MIN_PROSE_CHARS
        && prose::sentences(&fields.summary).len() >= 2;
    let is_report =
        (has_form && !(fields.summary.is_empty() && fields.findings.is_empty())) || is_long;
    if !is_report || opened.text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    if opened.finish == FinishReason::Length {
        opened.note_truncated();
    }
    fields.summary = clean::paragraph(&fields.summary);
    opened.notes.repair(Repair::Markdown);
    opened.notes.warn(Code::Prose);
    opened.notes.repairs.merge(notes.repairs);
    opened.notes.warnings.append(&mut notes.warnings);
    Some(fields)
}
