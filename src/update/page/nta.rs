//! Common code for the tax agency's two sites: a link names a file by the arguments of `doDownload` in its
//! `onclick`, in a table row with the date of the file.
//!
//! Reads the elements in document order and ignores other markup and blanks.

use scraper::ElementRef;

use super::{Page, text_of};
use crate::text::codes::DataVersion;
use crate::update::error::Result;
use crate::update::page;

/// The number of a file on the site; changes with every edition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileNumber(u32);

/// More digits than the sites will ever need.
const DIGITS_MAX: usize = 9;

impl FileNumber {
    pub fn parse(text: &str) -> Option<FileNumber> {
        let is_number = (1..=DIGITS_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().ok().map(FileNumber))?
    }

    pub fn get(self) -> u32 {
        self.0
    }
}

/// A table row: its text, and the calls of its links.
pub struct Row {
    pub text: String,
    pub calls: Vec<DownloadCall>,
}

/// The arguments of one `doDownload(…)`, without their quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadCall {
    pub arguments: Vec<String>,
}

impl DownloadCall {
    /// Parses an event handler such as `return doDownload('5075','2','01');`.
    pub fn parse(handler: &str) -> Option<DownloadCall> {
        let (_, after) = handler.split_once("doDownload")?;
        let (arguments, _) = after.trim_start().strip_prefix('(')?.split_once(')')?;
        let argument = |text: &str| text.trim().trim_matches(['\'', '"']).to_owned();
        Some(DownloadCall { arguments: arguments.split(',').map(argument).collect() })
    }

    /// The file number, which is the first argument.
    pub fn number(&self, page: &Page) -> Result<FileNumber> {
        let first = self.arguments.first().map(String::as_str).unwrap_or_default();
        FileNumber::parse(first).ok_or_else(|| {
            let expected = "a file number as the first argument of doDownload";
            page.error(expected, format!("{first:?}"))
        })
    }
}

/// The elements of a page in document order.
pub fn elements(page: &Page) -> impl Iterator<Item = ElementRef<'_>> {
    page.html.root_element().descendent_elements()
}

pub fn download_calls(element: ElementRef<'_>) -> Vec<DownloadCall> {
    let links = Page::selector("[onclick]");
    element.select(&links).filter_map(|link| DownloadCall::parse(link.attr("onclick")?)).collect()
}

/// The rows with a link to a file.
pub fn rows<'a>(elements: impl IntoIterator<Item = ElementRef<'a>>) -> Vec<Row> {
    let row_selector = Page::selector("tr");
    let is_innermost_row = |element: &ElementRef<'_>| {
        element.value().name() == "tr" && element.select(&row_selector).next().is_none()
    };
    let rows = elements
        .into_iter()
        .filter(is_innermost_row)
        .map(|row| Row { text: text_of(row), calls: download_calls(row) });
    rows.filter(|row| !row.calls.is_empty()).collect()
}

/// The dates marked as updates, such as 令和8年7月31日更新: the first one of each element without a link to a file, in
/// document order. The elements around a date give it too, so a date may occur more than once.
pub fn update_dates<'a>(
    elements: impl IntoIterator<Item = ElementRef<'a>>,
) -> impl Iterator<Item = DataVersion> {
    let links = Page::selector("[onclick]");
    let without_file =
        elements.into_iter().filter(move |element| element.select(&links).next().is_none());
    without_file
        .filter_map(|element| page::update_date(&text_of(element)).and_then(DataVersion::from_date))
}

impl Row {
    pub fn date(&self, page: &Page) -> Result<DataVersion> {
        page::first_date(&self.text).and_then(DataVersion::from_date).ok_or_else(|| {
            let expected = "a date such as 令和8年8月21日 in each row with a file";
            page.error(expected, format!("{:?}", self.text))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::page;
    use super::*;

    #[test]
    fn calls_are_read_from_event_handlers() {
        #[track_caller]
        fn check(handler: &str, expected: Option<&[&str]>) {
            let found = DownloadCall::parse(handler).map(|call| call.arguments);
            let expected = expected.map(|list| list.iter().map(|it| (*it).to_owned()).collect());
            assert_eq!(found, expected, "{handler:?}");
        }
        check("return doDownload(27865);", Some(&["27865"]));
        check("return doDownload('5075','2','01');", Some(&["5075", "2", "01"]));
        check("\n doDownload ( \"5125\" , '01' ) ; return false", Some(&["5125", "01"]));
        check("return doDownload();", Some(&[""]));
        check("return doDownload(27865", None);
        check("return doDownload;", None);
        check("clickHistoryBtn(0)", None);
        check("", None);
    }

    #[test]
    fn file_numbers_are_digits_only() {
        #[track_caller]
        fn check(text: &str, expected: Option<u32>) {
            assert_eq!(FileNumber::parse(text).map(FileNumber::get), expected, "{text:?}");
        }
        check("1", Some(1));
        check("28088", Some(28_088));
        check("100000", Some(100_000));
        check("999999999", Some(999_999_999));
        check("1000000000", None);
        check("", None);
        check("-1", None);
        check("+1", None);
        check(" 1", None);
        check("１", None);
        check("27865x", None);
    }

    #[test]
    fn rows_without_a_file_are_skipped_and_rows_of_nested_tables_are_read() {
        let page = page(
            "<table><tr><td><table>\
             <tr><th>差分データファイル作成日</th><th>ダウンロードファイル</th></tr>\
             <tr><th>令和8年\n 8月21日</th><td><a onclick='doDownload(1)'>zip</a></td></tr>\
             </table></td></tr></table>",
        );
        let rows = rows(elements(&page));
        assert_eq!(rows.len(), 1);
        let date = rows[0].date(&page).expect("a date");
        assert_eq!(date.number(), 20_260_821);
        let without = Row { text: "zip 1KB".to_owned(), calls: Vec::new() };
        let message = without.date(&page).expect_err("no date").to_string();
        assert!(message.contains("found \"zip 1KB\""), "{message}");
    }
}
