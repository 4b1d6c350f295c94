//! Decisions of an analyst that cannot all hold.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::decisions::{Decisions, Written, upper};

/// What is wrong, each with the lines that disagree. Names are compared as written, in upper case.
pub(super) fn contradictions(decisions: &Decisions) -> Vec<String> {
    let mut links = Links::default();
    for group in &decisions.merge {
        for pair in group.windows(2) {
            links.add(&pair[0], &pair[1], pair[0].line);
        }
    }
    for (from, to) in &decisions.rename {
        links.add(from, to, from.line);
    }
    let mut problems = Vec::new();
    let components = links.components();
    for group in &decisions.keep_apart {
        let mut first: FxHashMap<u32, &Written> = FxHashMap::default();
        for name in group {
            let Some(number) = links.number(name) else {
                continue;
            };
            let component = components[number as usize];
            let Some(other) = first.insert(component, name) else {
                continue;
            };
            problems.push(format!(
                "line {}: '{}' and '{}' are kept apart here and made one by {}; remove one of the two",
                name.line,
                upper(&other.text),
                upper(&name.text),
                links.lines_between(other, name)
            ));
        }
    }
    let mut titles: FxHashMap<u32, &Written> = FxHashMap::default();
    for (from, to) in &decisions.rename {
        // invariant: every rename is a link
        let component = links.number(from).map_or(0, |at| components[at as usize]);
        let first = *titles.entry(component).or_insert(to);
        if upper(&first.text) != upper(&to.text) {
            problems.push(format!(
                "line {}: one entity gets two titles, '{}' on line {} and '{}' here; keep one",
                to.line,
                upper(&first.text),
                first.line,
                upper(&to.text)
            ));
        }
    }
    problems.extend(splits(decisions));
    problems
}

fn splits(decisions: &Decisions) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen: FxHashMap<(String, &str), usize> = FxHashMap::default();
    for split in &decisions.split {
        let name = upper(&split.name.text);
        let title = split.title.as_ref().map(|title| upper(&title.text));
        if title.as_ref() == Some(&name) {
            problems.push(format!(
                "line {}: '{name}' is split off under its own name; give `as` another",
                split.name.line
            ));
        }
        for path in &split.documents {
            let line = path.line;
            if let Some(first) = seen.insert((name.clone(), path.text.as_str()), line) {
                problems.push(format!(
                    "line {line}: '{name}' in {} is split off twice, first on line {first}; remove one of the two",
                    path.text
                ));
            }
        }
    }
    problems
}

/// Names that are made one, two by two.
#[derive(Default)]
struct Links {
    numbers: FxHashMap<String, u32>,
    /// The other end and the line, by name.
    near: Vec<Vec<(u32, usize)>>,
}

impl Links {
    fn add(&mut self, a: &Written, b: &Written, line: usize) {
        let mut intern = |name: &Written| {
            let next = self.near.len() as u32;
            let number = *self.numbers.entry(upper(&name.text)).or_insert(next);
            if number == next {
                self.near.push(Vec::new());
            }
            number
        };
        let (a, b) = (intern(a), intern(b));
        self.near[a as usize].push((b, line));
        self.near[b as usize].push((a, line));
    }

    fn number(&self, name: &Written) -> Option<u32> {
        self.numbers.get(&upper(&name.text)).copied()
    }

    fn components(&self) -> Vec<u32> {
        let mut component = vec![u32::MAX; self.near.len()];
        for start in 0..self.near.len() {
            let mut open = vec![start as u32];
            while let Some(name) = open.pop() {
                if component[name as usize] == u32::MAX {
                    component[name as usize] = start as u32;
                    open.extend(self.near[name as usize].iter().map(|link| link.0));
                }
            }
        }
        component
    }

    /// The lines that make one of two names: `line 2`, `lines 2, 5`.
    fn lines_between(&self, a: &Written, b: &Written) -> String {
        let (Some(a), Some(b)) = (self.number(a), self.number(b)) else {
            return String::new();
        };
        // Breadth first from `b`, so that the way back from `a` is the shortest.
        let mut towards: FxHashMap<u32, (u32, usize)> = FxHashMap::default();
        let mut open = VecDeque::from([b]);
        while let Some(name) = open.pop_front().filter(|&name| name != a) {
            for &(next, line) in &self.near[name as usize] {
                if next != b && !towards.contains_key(&next) {
                    towards.insert(next, (name, line));
                    open.push_back(next);
                }
            }
        }
        let mut lines: Vec<usize> = Vec::new();
        let mut at = a;
        while let Some(&(next, line)) = towards.get(&at) {
            lines.push(line);
            at = next;
        }
        lines.sort_unstable();
        lines.dedup();
        let listed: Vec<String> = lines.iter().map(usize::to_string).collect();
        let plural = if lines.len() == 1 { "" } else { "s" };
        format!("line{plural} {}", listed.join(", "))
    }
}
