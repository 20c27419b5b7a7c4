//! Collects the counts of a [`Tally`](super::tally::Tally) and writes them to the store every few seconds.
//!
//! Nothing is lost while the store fails and the server runs; a crash loses the last seconds. For the use of a
//! key, only the hour is written, once. Quotas do not depend on this: see [`usage`](super::usage).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::identity::AccountId;
use super::key::KeyId;
use super::live::LiveKeys;
use super::quota::Period;
use super::store::{Figure, Store, StoreError};

/// Days for which figures are kept, including today.
pub const FIGURE_DAYS: u32 = 30;

const INTERVAL: SignedDuration = SignedDuration::from_secs(5);

const HOUR_SECONDS: i64 = 3600;

/// Figures that are not stored yet.
#[derive(Debug)]
pub struct Figures {
    keys: Arc<LiveKeys>,
    /// By account, day, endpoint and status; sorted, so that two servers lock rows in the same order.
    pending: BTreeMap<(AccountId, Date, &'static str, u16), u64>,
    /// The hour in which keys were used, if not written yet.
    used: BTreeMap<KeyId, Timestamp>,
    /// The last written hour of each key.
    written: HashMap<KeyId, Timestamp>,
    collected_at: Timestamp,
    /// The day on which old figures were last removed.
    cleared: Option<Date>,
}

impl Figures {
    pub fn starting(keys: Arc<LiveKeys>, now: Timestamp) -> Figures {
        Figures {
            keys,
            pending: BTreeMap::new(),
            used: BTreeMap::new(),
            written: HashMap::new(),
            collected_at: now,
            cleared: None,
        }
    }

    /// Whether the next collection is due.
    pub fn is_due(&self, now: Timestamp) -> bool {
        now.duration_since(self.collected_at).abs() >= INTERVAL
    }

    /// Moves the counts into `pending`, under the current day and hour. Returns whether there is anything to
    /// write.
    pub fn collect(&mut self, now: Timestamp) -> bool {
        self.collected_at = now;
        let (day, hour) = (Period::of(now).day, hour(now));
        for (answered, requests) in self.keys.tally().take() {
            let row = (answered.account, day, answered.endpoint, answered.status);
            *self.pending.entry(row).or_default() += requests;
            if self.written.get(&answered.key) != Some(&hour) {
                self.used.insert(answered.key, hour);
            }
        }
        !self.pending.is_empty() || !self.used.is_empty()
    }

    /// Writes what was collected.
    pub fn write(&mut self, store: &mut Store, now: Timestamp) -> Result<(), StoreError> {
        let rows = self.pending.iter();
        let figures: Vec<Figure> = rows
            .map(|((account, day, endpoint, status), requests)| Figure {
                account: *account,
                day: *day,
                endpoint,
                status: *status,
                requests: *requests,
            })
            .collect();
        let uses: Vec<(KeyId, Timestamp)> = self.used.iter().map(|(key, at)| (*key, *at)).collect();
        let today = Period::of(now).day;
        let clear_from = (self.cleared != Some(today)).then(|| first_day(today));
        store.add_figures(&figures, &uses, clear_from)?;
        self.pending.clear();
        self.written.extend(std::mem::take(&mut self.used));
        self.cleared = Some(today);
        Ok(())
    }
}

/// The first day whose figures are kept.
pub fn first_day(today: Date) -> Date {
    today.saturating_sub((i64::from(FIGURE_DAYS) - 1).days())
}

fn hour(moment: Timestamp) -> Timestamp {
    let second = moment.as_second();
    Timestamp::from_second(second - second.rem_euclid(HOUR_SECONDS)).unwrap_or(moment)
}
