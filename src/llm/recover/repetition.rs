//! Loops: a model that repeats the same words until its budget is spent.

/// Only this much of a text's end is searched for a period.
const WINDOW_BYTES: usize = 4096;

/// How long a loop is, and how often it holds the same words, at least.
#[derive(Clone, Copy)]
struct Least {
    bytes: usize,
    copies: usize,
}

/// In a text that a person reads.
const IN_TEXT: Least = Least {
    bytes: 60,
    copies: 5,
};

/// At the end of an answer that was cut by its length: records are longer than words.
const AT_A_CUT: Least = Least {
    bytes: 240,
    copies: 3,
};

/// Whether an answer that was cut by its length ends in a loop: with more room it would go on with that.
pub fn ends_in_loop(text: &str) -> bool {
    period(&window(text), AT_A_CUT).is_some()
}

fn window(text: &str) -> Vec<u8> {
    text.bytes().rev().take(WINDOW_BYTES).collect()
}

/// The text with the loop at its end cut to one copy; `None` when there is no loop.
pub(super) fn without_loop(text: &str) -> Option<&str> {
    let bytes = text.trim_end().as_bytes();
    let period = period(&window(text.trim_end()), IN_TEXT)?;
    // How far back the period holds, over the whole text.
    let repeated = (period..bytes.len())
        .take_while(|&offset| {
            bytes.get(bytes.len() - 1 - offset) == bytes.get(bytes.len() - 1 - offset + period)
        })
        .count();
    let looped = repeated + period;
    if looped < IN_TEXT.bytes || looped / period < IN_TEXT.copies {
        return None;
    }
    let mut end = bytes.len() - looped + period;
    while !text.is_char_boundary(end) {
        end += 1;
    }
    text.get(..end)
}

/// The shortest period of a prefix of `reversed` that is long enough to be a loop (Knuth, Morris and Pratt's failure
/// function, linear).
fn period(reversed: &[u8], least: Least) -> Option<usize> {
    let mut failure = vec![0usize; reversed.len()];
    let mut best = None;
    for at in 1..reversed.len() {
        let mut border = failure[at - 1];
        while border > 0 && reversed[at] != reversed[border] {
            border = failure[border - 1];
        }
        if reversed[at] == reversed[border] {
            border += 1;
        }
        failure[at] = border;
        let length = at + 1;
        let period = length - border;
        if length >= least.bytes && length / period >= least.copies {
            best = Some(period);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_cut_to_one_copy() {
        let text = format!("A pier: {}", "dock ".repeat(100));
        assert_eq!(without_loop(&text).map(str::trim_end), Some("A pier: dock"));
        let text = format!("x {}", "これは港です。".repeat(50));
        assert!(without_loop(&text).is_some_and(|cut| cut.len() < 60));
    }

    #[test]
    fn records_said_again_and_again_are_a_loop_at_a_cut() {
        let records = |count: usize| -> String {
            let record = |at: usize| {
                format!(
                    "(\"entity\"<|>PUMP {at}<|>SITE<|>Pump {at} failed in May when its seal was worn and nobody had one)\n##\n"
                )
            };
            (0..count).map(record).collect()
        };
        let again = "(\"relationship\"<|>ANA RUIZ<|>HARBOR TRUST<|>Ana Ruiz leads Harbor Trust and has done so for many years)\n##\n";
        let looped = format!("{}{}", records(9), again.repeat(4));
        assert!(ends_in_loop(&looped));
        assert!(ends_in_loop(&looped[..looped.len() - 20]));
        assert!(ends_in_loop(&format!("{{\"a\": 1{}", "\n".repeat(300))));
        assert!(!ends_in_loop(&records(20)));
        assert!(!ends_in_loop(&format!("{}{}", records(9), again.repeat(2))));
    }

    #[test]
    fn prose_has_no_loop() {
        assert_eq!(
            without_loop(
                "The ferry leaves at nine, and at ten, and at eleven, every day but Sunday, all year."
            ),
            None
        );
        assert_eq!(without_loop("----"), None);
        assert_eq!(without_loop(""), None);
    }
}
