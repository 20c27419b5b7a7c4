//! The byte layout of a snapshot file, see [`Header`] for the table; its header and section table, written and
//! checked; and the reasons for which a file is refused. Each has one remedy, which the message names.
//!
//! Every number is little-endian. Bodies follow one another without a gap, and a body's checksum covers its padding,
//! so every byte of the file is covered by a checksum.

use std::{io, path::PathBuf, sync::Arc};

use crate::text::codes::DataVersion;

pub const MAGIC: [u8; 8] = *b"DAICHO\r\n";

/// The layout that this program reads and writes. Files in another one must be rebuilt.
pub const FORMAT: u32 = 16;

pub const MAGIC_NUMBER: u32 = 0x0A0B_0C0D;

pub const HEADER_SIZE: usize = 64;
pub const ENTRY_SIZE: usize = 32;

/// Limit on the section table; no dataset has half as many.
pub const SECTIONS_MAX: u32 = 64;

/// rkyv reads aligned primitives. No archived type of this program needs a larger alignment.
pub const SECTION_ALIGN: usize = 16;

const _: () = assert!(HEADER_SIZE.is_multiple_of(SECTION_ALIGN));
const _: () = assert!(ENTRY_SIZE.is_multiple_of(SECTION_ALIGN));

pub const EXTENSION: &str = "daicho";

/// A dataset, as far as files show it. Which datasets there are is not known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DatasetKind {
    /// Its number in a header. Part of the format: a number never gets another meaning.
    number: u32,
    /// Its folder below the snapshot folder.
    name: &'static str,
}

impl DatasetKind {
    pub const fn new(number: u32, name: &'static str) -> DatasetKind {
        DatasetKind { number, name }
    }

    pub const fn number(self) -> u32 {
        self.number
    }

    pub const fn name(self) -> &'static str {
        self.name
    }
}

impl std::fmt::Display for DatasetKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name)
    }
}

/// The name of a section: up to eight ASCII characters.
#[derive(derive_more::Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[debug("SectionTag({self})")]
pub struct SectionTag(pub(super) [u8; 8]);

impl SectionTag {
    /// A tag of at most eight bytes, padded with zeros.
    pub const fn new(name: &str) -> SectionTag {
        let name = name.as_bytes();
        assert!(name.len() <= 8, "a tag has at most eight bytes");
        let mut tag = [0; 8];
        let mut index = 0;
        while index < name.len() {
            tag[index] = name[index];
            index += 1;
        }
        SectionTag(tag)
    }
}

impl std::fmt::Display for SectionTag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for byte in self.0.iter().take_while(|byte| **byte != 0) {
            write!(f, "{}", byte.escape_ascii())?;
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionEntry {
    pub tag: SectionTag,
    pub offset: usize,
    /// Bytes of the body without its padding.
    pub length: usize,
    /// CRC-32 of the body and its padding.
    pub checksum: u32,
}

/// The header, with the bytes after it:
///
/// ```text
/// offset  size  field
///     0     8  magic       "DAICHO\r\n"; CR LF catches text-mode copies
///     8     4  format      u32, raised on any change to a section's content or to this table
///    12     4  magic       u32 0x0A0B0C0D, a second magic number
///    16     4  dataset     u32, the number of a [`DatasetKind`]
///    20     4  version     u32, the data version as 20260529
///    24     8  length      u64, of the whole file; catches truncation
///    32     4  sections    u32, 1..=SECTIONS_MAX
///    36     4  table crc   u32, CRC-32 of the section table
///    40     1  sample      1 if the data are made up, else 0
///    41    19  zero
///    60     4  header crc  u32, CRC-32 of bytes 0..60
///    64   32n  table       per section: tag 8, offset u64, length u64, crc32 u32, zero u32
///     …     …  bodies      in table order, each on a 16-byte boundary, padded with zeros to one
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The number of its dataset.
    pub dataset: u32,
    pub version: DataVersion,
    /// Whether the data are made up, for trials of the program.
    pub is_sample: bool,
    /// The sections, in file order.
    pub sections: Vec<SectionEntry>,
    /// Checksum of the section table, which covers the checksums of all content: equal content, equal fingerprint.
    pub fingerprint: u32,
}

pub fn padded(length: usize) -> usize {
    length.next_multiple_of(SECTION_ALIGN)
}

/// What reading a snapshot gives. Everyone who reads it may get the same error.
pub type Result<T, E = Arc<OpenError>> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
#[error("{path}: {fault}", path = .path.display())]
pub struct OpenError {
    /// The file, so that one log line is enough to act.
    pub path: PathBuf,
    #[source]
    pub fault: Fault,
}

#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("cannot be read ({0}); check the path and the permissions")]
    Io(#[from] io::Error),
    /// Not named `YYYY-MM-DD.daicho`.
    #[error(
        "expected a name such as YYYY-MM-DD.{EXTENSION}; rename the file to its data version, or remove it"
    )]
    Name,
    #[error(
        "incomplete: expected at least {expected} bytes, found {found}; copy it again or rebuild"
    )]
    TooShort { expected: usize, found: usize },
    #[error("not a daicho snapshot; remove it from the snapshot folder")]
    Magic,
    #[error("format {found}, this program reads format {expected}; rebuild it with this program")]
    Format { expected: u32, found: u32 },
    #[error("dataset number {found} is unknown; rebuild it with this program")]
    Dataset { found: u32 },
    #[error("data version {found} is not a date; copy it again or rebuild")]
    Date { found: u32 },
    #[error(
        "contains {found}, but its folder and name say {expected}; move it to the matching folder and name"
    )]
    Misplaced { expected: String, found: String },
    #[error("expected {expected} bytes, found {found}; copy it again or rebuild")]
    Length { expected: u64, found: u64 },
    #[error("section table damaged: expected {expected}; copy it again or rebuild")]
    Table { expected: &'static str },
    #[error(
        "section {section} is damaged: checksum expected {expected:08x}, found {found:08x}; \
         copy it again or rebuild"
    )]
    Checksum { section: SectionTag, expected: u32, found: u32 },
    #[error("section {section} is missing; rebuild it with this program")]
    Missing { section: SectionTag },
    /// The checksum is right, but the content is not what this program writes.
    #[error("cannot decode section {section} ({cause}); rebuild it, and report it if that fails")]
    Malformed { section: SectionTag, cause: String },
}

/// The header and section table for these sections; the bodies follow.
pub fn encode_header(
    dataset: DatasetKind,
    version: DataVersion,
    is_sample: bool,
    sections: &[SectionEntry],
) -> Vec<u8> {
    let mut table = Vec::with_capacity(sections.len() * ENTRY_SIZE);
    for entry in sections {
        table.extend_from_slice(&entry.tag.0);
        table.extend_from_slice(&(entry.offset as u64).to_le_bytes());
        table.extend_from_slice(&(entry.length as u64).to_le_bytes());
        table.extend_from_slice(&entry.checksum.to_le_bytes());
        table.extend_from_slice(&[0; 4]);
    }
    let end = sections.last().map_or(HEADER_SIZE, |last| last.offset + padded(last.length));
    let count = u32::try_from(sections.len()).expect("SECTIONS_MAX bounds the table");
    let mut header = Vec::with_capacity(HEADER_SIZE + table.len());
    header.extend_from_slice(&MAGIC);
    for number in [FORMAT, MAGIC_NUMBER, dataset.number(), version.number()] {
        header.extend_from_slice(&number.to_le_bytes());
    }
    header.extend_from_slice(&(end as u64).to_le_bytes());
    header.extend_from_slice(&count.to_le_bytes());
    header.extend_from_slice(&crc32fast::hash(&table).to_le_bytes());
    header.push(is_sample.into());
    header.resize(HEADER_SIZE - 4, 0);
    let checksum = crc32fast::hash(&header);
    header.extend_from_slice(&checksum.to_le_bytes());
    header.extend_from_slice(&table);
    header
}

/// The longest header and section table, in bytes from the file's beginning.
pub const PREFIX_MAX: usize = HEADER_SIZE + SECTIONS_MAX as usize * ENTRY_SIZE;

/// Checks header and section table. `prefix` is the first [`PREFIX_MAX`] bytes of the file, or the whole file.
pub fn decode_header(prefix: &[u8], file_length: u64) -> Result<Header, Fault> {
    let too_short = Fault::TooShort { expected: HEADER_SIZE, found: prefix.len() };
    let header: &[u8; HEADER_SIZE] = prefix.first_chunk().ok_or(too_short)?;
    if header[..8] != MAGIC {
        return Err(Fault::Magic);
    }
    let number = |offset: usize| u32_at(header, offset);
    if number(8) != FORMAT {
        return Err(Fault::Format { expected: FORMAT, found: number(8) });
    }
    let (expected, found) = (number(60), crc32fast::hash(&header[..60]));
    let section = SectionTag::new("header");
    if found != expected {
        return Err(Fault::Checksum { section, expected, found });
    }
    if number(12) != MAGIC_NUMBER {
        return Err(Fault::Magic);
    }
    if header[40] > 1 || header[41..60] != [0; 19] {
        let cause = "expected 0 or 1 in byte 40, and zeros in the bytes 41 to 59".to_owned();
        return Err(Fault::Malformed { section, cause });
    }
    let dataset = number(16);
    let version = DataVersion::from_number(number(20)).ok_or(Fault::Date { found: number(20) })?;
    let length = u64_at(header, 24);
    if length != file_length {
        return Err(Fault::Length { expected: length, found: file_length });
    }
    let count = number(32);
    if !(1..=SECTIONS_MAX).contains(&count) {
        return Err(Fault::Table { expected: "1 to 64 sections" });
    }
    let (sections, fingerprint) = decode_table(prefix, file_length, count as usize, number(36))?;
    Ok(Header { dataset, version, is_sample: header[40] == 1, sections, fingerprint })
}

/// The sections of the table, and the table's checksum, which is the fingerprint of the file.
fn decode_table(
    prefix: &[u8],
    file_length: u64,
    count: usize,
    expected: u32,
) -> Result<(Vec<SectionEntry>, u32), Fault> {
    let end = HEADER_SIZE + count * ENTRY_SIZE;
    let too_short = Fault::TooShort { expected: end, found: prefix.len() };
    let table = prefix.get(HEADER_SIZE..end).ok_or(too_short)?;
    let found = crc32fast::hash(table);
    if found != expected {
        return Err(Fault::Checksum { section: SectionTag::new("table"), expected, found });
    }
    let mut sections = Vec::with_capacity(count);
    let mut next_offset = end;
    for entry in table.chunks_exact(ENTRY_SIZE) {
        let (offset, length) = (u64_at(entry, 8), u64_at(entry, 16));
        let outside = Fault::Table { expected: "sections that follow one another inside the file" };
        if offset != next_offset as u64 || length > file_length.saturating_sub(next_offset as u64) {
            return Err(outside);
        }
        // `length` fits the file, so it fits a usize.
        let length = length as usize;
        let mut tag = [0; 8];
        tag.copy_from_slice(&entry[..8]);
        sections.push(SectionEntry {
            tag: SectionTag(tag),
            offset: next_offset,
            length,
            checksum: u32_at(entry, 24),
        });
        next_offset += padded(length);
        if next_offset as u64 > file_length {
            return Err(outside);
        }
    }
    if next_offset as u64 != file_length {
        return Err(Fault::Table { expected: "sections up to the end of the file" });
    }
    Ok((sections, expected))
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    let bytes = bytes[offset..].first_chunk().expect("callers read inside fixed-size arrays");
    u32::from_le_bytes(*bytes)
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    let bytes = bytes[offset..].first_chunk().expect("callers read inside fixed-size arrays");
    u64::from_le_bytes(*bytes)
}
