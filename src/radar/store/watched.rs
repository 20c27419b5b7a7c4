//! The corporate numbers that accounts watch.

use jiff::Timestamp;

use super::webhooks;
use crate::account::AccountId;
use crate::account::store::accounts::bad_value;
use crate::account::store::{Row, Store, StoreError, StoreFault, Value};
use crate::text::codes::CorporateNumber;

impl Store {
    /// What an account watches, ascending. It must have a webhook.
    pub fn watched(&mut self, account: AccountId) -> Result<Vec<CorporateNumber>, StoreError> {
        self.session.read(|session| {
            webhooks::needed(session, account)?;
            let sql = "SELECT number FROM watched WHERE account_id = $1 ORDER BY number";
            session.rows(sql, &[account.0.into()], number_of)
        })
    }

    /// How many numbers an account watches.
    pub fn watched_count(&mut self, account: AccountId) -> Result<u64, StoreError> {
        self.session.read(|session| {
            let sql = "SELECT count(*) FROM watched WHERE account_id = $1";
            let count: Option<i64> = session.row(sql, &[account.0.into()], |row| row.get(0))?;
            Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
        })
    }

    /// At most so many of the numbers that an account watches, ascending, from the one behind
    /// `after` on, and only those that begin with the digits `prefix`, which may be empty.
    pub fn watched_page(
        &mut self,
        account: AccountId,
        prefix: &str,
        after: Option<CorporateNumber>,
        limit: u32,
    ) -> Result<Vec<CorporateNumber>, StoreError> {
        let Some((first, last)) = range(prefix) else { return Ok(Vec::new()) };
        let first = after.map_or(first, |after| first.max(signed(after) + 1));
        let sql = "SELECT number FROM watched WHERE account_id = $1 AND number >= $2 \
                   AND number <= $3 ORDER BY number LIMIT $4";
        let values = [account.0.into(), first.into(), last.into(), i64::from(limit).into()];
        self.session.read(|session| session.rows(sql, &values, number_of))
    }

    /// Those of `numbers` that an account watches, ascending. It must have a webhook.
    pub fn watched_among(
        &mut self,
        account: AccountId,
        numbers: &[CorporateNumber],
    ) -> Result<Vec<CorporateNumber>, StoreError> {
        self.session.read(|session| {
            webhooks::needed(session, account)?;
            let sql = format!(
                "SELECT number FROM watched WHERE account_id = $1 AND number IN {} ORDER BY number",
                session.each("$2")
            );
            session.rows(&sql, &[account.0.into(), list(numbers)], number_of)
        })
    }

    /// Adds numbers to those that an account watches; those that it watches stay as they are. It
    /// must have a webhook, and watches no more than `count_max` then; else none is added.
    pub fn watch(
        &mut self,
        account: AccountId,
        numbers: &[CorporateNumber],
        count_max: u64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.session.write(|session| {
            // So that two requests do not both find the last room.
            webhooks::locked(session, account)?;
            let sql = format!(
                "INSERT INTO watched (account_id, number, added_at) \
                 SELECT CAST($1 AS BIGINT), value, CAST($3 AS BIGINT) FROM {} AS listed \
                 WHERE true ON CONFLICT (account_id, number) DO NOTHING",
                session.each("$2")
            );
            let values = [account.0.into(), list(numbers), now.as_second().into()];
            session.execute(&sql, &values)?;
            let sql = "SELECT count(*) FROM watched WHERE account_id = $1";
            let count: Option<i64> = session.row(sql, &[account.0.into()], |row| row.get(0))?;
            let found = count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
            if found > count_max {
                return Err(StoreError::WatchListFull { count_max, found });
            }
            Ok(())
        })
    }

    /// Takes numbers off those that an account watches; how many of them were among those. It must
    /// have a webhook.
    pub fn unwatch(
        &mut self,
        account: AccountId,
        numbers: &[CorporateNumber],
    ) -> Result<u64, StoreError> {
        self.session.write(|session| {
            webhooks::locked(session, account)?;
            let sql = format!(
                "DELETE FROM watched WHERE account_id = $1 AND number IN {}",
                session.each("$2")
            );
            session.execute(&sql, &[account.0.into(), list(numbers)])
        })
    }
}

/// The smallest and largest number that begin with these digits.
fn range(prefix: &str) -> Option<(i64, i64)> {
    if prefix.len() > 13 || !prefix.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((format!("{prefix:0<13}").parse().ok()?, format!("{prefix:9<13}").parse().ok()?))
}

/// Numbers as a parameter.
pub(super) fn list(numbers: &[CorporateNumber]) -> Value {
    Value::Integers(numbers.iter().map(|number| signed(*number)).collect())
}

fn signed(number: CorporateNumber) -> i64 {
    i64::try_from(number.number()).expect("thirteen digits fit")
}

fn number_of(row: &Row) -> Result<CorporateNumber, StoreFault> {
    let found: i64 = row.get(0)?;
    let number = u64::try_from(found).ok().and_then(CorporateNumber::from_number);
    number.ok_or_else(|| bad_value("a corporate number", &found.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_at_the_beginning_are_a_range() {
        assert_eq!(range(""), Some((0, 9_999_999_999_999)));
        assert_eq!(range("6010001999901"), Some((6_010_001_999_901, 6_010_001_999_901)));
        assert_eq!(range("601"), Some((6_010_000_000_000, 6_019_999_999_999)));
        assert_eq!(range("60100019999012"), None);
        assert_eq!(range("6-1"), None);
        assert_eq!(range("６"), None);
    }
}
