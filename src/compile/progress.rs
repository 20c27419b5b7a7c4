//! Progress of a build.

/// Notified by a build as it proceeds. `()` ignores it.
pub trait Progress {
    /// A step begins, such as `reading area`.
    fn step(&self, name: &str);

    /// This many bytes or records of the step are done, of this total.
    fn advance(&self, done: u64, total: u64);
}

impl Progress for () {
    fn step(&self, _name: &str) {}

    fn advance(&self, _done: u64, _total: u64) {}
}
