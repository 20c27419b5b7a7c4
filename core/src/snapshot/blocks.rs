//! A section that is too large to be checked when the file is opened: the checksum of each block is verified at the
//! first access to it.
//!
//! The checksum in the section table covers the whole section; `daicho snapshot verify` compares it. The content is not
//! validated, and a program that writes to the mapped file may change it at any time, so readers must check every value
//! at each use.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytes::Bytes;

use super::disk_file::DiskFile;
use super::layout::{Fault, SectionTag};
use super::map::{Mapping, RandomReads, Section, prefetch_to_cache};

/// Bytes per block. The first access to a block computes a checksum of this many bytes, some microseconds.
pub const BLOCK_BYTES: usize = 1 << 15;

pub type Sums = Vec<u32>;

#[derive(Debug)]
pub struct Blocks {
    tag: SectionTag,
    bytes: Bytes,
    sums: Section<rkyv::Archived<Sums>>,
    /// One bit per verified block. Relaxed ordering: a lost bit only repeats the verification.
    verified: Vec<AtomicU64>,
    /// `None` if the bytes are memory of this process.
    file: Option<FilePlace>,
    /// Whether blocks are prefetched before their checksum is computed.
    prefetches: bool,
    random_reads: RandomReads,
}

/// Where the blocks of a section are in a mapped file.
#[derive(Debug)]
pub(super) struct FilePlace {
    pub file: Arc<DiskFile>,
    pub mapping: Mapping,
    /// Of the section in the file.
    pub offset: usize,
}

pub fn sums(bytes: &[u8]) -> Sums {
    bytes.chunks(BLOCK_BYTES).map(crc32fast::hash).collect()
}

impl Blocks {
    /// The blocks of a section, with a checksum for each. A fault if their numbers differ.
    pub fn new(
        tag: SectionTag,
        bytes: Bytes,
        sums: Section<rkyv::Archived<Sums>>,
    ) -> Result<Blocks, Fault> {
        let blocks = bytes.len().div_ceil(BLOCK_BYTES);
        if sums.root().len() != blocks {
            let cause =
                format!("expected checksums of {blocks} blocks, found {}", sums.root().len());
            return Err(Fault::Malformed { section: tag, cause });
        }
        let verified = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let (file, prefetches, random_reads) = (None, false, RandomReads::default());
        Ok(Blocks { tag, bytes, sums, verified, file, prefetches, random_reads })
    }

    /// Says where in a file the blocks are. `prefetches` if the system does not read ahead: whole blocks are then
    /// requested at once.
    pub(super) fn in_file(self, file: FilePlace, prefetches: bool) -> Blocks {
        Blocks { file: Some(file), prefetches, ..self }
    }

    /// For a sequential pass: this range was read and is no longer needed, see [`Mapping::release_before`].
    pub fn release_before(&self, range: Range<usize>) {
        if let Some(FilePlace { mapping, offset, .. }) = &self.file {
            mapping.release_before(offset + range.start..offset + range.end);
        }
    }

    /// After a pass in no order: returns the memory of all blocks to the system.
    pub fn release(&self) {
        if let Some(FilePlace { mapping, offset, .. }) = &self.file {
            mapping.release(*offset..offset + self.bytes.len());
        }
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A range of the section. A fault if one of its blocks is damaged or it is out of bounds.
    #[inline]
    pub fn get(&self, range: Range<usize>) -> Result<&[u8], Fault> {
        let Some(bytes) = self.bytes.get(range.clone()) else {
            let cause = format!("no bytes {} to {}", range.start, range.end);
            return Err(Fault::Malformed { section: self.tag, cause });
        };
        self.ensure_verified(range.start / BLOCK_BYTES..range.end.div_ceil(BLOCK_BYTES))?;
        Ok(bytes)
    }

    /// Before a build reads one of few ranges in no order: bounds the memory that they take.
    pub fn count_random_read(&self, start: usize) {
        if let Some(FilePlace { mapping, offset, .. }) = &self.file {
            let part = *offset..offset + self.bytes.len();
            self.random_reads.count(mapping, part, start);
        }
    }

    /// From `start` to the end of its block. A fault if the block is damaged or out of bounds.
    #[inline]
    pub fn rest_of_block(&self, start: usize) -> Result<&[u8], Fault> {
        let block = start / BLOCK_BYTES;
        let end = self.bytes.len().min((block + 1) * BLOCK_BYTES);
        let Some(bytes) = self.bytes.get(start..end).filter(|bytes| !bytes.is_empty()) else {
            let cause = format!("no byte {start}");
            return Err(Fault::Malformed { section: self.tag, cause });
        };
        self.ensure_verified(block..block + 1)?;
        Ok(bytes)
    }

    /// Prefetches the blocks of a range that are not verified yet, without waiting. For callers that will read
    /// several ranges. A range out of bounds is ignored.
    pub fn prefetch(&self, range: Range<usize>) {
        let end = range.end.min(self.bytes.len()).div_ceil(BLOCK_BYTES);
        let mut blocks = range.start / BLOCK_BYTES..end;
        if let Some(first) = blocks.find(|block| !self.is_verified(*block)) {
            self.prefetch_blocks(first..end);
        }
    }

    /// Starts loading a range into the processor's cache, see [`prefetch_to_cache`]. The part out of bounds is ignored.
    #[inline]
    pub fn prefetch_to_cache(&self, range: Range<usize>) {
        let end = range.end.min(self.bytes.len());
        prefetch_to_cache(self.bytes.get(range.start..end).unwrap_or_default());
    }

    fn prefetch_blocks(&self, blocks: Range<usize>) {
        if let Some(place) = self.file.as_ref().filter(|_| self.prefetches) {
            place.mapping.prefetch(self.range_in_file(place.offset, blocks));
        }
    }

    /// The bytes of these blocks in a file in which the section starts at `start`.
    fn range_in_file(&self, start: usize, blocks: Range<usize>) -> Range<usize> {
        let end = (blocks.end * BLOCK_BYTES).min(self.bytes.len());
        start + blocks.start * BLOCK_BYTES..start + end
    }

    /// Verifies these blocks, as far as they exist, each only once.
    #[inline]
    fn ensure_verified(&self, mut blocks: Range<usize>) -> Result<(), Fault> {
        let end = blocks.end;
        match blocks.find(|block| !self.is_verified(*block)) {
            Some(first) => self.verify(first..end),
            None => Ok(()),
        }
    }

    #[inline]
    fn is_verified(&self, block: usize) -> bool {
        self.verified[block / 64].load(Relaxed) & 1 << (block % 64) != 0
    }

    #[cold]
    fn verify(&self, blocks: Range<usize>) -> Result<(), Fault> {
        self.prefetch_blocks(blocks.clone());
        let mut read = Vec::new();
        for block in blocks.filter(|block| !self.is_verified(*block)) {
            let start = block * BLOCK_BYTES;
            let end = (start + BLOCK_BYTES).min(self.bytes.len());
            let expected = self.sums.root()[block].to_native();
            let found = match &self.file {
                // Reads the file first: of a truncated one that is an error, but an access to the mapping a signal.
                Some(FilePlace { file, offset, .. }) => {
                    read.resize(end - start, 0);
                    file.read(&mut read, offset + start)?;
                    crc32fast::hash(&read)
                }
                None => crc32fast::hash(&self.bytes[start..end]),
            };
            if found != expected {
                return Err(Fault::Checksum { section: self.tag, expected, found });
            }
            self.verified[block / 64].fetch_or(1 << (block % 64), Relaxed);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::map::OwnMemory;
    use super::*;

    impl Blocks {
        /// The blocks of bytes in memory, without a file.
        pub(crate) fn in_memory(bytes: Vec<u8>) -> Blocks {
            let sums = sums(&bytes);
            blocks(bytes, &sums).expect("one checksum per block")
        }
    }

    fn blocks(bytes: Vec<u8>, sums: &Sums) -> Result<Blocks, Fault> {
        let sums = rkyv::to_bytes::<rkyv::rancor::Error>(sums).expect("numbers archive");
        let sums = Section::validate(OwnMemory::of(sums)).expect("archived data are valid");
        Blocks::new(SectionTag::new("t"), Bytes::from(bytes), sums)
    }

    #[test]
    fn only_accessed_blocks_are_verified() {
        let mut bytes: Vec<u8> = (0..3 * BLOCK_BYTES + 10).map(|at| at as u8).collect();
        let sums = sums(&bytes);
        assert!(blocks(bytes.clone(), &sums[1..].to_vec()).is_err(), "one checksum per block");
        bytes[BLOCK_BYTES + 5] ^= 4;
        let damaged = blocks(bytes.clone(), &sums).expect("as many checksums as blocks");
        for (range, sound) in [
            (0..BLOCK_BYTES, true),
            (0..BLOCK_BYTES + 1, false),
            (BLOCK_BYTES..BLOCK_BYTES + 1, false),
            (2 * BLOCK_BYTES..3 * BLOCK_BYTES + 10, true),
            (3 * BLOCK_BYTES + 10..3 * BLOCK_BYTES + 10, true),
            (3 * BLOCK_BYTES..3 * BLOCK_BYTES + 11, false),
            (7..7, true),
        ] {
            for _ in 0..2 {
                damaged.prefetch(range.clone());
                let found = damaged.get(range.clone());
                assert_eq!(found.is_ok(), sound, "{range:?}: {found:?}");
            }
        }
        let length = damaged.len();
        for (start, expected) in [
            (0, Some(BLOCK_BYTES)),
            (BLOCK_BYTES - 1, Some(1)),
            (BLOCK_BYTES, None),
            (2 * BLOCK_BYTES - 1, None),
            (2 * BLOCK_BYTES + 3, Some(BLOCK_BYTES - 3)),
            (length - 10, Some(10)),
            (length, None),
            (length + BLOCK_BYTES, None),
            (usize::MAX / 2, None),
        ] {
            let found = damaged.rest_of_block(start).ok().map(<[u8]>::len);
            assert_eq!(found, expected, "{start}");
        }
        #[expect(clippy::reversed_empty_ranges, reason = "a damaged offset can give such a range")]
        let reversed = damaged.get(9..8);
        assert!(reversed.is_err());
        for outside in [length..length, length + 7..length + 9, usize::MAX - 1..usize::MAX] {
            damaged.prefetch(outside.clone());
            damaged.prefetch_to_cache(outside.clone());
            assert!(damaged.get(outside.clone()).is_err() || outside.is_empty(), "{outside:?}");
        }
    }

    #[test]
    fn blocks_are_prefetched_where_they_are_in_the_file() {
        let blocks = Blocks::in_memory(vec![0; 2 * BLOCK_BYTES + 10]);
        let start = 5 * BLOCK_BYTES + 64;
        for (wanted, expected) in [
            (0..1, start..start + BLOCK_BYTES),
            (1..2, start + BLOCK_BYTES..start + 2 * BLOCK_BYTES),
            (1..3, start + BLOCK_BYTES..start + 2 * BLOCK_BYTES + 10),
        ] {
            assert_eq!(blocks.range_in_file(start, wanted.clone()), expected, "{wanted:?}");
        }
    }
}
