//! Opening a snapshot file: what is refused, and what to do then.
//!
//! Opening reads the header and the section table only; the file is mapped when its first section is
//! asked for. A section's checksum is compared before it is handed out; its readers check its content.

use std::path::{Path, PathBuf};
use std::{fs::File, io::Read, sync::OnceLock};

use bytes::Bytes;
use rkyv::{Portable, api::high::HighValidator, bytecheck::CheckBytes, rancor};

use super::fault::{Fault, OpenError};
use super::layout::{DatasetKind, EXTENSION, Entry, Header, Tag, padded};
use super::map::{self, Section};
use super::{blocks::Blocks, header};
use crate::text::codes::DataVersion;

#[derive(Debug)]
pub struct SnapshotFile {
    path: PathBuf,
    file: File,
    length: u64,
    header: Header,
    bytes: OnceLock<Bytes>,
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
            let bytes = OnceLock::new();
            Ok(SnapshotFile { path: path.to_owned(), file, length, header, bytes })
        };
        read().map_err(|fault| OpenError { path: path.to_owned(), fault })
    }

    /// As [`open`](Self::open), for a file in a catalog's folder: its place must say what it is.
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

    pub fn path(&self) -> &Path {
        &self.path
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

    /// A section's bytes, after its checksum was compared.
    pub fn section(&self, tag: Tag) -> Result<Bytes, OpenError> {
        let entry = self.header.sections.iter().find(|entry| entry.tag == tag);
        let entry = entry.ok_or_else(|| self.refuse(Fault::Missing { section: tag }))?;
        self.checked(entry).map_err(|fault| self.refuse(fault))
    }

    /// A section as the archive that it is, after its checksum was compared and its bytes validated.
    pub fn archive<T>(&self, tag: Tag) -> Result<Section<T>, OpenError>
    where
        T: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>>,
    {
        self.validated(tag, self.section(tag)?)
    }

    /// As [`archive`](Self::archive), of a section that `check` finds sound; else it says what was expected.
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

    /// The error for a section that is intact and does not say what was expected.
    pub fn unexpected(&self, section: Tag, expected: &str) -> OpenError {
        self.malformed(section, format_args!("expected {expected}"))
    }

    /// As [`archive`](Self::archive), copied to large pages for random reading, where there is memory.
    pub fn archive_in_memory<T>(&self, tag: Tag) -> Result<Section<T>, OpenError>
    where
        T: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>>,
    {
        let bytes = self.section(tag)?;
        self.validated(tag, map::in_large_pages(&bytes).unwrap_or(bytes))
    }

    fn validated<T>(&self, tag: Tag, bytes: Bytes) -> Result<Section<T>, OpenError>
    where
        T: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>>,
    {
        Section::validate(bytes).map_err(|cause| self.malformed(tag, cause))
    }

    /// A section that is compared block by block with the checksums that the section `sums` holds.
    pub fn blocks(&self, tag: Tag, sums: Tag) -> Result<Blocks, OpenError> {
        let entry = self.header.sections.iter().find(|entry| entry.tag == tag);
        let entry = entry.ok_or_else(|| self.refuse(Fault::Missing { section: tag }))?;
        let bytes = self.mapped().map_err(|fault| self.refuse(fault))?;
        let bytes = bytes.slice(entry.offset..entry.offset + entry.length);
        Blocks::of(tag, bytes, self.archive(sums)?).map_err(|fault| self.refuse(fault))
    }

    pub fn verify(&self) -> Result<(), OpenError> {
        for entry in &self.header.sections {
            self.checked(entry).map_err(|fault| self.refuse(fault))?;
        }
        Ok(())
    }

    pub fn refuse(&self, fault: Fault) -> OpenError {
        OpenError { path: self.path.clone(), fault }
    }

    /// An error about a section whose content contradicts itself.
    pub fn malformed(&self, section: Tag, cause: impl ToString) -> OpenError {
        self.refuse(Fault::Malformed { section, cause: cause.to_string() })
    }

    fn checked(&self, entry: &Entry) -> Result<Bytes, Fault> {
        let bytes = self.mapped()?;
        let with_padding = &bytes[entry.offset..entry.offset + padded(entry.length)];
        let found = crc32fast::hash(with_padding);
        if found != entry.checksum {
            let expected = entry.checksum;
            return Err(Fault::Checksum { section: entry.tag, expected, found });
        }
        Ok(bytes.slice(entry.offset..entry.offset + entry.length))
    }

    fn mapped(&self) -> Result<&Bytes, Fault> {
        if let Some(bytes) = self.bytes.get() {
            return Ok(bytes);
        }
        let bytes = map::map(&self.file)?;
        let (expected, found) = (self.length, bytes.len() as u64);
        if expected != found {
            return Err(Fault::Length { expected, found });
        }
        Ok(self.bytes.get_or_init(|| bytes))
    }
}

/// The data version a file name says, where it is `YYYY-MM-DD.daicho`.
pub fn version_of_name(path: &Path) -> Option<DataVersion> {
    let stem = path.file_name()?.to_str()?.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    DataVersion::parse(stem).ok()
}
