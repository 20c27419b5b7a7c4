//! A byte count with a limit, and a fair queue for those who wait until it is below the limit.
//!
//! Counting never fails and never waits: callers check [`Pool::has_room`] or wait for a [`turn`](Pool::turn) first,
//! so the count exceeds its limit only by work that is under way. Turns are granted in the order of the calls, so
//! nobody waits for ever. Knows no connection.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use tokio::sync::{Notify, Semaphore, SemaphorePermit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    Request,
    /// Bytes that the client has not read yet.
    Answer,
}

#[derive(Debug)]
pub struct Pool {
    bytes: AtomicUsize,
    bytes_max: usize,
    /// Notifies waiters that the count crossed its limit, up or down.
    passed: Notify,
    /// One permit, for which waiters queue.
    first: Semaphore,
    /// Number of waiters.
    row: AtomicUsize,
    /// Whether it was full, and the queue has not been empty since.
    is_crowded: AtomicBool,
}

/// While this is held there is room, and nobody else gets a turn.
#[derive(Debug)]
pub struct Turn<'p>(#[expect(dead_code, reason = "held")] Option<SemaphorePermit<'p>>);

/// Membership in the queue, ended on drop.
struct InRow<'p>(&'p Pool);

impl Drop for InRow<'_> {
    fn drop(&mut self) {
        self.0.row.fetch_sub(1, SeqCst);
        self.0.end_crowd();
    }
}

impl Default for Pool {
    fn default() -> Pool {
        Pool::of(0)
    }
}

impl Pool {
    pub fn of(bytes_max: usize) -> Pool {
        let bytes = AtomicUsize::new(0);
        Pool {
            bytes,
            bytes_max,
            passed: Notify::new(),
            first: Semaphore::new(1),
            row: AtomicUsize::new(0),
            is_crowded: AtomicBool::new(false),
        }
    }

    pub fn add(&self, bytes: usize) {
        let before = self.bytes.fetch_add(bytes, SeqCst);
        if before < self.bytes_max && before + bytes >= self.bytes_max {
            self.is_crowded.store(true, SeqCst);
            self.passed.notify_waiters();
        }
    }

    pub fn take(&self, bytes: usize) {
        let before = self.bytes.fetch_sub(bytes, SeqCst);
        if before >= self.bytes_max && before - bytes < self.bytes_max {
            self.end_crowd();
            self.passed.notify_waiters();
        }
    }

    pub fn bytes(&self) -> usize {
        self.bytes.load(SeqCst)
    }

    pub fn is_full(&self) -> bool {
        self.bytes() >= self.bytes_max
    }

    /// Whether it is not full, and nobody waits or has a turn.
    pub fn has_room(&self) -> bool {
        !self.is_full() && self.first.available_permits() > 0
    }

    /// Whether it is full, or was and some have been waiting since. A turn alone does not count.
    pub fn is_crowded(&self) -> bool {
        self.is_full() || self.is_crowded.load(SeqCst)
    }

    fn end_crowd(&self) {
        if self.row.load(SeqCst) == 0 && !self.is_full() {
            self.is_crowded.store(false, SeqCst);
        }
    }

    /// Queues until it is not full. Count new bytes before the turn is dropped.
    pub async fn turn(&self) -> Turn<'_> {
        self.row.fetch_add(1, SeqCst);
        let _in_row = InRow(self);
        // The semaphore is never closed.
        let turn = Turn(self.first.acquire().await.ok());
        self.until_full(false).await;
        turn
    }

    /// Waits until it is full (`true`) or is not (`false`).
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
    async fn waiters_wake_when_the_limit_is_crossed() {
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

    #[tokio::test]
    async fn turns_are_granted_in_order_of_request() {
        let pool = Arc::new(Pool::of(10));
        pool.add(10);
        let (served, mut order) = tokio::sync::mpsc::unbounded_channel();
        for number in 0..5 {
            let (pool, served) = (Arc::clone(&pool), served.clone());
            tokio::spawn(async move {
                let turn = pool.turn().await;
                pool.add(10);
                served.send(number).expect("the receiver is open");
                drop(turn);
            });
            tokio::task::yield_now().await;
        }
        for number in 0..5 {
            assert!(!pool.has_room());
            pool.take(10);
            assert_eq!(order.recv().await, Some(number));
            assert_eq!(pool.bytes(), 10, "one turn at a time");
        }
        pool.take(10);
        tokio::task::yield_now().await;
        assert!(pool.has_room());
    }

    #[tokio::test]
    async fn a_full_pool_is_crowded_until_no_waiter_is_left() {
        let pool = Arc::new(Pool::of(10));
        let turn = pool.turn().await;
        assert!(!pool.has_room() && !pool.is_crowded(), "a held turn alone does not count");
        drop(turn);
        pool.add(10);
        assert!(pool.is_crowded());
        pool.take(1);
        assert!(!pool.is_crowded(), "no waiters");
        pool.add(1);
        let waits = || {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move {
                let _turn = pool.turn().await;
                pool.add(10);
            })
        };
        let (first, second) = (waits(), waits());
        tokio::task::yield_now().await;
        pool.take(10);
        first.await.expect("no panic");
        assert_eq!(pool.bytes(), 10);
        pool.take(1);
        assert!(!pool.is_full() && pool.is_crowded(), "one waiter is left");
        second.await.expect("no panic");
        pool.take(pool.bytes());
        assert!(!pool.is_crowded());
    }

    #[tokio::test]
    async fn a_cancelled_turn_passes_to_the_next_waiter() {
        let pool = Arc::new(Pool::of(10));
        pool.add(10);
        let waits = || {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { drop(pool.turn().await) })
        };
        let (first, second) = (waits(), waits());
        tokio::task::yield_now().await;
        first.abort();
        pool.take(1);
        second.await.expect("no panic");
        assert!(pool.has_room());
    }
}
