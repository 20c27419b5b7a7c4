//! The rows of Japan Post's files that the records of a code were made from.
//!
//! A row of the area file gives several records, which have its text in common. Offices come after the areas.

use crate::record::postal::PostalView;

/// One record for each row.
pub fn source_rows<'s>(
    records: impl Iterator<Item = PostalView<'s>> + Clone,
) -> impl Iterator<Item = PostalView<'s>> {
    let offices = records.clone().filter(|record| record.corporation().is_some());
    let mut last = None;
    let areas = records.filter(move |record| {
        let row = (record.city_number(), record.town_raw().text);
        record.corporation().is_none() && last.replace(row) != Some(row)
    });
    areas.chain(offices)
}
