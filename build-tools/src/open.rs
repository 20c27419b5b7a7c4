//! Opens a path and unpacks it to one text: plain, .gz, .xz, .zst, .zip, .tar, or a compressed tar.
//!
//! An archive is read as a stream and only the wanted member is kept, so that an archive of fifty editions needs no
//! more memory than one of them. Does not know encodings or columns: [`crate::csv`] does.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::archive::{
    LAYERS_MAX, MemberOutcome, Packing, decompress, file_name, for_each_tar_member, read_bounded,
    read_file, zip_error, zip_members,
};
use crate::error::{Members, Result, SourceError};
use crate::kind::Kind;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    name: String,
    bytes: Cow<'static, [u8]>,
}

#[derive(Debug, Clone, Copy)]
struct Selection<'a> {
    kind: Kind,
    /// `YYYY-MM`: the folder of an edition.
    month: Option<&'a str>,
    member: Option<&'a str>,
}

impl Source {
    /// Opens and unpacks `path`. If there are several files, takes the one in the folder `month`, or
    /// `ARCHIVE#MEMBER`.
    pub fn open(path: &Path, kind: Kind, month: Option<&str>) -> Result<Source> {
        let (path, member) = split_member(path);
        let bytes = read_file(&path)?;
        let selection = Selection { kind, month, member: member.as_deref() };
        unpack(path.display().to_string(), bytes.into(), selection, 0)
    }

    /// Unpacks bytes as [`open`](Source::open) does; `name` stands for the path in messages.
    pub fn unpack(
        name: impl Into<String>,
        bytes: impl Into<Cow<'static, [u8]>>,
        kind: Kind,
        month: Option<&str>,
    ) -> Result<Source> {
        unpack(name.into(), bytes.into(), Selection { kind, month, member: None }, 0)
    }

    /// Unpacks one file of a source, of which this many other bytes are already in memory.
    pub(crate) fn unpack_member(
        bytes_in_memory: usize,
        name: String,
        bytes: Vec<u8>,
        kind: Kind,
    ) -> Result<Source> {
        unpack(name, bytes.into(), Selection { kind, month: None, member: None }, bytes_in_memory)
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

/// Splits `ARCHIVE#MEMBER`, unless a file has that whole name.
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
    mut selection: Selection<'_>,
    bytes_in_memory: usize,
) -> Result<Source> {
    for _ in 0..LAYERS_MAX {
        let bytes_in_memory = bytes_in_memory + bytes.len();
        let unpacked = match Packing::detect(&bytes) {
            Packing::Plain => {
                return match selection.member {
                    None => Ok(Source { name, bytes }),
                    Some(member) => {
                        Err(SourceError::NotAnArchive { name, member: member.to_owned() })
                    }
                };
            }
            Packing::Other(found) => {
                return Err(SourceError::Unsupported { name, found: found.to_owned() });
            }
            Packing::Zip => unpack_zip(&name, &bytes, selection, bytes_in_memory)?,
            packing @ Packing::Tar => {
                unpack_tar(&name, &bytes[..], packing, selection, bytes_in_memory)?
            }
            packing => match decompress(&name, &bytes[..], packing)? {
                (true, stream) => unpack_tar(&name, stream, packing, selection, bytes_in_memory)?,
                (false, stream) => {
                    let bytes = read_bounded(&name, stream, packing, bytes_in_memory)?;
                    UnpackedLayer { member: None, bytes }
                }
            },
        };
        if let Some(member) = unpacked.member {
            name = format!("{name}#{member}");
            selection.member = None;
        }
        bytes = unpacked.bytes.into();
    }
    Err(SourceError::Unsupported {
        name,
        found: format!("more than {LAYERS_MAX} layers of compression"),
    })
}

/// The content of one layer of packing, and the name of the member that it was.
struct UnpackedLayer {
    member: Option<String>,
    bytes: Vec<u8>,
}

/// Reads a tar once, and only up to a member that is certainly the wanted one.
fn unpack_tar(
    name: &str,
    stream: impl Read,
    packing: Packing,
    selection: Selection<'_>,
    bytes_in_memory: usize,
) -> Result<UnpackedLayer> {
    let mut picker = MemberPicker::new(selection);
    let mut candidate: Option<UnpackedLayer> = None;
    for_each_tar_member(name, packing, stream, &mut |member, content| {
        let verdict = picker.examine(member);
        if verdict == Verdict::Skip {
            return Ok(MemberOutcome::Skipped);
        }
        // The member that was kept is not the wanted one.
        candidate = None;
        let bytes = read_bounded(name, content, packing, bytes_in_memory)?;
        candidate = Some(UnpackedLayer { member: Some(member.to_owned()), bytes });
        Ok(if verdict == Verdict::Select { MemberOutcome::ReadLast } else { MemberOutcome::Read })
    })?;
    picker.finish(name, candidate)
}

fn unpack_zip(
    name: &str,
    bytes: &[u8],
    selection: Selection<'_>,
    bytes_in_memory: usize,
) -> Result<UnpackedLayer> {
    let failed = |cause| zip_error(name, cause);
    let mut archive = zip::ZipArchive::new(io::Cursor::new(bytes)).map_err(failed)?;
    let mut picker = MemberPicker::new(selection);
    let mut candidate = None;
    for (index, member) in zip_members(&archive).map_err(failed)? {
        let verdict = picker.examine(&member);
        if verdict != Verdict::Skip {
            candidate = Some((index, member));
        }
        if verdict == Verdict::Select {
            break;
        }
    }
    let (index, member) = picker.finish(name, candidate)?;
    let content = archive.by_index(index).map_err(failed)?;
    let bytes = read_bounded(name, content, Packing::Zip, bytes_in_memory)?;
    Ok(UnpackedLayer { member: Some(member), bytes })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It is the wanted one; stop.
    Select,
    /// It is the wanted one unless another is found.
    Keep,
    Skip,
}

/// Decides for one member after the other, because reading a compressed tar twice would be expensive.
struct MemberPicker<'a> {
    selection: Selection<'a>,
    files: Members,
    matching: Members,
    is_selected: bool,
}

impl<'a> MemberPicker<'a> {
    fn new(selection: Selection<'a>) -> MemberPicker<'a> {
        MemberPicker {
            selection,
            files: Members::default(),
            matching: Members::default(),
            is_selected: false,
        }
    }

    fn examine(&mut self, member: &str) -> Verdict {
        self.files.push(member);
        if let Some(name) = self.selection.member {
            let is_same = member.trim_start_matches("./") == name.trim_start_matches("./");
            self.is_selected |= is_same;
            return if is_same { Verdict::Select } else { Verdict::Skip };
        }
        if !self.selection.kind.matches_name(file_name(member)) {
            // Kept in case it is the only file.
            return if self.files.total == 1 { Verdict::Keep } else { Verdict::Skip };
        }
        self.matching.push(member);
        if self.selection.month.is_some() && self.selection.month == parent_folder(member) {
            self.is_selected = true;
            return Verdict::Select;
        }
        if self.matching.total == 1 { Verdict::Keep } else { Verdict::Skip }
    }

    fn finish<T>(self, name: &str, candidate: Option<T>) -> Result<T> {
        let is_only =
            self.matching.total == 1 || (self.matching.total == 0 && self.files.total == 1);
        let name = name.to_owned();
        match (candidate, self.selection.member) {
            (Some(candidate), _) if is_only || self.is_selected => Ok(candidate),
            (_, Some(member)) => {
                let expected = format!("called {member}");
                Err(SourceError::NoMember { name, expected, found: self.files })
            }
            (Some(_), None) if self.matching.total > 1 => {
                let expected = match self.selection.month {
                    Some(month) => format!("member in a folder {month}/"),
                    None => "member".to_owned(),
                };
                let expected = format!("{expected} that is {}", self.selection.kind);
                Err(SourceError::SeveralMembers { name, expected, found: self.matching })
            }
            _ => {
                let expected = self.selection.kind.to_string();
                Err(SourceError::NoMember { name, expected, found: self.files })
            }
        }
    }
}

fn parent_folder(member: &str) -> Option<&str> {
    member.rsplit('/').nth(1)
}
