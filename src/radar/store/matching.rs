//! A day's changes against everybody's watch lists, once.
//!
//! The row that says that a day is done and the deliveries that came of it are one transaction: of
//! several servers that find the same day one makes it, and one that dies in the middle has done
//! nothing. A day whose list was replaced by another is matched again.

use std::collections::HashSet;

use jiff::Timestamp;

use super::deliveries::{self, Kind};
use super::watched::list;
use crate::account::store::accounts::bad_value;
use crate::account::store::{Row, Store, StoreError, StoreFault};
use crate::account::{AccountId, Plan, Service};
use crate::radar::webhook::DeliveryId;
use crate::text::codes::{CorporateNumber, DataVersion};

/// The numbers that changed on a day.
#[derive(Debug, Clone, Copy)]
pub struct DayList<'a> {
    /// The day.
    pub day: DataVersion,
    /// The checksum of its list, which tells one list of a day from another.
    pub checksum: u32,
    /// The numbers.
    pub numbers: &'a [CorporateNumber],
}

impl Store {
    /// The days that were matched, ascending, with the checksums of their lists.
    pub fn matched_days(&mut self) -> Result<Vec<(DataVersion, u32)>, StoreError> {
        let sql = "SELECT day, list_crc FROM radar_day ORDER BY day";
        self.session.read(|session| session.rows(sql, &[], matched_of))
    }

    /// Makes a delivery for each account with a webhook and the radar in its plan that watches one
    /// of the numbers, each with an id that `id` gives; how many. `None` where another server had
    /// done so. `by` names this one.
    pub fn match_day(
        &mut self,
        day: &DayList<'_>,
        by: &str,
        now: Timestamp,
        mut id: impl FnMut() -> DeliveryId,
    ) -> Result<Option<usize>, StoreError> {
        self.session.write(|session| {
            // First: another server that is at the same day waits here and then finds it done.
            let sql = "INSERT INTO radar_day (day, list_crc, claimed_by, claimed_at, deliveries) \
                       VALUES ($1, $2, $3, $4, 0) ON CONFLICT (day) DO UPDATE SET \
                       list_crc = excluded.list_crc, claimed_by = excluded.claimed_by, \
                       claimed_at = excluded.claimed_at, deliveries = 0 \
                       WHERE radar_day.list_crc <> excluded.list_crc";
            let text = day.day.to_string();
            let values = [
                text.as_str().into(),
                i64::from(day.checksum).into(),
                by.into(),
                now.as_second().into(),
            ];
            if session.execute(sql, &values)? == 0 {
                return Ok(None);
            }
            // By number first: there are fewer changes than numbers watched.
            let sql = format!(
                "SELECT DISTINCT account_id FROM watched WHERE number IN {}",
                session.each("$1")
            );
            let watching =
                session.rows(&sql, &[list(day.numbers)], |row| row.get(0).map(AccountId))?;
            let sql =
                "SELECT account_id, plan FROM webhook JOIN account ON account.id = account_id";
            let told: HashSet<AccountId> =
                session.rows(sql, &[], told_of)?.into_iter().flatten().collect();
            let mut count = 0;
            for account in watching.into_iter().filter(|account| told.contains(account)) {
                deliveries::make(session, &id(), account, Kind::Radar, day.day, now)?;
                count += 1;
            }
            let sql = "UPDATE radar_day SET deliveries = $2 WHERE day = $1";
            let made = i64::try_from(count).unwrap_or(i64::MAX);
            session.execute(sql, &[text.into(), made.into()])?;
            Ok(Some(count))
        })
    }
}

fn matched_of(row: &Row) -> Result<(DataVersion, u32), StoreFault> {
    let (day, checksum): (String, i64) = (row.get(0)?, row.get(1)?);
    let checksum =
        u32::try_from(checksum).map_err(|_range| bad_value("a checksum", &checksum.to_string()))?;
    Ok((deliveries::day_of(&day)?, checksum))
}

/// The account of a row, where its plan has the radar.
fn told_of(row: &Row) -> Result<Option<AccountId>, StoreFault> {
    let plan: String = row.get(1)?;
    let plan = Plan::parse(&plan).ok_or_else(|| bad_value("a plan", &plan))?;
    let account = AccountId(row.get(0)?);
    Ok((plan >= Service::Radar.plan()).then_some(account))
}
