//! The columns of each dataset are those in the tables of `docs/export.md`. A renamed column fails here.

use std::path::Path;

use daicho::dataset::bank::BankExport;
use daicho::dataset::corporate::CorporateExport;
use daicho::dataset::invoice::InvoiceExport;
use daicho::dataset::postal::PostalExport;
use daicho::dataset::school::SchoolExport;
use daicho::export::{ColumnType, Selection, Source};

/// The name, the type and the nullability (`yes` or `no`) of each column, from the tables of the documentation.
pub fn documented(dataset: &str) -> Vec<[String; 3]> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/export.md");
    let text = std::fs::read_to_string(path).expect("the documentation");
    let heading = format!("\n### {dataset}\n");
    let (_, section) = text.split_once(&heading).expect("a section of the dataset");
    let section = section.split("\n#").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let mut cells =
            line.split('|').skip(1).map(|cell| cell.trim().trim_matches('`').to_owned());
        let mut cell = || cells.next().expect("a cell");
        let found = [cell(), cell(), cell()];
        assert!(!cell().is_empty(), "{line}: no description");
        found
    })
    .collect()
}

fn check<S: Source>() {
    let selection = Selection::<S>::all();
    let found: Vec<[String; 3]> = selection
        .columns()
        .iter()
        .map(|column| {
            let kind = match column.kind {
                ColumnType::Text => "text",
                ColumnType::Integer => "integer",
                ColumnType::Flag => "boolean",
                ColumnType::Date => "date",
            };
            let null = if column.nullable { "yes" } else { "no" };
            [column.name.to_string(), kind.to_owned(), null.to_owned()]
        })
        .collect();
    let documented = documented(S::NAME);
    assert_eq!(found, documented, "{}: the columns differ from docs/export.md", S::NAME);
    for key in S::KEY {
        assert!(found.iter().any(|[name, ..]| name == key), "{key}");
    }
    for (at, [name, ..]) in found.iter().enumerate() {
        assert!(found[..at].iter().all(|[other, ..]| other != name), "{name} is there twice");
    }
}

#[test]
fn columns_are_as_documented() {
    check::<PostalExport>();
    check::<BankExport>();
    check::<CorporateExport>();
    check::<InvoiceExport>();
    check::<SchoolExport>();
}
