//! The requests of accounts, one row a day, in the store.

use jiff::civil::Date;

use super::accounts;
use super::connection::Store;
use super::error::StoreError;
use super::transaction::Transaction;
use super::value::Value;
use crate::account::meter::Counts;
use crate::account::{AccountId, AccountName};

/// Rows of one statement; fewer are written one by one, so that only two statements are prepared.
const ROWS_AT_ONCE: usize = 64;

/// The requests of one account on one day in Japan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub account: AccountId,
    pub day: Date,
    pub counts: Counts,
}

impl Store {
    /// Adds to the stored counts, all or nothing, without unknown accounts; the requests of `limited` since `month`.
    pub fn add_usage(
        &mut self,
        usage: &[Usage],
        month: Date,
        limited: &[AccountId],
    ) -> Result<Vec<(AccountId, u64)>, StoreError> {
        if usage.is_empty() {
            return self.read(|tx| requests_since(tx, month, limited));
        }
        self.note(|tx| {
            let mut chunks = usage.chunks_exact(ROWS_AT_ONCE);
            for chunk in &mut chunks {
                add(tx, chunk)?;
            }
            for one in chunks.remainder().chunks(1) {
                add(tx, one)?;
            }
            requests_since(tx, month, limited)
        })
    }

    /// An account's counts on each day from `from` on that has any, by day.
    pub fn usage(&mut self, name: &AccountName, from: Date) -> Result<Vec<Usage>, StoreError> {
        self.read(|tx| {
            let account = accounts::named(tx, name)?.id;
            let sql = "SELECT day, requests, errors, refused FROM usage_by_day \
                       WHERE account_id = $1 AND day >= $2 ORDER BY day";
            tx.rows(sql, &[account.into(), from.into()], |row| {
                let counts =
                    Counts { requests: row.get(1)?, errors: row.get(2)?, refused: row.get(3)? };
                Ok(Usage { account, day: row.get(0)?, counts })
            })
        })
    }
}

fn add(tx: &mut Transaction<'_>, usage: &[Usage]) -> Result<(), StoreError> {
    let row = |at: usize| {
        let [account, day, requests, errors, refused] = std::array::from_fn(|n| at * 5 + n + 1);
        format!(
            "(CAST(${account} AS BIGINT), CAST(${day} AS TEXT), CAST(${requests} AS BIGINT), \
             CAST(${errors} AS BIGINT), CAST(${refused} AS BIGINT))"
        )
    };
    let sql = format!(
        "INSERT INTO usage_by_day (account_id, day, requests, errors, refused) \
         SELECT column1, column2, column3, column4, column5 FROM (VALUES {}) AS given \
         WHERE EXISTS (SELECT 1 FROM account WHERE id = column1) \
         ON CONFLICT (account_id, day) DO UPDATE SET \
         requests = usage_by_day.requests + excluded.requests, \
         errors = usage_by_day.errors + excluded.errors, \
         refused = usage_by_day.refused + excluded.refused",
        (0..usage.len()).map(row).collect::<Vec<_>>().join(", ")
    );
    let columns = |Usage { account, day, counts }: &Usage| -> [Value; 5] {
        let Counts { requests, errors, refused } = *counts;
        [(*account).into(), (*day).into(), requests.into(), errors.into(), refused.into()]
    };
    let values: Vec<Value> = usage.iter().flat_map(columns).collect();
    tx.execute(&sql, &values).map(drop)
}

/// The requests of each of these accounts since a day; 0 for those without a row.
pub(super) fn requests_since(
    tx: &mut Transaction<'_>,
    day: Date,
    accounts: &[AccountId],
) -> Result<Vec<(AccountId, u64)>, StoreError> {
    if accounts.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT listed.value, CAST(coalesce(sum(requests), 0) AS BIGINT) FROM {} AS listed \
         LEFT JOIN usage_by_day ON account_id = listed.value AND day >= $2 GROUP BY listed.value",
        tx.each("$1")
    );
    let numbers = accounts.iter().map(|account| account.0).collect();
    let values = [Value::Integers(numbers), day.into()];
    tx.rows(&sql, &values, |row| Ok((row.get(0)?, row.get(1)?)))
}
