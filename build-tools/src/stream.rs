//! Reads the texts below a path one after the other, without holding any of them in memory.
//!
//! For sources of more than a gigabyte. A packed member of an archive, as in a tar of daily zips, is unpacked in
//! memory.

use std::io::{self, BufReader, Read, Seek};
use std::{fs::File, path::Path};

use crate::archive::{
    ARCHIVE_BYTES_MAX, LAYERS_MAX, MemberOutcome, Packing, decode_error, decompress, file_name,
    for_each_tar_member, read_bounded, read_head, zip_error, zip_members,
};
use crate::error::{Members, Result, SourceError};
use crate::kind::Kind;

/// A source that is read as a stream.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    Path(&'a Path),
    /// A file in memory with its name for messages.
    Bytes(&'a str, &'a [u8]),
}

/// A callback that receives the name and the content of each text.
pub(crate) type TextVisitor<'v> = &'v mut dyn FnMut(&str, &mut dyn Read) -> Result<()>;

impl Input<'_> {
    pub fn name(&self) -> String {
        match self {
            Input::Path(path) => path.display().to_string(),
            Input::Bytes(name, _) => (*name).to_owned(),
        }
    }

    /// Calls `visit` with every text of this kind, in order; the only file of an archive is always read.
    pub(crate) fn for_each_text(
        &self,
        kind: Kind,
        progress: crate::Progress<'_>,
        visit: TextVisitor<'_>,
    ) -> Result<()> {
        let mut unpacker = Unpacker { kind, visit, bytes_in_memory: 0 };
        match self {
            Input::Path(path) => {
                let io_error = |cause| SourceError::Io { path: path.to_path_buf(), cause };
                let file = File::open(path).map_err(io_error)?;
                let total = file.metadata().map_err(io_error)?.len();
                let reader = ProgressReader { inner: file, done: 0, total, progress };
                unpacker.unpack_layer(&self.name(), BufReader::with_capacity(READ_BYTES, reader), 0)
            }
            Input::Bytes(name, bytes) => unpacker.unpack_layer(name, io::Cursor::new(*bytes), 0),
        }
    }
}

const READ_BYTES: usize = 1 << 18;

/// A file that reports how much of it was read.
struct ProgressReader<'p, R> {
    inner: R,
    done: u64,
    total: u64,
    progress: crate::Progress<'p>,
}

impl<R: Read> Read for ProgressReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.done += count as u64;
        (self.progress)(self.done.min(self.total), self.total);
        Ok(count)
    }
}

impl<R: Seek> Seek for ProgressReader<'_, R> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let position = self.inner.seek(to)?;
        self.done = position;
        Ok(position)
    }
}

/// Removes the layers of packing and calls `visit` with the texts inside.
struct Unpacker<'v> {
    kind: Kind,
    visit: TextVisitor<'v>,
    /// Bytes of layers in memory.
    bytes_in_memory: usize,
}

impl Unpacker<'_> {
    fn unpack_layer<R: io::BufRead + Seek>(
        &mut self,
        name: &str,
        mut source: R,
        depth: usize,
    ) -> Result<()> {
        if depth == LAYERS_MAX {
            let found = format!("more than {LAYERS_MAX} layers of compression");
            return Err(SourceError::Unsupported { name: name.to_owned(), found });
        }
        let failed = |packing| move |cause| decode_error(name, packing, cause);
        let head = read_head(&mut source).map_err(failed(Packing::Plain))?;
        source.rewind().map_err(failed(Packing::Plain))?;
        match Packing::detect(&head) {
            Packing::Plain => (self.visit)(name, &mut source),
            Packing::Other(found) => {
                let (name, found) = (name.to_owned(), found.to_owned());
                Err(SourceError::Unsupported { name, found })
            }
            Packing::Zip => self.unpack_zip(name, source, depth),
            Packing::Tar => self.unpack_tar(name, Packing::Tar, source, depth),
            packing => {
                let (is_tar, stream) = decompress(name, source, packing)?;
                if is_tar {
                    return self.unpack_tar(name, packing, stream, depth);
                }
                (self.visit)(
                    name,
                    &mut DecodedReader { name, packing, bytes_left: ARCHIVE_BYTES_MAX, stream },
                )
            }
        }
    }

    fn unpack_zip<R: Read + Seek>(&mut self, name: &str, source: R, depth: usize) -> Result<()> {
        let failed = |cause| zip_error(name, cause);
        let mut archive = zip::ZipArchive::new(source).map_err(failed)?;
        let members = zip_members(&archive).map_err(failed)?;
        for (index, member) in self.matching_members(name, members)? {
            let file = archive.by_index(index).map_err(failed)?;
            self.unpack_member(&format!("{name}#{member}"), Packing::Zip, file, depth)?;
        }
        Ok(())
    }

    fn unpack_tar(
        &mut self,
        name: &str,
        packing: Packing,
        stream: impl Read,
        depth: usize,
    ) -> Result<()> {
        let mut seen = Members::default();
        let mut has_match = false;
        for_each_tar_member(name, packing, stream, &mut |member, content| {
            seen.push(member);
            if !self.kind.matches_name(file_name(member)) {
                return Ok(MemberOutcome::Skipped);
            }
            has_match = true;
            self.unpack_member(&format!("{name}#{member}"), packing, content, depth)?;
            Ok(MemberOutcome::Read)
        })?;
        if has_match {
            return Ok(());
        }
        Err(self.no_member(name, seen))
    }

    /// The members to read: those whose name fits, else the only one.
    fn matching_members(
        &self,
        name: &str,
        members: Vec<(usize, String)>,
    ) -> Result<Vec<(usize, String)>> {
        let mut seen = Members::default();
        members.iter().for_each(|(_, member)| seen.push(member));
        let fits = |(_, member): &(usize, String)| self.kind.matches_name(file_name(member));
        match members.iter().any(fits) {
            true => Ok(members.into_iter().filter(fits).collect()),
            false if members.len() == 1 => Ok(members),
            false => Err(self.no_member(name, seen)),
        }
    }

    fn no_member(&self, name: &str, found: Members) -> SourceError {
        SourceError::NoMember { name: name.to_owned(), expected: self.kind.to_string(), found }
    }

    fn unpack_member(
        &mut self,
        name: &str,
        packing: Packing,
        mut stream: impl Read,
        depth: usize,
    ) -> Result<()> {
        let head = read_head(&mut stream).map_err(|cause| decode_error(name, packing, cause))?;
        let inner_packing = Packing::detect(&head);
        let stream = io::Cursor::new(head).chain(stream);
        if inner_packing == Packing::Plain {
            let bytes_left = ARCHIVE_BYTES_MAX;
            return (self.visit)(name, &mut DecodedReader { name, packing, bytes_left, stream });
        }
        let bytes = read_bounded(name, stream, packing, self.bytes_in_memory)?;
        let length = bytes.len();
        self.bytes_in_memory += length;
        self.unpack_layer(name, io::Cursor::new(bytes), depth + 1)?;
        self.bytes_in_memory -= length;
        Ok(())
    }
}

/// A decoder's output, with a limit; its errors name the damaged format.
struct DecodedReader<'n, R> {
    name: &'n str,
    packing: Packing,
    bytes_left: u64,
    stream: R,
}

impl<R: Read> Read for DecodedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let io_error = |error: SourceError| io::Error::other(error);
        let count = self.stream.read(buffer);
        let count =
            count.map_err(|cause| io_error(decode_error(self.name, self.packing, cause)))?;
        let name = || self.name.to_owned();
        self.bytes_left = self.bytes_left.checked_sub(count as u64).ok_or_else(|| {
            io_error(SourceError::TooLarge { name: name(), limit_bytes: ARCHIVE_BYTES_MAX })
        })?;
        Ok(count)
    }
}

/// The error of reading a text: the decoder's own error, if there was one.
pub(crate) fn read_error(name: &str, cause: io::Error) -> SourceError {
    match cause.downcast::<SourceError>() {
        Ok(error) => error,
        Err(cause) => decode_error(name, Packing::Plain, cause),
    }
}
