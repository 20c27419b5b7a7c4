//! Reads a file of the tax agency: splits it into lines of text, collects the faults of the lines, and finds the
//! faults of the file as a whole.
//!
//! A line that is not a row is a reject, except the first line of a file and the last one of a truncated file. The
//! first block with a character beyond ASCII determines the encoding. Only complete lines are decoded. A block that
//! fails to decode is decoded line by line, so that one bad byte costs one line.

use std::io::Read;

use encoding_rs::SHIFT_JIS;

use super::column::COLUMNS_MAX;
use crate::csv::{Fault, LINE_BYTES_MAX, Rejects, foreign_encoding, split};
use crate::error::{Reject, Result, SourceError, excerpt};
use crate::kind::Kind;
use crate::stream::read_error;

/// What is known of a file while its lines are read.
pub(crate) struct FileReader {
    pub name: String,
    kind: Kind,
    pub rows: u64,
    rejects: Rejects,
    pub reject_count: u64,
    /// The previous line, if it was too short. If it turns out to be the last line, the file is truncated.
    short_line: Option<String>,
}

impl FileReader {
    pub fn new(name: &str, kind: Kind) -> FileReader {
        let (name, rejects) = (name.to_owned(), Rejects::new(name));
        FileReader { name, kind, rows: 0, rejects, reject_count: 0, short_line: None }
    }

    /// The columns of a line. `expected` gets their number and returns how many there must be.
    pub fn columns<'t>(
        &mut self,
        line: &Line<'t>,
        expected: impl FnOnce(usize) -> usize,
    ) -> Result<Vec<&'t str>, Fault> {
        self.short_line = None;
        let text = line.text.clone()?;
        let mut columns = Vec::with_capacity(COLUMNS_MAX);
        split(text, &mut columns)?;
        let (found, expected) = (columns.len(), expected(columns.len()));
        if found < expected {
            self.short_line = Some(excerpt(text));
        }
        match found == expected {
            true => Ok(columns),
            false => Err(Fault::line(format!("{expected} columns"), format!("{found} columns"))),
        }
    }

    /// Records a line that is not a row. It is an error of the file if the line has no end, or if `is_first`.
    pub fn reject(&mut self, line: &Line<'_>, fault: Fault, is_first: bool) -> Result<()> {
        if !line.has_end {
            let found = format!("it ends within line {}, {}", line.number, fault.found);
            return Err(SourceError::Truncated { name: self.name.clone(), found });
        }
        if is_first {
            return Err(self.unrecognised(format!("a first line with {}", fault.found)));
        }
        self.reject_count += 1;
        self.rejects.push(line.number, fault)
    }

    /// The error for a file of another kind.
    pub fn unrecognised(&self, found: String) -> SourceError {
        SourceError::Unrecognised { name: self.name.clone(), expected: self.kind, found }
    }

    /// The name of the file and its rejects.
    pub fn finish(self) -> Result<(String, Vec<Reject>)> {
        let name = self.name;
        if let Some(line) = self.short_line {
            let found = format!("the last line is not complete, {line}");
            return Err(SourceError::Truncated { name, found });
        }
        if self.rows == 0 && self.reject_count == 0 {
            return Err(SourceError::Empty { name, expected: self.kind });
        }
        Ok((name, self.rejects.into_list()))
    }
}

const BLOCK_BYTES: usize = 1 << 19;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// The Shift_JIS edition, code page 932.
    ShiftJis,
}

pub(crate) struct Line<'t> {
    pub number: u64,
    /// The line without its end, or why it cannot be decoded.
    pub text: Result<&'t str, Fault>,
    pub has_end: bool,
}

/// Calls `visit` with each line. Returns the encoding; `None` if there are only ASCII characters.
pub(crate) fn for_each_line(
    name: &str,
    mut stream: &mut dyn Read,
    visit: &mut dyn FnMut(Line<'_>) -> Result<()>,
) -> Result<Option<Encoding>> {
    let mut lines = Lines { name, encoding: None, number: 0, visit };
    let mut block: Vec<u8> = Vec::with_capacity(2 * BLOCK_BYTES);
    let mut is_first = true;
    loop {
        let before = block.len();
        let read = Read::by_ref(&mut stream).take(BLOCK_BYTES as u64).read_to_end(&mut block);
        read.map_err(|cause| read_error(name, cause))?;
        if is_first && block.starts_with(b"\xef\xbb\xbf") {
            block.drain(..3);
        }
        is_first = false;
        if block.len() == before || block.is_empty() {
            break;
        }
        let Some(end) = block.iter().rposition(|byte| *byte == b'\n').map(|newline| newline + 1)
        else {
            if block.len() > LINE_BYTES_MAX {
                let found = format!("a line of more than {LINE_BYTES_MAX} bytes");
                return Err(SourceError::Encoding { name: name.to_owned(), found });
            }
            continue;
        };
        lines.split_block(&block[..end])?;
        block.drain(..end);
    }
    if !block.is_empty() {
        lines.split_block(&block)?;
    }
    Ok(lines.encoding)
}

struct Lines<'a, 't> {
    name: &'a str,
    encoding: Option<Encoding>,
    number: u64,
    visit: &'t mut dyn FnMut(Line<'_>) -> Result<()>,
}

impl Lines<'_, '_> {
    fn split_block(&mut self, block: &[u8]) -> Result<()> {
        if self.encoding.is_none() {
            self.encoding = self.detect(block)?;
        }
        let decoded = match self.encoding {
            Some(Encoding::ShiftJis) => {
                SHIFT_JIS.decode_without_bom_handling_and_without_replacement(block)
            }
            _ => std::str::from_utf8(block).ok().map(Into::into),
        };
        match decoded {
            Some(text) => {
                for line in text.split_inclusive('\n') {
                    self.emit(Ok(line))?;
                }
            }
            None => {
                for line in block.split_inclusive(|byte| *byte == b'\n') {
                    self.emit(self.decode_line(line).as_deref().map_err(Clone::clone))?;
                }
            }
        }
        Ok(())
    }

    /// The encoding of a block; `None` if it has only ASCII characters.
    fn detect(&self, block: &[u8]) -> Result<Option<Encoding>> {
        let refuse = |found| Err(SourceError::Encoding { name: self.name.to_owned(), found });
        if let Some(found) = foreign_encoding(block) {
            return refuse(found);
        }
        if block.is_ascii() {
            return Ok(None);
        }
        // One line may be damaged, or be valid in both by chance, so the majority decides.
        let lines = || block.split(|byte| *byte == b'\n').filter(|line| !line.is_ascii());
        let utf8 = lines().filter(|line| std::str::from_utf8(line).is_ok()).count();
        let shift_jis = || {
            let decode = |line| SHIFT_JIS.decode_without_bom_handling_and_without_replacement(line);
            lines().filter(|line| decode(line).is_some()).count()
        };
        match (utf8, lines().count()) {
            (utf8, all) if utf8 * 2 > all => Ok(Some(Encoding::Utf8)),
            (_, all) if shift_jis() * 2 > all => Ok(Some(Encoding::ShiftJis)),
            _ => refuse("bytes that are neither in most lines".to_owned()),
        }
    }

    fn decode_line(&self, line: &[u8]) -> Result<String, Fault> {
        let decoded = match self.encoding {
            Some(Encoding::ShiftJis) => {
                SHIFT_JIS.decode_without_bom_handling_and_without_replacement(line).map(Into::into)
            }
            _ => std::str::from_utf8(line).ok().map(str::to_owned),
        };
        decoded.ok_or_else(|| {
            let expected = match self.encoding {
                Some(Encoding::ShiftJis) => "text in Shift_JIS, like the previous lines",
                _ => "text in UTF-8, like the previous lines",
            };
            Fault::line(expected, "other bytes".to_owned())
        })
    }

    fn emit(&mut self, line: Result<&str, Fault>) -> Result<()> {
        self.number += 1;
        let mut has_end = true;
        let text = line.and_then(|line| {
            let text = line.strip_suffix('\n');
            has_end = text.is_some();
            let text = text.unwrap_or(line);
            let text = text.strip_suffix('\r').unwrap_or(text);
            match text.len() {
                0..=LINE_BYTES_MAX => Ok(text),
                long => Err(Fault::line(
                    format!("a line of at most {LINE_BYTES_MAX} bytes"),
                    format!("{long} bytes"),
                )),
            }
        });
        (self.visit)(Line { number: self.number, text, has_end })
    }
}
