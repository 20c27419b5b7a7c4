//! Whether the store works, across all connections of a server: a metric, and a log line at each change.
//!
//! Reads and writes are tracked separately: a full disk can be read but not written.

use std::sync::atomic::{AtomicU8, Ordering};

use super::database::Access;
use super::error::StoreError;

#[derive(Debug, Default)]
pub struct Health {
    /// A bit for each kind of access that failed when it was last tried.
    failing: AtomicU8,
}

impl Health {
    pub fn is_healthy(&self) -> bool {
        self.failing.load(Ordering::Relaxed) == 0
    }

    pub fn is_write_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed) & bit(Access::Write) != 0
    }

    pub fn failed(&self, access: Access, error: &StoreError) {
        if self.failing.fetch_or(bit(access), Ordering::Relaxed) == 0 {
            tracing::warn!(%error, "the store is failing; keys already loaded keep working");
        }
    }

    /// Like [`failed`](Self::failed), but the caller logs the reason.
    pub fn mark_failing(&self, access: Access) {
        self.failing.fetch_or(bit(access), Ordering::Relaxed);
    }

    pub fn succeeded(&self, access: Access) {
        // Load first: nearly always there is nothing to change.
        let failing = self.failing.load(Ordering::Relaxed);
        if failing & bit(access) != 0
            && self.failing.fetch_and(!bit(access), Ordering::Relaxed) == bit(access)
        {
            tracing::info!("the store works again");
        }
    }
}

fn bit(access: Access) -> u8 {
    match access {
        Access::Read => 1,
        Access::Write | Access::RelaxedWrite => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{StoreFault, StoreLocation};
    use super::*;

    #[test]
    fn a_store_is_healthy_if_reads_and_writes_work() {
        let location = StoreLocation::File("daicho.db".into());
        let full = StoreError::Unusable { location, fault: StoreFault::Full };
        let health = Health::default();
        health.failed(Access::Write, &full);
        health.succeeded(Access::Read);
        assert!(!health.is_healthy() && health.is_write_failing());
        health.failed(Access::Read, &full);
        health.succeeded(Access::Write);
        assert!(!health.is_healthy() && !health.is_write_failing());
        health.succeeded(Access::Read);
        assert!(health.is_healthy());
    }
}
