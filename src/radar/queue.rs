//! The queue of deliveries: a server claims due deliveries, attempts them and records the attempts.
//!
//! A claim expires: if a server dies with claims, another server attempts these deliveries under the same ids.

use std::collections::HashMap;
use std::sync::Arc;

use super::registration::{self, Webhook, webhook_from_row};
use super::webhook::DeliveryId;
use super::webhook::attempt::NextStep;
use crate::account::store::{StorePool, StoreResult, Transaction, Value};
use crate::account::{AccountId, AccountName};
use crate::text::codes::{DataVersion, Register};

/// Ids that one statement may name.
const IDS_MAX: usize = 256;

/// Due deliveries that one claim reads.
const CANDIDATES_MAX: i64 = 1024;

/// A delivery to be attempted by this server. Times are seconds since 1970.
#[derive(Debug, Clone)]
pub struct ClaimedDelivery {
    pub id: DeliveryId,
    /// For the log.
    pub account: AccountName,
    pub webhook: Webhook,
    pub register: Register,
    pub day: DataVersion,
    pub give_up_at: i64,
    pub claimed_until: i64,
}

#[derive(Debug, Default)]
pub struct ClaimedBatch {
    pub deliveries: Vec<ClaimedDelivery>,
    pub may_have_more: bool,
}

/// A finished attempt. Times are seconds since 1970.
#[derive(Debug, Clone)]
pub struct FinishedAttempt {
    pub id: DeliveryId,
    /// Identifies the claim under which the attempt was made.
    pub claimed_until: i64,
    pub started_at: i64,
    pub took_ms: i64,
    /// The status, or why there is none.
    pub answer: Result<u16, String>,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    Failed(NextStep),
}

/// The queue as the courier of one server uses it.
pub trait Queue: Send + 'static {
    /// Claims due deliveries until the time `until`, the oldest first: those that `accept` accepts, except those to
    /// `busy_receivers`. Writes nothing if no delivery is due.
    fn claim(
        &mut self,
        now: i64,
        until: i64,
        busy_receivers: &[String],
        accept: &mut dyn FnMut(&Webhook) -> bool,
    ) -> StoreResult<ClaimedBatch>;

    /// Records attempts and schedules the next ones, in one transaction. If the claim of an attempt has expired, the
    /// attempt is recorded, but only a success changes the delivery.
    fn record_attempts(&mut self, attempts: &[FinishedAttempt], now: i64) -> StoreResult;

    fn release_claims(&mut self) -> StoreResult;

    fn count_waiting(&mut self) -> StoreResult<u64>;

    /// Deletes deliveries that finished before this second; returns how many.
    fn prune(&mut self, before: i64) -> StoreResult<u64>;
}

#[derive(Debug)]
pub struct StoreQueue {
    pub store: Arc<StorePool>,
    /// The unique name of this server.
    pub server_name: String,
}

impl Queue for StoreQueue {
    fn claim(
        &mut self,
        now: i64,
        until: i64,
        busy_receivers: &[String],
        accept: &mut dyn FnMut(&Webhook) -> bool,
    ) -> StoreResult<ClaimedBatch> {
        if !self.store.run(|store| store.read(|tx| is_any_due(tx, now)))? {
            return Ok(ClaimedBatch::default());
        }
        self.write(|tx| {
            let due = due_deliveries(tx, now, busy_receivers)?;
            let may_have_more = i64::try_from(due.len()).is_ok_and(|count| count == CANDIDATES_MAX);
            let webhooks = webhooks_by_account(tx, &due)?;
            let mut deliveries = Vec::new();
            for DueDelivery { id, account, register, day, give_up_at } in due {
                match webhooks.get(&account).cloned() {
                    Some((account, webhook)) if accept(&webhook) => {
                        deliveries.push(ClaimedDelivery {
                            id,
                            account,
                            webhook,
                            register,
                            day,
                            give_up_at,
                            claimed_until: until,
                        });
                    }
                    Some(_) => {}
                    // The delivery was created while the webhook was being removed.
                    None => give_up(tx, &id, now)?,
                }
            }
            mark_claimed(tx, &deliveries, &self.server_name, until)?;
            Ok(ClaimedBatch { deliveries, may_have_more })
        })
    }

    fn record_attempts(&mut self, attempts: &[FinishedAttempt], now: i64) -> StoreResult {
        self.write(|tx| {
            let mut chunks = attempts.chunks(IDS_MAX);
            chunks.try_for_each(|chunk| record_chunk(tx, &self.server_name, chunk, now))
        })
    }

    fn release_claims(&mut self) -> StoreResult {
        let sql = "UPDATE delivery SET claimed_by = NULL, claimed_until = NULL \
                   WHERE state = 'waiting' AND claimed_by = $1";
        self.write(|tx| tx.execute(sql, &[self.server_name.as_str().into()])).map(drop)
    }

    fn count_waiting(&mut self) -> StoreResult<u64> {
        let sql = "SELECT count(*) FROM delivery WHERE state = 'waiting'";
        self.store.run(|store| store.read(|tx| tx.count(sql, &[])))
    }

    fn prune(&mut self, before: i64) -> StoreResult<u64> {
        let sql = "DELETE FROM delivery WHERE state <> 'waiting' AND finished_at < $1";
        self.write(|tx| tx.execute(sql, &[before.into()]))
    }
}

impl StoreQueue {
    fn write<T>(
        &self,
        transaction: impl FnOnce(&mut Transaction<'_>) -> StoreResult<T>,
    ) -> StoreResult<T> {
        self.store.run(|store| store.write(transaction))
    }
}

fn is_any_due(tx: &mut Transaction<'_>, now: i64) -> StoreResult<bool> {
    let sql = "SELECT 1 FROM delivery WHERE state = 'waiting' AND next_attempt_at <= $1 \
               AND (claimed_until IS NULL OR claimed_until <= $1) LIMIT 1";
    Ok(tx.row(sql, &[now.into()], |_row| Ok(()))?.is_some())
}

struct DueDelivery {
    id: DeliveryId,
    account: AccountId,
    register: Register,
    day: DataVersion,
    give_up_at: i64,
}

/// The oldest due deliveries that no server has claimed, without those to busy receivers.
fn due_deliveries(
    tx: &mut Transaction<'_>,
    now: i64,
    busy_receivers: &[String],
) -> StoreResult<Vec<DueDelivery>> {
    let not_busy = if busy_receivers.is_empty() {
        String::new()
    } else {
        let placeholders: Vec<String> =
            (3..).take(busy_receivers.len()).map(|number| format!("${number}")).collect();
        format!(
            "AND account_id NOT IN (SELECT account_id FROM webhook WHERE receiver IN ({}))",
            placeholders.join(", ")
        )
    };
    let sql = format!(
        "SELECT id, account_id, register, day, give_up_at FROM delivery \
         WHERE state = 'waiting' AND next_attempt_at <= $1 \
         AND (claimed_until IS NULL OR claimed_until <= $1) {not_busy} \
         ORDER BY next_attempt_at, id LIMIT $2 {}",
        tx.skip_locked()
    );
    let mut values: Vec<Value> = vec![now.into(), CANDIDATES_MAX.into()];
    values.extend(busy_receivers.iter().map(|receiver| receiver.as_str().into()));
    tx.rows(&sql, &values, |row| {
        Ok(DueDelivery {
            id: row.get(0)?,
            account: row.get(1)?,
            register: row.get(2)?,
            day: row.get(3)?,
            give_up_at: row.get(4)?,
        })
    })
}

/// The webhooks of the owners of deliveries, with the names of their accounts.
fn webhooks_by_account(
    tx: &mut Transaction<'_>,
    due: &[DueDelivery],
) -> StoreResult<HashMap<AccountId, (AccountName, Webhook)>> {
    let mut accounts: Vec<i64> = due.iter().map(|due| due.account.0).collect();
    accounts.sort_unstable();
    accounts.dedup();
    let sql = format!(
        "SELECT account_id, account.name, {} FROM webhook \
         JOIN account ON account.id = account_id WHERE account_id IN {}",
        registration::COLUMNS,
        tx.unnest("$1")
    );
    let webhooks = tx.rows(&sql, &[Value::Integers(accounts)], |row| {
        Ok((row.get(0)?, (row.get(1)?, webhook_from_row(row, 2)?)))
    })?;
    Ok(webhooks.into_iter().collect())
}

/// Ends a delivery whose webhook no longer exists.
fn give_up(tx: &mut Transaction<'_>, id: &DeliveryId, now: i64) -> StoreResult {
    let sql = "UPDATE delivery SET state = 'failed', finished_at = $2 WHERE id = $1";
    tx.execute(sql, &[id.into(), now.into()]).map(drop)
}

fn mark_claimed(
    tx: &mut Transaction<'_>,
    claimed: &[ClaimedDelivery],
    server_name: &str,
    until: i64,
) -> StoreResult {
    let ids: Vec<&DeliveryId> = claimed.iter().map(|delivery| &delivery.id).collect();
    for ids in ids.chunks(IDS_MAX) {
        let (placeholders, id_values) = placeholders(ids, 3);
        let sql = format!(
            "UPDATE delivery SET claimed_by = $1, claimed_until = $2 WHERE id IN ({placeholders})"
        );
        tx.execute(&sql, &[vec![server_name.into(), until.into()], id_values].concat())?;
    }
    Ok(())
}

/// Records at most [`IDS_MAX`] attempts.
fn record_chunk(
    tx: &mut Transaction<'_>,
    server_name: &str,
    attempts: &[FinishedAttempt],
    now: i64,
) -> StoreResult {
    let mut numbers = count_attempts(tx, attempts)?;
    for attempt in attempts {
        // Without a number, the delivery was deleted meanwhile: with its account, or because of a newer test.
        let Some(number) = numbers.get_mut(&attempt.id) else { continue };
        insert_attempt(tx, attempt, *number)?;
        *number += 1;
        if let Outcome::Failed(next) = attempt.outcome {
            schedule_next(tx, server_name, attempt, next, now)?;
        }
    }
    // A success counts even if the claim has expired: the receiver has the event.
    let delivered = attempts.iter().filter(|attempt| attempt.outcome == Outcome::Delivered);
    let delivered: Vec<&DeliveryId> = delivered.map(|attempt| &attempt.id).collect();
    if delivered.is_empty() {
        return Ok(());
    }
    let (placeholders, id_values) = placeholders(&delivered, 2);
    let sql = format!(
        "UPDATE delivery SET state = 'delivered', finished_at = $1, \
         claimed_by = NULL, claimed_until = NULL WHERE id IN ({placeholders})"
    );
    tx.execute(&sql, &[vec![now.into()], id_values].concat()).map(drop)
}

/// Adds attempts to the counts of their deliveries. Returns for each delivery the number of the first attempt added.
fn count_attempts(
    tx: &mut Transaction<'_>,
    attempts: &[FinishedAttempt],
) -> StoreResult<HashMap<DeliveryId, i64>> {
    let ids: Vec<&DeliveryId> = attempts.iter().map(|attempt| &attempt.id).collect();
    let (placeholders, id_values) = placeholders(&ids, 1);
    let sql = format!(
        "UPDATE delivery SET attempts = attempts + 1 WHERE id IN ({placeholders}) \
         RETURNING id, attempts"
    );
    let numbers = tx.rows(&sql, &id_values, |row| Ok((row.get(0)?, row.get(1)?)))?;
    // There may be two attempts of one delivery, if its first claim had expired. The statement counted only one.
    for (index, attempt) in attempts.iter().enumerate() {
        if attempts[..index].iter().any(|earlier| earlier.id == attempt.id) {
            let sql = "UPDATE delivery SET attempts = attempts + 1 WHERE id = $1";
            tx.execute(sql, &[(&attempt.id).into()])?;
        }
    }
    Ok(numbers.into_iter().collect())
}

fn insert_attempt(tx: &mut Transaction<'_>, attempt: &FinishedAttempt, number: i64) -> StoreResult {
    let sql = "INSERT INTO delivery_attempt (delivery_id, number, at, status, error, took_ms) \
               VALUES ($1, $2, $3, $4, $5, $6)";
    let (status, error) = match &attempt.answer {
        Ok(status) => (Some(i64::from(*status)), None),
        // PostgreSQL cannot store NUL in a text.
        Err(error) => (None, Some(error.replace('\0', "\u{fffd}"))),
    };
    let values = [
        (&attempt.id).into(),
        number.into(),
        attempt.started_at.into(),
        status.into(),
        error.into(),
        attempt.took_ms.into(),
    ];
    tx.execute(sql, &values).map(drop)
}

/// Schedules the next attempt or gives up, unless the claim has expired.
fn schedule_next(
    tx: &mut Transaction<'_>,
    server_name: &str,
    attempt: &FinishedAttempt,
    next: NextStep,
    now: i64,
) -> StoreResult {
    let (state, next_attempt_at, finished_at) = match next {
        NextStep::RetryAt(retry_at) => ("waiting", retry_at, None),
        NextStep::GiveUp => ("failed", now, Some(now)),
    };
    let sql = "UPDATE delivery SET state = $2, next_attempt_at = $3, finished_at = $4, \
               claimed_by = NULL, claimed_until = NULL \
               WHERE id = $1 AND state = 'waiting' AND claimed_by = $5 AND claimed_until = $6";
    let values = [
        (&attempt.id).into(),
        state.into(),
        next_attempt_at.into(),
        finished_at.into(),
        server_name.into(),
        attempt.claimed_until.into(),
    ];
    tx.execute(sql, &values).map(drop)
}

/// Placeholders for ids, from `$first` on, and the values for them. Their count is rounded up to a power of two by
/// repeating the last id, so that there are few different statements to prepare.
fn placeholders(ids: &[&DeliveryId], first: usize) -> (String, Vec<Value>) {
    let count = ids.len().next_power_of_two();
    let placeholders: Vec<String> =
        (first..first + count).map(|number| format!("${number}")).collect();
    let last = ids.last().into_iter().cycle();
    let values = ids.iter().chain(last).take(count).map(|id| (*id).into()).collect();
    (placeholders.join(", "), values)
}
