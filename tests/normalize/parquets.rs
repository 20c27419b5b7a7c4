//! `--output NAME.parquet`: every column is a text. The files are read back by the crate's reader, and by pyarrow if
//! it is installed.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use parquet::basic::LogicalType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use super::{ADDED, CHIYODA, CHIYODA_ADDED, NOTHING_ADDED, file, normalize, path, refuses};

pub type Rows = Vec<Vec<Option<String>>>;

/// The names of the columns, and the rows of each row group. An empty field is `None`.
pub fn read(path: &Path) -> (Vec<String>, Vec<Rows>) {
    let reader = SerializedFileReader::new(File::open(path).expect("written")).expect("Parquet");
    let schema = reader.metadata().file_metadata().schema_descr();
    let names = schema.columns().iter().map(|column| {
        assert_eq!(column.logical_type_ref(), Some(&LogicalType::String));
        assert_eq!(column.max_def_level(), 1, "the column may be null");
        column.name().to_owned()
    });
    let groups = (0..reader.num_row_groups()).map(|number| {
        let group = reader.get_row_group(number).expect("a row group");
        let rows = group.get_row_iter(None).expect("rows").map(|row| {
            let row = row.expect("a sound row");
            let value = |(_, field): (&String, &Field)| match field {
                Field::Str(text) => Some(text.clone()),
                Field::Null => None,
                other => panic!("expected a text: {other:?}"),
            };
            row.get_column_iter().map(value).collect()
        });
        rows.collect()
    });
    (names.collect(), groups.collect())
}

fn fields(text: &str) -> Vec<Option<String>> {
    text.split(',').map(|field| Some(field.to_owned()).filter(|field| !field.is_empty())).collect()
}

#[test]
fn rows_are_written_as_text_columns() {
    let table = format!("郵便番号,住所\n0600042,{CHIYODA}\n,\"x \"\"y\"\",\nz\"\n\n1\n");
    let (folder, csv) = file("a.csv", table.as_bytes());
    let out = folder.path().join("b.PARQUET");
    let (stdout, summary) =
        normalize(&[path(&csv), "--column", "住所", "--output", path(&out)], b"");
    assert_eq!(stdout, b"");
    assert!(summary.contains("3 rows"), "{summary}");
    let (names, groups) = read(&out);
    let expected: Vec<String> =
        format!("郵便番号,住所,{ADDED}").split(',').map(str::to_owned).collect();
    assert_eq!(names, expected);
    let odd = [vec![None, Some("x \"y\",\nz".to_owned())], fields(NOTHING_ADDED)].concat();
    let short = [vec![Some("1".to_owned()), None], fields("blank,,,,,,,,,,")].concat();
    let full = fields(&format!("0600042,{CHIYODA},{CHIYODA_ADDED}"));
    // An empty line is a row, so that the numbers of the rows stay.
    let blank = [vec![None, None], fields("blank,,,,,,,,,,")].concat();
    assert_eq!(groups, [vec![full, odd, blank, short]]);
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 2, "no unfinished file is left: {left:?}");
}

#[test]
fn columns_without_a_header_are_numbered() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.parquet");
    let (shift_jis, _, _) = encoding_rs::SHIFT_JIS.encode(CHIYODA);
    normalize(&["--no-header", "--output", path(&out)], &shift_jis);
    let (names, groups) = read(&out);
    assert_eq!((names[0].as_str(), names.len()), ("address", 12));
    assert_eq!(groups[0][0][0].as_deref(), Some(CHIYODA));
    let rows = format!("7;{CHIYODA}\n");
    let arguments = ["-c", "2", "--delimiter", ";", "--prefix", "p_", "--output", path(&out)];
    normalize(&arguments, rows.as_bytes());
    let (names, groups) = read(&out);
    assert_eq!(names[..3], ["1", "2", "p_match"]);
    assert_eq!(groups[0].len(), 1);
    // A column with an empty name gets its number as the name. A file with only a header has columns but no rows.
    normalize(&["-c", "住所", "--output", path(&out)], "a,,住所\n".as_bytes());
    let (names, groups) = read(&out);
    assert_eq!((names[1].as_str(), groups.len()), ("2", 0));
}

#[test]
fn many_rows_keep_their_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.parquet");
    let count = 17_000;
    let rows: String = (0..count).map(|number| format!("{number}\n")).collect();
    normalize(&["--no-header", "--quiet", "--output", path(&out)], rows.as_bytes());
    let (_, groups) = read(&out);
    let rows: Vec<_> = groups.into_iter().flatten().collect();
    assert_eq!(rows.len(), count);
    for number in [0, 16_383, 16_384, count - 1] {
        assert_eq!(rows[number][0].as_deref(), Some(&*number.to_string()));
    }
}

/// Prints the file as JSON: the types and names of its columns, and its rows.
const PYTHON: &str = "import json, sys, pyarrow.parquet as p\n\
                      t = p.read_table(sys.argv[1])\n\
                      print(json.dumps([[str(f.type) for f in t.schema], t.column_names, t.to_pylist()]))";

#[needs::pyarrow]
#[test]
fn pyarrow_reads_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.parquet");
    let rows: String = (0..20_000)
        .map(|number| match number % 3 {
            0 => format!("{number},{CHIYODA}\n"),
            1 => format!(",どこか{number}\n"),
            _ => format!("{number},\n"),
        })
        .collect();
    let arguments = ["-c", "住所", "--add", "jisx0402,point", "--output", path(&out)];
    normalize(&arguments, format!("番号,住所\n{rows}").as_bytes());
    let read_by_us = read(&out);
    let output = Command::new("python3").args(["-c", PYTHON]).arg(&out).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let by_pyarrow: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(
        by_pyarrow[0].as_array().expect("types").iter().all(|kind| kind == "string"),
        "{}",
        by_pyarrow[0]
    );
    let names = &read_by_us.0;
    assert_eq!(by_pyarrow[1], serde_json::json!(names));
    let rows: Vec<_> = read_by_us.1.into_iter().flatten().collect();
    assert_eq!(by_pyarrow[2].as_array().expect("rows").len(), rows.len());
    for (ours, theirs) in rows.iter().zip(by_pyarrow[2].as_array().expect("rows")) {
        for (name, value) in names.iter().zip(ours) {
            assert_eq!(theirs[name].as_str(), value.as_deref(), "{name}");
        }
    }
}

#[test]
fn tables_that_parquet_cannot_hold_are_refused_and_the_file_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.parquet");
    fs::write(&out, "before").expect("the test's own folder");
    let check = |options: &[&str], table: &str, code: i32, expected: &str| {
        let arguments = [&["--output", path(&out)], options].concat();
        let message = refuses(&arguments, table.as_bytes(), code);
        assert!(message.contains(expected), "{expected}: {message}");
        assert_eq!(fs::read_to_string(&out).expect("still there"), "before");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    };
    let twice = format!("a,b,a\n1,{CHIYODA},2\n");
    check(&["-c", "b"], &twice, 1, "found 'a' twice");
    let long = format!("a,b\n1,{CHIYODA}\n2,{CHIYODA},3\n");
    check(&["-c", "b"], &long, 1, "row 2 has 14 fields, expected at most 13");
    check(&["--json"], "x\n", 2, "leave out --json");
    check(&["--output-encoding", "shift_jis"], "x\n", 2, "--output: a .parquet has neither");
}
