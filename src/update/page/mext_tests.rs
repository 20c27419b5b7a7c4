//! The page of school codes of the Ministry of Education: editions, lists in parts, and damaged pages. No network.

use super::super::tests::page as page_of;
use super::*;

const HEAD: &str = "<body><h1>学校コード</h1><h2>学校コード一覧</h2><ul>";
const PAST_HEAD: &str = "</ul><p><b>＜過去の学校\nコード一覧＞</b></p><ul>";

fn items(date: &str, places: &[&str]) -> String {
    let name = format!("/content/{date}-mxt_chousa01-000011635");
    let item = |place: &&str| {
        format!(
            "<li>\n<a href=\" {name}_{place}.csv \">（CSV:4.3MB）</a>\
             <a href=\"{name}_1.xlsx\">（EXCEL:9MB）</a></li>"
        )
    };
    places.iter().map(item).collect()
}

fn page(current: &str, past: &str) -> String {
    [HEAD, current, PAST_HEAD, past, "</ul></body>"].concat()
}

fn lists(page: &str) -> Result<(u32, Vec<String>), String> {
    let edition = read_page(&page_of(page)).map_err(|error| error.to_string())?;
    let places = edition.lists.iter().map(|list| {
        let name = list.address.file_name();
        name.rsplit_once('_').map_or(name, |(_, place)| place).to_owned()
    });
    Ok((edition.date.number(), places.collect()))
}

#[test]
fn an_edition_is_every_list_of_the_newest_date() {
    let places =
        |list: &[&str]| list.iter().map(|place| format!("{place}.csv")).collect::<Vec<_>>();
    let past = items("20251226", &["2", "4", "6"]);
    let whole = page(&items("20260529", &["2", "4", "6"]), &past);
    assert_eq!(lists(&whole), Ok((20_260_529, places(&["2", "4", "6"]))));
    let parts = page(&items("20260825", &["2-1", "2-2", "4", "6"]), &past);
    assert_eq!(lists(&parts), Ok((20_260_825, places(&["2-1", "2-2", "4", "6"]))));
    let unordered = page(&items("20260825", &["6", "2-2", "4", "2-1"]), &past);
    assert_eq!(lists(&unordered), Ok((20_260_825, places(&["2-1", "2-2", "4", "6"]))));
    let left = items("20260529", &["2", "4", "6"]) + &items("20260825", &["2-1", "2-2", "4", "6"]);
    assert_eq!(
        lists(&page(&left, &past)),
        lists(&parts),
        "a list of an older edition is still in the current section"
    );
    let twice = items("20260529", &["2", "4", "6"]).repeat(2);
    assert_eq!(lists(&page(&twice, &past)), lists(&whole), "the same link twice");
    let no_past = items("20260529", &["2", "4", "6"]);
    assert_eq!(lists(&[HEAD, &no_past, "</ul>"].concat()), lists(&whole));
}

#[test]
fn errors_of_damaged_pages_name_the_missing_part() {
    #[track_caller]
    fn check(page: &str, expected: &str) {
        let fault = lists(page).expect_err("damaged");
        assert!(fault.contains(expected), "{fault}");
    }
    let past = items("20251226", &["2", "4", "6"]);
    check(&page("", &past), "above the past lists on the page, found none");
    check("", "above the past lists on the page, found none");
    check(&page(&items("20260825", &["2", "4"]), &past), "the list _6 of 2026-08-25");
    check(&page(&items("20260825", &["2-1", "4", "6"]), &past), "the list _2 of 2026-08-25");
    check(&page(&items("20260825", &["2-2", "4", "6"]), &past), "the list _2 of 2026-08-25");
    check(&page(&items("20260825", &["2", "2-1", "4", "6"]), &past), "the list _2 of 2026-08-25");
    check(&page(&items("20260231", &["2", "4", "6"]), &past), "found none");
    check(&page(&items("2026082５", &["2", "4", "6"]), &past), "found none");
    let wrong = page(&past, &items("20260825", &["2", "4", "6"]));
    check(&wrong, "among the past lists on the page, found one of 2026-08-25");
}
