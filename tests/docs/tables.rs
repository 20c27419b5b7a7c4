//! The tables of members in `docs/api.md` and of columns in `docs/export.md`, in both languages, are those of the declared
//! members.
//!
//! `DAICHO_BLESS=1` rewrites them.

use std::fmt::Write as _;
use std::path::Path;

use daicho::api::shape::{Member, Object, Shape};
use daicho::api::words::{Words, words};
use daicho::dataset::bank::members::BANK_ROW;
use daicho::dataset::corporate::members::CORPORATION;
use daicho::dataset::invoice::members::ISSUER;
use daicho::dataset::member::{MemberColumn, documented_columns};
use daicho::dataset::postal::members::POSTAL_RECORD;
use daicho::dataset::postal::reverse::NEAR_TOWN;
use daicho::dataset::school::members::SCHOOL;
use daicho::export::ColumnType;
use daicho::text::codes::ApiVersion;

/// The records by the headings of `docs/export.md`.
const EXPORTED: [(&str, Shape); 5] = [
    ("### postal", POSTAL_RECORD),
    ("### bank", BANK_ROW),
    ("### corporate", CORPORATION),
    ("### invoice", ISSUER),
    ("### school", SCHOOL),
];

/// The records by the headings of `docs/api.md`.
const ANSWERED: [(Words, Shape); 5] = [
    (words("### The postal record", "### 郵便番号のレコード"), POSTAL_RECORD),
    (words("### `GET /v1/reverse`", "### `GET /v1/reverse`"), NEAR_TOWN),
    (words("### The corporate record", "### 法人のレコード"), CORPORATION),
    (words("### The issuer", "### 事業者のレコード"), ISSUER),
    (words("## Schools", "## 学校"), SCHOOL),
];

/// How the tables of one language are written.
struct Language {
    exports: &'static str,
    /// Of a table of columns.
    heading: &'static str,
    reference: &'static str,
    /// Of a table of members.
    member_heading: &'static str,
    /// Between the names of members.
    comma: &'static str,
    since: fn(ApiVersion) -> String,
    until: fn(ApiVersion) -> String,
    /// Text, number, truth value, date.
    types: [&'static str; 4],
    /// Never null, or sometimes.
    null: [&'static str; 2],
    of: &'static str,
    text: fn(Words) -> &'static str,
}

const ENGLISH: Language = Language {
    exports: "docs/export.md",
    heading: "| Column | Type | Null | Meaning |\n|---|---|---|---|\n",
    reference: "docs/api.md",
    member_heading: "| Member | What |\n|---|---|\n",
    comma: ", ",
    since: |version| format!(" (from API version {version})"),
    until: |version| format!(" (before API version {version})"),
    types: ["text", "integer", "boolean", "date"],
    null: ["no", "yes"],
    of: ": ",
    text: |words| words.en,
};

const JAPANESE: Language = Language {
    exports: "docs/export.ja.md",
    heading: "| 列 | 型 | null | 意味 |\n|---|---|---|---|\n",
    reference: "docs/api.ja.md",
    member_heading: "| フィールド | 内容 |\n|---|---|\n",
    comma: "、",
    since: |version| format!("（APIバージョン{version}から）"),
    until: |version| format!("（APIバージョン{version}より前）"),
    types: ["文字列", "整数", "真偽値", "日付"],
    null: ["なし", "あり"],
    of: "：",
    text: |words| words.ja,
};

#[test]
fn tables_of_columns_are_those_of_the_declared_members() {
    for language in [ENGLISH, JAPANESE] {
        let tables = EXPORTED.map(|(heading, record)| {
            let columns: Vec<MemberColumn> =
                documented_columns(&record).into_iter().flatten().collect();
            (heading, column_table(&columns, &language))
        });
        check(language.exports, language.heading, &tables);
    }
}

#[test]
fn tables_of_members_are_those_of_the_declared_members() {
    for language in [ENGLISH, JAPANESE] {
        let tables = ANSWERED.map(|(section, record)| {
            let object = record.object().expect("a record is an object");
            ((language.text)(section), member_table(object, &language))
        });
        check(language.reference, language.member_heading, &tables);
    }
}

/// The rows of a table of columns.
fn column_table(columns: &[MemberColumn], language: &Language) -> String {
    let mut table = String::new();
    let mut last = None;
    for MemberColumn { column, meaning, of } in columns {
        let kind = match column.kind {
            ColumnType::Text => language.types[0],
            ColumnType::Integer => language.types[1],
            ColumnType::Flag => language.types[2],
            ColumnType::Date => language.types[3],
        };
        let null = language.null[usize::from(column.nullable)];
        let mut what = (language.text)(*meaning).to_owned();
        // The first column of an object says what the object is.
        if let Some(of) = of.filter(|of| last != Some(*of)) {
            what = [(language.text)(of), language.of, &what].concat();
        }
        last = *of;
        writeln!(table, "| `{}` | {kind} | {null} | {what} |", column.name)
            .expect("a string takes it");
    }
    table
}

/// The rows of a table of members.
fn member_table(object: &Object, language: &Language) -> String {
    let mut table = String::new();
    for member in object.members {
        let Member { name, meaning, since, until, .. } = member;
        let mut what = (language.text)(*meaning).to_owned();
        if let Some(inner) = member.shape.object() {
            let names: Vec<String> =
                inner.members.iter().map(|inner| format!("`{}`", inner.name)).collect();
            what.push_str(language.of);
            what.push_str(&names.join(language.comma));
        }
        if *since > ApiVersion::V2022_09_01 {
            what.push_str(&(language.since)(*since));
        }
        if let Some(until) = until {
            what.push_str(&(language.until)(*until));
        }
        writeln!(table, "| `{name}` | {what} |").expect("a string takes it");
    }
    table
}

/// Compares the first table with this heading in each of these sections, or rewrites it.
#[track_caller]
fn check(file: &str, heading: &str, tables: &[(&str, String)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let kept = std::fs::read_to_string(&path).expect("the documentation");
    let mut made = kept.clone();
    for (section, table) in tables {
        let section = format!("\n{section}\n");
        let start = made.find(&section).unwrap_or_else(|| panic!("{file}: no section {section}"));
        let rows = start + made[start..].find(heading).expect("a table") + heading.len();
        let length = made[rows..].find("\n\n").expect("text after the table") + 1;
        made.replace_range(rows..rows + length, table);
    }
    if std::env::var_os("DAICHO_BLESS").is_some() {
        std::fs::write(&path, &made).expect("written");
        return;
    }
    let first = kept.lines().zip(made.lines()).find(|(kept, made)| kept != made);
    assert!(
        kept == made,
        "{file} differs from the declared members, first at {first:?}; rewrite the tables with DAICHO_BLESS=1"
    );
}
