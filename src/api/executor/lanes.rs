//! Thread pools ("lanes") for work that must not delay connections; accounts take turns.
//!
//! A lane has threads of its own, at a lower priority than those that drive connections, so that look-ups keep
//! their share of the cores. Work runs in slices: after each, the account queues again after the others. Cancelled
//! work is removed from the queue, or told to stop if it runs. Work that runs for long yields its core now and then.

use std::any::Any;
use std::cell::Cell;
use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::capacity::{Capacity, CapacityError, Entry, FairQueue, Ticket};
use crate::account::AccountId;
use crate::system::process::lower_thread_priority;

#[derive(Debug, Clone, Copy)]
pub struct LaneConfig {
    pub name: &'static str,
    pub threads: usize,
    /// The most threads that work for one account: fewer than all, so that others need not wait for its slices.
    pub threads_per_account: usize,
    /// The niceness of its threads, 0 to 19; threads of connections have 0.
    pub niceness: i32,
    /// The most tasks that wait.
    pub capacity: Capacity,
}

/// Threads that run queued tasks. Drop ends them.
#[derive(Debug)]
pub struct Lane {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    config: LaneConfig,
    state: Mutex<LaneState>,
    /// Wakes a thread: a task may have become ready, or the lane was closed.
    wake: Condvar,
    running: AtomicUsize,
    /// Tasks that ended without a result, or whose result nobody waited for.
    abandoned: AtomicU64,
}

#[derive(Debug)]
struct LaneState {
    queue: FairQueue<Task>,
    last_ticket: Ticket,
    /// Number of started threads.
    threads: usize,
    /// Number of threads working for each account, if any.
    working: HashMap<AccountId, usize>,
    is_closed: bool,
}

/// Work in slices: each call does one, and returns `true` while there is more.
#[derive(derive_more::Debug)]
#[debug("Task")]
struct Task(Box<dyn FnMut() -> bool + Send>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneError {
    Full(CapacityError),
    TooLate,
}

/// The result of a task, or its panic.
type TaskResult<T> = Result<T, Box<dyn Any + Send>>;

impl Lane {
    pub fn new(config: LaneConfig) -> Lane {
        let state = LaneState {
            queue: FairQueue::new(config.capacity),
            last_ticket: 0,
            threads: 0,
            working: HashMap::new(),
            is_closed: false,
        };
        let shared = Shared {
            config,
            state: Mutex::new(state),
            wake: Condvar::new(),
            running: AtomicUsize::new(0),
            abandoned: AtomicU64::new(0),
        };
        Lane { shared: Arc::new(shared) }
    }

    pub fn config(&self) -> LaneConfig {
        self.shared.config
    }

    /// Number of tasks in the queue.
    pub fn waiting(&self) -> usize {
        self.shared.lock().queue.count()
    }

    /// Number of tasks of which a slice is running.
    pub fn running(&self) -> usize {
        self.shared.running.load(Relaxed)
    }

    /// Number of tasks since the start that ended without a result, or whose result nobody waited for.
    pub fn abandoned(&self) -> u64 {
        self.shared.abandoned.load(Relaxed)
    }

    /// Runs work slice by slice until a slice returns the result. A slice asks the [`RunningSlice`] that it gets
    /// whether to stop. Dropping the future cancels the work; a panic of the work is resumed here.
    pub async fn run<T: Send + 'static>(
        &self,
        account: AccountId,
        deadline: Instant,
        cancel: &CancelFlag,
        mut slice: impl FnMut(&RunningSlice<'_>) -> Option<T> + Send + 'static,
    ) -> Result<T, LaneError> {
        let (send, receive) = oneshot::channel::<TaskResult<T>>();
        let (mut send, cancelled) = (Some(send), cancel.clone());
        let task = Task(Box::new(move || {
            if cancelled.is_set() {
                return false;
            }
            let running = RunningSlice::start(&cancelled, deadline);
            let result = match catch_unwind(AssertUnwindSafe(|| slice(&running))) {
                Ok(None) => return true,
                Ok(Some(result)) => Ok(result),
                Err(panic) => Err(panic),
            };
            // The receiver may be gone.
            _ = send.take().map(|send| send.send(result));
            false
        }));
        let ticket = self.shared.enqueue(account, task).map_err(LaneError::Full)?;
        let guard = CancelGuard { shared: &self.shared, account, ticket, cancel, is_done: false };
        match tokio::time::timeout_at(deadline.into(), receive).await {
            Ok(Ok(Ok(result))) => {
                guard.disarm();
                Ok(result)
            }
            Ok(Ok(Err(panic))) => resume_unwind(panic),
            // A closed lane drops its tasks: the server is stopping.
            Ok(Err(_)) | Err(_) => Err(LaneError::TooLate),
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.wake.notify_all();
    }
}

/// Cancels a task on drop and removes it from the queue, unless it is done.
struct CancelGuard<'l> {
    shared: &'l Shared,
    account: AccountId,
    ticket: Ticket,
    cancel: &'l CancelFlag,
    is_done: bool,
}

impl CancelGuard<'_> {
    fn disarm(mut self) {
        self.is_done = true;
    }
}

impl Drop for CancelGuard<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.cancel.set();
            self.shared.abandoned.fetch_add(1, Relaxed);
            let task = self.shared.lock().queue.remove(self.account, self.ticket);
            // Drop the task without the lock.
            drop(task);
        }
    }
}

impl LaneState {
    /// Takes the next task of an account that has fewer threads than it may, and counts a thread for it.
    fn start_next(&mut self, threads_per_account: usize) -> Option<Entry<Task>> {
        let LaneState { queue, working, .. } = self;
        let may_run =
            |account| working.get(&account).is_none_or(|count| *count < threads_per_account);
        let next = queue.pop(may_run)?;
        *working.entry(next.account).or_default() += 1;
        Some(next)
    }

    fn release_thread(&mut self, account: AccountId) {
        if let Some(count) = self.working.get_mut(&account) {
            *count -= 1;
            if *count == 0 {
                self.working.remove(&account);
            }
        }
    }
}

impl Shared {
    /// Ignores poisoning: each change under the lock is complete.
    fn lock(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enqueue(self: &Arc<Self>, account: AccountId, task: Task) -> Result<Ticket, CapacityError> {
        let mut state = self.lock();
        state.queue.check_capacity(account)?;
        state.last_ticket += 1;
        let ticket = state.last_ticket;
        state.queue.push(Entry { account, ticket, item: task });
        let wants_thread = state.threads < self.config.threads;
        state.threads += usize::from(wants_thread);
        drop(state);
        if wants_thread && let Err(error) = Shared::start_thread(self) {
            // The other threads, if any, do its work; the next task tries again.
            tracing::warn!(lane = self.config.name, %error, "cannot start a thread for searches or batches");
            self.lock().threads -= 1;
        }
        self.wake.notify_one();
        Ok(ticket)
    }

    fn start_thread(self: &Arc<Self>) -> io::Result<()> {
        let shared = Arc::clone(self);
        let name = format!("lane-{}", self.config.name);
        std::thread::Builder::new().name(name).spawn(move || shared.run_tasks()).map(|_thread| ())
    }

    /// Runs slices of tasks until the lane is closed.
    fn run_tasks(&self) {
        // If it fails, the priority stays.
        if lower_thread_priority(self.config.niceness).is_err() {
            tracing::warn!(lane = self.config.name, "cannot lower the priority of a thread");
        }
        while let Some(mut entry) = self.wait_for_task() {
            self.running.fetch_add(1, Relaxed);
            let has_more = (entry.item.0)();
            self.running.fetch_sub(1, Relaxed);
            let mut state = self.lock();
            state.release_thread(entry.account);
            if has_more {
                state.queue.push(entry);
            }
            drop(state);
            // More tasks of this account may be waiting only because of its thread limit.
            self.wake.notify_one();
        }
    }

    /// Waits for the next task; `None` once the lane is closed.
    fn wait_for_task(&self) -> Option<Entry<Task>> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(next) = state.start_next(self.config.threads_per_account) {
                return Some(next);
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// How long a slice keeps its core before it yields. With 0.1 ms instead, a batch of 2 ms takes up to 0.4 s while
/// connections use all cores, because Linux lets a thread wait longer each time it yields.
const YIELD_INTERVAL: Duration = Duration::from_millis(1);

/// Tells a task that nobody waits for its result any more.
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    pub fn set(&self) {
        self.0.store(true, Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// A slice from its start on. Its work asks it about every 0.1 ms whether to stop.
#[derive(Debug)]
pub struct RunningSlice<'c> {
    cancel: &'c CancelFlag,
    deadline: Instant,
    last_yield: Cell<Instant>,
}

impl<'c> RunningSlice<'c> {
    pub fn start(cancel: &'c CancelFlag, deadline: Instant) -> RunningSlice<'c> {
        RunningSlice { cancel, deadline, last_yield: Cell::new(Instant::now()) }
    }

    /// Whether the work is cancelled or past its deadline.
    ///
    /// Yields the core every millisecond. Otherwise a connection may wait 4 ms for it: Linux from 6.6 on lets a
    /// thread finish its time slice even when a thread of a higher priority becomes ready.
    pub fn must_stop(&self) -> bool {
        let now = Instant::now();
        if now.duration_since(self.last_yield.get()) >= YIELD_INTERVAL {
            std::thread::yield_now();
            // The time before the yield: if the core did not come back for an interval, others need it, and the next
            // call yields again.
            self.last_yield.set(now);
        }
        self.cancel.is_set() || now >= self.deadline
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const CAPACITY: Capacity = Capacity { total: 4, each: 2 };

    fn lane() -> Lane {
        Lane::new(LaneConfig {
            name: "test",
            threads: 1,
            threads_per_account: 1,
            niceness: 0,
            capacity: CAPACITY,
        })
    }

    fn in_a_minute() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[tokio::test]
    async fn the_caller_gets_the_result_or_the_panic_of_its_work() {
        let lane = lane();
        let mut left = 3;
        let count = move |_running: &RunningSlice<'_>| {
            left -= 1;
            (left == 0).then_some("done")
        };
        let done = lane.run(AccountId(1), in_a_minute(), &CancelFlag::default(), count).await;
        assert_eq!(done, Ok("done"));
        let lane = Arc::new(lane);
        let panicking = Arc::clone(&lane);
        let panicked = tokio::spawn(async move {
            let work =
                |_running: &RunningSlice<'_>| -> Option<()> { panic!("expected by the test") };
            panicking.run(AccountId(1), in_a_minute(), &CancelFlag::default(), work).await
        });
        assert!(panicked.await.is_err_and(|error| error.is_panic()));
        let after =
            lane.run(AccountId(1), in_a_minute(), &CancelFlag::default(), |_running| Some(1)).await;
        assert_eq!(after, Ok(1), "the thread survives the panic");
    }

    #[tokio::test]
    async fn other_accounts_run_between_slices_of_one_account() {
        let lane = Arc::new(lane());
        let (send, started) = mpsc::channel();
        let long = Arc::clone(&lane);
        let long = tokio::spawn(async move {
            let slice = move |_running: &RunningSlice<'_>| {
                // The receiver is gone if the test has failed.
                _ = send.send(());
                std::thread::sleep(Duration::from_millis(1));
                None::<()>
            };
            long.run(AccountId(1), in_a_minute(), &CancelFlag::default(), slice).await
        });
        tokio::task::spawn_blocking(move || started.recv())
            .await
            .expect("no panic")
            .expect("started");
        let soon = Instant::now() + Duration::from_secs(10);
        let other = lane.run(AccountId(2), soon, &CancelFlag::default(), |_running| Some(2)).await;
        assert_eq!(other, Ok(2));
        long.abort();
        assert!(long.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(lane.abandoned(), 1);
        // The abandoned work may still be queued before the first or the second of these.
        for _ in 0..2 {
            let after = lane
                .run(AccountId(1), in_a_minute(), &CancelFlag::default(), |_running| Some(3))
                .await;
            assert_eq!(after, Ok(3));
        }
        assert_eq!(lane.waiting(), 0, "the abandoned work has ended");
    }

    #[tokio::test]
    async fn work_past_its_deadline_or_above_the_capacity_is_refused() {
        let lane = lane();
        let soon = Instant::now() + Duration::from_millis(20);
        let cancel = CancelFlag::default();
        let cancelled = cancel.clone();
        let endless = move |_running: &RunningSlice<'_>| {
            while !cancelled.is_set() {
                std::thread::yield_now();
            }
            None::<()>
        };
        assert_eq!(lane.run(AccountId(1), soon, &cancel, endless).await, Err(LaneError::TooLate));
        assert!(cancel.is_set());
        let closed = Lane::new(LaneConfig {
            name: "none",
            threads: 1,
            threads_per_account: 1,
            niceness: 0,
            capacity: Capacity { total: 4, each: 0 },
        });
        let refused = closed
            .run(AccountId(1), in_a_minute(), &CancelFlag::default(), |_running| Some(1))
            .await;
        assert_eq!(refused, Err(LaneError::Full(CapacityError::Each)));
    }

    #[tokio::test]
    async fn an_account_leaves_a_thread_to_others() {
        let config = LaneConfig {
            name: "test",
            threads: 2,
            threads_per_account: 1,
            niceness: 0,
            capacity: CAPACITY,
        };
        let lane = Arc::new(Lane::new(config));
        let (release, waits) = mpsc::channel::<()>();
        let waits = Arc::new(Mutex::new(waits));
        let long = |account| {
            let (lane, waits) = (Arc::clone(&lane), Arc::clone(&waits));
            tokio::spawn(async move {
                let wait =
                    move |_running: &RunningSlice<'_>| waits.lock().expect("no panic").recv().ok();
                lane.run(AccountId(account), in_a_minute(), &CancelFlag::default(), wait).await
            })
        };
        let first = [long(1), long(1)];
        while (lane.running(), lane.waiting()) != (1, 1) {
            tokio::task::yield_now().await;
        }
        let soon = Instant::now() + Duration::from_secs(10);
        let other = lane.run(AccountId(2), soon, &CancelFlag::default(), |_running| Some(7)).await;
        assert_eq!(other, Ok(7), "runs while the first account's work blocks a thread");
        for done in first {
            release.send(()).expect("the work waits");
            assert_eq!(done.await.expect("no panic"), Ok(()));
        }
    }
}

#[cfg(test)]
mod running_slice_tests {
    use super::*;

    #[test]
    fn work_stops_when_it_is_cancelled_or_past_its_deadline() {
        let hour = Duration::from_secs(3_600);
        for (is_cancelled, is_late) in [(false, false), (false, true), (true, false), (true, true)]
        {
            let cancel = CancelFlag::default();
            if is_cancelled {
                cancel.set();
            }
            let now = Instant::now();
            let slice = RunningSlice::start(&cancel, if is_late { now } else { now + hour });
            assert_eq!(slice.must_stop(), is_cancelled || is_late, "{is_cancelled} {is_late}");
        }
    }

    #[test]
    fn a_slice_yields_when_its_interval_is_over() {
        let cancel = CancelFlag::default();
        let slice = RunningSlice::start(&cancel, Instant::now() + Duration::from_secs(3_600));
        let started = slice.last_yield.get();
        while slice.last_yield.get() == started {
            assert!(!slice.must_stop());
        }
        assert!(slice.last_yield.get() >= started + YIELD_INTERVAL);
    }
}
