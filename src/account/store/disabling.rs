//! Keys that are disabled on the dashboard, and enabled again within one minute.
//!
//! A disabled key is revoked: servers reject it as quickly. After the minute there is no difference to a
//! revoked key, so no key given up long ago can start working again.

use jiff::Timestamp;

use super::connection::Store;
use super::error::StoreError;
use super::keys::KeyRecord;
use crate::account::{AccountName, DisabledBy, KeyId, KeySelector, UNDO_TIME, Who};

impl KeyRecord {
    /// Whether `who` may enable the key now.
    pub fn can_be_enabled(&self, who: Who, now: Timestamp) -> bool {
        let (Some(by), Some(at)) = (self.disabled_by, self.revoked_at) else { return false };
        by.may_be_undone(at, who, now)
    }
}

impl Store {
    /// Disables a live key of an account.
    pub fn disable_key(
        &mut self,
        account: &AccountName,
        key: KeyId,
        by: Who,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE api_key SET revoked_at = $3, disabled_by = $4 WHERE id = $1 \
                   AND account_id = (SELECT id FROM account WHERE name = $2) AND revoked_at IS NULL";
        let by = DisabledBy::of(by).as_str();
        let values = [key.into(), account.as_str().into(), now.into(), by.into()];
        let changed = self.change_rights(|tx| tx.execute(sql, &values))?;
        found(key, changed)
    }

    /// Enables a key that was disabled within the last minute, if `who` may.
    pub fn enable_key(
        &mut self,
        account: &AccountName,
        key: KeyId,
        by: Who,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE api_key SET revoked_at = NULL, disabled_by = NULL WHERE id = $1 \
                   AND account_id = (SELECT id FROM account WHERE name = $2) \
                   AND revoked_at >= $3 AND disabled_by IN ($4, $5)";
        let values = [
            key.into(),
            account.as_str().into(),
            (now - UNDO_TIME).into(),
            DisabledBy::Account.as_str().into(),
            DisabledBy::of(by).as_str().into(),
        ];
        let changed = self.change_rights(|tx| tx.execute(sql, &values))?;
        found(key, changed)
    }
}

fn found(key: KeyId, changed: u64) -> Result<(), StoreError> {
    match changed {
        0 => Err(StoreError::NoSuchKey { which: KeySelector::Id(key) }),
        _ => Ok(()),
    }
}
