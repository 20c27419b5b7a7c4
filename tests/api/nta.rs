//! The tax agency's Web-API for corporate numbers over a socket: forms, parameters, ids, and the agency's own samples.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::shared_data::official;
use crate::support::{Answer, ServerProcess, ask, encoded, sample};

fn open_server() -> ServerProcess {
    let arguments = ["--compat", "nta", "--compat-account", "premium"];
    ServerProcess::with_snapshots(Some(sample()), &arguments)
}

fn get(served: &ServerProcess, target: &str) -> Answer {
    ask(served.address, &format!("GET {target}"))
}

/// The rows of an answer as CSV in UTF-8, without its first line.
#[track_caller]
fn rows(served: &ServerProcess, target: &str) -> Vec<String> {
    let answer = get(served, &format!("{target}&type=02"));
    assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    let text = answer.text();
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    let rows: Vec<String> = lines.map(str::to_owned).collect();
    let pages = rows.len().min(1);
    assert_eq!(header, format!("2026-08-03,{},1,{pages}", rows.len()), "{target}");
    rows
}

/// Numbers and processes of the rows.
fn entries(rows: &[String]) -> Vec<(String, String)> {
    let cells = |row: &String| row.split(',').map(str::to_owned).collect::<Vec<_>>();
    rows.iter().map(cells).map(|cells| (cells[1].clone(), cells[2].clone())).collect()
}

const MERGED: &str = "5010001999902,21,0,2026-08-03,2026-07-30,\"台帳物産株式会社\",,301,\"東京都\",\"千代田区\",\
    \"大手町１丁目２番３号\",,13,101,1000004,,,2026-07-30,11,6010001999901,\
    \"令和８年７月３０日株式会社台帳に合併し解散\",2015-10-05,1,,,,,\"ダイチョウブッサン\",0";

#[test]
fn a_corporation_has_the_columns_of_the_agencys_file_in_each_form() {
    let served = open_server();
    let target = "/4/num?id=Ktest01test01&number=5010001999902";
    assert_eq!(rows(&served, target), [format!("1,{MERGED}")]);
    let utf8 = get(&served, &format!("{target}&type=02"));
    assert_eq!(utf8.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(utf8.header("daicho-data-version"), Some("2026-08-03"));
    let shift_jis = get(&served, &format!("{target}&type=01"));
    assert_eq!(shift_jis.header("content-type"), Some("text/csv; charset=Shift_JIS"));
    let (text, _, is_wrong) = encoding_rs::SHIFT_JIS.decode(&shift_jis.body);
    assert_eq!((&*text, is_wrong), (&*format!("2026-08-03,1,1,1\r\n1,{MERGED}\r\n"), false));
    let xml = get(&served, &format!("{target}&type=12"));
    assert_eq!(xml.header("content-type"), Some("application/xml; charset=utf-8"));
    assert!(xml.text().starts_with(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><corporations><lastUpdateDate>2026-08-03</lastUpdateDate>\
         <count>1</count><divideNumber>1</divideNumber><divideSize>1</divideSize><corporation>\
         <sequenceNumber>1</sequenceNumber><corporateNumber>5010001999902</corporateNumber><process>21</process>"
    ));
    assert!(xml.text().contains("<nameImageId/><kind>301</kind>"));
    assert!(xml.text().ends_with("<hihyoji>0</hihyoji></corporation></corporations>"));
    // An address abroad, an image, and quotes in an English name.
    for (number, part) in [
        ("1700150999901", ",401,,,,,,,,\"アメリカ合衆国カリフォルニア州台帳通り１\",00099999,"),
        ("2130001999901", "\"株式会社高台帳\",00012345,301,"),
        ("4010001999903", "\"\"\"DAICHO\"\" Works, K.K.\",\"Tokyo\","),
    ] {
        let found = rows(&served, &format!("/4/num?number={number}"));
        assert!(found[0].contains(part), "{}", found[0]);
    }
}

#[test]
fn numbers_are_answered_in_their_order_and_unknown_ones_left_out() {
    let served = open_server();
    let found =
        rows(&served, "/4/num?number=9010001999907,7000012050002,1010001999906,9010001999907");
    let numbers: Vec<String> = entries(&found).into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, ["9010001999907", "1010001999906"]);
    assert_eq!(rows(&served, "/4/num?number=7000012050002"), [""; 0]);
    // The number was withdrawn: only the history has it.
    assert_eq!(rows(&served, "/4/num?number=8010001999908"), [""; 0]);
    let history = rows(&served, "/4/num?number=8010001999908,5010001999902&history=1");
    let found = entries(&history);
    let expected = [("8010001999908", "81"), ("5010001999902", "11"), ("5010001999902", "21")];
    assert_eq!(found, expected.map(|(number, process)| (number.to_owned(), process.to_owned())));
    let is_latest = |row: &String| row.contains(",2015-10-05,1,");
    assert_eq!(history.iter().map(is_latest).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn names_are_found_as_the_call_asks() {
    let served = open_server();
    #[track_caller]
    fn check(served: &ServerProcess, name: &str, more: &str, expected: &[&str]) {
        let found = rows(served, &format!("/4/name?name={}{more}", encoded(name)));
        let numbers: Vec<String> = entries(&found).into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers, expected, "{name}{more}");
    }
    // In the order of the names' characters.
    check(&served, "台帳物産", "", &["5010001999902"]);
    check(&served, "台帳物産株式会社", "", &["5010001999902"]);
    check(&served, "物産", "", &[]);
    check(&served, "物産", "&mode=2", &["5010001999902"]);
    check(&served, "daicho　works", "", &["4010001999903"]);
    check(&served, "daicho　works", "&target=2", &[]);
    check(&served, "ＤＡＩＣＨＯ　Ｗ", "&target=2", &["4010001999903"]);
    check(&served, "works", "&target=3&mode=2", &["4010001999903"]);
    check(&served, "ministry OF", "&target=3", &["4000012999901"]);
    check(&served, "registers", "&target=3", &[]);
    check(&served, "省", "&mode=2", &["4000012999901"]);
    check(&served, "神", "", &[]);
    // Closed ones, kinds, places, days of the assignment.
    check(&served, "台帳物産", "&close=0", &[]);
    check(&served, "台帳", "&kind=01,02", &["4000020999901", "4000012999901"]);
    check(&served, "台帳", "&address=26&mode=2", &["7130005999901", "2130001999901"]);
    check(&served, "台帳", "&address=26101&mode=2", &[]);
    check(&served, "ダイチョウ", "&address=99&mode=2", &["1700150999901", "9700150999902"]);
    check(&served, "ＤＡＩＣＨＯ", "&from=2020-02-29&to=2020-02-29", &["4010001999903"]);
    check(&served, "ＤＡＩＣＨＯ", "&from=2020-03-01", &[]);
    // Hidden from the agency's search.
    check(&served, "台帳管理組合", "", &[]);
    // The former name has an entry in an older version.
    check(&served, "台帳商事", "", &[]);
    check(&served, "台帳商事", "&change=1", &["5010001999902"]);
    let former = rows(&served, &format!("/4/name?change=1&name={}", encoded("台帳商事")));
    assert!(former[0].contains("\"台帳商事株式会社\"") && former[0].contains(",2015-10-05,0,"));
    let header = get(&served, &format!("/4/name?name={}&type=02&divide=2", encoded("台帳物産")));
    assert_eq!(header.text(), "2026-08-03,1,2,1\n");
}

#[test]
fn changes_of_a_known_day_are_listed_by_number() {
    let served = open_server();
    let found = rows(&served, "/4/diff?from=2026-08-03&to=2026-08-03");
    let expected = [
        ("5010001999902", "21"),
        ("5010001999910", "01"),
        ("5010002999901", "01"),
        ("5430001999901", "12"),
        ("6010001999901", "71"),
        ("8010001999908", "99"),
    ];
    let expected = expected.map(|(number, process)| (number.to_owned(), process.to_owned()));
    assert_eq!(entries(&found), expected);
    let withdrawn = format!("6,8010001999908,99,,2026-08-03{}", ",".repeat(25));
    assert_eq!(found[5], withdrawn, "as in the agency's file");
    // The agency publishes nothing on a Saturday or a Sunday.
    assert_eq!(rows(&served, "/4/diff?from=2026-08-01&to=2026-08-03").len(), 6);
    assert_eq!(rows(&served, "/4/diff?from=2026-08-01&to=2026-08-02").len(), 0);
    let in_ward = rows(&served, "/4/diff?from=2026-08-03&to=2026-08-03&address=13103");
    assert_eq!(entries(&in_ward), [expected[3].clone()]);
    let limited = rows(&served, "/4/diff?from=2026-08-03&to=2026-08-03&address=13&kind=03");
    assert_eq!(limited.len(), 5);
    for unknown in ["from=2026-07-31&to=2026-08-03", "from=2026-08-03&to=2026-08-04"] {
        let refused = get(&served, &format!("/4/diff?{unknown}&type=12"));
        assert_eq!(refused.status, 400, "{unknown}");
        assert!(refused.text().starts_with("904,") && refused.text().contains("2026-08-03"));
    }
}

#[test]
fn wrong_parameters_have_the_agencys_codes() {
    let served = open_server();
    let many = ["6010001999901"; 11].join(",");
    for (target, code) in [
        ("/4/num?type=12", "100"),
        ("/4/num?number=6010001999901", "100"),
        ("/4/num?number=&type=12", "100"),
        ("/4/num?number=601000199990&type=12", "901"),
        ("/4/num?number=T6010001999901&type=12", "901"),
        ("/4/num?number=%EF%BC%96010001999901&type=12", "901"),
        (&format!("/4/num?number={many}&type=12"), "902"),
        ("/4/num?number=6010001999901&type=21", "903"),
        ("/4/num?number=6010001999901&type=12&history=2", "903"),
        ("/4/num?number=6010001999901&type=12&number=1", "903"),
        ("/4/num?number=%zz&type=12", "903"),
        ("/4/name?type=12", "100"),
        ("/4/name?name=x", "100"),
        ("/4/name?name=x&type=12&mode=3", "903"),
        ("/4/name?name=x&type=12&target=4", "903"),
        ("/4/name?name=x&type=12&address=48", "903"),
        ("/4/name?name=x&type=12&address=101", "051"),
        ("/4/name?name=x&type=12&kind=5", "903"),
        ("/4/name?name=x&type=12&change=x", "903"),
        ("/4/name?name=x&type=12&close=2", "903"),
        ("/4/name?name=x&type=12&from=2015-10-04", "152"),
        ("/4/name?name=x&type=12&to=2020-02-30", "030"),
        ("/4/name?name=x&type=12&divide=100000", "903"),
        ("/4/diff?to=2026-08-03&type=12", "100"),
        ("/4/diff?from=2026-08-03&type=12", "100"),
        ("/4/diff?from=2026-08-03&to=2026-08-03", "100"),
        ("/4/diff?from=x&to=2026-08-03&type=12", "030"),
        ("/4/diff?from=2026-08-03&to=2026-08-02&type=12", "030"),
        ("/4/diff?from=2026-06-13&to=2026-08-03&type=12", "030"),
        ("/4/diff?from=2015-11-30&to=2015-12-01&type=12", "013"),
        ("/4/diff?from=2026-08-03&to=2026-08-03&type=12&address=101", "051"),
        ("/4/diff?from=2026-08-03&to=2026-08-03&type=12&kind=x", "903"),
        ("/4/diff?from=2026-08-03&to=2026-08-03&type=12&divide=0", "903"),
    ] {
        let refused = get(&served, target);
        let text = refused.text();
        assert_eq!(
            (refused.status, text.split_once(',').map(|it| it.0)),
            (400, Some(code)),
            "{text}"
        );
        assert_eq!(refused.header("content-type"), Some("text/plain; charset=utf-8"), "{target}");
        assert_eq!(refused.header("cache-control"), Some("no-store"));
    }
}

#[test]
fn the_id_may_be_a_key_and_is_never_logged() {
    let arguments = ["--compat", "nta", "--log-level", "debug"];
    let served = ServerProcess::with_snapshots(Some(sample()), &arguments);
    let target = |id: &str| format!("/4/num?id={id}&number=6010001999901&type=02");
    // The public keys are of an account whose plan has no corporations.
    let low = get(&served, &target(&served.unbound));
    assert_eq!((low.status, low.header("content-type")), (403, Some("text/plain; charset=utf-8")));
    assert!(low.text().contains("plan"), "{}", low.text());
    assert!(served.run("account set demo --plan premium").status.success());
    crate::support::wait_until("the plan", || get(&served, &target(&served.unbound)).status == 200);
    assert_eq!(
        get(&served, &format!("/{}/4/num?number=6010001999901&type=02", served.public)).status,
        200
    );
    for wrong in ["Ktest01test01", &served.unbound[..20], &served.premium] {
        let refused = get(&served, &target(wrong));
        assert_eq!(refused.status, 404, "{}", refused.text());
        assert!(!refused.text().as_bytes()[..3].iter().all(u8::is_ascii_digit), "no code");
    }
    let none = get(&served, "/4/num?number=6010001999901&type=02");
    assert_eq!((none.status, &none.text()[..4]), (400, "100,"));
    let with_header =
        format!("GET {}\nAuthorization: Token {}", target("Ktest01test01"), served.premium);
    assert_eq!(ask(served.address, &with_header).status, 200);
    let log = served.wait_for_log("/4/num");
    for key in [&served.unbound, &served.premium, &served.public] {
        assert!(!log.contains(key.as_str()), "{log}");
    }
}

#[test]
fn answers_are_tagged_and_compressed_and_pages_may_ask() {
    let served = open_server();
    let target = "/4/name?name=%E5%8F%B0&type=12";
    let whole = get(&served, target);
    let tag = whole.header("etag").expect("a tag");
    assert_eq!(whole.header("cache-control"), Some("private, no-cache"));
    assert_eq!(whole.header("access-control-allow-origin"), Some("*"));
    let held = ask(served.address, &format!("GET {target}\nIf-None-Match: {tag}"));
    assert_eq!((held.status, held.body.len()), (304, 0));
    let head = ask(served.address, &format!("HEAD {target}"));
    assert_eq!((head.status, head.header("etag"), head.body.len()), (200, Some(tag), 0));
    let length = whole.body.len().to_string();
    assert_eq!(head.header("content-length"), Some(length.as_str()));
    let packed = ask(served.address, &format!("GET {target}\nAccept-Encoding: gzip"));
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let options = ask(served.address, "OPTIONS /4/diff");
    assert_eq!((options.status, options.header("allow")), (204, Some("GET, HEAD, OPTIONS")));
    assert_eq!(ask(served.address, "POST /4/num").status, 405);
}

/// Builds a version from files of the agency's layout.
#[track_caller]
fn build(folder: &Path, version: &str, more: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.current_dir(folder).args(["build", "corporate", "--out", "s", "--version", version]);
    let done = command.args(more).output().expect("the binary runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// The rows of a sample of the agency, renumbered from 1 by number.
fn file_of(rows: &[String]) -> String {
    let mut rows: Vec<&str> =
        rows.iter().filter_map(|row| row.split_once(',')).map(|(_, row)| row).collect();
    rows.sort_unstable();
    rows.iter().enumerate().map(|(index, row)| format!("{},{row}\n", index + 1)).collect()
}

fn sample_of_agency(name: &str) -> Vec<u8> {
    fs::read(official("corporate/samples/web-api-v4").join(name)).expect("a sample")
}

fn sample_rows(name: &str) -> Vec<String> {
    let bytes = sample_of_agency(name);
    let (utf8, shift_jis) =
        (String::from_utf8(bytes.clone()), encoding_rs::SHIFT_JIS.decode(&bytes));
    let text = utf8.unwrap_or_else(|_no_utf8| shift_jis.0.into_owned());
    text.lines().skip(1).map(str::to_owned).collect()
}

fn serve(folder: &Path) -> ServerProcess {
    let arguments = ["--compat", "nta", "--compat-account", "premium"];
    ServerProcess::with_snapshots(Some(&folder.join("s")), &arguments)
}

#[track_caller]
fn check_sample(served: &ServerProcess, target: &str, name: &str) {
    let answer = get(served, target);
    let expected = sample_of_agency(name);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        answer.body == expected,
        "{target} is not {name}:\n{}\n{}",
        text(&answer.body),
        text(&expected)
    );
}

/// A row of the agency's file without its number.
fn own_row(number: &str, process: &str, day: &str, name: &str) -> String {
    format!(
        "1,{number},{process},0,{day},{day},\"{name}\",,301,\"東京都\",\"千代田区\",\"千代田１番\",,13,101,1000001\
         ,,,,,,,2015-10-05,1,,,,,,0"
    )
}

#[test]
fn changes_that_later_ones_replaced_are_counted_and_those_of_kept_versions_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: String| fs::write(folder.path().join(name), text).expect("written");
    let number = "6010001999901";
    let row = |process, day, name| file_of(&[own_row(number, process, day, name)]);
    write("00_zenkoku_all_20260731.csv", row("01", "2026-04-01", "株式会社甲"));
    write("diff_20260803.csv", row("11", "2026-08-03", "株式会社乙"));
    write("diff_20260804.csv", row("11", "2026-08-04", "株式会社丙"));
    write("diff_20260805.csv", row("11", "2026-08-05", "株式会社丁"));
    build(folder.path(), "2026-07-31", &["--full", "00_zenkoku_all_20260731.csv"]);
    let base = ["--base", "s/corporate/2026-07-31.daicho", "--diff"];
    let two = ["diff_20260803.csv", "diff_20260804.csv"];
    build(folder.path(), "2026-08-04", &[&base[..], &two].concat());
    let base = ["--base", "s/corporate/2026-08-04.daicho", "--diff", "diff_20260805.csv"];
    build(folder.path(), "2026-08-05", &base);
    let served = serve(folder.path());
    for (days, names, lost) in [
        ("from=2026-08-03&to=2026-08-05", &["丙", "丁"][..], true),
        ("from=2026-08-04&to=2026-08-04", &["丙"], false),
        ("from=2026-08-05&to=2026-08-05", &["丁"], false),
        ("from=2026-08-03&to=2026-08-03", &[], true),
    ] {
        let answer = get(&served, &format!("/4/diff?{days}&type=02"));
        let text = answer.text();
        let found: Vec<&str> =
            text.lines().skip(1).filter_map(|row| row.split('"').nth(1)).collect();
        let expected: Vec<String> = names.iter().map(|name| format!("株式会社{name}")).collect();
        assert_eq!(found, expected, "{days}");
        let latest = text.lines().filter(|row| row.contains(",2015-10-05,1,")).count();
        assert_eq!(latest, usize::from(names.contains(&"丁")), "{days}");
        let notice = answer.header("daicho-notice").unwrap_or_default();
        assert_eq!(notice.contains("not known any more: 1;"), lost, "{days} {notice}");
    }
    // The former name of which no version has an entry finds the present one.
    for (name, expected) in [("甲", "甲"), ("丙", "丙"), ("乙", "丁")] {
        let target =
            format!("/4/name?name={}&change=1&type=02", encoded(format!("株式会社{name}")));
        let text = get(&served, &target).text();
        let row = text.lines().nth(1).unwrap_or_default();
        assert!(row.contains(&format!("\"株式会社{expected}\"")), "{name}: {text}");
    }
}

#[needs::official_data]
#[test]
fn the_agencys_sample_of_names_is_answered_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = sample_rows("name_ver4_c4.csv");
    let past = ",2015-10-05,0,,,,,,0";
    let present = |row: &String| row.replace(past, ",2015-10-05,1,,,,,,0");
    let before: Vec<String> = rows.iter().map(present).collect();
    let renamed: Vec<String> = rows.iter().filter(|row| row.ends_with(past)).map(present).collect();
    let renamed = renamed[0]
        .replace(",01,0,2015-12-01,2015-10-05,", ",11,0,2017-05-10,2017-05-09,")
        .replace("国税商事亜亜亜", "別の名");
    let write =
        |name: &str, text: String| fs::write(folder.path().join(name), text).expect("written");
    write("00_zenkoku_all_20170509.csv", file_of(&before));
    write("diff_20170510.csv", file_of(&[renamed]));
    build(folder.path(), "2017-05-09", &["--full", "00_zenkoku_all_20170509.csv"]);
    let diff = ["--base", "s/corporate/2017-05-09.daicho", "--diff", "diff_20170510.csv"];
    build(folder.path(), "2017-05-10", &diff);
    let served = serve(folder.path());
    let target = format!("/4/name?id=Ktest01test01&name={}&change=1", encoded("国税商事"));
    check_sample(&served, &format!("{target}&type=12"), "name_ver4_x4.xml");
    check_sample(&served, &format!("{target}&type=02"), "name_ver4_c4.csv");
}

#[needs::official_data]
#[test]
fn the_agencys_samples_of_numbers_and_changes_are_answered_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: String| fs::write(folder.path().join(name), text).expect("written");
    let (excluded, moved) =
        (sample_rows("num_0_ver4_c4.csv"), sample_rows("diff_20190404_ver4_c2.csv"));
    write("00_zenkoku_all_20190403.csv", file_of(&excluded));
    write("diff_20190404.csv", file_of(&moved));
    build(folder.path(), "2019-04-03", &["--full", "00_zenkoku_all_20190403.csv"]);
    let diff = ["--base", "s/corporate/2019-04-03.daicho", "--diff", "diff_20190404.csv"];
    build(folder.path(), "2019-04-04", &diff);
    let served = serve(folder.path());
    let target = "/4/diff?id=x&from=2019-04-04&to=2019-04-04";
    check_sample(&served, &format!("{target}&type=01"), "diff_20190404_ver4_c2.csv");
    check_sample(&served, &format!("{target}&type=12"), "diff_20190404_ver4_x4.xml");
    drop(served);
    // The number samples are of the next day, on which the other corporation is corrected.
    let corrected = moved[0].replace(",12,0,2019-04-04,", ",12,1,2019-04-05,");
    write("diff_20190405.csv", file_of(&[corrected]));
    let diff = ["--base", "s/corporate/2019-04-04.daicho", "--diff", "diff_20190405.csv"];
    build(folder.path(), "2019-04-05", &diff);
    let served = serve(folder.path());
    let target = "/4/num?id=x&number=5111101000006";
    check_sample(&served, &format!("{target}&type=01"), "num_0_ver4_c2.csv");
    check_sample(&served, &format!("{target}&type=02"), "num_0_ver4_c4.csv");
    check_sample(&served, &format!("{target}&type=12"), "num_0_ver4_x4.xml");
}

#[needs::official_data]
#[test]
fn a_real_answer_of_the_agency_is_repeated_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let xml =
        String::from_utf8(sample_of_agency("num.7010001008844.2026-07-10.xml")).expect("UTF-8");
    // The row of the file from the elements of the answer, in their order.
    let (_, elements) = xml.split_once("<sequenceNumber>").expect("an entry");
    let (entry, _) = elements.split_once("</corporation>").expect("its end");
    let mut row = "1".to_owned();
    for element in entry.split('<').skip(2).filter(|element| !element.starts_with('/')) {
        let (name, value) = element.split_once('>').expect("a tag");
        let quoted = !name.ends_with('/')
            && value.chars().any(|letter| !letter.is_ascii_digit() && letter != '-');
        row.push_str(&if quoted { format!(",\"{value}\"") } else { format!(",{value}") });
    }
    fs::write(folder.path().join("00_zenkoku_all_20260710.csv"), format!("{row}\n"))
        .expect("written");
    build(folder.path(), "2026-07-10", &["--full", "00_zenkoku_all_20260710.csv"]);
    let served = serve(folder.path());
    let target = "/4/num?id=x&number=7010001008844&type=12&history=0";
    check_sample(&served, target, "num.7010001008844.2026-07-10.xml");
}
