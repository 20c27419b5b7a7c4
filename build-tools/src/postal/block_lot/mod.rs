//! The address below the town of a large business, read (contract.md section 7, rule 10).
//!
//! The column has no form of its own: chome, lot, koaza, building, floor and room follow each other
//! in every writing (`１－６－１泉ガーデンタワー１５Ｆ`, `２丁目２番１号（新大手町ビル）`, `字東浜１２－３`). [`number`] finds
//! the lot, [`building`] reads what stands behind it, [`street`] what Kyoto puts before it. Where a
//! text is not understood the field stays empty: the column itself is served beside the fields.

mod building;
mod number;
mod street;

use super::{BlockLot, BusinessRow};

/// Parses [`BusinessRow::block_lot`].
///
/// Post-office boxes are not parsed: those so flagged, with or without 私書箱 in the text, and any
/// text that speaks of a 私書箱.
#[must_use]
pub fn parse_block_lot(row: &BusinessRow) -> BlockLot {
    if row.post_office_box || row.block_lot.contains("私書箱") {
        return BlockLot::default();
    }
    let in_kyoto = row.city.starts_with("京都市");
    let street::Split { street, rest } = if in_kyoto {
        street::split(&row.town, &row.block_lot)
    } else {
        street::none(&row.block_lot)
    };
    let (numbers, behind) = match number::find(rest, in_kyoto) {
        Some(found) => (Some(found.numbers.join("-")), found.behind),
        None => (None, rest),
    };
    let mut place = building::read(behind);
    if numbers.is_none() && place.floor.is_empty() {
        // Without lot and floor nothing tells a building from a koaza.
        place.building.clear();
    }
    BlockLot {
        block_lot_num: numbers,
        kyoto_street: street.to_owned(),
        building: place.building,
        floor: place.floor,
    }
}

#[cfg(test)]
mod tests;
