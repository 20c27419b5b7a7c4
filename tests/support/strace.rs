//! Whether faults can be put into the calls of a process.

use std::process::Command;

/// Whether strace is there and may trace; says so where not.
pub fn may_trace() -> bool {
    let traced = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    let may = traced.is_ok_and(|status| status.success());
    if !may {
        eprintln!("SKIPPED: no strace, or no right to trace: faults at each step are not tested");
    }
    may
}
