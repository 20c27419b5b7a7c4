//! A thread for work beside the requests: it waits for events or for a time, and ends with its owner.

use std::io;
use std::sync::OnceLock;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::channel::{Receiver, RecvTimeoutError, Sender, channel};
#[cfg(test)]
use crate::simulated;

/// The owner's end. Dropping it tells the thread to stop, and waits until it has.
#[derive(Debug)]
pub struct WorkerThread<E> {
    name: &'static str,
    events: Events<E>,
    thread: Option<JoinHandle<()>>,
    /// Disconnected once the thread has ended.
    ended: Receiver<()>,
    stop_time_max: Option<Duration>,
}

/// Why the thread goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake<E> {
    Event(E),
    Timeout,
    Stop,
}

/// Sends to the thread. Fails only if the thread has ended.
pub type Events<E> = Sender<Wake<E>>;

/// What the thread receives.
#[derive(Debug)]
pub struct Inbox<E>(Receiver<Wake<E>>);

/// Starts a thread. Fails if the system refuses it.
pub fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    #[cfg(test)]
    if let Some(world) = simulated::world() {
        return world.spawn(name, Box::new(run));
    }
    thread::Builder::new().name(name.to_owned()).spawn(run)
}

impl<E: Send + 'static> WorkerThread<E> {
    /// Fails if the system refuses a thread. `run` returns soon after [`Wake::Stop`].
    pub fn start(
        name: &'static str,
        run: impl FnOnce(&Inbox<E>, &Events<E>) + Send + 'static,
    ) -> io::Result<WorkerThread<E>> {
        let (events, inbox) = channel();
        let (end, ended) = channel::<()>();
        let own_events = events.clone();
        let thread = spawn(name, move || {
            let _end = end;
            run(&Inbox(inbox), &own_events);
        })?;
        Ok(WorkerThread { name, events, thread: Some(thread), ended, stop_time_max: None })
    }

    /// Waits at most so long when it is dropped. The thread then ends on its own, or with the process.
    pub fn stop_within(mut self, stop_time_max: Duration) -> WorkerThread<E> {
        self.stop_time_max = Some(stop_time_max);
        self
    }

    /// The sender of its events.
    pub fn events(&self) -> Events<E> {
        self.events.clone()
    }

    /// A function that wakes the thread with this event.
    pub fn waker(&self, event: fn() -> E) -> impl Fn() + Send + Sync + use<E> {
        let events = self.events.clone();
        move || drop(events.send(Wake::Event(event())))
    }
}

/// Wakes a thread that starts later than this is made; until then it does nothing.
#[derive(Default)]
pub struct LateWaker(OnceLock<Box<dyn Fn() + Send + Sync>>);

impl LateWaker {
    /// The first call counts.
    pub fn set(&self, wake: impl Fn() + Send + Sync + 'static) {
        // A second thread of the same kind would be woken by the first one's waker.
        let _ = self.0.set(Box::new(wake));
    }

    pub fn wake(&self) {
        if let Some(wake) = self.0.get() {
            wake();
        }
    }
}

impl<E> Drop for WorkerThread<E> {
    fn drop(&mut self) {
        drop(self.events.send(Wake::Stop));
        let Some(thread) = self.thread.take() else { return };
        let limit = self.stop_time_max.unwrap_or(Duration::MAX);
        if self.ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            return;
        }
        if thread.join().is_err() {
            tracing::error!("the thread {:?} had panicked; please report this", self.name);
        }
    }
}

impl<E> Inbox<E> {
    /// Waits for the next event.
    pub fn wait(&self, timeout: Duration) -> Wake<E> {
        self.0.recv_timeout(timeout).unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => Wake::Timeout,
            RecvTimeoutError::Disconnected => Wake::Stop,
        })
    }

    /// What has arrived already, if anything.
    pub fn arrived(&self) -> Option<Wake<E>> {
        self.0.try_recv()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn events_arrive_in_order_and_a_drop_waits_for_the_end() {
        let seen = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&seen);
        let worker = WorkerThread::start("test", move |inbox, _events| {
            while let Wake::Event(event) = inbox.wait(LONG) {
                counted.store(counted.load(Relaxed) * 10 + event, Relaxed);
            }
            counted.fetch_add(1_000, Relaxed);
        });
        let worker = worker.expect("a thread");
        for event in [|| 1, || 2, || 3] {
            worker.waker(event)();
        }
        drop(worker);
        assert_eq!(seen.load(Relaxed), 1_123);
    }

    #[test]
    fn a_timeout_wakes_and_a_waiting_thread_is_told_to_stop() {
        let worker = WorkerThread::<()>::start("test", |inbox, _events| {
            assert_eq!(inbox.wait(Duration::from_millis(1)), Wake::Timeout);
            assert_eq!(inbox.wait(LONG), Wake::Stop);
        });
        let started = Instant::now();
        drop(worker.expect("a thread"));
        assert!(started.elapsed() < LONG);
    }

    #[test]
    fn an_owner_need_not_wait_for_a_slow_thread() {
        let (release, held) = std::sync::mpsc::channel::<()>();
        let worker = WorkerThread::<()>::start("test", move |_inbox, _events| {
            let _ = held.recv();
        });
        let started = Instant::now();
        drop(worker.expect("a thread").stop_within(Duration::from_millis(1)));
        assert!(started.elapsed() < LONG);
        drop(release);
    }
}
