//! The `belvedere` command: parse, run, exit code.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    belvedere::cli::main()
}
