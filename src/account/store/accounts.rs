//! Accounts in the store.

use jiff::Timestamp;

use super::quotas;
use super::{AccountChange, NewAccount, Row, Session, Store, StoreError, StoreFault, Value};
use crate::account::{Account, AccountId, AccountName, Plan};
use crate::text::codes::ApiVersion;

impl Store {
    /// Makes an account; its name must be free.
    pub fn create_account(
        &mut self,
        account: &NewAccount,
        now: Timestamp,
    ) -> Result<Account, StoreError> {
        let NewAccount { name, plan, batch, api_version } = account;
        self.session.change_rights(|session| {
            if find(session, name)?.is_some() {
                return Err(StoreError::AccountExists { name: name.to_string() });
            }
            let sql = "INSERT INTO account (name, plan, batch, api_version, created_at) \
                       VALUES ($1, $2, $3, $4, $5) \
                       RETURNING id, name, plan, batch, api_version";
            let values = [
                name.as_str().into(),
                plan.as_str().into(),
                (*batch).into(),
                api_version.map(ApiVersion::as_str).into(),
                now.as_second().into(),
            ];
            let made = session.row(sql, &values, account_of)?;
            made.ok_or_else(|| StoreError::NoSuchAccount { name: name.to_string() })
        })
    }

    /// Every account, by name.
    pub fn accounts(&mut self) -> Result<Vec<Account>, StoreError> {
        self.session.read(all)
    }

    /// The account of this name.
    pub fn account(&mut self, name: &AccountName) -> Result<Account, StoreError> {
        self.session.read(|session| named(session, name))
    }

    /// Changes what `change` names and answers with the account as it then is.
    pub fn set_account(
        &mut self,
        name: &AccountName,
        change: &AccountChange,
    ) -> Result<Account, StoreError> {
        self.session.change_rights(|session| {
            let mut account = named(session, name)?;
            account.plan = change.plan.unwrap_or(account.plan);
            account.batch = change.batch.unwrap_or(account.batch);
            account.api_version = change.api_version.unwrap_or(account.api_version);
            let sql = "UPDATE account SET plan = $2, batch = $3, api_version = $4 WHERE id = $1";
            let values = [
                account.id.0.into(),
                account.plan.as_str().into(),
                account.batch.into(),
                account.api_version.map(ApiVersion::as_str).into(),
            ];
            session.execute(sql, &values)?;
            quotas::change_own(session, account.id, &change.quota)?;
            Ok(account)
        })
    }
}

/// Every account, by name.
pub(super) fn all(session: &mut Session) -> Result<Vec<Account>, StoreError> {
    let sql = "SELECT id, name, plan, batch, api_version FROM account ORDER BY name";
    session.rows(sql, &[], account_of)
}

/// The account of this name, or the error that there is none.
pub(super) fn named(session: &mut Session, name: &AccountName) -> Result<Account, StoreError> {
    find(session, name)?.ok_or_else(|| StoreError::NoSuchAccount { name: name.to_string() })
}

fn find(session: &mut Session, name: &AccountName) -> Result<Option<Account>, StoreError> {
    let sql = "SELECT id, name, plan, batch, api_version FROM account WHERE name = $1";
    session.row(sql, &[Value::from(name.as_str())], account_of)
}

/// The account that a row has.
pub(super) fn account_of(row: &Row) -> Result<Account, StoreFault> {
    let (plan, version): (String, Option<String>) = (row.get(2)?, row.get(4)?);
    let version = version.map(|text| {
        ApiVersion::parse(&text).ok_or_else(|| bad_value("a known interface version", &text))
    });
    Ok(Account {
        id: AccountId(row.get(0)?),
        name: name_of(&row.get::<String>(1)?)?,
        plan: Plan::parse(&plan).ok_or_else(|| bad_value("a plan", &plan))?,
        batch: row.get(3)?,
        api_version: version.transpose()?,
    })
}

/// The name that a row has.
pub(crate) fn name_of(text: &str) -> Result<AccountName, StoreFault> {
    AccountName::parse(text).map_err(|_fault| bad_value("an account's name", text))
}

/// What is wrong with a value that this program never writes.
pub(crate) fn bad_value(expected: &'static str, found: &str) -> StoreFault {
    StoreFault::BadValue { expected, found: found.to_owned() }
}
