//! HTML: the readable text, with headings, list items and table cells marked as in Markdown.
//!
//! Works on the token stream, without building a tree: no nesting, however deep, can exhaust the stack. Scripts,
//! styles, navigation and form controls are left out. Spans of text units point into the text made here.

use std::cell::RefCell;
use std::fmt::Write as _;

use encoding_rs::Encoding;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::Sink;
use super::decode::{decode, unreadable};
use super::discover::SourceFile;
use super::report::FileReport;
use super::text::{Content, hand_on};
use crate::model::Outcome;

pub(super) fn read(
    file: &SourceFile,
    configured: Option<&'static Encoding>,
    report: &mut FileReport,
    sink: &mut Sink<'_>,
) {
    let bytes = match std::fs::read(&file.location) {
        Ok(bytes) => bytes,
        Err(error) => return report.fail_file(unreadable(&error)),
    };
    let declared = declared_encoding(&bytes);
    match decode(bytes, configured, declared) {
        Ok(decoded) => {
            report.decoded_as = decoded.decoded_as;
            let outcome = decoded.repaired.map_or(Outcome::Ok, Outcome::Repaired);
            let text = to_text(&decoded.text);
            hand_on(file, Content::of(text), outcome, report, sink);
        }
        Err(reason) => report.fail_file(reason),
    }
}

/// The label of `<meta charset=…>` within the first 1024 bytes, where the HTML standard wants it.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    // invariant: cut to the length at most; the label starts within the head.
    let head = bytes[..bytes.len().min(1024)].to_ascii_lowercase();
    let at = head.windows(8).position(|window| window == b"charset=")?;
    let label: Vec<u8> = head[at + 8..]
        .iter()
        .copied()
        .skip_while(|byte| matches!(byte, b'"' | b'\'' | b' '))
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        .collect();
    Encoding::for_label(&label)
}

/// The readable text of a page; empty when it has none.
fn to_text(html: &str) -> String {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(Page::default(), TokenizerOpts::default());
    // The sink never asks for a script to run, so one call takes it all.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.writer.into_inner().finish()
}

#[derive(Default)]
struct Page {
    writer: RefCell<Writer>,
}

impl TokenSink for Page {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut writer = self.writer.borrow_mut();
        match token {
            Token::CharacterTokens(text) => writer.text(&text),
            Token::TagToken(tag) => {
                writer.tag(&tag);
                if tag.kind == TagKind::StartTag
                    && let Some(kind) = raw_kind(&tag.name)
                {
                    return TokenSinkResult::RawData(kind);
                }
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// Elements whose content is not markup.
fn raw_kind(name: &str) -> Option<RawKind> {
    match name {
        "script" => Some(RawKind::ScriptData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => Some(RawKind::Rawtext),
        "title" | "textarea" => Some(RawKind::Rcdata),
        _ => None,
    }
}

/// White space that is due before the next character; the greater wins.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

/// An element whose text is taken out again when it closes; one that never closes keeps its text.
struct Dropped {
    name: String,
    depth: usize,
    length: usize,
}

#[derive(Default)]
struct Writer {
    out: String,
    title: String,
    gap: Gap,
    /// A heading or list mark for the start of the next line.
    mark: &'static str,
    raw: Option<String>,
    dropped: Option<Dropped>,
    preformatted: usize,
    in_cell: bool,
    cells_in_row: usize,
}

impl Writer {
    fn text(&mut self, text: &str) {
        match self.raw.as_deref() {
            Some("title") => {
                // The first title is the page's; those of drawings come later.
                self.title.push_str(text);
                return;
            }
            Some(_) => return,
            None => {}
        }
        if self.preformatted > 0 {
            self.flush();
            self.out.push_str(text);
            return;
        }
        for (ix, word) in text.split(char::is_whitespace).enumerate() {
            if ix > 0 {
                self.gap = self.gap.max(Gap::Space);
            }
            if !word.is_empty() {
                self.flush();
                self.out.push_str(word);
            }
        }
    }

    /// Writes the white space and the mark that are due.
    fn flush(&mut self) {
        let starts = self.out.is_empty();
        match std::mem::take(&mut self.gap) {
            _ if starts => {}
            Gap::None => {}
            Gap::Space if self.out.ends_with([' ', '\n']) => {}
            Gap::Space => self.out.push(' '),
            Gap::Line => self.out.push('\n'),
            Gap::Paragraph => self.out.push_str("\n\n"),
        }
        self.out.push_str(std::mem::take(&mut self.mark));
    }

    fn need(&mut self, gap: Gap) {
        // A row of a table stays one line.
        let gap = if self.in_cell { Gap::Space } else { gap };
        self.gap = self.gap.max(gap);
    }

    fn tag(&mut self, tag: &Tag) {
        let name: &str = &tag.name;
        match tag.kind {
            TagKind::StartTag => {
                if raw_kind(name).is_some() {
                    self.raw = if name == "title" && !self.title.is_empty() {
                        Some(String::new())
                    } else {
                        Some(name.to_owned())
                    };
                } else if is_dropped(name) && !tag.self_closing {
                    self.open_dropped(name);
                }
                self.open(name);
            }
            TagKind::EndTag => {
                if raw_kind(name).is_some() {
                    self.raw = None;
                } else if is_dropped(name) {
                    self.close_dropped(name);
                }
                self.close(name);
            }
        }
    }

    fn open_dropped(&mut self, name: &str) {
        match &mut self.dropped {
            None => {
                self.dropped = Some(Dropped {
                    name: name.to_owned(),
                    depth: 1,
                    length: self.out.len(),
                });
            }
            Some(dropped) if dropped.name == name => dropped.depth += 1,
            Some(_) => {}
        }
    }

    fn close_dropped(&mut self, name: &str) {
        if let Some(dropped) = &mut self.dropped
            && dropped.name == name
        {
            dropped.depth -= 1;
            if dropped.depth == 0 {
                self.out.truncate(dropped.length);
                self.dropped = None;
                self.gap = self.gap.max(Gap::Space);
            }
        }
    }

    fn open(&mut self, name: &str) {
        match name {
            "br" => self.need(Gap::Line),
            "li" => {
                self.need(Gap::Line);
                self.mark = "- ";
            }
            "tr" => {
                self.in_cell = false;
                self.cells_in_row = 0;
                self.need(Gap::Line);
            }
            "td" | "th" => self.open_cell(),
            "pre" => {
                self.need(Gap::Paragraph);
                self.preformatted += 1;
            }
            _ => {
                if let Some(mark) = heading_mark(name) {
                    self.need(Gap::Paragraph);
                    self.mark = mark;
                } else if let Some(gap) = block_gap(name) {
                    self.need(gap);
                }
            }
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "tr" | "table" => {
                self.in_cell = false;
                self.need(if name == "tr" {
                    Gap::Line
                } else {
                    Gap::Paragraph
                });
            }
            "pre" => {
                self.preformatted = self.preformatted.saturating_sub(1);
                self.need(Gap::Paragraph);
            }
            "li" => {
                self.mark = "";
                self.need(Gap::Line);
            }
            _ => {
                if heading_mark(name).is_some() {
                    self.mark = "";
                    self.need(Gap::Paragraph);
                } else if let Some(gap) = block_gap(name) {
                    self.need(gap);
                }
            }
        }
    }

    fn open_cell(&mut self) {
        if self.cells_in_row > 0 {
            self.gap = Gap::None;
            self.out.push_str(" | ");
        }
        self.cells_in_row += 1;
        self.in_cell = true;
    }

    /// The page's title, unless the text starts with it, then the text.
    fn finish(self) -> String {
        let body = self.out.trim();
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut page = String::with_capacity(body.len() + title.len() + 3);
        if body.is_empty() {
            return page;
        }
        if !title.is_empty() && !body.trim_start_matches(['#', ' ']).starts_with(&title) {
            // invariant: writing to a string cannot fail.
            let _ = write!(page, "{title}\n\n");
        }
        page.push_str(body);
        page.push('\n');
        page
    }
}

fn is_dropped(name: &str) -> bool {
    matches!(
        name,
        "nav"
            | "svg"
            | "canvas"
            | "noscript"
            | "template"
            | "select"
            | "button"
            | "object"
            | "audio"
            | "video"
    )
}

fn heading_mark(name: &str) -> Option<&'static str> {
    Some(match name {
        "h1" => "# ",
        "h2" => "## ",
        "h3" => "### ",
        "h4" => "#### ",
        "h5" => "##### ",
        "h6" => "###### ",
        _ => return None,
    })
}

fn block_gap(name: &str) -> Option<Gap> {
    match name {
        "dt" | "dd" | "caption" | "legend" | "label" | "summary" => Some(Gap::Line),
        "address" | "article" | "aside" | "blockquote" | "body" | "details" | "div" | "dl"
        | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "header" | "hr" | "main"
        | "ol" | "p" | "section" | "table" | "ul" => Some(Gap::Paragraph),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_lists_and_tables_are_kept_and_scripts_dropped() {
        let html = "<!doctype html><html><head><title>Pump &amp; valve</title><style>p{}</style>\
            <script>if (a < b) { document.write('<p>no</p>') }</script></head><body>\
            <nav><ul><li>Home</li></ul></nav><h1>Report</h1><p>The <b>pump</b>\n failed&nbsp;twice.</p>\
            <ul><li>one<li>two <ul><li>inner</li></ul></ul>\
            <table><tr><th>Site</th><th>Loss</th></tr><tr><td><p>Hollow</p> Weir</td><td></td></tr></table>\
            <pre>a\n  b</pre>x<br>y<svg><title>icon</title><text>no</text></svg></body></html>";
        assert_eq!(
            to_text(html),
            "Pump & valve\n\n# Report\n\nThe pump failed twice.\n\n- one\n- two\n\n- inner\n\nSite | Loss\nHollow Weir | \n\na\n  b\n\nx\ny\n"
        );
    }

    #[test]
    fn a_page_without_text_is_empty() {
        assert_eq!(
            to_text(
                "<title>App</title><div id=root></div><script>x</script><noscript>Enable it</noscript>"
            ),
            ""
        );
    }

    #[test]
    fn an_unclosed_navigation_does_not_swallow_the_page() {
        assert_eq!(
            to_text("<nav><p>Home<p>The pump failed."),
            "Home\n\nThe pump failed.\n"
        );
    }

    #[test]
    fn the_title_is_not_repeated() {
        assert_eq!(
            to_text("<title>Report</title><h1>Report</h1>x"),
            "# Report\n\nx\n"
        );
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let html = format!(
            "{}deep{}",
            "<div><svg><b>".repeat(200_000),
            "</b></div>".repeat(200_000)
        );
        assert_eq!(to_text(&html), "deep\n");
    }

    #[test]
    fn the_declared_encoding_is_found() {
        let head = b"<html><head><META http-equiv=x content=\"text/html; charset=Shift_JIS\">";
        assert_eq!(declared_encoding(head), Some(encoding_rs::SHIFT_JIS));
        assert_eq!(declared_encoding(b"<meta charset='nonsense'>"), None);
    }
}
