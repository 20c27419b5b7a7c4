//! Recognises the kind of a known file by its columns, never by its name.
//!
//! Reads only the first lines, so that a swapped file is refused before it is read completely. A few damaged lines
//! do not matter. A difference file has the same columns as a full one.

use crate::bank::ginkositen::is_bank_line;
use crate::csv::{Text, split};
use crate::error::{Result, SourceError, excerpt};
use crate::postal::column::{is_digits, is_prefecture};
use crate::{Batch, kind::Kind, open::Source};

/// How many lines are examined.
const LINES_MAX: usize = 100;

/// How many columns a file of this kind has, and the indexes of two of them.
struct Layout {
    kind: Kind,
    columns: usize,
    postal_code: usize,
    prefecture: usize,
}

const LAYOUTS: [Layout; 3] = [
    Layout { kind: Kind::Area, columns: 15, postal_code: 2, prefecture: 6 },
    Layout { kind: Kind::Business, columns: 13, postal_code: 7, prefecture: 3 },
    Layout { kind: Kind::Roman, columns: 7, postal_code: 0, prefecture: 1 },
];

/// Header columns that only the town master has together.
const ADDRESSING_HEADER: [&str; 2] = ["lg_code", "rsdt_addr_flg"];

/// Header columns that only coordinates of towns have: in a copy with fewer columns, and in the publisher's own file.
const TOWNS_HEADERS: [[&str; 3]; 2] =
    [["city_code", "lat", "lng"], ["市区町村コード", "緯度", "経度"]];

/// The kind of this file, or why it has none. The caller must handle an empty text first.
pub(crate) fn recognise(text: &Text, expected: Kind) -> Result<Kind> {
    let rows = first_rows(&text.lines);
    let Some(first) = rows.first() else { return Err(no_line_error(text, expected)) };
    if ADDRESSING_HEADER.iter().all(|name| first.contains(name)) {
        return Ok(Kind::Addressing);
    }
    if TOWNS_HEADERS.iter().any(|header| header.iter().all(|name| first.contains(name))) {
        return Ok(Kind::Towns);
    }
    if rows.iter().filter(|row| is_bank_line(row)).count() * 2 > rows.len() {
        return Ok(Kind::Bank);
    }
    let count = |layout: &Layout| rows.iter().filter(|row| has_layout(row, layout)).count();
    let best = LAYOUTS.iter().max_by_key(|layout| count(layout));
    let Some(layout) = best.filter(|layout| count(layout) > 0 && count(layout) * 2 >= rows.len())
    else {
        return Err(unrecognised(text, expected, first.len()));
    };
    let mut names =
        rows.iter().filter(|row| has_layout(row, layout)).map(|row| row[layout.prefecture]);
    let found = names.clone().next().unwrap_or_default();
    if !names.any(is_prefecture) {
        let found = format!("text that was decoded wrongly: {} for a prefecture", excerpt(found));
        return Err(SourceError::Encoding { name: text.name.clone(), found });
    }
    Ok(layout.kind)
}

/// Decodes a file of this kind; refuses one of another kind, or without content.
pub(crate) fn decode(source: Source, expected: Kind) -> Result<Text> {
    let text = Text::decode(source)?;
    if text.is_empty() {
        return Err(SourceError::Empty { name: text.name, expected });
    }
    let found = recognise(&text, expected)?;
    if found == expected {
        return Ok(text);
    }
    Err(SourceError::WrongKind { name: text.name, expected, found })
}

/// Refuses a monthly difference in place of a full file. The columns do not distinguish them, but in a difference
/// every row is new or removed.
pub(crate) fn require_full<R>(
    batch: Batch<R>,
    name: String,
    expected: Kind,
    change: impl Fn(&R) -> u8,
) -> Result<Batch<R>> {
    let first = batch.rows.first().map_or(0, &change);
    if first != 0 && batch.rows.iter().all(|row| change(row) == first) {
        return Err(SourceError::WrongKind { name, expected, found: Kind::Update });
    }
    Ok(batch)
}

/// The columns of the first lines; for a line that cannot be split, those before the fault.
fn first_rows(lines: &str) -> Vec<Vec<&str>> {
    let first_rows = lines.lines().filter(|line| !line.is_empty()).take(LINES_MAX).map(|line| {
        let mut row = Vec::new();
        match split(line, &mut row) {
            Ok(()) | Err(_) => row,
        }
    });
    first_rows.collect()
}

fn has_layout(row: &[&str], layout: &Layout) -> bool {
    row.len() == layout.columns && is_digits(row[layout.postal_code], 7)
}

fn unrecognised(text: &Text, expected: Kind, columns: usize) -> SourceError {
    let line = text.lines.lines().find(|line| !line.is_empty()).unwrap_or_default();
    let columns = match columns {
        1 => "1 column".to_owned(),
        columns => format!("{columns} columns"),
    };
    let found = format!("{columns} in the first line, {}", excerpt(line));
    SourceError::Unrecognised { name: text.name.clone(), expected, found }
}

/// The error for a text without a line end.
fn no_line_error(text: &Text, expected: Kind) -> SourceError {
    let partial = text.partial_line.as_deref().unwrap_or_default();
    let looks_like_a_row = partial.starts_with(|char: char| char == '"' || char.is_ascii_digit());
    match text.check_end() {
        Err(truncated) if looks_like_a_row => truncated,
        _ => SourceError::Unrecognised {
            name: text.name.clone(),
            expected,
            found: format!("no line end in {}", excerpt(partial)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: &str = "13101,\"100  \",\"1000001\",\"ﾄｳｷｮｳﾄ\",\"ﾁﾖﾀﾞｸ\",\"ﾁﾖﾀﾞ\",\
                        \"東京都\",\"千代田区\",\"千代田\",0,0,0,0,0,0\r\n";
    const BUSINESS: &str = "13101,\"ｱ\",\"亜\",\"東京都\",\"千代田区\",\"大手町\",\"１\",\
                            \"1008001\",\"100  \",\"銀座\",0,0,0\r\n";
    const ROMAN: &str = "\"1000001\",\"東京都\",\"千代田区\",\"千代田\",\"TOKYO TO\",\
                         \"CHIYODA KU\",\"CHIYODA\"\r\n";

    #[test]
    fn kinds_are_recognised_by_their_columns() {
        #[track_caller]
        fn check(lines: impl Into<String>, expected: Result<Kind, &str>) {
            let lines: String = lines.into();
            let source = Source::from_bytes("t.csv", lines.into_bytes());
            let text = Text::decode(source).expect("UTF-8");
            match (recognise(&text, Kind::Area), expected) {
                (found, Ok(expected)) => assert_eq!(found.ok(), Some(expected)),
                (Ok(found), Err(expected)) => panic!("expected {expected}, found {found}"),
                (Err(found), Err(expected)) => {
                    assert!(found.to_string().contains(expected), "{found}");
                }
            }
        }
        check(AREA, Ok(Kind::Area));
        check(BUSINESS, Ok(Kind::Business));
        check(ROMAN, Ok(Kind::Roman));
        check("lg_code,machiaza_id,rsdt_addr_flg\n", Ok(Kind::Addressing));
        check("city_code,city_name,town,koaza,lat,lng\n", Ok(Kind::Towns));
        // A few damaged lines do not change the kind of the file.
        check(format!("x\r\n{AREA}{AREA}"), Ok(Kind::Area));
        check(format!("x\r\n{AREA}"), Ok(Kind::Area));
        check(format!("x\r\n\"\r\n{AREA}"), Err("1 column in the first line, `x`"));
        check("<html>\n<body>\n", Err("1 column in the first line, `<html>`"));
        check("<html>", Err("no line end in `<html>`"));
        check("13101,\"100", Err("cut short"));
        check("a,b,c,d,e,f,g\n", Err("7 columns in the first line"));
        check(AREA.replace("東京都", "譚ｱ莠ｬ驛ｽ"), Err("decoded wrongly: `譚ｱ莠ｬ驛ｽ`"));
    }

    #[test]
    fn the_error_of_a_swapped_file_names_the_right_option() {
        let source = Source::from_bytes("x.csv", BUSINESS.as_bytes().to_vec());
        let error = decode(source, Kind::Area).expect_err("it is JIGYOSYO");
        let message = error.to_string();
        assert!(message.contains("KEN_ALL.CSV"), "{message}");
        assert!(message.ends_with("give this file with --business"), "{message}");
    }
}
