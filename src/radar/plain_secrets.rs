//! Encrypts webhook secrets that an earlier version stored in plain, and reports problems with the key early.

use super::error::RadarError;
use super::key_place::KeyFault;
use super::registration::{COLUMNS, Webhook, length_of_sealed, prepare_key, webhook_of};
use super::seal::StoredSecret;
use super::sealing::Sealing;
use crate::account::store::{Store, StoreError, Value};

/// Encrypts plain secrets; returns the number of webhooks.
pub fn encrypt(store: &mut Store, sealing: &Sealing) -> Result<u64, RadarError> {
    match prepare_key(store, sealing) {
        // No secret needs the key yet.
        Err(RadarError::Key(KeyFault::Nowhere)) if some_of(store, "$1 > 0")?.is_empty() => {
            return Ok(0);
        }
        prepared => prepared?,
    }
    for webhook in some_of(store, "CAST(length(secret) AS BIGINT) = $1")?.into_iter().take(1) {
        sealing.open(webhook.account, &webhook.secrets)?;
    }
    let mut count = 0;
    for webhook in some_of(
        store,
        "CAST(length(secret) AS BIGINT) <> $1 OR CAST(length(previous_secret) AS BIGINT) <> $1",
    )? {
        count += encrypt_one(store, sealing, &webhook)?;
    }
    if count > 0 {
        store.scrub()?;
    }
    Ok(count)
}

fn some_of(store: &mut Store, condition: &str) -> Result<Vec<Webhook>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM webhook WHERE {condition} ORDER BY account_id");
    store.read(|tx| tx.rows(&sql, &[length_of_sealed()], |row| webhook_of(row, 0)))
}

/// Writes nothing if the secret was replaced meanwhile.
fn encrypt_one(store: &mut Store, sealing: &Sealing, webhook: &Webhook) -> Result<u64, RadarError> {
    let encrypted = |secret: &StoredSecret| match secret {
        StoredSecret::Plain(plain) => sealing.seal(webhook.account, plain),
        StoredSecret::Sealed(_) => Ok(secret.clone()),
    };
    let current = encrypted(&webhook.secrets.current)?;
    let previous = webhook.secrets.previous.as_ref().map(|(secret, _)| encrypted(secret));
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
