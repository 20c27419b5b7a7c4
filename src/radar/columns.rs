//! How the radar's types are stored in columns.

use super::delivery::{DeliveryKind, DeliveryState};
use super::stored_secret::StoredSecret;
use super::webhook::{DeliveryId, WebhookUrl};
use crate::account::store::{FromValue, StoreFault, Value, from_text, into_value};
use crate::text::codes::{CorporateNumber, DataVersion};

into_value! {
    &StoredSecret => |secret| Value::from(secret.as_bytes());
    &DeliveryId => |id| Value::from(id.as_str());
    &WebhookUrl => |url| Value::from(url.as_str());
    DeliveryKind => |kind| Value::from(kind.as_str());
    DataVersion => |day| Value::from(day.to_string());
}

from_text! {
    DeliveryId, "a delivery's id", |text| DeliveryId::parse(text).ok();
    DataVersion, "a day", |text| DataVersion::parse(text).ok();
    DeliveryKind, "a kind of delivery", DeliveryKind::parse;
    DeliveryState, "a state of a delivery", DeliveryState::parse;
    WebhookUrl, "a webhook's URL", |text| WebhookUrl::parse(text).ok();
}

impl FromValue for CorporateNumber {
    fn from_value(value: &Value) -> Result<CorporateNumber, StoreFault> {
        let number = u64::from_value(value)?;
        CorporateNumber::from_number(number)
            .ok_or_else(|| StoreFault::bad_value("a corporate number", number))
    }
}

impl FromValue for StoredSecret {
    fn from_value(value: &Value) -> Result<StoredSecret, StoreFault> {
        let bytes = Vec::<u8>::from_value(value)?;
        StoredSecret::from_bytes(&bytes).map_err(|fault| StoreFault::bad_value("a secret", fault))
    }
}

/// Corporate numbers as one parameter of a statement.
pub(super) fn number_list(numbers: &[CorporateNumber]) -> Value {
    Value::Integers(numbers.iter().map(|number| as_i64(*number)).collect())
}

pub(super) fn as_i64(number: CorporateNumber) -> i64 {
    i64::try_from(number.number()).expect("thirteen digits fit")
}
