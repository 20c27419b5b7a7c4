//! Deliveries in the store, as users list and create them: the latest ones, their attempts, tests, redeliveries. The
//! courier uses `queue` instead.
//!
//! Deliveries sent by hand are limited to a few at once, then one every few seconds: the receiver is somebody's server,
//! which an account could otherwise use this server to flood. The algorithm is GCRA (generic cell rate algorithm): the
//! store keeps one time for each account and action, so all servers share the limit.

use jiff::Timestamp;

use super::error::RadarError;
use super::registration;
use super::stored_secret::StoredSecret;
use super::webhook::attempt::RETRY_SECONDS_MAX;
use super::webhook::{DeliveryId, WebhookUrl};
use crate::account::store::{
    FromValue, Row, Store, StoreFault, StoreResult, Transaction, Value, from_text, into_value,
};
use crate::account::{AccountId, AccountName};
use crate::text::codes::{CorporateNumber, DataVersion, Register};
use crate::text::named_enum::named_enum;

named_enum! {
    fn as_str;
    pub enum DeliveryKind {
        Radar = "radar",
        Test = "test",
    }
}

named_enum! {
    fn as_str;
    pub enum DeliveryState {
        /// Waits for its first or next attempt.
        Waiting = "waiting",
        Delivered = "delivered",
        /// The server gave up, or the webhook was removed.
        Failed = "failed",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ActionLimit {
    /// The name of the action in the store.
    action: &'static str,
    /// How many are allowed at once.
    burst: i64,
    /// Seconds until one more is allowed.
    interval: i64,
}

const TESTS: ActionLimit = ActionLimit { action: "test", burst: 5, interval: 12 };

const REDELIVERIES: ActionLimit = ActionLimit { action: "redeliver", burst: 60, interval: 2 };

impl ActionLimit {
    /// Uses one. `full_at` is when the full burst is available again. Returns the new `full_at`, or the seconds to
    /// wait. Times are seconds since 1970.
    fn charge(self, full_at: i64, now: i64) -> Result<i64, i64> {
        let window = self.burst * self.interval;
        // The clock may have been ahead and then set back: nobody waits longer than the window.
        let next = full_at.clamp(now, now + window) + self.interval;
        if next > now + window { Err(next - now - window) } else { Ok(next) }
    }
}

/// A delivery as lists show it. Times are seconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The value of the header `webhook-id`.
    pub id: DeliveryId,
    pub account: AccountName,
    pub kind: DeliveryKind,
    /// The register whose changes it announces; of a test, that of corporations.
    pub register: Register,
    /// The date whose changes it announces.
    pub day: DataVersion,
    pub state: DeliveryState,
    pub attempts: i64,
    pub created_at: i64,
    /// When the next attempt is due; for a finished delivery, when it would have been.
    pub next_attempt_at: i64,
    /// When it was delivered or given up.
    pub finished_at: Option<i64>,
    pub last_attempt: Option<AttemptRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    /// From 1.
    pub number: i64,
    /// In seconds since 1970.
    pub started_at: i64,
    /// The status of the response; `None` if there was none.
    pub status: Option<i64>,
    pub error: Option<String>,
    pub took_ms: i64,
}

/// The latest deliveries of one account or of all, the newest first.
pub fn latest(
    store: &mut Store,
    account: Option<&AccountName>,
    limit: u32,
) -> StoreResult<Vec<Delivery>> {
    let filter = if account.is_some() { "WHERE account.name = $2" } else { "" };
    let sql =
        format!("{DELIVERY_SQL} {filter} ORDER BY delivery.created_at DESC, delivery.id LIMIT $1");
    let mut values: Vec<Value> = vec![i64::from(limit).into()];
    values.extend(account.map(Value::from));
    store.read(|tx| tx.rows(&sql, &values, delivery_from_row))
}

/// Every attempt of a delivery, the oldest first.
pub fn attempts(store: &mut Store, id: &DeliveryId) -> Result<Vec<AttemptRecord>, RadarError> {
    store.read(|tx| {
        // Fails if there is no such delivery.
        owner_of(tx, id)?;
        let sql = "SELECT number, at, status, error, took_ms FROM delivery_attempt \
                   WHERE delivery_id = $1 ORDER BY number";
        Ok(tx.rows(sql, &[id.into()], |row| attempt_from_row(row, 0))?)
    })
}

/// Makes a delivery due now, with three more days of retries. Its owner must have a webhook. If `account` is given, the
/// delivery must belong to it, and this counts towards its limit. `None` is the operator, who has no limit.
pub fn redeliver(
    store: &mut Store,
    id: &DeliveryId,
    account: Option<AccountId>,
    now: Timestamp,
) -> Result<Delivery, RadarError> {
    store.write(|tx| {
        let owner = owner_of(tx, id)?;
        if account.is_some_and(|account| account != owner) {
            return Err(no_such_delivery(id));
        }
        registration::lock(tx, owner)?;
        if account.is_some() {
            charge(tx, owner, REDELIVERIES, now)?;
        }
        // Without the claim, an attempt in flight that fails cannot end the delivery.
        let sql = "UPDATE delivery SET state = 'waiting', next_attempt_at = $2, \
                   give_up_at = $3, finished_at = NULL, \
                   claimed_by = NULL, claimed_until = NULL WHERE id = $1";
        tx.execute(sql, &[id.into(), now.into(), (now.as_second() + RETRY_SECONDS_MAX).into()])?;
        find(tx, id)
    })
}

/// Creates a test delivery with the date `day`. It replaces the account's previous test, so that tests do not fill the
/// list. The account must have a webhook, and this counts towards its limit.
pub fn create_test(
    store: &mut Store,
    id: &DeliveryId,
    account: AccountId,
    day: DataVersion,
    now: Timestamp,
) -> Result<Delivery, RadarError> {
    store.write(|tx| {
        registration::lock(tx, account)?;
        charge(tx, account, TESTS, now)?;
        let sql = "DELETE FROM delivery WHERE account_id = $1 AND kind = 'test'";
        tx.execute(sql, &[account.into()])?;
        insert(tx, id, account, DeliveryKind::Test, Register::Corporate, day, now)?;
        find(tx, id)
    })
}

/// Creates a delivery that is due now.
pub fn insert(
    tx: &mut Transaction<'_>,
    id: &DeliveryId,
    account: AccountId,
    kind: DeliveryKind,
    register: Register,
    day: DataVersion,
    now: Timestamp,
) -> StoreResult {
    let sql = "INSERT INTO delivery (id, account_id, kind, register, day, state, attempts, \
               created_at, next_attempt_at, give_up_at) \
               VALUES ($1, $2, $3, $4, $5, 'waiting', 0, $6, $6, $7)";
    let values = [
        id.into(),
        account.into(),
        kind.into(),
        register.into(),
        day.into(),
        now.into(),
        (now.as_second() + RETRY_SECONDS_MAX).into(),
    ];
    tx.execute(sql, &values).map(drop)
}

/// Uses one of an action's limit for an account. The caller must have locked its webhook.
fn charge(
    tx: &mut Transaction<'_>,
    account: AccountId,
    limit: ActionLimit,
    now: Timestamp,
) -> Result<(), RadarError> {
    let sql = "SELECT full_at FROM webhook_allowance WHERE account_id = $1 AND action = $2";
    let account_and_action = [account.into(), limit.action.into()];
    let full_at = tx.row(sql, &account_and_action, |row| row.get(0))?.unwrap_or(0);
    let charged = limit.charge(full_at, now.as_second());
    let ActionLimit { burst, interval, .. } = limit;
    let full_at = charged.map_err(|wait| RadarError::TooOften { burst, interval, wait })?;
    let sql = "INSERT INTO webhook_allowance (account_id, action, full_at) VALUES ($1, $2, $3) \
               ON CONFLICT (account_id, action) DO UPDATE SET full_at = excluded.full_at";
    tx.execute(sql, &[&account_and_action[..], &[full_at.into()]].concat())?;
    Ok(())
}

fn find(tx: &mut Transaction<'_>, id: &DeliveryId) -> Result<Delivery, RadarError> {
    let sql = format!("{DELIVERY_SQL} WHERE delivery.id = $1");
    tx.row(&sql, &[id.into()], delivery_from_row)?.ok_or_else(|| no_such_delivery(id))
}

fn owner_of(tx: &mut Transaction<'_>, id: &DeliveryId) -> Result<AccountId, RadarError> {
    let sql = "SELECT account_id FROM delivery WHERE id = $1";
    tx.row(sql, &[id.into()], |row| row.get(0))?.ok_or_else(|| no_such_delivery(id))
}

fn no_such_delivery(id: &DeliveryId) -> RadarError {
    RadarError::NoSuchDelivery { id: id.to_string() }
}

const DELIVERY_SQL: &str = "SELECT delivery.id, account.name, kind, register, day, state, \
     attempts, delivery.created_at, next_attempt_at, finished_at, number, at, status, error, took_ms \
     FROM delivery JOIN account ON account.id = account_id \
     LEFT JOIN delivery_attempt ON delivery_id = delivery.id AND number = attempts";

fn delivery_from_row(row: &Row) -> Result<Delivery, StoreFault> {
    let number: Option<i64> = row.get(10)?;
    Ok(Delivery {
        id: row.get(0)?,
        account: row.get(1)?,
        kind: row.get(2)?,
        register: row.get(3)?,
        day: row.get(4)?,
        state: row.get(5)?,
        attempts: row.get(6)?,
        created_at: row.get(7)?,
        next_attempt_at: row.get(8)?,
        finished_at: row.get(9)?,
        last_attempt: number.map(|_number| attempt_from_row(row, 10)).transpose()?,
    })
}

/// The attempt in five columns, of which `first` is the index of the first one.
fn attempt_from_row(row: &Row, first: usize) -> Result<AttemptRecord, StoreFault> {
    Ok(AttemptRecord {
        number: row.get(first)?,
        started_at: row.get(first + 1)?,
        status: row.get(first + 2)?,
        error: row.get(first + 3)?,
        took_ms: row.get(first + 4)?,
    })
}

into_value! {
    &StoredSecret => |secret| Value::from(secret.as_bytes());
    &DeliveryId => |id| Value::from(id.as_str());
    &WebhookUrl => |url| Value::from(url.as_str());
    DeliveryKind => |kind| Value::from(kind.as_str());
    Register => |register| Value::from(register.as_str());
    DataVersion => |day| Value::from(day.to_string());
}

from_text! {
    DeliveryId, "a delivery's id", |text| DeliveryId::parse(text).ok();
    DataVersion, "a day", |text| DataVersion::parse(text).ok();
    DeliveryKind, "a kind of delivery", DeliveryKind::parse;
    Register, "a register", Register::parse;
    DeliveryState, "a state of a delivery", DeliveryState::parse;
    WebhookUrl, "a webhook's URL", |text| WebhookUrl::parse(text).ok();
}

impl FromValue for CorporateNumber {
    fn from_value(value: &Value) -> Result<CorporateNumber, StoreFault> {
        let number = u64::from_value(value)?;
        CorporateNumber::from_number(number)
            .ok_or_else(|| StoreFault::bad_value("a corporate number", number))
    }
}

impl FromValue for StoredSecret {
    fn from_value(value: &Value) -> Result<StoredSecret, StoreFault> {
        let bytes = Vec::<u8>::from_value(value)?;
        StoredSecret::from_bytes(&bytes).map_err(|fault| StoreFault::bad_value("a secret", fault))
    }
}

/// Corporate numbers as one parameter of a statement.
pub(super) fn number_list(numbers: &[CorporateNumber]) -> Value {
    Value::Integers(numbers.iter().map(|number| as_i64(*number)).collect())
}

pub(super) fn as_i64(number: CorporateNumber) -> i64 {
    i64::try_from(number.number()).expect("thirteen digits fit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_allowed_and_then_one_per_interval() {
        let mut full_at = 0;
        let mut charge = |now: i64| {
            let charged = TESTS.charge(full_at, now);
            full_at = charged.unwrap_or(full_at);
            charged.map(drop)
        };
        for _ in 0..5 {
            assert_eq!(charge(1000), Ok(()));
        }
        assert_eq!((charge(1000), charge(1011)), (Err(12), Err(1)));
        assert_eq!((charge(1012), charge(1012)), (Ok(()), Err(12)));
        // A minute later the full burst is available again.
        for _ in 0..5 {
            assert_eq!(charge(2000), Ok(()));
        }
        // The clock was set back.
        assert_eq!(charge(100), Err(12));
        assert_eq!(charge(i64::from(u32::MAX)), Ok(()));
    }
}
