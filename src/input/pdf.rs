//! PDF: the text layer of the pages.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use pdf_extract::{Document as Pdf, Object, PlainTextOutput, output_doc_page};

use super::Sink;
use super::decode::unreadable;
use super::discover::SourceFile;
use super::report::FileReport;
use super::row::starts_with_iso_date;
use super::text::{Content, hand_on};
use crate::model::Outcome;
use crate::model::shown::counted;

/// The parser recurses over nested objects; the default stack of a thread is small for that.
const STACK: usize = 64 << 20;

/// The name of the thread that parses, so that a panic hook can tell a damaged PDF from a fault of ours.
pub const THREAD: &str = "pdf-reader";

pub(super) fn read(file: &SourceFile, report: &mut FileReport, sink: &mut Sink<'_>) {
    let bytes = match std::fs::read(&file.location) {
        Ok(bytes) => bytes,
        Err(error) => return report.fail_file(unreadable(&error)),
    };
    let extracted = thread::scope(|scope| {
        let parse = thread::Builder::new()
            .name(THREAD.to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || extract(&bytes));
        match parse {
            // The parser indexes into what the file claims, and a damaged file makes it panic: that costs the file, not
            // the run.
            Ok(handle) => handle.join().unwrap_or_else(|_| Err(DAMAGED.to_owned())),
            Err(error) => Err(format!(
                "no thread to read it: {error}; run again with fewer threads"
            )),
        }
    });
    match extracted {
        Ok(extracted) => {
            let outcome = extracted.outcome();
            hand_on(file, extracted.content, outcome, report, sink);
        }
        Err(reason) => report.fail_file(reason),
    }
}

const DAMAGED: &str = "damaged PDF: open it and save or print it as a new PDF";

struct Extracted {
    content: Content,
    pages: usize,
    lost: Vec<u32>,
}

impl Extracted {
    fn outcome(&self) -> Outcome {
        if self.lost.is_empty() {
            return Outcome::Ok;
        }
        let pages: Vec<String> = self.lost.iter().take(20).map(u32::to_string).collect();
        Outcome::Partial(format!(
            "{} of {} pages could not be read ({}): save the PDF anew",
            self.lost.len(),
            self.pages,
            pages.join(", ")
        ))
    }
}

fn extract(bytes: &[u8]) -> Result<Extracted, String> {
    let mut pdf = Pdf::load_mem(bytes).map_err(|error| {
        format!("not a readable PDF: {error}; open it and save it as a new PDF")
    })?;
    if pdf.is_encrypted() && pdf.decrypt("").is_err() {
        return Err("encrypted PDF: remove the password and put the open copy here".to_owned());
    }
    let numbers: Vec<u32> = pdf.get_pages().into_keys().collect();
    let mut text = String::new();
    let mut lost = Vec::new();
    for &number in &numbers {
        match page_text(&pdf, number) {
            Some(page) => append_page(&mut text, &page),
            None => lost.push(number),
        }
    }
    if text.is_empty() {
        return Err(match (numbers.len(), lost.len()) {
            (0, _) => "PDF without pages: check the file".to_owned(),
            (_, 0) => format!(
                "PDF without a text layer ({}, probably scanned): run text recognition over it first",
                counted(numbers.len(), "page")
            ),
            _ => DAMAGED.to_owned(),
        });
    }
    Ok(Extracted {
        content: Content {
            text,
            creation_date: creation_date(&pdf),
            metadata: None,
        },
        pages: numbers.len(),
        lost,
    })
}

/// One page; `None` when it cannot be read. A panic over one page's fonts leaves the others readable, as the parsed
/// file is only borrowed.
fn page_text(pdf: &Pdf, number: u32) -> Option<String> {
    let read = || {
        let mut text = String::new();
        let mut output = PlainTextOutput::new(&mut text);
        output_doc_page(pdf, &mut output, number)
            .ok()
            .map(|()| text)
    };
    catch_unwind(AssertUnwindSafe(read)).ok().flatten()
}

/// Adds a page with single blank lines; a sentence that runs over the page break stays together.
fn append_page(text: &mut String, page: &str) {
    let mut blank = true;
    for line in page.trim().lines() {
        let line = line.trim();
        if line.is_empty() {
            if !blank {
                text.push('\n');
            }
            blank = true;
            continue;
        }
        if blank && !text.is_empty() {
            let goes_on = text
                .trim_end()
                .ends_with(|c: char| c.is_alphanumeric() || c == ',')
                && line.starts_with(char::is_lowercase);
            if !goes_on && !text.ends_with("\n\n") {
                text.push('\n');
            }
        }
        blank = false;
        text.push_str(line);
        text.push('\n');
    }
}

/// The file's own creation date, `D:20210503…` in the PDF, as an ISO 8601 date.
fn creation_date(pdf: &Pdf) -> Option<String> {
    let info = match pdf.trailer.get(b"Info").ok()? {
        Object::Reference(id) => pdf.get_object(*id).ok()?.as_dict().ok()?,
        other => other.as_dict().ok()?,
    };
    let stamp = info.get(b"CreationDate").ok()?.as_str().ok()?;
    iso_date(std::str::from_utf8(stamp).ok()?)
}

fn iso_date(stamp: &str) -> Option<String> {
    let digits = stamp.strip_prefix("D:").unwrap_or(stamp);
    let date = format!(
        "{}-{}-{}",
        digits.get(..4)?,
        digits.get(4..6)?,
        digits.get(6..8)?
    );
    starts_with_iso_date(&date).then_some(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest PDF there is with these content streams, one a page.
    fn pdf(pages: &[&str], trailer: &str) -> Vec<u8> {
        let kids: Vec<String> = (0..pages.len())
            .map(|page| format!("{} 0 R", 5 + 2 * page))
            .collect();
        let mut objects = vec![
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            format!(
                "<< /Type /Pages /Kids [{}] /Count {} >>",
                kids.join(" "),
                pages.len()
            ),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
                .to_owned(),
            "<< /CreationDate (D:20210503101500Z) >>".to_owned(),
        ];
        for (ix, page) in pages.iter().enumerate() {
            objects.push(format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
                6 + 2 * ix
            ));
            objects.push(format!(
                "<< /Length {} >>\nstream\n{page}\nendstream",
                page.len()
            ));
        }
        let mut file = "%PDF-1.4\n".to_owned();
        let mut offsets = Vec::new();
        for (ix, object) in objects.iter().enumerate() {
            offsets.push(file.len());
            file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", ix + 1));
        }
        let start = file.len();
        file.push_str(&format!(
            "xref\n0 {}\n0000000000 65535 f \n",
            objects.len() + 1
        ));
        for offset in offsets {
            file.push_str(&format!("{offset:010} 00000 n \n"));
        }
        file.push_str(&format!(
            "trailer\n<< /Size {} /Root 1 0 R /Info 4 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n",
            objects.len() + 1
        ));
        file.into_bytes()
    }

    fn line(y: u32, text: &str) -> String {
        format!("BT /F1 12 Tf 72 {y} Td ({text}) Tj ET\n")
    }

    #[test]
    fn pages_are_read_in_order_with_the_date_of_the_file() {
        let first = line(700, "The pump at Hollow Weir failed") + &line(686, "on Monday.");
        let file = pdf(&[&first, &line(700, "Ana repaired it.")], "");
        let extracted = extract(&file).unwrap();
        let words: Vec<&str> = extracted.content.text.split_whitespace().collect();
        assert_eq!(
            words.join(" "),
            "The pump at Hollow Weir failed on Monday. Ana repaired it."
        );
        assert_eq!(
            extracted.content.creation_date.as_deref(),
            Some("2021-05-03")
        );
        assert_eq!(extracted.outcome(), Outcome::Ok);
    }

    #[test]
    fn scans_and_rubbish_are_told_apart() {
        let reason = extract(&pdf(&["0 0 m 10 10 l S"], "")).err().unwrap();
        assert!(reason.contains("without a text layer (1 page,"), "{reason}");
        assert!(
            extract(b"not a pdf at all")
                .err()
                .unwrap()
                .contains("not a readable PDF")
        );
    }

    #[test]
    fn a_page_that_cannot_be_read_is_named_and_the_others_kept() {
        let broken = "BT /F9 12 Tf (x) Tj ET";
        match extract(&pdf(&[&line(700, "Ana leads."), broken], "")) {
            Ok(extracted) => {
                assert!(extracted.content.text.contains("Ana leads."));
                let outcome = extracted.outcome();
                assert!(
                    matches!(&outcome, Outcome::Partial(detail) if detail.contains("1 of 2 pages could not be read (2)")),
                    "{outcome:?}"
                );
            }
            Err(reason) => panic!("{reason}"),
        }
    }

    #[test]
    fn no_truncation_takes_the_process_down() {
        let file = pdf(&[&line(700, "Ana leads.")], "");
        for cut in (0..file.len()).step_by(7) {
            let part = &file[..cut];
            let _ = catch_unwind(|| extract(part).is_ok());
        }
    }

    #[test]
    fn dates_are_checked() {
        assert_eq!(iso_date("D:20210503").as_deref(), Some("2021-05-03"));
        assert_eq!(iso_date("D:20219903"), None);
        assert_eq!(iso_date("D:2021"), None);
    }
}
