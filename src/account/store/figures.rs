//! Response counts in the store: requests of accounts by day, endpoint and status, and the hour in which each
//! key was last used.

use jiff::Timestamp;
use jiff::civil::Date;

use super::accounts;
use super::connection::Store;
use super::error::{StoreError, StoreFault};
use super::upsert::{UpsertTable, upsert_rows};
use crate::account::{AccountId, AccountName, KeyId};

/// Responses to an account on one day in Japan, for one endpoint and status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    pub account: AccountId,
    pub day: Date,
    /// The path with its parameters' names, as in `/metrics`.
    pub endpoint: &'static str,
    pub status: u16,
    pub requests: u64,
}

/// The sum of figures over several days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointUsage {
    pub endpoint: String,
    pub status: u16,
    pub requests: u64,
}

const FIGURES: UpsertTable<5> = UpsertTable {
    table: "usage_by_endpoint",
    columns: [
        ("account_id", "BIGINT"),
        ("day", "TEXT"),
        ("endpoint", "TEXT"),
        ("status", "BIGINT"),
        ("requests", "BIGINT"),
    ],
    owners: "account",
    on_conflict: "(account_id, day, endpoint, status) DO UPDATE SET \
                  requests = usage_by_endpoint.requests + excluded.requests",
};

const USES: UpsertTable<2> = UpsertTable {
    table: "key_use",
    columns: [("key_id", "BIGINT"), ("used_at", "BIGINT")],
    owners: "api_key",
    on_conflict: "(key_id) DO UPDATE SET used_at = excluded.used_at \
                  WHERE key_use.used_at < excluded.used_at",
};

impl Store {
    /// Adds to the stored figures, and records the use of keys, in one transaction; skips unknown accounts and
    /// keys. Removes figures of days before `keep_from`.
    pub fn add_figures(
        &mut self,
        figures: &[Figure],
        uses: &[(KeyId, Timestamp)],
        keep_from: Option<Date>,
    ) -> Result<(), StoreError> {
        self.write_relaxed(|tx| {
            let rows: Vec<_> = figures
                .iter()
                .map(|Figure { account, day, endpoint, status, requests }| {
                    let status = i64::from(*status).into();
                    [
                        (*account).into(),
                        (*day).into(),
                        (*endpoint).into(),
                        status,
                        (*requests).into(),
                    ]
                })
                .collect();
            upsert_rows(tx, &FIGURES, &rows)?;
            let rows: Vec<_> =
                uses.iter().map(|(key, hour)| [(*key).into(), (*hour).into()]).collect();
            upsert_rows(tx, &USES, &rows)?;
            if let Some(day) = keep_from {
                tx.execute("DELETE FROM usage_by_endpoint WHERE day < $1", &[day.into()])?;
            }
            Ok(())
        })
    }

    /// Responses to an account since a day, by endpoint and status.
    pub fn endpoint_usage(
        &mut self,
        name: &AccountName,
        from: Date,
    ) -> Result<Vec<EndpointUsage>, StoreError> {
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
