//! Opening a snapshot file, and the checks before its content is used.
//!
//! Opening reads only the header and the section table. The file is mapped when its first section is requested. A
//! section's checksum is verified before the section is returned; its readers check its content.
//!
//! Warming up reads a file once from end to end, in steps, so that it is in memory before requests need it. The file
//! is not mapped for it. The system evicts pages that were read only once before those that requests use again. Knows
//! no clock: the caller waits between the steps.
//!
//! A snapshot may also be in memory, where no file has it: data that an operator corrects are compiled there. It is
//! read with the same checks.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::{fs::File, io, io::Read};

use bytes::Bytes;
use rkyv::util::AlignedVec;

use super::files::date_of_name;
use super::layout::{
    DatasetKind, EXTENSION, Fault, Header, OpenError, SectionEntry, SectionTag, padded,
};
use super::map::{self, Mapping, Section, Validated};
use super::{blocks::Blocks, layout};
use crate::system::reading::{
    Links, bytes_from_disk, expect_random_reads, open_regular, read_exact_at,
};
use crate::text::codes::DataVersion;

#[derive(Debug)]
pub struct SnapshotFile {
    path: PathBuf,
    content: Content,
    length: u64,
    header: Header,
    read_mode: ReadMode,
}

/// Where the bytes of a snapshot are.
#[derive(Debug)]
enum Content {
    File {
        file: File,
        mapping: OnceLock<Mapping>,
    },
    /// Aligned as sections are.
    Memory(Bytes),
}

/// How a process reads snapshot files. The default reads them sequentially.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadMode {
    /// Random access, as by requests, instead of sequential: the system reads only the block or section that is
    /// needed, without read-ahead.
    pub random_access: bool,
    /// Copies indexes of numbers to large pages. Costs their size in memory.
    pub large_pages: bool,
}

/// Bytes per read of [`SnapshotFile::verify`].
const VERIFY_BUFFER: usize = 1 << 20;

impl SectionEntry {
    /// Compares the checksum of the body and its padding.
    fn check_checksum(&self, found: u32) -> Result<(), Fault> {
        let expected = self.checksum;
        if found != expected {
            return Err(Fault::Checksum { section: self.tag, expected, found });
        }
        Ok(())
    }
}

impl SnapshotFile {
    /// Opens the file and checks header and section table.
    pub fn open(path: &Path) -> Result<SnapshotFile, OpenError> {
        let read = || -> Result<SnapshotFile, Fault> {
            let file = open_regular(path, Links::Refused)?;
            let length = file.metadata()?.len();
            let mut prefix = Vec::with_capacity(layout::PREFIX_MAX);
            (&file).take(layout::PREFIX_MAX as u64).read_to_end(&mut prefix)?;
            let header = layout::decode_header(&prefix, length)?;
            let content = Content::File { file, mapping: OnceLock::new() };
            let (path, read_mode) = (path.to_owned(), ReadMode::default());
            Ok(SnapshotFile { path, content, length, header, read_mode })
        };
        read().map_err(|fault| OpenError { path: path.to_owned(), fault })
    }

    /// Reads a snapshot from memory. `path` is the file that it was made from, for errors and companions.
    pub(super) fn in_memory(bytes: AlignedVec, path: &Path) -> Result<SnapshotFile, OpenError> {
        let length = bytes.len() as u64;
        let prefix = &bytes[..bytes.len().min(layout::PREFIX_MAX)];
        let header = layout::decode_header(prefix, length);
        let header = header.map_err(|fault| OpenError { path: path.to_owned(), fault })?;
        let content = Content::Memory(Bytes::from_owner(bytes));
        let (path, read_mode) = (path.to_owned(), ReadMode::default());
        Ok(SnapshotFile { path, content, length, header, read_mode })
    }

    /// As [`open`](Self::open), for a file in the folder of its dataset: folder and file name must match the header.
    /// `kinds` are all datasets, by which the error names the one that the file is of.
    pub fn open_in_catalog(
        path: &Path,
        dataset: DatasetKind,
        kinds: &[DatasetKind],
    ) -> Result<SnapshotFile, OpenError> {
        let refuse = |fault| OpenError { path: path.to_owned(), fault };
        let named = date_of_name(path, EXTENSION).ok_or_else(|| refuse(Fault::Name))?;
        let file = SnapshotFile::open(path)?;
        let found = file.kind_among(kinds)?;
        if (found, file.version()) != (dataset, named) {
            let expected = format!("{dataset} {named}");
            let found = format!("{found} {}", file.version());
            return Err(refuse(Fault::Misplaced { expected, found }));
        }
        Ok(file)
    }

    /// The one of these datasets that the file is of; a file of any other dataset is refused.
    pub fn kind_among(&self, kinds: &[DatasetKind]) -> Result<DatasetKind, OpenError> {
        let number = self.header.dataset;
        let found = kinds.iter().find(|kind| kind.number() == number).copied();
        found.ok_or_else(|| self.refuse(Fault::Dataset { found: number }))
    }

    pub fn with_read_mode(self, read_mode: ReadMode) -> SnapshotFile {
        SnapshotFile { read_mode, ..self }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn version(&self) -> DataVersion {
        self.header.version
    }

    /// Whether the data are made up, for trials of the program.
    pub fn is_sample(&self) -> bool {
        self.header.is_sample
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    /// Changes with any byte of the content; equal for equal files.
    pub fn fingerprint(&self) -> u32 {
        self.header.fingerprint
    }

    pub fn sections(&self) -> &[SectionEntry] {
        &self.header.sections
    }

    /// Whether the file has a section that not every snapshot has.
    pub fn has_section(&self, tag: SectionTag) -> bool {
        self.header.sections.iter().any(|entry| entry.tag == tag)
    }

    fn entry(&self, tag: SectionTag) -> Result<&SectionEntry, OpenError> {
        let entry = self.header.sections.iter().find(|entry| entry.tag == tag);
        entry.ok_or_else(|| self.refuse(Fault::Missing { section: tag }))
    }

    /// The bytes of a section, after its checksum is verified.
    pub fn section(&self, tag: SectionTag) -> Result<Bytes, OpenError> {
        self.verified(self.entry(tag)?).map_err(|fault| self.refuse(fault))
    }

    /// A section as an archived value, after its checksum is verified and its bytes are validated.
    pub fn archive<T: Validated>(&self, tag: SectionTag) -> Result<Section<T>, OpenError> {
        self.validated(tag, self.section(tag)?)
    }

    /// As [`archive`](Self::archive), for a section that must also pass `check`; the error says what was expected.
    pub fn checked_archive<T: Validated>(
        &self,
        tag: SectionTag,
        check: impl FnOnce(&T) -> Result<(), &'static str>,
    ) -> Result<Section<T>, OpenError> {
        let section = self.archive(tag)?;
        check(section.root()).map_err(|expected| self.unexpected(tag, expected))?;
        Ok(section)
    }

    /// The error for a section that is intact but not as expected.
    pub fn unexpected(&self, section: SectionTag, expected: &str) -> OpenError {
        self.malformed(section, format_args!("expected {expected}"))
    }

    /// As [`archive`](Self::archive), for an index: in large pages if the mode says so and there is memory.
    pub fn index_archive<T: Validated>(&self, tag: SectionTag) -> Result<Section<T>, OpenError> {
        let mapped = self.section(tag)?;
        let copied = self.read_mode.large_pages.then(|| map::copy_to_large_pages(&mapped).ok());
        self.validated(tag, copied.flatten().unwrap_or(mapped))
    }

    fn validated<T: Validated>(
        &self,
        tag: SectionTag,
        bytes: Bytes,
    ) -> Result<Section<T>, OpenError> {
        Section::validate(bytes).map_err(|cause| self.malformed(tag, cause))
    }

    /// A section whose blocks are verified one by one with the checksums in the section `sums`.
    pub fn blocks(&self, tag: SectionTag, sums: SectionTag) -> Result<Blocks, OpenError> {
        let entry = self.entry(tag)?;
        let bytes = self.bytes().map_err(|fault| self.refuse(fault))?;
        let bytes = bytes.slice(entry.offset..entry.offset + entry.length);
        let blocks = Blocks::new(tag, bytes, self.archive(sums)?);
        let blocks = blocks.map_err(|fault| self.refuse(fault))?;
        let mapping = self.mapped().map_err(|fault| self.refuse(fault))?;
        Ok(match mapping {
            Some(mapping) => {
                blocks.in_file(mapping.clone(), entry.offset, self.read_mode.random_access)
            }
            None => blocks,
        })
    }

    /// Verifies the checksum of every section in one sequential read of the file.
    pub fn verify(&self) -> Result<(), OpenError> {
        let mut buffer = vec![0; VERIFY_BUFFER];
        for entry in &self.header.sections {
            self.verify_section(entry, &mut buffer).map_err(|fault| self.refuse(fault))?;
        }
        Ok(())
    }

    /// Reads without a mapping: a mapped gigabyte would count as memory of this process.
    fn verify_section(&self, entry: &SectionEntry, buffer: &mut [u8]) -> Result<(), Fault> {
        let (mut offset, end) = (entry.offset, entry.offset + padded(entry.length));
        let mut checksum = crc32fast::Hasher::new();
        while offset < end {
            let length = buffer.len().min(end - offset);
            let part = &mut buffer[..length];
            match &self.content {
                Content::File { file, .. } => read_exact_at(file, part, offset as u64)?,
                Content::Memory(bytes) => part.copy_from_slice(&bytes[offset..offset + length]),
            }
            checksum.update(part);
            offset += length;
        }
        entry.check_checksum(checksum.finalize())
    }

    pub fn refuse(&self, fault: Fault) -> OpenError {
        OpenError { path: self.path.clone(), fault }
    }

    /// The error for a section whose content contradicts itself.
    pub fn malformed(&self, section: SectionTag, cause: impl ToString) -> OpenError {
        self.refuse(Fault::Malformed { section, cause: cause.to_string() })
    }

    fn verified(&self, entry: &SectionEntry) -> Result<Bytes, Fault> {
        let bytes = self.bytes()?;
        let range = entry.offset..entry.offset + padded(entry.length);
        if let Some(mapping) = self.mapped()?.filter(|_| self.read_mode.random_access) {
            mapping.prefetch(range.clone());
        }
        entry.check_checksum(crc32fast::hash(&bytes[range]))?;
        Ok(bytes.slice(entry.offset..entry.offset + entry.length))
    }

    fn bytes(&self) -> Result<Bytes, Fault> {
        match &self.content {
            Content::Memory(bytes) => Ok(bytes.clone()),
            Content::File { file, mapping } => Ok(self.mapping(file, mapping)?.bytes()),
        }
    }

    /// The mapping of the file; `None` if the snapshot is in memory.
    fn mapped(&self) -> Result<Option<&Mapping>, Fault> {
        match &self.content {
            Content::Memory(_) => Ok(None),
            Content::File { file, mapping } => self.mapping(file, mapping).map(Some),
        }
    }

    /// Maps the file at the first call.
    fn mapping<'m>(
        &self,
        file: &File,
        mapped: &'m OnceLock<Mapping>,
    ) -> Result<&'m Mapping, Fault> {
        if let Some(mapping) = mapped.get() {
            return Ok(mapping);
        }
        let mapping = Mapping::new(file)?;
        let (expected, found) = (self.length, mapping.as_ref().len() as u64);
        if expected != found {
            return Err(Fault::Length { expected, found });
        }
        if self.read_mode.random_access {
            mapping.expect_random_reads();
        }
        Ok(mapped.get_or_init(|| mapping))
    }
}

/// A value that is read from a snapshot and checked once, at its first use. A fault is kept too: later uses get the
/// same error without reading again.
#[derive(Debug)]
pub struct LazyValue<T>(OnceLock<Result<T, Arc<OpenError>>>);

impl<T> Default for LazyValue<T> {
    fn default() -> LazyValue<T> {
        LazyValue(OnceLock::new())
    }
}

impl<T> LazyValue<T> {
    /// Whether it was read already, so that `get` does not wait for the disk.
    pub fn is_loaded(&self) -> bool {
        self.0.get().is_some()
    }

    pub fn loaded(&self) -> Option<&T> {
        self.0.get()?.as_ref().ok()
    }

    /// The value, which `read` makes at the first use.
    pub fn get(
        &self,
        read: impl FnOnce() -> Result<T, Arc<OpenError>>,
    ) -> Result<&T, Arc<OpenError>> {
        self.0.get_or_init(read).as_ref().map_err(Arc::clone)
    }
}

/// Bytes per step: few enough that requests read in between, many enough for disks that limit the number of reads.
const STEP_BYTES: usize = 1 << 20;

/// A part of a file that is now in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    pub bytes: u64,
    /// Bytes of it that were read from a disk; all of them if the system does not count.
    pub from_disk: u64,
}

impl SnapshotFile {
    /// Reads the file into memory, step by step. Ends after the first error.
    pub fn warm_up(&self) -> impl Iterator<Item = io::Result<Step>> {
        let file = match &self.content {
            Content::File { file, .. } => Some(file),
            Content::Memory(_) => None,
        };
        // Without read-ahead a step reads exactly its bytes.
        file.map(expect_random_reads);
        let (mut next, end, mut buffer) = (0, self.length(), vec![0; STEP_BYTES]);
        std::iter::from_fn(move || {
            let file = file?;
            let left = usize::try_from(end - next).unwrap_or(usize::MAX).min(STEP_BYTES);
            if left == 0 {
                return None;
            }
            let before = bytes_from_disk();
            let read = read_exact_at(file, &mut buffer[..left], next);
            let bytes = left as u64;
            next = if read.is_ok() { next + bytes } else { end };
            let counted = before.zip(bytes_from_disk());
            let from_disk = counted.map_or(bytes, |(before, now)| now.saturating_sub(before));
            Some(read.map(|()| Step { bytes, from_disk }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::SnapshotWriter;
    use crate::snapshot::blocks::BLOCK_BYTES;

    const KIND: DatasetKind = DatasetKind::new(7, "test");
    const INDEX: SectionTag = SectionTag::new("index");
    const LISTS: SectionTag = SectionTag::new("lists");
    const SUMS: SectionTag = SectionTag::new("sums");

    const READ_MODES: [ReadMode; 4] = [
        ReadMode { random_access: false, large_pages: false },
        ReadMode { random_access: true, large_pages: false },
        ReadMode { random_access: false, large_pages: true },
        ReadMode { random_access: true, large_pages: true },
    ];

    type Numbers = rkyv::Archived<Vec<u32>>;

    fn write(folder: &Path) -> (PathBuf, Vec<u32>, Vec<u8>) {
        let version = DataVersion::parse("2026-05-29").expect("a date");
        let numbers: Vec<u32> = (0..5_000).collect();
        let lists: Vec<u8> = (0..5 * BLOCK_BYTES + 77).map(|at| (at % 251) as u8).collect();
        let mut snapshot = SnapshotWriter::new(KIND, version);
        snapshot.archive(INDEX, &numbers).expect("numbers archive");
        snapshot.blocks(LISTS, SUMS, &lists).expect("numbers archive");
        let written = snapshot.write(folder).expect("written");
        (written.path().to_owned(), numbers, lists)
    }

    #[test]
    fn every_read_mode_gives_the_same_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, numbers, lists) = write(folder.path());
        for mode in READ_MODES {
            let file = SnapshotFile::open(&path).expect("a snapshot").with_read_mode(mode);
            let index: Section<Numbers> = file.index_archive(INDEX).expect("sound");
            assert_eq!(index.root().as_slice(), numbers, "{mode:?}");
            let mapped = file.mapped().expect("mapped").expect("a file").as_ref().as_ptr_range();
            let is_mapped = mapped.contains(&index.root().as_ptr().cast());
            assert_eq!(is_mapped, !mode.large_pages, "{mode:?}");
            let blocks = file.blocks(LISTS, SUMS).expect("sound");
            for range in [7..9, BLOCK_BYTES - 1..3 * BLOCK_BYTES + 1, 0..lists.len(), 5..5] {
                assert_eq!(blocks.get(range.clone()).expect("sound"), &lists[range], "{mode:?}");
            }
        }
    }

    #[test]
    fn every_read_mode_finds_a_damaged_block() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, ..) = write(folder.path());
        let mut bytes = std::fs::read(&path).expect("a file");
        let end = bytes.len();
        bytes[end - 77 - 2 * BLOCK_BYTES] ^= 1;
        let damaged = folder.path().join("damaged");
        std::fs::write(&damaged, bytes).expect("written");
        for mode in READ_MODES {
            let file = SnapshotFile::open(&damaged).expect("a snapshot").with_read_mode(mode);
            let blocks = file.blocks(LISTS, SUMS).expect("the table is sound");
            for _ in 0..2 {
                assert!(blocks.get(0..4 * BLOCK_BYTES).is_err(), "{mode:?}");
                assert!(blocks.rest_of_block(3 * BLOCK_BYTES).is_err(), "{mode:?}");
            }
            assert!(blocks.get(0..3 * BLOCK_BYTES).is_ok(), "{mode:?}");
            assert!(blocks.get(4 * BLOCK_BYTES..5 * BLOCK_BYTES + 77).is_ok(), "{mode:?}");
        }
    }
}

#[cfg(test)]
mod warmup_tests {
    use std::fs::File;

    use super::*;
    use crate::snapshot::{DatasetKind, SectionTag, SnapshotWriter};
    use crate::text::codes::DataVersion;

    const KIND: DatasetKind = DatasetKind::new(7, "test");

    #[test]
    fn every_byte_is_read_in_equal_steps() {
        for section_bytes in [0, 1, STEP_BYTES, 3 * STEP_BYTES - 100] {
            let folder = tempfile::tempdir().expect("a folder");
            let version = DataVersion::parse("2026-05-29").expect("a date");
            let mut snapshot = SnapshotWriter::new(KIND, version);
            snapshot
                .archive(SectionTag::new("t"), &vec![7u8; section_bytes])
                .expect("bytes archive");
            let written = snapshot.write(folder.path()).expect("written");
            let file = SnapshotFile::open(written.path()).expect("a snapshot");
            let steps: Vec<Step> = file.warm_up().map(|step| step.expect("it reads")).collect();
            let (last, whole) = steps.split_last().expect("a file has a header");
            assert!(whole.iter().all(|step| step.bytes == STEP_BYTES as u64), "{steps:?}");
            assert!((1..=STEP_BYTES as u64).contains(&last.bytes), "{steps:?}");
            assert_eq!(steps.iter().map(|step| step.bytes).sum::<u64>(), file.length());
            // The second pass reads from memory. Where the system reports reads from disk, there are none.
            let again = file.warm_up().map(|step| step.expect("it reads").from_disk).sum::<u64>();
            assert_eq!(again, if bytes_from_disk().is_some() { 0 } else { file.length() });
        }
    }

    #[test]
    fn a_truncated_file_is_an_error_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let version = DataVersion::parse("2026-05-29").expect("a date");
        let mut snapshot = SnapshotWriter::new(KIND, version);
        snapshot.archive(SectionTag::new("t"), &vec![7u8; 2 * STEP_BYTES]).expect("bytes archive");
        let written = snapshot.write(folder.path()).expect("written");
        let file = SnapshotFile::open(written.path()).expect("a snapshot");
        let mut steps = file.warm_up();
        assert!(steps.next().expect("a step").is_ok());
        let cut = File::options().write(true).open(written.path()).expect("a file");
        cut.set_len(STEP_BYTES as u64 + 5).expect("cut");
        assert!(steps.next().expect("a step").is_err());
        assert!(steps.next().is_none());
    }
}
