//! Writes the rows that need a person as a CSV, a workbook, a Parquet file, or JSON.

use std::io::Write;
use std::{borrow::Cow, path::Path};

use super::error::NormalizeError;
use super::split::Shape;
use super::workbook::XlsxWriter;
use crate::export::format::{Csv, Parquet, push_field};
use crate::export::{Column, ColumnType, Row, Sink, Value};
use crate::json;

/// How many candidates a row has at most.
pub const CANDIDATES_MAX: usize = 5;

/// What the file of a job has in a row, beside the number of the row and the reasons.
#[derive(Debug, Clone, Copy)]
pub struct ReviewForm {
    pub members: &'static [&'static str],
    /// The members of a candidate in JSON.
    pub candidate_members: &'static [&'static str],
}

/// A row that needs a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRow {
    /// The number of the row in the file, from 1, as a spreadsheet counts; in a chunk, from 0 in the chunk.
    pub row: u64,
    /// The values of the members of the form; `None` where there is none.
    pub values: Vec<Option<String>>,
    pub reasons: Vec<String>,
    /// The most likely first, at most [`CANDIDATES_MAX`].
    pub candidates: Vec<ReviewCandidate>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewCandidate {
    /// The candidate as a cell of a table.
    pub line: String,
    /// The values of its members.
    pub values: Vec<Option<String>>,
}

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
    form: ReviewForm,
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
    pub fn new(
        form: ReviewForm,
        format: ReviewFormat,
        folder: &Path,
        output: W,
    ) -> Result<Self, NormalizeError> {
        let columns = columns(form);
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
        Ok(ReviewWriter { form, rows, row: Row::default() })
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
                push_object(self.form, review, buffer);
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

fn columns(form: ReviewForm) -> Vec<Column> {
    let candidates = (1..=CANDIDATES_MAX).map(|number| format!("candidate_{number}"));
    let members = form.members.iter().map(|name| (*name).to_owned());
    let texts = members.chain(["reasons".to_owned()]).chain(candidates);
    let text = |name: String| Column { name: name.into(), kind: ColumnType::Text, nullable: true };
    let row = Column { name: "row".into(), kind: ColumnType::Integer, nullable: false };
    std::iter::once(row).chain(texts.map(text)).collect()
}

fn fill(row: &mut Row, review: &ReviewRow) {
    let text = |row: &mut Row, value: &str| match value {
        "" => row.push(Value::Null),
        value => row.push(Value::Text(value)),
    };
    row.clear();
    row.push(Value::Integer(i64::try_from(review.row).unwrap_or(i64::MAX)));
    for value in &review.values {
        text(row, value.as_deref().unwrap_or_default());
    }
    text(row, &review.reasons.join("; "));
    for number in 0..CANDIDATES_MAX {
        let candidate = review.candidates.get(number);
        text(row, candidate.map(|candidate| &*candidate.line).unwrap_or_default());
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

fn push_object(form: ReviewForm, review: &ReviewRow, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"row\":");
    json::push_number(out, review.row);
    push_members(form.members, &review.values, out);
    out.extend_from_slice(b",\"reasons\":");
    json::write_list(out, review.reasons.iter(), |out, reason| json::push_string(out, reason));
    out.extend_from_slice(b",\"candidates\":");
    json::write_list(out, review.candidates.iter(), |out, candidate| {
        let start = out.len();
        push_members(form.candidate_members, &candidate.values, out);
        // The comma before the first member.
        out[start] = b'{';
        out.push(b'}');
    });
    out.push(b'}');
}

/// Each member with a comma before it.
fn push_members(names: &[&str], values: &[Option<String>], out: &mut Vec<u8>) {
    for (name, value) in names.iter().zip(values) {
        json::put(out, &[",\"", name, "\":"]);
        json::push_or_null(out, value.as_deref());
    }
}
