//! Writes a table with what a job adds to its rows, for every command that does so: opens the output, shows the progress,
//! compares the numbers of rows read and written, and prints the summary.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::output::{Format, Output, OutputTable};
use super::report;
use super::review::Review;
use super::source::{Source, Workbook};
use crate::cli::error::CommandError;
use crate::cli::output::clean_up_on_signals;
use crate::cli::print::{ByteBar, counted, own, print_notes};
use crate::normalize::{self, Input, NormalizeError, ReviewForm, Table, TableJob, Tally};

/// Where a command writes a table, and how.
pub struct TableDestination<'a> {
    /// Standard output if there is none.
    pub path: Option<&'a Path>,
    pub format: Format,
    /// The file of the rows that need a person, and its form.
    pub review: Option<(&'a Path, ReviewForm)>,
    /// Whether each row is a line of JSON.
    pub as_json: bool,
    /// Whether the summary is left out.
    pub is_quiet: bool,
    /// Of the names of the added columns.
    pub prefix: &'a str,
}

/// Writes a table, and the rows above it, with what a job adds to its rows. `summary` gets the time that it took.
pub fn write_table<J: TableJob>(
    source: Source,
    (table, head): (Table, Vec<u8>),
    destination: &TableDestination<'_>,
    job: impl FnOnce(Arc<Table>) -> J,
    summary: impl FnOnce(&Tally, &Table, Duration) -> String,
) -> Result<(), CommandError> {
    let TableDestination { path, format, review, as_json, is_quiet, prefix } = *destination;
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
    let job = job(Arc::new(table));
    run_job(input, &job, destination, |tally, elapsed| summary(tally, job.table(), elapsed))
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
fn run_job(
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
