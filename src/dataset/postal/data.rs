//! One open version of the postal data: look-up by code, changes, municipalities.

use std::sync::Arc;

use super::fragments::CityFragments;
use super::rows::{LookupSections, PostalRows, RowSource};
use crate::address::Point;
use crate::address::gazetteer::ArchivedGazetteer;
use crate::address::points::ArchivedPoints;
use crate::address::points::tree::ArchivedPointTree;
use crate::address::reference::ReferenceData;
use crate::address::suggest::ArchivedSuggestions;
use crate::dataset::postal::search::search_index::SearchIndex;
use crate::record::postal::{ArchivedPostalProvenance, CityView, PostalView, tag};
use crate::snapshot::{Dataset, DatasetKind, LazyValue, OpenError, Result, Section, SnapshotFile};
use crate::text::codes::{DataVersion, PostalCode, PrefectureCode};

/// A postal snapshot. Its content is checked once, on first use.
#[derive(Debug)]
pub struct PostalData {
    file: SnapshotFile,
    sections: LazyValue<LookupSections>,
    gazetteer: LazyValue<Section<ArchivedGazetteer>>,
    /// `None` if the snapshot was built without coordinates.
    points: LazyValue<Option<Section<ArchivedPoints>>>,
    /// `None` if the snapshot was built without coordinates, or before there was this section.
    nearest: LazyValue<Option<Section<ArchivedPointTree>>>,
    suggestions: LazyValue<Section<ArchivedSuggestions>>,
    search_index: LazyValue<SearchIndex>,
    fragments: LazyValue<CityFragments>,
}

impl Dataset for PostalData {
    const KIND: DatasetKind = DatasetKind::new(1, "postal");

    fn from_file(file: SnapshotFile) -> PostalData {
        PostalData {
            file,
            sections: LazyValue::default(),
            gazetteer: LazyValue::default(),
            points: LazyValue::default(),
            nearest: LazyValue::default(),
            suggestions: LazyValue::default(),
            search_index: LazyValue::default(),
            fragments: LazyValue::default(),
        }
    }

    fn file(&self) -> &SnapshotFile {
        &self.file
    }

    fn prepare(&self) -> Result<()> {
        self.sections()?;
        // A damaged snapshot must not become the default version; the first search checks the content of these
        // sections.
        let of_points = [tag::POINTS, tag::NEAREST].into_iter();
        let of_points = of_points.filter(|section| self.file.has_section(*section));
        for section in [tag::TOWNS, tag::GRAMS, tag::SUGGEST].into_iter().chain(of_points) {
            self.file.verify_section(section)?;
        }
        Ok(())
    }
}

impl PostalData {
    pub fn version(&self) -> DataVersion {
        self.file.version()
    }

    /// The records of a code in source order; empty if the code is unknown.
    pub fn lookup(&self, code: PostalCode) -> Result<PostalRows<'_>> {
        let data = self.sections()?;
        let rows = data.codes.root().find(code.number());
        if let Some(first) = rows.first() {
            // The caller has other work before it reads the records.
            data.tables.root().prefetch(first.to_native() as usize);
        }
        Ok(PostalRows { data, source: RowSource::Stored(rows.iter(), 0..0) })
    }

    /// The rows of a code, with their records.
    pub(super) fn numbered(&self, code: u32) -> Result<Vec<(u32, PostalView<'_>)>> {
        let data = self.sections()?;
        let (tables, strings) = (data.tables.root(), data.strings.root());
        let rows = data.codes.root().find(code).iter().map(|row| row.to_native());
        let view = |row| Some((row, PostalView::read(tables, strings, row as usize)?));
        Ok(rows.filter_map(view).collect())
    }

    pub fn has_points(&self) -> bool {
        self.file.has_section(tag::POINTS)
    }

    /// The coordinates of each record of a code, in the order of [`lookup`](Self::lookup).
    pub fn lookup_points(&self, code: PostalCode) -> Result<impl Iterator<Item = Option<Point>>> {
        let (data, points) = (self.sections()?, self.points()?);
        let rows = data.codes.root().find(code.number()).iter();
        Ok(rows.map(move |row| {
            let row = row.to_native() as usize;
            let record = PostalView::read(data.tables.root(), data.strings.root(), row)?;
            points?.of_row(row, record.city_number())
        }))
    }

    /// The coordinates of each of these rows, in order, as far as the tables have them.
    pub fn points_of_rows<'s>(
        &'s self,
        rows: &'s [u32],
    ) -> Result<impl Iterator<Item = Option<Point>>> {
        let points = self.points()?;
        let records = self.rows(rows)?.zip(rows);
        Ok(records.map(move |(record, row)| points?.of_row(*row as usize, record.city_number())))
    }

    /// The records that this version added or changed, then the abolished ones.
    pub fn updates(&self) -> Result<PostalRows<'_>> {
        let data = self.sections()?;
        let tables = data.tables.root();
        let abolished = tables.current()..tables.current() + tables.abolished();
        Ok(PostalRows { data, source: RowSource::Stored(tables.changed().iter(), abolished) })
    }

    /// Every current record, in the order of the tables.
    pub fn records(&self) -> Result<PostalRows<'_>> {
        Ok(self.sections()?.records())
    }

    /// The records of these rows, in order; they end at a row beyond the tables.
    pub fn rows<'s>(&'s self, rows: &'s [u32]) -> Result<PostalRows<'s>> {
        let data = self.sections()?;
        Ok(PostalRows { data, source: RowSource::InMemory(rows.iter()) })
    }

    /// The records of the codes from `first` to `last`, code by code.
    pub fn records_between(
        &self,
        first: PostalCode,
        last: PostalCode,
    ) -> Result<impl Iterator<Item = PostalView<'_>>> {
        self.records_with_numbers(first.number(), last.number())
    }

    fn records_with_numbers(
        &self,
        first: u32,
        last: u32,
    ) -> Result<impl Iterator<Item = PostalView<'_>>> {
        let data = self.sections()?;
        let (tables, strings) = (data.tables.root(), data.strings.root());
        let rows = data.codes.root().rows_between(first, last);
        Ok(rows.filter_map(move |row| PostalView::read(tables, strings, row as usize)))
    }

    /// Every current record, code by code.
    pub fn records_by_code(&self) -> Result<impl Iterator<Item = PostalView<'_>>> {
        self.records_with_numbers(0, u32::MAX)
    }

    /// The municipalities of a prefecture by code; empty if no prefecture has the code.
    pub fn cities(&self, prefecture: PrefectureCode) -> Result<impl Iterator<Item = CityView<'_>>> {
        let listed = self.all_cities()?.filter(|city| city.is_listed());
        Ok(listed.filter(move |city| city.jisx0402() / 1_000 == prefecture.number()))
    }

    /// Every municipality that a record names, including former ones.
    pub fn all_cities(&self) -> Result<impl Iterator<Item = CityView<'_>>> {
        let data = self.sections()?;
        let (tables, strings) = (data.tables.root(), data.strings.root());
        Ok((0..tables.cities()).filter_map(move |number| CityView::read(tables, strings, number)))
    }

    /// Writes the members of its municipalities, unless they are written.
    pub fn prepare_fragments(&self) -> Result<&CityFragments> {
        self.fragments.get(|| Ok(CityFragments::new(self.all_cities()?)))
    }

    /// The members of its municipalities as far as they are prepared.
    pub fn fragments(&self) -> &CityFragments {
        self.fragments.loaded().unwrap_or(CityFragments::NONE)
    }

    pub fn provenance(&self) -> Result<Section<ArchivedPostalProvenance>, OpenError> {
        self.file.archive(tag::PROVENANCE)
    }

    pub fn counts(&self) -> Result<PostalCounts> {
        let data = self.sections()?;
        let tables = data.tables.root();
        Ok(PostalCounts {
            records: tables.current(),
            corporations: self.records()?.filter(|row| row.corporation().is_some()).count(),
            codes: data.codes.root().count(),
            cities: tables.cities(),
            changed: tables.changed().len(),
            abolished: tables.abolished(),
            texts: data.strings.root().count(),
        })
    }

    /// The reference data for reading addresses; checked at the first address.
    pub fn reference(&self) -> Result<ReferenceData<'_>> {
        let data = self.sections()?;
        let (tables, strings, codes) = (data.tables.root(), data.strings.root(), data.codes.root());
        let gazetteer = self.gazetteer.get(|| {
            let check = |it: &ArchivedGazetteer| it.check(tables.cities(), tables.current());
            Ok(self.file.checked_archive(tag::TOWNS, check)?)
        });
        Ok(ReferenceData { gazetteer: gazetteer?.root(), tables, strings, codes })
    }

    /// The coordinates, checked on first use; `None` if the snapshot has none.
    pub(super) fn points(&self) -> Result<Option<&ArchivedPoints>> {
        let points = self.points.get(|| {
            if !self.has_points() {
                return Ok(None);
            }
            let ReferenceData { gazetteer, tables, .. } = self.reference()?;
            let check = |it: &ArchivedPoints| it.check(gazetteer, tables.current());
            Ok(Some(self.file.checked_archive(tag::POINTS, check)?))
        });
        Ok(points?.as_ref().map(Section::root))
    }

    /// The points with the order of their coordinates, checked on first use; `None` if the snapshot lacks one of them.
    pub(super) fn nearest_points(&self) -> Result<Option<(&ArchivedPoints, &ArchivedPointTree)>> {
        let Some(points) = self.points()? else { return Ok(None) };
        let tree = self.nearest.get(|| {
            if !self.file.has_section(tag::NEAREST) {
                return Ok(None);
            }
            let rows = self.reference()?.tables.current();
            let check = |it: &ArchivedPointTree| it.check(points, rows);
            Ok(Some(self.file.checked_archive(tag::NEAREST, check)?))
        });
        Ok(tree?.as_ref().map(|tree| (points, tree.root())))
    }

    pub fn suggestions(&self) -> Result<&ArchivedSuggestions> {
        let ReferenceData { gazetteer, tables, .. } = self.reference()?;
        let suggestions = self.suggestions.get(|| {
            let (cities, rows) = (tables.cities(), tables.current());
            let check = |it: &ArchivedSuggestions| it.check(gazetteer, cities, rows);
            Ok(self.file.checked_archive(tag::SUGGEST, check)?)
        });
        Ok(suggestions?.root())
    }

    pub(super) fn sections(&self) -> Result<&LookupSections> {
        self.sections.get(|| LookupSections::open(&self.file).map_err(Arc::new))
    }

    /// Whether the sections of searches are already checked, which the first search of a version does.
    pub fn is_search_checked(&self) -> bool {
        self.search_index.is_loaded()
    }

    pub fn search_index(&self) -> Result<&SearchIndex> {
        let (sections, suggestions) = (self.sections()?, self.suggestions()?);
        self.search_index
            .get(|| SearchIndex::open(&self.file, sections, suggestions).map_err(Arc::new))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostalCounts {
    pub records: usize,
    pub corporations: usize,
    pub codes: usize,
    /// Municipalities, including former ones that a record names.
    pub cities: usize,
    pub changed: usize,
    pub abolished: usize,
    pub texts: usize,
}
