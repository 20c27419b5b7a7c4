//! The searched texts of schools with their indexes, and the folding of keywords for them.
//!
//! Width, kanji variants, small kana, spaces, ヶ and が, の and ノ, and the kind of hyphen between numbers are folded.
//! Knows the rows of schools. Does not know queries.

use crate::dataset::school::record::{School, SchoolTables};
use crate::index::folding;
use crate::index::grams::TextSections;
use crate::index::grams::{self, BuildFault, Dictionary, Listing};
use crate::snapshot::SectionTag;
use crate::text::fold::Level;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchoolText {
    Name,
    /// The address as published.
    Address,
}

impl SchoolText {
    pub const ALL: [SchoolText; 2] = [SchoolText::Name, SchoolText::Address];

    pub const LEVEL: Level = Level::Address;

    /// A gram of three or more letters is listed if it occurs in more rows than this.
    const THRESHOLD: u32 = 100;

    pub const fn sections(self) -> TextSections {
        let [grams, lists, sums] = match self {
            SchoolText::Name => ["name.g", "name.l", "name.s"],
            SchoolText::Address => ["addr.g", "addr.l", "addr.s"],
        };
        TextSections {
            grams: SectionTag::new(grams),
            lists: SectionTag::new(lists),
            sums: SectionTag::new(sums),
        }
    }

    fn text_of(self, school: &School) -> &str {
        match self {
            SchoolText::Name => &school.name,
            SchoolText::Address => &school.address,
        }
    }

    /// Builds the index of this text: the dictionary, and the bytes of the lists.
    pub fn index(self, tables: &SchoolTables) -> Result<(Dictionary, Vec<u8>), BuildFault> {
        let rows = u32::try_from(tables.schools.len()).unwrap_or(u32::MAX);
        grams::build(rows, Listing::Rows { threshold: SchoolText::THRESHOLD }, |row, out| {
            folding::characters(
                self.text_of(&tables.schools[row as usize]),
                SchoolText::LEVEL,
                out,
            );
        })
    }
}
