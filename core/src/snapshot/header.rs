//! The header and section table of a snapshot file, written and checked; see [`layout`](super::layout).

use super::fault::Fault;
use super::layout::{
    DatasetKind, ENTRY_SIZE, FORMAT, HEADER_SIZE, Header, MAGIC, MAGIC_NUMBER, SECTIONS_MAX,
    SectionEntry, SectionTag, padded,
};
use crate::text::codes::DataVersion;

/// The header and section table for these sections; the bodies follow.
pub fn encode(dataset: DatasetKind, version: DataVersion, sections: &[SectionEntry]) -> Vec<u8> {
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
    header.resize(HEADER_SIZE - 4, 0);
    let checksum = crc32fast::hash(&header);
    header.extend_from_slice(&checksum.to_le_bytes());
    header.extend_from_slice(&table);
    header
}

/// The longest header and section table, in bytes from the file's beginning.
pub const PREFIX_MAX: usize = HEADER_SIZE + SECTIONS_MAX as usize * ENTRY_SIZE;

/// Checks header and section table. `prefix` is the first [`PREFIX_MAX`] bytes of the file, or the whole file.
pub fn decode(prefix: &[u8], file_length: u64) -> Result<Header, Fault> {
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
    if header[40..60] != [0; 20] {
        let cause = "expected zeros in the bytes 40 to 59".to_owned();
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
    Ok(Header { dataset, version, sections, fingerprint })
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
