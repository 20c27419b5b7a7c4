//! The numbers that accounts watch, in the store: for each account a list of each register.

use jiff::Timestamp;

use super::delivery::{as_i64, number_list};
use super::error::RadarError;
use super::registration;
use crate::account::AccountId;
use crate::account::store::{Store, StoreResult, Transaction};
use crate::text::codes::{CorporateNumber, Register};

/// Default limit of the numbers on each list of an account.
pub const WATCHED_MAX: u64 = 100_000;

/// The table of the lists of a register.
pub(super) fn table(register: Register) -> &'static str {
    match register {
        Register::Corporate => "watched",
        Register::Invoice => "watched_issuer",
    }
}

/// The numbers that an account watches, ascending. It must have a webhook.
pub fn numbers(
    store: &mut Store,
    account: AccountId,
    register: Register,
) -> Result<Vec<CorporateNumber>, RadarError> {
    store.read(|tx| {
        registration::require(tx, account)?;
        let table = table(register);
        let sql = format!("SELECT number FROM {table} WHERE account_id = $1 ORDER BY number");
        Ok(tx.rows(&sql, &[account.into()], |row| row.get(0))?)
    })
}

pub fn count(store: &mut Store, account: AccountId, register: Register) -> StoreResult<u64> {
    store.read(|tx| count_watched(tx, account, register))
}

fn count_watched(
    tx: &mut Transaction<'_>,
    account: AccountId,
    register: Register,
) -> StoreResult<u64> {
    let sql = format!("SELECT count(*) FROM {} WHERE account_id = $1", table(register));
    tx.count(&sql, &[account.into()])
}

/// At most `limit` watched numbers that begin with the digits `prefix` and are larger than `after`, ascending.
pub fn page(
    store: &mut Store,
    account: AccountId,
    register: Register,
    prefix: &str,
    after: Option<CorporateNumber>,
    limit: u32,
) -> StoreResult<Vec<CorporateNumber>> {
    let Some((first, last)) = prefix_range(prefix) else { return Ok(Vec::new()) };
    let first = after.map_or(first, |after| first.max(as_i64(after) + 1));
    let sql = format!(
        "SELECT number FROM {} WHERE account_id = $1 AND number >= $2 AND number <= $3 \
         ORDER BY number LIMIT $4",
        table(register)
    );
    let values = [account.into(), first.into(), last.into(), i64::from(limit).into()];
    store.read(|tx| tx.rows(&sql, &values, |row| row.get(0)))
}

/// The members of `numbers` that an account watches, ascending. It must have a webhook.
pub fn filter_watched(
    store: &mut Store,
    account: AccountId,
    register: Register,
    numbers: &[CorporateNumber],
) -> Result<Vec<CorporateNumber>, RadarError> {
    store.read(|tx| {
        registration::require(tx, account)?;
        let sql = format!(
            "SELECT number FROM {} WHERE account_id = $1 AND number IN {} ORDER BY number",
            table(register),
            tx.unnest("$2")
        );
        Ok(tx.rows(&sql, &[account.into(), number_list(numbers)], |row| row.get(0))?)
    })
}

/// Adds numbers to the watch list of an account with a webhook; returns how many were not on it. Adds none if the list
/// would exceed `count_max`.
pub fn add(
    store: &mut Store,
    account: AccountId,
    register: Register,
    numbers: &[CorporateNumber],
    count_max: u64,
    now: Timestamp,
) -> Result<u64, RadarError> {
    store.write(|tx| {
        // Without the lock, two requests at once could both add the last number that fits.
        registration::lock(tx, account)?;
        let sql = format!(
            "INSERT INTO {} (account_id, number, added_at) \
             SELECT CAST($1 AS BIGINT), value, CAST($3 AS BIGINT) FROM {} AS listed \
             WHERE true ON CONFLICT (account_id, number) DO NOTHING",
            table(register),
            tx.unnest("$2")
        );
        let added = tx.execute(&sql, &[account.into(), number_list(numbers), now.into()])?;
        match count_watched(tx, account, register)? {
            found if found > count_max => Err(RadarError::WatchListFull { count_max, found }),
            _ => Ok(added),
        }
    })
}

/// Removes numbers; returns how many were on the list. The account must have a webhook.
pub fn remove(
    store: &mut Store,
    account: AccountId,
    register: Register,
    numbers: &[CorporateNumber],
) -> Result<u64, RadarError> {
    store.write(|tx| {
        registration::lock(tx, account)?;
        let sql = format!(
            "DELETE FROM {} WHERE account_id = $1 AND number IN {}",
            table(register),
            tx.unnest("$2")
        );
        Ok(tx.execute(&sql, &[account.into(), number_list(numbers)])?)
    })
}

/// The smallest and largest number that begin with these digits.
fn prefix_range(prefix: &str) -> Option<(i64, i64)> {
    if prefix.len() > 13 || !prefix.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((format!("{prefix:0<13}").parse().ok()?, format!("{prefix:9<13}").parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_of_digits_is_a_range_of_numbers() {
        assert_eq!(prefix_range(""), Some((0, 9_999_999_999_999)));
        assert_eq!(prefix_range("6010001999901"), Some((6_010_001_999_901, 6_010_001_999_901)));
        assert_eq!(prefix_range("601"), Some((6_010_000_000_000, 6_019_999_999_999)));
        assert_eq!(prefix_range("60100019999012"), None);
        assert_eq!(prefix_range("6-1"), None);
        assert_eq!(prefix_range("６"), None);
    }
}
