//! The corporate number site's pages: with the blanks and markup of the real pages, and damaged. No network.

use super::super::tests::page as page_of;
use super::*;

const HEAD: &str = r##"<!DOCTYPE html><html lang="ja"><head><meta charset="UTF-8">
<script>function doDownload(fileNo){ document.getElementById("selDlFileNo").value = fileNo; return false; }</script>
</head><body><p>令和7年4月1日更新 お知らせ</p>
<form id="appForm" action="/download/sabun/index.html" method="post">
 <div><input type="hidden"
   name="jp.go.nta.houjin_bangou.framework.web.common.CNSFWTokenProcessor.request.token"
   value="0f9c3b1e-2222-4444-8888-aaaabbbbcccc"/></div>
 <input type="hidden" name="event" id="event" value="download">
 <input type="hidden" name="selDlFileNo" id="selDlFileNo">
 <div class="inBox21">"##;
const TAIL: &str =
    r#"<input type="hidden" id="corpHistoryNum" value="8"/></div></form></body></html>"#;

fn difference_section(id: &str, title: &str, rows: &[(&str, &str)]) -> String {
    let rows: String = rows
        .iter()
        .map(|(date, link)| {
            format!(
                "\n<tr class=\"type1_corpHistory1\" style=\"display: none;\"><th scope=\"row\">\n  \
                 {date}\n </th>\n<td> <a href=\"#\" onclick=\"{link}\"> zip \n 134KB</a><br></td></tr>"
            )
        })
        .collect();
    format!(
        "<h2 class=\"title\" {id}>{title}</h2><div class=\"tbl03\"><table><thead><tr>\
         <th class=\"w30\">差分データファイル作成日</th><th>ダウンロードファイル</th></tr></thead>\
         <tbody>{rows}</tbody></table></div><div class=\"formAddr07\">\
         <button id=\"btnMore1\" onclick=\"clickHistoryBtn(1)\">もっと見る</button></div>"
    )
}

const OTHERS: [(&str, &str); 2] = [
    ("令和8年8月21日", "return doDownload(27865);"),
    ("令和8年8月20日", "return doDownload(27862);"),
];

fn difference_page(unicode: &[(&str, &str)]) -> String {
    [
        HEAD.to_owned(),
        difference_section("id=\"csv-sjis\"", "CSV形式・Shift_JIS", &OTHERS),
        difference_section("id=\"csv-unicode\"", "CSV形式・Unicode", unicode),
        difference_section("id=\"xml-unicode\"", "XML形式・Unicode", &OTHERS),
        TAIL.to_owned(),
    ]
    .concat()
}

fn differences(page: &str) -> Result<Vec<(u32, u32)>, String> {
    let page = read_differences(&page_of(page)).map_err(|error| error.to_string())?;
    let pair = |(date, number): (&DataVersion, &FileNumber)| (date.number(), number.get());
    Ok(page.differences.iter().map(pair).collect())
}

const UNICODE: [(&str, &str); 2] = [
    ("令和8年8月21日", "return doDownload(27866);"),
    ("令和8年8月20日", "return doDownload(27863);"),
];

#[test]
fn only_differences_of_the_unicode_section_are_read() {
    let expected = Ok(vec![(20_260_820, 27_863), (20_260_821, 27_866)]);
    assert_eq!(differences(&difference_page(&UNICODE)), expected);
    let anonymous = difference_page(&UNICODE).replace("id=\"xml-unicode\"", "");
    assert_eq!(differences(&anonymous), expected, "the next heading ends the section");
    let mut reversed = UNICODE;
    reversed.reverse();
    assert_eq!(differences(&difference_page(&reversed)), expected, "rows in any order");
    let sections = [
        HEAD.to_owned(),
        difference_section("id=\"xml-unicode\"", "XML形式・Unicode", &OTHERS),
        difference_section("id=\"csv-unicode\"", "CSV形式・Unicode", &UNICODE),
        difference_section("id=\"csv-sjis\"", "CSV形式・Shift_JIS", &OTHERS),
        TAIL.to_owned(),
    ];
    assert_eq!(differences(&sections.concat()), expected, "sections in any order");
    let boxed = [
        HEAD.to_owned(),
        "<div id=\"csv-unicode\">".to_owned(),
        difference_section("", "CSV形式・Unicode", &UNICODE),
        "</div>".to_owned(),
        difference_section("", "XML形式・Unicode", &OTHERS),
        TAIL.to_owned(),
    ];
    assert_eq!(differences(&boxed.concat()), expected, "the id of a box around the section");
}

#[test]
fn dates_are_read_in_every_form_of_the_site() {
    let rows = [
        ("令和 8 年\n 8 月 21 日", "return doDownload(100001);"),
        ("<b>令和８年８月２０日</b>", "doDownload( '99998' )"),
        ("令和元年5月7日", "return doDownload(3);"),
    ];
    let expected = vec![(20_190_507, 3), (20_260_820, 99_998), (20_260_821, 100_001)];
    assert_eq!(differences(&difference_page(&rows)), Ok(expected));
}

#[test]
fn a_difference_is_requested_with_the_token_of_its_page() {
    let page = read_differences(&page_of(&difference_page(&UNICODE))).expect("a sound page");
    assert_eq!(page.form.address.url().path(), "/download/sabun/index.html");
    let number = page.differences.values().next_back().expect("two rows");
    let fields = page.form.fields(*number);
    let expected = [
        (TOKEN, "0f9c3b1e-2222-4444-8888-aaaabbbbcccc"),
        ("event", "download"),
        ("selDlFileNo", "27866"),
    ];
    assert_eq!(fields, expected.map(|(name, value)| (name, value.to_owned())));
}

#[test]
fn errors_of_damaged_difference_pages_name_the_missing_part() {
    #[track_caller]
    fn check(page: &str, expected: &str) {
        let fault = differences(page).expect_err("damaged");
        assert!(fault.contains(expected), "{fault}");
    }
    let sound = difference_page(&UNICODE);
    check(&sound.replace("id=\"csv-unicode\"", ""), "the id csv-unicode on the page, found none");
    check(&difference_page(&[]), "rows with a date and a file");
    check(&sound.replace("request.token", "request.other"), "request.token with the token");
    check(&sound.replace("0f9c3b1e-2222-4444-8888-aaaabbbbcccc", "  "), "the token of the session");
    check(&sound.replace("name=\"selDlFileNo\"", ""), "a hidden field selDlFileNo");
    check(&sound.replace("id=\"appForm\"", ""), "a form with the id appForm");
    check(
        &sound.replace("action=\"/download/sabun/index.html\"", ""),
        "a form with the id appForm",
    );
    check(&difference_page(&[UNICODE[0], UNICODE[0]]), "two of 2026-08-21");
    let elsewhere = sound.replace("action=\"", "action=\"https://example.jp");
    check(&elsewhere, "found \"https://example.jp/download/sabun/index.html\"");
    check(&difference_page(&[("作成中", UNICODE[0].1)]), "found \"作成中 zip 134KB\"");
    check(&difference_page(&[("令和8年2月30日", UNICODE[0].1)]), "a date such as");
    check(&difference_page(&[(UNICODE[0].0, "return doDownload();")]), "found \"\"");
    check(&difference_page(&[(UNICODE[0].0, "doDownload(27866x)")]), "found \"27866x\"");
    let two = "zip</a><a onclick=\"doDownload(5)\">zip";
    check(&sound.replace("zip \n 134KB", two), "one file of 2026-08-21 on the page, found 2");
    check("", "a heading with the id csv-unicode");
    check("<h1>ただいまメンテナンス中です</h1>", "a heading with the id csv-unicode");
}

fn full_section(id: &str, title: &str, date: &str, country: &str) -> String {
    format!(
        "<h2 class=\"title\" {id}>{title}</h2>\n<p class=\"txtS\">\n {date}\n</p>\
         <div class=\"tbl02\"><table><tbody><tr><td><dl class=\"mb00\"><dt class=\"mb05\"> 北海道 </dt>\
         <dd><ol><li><a href=\"#\" onclick=\"return doDownload(1);\">zip 9MB</a></li></ol></dd></dl></td>\
         </tr><tr><td>{country}</td></tr></tbody></table></div>"
    )
}

const COUNTRY_LIST: &str = "<dl class=\"mb00\"><dt class=\"mb05\">\n 全国\n</dt><dd>\
    <ol class=\"listNone mb00\"><li><a href=\"#\" onclick=\"return doDownload(27660);\">zip 266MB</a></li>\
    <li><a href=\"#\" onclick=\"return doDownload(99999);\">分割</a></li></ol></dd></dl>";

fn full_page(date: &str, country: &str) -> String {
    let other = COUNTRY_LIST.replace("27660", "27659");
    [
        HEAD.replace("sabun", "zenken"),
        full_section("id=\"csv-sjis\"", "CSV形式・Shift_JIS", "令和8年6月30日更新", &other),
        full_section("id=\"csv-unicode\"", "CSV形式・Unicode", date, country),
        full_section("id=\"xml-unicode\"", "XML形式・Unicode", "令和8年6月30日更新", &other),
        TAIL.to_owned(),
    ]
    .concat()
}

fn full(page: &str) -> Result<(u32, u32, String), String> {
    let page = read_full(&page_of(page)).map_err(|error| error.to_string())?;
    Ok((page.date.number(), page.number.get(), page.form.address.url().path().to_owned()))
}

#[test]
fn the_full_file_is_the_first_nationwide_file_of_the_unicode_section() {
    let expected = Ok((20_260_731, 27_660, "/download/zenken/index.html".to_owned()));
    assert_eq!(full(&full_page("令和8年7月31日更新", COUNTRY_LIST)), expected);
    assert_eq!(full(&full_page("<b>令和８年７月</b>３１日 更新", COUNTRY_LIST)), expected);
}

#[test]
fn errors_of_damaged_full_pages_name_the_missing_part() {
    #[track_caller]
    fn check(page: &str, expected: &str) {
        let fault = full(page).expect_err("damaged");
        assert!(fault.contains(expected), "{fault}");
    }
    let date = "令和8年7月31日更新";
    check(&full_page("", COUNTRY_LIST), "a date such as");
    check(&full_page(date, ""), "a link to the file of 全国");
    check(&full_page(date, &COUNTRY_LIST.replace("全国", "国外")), "a link to the file of 全国");
    check(&full_page(date, &COUNTRY_LIST.replace("27660", "")), "a file number");
    let page = full_page(date, COUNTRY_LIST);
    check(&page.replace("csv-unicode", "csv-utf8"), "a heading with the id csv-unicode");
    check(&page.replace("request.token", "token"), "request.token");
}
