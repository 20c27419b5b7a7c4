//! Writing a snapshot: whole and durable in its place, or not there at all.
//!
//! Written beside its place, synced, opened again and verified from the disk, and then renamed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rkyv::{api::high::HighSerializer, rancor, ser::allocator::ArenaHandle, util::AlignedVec};

use super::fault::OpenError;
use super::layout::{
    DatasetKind, ENTRY_SIZE, EXTENSION, Entry, HEADER_SIZE, SECTION_ALIGN, SECTIONS_MAX, Tag,
    padded,
};
use super::unfinished::{IN_SNAPSHOTS, Unfinished};
use super::{blocks, header, open::SnapshotFile};
use crate::text::codes::DataVersion;

/// A snapshot could not be written. What stood in its place before still stands there.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{path}: {cause}; the snapshot was not written", path = .path.display())]
    Io {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    /// A section could not be archived: larger than the format's 2 GiB.
    #[error("section {section} cannot be archived: {cause}")]
    Archive { section: Tag, cause: rancor::Error },
    /// What came back from the disk is not what was written.
    #[error("written, but it does not read back: {0}; check the disk")]
    ReadBack(#[from] OpenError),
}

pub struct SnapshotWriter {
    dataset: DatasetKind,
    version: DataVersion,
    sections: Vec<(Tag, Body)>,
}

enum Body {
    Archived(AlignedVec),
    Raw(Vec<u8>),
}

impl Body {
    fn bytes(&self) -> &[u8] {
        match self {
            Body::Archived(bytes) => bytes,
            Body::Raw(bytes) => bytes,
        }
    }
}

impl SnapshotWriter {
    pub fn begin(dataset: DatasetKind, version: DataVersion) -> SnapshotWriter {
        SnapshotWriter { dataset, version, sections: Vec::new() }
    }

    pub fn archive<T>(&mut self, tag: Tag, value: &T) -> Result<(), WriteError>
    where
        T: for<'a> rkyv::Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, rancor::Error>>,
    {
        let bytes = rkyv::to_bytes::<rancor::Error>(value)
            .map_err(|cause| WriteError::Archive { section: tag, cause })?;
        self.push(tag, Body::Archived(bytes));
        Ok(())
    }

    /// Adds a section that is compared block by block, and one with the checksums of its blocks.
    pub fn blocks(&mut self, tag: Tag, sums: Tag, bytes: Vec<u8>) -> Result<(), WriteError> {
        self.archive(sums, &blocks::sums(&bytes))?;
        self.push(tag, Body::Raw(bytes));
        Ok(())
    }

    fn push(&mut self, tag: Tag, body: Body) {
        assert!(self.sections.len() < SECTIONS_MAX as usize, "the reader allows no more");
        assert!(self.sections.iter().all(|(there, _)| *there != tag), "a tag names one section");
        self.sections.push((tag, body));
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = Vec::new();
        self.write_to(&mut file).expect("a vector takes every byte");
        file
    }

    /// Writes header, table and bodies; a corporate snapshot has a gigabyte that is in memory once.
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut next = HEADER_SIZE + self.sections.len() * ENTRY_SIZE;
        let mut entries = Vec::with_capacity(self.sections.len());
        for (tag, body) in &self.sections {
            let body = body.bytes();
            let mut checksum = crc32fast::Hasher::new();
            checksum.update(body);
            checksum.update(padding(body.len()));
            let checksum = checksum.finalize();
            entries.push(Entry { tag: *tag, offset: next, length: body.len(), checksum });
            next += padded(body.len());
        }
        out.write_all(&header::encode(self.dataset, self.version, &entries))?;
        for (_, body) in &self.sections {
            out.write_all(body.bytes())?;
            out.write_all(padding(body.bytes().len()))?;
        }
        Ok(())
    }

    /// Writes `FOLDER/DATASET/VERSION.daicho` and returns it, opened and verified.
    pub fn write(&self, folder: &Path) -> Result<SnapshotFile, WriteError> {
        self.write_beside(folder)?.finish()
    }

    /// The same, but beside that place until it is [finished](Written::finish).
    pub fn write_beside(&self, folder: &Path) -> Result<Written, WriteError> {
        let folder = folder.join(self.dataset.name());
        let path = folder.join(format!("{}.{EXTENSION}", self.version));
        fs::create_dir_all(&folder).map_err(io(&folder))?;
        let mut file = Unfinished::begin(&path, IN_SNAPSHOTS).map_err(io(&folder))?;
        let written = self.write_to(file.file()).and_then(|()| file.file().sync_all());
        written.map_err(io(file.path()))?;
        // Verified before it takes the old one's place, so that a bad disk costs nothing.
        SnapshotFile::open(file.path())?.verify()?;
        Ok(Written { file, dataset: self.dataset })
    }
}

fn io(path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    let path = path.to_owned();
    move |cause| WriteError::Io { path, cause }
}

/// A snapshot that is whole and sound, beside its place.
#[derive(Debug)]
pub struct Written {
    file: Unfinished,
    dataset: DatasetKind,
}

impl Written {
    /// Opens it where it lies now.
    pub fn open(&self) -> Result<SnapshotFile, OpenError> {
        SnapshotFile::open(self.file.path())
    }

    /// Where it will lie.
    pub fn place(&self) -> &Path {
        self.file.place()
    }

    /// Puts it into its place and returns it, opened and verified.
    pub fn finish(self) -> Result<SnapshotFile, WriteError> {
        let path = self.file.place().to_owned();
        self.file.finish().map_err(io(&path))?;
        let written = SnapshotFile::open_in_place(&path, self.dataset)?;
        written.verify()?;
        Ok(written)
    }
}

fn padding(length: usize) -> &'static [u8] {
    &[0; SECTION_ALIGN][..padded(length) - length]
}
