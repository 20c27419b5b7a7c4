//! Writing a snapshot: complete and durable in its place, or not there at all.
//!
//! It is written beside its place, synced, opened again, verified from the disk, and then renamed.

use std::fs;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use rkyv::{api::high::HighSerializer, rancor, ser::allocator::ArenaHandle, util::AlignedVec};

use super::fault::OpenError;
use super::layout::{
    DatasetKind, ENTRY_SIZE, EXTENSION, Entry, HEADER_SIZE, SECTION_ALIGN, SECTIONS_MAX, Tag,
    padded,
};
use super::unfinished::{IN_SNAPSHOTS, Unfinished};
use super::{blocks, header, map::Mapping, open::SnapshotFile};
use crate::text::codes::DataVersion;

/// A snapshot could not be written. The file that was in its place before is unchanged.
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
    Archive { section: Tag, cause: rancor::Error },
    /// What came back from the disk is not what was written.
    #[error("written, but reading it back failed: {0}; check the disk")]
    ReadBack(#[from] OpenError),
}

/// Writes sections one after the other, in the order of the calls; no section stays in memory after it is written.
///
/// [`begin`](SnapshotWriter::begin) collects them in memory, [`begin_in`](SnapshotWriter::begin_in) in a file.
pub struct SnapshotWriter<O = Vec<u8>> {
    dataset: DatasetKind,
    version: DataVersion,
    sections: Vec<Body>,
    bodies: O,
    /// Path of the file, if the output is one.
    path: PathBuf,
}

/// The body of a written section.
struct Body {
    tag: Tag,
    length: usize,
    checksum: u32,
}

/// A writer to a file beside the place of the snapshot.
pub type SnapshotFileWriter = SnapshotWriter<BufWriter<Reserved>>;

/// A file with space reserved for header and table.
pub struct Reserved {
    file: Unfinished,
    sections: usize,
}

impl Write for Reserved {
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
    pub fn begin(dataset: DatasetKind, version: DataVersion) -> SnapshotWriter {
        let (sections, bodies) = (Vec::new(), Vec::new());
        SnapshotWriter { dataset, version, sections, bodies, path: PathBuf::new() }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        [self.header(), self.bodies.clone()].concat()
    }

    /// Writes `FOLDER/DATASET/VERSION.daicho` and returns it, opened and verified.
    pub fn write(&self, folder: &Path) -> Result<SnapshotFile, WriteError> {
        self.write_beside(folder)?.finish()
    }

    /// The same, but leaves the file beside its place until [`Written::finish`].
    pub fn write_beside(&self, folder: &Path) -> Result<Written, WriteError> {
        let mut file = begin_file(folder, self.dataset, self.version)?;
        let written = file.file().write_all(&self.header());
        let written = written.and_then(|()| file.file().write_all(&self.bodies));
        written.map_err(io(file.path()))?;
        Written::of(file, self.dataset)
    }
}

impl SnapshotFileWriter {
    /// Begins the file of `FOLDER/DATASET/VERSION.daicho`, with this many sections.
    pub fn begin_in(
        folder: &Path,
        dataset: DatasetKind,
        version: DataVersion,
        sections: usize,
    ) -> Result<SnapshotFileWriter, WriteError> {
        let mut file = begin_file(folder, dataset, version)?;
        let path = file.path().to_owned();
        let free = SeekFrom::Start((HEADER_SIZE + sections * ENTRY_SIZE) as u64);
        file.file().seek(free).map_err(io(&path))?;
        let bodies = BufWriter::with_capacity(BUFFER, Reserved { file, sections });
        Ok(SnapshotWriter { dataset, version, sections: Vec::new(), bodies, path })
    }

    /// The bytes of a section in the file, by its index. They do not change any more.
    pub(super) fn read_back(&mut self, section: Range<usize>) -> Result<Mapping, WriteError> {
        self.bodies.flush().map_err(io(&self.path))?;
        let Reserved { file, sections } = self.bodies.get_mut();
        let start = HEADER_SIZE + *sections * ENTRY_SIZE + section.start;
        Mapping::of_range(file.file(), start as u64, section.len()).map_err(io(&self.path))
    }

    /// Writes header and table. The snapshot stays beside its place until [`Written::finish`].
    pub fn write_beside(self) -> Result<Written, WriteError> {
        let header = self.header();
        let SnapshotWriter { bodies, sections, path, dataset, .. } = self;
        let Reserved { mut file, sections: free } =
            bodies.into_inner().map_err(|refused| io(&path)(refused.into_error()))?;
        assert_eq!(sections.len(), free, "as many sections as announced");
        let written = file.file().seek(SeekFrom::Start(0));
        written.and_then(|_| file.file().write_all(&header)).map_err(io(&path))?;
        Written::of(file, dataset)
    }
}

fn begin_file(
    folder: &Path,
    dataset: DatasetKind,
    version: DataVersion,
) -> Result<Unfinished, WriteError> {
    let folder = folder.join(dataset.name());
    let path = folder.join(format!("{version}.{EXTENSION}"));
    fs::create_dir_all(&folder).map_err(io(&folder))?;
    Unfinished::begin(&path, IN_SNAPSHOTS).map_err(io(&folder))
}

impl<O: Write> SnapshotWriter<O> {
    pub fn archive<T>(&mut self, tag: Tag, value: &T) -> Result<(), WriteError>
    where
        T: for<'a> rkyv::Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, rancor::Error>>,
    {
        let bytes = rkyv::to_bytes::<rancor::Error>(value)
            .map_err(|cause| WriteError::Archive { section: tag, cause })?;
        self.push(tag, &bytes)
    }

    /// Adds a section that is verified block by block, preceded by a section with the checksums of its blocks.
    pub fn blocks(&mut self, tag: Tag, sums: Tag, bytes: &[u8]) -> Result<(), WriteError> {
        self.archive(sums, &blocks::sums(bytes))?;
        self.push(tag, bytes)
    }

    fn push(&mut self, tag: Tag, bytes: &[u8]) -> Result<(), WriteError> {
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(bytes);
        self.append(bytes)?;
        self.end_section(tag, bytes.len(), checksum)?;
        Ok(())
    }

    /// Appends bytes to the section that [`Self::end_section`] ends.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.bodies.write_all(bytes).map_err(io(&self.path))
    }

    /// Ends the section of the appended bytes; returns its index.
    pub(super) fn end_section(
        &mut self,
        tag: Tag,
        length: usize,
        mut checksum: crc32fast::Hasher,
    ) -> Result<Range<usize>, WriteError> {
        assert!(self.sections.len() < SECTIONS_MAX as usize, "the reader's limit");
        assert!(self.sections.iter().all(|there| there.tag != tag), "a tag names one section");
        self.append(padding(length))?;
        checksum.update(padding(length));
        let start: usize = self.sections.iter().map(|body| padded(body.length)).sum();
        self.sections.push(Body { tag, length, checksum: checksum.finalize() });
        Ok(start..start + length)
    }

    /// Header and table of the sections written so far.
    fn header(&self) -> Vec<u8> {
        let mut next = HEADER_SIZE + self.sections.len() * ENTRY_SIZE;
        let entry = |body: &Body| {
            let Body { tag, length, checksum } = *body;
            let offset = next;
            next += padded(length);
            Entry { tag, offset, length, checksum }
        };
        let entries: Vec<Entry> = self.sections.iter().map(entry).collect();
        header::encode(self.dataset, self.version, &entries)
    }
}

fn io(path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    let path = path.to_owned();
    move |cause| WriteError::Io { path, cause }
}

/// A complete and verified snapshot beside its place.
#[derive(Debug)]
pub struct Written {
    file: Unfinished,
    dataset: DatasetKind,
}

impl Written {
    /// Takes a file that is completely written. Verifies it from the disk before it replaces the old one, so that a
    /// bad disk does no harm.
    fn of(mut file: Unfinished, dataset: DatasetKind) -> Result<Written, WriteError> {
        file.file().sync_all().map_err(io(file.path()))?;
        SnapshotFile::open(file.path())?.verify()?;
        Ok(Written { file, dataset })
    }

    /// Opens it at its present path.
    pub fn open(&self) -> Result<SnapshotFile, OpenError> {
        SnapshotFile::open(self.file.path())
    }

    /// Its future path.
    pub fn place(&self) -> &Path {
        self.file.place()
    }

    /// Moves it into its place and returns it, opened and verified.
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
