//! `daicho normalize`: the components and the postal code of every address of a CSV or a text,
//! behind the columns that were there.
//!
//! The rows stay as they were, byte for byte where the encoding stays; what is found is added
//! behind them. `split` finds rows and fields, `row` makes one row, `pipeline` does it on all
//! cores in constant memory.

mod encoding;
mod found;
mod input;
mod output;
mod pipeline;
mod report;
mod row;
mod split;
mod table;

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use clap::Args;

use self::encoding::Encoding;
use self::found::{Found, Match};
use self::input::Input;
use self::output::Output;
use self::pipeline::{Job, Next};
use self::row::Tally;
use self::split::Shape;
use self::table::{Column, Head, Table};
use super::data::DataArg;
use super::error::CommandError;
use crate::cli::progress::ByteBar;
use crate::query::{Catalog, PostalData};

const EXAMPLES: &str = "\
\x1b[1m\x1b[4mExamples:\x1b[0m
  daicho normalize customers.csv --column 住所 --output with-addresses.csv
  daicho normalize customers.csv --column 3 --json | jq -r .postal_code
  echo 東京都千代田区霞が関1-2-3 | daicho normalize";

const LONG: &str = "\
Split the addresses of a CSV or a text into their components

Each row stays as it is and gains these columns: match, postal_code, prefecture, county, city, \
city_ward, town, kyoto_street, block_lot_num, building, floor_room. A text without --column is \
an address a line. Rows that cannot be placed stay too; the column match says how far a row was \
placed:

  full        a town, and a lot number in it
  town        a town
  city        a municipality
  prefecture  a prefecture
  none        nothing of it
  blank       there is no address in the row
  unreadable  its bytes are no text of the file's encoding

A summary follows on standard error. The file may be of any size: it is read in pieces, on all \
cores, and never held in memory.";

/// Arguments of `daicho normalize`.
#[derive(Debug, Args)]
#[command(about = "Split the addresses of a CSV or a text into their components")]
#[command(long_about = LONG, after_help = EXAMPLES)]
pub struct NormalizeArgs {
    /// A CSV, a TSV or a text with an address a line; standard input where it is absent or -
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Column of the addresses: its name in the header, or its number from 1
    ///
    /// With a number, the first row is a header unless it has an address there itself.
    #[arg(long, short, value_name = "NAME|N", value_parser = Column::parse)]
    column: Option<Column>,
    /// The table has no header, and the output gets none
    #[arg(long)]
    no_header: bool,
    /// Between the columns: a character, or 'tab'; told from the file where it is not given
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// Write a JSON object a line instead of columns, in UTF-8
    #[arg(long)]
    json: bool,
    /// Write to this file; it appears when it is whole, and may be the input
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Encoding of the input; detected where it is not given
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// Encoding of the output; that of the input where it is not given
    #[arg(long, value_name = "NAME")]
    output_encoding: Option<Encoding>,
    /// Put this in front of the names of the added columns
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    prefix: String,
    /// Threads that read addresses; one a core where it is not given
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// Print no summary and draw no progress bar
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    data: DataArg,
}

/// Bound on `--threads`: more only cost memory.
const THREADS_MAX: usize = 256;

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        &[byte @ (b'\t' | b' '..=b'~')] if byte != b'"' => Ok(byte),
        _ => Err("expected one ASCII character other than a quote, or 'tab'".to_owned()),
    }
}

/// Runs `daicho normalize`. Writes to standard output itself, since it must notice when nobody
/// reads any more.
pub fn run(args: &NormalizeArgs) -> Result<(), CommandError> {
    if args.json && args.output_encoding == Some(Encoding::ShiftJis) {
        let message = "--json is UTF-8; leave out --json or --output-encoding shift_jis";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let data = args.data.choose(args.data.version()?, Catalog::postal)?;
    let path = input::path_of(args.file.as_ref());
    let mut input = Input::open(path)?;
    let (table, header) = prepare(args, &data, &mut input)?;
    let mut output = Output::create(args.output.as_deref())?;
    let mut first = Vec::new();
    if !args.json {
        if input.has_bom && table.output == Encoding::Utf8 {
            first.extend_from_slice("\u{feff}".as_bytes());
        }
        first.extend_from_slice(&header);
    }
    if output.write(&first)? == Next::Stop {
        return Ok(());
    }
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = args.threads.map_or(cores, NonZero::get).min(THREADS_MAX);
    let table = Arc::new(table);
    let job =
        Job { data: Arc::clone(&data), table: Arc::clone(&table), as_json: args.json, threads };
    let to_terminal = args.output.is_none() && std::io::IsTerminal::is_terminal(&std::io::stdout());
    let progress = match args.quiet || to_terminal {
        true => ByteBar::hidden(),
        false => ByteBar::begin(input.length_bytes),
    };
    let started = Instant::now();
    let mut tally = Tally::default();
    let mut end = Next::Go;
    pipeline::run(input, &job, |chunk| {
        end = output.write(&chunk.output)?;
        tally.add(&mut chunk.tally);
        let rows = tally.rows;
        progress.advance(chunk.input.len() as u64, |seconds| report::rate(rows, seconds));
        Ok(end)
    })?;
    if end == Next::Stop {
        return Ok(());
    }
    output.finish()?;
    drop(progress);
    if !args.quiet {
        eprint!("{}", report::summary(&tally, &table, data.version(), started.elapsed()));
    }
    Ok(())
}

/// Finds out what the input is, takes its header off it, and gives that of the output.
fn prepare(
    args: &NormalizeArgs,
    data: &PostalData,
    input: &mut Input,
) -> Result<(Table, Vec<u8>), CommandError> {
    let path = input::path_of(args.file.as_ref());
    let told = if input.has_bom { Encoding::Utf8 } else { Encoding::detect(input.beginning()) };
    let encoding = args.encoding.unwrap_or(told);
    let output = if args.json { Some(Encoding::Utf8) } else { args.output_encoding };
    let mut table = Table {
        shape: Shape::Lines,
        delimiter: args.delimiter.unwrap_or_else(|| table::delimiter_of(path, input.beginning())),
        column: 0,
        width: 1,
        names: None,
        input: encoding,
        output: output.unwrap_or(encoding),
    };
    let mut header = Vec::new();
    if args.column.is_none() && !table::is_table(path) && args.delimiter.is_none() {
        // A text has no delimiter of its own.
        table.delimiter = if table.delimiter == b'\t' { b',' } else { table.delimiter };
        if !args.no_header {
            let ending = line_ending(input.beginning());
            table.write_header(None, &args.prefix, ending, &mut header)?;
        }
        return Ok((table, header));
    }
    table.shape = Shape::Fields { delimiter: table.delimiter };
    input.read_first_row(table.shape)?;
    let mut fields = Vec::new();
    let first = split::first_row(input.beginning(), table.shape, &mut fields);
    let head = Head::read(input.beginning(), table.delimiter, encoding);
    table.width = head.width();
    table.column = match &args.column {
        Some(Column::Name(name)) if args.no_header => {
            return Err(CommandError::Usage(format!(
                "--column '{name}' is a name, and --no-header says that there are none; give the \
                 column's number"
            )));
        }
        Some(column) => head.find(column)?,
        None if head.width() == 1 => 0,
        None => return Err(head.column_missing()),
    };
    let named = matches!(args.column, Some(Column::Name(_)));
    if !args.no_header && (named || !is_address(data, &head, table.column)?) && first.length() > 0 {
        table.names = Some(head.values());
        table.write_header(Some(first.text), &args.prefix, first.ending, &mut header)?;
        let length = first.length();
        input.skip(length);
    }
    Ok((table, header))
}

/// Whether the first row has an address where the addresses are: then it is no header.
fn is_address(data: &PostalData, head: &Head<'_>, column: usize) -> Result<bool, CommandError> {
    let mut found = Found::default();
    let value = head.values().into_iter().nth(column).unwrap_or_default();
    found.read(data, &value).map_err(|error| CommandError::Damaged(error.to_string()))?;
    Ok(matches!(found.matched(), Match::Full | Match::Town | Match::City | Match::Prefecture))
}

/// The line break that a text uses first.
fn line_ending(beginning: &[u8]) -> &'static [u8] {
    match beginning.iter().position(|&byte| byte == b'\n') {
        Some(at) if at > 0 && beginning[at - 1] == b'\r' => b"\r\n",
        _ => b"\n",
    }
}
