//! The register of qualified invoice issuers: whole (`h_all_…`) and in daily differences, 24 columns in UTF-8.
//!
//! A registration number is `T` and a corporate number; rows of individuals and of associations without
//! one are skipped. Which of several rows of a number counts: see `daicho build corporate`.

use crate::corporate::column::Columns;
use crate::corporate::lines::{self, Line};
use crate::corporate::number::Date;
use crate::csv::{Fault, Rejects, split};
use crate::error::{Reject, SourceError, excerpt};
use crate::{kind::Kind, stream::Input};

const COLUMNS: usize = 24;

/// 事業者処理区分: new, changed, expired, revoked, deleted.
const PROCESSES: [u8; 5] = [1, 2, 3, 4, 99];

/// The row is withdrawn: the number never was registered.
pub const DELETED: u8 = 99;

/// One line of a corporation. Dates of empty columns are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InvoiceRow {
    pub number: u64,
    /// 事業者処理区分: 1, 2, 3, 4, 99.
    pub process: u8,
    /// Whether this is the number's newest entry.
    pub latest: bool,
    pub registration_date: Date,
    pub update_date: Date,
    pub disposal_date: Date,
    /// When the registration lapsed, or will.
    pub expire_date: Date,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceFile {
    pub name: String,
    /// Rows of corporations, and of others.
    pub rows: u64,
    pub rejects: Vec<Reject>,
    pub date: Date,
}

/// Reads every file below `input`, and gives each row of a corporation to `sink` in the file's order.
pub fn read_invoice(
    input: Input<'_>,
    sink: &mut dyn FnMut(InvoiceRow),
    progress: crate::Progress<'_>,
) -> Result<Vec<InvoiceFile>, SourceError> {
    let mut files = Vec::new();
    input.each_text(Kind::InvoiceRegister, progress, &mut |name, stream| {
        let mut reading = Reading {
            file: InvoiceFile { name: name.to_owned(), rows: 0, rejects: Vec::new(), date: 0 },
            rejects: Rejects::new(name),
            rejected: 0,
            short: None,
        };
        lines::each_line(name, stream, &mut |line| reading.take(line, sink))?;
        files.push(reading.finish()?);
        Ok(())
    })?;
    Ok(files)
}

struct Reading {
    file: InvoiceFile,
    rejects: Rejects,
    rejected: u64,
    /// A last line that is too short is no reject but a cut file; known at the end only.
    short: Option<String>,
}

impl Reading {
    fn take(
        &mut self,
        line: Line<'_>,
        sink: &mut dyn FnMut(InvoiceRow),
    ) -> Result<(), SourceError> {
        self.short = None;
        match line.text.and_then(|text| self.parse(text)) {
            Ok((row, corporation)) => {
                self.file.rows += 1;
                self.file.date = self.file.date.max(row.update_date);
                if corporation {
                    sink(row);
                }
                Ok(())
            }
            Err(fault) if !line.ended => {
                let found = format!("it ends within line {}, {}", line.number, fault.found);
                Err(SourceError::Truncated { name: self.file.name.clone(), found })
            }
            Err(fault) if self.file.rows == 0 && self.rejected == 0 => {
                let found = format!("a first line with {}", fault.found);
                let expected = Kind::InvoiceRegister;
                Err(SourceError::Unrecognised { name: self.file.name.clone(), expected, found })
            }
            Err(fault) => {
                self.rejected += 1;
                self.rejects.push(line.number, fault)
            }
        }
    }

    /// The row of a line, and whether it is a corporation's.
    fn parse(&mut self, text: &str) -> Result<(InvoiceRow, bool), Fault> {
        let mut fields = Vec::with_capacity(COLUMNS);
        split(text, &mut fields)?;
        if fields.len() != COLUMNS {
            if fields.len() < COLUMNS {
                self.short = Some(excerpt(text));
            }
            return Err(Fault::columns(COLUMNS, fields.len()));
        }
        let columns = Columns(&fields);
        columns.digits(0, 1..=8, "a sequence number of up to 8 digits")?;
        let registered = columns.get(1);
        let digits = registered.strip_prefix('T').filter(|digits| digits.len() == 13);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let expected = "a registration number: T and 13 digits";
        let digits = digits.ok_or_else(|| Fault::column(1, expected, registered))?;
        let process = columns.code(2, 2, &PROCESSES, "a process code: 01, 02, 03, 04 or 99")?;
        columns.flag(3)?;
        // A superseded or deleted entry says no kind; its number tells whether it is a corporation's.
        let person = match columns.get(4) {
            "" | "2" => false,
            "1" => true,
            other => return Err(Fault::column(4, "1, 2 or nothing", other)),
        };
        let number = crate::corporate::number::parse(digits);
        let row = InvoiceRow {
            number: number.unwrap_or_default(),
            process,
            latest: columns.flag(6)?,
            registration_date: columns.optional_date(7)?,
            update_date: columns.date(8)?,
            disposal_date: columns.optional_date(9)?,
            expire_date: columns.optional_date(10)?,
        };
        if number.is_none() && columns.get(4) == "2" {
            let expected = "T and 13 digits of which the first is their check digit";
            return Err(Fault::column(1, expected, registered));
        }
        Ok((row, !person && number.is_some()))
    }

    fn finish(mut self) -> Result<InvoiceFile, SourceError> {
        let name = || self.file.name.clone();
        if let Some(short) = self.short {
            let found = format!("the last line is not complete, {short}");
            return Err(SourceError::Truncated { name: name(), found });
        }
        if self.file.rows == 0 && self.rejected == 0 {
            return Err(SourceError::Empty { name: name(), expected: Kind::InvoiceRegister });
        }
        self.file.rejects = self.rejects.into_list();
        Ok(self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CITY: &str = "1,\"T1000020012131\",01,0,2,1,1,2023-10-01,2022-06-13,,,\
        \"北海道苫小牧市旭町４丁目５－６\",01,213,\"\",,,\"\",\"苫小牧市\",\"\",,,\"\",\"\"\n";

    fn read(text: &str) -> Result<(Vec<InvoiceRow>, InvoiceFile), SourceError> {
        let mut rows = Vec::new();
        let input = Input::Bytes("h_all.csv", text.as_bytes());
        let files = read_invoice(input, &mut |row| rows.push(row), &mut |_, _| {})?;
        Ok((rows, files.into_iter().next().expect("a plain file is one")))
    }

    #[test]
    fn rows_of_corporations_are_given_and_others_passed_over() {
        let person = CITY.replacen(",01,0,2,", ",01,0,1,", 1);
        let superseded = "2,\"T1000020012131\",04,0,,,0,,2024-01-09,2024-01-08,2024-02-29,\"\",,,\"\",,,\"\",\
             \"\",\"\",,,\"\",\"\"\n";
        let foreign = superseded.replacen("T1000020012131", "T0000020012131", 1);
        let text = [CITY, &person, superseded, &foreign].concat();
        let (rows, file) = read(&text).expect("reads");
        let registered = InvoiceRow {
            number: 1_000_020_012_131,
            process: 1,
            latest: true,
            registration_date: 20_231_001,
            update_date: 20_220_613,
            ..InvoiceRow::default()
        };
        let revoked = InvoiceRow {
            number: 1_000_020_012_131,
            process: 4,
            update_date: 20_240_109,
            disposal_date: 20_240_108,
            expire_date: 20_240_229,
            ..InvoiceRow::default()
        };
        assert_eq!(rows, [registered, revoked]);
        assert_eq!((file.rows, file.date, file.rejects.len()), (4, 20_240_109, 0));
        let marked = ["\u{feff}", CITY.trim_end()].concat();
        assert_eq!(read(&marked).expect("reads").0, [registered]);
    }

    #[test]
    fn bad_lines_are_rejects_that_name_their_column() {
        #[track_caller]
        fn check(from: &str, to: &str, expected: &str) {
            let bad = CITY.replacen(from, to, 1);
            assert_ne!(bad, CITY);
            let (rows, file) = read(&[CITY, &bad, CITY].concat()).expect("as a whole it is good");
            assert_eq!((rows.len(), file.rejects.len()), (2, 1));
            let found = file.rejects[0].to_string();
            assert!(found.starts_with("h_all.csv:2") && found.contains(expected), "{found}");
        }
        check("1,", "x,", "column 1: expected a sequence number");
        check("\"T1", "\"1", "column 2: expected a registration number");
        check("T1000", "T2000", "column 2: expected T and 13 digits of which the first is");
        check("131\"", "13\"", "column 2: expected a registration number");
        check(",01,0,", ",05,0,", "column 3: expected a process code");
        check(",01,0,", ",01,2,", "column 4: expected 0 or 1");
        check(",0,2,1,1,", ",0,3,1,1,", "column 5: expected 1, 2 or nothing");
        check(",2,1,1,", ",2,1,,", "column 7: expected 0 or 1");
        check("2023-10-01", "2023-10-32", "column 8: expected a date");
        check("2022-06-13", "", "column 9: expected a date");
        check("2022-06-13,,", "2022-06-13,x,", "column 10: expected a date");
        check("2022-06-13,,,", "2022-06-13,,x,", "column 11: expected a date");
        check(",01,0,2,", ",01,0,,2,", "expected 24 columns");
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            let error = read(text).expect_err(expected).to_string();
            assert!(error.contains(expected), "{error}");
        }
        check("", "found an empty file");
        check("1,1000020012131,01,0\n", "a first line with 4");
        check("<html>\n", "a first line with 1");
        check(&[CITY, &CITY[..50]].concat(), "it ends within line 2");
        check(&[CITY, "1,\"T1000020012131\",01\n"].concat(), "the last line is not complete");
    }
}
