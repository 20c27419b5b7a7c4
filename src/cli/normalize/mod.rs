//! `daicho normalize`: opens the input and the output, and prints progress and a summary.

pub mod locations;
pub mod output;
pub mod report;
pub mod review;
pub mod source;

use std::fmt;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use std::{num::NonZero, ops::ControlFlow, thread};

use clap::{Args, ValueEnum, builder::PossibleValue};

use self::output::{Format, Output, OutputTable};
use self::review::Review;
use self::source::{Source, Workbook};
use super::data::DataArg;
use super::error::CommandError;
use super::output::clean_up_on_signals;
use super::print::{ByteBar, counted, own, print_notes};
use crate::dataset::postal::PostalData;
use crate::normalize::{
    self, ADDRESS_REVIEW, AddedColumns, Addition, AddressJob, Column, Encoding, HeaderPlace, Input,
    NormalizeError, Table, TableJob, TableOptions, Tally,
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

    fn header_place(&self) -> HeaderPlace {
        self.header_row.clone().unwrap_or(match self.no_header {
            true => HeaderPlace::Nowhere,
            false => HeaderPlace::Detected,
        })
    }
}

/// The encodings of a table.
#[derive(Debug, Args)]
pub struct EncodingArgs {
    /// Encoding of the input [default: detected]
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<Encoding>,
    /// Encoding of the output [default: that of the input]
    #[arg(long, value_name = "NAME")]
    pub output_encoding: Option<Encoding>,
}

/// Upper limit of `--threads`: more would only cost memory.
const THREADS_MAX: usize = 256;

/// How many threads work if so many are wanted.
pub fn thread_count(wanted: Option<NonZero<usize>>) -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    wanted.map_or(cores, NonZero::get).min(THREADS_MAX)
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

impl ValueEnum for Addition {
    fn value_variants<'a>() -> &'a [Addition] {
        &Addition::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

/// Refuses options of JSON lines and encodings where the output has none, and a file for the review that is used
/// otherwise.
pub fn check_destination(
    destination: &DestinationArgs,
    format: Format,
) -> Result<(), CommandError> {
    let DestinationArgs { json, output_encoding, review, file, output } = *destination;
    let kind = match format {
        Format::Rows => None,
        Format::Workbook => Some("an .xlsx"),
        Format::Parquet => Some("a .parquet"),
    };
    if let Some(kind) = kind
        && (json || output_encoding.is_some())
    {
        return Err(CommandError::Usage(format!(
            "--output: {kind} has neither JSON lines nor an encoding; leave out --json and --output-encoding"
        )));
    }
    if json && output_encoding.is_some_and(|it| it != Encoding::Utf8) {
        return Err(CommandError::usage(
            "--json is UTF-8; leave out --json, or --output-encoding for another encoding",
        ));
    }
    review.map_or(Ok(()), |review| review::check(review, file, output))
}

/// Where the arguments of a command say that rows come from and go to.
pub struct DestinationArgs<'a> {
    pub json: bool,
    pub output_encoding: Option<Encoding>,
    pub review: Option<&'a Path>,
    pub file: Option<&'a Path>,
    pub output: Option<&'a Path>,
}

/// Refuses `--add` with a value twice.
pub fn check_named_once<A: PartialEq + fmt::Display>(additions: &[A]) -> Result<(), CommandError> {
    let named_again = |(index, one): &(usize, &A)| additions[index + 1..].contains(one);
    match additions.iter().enumerate().find(named_again) {
        Some((_, one)) => Err(CommandError::Usage(format!("--add has {one} twice; name it once"))),
        None => Ok(()),
    }
}

/// Refuses options that do not fit each other, and says how the output is written.
fn check(args: &NormalizeArgs) -> Result<Format, CommandError> {
    let format = Format::from_extension(args.output.as_deref())?;
    let destination = DestinationArgs {
        json: args.json,
        output_encoding: args.encodings.output_encoding,
        review: args.review.as_deref(),
        file: args.file.as_deref(),
        output: args.output.as_deref(),
    };
    check_destination(&destination, format)?;
    check_named_once(&args.add)?;
    Ok(format)
}

/// Writes to standard output directly, to notice when the reader has gone.
pub fn run(args: &NormalizeArgs) -> Result<(), CommandError> {
    let format = check(args)?;
    let data = args.data.choose::<PostalData>(args.data.version()?)?;
    check_points(args, &data)?;
    let path = args.file.as_deref().filter(|path| *path != Path::new("-"));
    let mut source =
        Source::open(path, args.sheet.as_deref(), args.delimiter, args.encodings.encoding)?;
    let to_utf8 = args.json || format != Format::Rows;
    let layout = source.workbook.as_ref().and_then(|it| Some(&it.layout.as_ref().ok()?.1));
    let added = AddedColumns { check: args.code_column.is_some(), additions: args.add.clone() };
    let options = TableOptions {
        path,
        columns: &args.columns,
        code_column: args.code_column.as_ref(),
        added_columns: added.columns().collect(),
        added,
        header: args.header_place(),
        delimiter: source.delimiter,
        output_encoding: if to_utf8 {
            Some(Encoding::Utf8)
        } else {
            args.encodings.output_encoding
        },
        prefix: &args.prefix,
        is_sheet: source.workbook.is_some(),
        layout,
        has_review: args.review.is_some(),
    };
    let (table, head) = Table::prepare(
        &options,
        &|row, columns| normalize::has_address(&data, row, columns),
        &mut source.input,
    )?;
    clean_up_on_signals()?;
    let notes = notes(args.json, format, &table, source.workbook.as_ref());
    let Source { input, length_bytes, workbook, .. } = source;
    let about = OutputTable { table: &table, head: &head, workbook, prefix: &args.prefix };
    let mut output = Output::create(args.output.as_deref(), format, about)?;
    let review = args.review.as_deref();
    let review = review.map(|path| Review::create(path, ADDRESS_REVIEW)).transpose()?;
    if !args.json && format == Format::Rows && write_head(head, &input, &table, &mut output)? {
        return Ok(());
    }
    let version = data.version();
    let threads = thread_count(args.threads);
    let job = AddressJob { data, table: Arc::new(table), as_json: args.json, threads };
    let destination = RowDestination {
        output,
        review,
        as_json: args.json,
        is_quiet: args.quiet,
        progress: progress(args.quiet, args.output.as_deref(), length_bytes),
        notes,
    };
    let summary = |tally: &Tally, elapsed| report::summary(tally, &job.table, version, elapsed);
    run_job(input, &job, destination, summary)
}

/// Writes the rows above the table and the header, after a byte order mark if the input had one or the output needs it.
/// Returns whether the reader has gone.
pub fn write_head(
    mut head: Vec<u8>,
    input: &Input,
    table: &Table,
    output: &mut Output,
) -> Result<bool, CommandError> {
    table.encode_rows(&mut head, &mut Default::default());
    let needs_mark = table.output.is_utf16() && !input.encoding.is_utf16();
    let mark = match input.has_bom || needs_mark {
        true => table.output.byte_order_mark(),
        false => b"",
    };
    Ok(output.write(&[mark, &head].concat())?.is_break())
}

/// What the output lacks of the input, each in a line.
pub fn notes(as_json: bool, format: Format, table: &Table, workbook: Option<&Workbook>) -> String {
    let mut notes = String::new();
    if table.title_rows > 0 && (as_json || format == Format::Parquet) {
        let rows = counted(table.title_rows, "row");
        notes += &match as_json {
            true => format!("{rows} above the header are not in the JSON\n"),
            false => format!("{rows} above the header are not in the Parquet file\n"),
        };
    }
    if let Some(Workbook { layout: Err(cause), sheet, .. }) = workbook
        && format == Format::Workbook
    {
        let sheet = own(sheet);
        notes += &format!(
            "other sheets, formats, formulas and charts are not kept: {cause}; the workbook has the values of '{sheet}'\n"
        );
    }
    notes
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

/// The progress bar; hidden where the rows themselves are shown.
pub fn progress(is_quiet: bool, output: Option<&Path>, length_bytes: Option<u64>) -> ByteBar {
    let to_terminal = output.is_none() && io::stdout().is_terminal();
    match is_quiet || to_terminal {
        true => ByteBar::hidden(),
        false => ByteBar::new(length_bytes),
    }
}

/// Where the rows of a table go, and what is printed about them.
pub struct RowDestination {
    pub output: Output,
    /// Also gets the rows that need a person.
    pub review: Option<Review>,
    /// Whether each row is a line of JSON.
    pub as_json: bool,
    /// Whether the summary is left out.
    pub is_quiet: bool,
    pub progress: ByteBar,
    /// What the output lacks of the input, in lines for people.
    pub notes: String,
}

/// Does a job with all rows, completes the files, and prints the summary, which gets the time that it took.
pub fn run_job(
    input: Input,
    job: &impl TableJob,
    mut destination: RowDestination,
    summary: impl FnOnce(&Tally, Duration) -> String,
) -> Result<(), CommandError> {
    let started = Instant::now();
    let Some(tally) = write_rows(input, job, &mut destination)? else {
        return Ok(());
    };
    let RowDestination { output, review, is_quiet, notes, .. } = destination;
    output.finish()?;
    review.map_or(Ok(()), Review::finish)?;
    let summary = match is_quiet {
        true => String::new(),
        false => summary(&tally, started.elapsed()),
    };
    let warning = report::warning(&tally).unwrap_or_default();
    print_notes(&[summary, notes, warning].concat());
    Ok(())
}

/// Writes all rows of a job; `None` if the reader of the output has gone.
fn write_rows(
    input: Input,
    job: &impl TableJob,
    destination: &mut RowDestination,
) -> Result<Option<Tally>, CommandError> {
    let RowDestination { output, review, as_json, progress, .. } = destination;
    let mut tally = Tally::default();
    let mut end = ControlFlow::Continue(());
    let lines_passed = input.lines_passed();
    let (rows_before, lines_before) = (output.rows(), output.lines());
    normalize::run(input, job, |chunk| -> Result<_, CommandError> {
        end = output.write(&chunk.output)?;
        if let Some(review) = review {
            for row in &mut chunk.review {
                row.row += job.table().head_rows + tally.numbered() + 1;
                review.writer().write(row)?;
            }
        }
        tally.append(&mut chunk.tally);
        let rows = tally.rows;
        progress.advance(chunk.input.len() as u64, |seconds| report::rate(rows, seconds));
        Ok(end)
    })?;
    if end.is_break() {
        return Ok(None);
    }
    let written = output.rows().zip(rows_before).map(|(after, before)| after - before);
    let json_lines = as_json.then(|| output.lines() - lines_before);
    check_rows(&tally, lines_passed.load(Ordering::Relaxed), written, json_lines)?;
    Ok(Some(tally))
}

/// Compares what was read with what was written, which are counted in different places: the lines of the input, before
/// they were divided into rows; the rows, when they were made; the rows of a workbook or a Parquet file, and the lines of
/// JSON, when they were written.
fn check_rows(
    tally: &Tally,
    lines: u64,
    written: Option<u64>,
    json_lines: Option<u64>,
) -> Result<(), NormalizeError> {
    let lost = |lines: u64, rows: u64| Err(NormalizeError::RowsLost { lines, rows });
    match (written, json_lines) {
        _ if lines != tally.lines() => lost(lines, tally.lines()),
        (Some(rows), _) if rows != tally.numbered() => lost(tally.numbered(), rows),
        (_, Some(rows)) if rows != tally.rows => lost(tally.rows, rows),
        _ => Ok(()),
    }
}
