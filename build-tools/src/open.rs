//! From a path to the bytes of one text: plain, .gz, .xz, .zst, .zip, .tar, and a tar in any of the
//! first four.
//!
//! What a file is packed in is told by its first bytes, never by its name. An archive is read as
//! a stream and only the wanted member is kept, so that an archive of fifty editions costs no
//! more memory than one of them.
//!
//! Does not know encodings or columns: [`crate::csv`] does.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use liblzma::stream::{CONCATENATED, Stream};

use crate::error::{Members, SourceError};
use crate::kind::Kind;

/// Bound on one decompressed text. The largest known source, the national town master, has some
/// 150 MB; a compressed file of a few kilobytes could otherwise fill the memory.
pub const DECODED_BYTES_MAX: u64 = 1 << 30;

/// Bound on all that is decompressed in the search for a member. Fifty editions of KEN_ALL have
/// 0.6 GB.
pub const ARCHIVE_BYTES_MAX: u64 = 1 << 33;

/// Bound on the memory of the xz decoder: its largest preset needs a dictionary of 64 MiB.
pub(crate) const XZ_MEMORY_BYTES_MAX: u64 = 256 << 20;

/// How many layers are unpacked: a compressed file in a compressed archive makes two.
pub(crate) const LAYERS_MAX: usize = 3;

/// Where a tar header has its magic, and how much of a stream is looked at for it.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");
pub(crate) const TAR_BLOCK_BYTES: usize = 512;

/// The unpacked bytes of one source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    name: String,
    bytes: Cow<'static, [u8]>,
}

/// Which member of an archive is wanted.
#[derive(Debug, Clone, Copy)]
struct Wanted<'a> {
    kind: Kind,
    /// `YYYY-MM`: tells editions in folders apart.
    month: Option<&'a str>,
    /// The member's whole name, where the user gave it.
    member: Option<&'a str>,
}

impl Source {
    /// Opens `path` and unpacks it. Of an archive that holds several files of the `kind`, the one
    /// in the folder named `month` (`YYYY-MM`) is taken; a path `ARCHIVE#MEMBER` names it outright.
    pub fn open(path: &Path, kind: Kind, month: Option<&str>) -> Result<Source, SourceError> {
        let (path, member) = split_member(path);
        let bytes = read_file(&path)?;
        let wanted = Wanted { kind, month, member: member.as_deref() };
        unpack(path.display().to_string(), bytes.into(), wanted)
    }

    /// Unpacks bytes that are already in memory, as [`Source::open`] does; `name` stands for the
    /// path in messages.
    pub fn unpack(
        name: impl Into<String>,
        bytes: impl Into<Cow<'static, [u8]>>,
        kind: Kind,
        month: Option<&str>,
    ) -> Result<Source, SourceError> {
        unpack(name.into(), bytes.into(), Wanted { kind, month, member: None })
    }

    /// A text that is in memory and not packed; `name` stands for the path in messages.
    pub fn from_bytes(name: impl Into<String>, bytes: impl Into<Cow<'static, [u8]>>) -> Source {
        Source { name: name.into(), bytes: bytes.into() }
    }

    /// The path as given, with `#MEMBER` where an archive was unpacked.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The last part of the name: `KEN_ALL.CSV`.
    pub fn file_name(&self) -> &str {
        file_name(&self.name)
    }

    /// The unpacked bytes, in whatever encoding the file has.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_parts(self) -> (String, Cow<'static, [u8]>) {
        (self.name, self.bytes)
    }
}

/// `ARCHIVE#MEMBER` where no file has that whole name.
fn split_member(path: &Path) -> (PathBuf, Option<String>) {
    if !path.exists()
        && let Some(text) = path.to_str()
        && let Some((archive, member)) = text.split_once('#')
        && Path::new(archive).exists()
    {
        return (PathBuf::from(archive), Some(member.to_owned()));
    }
    (path.to_owned(), None)
}

pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, SourceError> {
    let io_error = |cause| SourceError::Io { path: path.to_owned(), cause };
    let file = File::open(path).map_err(io_error)?;
    let mut bytes = Vec::new();
    file.take(DECODED_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(io_error)?;
    if bytes.len() as u64 > DECODED_BYTES_MAX {
        let name = path.display().to_string();
        return Err(SourceError::TooLarge { name, limit_bytes: DECODED_BYTES_MAX });
    }
    Ok(bytes)
}

/// What the first bytes say a file is packed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Tar,
    Gzip,
    Xz,
    Zstd,
    Zip,
    /// Known, and not read.
    Other(&'static str),
}

impl Packing {
    pub(crate) fn of(bytes: &[u8]) -> Packing {
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

    fn name(self) -> &'static str {
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

pub(crate) fn is_tar(bytes: &[u8]) -> bool {
    let (at, magic) = TAR_MAGIC;
    bytes.get(at..at + magic.len()) == Some(magic)
}

/// Takes layer after layer off until a text is left.
fn unpack(
    mut name: String,
    mut bytes: Cow<'static, [u8]>,
    mut wanted: Wanted<'_>,
) -> Result<Source, SourceError> {
    for _ in 0..LAYERS_MAX {
        let packing = Packing::of(&bytes);
        let unpacked = match packing {
            Packing::Plain => {
                return match wanted.member {
                    None => Ok(Source { name, bytes }),
                    Some(member) => Err(not_an_archive(name, member)),
                };
            }
            Packing::Other(found) => {
                return Err(SourceError::Unsupported { name, found: found.to_owned() });
            }
            Packing::Zip => from_zip(&name, &bytes, wanted)?,
            Packing::Tar => from_tar(&name, &bytes[..], packing, wanted)?,
            Packing::Gzip | Packing::Xz | Packing::Zstd => {
                from_stream(&name, &bytes, packing, wanted)?
            }
        };
        if let Some(member) = unpacked.member {
            name = format!("{name}#{member}");
            wanted.member = None;
        }
        bytes = unpacked.bytes.into();
    }
    Err(SourceError::Unsupported {
        name,
        found: format!("more than {LAYERS_MAX} layers of packing"),
    })
}

fn not_an_archive(name: String, member: &str) -> SourceError {
    let expected = format!("called {member}");
    SourceError::NoMember { name, expected, found: Members::default() }
}

/// One layer less.
struct Unpacked {
    /// Name of the member, where the layer was an archive.
    member: Option<String>,
    bytes: Vec<u8>,
}

/// A compressed stream: of a tar, or of the text itself.
fn from_stream(
    name: &str,
    bytes: &[u8],
    packing: Packing,
    wanted: Wanted<'_>,
) -> Result<Unpacked, SourceError> {
    let (is_tar, stream) = decompress(name, bytes, packing)?;
    if is_tar {
        return from_tar(name, stream, packing, wanted);
    }
    let bytes = read_bounded(name, stream, packing)?;
    Ok(Unpacked { member: None, bytes })
}

/// The content of a compressed stream, and whether it is a tar.
pub(crate) fn decompress<'b>(
    name: &str,
    bytes: &'b [u8],
    packing: Packing,
) -> Result<(bool, impl Read + use<'b>), SourceError> {
    let failed = |cause| fault(name, packing, cause);
    let mut stream: Box<dyn Read + 'b> = match packing {
        Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(bytes)),
        Packing::Xz => {
            let decoder = Stream::new_stream_decoder(XZ_MEMORY_BYTES_MAX, CONCATENATED)
                .map_err(|cause| failed(cause.into()))?;
            Box::new(liblzma::bufread::XzDecoder::new_stream(bytes, decoder))
        }
        _ => Box::new(zstd::stream::read::Decoder::with_buffer(bytes).map_err(failed)?),
    };
    let mut head = Vec::with_capacity(TAR_BLOCK_BYTES);
    stream.by_ref().take(TAR_BLOCK_BYTES as u64).read_to_end(&mut head).map_err(failed)?;
    Ok((is_tar(&head), io::Cursor::new(head).chain(stream)))
}

pub(crate) fn read_bounded(
    name: &str,
    stream: impl Read,
    packing: Packing,
) -> Result<Vec<u8>, SourceError> {
    let mut bytes = Vec::new();
    stream
        .take(DECODED_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|cause| fault(name, packing, cause))?;
    if bytes.len() as u64 > DECODED_BYTES_MAX {
        let name = name.to_owned();
        return Err(SourceError::TooLarge { name, limit_bytes: DECODED_BYTES_MAX });
    }
    Ok(bytes)
}

/// One pass over a tar: the first member that may be the wanted one is kept, and the pass ends
/// at a member that surely is.
fn from_tar(
    name: &str,
    stream: impl Read,
    packing: Packing,
    wanted: Wanted<'_>,
) -> Result<Unpacked, SourceError> {
    let failed = |cause| fault(name, packing, cause);
    let mut picker = Picker::new(wanted);
    let mut kept: Option<Unpacked> = None;
    // One byte more than allowed, to tell "at the limit" from "beyond".
    let mut archive = tar::Archive::new(stream.take(ARCHIVE_BYTES_MAX + 1));
    for entry in archive.entries().map_err(failed)? {
        let mut entry = entry.map_err(failed)?;
        if entry.raw_file_position() > ARCHIVE_BYTES_MAX {
            let name = name.to_owned();
            return Err(SourceError::TooLarge { name, limit_bytes: ARCHIVE_BYTES_MAX });
        }
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let member = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let verdict = picker.look(&member);
        if verdict == Verdict::Skip {
            continue;
        }
        let size = entry.size();
        let bytes = read_bounded(name, &mut entry, packing)?;
        // The tar reader ends a member silently where the stream ends.
        if (bytes.len() as u64) < size {
            let found = format!("{member} has {} of its {size} bytes", bytes.len());
            return Err(SourceError::Truncated { name: name.to_owned(), found });
        }
        let unpacked = Unpacked { member: Some(member), bytes };
        if verdict == Verdict::Take {
            return Ok(unpacked);
        }
        kept = Some(unpacked);
    }
    picker.settle(name, kept)
}

fn from_zip(name: &str, bytes: &[u8], wanted: Wanted<'_>) -> Result<Unpacked, SourceError> {
    let failed = |cause| zip_fault(name, bytes, cause);
    let mut archive = zip::ZipArchive::new(io::Cursor::new(bytes)).map_err(failed)?;
    let mut picker = Picker::new(wanted);
    let mut kept: Option<usize> = None;
    for index in 0..archive.len() {
        let Some(member) = archive.name_for_index(index) else { continue };
        let member = member.map_err(failed)?;
        // macOS adds a folder of resource forks.
        if member.ends_with('/') || member.starts_with("__MACOSX/") {
            continue;
        }
        match picker.look(&member) {
            Verdict::Skip => {}
            Verdict::Keep => kept = Some(index),
            Verdict::Take => {
                kept = Some(index);
                break;
            }
        }
    }
    let index = picker.settle(name, kept)?;
    let member = archive.by_index(index).map_err(failed)?;
    let member_name = member.name().map_err(failed)?.into_owned();
    let bytes = read_bounded(name, member, Packing::Zip)?;
    Ok(Unpacked { member: Some(member_name), bytes })
}

/// What to do with a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It is the wanted one: look no further.
    Take,
    /// It is the wanted one unless another turns up.
    Keep,
    Skip,
}

/// Decides on members one at a time, since a compressed tar cannot be read twice cheaply.
struct Picker<'a> {
    wanted: Wanted<'a>,
    files: Members,
    fitting: Members,
    taken: bool,
}

impl<'a> Picker<'a> {
    fn new(wanted: Wanted<'a>) -> Picker<'a> {
        Picker { wanted, files: Members::default(), fitting: Members::default(), taken: false }
    }

    fn look(&mut self, member: &str) -> Verdict {
        self.files.push(member);
        if let Some(name) = self.wanted.member {
            let same = member.trim_start_matches("./") == name.trim_start_matches("./");
            self.taken |= same;
            return if same { Verdict::Take } else { Verdict::Skip };
        }
        if !self.wanted.kind.fits(file_name(member)) {
            // Kept in case that it is the only file there is.
            return if self.files.total == 1 { Verdict::Keep } else { Verdict::Skip };
        }
        self.fitting.push(member);
        if self.wanted.month.is_some() && self.wanted.month == folder(member) {
            self.taken = true;
            return Verdict::Take;
        }
        if self.fitting.total == 1 { Verdict::Keep } else { Verdict::Skip }
    }

    /// What was kept, if it is the only candidate.
    fn settle<T>(self, name: &str, kept: Option<T>) -> Result<T, SourceError> {
        let only = self.fitting.total == 1 || (self.fitting.total == 0 && self.files.total == 1);
        let name = name.to_owned();
        match (kept, self.wanted.member) {
            (Some(kept), _) if only || self.taken => Ok(kept),
            (_, Some(member)) => {
                let expected = format!("called {member}");
                Err(SourceError::NoMember { name, expected, found: self.files })
            }
            (Some(_), None) if self.fitting.total > 1 => {
                let expected = match self.wanted.month {
                    Some(month) => format!("member in a folder {month}/"),
                    None => "member".to_owned(),
                };
                let expected = format!("{expected} that is {}", self.wanted.kind);
                Err(SourceError::SeveralMembers { name, expected, found: self.fitting })
            }
            _ => {
                let expected = self.wanted.kind.to_string();
                Err(SourceError::NoMember { name, expected, found: self.files })
            }
        }
    }
}

/// The name without folders; also without the archive's name in `ARCHIVE#MEMBER`.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\', '#']).next().unwrap_or(path)
}

/// The innermost folder a member lies in.
fn folder(member: &str) -> Option<&str> {
    member.rsplit('/').nth(1)
}

/// A decoder's error: an early end is a cut file, everything else damage.
pub(crate) fn fault(name: &str, packing: Packing, cause: io::Error) -> SourceError {
    let name = name.to_owned();
    // The tar reader has no kind of its own for this.
    let cut_block = cause.to_string().contains("failed to read entire block");
    if cause.kind() == io::ErrorKind::UnexpectedEof || cut_block {
        let found = format!("the {} stream ends before its end", packing.name());
        return SourceError::Truncated { name, found };
    }
    if cause.kind() == io::ErrorKind::Unsupported {
        return SourceError::Unsupported { name, found: format!("a {}: {cause}", packing.name()) };
    }
    SourceError::Damaged { name, format: packing.name(), cause: cause.to_string() }
}

pub(crate) fn zip_fault(name: &str, bytes: &[u8], cause: zip::result::ZipError) -> SourceError {
    use zip::result::ZipError;
    match cause {
        ZipError::Io(cause) => fault(name, Packing::Zip, cause),
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
            SourceError::Unsupported { name: name.to_owned(), found: format!("a zip: {cause}") }
        }
        // The directory is a zip's last part: without its mark the rest is missing.
        _ if !bytes.windows(4).any(|mark| mark == b"PK\x05\x06") => SourceError::Truncated {
            name: name.to_owned(),
            found: "the zip has no directory at its end".to_owned(),
        },
        _ => {
            SourceError::Damaged { name: name.to_owned(), format: "zip", cause: cause.to_string() }
        }
    }
}
