//! Where an account is told of changes, and the secrets that sign what it is told.

use jiff::Timestamp;

use crate::account::AccountId;
use crate::account::store::accounts::bad_value;
use crate::account::store::{Row, Session, Store, StoreError, StoreFault, Value};
use crate::radar::webhook::signature::ROTATION_SECONDS;
use crate::radar::webhook::{Secret, Secrets, WebhookUrl};

/// The webhook of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Where events go.
    pub url: WebhookUrl,
    /// What signs them.
    pub secrets: Secrets,
    /// Since when there is one, in seconds since 1970.
    pub created_at: i64,
    /// When URL or secret was last changed, likewise.
    pub changed_at: i64,
}

/// What [`webhook_of`] reads, from this place of a row on.
pub(super) const COLUMNS: &str = "webhook.url, webhook.secret, webhook.previous_secret, \
     webhook.previous_until, webhook.created_at, webhook.changed_at";

impl Store {
    /// The webhook of an account; `None` where it has none.
    pub fn webhook(&mut self, account: AccountId) -> Result<Option<Webhook>, StoreError> {
        self.session.read(|session| find(session, account))
    }

    /// Gives an account this URL. One that has a webhook keeps its secrets; else `first` is its
    /// secret. What waits to be delivered goes to the new URL.
    pub fn set_webhook(
        &mut self,
        account: AccountId,
        url: &WebhookUrl,
        first: &Secret,
        now: Timestamp,
    ) -> Result<Webhook, StoreError> {
        self.session.change_rights(|session| {
            let sql = "INSERT INTO webhook \
                       (account_id, url, receiver, secret, created_at, changed_at) \
                       VALUES ($1, $2, $3, $4, $5, $5) \
                       ON CONFLICT (account_id) DO UPDATE SET url = excluded.url, \
                       receiver = excluded.receiver, changed_at = excluded.changed_at";
            let values = [
                account.0.into(),
                url.as_str().into(),
                url.receiver().into(),
                first.as_bytes().into(),
                now.as_second().into(),
            ];
            session.execute(sql, &values)?;
            needed(session, account)
        })
    }

    /// Takes the webhook away, and the secrets with it; whether there was one. What waits to be
    /// delivered has failed then; it can be sent again once there is another webhook.
    pub fn remove_webhook(
        &mut self,
        account: AccountId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.session.change_rights(|session| {
            let sql = "DELETE FROM webhook WHERE account_id = $1";
            let removed = session.execute(sql, &[account.0.into()])? > 0;
            let sql = "UPDATE delivery SET state = 'failed', finished_at = $2, \
                       claimed_by = NULL, claimed_until = NULL \
                       WHERE account_id = $1 AND state = 'waiting'";
            session.execute(sql, &[account.0.into(), now.as_second().into()])?;
            Ok(removed)
        })
    }

    /// Puts another secret in the place of the current one, which signs beside it for another day.
    pub fn rotate_webhook_secret(
        &mut self,
        account: AccountId,
        secret: &Secret,
        now: Timestamp,
    ) -> Result<Webhook, StoreError> {
        self.session.change_rights(|session| {
            let sql = "UPDATE webhook SET previous_secret = secret, previous_until = $3, \
                       secret = $2, changed_at = $4 WHERE account_id = $1";
            let now = now.as_second();
            let values = [
                account.0.into(),
                secret.as_bytes().into(),
                (now + ROTATION_SECONDS).into(),
                now.into(),
            ];
            session.execute(sql, &values)?;
            needed(session, account)
        })
    }
}

fn find(session: &mut Session, account: AccountId) -> Result<Option<Webhook>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM webhook WHERE account_id = $1");
    session.row(&sql, &[account.0.into()], |row| webhook_of(row, 0))
}

/// The webhook of an account that must have one.
pub(super) fn needed(session: &mut Session, account: AccountId) -> Result<Webhook, StoreError> {
    find(session, account)?.ok_or(StoreError::NoWebhook)
}

/// Locks the webhook of an account that must have one, so that what belongs to it is changed by one
/// transaction at a time.
pub(super) fn locked(session: &mut Session, account: AccountId) -> Result<(), StoreError> {
    let sql = "UPDATE webhook SET changed_at = changed_at WHERE account_id = $1";
    match session.execute(sql, &[Value::from(account.0)])? {
        0 => Err(StoreError::NoWebhook),
        _ => Ok(()),
    }
}

pub(super) fn webhook_of(row: &Row, from: usize) -> Result<Webhook, StoreFault> {
    let secret = |bytes: Vec<u8>| {
        Secret::from_bytes(&bytes).map_err(|fault| bad_value("a secret", &fault.to_string()))
    };
    let url: String = row.get(from)?;
    let previous: Option<Vec<u8>> = row.get(from + 2)?;
    let until: Option<i64> = row.get(from + 3)?;
    let previous = match (previous, until) {
        (Some(bytes), Some(until)) => Some((secret(bytes)?, until)),
        _ => None,
    };
    Ok(Webhook {
        url: WebhookUrl::parse(&url).map_err(|_fault| bad_value("a webhook's URL", &url))?,
        secrets: Secrets { current: secret(row.get(from + 1)?)?, previous },
        created_at: row.get(from + 4)?,
        changed_at: row.get(from + 5)?,
    })
}
