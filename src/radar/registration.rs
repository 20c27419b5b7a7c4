//! The webhook of each account in the store: its URL and its encrypted signing secrets.

use jiff::Timestamp;

use super::error::RadarError;
use super::seal::{SEALED_LENGTH, StoredSecret, StoredSecrets};
use super::sealing::Sealing;
use super::webhook::signature::ROTATION_SECONDS;
use super::webhook::{Secret, WebhookUrl};
use crate::account::AccountId;
use crate::account::store::{Row, Store, StoreError, StoreFault, Transaction, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub account: AccountId,
    pub url: WebhookUrl,
    pub secrets: StoredSecrets,
    /// In seconds since 1970.
    pub created_at: i64,
    /// When URL or secret last changed, in seconds since 1970.
    pub changed_at: i64,
}

pub(super) const COLUMNS: &str = "webhook.url, webhook.secret, webhook.previous_secret, \
     webhook.previous_until, webhook.created_at, webhook.changed_at, webhook.account_id";

pub fn find(store: &mut Store, account: AccountId) -> Result<Option<Webhook>, StoreError> {
    store.read(|tx| select(tx, account))
}

/// Sets the URL of an account, also for waiting deliveries. A new webhook gets the secret `first`; returns
/// whether it is new.
pub fn set(
    store: &mut Store,
    sealing: &Sealing,
    account: AccountId,
    url: &WebhookUrl,
    first: &Secret,
    now: Timestamp,
) -> Result<(Webhook, bool), RadarError> {
    // Changing only the URL needs no key.
    if find(store, account)?.is_some() {
        let set = store.change_rights(|tx| {
            let sql = "UPDATE webhook SET url = $2, receiver = $3, changed_at = $4 \
                       WHERE account_id = $1";
            let values = [account.into(), url.as_str().into(), url.receiver().into(), now.into()];
            tx.execute(sql, &values)?;
            required(tx, account)
        });
        return set.map(|webhook| (webhook, false));
    }
    prepare_key(store, sealing)?;
    let sealed = sealing.seal(account, first)?;
    let webhook = store.change_rights(|tx| {
        let sql = "INSERT INTO webhook \
                   (account_id, url, receiver, secret, created_at, changed_at) \
                   VALUES ($1, $2, $3, $4, $5, $5) \
                   ON CONFLICT (account_id) DO UPDATE SET url = excluded.url, \
                   receiver = excluded.receiver, changed_at = excluded.changed_at";
        let values = [
            account.into(),
            url.as_str().into(),
            url.receiver().into(),
            (&sealed).into(),
            now.into(),
        ];
        tx.execute(sql, &values)?;
        required(tx, account)
    })?;
    let is_new = webhook.secrets.current == sealed;
    Ok((webhook, is_new))
}

/// Fails without a key. Creates the key only if the store has no secret that is encrypted with another one.
pub fn prepare_key(store: &mut Store, sealing: &Sealing) -> Result<(), RadarError> {
    if !has_sealed(store)? {
        sealing.make_missing()?;
    }
    Ok(sealing.key().map(drop)?)
}

/// Whether the store has an encrypted secret.
fn has_sealed(store: &mut Store) -> Result<bool, StoreError> {
    store.read(|tx| {
        let sql = "SELECT 1 FROM webhook WHERE CAST(length(secret) AS BIGINT) = $1 OR CAST(length(previous_secret) AS BIGINT) = $1 \
                   LIMIT 1";
        Ok(tx.row(sql, &[length_of_sealed()], |_row| Ok(()))?.is_some())
    })
}

/// The length that distinguishes encrypted secrets from plain ones.
pub(super) fn length_of_sealed() -> Value {
    Value::Integer(i64::try_from(SEALED_LENGTH).expect("a hundred"))
}

/// Removes the webhook and its secrets; returns whether there was one. Waiting deliveries fail and can be sent
/// again.
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

/// Replaces the secret; the old one also signs for one more day.
pub fn rotate_secret(
    store: &mut Store,
    sealing: &Sealing,
    account: AccountId,
    secret: &Secret,
    now: Timestamp,
) -> Result<Webhook, RadarError> {
    prepare_key(store, sealing)?;
    let sealed = sealing.seal(account, secret)?;
    store.change_rights(|tx| {
        let sql = "UPDATE webhook SET previous_secret = secret, previous_until = $3, \
                   secret = $2, changed_at = $4 WHERE account_id = $1";
        let until = now.as_second() + ROTATION_SECONDS;
        tx.execute(sql, &[account.into(), (&sealed).into(), until.into(), now.into()])?;
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

/// Locks the webhook of an account, so that only one transaction at a time changes its data.
pub(super) fn lock(tx: &mut Transaction<'_>, account: AccountId) -> Result<(), RadarError> {
    let sql = "UPDATE webhook SET changed_at = changed_at WHERE account_id = $1";
    match tx.execute(sql, &[account.into()])? {
        0 => Err(RadarError::NoWebhook),
        _ => Ok(()),
    }
}

/// The webhook in the columns [`COLUMNS`], which begin at `from`.
pub(super) fn webhook_of(row: &Row, from: usize) -> Result<Webhook, StoreFault> {
    let previous: Option<StoredSecret> = row.get(from + 2)?;
    let until: Option<i64> = row.get(from + 3)?;
    Ok(Webhook {
        url: row.get(from)?,
        secrets: StoredSecrets { current: row.get(from + 1)?, previous: previous.zip(until) },
        created_at: row.get(from + 4)?,
        changed_at: row.get(from + 5)?,
        account: row.get(from + 6)?,
    })
}
