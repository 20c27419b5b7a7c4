//! The pages of the site of qualified invoice issuers: the full files with all their parts, and the
//! differences of the last forty days.
//!
//! A file is asked for by a plain address that has its number. The numbers follow no order: which part a
//! file is, only its own name says.

use std::collections::BTreeMap;

use scraper::ElementRef;

use super::Page;
use super::nta::{Call, FileNumber, calls, pieces, rows, updates};
use crate::text::codes::DataVersion;
use crate::update::error::UpdateError;

/// What the files of CSV have as their type, the last argument of a link.
pub const CSV: &str = "01";

/// Whose registrations a full file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holders {
    Corporations,
    Associations,
    Individuals,
}

impl Holders {
    pub const ALL: [Holders; 3] =
        [Holders::Corporations, Holders::Associations, Holders::Individuals];

    fn of_argument(argument: &str) -> Option<Holders> {
        Holders::ALL.into_iter().find(|holders| holders.argument() == argument)
    }

    /// As a link and an address name them.
    pub fn argument(self) -> &'static str {
        match self {
            Holders::Individuals => "1",
            Holders::Corporations => "2",
            Holders::Associations => "3",
        }
    }

    /// The letter that a file's name begins with.
    pub fn letter(self) -> char {
        match self {
            Holders::Corporations => 'h',
            Holders::Associations => 'j',
            Holders::Individuals => 'k',
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullPage {
    /// The day up to which the files have every change.
    pub date: DataVersion,
    /// The files in the order of the page, which is not that of the parts.
    pub files: Vec<(Holders, FileNumber)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferencePage {
    pub differences: BTreeMap<DataVersion, FileNumber>,
}

pub fn read_full(page: &Page) -> Result<FullPage, UpdateError> {
    let tables = page.select("table#DLtableCsv");
    let table =
        tables.first().ok_or_else(|| page.lacks("a table with the id DLtableCsv", "none"))?;
    let mut files = Vec::new();
    for call in calls(*table) {
        let file = full_file(page, &call)?;
        if files.contains(&file) {
            let found = format!("{} twice", file.1.get());
            return Err(page.lacks("each file number once", found));
        }
        files.push(file);
    }
    for (holders, what) in
        [(Holders::Corporations, "corporations"), (Holders::Associations, "associations")]
    {
        if !files.iter().any(|(found, _)| *found == holders) {
            let number = holders.argument();
            let expected =
                format!("a link to a file of {what}, doDownload(…, '{number}', '{CSV}')");
            return Err(page.lacks(expected, "none"));
        }
    }
    let date = date_before(page, *table).ok_or_else(|| {
        page.lacks("a date such as 令和8年8月31日更新 before the table DLtableCsv", "none")
    })?;
    Ok(FullPage { date, files })
}

fn full_file(page: &Page, call: &Call) -> Result<(Holders, FileNumber), UpdateError> {
    let holders = match call.arguments.as_slice() {
        [_, holders, kind] if kind == CSV => Holders::of_argument(holders),
        _ => None,
    };
    let holders = holders.ok_or_else(|| {
        let expected = "doDownload with a number, 1 to 3, and 01 in the table DLtableCsv";
        page.lacks(expected, format!("doDownload({})", call.arguments.join(", ")))
    })?;
    Ok((holders, call.number(page)?))
}

/// The last date that is called an update before the table.
fn date_before(page: &Page, table: ElementRef<'_>) -> Option<DataVersion> {
    updates(pieces(page).take_while(|piece| piece.element() != Some(table))).last()
}

pub fn read_differences(page: &Page) -> Result<DifferencePage, UpdateError> {
    let mut differences = BTreeMap::new();
    for row in rows(pieces(page)) {
        let date = row.date(page)?;
        for call in row.calls.iter().filter(|call| is_csv(call)) {
            if differences.insert(date, call.number(page)?).is_some() {
                return Err(page.lacks("one file of CSV for each date", format!("two of {date}")));
            }
        }
    }
    if differences.is_empty() {
        let expected = format!("rows with a date and a link doDownload(…, '{CSV}')");
        return Err(page.lacks(expected, "none"));
    }
    Ok(DifferencePage { differences })
}

fn is_csv(call: &Call) -> bool {
    matches!(call.arguments.as_slice(), [_, kind] if kind == CSV)
}

#[cfg(test)]
#[path = "nta_invoice_tests.rs"]
mod tests;
