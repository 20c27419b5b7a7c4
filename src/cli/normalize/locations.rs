//! `daicho normalize --lat-column --lon-column`: the nearest place of each row of a table with coordinates.

use std::time::Duration;

use super::write_table::TableColumns;
use super::{NormalizeArgs, report};
use crate::cli::error::CommandError;
use crate::cli::print::own;
use crate::dataset::postal::PostalData;
use crate::normalize::{
    AddedColumns, Column, Located, NEAR_COLUMNS, NearJob, Tally, TopRow, read_location,
};
use crate::text::codes::DataVersion;

/// Adds the nearest place of each row; `columns` are those of latitude and longitude.
pub fn run(args: &NormalizeArgs, columns: [&Column; 2]) -> Result<(), CommandError> {
    let table = args.table();
    let format = table.check()?;
    let data = args.data.choose::<PostalData>(args.data.version()?)?;
    check_coordinates(&data)?;
    let columns = TableColumns {
        read: &columns.map(Column::clone),
        code: None,
        added: AddedColumns::default(),
        added_names: NEAR_COLUMNS.to_vec(),
    };
    let has_location = |row: &TopRow, columns: &[usize]| {
        let [lat, lon] = [0, 1].map(|at| columns.get(at).map_or("", |column| row.value(*column)));
        Ok(read_location(lat, lon).is_ok())
    };
    let opened = table.open(format, columns, &has_location)?;
    let found = opened.table.columns.len();
    if found != 2 {
        return Err(CommandError::Usage(format!(
            "--lat-column and --lon-column: expected a column for each, found {found} columns of these names; name them \
             by their numbers"
        )));
    }
    let version = data.version();
    opened
        .write(&table, NearJob { data }, |tally, _table, elapsed| summary(tally, version, elapsed))
}

/// Refuses data in which no place can be found by its point.
fn check_coordinates(data: &PostalData) -> Result<(), CommandError> {
    if data.has_nearest()? {
        return Ok(());
    }
    let version = data.version();
    Err(CommandError::Usage(format!(
        "--lat-column: expected a postal snapshot with coordinates that can be searched, found {version} without; build \
         it again with --towns"
    )))
}

fn summary(tally: &Tally, version: DataVersion, elapsed: Duration) -> String {
    let mut out = report::rows_line(tally, version, elapsed);
    for state in Located::ALL {
        let count = tally.located[state as usize];
        if count > 0 || state == Located::Found {
            out += &report::count_line(&own(state.name()), count, tally.rows, "");
        }
    }
    out
}
