//! How the types of accounts and keys are stored in columns.

use jiff::Timestamp;
use jiff::civil::Date;

use super::error::StoreFault;
use super::value::{FromValue, Value, from_text, into_value};
use crate::account::{AccountId, AccountName, DisabledBy, KeyId, KeyKind, KeyLabel, Origin, Plan};
use crate::text::codes::ApiVersion;

into_value! {
    AccountId => |id| Value::Integer(id.0);
    KeyId => |id| Value::Integer(id.0);
    // Seconds since 1970.
    Timestamp => |time| Value::Integer(time.as_second());
    Date => |day| Value::Text(day.to_string());
}

from_text! {
    AccountName, "an account's name", |text| AccountName::parse(text).ok();
    Plan, "a plan", Plan::parse;
    KeyKind, "a kind of key", KeyKind::parse;
    DisabledBy, "who disabled a key", DisabledBy::parse;
    KeyLabel, "a key's label", |text| KeyLabel::parse(text).ok();
    Origin, "an origin", |text| Origin::parse(text).ok();
    ApiVersion, "a known API version", ApiVersion::parse;
    Date, "a day", |text| text.parse().ok();
}

impl FromValue for AccountId {
    fn from_value(value: &Value) -> Result<AccountId, StoreFault> {
        i64::from_value(value).map(AccountId)
    }
}

impl FromValue for KeyId {
    fn from_value(value: &Value) -> Result<KeyId, StoreFault> {
        i64::from_value(value).map(KeyId)
    }
}

impl FromValue for Timestamp {
    fn from_value(value: &Value) -> Result<Timestamp, StoreFault> {
        let second = i64::from_value(value)?;
        Timestamp::from_second(second).map_err(|_range| StoreFault::bad_value("a time", second))
    }
}
