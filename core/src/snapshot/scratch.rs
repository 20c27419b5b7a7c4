//! A scratch file: bytes that a build writes once and reads many times, which are too large for its memory.
//!
//! The file has no name, so it vanishes with its last user, also if the process is killed. A reader from front to back
//! holds some megabytes of it in memory.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::map::{Mapping, RandomReads};
use super::write::WriteError;
#[cfg(any(test, feature = "test-support"))]
use crate::system::disk_steps::{self, DiskStep};

/// A scratch file to which bytes are appended.
pub struct ScratchWriter {
    file: File,
    /// The folder that it is in, for errors.
    folder: PathBuf,
}

impl ScratchWriter {
    /// Creates a scratch file in a folder that exists.
    pub fn create(folder: &Path) -> Result<ScratchWriter, WriteError> {
        #[cfg(any(test, feature = "test-support"))]
        disk_steps::step(DiskStep::Write(folder)).map_err(|cause| failed(folder, cause))?;
        let file = tempfile::tempfile_in(folder).map_err(|cause| failed(folder, cause))?;
        Ok(ScratchWriter { file, folder: folder.to_owned() })
    }

    /// Appends bytes without a buffer of its own: append megabytes at a time.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.file.write_all(bytes).map_err(|cause| failed(&self.folder, cause))
    }

    /// Ends the writing.
    pub fn finish(self) -> Result<Scratch, WriteError> {
        let mapping = Mapping::new(&self.file).map_err(|cause| failed(&self.folder, cause))?;
        Ok(Scratch { mapping })
    }
}

fn failed(folder: &Path, cause: io::Error) -> WriteError {
    WriteError::Io { path: folder.to_owned(), cause }
}

/// A complete scratch file.
pub struct Scratch {
    mapping: Mapping,
}

impl Scratch {
    /// A range, in a pass over all bytes from front to back: releases the memory of the bytes before it.
    #[inline]
    pub fn get(&self, range: Range<usize>) -> &[u8] {
        self.mapping.release_before(range.clone());
        &self.mapping.as_ref()[range]
    }

    /// A range, for callers that leave bytes out, or read in no order. Each caller counts its own reads.
    pub fn get_random_access(&self, range: Range<usize>, reads: &RandomReads) -> &[u8] {
        let bytes = self.mapping.as_ref();
        reads.count(&self.mapping, 0..bytes.len(), range.start);
        &bytes[range]
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::snapshot::map::RELEASE_CHUNK;

    #[test]
    fn a_scratch_file_reads_back_in_any_order_and_has_no_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let all: Vec<u8> = (0..2 * RELEASE_CHUNK + 77_777).map(|at| (at % 251) as u8).collect();
        for length in [1, 4_096, all.len()] {
            let all = &all[..length];
            let mut writer = ScratchWriter::create(folder.path()).expect("a file");
            for part in all.chunks(999_999) {
                writer.append(part).expect("appended");
            }
            let scratch = writer.finish().expect("mapped");
            let reads = RandomReads::default();
            for round in 0..2 {
                let (mut found, mut at_random) = (Vec::new(), Vec::new());
                for start in (0..length).step_by(77_777) {
                    let range = start..length.min(start + 77_777);
                    found.extend_from_slice(scratch.get(range.clone()));
                    at_random.extend_from_slice(scratch.get_random_access(range, &reads));
                }
                assert!(found == all, "released pages come back: {length} bytes, pass {round}");
                assert!(at_random == all, "{length} bytes, pass {round}");
            }
            assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
        }
    }

    #[test]
    fn a_folder_that_is_missing_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join("missing");
        let error = ScratchWriter::create(&missing).err().expect("refused").to_string();
        assert!(error.contains("missing"), "{error}");
    }
}
