//! Thread pools ("lanes") for work that must not delay connections; accounts take turns.
//!
//! A lane has threads of its own, at a lower priority than those that drive connections, so that look-ups keep
//! their share of the cores. Work runs in slices: after each, the account queues again behind the others. Abandoned
//! work is removed from the queue, or told to stop.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::oneshot;

use super::turns::{Full, Room, Ticket, Turns};
use crate::account::AccountId;

/// How a lane works.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub name: &'static str,
    pub threads: usize,
    /// The most threads that work for one account: fewer than all, so that others need not wait for its slices.
    pub of_account: usize,
    /// The niceness of its threads, 0 to 19; those of connections have 0.
    pub niceness: i32,
    pub room: Room,
}

/// Threads that run queued tasks. Drop ends them.
#[derive(Debug)]
pub struct Lane {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    rules: Rules,
    waiting: Mutex<Waiting>,
    woken: Condvar,
    running: AtomicUsize,
    /// Tasks that were started and ended without an answer because the client had left.
    abandoned: AtomicU64,
}

#[derive(Debug)]
struct Waiting {
    turns: Turns<Task>,
    tickets: Ticket,
    threads: usize,
    /// Number of threads working for each account, if any.
    working: HashMap<AccountId, usize>,
    is_closed: bool,
}

/// Work in slices; returns `true` while there is more.
struct Task(Box<dyn FnMut() -> bool + Send>);

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Task")
    }
}

/// Tells a task whether its result is still wanted.
#[derive(Debug, Clone, Default)]
pub struct Abandoned(Arc<AtomicBool>);

impl Abandoned {
    pub fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// Why work was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    Full(Full),
    /// It did not finish before the deadline.
    Late,
}

type Ended<T> = Result<T, Box<dyn Any + Send>>;

impl Lane {
    pub fn of(rules: Rules) -> Lane {
        let turns = Turns::of(rules.room);
        let waiting =
            Waiting { turns, tickets: 0, threads: 0, working: HashMap::new(), is_closed: false };
        let shared = Shared {
            rules,
            waiting: Mutex::new(waiting),
            woken: Condvar::new(),
            running: AtomicUsize::new(0),
            abandoned: AtomicU64::new(0),
        };
        Lane { shared: Arc::new(shared) }
    }

    pub fn rules(&self) -> Rules {
        self.shared.rules
    }

    pub fn waiting(&self) -> usize {
        self.shared.lock().turns.count()
    }

    pub fn running(&self) -> usize {
        self.shared.running.load(Relaxed)
    }

    pub fn abandoned(&self) -> u64 {
        self.shared.abandoned.load(Relaxed)
    }

    /// Runs work slice by slice until it returns its result. Dropping the future abandons the work; a panic of
    /// the work is resumed here.
    pub async fn run<T: Send + 'static>(
        &self,
        account: AccountId,
        deadline: Instant,
        abandoned: &Abandoned,
        mut slice: impl FnMut() -> Option<T> + Send + 'static,
    ) -> Result<T, Undone> {
        let (send, receive) = oneshot::channel::<Ended<T>>();
        let (mut send, stop) = (Some(send), abandoned.clone());
        let task = Task(Box::new(move || {
            if stop.is_set() {
                return false;
            }
            let ended = match catch_unwind(AssertUnwindSafe(&mut slice)) {
                Ok(None) => return true,
                Ok(Some(result)) => Ok(result),
                Err(panic) => Err(panic),
            };
            // The receiver may be gone.
            _ = send.take().map(|send| send.send(ended));
            false
        }));
        let ticket = self.shared.enter(account, task).map_err(Undone::Full)?;
        let place = Place { shared: &self.shared, account, ticket, abandoned, is_done: false };
        match tokio::time::timeout_at(deadline.into(), receive).await {
            Ok(Ok(Ok(result))) => {
                place.leave();
                Ok(result)
            }
            Ok(Ok(Err(panic))) => resume_unwind(panic),
            // A closed lane drops its tasks: the server is stopping.
            Ok(Err(_)) | Err(_) => Err(Undone::Late),
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.woken.notify_all();
    }
}

/// A task's entry in its lane, removed on drop.
struct Place<'l> {
    shared: &'l Shared,
    account: AccountId,
    ticket: Ticket,
    abandoned: &'l Abandoned,
    is_done: bool,
}

impl Place<'_> {
    fn leave(mut self) {
        self.is_done = true;
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.abandoned.0.store(true, Relaxed);
            self.shared.abandoned.fetch_add(1, Relaxed);
            let task = self.shared.lock().turns.take_back(self.account, self.ticket);
            // Drop the task without the lock.
            drop(task);
        }
    }
}

impl Waiting {
    /// The next task of an account that has fewer than `of_account` threads.
    fn take(&mut self, of_account: usize) -> Option<(AccountId, Ticket, Task)> {
        let Waiting { turns, working, .. } = self;
        let may_go_on = |account| working.get(&account).is_none_or(|count| *count < of_account);
        let next = turns.take(may_go_on)?;
        *working.entry(next.0).or_default() += 1;
        Some(next)
    }

    fn leave(&mut self, account: AccountId) {
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
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(self: &Arc<Self>, account: AccountId, task: Task) -> Result<Ticket, Full> {
        let mut waiting = self.lock();
        waiting.turns.check(account)?;
        waiting.tickets += 1;
        let ticket = waiting.tickets;
        waiting.turns.push(account, ticket, task);
        let wants_thread = waiting.threads < self.rules.threads;
        waiting.threads += usize::from(wants_thread);
        drop(waiting);
        if wants_thread && !Shared::start(self) {
            self.lock().threads -= 1;
        }
        self.woken.notify_one();
        Ok(ticket)
    }

    /// Starts a thread; `false` if the system refuses it, in which case the other threads do its work.
    fn start(self: &Arc<Self>) -> bool {
        let shared = Arc::clone(self);
        let name = format!("lane-{}", self.rules.name);
        std::thread::Builder::new().name(name).spawn(move || shared.work()).is_ok()
    }

    fn work(&self) {
        // On Linux this affects the calling thread only; if it fails, the priority stays.
        #[cfg(target_os = "linux")]
        if rustix::process::nice(self.rules.niceness).is_err() {
            tracing::warn!(lane = self.rules.name, "cannot lower the priority of a thread");
        }
        while let Some((account, ticket, mut task)) = self.next() {
            self.running.fetch_add(1, Relaxed);
            let has_more = (task.0)();
            self.running.fetch_sub(1, Relaxed);
            let mut waiting = self.lock();
            waiting.leave(account);
            if has_more {
                waiting.turns.push(account, ticket, task);
            }
            drop(waiting);
            // More tasks of this account may be waiting only because of its thread limit.
            self.woken.notify_one();
        }
    }

    /// Waits for the next task; `None` once the lane is closed.
    fn next(&self) -> Option<(AccountId, Ticket, Task)> {
        let mut waiting = self.lock();
        loop {
            if waiting.is_closed {
                return None;
            }
            if let Some(next) = waiting.take(self.rules.of_account) {
                return Some(next);
            }
            waiting = self.woken.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const ROOM: Room = Room { of_all: 4, of_account: 2 };

    fn lane() -> Lane {
        Lane::of(Rules { name: "test", threads: 1, of_account: 1, niceness: 0, room: ROOM })
    }

    fn late() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[tokio::test]
    async fn the_caller_gets_the_result_or_the_panic_of_its_work() {
        let lane = lane();
        let mut left = 3;
        let count = move || {
            left -= 1;
            (left == 0).then_some("done")
        };
        let done = lane.run(AccountId(1), late(), &Abandoned::default(), count).await;
        assert_eq!(done, Ok("done"));
        let lane = Arc::new(lane);
        let panicking = Arc::clone(&lane);
        let panicked = tokio::spawn(async move {
            let work = || -> Option<()> { panic!("expected by the test") };
            panicking.run(AccountId(1), late(), &Abandoned::default(), work).await
        });
        assert!(panicked.await.is_err_and(|error| error.is_panic()));
        let after = lane.run(AccountId(1), late(), &Abandoned::default(), || Some(1)).await;
        assert_eq!(after, Ok(1), "the thread survives the panic");
    }

    #[tokio::test]
    async fn other_accounts_run_between_slices_of_one_account() {
        let lane = Arc::new(lane());
        let (told, begun) = mpsc::channel();
        let long = Arc::clone(&lane);
        let long = tokio::spawn(async move {
            let slice = move || {
                // The receiver is gone if the test has failed.
                _ = told.send(());
                std::thread::sleep(Duration::from_millis(1));
                None::<()>
            };
            long.run(AccountId(1), late(), &Abandoned::default(), slice).await
        });
        tokio::task::spawn_blocking(move || begun.recv()).await.expect("no panic").expect("begun");
        let soon = Instant::now() + Duration::from_secs(10);
        let other = lane.run(AccountId(2), soon, &Abandoned::default(), || Some(2)).await;
        assert_eq!(other, Ok(2));
        long.abort();
        assert!(long.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(lane.abandoned(), 1);
        // The abandoned work may still be queued in front of the first or the second of these.
        for _ in 0..2 {
            let after = lane.run(AccountId(1), late(), &Abandoned::default(), || Some(3)).await;
            assert_eq!(after, Ok(3));
        }
        assert_eq!(lane.waiting(), 0, "abandoned work has ended");
    }

    #[tokio::test]
    async fn work_past_its_deadline_or_without_room_is_refused() {
        let lane = lane();
        let soon = Instant::now() + Duration::from_millis(20);
        let abandoned = Abandoned::default();
        let stop = abandoned.clone();
        let endless = move || {
            while !stop.is_set() {
                std::thread::yield_now();
            }
            None::<()>
        };
        assert_eq!(lane.run(AccountId(1), soon, &abandoned, endless).await, Err(Undone::Late));
        assert!(abandoned.is_set());
        let closed = Lane::of(Rules {
            name: "none",
            threads: 1,
            of_account: 1,
            niceness: 0,
            room: Room { of_all: 4, of_account: 0 },
        });
        let refused = closed.run(AccountId(1), late(), &Abandoned::default(), || Some(1)).await;
        assert_eq!(refused, Err(Undone::Full(Full::OfAccount)));
    }

    #[tokio::test]
    async fn an_account_leaves_a_thread_to_others() {
        let rules = Rules { name: "test", threads: 2, of_account: 1, niceness: 0, room: ROOM };
        let lane = Arc::new(Lane::of(rules));
        let (go_on, waits) = mpsc::channel::<()>();
        let waits = Arc::new(Mutex::new(waits));
        let long = |account| {
            let (lane, waits) = (Arc::clone(&lane), Arc::clone(&waits));
            tokio::spawn(async move {
                let wait = move || waits.lock().expect("no panic").recv().ok();
                lane.run(AccountId(account), late(), &Abandoned::default(), wait).await
            })
        };
        let first = [long(1), long(1)];
        while (lane.running(), lane.waiting()) != (1, 1) {
            tokio::task::yield_now().await;
        }
        let soon = Instant::now() + Duration::from_secs(10);
        let other = lane.run(AccountId(2), soon, &Abandoned::default(), || Some(7)).await;
        assert_eq!(other, Ok(7), "runs while the first account's work blocks a thread");
        for done in first {
            go_on.send(()).expect("the work waits");
            assert_eq!(done.await.expect("no panic"), Ok(()));
        }
    }
}
