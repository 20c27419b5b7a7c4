//! The days of dates in the sources.

use crate::text::codes::DataVersion;

/// The day of a date that a source reader has accepted.
pub fn day_of(date: u32) -> DataVersion {
    DataVersion::from_number(date).expect("readers accept only days that exist")
}
