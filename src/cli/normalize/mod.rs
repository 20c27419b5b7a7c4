//! `daicho normalize`: opens the input and the output, and prints progress and a summary.

mod output;
mod report;
mod source;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::{num::NonZero, ops::ControlFlow, sync::Arc, thread, time::Instant};

use clap::{Args, ValueEnum, builder::PossibleValue};

use self::output::{Format, Output};
use self::source::Source;
use super::data::DataArg;
use super::error::CommandError;
use super::output::clean_up_on_signals;
use super::print::ByteBar;
use crate::dataset::postal::PostalData;
use crate::normalize::{
    self, AddedColumns, Addition, Column, Encoding, Input, Job, Table, TableOptions, Tally,
};

const BYTE_ORDER_MARK: &str = "\u{feff}";

const EXAMPLES: &str = "\
\x1b[1m\x1b[4mExamples:\x1b[0m
  daicho normalize customers.csv --column 住所 --output with-addresses.csv
  daicho normalize customers.csv --column 3 --json | jq -r .postal_code
  daicho normalize customers.csv --column 都道府県 --column 市区町村 --column 番地 --postal-code-column 郵便番号
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

A summary is printed on standard error. The file may be of any size: it is processed in chunks on \
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
    /// numbers are given, the first row counts as a header unless it contains an address in that column.
    #[arg(long = "column", short, value_name = "NAME|N", value_parser = Column::parse)]
    columns: Vec<Column>,
    /// Column with postal codes: used to find the town if the address alone names none, and checked
    ///
    /// Adds the column postal_code_check: agrees, differs, or unknown if there is no code to compare. The code of a
    /// large business at the same lot also agrees; for an address without a lot, any code of its town agrees.
    #[arg(long = "postal-code-column", value_name = "NAME|N", value_parser = Column::parse)]
    code_column: Option<Column>,
    /// Further columns, separated by commas
    ///
    /// kana and roman: readings of prefecture, county, city, city_ward and town. full: the whole address in one line.
    /// corrections: names that were replaced, such as former or misspelled ones. point: the columns lat, lon and level,
    /// where level says what the coordinates stand for.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    add: Vec<Addition>,
    /// Sheet of the .xlsx [default: the first]
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// The input has no header row; the output gets none either
    #[arg(long)]
    no_header: bool,
    /// Delimiter of the columns: a character, or 'tab' [default: detected]
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter)]
    delimiter: Option<u8>,
    /// Write one JSON object per line instead of columns, in UTF-8
    #[arg(long)]
    json: bool,
    /// Write to this file, which may be the input; it is replaced when the output is complete
    ///
    /// A name ending in .xlsx writes a workbook of at most 1,048,576 rows with text values only. A name ending in
    /// .parquet writes a Parquet file of any size with text columns; empty fields become null.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Encoding of the input [default: detected]
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// Encoding of the output [default: that of the input]
    #[arg(long, value_name = "NAME")]
    output_encoding: Option<Encoding>,
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

/// Upper limit of `--threads`: more would only cost memory.
const THREADS_MAX: usize = 256;

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        &[byte @ (b'\t' | b' '..=b'~')] if byte != b'"' => Ok(byte),
        _ => Err("expected one ASCII character other than a quote, or 'tab'".to_owned()),
    }
}

impl ValueEnum for Encoding {
    fn value_variants<'a>() -> &'a [Encoding] {
        &[Encoding::Utf8, Encoding::ShiftJis]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Encoding::Utf8 => PossibleValue::new("utf-8").alias("utf8"),
            Encoding::ShiftJis => PossibleValue::new("shift_jis")
                .help("Shift_JIS (CP932)")
                .aliases(["sjis", "shift-jis", "cp932"]),
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

fn check_arguments(args: &NormalizeArgs, format: Format) -> Result<(), CommandError> {
    let kind = match format {
        Format::Rows => None,
        Format::Workbook => Some("an .xlsx"),
        Format::Parquet => Some("a .parquet"),
    };
    if let Some(kind) = kind
        && (args.json || args.output_encoding.is_some())
    {
        return Err(CommandError::Usage(format!(
            "--output: {kind} has neither JSON lines nor an encoding; leave out --json and --output-encoding"
        )));
    }
    if args.json && args.output_encoding == Some(Encoding::ShiftJis) {
        return Err(CommandError::usage(
            "--json is UTF-8; leave out --json or --output-encoding shift_jis",
        ));
    }
    let named_again = |(index, one): &(usize, &Addition)| args.add[index + 1..].contains(one);
    match args.add.iter().enumerate().find(named_again) {
        Some((_, one)) => Err(CommandError::Usage(format!("--add has {one} twice; name it once"))),
        None => Ok(()),
    }
}

/// Writes to standard output directly, to notice when the reader has gone.
pub fn run(args: &NormalizeArgs) -> Result<(), CommandError> {
    let format = Format::from_extension(args.output.as_deref())?;
    check_arguments(args, format)?;
    let data = args.data.choose::<PostalData>(args.data.version()?)?;
    check_points(args, &data)?;
    let path = args.file.as_deref().filter(|path| *path != Path::new("-"));
    let Source { mut input, length_bytes, delimiter, encoding } =
        Source::open(path, args.sheet.as_deref(), args.delimiter, args.encoding)?;
    let to_utf8 = args.json || format != Format::Rows;
    let options = TableOptions {
        path,
        columns: &args.columns,
        code_column: args.code_column.as_ref(),
        added: AddedColumns { check: args.code_column.is_some(), additions: args.add.clone() },
        has_header: !args.no_header,
        delimiter,
        encoding,
        output_encoding: if to_utf8 { Some(Encoding::Utf8) } else { args.output_encoding },
        prefix: &args.prefix,
    };
    let (table, header) = Table::prepare(&options, &data, &mut input)?;
    clean_up_on_signals()?;
    let names = match format {
        Format::Parquet => table.column_names(&header, &args.prefix),
        _ => Vec::new(),
    };
    let mut output = Output::create(args.output.as_deref(), format, table.delimiter, names)?;
    if !args.json && format != Format::Parquet {
        let has_bom = input.has_bom && table.output == Encoding::Utf8 && format == Format::Rows;
        let bom = if has_bom { BYTE_ORDER_MARK } else { "" };
        if output.write(&[bom.as_bytes(), &header].concat())?.is_break() {
            return Ok(());
        }
    }
    let version = data.version();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = args.threads.map_or(cores, NonZero::get).min(THREADS_MAX);
    let job = Job { data, table: Arc::new(table), as_json: args.json, threads };
    let started = Instant::now();
    let Some(tally) = write_rows(args, input, length_bytes, &job, &mut output)? else {
        return Ok(());
    };
    output.finish()?;
    if !args.quiet {
        // The output is complete: ignore errors of writing the summary.
        let summary = report::summary(&tally, &job.table, version, started.elapsed());
        let _ = std::io::stderr().write_all(summary.as_bytes());
    }
    Ok(())
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

/// Normalises all rows, with a progress bar; `None` if the reader of the output has gone.
fn write_rows(
    args: &NormalizeArgs,
    input: Input,
    length_bytes: Option<u64>,
    job: &Job,
    output: &mut Output,
) -> Result<Option<Tally>, CommandError> {
    let to_terminal = args.output.is_none() && io::stdout().is_terminal();
    let progress = match args.quiet || to_terminal {
        true => ByteBar::hidden(),
        false => ByteBar::new(length_bytes),
    };
    let mut tally = Tally::default();
    let mut end = ControlFlow::Continue(());
    normalize::run(input, job, |chunk| -> Result<_, CommandError> {
        end = output.write(&chunk.output)?;
        tally.append(&mut chunk.tally);
        let rows = tally.rows;
        progress.advance(chunk.input.len() as u64, |seconds| report::rate(rows, seconds));
        Ok(end)
    })?;
    Ok(end.is_continue().then_some(tally))
}
