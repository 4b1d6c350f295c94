//! Loops: a model that repeats the same words until its budget is spent.

/// Only this much of a text's end is searched for a period.
const WINDOW_BYTES: usize = 2048;
const MIN_COPIES: usize = 5;
const MIN_LOOP_BYTES: usize = 60;

/// The text with the loop at its end cut to one copy; `None` when there is no loop.
pub(super) fn without_loop(text: &str) -> Option<&str> {
    let bytes = text.trim_end().as_bytes();
    let window: Vec<u8> = bytes.iter().rev().take(WINDOW_BYTES).copied().collect();
    let period = period(&window)?;
    // How far back the period holds, over the whole text.
    let repeated = (period..bytes.len())
        .take_while(|&offset| {
            bytes.get(bytes.len() - 1 - offset) == bytes.get(bytes.len() - 1 - offset + period)
        })
        .count();
    let looped = repeated + period;
    if looped < MIN_LOOP_BYTES || looped / period < MIN_COPIES {
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
fn period(reversed: &[u8]) -> Option<usize> {
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
        if length >= MIN_LOOP_BYTES && length / period >= MIN_COPIES {
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
