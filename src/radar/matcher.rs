//! Makes deliveries of change lists: once for each list, on one of the servers.
//!
//! A thread looks at the lists after every reload, and every half minute. A list counts once all servers
//! answer from the data of its day, so that receivers can ask for them. The store knows which lists were
//! matched; memory only saves asking it again.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::matching::{self, DayList};
use super::webhook::event::DeliveryIds;
use crate::account::random::random_bytes;
use crate::account::store::{StoreError, StorePool};
use crate::snapshot::changes::{self, ChangeList, ChangeListError, ChangeListFault};
use crate::snapshot::stamp::FileStamp;
use crate::text::codes::DataVersion;

/// Interval for checking the lists without a reload, after a failure, or while other servers are behind.
const INTERVAL: Duration = Duration::from_secs(30);
const INTERVAL_SHORT: Duration = Duration::from_secs(5);

/// The newest corporate version, up to the given one, that all servers have, so that receivers can query any of
/// them.
pub type Everywhere = Box<dyn Fn(DataVersion) -> Option<DataVersion> + Send>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Look,
    Stop,
}

/// The thread that matches. It ends when this is dropped.
#[derive(Debug)]
pub struct Matcher {
    events: mpsc::Sender<Event>,
    thread: Option<JoinHandle<()>>,
}

impl Matcher {
    /// Starts matching; calls `made` when there are new deliveries.
    pub fn start(
        mut matching: Matching<impl Fn() -> Option<DataVersion> + Send + 'static>,
        made: impl Fn() + Send + 'static,
    ) -> io::Result<Matcher> {
        let (events, received) = mpsc::channel();
        let run = move || {
            let mut interval = Duration::ZERO;
            loop {
                match received.recv_timeout(interval) {
                    Ok(Event::Look) | Err(RecvTimeoutError::Timeout) => {}
                    Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                }
                interval = match matching.look() {
                    Ok(looked) => {
                        if looked.made > 0 {
                            made();
                        }
                        if looked.waits { INTERVAL_SHORT } else { INTERVAL }
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

    /// Makes the matcher check the lists.
    pub fn waker(&self) -> impl Fn() + Send + use<> {
        let events = self.events.clone();
        // Fails only if the thread has ended.
        move || {
            let _ = events.send(Event::Look);
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
struct Looked {
    /// Number of new deliveries.
    made: u64,
    /// Whether a list has to wait for other servers.
    waits: bool,
}

pub struct Matching<F> {
    /// The folder of snapshots and change lists.
    pub snapshots: PathBuf,
    /// The newest corporate data version that is served.
    pub latest: F,
    pub everywhere: Everywhere,
    pub store: Arc<StorePool>,
    /// This server's name in the store.
    pub by: String,
    /// The lists that need no further look.
    pub seen: HashMap<DataVersion, FileStamp>,
}

impl<F: Fn() -> Option<DataVersion>> Matching<F> {
    /// Matches the lists that were not matched yet.
    fn look(&mut self) -> Result<Looked, MatchError> {
        let Some(latest) = (self.latest)() else { return Ok(Looked::default()) };
        let mut due = self.unseen(latest)?;
        if due.is_empty() {
            return Ok(Looked::default());
        }
        let (unseen, everywhere) = (due.len(), (self.everywhere)(latest));
        due.retain(|(day, _)| everywhere.is_some_and(|version| *day <= version));
        let mut looked = Looked { made: 0, waits: due.len() < unseen };
        if due.is_empty() {
            return Ok(looked);
        }
        let matched = self.store.run(matching::matched_days)?;
        let matched: HashSet<(DataVersion, u32)> = matched.into_iter().collect();
        for (day, stamp) in due {
            match changes::read(&self.snapshots, day) {
                Ok(Some(list)) if !matched.contains(&(day, list.checksum)) => {
                    looked.made += self.match_list(&list)?;
                }
                Ok(_) => {}
                Err(error) if matches!(error.fault, ChangeListFault::Io(_)) => {
                    tracing::warn!(%error, "cannot read a change list; trying again");
                    continue;
                }
                // Logged again only when the file was replaced.
                Err(error) => tracing::warn!(%error, "skipping a change list"),
            }
            self.seen.insert(day, stamp);
        }
        Ok(looked)
    }

    /// The lists that are new or were replaced.
    fn unseen(
        &self,
        latest: DataVersion,
    ) -> Result<Vec<(DataVersion, FileStamp)>, ChangeListError> {
        let days = changes::days(&self.snapshots)?.into_iter().filter(|day| *day <= latest);
        let stamped = |day| Some((day, changes::stamp(&self.snapshots, day)?));
        let is_unseen = |list: &(DataVersion, FileStamp)| self.seen.get(&list.0) != Some(&list.1);
        Ok(days.filter_map(stamped).filter(is_unseen).collect())
    }

    fn match_list(&self, list: &ChangeList) -> Result<u64, MatchError> {
        let started = Instant::now();
        let mut ids = DeliveryIds::from_seed(random_bytes()?);
        let day = DayList { day: list.day, checksum: list.checksum, numbers: &list.numbers };
        let now = Timestamp::now();
        let made = self
            .store
            .run(|store| matching::match_day(store, &day, &self.by, now, || ids.next_id()))?;
        if let Some(deliveries) = made {
            let (changes, took) = (list.numbers.len(), started.elapsed());
            let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            let day = list.day;
            tracing::info!(%day, changes, deliveries, took_ms, "matched the changes of a day with watch lists");
        }
        Ok(made.unwrap_or(0))
    }
}
