//! The byte layout of a snapshot file; see [`Header`] for the table.
//!
//! Every number is little-endian. Bodies follow one another without a gap, and a body's checksum covers its
//! padding, so every byte of the file is covered by a checksum.

use crate::text::codes::DataVersion;

pub const MAGIC: [u8; 8] = *b"DAICHO\r\n";

/// The layout that this program reads and writes. Files in another one must be rebuilt.
pub const FORMAT: u32 = 11;

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
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
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

impl std::fmt::Debug for SectionTag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SectionTag({self})")
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
///    40    20  zero
///    60     4  header crc  u32, CRC-32 of bytes 0..60
///    64   32n  table       per section: tag 8, offset u64, length u64, crc32 u32, zero u32
///     …     …  bodies      in table order, each on a 16-byte boundary, padded with zeros to one
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The number of its dataset.
    pub dataset: u32,
    pub version: DataVersion,
    /// The sections, in file order.
    pub sections: Vec<SectionEntry>,
    /// Checksum of the section table, which covers the checksums of all content: equal content, equal fingerprint.
    pub fingerprint: u32,
}

pub fn padded(length: usize) -> usize {
    length.next_multiple_of(SECTION_ALIGN)
}
