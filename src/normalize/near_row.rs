//! Adds the nearest place of each row to a table with coordinates. Rows are read and written as those of addresses are
//! ([`row`](super::row)).

use std::ops::Range;
use std::sync::Arc;

use super::chunk::{Chunk, Tally};
use super::located::{Located, read_location};
use super::pipeline::TableJob;
use super::review_file::ReviewRow;
use super::row::{FieldBuffers, count_fields, field_value, push_input, write_row};
use super::row_writer::RowWriter;
use super::split::Row;
use super::{error::NormalizeError, table::Table};
use crate::dataset::postal::PostalData;
use crate::dataset::postal::reverse::{NearTown, NoPlace};
use crate::json;
use crate::snapshot::OpenError;

/// The added columns.
pub const NEAR_COLUMNS: [&str; 8] =
    ["match", "jisx0402", "prefecture", "city", "town", "postal_codes", "level", "distance"];

/// Finds the places of a table with two columns: latitude and longitude.
#[derive(Clone)]
pub struct NearJob {
    pub data: Arc<PostalData>,
    pub table: Arc<Table>,
    /// Whether a row is written as a JSON object instead of fields.
    pub as_json: bool,
    pub threads: usize,
}

impl TableJob for NearJob {
    fn table(&self) -> &Table {
        &self.table
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn writer(&self) -> impl FnMut(&mut Chunk) -> Result<(), NormalizeError> {
        let mut writer = NearWriter {
            job: self,
            fields: Vec::new(),
            buffers: FieldBuffers::default(),
            added: String::new(),
        };
        move |chunk| writer.write_rows(chunk)
    }
}

/// Writes rows; its buffers are reused.
struct NearWriter<'a> {
    job: &'a NearJob,
    fields: Vec<Range<usize>>,
    buffers: FieldBuffers,
    added: String,
}

impl<'a> RowWriter<'a> for NearWriter<'a> {
    fn table(&self) -> &'a Table {
        &self.job.table
    }

    fn is_json(&self) -> bool {
        self.job.as_json
    }

    fn fields(&mut self) -> &mut Vec<Range<usize>> {
        &mut self.fields
    }

    fn write_row(
        &mut self,
        row: Row<'_>,
        out: &mut Vec<u8>,
        tally: &mut Tally,
        _review: &mut Vec<ReviewRow>,
    ) -> Result<(), Arc<OpenError>> {
        let table = &*self.job.table;
        let found = self.find(row)?;
        let state = found.as_ref().err().copied().unwrap_or(Located::Found);
        tally.rows += 1;
        tally.located[state as usize] += 1;
        count_fields(table, &self.fields, tally);
        let values = values(state, found.as_ref().ok());
        if self.job.as_json {
            out.extend_from_slice(b"{\"input\":");
            push_input(table, row, &self.fields, &mut self.buffers, out);
            push_object(&values, found.as_ref().ok(), out);
            out.extend_from_slice(b"}\n");
            return Ok(());
        }
        self.added.clear();
        for value in &values {
            table.push_field(value, &mut self.added);
        }
        write_row(table, row, &self.fields, &self.added, out, &mut tally.unmappable);
        Ok(())
    }
}

impl<'a> NearWriter<'a> {
    /// The nearest place of a row, or why it has none.
    fn find(&mut self, row: Row<'_>) -> Result<Result<NearTown<'a>, Located>, Arc<OpenError>> {
        let table = &*self.job.table;
        let mut text = |at: usize| {
            let column = table.columns[at];
            let field = field_value(table, row, &self.fields, column, &mut self.buffers.bytes);
            table.input.decode_lossy(field)
        };
        let location = match read_location(&text(0), &text(1)) {
            Ok(location) => location,
            Err(state) => return Ok(Err(state)),
        };
        let near = self.job.data.nearest(location, 1)?.unwrap_or_default();
        let town = near.first().map(|near| self.job.data.near_town(*near)).transpose()?;
        Ok(town.flatten().ok_or_else(|| NoPlace::of(location).into()))
    }
}

/// The values of the added columns.
fn values(state: Located, town: Option<&NearTown<'_>>) -> [String; NEAR_COLUMNS.len()] {
    let of = |value: &dyn Fn(&NearTown<'_>) -> String| town.map(value).unwrap_or_default();
    [
        state.name().to_owned(),
        of(&|it| format!("{:05}", it.city.jisx0402())),
        of(&|it| it.city.prefecture().name.text.to_owned()),
        of(&|it| it.city.city().name.text.to_owned()),
        of(&|it| it.town_with_part()),
        of(&|it| codes(it).join(" ")),
        of(&|it| it.level().name().to_owned()),
        of(&|it| it.metres().to_string()),
    ]
}

fn codes(town: &NearTown<'_>) -> Vec<String> {
    town.codes.iter().map(|code| format!("{code:07}")).collect()
}

/// Appends the values as members of an object: the codes as a list, the distance as a number, and null for what a row
/// has not.
fn push_object(
    values: &[String; NEAR_COLUMNS.len()],
    town: Option<&NearTown<'_>>,
    out: &mut Vec<u8>,
) {
    for (name, value) in NEAR_COLUMNS.iter().zip(values) {
        json::put(out, &[",\"", name, "\":"]);
        match *name {
            "postal_codes" => {
                let codes = town.map(codes).unwrap_or_default();
                json::write_list(out, codes.iter(), |out, code| json::push_string(out, code));
            }
            "distance" => json::push_number_or_null(out, town.map(NearTown::metres)),
            _ => json::push_or_null(out, Some(value.as_str()).filter(|it| !it.is_empty())),
        }
    }
}
