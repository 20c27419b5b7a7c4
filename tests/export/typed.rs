//! Exported Parquet and SQLite files are read back: columns have the documented types, and values equal those of the
//! JSON lines.

use std::fs::File;
use std::path::Path;

use daicho::dataset::bank::BankExport;
use daicho::dataset::corporate::CorporateExport;
use daicho::dataset::invoice::InvoiceExport;
use daicho::dataset::postal::PostalExport;
use daicho::dataset::school::SchoolExport;
use daicho::export::{Column, ColumnType, Selection, Source};
use parquet::basic::{Compression, LogicalType, Type as Physical};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::table::{Table, json_lines};
use super::{DATASETS, exported, exports, names, place, text};

fn dataset_columns(dataset: &str) -> Vec<Column> {
    fn of<S: Source>() -> Vec<Column> {
        Selection::<S>::all().columns().to_vec()
    }
    match dataset {
        "postal" => of::<PostalExport>(),
        "bank" => of::<BankExport>(),
        "corporate" => of::<CorporateExport>(),
        "invoice" => of::<InvoiceExport>(),
        "school" => of::<SchoolExport>(),
        other => panic!("no dataset {other}"),
    }
}

/// Parquet's date, in days since 1970-01-01, as `YYYY-MM-DD`.
fn day(days: i32) -> String {
    let first = jiff::civil::Date::constant(1970, 1, 1);
    first.saturating_add(jiff::Span::new().days(days)).to_string()
}

fn read_parquet(path: &Path, columns: &[Column]) -> Table {
    let reader = SerializedFileReader::new(File::open(path).expect("written")).expect("Parquet");
    let schema = reader.metadata().file_metadata().schema_descr();
    assert_eq!(schema.num_columns(), columns.len());
    for (found, column) in schema.columns().iter().zip(columns) {
        let (physical, logical) = match column.kind {
            ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnType::Integer => (Physical::INT64, None),
            ColumnType::Flag => (Physical::BOOLEAN, None),
            ColumnType::Date => (Physical::INT32, Some(LogicalType::Date)),
        };
        assert_eq!(found.name(), column.name);
        assert_eq!(found.physical_type(), physical, "{}", column.name);
        assert_eq!(found.logical_type_ref(), logical.as_ref(), "{}", column.name);
        assert_eq!(found.max_def_level(), i16::from(column.nullable), "{}", column.name);
    }
    for group in reader.metadata().row_groups() {
        assert!(group.columns().iter().all(|it| it.compression() == Compression::SNAPPY));
    }
    let value = |field: &Field| match field {
        Field::Null => Value::Null,
        Field::Str(text) => text.as_str().into(),
        Field::Long(number) => (*number).into(),
        Field::Bool(flag) => (*flag).into(),
        Field::Date(days) => day(*days).into(),
        other => panic!("unexpected type of value: {other:?}"),
    };
    let rows = reader.get_row_iter(None).expect("rows").map(|row| {
        let row = row.expect("a sound row");
        row.get_column_iter().map(|(_, field)| value(field)).collect()
    });
    let rows = rows.collect();
    Table { names: columns.iter().map(|column| column.name.to_string()).collect(), rows }
}

fn open(path: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    Connection::open_with_flags(path, flags).expect("a database")
}

fn read_sqlite(path: &Path, table: &str, columns: &[Column]) -> Table {
    let database = open(path);
    let sound: String =
        database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("an answer");
    assert_eq!(sound, "ok");
    let mut defined = database
        .prepare("SELECT name, type, \"notnull\" FROM pragma_table_info(?)")
        .expect("a statement");
    let defined = defined.query_map([table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let defined: Vec<(String, String, bool)> =
        defined.expect("columns").map(|row| row.expect("a column")).collect();
    let expected = columns.iter().map(|column| {
        let kind = match column.kind {
            ColumnType::Text | ColumnType::Date => "TEXT",
            ColumnType::Integer | ColumnType::Flag => "INTEGER",
        };
        (column.name.to_string(), kind.to_owned(), !column.nullable)
    });
    assert_eq!(defined, expected.collect::<Vec<_>>());
    let mut statement =
        database.prepare(&format!("SELECT * FROM {table} ORDER BY rowid")).expect("a statement");
    let mut rows = statement.query([]).expect("rows");
    let mut found = Vec::new();
    while let Some(row) = rows.next().expect("a row") {
        let value = |(at, column): (usize, &Column)| match row.get_ref(at).expect("a value") {
            ValueRef::Null => Value::Null,
            ValueRef::Text(text) => std::str::from_utf8(text).expect("UTF-8").into(),
            ValueRef::Integer(number) if column.kind == ColumnType::Flag => (number != 0).into(),
            ValueRef::Integer(number) => number.into(),
            other => panic!("unexpected type of value: {other:?}"),
        };
        found.push(columns.iter().enumerate().map(value).collect());
    }
    Table { names: columns.iter().map(|column| column.name.to_string()).collect(), rows: found }
}

#[test]
fn parquet_and_sqlite_have_the_values_of_the_json_lines() {
    for dataset in DATASETS {
        let expected = json_lines(&exported(dataset, "jsonl", &[]));
        let columns = dataset_columns(dataset);
        let (folder, parquet) = place("a.parquet");
        exports(&[dataset, "--output", text(&parquet)]);
        assert_eq!(read_parquet(&parquet, &columns), expected, "{dataset}");
        let sqlite = folder.path().join("a.sqlite");
        exports(&[dataset, "--output", text(&sqlite)]);
        assert_eq!(read_sqlite(&sqlite, dataset, &columns), expected, "{dataset}");
        assert_eq!(names(folder.path()), ["a.parquet", "a.sqlite"], "no unfinished file is left");
    }
}

#[test]
fn a_database_has_an_index_on_the_key_if_all_its_columns_are_exported() {
    let (_folder, out) = place("a.db");
    let index = |options: &[&str]| -> Option<String> {
        exports(&[&["bank", "--output", text(&out)], options].concat());
        let sql = "SELECT sql FROM sqlite_schema WHERE type = 'index'";
        open(&out).query_row(sql, [], |row| row.get(0)).ok()
    };
    let expected = "CREATE INDEX bank_key ON bank (bank_code, branch_code)";
    assert_eq!(index(&[]).as_deref(), Some(expected));
    assert_eq!(index(&["--columns", "branch_code,bank_code"]).as_deref(), Some(expected));
    assert_eq!(index(&["--columns", "bank_code,bank_name"]), None);
    let plan = "EXPLAIN QUERY PLAN SELECT * FROM bank WHERE bank_code = '0001'";
    exports(&["bank", "--output", text(&out)]);
    let plan: String = open(&out).query_row(plan, [], |row| row.get(3)).expect("a plan");
    assert!(plan.contains("USING INDEX bank_key"), "{plan}");
}
