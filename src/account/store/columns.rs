//! How the types of accounts and keys stand in columns.

use jiff::Timestamp;
use jiff::civil::Date;

use super::error::StoreFault;
use super::value::{FromValue, Value};
use crate::account::{AccountId, AccountName, KeyId, KeyKind, Origin, Plan};
use crate::text::codes::ApiVersion;

impl From<AccountId> for Value {
    fn from(id: AccountId) -> Value {
        Value::Integer(id.0)
    }
}

impl FromValue for AccountId {
    fn from_value(value: &Value) -> Result<AccountId, StoreFault> {
        i64::from_value(value).map(AccountId)
    }
}

impl From<KeyId> for Value {
    fn from(id: KeyId) -> Value {
        Value::Integer(id.0)
    }
}

impl FromValue for KeyId {
    fn from_value(value: &Value) -> Result<KeyId, StoreFault> {
        i64::from_value(value).map(KeyId)
    }
}

/// Seconds since 1970.
impl From<Timestamp> for Value {
    fn from(time: Timestamp) -> Value {
        Value::Integer(time.as_second())
    }
}

impl FromValue for Timestamp {
    fn from_value(value: &Value) -> Result<Timestamp, StoreFault> {
        let second = i64::from_value(value)?;
        Timestamp::from_second(second).map_err(|_range| StoreFault::bad_value("a time", second))
    }
}

impl From<Date> for Value {
    fn from(day: Date) -> Value {
        Value::Text(day.to_string())
    }
}

impl FromValue for Date {
    fn from_value(value: &Value) -> Result<Date, StoreFault> {
        value.parse("a day", |text| text.parse().ok())
    }
}

impl FromValue for AccountName {
    fn from_value(value: &Value) -> Result<AccountName, StoreFault> {
        value.parse("an account's name", |text| AccountName::parse(text).ok())
    }
}

impl FromValue for Plan {
    fn from_value(value: &Value) -> Result<Plan, StoreFault> {
        value.parse("a plan", Plan::parse)
    }
}

impl FromValue for KeyKind {
    fn from_value(value: &Value) -> Result<KeyKind, StoreFault> {
        value.parse("a kind of key", KeyKind::parse)
    }
}

impl FromValue for Origin {
    fn from_value(value: &Value) -> Result<Origin, StoreFault> {
        value.parse("an origin", |text| Origin::parse(text).ok())
    }
}

impl FromValue for ApiVersion {
    fn from_value(value: &Value) -> Result<ApiVersion, StoreFault> {
        value.parse("a known API version", ApiVersion::parse)
    }
}
