//! A comparison as one page that needs nothing else: no script, no font, no picture. Every text of documents, questions and models
//! is escaped.

use std::fmt::Write as _;

use super::text::{figures, outcome};
use super::{Column, Compared, Comparison, JUDGE_WARNING};
use crate::query::evidence::Resolved;
use crate::query::show::{printable, printable_line};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:110rem;padding:0 1rem;color:#222;background:#fff}h1{font-size:1.4rem}h2{font-size:1.2rem;margin-top:3rem}.row{display:flex;gap:1rem;flex-wrap:wrap;align-items:stretch}.method{flex:1 1 22rem;min-width:0;border:1px solid #ccc;border-radius:6px;padding:0 1rem 1rem}.answer{white-space:pre-wrap;overflow-wrap:anywhere}.error{color:#a00}.figures{color:#555;font-size:.9rem;padding-left:1.2rem}table{border-collapse:collapse;margin:1rem 0}th,td{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}details{margin:.5rem 0}.note{color:#555}@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}.method,th,td{border-color:#444}.figures,.note{color:#aaa}.error{color:#f88}}";

/// Escapes a text for an element or a quoted attribute.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

fn line(text: &str) -> String {
    escape(&printable_line(text))
}

/// The page.
pub fn html(comparison: &Comparison) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Comparison</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>Methods compared</h1>\n"
    );
    for compared in &comparison.questions {
        section(compared, &mut out);
    }
    if comparison
        .questions
        .iter()
        .any(|one| !one.rulings.is_empty())
    {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", line(JUDGE_WARNING));
    }
    for note in &comparison.notes {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", line(note));
    }
    let _ = writeln!(
        out,
        "<p class=\"note\">index {}</p>\n</body>\n</html>",
        line(&comparison.index)
    );
    out
}

fn section(compared: &Compared, out: &mut String) {
    let _ = writeln!(
        out,
        "<h2>{}</h2>\n<div class=\"row\">",
        line(&compared.question)
    );
    for column in &compared.methods {
        method(column, out);
    }
    out.push_str("</div>\n");
    if !compared.pairs.is_empty() {
        out.push_str("<table>\n<tr><th></th><th>text units in common</th><th>documents in common</th><th>statements in both</th><th>only in the first</th><th>only in the second</th></tr>\n");
    }
    for pair in &compared.pairs {
        let _ = writeln!(
            out,
            "<tr><th>{} and {}</th><td>{} of {}</td><td>{} of {}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            pair.a,
            pair.b,
            pair.text_units.both,
            pair.text_units.either,
            pair.documents.both,
            pair.documents.either,
            pair.claims_in_both,
            pair.claims_only_a,
            pair.claims_only_b
        );
    }
    if !compared.pairs.is_empty() {
        out.push_str("</table>\n");
    }
    if !compared.rulings.is_empty() {
        out.push_str("<table>\n<tr><th>judged</th><th>criterion</th><th>won by</th><th>reasons, in either order</th></tr>\n");
        for ruling in &compared.rulings {
            let _ = writeln!(
                out,
                "<tr><th>{} and {}</th><td>{}</td><td>{}</td><td>{}<br>{}</td></tr>",
                ruling.a,
                ruling.b,
                ruling.criterion,
                outcome(ruling),
                line(&ruling.reasons[0]),
                line(&ruling.reasons[1])
            );
        }
        out.push_str("</table>\n");
    }
}

fn method(column: &Column, out: &mut String) {
    let _ = writeln!(out, "<div class=\"method\">\n<h3>{}</h3>", column.method);
    if let Some(error) = &column.error {
        let _ = writeln!(out, "<p class=\"error\">failed: {}</p>", line(error));
    }
    if let Some(answer) = &column.answer {
        let evidence = answer.evidence();
        let _ = writeln!(
            out,
            "<div class=\"answer\">{}</div>",
            escape(&printable(&evidence.marked()))
        );
        let listed = evidence.listed();
        if !listed.is_empty() {
            out.push_str("<details><summary>Sources</summary>\n<ol>\n");
            for found in listed {
                let _ = writeln!(out, "<li value=\"{}\">{}</li>", found.number, source(found));
            }
            out.push_str("</ol></details>\n");
        }
    }
    out.push_str("<ul class=\"figures\">\n");
    for figure in figures(column) {
        let _ = writeln!(out, "<li>{}</li>", line(&figure));
    }
    out.push_str("</ul>\n");
    if !column.only_here.is_empty() {
        out.push_str("<details><summary>Only here</summary>\n<ul>\n");
        for claim in &column.only_here {
            let _ = writeln!(out, "<li>{}</li>", line(claim));
        }
        out.push_str("</ul></details>\n");
    }
    out.push_str("</div>\n");
}

fn source(found: &Resolved) -> String {
    let mut documents: Vec<&str> = found
        .supports
        .iter()
        .map(|support| support.document.as_str())
        .collect();
    documents.dedup();
    let behind = match documents.is_empty() {
        true => String::new(),
        false => format!(" (from {})", documents.join(", ")),
    };
    let kind = match found.kind {
        "Sources" => String::new(),
        _ => format!("{} {}, ", found.kind_of_one(), found.id),
    };
    line(&format!("{kind}{}{behind}: “{}”", found.title, found.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::compare::compare;
    use crate::query::{Answered, Method};

    #[test]
    fn nothing_of_a_text_is_markup() {
        let hostile = "<script>alert('x')</script> & \"quoted\" [Data: Sources (1)]. A second sentence <img src=x onerror=y>.";
        let found = Resolved {
            number: 1,
            marker: String::new(),
            kind: "Sources",
            id: 1,
            title: "<b>a.md</b>".into(),
            document: None,
            start: None,
            end: None,
            text: "</li><script>".into(),
            supports: Vec::new(),
            supported: true,
        };
        let answer = Answered {
            answer: hostile.to_owned(),
            citations: vec![found],
            ..Answered::default()
        };
        let page = html(&Comparison {
            questions: vec![compare(
                "<i>why</i>?",
                vec![
                    (Method::Local, Ok(answer)),
                    (Method::Basic, Err("<u>no</u>".into())),
                ],
            )],
            notes: vec!["<s>note</s>".into()],
            index: "<x>".into(),
            ..Comparison::default()
        });
        for tag in ["<script", "<img", "<i>", "<b>", "<u>", "<s>", "<x>"] {
            assert!(!page.contains(tag), "{tag} in {page}");
        }
        assert!(page.contains(
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;quoted&quot; [1]."
        ));
        assert!(
            page.contains(
                "<li value=\"1\">&lt;b&gt;a.md&lt;/b&gt;: “&lt;/li&gt;&lt;script&gt;”</li>"
            )
        );
        assert!(
            !page.contains("http://") && !page.contains("https://"),
            "needs nothing else"
        );
    }
}
