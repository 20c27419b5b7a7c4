//! `daicho match`: adds corporate numbers to a table of names and addresses. Input and output are those of `normalize`.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::data::DataArg;
use super::error::CommandError;
use super::named_value::one_of;
use super::normalize::write_table::{EncodingArgs, TableArgs, TableColumns};
use super::normalize::{check_named_once, parse_delimiter, report};
use super::print::own;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::matching::rules::MatchLevel;
use crate::dataset::invoice::InvoiceData;
use crate::normalize::{
    AddedColumns, Column, HeaderPlace, MATCH_REVIEW, MatchAddition, MatchJob, Tally, match_columns,
};
use crate::text::codes::DataVersion;

const EXAMPLES: &str = "\
\x1b[1m\x1b[4mExamples:\x1b[0m
  daicho match customers.csv --name-column 会社名 --output with-numbers.csv
  daicho match customers.csv --name-column 会社名 --address-column 住所 --postal-code-column 郵便番号 --add invoice,status,address --output with-numbers.csv
  daicho match list.xlsx --name-column 取引先 --output list-with-numbers.xlsx --review to-check.xlsx";

const LONG: &str = "\
Add corporate numbers to a table of names and addresses

Each row keeps its columns and gets these as well: match_level, corporate_number, match_score, \
match_reason, candidates. The number is written for the first two levels only; candidates has the \
numbers of up to five corporations, the likeliest first:

  exact     name and place are equal
  probable  surely enough to be used
  review    a person decides between the candidates
  none      no corporation fits

The address is compared with the registered address of each corporation with that name. \
docs/matching.md has the rules.";

#[derive(Debug, Args)]
#[command(about = "Add corporate numbers to a table of names and addresses")]
#[command(long_about = LONG, after_help = EXAMPLES)]
pub struct MatchArgs {
    /// A CSV, a TSV or an .xlsx with a header [default: - for standard input]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Column of the names: its name in the header, or its number from 1
    #[arg(long, value_name = "NAME|N", value_parser = Column::parse)]
    name_column: Column,
    /// Column of the addresses; repeat the option for an address in several columns
    #[arg(long = "address-column", value_name = "NAME|N", value_parser = Column::parse)]
    address_columns: Vec<Column>,
    /// Column of the postal codes
    #[arg(long, value_name = "NAME|N", value_parser = Column::parse)]
    postal_code_column: Option<Column>,
    /// Further columns of exact and probable matches, separated by commas
    ///
    /// address: name and address in the register. status: open or closed, and the successor. invoice: the number of the
    /// qualified invoice issuer if it is registered on --date.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(value_parser = one_of(MatchAddition::ALL, MatchAddition::name))]
    add: Vec<MatchAddition>,
    /// Day of --add invoice, YYYY-MM-DD [default: that of the register]
    #[arg(long, value_name = "DATE", value_parser = DataVersion::parse)]
    date: Option<DataVersion>,
    /// Sheet of the .xlsx [default: the first]
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// Row of the header, from 1; 0 for none [default: detected]
    #[arg(long, value_name = "N", value_parser = HeaderPlace::parse)]
    header_row: Option<HeaderPlace>,
    /// Delimiter of the columns: a character, or 'tab' [default: detected]
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter)]
    delimiter: Option<u8>,
    /// Write one JSON object per line instead of columns, in UTF-8
    #[arg(long)]
    json: bool,
    /// Write to this file; .xlsx and .parquet as in normalize
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write the rows of the level review to this file, with the reasons and up to five candidates
    ///
    /// The ending says the format: .csv, .xlsx, .parquet, .json or .jsonl.
    #[arg(long, value_name = "FILE")]
    review: Option<PathBuf>,
    #[command(flatten)]
    encodings: EncodingArgs,
    /// Prefix for the names of the added columns
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    prefix: String,
    /// Threads that match names [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// Print no summary and draw no progress bar
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    data: DataArg,
}

impl MatchArgs {
    fn table(&self) -> TableArgs<'_> {
        TableArgs {
            file: self.file.as_deref(),
            sheet: self.sheet.as_deref(),
            header: self.header_row.clone().unwrap_or(HeaderPlace::Detected),
            delimiter: self.delimiter,
            json: self.json,
            output: self.output.as_deref(),
            review: self.review.as_deref().map(|path| (path, MATCH_REVIEW)),
            encodings: &self.encodings,
            prefix: &self.prefix,
            threads: self.threads,
            quiet: self.quiet,
        }
    }
}

pub fn run(args: &MatchArgs) -> Result<(), CommandError> {
    let table = args.table();
    let format = table.check()?;
    check_named_once(&args.add)?;
    if args.date.is_some() && !args.add.contains(&MatchAddition::Invoice) {
        return Err(CommandError::usage(
            "--date is the day of --add invoice; add that, or leave out --date",
        ));
    }
    let data = args.data.choose::<CorporateData>(args.data.version()?)?;
    let invoice = args.add.contains(&MatchAddition::Invoice).then(|| register(args)).transpose()?;
    let read: Vec<Column> =
        std::iter::once(&args.name_column).chain(&args.address_columns).cloned().collect();
    let columns = TableColumns {
        read: &read,
        code: args.postal_code_column.as_ref(),
        added: AddedColumns::default(),
        added_names: match_columns(&args.add),
    };
    // A row of numbered columns is the header: names cannot be told from a title.
    let opened = table.open(format, columns, &|_, _| Ok(false))?;
    let (version, additions) = (data.version(), args.add.clone());
    let job = MatchJob { data, invoice, additions };
    opened.write(&table, job, |tally, _table, elapsed| summary(tally, version, elapsed))
}

/// The register of invoice issuers, and the day on which an issuer must be registered.
fn register(args: &MatchArgs) -> Result<(Arc<InvoiceData>, u32), CommandError> {
    let register = args.data.newest::<InvoiceData>()?.ok_or_else(|| {
        CommandError::usage(
            "--add invoice: expected invoice data in the snapshot folder, found none; build them with daicho build invoice",
        )
    })?;
    let day = args.date.unwrap_or_else(|| register.version()).number();
    Ok((register, day))
}

fn summary(tally: &Tally, version: DataVersion, elapsed: Duration) -> String {
    let mut out = report::rows_line(tally, version, elapsed);
    for level in MatchLevel::ALL {
        let count = tally.levels[level as usize];
        out += &report::count_line(&own(level.name()), count, tally.rows, "");
    }
    out
}
