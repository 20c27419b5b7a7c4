//! The parts: fields that are searched together.

use crate::index::grams::Edge;
use crate::text::fold::Level;

/// Fields that are written in one text and searched together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// A unit for each municipality's run of rows: the names of its areas, each with its kind (都) apart.
    Place,
    /// A unit for each row: the fields from town to floor.
    Line,
    /// A unit for each business: what its address below the town as printed has in it.
    Inside,
    /// A unit for each business: its name as legal form, rest, legal form.
    Name,
    /// The reading of the name, likewise.
    Kana,
}

impl Part {
    pub const ALL: [Part; 5] = [Part::Place, Part::Line, Part::Inside, Part::Name, Part::Kana];

    /// How its texts are folded, and so how a keyword is. `ガ` is `ケ` in an address, not in a reading.
    pub fn level(self) -> Level {
        if self == Part::Kana { Level::Search } else { Level::Address }
    }

    /// Where an address is split between a place and a line, a single letter may be left of either.
    pub fn edge(self) -> Edge {
        match self {
            Part::Place => Edge::Last,
            Part::Line => Edge::First,
            Part::Inside | Part::Name | Part::Kana => Edge::None,
        }
    }

    pub fn fields(self) -> usize {
        match self {
            Part::Place => 8,
            Part::Line => 6,
            Part::Inside | Part::Name | Part::Kana => 3,
        }
    }
}
