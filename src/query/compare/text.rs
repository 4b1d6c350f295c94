//! A comparison for a terminal: columns where they fit, one below the other where they do not.

use console::measure_text_width;

use super::{Column, Compared, Comparison, JUDGE_WARNING, Ruling, Won};
use crate::chunk::list_mark;
use crate::query::show::{agreed, counted, printable, printable_line};

/// Narrower columns are harder to read than a list.
const NARROWEST: usize = 30;

/// Between two columns.
const GAP: &str = " │ ";

/// Statements listed for one method.
const LISTED: usize = 8;

/// The whole comparison. `width` is the terminal's in columns; `None` where the output is piped.
pub fn text(comparison: &Comparison, width: Option<usize>) -> String {
    let mut out = String::new();
    for compared in &comparison.questions {
        if !out.is_empty() {
            out.push('\n');
        }
        let question = format!("{}\n\n", printable_line(&compared.question));
        out.push_str(&fitted(question, width));
        let gaps = 3 * compared.methods.len().saturating_sub(1);
        let each = width
            .map(|width| width.saturating_sub(gaps) / compared.methods.len().max(1))
            .filter(|&each| each >= NARROWEST && compared.methods.len() > 1);
        match each {
            Some(each) => columns(&compared.methods, each, &mut out),
            None => out.push_str(&fitted(stacked(&compared.methods), width)),
        }
        out.push_str(&fitted(against(compared), width));
    }
    out.push('\n');
    let mut notes = String::new();
    if comparison
        .questions
        .iter()
        .any(|one| !one.rulings.is_empty())
    {
        notes.push_str(&format!("({JUDGE_WARNING})\n"));
    }
    for note in &comparison.notes {
        notes.push_str(&format!("({})\n", printable_line(note)));
    }
    out.push_str(&fitted(notes, width));
    out
}

/// Lines no wider than the terminal, where there is one.
fn fitted(text: String, width: Option<usize>) -> String {
    match width {
        Some(width) => wrap(&text, width.max(2))
            .into_iter()
            .map(|line| line + "\n")
            .collect(),
        None => text,
    }
}

/// What a method's figures say, one a line.
pub(super) fn figures(column: &Column) -> Vec<String> {
    let mut lines = vec![format!("{:.2} s", column.seconds())];
    if let Some(used) = column.usage() {
        let cached = match used.cached {
            0 => String::new(),
            cached => format!(", {} from the cache", counted(cached, "answer")),
        };
        lines.push(format!("{}{cached}", counted(used.calls, "call")));
        lines.push(format!(
            "{} + {} tokens",
            used.prompt_tokens, used.completion_tokens
        ));
        lines.push(used.cost.map_or_else(
            || "cost unknown".to_owned(),
            |cost| format!("cost {cost:.4}"),
        ));
    } else {
        lines.push("no calls".to_owned());
    }
    let evidence = &column.evidence;
    let tokens = counted(column.context_tokens, "token");
    lines.push(format!("{tokens} of context"));
    let mut cited = format!("{} cited", counted(evidence.cited, "row"));
    if evidence.unresolved > 0 {
        let lost = agreed(evidence.unresolved, "leads", "lead");
        cited.push_str(&format!(", {lost} nowhere"));
    }
    if evidence.unsupported > 0 {
        cited.push_str(&format!(", {} not supported", evidence.unsupported));
    }
    lines.push(cited);
    lines.push(format!(
        "from {}, {}",
        counted(evidence.text_units.len(), "text unit"),
        counted(evidence.documents.len(), "document")
    ));
    lines.push(format!(
        "{}, {} only here",
        counted(column.claims, "statement"),
        column.only_here.len()
    ));
    lines
}

fn body(column: &Column) -> String {
    match (&column.answer, &column.error) {
        (Some(answer), _) => printable(&answer.evidence().marked()),
        (None, Some(error)) => format!("failed: {}", printable_line(error)),
        (None, None) => String::new(),
    }
}

fn columns(methods: &[Column], width: usize, out: &mut String) {
    let blocks: [Vec<Vec<String>>; 3] = [
        methods
            .iter()
            .map(|column| vec![column.method.to_owned()])
            .collect(),
        methods
            .iter()
            .map(|column| wrap(&body(column), width))
            .collect(),
        methods
            .iter()
            .map(|column| {
                let lines = figures(column);
                lines.iter().flat_map(|line| wrap(line, width)).collect()
            })
            .collect(),
    ];
    let rule = vec!["─".repeat(width); methods.len()].join("─┼─");
    for (number, cells) in blocks.iter().enumerate() {
        if number > 0 {
            out.push_str(&rule);
            out.push('\n');
        }
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let row: Vec<String> = cells
                .iter()
                .map(|cell| padded(cell.get(line).map_or("", String::as_str), width))
                .collect();
            out.push_str(row.join(GAP).trim_end());
            out.push('\n');
        }
    }
}

fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(measure_text_width(text));
    format!("{text}{}", " ".repeat(missing))
}

fn stacked(methods: &[Column]) -> String {
    let mut out = String::new();
    for column in methods {
        out.push_str(&format!("== {} ==\n{}\n", column.method, body(column)));
        out.push_str(&format!("({})\n\n", figures(column).join("; ")));
    }
    out
}

/// Breaks lines at spaces so that none is wider; a longer word is cut.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let first: String = line.chars().take_while(|c| *c == ' ').take(8).collect();
        // What goes on stands under the words, not under the mark before them.
        let body = line.trim_start_matches(' ');
        let hang = first.len() + measure_text_width(&body[..list_mark(body)]);
        let indent = match hang * 3 < width {
            true => " ".repeat(hang),
            false => first.clone(),
        };
        let mut current = first;
        let mut used = measure_text_width(&current);
        let mut empty = true;
        for word in line.split(' ').filter(|word| !word.is_empty()) {
            let mut word = word;
            loop {
                let wide = measure_text_width(word);
                let space = usize::from(!empty);
                if used + space + wide <= width {
                    if !empty {
                        current.push(' ');
                    }
                    current.push_str(word);
                    used += space + wide;
                    empty = false;
                    break;
                }
                if !empty {
                    lines.push(std::mem::replace(&mut current, indent.clone()));
                    used = measure_text_width(&current);
                    empty = true;
                    continue;
                }
                let (head, rest) = word.split_at(cut(word, width.saturating_sub(used).max(2)));
                lines.push(format!("{current}{head}"));
                current.clone_from(&indent);
                word = rest;
            }
        }
        lines.push(current.trim_end().to_owned());
    }
    lines
}

/// Bytes of the longest beginning that is no wider, at least one character.
fn cut(word: &str, width: usize) -> usize {
    let mut used = 0;
    let mut end = 0;
    for (at, c) in word.char_indices() {
        used += measure_text_width(c.encode_utf8(&mut [0; 4]));
        if used > width && at > 0 {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

/// What the methods have in common and what they have not.
fn against(compared: &Compared) -> String {
    let mut out = String::new();
    if !compared.pairs.is_empty() {
        out.push_str("\nIn common\n");
    }
    for pair in &compared.pairs {
        out.push_str(&format!(
            "  {} and {}: {} of {}, {} of {}; {} in both, {} only in {}, {} only in {}\n",
            pair.a,
            pair.b,
            pair.text_units.both,
            counted(pair.text_units.either, "text unit"),
            pair.documents.both,
            counted(pair.documents.either, "document"),
            counted(pair.claims_in_both, "statement"),
            pair.claims_only_a,
            pair.a,
            pair.claims_only_b,
            pair.b,
        ));
    }
    let answered = compared.methods.iter().filter(|one| one.answer.is_some());
    if answered.count() > 1 {
        for column in compared
            .methods
            .iter()
            .filter(|one| !one.only_here.is_empty())
        {
            out.push_str(&format!("\nOnly in {}\n", column.method));
            for claim in column.only_here.iter().take(LISTED) {
                out.push_str(&format!("  - {}\n", printable_line(claim)));
            }
            if column.only_here.len() > LISTED {
                let more = column.only_here.len() - LISTED;
                out.push_str(&format!("  and {more} more (--json has all)\n"));
            }
        }
    }
    if !compared.rulings.is_empty() {
        out.push_str("\nJudged, each pair in both orders\n");
    }
    for ruling in &compared.rulings {
        out.push_str(&format!(
            "  {} and {}, {}: {}\n",
            ruling.a,
            ruling.b,
            ruling.criterion,
            outcome(ruling)
        ));
    }
    out
}

/// Who won, in words.
pub(super) fn outcome(ruling: &Ruling) -> &'static str {
    match ruling.won {
        Won::A => ruling.a,
        Won::B => ruling.b,
        Won::Tie => "tie",
        Won::Flip => "flip: the verdict changed with the order",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::compare::compare;
    use crate::query::{Answered, Method};

    fn comparison(methods: &[(Method, &str)]) -> Comparison {
        let answers = methods
            .iter()
            .map(|&(method, answer)| {
                let answer = Answered {
                    answer: answer.to_owned(),
                    ..Answered::default()
                };
                (method, Ok(answer))
            })
            .collect();
        Comparison {
            questions: vec![compare("why?", answers)],
            ..Comparison::default()
        }
    }

    #[test]
    fn columns_fit_the_width_and_hold_every_word() {
        let long = "The pump at Harrow failed because its seal was worn, 水厂水厂 and averyverylongwordthatisnotbrokenanywhereatall. \x1b[31mred";
        let both = comparison(&[(Method::Basic, long), (Method::Local, "Short.")]);
        let shown = text(&both, Some(80));
        let table: Vec<&str> = shown.lines().filter(|line| line.contains('│')).collect();
        assert!(table.len() > 5, "{shown}");
        assert!(
            table.iter().all(|line| measure_text_width(line) <= 80),
            "{shown}"
        );
        assert!(!shown.contains('\x1b'));
        let left: String = table
            .iter()
            .filter_map(|line| line.split('│').next())
            .flat_map(|cell| cell.split_whitespace())
            .collect();
        assert!(
            left.contains("averyverylongwordthatisnotbrokenanywhereatall."),
            "{left}"
        );
        assert!(left.contains("水厂水厂"));
    }

    #[test]
    fn what_goes_on_stands_under_the_words() {
        let text = "  - Mains power was lost.\n12. The pump ran.\nPlain words go on.";
        let expected = [
            "  - Mains power",
            "    was lost.",
            "12. The pump",
            "    ran.",
            "Plain words go",
            "on.",
        ];
        assert_eq!(wrap(text, 15), expected);
        assert_eq!(wrap("- one two", 5), ["- one", "two"]);
    }

    #[test]
    fn narrow_and_piped_output_is_stacked() {
        let both = comparison(&[(Method::Basic, "One."), (Method::Local, "Two.")]);
        for width in [None, Some(60)] {
            let shown = text(&both, width);
            assert!(
                shown.contains("== basic ==\nOne.\n(0.00 s; no calls;"),
                "{shown}"
            );
            assert!(!shown.contains('│'));
        }
        assert!(text(&both, Some(63)).contains('│'));
    }

    /// On a terminal of 30 columns lines were as wide as they came.
    #[test]
    fn nothing_is_wider_than_the_terminal() {
        let long = "- The pump at Harrow failed in March because its seal was worn.\n- Averyverylongwordthatisnotbrokenanywhere stands here.";
        let mut both = comparison(&[
            (Method::Basic, long),
            (Method::Local, "Nothing of the kind."),
        ]);
        both.notes = vec!["a note that is longer than such a terminal is wide".to_owned()];
        for width in [8, 30, 60, 80, 200] {
            let shown = text(&both, Some(width));
            let widest = shown.lines().map(measure_text_width).max();
            assert!(widest <= Some(width), "{width}: {shown}");
            let words = |text: &str| text.split_whitespace().collect::<String>();
            assert!(words(&shown).contains("wornseal") || words(&shown).contains("sealwasworn."));
        }
    }

    #[test]
    fn what_the_engine_says_itself_is_no_statement() {
        let both = comparison(&[
            (Method::Basic, crate::query::own::NOTHING),
            (Method::Local, "The pump failed at noon."),
        ]);
        let shown = text(&both, None);
        assert!(shown.contains("0 statements, 0 only here"), "{shown}");
        assert!(shown.contains("1 statement, 1 only here"), "{shown}");
        assert!(!shown.contains("\nOnly in basic\n"), "{shown}");
    }

    #[test]
    fn words_wider_than_the_line_are_cut_and_nothing_is_lost() {
        assert_eq!(wrap("abcdefgh ij", 5), ["abcde", "fgh", "ij"]);
        assert_eq!(wrap("  - ab cd", 6), ["  - ab", "  cd"]);
        assert_eq!(wrap("水厂水厂", 4), ["水厂", "水厂"]);
        assert_eq!(wrap("a\n\nb", 9), ["a", "", "b"]);
    }
}
