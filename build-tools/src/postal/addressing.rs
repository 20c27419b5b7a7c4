//! The town master of the address base registry (アドレス・ベース・レジストリ 町字マスター).
//!
//! Published by the Digital Agency as mt_town_all.csv or by prefecture or municipality, in UTF-8 with a header
//! line, one row per chome and koaza. Here a town is one row, and has residence indication if any of its parts has;
//! abolished towns are left out.

use std::collections::BTreeMap;

use crate::csv::Fault;
use crate::{Batch, Progress, error::SourceError, kana, kind::Kind, open::Source};

use super::AddressingRow;
use super::column::{flag, municipality_code, number};
use super::header::read_table;

/// The columns that are used: the municipality code with its check digit, 大字・町, 小字 (the town if there is no 大字),
/// whether residence indication applies (1 or 0), and the date of abolition (empty while in force).
const COLUMNS: [&[&str]; 5] =
    [&["lg_code"], &["oaza_cho"], &["koaza"], &["rsdt_addr_flg"], &["ablt_date"]];

/// Reads a town master. The rows are sorted by municipality and town.
pub fn read_addressing(
    source: Source,
    progress: Progress<'_>,
) -> Result<Batch<AddressingRow>, SourceError> {
    let mut towns: BTreeMap<(u32, String), bool> = BTreeMap::new();
    let read_row = |fields: &[&str], columns| {
        if let Some(row) = parse(fields, columns)? {
            *towns.entry((row.jisx0402, row.town)).or_default() |= row.residence_indication;
        }
        Ok(())
    };
    let (rejects, lines) = read_table(source, Kind::Addressing, COLUMNS, progress, read_row)?;
    let rows = towns.into_iter().map(|((jisx0402, town), residence_indication)| AddressingRow {
        jisx0402,
        town,
        residence_indication,
    });
    Ok(Batch { rows: rows.collect(), rejects, lines })
}

/// The town of a line; `None` if the line has no town in force.
fn parse(fields: &[&str], columns: [usize; 5]) -> Result<Option<AddressingRow>, Fault> {
    let [code, oaza, koaza, flag_column, abolished] = columns;
    let jisx0402 = local_government_code(fields, code)?;
    let residence_indication = flag(fields, flag_column)?;
    let town = if fields[oaza].is_empty() { fields[koaza] } else { fields[oaza] };
    if town.is_empty() || !fields[abolished].is_empty() {
        return Ok(None);
    }
    Ok(Some(AddressingRow { jisx0402, town: kana::name(town), residence_indication }))
}

/// 全国地方公共団体コード: the municipality code and its check digit.
fn local_government_code(fields: &[&str], index: usize) -> Result<u32, Fault> {
    let code = fields[index];
    let fault =
        || Fault::column(index, "a local government code, 6 digits with a check digit", code);
    let number = number(code, 6).ok_or_else(fault)?;
    if check_digit(number / 10) != number % 10 {
        return Err(fault());
    }
    municipality_code(&code[..5]).ok_or_else(fault)
}

/// Weights and modulus as the Ministry of Internal Affairs defines the code's check digit.
fn check_digit(municipality: u32) -> u32 {
    let digit = |divisor: u32| municipality / divisor % 10;
    let sum = 6 * digit(10_000) + 5 * digit(1_000) + 4 * digit(100) + 3 * digit(10) + 2 * digit(1);
    (11 - sum % 11) % 10
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEADER: &str = "lg_code,machiaza_id,oaza_cho,chome,koaza,rsdt_addr_flg,ablt_date\n";

    fn read(lines: &str) -> Result<Batch<AddressingRow>, SourceError> {
        let source = Source::from_bytes("mt_town_all.csv", lines.as_bytes().to_vec());
        read_addressing(source, &mut |_, _| {})
    }

    #[track_caller]
    fn check(lines: &str, rows: &[(u32, &str, bool)], rejects: &[(u64, u32)]) {
        let batch = read(&format!("{HEADER}{lines}")).expect("the file as a whole is good");
        let row = |row: &AddressingRow| (row.jisx0402, row.town.clone(), row.residence_indication);
        let found: Vec<_> = batch.rows.iter().map(row).collect();
        let expected: Vec<_> =
            rows.iter().map(|&(code, town, flag)| (code, town.to_owned(), flag)).collect();
        assert_eq!(found, expected);
        let found: Vec<_> =
            batch.rejects.iter().map(|reject| (reject.line, reject.column.unwrap_or(0))).collect();
        assert_eq!(found, rejects);
    }

    #[test]
    fn parts_of_a_town_are_merged_to_one_row() {
        check(
            "131016,0018001,麹町,１丁目,,0,\n131016,0018001,麹町,１丁目,,1,\n\
             131016,0018002,麹町,２丁目,,0,\n011011,0001001,旭ケ丘,１丁目,,1,\n",
            &[(1101, "旭ケ丘", true), (13101, "麹町", true)],
            &[],
        );
        check(
            "131016,0000000,,,,0,\n131016,0000101,,,一番地割,0,\n131016,9,旧町,,,1,1966-12-31\n",
            &[(13101, "一番地割", false)],
            &[],
        );
    }

    #[test]
    fn bad_columns_are_named() {
        let good = "131016,1,麹町,,,1,\n";
        let town = [(13101, "麹町", true)];
        for (bad, column) in [
            ("131017,1,麹町,,,1,\n", 1),
            ("13101,1,麹町,,,1,\n", 1),
            ("990001,1,麹町,,,1,\n", 1),
            ("131016,1,麹町,,,2,\n", 6),
            ("131016,1,麹町,,,,\n", 6),
            ("131016,1,麹町\n", 0),
        ] {
            check(&format!("{good}{bad}{good}"), &town, &[(3, column)]);
        }
    }

    #[test]
    fn a_header_that_is_damaged_or_has_not_all_columns_is_an_error() {
        for (header, expected) in [
            ("lg_code,rsdt_addr_flg,oaza_cho,koaza\n", "no column ablt_date in the header"),
            (
                "lg_code,oaza_cho,koaza,rsdt_addr_flg,ablt_date,\"note\n",
                "expected an intact header line, found damage (expected a closing quote",
            ),
        ] {
            let message = read(header).expect_err(header).to_string();
            assert!(message.contains(expected), "{header}: {message}");
        }
    }

    #[test]
    fn check_digits_match_known_municipalities() {
        for (code, expected) in [(1100, 2), (1101, 1), (13101, 6), (13115, 6), (26100, 9)] {
            assert_eq!(check_digit(code), expected, "{code:05}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let bytes = [HEADER.as_bytes(), &bytes].concat();
            let _ = read_addressing(Source::from_bytes("x", bytes), &mut |_, _| {});
        }
    }
}
