//! Candidate pairs without comparing all with all: names that share a key, in blocks of bounded size.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::key::{Class, Form, Lexicon, Part};
use super::tables;

/// A block up to this size is compared in full.
const BLOCK: usize = 40;
/// In a larger one each name meets only so many that follow it.
const WINDOW: usize = 6;
/// Names that a short form may stand for; one that fits more is too ambiguous for anything.
const EXPANSIONS: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Words,
    FamilyName,
    Initials,
    Acronym,
    TrailingAcronym,
    FirstWords,
    LastWord,
    LastWords,
    Omission,
}

/// Candidate pairs, the smaller number first, sorted, without repeats.
pub(super) fn candidates(lexicon: &Lexicon, forms: &[Form], active: &[bool]) -> Vec<(u32, u32)> {
    let roots = spelling_roots(lexicon, forms, active);
    let mut equal: Vec<(u64, u32)> = Vec::new();
    let mut long: Vec<(u64, u32)> = Vec::new();
    let mut short: Vec<(u64, u32)> = Vec::new();
    for (name, form) in forms.iter().enumerate() {
        if active[name] && !form.content.is_empty() {
            let mut keys = Keys {
                lexicon,
                roots: &roots,
                form,
                name: name as u32,
                equal: &mut equal,
                long: &mut long,
                short: &mut short,
            };
            keys.of_equals();
            keys.of_long();
            keys.of_short();
        }
    }
    let mut pairs = Vec::new();
    let mut add = |a: u32, b: u32| {
        if a != b {
            pairs.push((a.min(b), a.max(b)));
        }
    };
    equal.sort_unstable();
    for block in equal.chunk_by(|a, b| a.0 == b.0) {
        let reach = if block.len() <= BLOCK {
            block.len()
        } else {
            WINDOW
        };
        for (at, &(_, a)) in block.iter().enumerate() {
            for &(_, b) in block[at + 1..].iter().take(reach) {
                add(a, b);
            }
        }
    }
    long.sort_unstable();
    short.sort_unstable();
    short.dedup();
    long.dedup();
    let mut rest = long.as_slice();
    for block in short.chunk_by(|a, b| a.0 == b.0) {
        let key = block[0].0;
        rest = &rest[rest.partition_point(|entry| entry.0 < key)..];
        let fits = &rest[..rest.partition_point(|entry| entry.0 == key)];
        if fits.len() <= EXPANSIONS && block.len() <= EXPANSIONS {
            for &(_, a) in block {
                for &(_, b) in fits {
                    add(a, b);
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn hashed(kind: Key, parts: impl Iterator<Item = u32>, text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    (kind as u8).hash(&mut hasher);
    for part in parts {
        part.hash(&mut hasher);
    }
    text.hash(&mut hasher);
    hasher.finish()
}

struct Keys<'a> {
    lexicon: &'a Lexicon,
    roots: &'a [u32],
    form: &'a Form,
    name: u32,
    equal: &'a mut Vec<(u64, u32)>,
    long: &'a mut Vec<(u64, u32)>,
    short: &'a mut Vec<(u64, u32)>,
}

impl Keys<'_> {
    fn root(&self, part: Part) -> u32 {
        let stem = self.lexicon.get(part.word).stem;
        self.roots[self.lexicon.get(stem).loose as usize]
    }

    fn initial(&self, part: Part) -> u32 {
        let folded = self.lexicon.get(part.word).folded;
        self.lexicon
            .get(folded)
            .text
            .chars()
            .next()
            .map_or(0, u32::from)
    }

    fn text(&self, part: Part) -> &str {
        &self.lexicon.get(part.word).text
    }

    fn of_equals(&mut self) {
        let content = &self.form.content;
        let mut words: Vec<u32> = content.iter().map(|&part| self.root(part)).collect();
        words.sort_unstable();
        self.equal
            .push((hashed(Key::Words, words.into_iter(), ""), self.name));
        let (first, last) = (content[0], content[content.len() - 1]);
        if content.len() >= 2 && last.class == Class::Word && first.class != Class::Number {
            let key = [self.root(last), self.initial(first)];
            self.equal
                .push((hashed(Key::FamilyName, key.into_iter(), ""), self.name));
            let initials = content[1..].iter().map(|&part| match part.class {
                Class::Number => self.root(part) | 1 << 31,
                _ => self.initial(part),
            });
            let key = hashed(
                Key::Initials,
                std::iter::once(self.root(first)).chain(initials),
                "",
            );
            self.equal.push((key, self.name));
        }
    }

    fn initials(&self, parts: &[Part], small: bool) -> String {
        parts
            .iter()
            .map(|&part| self.text(part))
            .filter(|text| small || !tables::PASSED_OVER.contains(text))
            .filter_map(|text| text.chars().next())
            .collect()
    }

    fn of_long(&mut self) {
        let content = &self.form.content;
        let count = content.len();
        if count < 2 {
            return;
        }
        let parts = &self.form.parts;
        for small in [false, true] {
            let letters = self.initials(parts, small);
            self.long.push((
                hashed(Key::Acronym, std::iter::empty(), &letters),
                self.name,
            ));
        }
        for from in 1..count.saturating_sub(1).min(4) {
            let before: Vec<u32> = content[..from]
                .iter()
                .map(|&part| self.root(part))
                .collect();
            let mut seen = 0;
            let at = parts.iter().position(|part| {
                seen += usize::from(part.class != Class::Small);
                seen > from
            });
            for small in [false, true] {
                let letters = self.initials(&parts[at.unwrap_or(parts.len())..], small);
                let key = hashed(Key::TrailingAcronym, before.iter().copied(), &letters);
                self.long.push((key, self.name));
            }
        }
        for words in 1..count.min(4) {
            let first = content[..words].iter().map(|&part| self.root(part));
            self.long
                .push((hashed(Key::FirstWords, first, ""), self.name));
        }
        let last = content[count - 1];
        if last.class == Class::Word {
            self.long.push((
                hashed(Key::LastWord, std::iter::once(self.root(last)), ""),
                self.name,
            ));
        }
        if count >= 3 && tables::OFFICES.contains(&self.text(content[0])) {
            let rest = content[1..].iter().map(|&part| self.root(part));
            self.long
                .push((hashed(Key::LastWords, rest, ""), self.name));
        }
        if count >= 3 {
            let ends = [self.root(content[0]), self.root(last)];
            self.long
                .push((hashed(Key::Omission, ends.into_iter(), ""), self.name));
        }
    }

    fn of_short(&mut self) {
        let content = &self.form.content;
        let count = content.len();
        let last = content[count - 1];
        let letters = self.lexicon.get(last.word).letters;
        if count <= 3 {
            let words = content.iter().map(|&part| self.root(part));
            self.short
                .push((hashed(Key::FirstWords, words, ""), self.name));
        }
        if count == 1 {
            self.short.push((
                hashed(Key::LastWord, std::iter::once(self.root(last)), ""),
                self.name,
            ));
            if (2..=8).contains(&letters) && last.class == Class::Word {
                let key = hashed(Key::Acronym, std::iter::empty(), self.text(last));
                self.short.push((key, self.name));
            }
            return;
        }
        if (2..=6).contains(&letters) && last.class == Class::Word {
            let before = content[..count - 1].iter().map(|&part| self.root(part));
            let key = hashed(Key::TrailingAcronym, before, self.text(last));
            self.short.push((key, self.name));
        }
        let words = content.iter().map(|&part| self.root(part));
        self.short
            .push((hashed(Key::LastWords, words, ""), self.name));
        if count >= 2 {
            let ends = [self.root(content[0]), self.root(last)];
            self.short
                .push((hashed(Key::Omission, ends.into_iter(), ""), self.name));
        }
    }
}

/// For every word the spelling that stands for its near spellings: the most frequent one that a slip away.
///
/// Two words a slip apart become equal, or equal to a third, when a letter is left out of each (symmetric deletion).
fn spelling_roots(lexicon: &Lexicon, forms: &[Form], active: &[bool]) -> Vec<u32> {
    let mut frequency = vec![0u32; lexicon.len()];
    for (form, _) in forms.iter().zip(active).filter(|(_, active)| **active) {
        for part in &form.content {
            let stem = lexicon.get(part.word).stem;
            frequency[lexicon.get(stem).loose as usize] += 1;
        }
    }
    let mut variants: Vec<(u64, u32)> = Vec::new();
    let mut shortened = String::new();
    for (word, _) in frequency
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
    {
        let lexeme = lexicon.get(word as u32);
        if lexeme.letters < 5 || lexeme.letters > 24 || lexeme.digits {
            continue;
        }
        variants.push((
            hashed(Key::Words, std::iter::empty(), &lexeme.text),
            word as u32,
        ));
        for (at, left_out) in lexeme.text.char_indices().skip(1) {
            shortened.clear();
            shortened.push_str(&lexeme.text[..at]);
            shortened.push_str(&lexeme.text[at + left_out.len_utf8()..]);
            variants.push((
                hashed(Key::Words, std::iter::empty(), &shortened),
                word as u32,
            ));
        }
    }
    variants.sort_unstable();
    variants.dedup();
    let mut near: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for block in variants.chunk_by(|a, b| a.0 == b.0) {
        if block.len() < 2 || block.len() > BLOCK {
            continue;
        }
        for &(_, a) in block {
            near.entry(a)
                .or_default()
                .extend(block.iter().map(|entry| entry.1).filter(|&b| b != a));
        }
    }
    let mut order: Vec<u32> = near.keys().copied().collect();
    let rank = |word: u32| {
        (
            std::cmp::Reverse(frequency[word as usize]),
            lexicon.get(word).text.as_str(),
        )
    };
    order.sort_unstable_by(|&a, &b| rank(a).cmp(&rank(b)));
    let mut roots: Vec<u32> = (0..lexicon.len() as u32).collect();
    for &word in &order {
        let better = near[&word]
            .iter()
            .copied()
            .filter(|&other| roots[other as usize] == other && rank(other) < rank(word));
        if let Some(root) = better.min_by(|&a, &b| rank(a).cmp(&rank(b))) {
            roots[word as usize] = root;
        }
    }
    roots
}
