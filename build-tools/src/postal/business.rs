//! JIGYOSYO, JADD and JDEL: thirteen columns, one line per row.
//!
//! Since 2013, only town, block and lot may be empty. The edition of 2001 also has rows without reading,
//! municipality, old code or post office.

use crate::csv::{Fault, Text, read_lines};
use crate::{Batch, Progress, error::Result, kana, kind::Kind, open::Source};

use super::BusinessRow;
use super::column::{
    digit, flag, municipality, name, old_code, optional_name, postal_code, prefecture,
};
use crate::recognise::{decode, require_full};

const COLUMNS: usize = 13;

pub fn read_business(source: Source, progress: Progress<'_>) -> Result<Batch<BusinessRow>> {
    let text = decode(source, Kind::Business)?;
    let batch = read_rows(&text, progress)?;
    require_full(batch, text.name, Kind::Business, |row| row.amendment)
}

pub(super) fn read_rows(text: &Text, progress: Progress<'_>) -> Result<Batch<BusinessRow>> {
    read_lines(text, COLUMNS, parse, progress)
}

fn parse(line: u64, fields: &[&str]) -> Result<BusinessRow, Fault> {
    let jisx0402 = municipality(fields, 0)?;
    let name_kana = kana::full_width(fields[1]);
    if !kana::is_reading(&name_kana) {
        return Err(Fault::column(1, "a reading in katakana", fields[1]));
    }
    Ok(BusinessRow {
        line,
        jisx0402,
        name_kana,
        name: kana::name(name(fields, 2)?),
        prefecture: prefecture(fields, 3, jisx0402)?.to_owned(),
        city: kana::name(optional_name(fields, 4)?),
        town: kana::name(optional_name(fields, 5)?),
        block_lot: kana::name(optional_name(fields, 6)?),
        postal_code: postal_code(fields, 7)?,
        old_code: match fields[8].trim_end_matches(' ') {
            "" => String::new(),
            _ => old_code(fields, 8)?.to_owned(),
        },
        post_office: kana::name(optional_name(fields, 9)?),
        post_office_box: flag(fields, 10)?,
        multiple: digit(fields, 11, 9)?,
        amendment: match digit(fields, 12, 5)? {
            amendment @ (0 | 1 | 5) => amendment,
            _ => return Err(Fault::column(12, "0, 1 or 5", fields[12])),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = "13101,\"(ｶ) ﾀﾞｲﾁﾖｳｶ-ﾄﾞ\",\"（株）　台帳カード\",\"東京都\",\"千代田区\",\
                        \"大手町\",\"２丁目２－１\",\"1008799\",\"100  \",\"銀座\",0,2,0\r\n";

    fn read(lines: &str) -> Result<Batch<BusinessRow>> {
        let source = Source::from_bytes("JIGYOSYO.CSV", lines.as_bytes().to_vec());
        read_business(source, &mut |_, _| {})
    }

    #[test]
    fn columns_become_fields() {
        let expected = BusinessRow {
            line: 1,
            jisx0402: 13101,
            name_kana: "（カ）　ダイチヨウカ－ド".to_owned(),
            name: "（株）　台帳カード".to_owned(),
            prefecture: "東京都".to_owned(),
            city: "千代田区".to_owned(),
            town: "大手町".to_owned(),
            block_lot: "２丁目２－１".to_owned(),
            postal_code: 1_008_799,
            old_code: "100".to_owned(),
            post_office: "銀座".to_owned(),
            post_office_box: false,
            multiple: 2,
            amendment: 0,
        };
        assert_eq!(read(LINE).expect("reads").rows, [expected]);
    }

    #[test]
    fn bad_columns_are_named() {
        #[track_caller]
        fn check(from: &str, to: &str, expected: Option<u32>) {
            let bad = LINE.replacen(from, to, 1);
            assert_ne!(LINE, bad, "{from} occurs");
            let batch = read(&format!("{LINE}{bad}{LINE}")).expect("the file as a whole is good");
            let found: Vec<_> = batch.rejects.iter().map(|reject| reject.column).collect();
            assert_eq!(found, expected.map(Some).into_iter().collect::<Vec<_>>(), "{bad}");
            assert_eq!(batch.rows.len() + batch.rejects.len(), 3);
        }
        check("13101", "00101", Some(1));
        check("ﾀﾞｲﾁﾖｳ", "台帳", Some(2));
        check("（株）　台帳カード", "", Some(3));
        check("東京都", "京都府", Some(4));
        check("千代田区", "ﾁﾖﾀﾞｸ", Some(5));
        check("大手町", "Otemachi", Some(6));
        check("２丁目", "2", Some(7));
        check("1008799", "100879", Some(8));
        check("\"100  \"", "\"10   \"", Some(9));
        check("銀座", "ﾞ", Some(10));
        check(",0,2,0", ",2,2,0", Some(11));
        check(",0,2,0", ",0,x,0", Some(12));
        check(",0,2,0", ",0,2,2", Some(13));
        // As in the edition of 2001.
        check("\"(ｶ) ﾀﾞｲﾁﾖｳｶ-ﾄﾞ\"", "\"\"", None);
        check("千代田区", "", None);
        check("大手町", "", None);
        check("２丁目２－１", "", None);
        check("\"100  \"", "\"     \"", None);
        check("銀座", "", None);
    }

    #[test]
    fn whole_file_faults_are_errors() {
        #[track_caller]
        fn check(lines: &str, expected: &str) {
            let message = read(lines).expect_err(expected).to_string();
            assert!(message.contains(expected), "{message}");
        }
        check("", "found an empty file");
        check(LINE.trim_end(), "cut short");
        check(&LINE.replace(",0\r", ",1\r"), "give this file with --updates");
        check(&LINE.replace(",0\r", ",5\r"), "give this file with --updates");
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read_business(Source::from_bytes("x", bytes), &mut |_, _| {});
        }
    }
}
