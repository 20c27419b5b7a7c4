//! Suggestions of banks and corporations. The tables have texts that people type and the record that must be among the
//! first three.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use daicho::dataset::bank::BankData;
use daicho::dataset::bank::names::{EntryKind, TypedName};
use daicho::dataset::bank::suggest::{suggest_banks, suggest_branches};
use daicho::dataset::corporate::suggest::{SuggestedCorporation, suggest_corporations};
use daicho::snapshot::Dataset;
use daicho::text::codes::BankCode;

use crate::build;
use crate::real_names::corporations;
use crate::shared_data::official;

/// The expected record must be among this many.
const FIRST: usize = 3;

/// The rows of a table, split into columns.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split('\t').collect())
}

fn typed(text: &str, kind: EntryKind) -> TypedName {
    TypedName::parse(text, kind).expect("a text of the table can be compared")
}

/// The official bank directory of May 2026.
fn directory() -> &'static BankData {
    static DATA: OnceLock<BankData> = OnceLock::new();
    DATA.get_or_init(|| {
        let source = official("bank/2026-05-25/zengin-code-2026-05-25.tar.zst");
        let folder = tempfile::tempdir().expect("a folder");
        let source = source.to_str().expect("a path in UTF-8");
        build(&["build", "bank", "--source", source, "--version", "2026-05-25"], folder.path());
        let path = folder.path().join("bank/2026-05-25.daicho");
        let file = BankData::open_in_catalog(&path).expect("a snapshot");
        let data = BankData::from_file(file);
        // The open file stays readable after its folder is removed.
        data.prepare().expect("sound");
        data
    })
}

#[needs::official_data]
#[test]
fn banks_and_branches_that_people_mean_are_in_the_first_three() {
    let data = directory();
    let mut missing = Vec::new();
    for row in rows(include_str!("suggest_bank.tsv")) {
        let [text, bank, branch, why] = row[..] else { panic!("four columns: {row:?}") };
        let code = BankCode::parse(bank).expect("a code");
        let found = match branch {
            "" => suggest_banks(data, &typed(text, EntryKind::Banks), FIRST).expect("sound"),
            _ => {
                let bank = data.bank(code).expect("sound").expect("an institution of the table");
                suggest_branches(bank, &typed(text, EntryKind::Branches), FIRST)
            }
        };
        let wanted: u16 = if branch.is_empty() { bank } else { branch }.parse().expect("digits");
        if !found.iter().any(|it| it.entry.code() == wanted) {
            let found: Vec<&str> = found.iter().map(|it| &*it.text).collect();
            missing.push(format!("{text}: {bank} {branch} ({why}); found {found:?}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[needs::official_data]
#[test]
fn corporations_that_people_mean_are_in_the_first_three() {
    let data = corporations();
    let mut missing = Vec::new();
    for row in rows(include_str!("suggest_corporation.tsv")) {
        let [text, name, why] = row[..] else { panic!("three columns: {row:?}") };
        let found = suggest_corporations(&data, text, FIRST).expect("sound");
        if !found.iter().any(|it| it.view.name().to_string() == name) {
            let found: Vec<String> = found.iter().map(|it| it.view.name().to_string()).collect();
            missing.push(format!("{text}: {name} ({why}); found {found:?}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[needs::official_data]
#[test]
fn each_corporation_is_suggested_once_and_closed_ones_are_last() {
    let data = corporations();
    for text in ["鳥", "鳥取", "とっとり", "tot", "株式会社鳥取", "みず", "あ", "サ", "日本"]
    {
        let found = suggest_corporations(&data, text, 20).expect("sound");
        assert_eq!(found.len(), 20, "{text}");
        assert!(found.is_sorted_by_key(|it| it.view.is_closed()), "{text}");
        let numbers: BTreeSet<_> = found.iter().map(|it| it.view.number()).collect();
        assert_eq!(numbers.len(), 20, "{text}: a corporation is suggested twice");
        let first = suggest_corporations(&data, text, 5).expect("sound");
        let numbers = |it: &[SuggestedCorporation<'_>]| -> Vec<_> {
            it.iter().take(5).map(|it| it.view.number()).collect()
        };
        assert_eq!(numbers(&first), numbers(&found), "{text}: the first five of twenty");
    }
}
