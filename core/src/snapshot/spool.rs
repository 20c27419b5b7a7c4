//! A section too large for memory: appended to the snapshot's file, then read back from there while later sections
//! are made.
//!
//! A sequential reader holds some megabytes of it. Does not know what the bytes are.

use std::ops::Range;

use super::blocks::{BLOCK_BYTES, Sums};
use super::layout::SectionTag;
use super::map::{Mapping, RandomReads};
use super::write::{SnapshotFileWriter, WriteError};

/// A section while it is appended.
pub struct Spool<'w> {
    snapshot: &'w mut SnapshotFileWriter,
    tag: SectionTag,
    /// Checksums of the complete blocks.
    sums: Sums,
    /// Checksum of all complete blocks.
    all: crc32fast::Hasher,
    /// Checksum and number of bytes of the last, incomplete block.
    last: crc32fast::Hasher,
    filled: usize,
}

impl<'w> Spool<'w> {
    pub fn new(snapshot: &'w mut SnapshotFileWriter, tag: SectionTag) -> Spool<'w> {
        let (all, last) = (crc32fast::Hasher::new(), crc32fast::Hasher::new());
        Spool { snapshot, tag, sums: Sums::new(), all, last, filled: 0 }
    }

    pub fn append(&mut self, mut bytes: &[u8]) -> Result<(), WriteError> {
        self.snapshot.append(bytes)?;
        while !bytes.is_empty() {
            let (part, rest) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.filled));
            self.last.update(part);
            self.filled += part.len();
            if self.filled == BLOCK_BYTES {
                self.end_block();
            }
            bytes = rest;
        }
        Ok(())
    }

    fn end_block(&mut self) {
        self.all.combine(&self.last);
        self.sums.push(std::mem::take(&mut self.last).finalize());
        self.filled = 0;
    }

    /// Ends the section, and appends one with the checksums of its blocks.
    pub fn finish(mut self, sums: SectionTag) -> Result<SpooledSection, WriteError> {
        let length = self.sums.len() * BLOCK_BYTES + self.filled;
        if self.filled > 0 {
            self.end_block();
        }
        let range = self.snapshot.end_section(self.tag, length, self.all)?;
        self.snapshot.archive(sums, &self.sums)?;
        let mapping = self.snapshot.read_back(range)?;
        Ok(SpooledSection { mapping, random_reads: RandomReads::default() })
    }
}

/// A complete section, read from the file.
pub struct SpooledSection {
    mapping: Mapping,
    random_reads: RandomReads,
}

impl SpooledSection {
    /// A range, in a pass from front to back: releases the memory of the bytes before it.
    #[inline]
    pub fn get(&self, range: Range<usize>) -> &[u8] {
        self.mapping.release_before(range.clone());
        &self.mapping.as_ref()[range]
    }

    /// A range, for callers that read few ranges, or all in no order.
    pub fn get_random_access(&self, range: Range<usize>) -> &[u8] {
        let bytes = self.mapping.as_ref();
        self.random_reads.count(&self.mapping, 0..bytes.len());
        &bytes[range]
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::DatasetKind;
    use super::super::map::RELEASE_CHUNK;
    use super::*;
    use crate::text::codes::DataVersion;

    const KIND: DatasetKind = DatasetKind::new(7, "test");
    const RECORDS: SectionTag = SectionTag::new("records");
    const SUMS: SectionTag = SectionTag::new("sums");

    fn new_writer(folder: &std::path::Path, sections: usize) -> SnapshotFileWriter {
        let version = DataVersion::parse("2026-08-31").expect("a date");
        let writer = SnapshotFileWriter::create(folder, KIND, version, sections);
        writer.expect("a temporary folder")
    }

    #[test]
    fn a_spooled_section_reads_back_during_writing_and_equals_a_normal_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let all: Vec<u8> =
            (0..2 * RELEASE_CHUNK + 3 * BLOCK_BYTES + 5).map(|at| (at % 251) as u8).collect();
        for length in [1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, all.len()] {
            let all = &all[..length];
            let mut at_once = new_writer(folder.path(), 4);
            at_once.archive(SectionTag::new("first"), &7u32).expect("written");
            at_once.blocks(RECORDS, SUMS, all).expect("written");
            at_once.archive(SectionTag::new("after"), &9u32).expect("written");
            let mut snapshot = new_writer(folder.path(), 4);
            snapshot.archive(SectionTag::new("first"), &7u32).expect("written");
            let mut spool = Spool::new(&mut snapshot, RECORDS);
            for part in all.chunks(BLOCK_BYTES / 3 + 1) {
                spool.append(part).expect("appended");
            }
            let spooled = spool.finish(SUMS).expect("mapped");
            for round in 0..2 {
                let (mut found, mut at_random) = (Vec::new(), Vec::new());
                for start in (0..length).step_by(77_777) {
                    let range = start..length.min(start + 77_777);
                    found.extend_from_slice(spooled.get(range.clone()));
                    at_random.extend_from_slice(spooled.get_random_access(range));
                }
                assert!(found == all, "released pages come back: {length} bytes, pass {round}");
                assert!(at_random == all, "{length} bytes, pass {round}");
            }
            snapshot.archive(SectionTag::new("after"), &9u32).expect("written after it");
            assert!(spooled.get(0..length) == all, "{length} bytes");
            let [at_once, snapshot] = [at_once, snapshot].map(|writer| {
                let file = writer.stage().and_then(|it| Ok(it.open()?)).expect("sound");
                let section = |tag| file.section(tag).expect("there").to_vec();
                [RECORDS, SUMS].map(section)
            });
            assert!(at_once == snapshot, "{length} bytes");
        }
    }
}
