//! One open version of the stations: look-up by code, all of them, and the columns of exported stations.

use std::sync::Arc;

use rkyv::{Archive, Serialize};

use crate::export::{
    Cells, Column, ColumnType, ComparableSource, ExportError, RecordVisitor, Source, Value,
};
use crate::snapshot::{Dataset, DatasetKind, LazyValue, Result, Section, SectionTag, SnapshotFile};

pub const STATIONS: SectionTag = SectionTag::new("stations");

#[derive(Debug, Archive, Serialize)]
pub struct Station {
    pub code: u32,
    pub name: String,
    pub line: String,
}

/// An open version of the stations, in the order of their codes.
#[derive(Debug)]
pub struct StationData {
    file: SnapshotFile,
    stations: LazyValue<Section<rkyv::Archived<Vec<Station>>>>,
}

impl StationData {
    pub fn stations(&self) -> Result<&[ArchivedStation]> {
        let is_sorted = |stations: &rkyv::Archived<Vec<Station>>| {
            let ascend = stations.is_sorted_by(|left, right| left.code < right.code);
            if ascend { Ok(()) } else { Err("codes that ascend") }
        };
        let read = || self.file.checked_archive(STATIONS, is_sorted).map_err(Arc::new);
        Ok(self.stations.get(read)?.root().as_slice())
    }

    pub fn lookup(&self, code: u32) -> Result<Option<&ArchivedStation>> {
        let stations = self.stations()?;
        let found = stations.binary_search_by_key(&code, |station| station.code.to_native());
        Ok(found.ok().map(|row| &stations[row]))
    }
}

impl Dataset for StationData {
    const KIND: DatasetKind = DatasetKind::new(1_000, "station");

    fn from_file(file: SnapshotFile) -> StationData {
        StationData { file, stations: LazyValue::default() }
    }

    fn file(&self) -> &SnapshotFile {
        &self.file
    }

    fn prepare(&self) -> Result<()> {
        self.stations().map(|_stations| ())
    }
}

pub struct StationSource {
    pub data: Arc<StationData>,
}

const COLUMNS: [(&str, ColumnType); 3] =
    [("code", ColumnType::Integer), ("name", ColumnType::Text), ("line", ColumnType::Text)];

impl Source for StationSource {
    type Record<'s> = &'s ArchivedStation;

    const NAME: &'static str = "station";
    const KEY: &'static [&'static str] = &["code"];

    fn columns() -> Vec<Option<Column>> {
        let column = |(name, kind): (&'static str, _)| {
            Some(Column { name: name.into(), kind, nullable: false })
        };
        COLUMNS.map(column).into()
    }

    fn fill(station: &&ArchivedStation, cells: &mut Cells<'_>) {
        cells.put(Value::Integer(station.code.to_native().into()));
        cells.put(Value::Text(&station.name));
        cells.put(Value::Text(&station.line));
    }

    fn count(&self) -> Result<u64, ExportError> {
        Ok(self.data.stations()?.len() as u64)
    }

    fn for_each(&self, visit: RecordVisitor<'_, StationSource>) -> Result<(), ExportError> {
        self.data.stations()?.iter().try_for_each(|station| visit(&station))
    }
}

impl ComparableSource for StationSource {
    fn find_same<'s>(
        &'s self,
        other: &&ArchivedStation,
    ) -> Result<Option<&'s ArchivedStation>, ExportError> {
        Ok(self.data.lookup(other.code.to_native())?)
    }
}
