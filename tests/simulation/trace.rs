//! What happened in a run: a checksum, which tells whether two runs were the same, and the lines if somebody wants to read
//! them.

use std::fmt::Write;
use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::scheduler::{MILLISECOND, Machine, Time};

#[derive(Debug, Default, Clone)]
pub struct Trace {
    checksum: u64,
    keeps_lines: bool,
    lines: String,
}

impl Trace {
    pub fn with_lines() -> Trace {
        Trace { keeps_lines: true, ..Trace::default() }
    }

    pub fn add(&mut self, now: Time, machine: Machine, what: &str, about: &str) {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.checksum);
        hasher.write_u64(now);
        hasher.write_usize(machine);
        hasher.write(what.as_bytes());
        hasher.write(about.as_bytes());
        self.checksum = hasher.finish();
        if self.keeps_lines {
            let _ = writeln!(self.lines, "{:>9} ms  {machine}  {what} {about}", now / MILLISECOND);
        }
    }

    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    pub fn lines(&self) -> &str {
        &self.lines
    }
}
