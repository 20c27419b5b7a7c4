//! The zengin-code tree: `banks.json`, and `branches/NNNN.json` for each institution.
//!
//! Each file is an object from code to record. Branch files of institutions that banks.json lacks remain from
//! abolished ones. A file that is not JSON is wrong as a whole; a bad record is a reject.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;

use crate::csv::{Fault, Rejects};
use crate::{
    Batch, Progress,
    error::{Result, SourceError},
    files::Files,
    kind::Kind,
};

use super::ginkositen::is_repeated;
use super::rows::{self, Expected};
use super::rows::{BankDirectory, BankRow, BranchRow, Format, Names};

const BANKS: &str = "banks.json";

pub(super) fn read(files: &Files, progress: Progress<'_>) -> Result<BankDirectory> {
    let root = root_folder(files)?;
    let path = format!("{root}{BANKS}");
    let banks = read_banks(files, &path)?;
    let total = banks.rows.len() as u64;
    let (mut branches, mut rejects) = (Vec::new(), Vec::new());
    let (mut lines, mut files_read) = (0, 0);
    for (done, bank) in (0u64..).zip(&banks.rows) {
        let path = format!("{root}branches/{:04}.json", bank.code);
        let Some(bytes) = files.get(&path) else {
            let mut missing = Rejects::new(&files.name_of(&format!("{root}{BANKS}")));
            let found = format!("no branches/{:04}.json", bank.code);
            missing.push(bank.line, Fault::line("a file of the institution's branches", found))?;
            rejects.extend(missing.into_list());
            continue;
        };
        let batch = read_branches(&files.name_of(&path), bytes, bank.code)?;
        branches.extend(batch.rows);
        rejects.extend(batch.rejects);
        lines += batch.lines;
        files_read += 1;
        progress(done + 1, total);
    }
    let branches_folder = format!("{root}branches/");
    let all = files.iter().filter(|(path, _)| path.starts_with(&branches_folder)).count();
    let abolished = u32::try_from(all - files_read).unwrap_or(u32::MAX);
    let branches = Batch { rows: branches, rejects, lines };
    Ok(BankDirectory { format: Format::ZenginCode, banks, branches, abolished })
}

/// The folder of banks.json, with its slash.
fn root_folder(files: &Files) -> Result<String> {
    let is_banks = |path: &&str| *path == BANKS || path.ends_with("/banks.json");
    let mut found = files.iter().map(|(path, _)| path).filter(is_banks);
    let expected = "banks.json beside a folder branches";
    match (found.next(), found.next()) {
        (Some(path), None) => Ok(path.strip_suffix(BANKS).unwrap_or_default().to_owned()),
        (None, _) => Err(files.incomplete(expected)),
        (Some(first), Some(second)) => {
            let found = format!("several files banks.json ({first}, {second})");
            let name = files.name().to_owned();
            Err(SourceError::Unrecognised { name, expected: Kind::Bank, found })
        }
    }
}

fn read_banks(files: &Files, path: &str) -> Result<Batch<BankRow>> {
    let name = files.name_of(path);
    let bytes = files.get(path).unwrap_or_default();
    let mut rejects = Rejects::new(&name);
    let mut rows: Vec<BankRow> = Vec::new();
    let lines =
        for_each_record::<4>(&name, bytes, "institution", &mut rejects, |line, code, names| {
            if rows.iter().any(|bank| bank.code == code) {
                return Err("an institution once");
            }
            rows.push(BankRow { line, code, names });
            Ok(())
        })?;
    rows.sort_by_key(|bank| bank.code);
    Ok(Batch { rows, rejects: rejects.into_list(), lines })
}

fn read_branches(name: &str, bytes: &[u8], bank: u16) -> Result<Batch<BranchRow>> {
    let mut rejects = Rejects::new(name);
    let mut read: Vec<BranchRow> = Vec::new();
    let lines = for_each_record::<3>(name, bytes, "branch", &mut rejects, |line, code, names| {
        read.push(BranchRow { line, bank, code, names });
        Ok(())
    })?;
    read.sort_by_key(|branch| branch.code);
    let mut rows: Vec<BranchRow> = Vec::with_capacity(read.len());
    for branch in read {
        if is_repeated(&rows, bank, branch.code, &branch.names) {
            let found = format!("{:03} {} again", branch.code, branch.names.name);
            rejects.push(branch.line, Fault::line("a branch once", found))?;
        } else {
            rows.push(branch);
        }
    }
    Ok(Batch { rows, rejects: rejects.into_list(), lines })
}

/// Calls `accept` with each readable record of a file; it may refuse the record. Returns the number of records.
fn for_each_record<const DIGITS: usize>(
    name: &str,
    bytes: &[u8],
    what: &str,
    rejects: &mut Rejects,
    mut accept: impl FnMut(u64, u16, Names) -> Result<(), Expected>,
) -> Result<u64> {
    let text = decode(name, bytes)?;
    let Members(members) = serde_json::from_str(text).map_err(|cause| json_error(name, &cause))?;
    let fits = |(key, _): &(String, &RawValue)| rows::code::<DIGITS>(key).is_some();
    if !members.is_empty() && !members.iter().any(fits) {
        let found = format!("no {what} code of {DIGITS} digits, but {}", members[0].0);
        let name = name.to_owned();
        return Err(SourceError::Unrecognised { name, expected: Kind::Bank, found });
    }
    let mut position = Position { text, offset: 0, line: 1, line_start: 0 };
    for (key, value) in &members {
        let value = value.get();
        position.advance_to(value.as_ptr() as usize - text.as_ptr() as usize);
        let line = position.line;
        let record =
            parse_code::<DIGITS>(key).and_then(|code| Ok((code, parse_names(key, value)?)));
        let fault = match record {
            Ok((code, names)) => match accept(line, code, names) {
                Ok(()) => continue,
                Err(expected) => {
                    RecordFault { field: None, expected, found: format!("{key} again") }
                }
            },
            Err(fault) => fault,
        };
        let within = fault.field.and_then(|field| value.find(&format!("\"{field}\"")));
        let mut position = position;
        position.advance_to(position.offset + within.unwrap_or_default());
        let column = Some(position.column());
        let expected = fault.expected.into();
        rejects.push(position.line, Fault { column, expected, found: fault.found })?;
    }
    Ok(members.len() as u64)
}

/// Why a record cannot be read, and in which field.
struct RecordFault {
    field: Option<&'static str>,
    expected: Expected,
    found: String,
}

fn parse_code<const DIGITS: usize>(key: &str) -> Result<u16, RecordFault> {
    let expected =
        if DIGITS == 4 { "an institution code, 4 digits" } else { "a branch code, 3 digits" };
    let fault = || RecordFault { field: None, expected, found: crate::error::excerpt(key) };
    rows::code::<DIGITS>(key).ok_or_else(fault)
}

fn parse_names(key: &str, value: &str) -> Result<Names, RecordFault> {
    let excerpt = crate::error::excerpt;
    let record: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(value).map_err(|_other| RecordFault {
            field: None,
            expected: "a record",
            found: excerpt(value),
        })?;
    let field = |name: &'static str| match record.get(name) {
        None => Ok(None),
        Some(serde_json::Value::String(text)) => Ok(Some(text.as_str())),
        Some(other) => {
            let found = excerpt(&other.to_string());
            Err(RecordFault { field: Some(name), expected: "a string", found })
        }
    };
    let fault = |name: &'static str, text: Option<&str>| {
        let found = excerpt(text.unwrap_or_default());
        move |expected| RecordFault { field: Some(name), expected, found }
    };
    let code = field("code")?;
    if code != Some(key) {
        return Err(fault("code", code)("the code under which the record is listed"));
    }
    let (name, kana) = (field("name")?, field("kana")?);
    let (hira, roma) = (field("hira")?, field("roma")?);
    Ok(Names {
        name: rows::name(name.unwrap_or_default()).map_err(fault("name", name))?,
        katakana: rows::katakana(kana.unwrap_or_default()).map_err(fault("kana", kana))?,
        hiragana: rows::hiragana(hira).map_err(fault("hira", hira))?,
        romaji: rows::romaji(roma).map_err(fault("roma", roma))?,
    })
}

fn decode<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        let found = format!("bytes that are not UTF-8, from line {line} on");
        SourceError::Encoding { name: name.to_owned(), found }
    })
}

fn json_error(name: &str, cause: &serde_json::Error) -> SourceError {
    let name = name.to_owned();
    if cause.is_eof() {
        let found = format!("the JSON ends at line {}, before its end", cause.line());
        return SourceError::Truncated { name, found };
    }
    SourceError::Damaged { name, format: "JSON", cause: cause.to_string() }
}

/// A position in a text that only moves forward, with its line.
#[derive(Clone, Copy)]
struct Position<'t> {
    text: &'t str,
    offset: usize,
    line: u64,
    line_start: usize,
}

impl Position<'_> {
    fn advance_to(&mut self, offset: usize) {
        let passed = &self.text.as_bytes()[self.offset..offset];
        for (newline, _) in passed.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            self.line += 1;
            self.line_start = self.offset + newline + 1;
        }
        self.offset = offset;
    }

    /// The character in its line, from 1.
    fn column(&self) -> u32 {
        let before = self.text[self.line_start..self.offset].chars().count();
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }
}

/// The members of an object in order, including those with the same key.
struct Members<'j>(Vec<(String, &'j RawValue)>);

impl<'j> Deserialize<'j> for Members<'j> {
    fn deserialize<D: Deserializer<'j>>(deserializer: D) -> Result<Members<'j>, D::Error> {
        struct MembersVisitor;
        impl<'j> Visitor<'j> for MembersVisitor {
            type Value = Members<'j>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object from code to record")
            }

            fn visit_map<A: MapAccess<'j>>(self, mut map: A) -> Result<Members<'j>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, &'j RawValue>()? {
                    members.push(member);
                }
                if members.len() > MEMBERS_MAX {
                    return Err(de::Error::custom("expected at most 100,000 records, found more"));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

/// Limit on the records of one file; there are 10,000 institution codes.
const MEMBERS_MAX: usize = 100_000;
