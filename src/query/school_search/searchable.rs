//! The sections that only the search for schools reads, checked.

use std::ops::Range;

use crate::index::school_texts::SchoolText;
use crate::query::areas::{Area, Areas, UNNAMED};
use crate::query::text_index::TextIndex;
use crate::record::address::PlaceView;
use crate::record::school::ArchivedSchoolTables;
use crate::snapshot::{OpenError, SnapshotFile};

#[derive(Debug)]
pub struct Searchable {
    pub texts: [TextIndex; 2],
    pub areas: Areas,
}

impl Searchable {
    /// Reads and checks the sections of the search.
    pub fn open(
        file: &SnapshotFile,
        tables: &ArchivedSchoolTables,
    ) -> Result<Searchable, OpenError> {
        let rows = tables.schools.len();
        let open =
            |text: SchoolText| TextIndex::open(file, text.sections(), SchoolText::LEVEL, rows);
        let [name, address] = SchoolText::ALL.map(open);
        let areas = tables.areas().map(|(place, rows)| area(place, rows));
        Ok(Searchable { texts: [name?, address?], areas: Areas::of(areas.collect()) })
    }
}

fn area(place: PlaceView<'_>, rows: Range<u32>) -> Area {
    let named = |name: &str| if name.is_empty() { UNNAMED } else { name }.to_owned();
    let ([prefecture, ..], [city, ..]) = (place.prefecture(), place.city());
    Area { prefecture: named(prefecture), city: Some(named(city)), rows }
}
