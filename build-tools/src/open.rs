//! Opens a path and unpacks it to one text: plain, .gz, .xz, .zst, .zip, .tar, or a compressed tar.
//!
//! An archive is read as a stream and only the wanted member is kept, so that an archive of fifty editions needs no
//! more memory than one of them. Does not know encodings or columns: [`crate::csv`] does.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::archive::{
    LAYERS_MAX, Packing, Visit, decompress, each_tar_member, file_name, read_bounded, read_file,
    zip_fault, zip_members,
};
use crate::error::{Members, SourceError};
use crate::kind::Kind;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    name: String,
    bytes: Cow<'static, [u8]>,
}

#[derive(Debug, Clone, Copy)]
struct Wanted<'a> {
    kind: Kind,
    /// `YYYY-MM`: the folder of an edition.
    month: Option<&'a str>,
    member: Option<&'a str>,
}

impl Source {
    /// Opens and unpacks `path`. If there are several files, takes the one in the folder `month`, or
    /// `ARCHIVE#MEMBER`.
    pub fn open(path: &Path, kind: Kind, month: Option<&str>) -> Result<Source, SourceError> {
        let (path, member) = split_member(path);
        let bytes = read_file(&path)?;
        let wanted = Wanted { kind, month, member: member.as_deref() };
        unpack(path.display().to_string(), bytes.into(), wanted, 0)
    }

    pub fn unpack(
        name: impl Into<String>,
        bytes: impl Into<Cow<'static, [u8]>>,
        kind: Kind,
        month: Option<&str>,
    ) -> Result<Source, SourceError> {
        unpack(name.into(), bytes.into(), Wanted { kind, month, member: None }, 0)
    }

    /// The same, with this many other bytes of the same source already in memory.
    pub(crate) fn unpack_beside(
        held: usize,
        name: String,
        bytes: Vec<u8>,
        kind: Kind,
    ) -> Result<Source, SourceError> {
        unpack(name, bytes.into(), Wanted { kind, month: None, member: None }, held)
    }

    pub fn from_bytes(name: impl Into<String>, bytes: impl Into<Cow<'static, [u8]>>) -> Source {
        Source { name: name.into(), bytes: bytes.into() }
    }

    /// The path as given, with `#MEMBER` if an archive was unpacked.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn file_name(&self) -> &str {
        file_name(&self.name)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_parts(self) -> (String, Cow<'static, [u8]>) {
        (self.name, self.bytes)
    }
}

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

/// Removes layers of packing until a text is left.
fn unpack(
    mut name: String,
    mut bytes: Cow<'static, [u8]>,
    mut wanted: Wanted<'_>,
    held: usize,
) -> Result<Source, SourceError> {
    for _ in 0..LAYERS_MAX {
        let packing = Packing::of(&bytes);
        let held = held + bytes.len();
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
            Packing::Zip => from_zip(&name, &bytes, wanted, held)?,
            Packing::Tar => from_tar(&name, &bytes[..], packing, wanted, held)?,
            Packing::Gzip | Packing::Xz | Packing::Zstd => {
                from_stream(&name, &bytes, packing, wanted, held)?
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
        found: format!("more than {LAYERS_MAX} layers of compression"),
    })
}

fn not_an_archive(name: String, member: &str) -> SourceError {
    let expected = format!("called {member}");
    SourceError::NoMember { name, expected, found: Members::default() }
}

struct Unpacked {
    member: Option<String>,
    bytes: Vec<u8>,
}

fn from_stream(
    name: &str,
    bytes: &[u8],
    packing: Packing,
    wanted: Wanted<'_>,
    held: usize,
) -> Result<Unpacked, SourceError> {
    let (is_tar, stream) = decompress(name, bytes, packing)?;
    if is_tar {
        return from_tar(name, stream, packing, wanted, held);
    }
    let bytes = read_bounded(name, stream, packing, held)?;
    Ok(Unpacked { member: None, bytes })
}

/// Reads a tar once, and only up to a member that is certainly the wanted one.
fn from_tar(
    name: &str,
    stream: impl Read,
    packing: Packing,
    wanted: Wanted<'_>,
    held: usize,
) -> Result<Unpacked, SourceError> {
    let mut picker = Picker::new(wanted);
    let mut kept: Option<Unpacked> = None;
    each_tar_member(name, packing, stream, &mut |member, content| {
        let verdict = picker.examine(member);
        if verdict == Verdict::Skip {
            return Ok(Visit::Skipped);
        }
        // The member that was kept is not the wanted one.
        kept = None;
        let bytes = read_bounded(name, content, packing, held)?;
        kept = Some(Unpacked { member: Some(member.to_owned()), bytes });
        Ok(if verdict == Verdict::Take { Visit::Last } else { Visit::Read })
    })?;
    picker.finish(name, kept)
}

fn from_zip(
    name: &str,
    bytes: &[u8],
    wanted: Wanted<'_>,
    held: usize,
) -> Result<Unpacked, SourceError> {
    let failed = |cause| zip_fault(name, cause);
    let mut archive = zip::ZipArchive::new(io::Cursor::new(bytes)).map_err(failed)?;
    let mut picker = Picker::new(wanted);
    let mut kept = None;
    for (index, member) in zip_members(&archive).map_err(failed)? {
        let verdict = picker.examine(&member);
        if verdict != Verdict::Skip {
            kept = Some((index, member));
        }
        if verdict == Verdict::Take {
            break;
        }
    }
    let (index, member) = picker.finish(name, kept)?;
    let content = archive.by_index(index).map_err(failed)?;
    let bytes = read_bounded(name, content, Packing::Zip, held)?;
    Ok(Unpacked { member: Some(member), bytes })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It is the wanted one; stop.
    Take,
    /// It is the wanted one unless another is found.
    Keep,
    Skip,
}

/// Selects members one at a time, since a compressed tar cannot be read twice cheaply.
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

    fn examine(&mut self, member: &str) -> Verdict {
        self.files.push(member);
        if let Some(name) = self.wanted.member {
            let same = member.trim_start_matches("./") == name.trim_start_matches("./");
            self.taken |= same;
            return if same { Verdict::Take } else { Verdict::Skip };
        }
        if !self.wanted.kind.fits(file_name(member)) {
            // Kept in case it is the only file.
            return if self.files.total == 1 { Verdict::Keep } else { Verdict::Skip };
        }
        self.fitting.push(member);
        if self.wanted.month.is_some() && self.wanted.month == folder(member) {
            self.taken = true;
            return Verdict::Take;
        }
        if self.fitting.total == 1 { Verdict::Keep } else { Verdict::Skip }
    }

    fn finish<T>(self, name: &str, kept: Option<T>) -> Result<T, SourceError> {
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

fn folder(member: &str) -> Option<&str> {
    member.rsplit('/').nth(1)
}
