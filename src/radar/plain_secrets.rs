//! Encrypts the webhook secrets that an earlier version stored in plain. Reports a missing or wrong key at the start
//! of the server, before a delivery needs it.

use super::error::RadarError;
use super::key_location::EncryptionKeyFault;
use super::registration::{COLUMNS, Webhook, encrypted_length, prepare_key, webhook_from_row};
use super::secret_cipher::SecretCipher;
use super::stored_secret::StoredSecret;
use crate::account::store::{Store, StoreResult, Value};

/// Encrypts plain secrets; returns the number of changed webhooks.
pub fn encrypt(store: &mut Store, cipher: &SecretCipher) -> Result<u64, RadarError> {
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
