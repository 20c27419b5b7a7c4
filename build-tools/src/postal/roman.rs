//! KEN_ALL_ROME: seven columns, one line per line of KEN_ALL, including split lines.
//!
//! The publisher cut names at 17 characters and Roman text at 35 letters, without a mark.

use crate::csv::{Fault, read_lines};
use crate::{Batch, Progress, error::SourceError, kana, kind::Kind, open::Source};

use super::RomanRow;
use super::column::{PREFECTURES, name, postal_code};
use crate::recognise::decode;

const COLUMNS: usize = 7;

pub fn read_roman(source: Source, progress: Progress<'_>) -> Result<Batch<RomanRow>, SourceError> {
    let text = decode(source, Kind::Roman)?;
    read_lines(&text, COLUMNS, parse, progress)
}

fn parse(line: u64, fields: &[&str]) -> Result<RomanRow, Fault> {
    let prefecture = name(fields, 1)?;
    if !PREFECTURES.contains(&prefecture) {
        return Err(Fault::column(1, "a prefecture", prefecture));
    }
    Ok(RomanRow {
        line,
        postal_code: postal_code(fields, 0)?,
        prefecture: prefecture.to_owned(),
        city: kana::name(name(fields, 2)?),
        town: kana::name(name(fields, 3)?),
        prefecture_roman: capitals(fields, 4)?,
        city_roman: capitals(fields, 5)?,
        town_roman: capitals(fields, 6)?,
    })
}

/// Capital letters, digits and ASCII marks; trailing spaces come from the cut and are dropped.
fn capitals(fields: &[&str], index: usize) -> Result<String, Fault> {
    let text = fields[index].trim_end_matches(' ');
    let is_allowed = |byte: u8| (b' '..=b'~').contains(&byte) && !byte.is_ascii_lowercase();
    if text.is_empty() || !text.bytes().all(is_allowed) {
        return Err(Fault::column(index, "a name in capital Roman letters", fields[index]));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = "\"0600000\",\"北海道\",\"札幌市　中央区\",\"以下に掲載がない場合\",\
                        \"HOKKAIDO\",\"SAPPORO SHI CHUO KU\",\"IKANIKEISAIGANAIBAAI\"\r\n";

    fn read(lines: &str) -> Result<Batch<RomanRow>, SourceError> {
        let source = Source::from_bytes("KEN_ALL_ROME.CSV", lines.as_bytes().to_vec());
        read_roman(source, &mut |_, _| {})
    }

    #[test]
    fn columns_become_fields() {
        let expected = RomanRow {
            line: 1,
            postal_code: 600_000,
            prefecture: "北海道".to_owned(),
            city: "札幌市　中央区".to_owned(),
            town: "以下に掲載がない場合".to_owned(),
            prefecture_roman: "HOKKAIDO".to_owned(),
            city_roman: "SAPPORO SHI CHUO KU".to_owned(),
            town_roman: "IKANIKEISAIGANAIBAAI".to_owned(),
        };
        assert_eq!(read(LINE).expect("reads").rows, [expected]);
    }

    #[test]
    fn bad_columns_are_named() {
        #[track_caller]
        fn check(from: &str, to: &str, expected: u32) {
            let bad = LINE.replacen(from, to, 1);
            let batch = read(&format!("{LINE}{bad}{LINE}")).expect("the file as a whole is good");
            let found: Vec<_> = batch.rejects.iter().map(|reject| reject.column).collect();
            assert_eq!((found, batch.rows.len()), (vec![Some(expected)], 2), "{bad}");
        }
        check("0600000", "060-0000", 1);
        check("北海道", "北海", 2);
        check("札幌市　中央区", "", 3);
        check("以下に", "ika", 4);
        check("HOKKAIDO", "Hokkaido", 5);
        check("SAPPORO SHI CHUO KU", "", 6);
        check("IKANI", "ＩＫＡ", 7);
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read_roman(Source::from_bytes("x", bytes), &mut |_, _| {});
        }
    }
}
