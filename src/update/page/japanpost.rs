//! Japan Post's pages: the date of the edition, and the links to its files.

use jiff::civil::Date;

use super::{Page, text_of};
use crate::dataset::postal::compile::LATE_DAYS_MAX;
use crate::update::address::Address;
use crate::update::error::Result;
use crate::update::file_spec::number;
use crate::update::page;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AreaPage {
    pub date: Date,
    pub area: Address,
    /// The difference files of the newest listed month.
    pub differences: Option<Differences>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differences {
    /// The month in the file names.
    pub month: Month,
    /// Additions and deletions; a month without any of them lacks the file.
    pub files: Vec<Address>,
}

/// The month of an edition, by year and month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    year: i16,
    month: i8,
}

impl Month {
    /// The month of an edition published on this day.
    pub fn published_on(date: Date) -> Month {
        let month = Month { year: date.year(), month: date.month() };
        if date.day() <= LATE_DAYS_MAX { month.previous() } else { month }
    }

    pub fn previous(self) -> Month {
        match self.month {
            1 => Month { year: self.year - 1, month: 12 },
            month => Month { month: month - 1, ..self },
        }
    }

    fn parse(text: &str) -> Option<Month> {
        let number: i16 = Some(text).filter(|text| text.len() == 4).and_then(number)?;
        let month = i8::try_from(number % 100).ok().filter(|month| (1..=12).contains(month))?;
        Some(Month { year: 2_000 + number / 100, month })
    }
}

pub fn read_area_page(page: &Page) -> Result<AreaPage> {
    let differences = newest_differences(page, &["utf_add_", "utf_del_"]);
    Ok(AreaPage { date: edition_date(page)?, area: page.link_to("utf_ken_all.zip")?, differences })
}

pub fn edition_date(page: &Page) -> Result<Date> {
    let marked = page.select("p.arrange-r").into_iter().chain(page.select("p"));
    let mut texts = marked.map(text_of);
    texts
        .find_map(|text| page::update_date(&text))
        .ok_or_else(|| page.error("a date such as 「2026年7月31日更新」", "none in any paragraph"))
}

/// The linked files named `<prefix><month>` of the newest month, for any of the prefixes.
pub fn newest_differences(page: &Page, prefixes: &[&str]) -> Option<Differences> {
    newest_of(page.links().into_iter(), prefixes)
}

/// The files named `<prefix><month>` of the newest month, for any of the prefixes.
pub fn newest_of(files: impl Iterator<Item = Address>, prefixes: &[&str]) -> Option<Differences> {
    let month_of = |address: &Address| {
        let name = address.file_name().to_ascii_lowercase();
        let stem = name.strip_suffix(".zip")?;
        prefixes.iter().find_map(|prefix| Month::parse(stem.strip_prefix(prefix)?))
    };
    let dated: Vec<(Month, Address)> =
        files.filter_map(|address| Some((month_of(&address)?, address))).collect();
    let month = dated.iter().map(|(month, _)| *month).max()?;
    let mut files: Vec<Address> = Vec::new();
    for (_, address) in dated.into_iter().filter(|(other, _)| *other == month) {
        if !files.contains(&address) {
            files.push(address);
        }
    }
    Some(Differences { month, files })
}

#[cfg(test)]
mod tests {
    use super::super::tests::page;
    use super::*;

    const PAGE: &str = r#"
        <title>郵便番号データダウンロード</title>
        <div class="innerwidth"><p class="arrange-r">
            2026年7月31日更新 </p>
        <ul class="basic-m sp-v20"><li><a class="inline" href="utf/zip/utf_ken_all.zip">…</a>（zip形式）</li></ul>
        <table class="data w100p sp-t20">
         <tr><td class="arrange-r">2026年7月31日更新分</td>
          <td><a class="inline" href="utf/zip/utf_add_2607.zip">…</a></td>
          <td><a class="inline" href="utf/zip/utf_del_2607.zip">…</a></td></tr>
         <tr><td class="arrange-r">2026年6月30日更新分</td>
          <td><a class="inline" href="utf/zip/utf_add_2606.zip">…</a></td></tr></table></div>"#;

    #[test]
    fn the_page_of_the_address_file_is_read() {
        let found = read_area_page(&page(PAGE)).expect("a whole page");
        assert_eq!(found.date.to_string(), "2026-07-31");
        assert!(found.area.to_string().ends_with("/download/utf/zip/utf_ken_all.zip"));
        let differences = found.differences.expect("the newest month");
        assert_eq!(differences.month, Month { year: 2026, month: 7 });
        let names: Vec<&str> = differences.files.iter().map(Address::file_name).collect();
        assert_eq!(names, ["utf_add_2607.zip", "utf_del_2607.zip"]);
    }

    #[test]
    fn the_error_names_the_missing_part_of_a_page() {
        let without_date = PAGE.replace("更新 </p>", "</p>");
        let message = read_area_page(&page(&without_date)).expect_err("no date").to_string();
        assert!(message.contains("expected a date such as"), "{message}");
        assert!(message.contains("utf-zip.html"), "names the page: {message}");
        let without_link = PAGE.replace("utf_ken_all.zip", "other.zip");
        let message = read_area_page(&page(&without_link)).expect_err("no link").to_string();
        assert!(message.contains("expected a link to utf_ken_all.zip"), "{message}");
        let without_differences = PAGE.replace("_26", "_x");
        assert_eq!(read_area_page(&page(&without_differences)).expect("whole").differences, None);
    }

    #[test]
    fn a_file_of_the_first_days_belongs_to_the_month_before() {
        for (date, expected) in [
            ("2026-05-29", (2026, 5)),
            ("2026-05-01", (2026, 4)),
            ("2026-04-02", (2026, 3)),
            ("2026-01-05", (2025, 12)),
            ("2026-01-10", (2025, 12)),
            ("2026-01-11", (2026, 1)),
            ("2026-01-30", (2026, 1)),
        ] {
            let month = Month::published_on(date.parse().expect("a date"));
            assert_eq!((month.year, month.month), expected, "{date}");
        }
        for text in ["2613", "2600", "260", "26070", "２６０７", ""] {
            assert_eq!(Month::parse(text), None, "{text}");
        }
    }
}
