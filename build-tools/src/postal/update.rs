//! Monthly differences: rows that a month added to KEN_ALL and JIGYOSYO, and rows that it removed.
//!
//! The rows determine which of the four kinds a file is: additions have status 1 (JADD: amendment 1), removals 2
//! (JDEL: 5). Only for a file without content the name decides.

use crate::csv::{Fault, Rejects, Text};
use crate::error::{Reject, Result, SourceError};
use crate::{Batch, Progress, kind::Kind, open::Source};

use super::{AreaRow, BusinessRow, business, ken_all};
use crate::recognise::recognise;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Update {
    /// ADD, utf_add: new rows, and the new form of amended ones.
    AreaAdded(Batch<AreaRow>),
    /// DEL, utf_del: abolished rows, and the old form of amended ones.
    AreaRemoved(Batch<AreaRow>),
    BusinessAdded(Batch<BusinessRow>),
    /// JDEL.
    BusinessRemoved(Batch<BusinessRow>),
    /// No content, and a name that does not show the kind: nothing to apply.
    Empty,
}

pub fn read_update(source: Source, progress: Progress<'_>) -> Result<Update> {
    let empty = empty_update(source.file_name());
    let text = Text::decode(source)?;
    if text.is_empty() {
        return Ok(empty);
    }
    match recognise(&text, Kind::Update)? {
        Kind::Area => {
            let batch = ken_all::read_rows(&text, progress)?;
            let mark = |row: &AreaRow| (row.line, row.update_status);
            let expected = Fault::column(13, "1 or 2 (added, removed)", "0");
            Ok(match change_kind(&text, Kind::Area, batch, mark, expected)? {
                (ChangeKind::Added, batch) => Update::AreaAdded(batch),
                (ChangeKind::Removed, batch) => Update::AreaRemoved(batch),
            })
        }
        Kind::Business => {
            let batch = business::read_rows(&text, progress)?;
            let mark = |row: &BusinessRow| (row.line, row.amendment);
            let expected = Fault::column(12, "1 or 5 (added, removed)", "0");
            Ok(match change_kind(&text, Kind::Business, batch, mark, expected)? {
                (ChangeKind::Added, batch) => Update::BusinessAdded(batch),
                (ChangeKind::Removed, batch) => Update::BusinessRemoved(batch),
            })
        }
        found => {
            let (name, expected) = (text.name, Kind::Update);
            Err(SourceError::WrongKind { name, expected, found })
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeKind {
    Added,
    Removed,
}

/// Whether the rows are additions or removals. `mark` returns the line of a row and its mark: 0 for an unchanged one,
/// which becomes a reject, and 1 for an added one.
fn change_kind<T>(
    text: &Text,
    full: Kind,
    batch: Batch<T>,
    mark: impl Fn(&T) -> (u64, u8),
    unchanged: Fault,
) -> Result<(ChangeKind, Batch<T>)> {
    let changed = batch.rows.iter().filter(|row| mark(row).1 != 0).count();
    let added = batch.rows.iter().filter(|row| mark(row).1 == 1).count();
    let removed = changed - added;
    let name = text.name.clone();
    let kind = match (added, removed) {
        (0, 0) if batch.rows.is_empty() => {
            let first = batch.rejects.first().map(ToString::to_string).unwrap_or_default();
            let (expected, found) = (Kind::Update, format!("no readable row; {first}"));
            return Err(SourceError::Unrecognised { name, expected, found });
        }
        _ if changed * 2 < batch.rows.len() => {
            return Err(SourceError::WrongKind { name, expected: Kind::Update, found: full });
        }
        (_, 0) => ChangeKind::Added,
        (0, _) => ChangeKind::Removed,
        _ => return Err(SourceError::MixedUpdate { name, added, removed }),
    };
    let mut rejects = Rejects::new(&text.name);
    let (rows, strays): (Vec<T>, Vec<T>) = batch.rows.into_iter().partition(|row| mark(row).1 != 0);
    for row in &strays {
        rejects.push(mark(row).0, unchanged.clone())?;
    }
    let mut rejects: Vec<Reject> = batch.rejects.into_iter().chain(rejects.into_list()).collect();
    rejects.sort_by_key(|reject| reject.line);
    Ok((kind, Batch { rows, rejects, lines: batch.lines }))
}

/// The edition in a difference file's name, as 202605 for `utf_add_2605.csv` or `JADD2605.CSV`.
pub fn edition_in_file_name(file_name: &str) -> Option<u32> {
    Kind::Update.matches_name(file_name).then_some(())?;
    let stem = file_name.split('.').next()?;
    let digits = stem.trim_start_matches(|char: char| !char.is_ascii_digit());
    let edition: u32 = Some(digits).filter(|digits| digits.len() == 4)?.parse().ok()?;
    (1..=12).contains(&(edition % 100)).then_some(200_000 + edition)
}

fn empty_update(file_name: &str) -> Update {
    let name = file_name.to_ascii_lowercase();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if starts(&["add", "utf_add"]) {
        Update::AreaAdded(empty_batch())
    } else if starts(&["del", "utf_del"]) {
        Update::AreaRemoved(empty_batch())
    } else if starts(&["jadd"]) {
        Update::BusinessAdded(empty_batch())
    } else if starts(&["jdel"]) {
        Update::BusinessRemoved(empty_batch())
    } else {
        Update::Empty
    }
}

fn empty_batch<T>() -> Batch<T> {
    Batch { rows: Vec::new(), rejects: Vec::new(), lines: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AREA: &str = "13101,\"100  \",\"1000001\",\"ﾄｳｷｮｳﾄ\",\"ﾁﾖﾀﾞｸ\",\"ﾁﾖﾀﾞ\",\"東京都\",\
                        \"千代田区\",\"千代田\",0,0,0,0,S,0\r\n";
    const BUSINESS: &str = "13101,\"ﾀﾞｲﾁﾖｳ\",\"台帳\",\"東京都\",\"千代田区\",\"大手町\",\"１\",\
                            \"1008799\",\"100  \",\"銀座\",0,0,S\r\n";

    /// Lines with these marks in place of `S`.
    fn lines(line: &str, marks: &str) -> Vec<u8> {
        marks.chars().map(|mark| line.replace('S', &mark.to_string())).collect::<String>().into()
    }

    /// Kind, rows and rejects, or a part of the message.
    #[track_caller]
    fn check(name: &str, bytes: Vec<u8>, expected: &str) {
        let found = match read_update(Source::from_bytes(name, bytes), &mut |_, _| {}) {
            Ok(Update::AreaAdded(b)) => format!("ADD {}/{}", b.rows.len(), b.rejects.len()),
            Ok(Update::AreaRemoved(b)) => format!("DEL {}/{}", b.rows.len(), b.rejects.len()),
            Ok(Update::BusinessAdded(b)) => format!("JADD {}/{}", b.rows.len(), b.rejects.len()),
            Ok(Update::BusinessRemoved(b)) => format!("JDEL {}/{}", b.rows.len(), b.rejects.len()),
            Ok(Update::Empty) => "empty".to_owned(),
            Err(error) => error.to_string(),
        };
        assert!(found.contains(expected), "{name}: expected {expected}, found {found}");
    }

    #[test]
    fn rows_determine_the_kind_of_difference() {
        check("x.csv", lines(AREA, "11"), "ADD 2/0");
        check("utf_del_2606.csv", lines(AREA, "1"), "ADD 1/0");
        check("x.csv", lines(AREA, "2"), "DEL 1/0");
        check("x.csv", lines(BUSINESS, "1"), "JADD 1/0");
        check("x.csv", lines(BUSINESS, "555"), "JDEL 3/0");
        // A stray row is a reject; a majority of them means another file.
        check("x.csv", lines(AREA, "101"), "ADD 2/1");
        check("x.csv", lines(BUSINESS, "505"), "JDEL 2/1");
        check("x.csv", lines(AREA, "001"), "give this file with --area");
        check("x.csv", lines(BUSINESS, "000"), "give this file with --business");
        check("x.csv", lines(AREA, "112"), "2 rows marked as added and 1 as removed");
        check("x.csv", lines(AREA, "99"), "no readable row");
    }

    #[test]
    fn an_empty_file_is_recognised_by_name() {
        for (name, expected) in [
            ("ADD_2409.CSV", "ADD 0/0"),
            ("utf_add_2409.csv", "ADD 0/0"),
            ("DEL_2409.CSV", "DEL 0/0"),
            ("x.zip#utf_del_2409.csv", "DEL 0/0"),
            ("JADD2409.CSV", "JADD 0/0"),
            ("jdel2409.csv", "JDEL 0/0"),
            ("2409.csv", "empty"),
        ] {
            check(name, Vec::new(), expected);
            check(name, b"\r\n".to_vec(), expected);
            check(name, b"\xef\xbb\xbf".to_vec(), expected);
        }
    }

    #[test]
    fn other_files_are_refused() {
        check("x.csv", b"lg_code,rsdt_addr_flg\n".to_vec(), "give this file with --addressing");
        check("x.csv", b"<html>\n".to_vec(), "found 1 column in the first line");
        check("x.csv", b"13101,\"100".to_vec(), "cut short");
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read_update(Source::from_bytes("x", bytes), &mut |_, _| {});
        }
    }

    #[test]
    fn the_edition_is_read_from_the_file_name() {
        for (name, expected) in [
            ("utf_add_2605.csv", Some(202_605)),
            ("ADD_1811.CSV", Some(201_811)),
            ("JDEL2612.CSV.xz", Some(202_612)),
            ("utf_add_2613.csv", None),
            ("utf_add_260.csv", None),
            ("differences.csv", None),
            ("", None),
        ] {
            assert_eq!(edition_in_file_name(name), expected, "{name}");
        }
    }
}
