//! Points of a match, by its field and how much of the field it covers.
//!
//! A record's points for a keyword are sixteen times the best of its matches, plus one for each further match of a
//! whole field: `千代田` finds 千代田区千代田 before the other towns of that name.
//!
//! A record that contains the keyword only across fields of its address has fewer points than any match inside a
//! field: 4 if the keyword is the whole address, 3 if it ends with a field, 2 if it is another beginning, 1 in the
//! middle.

use crate::query::syntax::Field;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Whole,
    Beginning,
    Middle,
}

impl Extent {
    /// For a match that begins at the start of the field, or finishes at its end.
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

/// The value of a match. Inside a field it is the level of the table above, in the upper four bits; across fields
/// it is the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// Lower values are matches across fields.
const IN_A_FIELD: u8 = 1 << 4;

impl Level {
    pub const CODE: Level = Level(15 << 4);
    /// A match across fields that ends at the end of a field.
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

    /// The new points of a record that had `points` before this match.
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
