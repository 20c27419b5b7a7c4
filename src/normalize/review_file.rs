//! Writes the rows that need a person as a CSV, a workbook, a Parquet file, or JSON.

use std::io::Write;
use std::{borrow::Cow, path::Path};

use super::error::NormalizeError;
use super::review::{CANDIDATES_MAX, PossibleCode, ReviewRow, code_text};
use super::split::Shape;
use super::workbook::XlsxWriter;
use crate::export::format::{Csv, Parquet, push_field};
use crate::export::{Column, ColumnType, Row, Sink, Value};
use crate::json;

/// The columns before the candidates.
const COLUMNS: [(&str, ColumnType); 6] = [
    ("row", ColumnType::Integer),
    ("address", ColumnType::Text),
    ("match", ColumnType::Text),
    ("postal_code", ColumnType::Text),
    ("found", ColumnType::Text),
    ("reasons", ColumnType::Text),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewFormat {
    /// With a byte order mark, so that Excel reads it.
    Csv,
    Workbook,
    Parquet,
    /// A list of objects.
    Json,
    /// An object a line.
    JsonLines,
}

pub struct ReviewWriter<W: Write + Send> {
    rows: Rows<W>,
    row: Row,
}

enum Rows<W: Write + Send> {
    Sink(Box<dyn Sink>),
    /// The rows are made as a CSV, which is emptied into the workbook.
    Workbook(Box<XlsxWriter>, W),
    Json {
        output: W,
        is_list: bool,
        count: u64,
        buffer: Vec<u8>,
    },
}

impl<W: Write + Send + 'static> ReviewWriter<W> {
    /// `folder` receives the temporary file of a workbook.
    pub fn new(format: ReviewFormat, folder: &Path, output: W) -> Result<Self, NormalizeError> {
        let columns = columns();
        let rows = match format {
            ReviewFormat::Csv => Rows::Sink(Box::new(Csv::new(&columns, true, output))),
            ReviewFormat::Parquet => {
                let parquet = Parquet::new(&columns, output).map_err(NormalizeError::Parquet)?;
                Rows::Sink(Box::new(parquet))
            }
            ReviewFormat::Workbook => {
                let mut workbook = XlsxWriter::new(Shape::fields(b','), folder)?;
                workbook.write(&csv_line(columns.iter().map(|it| it.name.as_ref().into())))?;
                Rows::Workbook(Box::new(workbook), output)
            }
            ReviewFormat::Json | ReviewFormat::JsonLines => Rows::Json {
                output,
                is_list: format == ReviewFormat::Json,
                count: 0,
                buffer: Vec::new(),
            },
        };
        Ok(ReviewWriter { rows, row: Row::default() })
    }

    pub fn write(&mut self, review: &ReviewRow) -> Result<(), NormalizeError> {
        fill(&mut self.row, review);
        match &mut self.rows {
            Rows::Sink(sink) => sink.write(&self.row).map_err(NormalizeError::Review),
            Rows::Workbook(workbook, _) => {
                workbook.write(&csv_line(self.row.values().map(value_text)))
            }
            Rows::Json { output, is_list, count, buffer } => {
                buffer.clear();
                let separator: &[u8] = match (*is_list, *count) {
                    (true, 0) => b"[\n",
                    (true, _) => b",\n",
                    (false, _) => b"",
                };
                buffer.extend_from_slice(separator);
                push_object(review, buffer);
                if !*is_list {
                    buffer.push(b'\n');
                }
                *count += 1;
                output.write_all(buffer).map_err(NormalizeError::Review)
            }
        }
    }

    pub fn finish(self) -> Result<(), NormalizeError> {
        match self.rows {
            Rows::Sink(sink) => sink.finish().map_err(NormalizeError::Review),
            Rows::Workbook(workbook, output) => workbook.finish(output),
            Rows::Json { mut output, is_list, count, .. } => {
                let end: &[u8] = match (is_list, count) {
                    (true, 0) => b"[]\n",
                    (true, _) => b"\n]\n",
                    (false, _) => b"",
                };
                let written = output.write_all(end).and_then(|()| output.flush());
                written.map_err(NormalizeError::Review)
            }
        }
    }
}

fn columns() -> Vec<Column> {
    let named = COLUMNS.map(|(name, kind)| (name.to_owned(), kind));
    let candidates =
        (1..=CANDIDATES_MAX).map(|number| (format!("candidate_{number}"), ColumnType::Text));
    let column = |(name, kind): (String, ColumnType)| {
        let nullable = kind == ColumnType::Text;
        Column { name: name.into(), kind, nullable }
    };
    named.into_iter().chain(candidates).map(column).collect()
}

fn fill(row: &mut Row, review: &ReviewRow) {
    let text = |row: &mut Row, value: &str| match value {
        "" => row.push(Value::Null),
        value => row.push(Value::Text(value)),
    };
    row.clear();
    row.push(Value::Integer(i64::try_from(review.row).unwrap_or(i64::MAX)));
    text(row, &review.address);
    text(row, review.matched.name());
    text(row, code_text(&review.code));
    text(row, &review.found);
    text(row, &review.reasons.join("; "));
    for number in 0..CANDIDATES_MAX {
        let candidate = review.candidates.get(number);
        text(row, &candidate.map(PossibleCode::line).unwrap_or_default());
    }
}

fn csv_line<'v>(values: impl Iterator<Item = Cow<'v, str>>) -> Vec<u8> {
    let mut line = Vec::new();
    for (index, value) in values.enumerate() {
        if index > 0 {
            line.push(b',');
        }
        push_field(&value, b',', |part| line.extend_from_slice(part.as_bytes()));
    }
    line.push(b'\n');
    line
}

fn value_text(value: Value<'_>) -> Cow<'_, str> {
    match value {
        Value::Text(text) => text.into(),
        Value::Integer(number) => number.to_string().into(),
        _ => "".into(),
    }
}

fn push_object(review: &ReviewRow, out: &mut Vec<u8>) {
    let or_null = |out: &mut Vec<u8>, text: &str| {
        json::push_or_null(out, Some(text).filter(|text| !text.is_empty()));
    };
    out.extend_from_slice(b"{\"row\":");
    json::push_number(out, review.row);
    out.extend_from_slice(b",\"address\":");
    json::push_string(out, &review.address);
    json::put(out, &[",\"match\":\"", review.matched.name(), "\",\"postal_code\":"]);
    or_null(out, code_text(&review.code));
    out.extend_from_slice(b",\"found\":");
    or_null(out, &review.found);
    out.extend_from_slice(b",\"reasons\":");
    json::write_list(out, review.reasons.iter(), |out, reason| json::push_string(out, reason));
    out.extend_from_slice(b",\"candidates\":");
    json::write_list(out, review.candidates.iter(), |out, candidate| {
        out.extend_from_slice(b"{\"postal_code\":");
        or_null(out, code_text(&candidate.code));
        out.extend_from_slice(b",\"place\":");
        json::push_string(out, &candidate.place);
        out.push(b'}');
    });
    out.push(b'}');
}
