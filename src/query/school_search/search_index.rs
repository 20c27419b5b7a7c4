//! The sections that only the search for schools reads, and its areas. Those of the newest version are checked when it
//! is loaded, others at the first search of their version.

use std::ops::Range;

use crate::index::school_texts::SchoolText;
use crate::query::areas::{Area, Areas, UNNAMED};
use crate::query::text_index::TextIndex;
use crate::record::address::ArchivedAddressPlace;
use crate::record::school::ArchivedSchoolTables;
use crate::snapshot::{OpenError, SnapshotFile};

#[derive(Debug)]
pub struct SearchIndex {
    /// The indexes in the order of [`SchoolText::ALL`].
    pub texts: [TextIndex; 2],
    pub areas: Areas,
}

impl SearchIndex {
    /// Reads and checks the sections.
    pub fn open(
        file: &SnapshotFile,
        tables: &ArchivedSchoolTables,
    ) -> Result<SearchIndex, OpenError> {
        let rows = tables.schools.len();
        let open =
            |text: SchoolText| TextIndex::open(file, text.sections(), SchoolText::LEVEL, rows);
        let [name, address] = SchoolText::ALL.map(open);
        let areas = tables.areas().map(|(place, rows)| area(place, rows));
        Ok(SearchIndex { texts: [name?, address?], areas: Areas::new(areas.collect()) })
    }
}

fn area(place: &ArchivedAddressPlace, rows: Range<u32>) -> Area {
    let name_of = |name: &str| if name.is_empty() { UNNAMED } else { name }.to_owned();
    let ([prefecture, ..], [city, ..]) = (place.prefecture(), place.city());
    Area { prefecture: name_of(prefecture), city: Some(name_of(city)), rows }
}
