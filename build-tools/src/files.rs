//! All files of a folder or archive that belong to one source; the zengin-code tree has 1,400.
//!
//! Paths are sorted. From a folder or archive only files with a name of the wanted kind are read, so that a folder
//! of other files costs nothing. The only file of an archive is read whatever its name.

use std::io::{self, Read};
use std::{fs, path::Path};

use crate::archive::{
    DECODED_BYTES_MAX, MemberOutcome, Packing, decompress, file_name, for_each_tar_member,
    read_bounded, read_file, zip_error, zip_members,
};
use crate::error::{Members, Result, SourceError};
use crate::{kind::Kind, open::Source};

/// Limit on the files of a source; the largest known tree has 2,800 with its YAML twin.
const FILES_MAX: usize = 100_000;

const DEPTH_MAX: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    name: String,
    kind: Kind,
    files: Vec<(String, Vec<u8>)>,
    /// Every file that was found, including the skipped ones, for messages.
    found: Members,
}

impl Files {
    /// Reads the files of this kind at `path`: a folder, an archive or a file.
    pub fn open(path: &Path, kind: Kind) -> Result<Files> {
        let name = path.display().to_string();
        if !path.is_dir() {
            return Files::unpack(name, read_file(path)?, kind);
        }
        let mut files = Files::empty(name, kind);
        files.add_folder(path, "", DEPTH_MAX)?;
        files.finish()
    }

    /// Takes the bytes of an archive or of a single file; `name` stands for the path in messages.
    pub fn unpack(name: impl Into<String>, bytes: Vec<u8>, kind: Kind) -> Result<Files> {
        let mut files = Files::empty(name.into(), kind);
        let name = files.name.clone();
        match Packing::detect(&bytes) {
            packing @ (Packing::Plain | Packing::Other(_)) => {
                if let Packing::Other(found) = packing {
                    return Err(SourceError::Unsupported { name, found: found.to_owned() });
                }
                files.files.push((String::new(), bytes));
            }
            Packing::Zip => files.add_zip(&bytes)?,
            Packing::Tar => files.add_tar(&bytes[..], Packing::Tar, bytes.len())?,
            packing => match decompress(&name, &bytes[..], packing)? {
                (true, stream) => files.add_tar(stream, packing, bytes.len())?,
                (false, stream) => {
                    let bytes = read_bounded(&name, stream, packing, bytes.len())?;
                    files.files.push((String::new(), bytes));
                }
            },
        }
        files.finish()
    }

    pub fn from_members<'m>(
        name: impl Into<String>,
        kind: Kind,
        members: impl IntoIterator<Item = (&'m str, &'m [u8])>,
    ) -> Files {
        let mut files = Files::empty(name.into(), kind);
        for (path, bytes) in members {
            files.files.push((path.to_owned(), bytes.to_vec()));
        }
        files.files.sort();
        files
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Every file with its path below the source; a source of one file has an empty path.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    pub(crate) fn get(&self, path: &str) -> Option<&[u8]> {
        let index = self.files.binary_search_by(|(known, _)| known.as_str().cmp(path)).ok()?;
        Some(&self.files[index].1)
    }

    /// The name of one file in messages.
    pub(crate) fn name_of(&self, path: &str) -> String {
        if path.is_empty() { self.name.clone() } else { format!("{}#{path}", self.name) }
    }

    /// The error for a source that lacks files that belong to it.
    pub(crate) fn incomplete(&self, expected: impl Into<String>) -> SourceError {
        SourceError::Incomplete {
            name: self.name.clone(),
            expected: expected.into(),
            found: self.found.clone(),
        }
    }

    fn empty(name: String, kind: Kind) -> Files {
        Files { name, kind, files: Vec::new(), found: Members::default() }
    }

    fn finish(mut self) -> Result<Files> {
        if self.found.total > 1 {
            let kind = self.kind;
            self.files.retain(|(path, _)| kind.matches_name(file_name(path)));
        }
        if self.files.is_empty() {
            return Err(self.incomplete(format!("files of {}", self.kind)));
        }
        self.files.sort();
        self.files.dedup_by(|second, first| second.0 == first.0);
        Ok(self)
    }

    /// Counts a file, and returns whether its name is of the wanted kind.
    fn select(&mut self, path: &str) -> Result<bool> {
        self.found.push(path);
        if self.found.total > FILES_MAX {
            let found = format!("more than {FILES_MAX} files");
            let (name, expected) = (self.name.clone(), self.kind);
            return Err(SourceError::Unrecognised { name, expected, found });
        }
        Ok(self.kind.matches_name(file_name(path)))
    }

    /// [`select`](Self::select) in an archive. Its first file is also selected, because it may turn out to be the only
    /// one.
    fn select_member(&mut self, path: &str) -> Result<bool> {
        Ok(self.select(path)? || self.found.total == 1)
    }

    fn bytes_in_memory(&self) -> usize {
        self.files.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    fn add(&mut self, path: String, bytes: Vec<u8>) -> Result<()> {
        let bytes_in_memory = self.bytes_in_memory();
        let bytes = match Packing::detect(&bytes) {
            Packing::Plain => bytes,
            // A file of another kind that comes first; dropped once there are more.
            _ if !self.kind.matches_name(file_name(&path)) => bytes,
            _ => {
                let name = self.name_of(&path);
                Source::unpack_member(bytes_in_memory, name, bytes, self.kind)?.bytes().to_vec()
            }
        };
        if (bytes_in_memory + bytes.len()) as u64 > DECODED_BYTES_MAX {
            let (name, limit_bytes) = (self.name.clone(), DECODED_BYTES_MAX);
            return Err(SourceError::TooLarge { name, limit_bytes });
        }
        self.files.push((path, bytes));
        Ok(())
    }

    fn add_folder(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<()> {
        let io = |cause| SourceError::Io { path: folder.to_owned(), cause };
        for entry in fs::read_dir(folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let inner_path = format!("{prefix}{name}");
            if path.is_dir() {
                // Hidden folders hold a repository's history, not its files.
                if depth > 0 && !name.starts_with('.') {
                    self.add_folder(&path, &format!("{inner_path}/"), depth - 1)?;
                }
            } else if self.select(&inner_path)? {
                let bytes = read_file(&path)?;
                self.add(inner_path, bytes)?;
            }
        }
        Ok(())
    }

    fn add_tar(&mut self, stream: impl Read, packing: Packing, packed_bytes: usize) -> Result<()> {
        let name = self.name.clone();
        for_each_tar_member(&name, packing, stream, &mut |path, content| {
            let path = path.trim_start_matches("./");
            if !self.select_member(path)? {
                return Ok(MemberOutcome::Skipped);
            }
            let bytes =
                read_bounded(&name, content, packing, packed_bytes + self.bytes_in_memory())?;
            self.add(path.to_owned(), bytes)?;
            Ok(MemberOutcome::Read)
        })
    }

    fn add_zip(&mut self, bytes: &[u8]) -> Result<()> {
        let name = self.name.clone();
        let failed = |cause| zip_error(&name, cause);
        let mut archive = zip::ZipArchive::new(io::Cursor::new(bytes)).map_err(failed)?;
        for (index, path) in zip_members(&archive).map_err(failed)? {
            if self.select_member(&path)? {
                let content = archive.by_index(index).map_err(failed)?;
                let bytes_in_memory = bytes.len() + self.bytes_in_memory();
                let bytes = read_bounded(&name, content, Packing::Zip, bytes_in_memory)?;
                self.add(path, bytes)?;
            }
        }
        Ok(())
    }
}
