//! The `belvedere` command: parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    belvedere::cli::main()
}
