//! Parameters and results of statements, [`Value`] and [`Row`], and how types are stored in columns.

use std::net::IpAddr;
use std::num::NonZeroU64;

use jiff::Timestamp;
use jiff::civil::Date;

use super::error::StoreFault;
use crate::account::sign_in::TokenHash;
use crate::account::{
    AccountId, AccountName, DisabledBy, KeyHash, KeyId, KeyKind, KeyLabel, Origin, PasswordHash,
    Plan,
};
use crate::text::codes::ApiVersion;

/// A parameter of a statement, or a column of a row. `Debug` prints the type and never the content, which may be a hash
/// or a secret.
#[derive(derive_more::Debug, Clone, PartialEq, Eq)]
pub enum Value {
    #[debug("nothing")]
    Null,
    #[debug("a number")]
    Integer(i64),
    /// Text without NUL characters, which PostgreSQL cannot keep.
    #[debug("a text")]
    Text(String),
    #[debug("{} bytes", _0.len())]
    Bytes(Vec<u8>),
    /// A list for `Transaction::unnest`; a parameter only.
    #[debug("{} numbers", _0.len())]
    Integers(Vec<i64>),
}

macro_rules! into_value {
    ($($of:ty => |$value:ident| $made:expr;)*) => {
        $(impl From<$of> for Value {
            fn from($value: $of) -> Value {
                $made
            }
        })*
    };
}

pub(crate) use into_value;

into_value! {
    i64 => |number| Value::Integer(number);
    u32 => |number| Value::Integer(number.into());
    // Both databases keep signed numbers: what is larger becomes the largest.
    u64 => |number| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
    NonZeroU64 => |number| Value::from(number.get());
    bool => |truth| Value::Integer(truth.into());
    &str => |text| Value::Text(text.to_owned());
    String => |text| Value::Text(text);
    &[u8] => |bytes| Value::Bytes(bytes.to_vec());
    AccountId => |id| Value::Integer(id.0);
    KeyId => |id| Value::Integer(id.0);
    // Seconds since 1970.
    Timestamp => |time| Value::Integer(time.as_second());
    Date => |day| Value::Text(day.to_string());
    IpAddr => |address| Value::Text(address.to_string());
    &AccountName => |name| Value::from(name.as_str());
    Plan => |plan| Value::from(plan.as_str());
    KeyKind => |kind| Value::from(kind.as_str());
    DisabledBy => |who| Value::from(who.as_str());
    &KeyLabel => |label| Value::from(label.as_str());
    &Origin => |origin| Value::from(origin.as_str());
    ApiVersion => |version| Value::from(version.as_str());
    KeyHash => |hash| Value::from(&hash.0);
    &TokenHash => |hash| Value::from(&hash.0);
    &PasswordHash => |hash| Value::from(hash.0.as_str());
}

impl<const N: usize> From<&[u8; N]> for Value {
    fn from(bytes: &[u8; N]) -> Value {
        Value::Bytes(bytes.to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

impl Value {
    /// The value of a column of text, by the parser of its type.
    pub fn parse<T>(
        &self,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, StoreFault> {
        let Value::Text(text) = self else { return Err(self.is_not(expected)) };
        parse(text).ok_or_else(|| StoreFault::bad_value(expected, text))
    }

    fn is_not(&self, expected: &'static str) -> StoreFault {
        StoreFault::bad_value(expected, format!("{self:?}"))
    }
}

pub trait FromValue: Sized {
    fn from_value(value: &Value) -> Result<Self, StoreFault>;
}

/// Makes types readable from columns of text: each with the words for it in errors, and its parser. The caller imports
/// [`FromValue`], [`Value`] and [`StoreFault`].
macro_rules! from_text {
    ($($of:ty, $expected:literal, $parse:expr;)*) => {
        $(impl FromValue for $of {
            fn from_value(value: &Value) -> Result<$of, StoreFault> {
                value.parse($expected, $parse)
            }
        })*
    };
}
pub(crate) use from_text;

from_text! {
    String, "a text", |text| Some(text.to_owned());
    AccountName, "an account's name", |text| AccountName::parse(text).ok();
    Plan, "a plan", Plan::parse;
    KeyKind, "a kind of key", KeyKind::parse;
    DisabledBy, "who disabled a key", DisabledBy::parse;
    KeyLabel, "a key's label", |text| KeyLabel::parse(text).ok();
    Origin, "an origin", |text| Origin::parse(text).ok();
    ApiVersion, "a known API version", ApiVersion::parse;
    Date, "a day", |text| text.parse().ok();
    IpAddr, "an address of a network", |text| text.parse().ok();
}

impl FromValue for i64 {
    fn from_value(value: &Value) -> Result<i64, StoreFault> {
        if let Value::Integer(number) = value { Ok(*number) } else { Err(value.is_not("a number")) }
    }
}

impl FromValue for u64 {
    fn from_value(value: &Value) -> Result<u64, StoreFault> {
        let number = i64::from_value(value)?;
        u64::try_from(number).map_err(|_negative| StoreFault::bad_value("a count", number))
    }
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

impl FromValue for bool {
    fn from_value(value: &Value) -> Result<bool, StoreFault> {
        match value {
            Value::Integer(0) => Ok(false),
            Value::Integer(1) => Ok(true),
            _ => Err(value.is_not("0 or 1")),
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: &Value) -> Result<Vec<u8>, StoreFault> {
        if let Value::Bytes(bytes) = value { Ok(bytes.clone()) } else { Err(value.is_not("bytes")) }
    }
}

impl<const N: usize> FromValue for [u8; N] {
    fn from_value(value: &Value) -> Result<[u8; N], StoreFault> {
        let bytes = if let Value::Bytes(bytes) = value { bytes.as_slice() } else { &[] };
        bytes.try_into().map_err(|_length| value.is_not("another number of bytes"))
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Result<Option<T>, StoreFault> {
        if *value == Value::Null { Ok(None) } else { T::from_value(value).map(Some) }
    }
}

#[derive(Debug)]
pub struct Row(pub(super) Vec<Value>);

impl Row {
    /// The column at this index, from 0.
    pub fn get<T: FromValue>(&self, at: usize) -> Result<T, StoreFault> {
        T::from_value(self.0.get(at).unwrap_or(&Value::Null))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;

    #[test]
    fn a_column_of_another_type_is_reported_without_its_content() {
        let row = Row(vec![Value::from("secret"), Value::Null, Value::from(&[7; 3]), 2_i64.into()]);
        #[track_caller]
        fn check<T: FromValue + fmt::Debug>(row: &Row, at: usize, expected: &str) {
            let fault = row.get::<T>(at).expect_err("another type").to_string();
            assert!(fault.contains(expected) && !fault.contains("secret"), "{fault}");
        }
        check::<i64>(&row, 0, "expected a number, found \"a text\"");
        check::<String>(&row, 1, "expected a text, found \"nothing\"");
        check::<[u8; 32]>(&row, 2, "found \"3 bytes\"");
        check::<bool>(&row, 3, "expected 0 or 1");
        check::<i64>(&row, 9, "found \"nothing\"");
        assert_eq!(row.get::<Option<String>>(1).expect("NULL is allowed"), None);
        assert_eq!(row.get::<Option<i64>>(3).expect("a number"), Some(2));
        assert_eq!(row.get::<[u8; 3]>(2).expect("three"), [7; 3]);
    }
}
