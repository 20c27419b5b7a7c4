//! Change lists: the corporate numbers that changed on a day, in `SNAPSHOTS/corporate/changes/DATE.txt`, one number
//! per line, ascending. They are history, which the state in a snapshot does not contain.
//!
//! A build writes a list for each day in its differences. Each is renamed into place once it is complete.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::files::{FileStamp, dated_entries, if_exists};
use super::unfinished::{self, UnfinishedFile};
use crate::text::codes::{CorporateNumber, DataVersion};

const EXTENSION: &str = "txt";

/// The digits of a number and a line break.
const LINE_LENGTH: usize = 14;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeList {
    pub day: DataVersion,
    /// CRC-32 of the file; distinguishes different lists of the same day.
    pub checksum: u32,
    pub numbers: Vec<CorporateNumber>,
}

#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", .path.display())]
pub struct ChangeListError {
    pub path: PathBuf,
    pub fault: ChangeListFault,
}

#[derive(Debug, thiserror::Error)]
pub enum ChangeListFault {
    #[error("{0}")]
    Io(#[source] io::Error),
    #[error(
        "expected 13 digits, larger than those before, in line {line}; found something else; \
         rebuild this day or remove the file"
    )]
    Line { line: usize },
}

pub fn folder(snapshots: &Path) -> PathBuf {
    snapshots.join("corporate").join("changes")
}

fn path(snapshots: &Path, day: DataVersion) -> PathBuf {
    folder(snapshots).join(format!("{day}.{EXTENSION}"))
}

/// The days that have a list, ascending. Empty if there is no folder; other file names are skipped.
pub fn days(snapshots: &Path) -> Result<Vec<DataVersion>, ChangeListError> {
    let folder = folder(snapshots);
    let lists = dated_entries(&folder, EXTENSION).map_err(|error| io_error(&folder, error))?;
    Ok(lists.into_iter().map(|(day, _path)| day).collect())
}

pub fn stamp(snapshots: &Path, day: DataVersion) -> Option<FileStamp> {
    fs::metadata(path(snapshots, day)).ok().as_ref().map(FileStamp::from_metadata)
}

pub fn read(snapshots: &Path, day: DataVersion) -> Result<Option<ChangeList>, ChangeListError> {
    let path = path(snapshots, day);
    let bytes = if_exists(fs::read(&path)).map_err(|error| io_error(&path, error))?;
    let Some(bytes) = bytes else { return Ok(None) };
    let numbers = parse(&bytes)
        .map_err(|line| ChangeListError { path, fault: ChangeListFault::Line { line } })?;
    Ok(Some(ChangeList { day, checksum: crc32fast::hash(&bytes), numbers }))
}

/// The numbers of a file, or the first malformed line.
fn parse(bytes: &[u8]) -> Result<Vec<CorporateNumber>, usize> {
    let mut numbers: Vec<CorporateNumber> = Vec::with_capacity(bytes.len() / LINE_LENGTH);
    for (index, line) in bytes.chunks(LINE_LENGTH).enumerate() {
        let digits = line.strip_suffix(b"\n").and_then(|digits| str::from_utf8(digits).ok());
        let number = digits.and_then(|digits| CorporateNumber::parse(digits).ok());
        match number {
            Some(number) if numbers.last().is_none_or(|last| *last < number) => {
                numbers.push(number);
            }
            _ => return Err(index + 1),
        }
    }
    Ok(numbers)
}

/// Writes the list of a day to an unfinished file, which replaces an existing list once it is finished. `numbers`
/// ascend, each once.
pub fn prepare(
    snapshots: &Path,
    day: DataVersion,
    numbers: &[CorporateNumber],
) -> Result<UnfinishedFile, ChangeListError> {
    let path = path(snapshots, day);
    let text: String = numbers.iter().map(|number| format!("{number}\n")).collect();
    unfinished::prepare_whole(&path, |out| out.write_all(text.as_bytes()))
        .map_err(|error| io_error(&path, error))
}

fn io_error(path: &Path, error: io::Error) -> ChangeListError {
    ChangeListError { path: path.to_owned(), fault: ChangeListFault::Io(error) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(text: &str) -> DataVersion {
        DataVersion::parse(text).expect("a date")
    }

    fn number(text: &str) -> CorporateNumber {
        CorporateNumber::parse(text).expect("a number")
    }

    #[test]
    fn a_written_list_is_found_and_reads_back() {
        let snapshots = tempfile::tempdir().expect("a folder");
        let write = |day, numbers: &[CorporateNumber]| {
            prepare(snapshots.path(), day, numbers).expect("written").finish().expect("renamed");
        };
        assert_eq!(days(snapshots.path()).expect("a missing folder has no lists"), []);
        let numbers = [number("0000000000001"), number("6010001999901")];
        let (monday, friday) = (day("2026-08-03"), day("2026-07-31"));
        write(monday, &numbers);
        write(friday, &[]);
        for name in ["2026-08-32.txt", "2026-08-04.csv", ".unfinished-1", "notes"] {
            fs::write(folder(snapshots.path()).join(name), "").expect("written");
        }
        assert_eq!(days(snapshots.path()).expect("a folder"), [friday, monday]);
        let found = read(snapshots.path(), monday).expect("sound").expect("there");
        assert_eq!((found.day, &found.numbers[..]), (monday, &numbers[..]));
        let before = stamp(snapshots.path(), monday);
        assert!(before.is_some() && before == stamp(snapshots.path(), monday));
        write(monday, &numbers[..1]);
        assert_ne!(stamp(snapshots.path(), monday), before);
        let other = read(snapshots.path(), monday).expect("sound").expect("there");
        assert_ne!(other.checksum, found.checksum);
        assert_eq!(read(snapshots.path(), day("2026-08-05")).expect("sound"), None);
        let empty = read(snapshots.path(), friday).expect("sound").expect("there");
        assert_eq!(empty.numbers, []);
    }

    #[test]
    fn a_malformed_list_is_rejected_with_its_line() {
        #[track_caller]
        fn check(text: &str, line: usize) {
            assert_eq!(parse(text.as_bytes()), Err(line), "{text:?}");
        }
        check("6010001999901", 1);
        check("601000199990\n", 1);
        check("60100019999011\n", 1);
        check("0000000000001\n6010001999901", 2);
        check("6010001999901\n0000000000001\n", 2);
        check("6010001999901\n6010001999901\n", 2);
        check("6010001999901\r\n", 1);
        check("\n", 1);
        let snapshots = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder(snapshots.path())).expect("made");
        fs::write(folder(snapshots.path()).join("2026-08-03.txt"), "x").expect("written");
        let error = read(snapshots.path(), day("2026-08-03")).expect_err("damaged").to_string();
        assert!(error.contains("2026-08-03.txt: expected 13 digits"), "{error}");
    }

    proptest! {
        #[test]
        fn noise_never_panics(noise in any::<Vec<u8>>()) {
            let _ = parse(&noise);
        }
    }
}
