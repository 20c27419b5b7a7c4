//! Matches change lists with the watch lists: creates the deliveries of each list once, on one of the servers.
//!
//! A thread checks the lists of both registers after every reload, and every half minute. A list has to wait until all
//! servers answer from the data of its day, because a receiver may ask any of them for the changes. The memory of checked
//! lists only saves queries: one transaction inserts the deliveries and the row that marks the day as matched. So if
//! several servers find the same day, only one of them creates the deliveries, and a server that dies halfway has changed
//! nothing. A day whose change list was replaced is matched again.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::delivery::{self, DeliveryKind, number_list};
use super::watch_list;
use super::webhook::DeliveryId;
use super::webhook::event::DeliveryIds;
use crate::account::store::{Row, Store, StoreError, StoreFault, StorePool, StoreResult};
use crate::account::{AccountId, Plan, Rights, random_bytes};
use crate::clock;
use crate::random;
use crate::snapshot::changes::{self, ChangeList, ChangeListError, ChangeListFault};
use crate::snapshot::files::FileStamp;
use crate::text::codes::{DataVersion, Register};
use crate::worker::{Events, Inbox, Wake, WorkerThread};

/// How often the lists are checked without a reload.
const INTERVAL: Duration = Duration::from_secs(30);

/// How often the lists are checked after a failure, or while a list waits for other servers.
const INTERVAL_SHORT: Duration = Duration::from_secs(5);

/// Returns the newest version of a register, up to the given one, that all servers have; `None` if there is none.
pub type CommonVersion = Box<dyn Fn(Register, DataVersion) -> Option<DataVersion> + Send>;

/// The thread that matches. It ends when this is dropped.
#[derive(Debug)]
pub struct Matcher(WorkerThread<()>);

impl Matcher {
    /// Starts matching; calls `on_new_deliveries` after deliveries were created.
    pub fn start(
        mut checker: ListChecker<impl Fn(Register) -> Option<DataVersion> + Send + 'static>,
        on_new_deliveries: impl Fn() + Send + 'static,
    ) -> io::Result<Matcher> {
        let run = move |inbox: &Inbox<()>, _events: &Events<()>| {
            let mut interval = Duration::ZERO;
            while inbox.wait(interval) != Wake::Stop {
                let check = checker.check();
                if check.new_deliveries > 0 {
                    on_new_deliveries();
                }
                interval = if check.is_waiting { INTERVAL_SHORT } else { INTERVAL };
            }
        };
        Ok(Matcher(WorkerThread::start("radar", run)?))
    }

    /// A function that makes the matcher check the lists.
    pub fn waker(&self) -> impl Fn() + Send + use<> {
        self.0.waker(|| ())
    }
}

#[derive(Debug, thiserror::Error)]
enum MatchError {
    #[error(transparent)]
    Lists(#[from] ChangeListError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("no random numbers for the ids of deliveries: {0}")]
    Random(#[from] random::Error),
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Check {
    new_deliveries: u64,
    /// Whether a list has to wait for other servers or for the store.
    is_waiting: bool,
}

/// Finds the lists that were not matched yet, and matches them.
pub struct ListChecker<F> {
    pub snapshots: PathBuf,
    /// Returns the newest data version of a register that is served.
    pub latest: F,
    pub common_version: CommonVersion,
    pub store: Arc<StorePool>,
    /// The unique name of this server in the store.
    pub server_name: String,
    /// The lists that need no further check unless their files change.
    pub checked: HashMap<(Register, DataVersion), FileStamp>,
}

impl<F: Fn(Register) -> Option<DataVersion>> ListChecker<F> {
    /// Checks the lists of both registers. A failure in one does not keep the other from being matched.
    fn check(&mut self) -> Check {
        let mut check = Check::default();
        for register in Register::ALL {
            match self.check_register(register) {
                Ok(found) => {
                    check.new_deliveries += found.new_deliveries;
                    check.is_waiting |= found.is_waiting;
                }
                Err(error) => {
                    tracing::debug!(%error, %register, "cannot match changes with watch lists; trying again");
                    check.is_waiting = true;
                }
            }
        }
        check
    }

    fn check_register(&mut self, register: Register) -> Result<Check, MatchError> {
        let Some(latest) = (self.latest)(register) else { return Ok(Check::default()) };
        let mut due = self.unchecked_lists(register, latest)?;
        if due.is_empty() {
            return Ok(Check::default());
        }
        let unchecked = due.len();
        let common = (self.common_version)(register, latest);
        due.retain(|(day, _)| common.is_some_and(|version| *day <= version));
        let mut check = Check { new_deliveries: 0, is_waiting: due.len() < unchecked };
        if due.is_empty() {
            return Ok(check);
        }
        let matched = self.store.run(|store| matched_days(store, register))?;
        let matched: HashSet<(DataVersion, u32)> = matched.into_iter().collect();
        for (day, stamp) in due {
            match changes::read(&self.snapshots, register, day) {
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
            self.checked.insert((register, day), stamp);
        }
        Ok(check)
    }

    /// The lists up to this version that are new or were replaced.
    fn unchecked_lists(
        &self,
        register: Register,
        latest: DataVersion,
    ) -> Result<Vec<(DataVersion, FileStamp)>, ChangeListError> {
        let days = changes::days(&self.snapshots, register)?;
        let days = days.into_iter().filter(|day| *day <= latest);
        let stamp = |day| Some((day, changes::stamp(&self.snapshots, register, day)?));
        let is_new = |(day, stamp): &(DataVersion, FileStamp)| {
            self.checked.get(&(register, *day)) != Some(stamp)
        };
        Ok(days.filter_map(stamp).filter(is_new).collect())
    }

    /// Matches a list; returns the number of new deliveries.
    fn match_list(&self, list: &ChangeList) -> Result<u64, MatchError> {
        let started = clock::instant();
        let mut ids = DeliveryIds::from_seed(random_bytes()?);
        let now = clock::now();
        let created = self
            .store
            .run(|store| match_day(store, list, &self.server_name, now, || ids.next_id()))?;
        if let Some(deliveries) = created {
            let (changes, took) = (list.numbers.len(), clock::since(started));
            let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            let ChangeList { register, day, .. } = list;
            tracing::info!(%register, %day, changes, deliveries, took_ms, "matched the changes of a day with watch lists");
        }
        Ok(created.unwrap_or(0))
    }
}

/// The table of the days of a register that were matched.
fn day_table(register: Register) -> &'static str {
    match register {
        Register::Corporate => "radar_day",
        Register::Invoice => "radar_issuer_day",
    }
}

/// The days of a register that were matched, ascending, with the checksums of their change lists.
pub fn matched_days(store: &mut Store, register: Register) -> StoreResult<Vec<(DataVersion, u32)>> {
    let sql = format!("SELECT day, list_crc FROM {} ORDER BY day", day_table(register));
    store.read(|tx| tx.rows(&sql, &[], |row| Ok((row.get(0)?, checksum_of(row)?))))
}

fn checksum_of(row: &Row) -> Result<u32, StoreFault> {
    let checksum: u64 = row.get(1)?;
    u32::try_from(checksum).map_err(|_range| StoreFault::bad_value("a checksum", checksum))
}

/// Creates a delivery for each account that watches a number of the list, if it has a webhook and a plan with the
/// radar. Returns the number of deliveries, or `None` if the day was matched before. `next_id` generates their ids.
pub fn match_day(
    store: &mut Store,
    list: &ChangeList,
    server_name: &str,
    now: Timestamp,
    mut next_id: impl FnMut() -> DeliveryId,
) -> StoreResult<Option<u64>> {
    let ChangeList { register, day, checksum, numbers } = list;
    let (register, day) = (*register, *day);
    let days = day_table(register);
    store.write(|tx| {
        // This must be the first statement: another server that matches the same day waits here, and then finds it
        // done.
        let sql = format!(
            "INSERT INTO {days} (day, list_crc, claimed_by, claimed_at, deliveries) \
             VALUES ($1, $2, $3, $4, 0) ON CONFLICT (day) DO UPDATE SET \
             list_crc = excluded.list_crc, claimed_by = excluded.claimed_by, \
             claimed_at = excluded.claimed_at, deliveries = 0 \
             WHERE {days}.list_crc <> excluded.list_crc"
        );
        let values = [day.into(), (*checksum).into(), server_name.into(), now.into()];
        if tx.execute(&sql, &values)? == 0 {
            return Ok(None);
        }
        // Starts from the changes, because there are fewer of them than watched numbers.
        let sql = format!(
            "SELECT DISTINCT account_id FROM {} WHERE number IN {}",
            watch_list::table(register),
            tx.unnest("$1")
        );
        let watching: Vec<AccountId> = tx.rows(&sql, &[number_list(numbers)], |row| row.get(0))?;
        let sql = "SELECT account_id, plan FROM webhook JOIN account ON account.id = account_id";
        let with_webhook = tx.rows(sql, &[], |row| Ok((row.get(0)?, row.get::<Plan>(1)?)))?;
        let entitled: HashSet<AccountId> = with_webhook
            .into_iter()
            .filter(|(_, plan)| Some(*plan) >= Rights::RADAR.plan)
            .map(|(account, _)| account)
            .collect();
        let mut count = 0;
        for account in watching.into_iter().filter(|account| entitled.contains(account)) {
            let kind = DeliveryKind::Radar;
            delivery::insert(tx, &next_id(), account, kind, register, day, now)?;
            count += 1;
        }
        let sql = format!("UPDATE {days} SET deliveries = $2 WHERE day = $1");
        tx.execute(&sql, &[day.into(), count.into()])?;
        Ok(Some(count))
    })
}
