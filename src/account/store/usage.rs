//! What accounts have asked, a row a day, in the store.

use jiff::civil::Date;

use super::accounts::{self, bad_value};
use super::{Session, Store, StoreError, StoreFault, Value};
use crate::account::meter::Counts;
use crate::account::{AccountId, AccountName};

/// Rows that one statement adds where there are many.
const ROWS_AT_ONCE: usize = 64;

/// What one account asked on one day in Japan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Whose.
    pub account: AccountId,
    /// When.
    pub day: Date,
    /// How much.
    pub counts: Counts,
}

impl Store {
    /// Adds to what is known, all of it or nothing, and gives what each of `limited` has asked
    /// since `month`, on all servers. What is of an account that the store does not have is left
    /// out: another store may have taken this one's place.
    pub fn add_usage(
        &mut self,
        usage: &[Usage],
        month: Date,
        limited: &[AccountId],
    ) -> Result<Vec<(AccountId, u64)>, StoreError> {
        if usage.is_empty() {
            return self.session.read(|session| requests_since(session, month, limited));
        }
        self.session.note(|session| {
            let mut chunks = usage.chunks_exact(ROWS_AT_ONCE);
            for chunk in &mut chunks {
                add(session, chunk)?;
            }
            for one in chunks.remainder().chunks(1) {
                add(session, one)?;
            }
            requests_since(session, month, limited)
        })
    }

    /// What an account asked on each day from `from` on that it asked anything, by day.
    pub fn usage(&mut self, name: &AccountName, from: Date) -> Result<Vec<Usage>, StoreError> {
        self.session.read(|session| {
            let account = accounts::named(session, name)?.id;
            let sql = "SELECT day, requests, errors, refused FROM usage_by_day \
                       WHERE account_id = $1 AND day >= $2 ORDER BY day";
            session.rows(sql, &[account.0.into(), from.to_string().into()], |row| {
                let day: String = row.get(0)?;
                let day = day.parse().map_err(|_error| bad_value("a day", &day))?;
                let counts = Counts {
                    requests: count_of(row.get(1)?)?,
                    errors: count_of(row.get(2)?)?,
                    refused: count_of(row.get(3)?)?,
                };
                Ok(Usage { account, day, counts })
            })
        })
    }
}

fn add(session: &mut Session, usage: &[Usage]) -> Result<(), StoreError> {
    let rows: Vec<String> = (0..usage.len())
        .map(|row| {
            let at = |column: usize| row * 5 + column;
            format!(
                "(CAST(${} AS BIGINT), CAST(${} AS TEXT), CAST(${} AS BIGINT), \
                 CAST(${} AS BIGINT), CAST(${} AS BIGINT))",
                at(1),
                at(2),
                at(3),
                at(4),
                at(5),
            )
        })
        .collect();
    let sql = format!(
        "INSERT INTO usage_by_day (account_id, day, requests, errors, refused) \
         SELECT column1, column2, column3, column4, column5 FROM (VALUES {}) AS given \
         WHERE EXISTS (SELECT 1 FROM account WHERE id = column1) \
         ON CONFLICT (account_id, day) DO UPDATE SET \
         requests = usage_by_day.requests + excluded.requests, \
         errors = usage_by_day.errors + excluded.errors, \
         refused = usage_by_day.refused + excluded.refused",
        rows.join(", ")
    );
    let number = |count: u64| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
    let values: Vec<Value> = usage
        .iter()
        .flat_map(|Usage { account, day, counts }| {
            [
                account.0.into(),
                day.to_string().into(),
                number(counts.requests),
                number(counts.errors),
                number(counts.refused),
            ]
        })
        .collect();
    session.execute(&sql, &values).map(|_rows| ())
}

/// What each of these accounts has asked since a day; 0 for those without a row.
pub(super) fn requests_since(
    session: &mut Session,
    day: Date,
    accounts: &[AccountId],
) -> Result<Vec<(AccountId, u64)>, StoreError> {
    if accounts.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT listed.value, CAST(coalesce(sum(requests), 0) AS BIGINT) FROM {} AS listed \
         LEFT JOIN usage_by_day ON account_id = listed.value AND day >= $2 GROUP BY listed.value",
        session.each("$1")
    );
    let numbers = accounts.iter().map(|account| account.0).collect();
    let values = [Value::Integers(numbers), day.to_string().into()];
    session.rows(&sql, &values, |row| Ok((AccountId(row.get(0)?), count_of(row.get(1)?)?)))
}

fn count_of(number: i64) -> Result<u64, StoreFault> {
    u64::try_from(number).map_err(|_negative| bad_value("a count", &number.to_string()))
}
