//! A small bank snapshot with flipped bits, truncated, and with contradictory tables: it is refused, without a panic
//! or a wrong answer.

use std::path::Path;

use build_tools::bank::{BankRow, BranchRow, Names};

use super::BankData;
use super::names::EntryKind;
use super::record::{BankProvenance, BankTables, EntryView, branch_key, tag};
use super::search::{NameMatch, NameQuery};
use crate::dataset::damage_tests::DamageTest;
use crate::index::code_index::CodeIndex;
use crate::record::StringPool;
use crate::snapshot::{Dataset, SnapshotWriter};
use crate::text::codes::{BankCode, BranchCode, DataVersion};

fn names(name: &str, katakana: &str) -> Names {
    Names {
        name: name.to_owned(),
        katakana: katakana.to_owned(),
        hiragana: Some(String::new()),
        romaji: Some("\"x\"".to_owned()),
    }
}

fn snapshot() -> SnapshotWriter {
    let bank = |code, name| BankRow { line: 0, code, names: names(name, "ア") };
    let banks = [bank(1, "台帳"), bank(2, "空"), bank(9_999, "見本")];
    let branch = |bank, code, name| BranchRow { line: 0, bank, code, names: names(name, "－イ") };
    let branches =
        [branch(1, 0, "本店"), branch(1, 10, "一"), branch(1, 10, "二"), branch(9_999, 999, "終")];
    let mut pool = StringPool::default();
    let tables = BankTables::build(&banks, &branches, &mut pool);
    let bank_codes: Vec<u32> = banks.iter().map(|row| row.code.into()).collect();
    let branch_codes: Vec<u32> =
        branches.iter().map(|row| branch_key(row.bank, row.code)).collect();
    let version = DataVersion::parse("2026-05-25").expect("a date");
    let mut writer = SnapshotWriter::new(BankData::KIND, version);
    writer.archive(tag::PROVENANCE, &BankProvenance::default()).expect("small");
    writer.archive(tag::TABLES, &tables).expect("small");
    writer.archive(tag::BANK_CODES, &CodeIndex::build(&bank_codes)).expect("small");
    writer.archive(tag::BRANCH_CODES, &CodeIndex::build(&branch_codes)).expect("small");
    writer.archive(tag::STRINGS, &pool.into_table()).expect("small");
    writer
}

/// All answers of a snapshot, or the message of the first refusal.
fn answers(path: &Path) -> Result<String, String> {
    let file = BankData::open_in_catalog(path).map_err(|e| e.to_string())?;
    let data = BankData::from_file(file);
    let refused = |error: std::sync::Arc<_>| format!("{error}");
    let as_text = |entry: EntryView<'_>| {
        let texts = [entry.name(), entry.katakana(), entry.hiragana(), entry.romaji()];
        format!("{} {:?};", entry.code(), texts.map(|text| text.text))
    };
    let mut out = data.version().to_string();
    let wanted = NameQuery::new("い", NameMatch::Prefix, EntryKind::Branches);
    for bank in data.banks().map_err(refused)? {
        out.push_str(&as_text(bank.entry()));
        out.extend(
            bank.branches().filter(|branch| wanted.class_of(*branch).is_some()).map(as_text),
        );
    }
    for (bank, branch) in [("0001", "000"), ("0001", "010"), ("0002", "010"), ("9999", "999")] {
        let bank = BankCode::parse(bank).expect("four digits");
        let branch = BranchCode::parse(branch).expect("three digits");
        out.extend(data.bank(bank).map_err(refused)?.map(|bank| as_text(bank.entry())));
        out.extend(data.branch(bank, branch).map_err(refused)?.map(as_text));
    }
    data.provenance().map_err(|error| error.to_string())?;
    Ok(out)
}

#[test]
fn flipped_bits_and_truncations_are_refused() {
    let (test, sound) = (DamageTest::new("2026-05-25", answers), snapshot().to_bytes());
    // Every byte of the header and table, and every 13th of the rest, which is mostly empty pages.
    let offsets = (0..sound.len()).filter(|offset| *offset < 512 || offset % 13 == 0);
    let expected = test.flip_bits(&sound, offsets, |_offset| false);
    let branches = "10 [\"一\", \"－イ\", \"\", \"\\\"x\\\"\"];10 [\"二\"";
    assert!(expected.contains(branches), "{expected}");
    test.truncate(&sound, 17);
}

#[test]
fn contradictory_tables_are_refused() {
    let test = DamageTest::new("2026-05-25", answers);
    let bank = BankRow { line: 0, code: 1, names: names("台帳", "ア") };
    let branch = BranchRow { line: 0, bank: 1, code: 1, names: names("本店", "イ") };
    let write = |bank_codes: &[u32], branch_codes: &[u32], strings: bool| {
        let mut pool = StringPool::default();
        let tables = BankTables::build(
            std::slice::from_ref(&bank),
            std::slice::from_ref(&branch),
            &mut pool,
        );
        let version = DataVersion::parse("2026-05-25").expect("a date");
        let mut writer = SnapshotWriter::new(BankData::KIND, version);
        let pool = if strings { pool } else { StringPool::default() };
        writer.archive(tag::PROVENANCE, &BankProvenance::default()).expect("small");
        writer.archive(tag::TABLES, &tables).expect("small");
        writer.archive(tag::BANK_CODES, &CodeIndex::build(bank_codes)).expect("small");
        writer.archive(tag::BRANCH_CODES, &CodeIndex::build(branch_codes)).expect("small");
        writer.archive(tag::STRINGS, &pool.into_table()).expect("small");
        test.answers_of(&writer.to_bytes()).map(|_| ())
    };
    assert_eq!(write(&[1], &[1_001], true), Ok(()));
    for (message, section) in [
        (write(&[1, 2], &[1_001], true), "section banks"),
        (write(&[1], &[1_001, 1_002], true), "section branches"),
        (write(&[1], &[1_001], false), "section tables"),
    ] {
        let message = message.expect_err("refused");
        assert!(message.contains(section), "{message}");
    }
}
