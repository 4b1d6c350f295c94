//! The one way to standard output: what cannot be written is told at the end of the command, once.

use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;

/// Set once nothing more can be written; with the reason, unless the reader closed the pipe, which is no error.
static OVER: OnceLock<Option<String>> = OnceLock::new();

/// Prints lines.
pub(crate) fn print(text: &str) {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    write(&[text, end]);
}

/// Prints part of a line.
pub(super) fn print_part(text: &str) {
    write(&[text]);
}

fn write(parts: &[&str]) {
    super::json::printed();
    if is_over() {
        return;
    }
    let mut out = io::stdout().lock();
    let written = parts
        .iter()
        .try_for_each(|part| out.write_all(part.as_bytes()))
        .and_then(|()| out.flush());
    note(written);
}

/// Takes down what came of writing to standard output.
pub(super) fn note(written: io::Result<()>) {
    if let Err(error) = written {
        let why = (error.kind() != ErrorKind::BrokenPipe).then(|| error.to_string());
        OVER.get_or_init(|| why);
    }
}

/// Whether nobody will see what is printed from now on.
pub(super) fn is_over() -> bool {
    OVER.get().is_some()
}

/// Why something that was printed did not arrive; `None` where all of it did, or its reader has left.
pub(super) fn lost() -> Option<&'static str> {
    OVER.get()?.as_deref()
}
