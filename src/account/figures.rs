//! Collects the counts of a [`Tally`](super::tally::Tally) and writes them to the store every few seconds.
//!
//! Figures are what pages show: requests by endpoint and status, and when a key was last used, to the hour. While
//! the server runs, nothing is lost if the store fails; a crash loses the last seconds. Quotas do not depend on
//! this: see [`usage`](super::usage).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::identity::AccountId;
use super::key::KeyId;
use super::live::LiveKeys;
use super::quota::Period;
use super::store::{Figure, Store, StoreResult};

/// Days for which figures are kept, including today.
pub const FIGURE_DAYS: u32 = 30;

const COLLECT_INTERVAL: SignedDuration = SignedDuration::from_secs(5);

const HOUR_SECONDS: i64 = 3600;

/// Figures that are not stored yet.
#[derive(Debug)]
pub struct Figures {
    keys: Arc<LiveKeys>,
    /// Requests by account, day, endpoint and status; sorted, so that two servers lock rows in the same order.
    pending: BTreeMap<(AccountId, Date, &'static str, u16), u64>,
    /// The hour in which each key was last used, if not written yet.
    pending_uses: BTreeMap<KeyId, Timestamp>,
    /// The hour of each key that was written last.
    written_uses: HashMap<KeyId, Timestamp>,
    collected_at: Timestamp,
    /// The day on which old figures were last removed.
    pruned_on: Option<Date>,
}

impl Figures {
    pub fn new(keys: Arc<LiveKeys>, now: Timestamp) -> Figures {
        Figures {
            keys,
            pending: BTreeMap::new(),
            pending_uses: BTreeMap::new(),
            written_uses: HashMap::new(),
            collected_at: now,
            pruned_on: None,
        }
    }

    pub fn is_due(&self, now: Timestamp) -> bool {
        now.duration_since(self.collected_at).abs() >= COLLECT_INTERVAL
    }

    /// Moves the counts into `pending`, under the current day and hour. Returns whether there is anything to
    /// write.
    pub fn collect(&mut self, now: Timestamp) -> bool {
        self.collected_at = now;
        let (day, hour) = (Period::of(now).day, hour(now));
        for (response, requests) in self.keys.tally.take() {
            let row = (response.account, day, response.endpoint, response.status);
            *self.pending.entry(row).or_default() += requests;
            if self.written_uses.get(&response.key) != Some(&hour) {
                self.pending_uses.insert(response.key, hour);
            }
        }
        !self.pending.is_empty() || !self.pending_uses.is_empty()
    }

    pub fn write(&mut self, store: &mut Store, now: Timestamp) -> StoreResult {
        let figures: Vec<Figure> = self
            .pending
            .iter()
            .map(|(&(account, day, endpoint, status), &requests)| Figure {
                account,
                day,
                endpoint,
                status,
                requests,
            })
            .collect();
        let uses: Vec<_> = self.pending_uses.iter().map(|(key, hour)| (*key, *hour)).collect();
        let today = Period::of(now).day;
        let keep_from = (self.pruned_on != Some(today)).then(|| first_day(today));
        store.add_figures(&figures, &uses, keep_from)?;
        self.pending.clear();
        self.written_uses.extend(std::mem::take(&mut self.pending_uses));
        self.pruned_on = Some(today);
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
