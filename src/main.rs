//! The `belvedere` command: parse, run, exit code.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// The process was started without a standard output.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Before `main`, the standard library puts /dev/null in the place of a closed standard output, and whatever is printed is lost
/// without an error. So this looks earlier.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        let folder = std::path::Path::new("/proc/self/fd");
        let closed = folder.is_dir() && folder.join("1").symlink_metadata().is_err();
        CLOSED.store(closed, Ordering::Relaxed);
    }
    look
};

fn main() -> ExitCode {
    belvedere::cli::main(CLOSED.load(Ordering::Relaxed))
}
