//! The webhook of each account, in the store: its URL and the secrets that sign.

use jiff::Timestamp;

use super::error::RadarError;
use super::webhook::signature::ROTATION_SECONDS;
use super::webhook::{Secret, Secrets, WebhookUrl};
use crate::account::AccountId;
use crate::account::store::{Row, Store, StoreError, StoreFault, Transaction};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub url: WebhookUrl,
    pub secrets: Secrets,
    /// In seconds since 1970.
    pub created_at: i64,
    /// When URL or secret last changed, in seconds since 1970.
    pub changed_at: i64,
}

pub(super) const COLUMNS: &str = "webhook.url, webhook.secret, webhook.previous_secret, \
     webhook.previous_until, webhook.created_at, webhook.changed_at";

pub fn find(store: &mut Store, account: AccountId) -> Result<Option<Webhook>, StoreError> {
    store.read(|tx| select(tx, account))
}

/// Sets an account's URL, for waiting deliveries too; `first` is the secret of a new webhook.
pub fn set(
    store: &mut Store,
    account: AccountId,
    url: &WebhookUrl,
    first: &Secret,
    now: Timestamp,
) -> Result<Webhook, RadarError> {
    store.change_rights(|tx| {
        let sql = "INSERT INTO webhook \
                   (account_id, url, receiver, secret, created_at, changed_at) \
                   VALUES ($1, $2, $3, $4, $5, $5) \
                   ON CONFLICT (account_id) DO UPDATE SET url = excluded.url, \
                   receiver = excluded.receiver, changed_at = excluded.changed_at";
        let values = [
            account.into(),
            url.as_str().into(),
            url.receiver().into(),
            first.as_bytes().into(),
            now.into(),
        ];
        tx.execute(sql, &values)?;
        required(tx, account)
    })
}

/// Removes webhook and secrets; whether there was one. Waiting deliveries fail and can be sent again.
pub fn remove(store: &mut Store, account: AccountId, now: Timestamp) -> Result<bool, StoreError> {
    store.change_rights(|tx| {
        let sql = "DELETE FROM webhook WHERE account_id = $1";
        let removed = tx.execute(sql, &[account.into()])? > 0;
        let sql = "UPDATE delivery SET state = 'failed', finished_at = $2, \
                   claimed_by = NULL, claimed_until = NULL \
                   WHERE account_id = $1 AND state = 'waiting'";
        tx.execute(sql, &[account.into(), now.into()])?;
        Ok(removed)
    })
}

/// Replaces the secret; the old one signs as well for another day.
pub fn rotate_secret(
    store: &mut Store,
    account: AccountId,
    secret: &Secret,
    now: Timestamp,
) -> Result<Webhook, RadarError> {
    store.change_rights(|tx| {
        let sql = "UPDATE webhook SET previous_secret = secret, previous_until = $3, \
                   secret = $2, changed_at = $4 WHERE account_id = $1";
        let until = now.as_second() + ROTATION_SECONDS;
        tx.execute(sql, &[account.into(), secret.as_bytes().into(), until.into(), now.into()])?;
        required(tx, account)
    })
}

fn select(tx: &mut Transaction<'_>, account: AccountId) -> Result<Option<Webhook>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM webhook WHERE account_id = $1");
    tx.row(&sql, &[account.into()], |row| webhook_of(row, 0))
}

pub(super) fn required(
    tx: &mut Transaction<'_>,
    account: AccountId,
) -> Result<Webhook, RadarError> {
    select(tx, account)?.ok_or(RadarError::NoWebhook)
}

/// Locks the webhook of an account, so that one transaction at a time changes what belongs to it.
pub(super) fn lock(tx: &mut Transaction<'_>, account: AccountId) -> Result<(), RadarError> {
    let sql = "UPDATE webhook SET changed_at = changed_at WHERE account_id = $1";
    match tx.execute(sql, &[account.into()])? {
        0 => Err(RadarError::NoWebhook),
        _ => Ok(()),
    }
}

/// The webhook in the columns [`COLUMNS`], which begin at `from`.
pub(super) fn webhook_of(row: &Row, from: usize) -> Result<Webhook, StoreFault> {
    let previous: Option<Secret> = row.get(from + 2)?;
    let until: Option<i64> = row.get(from + 3)?;
    Ok(Webhook {
        url: row.get(from)?,
        secrets: Secrets { current: row.get(from + 1)?, previous: previous.zip(until) },
        created_at: row.get(from + 4)?,
        changed_at: row.get(from + 5)?,
    })
}
