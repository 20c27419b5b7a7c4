//! The field in which a match is, how much of the field it covers, and the value that it gets.

use std::ops::Range;

use rkyv::rend::u16_le;

use super::points::{Coverage, MatchValue};
use crate::index::postal_texts::{Part, slot};
use crate::query::syntax::PostalField;

/// The fields that a part of the indexed text consists of, in their order.
pub fn fields(part: Part) -> &'static [PostalField] {
    match part {
        Part::Place => &[PostalField::Prefecture, PostalField::City],
        Part::Line => &[
            PostalField::Town,
            PostalField::Koaza,
            PostalField::BlockLot,
            PostalField::KyotoStreet,
            PostalField::Building,
            PostalField::Floor,
        ],
        Part::Inside => &[PostalField::KyotoStreet, PostalField::Building, PostalField::Floor],
        Part::Name => &[PostalField::Corporation],
        Part::Kana => &[PostalField::CorporationKana],
    }
}

/// The end of a slot, in characters of its text; the slots of a text are its fields and their parts.
#[inline]
pub fn slot_end(ends: &[u16_le], slot: usize) -> u32 {
    ends.get(slot).map_or(0, |end| u32::from(end.to_native()))
}

/// The field of a text that contains a match, and how much of it the match covers; `None` if it spans fields.
#[inline(always)]
pub fn field_of_match(
    part: Part,
    ends: &[u16_le],
    found: Range<u32>,
) -> Option<(PostalField, Coverage)> {
    match part {
        Part::Place => {
            let prefecture = slot_end(ends, slot::CITY - 1);
            let (field, slots) = match found.start < prefecture {
                true => (PostalField::Prefecture, slot::PREFECTURE..slot::CITY),
                false => (PostalField::City, slot::CITY..ends.len()),
            };
            if field == PostalField::Prefecture && found.end > prefecture {
                return None;
            }
            // Names and kinds take turns, and a kind may be left out: 港, 港区, 大阪市北, 北.
            let starts = slots.clone().step_by(2);
            let mut starts =
                starts.map(|slot| if slot == 0 { 0 } else { slot_end(ends, slot - 1) });
            let at_start = starts.any(|start| start == found.start);
            let mut slots = slots;
            let at_end = slots.any(|slot| slot_end(ends, slot) == found.end);
            Some((field, Coverage::new(at_start, at_end)))
        }
        Part::Line | Part::Inside => {
            let mut start = 0;
            for (slot, field) in fields(part).iter().enumerate() {
                let end = slot_end(ends, slot);
                if found.start < end {
                    let coverage = Coverage::new(start == found.start, end == found.end);
                    return (found.end <= end).then_some((*field, coverage));
                }
                start = end;
            }
            None
        }
        Part::Name | Part::Kana => {
            // The legal forms may be written or not.
            let proper = slot_end(ends, slot::PROPER_NAME - 1)..slot_end(ends, slot::PROPER_NAME);
            let at_start = found.end > proper.start && [0, proper.start].contains(&found.start);
            let at_end = [proper.end, slot_end(ends, slot::PROPER_NAME + 1)].contains(&found.end);
            Some((fields(part)[0], Coverage::new(at_start, at_end)))
        }
    }
}

/// The value of a match that spans fields of an address.
pub fn value_across_fields(start: u32, end: u32, ends: &[u16_le]) -> MatchValue {
    let is_at_end = |field: &u16_le| u32::from(field.to_native()) == end;
    let coverage = match (start, ends.last().is_some_and(is_at_end)) {
        (0, true) => Coverage::Whole,
        (0, false) if ends.iter().any(is_at_end) => return MatchValue::ACROSS_TO_FIELD_END,
        (0, false) => Coverage::Beginning,
        _ => Coverage::Middle,
    };
    MatchValue::across(coverage)
}
