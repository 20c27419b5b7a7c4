//! The rows of Japan Post's files behind the records of a postal code.
//!
//! A row of a town with several names in brackets gives several records, which have the row's text in common.

use crate::record::postal::PostalView;

/// The first record of each row of the file of areas; the records of one code, in their order.
pub fn area_rows<'s, 'r>(
    records: &'r [PostalView<'s>],
) -> impl Iterator<Item = PostalView<'s>> + use<'s, 'r> {
    let mut last = None;
    let areas = records.iter().copied().filter(|record| record.corporation().is_none());
    areas.filter(move |record| {
        let row = (record.city_number(), record.town_raw().text);
        last.replace(row) != Some(row)
    })
}

/// The records of the file of large businesses.
pub fn office_rows<'s, 'r>(
    records: &'r [PostalView<'s>],
) -> impl Iterator<Item = PostalView<'s>> + use<'s, 'r> {
    records.iter().copied().filter(|record| record.corporation().is_some())
}

/// The records grouped by code; they ascend by it.
pub fn by_code<'s, 'r>(
    records: &'r [PostalView<'s>],
) -> impl Iterator<Item = &'r [PostalView<'s>]> + use<'s, 'r> {
    records.chunk_by(|left, right| left.postal_code() == right.postal_code())
}
