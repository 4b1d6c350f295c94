//! DOCX: paragraphs, headings, list items, tables, foot- and endnotes. Deleted passages and field codes are left out.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;
use zip::result::ZipError;

use super::Sink;
use super::decode::unreadable;
use super::discover::SourceFile;
use super::report::FileReport;
use super::row::starts_with_iso_date;
use super::text::{Content, hand_on};
use crate::model::Outcome;

/// The most that one part of the archive may unpack to; a bomb unpacks to more.
const LARGEST_PART: u64 = 256 << 20;

pub(super) fn read(file: &SourceFile, report: &mut FileReport, sink: &mut Sink<'_>) {
    let opened = match File::open(&file.location) {
        Ok(opened) => opened,
        Err(error) => return report.fail_file(unreadable(&error)),
    };
    match extract(BufReader::new(opened), LARGEST_PART) {
        Ok(content) => hand_on(file, content, Outcome::Ok, report, sink),
        Err(reason) => report.fail_file(reason),
    }
}

fn extract(archive: impl Read + Seek, largest_part: u64) -> Result<Content, String> {
    let mut archive = ZipArchive::new(archive).map_err(|error| {
        format!("not a readable DOCX: {error}; if it has a password remove it, else save it anew as .docx")
    })?;
    let mut text = String::new();
    for (part, required) in [
        ("word/document.xml", true),
        ("word/footnotes.xml", false),
        ("word/endnotes.xml", false),
    ] {
        let entry = match archive.by_name(part) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) if !required => continue,
            Err(error) => return Err(format!("{part}: {error}; save the file anew as .docx")),
        };
        let mut capped = entry.take(largest_part + 1);
        let mut body = Body::default();
        let parsed = body.parse(BufReader::new(&mut capped));
        if capped.limit() == 0 {
            return Err(format!(
                "{part} unpacks to more than {} MB: split the document",
                largest_part >> 20
            ));
        }
        parsed.map_err(|error| format!("{part}: {error}; save the file anew as .docx"))?;
        let part_text = body.text.trim_matches('\n');
        if !part_text.is_empty() {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(part_text);
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let creation_date = creation_date(&mut archive);
    Ok(Content {
        text,
        creation_date,
        metadata: None,
    })
}

/// Collects the text of one part.
#[derive(Default)]
struct Body {
    text: String,
    paragraph: String,
    mark: String,
    in_text: bool,
    /// Depth inside elements that repeat or hide text.
    hidden: usize,
    cells: Vec<usize>,
}

impl Body {
    fn parse(&mut self, source: impl BufRead) -> Result<(), String> {
        let mut reader = Reader::from_reader(source);
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let at = reader.buffer_position();
            let wrong = |error: &dyn std::fmt::Display| format!("not XML at byte {at}: {error}");
            match reader
                .read_event_into(&mut buffer)
                .map_err(|error| wrong(&error))?
            {
                Event::Start(tag) => self.open(&tag),
                Event::Empty(tag) => {
                    self.open(&tag);
                    self.close(tag.local_name().as_ref());
                }
                Event::End(tag) => self.close(tag.local_name().as_ref()),
                Event::Text(text) if self.in_text && self.hidden == 0 => {
                    self.paragraph.push_str(&text.xml10_content());
                }
                Event::CData(text) if self.in_text && self.hidden == 0 => {
                    self.paragraph.push_str(&text.xml10_content());
                }
                Event::GeneralRef(reference) if self.in_text && self.hidden == 0 => {
                    match reference.resolve_char_ref() {
                        Ok(Some(c)) => self.paragraph.push(c),
                        _ => self.paragraph.push_str(match &*reference.xml10_content() {
                            "amp" => "&",
                            "lt" => "<",
                            "gt" => ">",
                            "quot" => "\"",
                            "apos" => "'",
                            // Entities that a DTD would declare are never expanded.
                            _ => "",
                        }),
                    }
                }
                Event::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            // The fallback repeats a text box for old programs.
            "Fallback" | "del" | "moveFrom" => self.hidden += 1,
            "t" => self.in_text = true,
            "tab" | "ptab" if self.hidden == 0 => self.paragraph.push('\t'),
            "br" | "cr" if self.hidden == 0 => self.paragraph.push('\n'),
            "noBreakHyphen" if self.hidden == 0 => self.paragraph.push('-'),
            "pStyle" => self.mark = heading_mark(value(tag).as_deref()),
            "numPr" if self.mark.is_empty() => self.mark.push_str("- "),
            "tbl" if self.cells.is_empty() => end_list(&mut self.text),
            "tr" => self.cells.push(0),
            "tc" => {
                if let Some(cells) = self.cells.last_mut() {
                    if *cells > 0 {
                        self.text.push_str(" | ");
                    }
                    *cells += 1;
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "Fallback" | "del" | "moveFrom" => self.hidden = self.hidden.saturating_sub(1),
            "t" => self.in_text = false,
            "p" => self.end_paragraph(),
            "tr" => {
                self.cells.pop();
                let gap = if self.cells.is_empty() { "\n" } else { " " };
                self.text.push_str(gap);
            }
            "tbl" if self.cells.is_empty() => self.text.push('\n'),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let mark = std::mem::take(&mut self.mark);
        let paragraph = self.paragraph.trim_end();
        if !paragraph.is_empty() {
            if self.cells.is_empty() {
                let item = mark == "- ";
                if !item {
                    end_list(&mut self.text);
                }
                self.text.push_str(&mark);
                self.text.push_str(paragraph);
                self.text.push_str(if item { "\n" } else { "\n\n" });
            } else {
                // A row of a table stays one line.
                if !self.text.ends_with([' ', '\n']) {
                    self.text.push(' ');
                }
                for word in paragraph.split_inclusive('\n') {
                    self.text.push_str(word.trim_end_matches('\n'));
                    if word.ends_with('\n') {
                        self.text.push(' ');
                    }
                }
            }
        }
        self.paragraph.clear();
    }
}

/// Items of one list stay together; what follows them stands apart.
fn end_list(text: &mut String) {
    if text.ends_with('\n') && !text.ends_with("\n\n") {
        text.push('\n');
    }
}

/// `Heading2`, in English and in the languages whose style names keep the digit: `## `.
fn heading_mark(style: Option<&str>) -> String {
    let Some(style) = style else {
        return String::new();
    };
    if style.eq_ignore_ascii_case("Title") {
        return "# ".to_owned();
    }
    let level = style
        .strip_prefix("Heading")
        .or_else(|| style.strip_prefix("heading"))
        .map(str::trim)
        .and_then(|digits| digits.parse::<usize>().ok());
    match level {
        Some(level @ 1..=6) => format!("{} ", "#".repeat(level)),
        _ => String::new(),
    }
}

/// The attribute `w:val`.
fn value(tag: &BytesStart<'_>) -> Option<String> {
    tag.attributes()
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == "val")
        .map(|attribute| attribute.value.into_owned())
}

/// The day the document was created, by its own properties.
fn creation_date<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Option<String> {
    let mut properties = String::new();
    archive
        .by_name("docProps/core.xml")
        .ok()?
        .take(1 << 16)
        .read_to_string(&mut properties)
        .ok()?;
    let (_, after) = properties.split_once("<dcterms:created")?;
    let (_, after) = after.split_once('>')?;
    let date = after.get(..10)?;
    starts_with_iso_date(date).then(|| date.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn docx(parts: &[(&str, &str)]) -> Cursor<Vec<u8>> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in parts {
            archive
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            archive.write_all(content.as_bytes()).unwrap();
        }
        archive.finish().unwrap()
    }

    fn document(body: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?><w:document xmlns:w=\"w\" xmlns:mc=\"mc\"><w:body>{body}</w:body></w:document>"
        )
    }

    fn paragraph(properties: &str, text: &str) -> String {
        format!(
            "<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>"
        )
    }

    #[test]
    fn paragraphs_headings_lists_tables_and_notes_are_kept() {
        let list = "<w:numPr><w:numId w:val=\"1\"/></w:numPr>";
        let cell = |text: &str| format!("<w:tc>{}</w:tc>", paragraph("", text));
        let body = [
            paragraph("<w:pStyle w:val=\"Heading2\"/>", "Findings"),
            paragraph("", "Loss &lt; 5 &amp; falling&#8230;"),
            "<w:p><w:r><w:t>old </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:tab/><w:t>new</w:t><w:instrText>PAGE</w:instrText></w:r></w:p>".into(),
            paragraph(list, "one"),
            paragraph(list, "two"),
            format!("<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>", cell("Site"), cell("Loss"), cell("Weir"), cell("")),
            "<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>".into(),
        ]
        .concat();
        let file = docx(&[
            ("word/document.xml", &document(&body)),
            ("word/footnotes.xml", &document(&paragraph("", "A note."))),
            (
                "docProps/core.xml",
                "<c><dcterms:created xsi:type=\"x\">2021-05-03T10:15:00Z</dcterms:created></c>",
            ),
        ]);
        let content = extract(file, LARGEST_PART).unwrap();
        assert_eq!(
            content.text,
            "## Findings\n\nLoss < 5 & falling…\n\nold \tnew\n\n- one\n- two\n\nSite | Loss\nWeir | \n\nbox\n\nA note.\n"
        );
        assert_eq!(content.creation_date.as_deref(), Some("2021-05-03"));
    }

    #[test]
    fn an_archive_that_unpacks_too_far_is_refused() {
        let body = document(&paragraph("", &"a".repeat(1 << 20)));
        let reason = extract(docx(&[("word/document.xml", &body)]), 1 << 16)
            .err()
            .unwrap();
        assert!(reason.contains("unpacks to more than"), "{reason}");
    }

    #[test]
    fn what_is_no_docx_is_refused_with_a_remedy() {
        let reason = extract(Cursor::new(b"PK nonsense".to_vec()), LARGEST_PART)
            .err()
            .unwrap();
        assert!(reason.contains("not a readable DOCX"), "{reason}");
        let reason = extract(docx(&[("other.xml", "<a/>")]), LARGEST_PART)
            .err()
            .unwrap();
        assert!(reason.starts_with("word/document.xml"), "{reason}");
        let reason = extract(
            docx(&[("word/document.xml", "<w:p><w:t>a</w:q>")]),
            LARGEST_PART,
        )
        .err()
        .unwrap();
        assert!(reason.contains("not XML"), "{reason}");
    }
}
