//! Points of a match, by its field and how much of the field it covers.
//!
//! A record's points for a keyword are sixteen times the best of its matches, plus one for each further match of a
//! whole field: `千代田` finds 千代田区千代田 before the other towns of that name.
//!
//! A record that contains the keyword only across fields of its address has fewer points than any match inside a
//! field: 4 if the keyword is the whole address, 3 if it ends with a field, 2 if it is another beginning, 1 in the
//! middle.

use crate::query::syntax::PostalField;

/// How much of a field a match covers.
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

    /// A match across fields.
    pub fn across(coverage: Coverage) -> MatchValue {
        MatchValue([4, 2, 1][coverage as usize])
    }

    /// A match inside a field.
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
