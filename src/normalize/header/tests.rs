//! Headers in small tables, as ministries write them.

use super::*;
use crate::normalize::workbook::MergedRange;

fn rows(table: &str) -> Vec<TopRow> {
    let values = |line: &str| line.split(',').map(str::to_owned).collect();
    table.lines().map(|line| TopRow { values: values(line) }).collect()
}

/// Finds the header of lines with commas. A cell with 東京都 is an address.
fn find(
    table: &str,
    place: &str,
    columns: &[&str],
    merged: &[(u32, u32, u32, u32)],
) -> Result<Header, NormalizeError> {
    let rows = rows(table);
    let columns: Vec<Column> =
        columns.iter().map(|it| Column::parse(it).expect("a column")).collect();
    let place = match place {
        "" => HeaderPlace::Detected,
        place => HeaderPlace::parse(place).expect("a place"),
    };
    let range = |&(first_row, last_row, first_column, last_column): &_| MergedRange {
        first_row,
        last_row,
        first_column,
        last_column,
    };
    let mut layout = SheetLayout::default();
    layout.merged.extend(merged.iter().map(range));
    let has_address = |row: &TopRow, columns: &[usize]| {
        Ok(columns.iter().any(|&column| row.value(column).contains("東京都")))
    };
    let layout = (!layout.merged.is_empty()).then_some(&layout);
    let (columns, code_column, has_address) = (&columns[..], None, &has_address);
    HeaderSearch { rows: &rows, place: &place, columns, code_column, layout, has_address }.find()
}

#[test]
fn headers_are_found() {
    #[track_caller]
    fn check(table: &str, place: &str, columns: &[&str], rows: Range<usize>, found: &[usize]) {
        let header = find(table, place, columns, &[]).expect("a header");
        assert_eq!((header.rows, &header.columns[..]), (rows, found), "{table}");
    }
    let plain = "番号,住所\n1,東京都";
    check(plain, "", &["住所"], 0..1, &[1]);
    check(plain, "", &["2"], 0..1, &[1]);
    check(plain, "1", &["2"], 0..1, &[1]);
    check("1,東京都\n2,東京都", "", &["2"], 0..0, &[1]);
    check("1,東京都\n2,東京都", "0", &["2"], 0..0, &[1]);
    // A title, a blank line, and notes.
    let title = "施設一覧,,\n,,\n※令和6年4月,,\n番号,名称,住　所\n1,a,東京都";
    check(title, "", &["住所"], 3..4, &[2]);
    check(title, "", &["3"], 3..4, &[2]);
    check(title, "4", &["3"], 3..4, &[2]);
    check("施設一覧\n\n番号,名称,住所\n1,a,東京都", "", &["3"], 2..3, &[2]);
    check("施設一覧\n1,a,東京都\n2,b,東京都", "", &["3"], 1..1, &[2]);
    // The first rows have no address in the numbered column: the first one is the header, as ever.
    check("番号,\n1,東京都", "", &["2"], 0..1, &[1]);
    // Two rows: groups over names.
    let two = "一覧\n番号,所在地,,電話\n,市町村,番地,\n1,a,b,c";
    check(two, "", &["市町村", "番地"], 1..3, &[1, 2]);
    check(two, "", &["所在地"], 1..3, &[1, 2]);
    check(two, "", &["所在地 番地"], 1..3, &[2]);
    check(two, "", &["所在地番地"], 1..3, &[2]);
    check(two, "", &["電話", "番地"], 1..3, &[3, 2]);
    check(two, "2-3", &["3"], 1..3, &[2]);
    check(two, "3", &["番地"], 2..3, &[2]);
    check(two, "2", &["番地"], 1..3, &[2]);
    // The lower row needs no other: each of its columns has a name.
    check("基本,,連絡先,\n番号,住所,電話1,電話2\n1,東京都,x,y", "", &["住所"], 1..2, &[1]);
    check("一覧,,令和6年4月\n番号,名称,住所\n1,x,東京都", "", &["住所"], 1..2, &[2]);
    // The row below a group of columns has an address.
    check("住所,,備考\n東京都,千代田,x", "", &["住所"], 0..1, &[0]);
    // Rows that are joined only because neither has all names.
    check("名称,電話\n住所,備考\nx,y", "", &["名称", "備考"], 0..2, &[0, 1]);
    // One column.
    check("住所\n東京都", "", &[], 0..1, &[0]);
    check("東京都\nx", "", &[], 0..0, &[0]);
    check("", "", &["1"], 0..0, &[0]);
}

#[test]
fn merged_cells_fill_their_range() {
    let table = "一覧,,,\n番号,所在地,,電話\n番号,市,番地,電話\n1,a,b,c";
    let merged = [(0, 0, 0, 3), (1, 2, 0, 0), (1, 1, 1, 2), (1, 2, 3, 3)];
    let header = find(table, "", &["所在地"], &merged).expect("a header");
    assert_eq!((header.rows, &header.columns[..]), (1..3, &[1, 2][..]));
    assert_eq!(header.names.expect("names"), ["番号", "所在地 市", "所在地 番地", "電話"]);
    // A merged cell in a header of one row, whose columns below have no names.
    let header = find("番号,所在地,,電話\n1,東京都,b,c", "", &["所在地"], &[(0, 0, 1, 2)]);
    let header = header.expect("a header");
    assert_eq!((header.rows, &header.columns[..]), (0..1, &[1, 2][..]));
    assert_eq!(header.names.expect("names"), ["番号", "所在地", "所在地", "電話"]);
}

#[test]
fn what_is_missing_is_named_with_the_likely_header() {
    #[track_caller]
    fn check(table: &str, place: &str, columns: &[&str], expected: &str) {
        let message = find(table, place, columns, &[]).expect_err("no header").to_string();
        assert!(message.contains(expected), "{message}");
    }
    let table = "一覧\n\n番号,名称,住所\n1,a,東京都";
    check(table, "", &["所在地"], "no column '所在地'; row 3 looks like the header");
    check(table, "", &["所在地"], "1 番号, 2 名称, 3 住所");
    check(table, "", &["10"], "no column 10; the widest of the first rows, row 3, has 3: 1 番号");
    check(table, "", &[], "row 3 looks like the header");
    check(table, "9", &["住所"], "row 9");
    check(table, "2", &["住所"], "empty");
    check(table, "4", &["住所"], "row 4 has 1 1, 2 a");
    check(table, "0", &["住所"], "no header");
    check("番号,名称", "", &["住所"], "the columns are 1 番号, 2 名称");
    check("", "", &["住所"], "empty");
    let twice = "送付先,,請求先,\n住所,電話,住所,電話\na,b,c,d";
    check(twice, "", &["住所"], "columns 1 and 3 are both called '住所'");
    check("住所,住所", "", &["住所"], "columns 1 and 2 are both called '住所'");
}
