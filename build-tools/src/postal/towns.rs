//! Coordinates of towns as published by Geolonia (Geolonia 住所データ): a header line, and one row per town, chome
//! (旭ケ丘一丁目) and koaza, with a point in degrees.
//!
//! Columns are found by name: the columns of the publisher's own `latest.csv`, or the shorter ones of a copy with fewer
//! columns. A row without coordinates names a town whose point the source does not know; it is a row, not a reject.
//! Knows nothing of Japan Post's towns.

use crate::csv::Fault;
use crate::{Batch, Progress, error::SourceError, kana, kind::Kind, open::Source};

use super::column::municipality;
use super::header::read_table;
use super::{Degrees, TownPointRow};

/// The names of the columns: in the shorter copy, and in the publisher's file.
const COLUMNS: [&[&str]; 6] = [
    &["city_code", "市区町村コード"],
    &["city_name", "市区町村名"],
    &["town", "大字町丁目名"],
    &["koaza", "小字・通称名"],
    &["lat", "緯度"],
    &["lng", "経度"],
];

pub fn read_towns(
    source: Source,
    progress: Progress<'_>,
) -> Result<Batch<TownPointRow>, SourceError> {
    let mut rows = Vec::new();
    let read_row = |fields: &[&str], columns| {
        rows.push(parse(fields, columns)?);
        Ok(())
    };
    let (rejects, lines) = read_table(source, Kind::Towns, COLUMNS, progress, read_row)?;
    Ok(Batch { rows, rejects, lines })
}

fn parse(fields: &[&str], columns: [usize; 6]) -> Result<TownPointRow, Fault> {
    let [code, city, town, koaza, lat, lon] = columns;
    let jisx0402 = municipality(fields, code)?;
    let required = |index: usize, what: &'static str| match fields[index] {
        "" => Err(Fault::column(index, what, "")),
        name => Ok(kana::name(name)),
    };
    let city = required(city, "the name of a municipality")?;
    let town = required(town, "the name of a town")?;
    let point = match (fields[lat], fields[lon]) {
        ("", "") => None,
        _ => Some([
            degrees(fields, lat, 20..=46, "a latitude in Japan, 20 to 46 degrees")?,
            degrees(fields, lon, 122..=154, "a longitude in Japan, 122 to 154 degrees")?,
        ]),
    };
    Ok(TownPointRow { jisx0402, city, town, koaza: kana::name(fields[koaza]), point })
}

/// A decimal number within these whole degrees, to a millionth of a degree.
fn degrees(
    fields: &[&str],
    index: usize,
    range: std::ops::RangeInclusive<i32>,
    expected: &'static str,
) -> Result<Degrees, Fault> {
    let fault = || Fault::column(index, expected, fields[index]);
    let millionths = millionths(fields[index]).ok_or_else(fault)?;
    let allowed = range.start() * 1_000_000..=range.end() * 1_000_000;
    if allowed.contains(&millionths) { Ok(Degrees(millionths)) } else { Err(fault()) }
}

/// `43.04223` as 43,042,230; more decimals are rounded. At most three whole digits, and no sign.
fn millionths(text: &str) -> Option<i32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(decimals) || whole.len() > 3 {
        return None;
    }
    let digit =
        |index: usize| decimals.as_bytes().get(index).map_or(0, |byte| i32::from(byte - b'0'));
    let six_decimals =
        (0..6).fold(whole.parse().ok()?, |value: i32, index| value * 10 + digit(index));
    Some(six_decimals + i32::from(digit(6) >= 5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEADER: &str =
        "pref_code,pref_name,city_code,city_name,town,town_kana,town_roma,koaza,lat,lng\n";
    const GOOD: &str = "13,東京都,13101,千代田区,丸の内一丁目,,,,35.68156,139.767201\n";

    fn read(text: &str) -> Result<Batch<TownPointRow>, SourceError> {
        let source = Source::from_bytes("towns.csv", text.as_bytes().to_vec());
        read_towns(source, &mut |_, _| {})
    }

    #[test]
    fn towns_chome_and_koaza_are_rows() {
        let lines = "01,北海道,01101,札幌市中央区,旭ケ丘一丁目,,,,43.04223,141.3\n\
                     03,岩手県,03321,紫波郡紫波町,下松本,,,二ツ屋,39.5701259,141\n\
                     01,北海道,01234,北広島市,Ｆビレッジ,,,,,\n";
        let batch = read(&format!("{HEADER}{lines}")).expect("a good file");
        let found: Vec<_> = batch
            .rows
            .iter()
            .map(|row| (row.jisx0402, &*row.city, &*row.town, &*row.koaza, row.point))
            .collect();
        let point = |lat, lon| Some([Degrees(lat), Degrees(lon)]);
        assert_eq!(
            found,
            [
                (1101, "札幌市中央区", "旭ケ丘一丁目", "", point(43_042_230, 141_300_000)),
                (3321, "紫波郡紫波町", "下松本", "二ツ屋", point(39_570_126, 141_000_000)),
                (1234, "北広島市", "Ｆビレッジ", "", None),
            ]
        );
        assert_eq!((batch.rejects.len(), batch.lines), (0, 4));
    }

    #[test]
    fn japanese_column_names_are_found_in_any_order() {
        let text = "\"緯度\",\"経度\",\"市区町村コード\",\"市区町村名\",\"大字町丁目名\",\"小字・通称名\"\n\
                    \"35.5\",\"139.5\",\"13101\",\"千代田区\",\"千代田\",\"\"\n";
        let batch = read(text).expect("a good file");
        assert_eq!((batch.rows.len(), &*batch.rows[0].town), (1, "千代田"));
    }

    #[test]
    fn unreadable_rows_are_rejected_with_line_and_column() {
        for (bad, column) in [
            ("13,東京都,1310,千代田区,千代田,,,,35.6,139.7\n", 3),
            ("13,東京都,99101,千代田区,千代田,,,,35.6,139.7\n", 3),
            ("13,東京都,,千代田区,千代田,,,,35.6,139.7\n", 3),
            ("13,東京都,13101,,千代田,,,,35.6,139.7\n", 4),
            ("13,東京都,13101,千代田区,,,,,35.6,139.7\n", 5),
            ("13,東京都,13101,千代田区,千代田,,,,,139.7\n", 9),
            ("13,東京都,13101,千代田区,千代田,,,,35.6,\n", 10),
            ("13,東京都,13101,千代田区,千代田,,,,19.999999,139.7\n", 9),
            ("13,東京都,13101,千代田区,千代田,,,,46.000001,139.7\n", 9),
            ("13,東京都,13101,千代田区,千代田,,,,35.6,121.9\n", 10),
            ("13,東京都,13101,千代田区,千代田,,,,35.6,154.1\n", 10),
            ("13,東京都,13101,千代田区,千代田,,,,139.7,35.6\n", 9),
            ("13,東京都,13101,千代田区,千代田,,,,-35.6,139.7\n", 9),
            ("13,東京都,13101,千代田区,千代田,,,,35.6N,139.7\n", 9),
            ("13,東京都,13101,千代田区,千代田,,,,NaN,139.7\n", 9),
            ("13,東京都,13101,千代田区,千代田,,,,3.56e1,139.7\n", 9),
            ("13,東京都,13101,千代田区,千代田,,,,35.,139.7\n", 9),
            ("13,東京都,13101,千代田区,千代田,,,,99999999999,139.7\n", 9),
            ("13,東京都,13101,千代田区\n", 0),
        ] {
            let batch = read(&format!("{HEADER}{GOOD}{bad}{GOOD}")).expect("a good file");
            let rejects: Vec<_> =
                batch.rejects.iter().map(|it| (it.line, it.column.unwrap_or(0))).collect();
            assert_eq!((batch.rows.len(), rejects), (2, vec![(3, column)]), "{bad}");
        }
    }

    #[test]
    fn whole_file_faults_are_errors() {
        for (text, expected) in [
            ("", "empty"),
            ("city_code,lat,lng\n13101,35.6,139.7\n", "no column city_name or 市区町村名"),
            (
                "city_code,city_name,town,koaza,lat,lng,\"note\n13101,千代田区,千代田,,35.6,139.7,x\n",
                "expected an intact header line, found damage (expected a closing quote",
            ),
            ("lg_code,rsdt_addr_flg\n", "--addressing"),
            ("<html>\n<body>\n", "1 column in the first line"),
        ] {
            let message = read(text).expect_err(text).to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn degrees_are_exact_to_a_millionth() {
        for (text, expected) in [
            ("0", Some(0)),
            ("43", Some(43_000_000)),
            ("43.04223", Some(43_042_230)),
            ("141.319722", Some(141_319_722)),
            ("0.0000005", Some(1)),
            ("0.00000049", Some(0)),
            ("1234", None),
            (".5", None),
            ("+1", None),
            ("1,5", None),
            ("１", None),
            ("", None),
        ] {
            assert_eq!(millionths(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let bytes = [HEADER.as_bytes(), &bytes].concat();
            let _ = read_towns(Source::from_bytes("x", bytes), &mut |_, _| {});
        }
    }
}
