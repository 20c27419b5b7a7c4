//! Opening a snapshot file, and the checks before its content is used.
//!
//! Opening reads only the header and the section table. The file is mapped when its first section is requested. A
//! section's checksum is verified before the section is returned; its readers check its content.

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::{fs::File, io::Read, sync::OnceLock};

use bytes::Bytes;
use rkyv::{Portable, api::high::HighValidator, bytecheck::CheckBytes, rancor};

use super::fault::{Fault, OpenError};
use super::layout::{DatasetKind, EXTENSION, Entry, Header, Tag, padded};
use super::map::{self, Mapping, Section};
use super::{blocks::Blocks, header};
use crate::text::codes::DataVersion;

#[derive(Debug)]
pub struct SnapshotFile {
    path: PathBuf,
    file: File,
    length: u64,
    header: Header,
    reading: Reading,
    mapping: OnceLock<Mapping>,
}

/// How a process reads snapshot files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// Random access, as by requests, instead of sequential: the system reads only the block or section that is
    /// needed, without read-ahead.
    pub at_random: bool,
    /// Copies indexes with random access to large pages. Costs their size in memory.
    pub in_large_pages: bool,
}

/// Bytes per read of [`SnapshotFile::verify`].
const VERIFY_BUFFER: usize = 1 << 20;

impl Entry {
    fn compare(&self, found: u32) -> Result<(), Fault> {
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
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            let mut prefix = Vec::with_capacity(header::PREFIX_MAX);
            (&file).take(header::PREFIX_MAX as u64).read_to_end(&mut prefix)?;
            let header = header::decode(&prefix, length)?;
            let (reading, mapping) = (Reading::default(), OnceLock::new());
            Ok(SnapshotFile { path: path.to_owned(), file, length, header, reading, mapping })
        };
        read().map_err(|fault| OpenError { path: path.to_owned(), fault })
    }

    /// As [`open`](Self::open), for a file in a catalog's folder: folder and file name must match the header.
    pub fn open_in_place(path: &Path, dataset: DatasetKind) -> Result<SnapshotFile, OpenError> {
        let refuse = |fault| OpenError { path: path.to_owned(), fault };
        let named = version_of_name(path).ok_or_else(|| refuse(Fault::Name))?;
        let file = SnapshotFile::open(path)?;
        if (file.dataset(), file.version()) != (dataset, named) {
            let expected = format!("{} {named}", dataset.name());
            let found = format!("{} {}", file.dataset().name(), file.version());
            return Err(refuse(Fault::Misplaced { expected, found }));
        }
        Ok(file)
    }

    /// The same file with another way of reading.
    pub fn read(self, reading: Reading) -> SnapshotFile {
        SnapshotFile { reading, ..self }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub fn dataset(&self) -> DatasetKind {
        self.header.dataset
    }

    pub fn version(&self) -> DataVersion {
        self.header.version
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    /// Changes with any byte of the content; equal for equal files.
    pub fn fingerprint(&self) -> u32 {
        self.header.fingerprint
    }

    pub fn sections(&self) -> &[Entry] {
        &self.header.sections
    }

    /// The bytes of a section, after its checksum is verified.
    pub fn section(&self, tag: Tag) -> Result<Bytes, OpenError> {
        let entry = self.header.sections.iter().find(|entry| entry.tag == tag);
        let entry = entry.ok_or_else(|| self.refuse(Fault::Missing { section: tag }))?;
        self.checked(entry).map_err(|fault| self.refuse(fault))
    }

    /// A section as an archived value, after its checksum is verified and its bytes are validated.
    pub fn archive<T>(&self, tag: Tag) -> Result<Section<T>, OpenError>
    where
        T: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>>,
    {
        self.validated(tag, self.section(tag)?)
    }

    /// As [`archive`](Self::archive), for a section that must also pass `check`; the error says what was expected.
    pub fn sound_archive<T>(
        &self,
        tag: Tag,
        check: impl FnOnce(&T) -> Result<(), &'static str>,
    ) -> Result<Section<T>, OpenError>
    where
        T: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>>,
    {
        let section = self.archive(tag)?;
        check(section.root()).map_err(|expected| self.unexpected(tag, expected))?;
        Ok(section)
    }

    /// The error for a section that is intact but not as expected.
    pub fn unexpected(&self, section: Tag, expected: &str) -> OpenError {
        self.malformed(section, format_args!("expected {expected}"))
    }

    /// As [`archive`](Self::archive), in large pages if that is enabled and there is memory.
    pub fn index<T>(&self, tag: Tag) -> Result<Section<T>, OpenError>
    where
        T: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>>,
    {
        let mapped = self.section(tag)?;
        let copied = self.reading.in_large_pages.then(|| map::in_large_pages(&mapped).ok());
        self.validated(tag, copied.flatten().unwrap_or(mapped))
    }

    fn validated<T>(&self, tag: Tag, bytes: Bytes) -> Result<Section<T>, OpenError>
    where
        T: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>>,
    {
        Section::validate(bytes).map_err(|cause| self.malformed(tag, cause))
    }

    /// A section whose blocks are verified one by one with the checksums in the section `sums`.
    pub fn blocks(&self, tag: Tag, sums: Tag) -> Result<Blocks, OpenError> {
        let entry = self.header.sections.iter().find(|entry| entry.tag == tag);
        let entry = entry.ok_or_else(|| self.refuse(Fault::Missing { section: tag }))?;
        let mapping = self.mapped().map_err(|fault| self.refuse(fault))?;
        let range = entry.offset..entry.offset + entry.length;
        let bytes = mapping.bytes().slice(range);
        let blocks = Blocks::of(tag, bytes, self.archive(sums)?);
        let blocks = blocks.map_err(|fault| self.refuse(fault))?;
        Ok(blocks.at(mapping.clone(), entry.offset, self.reading.at_random))
    }

    /// Verifies the checksum of every section in one sequential read of the file.
    pub fn verify(&self) -> Result<(), OpenError> {
        let mut buffer = vec![0; VERIFY_BUFFER];
        for entry in &self.header.sections {
            self.compare(entry, &mut buffer).map_err(|fault| self.refuse(fault))?;
        }
        Ok(())
    }

    /// As [`checked`](Self::checked), but reads without a mapping: a mapped gigabyte would count as memory of this
    /// process.
    fn compare(&self, entry: &Entry, buffer: &mut [u8]) -> Result<(), Fault> {
        let (mut at, end) = (entry.offset, entry.offset + padded(entry.length));
        let mut checksum = crc32fast::Hasher::new();
        while at < end {
            let length = buffer.len().min(end - at);
            let part = &mut buffer[..length];
            self.file.read_exact_at(part, at as u64)?;
            checksum.update(part);
            at += length;
        }
        entry.compare(checksum.finalize())
    }

    pub fn refuse(&self, fault: Fault) -> OpenError {
        OpenError { path: self.path.clone(), fault }
    }

    /// The error for a section whose content contradicts itself.
    pub fn malformed(&self, section: Tag, cause: impl ToString) -> OpenError {
        self.refuse(Fault::Malformed { section, cause: cause.to_string() })
    }

    fn checked(&self, entry: &Entry) -> Result<Bytes, Fault> {
        let mapping = self.mapped()?;
        let bytes = mapping.bytes();
        let range = entry.offset..entry.offset + padded(entry.length);
        if self.reading.at_random {
            mapping.prefetch(range.clone());
        }
        let with_padding = &bytes[range];
        let found = crc32fast::hash(with_padding);
        entry.compare(found)?;
        Ok(bytes.slice(entry.offset..entry.offset + entry.length))
    }

    fn mapped(&self) -> Result<&Mapping, Fault> {
        if let Some(mapping) = self.mapping.get() {
            return Ok(mapping);
        }
        let mapping = Mapping::of(&self.file)?;
        let (expected, found) = (self.length, mapping.as_ref().len() as u64);
        if expected != found {
            return Err(Fault::Length { expected, found });
        }
        if self.reading.at_random {
            mapping.expect_random_reads();
        }
        Ok(self.mapping.get_or_init(|| mapping))
    }
}

/// The data version in a file name of the form `YYYY-MM-DD.daicho`.
pub fn version_of_name(path: &Path) -> Option<DataVersion> {
    let stem = path.file_name()?.to_str()?.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    DataVersion::parse(stem).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::SnapshotWriter;
    use crate::snapshot::blocks::BLOCK_BYTES;

    const INDEX: Tag = Tag::of("index");
    const LISTS: Tag = Tag::of("lists");
    const SUMS: Tag = Tag::of("sums");

    const READINGS: [Reading; 4] = [
        Reading { at_random: false, in_large_pages: false },
        Reading { at_random: true, in_large_pages: false },
        Reading { at_random: false, in_large_pages: true },
        Reading { at_random: true, in_large_pages: true },
    ];

    type Numbers = rkyv::Archived<Vec<u32>>;

    fn write(folder: &Path) -> (PathBuf, Vec<u32>, Vec<u8>) {
        let version = DataVersion::parse("2026-05-29").expect("a date");
        let numbers: Vec<u32> = (0..5_000).collect();
        let lists: Vec<u8> = (0..5 * BLOCK_BYTES + 77).map(|at| (at % 251) as u8).collect();
        let mut snapshot = SnapshotWriter::begin(DatasetKind::Corporate, version);
        snapshot.archive(INDEX, &numbers).expect("numbers archive");
        snapshot.blocks(LISTS, SUMS, &lists).expect("numbers archive");
        let written = snapshot.write(folder).expect("written");
        (written.path().to_owned(), numbers, lists)
    }

    #[test]
    fn every_way_of_reading_gives_the_same_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, numbers, lists) = write(folder.path());
        for reading in READINGS {
            let file = SnapshotFile::open(&path).expect("a snapshot").read(reading);
            let index: Section<Numbers> = file.index(INDEX).expect("sound");
            assert_eq!(index.root().as_slice(), numbers, "{reading:?}");
            let mapped = file.mapped().expect("mapped").as_ref().as_ptr_range();
            let is_mapped = mapped.contains(&index.root().as_ptr().cast());
            assert_eq!(is_mapped, !reading.in_large_pages, "{reading:?}");
            let blocks = file.blocks(LISTS, SUMS).expect("sound");
            for range in [7..9, BLOCK_BYTES - 1..3 * BLOCK_BYTES + 1, 0..lists.len(), 5..5] {
                assert_eq!(blocks.get(range.clone()).expect("sound"), &lists[range], "{reading:?}");
            }
        }
    }

    #[test]
    fn every_way_of_reading_finds_a_damaged_block() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, ..) = write(folder.path());
        let mut bytes = std::fs::read(&path).expect("a file");
        let end = bytes.len();
        bytes[end - 77 - 2 * BLOCK_BYTES] ^= 1;
        let damaged = folder.path().join("damaged");
        std::fs::write(&damaged, bytes).expect("written");
        for reading in READINGS {
            let file = SnapshotFile::open(&damaged).expect("a snapshot").read(reading);
            let blocks = file.blocks(LISTS, SUMS).expect("the table is sound");
            for _ in 0..2 {
                assert!(blocks.get(0..4 * BLOCK_BYTES).is_err(), "{reading:?}");
                assert!(blocks.rest_of_block(3 * BLOCK_BYTES).is_err(), "{reading:?}");
            }
            assert!(blocks.get(0..3 * BLOCK_BYTES).is_ok(), "{reading:?}");
            assert!(blocks.get(4 * BLOCK_BYTES..5 * BLOCK_BYTES + 77).is_ok(), "{reading:?}");
        }
    }
}
