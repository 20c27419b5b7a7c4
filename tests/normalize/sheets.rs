//! A workbook as input and output: the output is a copy with the added columns, in which nothing else changes.

use std::io::{Cursor, Read};
use std::path::Path;

use calamine::{Data, Reader, Xlsx, open_workbook};
use rust_xlsxwriter::{Format, Formula, Workbook};
use zip::ZipArchive;

use super::{
    ADDED, BLANK_ADDED, CHIYODA, CHIYODA_ADDED, file, normalize, normalized, path, refuses,
};

/// A list as ministries make them: a title over the columns, a header of two rows with merged cells, a municipality that
/// is merged over two rows, a total, a note, numbers and formulas, and a second sheet.
fn list() -> Workbook {
    let mut workbook = Workbook::new();
    let bold = Format::new().set_bold().set_background_color(0xffcc00);
    let sheet = workbook.add_worksheet().set_name("一覧").expect("a name");
    sheet.merge_range(0, 0, 0, 4, "施設一覧", &bold).expect("a title");
    sheet.merge_range(2, 0, 3, 0, "番号", &bold).expect("a cell");
    sheet.merge_range(2, 1, 2, 2, "所　在　地", &bold).expect("a cell");
    sheet.write_with_format(3, 1, "市区町村", &bold).expect("a cell");
    sheet.write_with_format(3, 2, "番地", &bold).expect("a cell");
    sheet.merge_range(2, 3, 3, 3, "床面積", &bold).expect("a cell");
    sheet.merge_range(4, 1, 5, 1, "東京都千代田区", &Format::new()).expect("a cell");
    for (row, lot) in [(4, "千代田1-1"), (5, "千代田1-1")] {
        sheet.write(row, 0, row - 3).expect("a cell");
        sheet.write(row, 2, lot).expect("a cell");
        sheet.write(row, 3, 12.5).expect("a cell");
        // A cell with only a format stands where a column is added.
        sheet.write_blank(row, 4, &bold).expect("a cell");
    }
    sheet.write(6, 0, "計").expect("a cell");
    sheet.write_formula(6, 3, Formula::new("SUM(D5:D6)").set_result("25")).expect("a formula");
    sheet.write(8, 0, "※住所は登記による").expect("a cell");
    sheet.set_column_width(1, 33).expect("a width");
    let notes = workbook.add_worksheet().set_name("注").expect("a name");
    notes.write(0, 0, "覚書").expect("a cell");
    workbook
}

fn saved(mut workbook: Workbook) -> (tempfile::TempDir, std::path::PathBuf) {
    file("list.xlsx", &workbook.save_to_buffer().expect("memory"))
}

fn texts(path: &Path, sheet: &str) -> Vec<Vec<String>> {
    let mut workbook: Xlsx<_> = open_workbook(path).expect("a workbook");
    let range = workbook.worksheet_range(sheet).expect("a sheet");
    let text = |cell: &Data| cell.to_string();
    range.rows().map(|row| row.iter().map(text).collect()).collect()
}

/// The parts of the zip with their bytes.
fn parts(path: &Path) -> Vec<(String, Vec<u8>)> {
    let bytes = std::fs::read(path).expect("it was written");
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    let count = archive.len();
    let read = |index| {
        let mut part = archive.by_index(index).expect("a part");
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes).expect("sound");
        (part.name().expect("a name").into_owned(), bytes)
    };
    (0..count).map(read).collect()
}

fn fields(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

#[test]
fn a_workbook_is_copied_with_the_added_columns() {
    let (folder, xlsx) = saved(list());
    let out = folder.path().join("out.xlsx");
    for arguments in [
        &["-c", "所在地"][..],
        &["-c", "市区町村", "-c", "番地"],
        &["-c", "2", "-c", "3", "--header-row", "3-4"],
    ] {
        let arguments = [&[path(&xlsx), "-o", path(&out)], arguments].concat();
        let (_, summary) = normalize(&arguments, b"");
        // Two rows, the total and the note; the row between them is blank.
        assert!(summary.contains("4 rows in ") && !summary.contains("not kept"), "{summary}");
        let rows = texts(&out, "一覧");
        assert_eq!(rows.len(), 9);
        let added = |row: usize| &rows[row][4..];
        assert_eq!(rows[0][0], "施設一覧");
        assert!(added(0).iter().chain(added(2)).chain(added(7)).all(String::is_empty));
        assert_eq!(added(3), fields(ADDED));
        // The merged municipality counts in both rows, and stays one cell.
        assert_eq!(added(4), fields(CHIYODA_ADDED));
        assert_eq!(added(5), fields(CHIYODA_ADDED));
        assert_eq!((&rows[4][1][..], &rows[5][1][..]), ("東京都千代田区", ""));
        assert_eq!(added(6), fields(BLANK_ADDED));
        assert_eq!(added(8), fields(BLANK_ADDED));
        assert_eq!(rows[6][3], "25");
        assert_eq!(texts(&out, "注"), [["覚書"]]);
    }
    // Every part but the sheet is the same, byte for byte.
    let (before, after) = (parts(&xlsx), parts(&out));
    assert_eq!(before.len(), after.len());
    for ((name, old), (new_name, new)) in before.iter().zip(&after) {
        assert_eq!(name, new_name);
        assert_eq!(old == new, name != "xl/worksheets/sheet1.xml", "{name}");
    }
    let sheet = after.iter().find(|(name, _)| name == "xl/worksheets/sheet1.xml").expect("a sheet");
    let sheet = String::from_utf8_lossy(&sheet.1);
    for kept in ["<f>SUM(D5:D6)</f>", "mergeCell ref=\"B5:B6\"", "width=\"33", "<v>12.5</v>"] {
        assert!(sheet.contains(kept), "{kept}");
    }
    assert!(sheet.contains("<dimension ref=\"A1:O9\"/>"), "{sheet}");
    // A cell that had only a format keeps it; the header looks like the header.
    assert!(sheet.contains("<c r=\"E5\" s=\"1\" t=\"inlineStr\">"), "{sheet}");
    assert!(sheet.contains("<c r=\"F4\" s=\"1\" t=\"inlineStr\">"), "{sheet}");
}

#[test]
fn the_output_may_be_the_input_and_a_second_run_adds_more() {
    let (folder, xlsx) = saved(list());
    normalize(&[path(&xlsx), "-c", "所在地", "-o", path(&xlsx)], b"");
    let message = refuses(&[path(&xlsx), "-c", "所在地", "-o", path(&xlsx)], b"", 2);
    assert!(message.contains("'match'") && message.contains("--prefix"), "{message}");
    normalize(&[path(&xlsx), "-c", "所在地", "--prefix", "b_", "-o", path(&xlsx)], b"");
    let rows = texts(&xlsx, "一覧");
    assert_eq!(rows[4][15..], fields(CHIYODA_ADDED));
    assert_eq!(rows[3][15], "b_match");
    let names: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(names.len(), 1, "no unfinished file is left: {names:?}");
}

#[test]
fn another_sheet_and_a_workbook_from_a_pipe_are_copied_too() {
    let mut workbook = list();
    let sheet = workbook.add_worksheet().set_name("住所").expect("a name");
    sheet.write(0, 0, CHIYODA).expect("a cell");
    let (folder, xlsx) = saved(workbook);
    let out = folder.path().join("out.xlsx");
    let bytes = std::fs::read(&xlsx).expect("it was written");
    // Without a header there are no names.
    normalize(&["--sheet", "住所", "--no-header", "-o", path(&out)], &bytes);
    let mut expected = [fields(CHIYODA), fields(CHIYODA_ADDED)].concat();
    // The last columns have no value.
    expected.truncate(10);
    assert_eq!(texts(&out, "住所"), [expected]);
    assert_eq!(texts(&out, "一覧").len(), 9);
}

#[test]
fn the_rows_of_a_list_are_a_csv() {
    let (_folder, xlsx) = saved(list());
    let out = normalized(&[path(&xlsx), "-c", "所在地"], "");
    let expected = format!(
        "施設一覧\n\n番号,所　在　地,,床面積\n番号,市区町村,番地,床面積,{ADDED}\n\
         1,東京都千代田区,千代田1-1,12.5,{CHIYODA_ADDED}\n2,東京都千代田区,千代田1-1,12.5,{CHIYODA_ADDED}\n\
         計,,,25,{BLANK_ADDED}\n\n※住所は登記による,,,,{BLANK_ADDED}\n"
    );
    assert_eq!(out, expected);
}

#[test]
fn what_a_workbook_with_macros_loses_is_told() {
    let (folder, xlsx) = saved(list());
    let macros = folder.path().join("macros.xlsm");
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts(&xlsx) {
        let text = String::from_utf8(bytes).expect("XML");
        let text = text.replace(
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
            "application/vnd.ms-excel.sheet.macroEnabled.main+xml",
        );
        zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("memory");
        std::io::Write::write_all(&mut zip, text.as_bytes()).expect("memory");
    }
    std::fs::write(&macros, zip.finish().expect("memory").into_inner()).expect("a file");
    let out = folder.path().join("out.xlsx");
    let arguments = [path(&macros), "-c", "市区町村", "-c", "番地", "--quiet", "-o", path(&out)];
    let (_, note) = normalize(&arguments, b"");
    assert!(note.contains("not kept: found macros") && note.contains("'一覧'"), "{note}");
    let mut workbook: Xlsx<_> = open_workbook(&out).expect("a workbook");
    assert_eq!(workbook.sheet_names(), ["一覧"]);
    assert!(workbook.worksheet_range_at(0).is_some());
}

#[test]
fn sheets_without_rows_are_refused() {
    let mut workbook = Workbook::new();
    workbook.add_worksheet();
    let (folder, xlsx) = saved(workbook);
    let message = refuses(&[path(&xlsx), "-c", "住所"], b"", 1);
    assert!(message.contains("empty"), "{message}");
    let out = folder.path().join("out.xlsx");
    refuses(&[path(&xlsx), "-c", "住所", "-o", path(&out)], b"", 1);
    assert!(!out.exists());
    // A sheet with only a header is a table without rows.
    let mut workbook = Workbook::new();
    workbook.add_worksheet().write(2, 1, "住所").expect("a cell");
    let (folder, xlsx) = saved(workbook);
    let out = folder.path().join("out.xlsx");
    normalize(&[path(&xlsx), "-c", "住所", "-o", path(&out)], b"");
    assert_eq!(texts(&out, "Sheet1"), [[fields("住所"), fields(ADDED)].concat()]);
}
