//! The parts: fields that are searched together.

use crate::index::grams::Edge;
use crate::text::fold::Level;

/// Fields that are concatenated to one text and searched together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// One unit per municipality's run of rows: the names of its areas, each separate from its kind (都).
    Place,
    /// One unit per row: the fields from town to floor.
    Line,
    /// One unit per business: the parts of its printed address below the town.
    Inside,
    /// One unit per business: its name as legal form, rest, legal form.
    Name,
    /// The reading of the name, split in the same way.
    Kana,
}

impl Part {
    pub const ALL: [Part; 5] = [Part::Place, Part::Line, Part::Inside, Part::Name, Part::Kana];

    /// The folding level of its texts and keywords. `ガ` folds to `ケ` in an address, not in a reading.
    pub fn level(self) -> Level {
        if self == Part::Kana { Level::Search } else { Level::Address }
    }

    /// Where single letters are listed. A single letter can remain on either side where a typed address is split into
    /// place and line.
    pub fn edge(self) -> Edge {
        match self {
            Part::Place => Edge::Last,
            Part::Line => Edge::First,
            Part::Inside | Part::Name | Part::Kana => Edge::None,
        }
    }

    /// The number of its fields.
    pub fn fields(self) -> usize {
        match self {
            Part::Place => 8,
            Part::Line => 6,
            Part::Inside | Part::Name | Part::Kana => 3,
        }
    }
}
