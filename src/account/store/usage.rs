//! The requests of accounts, one row a day, in the store.

use jiff::civil::Date;

use super::accounts;
use super::connection::Store;
use super::error::StoreError;
use super::transaction::Transaction;
use super::upsert::{UpsertTable, upsert_rows};
use super::value::Value;
use crate::account::meter::Counts;
use crate::account::{AccountId, AccountName};

/// The requests of one account on one day in Japan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub account: AccountId,
    pub day: Date,
    pub counts: Counts,
}

const USAGE: UpsertTable<5> = UpsertTable {
    table: "usage_by_day",
    columns: [
        ("account_id", "BIGINT"),
        ("day", "TEXT"),
        ("requests", "BIGINT"),
        ("errors", "BIGINT"),
        ("refused", "BIGINT"),
    ],
    owners: "account",
    on_conflict: "(account_id, day) DO UPDATE SET \
                  requests = usage_by_day.requests + excluded.requests, \
                  errors = usage_by_day.errors + excluded.errors, \
                  refused = usage_by_day.refused + excluded.refused",
};

impl Store {
    /// Adds to the stored counts in one transaction, skipping unknown accounts; returns the requests of
    /// `limited` since `month`.
    pub fn add_usage(
        &mut self,
        usage: &[Usage],
        month: Date,
        limited: &[AccountId],
    ) -> Result<Vec<(AccountId, u64)>, StoreError> {
        if usage.is_empty() {
            return self.read(|tx| requests_since(tx, month, limited));
        }
        self.write_relaxed(|tx| {
            let rows: Vec<_> = usage
                .iter()
                .map(|Usage { account, day, counts }| {
                    let Counts { requests, errors, refused } = *counts;
                    [
                        (*account).into(),
                        (*day).into(),
                        requests.into(),
                        errors.into(),
                        refused.into(),
                    ]
                })
                .collect();
            upsert_rows(tx, &USAGE, &rows)?;
            requests_since(tx, month, limited)
        })
    }

    /// An account's counts for each day from `from` on that has any, by day.
    pub fn usage(&mut self, name: &AccountName, from: Date) -> Result<Vec<Usage>, StoreError> {
        self.read(|tx| {
            let account = accounts::by_name(tx, name)?.id;
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
        tx.unnest("$1")
    );
    let numbers = accounts.iter().map(|account| account.0).collect();
    let values = [Value::Integers(numbers), day.into()];
    tx.rows(&sql, &values, |row| Ok((row.get(0)?, row.get(1)?)))
}
