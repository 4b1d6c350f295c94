//! What may stand between tokens: white space, comments, and line breaks written as `\n`.

use super::super::outcome::Repair;
use super::parser::Parser;

impl Parser<'_> {
    /// Moves past white space and comments.
    pub(super) fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.advance(rest.len() - trimmed.len());
            if trimmed.starts_with("\\n")
                || trimmed.starts_with("\\t")
                || trimmed.starts_with("\\r")
            {
                self.repairs.add(Repair::Escapes);
                self.advance(2);
            } else if trimmed.starts_with("##") {
                // The record delimiter of the tuple format, between JSON values.
                self.repairs.add(Repair::Separators);
                self.advance(trimmed.len() - trimmed.trim_start_matches('#').len());
            } else if trimmed.starts_with("//") || trimmed.starts_with('#') {
                self.repairs.add(Repair::Comments);
                self.advance(trimmed.find('\n').unwrap_or(trimmed.len()));
            } else if trimmed.starts_with("/*") {
                self.repairs.add(Repair::Comments);
                self.advance(trimmed.find("*/").map_or(trimmed.len(), |end| end + 2));
            } else if trimmed.starts_with("<!--") {
                self.repairs.add(Repair::Comments);
                self.advance(trimmed.find("-->").map_or(trimmed.len(), |end| end + 3));
            } else {
                return;
            }
        }
    }

    /// Moves past an ellipsis, if there is one here.
    pub(super) fn ellipsis(&mut self) -> bool {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches(['.', '…']);
        let length = rest.len() - trimmed.len();
        let found = rest.starts_with('…') || length >= 2;
        if found {
            self.repairs.add(Repair::Ellipsis);
            self.advance(length);
        }
        found
    }
}
