//! The invoice site's pages: with the blanks and markup of the real pages, and damaged. No network.

use super::super::tests::page as page_of;
use super::*;

fn full_page(date: &str, links: &[&str]) -> String {
    let links: String = links
        .iter()
        .map(|link| format!("\n <a href=\"#\" onclick=\"{link}\">分割1\n zip 19MB</a> "))
        .collect();
    format!(
        "<body><p>令和5年10月1日更新</p><h2>全件</h2>\n<p>\n {date}\n</p> <a id=\"csv-filtyp\"></a>\
         <table id=\"DLtableCsv\"><tbody><tr><th scope=\"row\">法人</th><td>{links}</td></tr></tbody></table>\
         <p>令和8年9月1日更新</p><table id=\"DLtableXml\"><tr><td>\
         <a href=\"#\" onclick=\"return doDownload('6075','2','11');\">zip</a></td></tr></table></body>"
    )
}

/// The files of 2026-08-31, as the site listed them.
const LINKS: [&str; 7] = [
    "return doDownload('5075','2','01');",
    "return doDownload('5071','2','01');",
    "return doDownload('5080','2','01');",
    "return doDownload('5073','2','01');",
    "return doDownload('5072','2','01');",
    "return doDownload( '5074', '3', '01' ); return false;",
    "return doDownload('5090','1','01');",
];

fn full(page: &str) -> Result<(u32, Vec<(char, u32)>), String> {
    let page = read_full(&page_of(page)).map_err(|error| error.to_string())?;
    let files = page.files.iter().map(|(issuers, number)| (issuers.letter(), number.get()));
    Ok((page.date.number(), files.collect()))
}

#[test]
fn a_full_edition_has_as_many_parts_as_the_page_lists() {
    let files = vec![
        ('h', 5_075),
        ('h', 5_071),
        ('h', 5_080),
        ('h', 5_073),
        ('h', 5_072),
        ('j', 5_074),
        ('k', 5_090),
    ];
    assert_eq!(full(&full_page("令和8年8月31日更新", &LINKS)), Ok((20_260_831, files)));
    let one = full(&full_page("<b>令和８年</b> 8月31日 更新", &LINKS[4..6]));
    assert_eq!(one, Ok((20_260_831, vec![('h', 5_072), ('j', 5_074)])));
}

#[test]
fn errors_of_damaged_full_pages_name_the_missing_part() {
    #[track_caller]
    fn check(page: &str, expected: &str) {
        let fault = full(page).expect_err("damaged");
        assert!(fault.contains(expected), "{fault}");
    }
    let date = "令和8年8月31日更新";
    check(&full_page(date, &LINKS[..5]), "a link to a file of associations");
    check(&full_page(date, &LINKS[5..]), "a link to a file of corporations");
    check(&full_page(date, &[LINKS[0], LINKS[0], LINKS[5]]), "5075 twice");
    check(&full_page(date, &["doDownload('5075','2')"]), "found doDownload(5075, 2)");
    check(&full_page(date, &["doDownload('5075','4','01')"]), "found doDownload(5075, 4, 01)");
    check(&full_page(date, &["doDownload('5075','2','11')"]), "found doDownload(5075, 2, 11)");
    check(&full_page(date, &["doDownload('','2','01')"]), "found \"\"");
    let page = full_page(date, &LINKS);
    check(&page.replace("DLtableCsv", "DLtable"), "a table with the id DLtableCsv");
    check(&page.replace("更新", "現在"), "a date such as");
    check("", "a table with the id DLtableCsv");
}

fn difference_page(rows: &[(&str, &str)]) -> String {
    let table = |kind: &str| {
        let rows: String = rows
            .iter()
            .map(|(date, link)| {
                let link = link.replace("'01'", kind);
                format!(
                    "<tr><th scope=\"row\">\n {date}\n</th><td>\n<a href=\"#\" onclick=\"{link}\">\
                     zip 63KB</a></td></tr>"
                )
            })
            .collect();
        format!(
            "<table><tr><th>ファイル作成日</th><th>ダウンロードファイル</th></tr>{rows}</table>"
        )
    };
    let (csv, xml, json) = (table("'01'"), table("'11'"), table("'21'"));
    format!("<h3>CSV形式</h3>{csv}<h3>XML形式</h3>{xml}<h3>JSON形式</h3>{json}")
}

fn differences(page: &str) -> Result<Vec<(u32, u32)>, String> {
    let differences = read_differences(&page_of(page)).map_err(|error| error.to_string())?;
    let pair = |(date, number): (&DataVersion, &FileNumber)| (date.number(), number.get());
    Ok(differences.iter().map(pair).collect())
}

#[test]
fn differences_are_the_rows_of_csv() {
    let rows = [
        ("令和8年9月10日", "return doDownload('5125','01');"),
        ("令和８年 ９月 ９日", "return doDownload('5122','01');"),
    ];
    let expected = vec![(20_260_909, 5_122), (20_260_910, 5_125)];
    assert_eq!(differences(&difference_page(&rows)), Ok(expected));
}

#[test]
fn errors_of_damaged_difference_pages_name_the_missing_part() {
    #[track_caller]
    fn check(page: &str, expected: &str) {
        let fault = differences(page).expect_err("damaged");
        assert!(fault.contains(expected), "{fault}");
    }
    let row = ("令和8年9月10日", "return doDownload('5125','01');");
    check(&difference_page(&[row, row]), "two of 2026-09-10");
    check(&difference_page(&[("近日公開", row.1)]), "found \"近日公開 zip 63KB\"");
    check(&difference_page(&[]), "rows with a date and a link");
    check(&difference_page(&[(row.0, "return doDownload('5125','02');")]), "rows with a date");
    check(&difference_page(&[(row.0, "doDownload('a','01')")]), "found \"a\"");
    check("", "rows with a date");
}
