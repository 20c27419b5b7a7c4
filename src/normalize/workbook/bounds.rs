//! Bounds what the parts of a workbook unpack to, before anything reads them into memory: a zip of one megabyte may hold
//! gigabytes.
//!
//! Every part is unpacked once and counted, because the sizes that a zip states may be wrong. A sheet is read row by row:
//! of it only the text between two tags is bounded. Of parts that are read whole the number of tags is bounded too, as
//! each may become a value in memory.

use std::io::{Read, Seek};

use memchr::{memchr_iter, memrchr};
use zip::ZipArchive;
use zip::read::ZipFile;

use super::xml::{Piece, Tag, XmlReader};
use crate::normalize::read;

const READ_BYTES: usize = 64 << 10;

/// Of all parts together. The largest sheets that Excel writes have about a quarter of it.
const UNPACKED_BYTES_MAX: u64 = 8 << 30;

/// Of a tag with the text after it. A cell has at most 32,767 characters.
const TEXT_BYTES_MAX: u64 = 32 << 20;

/// Of the texts that cells share: eight million texts, or two million with their readings.
const SHARED_TAGS_MAX: u64 = 1 << 25;

/// Of any other part that is read whole. Excel writes at most 64,000 formats.
const TAGS_MAX: u64 = 1 << 21;

/// The name of the part with the texts that cells share, in lower case.
const SHARED_TEXTS: &str = "sharedstrings.xml";

/// The parts that are read whole, besides the workbook and the relations.
const READ_WHOLE: [&str; 2] = ["styles.xml", "theme1.xml"];

/// Of a part whose first tags are examined.
const FIRST_BYTES_MAX: u64 = 16 << 20;

#[derive(Debug, Clone, Copy)]
struct Limits {
    bytes: u64,
    text: u64,
    tags: u64,
}

/// What a workbook has too much of, and in which part.
pub struct TooLarge {
    pub part: String,
    pub found: String,
}

/// A part that cannot be unpacked is left to the reader of workbooks, which cannot unpack it either and says so.
pub fn check<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Result<(), TooLarge> {
    let workbooks = workbook_files(archive)?;
    let mut bytes = UNPACKED_BYTES_MAX;
    for index in 0..archive.len() {
        let Ok(part) = archive.by_index(index) else { continue };
        let Some(name) = name_of(&part) else { continue };
        let file = file_name(&name);
        let tags = tags_max(&file, &workbooks);
        let too_large = |found| TooLarge { part: name.clone(), found };
        bytes -= count(part, Limits { bytes, text: TEXT_BYTES_MAX, tags }).map_err(too_large)?;
        if file == SHARED_TEXTS
            && let Ok(part) = archive.by_index(index)
        {
            check_stated_texts(part).map_err(too_large)?;
        }
    }
    Ok(())
}

/// How many tags a part of this file name may have.
fn tags_max(file: &str, workbooks: &[String]) -> u64 {
    let is_read_whole = file.ends_with(".rels")
        || READ_WHOLE.contains(&file)
        || workbooks.iter().any(|workbook| workbook == file);
    match is_read_whole {
        true => TAGS_MAX,
        false if file == SHARED_TEXTS => SHARED_TAGS_MAX,
        false => u64::MAX,
    }
}

fn name_of<R: Read>(part: &ZipFile<'_, R>) -> Option<String> {
    part.name().ok().map(|name| name.into_owned())
}

/// The last part of a name, as the reader of workbooks compares it: without regard to case.
fn file_name(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// The file names of what the zip calls its workbook; any part may be.
fn workbook_files<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Result<Vec<String>, TooLarge> {
    let mut found = vec!["workbook.xml".to_owned()];
    for index in 0..archive.len() {
        let Ok(part) = archive.by_index(index) else { continue };
        let Some(name) = name_of(&part) else { continue };
        if !name.replace('\\', "/").eq_ignore_ascii_case("_rels/.rels") {
            continue;
        }
        let targets = first_tags(part, |tag| {
            found.extend(tag.text_attribute("Target").map(|target| file_name(&target)));
            false
        });
        targets.map_err(|found| TooLarge { part: name, found })?;
    }
    Ok(found)
}

/// Memory for as many texts as the part with shared texts states is reserved before they are read.
fn check_stated_texts(part: impl Read) -> Result<(), String> {
    let mut stated = None;
    first_tags(part, |tag| {
        let is_start = tag.begins("sst");
        if is_start {
            stated = tag.text_attribute("uniqueCount");
        }
        is_start
    })?;
    match stated.and_then(|stated| stated.trim().parse::<u64>().ok()) {
        Some(stated) if stated > SHARED_TAGS_MAX => {
            Err(format!("a stated number of {stated} texts"))
        }
        _ => Ok(()),
    }
}

/// Visits the tags of a part until `visit` returns whether it has found what it looked for.
fn first_tags(part: impl Read, mut visit: impl FnMut(Tag<'_>) -> bool) -> Result<(), String> {
    let mut reader = XmlReader::new(part.take(FIRST_BYTES_MAX));
    loop {
        match reader.next() {
            Ok(Some(Piece::Tag(tag))) if visit(tag) => return Ok(()),
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(_) => return Err("a beginning that cannot be read".to_owned()),
        }
    }
}

/// The bytes of a part; or what it has too much of.
fn count(mut part: impl Read, limits: Limits) -> Result<u64, String> {
    let Limits { bytes: bytes_max, text: text_max, tags: tags_max } = limits;
    let (mut bytes, mut tags, mut text) = (0, 0, 0);
    let mut buffer = Vec::with_capacity(READ_BYTES);
    loop {
        buffer.clear();
        // An error is the end of what anybody can read.
        let length = read::append(&mut part, READ_BYTES, &mut buffer).unwrap_or(0) as u64;
        if length == 0 {
            return Ok(bytes);
        }
        bytes += length;
        tags += memchr_iter(b'<', &buffer).count() as u64;
        // A text that is longer than a buffer has no tag in it.
        text = memrchr(b'<', &buffer).map_or(text + length, |last| length - last as u64);
        if tags > tags_max {
            return Err(format!("more than {tags_max} tags"));
        } else if text > text_max {
            return Err(format!("a text of more than {text_max} bytes"));
        } else if bytes > bytes_max {
            let limit = UNPACKED_BYTES_MAX >> 30;
            return Err(format!("the end of {limit} GiB of unpacked parts"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    const RELATIONS: &str = r#"<Relationships><Relationship Id="rId1" Target="xl/other.xml" Type="x/officeDocument"/></Relationships>"#;

    fn checked(name: &str, content: &[u8]) -> Result<(), String> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in [("_rels/.rels", RELATIONS.as_bytes()), (name, content)] {
            zip.start_file(name, SimpleFileOptions::default()).expect("a part");
            zip.write_all(content).expect("in memory");
        }
        let bytes = zip.finish().expect("in memory");
        let checked = check(&mut ZipArchive::new(bytes).expect("a zip"));
        checked.map_err(|TooLarge { part, found }| format!("{found} in {part}"))
    }

    #[test]
    fn parts_that_would_fill_the_memory_are_refused() {
        let tags = |count: u64| "<si/>".repeat(count as usize).into_bytes();
        let sheet = "xl/worksheets/sheet1.xml";
        for name in ["xl/styles.xml", "xl\\Theme\\THEME1.xml", "xl/other.xml", "a/_rels/b.rels"] {
            let message = checked(name, &tags(TAGS_MAX + 1)).expect_err(name);
            assert_eq!(message, format!("more than 2097152 tags in {name}"));
        }
        assert_eq!(checked("xl/other.xml", &tags(TAGS_MAX)), Ok(()));
        assert_eq!(checked(sheet, &tags(TAGS_MAX + 1)), Ok(()), "it is read row by row");
        assert_eq!(checked("xl/sharedStrings.xml", &tags(TAGS_MAX + 1)), Ok(()));
        let long = "x".repeat(TEXT_BYTES_MAX as usize + READ_BYTES);
        for (start, end) in [("<v>", "</v>"), ("<row a=\"", "\">"), ("", "y")] {
            let content = [start, &long, end].concat();
            let message = checked(sheet, content.as_bytes()).expect_err("too long");
            assert_eq!(message, format!("a text of more than 33554432 bytes in {sheet}"));
        }
    }

    #[test]
    fn the_stated_number_of_texts_is_bounded() {
        for (stated, fits) in [
            ("1", true),
            ("", true),
            ("33554432", true),
            ("33554433", false),
            ("18446744073709551615", false),
        ] {
            let content = format!("<x:sst count='9' uniqueCount='{stated}'><x:si/></x:sst>");
            let found = checked("XL/SharedStrings.xml", content.as_bytes());
            assert_eq!(found.is_ok(), fits, "{stated}: {found:?}");
        }
    }

    #[test]
    fn a_part_is_counted_whatever_size_it_states() {
        let limits = Limits { bytes: 10, text: 8, tags: 2 };
        let counted = |bytes: &[u8]| count(bytes, limits);
        assert_eq!(counted(b"<a>789<b>0"), Ok(10));
        for (part, expected) in [
            (&b"<a>789<b>01"[..], "the end of 8 GiB"),
            (b"<><><>", "more than 2 tags"),
            (b"<a>456789", "a text of more than 8 bytes"),
        ] {
            let message = counted(part).expect_err(expected);
            assert!(message.contains(expected), "{message}");
        }
        assert_eq!(tags_max(SHARED_TEXTS, &[]), SHARED_TAGS_MAX);
        assert_eq!(file_name("XL\\a/SharedStrings.xml"), SHARED_TEXTS);
    }
}
