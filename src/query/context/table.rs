//! Delimited tables under a token budget.

use super::{Count, Record, Section};
use crate::report::citations::DataKind;

/// A table that grows row by row until its budget is used up.
pub(super) struct Table<'a> {
    count: Count<'a>,
    section: Section,
    budget: usize,
    full: bool,
}

impl<'a> Table<'a> {
    /// A table with the section's headline and a line of column names.
    pub fn new(kind: DataKind, header: &str, budget: usize, count: Count<'a>) -> Self {
        let text = format!("-----{}-----\n{header}\n", kind.as_str());
        let tokens = count(&text);
        Self {
            count,
            section: Section {
                kind,
                text,
                records: Vec::new(),
                tokens,
                left_out: 0,
            },
            budget,
            full: false,
        }
    }

    /// Appends a row with its line end; once one does not fit, this and all later ones are left out, as their order is their rank.
    pub fn push(&mut self, record: Record, line: &str) -> bool {
        let tokens = if self.full { 0 } else { (self.count)(line) };
        self.push_counted(record, line, tokens)
    }

    /// As `push`, with the tokens of the line.
    pub fn push_counted(&mut self, record: Record, line: &str, tokens: usize) -> bool {
        if self.full || self.section.tokens + tokens > self.budget {
            self.full = true;
            self.section.left_out += 1;
            return false;
        }
        self.section.text.push_str(line);
        self.section.tokens += tokens;
        self.section.records.push(record);
        true
    }

    /// Whether a row did not fit, so that no later one will.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Counts rows that come after one that did not fit.
    pub fn leave_out(&mut self, rows: usize) {
        self.section.left_out += rows;
    }

    /// The section; without text where it has no row.
    pub fn finish(mut self) -> Section {
        if self.section.records.is_empty() {
            self.section.text.clear();
            self.section.tokens = 0;
        }
        self.section
    }
}

/// A field as pandas writes it: quoted where it holds the delimiter, a quote or a line end.
pub(super) fn field(text: &str) -> String {
    if text.contains(['|', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

/// A number as Python prints it.
pub(super) fn number(value: f64) -> String {
    if value.is_finite() {
        format!("{value:?}")
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Arrival;
    use super::*;

    #[test]
    fn a_table_stops_at_the_first_row_that_does_not_fit() {
        let count = |text: &str| text.len();
        let mut table = Table::new(DataKind::Sources, "id|text", 40, &count);
        let record = |row| Record {
            row,
            number: row,
            arrived: Arrival::Edge,
        };
        // 26 bytes of head, 10 a row, and one row too long.
        assert_eq!("-----Sources-----\nid|text\n".len(), 26);
        assert!(table.push(record(0), "0|1234567\n"));
        assert!(!table.push(record(1), "1|1234567\n"));
        assert!(
            !table.push(record(2), "2|\n"),
            "a later, shorter row does not overtake"
        );
        let section = table.finish();
        assert_eq!(
            (section.records.len(), section.tokens, section.left_out),
            (1, 36, 2)
        );
    }

    #[test]
    fn fields_and_numbers_are_written_as_pandas_and_python_do() {
        assert_eq!(field("plain, text"), "plain, text");
        assert_eq!(field("a|\"b\"\nc"), "\"a|\"\"b\"\"\nc\"");
        assert_eq!(
            [number(8.0), number(25.0 / 34.0), number(f64::NAN)],
            ["8.0", "0.7352941176470589", ""]
        );
    }
}
