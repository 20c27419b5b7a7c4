//! The pages of the site of qualified invoice issuers: the full files with all parts, and the last forty
//! differences.
//!
//! A file is requested by a plain address with its number. The numbers are in no order; only the file name says
//! which part a file is.

use std::collections::BTreeMap;

use scraper::ElementRef;

use super::Page;
use super::nta::{DownloadCall, FileNumber, download_calls, elements, rows, update_dates};
use crate::text::codes::DataVersion;
use crate::text::named_enum::named_enum;
use crate::update::error::Result;

/// The type of CSV files, the last argument of a link.
pub const CSV: &str = "01";

named_enum! {
    fn argument;
    /// The kind of issuers in a full file, with its value in links and addresses.
    pub enum IssuerKind {
        Corporations = "2",
        Associations = "3",
        Individuals = "1",
    }
}

impl IssuerKind {
    /// The first letter of the file names.
    pub fn letter(self) -> char {
        match self {
            IssuerKind::Corporations => 'h',
            IssuerKind::Associations => 'j',
            IssuerKind::Individuals => 'k',
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullPage {
    /// The files contain all changes up to this day.
    pub date: DataVersion,
    /// The files in page order, which is not the order of the parts.
    pub files: Vec<(IssuerKind, FileNumber)>,
}

pub fn read_full(page: &Page) -> Result<FullPage> {
    let tables = page.select("table#DLtableCsv");
    let table =
        tables.first().ok_or_else(|| page.error("a table with the id DLtableCsv", "none"))?;
    let mut files = Vec::new();
    for call in download_calls(*table) {
        let file = full_file(page, &call)?;
        if files.contains(&file) {
            let found = format!("{} twice", file.1.get());
            return Err(page.error("each file number once", found));
        }
        files.push(file);
    }
    for (issuers, what) in
        [(IssuerKind::Corporations, "corporations"), (IssuerKind::Associations, "associations")]
    {
        if !files.iter().any(|(found, _)| *found == issuers) {
            let number = issuers.argument();
            let expected =
                format!("a link to a file of {what}, doDownload(…, '{number}', '{CSV}')");
            return Err(page.error(expected, "none"));
        }
    }
    let date = date_before(page, *table).ok_or_else(|| {
        page.error("a date such as 令和8年8月31日更新 before the table DLtableCsv", "none")
    })?;
    Ok(FullPage { date, files })
}

fn full_file(page: &Page, call: &DownloadCall) -> Result<(IssuerKind, FileNumber)> {
    let issuers = match call.arguments.as_slice() {
        [_, issuers, kind] if kind == CSV => IssuerKind::parse(issuers),
        _ => None,
    };
    let issuers = issuers.ok_or_else(|| {
        let expected = "doDownload with a number, 1 to 3, and 01 in the table DLtableCsv";
        page.error(expected, format!("doDownload({})", call.arguments.join(", ")))
    })?;
    Ok((issuers, call.number(page)?))
}

/// The last date marked as an update before the table.
fn date_before(page: &Page, table: ElementRef<'_>) -> Option<DataVersion> {
    update_dates(elements(page).take_while(|element| *element != table)).last()
}

/// The file number of each day.
pub fn read_differences(page: &Page) -> Result<BTreeMap<DataVersion, FileNumber>> {
    let mut differences = BTreeMap::new();
    for row in rows(elements(page)) {
        let date = row.date(page)?;
        for call in row.calls.iter().filter(|call| is_csv(call)) {
            if differences.insert(date, call.number(page)?).is_some() {
                return Err(page.error("one file of CSV for each date", format!("two of {date}")));
            }
        }
    }
    if differences.is_empty() {
        let expected = format!("rows with a date and a link doDownload(…, '{CSV}')");
        return Err(page.error(expected, "none"));
    }
    Ok(differences)
}

fn is_csv(call: &DownloadCall) -> bool {
    matches!(call.arguments.as_slice(), [_, kind] if kind == CSV)
}

#[cfg(test)]
#[path = "nta_invoice_tests.rs"]
mod tests;
