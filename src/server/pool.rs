//! A count of bytes with a bound, and those who wait for it to be passed.
//!
//! Counting never fails and never waits: whoever counts asks [`Pool::is_full`] before, so the count
//! passes its bound by what is under way. Knows no connection.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use tokio::sync::Notify;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    Request,
    /// Bytes that the client has yet to take.
    Answer,
}

#[derive(Debug, Default)]
pub struct Pool {
    bytes: AtomicUsize,
    bytes_max: usize,
    /// Tells whoever waits that the count passed its bound, up or down.
    passed: Notify,
}

impl Pool {
    pub fn of(bytes_max: usize) -> Pool {
        Pool { bytes_max, ..Pool::default() }
    }

    pub fn add(&self, bytes: usize) {
        let before = self.bytes.fetch_add(bytes, SeqCst);
        if before < self.bytes_max && before + bytes >= self.bytes_max {
            self.passed.notify_waiters();
        }
    }

    pub fn take(&self, bytes: usize) {
        let before = self.bytes.fetch_sub(bytes, SeqCst);
        if before >= self.bytes_max && before - bytes < self.bytes_max {
            self.passed.notify_waiters();
        }
    }

    pub fn bytes(&self) -> usize {
        self.bytes.load(SeqCst)
    }

    pub fn is_full(&self) -> bool {
        self.bytes() >= self.bytes_max
    }

    /// Waits until it is full, or until it is not.
    pub async fn until_full(&self, full: bool) {
        loop {
            let mut passed = pin!(self.passed.notified());
            passed.as_mut().enable();
            if self.is_full() == full {
                return;
            }
            passed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn whoever_waits_is_woken_when_the_bound_is_passed() {
        let pool = Arc::new(Pool::of(10));
        pool.until_full(false).await;
        let waits = |full| {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { pool.until_full(full).await })
        };
        let full = waits(true);
        tokio::task::yield_now().await;
        pool.add(9);
        assert!(!pool.is_full());
        pool.add(1);
        full.await.expect("no panic");
        let room = waits(false);
        tokio::task::yield_now().await;
        pool.add(5);
        pool.take(5);
        assert!(pool.is_full() && !room.is_finished());
        pool.take(1);
        room.await.expect("no panic");
        assert_eq!(pool.bytes(), 9);
    }
}
