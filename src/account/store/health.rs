//! Whether the store works, as all connections of one server find it: what metrics show, and one
//! line in the log when it begins to fail and one when it works again.
//!
//! Reading and writing are noted apart: a full disk is read and not written. It works where both do.

use std::sync::atomic::{AtomicU8, Ordering};

use super::{Access, StoreError};

/// What is known of a store. Works until somebody finds otherwise.
#[derive(Debug, Default)]
pub struct Health {
    /// A bit for each access that fails.
    failing: AtomicU8,
}

impl Health {
    /// Whether everything worked when it was last tried.
    pub fn works(&self) -> bool {
        self.failing.load(Ordering::Relaxed) == 0
    }

    /// Whether writing failed when it was last tried.
    pub fn writing_fails(&self) -> bool {
        self.failing.load(Ordering::Relaxed) & bit(Access::Write) != 0
    }

    /// Notes that an access failed on the store's account.
    pub fn failed(&self, access: Access, error: &StoreError) {
        if self.failing.fetch_or(bit(access), Ordering::Relaxed) == 0 {
            tracing::warn!(%error, "the store fails; known keys go on working");
        }
    }

    /// Notes that an access worked.
    pub fn worked(&self, access: Access) {
        // Looked at first: nearly always there is nothing to change.
        let failing = self.failing.load(Ordering::Relaxed);
        if failing & bit(access) != 0
            && self.failing.fetch_and(!bit(access), Ordering::Relaxed) == bit(access)
        {
            tracing::info!("the store answers again");
        }
    }
}

fn bit(access: Access) -> u8 {
    match access {
        Access::Read => 1,
        Access::Write | Access::Note => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{StatePlace, StoreFault};
    use super::*;

    #[test]
    fn it_works_where_both_reading_and_writing_do() {
        let place = StatePlace::File("daicho.db".into());
        let full = StoreError::Unusable { place, fault: StoreFault::Full };
        let health = Health::default();
        health.failed(Access::Write, &full);
        health.worked(Access::Read);
        assert!(!health.works() && health.writing_fails());
        health.failed(Access::Read, &full);
        health.worked(Access::Write);
        assert!(!health.works() && !health.writing_fails());
        health.worked(Access::Read);
        assert!(health.works());
    }
}
