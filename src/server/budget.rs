//! A count of bytes with a limit, and a fair queue for those who wait until the count is below it.
//!
//! Counting never fails and never waits: callers check [`ByteBudget::has_room`] or await
//! [`ByteBudget::wait_for_room`] first, so the count exceeds its limit only by work that is under way. Waiters are
//! admitted one at a time, in the order of their calls; those of [`Turn::First`] before the others, of which one follows
//! after some, so nobody waits for ever. Knows no connection.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use tokio::sync::{Notify, Semaphore, SemaphorePermit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChargeKind {
    Request,
    /// Bytes that the client has not read yet.
    Answer,
}

/// Which of the waiters are admitted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    First,
    Later,
}

/// How many of [`Turn::First`] are admitted while one of [`Turn::Later`] waits.
const FIRST_IN_A_ROW: usize = 16;

#[derive(Debug)]
pub struct ByteBudget {
    bytes: AtomicUsize,
    bytes_max: usize,
    /// Notifies that the count crossed its limit, up or down.
    limit_crossed: Notify,
    /// One permit, for which waiters queue.
    admission: Semaphore,
    /// One permit, for which those of [`Turn::Later`] queue before they queue with the others.
    later: Semaphore,
    waiters: AtomicUsize,
    /// Those of [`Turn::First`].
    first_waiters: AtomicUsize,
    /// How many of [`Turn::First`] were admitted since the last of the others.
    firsts_in_a_row: AtomicUsize,
    /// Notifies that one of [`Turn::First`] was admitted or gave up.
    first_left: Notify,
    /// Whether it was full, and has had waiters ever since.
    is_congested: AtomicBool,
}

/// While this is held, nobody else is admitted. Count the new bytes before it is dropped.
#[derive(Debug)]
pub struct Admission<'b>(#[expect(dead_code, reason = "held")] Option<SemaphorePermit<'b>>);

/// Membership in the queue, ended on drop.
struct Waiter<'b>(&'b ByteBudget);

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.0.waiters.fetch_sub(1, SeqCst);
        self.0.end_congestion_if_clear();
    }
}

/// Membership among those of [`Turn::First`], ended on drop.
struct FirstWaiter<'b>(&'b ByteBudget);

impl Drop for FirstWaiter<'_> {
    fn drop(&mut self) {
        self.0.first_waiters.fetch_sub(1, SeqCst);
        self.0.first_left.notify_waiters();
    }
}

impl Default for ByteBudget {
    fn default() -> ByteBudget {
        ByteBudget::of(0)
    }
}

impl ByteBudget {
    pub fn of(bytes_max: usize) -> ByteBudget {
        ByteBudget {
            bytes: AtomicUsize::new(0),
            bytes_max,
            limit_crossed: Notify::new(),
            admission: Semaphore::new(1),
            later: Semaphore::new(1),
            waiters: AtomicUsize::new(0),
            first_waiters: AtomicUsize::new(0),
            firsts_in_a_row: AtomicUsize::new(0),
            first_left: Notify::new(),
            is_congested: AtomicBool::new(false),
        }
    }

    pub fn add(&self, bytes: usize) {
        let before = self.bytes.fetch_add(bytes, SeqCst);
        if before < self.bytes_max && before + bytes >= self.bytes_max {
            self.is_congested.store(true, SeqCst);
            self.limit_crossed.notify_waiters();
        }
    }

    pub fn subtract(&self, bytes: usize) {
        let before = self.bytes.fetch_sub(bytes, SeqCst);
        if before >= self.bytes_max && before - bytes < self.bytes_max {
            self.end_congestion_if_clear();
            self.limit_crossed.notify_waiters();
        }
    }

    pub fn bytes(&self) -> usize {
        self.bytes.load(SeqCst)
    }

    pub fn is_full(&self) -> bool {
        self.bytes() >= self.bytes_max
    }

    /// Whether it is not full, and nobody waits or is being admitted.
    pub fn has_room(&self) -> bool {
        !self.is_full() && self.admission.available_permits() > 0
    }

    /// Whether it is full, or was and some have been waiting since. An [`Admission`] alone does not count.
    pub fn is_congested(&self) -> bool {
        self.is_full() || self.is_congested.load(SeqCst)
    }

    fn end_congestion_if_clear(&self) {
        if self.waiters.load(SeqCst) == 0 && !self.is_full() {
            self.is_congested.store(false, SeqCst);
        }
    }

    /// Queues until it is the caller's turn and there is room.
    pub async fn wait_for_room(&self, turn: Turn) -> Admission<'_> {
        self.waiters.fetch_add(1, SeqCst);
        let _waiter = Waiter(self);
        let admission = match turn {
            Turn::First => self.admit_first().await,
            Turn::Later => self.admit_later().await,
        };
        self.until_not_full().await;
        admission
    }

    async fn admit_first(&self) -> Admission<'_> {
        self.first_waiters.fetch_add(1, SeqCst);
        let _waiter = FirstWaiter(self);
        // The semaphore is never closed.
        let admission = Admission(self.admission.acquire().await.ok());
        self.firsts_in_a_row.fetch_add(1, SeqCst);
        admission
    }

    /// Of these at most one queues with the others.
    async fn admit_later(&self) -> Admission<'_> {
        let _next = self.later.acquire().await;
        let is_turn = || {
            self.first_waiters.load(SeqCst) == 0
                || self.firsts_in_a_row.load(SeqCst) >= FIRST_IN_A_ROW
        };
        until(&self.first_left, is_turn).await;
        let admission = Admission(self.admission.acquire().await.ok());
        self.firsts_in_a_row.store(0, SeqCst);
        admission
    }

    pub async fn until_full(&self) {
        until(&self.limit_crossed, || self.is_full()).await;
    }

    /// Waits without queueing.
    pub async fn until_not_full(&self) {
        until(&self.limit_crossed, || !self.is_full()).await;
    }
}

/// Waits until the condition holds, of whose changes `changed` notifies.
async fn until(changed: &Notify, condition: impl Fn() -> bool) {
    loop {
        let mut notified = pin!(changed.notified());
        notified.as_mut().enable();
        if condition() {
            return;
        }
        notified.await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn waiters_wake_when_the_limit_is_crossed() {
        let budget = Arc::new(ByteBudget::of(10));
        budget.until_not_full().await;
        let full = {
            let budget = Arc::clone(&budget);
            tokio::spawn(async move { budget.until_full().await })
        };
        tokio::task::yield_now().await;
        budget.add(9);
        assert!(!budget.is_full());
        budget.add(1);
        full.await.expect("no panic");
        let room = {
            let budget = Arc::clone(&budget);
            tokio::spawn(async move { budget.until_not_full().await })
        };
        tokio::task::yield_now().await;
        budget.add(5);
        budget.subtract(5);
        assert!(budget.is_full() && !room.is_finished());
        budget.subtract(1);
        room.await.expect("no panic");
        assert_eq!(budget.bytes(), 9);
    }

    #[tokio::test]
    async fn waiters_are_admitted_in_the_order_of_their_calls() {
        let budget = Arc::new(ByteBudget::of(10));
        budget.add(10);
        let (served, mut order) = tokio::sync::mpsc::unbounded_channel();
        for number in 0..5 {
            let (budget, served) = (Arc::clone(&budget), served.clone());
            tokio::spawn(async move {
                let admission = budget.wait_for_room(Turn::First).await;
                budget.add(10);
                served.send(number).expect("the receiver is open");
                drop(admission);
            });
            tokio::task::yield_now().await;
        }
        for number in 0..5 {
            assert!(!budget.has_room());
            budget.subtract(10);
            assert_eq!(order.recv().await, Some(number));
            assert_eq!(budget.bytes(), 10, "one admission at a time");
        }
        budget.subtract(10);
        tokio::task::yield_now().await;
        assert!(budget.has_room());
    }

    #[tokio::test]
    async fn a_full_budget_is_congested_until_no_waiter_is_left() {
        let budget = Arc::new(ByteBudget::of(10));
        let admission = budget.wait_for_room(Turn::First).await;
        assert!(!budget.has_room() && !budget.is_congested(), "an admission alone does not count");
        drop(admission);
        budget.add(10);
        assert!(budget.is_congested());
        budget.subtract(1);
        assert!(!budget.is_congested(), "no waiters");
        budget.add(1);
        let waits = || {
            let budget = Arc::clone(&budget);
            tokio::spawn(async move {
                let _admission = budget.wait_for_room(Turn::First).await;
                budget.add(10);
            })
        };
        let (first, second) = (waits(), waits());
        tokio::task::yield_now().await;
        budget.subtract(10);
        first.await.expect("no panic");
        assert_eq!(budget.bytes(), 10);
        budget.subtract(1);
        assert!(!budget.is_full() && budget.is_congested(), "one waiter is left");
        second.await.expect("no panic");
        budget.subtract(budget.bytes());
        assert!(!budget.is_congested());
    }

    #[tokio::test]
    async fn a_cancelled_wait_passes_to_the_next_waiter() {
        let budget = Arc::new(ByteBudget::of(10));
        budget.add(10);
        let waits = || {
            let budget = Arc::clone(&budget);
            tokio::spawn(async move { drop(budget.wait_for_room(Turn::First).await) })
        };
        let (first, second) = (waits(), waits());
        tokio::task::yield_now().await;
        first.abort();
        budget.subtract(1);
        second.await.expect("no panic");
        assert!(budget.has_room());
    }

    #[tokio::test]
    async fn those_of_the_first_turn_pass_the_others_but_not_for_ever() {
        let budget = Arc::new(ByteBudget::of(10));
        let (go, (served, mut order)) =
            (Arc::new(Semaphore::new(0)), tokio::sync::mpsc::unbounded_channel());
        // Each is admitted once the one before it may go.
        let wait = |turn| {
            let (budget, go, served) = (Arc::clone(&budget), Arc::clone(&go), served.clone());
            tokio::spawn(async move {
                let admission = budget.wait_for_room(turn).await;
                served.send(turn).expect("the receiver is open");
                go.acquire().await.expect("open").forget();
                drop(admission);
            });
        };
        for turn in [Turn::First, Turn::First, Turn::Later, Turn::Later] {
            wait(turn);
            tokio::task::yield_now().await;
        }
        let mut admitted = Vec::new();
        for _ in 0..3 * FIRST_IN_A_ROW {
            wait(Turn::First);
            tokio::task::yield_now().await;
            admitted.push(order.recv().await.expect("one is admitted"));
            go.add_permits(1);
        }
        let later: Vec<usize> =
            (0..admitted.len()).filter(|at| admitted[*at] == Turn::Later).collect();
        let [first, second] = later[..] else { panic!("expected two of the others: {admitted:?}") };
        assert!((FIRST_IN_A_ROW..FIRST_IN_A_ROW + 6).contains(&first), "{admitted:?}");
        assert!((FIRST_IN_A_ROW..FIRST_IN_A_ROW + 6).contains(&(second - first)), "{admitted:?}");
    }

    #[tokio::test]
    async fn a_cancelled_wait_of_the_first_turn_lets_the_others_go_on() {
        let budget = Arc::new(ByteBudget::of(10));
        let admission = budget.wait_for_room(Turn::First).await;
        let waits = |turn| {
            let budget = Arc::clone(&budget);
            tokio::spawn(async move { drop(budget.wait_for_room(turn).await) })
        };
        let first = waits(Turn::First);
        tokio::task::yield_now().await;
        let later = waits(Turn::Later);
        tokio::task::yield_now().await;
        first.abort();
        drop(admission);
        later.await.expect("no panic");
        assert!(budget.has_room());
    }
}
