//! `--output NAME.xlsx`: the rows become a sheet of a workbook, every cell a text.

use calamine::{Data, Reader, Xlsx, open_workbook};

use super::{ADDED, CHIYODA, CHIYODA_ADDED, file, normalize, path, refuses};

/// The texts of the first sheet.
pub fn cells(path: &std::path::Path) -> Vec<Vec<String>> {
    let mut workbook: Xlsx<_> = open_workbook(path).expect("a workbook");
    let range = workbook.worksheet_range_at(0).expect("a sheet").expect("it is read");
    let text = |cell: &Data| match cell {
        Data::String(text) => text.clone(),
        Data::Empty => String::new(),
        other => panic!("expected a text: {other:?}"),
    };
    range.rows().map(|row| row.iter().map(text).collect()).collect()
}

#[test]
fn rows_are_written_as_a_sheet_of_texts() {
    let table = format!("郵便番号,住所\n0600042,{CHIYODA}\n,\"x \"\"y\"\",\nz\"\n");
    let added = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    let (folder, csv) = file("a.csv", table.as_bytes());
    let out = folder.path().join("b.XLSX");
    let (stdout, summary) =
        normalize(&[path(&csv), "--column", "住所", "--output", path(&out)], b"");
    assert_eq!(stdout, b"");
    assert!(summary.contains("2 rows"), "{summary}");
    let expected = [
        [added("郵便番号,住所"), added(ADDED)].concat(),
        [added(&format!("0600042,{CHIYODA}")), added(CHIYODA_ADDED)].concat(),
        [vec![String::new(), "x \"y\",\nz".to_owned()], added("none,,,,,,,,,,")].concat(),
    ];
    // The last columns are empty in every row except the header.
    assert_eq!(cells(&out), expected);
    let names: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(names.len(), 2, "no unfinished file is left: {names:?}");
    // A workbook may be both input and output; a text in Shift_JIS becomes a workbook too.
    normalize(&[path(&out), "-c", "住所", "--prefix", "b_", "-o", path(&out)], b"");
    assert_eq!(cells(&out)[1].len(), 24);
    let (shift_jis, _, _) = encoding_rs::SHIFT_JIS.encode(CHIYODA);
    normalize(&["--no-header", "--output", path(&out)], &shift_jis);
    assert_eq!(cells(&out)[0][0], CHIYODA);
}

#[test]
fn unsupported_outputs_and_options_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.xls", "a.ods", "a.csv.gz", "a.parquet.gz"] {
        let out = folder.path().join(name);
        let message = refuses(&["--output", path(&out)], b"x\n", 2);
        assert!(message.contains(".xlsx or .parquet; found ."), "{message}");
    }
    let out = folder.path().join("a.xlsx");
    for options in [&["--json"][..], &["--output-encoding", "shift_jis"]] {
        let arguments = [&["--output", path(&out)], options].concat();
        let message = refuses(&arguments, b"x\n", 2);
        assert!(message.contains("leave out --json"), "{message}");
    }
    std::fs::write(&out, "before").expect("the test's own folder");
    let long = format!("{CHIYODA}{}\n", "x".repeat(40_000));
    let message = refuses(&["--output", path(&out)], long.as_bytes(), 1);
    assert!(message.contains("row 2, column 1"), "{message}");
    assert_eq!(std::fs::read_to_string(&out).expect("still there"), "before");
}
