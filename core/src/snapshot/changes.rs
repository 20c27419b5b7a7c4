//! Change lists: the numbers of a register whose entries changed on a day, one per line, ascending, in
//! `SNAPSHOTS/corporate/changes/DATE.txt` and `SNAPSHOTS/invoice/changes/DATE.txt`. They are history, which the state in
//! a snapshot does not contain.
//!
//! A build writes a list for each day in its differences. Each is renamed into place once it is complete.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::files::{FileStamp, dated_entries, if_exists};
use super::unfinished::{self, UnfinishedFile};
use crate::system::reading::{Links, open_regular};
use crate::text::codes::{CorporateNumber, DataVersion, Register};

const EXTENSION: &str = "txt";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeList {
    pub register: Register,
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
        "expected {}, larger than those before, in line {line}; found something else; rebuild this day \
         or remove the file",
        match .register { Register::Corporate => "13 digits", Register::Invoice => "T and 13 digits" }
    )]
    Line { register: Register, line: usize },
}

pub fn folder(snapshots: &Path, register: Register) -> PathBuf {
    snapshots.join(register.as_str()).join("changes")
}

pub fn path(snapshots: &Path, register: Register, day: DataVersion) -> PathBuf {
    folder(snapshots, register).join(format!("{day}.{EXTENSION}"))
}

/// The days that have a list, ascending. Empty if there is no folder; other file names are skipped.
pub fn days(snapshots: &Path, register: Register) -> Result<Vec<DataVersion>, ChangeListError> {
    let folder = folder(snapshots, register);
    let lists = dated_entries(&folder, EXTENSION).map_err(|error| io_error(&folder, error))?;
    Ok(lists.into_iter().map(|(day, _path)| day).collect())
}

pub fn stamp(snapshots: &Path, register: Register, day: DataVersion) -> Option<FileStamp> {
    fs::metadata(path(snapshots, register, day)).ok().as_ref().map(FileStamp::from_metadata)
}

pub fn read(
    snapshots: &Path,
    register: Register,
    day: DataVersion,
) -> Result<Option<ChangeList>, ChangeListError> {
    let path = path(snapshots, register, day);
    let read = open_regular(&path, Links::Refused).and_then(|mut file| {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map(|_length| bytes)
    });
    let bytes = if_exists(read).map_err(|error| io_error(&path, error))?;
    let Some(bytes) = bytes else { return Ok(None) };
    let numbers = parse(&bytes, register).map_err(|line| ChangeListError {
        path,
        fault: ChangeListFault::Line { register, line },
    })?;
    Ok(Some(ChangeList { register, day, checksum: crc32fast::hash(&bytes), numbers }))
}

/// The numbers of a file, or the first malformed line.
fn parse(bytes: &[u8], register: Register) -> Result<Vec<CorporateNumber>, usize> {
    let line_length = register.number_length() + 1;
    let mut numbers: Vec<CorporateNumber> = Vec::with_capacity(bytes.len() / line_length);
    for (index, line) in bytes.chunks(line_length).enumerate() {
        let text = line.strip_suffix(b"\n").and_then(|text| str::from_utf8(text).ok());
        let number = text.and_then(|text| register.parse_number(text).ok());
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
    register: Register,
    day: DataVersion,
    numbers: &[CorporateNumber],
) -> Result<UnfinishedFile, ChangeListError> {
    let path = path(snapshots, register, day);
    let text: String =
        numbers.iter().map(|number| format!("{}\n", register.number_text(*number))).collect();
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
        for register in Register::ALL {
            check_written_lists(snapshots.path(), register);
        }
        let text = |register| {
            let path = path(snapshots.path(), register, day("2026-08-03"));
            fs::read_to_string(path).expect("written")
        };
        assert_eq!(text(Register::Corporate), "0000000000001\n");
        assert_eq!(text(Register::Invoice), "T0000000000001\n");
    }

    #[track_caller]
    fn check_written_lists(snapshots: &Path, register: Register) {
        let write = |day, numbers: &[CorporateNumber]| {
            let list = prepare(snapshots, register, day, numbers).expect("written");
            list.finish().expect("renamed");
        };
        let days = |snapshots| days(snapshots, register);
        let read = |snapshots, day| read(snapshots, register, day);
        let stamp = |snapshots, day| stamp(snapshots, register, day);
        assert_eq!(days(snapshots).expect("a missing folder has no lists"), []);
        let numbers = [number("0000000000001"), number("6010001999901")];
        let (monday, friday) = (day("2026-08-03"), day("2026-07-31"));
        write(monday, &numbers);
        write(friday, &[]);
        for name in ["2026-08-32.txt", "2026-08-04.csv", ".unfinished-1", "notes"] {
            fs::write(folder(snapshots, register).join(name), "").expect("written");
        }
        assert_eq!(days(snapshots).expect("a folder"), [friday, monday]);
        let found = read(snapshots, monday).expect("sound").expect("there");
        assert_eq!((found.register, found.day), (register, monday));
        assert_eq!(found.numbers, numbers);
        let before = stamp(snapshots, monday);
        assert!(before.is_some() && before == stamp(snapshots, monday));
        write(monday, &numbers[..1]);
        assert_ne!(stamp(snapshots, monday), before);
        let other = read(snapshots, monday).expect("sound").expect("there");
        assert_ne!(other.checksum, found.checksum);
        assert_eq!(read(snapshots, day("2026-08-05")).expect("sound"), None);
        let empty = read(snapshots, friday).expect("sound").expect("there");
        assert_eq!(empty.numbers, []);
    }

    #[test]
    fn a_malformed_list_is_rejected_with_its_line() {
        #[track_caller]
        fn check(text: &str, line: usize) {
            assert_eq!(parse(text.as_bytes(), Register::Corporate), Err(line), "{text:?}");
            let marked = format!("T{}", text.replace("\n", "\nT"));
            let marked = marked.strip_suffix('T').unwrap_or(&marked);
            assert_eq!(parse(marked.as_bytes(), Register::Invoice), Err(line), "{marked:?}");
        }
        check("6010001999901", 1);
        check("601000199990\n", 1);
        check("60100019999011\n", 1);
        check("0000000000001\n6010001999901", 2);
        check("6010001999901\n0000000000001\n", 2);
        check("6010001999901\n6010001999901\n", 2);
        check("6010001999901\r\n", 1);
        check("\n", 1);
        // A list of the other register.
        assert_eq!(parse(b"T6010001999901\n", Register::Corporate), Err(1));
        assert_eq!(parse(b"6010001999901\n", Register::Invoice), Err(1));
        let snapshots = tempfile::tempdir().expect("a folder");
        for (register, expected) in [
            (Register::Corporate, "corporate/changes/2026-08-03.txt: expected 13 digits"),
            (Register::Invoice, "invoice/changes/2026-08-03.txt: expected T and 13 digits"),
        ] {
            let day = day("2026-08-03");
            fs::create_dir_all(folder(snapshots.path(), register)).expect("made");
            fs::write(path(snapshots.path(), register, day), "x").expect("written");
            let error = read(snapshots.path(), register, day).expect_err("damaged").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    proptest! {
        #[test]
        fn noise_never_panics(noise in any::<Vec<u8>>()) {
            for register in Register::ALL {
                let _ = parse(&noise, register);
            }
        }
    }
}
