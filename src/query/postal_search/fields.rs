//! The field in which a match is, how much of the field it covers, and the level that it gets.

use std::ops::Range;

use rkyv::rend::u16_le;

use super::points::{Extent, Level};
use crate::index::postal_texts::{Part, slot};
use crate::query::syntax::Field;

pub fn fields(part: Part) -> &'static [Field] {
    match part {
        Part::Place => &[Field::Prefecture, Field::City],
        Part::Line => &[
            Field::Town,
            Field::Koaza,
            Field::BlockLot,
            Field::KyotoStreet,
            Field::Building,
            Field::Floor,
        ],
        Part::Inside => &[Field::KyotoStreet, Field::Building, Field::Floor],
        Part::Name => &[Field::Corporation],
        Part::Kana => &[Field::CorporationKana],
    }
}

/// The end of a slot.
#[inline]
pub fn end_of(ends: &[u16_le], slot: usize) -> u32 {
    ends.get(slot).map_or(0, |end| u32::from(end.to_native()))
}

/// The field of a text that contains a match, and how much of it the match covers; `None` if it spans fields.
#[inline(always)]
pub fn place(part: Part, ends: &[u16_le], found: Range<u32>) -> Option<(Field, Extent)> {
    match part {
        Part::Place => {
            let prefecture = end_of(ends, slot::CITY - 1);
            let (field, slots) = match found.start < prefecture {
                true => (Field::Prefecture, slot::PREFECTURE..slot::CITY),
                false => (Field::City, slot::CITY..ends.len()),
            };
            if field == Field::Prefecture && found.end > prefecture {
                return None;
            }
            // The kinds may be written or not: 港, 港区, 大阪市北, 北.
            let starts = slots.clone().step_by(2);
            let mut starts = starts.map(|slot| if slot == 0 { 0 } else { end_of(ends, slot - 1) });
            let begins = starts.any(|start| start == found.start);
            let mut slots = slots;
            let finishes = slots.any(|slot| end_of(ends, slot) == found.end);
            Some((field, Extent::of(begins, finishes)))
        }
        Part::Line | Part::Inside => {
            let mut begin = 0;
            for (slot, field) in fields(part).iter().enumerate() {
                let end = end_of(ends, slot);
                if found.start < end {
                    let extent = Extent::of(begin == found.start, end == found.end);
                    return (found.end <= end).then_some((*field, extent));
                }
                begin = end;
            }
            None
        }
        Part::Name | Part::Kana => {
            // The legal forms may be written or not.
            let proper = end_of(ends, slot::PROPER_NAME - 1)..end_of(ends, slot::PROPER_NAME);
            let begins = found.end > proper.start && [0, proper.start].contains(&found.start);
            let finishes = [proper.end, end_of(ends, slot::PROPER_NAME + 1)].contains(&found.end);
            Some((fields(part)[0], Extent::of(begins, finishes)))
        }
    }
}

/// The level of a match that spans fields of an address.
pub fn across(start: u32, end: u32, ends: &[u16_le]) -> Level {
    let ends_at = |field: &u16_le| u32::from(field.to_native()) == end;
    let extent = match (start, ends.last().is_some_and(ends_at)) {
        (0, true) => Extent::Whole,
        (0, false) if ends.iter().any(ends_at) => return Level::ACROSS_TO_A_FIELD,
        (0, false) => Extent::Beginning,
        _ => Extent::Middle,
    };
    Level::across(extent)
}
