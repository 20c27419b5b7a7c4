//! Opening a snapshot file, and the checks before its content is used.
//!
//! Opening reads only the header and the section table. An archive, and a small section of blocks, is copied into memory
//! of this process when it is requested, and its checksum is verified on the copy: what happens to the file later does
//! not change it. A large section of blocks is mapped; each block's checksum is verified at the first access, and its
//! readers check every value at each use.
//!
//! A snapshot may also be in memory, where no file has it: data that an operator corrects are compiled there. It is
//! read with the same checks.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::{iter, thread};

use rkyv::util::AlignedVec;

use super::blocks::{Blocks, FilePlace, Sums};
use super::disk_file::DiskFile;
use super::files::date_of_name;
use super::layout;
use super::layout::{
    DatasetKind, EXTENSION, Fault, Header, OpenError, SectionEntry, SectionTag, padded,
};
use super::map::{OwnMemory, Section, Validated};
use crate::text::codes::DataVersion;

#[derive(Debug)]
pub struct SnapshotFile {
    path: PathBuf,
    pub(super) content: Content,
    length: u64,
    header: Header,
    read_mode: ReadMode,
    /// Bytes of sections that were copied into memory.
    copied: AtomicU64,
}

/// Where the bytes of a snapshot are.
#[derive(Debug)]
pub(super) enum Content {
    File(Arc<DiskFile>),
    Memory(OwnMemory),
}

/// How a process reads snapshot files. The default reads them sequentially, and keeps what it has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadMode {
    /// Random access, as by requests, instead of sequential: the system reads only the block or section that is
    /// needed, without read-ahead.
    pub random_access: bool,
    /// Bytes of memory that the sections of all versions of a dataset but the newest may take; see
    /// [`Versions`](super::Versions).
    pub old_versions_max: u64,
}

impl Default for ReadMode {
    fn default() -> ReadMode {
        ReadMode { random_access: false, old_versions_max: u64::MAX }
    }
}

/// Bytes per read of a whole section: small enough to be in the processor's cache when the checksum is computed.
const READ_BYTES: usize = 1 << 18;

/// The largest section of blocks that is copied instead of mapped.
const COPIED_BLOCKS_MAX: usize = 4 << 20;

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
            let file = DiskFile::open(path)?;
            let length = file.length();
            let start = length.min(layout::PREFIX_MAX as u64);
            let mut prefix = vec![0; usize::try_from(start).expect("a few kilobytes")];
            file.read(&mut prefix, 0)?;
            let header = layout::decode_header(&prefix, length)?;
            let content = Content::File(Arc::new(file));
            Ok(SnapshotFile::of(path, content, length, header))
        };
        read().map_err(|fault| OpenError { path: path.to_owned(), fault })
    }

    /// Reads a snapshot from memory. `path` is the file that it was made from, for errors and companions.
    pub(super) fn in_memory(bytes: AlignedVec, path: &Path) -> Result<SnapshotFile, OpenError> {
        let length = bytes.len() as u64;
        let prefix = &bytes[..bytes.len().min(layout::PREFIX_MAX)];
        let header = layout::decode_header(prefix, length);
        let header = header.map_err(|fault| OpenError { path: path.to_owned(), fault })?;
        let content = Content::Memory(OwnMemory::of(bytes));
        Ok(SnapshotFile::of(path, content, length, header))
    }

    fn of(path: &Path, content: Content, length: u64, header: Header) -> SnapshotFile {
        let (path, read_mode, copied) = (path.to_owned(), ReadMode::default(), AtomicU64::new(0));
        SnapshotFile { path, content, length, header, read_mode, copied }
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

    /// Bytes of this file that were copied into memory so far. They are freed with this value.
    pub fn copied_bytes(&self) -> u64 {
        self.copied.load(Relaxed)
    }

    /// A section as an archived value in memory of this process, after its checksum is verified and its bytes are
    /// validated.
    pub fn archive<T: Validated>(&self, tag: SectionTag) -> Result<Section<T>, OpenError> {
        let bytes = self.copy(self.entry(tag)?).map_err(|fault| self.refuse(fault))?;
        Section::validate(bytes).map_err(|cause| self.malformed(tag, cause))
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

    /// A section whose blocks are verified one by one with the checksums in the section `sums`.
    pub fn blocks(&self, tag: SectionTag, sums: SectionTag) -> Result<Blocks, OpenError> {
        let (entry, sums) = (self.entry(tag)?, self.archive(sums)?);
        self.blocks_of(entry, sums).map_err(|fault| self.refuse(fault))
    }

    fn blocks_of(
        &self,
        entry: &SectionEntry,
        sums: Section<rkyv::Archived<Sums>>,
    ) -> Result<Blocks, Fault> {
        match &self.content {
            Content::File(file) if entry.length > COPIED_BLOCKS_MAX => {
                let prefetches = self.read_mode.random_access;
                let mapping = file.mapping(prefetches)?.clone();
                let bytes = mapping.bytes().slice(entry.offset..entry.offset + entry.length);
                let place = FilePlace { file: Arc::clone(file), mapping, offset: entry.offset };
                Ok(Blocks::new(entry.tag, bytes, sums)?.in_file(place, prefetches))
            }
            _ => Blocks::new(entry.tag, self.copy(entry)?.into_bytes(), sums),
        }
    }

    /// Verifies the checksum of every section, by two threads: a build of a day's difference waits for this three times.
    /// Returns the error of the first damaged section.
    pub fn verify(&self) -> Result<(), OpenError> {
        let mut largest_first: Vec<&SectionEntry> = self.header.sections.iter().collect();
        largest_first.sort_by_key(|entry| Reverse(entry.length));
        let next = AtomicUsize::new(0);
        let verify_some = || -> Vec<(usize, OpenError)> {
            let entries = iter::from_fn(|| largest_first.get(next.fetch_add(1, Relaxed)));
            let damaged = entries.map(|entry| (entry.offset, self.verify_entry(entry)));
            damaged.filter_map(|(offset, verified)| Some((offset, verified.err()?))).collect()
        };
        let damaged = thread::scope(|scope| {
            let other = scope.spawn(verify_some);
            let mut damaged = verify_some();
            damaged.extend(other.join().expect("checksums are verified without panic"));
            damaged
        });
        let first = damaged.into_iter().min_by_key(|(offset, _)| *offset);
        first.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Verifies the checksum of a section without keeping it.
    pub fn verify_section(&self, tag: SectionTag) -> Result<(), OpenError> {
        self.verify_entry(self.entry(tag)?)
    }

    fn verify_entry(&self, entry: &SectionEntry) -> Result<(), OpenError> {
        let verified = match &self.content {
            // Reads without a mapping: a mapped gigabyte would count as memory of this process.
            Content::File(file) => {
                let mut part = vec![0; READ_BYTES.min(padded(entry.length))];
                let mut checksum = crc32fast::Hasher::new();
                let read = (0..padded(entry.length)).step_by(READ_BYTES).try_for_each(|start| {
                    let length = part.len().min(padded(entry.length) - start);
                    file.read(&mut part[..length], entry.offset + start)?;
                    checksum.update(&part[..length]);
                    Ok(())
                });
                read.and_then(|()| entry.check_checksum(checksum.finalize()))
            }
            Content::Memory(_) => self.copy(entry).map(drop),
        };
        verified.map_err(|fault| self.refuse(fault))
    }

    /// The bytes of a section in memory of this process, after their checksum is verified.
    fn copy(&self, entry: &SectionEntry) -> Result<OwnMemory, Fault> {
        let length = padded(entry.length);
        let mut checksum = crc32fast::Hasher::new();
        let memory = match &self.content {
            Content::Memory(memory) => {
                let memory = memory.slice(entry.offset..entry.offset + length);
                checksum.update(memory.as_ref());
                memory
            }
            Content::File(file) => {
                let memory = OwnMemory::filled(length, |memory| {
                    for (number, part) in memory.chunks_mut(READ_BYTES).enumerate() {
                        file.read(part, entry.offset + number * READ_BYTES)?;
                        checksum.update(part);
                    }
                    Ok::<(), Fault>(())
                })?;
                self.copied.fetch_add(length as u64, Relaxed);
                memory
            }
        };
        entry.check_checksum(checksum.finalize())?;
        Ok(memory.slice(0..entry.length))
    }

    pub fn refuse(&self, fault: Fault) -> OpenError {
        OpenError { path: self.path.clone(), fault }
    }

    /// The error for a section whose content contradicts itself.
    pub fn malformed(&self, section: SectionTag, cause: impl ToString) -> OpenError {
        self.refuse(Fault::Malformed { section, cause: cause.to_string() })
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

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io;

    use super::*;
    use crate::snapshot::SnapshotWriter;
    use crate::snapshot::blocks::BLOCK_BYTES;

    const KIND: DatasetKind = DatasetKind::new(7, "test");
    const INDEX: SectionTag = SectionTag::new("index");
    const LISTS: SectionTag = SectionTag::new("lists");
    const SUMS: SectionTag = SectionTag::new("sums");

    fn read_modes() -> [ReadMode; 2] {
        [false, true].map(|random_access| ReadMode { random_access, ..ReadMode::default() })
    }

    type Numbers = rkyv::Archived<Vec<u32>>;

    /// The lengths of sections of blocks: one that is copied, and one that is mapped.
    const LENGTHS: [usize; 2] = [5 * BLOCK_BYTES + 77, COPIED_BLOCKS_MAX + 5 * BLOCK_BYTES + 77];

    fn write(folder: &Path, length: usize) -> (PathBuf, Vec<u32>, Vec<u8>) {
        let version = DataVersion::parse("2026-05-29").expect("a date");
        let numbers: Vec<u32> = (0..5_000).collect();
        let lists: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        let mut snapshot = SnapshotWriter::new(KIND, version);
        snapshot.archive(INDEX, &numbers).expect("numbers archive");
        snapshot.blocks(LISTS, SUMS, &lists).expect("numbers archive");
        let written = snapshot.write(folder).expect("written");
        (written.path().to_owned(), numbers, lists)
    }

    fn is_mapped(file: &SnapshotFile) -> bool {
        matches!(&file.content, Content::File(file) if file.is_mapped())
    }

    #[test]
    fn every_read_mode_gives_the_same_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        for (length, mode) in LENGTHS.into_iter().flat_map(|it| read_modes().map(|mode| (it, mode)))
        {
            let (path, numbers, lists) = write(folder.path(), length);
            let file = SnapshotFile::open(&path).expect("a snapshot").with_read_mode(mode);
            let index: Section<Numbers> = file.archive(INDEX).expect("sound");
            assert_eq!(index.root().as_slice(), numbers, "{mode:?}");
            assert!(!is_mapped(&file), "an archive is copied");
            assert!(file.copied_bytes() >= 4 * numbers.len() as u64, "{mode:?}");
            let blocks = file.blocks(LISTS, SUMS).expect("sound");
            for range in [7..9, BLOCK_BYTES - 1..3 * BLOCK_BYTES + 1, 0..length, 5..5] {
                assert_eq!(blocks.get(range.clone()).expect("sound"), &lists[range], "{mode:?}");
            }
            assert_eq!(is_mapped(&file), length > COPIED_BLOCKS_MAX, "{mode:?}");
        }
    }

    #[test]
    fn every_read_mode_finds_a_damaged_block() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, ..) = write(folder.path(), LENGTHS[1]);
        let mut bytes = std::fs::read(&path).expect("a file");
        let end = bytes.len();
        bytes[end - 77 - 2 * BLOCK_BYTES] ^= 1;
        let damaged = folder.path().join("damaged");
        std::fs::write(&damaged, bytes).expect("written");
        let end = LENGTHS[1];
        for mode in read_modes() {
            let file = SnapshotFile::open(&damaged).expect("a snapshot").with_read_mode(mode);
            let blocks = file.blocks(LISTS, SUMS).expect("the table is sound");
            for _ in 0..2 {
                assert!(blocks.get(0..end - BLOCK_BYTES).is_err(), "{mode:?}");
                assert!(blocks.rest_of_block(end - 77 - 2 * BLOCK_BYTES).is_err(), "{mode:?}");
            }
            assert!(blocks.get(0..end - 3 * BLOCK_BYTES).is_ok(), "{mode:?}");
            assert!(blocks.get(end - 77 - BLOCK_BYTES..end).is_ok(), "{mode:?}");
        }
    }

    /// What a program can do to a file that it must not write to.
    const CHANGES: [fn(&File); 3] = [
        |file| file.set_len(0).expect("truncated"),
        |file| file.set_len(1_000).expect("truncated"),
        |mut file| {
            let length = file.metadata().expect("a file").len();
            let garbage: Vec<u8> = (0..length).map(|at| (at * 7 % 253) as u8).collect();
            io::Write::write_all(&mut file, &garbage).expect("overwritten");
        },
    ];

    #[test]
    fn what_was_copied_stays_when_the_file_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        for change in CHANGES {
            let (path, numbers, lists) = write(folder.path(), LENGTHS[0]);
            let file = SnapshotFile::open(&path).expect("a snapshot");
            let index: Section<Numbers> = file.archive(INDEX).expect("sound");
            let blocks = file.blocks(LISTS, SUMS).expect("sound");
            change(&File::options().write(true).open(&path).expect("a file"));
            assert_eq!(index.root().as_slice(), numbers);
            assert_eq!(blocks.get(0..lists.len()).expect("in memory"), lists);
            assert!(file.archive::<Numbers>(INDEX).is_err());
            assert!(file.verify().is_err() && file.verify_section(INDEX).is_err());
        }
    }

    #[test]
    fn a_block_that_was_not_read_yet_is_an_error_when_the_file_has_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        for (number, change) in CHANGES.into_iter().enumerate() {
            let (path, ..) = write(folder.path(), LENGTHS[1]);
            let file = SnapshotFile::open(&path).expect("a snapshot");
            let blocks = file.blocks(LISTS, SUMS).expect("sound");
            change(&File::options().write(true).open(&path).expect("a file"));
            for range in [0..1, 3 * BLOCK_BYTES..5 * BLOCK_BYTES] {
                blocks.get(range.clone()).expect_err("the file was changed");
            }
            let error = file.archive::<Numbers>(INDEX).expect_err("changed").to_string();
            let expected = ["bytes, found 0", "bytes, found 1000", "is damaged"][number];
            assert!(error.contains(expected), "{error}");
        }
    }
}
