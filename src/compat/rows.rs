//! The rows of Japan Post's files that the records of a code were made from.
//!
//! A row of the area file gives several records, which have its texts in common; those of another row may stand between
//! them. Two rows may differ in the reading only: 和坂 is カニガサカ and ワサカ. Offices come after the areas.

use crate::record::postal::PostalView;

/// One record for each row, in the order of the first record of each.
pub fn source_rows<'s>(
    records: impl Iterator<Item = PostalView<'s>> + Clone,
) -> impl Iterator<Item = PostalView<'s>> {
    let offices = records.clone().filter(|record| record.corporation().is_some());
    // A code has a hundred rows at most.
    let mut seen = Vec::new();
    let areas = records.filter(move |record| {
        let texts = [record.town_raw(), record.town_kana_raw()];
        let row = (record.city_number(), texts.map(|it| it.text));
        let is_first = record.corporation().is_none() && !seen.contains(&row);
        if is_first {
            seen.push(row);
        }
        is_first
    });
    areas.chain(offices)
}

/// The records grouped by code; they ascend by it.
pub fn by_code<'s, 'r>(
    records: &'r [PostalView<'s>],
) -> impl Iterator<Item = &'r [PostalView<'s>]> + use<'s, 'r> {
    records.chunk_by(|left, right| left.postal_code() == right.postal_code())
}

/// The rows of the area file among these records of a code.
pub fn area_rows<'s, 'r>(
    records: &'r [PostalView<'s>],
) -> impl Iterator<Item = PostalView<'s>> + use<'s, 'r> {
    source_rows(records.iter().copied()).filter(|record| record.corporation().is_none())
}
