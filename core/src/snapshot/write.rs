//! Writing a snapshot: a file at its path is always complete, and verified before it gets there.
//!
//! It is staged first: written under a temporary name in the same folder, synced, opened again and verified from the
//! disk. Publishing it renames it.
//!
//! A section too large for memory is a [`StreamedSection`], which is appended in parts.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rkyv::{api::high::HighSerializer, rancor, ser::allocator::ArenaHandle, util::AlignedVec};

use super::blocks::{BLOCK_BYTES, Sums};
use super::layout::{
    DatasetKind, ENTRY_SIZE, EXTENSION, HEADER_SIZE, OpenError, SECTION_ALIGN, SECTIONS_MAX,
    SectionEntry, SectionTag, padded,
};
use super::unfinished::{IN_SNAPSHOTS, UnfinishedFile, sync_folder_of};
use super::{blocks, layout, open::SnapshotFile};
use crate::system::disk;
use crate::text::codes::DataVersion;

/// A snapshot could not be written. A file of the same version that existed before is unchanged, except after
/// [`NotDurable`](WriteError::NotDurable) and [`PublishedReadBack`](WriteError::PublishedReadBack): the new file has
/// already replaced it.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{path}: {cause}; the snapshot was not written", path = .path.display())]
    Io {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    /// A section could not be archived: larger than the format's 2 GiB.
    #[error("cannot archive section {section}: {cause}")]
    Archive { section: SectionTag, cause: rancor::Error },
    /// What came back from the disk is not what was written.
    #[error("reading it back failed: {0}; the snapshot was not written; check the disk")]
    ReadBack(#[from] OpenError),
    /// The file is at its path, but its folder could not be synced.
    #[error(
        "{path}: cannot sync its folder: {cause}; the snapshot was written, but a power failure may undo it; \
         check the disk, then build it again",
        path = .path.display()
    )]
    NotDurable {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    /// The file is at its path, but what came back from the disk is not what was written.
    #[error(
        "the snapshot was written, but reading it back failed: {0}; check the disk, then build it again"
    )]
    PublishedReadBack(#[source] OpenError),
}

/// Writes sections one after the other, in the order of the calls; no section stays in memory after it is written.
///
/// [`new`](SnapshotWriter::new) collects them in memory, [`create`](SnapshotWriter::create) in a file.
pub struct SnapshotWriter<O = Vec<u8>> {
    dataset: DatasetKind,
    version: DataVersion,
    is_sample: bool,
    /// With offsets in the bodies.
    sections: Vec<SectionEntry>,
    bodies: O,
    /// Path of the file, if the output is one.
    path: PathBuf,
}

/// A writer to the unfinished file of a snapshot.
pub type SnapshotFileWriter = SnapshotWriter<BufWriter<BodyFile>>;

/// The unfinished file of a snapshot. Space for the header and the table of this many sections is reserved before the
/// bodies.
pub struct BodyFile {
    file: UnfinishedFile,
    section_count: usize,
}

impl Write for BodyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.file().flush()
    }
}

/// Bytes per write.
const BUFFER: usize = 1 << 18;

impl SnapshotWriter {
    pub fn new(dataset: DatasetKind, version: DataVersion) -> SnapshotWriter {
        SnapshotWriter::with_capacity(dataset, version, 0)
    }

    /// Like [`new`](Self::new), with room for this many bytes. Reserve it: while a vector grows, its old and its new
    /// copy are both in memory.
    pub fn with_capacity(
        dataset: DatasetKind,
        version: DataVersion,
        bytes: usize,
    ) -> SnapshotWriter {
        let (sections, bodies) = (Vec::new(), Vec::with_capacity(bytes));
        SnapshotWriter {
            dataset,
            version,
            is_sample: false,
            sections,
            bodies,
            path: PathBuf::new(),
        }
    }

    /// Writes `FOLDER/DATASET/VERSION.daicho` under a temporary name until [`StagedSnapshot::publish`].
    pub fn stage(&self, folder: &Path) -> Result<StagedSnapshot, WriteError> {
        let mut file = create_file(folder, self.dataset, self.version)?;
        let written = file.file().write_all(&self.header());
        let written = written.and_then(|()| file.file().write_all(&self.bodies));
        written.map_err(io_error(file.path()))?;
        StagedSnapshot::verify(file, self.dataset)
    }

    /// The snapshot in memory, without a file of its own. `path` is the file that it was made from.
    pub fn into_memory(self, path: &Path) -> Result<SnapshotFile, OpenError> {
        let header = self.header();
        let mut bytes = AlignedVec::with_capacity(header.len() + self.bodies.len());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&self.bodies);
        SnapshotFile::in_memory(bytes, path)
    }
}

impl SnapshotFileWriter {
    /// Creates the unfinished file of `FOLDER/DATASET/VERSION.daicho`, with this many sections.
    pub fn create(
        folder: &Path,
        dataset: DatasetKind,
        version: DataVersion,
        section_count: usize,
    ) -> Result<SnapshotFileWriter, WriteError> {
        let mut file = create_file(folder, dataset, version)?;
        let path = file.path().to_owned();
        let bodies_start = SeekFrom::Start((HEADER_SIZE + section_count * ENTRY_SIZE) as u64);
        file.file().seek(bodies_start).map_err(io_error(&path))?;
        let bodies = BufWriter::with_capacity(BUFFER, BodyFile { file, section_count });
        Ok(SnapshotWriter {
            dataset,
            version,
            is_sample: false,
            sections: Vec::new(),
            bodies,
            path,
        })
    }

    /// Writes header and table. The file keeps its temporary name until [`StagedSnapshot::publish`].
    pub fn stage(self) -> Result<StagedSnapshot, WriteError> {
        let header = self.header();
        let SnapshotWriter { bodies, sections, path, dataset, .. } = self;
        let BodyFile { mut file, section_count } =
            bodies.into_inner().map_err(|refused| io_error(&path)(refused.into_error()))?;
        assert_eq!(sections.len(), section_count, "as many sections as announced");
        let written = file.file().seek(SeekFrom::Start(0));
        written.and_then(|_| file.file().write_all(&header)).map_err(io_error(&path))?;
        StagedSnapshot::verify(file, dataset)
    }
}

fn create_file(
    folder: &Path,
    dataset: DatasetKind,
    version: DataVersion,
) -> Result<UnfinishedFile, WriteError> {
    let folder = folder.join(dataset.name());
    let path = folder.join(format!("{version}.{EXTENSION}"));
    disk::create_folders(&folder).map_err(io_error(&folder))?;
    UnfinishedFile::create(&path, IN_SNAPSHOTS).map_err(io_error(&folder))
}

impl<O: Write> SnapshotWriter<O> {
    pub fn archive<T>(&mut self, tag: SectionTag, value: &T) -> Result<(), WriteError>
    where
        T: for<'a> rkyv::Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, rancor::Error>>,
    {
        let bytes = rkyv::to_bytes::<rancor::Error>(value)
            .map_err(|cause| WriteError::Archive { section: tag, cause })?;
        self.push(tag, &bytes)
    }

    /// Adds a section that is verified block by block, preceded by a section with the checksums of its blocks.
    pub fn blocks(
        &mut self,
        tag: SectionTag,
        sums: SectionTag,
        bytes: &[u8],
    ) -> Result<(), WriteError> {
        self.archive(sums, &blocks::sums(bytes))?;
        self.push(tag, bytes)
    }

    fn push(&mut self, tag: SectionTag, bytes: &[u8]) -> Result<(), WriteError> {
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(bytes);
        self.append(bytes)?;
        self.end_section(tag, bytes.len(), checksum)
    }

    /// Appends bytes to the section that [`Self::end_section`] ends.
    fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.bodies.write_all(bytes).map_err(io_error(&self.path))
    }

    /// Ends the section of the appended bytes.
    fn end_section(
        &mut self,
        tag: SectionTag,
        length: usize,
        mut checksum: crc32fast::Hasher,
    ) -> Result<(), WriteError> {
        assert!(self.sections.len() < SECTIONS_MAX as usize, "the reader's limit");
        assert!(self.sections.iter().all(|section| section.tag != tag), "a tag names one section");
        self.append(padding(length))?;
        checksum.update(padding(length));
        let offset = self.sections.last().map_or(0, |last| last.offset + padded(last.length));
        self.sections.push(SectionEntry { tag, offset, length, checksum: checksum.finalize() });
        Ok(())
    }

    /// Marks whether the data are made up.
    pub fn of_sample(self, is_sample: bool) -> Self {
        SnapshotWriter { is_sample, ..self }
    }

    /// Header and table of the sections written so far.
    fn header(&self) -> Vec<u8> {
        let bodies = HEADER_SIZE + self.sections.len() * ENTRY_SIZE;
        let in_file = |it: &SectionEntry| SectionEntry { offset: bodies + it.offset, ..*it };
        let sections: Vec<SectionEntry> = self.sections.iter().map(in_file).collect();
        layout::encode_header(self.dataset, self.version, self.is_sample, &sections)
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    let path = path.to_owned();
    move |cause| WriteError::Io { path, cause }
}

/// A complete and verified snapshot under a temporary name. Dropping it removes it.
#[derive(Debug)]
pub struct StagedSnapshot {
    file: UnfinishedFile,
    dataset: DatasetKind,
}

impl StagedSnapshot {
    /// Stages a file that is completely written. Verifies it from the disk before it replaces the old one, so that a
    /// bad disk does no harm.
    fn verify(file: UnfinishedFile, dataset: DatasetKind) -> Result<StagedSnapshot, WriteError> {
        file.sync().map_err(io_error(file.path()))?;
        SnapshotFile::open(file.path())?.verify()?;
        Ok(StagedSnapshot { file, dataset })
    }

    /// Opens it under its temporary name.
    pub fn open(&self) -> Result<SnapshotFile, OpenError> {
        SnapshotFile::open(self.file.path())
    }

    /// The path that [`publish`](Self::publish) moves it to.
    pub fn final_path(&self) -> &Path {
        self.file.final_path()
    }

    /// Moves it to its final path and returns it, opened and verified.
    pub fn publish(self) -> Result<SnapshotFile, WriteError> {
        let path = self.file.final_path().to_owned();
        self.file.rename().map_err(io_error(&path))?;
        sync_folder_of(&path)
            .map_err(|cause| WriteError::NotDurable { path: path.clone(), cause })?;
        let written = SnapshotFile::open_in_catalog(&path, self.dataset, &[self.dataset]);
        let written = written.map_err(WriteError::PublishedReadBack)?;
        written.verify().map_err(WriteError::PublishedReadBack)?;
        Ok(written)
    }
}

fn padding(length: usize) -> &'static [u8] {
    &[0; SECTION_ALIGN][..padded(length) - length]
}

#[cfg(any(test, feature = "test-support"))]
impl SnapshotWriter {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.header(), self.bodies.clone()].concat()
    }

    /// Stages the file and publishes it.
    pub fn write(&self, folder: &Path) -> Result<SnapshotFile, WriteError> {
        self.stage(folder)?.publish()
    }
}

/// A section that is verified block by block, and is appended in parts because it is too large for memory.
pub struct StreamedSection<'w> {
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

impl<'w> StreamedSection<'w> {
    pub fn new(snapshot: &'w mut SnapshotFileWriter, tag: SectionTag) -> StreamedSection<'w> {
        let (all, last) = (crc32fast::Hasher::new(), crc32fast::Hasher::new());
        StreamedSection { snapshot, tag, sums: Sums::new(), all, last, filled: 0 }
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
    pub fn finish(mut self, sums: SectionTag) -> Result<(), WriteError> {
        let length = self.sums.len() * BLOCK_BYTES + self.filled;
        if self.filled > 0 {
            self.end_block();
        }
        self.snapshot.end_section(self.tag, length, self.all)?;
        self.snapshot.archive(sums, &self.sums)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_error_says_whether_the_file_was_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let version = DataVersion::from_number(20_260_529).expect("a date");
        let mut writer = SnapshotWriter::new(DatasetKind::new(7, "test"), version);
        writer.archive(SectionTag::new("numbers"), &vec![1_u32]).expect("in memory");
        let stage = || writer.stage(folder.path()).expect("staged");
        let path = stage().final_path().to_owned();

        // The file at the path is a folder, so nothing can be renamed to it.
        fs::create_dir(&path).expect("made");
        let error = stage().publish().expect_err("a folder is in the way");
        assert!(matches!(error, WriteError::Io { .. }), "{error}");
        assert!(error.to_string().ends_with("; the snapshot was not written"), "{error}");
        assert!(path.is_dir());
        fs::remove_dir(&path).expect("empty");

        // The dataset of another folder is an error that only the published file has.
        let staged = StagedSnapshot { dataset: DatasetKind::new(8, "other"), ..stage() };
        let error = staged.publish().expect_err("in the folder of another dataset");
        assert!(matches!(error, WriteError::PublishedReadBack(_)), "{error}");
        assert!(error.to_string().starts_with("the snapshot was written, but"), "{error}");
        assert!(path.is_file());
        stage().publish().expect("replaced");
    }
}

#[cfg(test)]
mod streamed_section_tests {
    use super::*;
    use crate::snapshot::layout::DatasetKind;
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
    fn a_streamed_section_equals_one_that_is_written_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let all: Vec<u8> = (0..9 * BLOCK_BYTES + 5).map(|at| (at % 251) as u8).collect();
        for length in [1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, all.len()] {
            let all = &all[..length];
            let mut at_once = new_writer(folder.path(), 4);
            at_once.archive(SectionTag::new("first"), &7u32).expect("written");
            at_once.blocks(RECORDS, SUMS, all).expect("written");
            at_once.archive(SectionTag::new("after"), &9u32).expect("written");
            let mut streamed = new_writer(folder.path(), 4);
            streamed.archive(SectionTag::new("first"), &7u32).expect("written");
            let mut section = StreamedSection::new(&mut streamed, RECORDS);
            for part in all.chunks(BLOCK_BYTES / 3 + 1) {
                section.append(part).expect("appended");
            }
            section.finish(SUMS).expect("written");
            streamed.archive(SectionTag::new("after"), &9u32).expect("written after it");
            for writer in [at_once, streamed] {
                let file = writer.stage().and_then(|it| Ok(it.open()?)).expect("sound");
                let blocks = file.blocks(RECORDS, SUMS).expect("there");
                assert!(blocks.get(0..length).expect("the checksums are right") == all);
            }
        }
    }
}
