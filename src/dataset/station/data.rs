//! One open version of the stations: look-up by code, and all of them.

use std::sync::Arc;

use rkyv::{Archive, Serialize};

use crate::snapshot::{
    Dataset, DatasetKind, LazyValue, OpenError, Section, SectionTag, SnapshotFile,
};

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
    pub fn stations(&self) -> Result<&[ArchivedStation], Arc<OpenError>> {
        let is_sorted = |stations: &rkyv::Archived<Vec<Station>>| {
            let ascend = stations.is_sorted_by(|left, right| left.code < right.code);
            if ascend { Ok(()) } else { Err("codes that ascend") }
        };
        let read = || self.file.checked_archive(STATIONS, is_sorted).map_err(Arc::new);
        Ok(self.stations.get(read)?.root().as_slice())
    }

    pub fn lookup(&self, code: u32) -> Result<Option<&ArchivedStation>, Arc<OpenError>> {
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

    fn prepare(&self) -> Result<(), Arc<OpenError>> {
        self.stations().map(|_stations| ())
    }
}
