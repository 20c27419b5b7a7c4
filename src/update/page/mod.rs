//! Pages of the official sites, read with an HTML parser; one file per site. `bounded` limits what a page may make the
//! parser and its readers do.
//!
//! Real pages have blanks and line breaks around texts and additional markup around elements; nothing here depends on
//! them. A missing part is an error that names the page. Dates may be written 2026年7月31日, 令和8年7月31日 or 令和元年5月1日, with
//! full-width digits and blanks anywhere.

mod bounded;
pub mod japanpost;
pub mod mext;
pub mod nta;
pub mod nta_corporate;
pub mod nta_invoice;

use encoding_rs::{Encoding, SHIFT_JIS, UTF_8};
use jiff::civil::Date;
use scraper::{ElementRef, Html, Selector};

use super::address::Address;
use super::error::{Result, UpdateError};
use crate::text::printable::printable_start;

/// How much of a page's text an error shows.
const SHOWN_CHARS_MAX: usize = 200;

/// How much of a page is searched for its encoding; browsers use the same limit.
const CHARSET_BYTES: usize = 1_024;

pub struct Page {
    /// The address after redirects; relative links start here.
    pub address: Address,
    pub html: Html,
}

impl Page {
    pub fn parse(address: Address, content_type: Option<&str>, bytes: &[u8]) -> Result<Page> {
        match bounded::parse(&decode(content_type, bytes)) {
            Ok(html) => Ok(Page { address, html }),
            Err(excess) => Err(error(&address, excess.to_string(), "more")),
        }
    }

    pub fn selector(css: &'static str) -> Selector {
        Selector::parse(css).expect("a constant selector")
    }

    /// The elements that match a selector, in page order.
    pub fn select(&self, css: &'static str) -> Vec<ElementRef<'_>> {
        self.html.select(&Page::selector(css)).collect()
    }

    /// The targets of all links that stay on the host.
    pub fn links(&self) -> Vec<Address> {
        let links = self.select("a[href]").into_iter();
        links.filter_map(|link| self.address.join(link.attr("href")?)).collect()
    }

    /// The link to the file with this name, ignoring case.
    pub fn link_to(&self, file: &str) -> Result<Address> {
        let links = self.links();
        let found = links.iter().find(|address| address.file_name().eq_ignore_ascii_case(file));
        found.cloned().ok_or_else(|| {
            let found = format!("{} links, none of them to it", links.len());
            self.error(format!("a link to {file}"), found)
        })
    }

    pub fn error(&self, expected: impl Into<String>, found: impl Into<String>) -> UpdateError {
        error(&self.address, expected, found)
    }
}

fn error(address: &Address, expected: impl Into<String>, found: impl Into<String>) -> UpdateError {
    let found = printable_start(&found.into(), SHOWN_CHARS_MAX);
    UpdateError::Page { url: address.to_string(), expected: expected.into(), found }
}

/// The text of an element and its descendants, with each run of blanks as one.
pub fn text_of(element: ElementRef<'_>) -> String {
    let text: String = element.text().collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The title, if the bytes are an HTML page that can be parsed within limits; the outer `None` if they are not HTML.
pub fn title_if_html(bytes: &[u8]) -> Option<Option<String>> {
    let text = decode(None, bytes);
    let start = text.trim_start_matches('\u{FEFF}').trim_start();
    let start: String = start.chars().take(200).collect::<String>().to_ascii_lowercase();
    let marks = ["<!doctype html", "<html", "<head", "<body"];
    let is_xhtml = start.starts_with("<?xml") && start.contains("<html");
    if !marks.iter().any(|mark| start.starts_with(mark)) && !is_xhtml {
        return None;
    }
    let html = bounded::parse(&text).ok();
    let title = html.as_ref().and_then(|html| html.select(&Page::selector("title")).next());
    let title = title.map(text_of).filter(|title| !title.is_empty());
    Some(title.map(|title| printable_start(&title, SHOWN_CHARS_MAX)))
}

/// Decodes a page: by its header, by its own declaration, as UTF-8 if valid, otherwise as Shift_JIS.
pub fn decode(content_type: Option<&str>, bytes: &[u8]) -> String {
    let declared = content_type.and_then(charset).or_else(|| {
        let start = &bytes[..bytes.len().min(CHARSET_BYTES)];
        charset(&String::from_utf8_lossy(start))
    });
    let encoding = declared.unwrap_or(if UTF_8.decode(bytes).2 { SHIFT_JIS } else { UTF_8 });
    encoding.decode(bytes).0.into_owned()
}

fn charset(text: &str) -> Option<&'static Encoding> {
    let text = text.to_ascii_lowercase();
    let (_, label) = text.split_once("charset=")?;
    let label = label.trim_start_matches(['"', '\'', ' ']);
    let end = label.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
    Encoding::for_label(&label.as_bytes()[..end.unwrap_or(label.len())])
}

/// The eras used by pages, with the year before their first year.
const ERAS: [(&str, i16); 3] = [("令和", 2018), ("平成", 1988), ("昭和", 1925)];

pub fn first_date(text: &str) -> Option<Date> {
    dates(&normalise(text)).next().map(|(date, _)| date)
}

/// The date before 更新, unless 分 follows: 「2026年7月31日更新分」 names a file, not the page.
pub fn update_date(text: &str) -> Option<Date> {
    let text = normalise(text);
    let is_update = |rest: &str| {
        let rest = rest.trim_start_matches(['に', '）', ')']);
        rest.strip_prefix("更新").is_some_and(|rest| !rest.starts_with('分'))
    };
    let mut dates = dates(&text);
    dates.find(|(_, rest)| is_update(rest)).map(|(date, _)| date)
}

/// Turns full-width digits into ASCII, and removes blanks.
fn normalise(text: &str) -> String {
    let narrow = |c: char| match c {
        '０'..='９' => char::from(b'0' + (c as u32 - '０' as u32) as u8),
        c => c,
    };
    text.chars().filter(|c| !c.is_whitespace()).map(narrow).collect()
}

/// All dates in a normalised text, with the text after each.
fn dates(text: &str) -> impl Iterator<Item = (Date, &str)> {
    text.match_indices('年').filter_map(move |(index, mark)| {
        let year = year_before(&text[..index])?;
        let (month, rest) = number(&text[index + mark.len()..], '月')?;
        let (day, rest) = number(rest, '日')?;
        Some((Date::new(year, month, day).ok()?, rest))
    })
}

/// The year at the end of a text: of an era, or four digits.
fn year_before(text: &str) -> Option<i16> {
    let digits = text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (before, number) = text.split_at(text.len() - digits);
    if let Some(before) = text.strip_suffix('元') {
        return ERAS.iter().find(|(era, _)| before.ends_with(era)).map(|(_, start)| start + 1);
    }
    let number: i16 = number.parse().ok()?;
    match ERAS.iter().find(|(era, _)| before.ends_with(era)) {
        Some((_, start)) => (1..=99).contains(&number).then(|| start + number),
        None => (digits == 4).then_some(number),
    }
}

/// Parses one or two digits before a unit; also returns the text after it. Looks no further than that: a text may have
/// as many beginnings of dates as letters.
fn number(text: &str, unit: char) -> Option<(i8, &str)> {
    let end = text.bytes().take(3).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(end);
    let number = Some(digits).filter(|digits| digits.len() <= 2)?.parse().ok()?;
    Some((number, rest.strip_prefix(unit)?))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::update::address::Site;
    use crate::update::settings::Settings;

    pub fn page(html: &str) -> Page {
        let address = Settings::built_in().find(Site::Japanpost, "area-page").expect("an address");
        let page = Page::parse(address, Some("text/html; charset=UTF-8"), html.as_bytes());
        page.expect("within the limits")
    }

    #[test]
    fn a_page_that_is_too_large_is_an_error_that_names_it() {
        let address = page("").address;
        let html = "<div>".repeat(100_000);
        let error = Page::parse(address, None, html.as_bytes()).err().expect("too deep");
        let message = error.to_string();
        assert!(message.contains("utf-zip.html: expected at most 200 levels of"), "{message}");
        assert_eq!(title_if_html(format!("<html><title>a</title>{html}").as_bytes()), Some(None));
        let long = page("").error("a date", "\u{202e}".to_owned() + &"x".repeat(100_000));
        assert!(long.to_string().len() < 1_000, "{long}");
    }

    #[test]
    fn pages_are_decoded_with_their_declared_charset() {
        let (bytes, _, _) = SHIFT_JIS.encode("<meta charset=Shift_JIS><p>更新</p>");
        assert!(decode(None, &bytes).contains("更新"), "charset in the page");
        let (bytes, _, _) = SHIFT_JIS.encode("<p>更新</p>");
        assert!(decode(Some("text/html; charset=\"shift_jis\""), &bytes).contains("更新"));
        assert!(decode(None, &bytes).contains("更新"), "Shift_JIS, since it is not UTF-8");
        assert!(decode(None, "<p>更新</p>".as_bytes()).contains("更新"));
        assert!(decode(Some("text/html; charset=nonsense"), "更新".as_bytes()).contains("更新"));
    }

    #[test]
    fn links_are_found_by_the_name_of_the_file() {
        let page = page(
            "<a class=inline href='utf/zip/UTF_KEN_ALL.zip'>…</a><a href='https://b.jp/c.zip'>c</a>",
        );
        let found = page.link_to("utf_ken_all.zip").expect("a link");
        assert!(found.to_string().ends_with("/download/utf/zip/UTF_KEN_ALL.zip"));
        let message = page.link_to("c.zip").expect_err("another host").to_string();
        assert!(
            message.contains("expected a link to c.zip on the page, found 1 links"),
            "{message}"
        );
    }

    #[test]
    fn html_is_distinguished_from_files() {
        for (bytes, expected) in [
            ("<!DOCTYPE html><title> 404\n Not Found</title>", Some(Some("404 Not Found"))),
            ("\u{FEFF}\n<HTML><body>no title", Some(None)),
            ("<?xml version='1.0'?><html><title>a</title>", Some(Some("a"))),
            ("<html><title>\u{1b}]0;x\u{7}\u{202e}", Some(Some("\\u{1b}]0;x\\u{7}\\u{202e}"))),
            ("<?xml version='1.0'?><feed/>", None),
            ("PK\u{3}\u{4}", None),
            ("1,<html>", None),
            ("", None),
        ] {
            let found = title_if_html(bytes.as_bytes());
            let found = found.as_ref().map(|title| title.as_deref());
            assert_eq!(found, expected, "{bytes:?}");
        }
    }
}

#[cfg(test)]
mod date_tests {
    use super::*;

    #[test]
    fn dates_are_read_as_pages_write_them() {
        for (text, expected) in [
            ("2026年7月31日", Some("2026-07-31")),
            ("令和8年8月21日", Some("2026-08-21")),
            ("令和元年5月1日", Some("2019-05-01")),
            ("平成31年4月30日", Some("2019-04-30")),
            ("令和 ８ 年\n １２ 月　３１日 更新", Some("2026-12-31")),
            ("（令和08年08月01日時点）", Some("2026-08-01")),
            ("第2条 2026年7月31日", Some("2026-07-31")),
            ("26年7月31日", None),
            ("2026年2月30日", None),
            ("2026年13月1日", None),
            ("2026年007月1日", None),
            ("令和0年1月1日", None),
            ("令和100年1月1日", None),
            ("元年1月1日", None),
            ("2026-07-31", None),
            ("年月日", None),
            ("2026年".repeat(200_000).as_str(), None),
            ("", None),
        ] {
            let found = first_date(text).map(|date| date.to_string());
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn the_date_of_a_page_is_not_the_date_of_a_file() {
        for (text, expected) in [
            ("2026年7月31日更新", Some("2026-07-31")),
            (" 2026年 7月31日 更新 ", Some("2026-07-31")),
            ("2026年7月31日更新分", None),
            ("2026年6月30日更新分 2026年7月31日更新", Some("2026-07-31")),
            ("令和8年7月31日更新", Some("2026-07-31")),
            ("2026年7月31日", None),
        ] {
            let found = update_date(text).map(|date| date.to_string());
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }
}
