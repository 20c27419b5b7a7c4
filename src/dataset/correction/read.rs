//! Reads a file of corrections: a CSV in UTF-8 with a header, whose columns may be in any order. Lines that begin with #
//! and empty lines are skipped. Every fault is reported, not only the first.

use std::borrow::Cow;

use csv_core::{ReadRecordResult, ReaderBuilder};
use encoding_rs::SHIFT_JIS;

use super::conflict::conflicts;
use super::declared::{
    ACTION, AUTHOR, Action, CorrectedFile, Field, Need, REASON, VALID_FROM, VALID_TO, columns,
};
use super::fault::{Fault, quoted};
use super::row::{Correction, Period, starts};
use crate::text::codes::DataVersion;

/// Longest file: ten thousand rows need it.
pub const BYTES_MAX: usize = 2 << 20;

/// Most columns that a row may have; more are a fault of the row.
const COLUMNS_MAX: usize = 64;

/// Most days of a file on which rows begin or have ended. From each of them to the next the data are kept, in the memory
/// of a snapshot.
const DAYS_MAX: usize = 40;

/// Longest value, in characters.
const VALUE_CHARS_MAX: usize = 300;

/// A row of the table: its line, from 1, and its values.
struct Record {
    line: u64,
    values: Vec<String>,
}

/// The rows of a file, or all of its faults. Rows that contradict each other are faults too.
pub fn read(file: &'static CorrectedFile, bytes: &[u8]) -> Result<Vec<Correction>, Vec<Fault>> {
    let name = file.file_name();
    let whole = |expected: &str, found: String| vec![Fault::of_row(&name, 0, expected, found)];
    if bytes.len() > BYTES_MAX {
        return Err(whole("at most 2 MiB", format!("{} bytes", bytes.len())));
    }
    let text = decode(bytes).map_err(|found| whole("UTF-8; save the file as CSV UTF-8", found))?;
    let mut records = records(&text).into_iter();
    let Some(header) = records.next() else {
        let header = format!("a header such as {}", columns(file).join(","));
        return Err(whole(&header, "nothing".to_owned()));
    };
    let header = Header::read(file, &header)?;
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for record in records {
        match header.row(&record) {
            Ok(row) => rows.push(row),
            Err(found) => faults.extend(found),
        }
    }
    faults.extend(conflicts(rows.iter()));
    let days = starts(rows.iter()).len() - 1;
    if days > DAYS_MAX {
        let expected = format!(
            "at most {DAYS_MAX} different days on which rows begin or end; remove rows that the data have caught up with"
        );
        faults.push(Fault::of_row(&name, 0, expected, days.to_string()));
    }
    faults.sort_by_key(|fault| fault.line);
    if faults.is_empty() { Ok(rows) } else { Err(faults) }
}

/// The text without its byte-order mark; the error names the encoding.
fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err("UTF-16".to_owned());
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| {
        match SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes) {
            Some(_text) => "Shift_JIS".to_owned(),
            None => {
                let valid = &bytes[..error.valid_up_to()];
                let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
                format!("other bytes in line {line}")
            }
        }
    })
}

/// The records of a text. A record without a closing quote lasts to the end.
fn records(text: &str) -> Vec<Record> {
    let mut reader = ReaderBuilder::new().comment(Some(b'#')).build();
    let mut rest = text.as_bytes();
    let (mut output, mut ends) = (vec![0; rest.len() + 1], vec![0; COLUMNS_MAX + 1]);
    let (mut records, mut lines) = (Vec::new(), 0);
    loop {
        let (mut written, mut fields, before) = (0, 0, rest);
        let result = loop {
            let (result, read, wrote, ended) =
                reader.read_record(rest, &mut output[written..], &mut ends[fields..]);
            rest = &rest[read..];
            written += wrote;
            fields += ended;
            match result {
                // The reader is told of the end by an empty input.
                ReadRecordResult::InputEmpty => {}
                // Only a row with too many columns fills it: the others of them are dropped.
                ReadRecordResult::OutputEndsFull => fields = COLUMNS_MAX,
                other => break other,
            }
        };
        let used = &before[..before.len() - rest.len()];
        if matches!(result, ReadRecordResult::End) || fields == 0 {
            return records;
        }
        let skipped = used.split(|byte| *byte == b'\n');
        let is_skipped = |line: &&[u8]| line.trim_ascii().is_empty() || line.starts_with(b"#");
        let line = lines + 1 + skipped.take_while(is_skipped).count() as u64;
        lines += used.iter().filter(|byte| **byte == b'\n').count() as u64;
        let starts = [0].into_iter().chain(ends.iter().copied());
        let bounds = starts.zip(ends[..fields].iter().copied());
        let value = |(start, end): (usize, usize)| {
            String::from_utf8_lossy(output.get(start..end).unwrap_or_default()).trim().to_owned()
        };
        records.push(Record { line, values: bounds.map(value).collect() });
    }
}

/// Which column has which values.
struct Header {
    file: &'static CorrectedFile,
    names: Vec<&'static str>,
}

impl Header {
    fn read(file: &'static CorrectedFile, record: &Record) -> Result<Header, Vec<Fault>> {
        let (known, name) = (columns(file), file.file_name());
        let mut names: Vec<&'static str> = Vec::new();
        let mut faults = Vec::new();
        for found in &record.values {
            match known.iter().find(|name| **name == found) {
                Some(known) if names.contains(known) => {
                    let expected = format!("the column {known} once");
                    faults.push(Fault::of_row(&name, record.line, expected, "it twice".into()));
                }
                Some(known) => names.push(known),
                None => {
                    let expected = format!("a header with columns of {}", known.join(", "));
                    faults.push(Fault::of_row(&name, record.line, expected, quoted(found)));
                }
            }
        }
        let keys = file.key.iter().filter(|field| field.need == Need::Always);
        let needed = keys.map(|field| field.name).chain([ACTION, VALID_FROM, REASON, AUTHOR]);
        for needed in needed.filter(|needed| !names.contains(needed)) {
            let expected = format!("a column {needed} in the header");
            faults.push(Fault::of_row(&name, record.line, expected, "none".into()));
        }
        if faults.is_empty() { Ok(Header { file, names }) } else { Err(faults) }
    }

    fn row(&self, record: &Record) -> Result<Correction, Vec<Fault>> {
        let (file, line) = (self.file, record.line);
        let name = file.file_name();
        let (expected, found) = (self.names.len(), record.values.len());
        if expected != found {
            let expected = format!("{expected} columns, as in the header");
            return Err(vec![Fault::of_row(&name, line, expected, found.to_string())]);
        }
        let mut faults = Vec::new();
        for (column, value) in self.names.iter().zip(&record.values) {
            let is_long = value.chars().count() > VALUE_CHARS_MAX;
            if is_long || value.chars().any(char::is_control) {
                let expected = format!("one line of at most {VALUE_CHARS_MAX} characters");
                faults.push(Fault::of_value(&name, line, column, expected, value));
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut cells = Cells { header: self, record, file_name: name, faults };
        let row = cells.row(file);
        let Cells { faults, .. } = cells;
        match row {
            Some(row) if faults.is_empty() => Ok(row),
            _ => Err(faults),
        }
    }
}

/// The values of a row, and the faults that were found in them.
struct Cells<'r> {
    header: &'r Header,
    record: &'r Record,
    file_name: String,
    faults: Vec<Fault>,
}

impl Cells<'_> {
    /// `None` if the row has no action; otherwise the faults say what is wrong with the row.
    fn row(&mut self, file: &'static CorrectedFile) -> Option<Correction> {
        let action = self.action(file)?;
        let key = file.key.iter().map(|field| self.own(field, action).unwrap_or_default());
        let key: Vec<String> = key.collect();
        let values: Vec<_> = file.members.iter().map(|field| self.own(field, action)).collect();
        let sets = |name: &str| {
            file.members
                .iter()
                .zip(&values)
                .any(|(field, value)| field.name == name && value.is_some())
        };
        for field in file.members {
            let needed = match field.need {
                Need::ToAddAndWith(other) => sets(other),
                _ => false,
            };
            if needed && self.text(field.name).is_empty() {
                self.missing(
                    field.name,
                    format!(
                        "{}, since the row sets another value that goes with it",
                        field.meaning.en
                    ),
                );
            }
        }
        if action == Action::Change && values.iter().all(Option::is_none) && self.faults.is_empty()
        {
            let names: Vec<&str> = file.members.iter().map(|field| field.name).collect();
            let expected = format!("a value in one of {}", names.join(", "));
            self.faults.push(Fault::of_row(
                &self.file_name,
                self.record.line,
                expected,
                "none".into(),
            ));
        }
        let (reason, author) =
            (self.required(REASON, "why"), self.required(AUTHOR, "who wrote the row"));
        let period = self.period();
        let line = self.record.line;
        Some(Correction { file, line, action, key, values, period, reason, author })
    }

    fn text(&self, column: &str) -> &str {
        let position = self.header.names.iter().position(|name| *name == column);
        position.map_or("", |position| self.record.values[position].as_str())
    }

    fn fault(&mut self, column: &'static str, expected: impl Into<String>) {
        let fault =
            Fault::of_value(&self.file_name, self.record.line, column, expected, self.text(column));
        self.faults.push(fault);
    }

    fn missing(&mut self, column: &'static str, expected: String) {
        self.fault(column, expected);
    }

    fn action(&mut self, file: &CorrectedFile) -> Option<Action> {
        let action =
            Action::parse(self.text(ACTION)).filter(|action| file.actions.contains(action));
        if action.is_none() {
            let known: Vec<&str> = file.actions.iter().map(|action| action.name()).collect();
            self.fault(ACTION, known.join(" or "));
        }
        action
    }

    /// The value of a column of the file, in its uniform spelling.
    fn own(&mut self, field: &'static Field, action: Action) -> Option<String> {
        let text = self.text(field.name);
        if text.is_empty() {
            let is_needed = match field.need {
                Need::Always => true,
                Need::ToAdd | Need::ToAddAndWith(_) => action == Action::Add,
                Need::Never => false,
            };
            if is_needed {
                self.missing(field.name, field.meaning.en.to_owned());
            }
            return None;
        }
        if !field.set_by.contains(&action) {
            self.fault(field.name, format!("nothing in a row that says {action}"));
            return None;
        }
        match (field.parse)(text) {
            Ok(value) => Some(value),
            Err(expected) => {
                self.fault(field.name, expected);
                None
            }
        }
    }

    fn required(&mut self, column: &'static str, expected: &str) -> String {
        if self.text(column).is_empty() {
            self.fault(column, expected);
        }
        self.text(column).to_owned()
    }

    fn day(&mut self, column: &'static str) -> Option<DataVersion> {
        let text = self.text(column);
        if text.is_empty() {
            return None;
        }
        let day = DataVersion::parse(text).ok();
        if day.is_none() {
            self.fault(column, "a day that exists such as 2026-08-03, or nothing");
        }
        day
    }

    fn period(&mut self) -> Period {
        let (from, to) = (self.day(VALID_FROM), self.day(VALID_TO));
        if let Some((from, _)) = from.zip(to).filter(|(from, to)| from > to) {
            self.fault(VALID_TO, format!("no day before valid_from, {from}"));
        }
        Period { from, to }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::bank::corrections::BANKS;

    const HEADER: &str = "action,code,name,katakana,valid_from,valid_to,reason,author\n";

    fn found(text: &[u8]) -> Result<Vec<String>, Vec<String>> {
        let described = |row: &Correction| {
            let values: Vec<&str> = row.values.iter().flatten().map(String::as_str).collect();
            format!(
                "{} {} {} {} {}",
                row.line,
                row.action,
                row.record(),
                values.join(" "),
                row.period
            )
        };
        let rows = read(&BANKS, text);
        rows.map(|rows| rows.iter().map(described).collect())
            .map_err(|faults| faults.iter().map(Fault::to_string).collect())
    }

    #[track_caller]
    fn check(rows: &str, expected: Result<&[&str], &[&str]>) {
        let text = format!("{HEADER}{rows}");
        let owned =
            |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(found(text.as_bytes()), expected.map(owned).map_err(owned), "{rows}");
    }

    #[test]
    fn rows_are_read_with_their_lines() {
        let row = "change,0001,空色,ソライロ,2026-08-03,,renamed,ops\r\n";
        let expected: &[&str] = &["4 change institution 0001 空色 ソライロ from 2026-08-03 on"];
        check(&format!("\r\n# why\r\n{row}"), Ok(expected));
        check("", Ok(&[]));
        let quoted = "change,0001,\"空色\",ソライロ,,2026-08-03,\"a, b\",ops";
        check(quoted, Ok(&["2 change institution 0001 空色 ソライロ until 2026-08-03"]));
    }

    #[test]
    fn every_fault_names_its_column() {
        check(
            "renamed,0001,空色,ソライロ,,,why,ops\nchange,1,空色,,2026-8-3,2026-02-30,,\n",
            Err(&[
                "bank.csv, line 2, column action: expected add or change or abolish; found \"renamed\"",
                "bank.csv, line 3, column code: expected four digits; found \"1\"",
                "bank.csv, line 3, column katakana: expected its reading in katakana, since the row sets another value that goes with it; found nothing",
                "bank.csv, line 3, column reason: expected why; found nothing",
                "bank.csv, line 3, column author: expected who wrote the row; found nothing",
                "bank.csv, line 3, column valid_from: expected a day that exists such as 2026-08-03, or nothing; found \"2026-8-3\"",
                "bank.csv, line 3, column valid_to: expected a day that exists such as 2026-08-03, or nothing; found \"2026-02-30\"",
            ]),
        );
        for (row, expected) in [
            ("change,0001,空色", "expected 8 columns, as in the header; found 3"),
            (
                "change,0001,,,,,why,ops",
                "expected a value in one of name, katakana, hiragana, romaji; found none",
            ),
            ("add,0001,空色,,,,why,ops", "column katakana: expected its reading in katakana"),
            (
                "abolish,0001,空色,,,,why,ops",
                "column name: expected nothing in a row that says abolish",
            ),
            (
                "change,0001,空色,空色,,,why,ops",
                "column katakana: expected a reading in katakana; found \"空色\"",
            ),
            (
                "abolish,0001,,,2026-08-03,2026-08-02,why,ops",
                "column valid_to: expected no day before valid_from, 2026-08-03",
            ),
            (
                "abolish,0001,,,,,\"why\n\",ops\nabolish,0002,,,,,\"x\ny\",ops",
                "line 4, column reason: expected one line",
            ),
        ] {
            let text = format!("{HEADER}{row}\n");
            let faults = found(text.as_bytes()).expect_err(row);
            assert!(faults.iter().any(|fault| fault.contains(expected)), "{row}: {faults:?}");
        }
    }

    #[test]
    fn a_file_as_a_whole_may_be_wrong() {
        let (sjis, _, _) = SHIFT_JIS.encode("action,code\nadd,台帳\n");
        for (text, expected) in [
            (&b""[..], "bank.csv: expected a header such as action,code,name,"),
            (&sjis[..], "bank.csv: expected UTF-8; save the file as CSV UTF-8; found Shift_JIS"),
            (b"\xff\xfea\0", "found UTF-16"),
            (b"a\nb\xff\xff\n", "found other bytes in line 2"),
            (
                "change,0001,空色\n".as_bytes(),
                "line 1: expected a header with columns of action, code",
            ),
            (
                b"action,code,valid_from,reason\n",
                "line 1: expected a column author in the header; found none",
            ),
            (b"action,code,code,valid_from,reason,author\n", "expected the column code once"),
            (&vec![b' '; BYTES_MAX + 1], "expected at most 2 MiB"),
        ] {
            let faults = found(text).expect_err(expected);
            assert!(faults.iter().any(|fault| fault.contains(expected)), "{faults:?}");
        }
        let with_mark = [b"\xef\xbb\xbf", HEADER.as_bytes()].concat();
        assert_eq!(found(&with_mark), Ok(Vec::new()));
    }

    #[test]
    fn rows_that_contradict_each_other_are_refused() {
        let row = |action: &str, name: &str, from: &str, to: &str| {
            let (name, kana) = if name.is_empty() { ("", "") } else { (name, "ア") };
            format!("{action},0001,{name},{kana},{from},{to},why,ops\n")
        };
        for (first, second, expected) in [
            (
                row("change", "甲", "2026-01-01", "2026-01-31"),
                row("change", "乙", "2026-02-01", ""),
                None,
            ),
            (
                row("change", "甲", "2026-01-01", ""),
                row("change", "乙", "2026-02-01", ""),
                Some("from 2026-02-01 on, since line 2 also sets name"),
            ),
            (
                row("change", "甲", "", "2026-02-01"),
                row("change", "乙", "2026-02-01", ""),
                Some("on 2026-02-01, since line 2 also sets name"),
            ),
            (row("add", "甲", "", ""), row("change", "乙", "2026-02-01", ""), None),
            (row("add", "甲", "", ""), row("add", "甲", "", ""), Some("since line 2 says add")),
            (
                row("change", "甲", "", ""),
                row("abolish", "", "2026-02-01", ""),
                Some("since line 2 says change"),
            ),
            (row("change", "甲", "", "2026-01-31"), row("abolish", "", "2026-02-01", ""), None),
        ] {
            let text = format!("{HEADER}{first}{second}");
            let faults = found(text.as_bytes()).err().unwrap_or_default();
            assert_eq!(faults.len(), usize::from(expected.is_some()), "{text}: {faults:?}");
            for (fault, expected) in faults.iter().zip(expected) {
                assert!(
                    fault.starts_with("bank.csv, line 3: ") && fault.contains(expected),
                    "{fault}"
                );
            }
        }
    }
}
