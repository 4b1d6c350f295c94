//! `graph.graphml`, for graph viewers.

use std::fmt::Write;

use crate::model::{Entity, Relationship};

/// Appends text as XML 1.0 character data: escaped, without the control characters that no escape can carry.
fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(c),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push(' '),
            c => out.push(c),
        }
    }
}

/// Writes the graph as GraphML.
pub(super) fn graphml(entities: &[Entity], relationships: &[Relationship]) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         <key id=\"type\" for=\"node\" attr.name=\"type\" attr.type=\"string\"/>\n\
         <key id=\"text\" for=\"all\" attr.name=\"description\" attr.type=\"string\"/>\n\
         <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n\
         <graph edgedefault=\"directed\">\n",
    );
    for entity in entities {
        out.push_str("<node id=\"");
        push_escaped(&mut out, &entity.title);
        out.push_str("\"><data key=\"type\">");
        push_escaped(&mut out, &entity.kind);
        out.push_str("</data><data key=\"text\">");
        push_escaped(&mut out, &entity.description);
        out.push_str("</data></node>\n");
    }
    for row in relationships {
        out.push_str("<edge source=\"");
        push_escaped(&mut out, &entities[row.source.at()].title);
        out.push_str("\" target=\"");
        push_escaped(&mut out, &entities[row.target.at()].title);
        // invariant: writing to a string cannot fail
        let _ = write!(
            out,
            "\"><data key=\"weight\">{}</data><data key=\"text\">",
            row.weight
        );
        push_escaped(&mut out, &row.description);
        out.push_str("</data></edge>\n");
    }
    out.push_str("</graph>\n</graphml>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    // See: https://github.com/OSU-NLP-Group/HippoRAG/issues/80
    #[test]
    fn control_characters_do_not_make_the_file_unreadable() {
        let mut out = String::new();
        push_escaped(&mut out, "a\u{1}b\u{c} <c> & \"d\"");
        assert_eq!(out, "a b  &lt;c&gt; &amp; &quot;d&quot;");
    }
}
