//! Turns an input row into an output row: the same fields with the added columns after them, or a JSON object.

use std::{borrow::Cow, ops::Range, sync::Arc};

use super::added::{Addition, CHECK, DoubtTexts, RowResult, Value};
use super::chunk::{Chunk, Tally};
use super::doubt::{Doubts, unplaced};
use super::pipeline::TableJob;
use super::placement::{self, CodeCheck, CorrectedComponent, GivenCode, Match, Placement, join};
use super::review::{Reviewer, candidates_line};
use super::review_file::ReviewRow;
use super::row_writer::RowWriter;
use super::split::{self, Row};
use super::{encoding::Unmappable, error::NormalizeError, table::Table};
use crate::address::Point;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::address_search::AddressNames;
use crate::json;
use crate::snapshot::OpenError;

/// Splits the addresses of a table into their components.
#[derive(Clone)]
pub struct AddressJob {
    pub data: Arc<PostalData>,
    pub table: Arc<Table>,
    /// Whether a row is written as a JSON object instead of fields.
    pub as_json: bool,
    pub threads: usize,
}

impl TableJob for AddressJob {
    fn table(&self) -> &Table {
        &self.table
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn writer(&self) -> impl FnMut(&mut Chunk) -> Result<(), NormalizeError> {
        let mut writer = AddressWriter::new(&self.data, &self.table, self.as_json);
        move |chunk| writer.write_rows(chunk)
    }
}

/// Writes rows. Its buffers are reused, so that a row costs an allocation only for corrections and the columns of `--add`.
struct AddressWriter<'a> {
    data: &'a PostalData,
    table: &'a Table,
    as_json: bool,
    placement: Placement,
    reviewer: Reviewer,
    doubt: DoubtTexts,
    fields: Vec<Range<usize>>,
    check: Option<CodeCheck>,
    buffers: FieldBuffers,
    /// The address of the row, joined from several columns if it has them.
    address: String,
    added: String,
}

/// The text and the bytes of one field at a time.
#[derive(Default)]
pub struct FieldBuffers {
    pub text: String,
    pub bytes: Vec<u8>,
}

impl<'a> RowWriter<'a> for AddressWriter<'a> {
    fn table(&self) -> &'a Table {
        self.table
    }

    fn is_json(&self) -> bool {
        self.as_json
    }

    fn fields(&mut self) -> &mut Vec<Range<usize>> {
        &mut self.fields
    }

    fn write_row(
        &mut self,
        row: Row<'_>,
        out: &mut Vec<u8>,
        tally: &mut Tally,
        review: &mut Vec<ReviewRow>,
    ) -> Result<(), Arc<OpenError>> {
        self.read_address(row)?;
        self.check = match self.table.added.check {
            true => Some(self.placement.check(self.data)?),
            false => None,
        };
        self.review_row(tally, review)?;
        self.write_doubt()?;
        let found = self.names_and_point()?;
        self.count(tally);
        if self.as_json {
            self.write_object(row, found, out);
        } else {
            self.write_columns(row, found, out, &mut tally.unmappable);
        }
        Ok(())
    }
}

impl<'a> AddressWriter<'a> {
    fn new(data: &'a PostalData, table: &'a Table, as_json: bool) -> AddressWriter<'a> {
        AddressWriter {
            data,
            table,
            as_json,
            placement: Placement::default(),
            reviewer: Reviewer::default(),
            doubt: DoubtTexts::default(),
            fields: Vec::new(),
            check: None,
            buffers: FieldBuffers::default(),
            address: String::new(),
            added: String::new(),
        }
    }

    /// Writes the requested lines about what is doubtful.
    fn write_doubt(&mut self) -> Result<(), Arc<OpenError>> {
        let additions = &self.table.added.additions;
        self.doubt.candidates.clear();
        self.doubt.unplaced.clear();
        if additions.contains(&Addition::Candidates) {
            self.doubt.candidates = candidates_line(self.data, &self.placement, &self.address)?;
        }
        if additions.contains(&Addition::Unplaced) {
            let parts: Vec<&str> = unplaced(&self.placement, &self.address).collect();
            self.doubt.unplaced = parts.join("; ");
        }
        Ok(())
    }

    /// Counts the doubts of the row, and lists it if it has any.
    fn review_row(
        &mut self,
        tally: &mut Tally,
        review: &mut Vec<ReviewRow>,
    ) -> Result<(), Arc<OpenError>> {
        let mut doubts = Doubts::of(&self.placement, &self.address, self.check);
        if doubts.is_empty() {
            return Ok(());
        }
        if self.table.has_review {
            let (placement, address) = (&self.placement, &self.address);
            let described = self.reviewer.describe(self.data, placement, address, &mut doubts)?;
            review.push(ReviewRow { row: tally.numbered(), ..described });
        }
        tally.to_review += 1;
        for doubt in doubts.iter() {
            tally.doubtful[doubt as usize] += 1;
        }
        Ok(())
    }

    fn count(&self, tally: &mut Tally) {
        if let Some(check) = self.check {
            tally.checked[check as usize] += 1;
        }
        let matched = self.placement.matched();
        tally.rows += 1;
        tally.matched[matched as usize] += 1;
        tally.without_code += u64::from(self.placement.code.is_none());
        if matched == Match::Unreadable && tally.first_unreadable.is_none() {
            tally.first_unreadable = Some(tally.rows);
        }
        for corrected in &self.placement.corrected {
            tally.corrected[corrected.kind as usize] += 1;
        }
        count_fields(self.table, &self.fields, tally);
    }

    fn read_address(&mut self, row: Row<'_>) -> Result<(), Arc<OpenError>> {
        let table = self.table;
        let given = table.code_column.and_then(|column| {
            let field = field_value(table, row, &self.fields, column, &mut self.buffers.bytes);
            GivenCode::read(table.input.decode(field, &mut self.buffers.text)?)
        });
        self.address.clear();
        let mut is_readable = true;
        for &column in &table.columns {
            let field = field_value(table, row, &self.fields, column, &mut self.buffers.bytes);
            match table.input.decode(field, &mut self.buffers.text) {
                // One column is read as it is: the positions of its parts are those of the text.
                Some(text) if table.columns.len() == 1 => self.address.push_str(text),
                Some(part) => join(part, &mut self.address),
                None => {
                    is_readable = false;
                    join(&table.input.decode_lossy(field), &mut self.address);
                }
            }
        }
        if is_readable {
            return self.placement.read(self.data, &self.address, given);
        }
        self.placement.clear(Match::Unreadable);
        Ok(())
    }

    /// The official names and the point for the requested columns; empty if none are requested.
    fn names_and_point(&self) -> Result<(AddressNames<'a>, Option<Point>), Arc<OpenError>> {
        let additions = &self.table.added.additions;
        let Some(address) = self.placement.address().filter(|_| !additions.is_empty()) else {
            return Ok((AddressNames::default(), None));
        };
        let names = self.data.names(address)?;
        let point = match additions.contains(&Addition::Point) {
            true => self.data.point(address)?,
            false => None,
        };
        Ok((names, point))
    }

    fn write_columns(
        &mut self,
        row: Row<'_>,
        found: (AddressNames<'_>, Option<Point>),
        out: &mut Vec<u8>,
        unmappable: &mut Unmappable,
    ) {
        let table = self.table;
        self.added.clear();
        for value in self.placement.values() {
            table.push_field(value.unwrap_or_default(), &mut self.added);
        }
        if let Some(check) = self.check {
            table.push_field(check.name(), &mut self.added);
        }
        let result = row_result(&self.placement, &self.doubt, found);
        table.added.for_each_value(&result, |_, value| {
            table.push_field(&format_field(value), &mut self.added);
        });
        write_row(table, row, &self.fields, &self.added, out, unmappable);
    }

    fn write_object(
        &mut self,
        row: Row<'_>,
        found: (AddressNames<'_>, Option<Point>),
        out: &mut Vec<u8>,
    ) {
        out.extend_from_slice(b"{\"input\":");
        push_input(self.table, row, &self.fields, &mut self.buffers, out);
        for (name, value) in placement::column_names().zip(self.placement.values()) {
            json::put(out, &[",\"", name, "\":"]);
            json::push_or_null(out, value);
        }
        if let Some(check) = self.check {
            json::put(out, &[",\"", CHECK, "\":\"", check.name(), "\""]);
        }
        let result = row_result(&self.placement, &self.doubt, found);
        self.table.added.for_each_value(&result, |name, value| {
            json::put(out, &[",\"", name, "\":"]);
            push_json(value, out);
        });
        out.extend_from_slice(b"}\n");
    }
}

/// Appends the row as JSON: the line, or an object of the fields by name, or a list of the fields.
pub fn push_input(
    table: &Table,
    row: Row<'_>,
    fields: &[Range<usize>],
    buffers: &mut FieldBuffers,
    out: &mut Vec<u8>,
) {
    let FieldBuffers { text: decoded, bytes } = buffers;
    let mut text = |out: &mut Vec<u8>, bytes: &[u8]| match table.input.decode(bytes, decoded) {
        Some(text) => json::push_string(out, text),
        None => json::push_string(out, &table.input.decode_lossy(bytes)),
    };
    if table.shape.delimiter.is_none() {
        text(out, row.text);
        return;
    }
    let names = table.names.as_deref();
    out.push(if names.is_some() { b'{' } else { b'[' });
    for (number, field) in fields.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        if let Some(names) = names {
            match names.get(number) {
                Some(name) => json::push_string(out, name),
                None => json::push_string(out, &(number + 1).to_string()),
            }
            out.push(b':');
        }
        text(out, split::value(&row.text[field.clone()], bytes));
    }
    out.push(if names.is_some() { b'}' } else { b']' });
}

fn row_result<'a>(
    placement: &'a Placement,
    doubt: &'a DoubtTexts,
    (names, point): (AddressNames<'a>, Option<Point>),
) -> RowResult<'a> {
    let (address, corrected, code) =
        (placement.address(), &placement.corrected, placement.code.as_ref());
    RowResult { address, names, corrected, point, code, doubt }
}

/// A value of `--add` as a field of a table: corrections are a list such as `old_name 2019: 篠山市→丹波篠山市`.
fn format_field(value: Value<'_>) -> Cow<'_, str> {
    match value {
        Value::Text(text) => text.unwrap_or_default().into(),
        Value::Code(code) => code.map_or_else(String::new, |code| format!("{code:05}")).into(),
        Value::Degrees(degrees) => {
            degrees.as_ref().map_or_else(String::new, ToString::to_string).into()
        }
        Value::Corrections(corrected) => {
            let arrow = |read: &str| if read.is_empty() { "" } else { "→" };
            let since =
                |year: Option<u16>| year.map_or_else(String::new, |year| format!(" {year}"));
            let one = |CorrectedComponent { kind, since: year, read, became, .. }: &CorrectedComponent| {
                format!("{kind}{}: {read}{}{became}", since(*year), arrow(read))
            };
            corrected.iter().map(one).collect::<Vec<String>>().join("; ").into()
        }
    }
}

fn push_json(value: Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Text(text) => json::push_or_null(out, text),
        Value::Code(code) => {
            json::push_or_null(out, code.map(|code| format!("{code:05}")).as_deref());
        }
        Value::Degrees(None) => out.extend_from_slice(b"null"),
        Value::Degrees(Some(degrees)) => out.extend_from_slice(degrees.to_string().as_bytes()),
        Value::Corrections(corrected) => {
            json::write_list(out, corrected.iter(), |out, one| {
                let (kind, component) = (one.kind.name(), one.component);
                json::put(out, &["{\"kind\":\"", kind, "\",\"component\":\"", component]);
                out.extend_from_slice(b"\",\"since\":");
                json::push_number_or_null(out, one.since);
                out.extend_from_slice(b",\"read\":");
                json::push_string(out, &one.read);
                out.extend_from_slice(b",\"became\":");
                json::push_string(out, &one.became);
                out.push(b'}');
            });
        }
    }
}

/// Counts a row with fewer or more fields than the table has columns. A sheet leaves out empty cells at the end.
pub fn count_fields(table: &Table, fields: &[Range<usize>], tally: &mut Tally) {
    tally.short += u64::from(fields.len() < table.width && !table.is_sheet);
    tally.long += u64::from(fields.len() > table.width);
}

/// Appends a row, filled up to the width of the table, with its added fields.
pub fn write_row(
    table: &Table,
    row: Row<'_>,
    fields: &[Range<usize>],
    added: &str,
    out: &mut Vec<u8>,
    unmappable: &mut Unmappable,
) {
    match table.shape.delimiter {
        Some(_) => table.copy_row(row, fields, out, unmappable),
        None => write_line(table, row.text, out, unmappable),
    }
    for _ in fields.len()..table.width {
        out.push(table.delimiter);
    }
    table.row_encoding().encode(added, out, unmappable);
    out.extend_from_slice(row.ending);
}

/// The value of a column without its quotes; empty if the row ends before the column. `buffer` is used if the value must
/// be copied.
pub fn field_value<'b>(
    table: &Table,
    row: Row<'b>,
    fields: &[Range<usize>],
    column: usize,
    buffer: &'b mut Vec<u8>,
) -> &'b [u8] {
    let field = fields.get(column).map_or(&[][..], |field| &row.text[field.clone()]);
    match table.shape.delimiter {
        None => field,
        Some(_) => split::value(field, buffer),
    }
}

/// Appends a line of a text as the first field of a table, in quotes if necessary.
fn write_line(table: &Table, line: &[u8], out: &mut Vec<u8>, unmappable: &mut Unmappable) {
    let special = |byte: u8| byte == table.delimiter || matches!(byte, b'"' | b'\r' | b'\n');
    if !line.iter().any(|&byte| special(byte)) {
        table.copy(line, out, unmappable);
        return;
    }
    out.push(b'"');
    for (number, part) in line.split(|&byte| byte == b'"').enumerate() {
        if number > 0 {
            out.extend_from_slice(b"\"\"");
        }
        table.copy(part, out, unmappable);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::CorrectionKind;

    #[test]
    fn corrections_are_a_list_in_a_field_and_objects_in_json() {
        #[track_caller]
        fn check(corrected: &[CorrectedComponent], field: &str, object: &str) {
            assert_eq!(format_field(Value::Corrections(corrected)), field);
            let mut out = Vec::new();
            push_json(Value::Corrections(corrected), &mut out);
            assert_eq!(String::from_utf8_lossy(&out), object);
        }
        let correction = |(kind, since), component, read: &str, became: &str| {
            let (read, became) = (read.to_owned(), became.to_owned());
            CorrectedComponent { kind, component, since, read, became }
        };
        let old = (CorrectionKind::OldName, Some(2019));
        let old = correction(old, "city", "篠山市", "丹波篠山市");
        let completed = (CorrectionKind::Completed, None);
        let completed = correction(completed, "town", "", "\"本町\"");
        let old_json = r#"{"kind":"old_name","component":"city","since":2019,"read":"篠山市","became":"丹波篠山市"}"#;
        let completed_json =
            r#"{"kind":"completed","component":"town","since":null,"read":"","became":"\"本町\""}"#;
        check(&[], "", "[]");
        check(
            std::slice::from_ref(&old),
            "old_name 2019: 篠山市→丹波篠山市",
            &format!("[{old_json}]"),
        );
        check(
            &[old, completed],
            "old_name 2019: 篠山市→丹波篠山市; completed: \"本町\"",
            &format!("[{old_json},{completed_json}]"),
        );
    }
}
