//! Text and lines: decoding, and splitting a line into columns.
//!
//! An official file has one record per line, quotes a column as a whole or not at all, and never has a quote or a
//! line break inside one; any other line is damaged. A general CSV reader would continue an open quote over the
//! following lines, and lose them all because of one bad byte.

use std::borrow::Cow;

use encoding_rs::{EUC_JP, SHIFT_JIS};

use crate::error::{REJECTS_MAX, Reject, Result, SourceError, excerpt};
use crate::{Batch, Progress, open::Source};

/// The longest line that is read: eight times the longest one seen.
pub(crate) const LINE_BYTES_MAX: usize = 16 * 1024;

/// Lines between reports of a reader's progress.
const PROGRESS_LINES: u64 = 4096;

#[derive(Debug)]
pub(crate) struct Text {
    /// The file's name in messages.
    pub name: String,
    /// The complete lines.
    pub lines: String,
    /// The text after the last line end; `None` in a complete file.
    pub partial_line: Option<String>,
}

impl Text {
    /// Decodes UTF-8, else code page 932, depending on the text before the last line end; an empty file is an empty
    /// text.
    pub fn decode(source: Source) -> Result<Text> {
        let (name, bytes) = source.into_parts();
        let bytes = without_bom(bytes);
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |index| index + 1);
        let partial_line = (end < bytes.len()).then(|| {
            let rest = &bytes[end..];
            match std::str::from_utf8(rest) {
                Ok(text) => text.to_owned(),
                Err(_) => SHIFT_JIS.decode_without_bom_handling(rest).0.into_owned(),
            }
        });
        if let Some(found) = foreign_encoding(&bytes[..end]) {
            return Err(SourceError::Encoding { name, found });
        }
        let wrong = |found| SourceError::Encoding { name: name.clone(), found };
        let mut lines = decode(bytes, end).map_err(wrong)?;
        let partial_line = partial_line.filter(|partial| {
            let is_complete = is_complete_line(partial, &lines);
            if is_complete {
                lines.push_str(partial);
                lines.push('\n');
            }
            !is_complete
        });
        Ok(Text { name, lines, partial_line })
    }

    pub fn is_empty(&self) -> bool {
        self.partial_line.is_none() && self.lines.trim_ascii().is_empty()
    }

    /// The error for a file that does not end with a line end, if that is the case.
    pub fn check_end(&self) -> Result<()> {
        match &self.partial_line {
            None => Ok(()),
            Some(partial) => {
                Err(self.truncated(format!("it ends within a line, {}", excerpt(partial))))
            }
        }
    }

    fn truncated(&self, found: String) -> SourceError {
        SourceError::Truncated { name: self.name.clone(), found }
    }
}

/// Whether a last line without its end is complete: it has as many columns as the first line.
fn is_complete_line(line: &str, lines: &str) -> bool {
    let columns = |line: &str| {
        let mut fields = Vec::new();
        split(line, &mut fields).ok().map(|()| fields.len())
    };
    let line = line.strip_suffix('\r').unwrap_or(line);
    let first = lines.lines().next().and_then(columns);
    let last = columns(line);
    let is_closed = line.ends_with(|end: char| end == '"' || end.is_ascii_digit());
    is_closed && last == first && last > Some(1)
}

fn without_bom(bytes: Cow<'static, [u8]>) -> Cow<'static, [u8]> {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(bytes.strip_prefix(BOM).unwrap_or(bytes)),
        Cow::Owned(mut bytes) if bytes.starts_with(BOM) => {
            // In place: there may be no memory for a copy.
            bytes.drain(..BOM.len());
            Cow::Owned(bytes)
        }
        owned => owned,
    }
}

/// Names an encoding that would pass as UTF-8 because it uses only ASCII bytes, or nearly so.
pub(crate) fn foreign_encoding(bytes: &[u8]) -> Option<String> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Some("UTF-16".to_owned());
    }
    if bytes.contains(&0) {
        return Some("zero bytes, as UTF-16 or a binary file has them".to_owned());
    }
    // Its escape sequences switch between character sets.
    bytes.contains(&0x1b).then(|| "ISO-2022-JP".to_owned())
}

fn decode(bytes: Cow<'static, [u8]>, end: usize) -> Result<String, String> {
    let not_utf8 = match bytes {
        Cow::Owned(mut bytes) => {
            bytes.truncate(end);
            match String::from_utf8(bytes) {
                Ok(lines) => return Ok(lines),
                Err(error) => (error.utf8_error().valid_up_to(), Cow::Owned(error.into_bytes())),
            }
        }
        Cow::Borrowed(bytes) => match std::str::from_utf8(&bytes[..end]) {
            Ok(lines) => return Ok(lines.to_owned()),
            Err(error) => (error.valid_up_to(), Cow::Borrowed(&bytes[..end])),
        },
    };
    let (valid_up_to, bytes) = not_utf8;
    if let Some(lines) = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(&bytes) {
        return Ok(lines.into_owned());
    }
    let euc = EUC_JP.decode_without_bom_handling_and_without_replacement(&bytes);
    if euc.is_some_and(|text| text.contains(['県', '都', '道', '府'])) {
        return Err("EUC-JP".to_owned());
    }
    let line = 1 + bytes[..valid_up_to].iter().filter(|&&byte| byte == b'\n').count();
    let byte = bytes.get(valid_up_to).copied().unwrap_or_default();
    Err(format!("bytes that are neither, from line {line} on (0x{byte:02x} is not UTF-8)"))
}

/// Why a line or a column cannot be read; becomes a [`Reject`] once its position is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Column, from 1; `None` if the line as a whole is wrong.
    pub column: Option<u32>,
    pub expected: Cow<'static, str>,
    pub found: String,
}

impl Fault {
    /// A fault of one column, which quotes the column's content.
    pub fn column(index: usize, expected: impl Into<Cow<'static, str>>, found: &str) -> Fault {
        Fault { column: Some(index as u32 + 1), expected: expected.into(), found: excerpt(found) }
    }

    pub fn line(expected: impl Into<Cow<'static, str>>, found: String) -> Fault {
        Fault { column: None, expected: expected.into(), found }
    }

    pub fn columns(expected: usize, found: usize) -> Fault {
        Fault::line(format!("{expected} columns"), format!("{found}"))
    }
}

/// The rejects of one file, up to [`REJECTS_MAX`].
#[derive(Debug)]
pub(crate) struct Rejects {
    file: String,
    list: Vec<Reject>,
}

impl Rejects {
    pub fn new(file: &str) -> Rejects {
        Rejects { file: file.to_owned(), list: Vec::new() }
    }

    pub fn push(&mut self, line: u64, fault: Fault) -> Result<()> {
        if self.list.len() == REJECTS_MAX {
            let first = Box::new(self.list.swap_remove(0));
            return Err(SourceError::TooManyRejects { name: self.file.clone(), first });
        }
        self.list.push(Reject {
            file: self.file.clone(),
            line,
            column: fault.column,
            expected: fault.expected.into_owned(),
            found: fault.found,
        });
        Ok(())
    }

    pub fn into_list(mut self) -> Vec<Reject> {
        self.list.sort_by_key(|reject| reject.line);
        self.list
    }
}

/// The lines of a text, split into columns one at a time.
pub(crate) struct Records<'t> {
    text: &'t Text,
    columns: usize,
    /// Where the next line begins, in bytes.
    position: usize,
    /// End of the last line that is not blank; blank lines at the end are ignored.
    end: usize,
    line: u64,
    fields: Vec<&'t str>,
}

/// One line: its number from 1, and its columns without their quotes, or its fault.
pub(crate) struct Record<'t, 'r> {
    pub line: u64,
    pub fields: Result<&'r [&'t str], Fault>,
}

impl<'t> Records<'t> {
    pub fn new(text: &'t Text, columns: usize) -> Result<Self> {
        Records::after(text, columns, 0, 0)
    }

    /// The lines after the first `lines`, which end at byte `position`.
    pub fn after(text: &'t Text, columns: usize, position: usize, lines: u64) -> Result<Self> {
        text.check_end()?;
        let last = text.lines.trim_ascii_end().len();
        let end = text.lines[last..].find('\n').map_or(last, |newline| last + newline + 1);
        let end = end.max(position);
        Ok(Records { text, columns, position, end, line: lines, fields: Vec::new() })
    }

    /// How many lines were read, including those before the first record.
    pub fn lines(&self) -> u64 {
        self.line
    }

    /// The next line, or `None` at the end; fails if the last line is incomplete.
    pub fn next(&mut self, progress: Progress<'_>) -> Result<Option<Record<'t, '_>>> {
        let text: &'t str = &self.text.lines[..self.end];
        let rest = &text[self.position..];
        let Some(end) = rest.find('\n') else {
            progress(text.len() as u64, text.len() as u64);
            return Ok(None);
        };
        let line = &rest[..end];
        self.position += end + 1;
        self.line += 1;
        if self.line.is_multiple_of(PROGRESS_LINES) {
            progress(self.position as u64, text.len() as u64);
        }
        // Copying a file may double the carriage return.
        let line = line.trim_end_matches('\r');
        let split = match line.len() {
            0..=LINE_BYTES_MAX => split(line, &mut self.fields),
            long => Err(Fault::line(
                format!("a line of at most {LINE_BYTES_MAX} bytes"),
                format!("{long} bytes"),
            )),
        };
        let is_short = split.is_err() || self.fields.len() < self.columns;
        if is_short && self.position == text.len() && self.line > 1 {
            let found = format!("the last line is not complete, {}", excerpt(line));
            return Err(self.text.truncated(found));
        }
        let fields = match split {
            Err(fault) => Err(fault),
            Ok(()) if self.fields.len() != self.columns => {
                Err(Fault::columns(self.columns, self.fields.len()))
            }
            Ok(()) => Ok(&self.fields[..]),
        };
        Ok(Some(Record { line: self.line, fields }))
    }
}

/// Reads every line as a row with `parse`; a line that has a fault becomes a reject.
pub(crate) fn read_lines<R>(
    text: &Text,
    columns: usize,
    parse: impl Fn(u64, &[&str]) -> Result<R, Fault>,
    progress: Progress<'_>,
) -> Result<Batch<R>> {
    let mut records = Records::new(text, columns)?;
    let mut rejects = Rejects::new(&text.name);
    let mut rows = Vec::new();
    while let Some(record) = records.next(progress)? {
        let line = record.line;
        match record.fields.and_then(|fields| parse(line, fields)) {
            Ok(row) => rows.push(row),
            Err(fault) => rejects.push(line, fault)?,
        }
    }
    Ok(Batch { rows, rejects: rejects.into_list(), lines: records.lines() })
}

/// Splits a line (without its end) at its commas and removes the quotes of columns.
pub(crate) fn split<'t>(line: &'t str, fields: &mut Vec<&'t str>) -> Result<(), Fault> {
    fields.clear();
    let mut rest = line;
    loop {
        let column = fields.len();
        let after = match rest.strip_prefix('"') {
            Some(quoted) => {
                let Some(end) = closing_quote(quoted) else {
                    return Err(Fault::column(column, "a closing quote", rest));
                };
                fields.push(&quoted[..end]);
                &quoted[end + 1..]
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let field = &rest[..end];
                if field.contains('"') {
                    let expected = "quotes around the whole column or none";
                    return Err(Fault::column(column, expected, field));
                }
                fields.push(field);
                &rest[end..]
            }
        };
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(()),
            None => return Err(Fault::column(column, "a comma after the closing quote", after)),
        }
    }
}

/// The end of a quoted column. Doubled quotes stay doubled: no column that is used has any.
fn closing_quote(quoted: &str) -> Option<usize> {
    let mut start = 0;
    loop {
        let end = start + quoted[start..].find('"')?;
        if quoted[end + 1..].starts_with('"') {
            start = end + 2;
        } else {
            return Some(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &'static [u8]) -> Result<Text, SourceError> {
        Text::decode(Source::from_bytes("t.csv", bytes))
    }

    #[test]
    fn both_encodings_are_decoded_and_others_named() {
        #[track_caller]
        fn check(bytes: &'static [u8], expected: Result<&str, &str>) {
            match (text(bytes), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found.lines, expected),
                (Err(SourceError::Encoding { found, .. }), Err(expected)) => {
                    assert!(found.contains(expected), "{found}");
                }
                (found, expected) => panic!("expected {expected:?}, found {found:?}"),
            }
        }
        check(b"", Ok(""));
        check("北海道\n".as_bytes(), Ok("北海道\n"));
        check(b"\xef\xbb\xbfa\n", Ok("a\n"));
        check(b"\x96\x6b\x8a\x43\x93\xb9\n", Ok("北海道\n"));
        check(b"\x81\x60\x81\x7c\x87\x54\n", Ok("～－Ⅰ\n"));
        check(b"\xb1\xb2\n", Ok("ｱｲ\n"));
        // EUC-JP, ISO-2022-JP and UTF-16 of 北海道 and a reading.
        check(b"\xcb\xcc\xb3\xa4\xc6\xbb\xa4\xfd\xfe\n", Err("neither"));
        check(b"\xcb\xcc\xb3\xa4\xc6\xbb\xb2\xfd\n", Err("EUC-JP"));
        check(b"\x1b$BKL3$F;\x1b(B\n", Err("ISO-2022-JP"));
        check(b"\xff\xfe\x17\x53\n\0", Err("UTF-16"));
        check(b"a\0b\n", Err("zero bytes"));
        check(b"ok\n\xfd\xfe\xff\n", Err("from line 2 on"));
    }

    #[test]
    fn text_after_the_last_line_end_is_a_truncated_line() {
        #[track_caller]
        fn check(bytes: &'static [u8], lines: &str, cut: Option<&str>) {
            let found = text(bytes).expect("decodes");
            assert_eq!((found.lines.as_str(), found.partial_line.as_deref()), (lines, cut));
            assert_eq!(found.check_end().is_err(), cut.is_some());
        }
        check(b"a\nb", "a\n", Some("b"));
        check(b"a,1\nb", "a,1\n", Some("b"));
        check(b"a,1\nb,", "a,1\n", Some("b,"));
        check(b"a,1\nb,\"2", "a,1\n", Some("b,\"2"));
        check(b"a,1\nb,2", "a,1\nb,2\n", None);
        check(b"a,1\r\nb,\"2\"", "a,1\r\nb,\"2\"\n", None);
        check(b"a\nb\n", "a\nb\n", None);
        check(b"a", "", Some("a"));
        check("北\n北".as_bytes(), "北\n", Some("北"));
        // Half of 海 in UTF-8: the encoding is still certain from the lines before.
        check(b"\xe5\x8c\x97\n\xe6\xb5", "北\n", Some("豬"));
    }

    #[test]
    fn progress_reaches_the_end() {
        let lines = "a,b\r\n".repeat(3 * PROGRESS_LINES as usize);
        let text = Text::decode(Source::from_bytes("t.csv", lines.clone().into_bytes()));
        let text = text.expect("ASCII");
        let mut records = Records::new(&text, 2).expect("not cut");
        let mut seen = Vec::new();
        while records.next(&mut |done, total| seen.push((done, total))).expect("whole").is_some() {}
        let total = lines.len() as u64;
        assert_eq!(seen, [1, 2, 3, 3].map(|third| (third * total / 3, total)));
        assert_eq!(records.lines(), 3 * PROGRESS_LINES);
    }

    #[test]
    fn blank_lines_at_the_end_are_ignored() {
        for (lines, expected) in [("a\n\n\r\n", 1), ("a\n\nb\n", 3), ("a \n", 1), ("\n\n", 1)] {
            let text = text(lines.as_bytes()).expect("ASCII");
            let mut records = Records::new(&text, 1).expect("not cut");
            while records.next(&mut |_, _| {}).expect("whole").is_some() {}
            assert_eq!(records.lines(), expected, "{lines:?}");
        }
    }

    #[test]
    fn a_file_with_too_many_rejects_is_refused() {
        let mut rejects = Rejects::new("t.csv");
        for line in 1..=REJECTS_MAX as u64 {
            rejects.push(line, Fault::columns(15, 2)).expect("within the limit");
        }
        let error = rejects.push(0, Fault::columns(15, 2)).expect_err("one too many");
        assert_eq!(
            error.to_string(),
            "t.csv: expected at most 20000 unreadable rows, found more; \
             the first: t.csv:1: expected 15 columns, found 2; check that this is the right file"
        );
    }

    #[test]
    fn splits_lines_and_refuses_stray_quotes() {
        #[track_caller]
        fn check(line: &str, expected: Result<&[&str], u32>) {
            let mut fields = Vec::new();
            let found = split(line, &mut fields).map_err(|fault| fault.column.unwrap_or(0));
            assert_eq!(found.map(|()| fields.as_slice()), expected, "{line}");
        }
        check("", Ok(&[""]));
        check(",", Ok(&["", ""]));
        check("1,\"a\",0", Ok(&["1", "a", "0"]));
        check("\"a,b\",c", Ok(&["a,b", "c"]));
        check("\"\",\"\"", Ok(&["", ""]));
        check("\"a\"\"b\",c", Ok(&["a\"\"b", "c"]));
        check("1,\"a", Err(2));
        check("1,\"a\"b,c", Err(2));
        check("1,2,a\"b", Err(3));
        check("\"", Err(1));
        check("\"\"\"", Err(1));
    }
}
