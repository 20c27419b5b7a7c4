//! CPU time and memory of a process, from `/proc`.

/// CPU time of all threads so far, in seconds.
pub fn cpu_seconds(pid: u32) -> f64 {
    let stat = procfs::process::Process::new(pid.cast_signed()).and_then(|process| process.stat());
    let stat = stat.expect("the process runs");
    let ticks = u32::try_from(stat.utime + stat.stime).expect("a short life");
    f64::from(ticks) / procfs::ticks_per_second() as f64
}

/// The peak and the current resident memory, in bytes.
pub fn resident_bytes(pid: u32) -> (u64, u64) {
    let status =
        procfs::process::Process::new(pid.cast_signed()).and_then(|process| process.status());
    let status = status.expect("the process runs");
    let bytes = |kilobytes: Option<u64>| kilobytes.expect("Linux counts it") * 1024;
    (bytes(status.vmhwm), bytes(status.vmrss))
}
