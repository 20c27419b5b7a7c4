//! Verifies downloaded files. A status of 200 proves nothing: sites answer with an HTML page, with half a file
//! or with another file than requested.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use zip::ZipArchive;

use super::error::{Result, UpdateError};
use super::file_spec::FileFormat;
use super::page::title_if_html;
use crate::text::codes::DataVersion;

/// Limit of one unpacked file; the largest known one, all corporations, has 1.2 GB.
const UNPACKED_BYTES_MAX: u64 = 1 << 33;

/// How much of an invalid file is read for the error message.
const HEAD_BYTES: u64 = 1 << 16;

const ZIP_MAGIC: [u8; 4] = *b"PK\x03\x04";
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

const TRY_AGAIN: &str = "the download may be incomplete: try again";
const CHECK_FILE: &str = "check the file: the site may have published another one";

/// Verifies a file that was downloaded from `url`. Returns the lines of a CSV, with its header.
pub fn verify(path: &Path, url: &str, format: &FileFormat) -> Result<Option<u64>> {
    let failed = |cause| UpdateError::io(path, cause);
    let mut head = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
    if let Some(title) = title_if_html(&head) {
        return Err(UpdateError::Html { url: url.to_owned(), expected: format.to_string(), title });
    }
    let magic_fits = match format {
        FileFormat::ZipOfCsv { .. } => head.starts_with(&ZIP_MAGIC),
        FileFormat::TarGz => head.starts_with(&GZIP_MAGIC),
        FileFormat::Csv => !head.is_empty() && !head.contains(&0) && !head.starts_with(b"PK"),
    };
    if !magic_fits {
        return Err(UpdateError::wrong_file(
            url,
            format.to_string(),
            describe_head(&head),
            TRY_AGAIN,
        ));
    }
    let file = BufReader::with_capacity(1 << 18, File::open(path).map_err(failed)?);
    let rows = match format {
        FileFormat::ZipOfCsv { member } => Some(rows_of_zip(file, url, member)?),
        FileFormat::Csv => Some(count_rows(file).map_err(failed)?),
        FileFormat::TarGz => {
            let damaged = |cause: io::Error| damaged(url, "a whole gzip", &cause.to_string());
            count_rows(MultiGzDecoder::new(file)).map_err(damaged)?;
            None
        }
    };
    Ok(rows)
}

/// Unpacks the CSV in a ZIP, which also verifies its checksum, and counts its rows. `wanted` is its name.
fn rows_of_zip(file: BufReader<File>, url: &str, wanted: &str) -> Result<u64> {
    let not_whole = |cause: &dyn ToString| damaged(url, "a whole ZIP", &cause.to_string());
    let mut archive = ZipArchive::new(file).map_err(|cause| not_whole(&cause))?;
    let mut members: Vec<(usize, String)> = Vec::new();
    for index in 0..archive.len() {
        let member = archive.by_index_raw(index).map_err(|cause| not_whole(&cause))?;
        if !member.is_dir() {
            let name = member.name().map_err(|cause| not_whole(&cause))?;
            members.push((index, name.into_owned()));
        }
    }
    let is_csv = |name: &str| name.to_ascii_lowercase().ends_with(".csv");
    let files: Vec<&(usize, String)> = members.iter().filter(|(_, name)| is_csv(name)).collect();
    let &[(index, name)] = &files[..] else {
        let names: Vec<&str> = members.iter().map(|(_, name)| name.as_str()).collect();
        let found = format!("{} of them: {}", files.len(), names.join(", "));
        return Err(UpdateError::wrong_file(url, "a ZIP with exactly one CSV", found, CHECK_FILE));
    };
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    if !wanted.is_empty() && !last.eq_ignore_ascii_case(wanted) {
        let expected = format!("{wanted} in the ZIP");
        return Err(UpdateError::wrong_file(url, expected, last, CHECK_FILE));
    }
    let content = archive.by_index(*index).map_err(|cause| not_whole(&cause))?;
    count_rows(content).map_err(|cause| not_whole(&cause))
}

/// Reads a file to the end, which verifies the checksum of a packed one, and counts its rows.
fn count_rows(mut stream: impl Read) -> io::Result<u64> {
    let mut buffer = vec![0; 1 << 18];
    let (mut rows, mut bytes, mut last) = (0, 0, b'\n');
    loop {
        let count = match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(cause),
        };
        bytes += count as u64;
        if bytes > UNPACKED_BYTES_MAX {
            let found = format!("more than {UNPACKED_BYTES_MAX} bytes when unpacked");
            return Err(io::Error::other(found));
        }
        rows += memchr::memchr_iter(b'\n', &buffer[..count]).count() as u64;
        last = buffer[count - 1];
    }
    Ok(rows + u64::from(last != b'\n'))
}

/// Fails if a full file has far fewer or far more rows than the full file of the previous edition.
pub fn compare_rows(url: &str, found: u64, before: u64, edition: DataVersion) -> Result<()> {
    let (least, most) = (before.saturating_mul(98).div_ceil(100), before.saturating_mul(105) / 100);
    if (least..=most).contains(&found) {
        return Ok(());
    }
    Err(UpdateError::RowCount { url: url.to_owned(), edition, before, least, most, found })
}

fn damaged(url: &str, expected: &str, found: &str) -> UpdateError {
    UpdateError::wrong_file(url, expected, found, TRY_AGAIN)
}

fn describe_head(head: &[u8]) -> String {
    if head.is_empty() {
        return "an empty file".to_owned();
    }
    let bytes: Vec<String> = head.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("a file that begins with {}", bytes.join(" "))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn zipped(members: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in members {
            archive.start_file(*name, SimpleFileOptions::default()).expect("a member");
            archive.write_all(text.as_bytes()).expect("in memory");
        }
        archive.finish().expect("in memory").into_inner()
    }

    fn check(bytes: &[u8], format: &FileFormat) -> Result<Option<u64>, String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("written");
        verify(file.path(), "https://a.jp/x.zip", format).map_err(|error| error.to_string())
    }

    #[test]
    fn a_zip_must_be_complete_with_exactly_one_csv() {
        let format = FileFormat::ZipOfCsv { member: "a.csv".to_owned() };
        let good = zipped(&[("A.CSV", "1\r\n2\r\n3"), ("A.CSV.asc", "signature")]);
        assert_eq!(check(&good, &format), Ok(Some(3)));
        let mut flipped = good.clone();
        flipped[40] ^= 1;
        let two = zipped(&[("a.csv", "1\n"), ("b.csv", "2\n")]);
        let none = zipped(&[("a.txt", "1\n")]);
        let other = zipped(&[("b.csv", "1\n")]);
        let page = b"<!DOCTYPE html><title>Not Found</title>".to_vec();
        for (bytes, expected) in [
            (&good[..good.len() / 2], "expected a whole ZIP"),
            (&flipped, "expected a whole ZIP"),
            (&two, "exactly one CSV, found 2 of them: a.csv, b.csv"),
            (&none, "exactly one CSV, found 0 of them: a.txt"),
            (&other, "expected a.csv in the ZIP, found b.csv"),
            (&page, "expected a ZIP of a.csv, found an HTML page with the title 「Not Found」"),
            (b"1,2\n", "found a file that begins with 31 2c 32 0a"),
            (b"", "found an empty file"),
        ] {
            let message = check(bytes, &format).expect_err(expected);
            assert!(message.contains(expected), "{message}");
            assert!(message.starts_with("https://a.jp/x.zip: "), "{message}");
        }
    }

    #[test]
    fn other_formats_are_checked_too() {
        assert_eq!(check(b"1\n2\n", &FileFormat::Csv), Ok(Some(2)));
        for bytes in [&b""[..], b"1\0\n", b"PK\x03\x04", b"<html>"] {
            assert!(check(bytes, &FileFormat::Csv).is_err(), "{bytes:?}");
        }
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&[7; 5_000]).expect("in memory");
        let gzip = gzip.finish().expect("in memory");
        assert_eq!(check(&gzip, &FileFormat::TarGz), Ok(None));
        assert!(check(&gzip[..gzip.len() - 3], &FileFormat::TarGz).is_err(), "truncated");
    }

    #[test]
    fn rows_may_shrink_by_two_and_grow_by_five_percent() {
        let edition = DataVersion::parse("2026-04-30").expect("a date");
        for (before, found, fits) in [
            (1_000, 980, true),
            (1_000, 979, false),
            (1_000, 1_050, true),
            (1_000, 1_051, false),
            (3, 3, true),
            (3, 1, false),
            (0, 0, true),
            (0, 1, false),
        ] {
            let result = compare_rows("https://a.jp/x.zip", found, before, edition);
            assert_eq!(result.is_ok(), fits, "{before} {found}");
        }
        let message = compare_rows("u", 300, 1_000, edition).expect_err("a third").to_string();
        assert!(
            message.contains("expected 980 to 1050 rows, since the edition of 2026-04-30 had 1000")
        );
        assert!(
            message.contains("found 300; if the file is right, accept it with --force"),
            "{message}"
        );
    }
}
