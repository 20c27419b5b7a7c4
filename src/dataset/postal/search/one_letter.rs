//! Fields of one letter, for keywords of one letter: the index has only pairs of letters.
//!
//! The field lengths in the index show which fields these are, so that only their texts are read.

use std::ops::Range;

use super::points::{Coverage, MatchValue, field_of_match, slot_end};
use crate::dataset::postal::syntax::PostalField;
use crate::index::postal_texts::{ArchivedPostalTextIndex, Part, slot};
use crate::query::areas::Area;
use crate::record::postal::PostalView;
use crate::text::fold;

/// A field that is one letter, apart from its legal form or kind of area.
#[derive(Debug)]
pub struct OneLetterField {
    letter: char,
    pub field: PostalField,
    pub rows: Range<u32>,
    pub value: MatchValue,
}

/// All such fields of a version, sorted by letter.
#[derive(Debug, Default)]
pub struct OneLetterFields(Vec<OneLetterField>);

/// Converts the units of a checked index to rows: a unit is a municipality, a row or a business.
#[derive(Clone, Copy)]
pub struct UnitRows<'a> {
    pub areas: &'a [Area],
    pub businesses: &'a [u32],
    pub row_count: usize,
}

impl UnitRows<'_> {
    fn count(self, part: Part) -> usize {
        match part {
            Part::Place => self.areas.len(),
            Part::Line => self.row_count,
            Part::Inside | Part::Name | Part::Kana => self.businesses.len(),
        }
    }

    /// The rows of a unit of a part; `None` if there is no such unit.
    #[inline]
    pub fn rows_of(self, part: Part, unit: u32) -> Option<Range<u32>> {
        let row = |row: u32| row..row + 1;
        let index = unit as usize;
        match part {
            Part::Place => self.areas.get(index).map(|area| area.rows.clone()),
            Part::Line => Some(row(unit)),
            Part::Inside | Part::Name | Part::Kana => self.businesses.get(index).copied().map(row),
        }
    }
}

impl OneLetterFields {
    /// Finds them by the lengths in the index. `record` returns the record of a row.
    pub fn new<'s>(
        index: &ArchivedPostalTextIndex,
        units: UnitRows<'_>,
        record: impl Fn(u32) -> Option<PostalView<'s>>,
    ) -> OneLetterFields {
        let mut found = Vec::new();
        for part in Part::ALL {
            let lengths = index.lengths(part);
            for unit in 0..units.count(part) as u32 {
                let ends = lengths.ends(unit);
                let mut start = 0;
                for slot in 0..ends.len() {
                    let end = slot_end(ends, slot);
                    let is_one_letter = end == start + 1;
                    if is_one_letter
                        && let Some((field, coverage @ Coverage::Whole)) =
                            field_of_match(part, ends, start..end)
                        && let Some(rows) = units.rows_of(part, unit)
                        && let Some(record) = record(rows.start)
                        && let Some(letter) = letter(part, slot, start as usize, record)
                    {
                        found.push(OneLetterField {
                            letter,
                            field,
                            rows,
                            value: MatchValue::in_field(field, coverage),
                        });
                    }
                    start = end;
                }
            }
        }
        found.sort_by_key(|it| (it.letter, it.rows.start));
        OneLetterFields(found)
    }

    pub fn find(&self, letter: char) -> &[OneLetterField] {
        let start = self.0.partition_point(|it| it.letter < letter);
        let end = self.0.partition_point(|it| it.letter <= letter);
        &self.0[start..end]
    }
}

/// The folded letter at `start` of a part's text, which is the whole content of `slot`.
fn letter(part: Part, slot: usize, start: usize, record: PostalView<'_>) -> Option<char> {
    let (texts, index): ([&str; 2], usize) = match (part, slot) {
        (Part::Place, _) => {
            let city = record.city();
            ([city.prefecture().name.text, city.city().name.text], start)
        }
        (Part::Line, slot::TOWN) => ([record.town().name.text, ""], 0),
        (Part::Line, slot::KOAZA) => ([record.koaza().text, ""], 0),
        (Part::Line, slot::BLOCK_LOT) => ([record.corporation()?.block_lot().text, ""], 0),
        (Part::Line, slot::STREET) | (Part::Inside, slot::INSIDE_STREET) => {
            ([record.kyoto_street().text, ""], 0)
        }
        (Part::Line, slot::BUILDING) | (Part::Inside, slot::INSIDE_BUILDING) => {
            ([record.building().text, ""], 0)
        }
        (Part::Line | Part::Inside, _) => ([record.floor().text, ""], 0),
        (Part::Name, _) => ([record.corporation()?.name().text, ""], start),
        (Part::Kana, _) => ([record.corporation()?.name_kana().text, ""], start),
    };
    let mut folded = Vec::new();
    fold::search_letters(&texts.concat(), part.level(), &mut folded);
    // If a lot begins with the town, its slot has only the rest.
    let is_whole = slot != slot::BLOCK_LOT || part != Part::Line || folded.len() == 1;
    folded.get(index).copied().filter(|_| is_whole)
}
