//! The pages of the corporate number site: the newest full file of the country, and the last forty
//! differences.
//!
//! A file is requested by posting the page's form with its token and the file number. Only the section
//! `csv-unicode` is read: the sections around it list other encodings under the same names.

use std::collections::BTreeMap;

use scraper::ElementRef;

use super::nta::{DownloadCall, FileNumber, download_calls, elements, rows, update_dates};
use super::{Page, text_of};
use crate::text::codes::DataVersion;
use crate::update::address::Address;
use crate::update::error::Result;

const TOKEN: &str =
    "jp.go.nta.houjin_bangou.framework.web.common.CNSFWTokenProcessor.request.token";
const NUMBER: &str = "selDlFileNo";
const EVENT: &str = "event";
const DOWNLOAD: &str = "download";
const COUNTRY: &str = "全国";

/// The form that requests a file. Its token belongs to the session of this page and can be used once.
#[derive(Debug)]
pub struct Form {
    pub address: Address,
    token: String,
}

impl Form {
    pub fn fields(&self, number: FileNumber) -> [(&'static str, String); 3] {
        let number = number.get().to_string();
        [(TOKEN, self.token.clone()), (EVENT, DOWNLOAD.to_owned()), (NUMBER, number)]
    }
}

#[derive(Debug)]
pub struct FullPage {
    pub form: Form,
    /// The file contains all changes up to this day.
    pub date: DataVersion,
    pub number: FileNumber,
}

#[derive(Debug)]
pub struct DifferencePage {
    pub form: Form,
    pub differences: BTreeMap<DataVersion, FileNumber>,
}

pub fn read_full(page: &Page) -> Result<FullPage> {
    let section = section(page)?;
    let date = update_dates(section.iter().copied()).next().ok_or_else(|| {
        page.error(
            "a date such as 令和8年7月31日更新 below the heading with the id csv-unicode",
            "none",
        )
    })?;
    let call = section.iter().find_map(|element| country_call(*element));
    let call = call.ok_or_else(|| {
        page.error("a link to the file of 全国 below the heading with the id csv-unicode", "none")
    })?;
    Ok(FullPage { form: form(page)?, date, number: call.number(page)? })
}

pub fn read_differences(page: &Page) -> Result<DifferencePage> {
    let mut differences = BTreeMap::new();
    for row in rows(section(page)?) {
        let date = row.date(page)?;
        let [call] = row.calls.as_slice() else {
            return Err(page.error(format!("one file of {date}"), row.calls.len().to_string()));
        };
        if differences.insert(date, call.number(page)?).is_some() {
            return Err(page.error("one row for each date", format!("two of {date}")));
        }
    }
    if differences.is_empty() {
        let expected = "rows with a date and a file below the heading with the id csv-unicode";
        return Err(page.error(expected, "none"));
    }
    Ok(DifferencePage { form: form(page)?, differences })
}

/// The elements between the heading with the id `csv-unicode` and the next heading.
fn section(page: &Page) -> Result<Vec<ElementRef<'_>>> {
    let mut from_start =
        elements(page).skip_while(|element| element.attr("id") != Some("csv-unicode"));
    let Some(start) = from_start.next() else {
        return Err(page.error("a heading with the id csv-unicode", "none"));
    };
    // If the id belongs to a box around the section, its own heading does not end the section.
    let mut has_own_heading = start.descendent_elements().skip(1).any(is_heading);
    let section = from_start
        .take_while(|element| !is_heading(*element) || std::mem::take(&mut has_own_heading));
    Ok(section.collect())
}

fn is_heading(element: ElementRef<'_>) -> bool {
    element.value().name() == "h2" || element.attr("id") == Some("xml-unicode")
}

/// The first link of an element that lists the whole country.
fn country_call(element: ElementRef<'_>) -> Option<DownloadCall> {
    if element.value().name() != "dl" {
        return None;
    }
    let term = element.select(&Page::selector("dt")).next()?;
    let is_country = text_of(term).replace(' ', "") == COUNTRY;
    is_country.then(|| download_calls(element).into_iter().next())?
}

fn form(page: &Page) -> Result<Form> {
    let inputs = page.select("input[name]");
    let field = |name: &str| inputs.iter().find(|input| input.attr("name") == Some(name));
    let token = field(TOKEN).and_then(|input| input.attr("value")).map(str::trim);
    let token = token.filter(|token| !token.is_empty()).ok_or_else(|| {
        page.error(format!("a hidden field {TOKEN} with the token of the session"), "none")
    })?;
    if field(NUMBER).is_none() {
        return Err(page.error(format!("a hidden field {NUMBER} for the number of a file"), "none"));
    }
    let action = page.select("form#appForm[action]").first().and_then(|form| form.attr("action"));
    let address = action.filter(|action| !action.trim().is_empty());
    let address = address.and_then(|action| page.address.join(action)).ok_or_else(|| {
        let found = action.map_or_else(|| "none".to_owned(), |action| format!("{action:?}"));
        page.error("a form with the id appForm that is sent to the same host", found)
    })?;
    Ok(Form { address, token: token.to_owned() })
}

#[cfg(test)]
#[path = "nta_corporate_tests.rs"]
mod tests;
