//! Matches the changes of a day with the watch lists, in one transaction.
//!
//! The transaction inserts the deliveries and the row that marks the day as matched. So if several servers find the
//! same day, only one of them creates the deliveries, and a server that dies halfway has changed nothing. A day whose change
//! list was replaced is matched again.

use std::collections::HashSet;

use jiff::Timestamp;

use super::columns::number_list;
use super::delivery::{self, DeliveryKind};
use super::webhook::DeliveryId;
use crate::account::store::{Row, Store, StoreFault, StoreResult};
use crate::account::{AccountId, Plan, Service};
use crate::text::codes::{CorporateNumber, DataVersion};

/// The change list of a day.
#[derive(Debug, Clone, Copy)]
pub struct DayChanges<'a> {
    pub day: DataVersion,
    /// The checksum of the list: if it differs from the recorded one, the list was replaced.
    pub checksum: u32,
    /// The corporations that changed.
    pub numbers: &'a [CorporateNumber],
}

/// The days that were matched, ascending, with the checksums of their change lists.
pub fn matched_days(store: &mut Store) -> StoreResult<Vec<(DataVersion, u32)>> {
    let sql = "SELECT day, list_crc FROM radar_day ORDER BY day";
    store.read(|tx| tx.rows(sql, &[], |row| Ok((row.get(0)?, checksum_of(row)?))))
}

fn checksum_of(row: &Row) -> Result<u32, StoreFault> {
    let checksum: u64 = row.get(1)?;
    u32::try_from(checksum).map_err(|_range| StoreFault::bad_value("a checksum", checksum))
}

/// Creates a delivery for each account that watches a changed number, if it has a webhook and a plan with the radar.
/// Returns the number of deliveries, or `None` if the day was matched before. `next_id` generates their ids.
pub fn match_day(
    store: &mut Store,
    changes: &DayChanges<'_>,
    server_name: &str,
    now: Timestamp,
    mut next_id: impl FnMut() -> DeliveryId,
) -> StoreResult<Option<u64>> {
    let DayChanges { day, checksum, numbers } = *changes;
    store.write(|tx| {
        // This must be the first statement: another server that matches the same day waits here, and then finds it
        // done.
        let sql = "INSERT INTO radar_day (day, list_crc, claimed_by, claimed_at, deliveries) \
                   VALUES ($1, $2, $3, $4, 0) ON CONFLICT (day) DO UPDATE SET \
                   list_crc = excluded.list_crc, claimed_by = excluded.claimed_by, \
                   claimed_at = excluded.claimed_at, deliveries = 0 \
                   WHERE radar_day.list_crc <> excluded.list_crc";
        let values = [day.into(), u64::from(checksum).into(), server_name.into(), now.into()];
        if tx.execute(sql, &values)? == 0 {
            return Ok(None);
        }
        // Starts from the changes, because there are fewer of them than watched numbers.
        let sql =
            format!("SELECT DISTINCT account_id FROM watched WHERE number IN {}", tx.unnest("$1"));
        let watching: Vec<AccountId> = tx.rows(&sql, &[number_list(numbers)], |row| row.get(0))?;
        let sql = "SELECT account_id, plan FROM webhook JOIN account ON account.id = account_id";
        let with_webhook = tx.rows(sql, &[], |row| Ok((row.get(0)?, row.get::<Plan>(1)?)))?;
        let entitled: HashSet<AccountId> = with_webhook
            .into_iter()
            .filter(|(_, plan)| *plan >= Service::Radar.minimum_plan())
            .map(|(account, _)| account)
            .collect();
        let mut count = 0;
        for account in watching.into_iter().filter(|account| entitled.contains(account)) {
            delivery::insert(tx, &next_id(), account, DeliveryKind::Radar, day, now)?;
            count += 1;
        }
        let sql = "UPDATE radar_day SET deliveries = $2 WHERE day = $1";
        tx.execute(sql, &[day.into(), count.into()])?;
        Ok(Some(count))
    })
}
