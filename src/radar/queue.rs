//! The queue of deliveries: due ones are claimed, attempted and finished.
//!
//! A claim expires: if a server dies with claims, the next one continues them under the same id. Every attempt
//! is recorded.

use std::collections::HashMap;
use std::sync::Arc;

use super::registration::{self, Webhook, webhook_of};
use super::webhook::DeliveryId;
use super::webhook::schedule::Next;
use crate::account::store::{StoreError, StorePool, Transaction, Value};
use crate::account::{AccountId, AccountName};
use crate::text::codes::DataVersion;

/// The most deliveries named in one statement.
const AT_ONCE_MAX: usize = 256;

/// How many due deliveries one claim looks at.
const CANDIDATES_MAX: i64 = 1024;

/// A delivery to be attempted by this server. Times are seconds since 1970.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The `webhook-id`.
    pub id: DeliveryId,
    /// For the log.
    pub account: AccountName,
    pub webhook: Webhook,
    /// The date whose changes it announces.
    pub day: DataVersion,
    pub give_up_at: i64,
    pub claimed_until: i64,
}

/// A finished attempt. Times are seconds since 1970.
#[derive(Debug, Clone)]
pub struct Finished {
    pub id: DeliveryId,
    /// Identifies the claim of the attempt.
    pub claimed_until: i64,
    /// When it began.
    pub at: i64,
    pub took_ms: i64,
    /// The status, or why there is none.
    pub answer: Result<u16, String>,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    Failed(Next),
}

/// The queue as the courier of one server uses it.
pub trait Queue: Send + 'static {
    /// Claims due deliveries that `choose` accepts until `until`, oldest first, none to `avoided`. Returns
    /// whether there may be more. Writes nothing if nothing is due.
    fn claim(
        &mut self,
        now: i64,
        until: i64,
        avoided: &[String],
        choose: &mut dyn FnMut(&Webhook) -> bool,
    ) -> Result<(Vec<Claimed>, bool), StoreError>;

    /// Records attempts and schedules the next ones, in one transaction. After an expired claim only the
    /// attempt is recorded.
    fn finish(&mut self, finished: &[Finished], now: i64) -> Result<(), StoreError>;

    /// Releases every claim of this server.
    fn release_claims(&mut self) -> Result<(), StoreError>;

    fn count_waiting(&mut self) -> Result<u64, StoreError>;

    /// Deletes deliveries that finished before this second; returns how many.
    fn prune(&mut self, before: i64) -> Result<u64, StoreError>;
}

#[derive(Debug)]
pub struct StoreQueue {
    pub store: Arc<StorePool>,
    /// The unique name of this server.
    pub by: String,
}

impl Queue for StoreQueue {
    fn claim(
        &mut self,
        now: i64,
        until: i64,
        avoided: &[String],
        choose: &mut dyn FnMut(&Webhook) -> bool,
    ) -> Result<(Vec<Claimed>, bool), StoreError> {
        if !self.store.run(|store| store.read(|tx| is_any_due(tx, now)))? {
            return Ok((Vec::new(), false));
        }
        self.write(|tx| {
            let due = due(tx, now, avoided)?;
            let more = i64::try_from(due.len()).is_ok_and(|count| count == CANDIDATES_MAX);
            let webhooks = webhooks_of(tx, &due)?;
            let mut claimed = Vec::new();
            for Due { id, account, day, give_up_at } in due {
                match webhooks.get(&account).cloned() {
                    Some((account, webhook)) if choose(&webhook) => {
                        let claimed_until = until;
                        let one = Claimed { id, account, webhook, day, give_up_at, claimed_until };
                        claimed.push(one);
                    }
                    Some(_) => {}
                    // Created while the webhook was being removed.
                    None => give_up(tx, &id, now)?,
                }
            }
            mark_claimed(tx, &claimed, (&self.by, until))?;
            Ok((claimed, more))
        })
    }

    fn finish(&mut self, finished: &[Finished], now: i64) -> Result<(), StoreError> {
        self.write(|tx| {
            let mut chunks = finished.chunks(AT_ONCE_MAX);
            chunks.try_for_each(|some| finish_some(tx, &self.by, some, now))
        })
    }

    fn release_claims(&mut self) -> Result<(), StoreError> {
        let sql = "UPDATE delivery SET claimed_by = NULL, claimed_until = NULL \
                   WHERE state = 'waiting' AND claimed_by = $1";
        self.write(|tx| tx.execute(sql, &[self.by.as_str().into()])).map(drop)
    }

    fn count_waiting(&mut self) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM delivery WHERE state = 'waiting'";
        self.store.run(|store| store.read(|tx| tx.count(sql, &[])))
    }

    fn prune(&mut self, before: i64) -> Result<u64, StoreError> {
        let sql = "DELETE FROM delivery WHERE state <> 'waiting' AND finished_at < $1";
        self.write(|tx| tx.execute(sql, &[before.into()]))
    }
}

impl StoreQueue {
    fn write<T>(
        &self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.store.run(|store| store.write(work))
    }
}

fn is_any_due(tx: &mut Transaction<'_>, now: i64) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM delivery WHERE state = 'waiting' AND next_attempt_at <= $1 \
               AND (claimed_until IS NULL OR claimed_until <= $1) LIMIT 1";
    Ok(tx.row(sql, &[now.into()], |_row| Ok(()))?.is_some())
}

struct Due {
    id: DeliveryId,
    account: AccountId,
    day: DataVersion,
    give_up_at: i64,
}

fn due(tx: &mut Transaction<'_>, now: i64, avoided: &[String]) -> Result<Vec<Due>, StoreError> {
    let places: Vec<String> = (0..avoided.len()).map(|at| format!("${}", at + 3)).collect();
    let avoiding = if avoided.is_empty() {
        String::new()
    } else {
        format!(
            "AND account_id NOT IN (SELECT account_id FROM webhook WHERE receiver IN ({}))",
            places.join(", ")
        )
    };
    let sql = format!(
        "SELECT id, account_id, day, give_up_at FROM delivery \
         WHERE state = 'waiting' AND next_attempt_at <= $1 \
         AND (claimed_until IS NULL OR claimed_until <= $1) {avoiding} \
         ORDER BY next_attempt_at, id LIMIT $2 {}",
        tx.skip_locked()
    );
    let mut values: Vec<Value> = vec![now.into(), CANDIDATES_MAX.into()];
    values.extend(avoided.iter().map(|receiver| receiver.as_str().into()));
    tx.rows(&sql, &values, |row| {
        Ok(Due { id: row.get(0)?, account: row.get(1)?, day: row.get(2)?, give_up_at: row.get(3)? })
    })
}

fn webhooks_of(
    tx: &mut Transaction<'_>,
    due: &[Due],
) -> Result<HashMap<AccountId, (AccountName, Webhook)>, StoreError> {
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
        Ok((row.get(0)?, (row.get(1)?, webhook_of(row, 2)?)))
    })?;
    Ok(webhooks.into_iter().collect())
}

/// Ends a delivery whose webhook no longer exists.
fn give_up(tx: &mut Transaction<'_>, id: &DeliveryId, now: i64) -> Result<(), StoreError> {
    let sql = "UPDATE delivery SET state = 'failed', finished_at = $2 WHERE id = $1";
    tx.execute(sql, &[id.into(), now.into()]).map(drop)
}

/// Marks deliveries as claimed by this server until a time.
fn mark_claimed(
    tx: &mut Transaction<'_>,
    claimed: &[Claimed],
    (by, until): (&str, i64),
) -> Result<(), StoreError> {
    let ids: Vec<&DeliveryId> = claimed.iter().map(|one| &one.id).collect();
    for ids in ids.chunks(AT_ONCE_MAX) {
        let (placeholders, listed) = placeholders(ids, 3);
        let sql = format!(
            "UPDATE delivery SET claimed_by = $1, claimed_until = $2 WHERE id IN ({placeholders})"
        );
        tx.execute(&sql, &[vec![by.into(), until.into()], listed].concat())?;
    }
    Ok(())
}

fn finish_some(
    tx: &mut Transaction<'_>,
    by: &str,
    finished: &[Finished],
    now: i64,
) -> Result<(), StoreError> {
    let mut numbers = count_attempts(tx, finished)?;
    for one in finished {
        // Missing if the account was removed meanwhile, together with the delivery.
        let Some(number) = numbers.get_mut(&one.id) else { continue };
        record(tx, one, *number)?;
        *number += 1;
        if let Outcome::Failed(next) = one.outcome {
            schedule_next(tx, by, one, next, now)?;
        }
    }
    // Regardless of the current claim: the receiver has the event.
    let delivered = finished.iter().filter(|one| one.outcome == Outcome::Delivered);
    let delivered: Vec<&DeliveryId> = delivered.map(|one| &one.id).collect();
    if delivered.is_empty() {
        return Ok(());
    }
    let (placeholders, listed) = placeholders(&delivered, 2);
    let sql = format!(
        "UPDATE delivery SET state = 'delivered', finished_at = $1, \
         claimed_by = NULL, claimed_until = NULL WHERE id IN ({placeholders})"
    );
    tx.execute(&sql, &[vec![now.into()], listed].concat()).map(drop)
}

/// Counts attempts of deliveries; returns the number of the first attempt of each.
fn count_attempts(
    tx: &mut Transaction<'_>,
    finished: &[Finished],
) -> Result<HashMap<DeliveryId, i64>, StoreError> {
    let ids: Vec<&DeliveryId> = finished.iter().map(|one| &one.id).collect();
    let (placeholders, listed) = placeholders(&ids, 1);
    let sql = format!(
        "UPDATE delivery SET attempts = attempts + 1 WHERE id IN ({placeholders}) \
         RETURNING id, attempts"
    );
    let numbers = tx.rows(&sql, &listed, |row| Ok((row.get(0)?, row.get(1)?)))?;
    // A delivery may be listed twice if its first claim had expired.
    for (at, one) in finished.iter().enumerate() {
        if finished[..at].iter().any(|earlier| earlier.id == one.id) {
            let sql = "UPDATE delivery SET attempts = attempts + 1 WHERE id = $1";
            tx.execute(sql, &[(&one.id).into()])?;
        }
    }
    Ok(numbers.into_iter().collect())
}

fn record(tx: &mut Transaction<'_>, one: &Finished, number: i64) -> Result<(), StoreError> {
    let sql = "INSERT INTO delivery_attempt (delivery_id, number, at, status, error, took_ms) \
               VALUES ($1, $2, $3, $4, $5, $6)";
    let (status, error) = match &one.answer {
        Ok(status) => (Some(i64::from(*status)), None),
        // PostgreSQL cannot store NUL in a text.
        Err(error) => (None, Some(error.replace('\0', "\u{fffd}"))),
    };
    let values = [
        (&one.id).into(),
        number.into(),
        one.at.into(),
        status.into(),
        error.into(),
        one.took_ms.into(),
    ];
    tx.execute(sql, &values).map(drop)
}

/// Schedules the next attempt or gives up, unless the claim has expired.
fn schedule_next(
    tx: &mut Transaction<'_>,
    by: &str,
    one: &Finished,
    next: Next,
    now: i64,
) -> Result<(), StoreError> {
    let (state, at, ended) = match next {
        Next::Retry { at } => ("waiting", at, None),
        Next::GiveUp => ("failed", now, Some(now)),
    };
    let sql = "UPDATE delivery SET state = $2, next_attempt_at = $3, finished_at = $4, \
               claimed_by = NULL, claimed_until = NULL \
               WHERE id = $1 AND state = 'waiting' AND claimed_by = $5 AND claimed_until = $6";
    let values = [
        (&one.id).into(),
        state.into(),
        at.into(),
        ended.into(),
        by.into(),
        one.claimed_until.into(),
    ];
    tx.execute(sql, &values).map(drop)
}

/// Placeholders of ids from `$from`, and the ids: a power of two of them, for few prepared statements.
fn placeholders(ids: &[&DeliveryId], from: usize) -> (String, Vec<Value>) {
    let count = ids.len().next_power_of_two();
    let places: Vec<String> = (from..from + count).map(|at| format!("${at}")).collect();
    let last = ids.last().into_iter().cycle();
    let listed = ids.iter().chain(last).take(count).map(|id| (*id).into()).collect();
    (places.join(", "), listed)
}
