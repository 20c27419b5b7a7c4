//! Unpacking: compression formats, archives and their members. The format is detected by the first bytes of a file,
//! never by its name. Everything that is unpacked has a limit.

use std::io::{self, Read};
use std::{fs::File, path::Path};

use liblzma::stream::{CONCATENATED, Stream};
use zip::result::ZipError;

use crate::error::{Result, SourceError};

/// Limit on the memory for one source, packed and unpacked together. The largest known text, the town master, has
/// 150 MB.
pub const DECODED_BYTES_MAX: u64 = 1 << 29;

/// Limit on the decompressed size of one archive. Fifty editions of KEN_ALL have 0.6 GB.
pub const ARCHIVE_BYTES_MAX: u64 = 1 << 33;

/// Limit on the memory of the xz decoder: its largest preset needs a dictionary of 64 MiB. The zstd decoder is
/// limited to 128 MiB by itself.
const XZ_MEMORY_BYTES_MAX: u64 = 128 << 20;

/// How many layers are unpacked: a compressed file in a compressed archive makes two.
pub(crate) const LAYERS_MAX: usize = 3;

const TAR_MAGIC: &[u8] = b"ustar";
const TAR_MAGIC_OFFSET: usize = 257;
const TAR_BLOCK_BYTES: u64 = 512;

/// The packing format, detected by the first bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Plain,
    Tar,
    Gzip,
    Xz,
    Zstd,
    Zip,
    /// Detected but not supported; the name of the format.
    Other(&'static str),
}

impl Packing {
    pub fn detect(bytes: &[u8]) -> Packing {
        match bytes {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Xz,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Packing::Zip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Packing::Other("bzip2"),
            [b'7', b'z', 0xbc, 0xaf, ..] => Packing::Other("7-Zip"),
            [b'R', b'a', b'r', b'!', ..] => Packing::Other("RAR"),
            [b'L', b'Z', b'I', b'P', ..] => Packing::Other("lzip"),
            [0xd0, 0xcf, 0x11, 0xe0, ..] => Packing::Other("an Excel or other Office file"),
            [_, _, b'-', b'l', b'h', b'0'..=b'7', b'-', ..] => Packing::Other("LHA"),
            _ if is_tar(bytes) => Packing::Tar,
            _ => Packing::Plain,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Packing::Plain => "text",
            Packing::Tar => "tar",
            Packing::Gzip => "gzip",
            Packing::Xz => "xz",
            Packing::Zstd => "zstd",
            Packing::Zip => "zip",
            Packing::Other(name) => name,
        }
    }
}

fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(TAR_MAGIC_OFFSET..TAR_MAGIC_OFFSET + TAR_MAGIC.len()) == Some(TAR_MAGIC)
}

pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let name = path.display().to_string();
    let io_error = |cause| SourceError::Io { path: path.to_owned(), cause };
    let file = File::open(path).map_err(io_error)?;
    match read_within(file, DECODED_BYTES_MAX) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(SourceError::TooLarge { name, limit_bytes: DECODED_BYTES_MAX }),
        Err(cause) => Err(io_error(cause)),
    }
}

/// Unpacks into memory. `bytes_in_memory` of the same source are already there and count towards the limit.
pub(crate) fn read_bounded(
    name: &str,
    stream: impl Read,
    packing: Packing,
    bytes_in_memory: usize,
) -> Result<Vec<u8>> {
    let limit_bytes = DECODED_BYTES_MAX;
    match read_within(stream, limit_bytes.saturating_sub(bytes_in_memory as u64)) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(SourceError::TooLarge { name: name.to_owned(), limit_bytes }),
        Err(cause) => Err(decode_error(name, packing, cause)),
    }
}

/// This much is read before more memory is reserved: most members of large archives are shorter.
const FIRST_READ_BYTES: u64 = 1 << 20;

/// Unused space is returned only after content shorter than this: returning it may move the content, which needs twice the
/// memory.
const SHRUNK_BYTES_MAX: usize = 64 << 20;

/// The whole content, or `None` if it has more than `bytes_max`.
fn read_within(mut stream: impl Read, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let first_read = FIRST_READ_BYTES.min(bytes_max);
    (&mut stream).take(first_read + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > first_read && first_read < bytes_max {
        // Reserved space that is not written to takes no memory, while a growing vector needs twice its size when
        // it moves. If the system refuses to reserve so much, the vector grows after all.
        let rest = bytes_max + 1 - bytes.len() as u64;
        let _ = bytes.try_reserve_exact(usize::try_from(rest).unwrap_or(usize::MAX));
        stream.take(rest).read_to_end(&mut bytes)?;
        if bytes.len() < SHRUNK_BYTES_MAX {
            bytes.shrink_to_fit();
        }
    }
    Ok((bytes.len() as u64 <= bytes_max).then_some(bytes))
}

/// Decodes a compressed stream, also several concatenated ones.
pub enum Decoder<R: io::BufRead> {
    Gzip(flate2::bufread::MultiGzDecoder<R>),
    Xz(liblzma::bufread::XzDecoder<R>),
    Zstd(zstd::stream::read::Decoder<'static, R>),
}

impl<R: io::BufRead> Decoder<R> {
    /// `None` if this packing is not a compressed stream.
    pub fn open(packing: Packing, source: R) -> Option<io::Result<Decoder<R>>> {
        Some(match packing {
            Packing::Gzip => Ok(Decoder::Gzip(flate2::bufread::MultiGzDecoder::new(source))),
            Packing::Xz => Stream::new_stream_decoder(XZ_MEMORY_BYTES_MAX, CONCATENATED)
                .map(|stream| liblzma::bufread::XzDecoder::new_stream(source, stream))
                .map(Decoder::Xz)
                .map_err(io::Error::from),
            Packing::Zstd => zstd::stream::read::Decoder::with_buffer(source).map(Decoder::Zstd),
            Packing::Plain | Packing::Tar | Packing::Zip | Packing::Other(_) => return None,
        })
    }
}

impl<R: io::BufRead> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoder::Gzip(decoder) => decoder.read(buffer),
            Decoder::Xz(decoder) => decoder.read(buffer),
            Decoder::Zstd(decoder) => decoder.read(buffer),
        }
    }
}

/// The content of a compressed stream, and whether it is a tar.
pub(crate) fn decompress<'b>(
    name: &str,
    source: impl io::BufRead + 'b,
    packing: Packing,
) -> Result<(bool, impl Read + 'b)> {
    let failed = |cause| decode_error(name, packing, cause);
    let Some(stream) = Decoder::open(packing, source) else {
        let found = packing.name().to_owned();
        return Err(SourceError::Unsupported { name: name.to_owned(), found });
    };
    let mut stream = stream.map_err(failed)?;
    let head = read_head(&mut stream).map_err(failed)?;
    Ok((is_tar(&head), io::Cursor::new(head).chain(stream)))
}

pub(crate) fn read_head(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(TAR_BLOCK_BYTES as usize);
    stream.take(TAR_BLOCK_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemberOutcome {
    Skipped,
    Read,
    /// Read, and no further member is wanted.
    ReadLast,
}

/// Calls `visit` with the name and the content of each file of a tar, in the archive's order.
pub(crate) fn for_each_tar_member(
    name: &str,
    packing: Packing,
    stream: impl Read,
    visit: &mut dyn FnMut(&str, &mut dyn Read) -> Result<MemberOutcome>,
) -> Result<()> {
    let failed = |cause| decode_error(name, packing, cause);
    // One byte more than allowed, to distinguish "at the limit" from "beyond".
    let mut archive = tar::Archive::new(stream.take(ARCHIVE_BYTES_MAX + 1));
    for entry in archive.entries().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.raw_file_position() > ARCHIVE_BYTES_MAX {
            let name = name.to_owned();
            return Err(SourceError::TooLarge { name, limit_bytes: ARCHIVE_BYTES_MAX });
        }
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let member = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let size = entry.size();
        let mut content = CountingReader { inner: entry, count: 0 };
        let outcome = visit(&member, &mut content)?;
        // At the end of the stream the tar reader ends a member without an error.
        if outcome != MemberOutcome::Skipped && content.count < size {
            let found = format!("{member} has {} of its {size} bytes", content.count);
            return Err(SourceError::Truncated { name: name.to_owned(), found });
        }
        if outcome == MemberOutcome::ReadLast {
            break;
        }
    }
    Ok(())
}

struct CountingReader<R> {
    inner: R,
    count: u64,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count += count as u64;
        Ok(count)
    }
}

/// The files of a zip with their indexes, without folders and the resource forks that macOS adds.
pub(crate) fn zip_members<R: Read + io::Seek>(
    archive: &zip::ZipArchive<R>,
) -> Result<Vec<(usize, String)>, ZipError> {
    let mut members = Vec::new();
    for index in 0..archive.len() {
        let Some(member) = archive.name_for_index(index) else { continue };
        let member = member?;
        if !member.ends_with('/') && !member.starts_with("__MACOSX/") {
            members.push((index, member.into_owned()));
        }
    }
    Ok(members)
}

/// The name without its folders; of `ARCHIVE#MEMBER`, the member's name.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\', '#']).next().unwrap_or(path)
}

/// The error of a source whose decoder failed: an early end means a truncated file, anything else damage.
pub(crate) fn decode_error(name: &str, packing: Packing, cause: io::Error) -> SourceError {
    let name = name.to_owned();
    // The tar reader has no error kind of its own for this.
    let is_incomplete_block = cause.to_string().contains("failed to read entire block");
    if cause.kind() == io::ErrorKind::UnexpectedEof || is_incomplete_block {
        let found = format!("the {} stream ends before its end", packing.name());
        return SourceError::Truncated { name, found };
    }
    if cause.kind() == io::ErrorKind::Unsupported {
        return SourceError::Unsupported { name, found: format!("a {}: {cause}", packing.name()) };
    }
    SourceError::Damaged { name, format: packing.name(), cause: cause.to_string() }
}

pub(crate) fn zip_error(name: &str, cause: ZipError) -> SourceError {
    let found = format!("a zip: {cause}");
    let owned_name = name.to_owned();
    match cause {
        ZipError::Io(cause) => decode_error(name, Packing::Zip, cause),
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
            SourceError::Unsupported { name: owned_name, found }
        }
        // The directory is the last part of a zip: without it the rest is missing.
        ZipError::InvalidArchive(_) => SourceError::Truncated {
            name: owned_name,
            found: format!("the zip has no sound directory at its end ({cause})"),
        },
        _ => SourceError::Damaged { name: owned_name, format: "zip", cause: cause.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_limited_in_length_and_memory() {
        for (length, bytes_max, fits) in [
            (0, 0, true),
            (1, 0, false),
            (10, 10, true),
            (11, 10, false),
            (FIRST_READ_BYTES, FIRST_READ_BYTES, true),
            (FIRST_READ_BYTES + 1, FIRST_READ_BYTES, false),
            (FIRST_READ_BYTES + 1, FIRST_READ_BYTES + 1, true),
            (3 * FIRST_READ_BYTES, 1 << 40, true),
            (3 * FIRST_READ_BYTES, 3 * FIRST_READ_BYTES - 1, false),
        ] {
            let content = io::repeat(b'x').take(length);
            let read = read_within(content, bytes_max).expect("bytes");
            assert_eq!(read.is_some(), fits, "{length} {bytes_max}");
            if let Some(bytes) = read {
                assert_eq!(bytes.len() as u64, length);
                assert!(bytes.capacity() as u64 <= 2 * length.max(32), "{}", bytes.capacity());
            }
        }
        let error = read_bounded("x.zip", io::repeat(0), Packing::Zip, DECODED_BYTES_MAX as usize);
        let message = error.expect_err("bytes in memory count").to_string();
        assert!(message.contains("expected at most 536870912 bytes"), "{message}");
    }
}
