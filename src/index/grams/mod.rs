//! The search index of the postal records: an inverted index of bigrams, read in place.
//!
//! The searched fields lie in five parts ([`Part`]), each a row of short texts, its units:
//!
//! | part | one unit a | its fields, written in one |
//! |---|---|---|
//! | place | municipality's run of rows | prefecture, county, city, ward, each with its kind (都) apart |
//! | line | row | town, koaza, address below the town, Kyoto street, building, floor |
//! | inside | business | Kyoto street, building, floor |
//! | name | business | business name: its legal form, the rest, its legal form |
//! | kana | business | the reading, likewise |
//!
//! The building of a business is a part of its address below the town as printed, so it has a part of
//! its own. Rows are in area order, so a place is a range of rows, and a business's unit is its
//! number among the current businesses.
//!
//! Texts are not kept: a gram is listed with its position, so that the places of two grams that are
//! two positions apart are the places of a text of four letters. Whatever is found is exact, and the
//! lengths of the fields ([`Shapes`]) say which field it stands in and whether it is the whole of it.
//!
//! Knows records and folding. Does not know queries.

mod postings;
mod shapes;
mod table;
mod texts;

use rkyv::{Archive, Serialize};

pub use shapes::{ArchivedShapes, Shapes};
use table::{Edges, GramTable, GramTableBuilder};
pub use texts::slot;

use crate::index::folding;
use crate::record::postal::{CityRow, PostalRow};
use crate::text::fold::{Level, fold_char};

/// A character's number in the alphabet of its snapshot, from 1.
pub type Letter = u16;

/// A place in a part: a unit, and a position in its text. Ordered by both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Spot(u64);

impl Spot {
    #[inline]
    fn of(unit: u32, position: u32) -> Spot {
        Spot(u64::from(unit) << 16 | u64::from(position))
    }

    /// The number of the unit.
    #[inline]
    pub fn unit(self) -> u32 {
        (self.0 >> 16) as u32
    }

    /// The letters before it in its unit's text.
    #[inline]
    pub fn position(self) -> u32 {
        self.0 as u32 & 0xFFFF
    }

    /// Some positions on. Positions of the query's length and the text's fit together in 17 bits,
    /// and one that overflows is in no list.
    #[inline]
    fn moved(self, positions: u32) -> Spot {
        Spot(self.0 + u64::from(positions))
    }

    #[inline]
    fn moved_back(self, positions: u32) -> Option<Spot> {
        (self.position() >= positions).then(|| Spot(self.0 - u64::from(positions)))
    }
}

/// A group of fields that are searched in one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// Prefecture and city.
    Place,
    /// What stands below the city.
    Line,
    /// What stands inside the lot of a business.
    Inside,
    /// Business names.
    Name,
    /// Their readings.
    Kana,
}

impl Part {
    /// In the order in which they lie.
    pub const ALL: [Part; 5] = [Part::Place, Part::Line, Part::Inside, Part::Name, Part::Kana];

    /// How its texts are folded, and so how a keyword is. `ガ` is `ケ` in an address, not in a reading.
    pub fn level(self) -> Level {
        if self == Part::Kana { Level::Search } else { Level::Address }
    }

    fn edges(self) -> Edges {
        match self {
            Part::Place => Edges::Last,
            Part::Line => Edges::First,
            Part::Inside | Part::Name | Part::Kana => Edges::None,
        }
    }

    fn fields(self) -> usize {
        match self {
            Part::Place => 8,
            Part::Line => 6,
            Part::Inside | Part::Name | Part::Kana => 3,
        }
    }
}

/// The index as it is archived.
#[derive(Debug, Archive, Serialize)]
pub struct GramIndex {
    /// The characters of the letters 1 and on, ascending.
    alphabet: Vec<u32>,
    /// One for each of [`Part::ALL`].
    parts: [PartIndex; 5],
}

#[derive(Debug, Archive, Serialize)]
struct PartIndex {
    grams: GramTable,
    shapes: Shapes,
}

/// The records cannot be indexed: they are not what the official files have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IndexFault {
    /// More characters than letters have numbers.
    #[error("expected at most 65,535 different characters, found {found}; are these the files?")]
    Alphabet {
        /// How many there are.
        found: usize,
    },
    /// More combinations of lengths than have numbers.
    #[error("expected at most 65,535 different lengths, found more; are these the files?")]
    Shapes,
}

impl GramIndex {
    /// Indexes the current records, which are in area order.
    pub fn build(cities: &[CityRow], current: &[PostalRow]) -> Result<GramIndex, IndexFault> {
        let mut texts = Vec::with_capacity(Part::ALL.len());
        let mut alphabet = std::collections::BTreeSet::new();
        for part in Part::ALL {
            let of_part = texts::texts(part, cities, current);
            alphabet.extend(of_part.iter().flat_map(|text| text.characters.iter().copied()));
            texts.push(of_part);
        }
        let alphabet: Vec<u32> = alphabet.into_iter().map(u32::from).collect();
        if alphabet.len() >= usize::from(Letter::MAX) {
            return Err(IndexFault::Alphabet { found: alphabet.len() });
        }
        let letter = |character: &char| -> Letter {
            let place = alphabet.binary_search(&u32::from(*character));
            place.map_or(table::EDGE, |place| place as Letter + 1)
        };
        let mut parts = Vec::with_capacity(texts.len());
        for (part, texts) in Part::ALL.into_iter().zip(texts) {
            let mut grams = GramTableBuilder::begin(part.edges());
            let mut shapes = shapes::ShapesBuilder::begin(part.fields());
            for (unit, text) in (0u32..).zip(&texts) {
                let letters: Vec<Letter> = text.characters.iter().map(letter).collect();
                grams.add(unit, &letters);
                shapes.add(&text.lengths)?;
            }
            let grams = grams.finish(alphabet.len() + 1);
            parts.push(PartIndex { grams, shapes: shapes.finish() });
        }
        let parts = <[PartIndex; 5]>::try_from(parts);
        Ok(GramIndex { alphabet, parts: parts.expect("one for each part") })
    }
}

/// How many units each part has, from the tables that the index stands beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units {
    /// Runs of rows with one municipality.
    pub places: usize,
    /// Current records.
    pub rows: usize,
    /// Current businesses.
    pub businesses: usize,
}

impl Units {
    fn of(self, part: Part) -> usize {
        match part {
            Part::Place => self.places,
            Part::Line => self.rows,
            Part::Inside | Part::Name | Part::Kana => self.businesses,
        }
    }
}

/// Bytes of one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartSize {
    /// The part.
    pub part: Part,
    /// The table of grams.
    pub dictionary: usize,
    /// Their lists.
    pub lists: usize,
    /// Lengths of the fields.
    pub shapes: usize,
}

impl ArchivedGramIndex {
    /// Checks every number that a search follows, for tables with these units. An alphabet that this
    /// program would fold otherwise is refused too: a query would be looked up under other letters.
    pub fn check(&self, units: Units) -> Result<(), &'static str> {
        let characters = self.alphabet.iter().map(|character| character.to_native());
        if !characters.clone().is_sorted_by(|left, right| left < right) {
            return Err("characters, ascending");
        }
        for character in characters {
            let folds = char::from_u32(character)
                .is_some_and(|character| fold_char(character, Level::Search) == character);
            if !folds {
                return Err("characters as this program folds them");
            }
        }
        let letters = self.alphabet.len() + 1;
        for (part, index) in Part::ALL.into_iter().zip(&self.parts) {
            index.shapes.check(part.fields(), units.of(part))?;
            index.grams.check(letters, part.edges(), |unit| index.shapes.length(unit))?;
        }
        Ok(())
    }

    /// The letters of a keyword as this part writes them; none where one is not in the alphabet.
    pub fn letters(&self, keyword: &str, part: Part) -> Option<Vec<Letter>> {
        let mut characters = Vec::new();
        folding::characters(keyword, part.level(), &mut characters);
        let letter = |character: &char| {
            let probe = u32::from(*character);
            let place = self.alphabet.binary_search_by(|known| known.to_native().cmp(&probe));
            place.ok().map(|place| place as Letter + 1)
        };
        characters.iter().map(letter).collect()
    }

    /// Where these letters stand one behind the other in a part, ascending. A single letter is found
    /// at the end of places and at the beginning of lines.
    pub fn find(&self, part: Part, letters: &[Letter], found: &mut Vec<Spot>) {
        self.parts[part as usize].grams.find(letters, found);
    }

    /// The lengths of a part's fields.
    pub fn shapes(&self, part: Part) -> &ArchivedShapes {
        &self.parts[part as usize].shapes
    }

    /// What the index is made of, for the bench and for inspection.
    pub fn sizes(&self) -> Vec<PartSize> {
        let sized = Part::ALL.into_iter().zip(&self.parts).map(|(part, index)| {
            let (dictionary, lists) = index.grams.sizes();
            PartSize { part, dictionary, lists, shapes: index.shapes.size() }
        });
        sized.collect()
    }
}

#[cfg(test)]
mod tests;
