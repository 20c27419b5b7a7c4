//! The form of a text: what ends its rows, and what separates its fields.

use std::path::Path;

use super::split::{CR, LF};

/// How many lines decide the delimiter.
const LINES_EXAMINED: usize = 50;

/// The last byte of a line break: CR for files of old Macs, which have no LF outside quotes.
pub fn detect_newline(beginning: &[u8]) -> u8 {
    if !beginning.contains(&CR) {
        return LF;
    }
    if !beginning.contains(&LF) {
        return CR;
    }
    let mut is_quoted = false;
    let mut has_cr = false;
    for (at, &byte) in beginning.iter().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            LF if !is_quoted => return LF,
            // At the end, an LF may follow.
            CR if !is_quoted => has_cr |= beginning.get(at + 1) != Some(&LF),
            _ => {}
        }
    }
    if has_cr { CR } else { LF }
}

/// The delimiter: what the name of the file says; else the tab or the semicolon of the first line that has any
/// delimiter, if it has no comma. A name that ends in .csv says no tab, but many of these files have semicolons.
pub fn detect_delimiter(path: Option<&Path>, beginning: &[u8], newline: u8) -> u8 {
    let extension = extension(path);
    if matches!(extension.as_deref(), Some("tsv" | "tab")) {
        return b'\t';
    }
    let lines = beginning.split(|&byte| byte == newline).take(LINES_EXAMINED);
    let lines: Vec<&[u8]> = lines.collect();
    let has_any = |line: &&&[u8]| line.iter().any(|byte| matches!(byte, b',' | b'\t' | b';'));
    let Some(line) = lines.iter().find(has_any) else { return b',' };
    if line.contains(&b',') {
        return b',';
    }
    if line.contains(&b'\t') {
        return if extension.as_deref() == Some("csv") { b',' } else { b'\t' };
    }
    // A title may have a semicolon.
    let count = |delimiter: u8| lines.iter().filter(|line| line.contains(&delimiter)).count();
    if count(b';') >= count(b',').max(count(b'\t')) { b';' } else { b',' }
}

pub fn line_ending(beginning: &[u8], newline: u8) -> &'static [u8] {
    match beginning.iter().position(|&byte| byte == newline) {
        _ if newline == CR => b"\r",
        Some(newline) if newline > 0 && beginning[newline - 1] == CR => b"\r\n",
        _ => b"\n",
    }
}

/// The extension of the name; of a compressed file, the one before that.
pub fn extension(path: Option<&Path>) -> Option<String> {
    let extension_of = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    let path = path?;
    match extension_of(path)?.as_str() {
        "gz" | "zst" | "xz" => extension_of(Path::new(path.file_stem()?)),
        other => Some(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_detected() {
        #[track_caller]
        fn check(path: Option<&str>, beginning: &str, expected: u8) {
            let found = detect_delimiter(path.map(Path::new), beginning.as_bytes(), LF);
            assert_eq!(found, expected, "{path:?} {beginning:?}");
        }
        check(Some("a.csv"), "a\tb\n", b',');
        check(Some("a.TSV"), "a,b\n", b'\t');
        check(Some("a.tsv.gz"), "a,b\n", b'\t');
        check(Some("a.csv.xz"), "a\tb\n", b',');
        check(Some("a.txt"), "a\tb\nc,d\n", b'\t');
        check(Some("a.txt"), "a\tb,c\n", b',');
        check(None, "a\tb", b'\t');
        check(None, "", b',');
        check(Some("a.csv"), "a;b\n1;2\n", b';');
        check(None, "a;b\n1,5;2\n", b';');
        check(None, "a;b,c\n", b',');
        check(None, "title\n\na;b\n", b';');
        check(None, "title; 2024\na,b\n1,2\n", b',');
        check(None, "title\na\tb\n", b'\t');
    }

    #[test]
    fn line_breaks_are_detected() {
        for (beginning, expected) in [
            ("a\nb", LF),
            ("a\r\nb\r\n", LF),
            ("a\rb\r", CR),
            ("a,\"b\nc\"\rd\r", CR),
            ("a\rb\nc\n", LF),
            ("a\r", CR),
            ("\"a\rb\r", CR),
            ("\"a\r\nb\r\n", LF),
            ("\"a\rb\"\n", LF),
            ("", LF),
        ] {
            assert_eq!(detect_newline(beginning.as_bytes()), expected, "{beginning:?}");
        }
        assert_eq!(line_ending(b"a\rb", CR), b"\r");
        assert_eq!(line_ending(b"a\r\nb", LF), b"\r\n");
        assert_eq!(line_ending(b"a\nb", LF), b"\n");
    }
}
