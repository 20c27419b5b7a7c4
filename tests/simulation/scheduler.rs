//! The scheduler: runs one thread at a time, on a clock of its own, in an order that depends only on the seed.
//!
//! Each task is a thread of the operating system that runs the product's code. A task keeps running until it waits: for
//! time, at a channel, for a store. Then the task with the earliest time to wake runs next, and the clock moves to that
//! time; the random numbers of the seed decide between equal times. So the same seed gives the same run.
//!
//! A task belongs to a machine. If its machine crashes, the task unwinds the next time that it would run. While it
//! unwinds, nothing that it does waits or has an effect outside.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{cell::RefCell, io};

use super::random::Random;
use super::trace::Trace;
use crate::simulated;

/// A machine, by its number.
pub type Machine = usize;

/// Time of the simulation in nanoseconds since its start.
pub type Time = u64;

pub const MILLISECOND: Time = 1_000_000;
pub const SECOND: Time = 1_000 * MILLISECOND;

/// A run with more steps does not come to rest.
const STEPS_MAX: u64 = 400_000;

/// A task that runs for longer by the real clock waits for something that the scheduler does not know.
const STUCK: Duration = Duration::from_secs(120);

/// The payload of the panic that unwinds the tasks of a crashed machine.
pub struct Crash;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Runs at this time; of equal times, the lower number runs first.
    Ready {
        at: Time,
        tie: u64,
    },
    /// Runs when the channel is notified, or at this time.
    Waiting {
        channel: u64,
        until: Time,
        tie: u64,
    },
    Running,
    Ended,
}

struct Task {
    machine: Machine,
    name: String,
    state: State,
    baton: Arc<Baton>,
    has_crashed: bool,
}

/// What lets a task run.
#[derive(Default)]
struct Baton {
    is_here: Mutex<bool>,
    passed: Condvar,
}

impl Baton {
    fn pass(&self) {
        *lock(&self.is_here) = true;
        self.passed.notify_one();
    }

    fn wait(&self) {
        let is_here = lock(&self.is_here);
        let waited = self.passed.wait_timeout_while(is_here, STUCK, |is_here| !*is_here);
        let (mut is_here, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        assert!(!waited.timed_out(), "another task of the simulation is stuck");
        *is_here = false;
    }
}

pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Inner {
    now: Time,
    steps: u64,
    random: Random,
    tasks: Vec<Task>,
    channels: u64,
    trace: Trace,
    /// What broke, first of all.
    failure: Option<Failure>,
}

/// A promise that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub invariant: &'static str,
    pub found: String,
    pub time: Time,
}

pub struct Scheduler {
    base: Instant,
    inner: Mutex<Inner>,
}

/// A task's own end of the scheduler.
#[derive(Clone)]
pub struct Own {
    pub scheduler: Arc<Scheduler>,
    task: usize,
    pub machine: Machine,
}

thread_local! {
    static OWN: RefCell<Option<Own>> = const { RefCell::new(None) };
}

/// The task of this thread; `None` outside of a simulation.
pub fn own() -> Option<Own> {
    OWN.try_with(|own| own.borrow().clone()).ok().flatten()
}

/// What a task's thread needs at its start, besides the scheduler: called on it with its machine.
pub type Enter = Arc<dyn Fn(&Own) + Send + Sync>;

impl Scheduler {
    /// Makes the calling thread the first task, on machine 0.
    pub fn start(seed: u64, trace: Trace) -> Own {
        let first = Task {
            machine: 0,
            name: "first".to_owned(),
            state: State::Running,
            baton: Arc::default(),
            has_crashed: false,
        };
        let inner = Inner {
            now: 0,
            steps: 0,
            random: Random::of_seed(seed),
            tasks: vec![first],
            channels: 0,
            trace,
            failure: None,
        };
        let scheduler = Scheduler { base: Instant::now(), inner: Mutex::new(inner) };
        let own = Own { scheduler: Arc::new(scheduler), task: 0, machine: 0 };
        OWN.with(|current| *current.borrow_mut() = Some(own.clone()));
        own
    }

    pub fn now(&self) -> Time {
        lock(&self.inner).now
    }

    pub fn instant(&self) -> Instant {
        self.base + Duration::from_nanos(self.now())
    }

    /// The time of the simulation at this instant; the end of time if it is later than that.
    pub fn time_of(&self, instant: Instant) -> Time {
        u64::try_from(instant.saturating_duration_since(self.base).as_nanos()).unwrap_or(u64::MAX)
    }

    pub fn with_random<T>(&self, draw: impl FnOnce(&mut Random) -> T) -> T {
        draw(&mut lock(&self.inner).random)
    }

    pub fn new_channel(&self) -> u64 {
        let mut inner = lock(&self.inner);
        inner.channels += 1;
        inner.channels
    }

    /// Lets the tasks that wait at this channel run.
    pub fn notify(&self, channel: u64) {
        let mut inner = lock(&self.inner);
        let now = inner.now;
        for task in &mut inner.tasks {
            if let State::Waiting { channel: waited, tie, .. } = task.state
                && waited == channel
            {
                task.state = State::Ready { at: now, tie };
            }
        }
    }

    /// Adds a line to the trace.
    pub fn note(&self, machine: Machine, what: &str, about: &str) {
        let mut inner = lock(&self.inner);
        let now = inner.now;
        inner.trace.add(now, machine, what, about);
    }

    /// Records that a promise was broken. Only the first one counts.
    pub fn fail(&self, invariant: &'static str, found: String) {
        let mut inner = lock(&self.inner);
        let time = inner.now;
        inner.failure.get_or_insert(Failure { invariant, found, time });
    }

    pub fn failure(&self) -> Option<Failure> {
        lock(&self.inner).failure.clone()
    }

    pub fn take_trace(&self) -> Trace {
        std::mem::take(&mut lock(&self.inner).trace)
    }

    pub fn steps(&self) -> u64 {
        lock(&self.inner).steps
    }

    /// Crashes a machine: its tasks unwind when they would run next.
    pub fn crash(&self, machine: Machine) {
        let mut inner = lock(&self.inner);
        let now = inner.now;
        for task in inner.tasks.iter_mut().filter(|task| task.machine == machine) {
            task.crash(now);
        }
    }

    /// Whether a task of this machine has not ended.
    pub fn is_busy(&self, machine: Machine) -> bool {
        let inner = lock(&self.inner);
        inner.tasks.iter().any(|task| task.machine == machine && task.state != State::Ended)
    }
}

impl Task {
    fn crash(&mut self, now: Time) {
        self.has_crashed = true;
        if let State::Ready { .. } | State::Waiting { .. } = self.state {
            self.state = State::Ready { at: now, tie: 0 };
        }
    }

    /// When it wants to run, and the number that decides between equal times.
    fn wake(&self) -> Option<(Time, u64)> {
        match self.state {
            State::Ready { at, tie } | State::Waiting { until: at, tie, .. } if at < Time::MAX => {
                Some((at, tie))
            }
            _ => None,
        }
    }
}

impl Inner {
    /// Crashes every task but the first, which runs next.
    fn end_all(&mut self) {
        let now = self.now;
        self.tasks.iter_mut().skip(1).for_each(|task| task.crash(now));
        let running = self.tasks.iter_mut().filter(|task| task.state == State::Running);
        running.for_each(|task| task.state = State::Ready { at: now, tie: u64::MAX });
        self.tasks[0].state = State::Ready { at: 0, tie: 0 };
    }

    /// The next task, which runs from now on; `None` if none will ever run.
    fn next(&mut self) -> Option<usize> {
        let waking = self.tasks.iter().enumerate();
        let waking = waking.filter_map(|(index, task)| Some((task.wake()?, index)));
        let ((at, _), next) = waking.min()?;
        self.now = self.now.max(at);
        self.tasks[next].state = State::Running;
        self.steps += 1;
        if self.steps == STEPS_MAX {
            let left = self.tasks.iter().filter(|task| task.state != State::Ended);
            let left: Vec<&str> = left.map(|task| task.name.as_str()).collect();
            let found = format!("{STEPS_MAX} steps and no end of {}", left.join(", "));
            let time = self.now;
            self.failure.get_or_insert(Failure { invariant: "comes to rest", found, time });
            self.end_all();
            return self.next();
        }
        Some(next)
    }
}

/// A promise that was broken, and what was found instead.
pub type Broken = (&'static str, String);

impl Own {
    /// Records what was found to be broken.
    pub fn check(&self, result: Result<(), Broken>) {
        if let Err((invariant, found)) = result {
            self.scheduler.fail(invariant, found);
        }
    }

    /// Waits until this time of the simulation.
    pub fn pause_until(&self, at: Time) {
        self.pause(|tie, now| State::Ready { at: at.max(now), tie });
    }

    pub fn pause_for(&self, time: Time) {
        // Never the same moment again: a task that has its turn then could wait for good.
        self.pause(|tie, now| State::Ready { at: now.saturating_add(time.max(1)), tie });
    }

    /// Waits at a channel, or until this time. Returns `false` if the machine has crashed.
    pub fn wait(&self, channel: u64, until: Time) -> bool {
        self.pause(|tie, _now| State::Waiting { channel, until, tie })
    }

    /// Lets other tasks run; `false` if this one unwinds, which does not wait.
    fn pause(&self, state: impl FnOnce(u64, Time) -> State) -> bool {
        if thread::panicking() {
            return false;
        }
        let mut inner = lock(&self.scheduler.inner);
        if !inner.tasks[self.task].has_crashed {
            let (tie, now) = (inner.random.next(), inner.now);
            inner.tasks[self.task].state = state(tie, now);
            let next = inner.next();
            let next = next.expect("the first task always wakes");
            if next != self.task {
                let baton = Arc::clone(&inner.tasks[next].baton);
                let own = Arc::clone(&inner.tasks[self.task].baton);
                drop(inner);
                baton.pass();
                own.wait();
                inner = lock(&self.scheduler.inner);
            }
        }
        let has_crashed = inner.tasks[self.task].has_crashed;
        drop(inner);
        if has_crashed {
            resume_unwind(Box::new(Crash));
        }
        true
    }

    /// Waits until this time; returns `false` as soon as a promise is broken.
    pub fn pause_while_sound(&self, end: Time) -> bool {
        while self.scheduler.failure().is_none() && self.scheduler.now() < end {
            self.pause_until(end.min(self.scheduler.now() + 5 * SECOND));
        }
        self.scheduler.failure().is_none()
    }

    /// Kills the tasks of another machine, and waits until they have ended.
    pub fn stop(&self, machine: Machine) {
        self.scheduler.crash(machine);
        while self.scheduler.is_busy(machine) {
            self.pause_for(0);
        }
    }

    /// Starts the task of a machine; `run` gets what the tasks of the run share.
    pub fn start<S: Send + Sync + 'static>(
        &self,
        machine: Machine,
        enter: &Enter,
        shared: &Arc<S>,
        run: fn(&Arc<S>, &Own),
    ) {
        let shared = Arc::clone(shared);
        let task = move || run(&shared, &own().expect("a task"));
        let spawned = self.spawn(machine, &format!("machine {machine}"), enter.clone(), task);
        drop(spawned.expect("a thread"));
    }

    /// Whether this task must have no effect any more.
    pub fn is_unwinding(&self) -> bool {
        thread::panicking()
    }

    /// Starts a task on a machine.
    pub fn spawn(
        &self,
        machine: Machine,
        name: &str,
        enter: Enter,
        run: impl FnOnce() + Send + 'static,
    ) -> io::Result<JoinHandle<()>> {
        let (scheduler, baton) = (Arc::clone(&self.scheduler), Arc::new(Baton::default()));
        let own = {
            let mut inner = lock(&scheduler.inner);
            let (tie, now) = (inner.random.next(), inner.now);
            let task = inner.tasks.len();
            inner.tasks.push(Task {
                machine,
                name: name.to_owned(),
                state: State::Ready { at: now, tie },
                baton: Arc::clone(&baton),
                has_crashed: false,
            });
            Own { scheduler: Arc::clone(&scheduler), task, machine }
        };
        let named = name.to_owned();
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            OWN.with(|current| *current.borrow_mut() = Some(own.clone()));
            baton.wait();
            enter(&own);
            if !own.has_crashed()
                && let Err(payload) = catch_unwind(AssertUnwindSafe(run))
                && !payload.is::<Crash>()
            {
                let found = format!("thread {named}: {}", panic_text(&*payload));
                own.scheduler.fail("no panic", found);
            }
            simulated::enter(None);
            own.end();
        })
    }

    fn has_crashed(&self) -> bool {
        lock(&self.scheduler.inner).tasks[self.task].has_crashed
    }

    /// Lets the next task run, for good.
    fn end(&self) {
        let mut inner = lock(&self.scheduler.inner);
        inner.tasks[self.task].state = State::Ended;
        let next = inner.next().map(|next| Arc::clone(&inner.tasks[next].baton));
        drop(inner);
        if let Some(baton) = next {
            baton.pass();
        }
    }

    /// Ends the simulation: crashes every machine and waits for the end of its tasks. Only for the first task.
    pub fn finish(&self) {
        let machines: BTreeMap<Machine, ()> = {
            let inner = lock(&self.scheduler.inner);
            inner.tasks.iter().skip(1).map(|task| (task.machine, ())).collect()
        };
        for machine in machines.into_keys().filter(|machine| *machine != self.machine) {
            self.scheduler.crash(machine);
        }
        {
            let mut inner = lock(&self.scheduler.inner);
            let now = inner.now;
            inner.tasks.iter_mut().skip(1).for_each(|task| task.crash(now));
        }
        while {
            let inner = lock(&self.scheduler.inner);
            inner.tasks.iter().skip(1).any(|task| task.state != State::Ended)
        } {
            self.pause_for(0);
        }
        simulated::enter(None);
        OWN.with(|current| *current.borrow_mut() = None);
    }
}

pub fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a text").to_owned()
}
