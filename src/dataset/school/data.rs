//! One open version of the lists of schools: look-up by code, all of them, and the sections of their search.

use std::ops::Range;
use std::sync::Arc;

use super::record::{ArchivedSchoolProvenance, ArchivedSchoolTables, SchoolView, tag};
use super::successors::Successors;
use super::syntax::SchoolText;
use crate::index::grams::TextIndex;
use crate::query::areas::{Area, Areas, UNNAMED};
use crate::record::parts::ArchivedAddressPlace;
use crate::snapshot::{Dataset, DatasetKind, LazyValue, OpenError, Result, Section, SnapshotFile};
use crate::text::codes::{DataVersion, SchoolCode};

/// A school snapshot. Its content is checked once, on first use.
#[derive(Debug)]
pub struct SchoolData {
    file: SnapshotFile,
    tables: LazyValue<Section<ArchivedSchoolTables>>,
    search_index: LazyValue<SearchIndex>,
}

impl Dataset for SchoolData {
    const KIND: DatasetKind = DatasetKind::new(5, "school");

    fn from_file(file: SnapshotFile) -> SchoolData {
        SchoolData { file, tables: LazyValue::default(), search_index: LazyValue::default() }
    }

    fn file(&self) -> &SnapshotFile {
        &self.file
    }

    fn prepare(&self) -> Result<()> {
        self.search_index().map(|_searchable| ())
    }
}

impl SchoolData {
    pub fn version(&self) -> DataVersion {
        self.file.version()
    }

    /// The school of a code; `None` if no list has it.
    pub fn lookup(&self, code: SchoolCode) -> Result<Option<SchoolView<'_>>> {
        let tables = self.tables()?;
        Ok(tables.find(code).and_then(|row| SchoolView::read(tables, row)))
    }

    /// Every school, by area.
    pub fn schools(&self) -> Result<impl ExactSizeIterator<Item = SchoolView<'_>>> {
        let tables = self.tables()?;
        let view = move |row| SchoolView::read(tables, row).expect("a row of the table");
        Ok((0..tables.schools.len() as u32).map(view))
    }

    pub fn provenance(&self) -> Result<Section<ArchivedSchoolProvenance>, OpenError> {
        self.file.archive(tag::PROVENANCE)
    }

    pub fn counts(&self) -> Result<SchoolCounts> {
        Ok(SchoolCounts {
            schools: self.tables()?.schools.len(),
            closed: self.schools()?.filter(|school| school.is_closed()).count(),
            places: self.tables()?.places.len(),
        })
    }

    pub(super) fn tables(&self) -> Result<&ArchivedSchoolTables> {
        let check = || self.file.checked_archive(tag::TABLES, ArchivedSchoolTables::check);
        self.tables.get(|| check().map_err(Arc::new)).map(Section::root)
    }

    /// Whether the sections of searches are already checked: by [`Dataset::prepare`] or the first search.
    pub fn is_search_checked(&self) -> bool {
        self.search_index.is_loaded()
    }

    pub fn search_index(&self) -> Result<&SearchIndex> {
        let tables = self.tables()?;
        self.search_index.get(|| SearchIndex::open(&self.file, tables).map_err(Arc::new))
    }
}

/// The sections that only searches read, the areas, and the successors of closed schools.
#[derive(Debug)]
pub struct SearchIndex {
    /// The indexes in the order of [`SchoolText::ALL`].
    pub texts: [TextIndex; 2],
    pub areas: Areas,
    pub successors: Successors,
}

impl SearchIndex {
    pub fn open(
        file: &SnapshotFile,
        tables: &ArchivedSchoolTables,
    ) -> Result<SearchIndex, OpenError> {
        let rows = tables.schools.len();
        let open =
            |text: SchoolText| TextIndex::open(file, text.sections(), SchoolText::LEVEL, rows);
        let [name, address] = SchoolText::ALL.map(open);
        let areas = tables.areas().map(|(place, rows)| area(place, rows));
        let (areas, successors) = (Areas::new(areas.collect()), Successors::new(tables));
        Ok(SearchIndex { texts: [name?, address?], areas, successors })
    }
}

fn area(place: &ArchivedAddressPlace, rows: Range<u32>) -> Area {
    let name_of = |name: &str| if name.is_empty() { UNNAMED } else { name }.to_owned();
    let ([prefecture, ..], [city, ..]) = (place.prefecture(), place.city());
    Area { prefecture: name_of(prefecture), city: Some(name_of(city)), rows }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchoolCounts {
    pub schools: usize,
    pub closed: usize,
    pub places: usize,
}
