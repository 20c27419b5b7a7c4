//! Runs the recipes of `docs/export.md`: PostgreSQL from Debian's packages, and SQLite in this process.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::cluster::Cluster;
use super::columns::documented;
use super::{DATASETS, daicho, exports, names, text};

/// The code in this language below a heading of the documentation.
fn recipe(heading: &str, language: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/export.md");
    let documentation = fs::read_to_string(path).expect("the documentation");
    let (_, section) = documentation.split_once(&format!("\n### {heading}\n")).expect("a heading");
    let (_, code) = section.split_once(&format!("```{language}\n")).expect("code");
    code.split_once("```").expect("its end").0.to_owned()
}

/// The arguments of the line that begins with `daicho export`.
fn arguments(shell: &str) -> Vec<String> {
    let joined = shell.replace("\\\n", " ");
    let line = joined.lines().find(|line| line.starts_with("daicho export ")).expect("a line");
    line.split_whitespace().skip(1).map(str::to_owned).collect()
}

/// Runs the export of a recipe in a folder.
fn run_in(folder: &Path, shell: &str) {
    let arguments = arguments(shell);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = daicho(&arguments).current_dir(folder).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// psql's `\copy` as `COPY` with the absolute path, because the PostgreSQL server reads the file here.
fn copied(sql: &str, folder: &Path) -> String {
    let (before, copy) = sql.split_once("\\copy ").expect("a copy");
    let copy = copy.replacen("FROM '", &format!("FROM '{}/", text(folder)), 1);
    format!("{before}COPY {copy}")
}

#[needs::postgresql_server]
#[test]
fn postgresql_imports_the_recipe_and_every_column_of_every_dataset() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().expect("a folder");
    // The PostgreSQL server runs as another user and must read the folder.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("set");
    run_in(folder.path(), &recipe("PostgreSQL", "sh"));
    cluster.sql(&copied(&recipe("PostgreSQL", "sql"), folder.path()));
    cluster.sql(
        "DO $$ BEGIN
           ASSERT (SELECT count(*) FROM corporate) = 23;
           ASSERT (SELECT name FROM corporate WHERE corporate_number = '6010001999901') = '株式会社台帳';
           ASSERT (SELECT count(*) FROM corporate WHERE close_date = '2026-01-15') = 1;
         END $$; DROP TABLE corporate",
    );
    for dataset in DATASETS {
        let csv = folder.path().join(format!("{dataset}.csv"));
        exports(&[dataset, "--output", text(&csv)]);
        let defined: Vec<String> = documented(dataset)
            .into_iter()
            .map(|[name, kind, null]| {
                let kind = if kind == "integer" { "bigint" } else { &kind };
                let null = if null == "yes" { "" } else { " NOT NULL" };
                format!("{name} {kind}{null}")
            })
            .collect();
        let rows = super::exported(dataset, "jsonl", &[]).lines().count();
        cluster.sql(&format!(
            "CREATE TABLE {dataset} ({});
             COPY {dataset} FROM '{}' WITH (FORMAT csv, HEADER match);
             DO $$ BEGIN ASSERT (SELECT count(*) FROM {dataset}) = {rows}; END $$",
            defined.join(", "),
            text(&csv)
        ));
    }
    cluster.sql(
        "DO $$ BEGIN
           ASSERT (SELECT count(*) FROM corporate WHERE en_name = '') > 0, 'an empty text is one';
           ASSERT (SELECT count(*) FROM corporate WHERE close_cause IS NULL) > 0, 'a null is one';
           ASSERT (SELECT count(*) FROM bank WHERE bank_code = '0001') > 0, 'codes keep zeros';
         END $$",
    );
}

#[test]
fn sqlite_runs_the_recipe() {
    let folder = tempfile::tempdir().expect("a folder");
    let shell = recipe("SQLite", "sh");
    run_in(folder.path(), &shell);
    let (_, query) = shell.split_once("sqlite3 bank.sqlite \"").expect("a query");
    let (query, _) = query.split_once('"').expect("its end");
    let database = rusqlite::Connection::open(folder.path().join("bank.sqlite")).expect("there");
    let mut statement = database.prepare(query).expect("a statement");
    let names: rusqlite::Result<Vec<String>> =
        statement.query_map([], |row| row.get(0)).expect("rows").collect();
    assert_eq!(names.expect("names")[0], "本店営業部");
}

#[test]
fn the_file_for_excel_begins_with_a_byte_order_mark() {
    let folder = tempfile::tempdir().expect("a folder");
    run_in(folder.path(), &recipe("Excel", "sh"));
    assert_eq!(names(folder.path()), ["bank.csv"]);
    let bytes = fs::read(folder.path().join("bank.csv")).expect("written");
    assert!(bytes.starts_with(b"\xef\xbb\xbfbank_code,"));
}
