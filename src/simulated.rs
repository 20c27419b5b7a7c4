//! What a simulation puts in the place of the clock, random numbers, threads, channels and disks. Compiled only for unit
//! tests, and used only on the threads of a simulation (tests/simulation): other threads have no [`World`].

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{fmt, io};

use jiff::Timestamp;

pub use crate::system::disk_steps::DiskStep;

/// What surrounds one thread of a simulation.
pub trait World: Send + Sync {
    /// The time of day on this thread's machine.
    fn now(&self) -> Timestamp;

    fn instant(&self) -> Instant;

    fn sleep(&self, time: Duration);

    fn fill(&self, bytes: &mut [u8]);

    /// A number that no other channel has.
    fn new_channel(&self) -> u64;

    /// Wakes the thread that waits at this channel.
    fn notify(&self, channel: u64);

    /// Waits at a channel until it is notified or this moment has come. Returns `false` if the machine has crashed.
    fn wait(&self, channel: u64, until: Option<Instant>) -> bool;

    /// Starts a thread on this thread's machine.
    fn spawn(
        &self,
        name: &str,
        run: Box<dyn FnOnce() + Send + 'static>,
    ) -> io::Result<JoinHandle<()>>;

    /// Called before a change of the disk, which may fail, and after a change has become durable.
    fn disk(&self, step: DiskStep<'_>) -> io::Result<()>;
}

thread_local! {
    static WORLD: RefCell<Option<Arc<dyn World>>> = const { RefCell::new(None) };
}

/// The world of this thread; `None` on a thread that belongs to no simulation.
pub fn world() -> Option<Arc<dyn World>> {
    WORLD.try_with(|world| world.borrow().clone()).ok().flatten()
}

/// Makes this thread one of a simulation, or ends that.
pub fn enter(world: Option<Arc<dyn World>>) {
    WORLD.with(|own| *own.borrow_mut() = world);
}

/// Tells the simulation of a step on the disk. Does nothing on other threads.
pub fn disk(step: DiskStep<'_>) -> io::Result<()> {
    world().map_or(Ok(()), |world| world.disk(step))
}

/// An end of a channel. Does nothing if the channel was made outside of a simulation.
#[derive(Clone)]
pub struct Waiter(Option<(Arc<dyn World>, u64)>);

impl Waiter {
    pub fn of_new_channel() -> Waiter {
        Waiter(world().map(|world| {
            let channel = world.new_channel();
            (world, channel)
        }))
    }

    pub fn notify(&self) {
        if let Some((world, channel)) = &self.0 {
            world.notify(*channel);
        }
    }

    /// Waits until `receive` has something; `None` outside of a simulation.
    pub fn wait<T>(
        &self,
        timeout: Duration,
        receive: impl Fn() -> Result<T, TryRecvError>,
    ) -> Option<Result<T, RecvTimeoutError>> {
        let (_, channel) = self.0.as_ref()?;
        // The receiving end may have moved to another thread since the channel was made.
        let world = world()?;
        let until = world.instant().checked_add(timeout);
        loop {
            match receive() {
                Ok(message) => return Some(Ok(message)),
                Err(TryRecvError::Disconnected) => {
                    return Some(Err(RecvTimeoutError::Disconnected));
                }
                Err(TryRecvError::Empty) => {}
            }
            let is_over = until.is_some_and(|until| world.instant() >= until);
            if is_over || !world.wait(*channel, until) {
                return Some(Err(RecvTimeoutError::Timeout));
            }
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.notify();
    }
}

impl fmt::Debug for Waiter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Waiter")
    }
}
