//! The bytes of a snapshot file.
//!
//! ```text
//! offset  size  field
//!      0     8  magic       "DAICHO\r\n"; CR LF catches text-mode copies
//!      8     4  format      u32, raised on any change to a section's content or to this table
//!     12     4  byte order  u32 0x0A0B0C0D; reads otherwise on a machine that swaps it
//!     16     4  dataset     u32, see [`DatasetKind`]
//!     20     4  version     u32, the data version as 20260529
//!     24     8  length      u64, of the whole file; catches truncation
//!     32     4  sections    u32, 1..=SECTIONS_MAX
//!     36     4  table crc   u32, CRC-32 of the section table
//!     40    20  zero
//!     60     4  header crc  u32, CRC-32 of bytes 0..60
//!     64   32n  table       per section: tag 8, offset u64, length u64, crc32 u32, zero u32
//!      …     …  bodies      in table order, each on a 16-byte boundary, padded with zeros to one
//! ```
//!
//! Every number is little-endian. Bodies follow one another without a gap and a body's checksum
//! covers its padding, so that no byte of the file is outside a checksum.

use crate::text::codes::DataVersion;

use super::open::Fault;

/// First bytes of every snapshot.
pub const MAGIC: [u8; 8] = *b"DAICHO\r\n";

/// The layout this program reads and writes. Another one is refused: rebuild.
pub const FORMAT: u32 = 4;

/// Reads as this number only where the bytes are in the order in which they were written.
pub const BYTE_ORDER: u32 = 0x0A0B_0C0D;

/// Size of the fixed part before the section table.
pub const HEADER_SIZE: usize = 64;

/// Size of one entry of the section table.
pub const ENTRY_SIZE: usize = 32;

/// A bound on the section table; no dataset has half as many.
pub const SECTIONS_MAX: u32 = 64;

/// rkyv reads aligned primitives, and no archived type of ours needs more.
pub const SECTION_ALIGN: usize = 16;

const _: () = assert!(HEADER_SIZE.is_multiple_of(SECTION_ALIGN));
const _: () = assert!(ENTRY_SIZE.is_multiple_of(SECTION_ALIGN));

/// File name extension of a snapshot.
pub const EXTENSION: &str = "daicho";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DatasetKind {
    Postal,
    Bank,
    Corporate,
}

impl DatasetKind {
    pub const ALL: [DatasetKind; 3] =
        [DatasetKind::Postal, DatasetKind::Bank, DatasetKind::Corporate];

    /// The dataset's folder below the snapshot folder, and its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            DatasetKind::Postal => "postal",
            DatasetKind::Bank => "bank",
            DatasetKind::Corporate => "corporate",
        }
    }

    fn number(self) -> u32 {
        match self {
            DatasetKind::Postal => 1,
            DatasetKind::Bank => 2,
            DatasetKind::Corporate => 3,
        }
    }
}

/// Name of a section: up to eight ASCII letters.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag([u8; 8]);

impl Tag {
    /// A tag of at most eight bytes, padded with zeros.
    pub const fn of(name: &str) -> Tag {
        let name = name.as_bytes();
        assert!(name.len() <= 8, "a tag has at most eight bytes");
        let mut tag = [0; 8];
        let mut at = 0;
        while at < name.len() {
            tag[at] = name[at];
            at += 1;
        }
        Tag(tag)
    }
}

impl std::fmt::Display for Tag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for byte in self.0.iter().take_while(|byte| **byte != 0) {
            write!(f, "{}", byte.escape_ascii())?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for Tag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tag({self})")
    }
}

/// One entry of the section table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub tag: Tag,
    pub offset: usize,
    /// Bytes of the body without its padding.
    pub length: usize,
    /// CRC-32 of the body and its padding.
    pub checksum: u32,
}

/// The header and the section table, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub dataset: DatasetKind,
    pub version: DataVersion,
    /// The sections, in file order.
    pub sections: Vec<Entry>,
    /// Checksum of the section table, and so of everything: equal content, equal fingerprint.
    pub fingerprint: u32,
}

/// `length` with the padding behind it.
pub fn padded(length: usize) -> usize {
    length.next_multiple_of(SECTION_ALIGN)
}

/// The header and table for these sections, ready to be followed by the bodies.
pub fn encode(dataset: DatasetKind, version: DataVersion, sections: &[Entry]) -> Vec<u8> {
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
    for number in [FORMAT, BYTE_ORDER, dataset.number(), version.number()] {
        header.extend_from_slice(&number.to_le_bytes());
    }
    header.extend_from_slice(&(end as u64).to_le_bytes());
    header.extend_from_slice(&count.to_le_bytes());
    header.extend_from_slice(&crc32fast::hash(&table).to_le_bytes());
    header.resize(HEADER_SIZE - 4, 0);
    let checksum = crc32fast::hash(&header);
    header.extend_from_slice(&checksum.to_le_bytes());
    header.extend_from_slice(&table);
    header
}

/// Bytes from a file's beginning that hold the header and the largest section table.
pub const PREFIX_MAX: usize = HEADER_SIZE + SECTIONS_MAX as usize * ENTRY_SIZE;

/// Reads and checks the header and the section table of a file of `file_length` bytes from its
/// first [`PREFIX_MAX`] bytes, or all where it has fewer.
pub fn decode(prefix: &[u8], file_length: u64) -> Result<Header, Fault> {
    let too_short = Fault::TooShort { expected: HEADER_SIZE, found: prefix.len() };
    let header: &[u8; HEADER_SIZE] = prefix.first_chunk().ok_or(too_short)?;
    if header[..8] != MAGIC {
        return Err(Fault::Magic);
    }
    let number = |at: usize| u32_at(header, at);
    if number(8) != FORMAT {
        return Err(Fault::Format { expected: FORMAT, found: number(8) });
    }
    let (expected, found) = (crc32fast::hash(&header[..60]), number(60));
    if expected != found || number(12) != BYTE_ORDER || header[40..60] != [0; 20] {
        return Err(Fault::Checksum {
            section: Tag::of("header"),
            expected: found,
            found: expected,
        });
    }
    let dataset = DatasetKind::ALL.into_iter().find(|kind| kind.number() == number(16));
    let dataset = dataset.ok_or(Fault::Dataset { found: number(16) })?;
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
    Ok(Header { dataset, version, sections, fingerprint })
}

fn decode_table(
    prefix: &[u8],
    file_length: u64,
    count: usize,
    expected: u32,
) -> Result<(Vec<Entry>, u32), Fault> {
    let end = HEADER_SIZE + count * ENTRY_SIZE;
    let too_short = Fault::TooShort { expected: end, found: prefix.len() };
    let table = prefix.get(HEADER_SIZE..end).ok_or(too_short)?;
    let found = crc32fast::hash(table);
    if found != expected {
        return Err(Fault::Checksum { section: Tag::of("table"), expected, found });
    }
    let mut sections = Vec::with_capacity(count);
    let mut next = end;
    for entry in table.chunks_exact(ENTRY_SIZE) {
        let (offset, length) = (u64_at(entry, 8), u64_at(entry, 16));
        let whole = Fault::Table { expected: "sections that follow one another inside the file" };
        if offset != next as u64 || length > file_length.saturating_sub(next as u64) {
            return Err(whole);
        }
        // `length` fits the file, so it fits a usize.
        let length = length as usize;
        let mut tag = [0; 8];
        tag.copy_from_slice(&entry[..8]);
        sections.push(Entry { tag: Tag(tag), offset: next, length, checksum: u32_at(entry, 24) });
        next += padded(length);
        if next as u64 > file_length {
            return Err(whole);
        }
    }
    if next as u64 != file_length {
        return Err(Fault::Table { expected: "sections up to the end of the file" });
    }
    Ok((sections, expected))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes[at..].first_chunk().expect("callers read inside fixed-size arrays");
    u32::from_le_bytes(*bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes[at..].first_chunk().expect("callers read inside fixed-size arrays");
    u64::from_le_bytes(*bytes)
}
