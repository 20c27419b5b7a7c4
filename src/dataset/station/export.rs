//! The columns of exported stations.

use std::sync::Arc;

use super::data::{ArchivedStation, StationData};
use crate::export::{
    Cells, Column, ColumnType, ComparableSource, ExportError, RecordVisitor, Source, Value,
};

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
    const VOLATILE_COLUMNS: &'static [&'static str] = &[];

    fn find_same<'s>(
        &'s self,
        other: &&ArchivedStation,
    ) -> Result<Option<&'s ArchivedStation>, ExportError> {
        Ok(self.data.lookup(other.code.to_native())?)
    }

    fn has_ended(_station: &&ArchivedStation) -> bool {
        false
    }
}
