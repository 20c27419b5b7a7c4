//! `--output NAME.parquet`: the rows as columns of texts, read back as the format's specification says, and by pyarrow
//! where Python has it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{ADDED, CHIYODA, CHIYODA_ADDED, NOTHING_ADDED, file, normalize, path, refuses};

/// A value in Thrift's compact protocol.
#[derive(Debug, Clone)]
enum Thrift {
    Int(i64),
    Text(String),
    List(Vec<Thrift>),
    Struct(BTreeMap<u8, Thrift>),
}

impl Thrift {
    fn field(&self, number: u8) -> &Thrift {
        let Thrift::Struct(fields) = self else { panic!("no structure: {self:?}") };
        fields.get(&number).unwrap_or_else(|| panic!("no field {number}: {self:?}"))
    }

    fn int(&self, number: u8) -> i64 {
        let Thrift::Int(value) = self.field(number) else { panic!("no number: {self:?}") };
        *value
    }

    fn list(&self, number: u8) -> &[Thrift] {
        let Thrift::List(items) = self.field(number) else { panic!("no list: {self:?}") };
        items
    }

    fn text(&self, number: u8) -> &str {
        let Thrift::Text(text) = self.field(number) else { panic!("no text: {self:?}") };
        text
    }
}

/// Bytes and how far they are read.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn take(&mut self, count: usize) -> &[u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn number(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.take(1)[0];
            value |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }

    fn length(&mut self) -> usize {
        u32::from_le_bytes(self.take(4).try_into().expect("four")) as usize
    }

    fn value(&mut self, kind: u8) -> Thrift {
        match kind {
            5 | 6 => {
                let value = self.number();
                Thrift::Int((value >> 1) as i64 ^ -((value & 1) as i64))
            }
            8 => {
                let length = self.number() as usize;
                Thrift::Text(String::from_utf8(self.take(length).to_vec()).expect("UTF-8"))
            }
            9 => {
                let head = self.take(1)[0];
                let length = if head >> 4 == 15 { self.number() } else { u64::from(head >> 4) };
                Thrift::List((0..length).map(|_| self.value(head & 15)).collect())
            }
            12 => self.structure(),
            other => panic!("type {other}"),
        }
    }

    fn structure(&mut self) -> Thrift {
        let (mut fields, mut number) = (BTreeMap::new(), 0);
        loop {
            let head = self.take(1)[0];
            if head == 0 {
                return Thrift::Struct(fields);
            }
            number += head >> 4;
            fields.insert(number, self.value(head & 15));
        }
    }
}

type Rows = Vec<Vec<Option<String>>>;

/// The names of the columns, and of each row group its rows: an empty field is null.
fn read(path: &Path) -> (Vec<String>, Vec<Rows>) {
    let bytes = fs::read(path).expect("written");
    let (body, end) = bytes.split_at(bytes.len() - 8);
    assert_eq!((&bytes[..4], &end[4..]), (&b"PAR1"[..], &b"PAR1"[..]));
    let description = &body[body.len() - Bytes(end).length()..];
    let description = Bytes(description).structure();
    let names: Vec<String> = description.list(2)[1..]
        .iter()
        .map(|column| {
            // An optional byte array that is UTF-8.
            assert_eq!((column.int(1), column.int(3), column.int(6)), (6, 1, 0));
            column.text(4).to_owned()
        })
        .collect();
    let groups = description.list(4).iter().map(|group| {
        let mut rows: Rows = vec![Vec::new(); group.int(3) as usize];
        assert_eq!(group.list(1).len(), names.len());
        for chunk in group.list(1) {
            let column = chunk.field(3);
            let from = column.int(9) as usize;
            let mut pages = Bytes(&bytes[from..from + column.int(7) as usize]);
            let mut row = 0;
            while !pages.0.is_empty() {
                let head = pages.structure();
                let plain = head.int(2) as usize;
                let packed = pages.take(head.int(3) as usize);
                let page = zstd::bulk::decompress(packed, plain).expect("sound");
                let count = head.field(5).int(1) as usize;
                for value in values(&page, count) {
                    rows[row].push(value);
                    row += 1;
                }
            }
            assert_eq!((row as i64, row), (column.int(5), rows.len()));
        }
        rows
    });
    let groups: Vec<Rows> = groups.collect();
    assert_eq!(description.int(3) as usize, groups.iter().map(Vec::len).sum::<usize>());
    (names, groups)
}

/// The values of a page, whose levels are one run of bits.
fn values(page: &[u8], count: usize) -> Vec<Option<String>> {
    let mut page = Bytes(page);
    let length = page.length();
    let mut levels = Bytes(page.take(length)).0.to_vec();
    let mut run = Bytes(&levels);
    assert_eq!(run.number() & 1, 1, "a run of bits");
    levels = run.0.to_vec();
    let values = (0..count).map(|row| {
        let is_there = levels[row / 8] >> (row % 8) & 1 == 1;
        is_there.then(|| {
            let length = page.length();
            String::from_utf8(page.take(length).to_vec()).expect("UTF-8")
        })
    });
    let values = values.collect();
    assert!(page.0.is_empty(), "nothing is left of a page");
    values
}

fn fields(text: &str) -> Vec<Option<String>> {
    text.split(',').map(|field| Some(field.to_owned()).filter(|field| !field.is_empty())).collect()
}

#[test]
fn rows_become_columns_of_texts() {
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
    assert_eq!(groups, [vec![full, odd, short]]);
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 2, "nothing is left over: {left:?}");
}

#[test]
fn columns_without_a_header_have_numbers() {
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
    // A column without a name has its number; a header alone gives columns without rows.
    normalize(&["-c", "住所", "--output", path(&out)], "a,,住所\n".as_bytes());
    let (names, groups) = read(&out);
    assert_eq!((names[1].as_str(), groups.len()), ("2", 0));
}

#[test]
fn many_rows_are_several_pages() {
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

/// Prints the file as JSON: the types of its columns, and its rows.
const PYTHON: &str = "import json, sys, pyarrow.parquet as p\n\
                      t = p.read_table(sys.argv[1])\n\
                      print(json.dumps([[str(f.type) for f in t.schema], t.column_names, t.to_pylist()]))";

#[test]
fn pyarrow_reads_what_was_written() {
    let there = Command::new("python3").args(["-c", "import pyarrow.parquet"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: no pyarrow here; pip install pyarrow");
        return;
    }
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
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(told[0].as_array().expect("types").iter().all(|kind| kind == "string"), "{}", told[0]);
    let names = &read_by_us.0;
    assert_eq!(told[1], serde_json::json!(names));
    let rows: Vec<_> = read_by_us.1.into_iter().flatten().collect();
    assert_eq!(told[2].as_array().expect("rows").len(), rows.len());
    for (ours, theirs) in rows.iter().zip(told[2].as_array().expect("rows")) {
        for (name, value) in names.iter().zip(ours) {
            assert_eq!(theirs[name].as_str(), value.as_deref(), "{name}");
        }
    }
}

#[test]
fn tables_that_are_no_columns_are_refused_and_the_file_stays() {
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
    check(&["--output-encoding", "shift_jis"], "x\n", 2, "--output: a .parquet has rows");
}
