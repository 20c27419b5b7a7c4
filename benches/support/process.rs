//! CPU time and memory of a running process, read from /proc.

use std::fs;

/// User and system CPU time of a process so far, in seconds.
pub fn cpu_seconds(pid: u32) -> f64 {
    // The name, in parentheses, may have spaces; user and system time are the 12th and 13th field
    // after it.
    cpu_fields(pid, 11)
}

/// User and system CPU time of the ended children of this process, in seconds.
pub fn children_cpu_seconds() -> f64 {
    cpu_fields(std::process::id(), 13)
}

fn cpu_fields(pid: u32, first: usize) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process lives");
    let (_, fields) = stat.rsplit_once(") ").expect("a stat line");
    let mut fields = fields.split(' ').skip(first);
    let mut ticks = || fields.next().and_then(|field| field.parse::<f64>().ok()).expect("ticks");
    (ticks() + ticks()) / TICKS_PER_SECOND
}

/// USER_HZ: fixed at 100 in the kernel's interface on every common architecture.
const TICKS_PER_SECOND: f64 = 100.0;

/// Resident memory in MiB, now and at its highest. Mapped snapshot pages count while resident.
pub struct Memory {
    pub resident_mib: f64,
    pub resident_max_mib: f64,
    /// Resident memory without mapped files.
    pub anonymous_mib: f64,
}

/// The memory of a process; `None` once it has ended.
pub fn memory(pid: u32) -> Option<Memory> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib / 1024.0)
    };
    Some(Memory {
        resident_mib: field("VmRSS:")?,
        resident_max_mib: field("VmHWM:")?,
        anonymous_mib: field("RssAnon:")?,
    })
}
