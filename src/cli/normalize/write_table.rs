//! Reads a table and writes it with what is added to its rows, for every command that does so: opens both, shows the
//! progress, compares the numbers of rows read and written, and prints the summary.

use std::io::{self, IsTerminal};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use super::output::{Format, Output, OutputTable};
use super::report;
use super::review::{self, Review};
use super::source::{Source, Workbook};
use crate::cli::error::CommandError;
use crate::cli::output::clean_up_on_signals;
use crate::cli::print::{ByteBar, counted, own, print_notes};
use crate::normalize::{
    self, AddedColumns, Column, Encoding, HasAddress, HeaderPlace, Input, NormalizeError,
    ReviewForm, RowJob, Table, TableJob, TableOptions, Tally,
};

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

/// The arguments that say which table a command reads and how it writes it.
pub struct TableArgs<'a> {
    /// Standard input if it is none or `-`.
    pub file: Option<&'a Path>,
    pub sheet: Option<&'a str>,
    pub header: HeaderPlace,
    pub delimiter: Option<u8>,
    /// Whether each row is a line of JSON.
    pub json: bool,
    /// Standard output if there is none.
    pub output: Option<&'a Path>,
    /// The file of the rows that need a person, and its form.
    pub review: Option<(&'a Path, ReviewForm)>,
    pub encodings: &'a EncodingArgs,
    /// Of the names of the added columns.
    pub prefix: &'a str,
    pub threads: Option<NonZero<usize>>,
    /// Whether the summary is left out.
    pub quiet: bool,
}

/// The columns that a command reads and adds.
pub struct TableColumns<'a> {
    pub read: &'a [Column],
    pub code: Option<&'a Column>,
    pub added: AddedColumns,
    pub added_names: Vec<&'static str>,
}

/// A table whose header is read.
pub struct OpenTable {
    source: Source,
    pub table: Table,
    /// The rows above the table and the header.
    head: Vec<u8>,
    format: Format,
}

impl TableArgs<'_> {
    /// Refuses options of JSON lines and encodings where the output has none, and a file for the review that is used
    /// otherwise. Returns how the output is written.
    pub fn check(&self) -> Result<Format, CommandError> {
        let format = Format::from_extension(self.output)?;
        let (json, output_encoding) = (self.json, self.encodings.output_encoding);
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
        if let Some((review, _)) = self.review {
            review::check(review, self.file, self.output)?;
        }
        Ok(format)
    }

    /// Opens the table. `has_address` says whether a row may be the first below the header.
    pub fn open(
        &self,
        format: Format,
        columns: TableColumns<'_>,
        has_address: HasAddress<'_>,
    ) -> Result<OpenTable, CommandError> {
        let path = self.file.filter(|path| *path != Path::new("-"));
        let mut source = Source::open(path, self.sheet, self.delimiter, self.encodings.encoding)?;
        let layout = source.workbook.as_ref().and_then(|it| Some(&it.layout.as_ref().ok()?.1));
        let to_utf8 = self.json || format != Format::Rows;
        let options = TableOptions {
            path,
            columns: columns.read,
            code_column: columns.code,
            added: columns.added,
            added_columns: columns.added_names,
            header: self.header.clone(),
            delimiter: source.delimiter,
            output_encoding: if to_utf8 {
                Some(Encoding::Utf8)
            } else {
                self.encodings.output_encoding
            },
            prefix: self.prefix,
            is_sheet: source.workbook.is_some(),
            layout,
            has_review: self.review.is_some(),
        };
        let (table, head) = Table::prepare(&options, has_address, &mut source.input)?;
        Ok(OpenTable { source, table, head, format })
    }
}

impl OpenTable {
    /// Writes the table, and the rows above it, with what is added to its rows. `summary` gets the time that it
    /// took.
    pub fn write<J: RowJob>(
        self,
        args: &TableArgs<'_>,
        addition: J,
        summary: impl FnOnce(&Tally, &Table, Duration) -> String,
    ) -> Result<(), CommandError> {
        let OpenTable { source, table, head, format } = self;
        let TableArgs { output: path, review, json: as_json, quiet: is_quiet, prefix, .. } = *args;
        clean_up_on_signals()?;
        let notes = notes(as_json, format, &table, source.workbook.as_ref());
        let Source { input, length_bytes, workbook, .. } = source;
        let about = OutputTable { table: &table, head: &head, workbook, prefix };
        let mut output = Output::create(path, format, about)?;
        let review = review.map(|(path, form)| Review::create(path, form)).transpose()?;
        if !as_json && format == Format::Rows && write_head(head, &input, &table, &mut output)? {
            return Ok(());
        }
        let progress = progress(is_quiet, path, length_bytes);
        let destination = RowDestination { output, review, as_json, is_quiet, progress, notes };
        let threads = thread_count(args.threads);
        let job = TableJob { table: Arc::new(table), as_json, threads, addition };
        run_job(input, &job, destination, |tally, elapsed| summary(tally, &job.table, elapsed))
    }
}

/// Upper limit of `--threads`: more would only cost memory.
const THREADS_MAX: usize = 256;

/// How many threads work if so many are wanted.
fn thread_count(wanted: Option<NonZero<usize>>) -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    wanted.map_or(cores, NonZero::get).min(THREADS_MAX)
}

/// Writes the rows above the table and the header, after a byte order mark if the input had one or the output needs it.
/// Returns whether the reader has gone.
fn write_head(
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
fn notes(as_json: bool, format: Format, table: &Table, workbook: Option<&Workbook>) -> String {
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

/// The progress bar; hidden where the rows themselves are shown.
fn progress(is_quiet: bool, output: Option<&Path>, length_bytes: Option<u64>) -> ByteBar {
    let to_terminal = output.is_none() && io::stdout().is_terminal();
    match is_quiet || to_terminal {
        true => ByteBar::hidden(),
        false => ByteBar::new(length_bytes),
    }
}

/// Where the rows of a table go, and what is printed about them.
struct RowDestination {
    output: Output,
    /// Also gets the rows that need a person.
    review: Option<Review>,
    /// Whether each row is a line of JSON.
    as_json: bool,
    /// Whether the summary is left out.
    is_quiet: bool,
    progress: ByteBar,
    /// What the output lacks of the input, in lines for people.
    notes: String,
}

/// Does a job with all rows, completes the files, and prints the summary, which gets the time that it took.
fn run_job<J: RowJob>(
    input: Input,
    job: &TableJob<J>,
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
fn write_rows<J: RowJob>(
    input: Input,
    job: &TableJob<J>,
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
                row.row += job.table.head_rows + tally.numbered() + 1;
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
