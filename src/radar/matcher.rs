//! From the lists of changes to deliveries: once for each list, on one server.
//!
//! A thread looks at the lists whenever the catalogue was scanned, and now and then anyway. A list
//! counts once the data that it belongs to are served, so that whoever is told can ask for them. What
//! was matched stands in the store; in memory there is only what spares asking it again.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::account::random::random_bytes;
use crate::account::store::{StoreError, StorePool};
use crate::api::ask::Api;
use crate::radar::store::DayList;
use crate::radar::webhook::event::DeliveryIds;
use crate::snapshot::changes::{self, ChangeList, ChangeListError, ChangeListFault};
use crate::snapshot::stamp::FileStamp;
use crate::text::codes::DataVersion;

/// How often the lists are looked at where nobody asks for it, and after a failure.
const INTERVAL: Duration = Duration::from_secs(30);
const INTERVAL_FAILED: Duration = Duration::from_secs(5);

/// What the thread is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    Look,
    End,
}

/// The thread that matches. It ends when this is dropped.
#[derive(Debug)]
pub struct Matcher {
    asks: mpsc::Sender<Ask>,
    thread: Option<JoinHandle<()>>,
}

/// Asks for a look at the lists.
#[derive(Debug, Clone)]
pub struct Bell(mpsc::Sender<Ask>);

impl Bell {
    /// Asks.
    pub fn ring(&self) {
        // Where the thread is gone there is nothing left to match.
        let _ = self.0.send(Ask::Look);
    }
}

impl Matcher {
    /// Starts matching; `made` is called when there are deliveries to send.
    pub fn start(mut matching: Matching, made: impl Fn() + Send + 'static) -> io::Result<Matcher> {
        let (asks, asked) = mpsc::channel();
        let run = move || {
            let mut interval = Duration::ZERO;
            loop {
                match asked.recv_timeout(interval) {
                    Ok(Ask::Look) | Err(RecvTimeoutError::Timeout) => {}
                    Ok(Ask::End) | Err(RecvTimeoutError::Disconnected) => return,
                }
                interval = match matching.look() {
                    Ok(0) => INTERVAL,
                    Ok(_) => {
                        made();
                        INTERVAL
                    }
                    Err(error) => {
                        tracing::debug!(%error, "changes were not matched; trying again");
                        INTERVAL_FAILED
                    }
                };
            }
        };
        let thread = std::thread::Builder::new().name("radar".to_owned()).spawn(run)?;
        Ok(Matcher { asks, thread: Some(thread) })
    }

    /// What asks for a look at the lists.
    pub fn bell(&self) -> Bell {
        Bell(self.asks.clone())
    }
}

impl Drop for Matcher {
    fn drop(&mut self) {
        let _ = self.asks.send(Ask::End);
        if let Some(Err(_panic)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("matching had stopped before its time; please report this");
        }
    }
}

/// Why a look found no end.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The lists cannot be found.
    #[error(transparent)]
    Lists(#[from] ChangeListError),
    /// The store fails, which it tells by itself.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no random numbers.
    #[error("no random numbers for the ids of deliveries: {0}")]
    Random(#[from] getrandom::Error),
}

/// What the thread works with.
#[derive(Debug)]
pub struct Matching {
    snapshots: PathBuf,
    api: Arc<Api>,
    store: Arc<StorePool>,
    by: String,
    /// The lists that need no further look.
    seen: HashMap<DataVersion, FileStamp>,
}

impl Matching {
    /// Matches the lists in this folder, as this server.
    pub fn over(snapshots: PathBuf, api: Arc<Api>, store: Arc<StorePool>, by: String) -> Matching {
        Matching { snapshots, api, store, by, seen: HashMap::new() }
    }

    /// Matches every list that was not; how many deliveries came of it.
    fn look(&mut self) -> Result<usize, MatchError> {
        let Some(latest) = self.latest() else { return Ok(0) };
        let due = self.unseen(latest)?;
        if due.is_empty() {
            return Ok(0);
        }
        let matched = self.store.run(|store| store.matched_days())?;
        let matched: HashSet<(DataVersion, u32)> = matched.into_iter().collect();
        let mut count = 0;
        for (day, stamp) in due {
            match changes::read(&self.snapshots, day) {
                Ok(Some(list)) if !matched.contains(&(day, list.checksum)) => {
                    count += self.match_list(&list)?;
                }
                Ok(_) => {}
                // It may be readable the next time.
                Err(error) if matches!(error.fault, ChangeListFault::Io(_)) => {
                    tracing::warn!(%error, "a list of changes cannot be read; trying again");
                    continue;
                }
                // Told once, and again when it was written anew.
                Err(error) => tracing::warn!(%error, "a list of changes is passed over"),
            }
            self.seen.insert(day, stamp);
        }
        Ok(count)
    }

    /// The newest version that is served.
    fn latest(&self) -> Option<DataVersion> {
        let served = self.api.data.load();
        served.catalog.corporate().latest().map(|data| data.version())
    }

    /// The lists that are new or were written anew.
    fn unseen(
        &self,
        latest: DataVersion,
    ) -> Result<Vec<(DataVersion, FileStamp)>, ChangeListError> {
        let days = changes::days(&self.snapshots)?.into_iter().filter(|day| *day <= latest);
        let stamped = |day| Some((day, changes::stamp(&self.snapshots, day)?));
        let is_unseen =
            |found: &(DataVersion, FileStamp)| self.seen.get(&found.0) != Some(&found.1);
        Ok(days.filter_map(stamped).filter(is_unseen).collect())
    }

    fn match_list(&self, list: &ChangeList) -> Result<usize, MatchError> {
        let started = Instant::now();
        let mut ids = DeliveryIds::from_seed(random_bytes()?);
        let day = DayList { day: list.day, checksum: list.checksum, numbers: &list.numbers };
        let now = Timestamp::now();
        let made = self.store.run(|store| store.match_day(&day, &self.by, now, || ids.give()))?;
        if let Some(deliveries) = made {
            let (changes, took_ms) = (list.numbers.len(), started.elapsed().as_millis());
            let day = list.day;
            tracing::info!(%day, changes, deliveries, took_ms, "the changes of a day were matched");
        }
        Ok(made.unwrap_or(0))
    }
}
