//! What a match is worth: in which field it stands, and how much of the field it is.
//!
//! A record's points for a keyword are sixteen times the best of its matches, and one for each further match that is
//! a whole field: `千代田` finds 千代田区千代田 before the other towns of that name.
//!
//! A record that has the keyword in no field but across fields of its address has fewer points than any that has it
//! in a field: 4 where the keyword is the whole address, 3 where it ends with a field, 2 where it is another
//! beginning, 1 in the middle.

use crate::query::syntax::Field;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Whole,
    Beginning,
    Middle,
}

impl Extent {
    /// Of a match that begins where the field does, or finishes where it does.
    #[inline]
    pub fn of(begins: bool, finishes: bool) -> Extent {
        match (begins, finishes) {
            (true, true) => Extent::Whole,
            (true, false) => Extent::Beginning,
            (false, _) => Extent::Middle,
        }
    }
}

const WHOLE: u8 = 12;

/// What a match is worth: of a match in a field the level of the table above, in the upper four bits; of
/// one across fields its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// Points below are of matches across fields alone.
const IN_A_FIELD: u8 = 1 << 4;

impl Level {
    pub const CODE: Level = Level(15 << 4);
    /// An address across fields that ends where a field ends.
    pub const ACROSS_TO_A_FIELD: Level = Level(3);

    pub fn across(extent: Extent) -> Level {
        Level([4, 2, 1][extent as usize])
    }

    #[inline]
    pub fn of(field: Field, extent: Extent) -> Level {
        let levels: &[u8; 3] = match field {
            Field::Town | Field::Corporation => &[15, 11, 6],
            Field::Prefecture | Field::City => &[15, 10, 4],
            Field::Building => &[14, 10, 5],
            Field::Koaza | Field::KyotoStreet => &[13, 9, 4],
            Field::CorporationKana => &[13, 9, 3],
            Field::BlockLot => &[12, 8, 2],
            Field::Floor => &[12, 8, 1],
        };
        Level(levels[extent as usize] << 4)
    }

    /// The points of a record that had `points` before this match.
    #[inline]
    pub fn add_to(self, points: u8) -> u8 {
        if points < IN_A_FIELD || self.0 < IN_A_FIELD {
            return points.max(self.0);
        }
        let (best, further) = (points >> 4, points & 0xF);
        let level = self.0 >> 4;
        let both_whole = best >= WHOLE && level >= WHOLE;
        best.max(level) << 4 | (further + u8::from(both_whole)).min(15)
    }
}
