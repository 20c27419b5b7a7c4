//! Reading a file once from end to end, in steps, so that it is in memory before requests need it.
//!
//! The file is not mapped for it. The system evicts pages that were read only once before those that requests use again.
//! Knows no clock: the caller waits between the steps.

use super::layout::Fault;
use super::open::{Content, SnapshotFile};
use crate::system::reading::bytes_from_disk;

/// Bytes per step: few enough that requests read in between, many enough for disks that limit the number of reads.
const STEP_BYTES: usize = 1 << 20;

/// A part of a file that is now in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    pub bytes: u64,
    /// Bytes of it that were read from a disk; all of them if the system does not count.
    pub from_disk: u64,
}

impl SnapshotFile {
    /// Reads the file into memory, step by step. Ends after the first error.
    pub fn warm_up(&self) -> impl Iterator<Item = Result<Step, Fault>> {
        let file = match &self.content {
            Content::File(file) => Some(file),
            Content::Memory(_) => None,
        };
        // Without read-ahead a step reads exactly its bytes.
        file.inspect(|file| file.expect_random_reads());
        let length = usize::try_from(self.length()).unwrap_or(usize::MAX);
        let (mut next, mut buffer) = (0, vec![0; STEP_BYTES]);
        std::iter::from_fn(move || {
            let file = file?;
            let left = (length - next).min(STEP_BYTES);
            if left == 0 {
                return None;
            }
            let before = bytes_from_disk();
            let read = file.read(&mut buffer[..left], next);
            let bytes = left as u64;
            next = if read.is_ok() { next + left } else { length };
            let counted = before.zip(bytes_from_disk());
            let from_disk = counted.map_or(bytes, |(before, now)| now.saturating_sub(before));
            Some(read.map(|()| Step { bytes, from_disk }))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::snapshot::{DatasetKind, SectionTag, SnapshotWriter};
    use crate::text::codes::DataVersion;

    const KIND: DatasetKind = DatasetKind::new(7, "test");

    #[test]
    fn every_byte_is_read_in_equal_steps() {
        for section_bytes in [0, 1, STEP_BYTES, 3 * STEP_BYTES - 100] {
            let folder = tempfile::tempdir().expect("a folder");
            let version = DataVersion::parse("2026-05-29").expect("a date");
            let mut snapshot = SnapshotWriter::new(KIND, version);
            snapshot
                .archive(SectionTag::new("t"), &vec![7u8; section_bytes])
                .expect("bytes archive");
            let written = snapshot.write(folder.path()).expect("written");
            let file = SnapshotFile::open(written.path()).expect("a snapshot");
            let steps: Vec<Step> = file.warm_up().map(|step| step.expect("it reads")).collect();
            let (last, whole) = steps.split_last().expect("a file has a header");
            assert!(whole.iter().all(|step| step.bytes == STEP_BYTES as u64), "{steps:?}");
            assert!((1..=STEP_BYTES as u64).contains(&last.bytes), "{steps:?}");
            assert_eq!(steps.iter().map(|step| step.bytes).sum::<u64>(), file.length());
            // The second pass reads from memory. Where the system reports reads from disk, there are none.
            let again = file.warm_up().map(|step| step.expect("it reads").from_disk).sum::<u64>();
            assert_eq!(again, if bytes_from_disk().is_some() { 0 } else { file.length() });
        }
    }

    #[test]
    fn a_truncated_file_is_an_error_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let version = DataVersion::parse("2026-05-29").expect("a date");
        let mut snapshot = SnapshotWriter::new(KIND, version);
        snapshot.archive(SectionTag::new("t"), &vec![7u8; 2 * STEP_BYTES]).expect("bytes archive");
        let written = snapshot.write(folder.path()).expect("written");
        let file = SnapshotFile::open(written.path()).expect("a snapshot");
        let mut steps = file.warm_up();
        assert!(steps.next().expect("a step").is_ok());
        let cut = File::options().write(true).open(written.path()).expect("a file");
        cut.set_len(STEP_BYTES as u64 + 5).expect("cut");
        assert!(steps.next().expect("a step").is_err());
        assert!(steps.next().is_none());
    }
}
