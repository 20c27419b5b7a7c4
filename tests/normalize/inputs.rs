//! Compressed files and workbooks are recognized by their content. Errors about other kinds of files name the kind.

use std::io::{Cursor, Write};

use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};

use super::{ADDED, CHIYODA, CHIYODA_ADDED, file, normalized, path, refuses, run};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).expect("memory");
    packed.finish().expect("memory")
}

/// A workbook with a sheet of customers, which begins in the second row, and then a sheet of notes.
fn workbook() -> Vec<u8> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("顧客").expect("a name");
    let day = Format::new().set_num_format("yyyy-mm-dd");
    sheet.write(1, 0, "番号").expect("a cell");
    sheet.write(1, 1, "住所").expect("a cell");
    sheet.write(1, 2, "登録日").expect("a cell");
    sheet.write(2, 0, 7).expect("a cell");
    sheet.write(2, 1, CHIYODA).expect("a cell");
    let date = ExcelDateTime::from_ymd(2026, 8, 31).expect("a day");
    sheet.write_datetime_with_format(2, 2, &date, &day).expect("a cell");
    sheet.write(4, 0, 1.5).expect("a cell");
    sheet.write(4, 1, "\"a\",\nb").expect("a cell");
    let notes = workbook.add_worksheet().set_name("覚書").expect("a name");
    notes.write(0, 0, "住所").expect("a cell");
    notes.write(1, 0, CHIYODA).expect("a cell");
    workbook.save_to_buffer().expect("memory")
}

#[test]
fn compressed_files_are_read_with_any_name() {
    let table = format!("id,住所\n1,{CHIYODA}\n");
    let expected = normalized(&["--column", "住所"], &table);
    let tables = [
        ("a.csv.gz", gzip(table.as_bytes())),
        ("a.csv.zst", zstd::encode_all(table.as_bytes(), 1).expect("memory")),
        ("a.csv.xz", liblzma::encode_all(table.as_bytes(), 1).expect("memory")),
        ("a.csv", gzip(table.as_bytes())),
        ("a.xlsx", table.clone().into_bytes()),
    ];
    for (name, bytes) in tables {
        let (_folder, file) = file(name, &bytes);
        assert_eq!(normalized(&[path(&file), "--column", "住所"], ""), expected, "{name}");
        let output = run(&["--column", "住所"], &bytes);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{name}");
    }
    // The ending before .gz says whether the file is a table, and which delimiter it has.
    let (_folder, tsv) = file("a.tsv.gz", &gzip(format!("a,b\n{CHIYODA}\n").as_bytes()));
    let out = normalized(&[path(&tsv)], "");
    assert!(out.starts_with("a,b\tmatch\t"), "{out}");
    // Shift_JIS in a compressed file is detected too.
    let (shift_jis, _, _) = encoding_rs::SHIFT_JIS.encode(&table);
    let output = run(&["--column", "住所", "--output-encoding", "utf-8"], &gzip(&shift_jis));
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn a_sheet_of_a_workbook_is_a_table() {
    let book = workbook();
    let (folder, xlsx) = file("a.xlsx", &book);
    let expected = format!(
        "番号,住所,登録日,{ADDED}\n7,{CHIYODA},2026-08-31,{CHIYODA_ADDED}\n\n\
         1.5,\"\"\"a\"\",\nb\",,none,,,,,,,,,,\n"
    );
    let out = normalized(&[path(&xlsx), "--column", "住所"], "");
    assert_eq!(out, expected);
    assert_eq!(normalized(&[path(&xlsx), "--column", "2"], ""), out);
    let renamed = folder.path().join("a.csv");
    std::fs::copy(&xlsx, &renamed).expect("the test's own folder");
    assert_eq!(normalized(&[path(&renamed), "--column", "住所"], ""), out);
    for piped in [book.clone(), gzip(&book)] {
        let output = run(&["--column", "住所"], &piped);
        assert_eq!(String::from_utf8_lossy(&output.stdout), out);
    }
    let (_folder, packed) = file("a.xlsx.gz", &gzip(&book));
    assert_eq!(normalized(&[path(&packed), "--column", "住所"], ""), out);
    let notes = normalized(&[path(&xlsx), "--sheet", "覚書"], "");
    assert_eq!(notes, format!("住所,{ADDED}\n{CHIYODA},{CHIYODA_ADDED}\n"));
    let rows = normalized(&[path(&xlsx), "--column", "住所", "--json"], "");
    let row: serde_json::Value =
        serde_json::from_str(rows.lines().next().expect("a row")).expect("JSON");
    assert_eq!(row["input"]["登録日"], "2026-08-31");
}

#[test]
fn a_missing_sheet_is_refused() {
    let (_folder, xlsx) = file("a.xlsx", &workbook());
    let message = refuses(&[path(&xlsx), "--sheet", "なし"], b"", 1);
    assert!(message.contains("no sheet 'なし'; the sheets are 顧客, 覚書"), "{message}");
    let message = refuses(&["--sheet", "顧客"], b"a\n", 2);
    assert!(message.contains("found a text") && message.contains("--sheet"), "{message}");
    for option in [["--encoding", "utf-8"], ["--delimiter", ";"]] {
        let message = refuses(&[path(&xlsx), option[0], option[1]], b"", 2);
        assert!(message.contains("leave out"), "{message}");
    }
}

#[test]
fn errors_name_unsupported_kinds_of_files() {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("word/document.xml", options).expect("memory");
    zip.write_all(b"<x/>").expect("memory");
    let document = zip.finish().expect("memory").into_inner();
    let book = workbook();
    let cut = &book[..book.len() / 2];
    for (name, bytes, expected) in [
        ("a.xls", &[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1][..], "save it as .xlsx or CSV"),
        ("a.docx", &document, "a zip that is no .xlsx"),
        ("a.pdf", b"%PDF-1.7\n", "found a PDF; export its table"),
        ("a.parquet", b"PAR1\x15\x04", "found a Parquet file"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "found an image"),
        ("a.csv.bz2", b"BZh91AY&SY", "found bzip2; unpack it"),
        ("half.xlsx", cut, "damaged .xlsx"),
    ] {
        let (_folder, file) = file(name, bytes);
        let message = refuses(&[path(&file), "--column", "1"], b"", 1);
        assert!(message.contains(expected) && message.contains(name), "{name}: {message}");
    }
    let half = gzip(format!("住所\n{}", format!("{CHIYODA}\n").repeat(1_000)).as_bytes());
    let (_folder, file) = file("a.csv.gz", &half[..half.len() / 2]);
    let message = refuses(&[path(&file), "--column", "住所"], b"", 1);
    assert!(message.contains("cannot read") && message.contains("a.csv.gz"), "{message}");
}
