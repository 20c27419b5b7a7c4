//! Whether strace can inject faults into the system calls of a process.

use std::process::Command;

/// Whether strace is installed and permitted to trace. If not, prints that the test skips.
pub fn may_trace() -> bool {
    let traced = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    let may = traced.is_ok_and(|status| status.success());
    if !may {
        eprintln!(
            "SKIPPED: strace is missing or may not trace; faults at each step are not tested"
        );
    }
    may
}
