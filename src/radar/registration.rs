//! The webhook of each account in the store: its URL and its encrypted signing secrets.

use jiff::Timestamp;

use super::error::RadarError;
use super::stored_secret::{
    ENCRYPTED_LENGTH, EncryptionKeyFault, SecretCipher, StoredSecret, StoredSecrets,
};
use super::webhook::signature::ROTATION_SECONDS;
use super::webhook::{Secret, WebhookUrl};
use crate::account::AccountId;
use crate::account::store::{Row, Store, StoreFault, StoreResult, Transaction, Value};

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

pub fn find(store: &mut Store, account: AccountId) -> StoreResult<Option<Webhook>> {
    store.read(|tx| select(tx, account))
}

/// A URL of each receiver, by the receiver.
pub fn receivers(store: &mut Store) -> StoreResult<Vec<WebhookUrl>> {
    store.read(|tx| {
        let sql = "SELECT min(url) FROM webhook GROUP BY receiver ORDER BY receiver";
        tx.rows(sql, &[], |row| row.get(0))
    })
}

/// Sets the URL of an account's webhook. Waiting deliveries go to the new URL too. A new webhook gets the secret
/// `first_secret`. Returns the webhook, and whether it is new.
pub fn set_url(
    store: &mut Store,
    cipher: &SecretCipher,
    account: AccountId,
    url: &WebhookUrl,
    first_secret: &Secret,
    now: Timestamp,
) -> Result<(Webhook, bool), RadarError> {
    // A change of the URL needs no key.
    if find(store, account)?.is_some() {
        let changed = store.write(|tx| {
            let sql = "UPDATE webhook SET url = $2, receiver = $3, changed_at = $4 \
                       WHERE account_id = $1";
            let values = [account.into(), url.into(), url.receiver().into(), now.into()];
            tx.execute(sql, &values)?;
            require(tx, account)
        });
        return changed.map(|webhook| (webhook, false));
    }
    prepare_key(store, cipher)?;
    let encrypted = cipher.encrypt(account, first_secret)?;
    let webhook = store.write(|tx| {
        let sql = "INSERT INTO webhook \
                   (account_id, url, receiver, secret, created_at, changed_at) \
                   VALUES ($1, $2, $3, $4, $5, $5) \
                   ON CONFLICT (account_id) DO UPDATE SET url = excluded.url, \
                   receiver = excluded.receiver, changed_at = excluded.changed_at";
        let values =
            [account.into(), url.into(), url.receiver().into(), (&encrypted).into(), now.into()];
        tx.execute(sql, &values)?;
        require(tx, account)
    })?;
    let is_new = webhook.secrets.current == encrypted;
    Ok((webhook, is_new))
}

/// Checks that there is a key. Creates it if it may be created and no secret in the store was encrypted with an earlier
/// one.
pub fn prepare_key(store: &mut Store, cipher: &SecretCipher) -> Result<(), RadarError> {
    if !has_encrypted_secret(store)? {
        cipher.create_key_if_missing()?;
    }
    Ok(cipher.key().map(drop)?)
}

fn has_encrypted_secret(store: &mut Store) -> StoreResult<bool> {
    store.read(|tx| {
        let sql = "SELECT 1 FROM webhook WHERE CAST(length(secret) AS BIGINT) = $1 \
                   OR CAST(length(previous_secret) AS BIGINT) = $1 LIMIT 1";
        Ok(tx.row(sql, &[encrypted_length()], |_row| Ok(()))?.is_some())
    })
}

/// The length, in bytes, that distinguishes encrypted secrets from plain ones.
fn encrypted_length() -> Value {
    Value::Integer(i64::try_from(ENCRYPTED_LENGTH).expect("a hundred"))
}

/// Removes the webhook and its secrets; returns whether there was one. Waiting deliveries fail; they can be sent again
/// once there is a new webhook.
pub fn remove(store: &mut Store, account: AccountId, now: Timestamp) -> StoreResult<bool> {
    store.write(|tx| {
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
    cipher: &SecretCipher,
    account: AccountId,
    secret: &Secret,
    now: Timestamp,
) -> Result<Webhook, RadarError> {
    prepare_key(store, cipher)?;
    let encrypted = cipher.encrypt(account, secret)?;
    store.write(|tx| {
        let sql = "UPDATE webhook SET previous_secret = secret, previous_until = $3, \
                   secret = $2, changed_at = $4 WHERE account_id = $1";
        let until = now.as_second() + ROTATION_SECONDS;
        tx.execute(sql, &[account.into(), (&encrypted).into(), until.into(), now.into()])?;
        require(tx, account)
    })
}

fn select(tx: &mut Transaction<'_>, account: AccountId) -> StoreResult<Option<Webhook>> {
    let sql = format!("SELECT {COLUMNS} FROM webhook WHERE account_id = $1");
    tx.row(&sql, &[account.into()], |row| webhook_from_row(row, 0))
}

/// The webhook of an account, which must have one.
pub(super) fn require(tx: &mut Transaction<'_>, account: AccountId) -> Result<Webhook, RadarError> {
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

/// The webhook in the columns [`COLUMNS`], of which `first` is the index of the first one.
pub(super) fn webhook_from_row(row: &Row, first: usize) -> Result<Webhook, StoreFault> {
    let previous: Option<StoredSecret> = row.get(first + 2)?;
    let expires_at: Option<i64> = row.get(first + 3)?;
    Ok(Webhook {
        url: row.get(first)?,
        secrets: StoredSecrets { current: row.get(first + 1)?, previous: previous.zip(expires_at) },
        created_at: row.get(first + 4)?,
        changed_at: row.get(first + 5)?,
        account: row.get(first + 6)?,
    })
}

/// Encrypts the secrets that an earlier version stored in plain; returns the number of changed webhooks. Reports a
/// missing or wrong key at the start of the server, before a delivery needs it.
pub fn encrypt_plain_secrets(store: &mut Store, cipher: &SecretCipher) -> Result<u64, RadarError> {
    match prepare_key(store, cipher) {
        // Without webhooks, nothing needs the key yet. The condition is always true.
        Err(RadarError::Key(EncryptionKeyFault::NotConfigured))
            if webhooks_where(store, "$1 > 0")?.is_empty() =>
        {
            return Ok(0);
        }
        prepared => prepared?,
    }
    // One encrypted secret is enough to tell whether the key is the right one.
    let encrypted = webhooks_where(store, "CAST(length(secret) AS BIGINT) = $1")?;
    if let Some(webhook) = encrypted.first() {
        cipher.decrypt(webhook.account, &webhook.secrets)?;
    }
    let mut count = 0;
    let with_plain = "CAST(length(secret) AS BIGINT) <> $1 \
                      OR CAST(length(previous_secret) AS BIGINT) <> $1";
    for webhook in webhooks_where(store, with_plain)? {
        count += encrypt_one(store, cipher, &webhook)?;
    }
    if count > 0 {
        store.scrub()?;
    }
    Ok(count)
}

/// The webhooks that satisfy an SQL condition, in which `$1` is the length of an encrypted secret.
fn webhooks_where(store: &mut Store, condition: &str) -> StoreResult<Vec<Webhook>> {
    let sql = format!("SELECT {COLUMNS} FROM webhook WHERE {condition} ORDER BY account_id");
    store.read(|tx| tx.rows(&sql, &[encrypted_length()], |row| webhook_from_row(row, 0)))
}

/// Encrypts the plain secrets of one webhook; returns the number of changed webhooks, which is 0 if the secret was
/// replaced meanwhile.
fn encrypt_one(
    store: &mut Store,
    cipher: &SecretCipher,
    webhook: &Webhook,
) -> Result<u64, RadarError> {
    let encrypt = |secret: &StoredSecret| match secret {
        StoredSecret::Plain(plain) => cipher.encrypt(webhook.account, plain),
        StoredSecret::Encrypted(_) => Ok(secret.clone()),
    };
    let current = encrypt(&webhook.secrets.current)?;
    let previous = webhook.secrets.previous.as_ref().map(|(secret, _)| encrypt(secret));
    let previous: Option<Value> = previous.transpose()?.map(|secret| (&secret).into());
    let values = [
        webhook.account.into(),
        (&current).into(),
        previous.into(),
        (&webhook.secrets.current).into(),
    ];
    let sql = "UPDATE webhook SET secret = $2, previous_secret = $3 \
               WHERE account_id = $1 AND secret = $4";
    Ok(store.write(|tx| tx.execute(sql, &values))?)
}
