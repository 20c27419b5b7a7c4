//! The machines of a simulation, each with its clock, its network and its disk, and what its threads see of them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{cell::RefCell, io};

use jiff::{SignedDuration, Timestamp};

use super::database::DatabaseTurns;
use super::disk::Disk;
use super::random::Random;
use super::scheduler::{self, Enter, MILLISECOND, Machine, Own, SECOND, Time, lock};
use super::store::ObjectStoreState;
use crate::simulated::{self, DiskStep, World};
use crate::system::disk_steps;

/// The time of day at the start.
const START: Timestamp = Timestamp::constant(1_795_478_400, 0);

/// The network between a machine and the stores.
#[derive(Debug, Clone)]
pub struct Network {
    /// How long a request or an answer travels, at most.
    pub latency_max: Time,
    /// How many of a hundred requests fail.
    pub faults: u64,
    pub is_cut: bool,
}

impl Default for Network {
    fn default() -> Network {
        Network { latency_max: 100 * MILLISECOND, faults: 0, is_cut: false }
    }
}

#[derive(Debug)]
pub struct MachineState {
    pub network: Network,
    /// How far its clock is ahead, in nanoseconds.
    pub clock_ahead: i64,
    pub disk: Option<Disk>,
    /// Nothing is promised of this machine before this time.
    pub troubled_until: Time,
    /// Until when publishers may not wait for this server, since its state in the store is bad.
    pub unseen_until: Time,
    pub is_up: bool,
    /// Transactions that were committed without an answer.
    pub lost_answers: u64,
}

impl Default for MachineState {
    fn default() -> MachineState {
        let network = Network::default();
        MachineState {
            network,
            clock_ahead: 0,
            disk: None,
            troubled_until: 0,
            unseen_until: 0,
            is_up: true,
            lost_answers: 0,
        }
    }
}

/// Everything that the machines share.
pub struct Site {
    machines: Mutex<Vec<MachineState>>,
    /// Whether disks hear of the steps of the package core too: snapshots and manifests that are written.
    hears_core: AtomicBool,
    pub store: Mutex<ObjectStoreState>,
    pub database: DatabaseTurns,
}

/// How a request fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Answered,
    /// It does not arrive.
    Lost,
    /// It arrives, but its answer does not.
    AnswerLost,
    /// It arrives after its sender has given up.
    Late,
    /// Its answer is lost, and the client sends it again by itself.
    Repeated,
    /// The other side is overloaded.
    Refused,
}

thread_local! {
    static SITE: RefCell<Option<Arc<Site>>> = const { RefCell::new(None) };
}

/// The site of this thread's simulation.
pub fn site() -> Option<Arc<Site>> {
    // A thread that has driven a simulation still has its site.
    scheduler::own()?;
    SITE.try_with(|site| site.borrow().clone()).ok().flatten()
}

impl Site {
    pub fn new(machines: usize) -> Arc<Site> {
        let machines = (0..machines).map(|_| MachineState::default()).collect();
        let hears_core = AtomicBool::new(false);
        let (store, database) = (Mutex::default(), DatabaseTurns::default());
        Arc::new(Site { machines: Mutex::new(machines), hears_core, store, database })
    }

    /// From now on disks hear of the steps of the package core, too.
    pub fn hear_core(&self) {
        self.hears_core.store(true, Relaxed);
        let _ = disk_steps::SIMULATED.set(step_of_core);
    }

    pub fn with<T>(&self, machine: Machine, change: impl FnOnce(&mut MachineState) -> T) -> T {
        change(&mut lock(&self.machines)[machine])
    }

    /// The time of day that a machine shows at this time.
    pub fn time_of_day(&self, machine: Machine, now: Time) -> Timestamp {
        let ahead = self.with(machine, |state| state.clock_ahead);
        let now = i64::try_from(now).unwrap_or(i64::MAX).saturating_add(ahead);
        START + SignedDuration::from_nanos(now)
    }

    /// Keeps the disk of a machine full for this long.
    pub fn fill_disk(&self, own: &Own, machine: Machine, time: Time) {
        let fill = |is_full| {
            let set = |disk: &mut Disk| disk.is_full = is_full;
            self.with(machine, |state| state.disk.iter_mut().for_each(set));
        };
        fill(true);
        own.pause_for(time);
        fill(false);
    }

    /// Expects nothing of a machine for this long.
    pub fn trouble(&self, machine: Machine, now: Time, time: Time) {
        self.with(machine, |state| state.troubled_until = state.troubled_until.max(now + time));
    }

    /// Makes the calling thread one of a machine, and returns what starts others.
    pub fn enter(self: &Arc<Site>, own: &Own) -> Enter {
        let site = Arc::clone(self);
        let enter: Enter = Arc::new(move |own: &Own| {
            SITE.with(|current| *current.borrow_mut() = Some(Arc::clone(&site)));
            let world = MachineWorld { own: own.clone(), site: Arc::clone(&site) };
            simulated::enter(Some(Arc::new(world)));
        });
        enter(own);
        enter
    }

    /// Waits for the way of a request to a store, and decides how it fares.
    pub fn travel(&self, own: &Own) -> Fate {
        let network = self.with(own.machine, |state| state.network.clone());
        own.pause_for(latency(own, &network));
        let fate = own.scheduler.with_random(|random| fate(&network, random));
        if fate != Fate::Answered {
            self.trouble(own.machine, own.scheduler.now(), 20 * SECOND);
        }
        fate
    }

    /// Waits for an answer.
    pub fn travel_back(&self, own: &Own) {
        let network = self.with(own.machine, |state| state.network.clone());
        own.pause_for(latency(own, &network));
    }

    /// Notes that a change was made of which its sender does not know, and waits until it gives up.
    pub fn lost_answer(&self, own: &Own) {
        own.scheduler.note(own.machine, "transaction", "committed, but its answer is lost");
        self.with(own.machine, |state| state.lost_answers += 1);
        self.trouble(own.machine, own.scheduler.now(), 20 * SECOND);
        own.pause_for(SECOND);
    }

    /// Waits until a client gives up.
    pub fn time_out(&self, own: &Own) {
        let time = own.scheduler.with_random(|random| random.between(SECOND, 35 * SECOND));
        self.trouble(own.machine, own.scheduler.now(), time + 20 * SECOND);
        own.pause_for(time);
    }
}

fn latency(own: &Own, network: &Network) -> Time {
    own.scheduler.with_random(|random| random.skewed(MILLISECOND, network.latency_max))
}

fn fate(network: &Network, random: &mut Random) -> Fate {
    if network.is_cut {
        return if random.percent(50) { Fate::Lost } else { Fate::Refused };
    }
    if !random.percent(network.faults) {
        return Fate::Answered;
    }
    let fates = [Fate::Lost, Fate::AnswerLost, Fate::Late, Fate::Repeated, Fate::Refused];
    *random.choose(&fates)
}

/// What the threads of a machine see.
struct MachineWorld {
    own: Own,
    site: Arc<Site>,
}

impl World for MachineWorld {
    fn now(&self) -> Timestamp {
        self.site.time_of_day(self.own.machine, self.own.scheduler.now())
    }

    fn instant(&self) -> Instant {
        self.own.scheduler.instant()
    }

    fn sleep(&self, time: Duration) {
        self.own.pause_for(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX / 2));
    }

    fn fill(&self, bytes: &mut [u8]) {
        self.own.scheduler.with_random(|random| {
            bytes.chunks_mut(8).for_each(|chunk| {
                chunk.copy_from_slice(&random.next().to_ne_bytes()[..chunk.len()]);
            });
        });
    }

    fn new_channel(&self) -> u64 {
        self.own.scheduler.new_channel()
    }

    fn notify(&self, channel: u64) {
        self.own.scheduler.notify(channel);
    }

    fn wait(&self, channel: u64, until: Option<Instant>) -> bool {
        let until = until.map_or(Time::MAX, |until| self.own.scheduler.time_of(until));
        self.own.wait(channel, until)
    }

    fn spawn(
        &self,
        name: &str,
        run: Box<dyn FnOnce() + Send + 'static>,
    ) -> io::Result<JoinHandle<()>> {
        let site = Arc::clone(&self.site);
        let enter: Enter = Arc::new(move |own: &Own| drop(site.enter(own)));
        self.own.spawn(self.own.machine, name, enter, run)
    }

    fn disk(&self, step: DiskStep<'_>) -> io::Result<()> {
        if self.own.is_unwinding() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let machine = self.own.machine;
        if let DiskStep::Change(path) | DiskStep::Write(path) = step {
            self.own.pause_for(MILLISECOND / 10);
            let shown = self.shown(path);
            self.own.scheduler.note(machine, "disk", &shown);
        }
        let crashes = self.with_disk(|disk| disk.crashes(step)).unwrap_or(false);
        if crashes {
            self.own.scheduler.crash(machine);
            self.own.pause_for(0);
        }
        let done = self.with_disk(|disk| disk.step(step)).unwrap_or(Ok(()));
        if done.is_err() {
            // A server waits longer before each further attempt.
            self.site.trouble(machine, self.own.scheduler.now(), 100 * SECOND);
        }
        done
    }
}

/// A step that the package core tells.
fn step_of_core(step: DiskStep<'_>) -> io::Result<()> {
    let hears = site().is_some_and(|site| site.hears_core.load(Relaxed));
    if hears { simulated::disk(step) } else { Ok(()) }
}

impl MachineWorld {
    fn with_disk<T>(&self, change: impl FnOnce(&mut Disk) -> T) -> Option<T> {
        self.site.with(self.own.machine, |state| state.disk.as_mut().map(change))
    }

    fn shown(&self, path: &Path) -> String {
        self.with_disk(|disk| disk.shown(path)).unwrap_or_default()
    }
}

/// The task and the site of this thread, which belongs to a simulation.
pub fn here() -> (Own, Arc<Site>) {
    let own = scheduler::own().expect("a thread of a simulation");
    (own, site().expect("a thread of a simulation"))
}
