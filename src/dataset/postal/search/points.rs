//! Points of a match: the field in which it is, how much of the field it covers, and the value that it gets.
//!
//! A record's points for a keyword are sixteen times the best of its matches, plus one for each further match of a
//! whole field: `千代田` finds 千代田区千代田 before the other towns of that name.
//!
//! A record that contains the keyword only across fields of its address has fewer points than any match inside a
//! field: 4 if the keyword is the whole address, 3 if it ends with a field, 2 if it is another beginning, 1 in the
//! middle.

use std::ops::Range;

use rkyv::rend::u16_le;

use crate::dataset::postal::syntax::PostalField;
use crate::index::postal_texts::{Part, slot};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    Whole,
    Beginning,
    Middle,
}

impl Coverage {
    /// `at_start` says that the match begins where the field begins, `at_end` that both end together.
    #[inline]
    pub fn new(at_start: bool, at_end: bool) -> Coverage {
        match (at_start, at_end) {
            (true, true) => Coverage::Whole,
            (true, false) => Coverage::Beginning,
            (false, _) => Coverage::Middle,
        }
    }
}

/// The least level of a match that covers a whole field.
const WHOLE_FIELD: u8 = 12;

/// The value of a match. A match inside a field has its level of 1 to 15 in the upper four bits; a match across
/// fields has its points of 1 to 4 in the lower ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchValue(u8);

/// The least value of a match inside a field.
const IN_FIELD_MIN: u8 = 1 << 4;

impl MatchValue {
    /// The keyword is the postal code.
    pub const CODE: MatchValue = MatchValue(15 << 4);
    /// A match across fields that ends at the end of a field.
    pub const ACROSS_TO_FIELD_END: MatchValue = MatchValue(3);

    pub fn across(coverage: Coverage) -> MatchValue {
        MatchValue([4, 2, 1][coverage as usize])
    }

    #[inline]
    pub fn in_field(field: PostalField, coverage: Coverage) -> MatchValue {
        let levels: &[u8; 3] = match field {
            PostalField::Town | PostalField::Corporation => &[15, 11, 6],
            PostalField::Prefecture | PostalField::City => &[15, 10, 4],
            PostalField::Building => &[14, 10, 5],
            PostalField::Koaza | PostalField::KyotoStreet => &[13, 9, 4],
            PostalField::CorporationKana => &[13, 9, 3],
            PostalField::BlockLot => &[12, 8, 2],
            PostalField::Floor => &[12, 8, 1],
        };
        MatchValue(levels[coverage as usize] << 4)
    }

    /// The new points of a record that had `points` before this match.
    #[inline]
    pub fn add_to(self, points: u8) -> u8 {
        if points < IN_FIELD_MIN || self.0 < IN_FIELD_MIN {
            return points.max(self.0);
        }
        let (best, further) = (points >> 4, points & 0xF);
        let level = self.0 >> 4;
        let both_whole = best >= WHOLE_FIELD && level >= WHOLE_FIELD;
        best.max(level) << 4 | (further + u8::from(both_whole)).min(15)
    }
}

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
