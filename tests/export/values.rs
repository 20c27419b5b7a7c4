//! Every exported record of the sample has the values that `daicho lookup` returns, and CSV has those of the JSON
//! lines.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::table::{Table, csv, json_lines};
use super::{DATASETS, daicho, exported};

/// Members of corporations that are always empty and have no column.
const EMPTY: [&str; 3] = ["address_prefecture_kana", "address_city_kana", "address_city_roman"];

#[rustfmt::skip] // Several names on each line.
const ADDRESS: [&str; 14] = [
    "postal_code", "jisx0402", "prefecture", "prefecture_kana", "prefecture_roman", "city", "city_kana",
    "city_roman", "street_number", "town", "kyoto_street", "block_lot_num", "building", "floor_room",
];

type Record = BTreeMap<String, Value>;

/// The `data` of a look-up's JSON.
fn look_up(arguments: &[&str]) -> Value {
    let output = daicho(&[&["lookup"], arguments, &["--json"]].concat()).output().expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let mut answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    answer["data"].take()
}

/// Flattens an object: a nested member gets the names of its parents as a prefix, and a list becomes one text.
fn flat(object: &Map<String, Value>, prefix: &str, out: &mut Record) {
    for (name, value) in object {
        let name = format!("{prefix}{name}");
        match value {
            Value::Object(inner) => flat(inner, &format!("{name}_"), out),
            Value::Array(values) if values.is_empty() => _ = out.insert(name, Value::Null),
            Value::Array(values) => {
                let texts: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
                out.insert(name, texts.join(" ").into());
            }
            value => _ = out.insert(name, value.clone()),
        }
    }
}

fn record(value: &Value) -> Record {
    let mut out = Record::new();
    flat(value.as_object().expect("an object"), "", &mut out);
    out
}

/// Sets all members of an address to null if all of them are null or empty.
fn without_unused(mut record: Record, prefix: &str) -> Record {
    let has_something = |name: &&str| {
        let value = &record[&format!("{prefix}{name}")];
        !value.is_null() && value.as_str() != Some("")
    };
    if !ADDRESS.iter().any(has_something) {
        record.extend(ADDRESS.map(|name| (format!("{prefix}{name}"), Value::Null)));
    }
    record
}

fn rows(dataset: &str) -> Vec<Record> {
    let Table { names, rows } = json_lines(&exported(dataset, "jsonl", &[]));
    let rows = rows.into_iter().map(|row| names.iter().cloned().zip(row).collect());
    rows.collect()
}

fn text<'r>(row: &'r Record, name: &str) -> &'r str {
    row[name].as_str().expect("a text")
}

/// Compares the rows of each key with the records that `ask` returns for it.
fn check(dataset: &str, key: impl Fn(&Record) -> String, ask: impl Fn(&Record) -> Vec<Record>) {
    let rows = rows(dataset);
    assert!(rows.len() > 5, "{dataset} has {} rows", rows.len());
    let mut exported: HashMap<String, Vec<&Record>> = HashMap::new();
    for row in &rows {
        exported.entry(key(row)).or_default().push(row);
    }
    for (key, found) in exported {
        let expected = ask(found[0]);
        assert_eq!(found.len(), expected.len(), "{dataset} {key}");
        for expected in expected {
            assert!(
                found.contains(&&expected),
                "{dataset} {key}: expected\n{expected:?}\nfound\n{found:?}"
            );
        }
    }
}

#[test]
fn postal_records_are_those_of_the_look_up() {
    let nothing = ["name", "name_kana", "block_lot", "block_lot_num", "post_office", "code_type"];
    check(
        "postal",
        |row| text(row, "postal_code").to_owned(),
        |row| {
            let found = look_up(&["postal", text(row, "postal_code")]);
            let records = found.as_array().expect("records").iter().map(|value| {
                let mut record = record(value);
                if record.remove("corporation").is_some() {
                    let null = |name| (format!("corporation_{name}"), Value::Null);
                    record.extend(nothing.map(null));
                }
                record
            });
            records.collect()
        },
    );
}

#[test]
fn banks_and_branches_are_those_of_the_look_up() {
    check(
        "bank",
        |row| format!("{}-{}", row["bank_code"], row["branch_code"]),
        |row| {
            let bank = text(row, "bank_code");
            let Some(branch) = row["branch_code"].as_str() else {
                let mut expected = Record::new();
                let found = look_up(&["bank", bank]);
                flat(found.as_object().expect("a bank"), "bank_", &mut expected);
                for name in ["code", "name", "katakana", "hiragana", "romaji"] {
                    expected.insert(format!("branch_{name}"), Value::Null);
                }
                return vec![expected];
            };
            let found = look_up(&["bank", bank, branch]);
            let branches = found["branch"].as_array().expect("branches").iter().map(|branch| {
                let mut found = found.clone();
                found["branch"] = branch.clone();
                record(&found)
            });
            branches.collect()
        },
    );
}

#[test]
fn corporations_are_those_of_the_look_up() {
    check(
        "corporate",
        |row| text(row, "corporate_number").to_owned(),
        |row| {
            let mut found = record(&look_up(&["corporate", text(row, "corporate_number")]));
            for name in EMPTY {
                assert_eq!(found.remove(name), Some("".into()), "{name} is always empty");
            }
            vec![found]
        },
    );
}

#[test]
fn issuers_are_those_of_the_look_up() {
    let number = "qualified_invoice_issuer_number";
    check(
        "invoice",
        |row| text(row, number).to_owned(),
        |row| {
            let mut found = record(&look_up(&["invoice", text(row, number)]));
            // The source has neither for a superseded entry; client libraries need them in answers.
            if found["latest"] == 0 {
                found.extend(["kind", "country"].map(|name| (name.to_owned(), Value::Null)));
            }
            let prefixes = ["address_", "address_request_", "address_inside_"];
            vec![prefixes.into_iter().fold(found, without_unused)]
        },
    );
}

#[test]
fn schools_are_those_of_the_look_up() {
    check(
        "school",
        |row| text(row, "code").to_owned(),
        |row| {
            let mut found = look_up(&["school", text(row, "code")]);
            let members = found.as_object_mut().expect("a school");
            let addresses = members.remove("addresses").expect("a list");
            let mut found = record(&found);
            match addresses.as_array().expect("a list").as_slice() {
                [] => found.extend(ADDRESS.map(|name| (format!("address_{name}"), Value::Null))),
                [address] => flat(address.as_object().expect("one"), "address_", &mut found),
                several => panic!("a school has one address at most: {several:?}"),
            }
            // Where nothing is known, the look-up has "" and the export null.
            let is_optional = |name: &str| {
                name.starts_with("address_") && name != "address_raw"
                    || name == "school_survey_number"
            };
            for (_, value) in found.iter_mut().filter(|(name, _)| is_optional(name)) {
                if value.as_str() == Some("") {
                    *value = Value::Null;
                }
            }
            vec![found]
        },
    );
}

#[test]
fn a_csv_has_the_values_of_the_json_lines() {
    for dataset in DATASETS {
        let expected = json_lines(&exported(dataset, "jsonl", &[]));
        let mut found = csv(&exported(dataset, "csv", &[])).into_iter();
        let names: Vec<String> = found.next().expect("names").into_iter().map(|it| it.1).collect();
        assert_eq!(names, expected.names, "{dataset}");
        assert_eq!(found.len(), expected.rows.len(), "{dataset}");
        for (found, expected) in found.zip(expected.rows) {
            for ((quoted, found), expected) in found.into_iter().zip(expected) {
                let expected = match expected {
                    Value::Null => (false, String::new()),
                    Value::String(text) if text.is_empty() => (true, text),
                    Value::String(text) => (text.contains([',', '"', '\n', '\r']), text),
                    other => (false, other.to_string()),
                };
                assert_eq!((quoted, found), expected, "{dataset}");
            }
        }
    }
}

#[test]
fn without_a_register_no_number_of_an_issuer_is_exported() {
    let columns = "corporate_number,qualified_invoice_issuer_number";
    let options = ["--columns", columns, "--snapshots", super::text(super::month())];
    let rows = super::exported("corporate", "jsonl", &options);
    let numbers: Vec<Value> = rows
        .lines()
        .map(|row| serde_json::from_str::<Value>(row).expect("JSON"))
        .map(|row| row["qualified_invoice_issuer_number"].clone())
        .collect();
    assert!(numbers.len() > 10_000 && numbers.iter().all(Value::is_null));
}
