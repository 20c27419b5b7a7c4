//! The page of the school codes: the lists of the newest edition.
//!
//! An edition has the lists `_2` (prefectures 01 to 24), `_4` (25 to 47) and `_6` (universities); a split list
//! has `_2-1`, `_2-2` and so on. Odd numbers are the same lists as spreadsheets and are skipped.

use scraper::{ElementRef, Node};

use super::Page;
use crate::text::codes::DataVersion;
use crate::update::address::Address;
use crate::update::error::Result;
use crate::update::file_spec::{date_of, number as parse_number};

const PAST: &str = "過去の学校コード一覧";

const LISTS: [u8; 3] = [2, 4, 6];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edition {
    pub date: DataVersion,
    /// The lists in the order of their numbers and parts.
    pub lists: Vec<List>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    pub number: u8,
    /// From 1; 0 if the list is one file.
    pub part: u8,
    pub address: Address,
}

pub fn read_page(page: &Page) -> Result<Edition> {
    let (mut current, mut past) = (Vec::new(), Vec::new());
    let mut is_past = false;
    for node in page.html.root_element().descendants() {
        if let Node::Text(text) = node.value() {
            is_past |= without_blanks(text).contains(PAST);
        } else if let Some(link) = ElementRef::wrap(node).filter(|it| it.value().name() == "a") {
            let address = link.attr("href").and_then(|href| page.address.join(href));
            let lists = if is_past { &mut past } else { &mut current };
            lists.extend(address.and_then(parse_list));
        }
    }
    let newest_past = past.iter().map(|(date, _)| *date).max();
    let edition = Edition::newest(current).ok_or_else(|| {
        let name = "20260825-mxt_chousa01-000011635_2.csv";
        page.error(format!("links such as {name} above the past lists"), "none")
    })?;
    if let Some(later) = newest_past.filter(|past| *past > edition.date) {
        let expected = format!("no list newer than {} among the past lists", edition.date);
        return Err(page.error(expected, format!("one of {later}")));
    }
    match edition.missing_list() {
        Some(expected) => Err(page.error(expected, edition.names())),
        None => Ok(edition),
    }
}

impl Edition {
    pub fn newest(lists: Vec<(DataVersion, List)>) -> Option<Edition> {
        let date = lists.iter().map(|(date, _)| *date).max()?;
        let mut lists: Vec<List> =
            lists.into_iter().filter(|(other, _)| *other == date).map(|(_, list)| list).collect();
        lists.sort_by_key(|list| (list.number, list.part));
        lists.dedup();
        Some(Edition { date, lists })
    }

    /// The first missing list: each must be one file, or parts from 1 without gaps.
    pub fn missing_list(&self) -> Option<String> {
        let missing = LISTS.into_iter().find(|number| {
            let parts =
                || self.lists.iter().filter(|list| list.number == *number).map(|it| it.part);
            let is_complete = match parts().count() {
                0 => false,
                1 => parts().eq([0]),
                count => parts().map(usize::from).eq(1..=count),
            };
            !is_complete
        })?;
        let date = self.date;
        Some(format!(
            "the list _{missing} of {date} in one file, or in parts _{missing}-1, _{missing}-2 …"
        ))
    }

    /// The names of all lists, for a message.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.lists.iter().map(|list| list.address.file_name()).collect();
        names.join(", ")
    }
}

/// Parses the name of a CSV list, with its date.
pub fn parse_list(address: Address) -> Option<(DataVersion, List)> {
    let stem = address.file_name().strip_suffix(".csv")?;
    let (date, rest) = stem.split_once("-mxt_chousa01-")?;
    let (_, list) = rest.split_once('_')?;
    let (list, part) = list.split_once('-').unwrap_or((list, "0"));
    let (date, number, part) = (date_of(date)?, parse_number(list)?, parse_number(part)?);
    Some((date, List { number, part, address }))
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

#[cfg(test)]
#[path = "mext_tests.rs"]
mod tests;
