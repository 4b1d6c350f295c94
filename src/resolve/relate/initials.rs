//! Letters that stand for words: "J. P. Morgan", "JP Morgan", "PLWA".

use super::Comparer;
use crate::resolve::key::{Class, Form, Part};
use crate::resolve::tables;

impl Comparer<'_> {
    /// "J. P. Morgan" and "JP Morgan": the initials of one are the first word of the other.
    pub(super) fn same_initials(&self, apart: &Form, together: &Form) -> bool {
        let (x, y) = (&apart.content, &together.content);
        let count = x
            .iter()
            .take_while(|part| part.class == Class::Initial)
            .count();
        let Some((first, rest)) = y.split_first().filter(|_| count >= 2) else {
            return false;
        };
        let words = |parts: &[Part]| -> Vec<u32> { parts.iter().map(|part| part.word).collect() };
        let letters: String = x[..count]
            .iter()
            .map(|&part| self.word(part).text.as_str())
            .collect();
        self.word(*first).text == letters && !rest.is_empty() && words(rest) == words(&x[count..])
    }

    /// Whether letters are the initials of the words, small ones counted or not.
    pub(super) fn spells(&self, letters: &str, parts: &[Part]) -> bool {
        if parts.len() < 2 {
            return false;
        }
        [false, true].into_iter().any(|small| {
            let mut initials = parts
                .iter()
                .map(|part| &self.word(*part).text)
                .filter(|text| small || !tables::PASSED_OVER.contains(&text.as_str()))
                .filter_map(|text| text.chars().next());
            let mut count = 0;
            letters.chars().all(|letter| {
                count += 1;
                initials.next() == Some(letter)
            }) && count >= 2
                && initials.next().is_none()
        })
    }

    pub(super) fn spells_tail(&self, letters: &str, parts: &[Part], content_before: usize) -> bool {
        let mut seen = 0;
        let from = parts.iter().position(|part| {
            if part.class != Class::Small {
                seen += 1;
            }
            seen > content_before
        });
        from.is_some_and(|from| self.spells(letters, &parts[from..]))
    }
}
