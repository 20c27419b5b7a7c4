//! Counted requests in the store: of accounts by day, and by day, endpoint and status; and the hour in which each key
//! was last used.
//!
//! Many rows are inserted in few statements, or added to rows that exist. Rows whose owner was deleted are skipped.
//! Callers sort the rows, so that two servers lock them in the same order.

use std::net::IpAddr;

use jiff::Timestamp;
use jiff::civil::Date;

use super::database::Access;
use super::error::{StoreFault, StoreResult};
use super::value::Value;
use super::{Store, Transaction, accounts};
use crate::account::meter::Counts;
use crate::account::{AccountId, AccountName, KeyId};

/// The requests of one account on one day in Japan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub account: AccountId,
    pub day: Date,
    pub counts: Counts,
}

/// Responses to an account on one day in Japan, for one endpoint and status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figure {
    pub account: AccountId,
    pub day: Date,
    /// The path with its parameters' names, as in `/metrics`.
    pub endpoint: &'static str,
    pub status: u16,
    pub requests: u64,
}

/// The hour in which a key was last used, and the address of a client that used it then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyUse {
    pub key: KeyId,
    pub hour: Timestamp,
    pub used_from: IpAddr,
}

/// The requests of an account on a day and since the beginning of its month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountUsage {
    pub account: AccountId,
    pub today: u64,
    pub month: Counts,
    /// The hour in which one of its keys was last used.
    pub used_at: Option<Timestamp>,
}

/// The sum of figures over several days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointUsage {
    pub endpoint: String,
    pub status: u16,
    pub requests: u64,
}

/// Rows per statement; remaining rows are written one by one, so that only two statements are prepared.
const STATEMENT_ROWS: usize = 64;

struct UpsertTable<const N: usize> {
    /// Its name and columns; the first column is the owner's number.
    table: &'static str,
    types: [&'static str; N],
    owners: &'static str,
    /// The key of a row, and the update of an existing one.
    on_conflict: &'static str,
}

const USAGE: UpsertTable<5> = UpsertTable {
    table: "usage_by_day (account_id, day, requests, errors, refused)",
    types: ["BIGINT", "TEXT", "BIGINT", "BIGINT", "BIGINT"],
    owners: "account",
    on_conflict: "(account_id, day) DO UPDATE SET \
                  requests = usage_by_day.requests + excluded.requests, \
                  errors = usage_by_day.errors + excluded.errors, \
                  refused = usage_by_day.refused + excluded.refused",
};

const FIGURES: UpsertTable<5> = UpsertTable {
    table: "usage_by_endpoint (account_id, day, endpoint, status, requests)",
    types: ["BIGINT", "TEXT", "TEXT", "BIGINT", "BIGINT"],
    owners: "account",
    on_conflict: "(account_id, day, endpoint, status) DO UPDATE SET \
                  requests = usage_by_endpoint.requests + excluded.requests",
};

const USES: UpsertTable<3> = UpsertTable {
    table: "key_use (key_id, used_at, used_from)",
    types: ["BIGINT", "BIGINT", "TEXT"],
    owners: "api_key",
    on_conflict: "(key_id) DO UPDATE SET used_at = excluded.used_at, \
                  used_from = excluded.used_from \
                  WHERE key_use.used_at < excluded.used_at",
};

impl Store {
    /// Adds to the stored counts in one transaction, skipping unknown accounts; returns the requests of
    /// `limited` since `month`.
    pub fn add_usage(
        &mut self,
        usage: &[Usage],
        month: Date,
        limited: &[AccountId],
    ) -> StoreResult<Vec<(AccountId, u64)>> {
        if usage.is_empty() {
            return self.read(|tx| requests_since(tx, month, limited));
        }
        self.transaction(Access::RelaxedWrite, |tx| {
            let rows: Vec<_> = usage
                .iter()
                .map(|&Usage { account, day, counts: Counts { requests, errors, refused } }| {
                    [account.into(), day.into(), requests.into(), errors.into(), refused.into()]
                })
                .collect();
            upsert_rows(tx, &USAGE, &rows)?;
            requests_since(tx, month, limited)
        })
    }

    /// An account's counts for each day from `from` on that has any, by day.
    pub fn usage(&mut self, name: &AccountName, from: Date) -> StoreResult<Vec<Usage>> {
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

    /// What every account used on `today` and since `month`, its first day, by the account's number.
    pub fn usage_of_all(&mut self, today: Date, month: Date) -> StoreResult<Vec<AccountUsage>> {
        self.read(|tx| {
            let sum = |column: &str| format!("CAST(coalesce(sum({column}), 0) AS BIGINT)");
            let sql = format!(
                "SELECT account.id, {}, {}, {}, {}, \
                 (SELECT max(used_at) FROM key_use JOIN api_key ON api_key.id = key_id \
                  WHERE api_key.account_id = account.id) \
                 FROM account LEFT JOIN usage_by_day ON account_id = account.id AND day >= $2 \
                 GROUP BY account.id ORDER BY account.id",
                sum("CASE WHEN day = $1 THEN requests END"),
                sum("requests"),
                sum("errors"),
                sum("refused"),
            );
            tx.rows(&sql, &[today.into(), month.into()], |row| {
                let month =
                    Counts { requests: row.get(2)?, errors: row.get(3)?, refused: row.get(4)? };
                Ok(AccountUsage {
                    account: row.get(0)?,
                    today: row.get(1)?,
                    month,
                    used_at: row.get(5)?,
                })
            })
        })
    }

    /// Adds to the stored figures, and records the use of keys, in one transaction; skips unknown accounts and
    /// keys. Removes figures of days before `keep_from`.
    pub fn add_figures(
        &mut self,
        figures: &[Figure],
        uses: &[KeyUse],
        keep_from: Option<Date>,
    ) -> StoreResult {
        self.transaction(Access::RelaxedWrite, |tx| {
            let rows: Vec<_> = figures
                .iter()
                .map(|&Figure { account, day, endpoint, status, requests }| {
                    let status = u64::from(status).into();
                    [account.into(), day.into(), endpoint.into(), status, requests.into()]
                })
                .collect();
            upsert_rows(tx, &FIGURES, &rows)?;
            let rows: Vec<_> = uses
                .iter()
                .map(|&KeyUse { key, hour, used_from }| [key.into(), hour.into(), used_from.into()])
                .collect();
            upsert_rows(tx, &USES, &rows)?;
            if let Some(day) = keep_from {
                tx.execute("DELETE FROM usage_by_endpoint WHERE day < $1", &[day.into()])?;
            }
            Ok(())
        })
    }

    pub fn endpoint_usage(
        &mut self,
        name: &AccountName,
        from: Date,
    ) -> StoreResult<Vec<EndpointUsage>> {
        self.read(|tx| {
            let account = accounts::by_name(tx, name)?.id;
            let sql = "SELECT endpoint, status, CAST(sum(requests) AS BIGINT) \
                       FROM usage_by_endpoint WHERE account_id = $1 AND day >= $2 \
                       GROUP BY endpoint, status ORDER BY endpoint, status";
            tx.rows(sql, &[account.into(), from.into()], |row| {
                let status: i64 = row.get(1)?;
                let wrong = |_range| StoreFault::bad_value("a status of HTTP", status);
                Ok(EndpointUsage {
                    endpoint: row.get(0)?,
                    status: u16::try_from(status).map_err(wrong)?,
                    requests: row.get(2)?,
                })
            })
        })
    }
}

/// The requests of each of these accounts since a day; 0 for those without a row.
pub(super) fn requests_since(
    tx: &mut Transaction<'_>,
    day: Date,
    accounts: &[AccountId],
) -> StoreResult<Vec<(AccountId, u64)>> {
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

fn upsert_rows<const N: usize>(
    tx: &mut Transaction<'_>,
    table: &UpsertTable<N>,
    rows: &[[Value; N]],
) -> StoreResult {
    let mut chunks = rows.chunks_exact(STATEMENT_ROWS);
    for chunk in &mut chunks {
        tx.execute(&statement(table, chunk.len()), chunk.as_flattened())?;
    }
    for row in chunks.remainder() {
        tx.execute(&statement(table, 1), row)?;
    }
    Ok(())
}

fn statement<const N: usize>(into: &UpsertTable<N>, rows: usize) -> String {
    let UpsertTable { table, types, owners, on_conflict } = into;
    let row = |row: usize| {
        let cells = (row * N + 1..).zip(types);
        let cells = cells.map(|(parameter, of_type)| format!("CAST(${parameter} AS {of_type})"));
        format!("({})", cells.collect::<Vec<_>>().join(", "))
    };
    let values: Vec<String> = (1..=N).map(|column| format!("column{column}")).collect();
    format!(
        "INSERT INTO {table} SELECT {} FROM (VALUES {}) AS given \
         WHERE EXISTS (SELECT 1 FROM {owners} WHERE id = column1) ON CONFLICT {on_conflict}",
        values.join(", "),
        (0..rows).map(row).collect::<Vec<_>>().join(", ")
    )
}
