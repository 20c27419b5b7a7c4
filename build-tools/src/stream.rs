//! Reads the texts below a path one after the other, without holding any of them in memory.
//!
//! For sources of more than a gigabyte. A packed member of an archive, as in a tar of daily zips, is unpacked in
//! memory.

use std::io::{self, BufReader, Read, Seek};
use std::{fs::File, path::Path};

use crate::archive::{
    ARCHIVE_BYTES_MAX, LAYERS_MAX, Packing, Visit, decompress, each_tar_member, fault, file_name,
    read_bounded, read_head, zip_fault, zip_members,
};
use crate::error::{Members, SourceError};
use crate::kind::Kind;

#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    Path(&'a Path),
    /// A file in memory with its name for messages.
    Bytes(&'a str, &'a [u8]),
}

pub(crate) type TakeText<'v> = &'v mut dyn FnMut(&str, &mut dyn Read) -> Result<(), SourceError>;

impl Input<'_> {
    pub fn name(&self) -> String {
        match self {
            Input::Path(path) => path.display().to_string(),
            Input::Bytes(name, _) => (*name).to_owned(),
        }
    }

    /// Passes every text of this kind to `take`, in order; the only file of an archive is always taken.
    pub(crate) fn each_text(
        &self,
        kind: Kind,
        progress: crate::Progress<'_>,
        take: TakeText<'_>,
    ) -> Result<(), SourceError> {
        let mut walk = Walk { kind, take, bytes_in_memory: 0 };
        match self {
            Input::Path(path) => {
                let io_error = |cause| SourceError::Io { path: path.to_path_buf(), cause };
                let file = File::open(path).map_err(io_error)?;
                let total = file.metadata().map_err(io_error)?.len();
                let watched = Watched { inner: file, done: 0, total, progress };
                walk.layer(&self.name(), BufReader::with_capacity(READ_BYTES, watched), 0)
            }
            Input::Bytes(name, bytes) => walk.layer(name, io::Cursor::new(*bytes), 0),
        }
    }
}

const READ_BYTES: usize = 1 << 18;

struct Watched<'p, R> {
    inner: R,
    done: u64,
    total: u64,
    progress: crate::Progress<'p>,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.done += count as u64;
        (self.progress)(self.done.min(self.total), self.total);
        Ok(count)
    }
}

impl<R: Seek> Seek for Watched<'_, R> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let place = self.inner.seek(to)?;
        self.done = place;
        Ok(place)
    }
}

struct Walk<'v> {
    kind: Kind,
    take: TakeText<'v>,
    /// Bytes of layers in memory.
    bytes_in_memory: usize,
}

impl Walk<'_> {
    fn layer<R: io::BufRead + Seek>(
        &mut self,
        name: &str,
        mut source: R,
        depth: usize,
    ) -> Result<(), SourceError> {
        if depth == LAYERS_MAX {
            let found = format!("more than {LAYERS_MAX} layers of compression");
            return Err(SourceError::Unsupported { name: name.to_owned(), found });
        }
        let failed = |packing| move |cause| fault(name, packing, cause);
        let head = read_head(&mut source).map_err(failed(Packing::Plain))?;
        source.rewind().map_err(failed(Packing::Plain))?;
        match Packing::of(&head) {
            Packing::Plain => (self.take)(name, &mut source),
            Packing::Other(found) => {
                let (name, found) = (name.to_owned(), found.to_owned());
                Err(SourceError::Unsupported { name, found })
            }
            Packing::Zip => self.zip(name, source, depth),
            Packing::Tar => self.tar(name, Packing::Tar, source, depth),
            packing => {
                let (is_tar, stream) = decompress(name, source, packing)?;
                if is_tar {
                    return self.tar(name, packing, stream, depth);
                }
                (self.take)(name, &mut Decoded { name, packing, left: ARCHIVE_BYTES_MAX, stream })
            }
        }
    }

    fn zip<R: Read + Seek>(
        &mut self,
        name: &str,
        source: R,
        depth: usize,
    ) -> Result<(), SourceError> {
        let failed = |cause| zip_fault(name, cause);
        let mut archive = zip::ZipArchive::new(source).map_err(failed)?;
        let members = zip_members(&archive).map_err(failed)?;
        for (index, member) in self.fitting(name, members)? {
            let file = archive.by_index(index).map_err(failed)?;
            self.member(&format!("{name}#{member}"), Packing::Zip, file, depth)?;
        }
        Ok(())
    }

    fn tar(
        &mut self,
        name: &str,
        packing: Packing,
        stream: impl Read,
        depth: usize,
    ) -> Result<(), SourceError> {
        let mut seen = Members::default();
        let mut found = false;
        each_tar_member(name, packing, stream, &mut |member, content| {
            seen.push(member);
            if !self.kind.fits(file_name(member)) {
                return Ok(Visit::Skipped);
            }
            found = true;
            self.member(&format!("{name}#{member}"), packing, content, depth)?;
            Ok(Visit::Read)
        })?;
        if found {
            return Ok(());
        }
        Err(self.no_member(name, seen))
    }

    /// The members to read: those whose name fits, else the only one.
    fn fitting(
        &self,
        name: &str,
        members: Vec<(usize, String)>,
    ) -> Result<Vec<(usize, String)>, SourceError> {
        let mut seen = Members::default();
        members.iter().for_each(|(_, member)| seen.push(member));
        let fits = |(_, member): &(usize, String)| self.kind.fits(file_name(member));
        match members.iter().any(fits) {
            true => Ok(members.into_iter().filter(fits).collect()),
            false if members.len() == 1 => Ok(members),
            false => Err(self.no_member(name, seen)),
        }
    }

    fn no_member(&self, name: &str, found: Members) -> SourceError {
        SourceError::NoMember { name: name.to_owned(), expected: self.kind.to_string(), found }
    }

    fn member(
        &mut self,
        name: &str,
        packing: Packing,
        mut stream: impl Read,
        depth: usize,
    ) -> Result<(), SourceError> {
        let head = read_head(&mut stream).map_err(|cause| fault(name, packing, cause))?;
        let inside = Packing::of(&head);
        let stream = io::Cursor::new(head).chain(stream);
        if inside == Packing::Plain {
            let left = ARCHIVE_BYTES_MAX;
            return (self.take)(name, &mut Decoded { name, packing, left, stream });
        }
        let bytes = read_bounded(name, stream, packing, self.bytes_in_memory)?;
        let length = bytes.len();
        self.bytes_in_memory += length;
        self.layer(name, io::Cursor::new(bytes), depth + 1)?;
        self.bytes_in_memory -= length;
        Ok(())
    }
}

/// A decoder's output, with a limit; its errors name the damaged format.
struct Decoded<'n, R> {
    name: &'n str,
    packing: Packing,
    left: u64,
    stream: R,
}

impl<R: Read> Read for Decoded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let refuse = |error: SourceError| io::Error::other(error);
        let count = self.stream.read(buffer);
        let count = count.map_err(|cause| refuse(fault(self.name, self.packing, cause)))?;
        let name = || self.name.to_owned();
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            refuse(SourceError::TooLarge { name: name(), limit_bytes: ARCHIVE_BYTES_MAX })
        })?;
        Ok(count)
    }
}

/// The error of reading a text: the decoder's own error, if there was one.
pub(crate) fn read_fault(name: &str, cause: io::Error) -> SourceError {
    match cause.downcast::<SourceError>() {
        Ok(error) => error,
        Err(cause) => fault(name, Packing::Plain, cause),
    }
}
