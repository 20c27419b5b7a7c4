//! Creates the deliveries of change lists: once for each list, on one of the servers.
//!
//! A thread checks the lists after every reload, and every half minute. A list has to wait until all servers answer
//! from the data of its day, because a receiver may ask any of them for the changes. The store records which lists were
//! matched; the memory of checked lists only saves queries.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::matching::{self, DayChanges};
use super::webhook::event::DeliveryIds;
use crate::account::random_bytes;
use crate::account::store::{StoreError, StorePool};
use crate::snapshot::changes::{self, ChangeList, ChangeListError, ChangeListFault};
use crate::snapshot::stamp::FileStamp;
use crate::text::codes::DataVersion;

/// How often the lists are checked without a reload.
const INTERVAL: Duration = Duration::from_secs(30);

/// The same after a failure, or while a list waits for other servers.
const INTERVAL_SHORT: Duration = Duration::from_secs(5);

/// Returns the newest corporate version, up to the given one, that all servers have; `None` if there is none.
pub type CommonVersion = Box<dyn Fn(DataVersion) -> Option<DataVersion> + Send>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Check,
    Stop,
}

/// The thread that matches. It ends when this is dropped.
#[derive(Debug)]
pub struct Matcher {
    events: mpsc::Sender<Event>,
    thread: Option<JoinHandle<()>>,
}

impl Matcher {
    /// Starts matching; calls `on_new_deliveries` after deliveries were created.
    pub fn start(
        mut checker: ListChecker<impl Fn() -> Option<DataVersion> + Send + 'static>,
        on_new_deliveries: impl Fn() + Send + 'static,
    ) -> io::Result<Matcher> {
        let (events, inbox) = mpsc::channel();
        let run = move || {
            let mut interval = Duration::ZERO;
            loop {
                match inbox.recv_timeout(interval) {
                    Ok(Event::Check) | Err(RecvTimeoutError::Timeout) => {}
                    Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                }
                interval = match checker.check() {
                    Ok(check) => {
                        if check.new_deliveries > 0 {
                            on_new_deliveries();
                        }
                        if check.is_waiting { INTERVAL_SHORT } else { INTERVAL }
                    }
                    Err(error) => {
                        tracing::debug!(%error, "cannot match changes with watch lists; trying again");
                        INTERVAL_SHORT
                    }
                };
            }
        };
        let thread = std::thread::Builder::new().name("radar".to_owned()).spawn(run)?;
        Ok(Matcher { events, thread: Some(thread) })
    }

    /// A function that makes the matcher check the lists.
    pub fn waker(&self) -> impl Fn() + Send + use<> {
        let events = self.events.clone();
        // Sending fails only if the thread has ended.
        move || {
            let _ = events.send(Event::Check);
        }
    }
}

impl Drop for Matcher {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Stop);
        if let Some(Err(_panic)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("the thread that matches changes had panicked; please report this");
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum MatchError {
    #[error(transparent)]
    Lists(#[from] ChangeListError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("no random numbers for the ids of deliveries: {0}")]
    Random(#[from] getrandom::Error),
}

/// The result of checking the lists.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Check {
    new_deliveries: u64,
    /// Whether a list has to wait for other servers.
    is_waiting: bool,
}

/// Finds the lists that were not matched yet, and matches them.
pub struct ListChecker<F> {
    /// The folder of snapshots and change lists.
    pub snapshots: PathBuf,
    /// Returns the newest corporate data version that is served.
    pub latest: F,
    pub common_version: CommonVersion,
    pub store: Arc<StorePool>,
    /// The unique name of this server in the store.
    pub server_name: String,
    /// The lists that need no further check unless their files change.
    pub checked: HashMap<DataVersion, FileStamp>,
}

impl<F: Fn() -> Option<DataVersion>> ListChecker<F> {
    /// Matches the lists that were not matched yet.
    fn check(&mut self) -> Result<Check, MatchError> {
        let Some(latest) = (self.latest)() else { return Ok(Check::default()) };
        let mut due = self.unchecked_lists(latest)?;
        if due.is_empty() {
            return Ok(Check::default());
        }
        let unchecked = due.len();
        let common = (self.common_version)(latest);
        due.retain(|(day, _)| common.is_some_and(|version| *day <= version));
        let mut check = Check { new_deliveries: 0, is_waiting: due.len() < unchecked };
        if due.is_empty() {
            return Ok(check);
        }
        let matched = self.store.run(matching::matched_days)?;
        let matched: HashSet<(DataVersion, u32)> = matched.into_iter().collect();
        for (day, stamp) in due {
            match changes::read(&self.snapshots, day) {
                Ok(Some(list)) if !matched.contains(&(day, list.checksum)) => {
                    check.new_deliveries += self.match_list(&list)?;
                }
                Ok(_) => {}
                Err(error) if matches!(error.fault, ChangeListFault::Io(_)) => {
                    tracing::warn!(%error, "cannot read a change list; trying again");
                    continue;
                }
                // It counts as checked, so that it is logged again only if its file is replaced.
                Err(error) => tracing::warn!(%error, "skipping a change list"),
            }
            self.checked.insert(day, stamp);
        }
        Ok(check)
    }

    /// The lists up to this version that are new or were replaced.
    fn unchecked_lists(
        &self,
        latest: DataVersion,
    ) -> Result<Vec<(DataVersion, FileStamp)>, ChangeListError> {
        let days = changes::days(&self.snapshots)?.into_iter().filter(|day| *day <= latest);
        let stamped = days.filter_map(|day| Some((day, changes::stamp(&self.snapshots, day)?)));
        Ok(stamped.filter(|(day, stamp)| self.checked.get(day) != Some(stamp)).collect())
    }

    /// Matches a list; returns the number of new deliveries.
    fn match_list(&self, list: &ChangeList) -> Result<u64, MatchError> {
        let started = Instant::now();
        let mut ids = DeliveryIds::from_seed(random_bytes()?);
        let changes = DayChanges { day: list.day, checksum: list.checksum, numbers: &list.numbers };
        let now = Timestamp::now();
        let created = self.store.run(|store| {
            matching::match_day(store, &changes, &self.server_name, now, || ids.next_id())
        })?;
        if let Some(deliveries) = created {
            let (changes, took) = (list.numbers.len(), started.elapsed());
            let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            let day = list.day;
            tracing::info!(%day, changes, deliveries, took_ms, "matched the changes of a day with watch lists");
        }
        Ok(created.unwrap_or(0))
    }
}
