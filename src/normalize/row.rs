//! Adds the components and the postal code of an address to each row of a table.

use std::{borrow::Cow, sync::Arc};

use super::added::{AddedColumns, Addition, CHECK, DoubtTexts, RowResult, Value};
use super::chunk::Tally;
use super::doubt::{Doubts, unplaced};
use super::placement::{self, CodeCheck, CorrectedComponent, GivenCode, Match, Placement, join};
use super::review::{Reviewer, candidates_line};
use super::review_file::ReviewRow;
use super::row_writer::{RowFinder, RowJob, TableRow};
use super::table::Table;
use crate::address::Point;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::address_search::AddressNames;
use crate::json;
use crate::snapshot::OpenError;

/// Splits the addresses of a table into their components.
#[derive(Clone)]
pub struct AddressJob {
    pub data: Arc<PostalData>,
}

impl RowJob for AddressJob {
    fn finder<'a>(&'a self, table: &'a Table) -> impl RowFinder + 'a {
        AddressFinder {
            data: &self.data,
            added: &table.added,
            placement: Placement::default(),
            reviewer: Reviewer::default(),
            doubt: DoubtTexts::default(),
            check: None,
            found: Default::default(),
            text: String::new(),
            bytes: Vec::new(),
            address: String::new(),
        }
    }
}

/// Finds addresses. A row costs an allocation only for corrections and the columns of `--add`.
struct AddressFinder<'a> {
    data: &'a PostalData,
    added: &'a AddedColumns,
    placement: Placement,
    reviewer: Reviewer,
    doubt: DoubtTexts,
    check: Option<CodeCheck>,
    /// The official names and the point for the requested columns; empty if none are requested.
    found: (AddressNames<'a>, Option<Point>),
    /// The text and the bytes of one field at a time.
    text: String,
    bytes: Vec<u8>,
    /// The address of the row, joined from several columns if it has them.
    address: String,
}

impl RowFinder for AddressFinder<'_> {
    fn find(
        &mut self,
        row: &TableRow<'_>,
        tally: &mut Tally,
        review: &mut Vec<ReviewRow>,
    ) -> Result<(), Arc<OpenError>> {
        self.read_address(row)?;
        self.check = match self.added.check {
            true => Some(self.placement.check(self.data)?),
            false => None,
        };
        self.review_row(row.table, tally, review)?;
        self.write_doubt()?;
        self.found = self.names_and_point()?;
        self.count(tally);
        Ok(())
    }

    fn for_each_field(&self, mut push: impl FnMut(&str)) {
        for value in self.placement.values() {
            push(value.unwrap_or_default());
        }
        if let Some(check) = self.check {
            push(check.name());
        }
        self.added.for_each_value(&self.result(), |_, value| push(&format_field(value)));
    }

    fn push_members(&self, out: &mut Vec<u8>) {
        for (name, value) in placement::column_names().zip(self.placement.values()) {
            json::put(out, &[",\"", name, "\":"]);
            json::push_or_null(out, value);
        }
        if let Some(check) = self.check {
            json::put(out, &[",\"", CHECK, "\":\"", check.name(), "\""]);
        }
        self.added.for_each_value(&self.result(), |name, value| {
            json::put(out, &[",\"", name, "\":"]);
            push_json(value, out);
        });
    }
}

impl<'a> AddressFinder<'a> {
    /// Writes the requested lines about what is doubtful.
    fn write_doubt(&mut self) -> Result<(), Arc<OpenError>> {
        let additions = &self.added.additions;
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
        table: &Table,
        tally: &mut Tally,
        review: &mut Vec<ReviewRow>,
    ) -> Result<(), Arc<OpenError>> {
        let mut doubts = Doubts::of(&self.placement, &self.address, self.check);
        if doubts.is_empty() {
            return Ok(());
        }
        if table.has_review {
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
        tally.matched[matched as usize] += 1;
        tally.without_code += u64::from(self.placement.code.is_none());
        if matched == Match::Unreadable && tally.first_unreadable.is_none() {
            tally.first_unreadable = Some(tally.rows + 1);
        }
        for corrected in &self.placement.corrected {
            tally.corrected[corrected.kind as usize] += 1;
        }
    }

    fn read_address(&mut self, row: &TableRow<'_>) -> Result<(), Arc<OpenError>> {
        let table = row.table;
        let given = table.code_column.and_then(|column| {
            let field = row.value(column, &mut self.bytes);
            GivenCode::read(table.input.decode(field, &mut self.text)?)
        });
        self.address.clear();
        let mut is_readable = true;
        for &column in &table.columns {
            let field = row.value(column, &mut self.bytes);
            match table.input.decode(field, &mut self.text) {
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

    fn names_and_point(&self) -> Result<(AddressNames<'a>, Option<Point>), Arc<OpenError>> {
        let additions = &self.added.additions;
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

    fn result(&self) -> RowResult<'_> {
        let (placement, doubt, (names, point)) = (&self.placement, &self.doubt, self.found);
        let (address, corrected, code) =
            (placement.address(), &placement.corrected, placement.code.as_ref());
        RowResult { address, names, corrected, point, code, doubt }
    }
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
