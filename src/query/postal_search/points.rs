//! What a match is worth: in which field it stands, and how much of the field it is.
//!
//! An address across fields that ends where a field ends, but not the last, has 13. A record's points for a keyword
//! are sixteen times the best of its matches, and one for each further match that is a whole field: `千代田` finds
//! 千代田区千代田 before the other towns of that name.

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

impl Level {
    pub const CODE: Level = Level(15);
    /// An address across fields that ends where a field ends.
    pub const TO_A_FIELD: Level = Level(13);

    #[inline]
    pub fn of(field: Option<Field>, extent: Extent) -> Level {
        let levels: &[u8; 3] = match field {
            Some(Field::Town | Field::Corporation) => &[15, 11, 6],
            Some(Field::Prefecture | Field::City) | None => &[15, 10, 4],
            Some(Field::Building) => &[14, 10, 5],
            Some(Field::Koaza | Field::KyotoStreet) => &[13, 9, 4],
            Some(Field::CorporationKana) => &[13, 9, 3],
            Some(Field::BlockLot) => &[12, 8, 2],
            Some(Field::Floor) => &[12, 8, 1],
        };
        Level(levels[extent as usize])
    }

    /// The points of a record that had `points` before this match.
    #[inline]
    pub fn add_to(self, points: u8) -> u8 {
        let (best, further) = (points >> 4, points & 0xF);
        let both_whole = best >= WHOLE && self.0 >= WHOLE;
        best.max(self.0) << 4 | (further + u8::from(both_whole)).min(15)
    }
}
