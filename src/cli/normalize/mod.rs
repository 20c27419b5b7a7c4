//! `daicho normalize`: its options, which other commands share in part, and what it reads. `write_table` writes the output.

pub mod locations;
pub mod output;
pub mod report;
pub mod review;
pub mod source;
pub mod write_table;

use std::path::PathBuf;
use std::{fmt, num::NonZero};

use clap::{Args, ValueEnum, builder::PossibleValue};

use self::write_table::{EncodingArgs, TableArgs, TableColumns};
use super::data::DataArg;
use super::error::CommandError;
use super::named_value::one_of;
use crate::dataset::postal::PostalData;
use crate::normalize::{
    self, ADDRESS_REVIEW, AddedColumns, Addition, AddressJob, Column, Encoding, HeaderPlace, TopRow,
};

const EXAMPLES: &str = "\
\x1b[1m\x1b[4mExamples:\x1b[0m
  daicho normalize customers.csv --column 住所 --output with-addresses.csv
  daicho normalize customers.csv --column 3 --json | jq -r .postal_code
  daicho normalize customers.csv --column 都道府県 --column 市区町村 --column 番地 --postal-code-column 郵便番号
  daicho normalize shops.csv --lat-column 緯度 --lon-column 経度 --output with-towns.csv
  daicho normalize list.xlsx --column 所在地 --output list-with-addresses.xlsx --review to-check.xlsx
  echo 東京都千代田区霞が関1-2-3 | daicho normalize";

const LONG: &str = "\
Split the addresses of a CSV or a text into their components

Each row keeps its columns and gets these as well: match, postal_code, prefecture, county, city, \
city_ward, town, kyoto_street, block_lot_num, building, floor_room. A text without --column has \
one address per line. Rows with an unknown address are kept too; the column match says which parts \
of the address were recognised:

  full        the town and a lot number in it
  town        the town
  city        the municipality
  prefecture  the prefecture
  none        nothing
  blank       the row has no address
  unreadable  the row is not valid in the file's encoding

The header is the first of the first 50 rows that has the named columns, alone or together with the \
row below it; what stands above it is copied. A name over several columns, such as 所在地 over \
市町村 and 番地, means all of them.

A summary is printed on standard error: rows by match, corrections, and doubts. The file may be of any size: it is processed in chunks on \
all cores and never loaded as a whole.";

#[derive(Debug, Args)]
#[command(about = "Split the addresses of a CSV or a text into their components")]
#[command(long_about = LONG, after_help = EXAMPLES)]
pub struct NormalizeArgs {
    /// A CSV, a TSV, a text with one address per line, or an .xlsx [default: - for standard input]
    ///
    /// The file may be compressed (.gz, .zst or .xz). Its type is detected from the content, not from the name.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Column of the addresses: its name in the header, or its number from 1
    ///
    /// If an address is split over several columns, repeat the option; the parts are joined in this order. If only
    /// numbers are given, the first row with a value in these columns counts as a header unless it contains an address
    /// there.
    #[arg(long = "column", short, value_name = "NAME|N", value_parser = Column::parse)]
    columns: Vec<Column>,
    /// Column with postal codes: used to find the town if the address alone names none, and checked
    ///
    /// Adds the column postal_code_check: agrees, differs, or unknown if there is no code to compare. The code of a
    /// large business at the same lot also agrees; for an address without a lot, any code of its town agrees.
    #[arg(long = "postal-code-column", value_name = "NAME|N", value_parser = Column::parse)]
    code_column: Option<Column>,
    /// Column of the latitudes, with --lon-column: finds the nearest place of each row instead of reading an address
    ///
    /// In decimal degrees. Adds the columns match (found, no_place_within_10_km, outside_japan, not_coordinates or blank),
    /// jisx0402, prefecture, city, town, postal_codes, level (the area whose point is nearest) and distance (metres to that
    /// point). No boundary is known, so the row may lie in a neighbouring town. Needs data that were built with --towns.
    #[arg(
        long = "lat-column",
        value_name = "NAME|N",
        value_parser = Column::parse,
        requires = "lon_column",
        conflicts_with_all = ["columns", "code_column", "add", "review"]
    )]
    lat_column: Option<Column>,
    /// Column of the longitudes, with --lat-column
    #[arg(
        long = "lon-column",
        value_name = "NAME|N",
        value_parser = Column::parse,
        requires = "lat_column"
    )]
    lon_column: Option<Column>,
    /// Further columns, separated by commas
    ///
    /// kana and roman: readings of prefecture, county, city, city_ward and town. full: the whole address in one line.
    /// corrections: names that were replaced, such as former or misspelled ones. candidates: other places that the address
    /// may mean. unplaced: text in no component. english: the address in English. point: the columns lat, lon and level,
    /// where level says what the coordinates stand for.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(value_parser = one_of(Addition::ALL, Addition::name))]
    add: Vec<Addition>,
    /// Sheet of the .xlsx [default: the first]
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// The input has no header row; the output gets none either
    #[arg(long)]
    no_header: bool,
    /// Row of the header, from 1; 3-4 for a header of two rows, 0 for none [default: detected]
    ///
    /// In a workbook the number that the sheet shows. The rows above it are copied unchanged.
    #[arg(long, value_name = "N", value_parser = HeaderPlace::parse, conflicts_with = "no_header")]
    header_row: Option<HeaderPlace>,
    /// Delimiter of the columns: a character, or 'tab' [default: detected]
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter)]
    delimiter: Option<u8>,
    /// Write one JSON object per line instead of columns, in UTF-8
    #[arg(long)]
    json: bool,
    /// Write to this file, which may be the input; it is replaced when the output is complete
    ///
    /// A name ending in .xlsx writes a workbook of at most 1,048,576 rows: of a workbook, a copy with the added columns
    /// in its sheet; of a text, one with text values only. A name ending in .parquet writes a Parquet file of any size
    /// with text columns; empty fields become null.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write the rows that need a person to this file, with the reasons and up to five candidates
    ///
    /// The ending says the format: .csv, .xlsx, .parquet, .json or .jsonl. A row is listed if it has no postal code or no
    /// town, fits several places, was read with other letters, disagrees with its postal code, or has text that is in no
    /// column.
    #[arg(long, value_name = "FILE")]
    review: Option<PathBuf>,
    #[command(flatten)]
    encodings: EncodingArgs,
    /// Prefix for the names of the added columns
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    prefix: String,
    /// Threads that normalise addresses [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// Print no summary and draw no progress bar
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    data: DataArg,
}

impl NormalizeArgs {
    /// The columns of latitude and longitude, if the rows have coordinates instead of addresses.
    pub fn location_columns(&self) -> Option<[&Column; 2]> {
        Some([self.lat_column.as_ref()?, self.lon_column.as_ref()?])
    }

    fn table(&self) -> TableArgs<'_> {
        let no_header = match self.no_header {
            true => HeaderPlace::Nowhere,
            false => HeaderPlace::Detected,
        };
        TableArgs {
            file: self.file.as_deref(),
            sheet: self.sheet.as_deref(),
            header: self.header_row.clone().unwrap_or(no_header),
            delimiter: self.delimiter,
            json: self.json,
            output: self.output.as_deref(),
            review: self.review.as_deref().map(|path| (path, ADDRESS_REVIEW)),
            encodings: &self.encodings,
            prefix: &self.prefix,
            threads: self.threads,
            quiet: self.quiet,
        }
    }
}

pub fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        &[byte @ (b'\t' | b' '..=b'~')] if byte != b'"' => Ok(byte),
        _ => Err("expected one ASCII character other than a quote, or 'tab'".to_owned()),
    }
}

impl ValueEnum for Encoding {
    fn value_variants<'a>() -> &'a [Encoding] {
        &Encoding::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Encoding::Utf8 => PossibleValue::new("utf-8").alias("utf8"),
            Encoding::ShiftJis => PossibleValue::new("shift_jis")
                .help("Shift_JIS (CP932)")
                .aliases(["sjis", "shift-jis", "cp932", "windows-31j", "ms932"]),
            Encoding::EucJp => PossibleValue::new("euc-jp").aliases(["eucjp", "euc_jp"]),
            Encoding::Iso2022Jp => PossibleValue::new("iso-2022-jp")
                .help("ISO-2022-JP (JIS)")
                .aliases(["jis", "iso2022jp"]),
            Encoding::Utf16Le => {
                PossibleValue::new("utf-16le").aliases(["utf-16", "utf16", "utf16le"])
            }
            Encoding::Utf16Be => PossibleValue::new("utf-16be").alias("utf16be"),
        })
    }
}

/// Refuses `--add` with a value twice.
pub fn check_named_once<A: PartialEq + fmt::Display>(additions: &[A]) -> Result<(), CommandError> {
    let named_again = |(index, one): &(usize, &A)| additions[index + 1..].contains(one);
    match additions.iter().enumerate().find(named_again) {
        Some((_, one)) => Err(CommandError::Usage(format!("--add has {one} twice; name it once"))),
        None => Ok(()),
    }
}

/// Writes to standard output directly, to notice when the reader has gone.
pub fn run(args: &NormalizeArgs) -> Result<(), CommandError> {
    let table = args.table();
    let format = table.check()?;
    check_named_once(&args.add)?;
    let data = args.data.choose::<PostalData>(args.data.version()?)?;
    check_points(args, &data)?;
    let added = AddedColumns { check: args.code_column.is_some(), additions: args.add.clone() };
    let columns = TableColumns {
        read: &args.columns,
        code: args.code_column.as_ref(),
        added_names: added.columns().collect(),
        added,
    };
    let has_address = |row: &TopRow, columns: &[usize]| normalize::has_address(&data, row, columns);
    let opened = table.open(format, columns, &has_address)?;
    let version = data.version();
    opened.write(&table, AddressJob { data }, |tally, table, elapsed| {
        report::summary(tally, table, version, elapsed)
    })
}

/// Refuses `--add point` if the data have no coordinates.
fn check_points(args: &NormalizeArgs, data: &PostalData) -> Result<(), CommandError> {
    if !args.add.contains(&Addition::Point) || data.has_points() {
        return Ok(());
    }
    let version = data.version();
    Err(CommandError::Usage(format!(
        "--add point: expected a postal snapshot with coordinates, found {version} without; build it with --towns"
    )))
}
