//! `daicho normalize --lat-column --lon-column`: the nearest place of each row of a table with coordinates.

use std::path::Path;
use std::time::Duration;

use super::output::Format;
use super::source::{Source, Workbook};
use super::write_table::{TableDestination, write_table};
use super::{NormalizeArgs, check, report, thread_count};
use crate::cli::error::CommandError;
use crate::cli::print::own;
use crate::dataset::postal::PostalData;
use crate::normalize::{
    AddedColumns, Column, Encoding, Located, NEAR_COLUMNS, NearJob, Table, TableOptions, Tally,
    TopRow, read_location,
};
use crate::text::codes::DataVersion;

/// Adds the nearest place of each row; `columns` are those of latitude and longitude.
pub fn run(args: &NormalizeArgs, columns: [&Column; 2]) -> Result<(), CommandError> {
    let format = check(args)?;
    let data = args.data.choose::<PostalData>(args.data.version()?)?;
    check_coordinates(&data)?;
    let path = args.file.as_deref().filter(|path| *path != Path::new("-"));
    let mut source =
        Source::open(path, args.sheet.as_deref(), args.delimiter, args.encodings.encoding)?;
    let columns = columns.map(Column::clone);
    let is_rows = format == Format::Rows && !args.json;
    let prepared = prepare(args, &columns, is_rows, path, &mut source)?;
    let destination = TableDestination {
        path: args.output.as_deref(),
        format,
        review: None,
        as_json: args.json,
        is_quiet: args.quiet,
        prefix: &args.prefix,
    };
    let (version, threads, as_json) = (data.version(), thread_count(args.threads), args.json);
    let job = |table| NearJob { data, table, as_json, threads };
    write_table(source, prepared, &destination, job, |tally, _table, elapsed| {
        summary(tally, version, elapsed)
    })
}

fn prepare(
    args: &NormalizeArgs,
    columns: &[Column; 2],
    is_rows: bool,
    path: Option<&Path>,
    source: &mut Source,
) -> Result<(Table, Vec<u8>), CommandError> {
    let layout =
        source.workbook.as_ref().and_then(|it: &Workbook| Some(&it.layout.as_ref().ok()?.1));
    let output_encoding = args.encodings.output_encoding;
    let options = TableOptions {
        path,
        columns,
        code_column: None,
        added: AddedColumns::default(),
        added_columns: NEAR_COLUMNS.to_vec(),
        header: args.header_place(),
        delimiter: source.delimiter,
        output_encoding: if is_rows { output_encoding } else { Some(Encoding::Utf8) },
        prefix: &args.prefix,
        is_sheet: source.workbook.is_some(),
        layout,
        has_review: false,
    };
    let has_location = |row: &TopRow, columns: &[usize]| {
        let [lat, lon] = [0, 1].map(|at| columns.get(at).map_or("", |column| row.value(*column)));
        Ok(read_location(lat, lon).is_ok())
    };
    let (table, head) = Table::prepare(&options, &has_location, &mut source.input)?;
    match table.columns.len() {
        2 => Ok((table, head)),
        found => Err(CommandError::Usage(format!(
            "--lat-column and --lon-column: expected a column for each, found {found} columns of these names; name them \
             by their numbers"
        ))),
    }
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
    let seconds = elapsed.as_secs_f64();
    let rate = report::rate(tally.rows, seconds);
    let mut out = format!("{rate} in {seconds:.1} s, data version {version}\n");
    for state in Located::ALL {
        let count = tally.located[state as usize];
        if count > 0 || state == Located::Found {
            out += &report::count_line(&own(state.name()), count, tally.rows, "");
        }
    }
    out
}
