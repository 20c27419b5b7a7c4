//! Deletes an account with all its data, in one transaction.

use super::accounts;
use super::connection::Store;
use super::error::StoreError;
use super::transaction::Transaction;
use crate::account::{AccountId, AccountName};

/// The data of an account, apart from its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Holdings {
    /// Including revoked ones.
    pub keys: u64,
    pub sessions: u64,
    /// Corporations on its watch list.
    pub watched: u64,
    pub webhooks: u64,
    pub deliveries: u64,
    /// Days with counted requests.
    pub days_of_usage: u64,
}

impl Store {
    pub fn holdings(&mut self, name: &AccountName) -> Result<Holdings, StoreError> {
        self.read(|tx| {
            let account = accounts::by_name(tx, name)?.id;
            each(|table| {
                let sql = format!("SELECT count(*) FROM {table} WHERE account_id = $1");
                tx.count(&sql, &[account.into()])
            })
        })
    }

    /// Deletes an account with its keys, usage, watch list and deliveries; returns their counts. Servers reject
    /// its keys after their next reload, as after a revocation.
    pub fn delete_account(&mut self, name: &AccountName) -> Result<Holdings, StoreError> {
        self.change_rights(|tx| {
            let account = accounts::by_name(tx, name)?.id;
            let deleted = delete_holdings(tx, account)?;
            // Deletes by cascade: password, quota, known devices, figures, limits of webhook actions.
            tx.execute("DELETE FROM account WHERE id = $1", &[account.into()])?;
            Ok(deleted)
        })
    }
}

fn delete_holdings(tx: &mut Transaction<'_>, account: AccountId) -> Result<Holdings, StoreError> {
    each(|table| {
        tx.execute(&format!("DELETE FROM {table} WHERE account_id = $1"), &[account.into()])
    })
}

/// Collects the number of rows of each table.
fn each(
    mut rows: impl FnMut(&'static str) -> Result<u64, StoreError>,
) -> Result<Holdings, StoreError> {
    Ok(Holdings {
        keys: rows("api_key")?,
        sessions: rows("dashboard_session")?,
        watched: rows("watched")?,
        webhooks: rows("webhook")?,
        deliveries: rows("delivery")?,
        days_of_usage: rows("usage_by_day")?,
    })
}
